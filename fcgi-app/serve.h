/*
 * serve - the accept loop
 *
 * A fixed number of threads, each with one FastCGI connection at a time and
 * one request on it: read, route_handle(), write, close.  There are more
 * threads than runs and waiters together, so a request that needs no place
 * (/health, /metrics, a refusal) always finds one.
 *
 * Not for: what a request means (route.c).
 */
#ifndef GLOVEBOX_SERVE_H
#define GLOVEBOX_SERVE_H

#include "fcgi-app/service.h"

struct serve; /* opaque; serve.c */

/*
 * Start `threads` threads.  Takes `listen_fd` over, which is non-blocking
 * (listener_prepare()).  `s` must outlive them.
 * Returns NULL when not even one thread could be started.
 */
struct serve *serve_start(int listen_fd, struct service *s, unsigned threads);

/*
 * No new connections; then wait until every request that was read has its
 * answer, and free.  Each is bounded by the limits of its run.
 */
void serve_stop(struct serve *serve);

/*
 * Likewise, but leave the listener as it is, with what waits in its backlog:
 * another process has it, too, and goes on with it.
 */
void serve_leave(struct serve *serve);

#endif
