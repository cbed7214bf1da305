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

#include <stdint.h>

#include "fcgi-app/service.h"

struct serve; /* opaque; serve.c */

/*
 * Make the listening socket at `path`, mode 0660, of user `uid` and group
 * `gid` (UINT32_MAX: as it comes).  A socket left behind there is replaced, a
 * living one or a file that is no socket is not.  Returns the descriptor or
 * -errno.  To be called while there is only one thread (it sets the umask).
 */
int serve_listen(const char *path, uint32_t uid, uint32_t gid);

/*
 * Start `threads` threads.  Takes `listen_fd` over.  `s` must outlive them.
 * Returns NULL when not even one thread could be started.
 */
struct serve *serve_start(int listen_fd, struct service *s, unsigned threads);

/*
 * No new connections; then wait until every request that was read has its
 * answer, and free.  Each is bounded by the limits of its run.
 */
void serve_stop(struct serve *serve);

#endif
