/*
 * attend - what the main thread does while the others serve
 *
 *   SIGHUP            read settings and tokens again
 *   SIGUSR1           open the audit log again
 *   SIGTERM, SIGINT   end
 *   a new service     hand the listener over to it (takeover.h)
 *   the watchdog      is fed, while there is reason to (notify.h)
 *
 * It never waits for anything but these, so that a ping of the watchdog says
 * that this thread is well, and that a canary program ran a short while ago.
 */
#ifndef GLOVEBOX_ATTEND_H
#define GLOVEBOX_ATTEND_H

#include <signal.h>
#include <stdbool.h>

#include "fcgi-app/service.h"
#include "fcgi-app/takeover.h"

struct attend {
    struct service *service;
    const char *config_file; /* NULL: none */
    struct takeover_fds fds; /* for a new service; control_fd -1: not offered */
    int peer_fd; /* to a new service that is coming up; -1: none */
    int spawner_fd; /* is told whose the files are */
    bool has_left_peer; /* the end came while one was coming up */
};

enum attend_end {
    ATTEND_STOP, /* somebody wants the service to end */
    ATTEND_HANDED_OVER, /* another one has taken its place */
};

/* The signals above: to be blocked before the first thread and fork. */
void attend_signals(sigset_t *ret_set);

/*
 * Until the service is to end.  A new one that is not ready by then is left
 * alone with the listener, and comes up all the same.
 */
enum attend_end attend_until_end(struct attend *a);

#endif
