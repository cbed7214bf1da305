/*
 * client - a warden of one's own, without the app
 *
 * For tests and benchmarks of the sandbox: starts glovebox-sandbox the way
 * the app does, opens lanes, sends orders, reads outcomes.
 */
#ifndef GLOVEBOX_TEST_CLIENT_H
#define GLOVEBOX_TEST_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/wire/order.h"
#include "sandbox/wire/outcome.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/progress.h"
#include "sandbox/wire/setup.h"
#include "sandbox/wire/status.h"

struct client {
    struct setup setup;
    pid_t pid; /* the warden */
    int control_fd;
    struct buf control_in;
    struct status status; /* the last one read */
    unsigned told; /* progress frames before the last outcome */
    struct progress progress; /* the last one; its tail is in `tail` */
    char tail[PROGRESS_MAX_TAIL];
};

/* Settings that suit a test: 2 s, 1 s of CPU, 64 MiB, both profiles. */
struct setup client_setup(void);

/*
 * Path of the program: $GLOVEBOX_SANDBOX, or what the Makefile built.  The
 * first call opens it, so that it can be started later by a user who cannot
 * reach it where it lies; NULL when it is not there.
 */
const char *client_program(void);

/* Start and wait for the first status.  0 or -errno. */
int client_start(struct client *c, const struct setup *s);
/* Close the control socket and wait for the warden's end; its exit status. */
int client_stop(struct client *c);

/* Read one status frame, waiting at most `ms`.  0 or -errno. */
int client_read_status(struct client *c, int ms);

/* A new lane, or -errno. */
int client_lane(struct client *c);

/* An order with the setup's limits. */
struct order client_order(
    const struct client *c, enum profile_id profile, const char *code);

int client_send(struct client *c, int lane, const struct order *o);
/*
 * Read one outcome into `room`, waiting at most `ms`; views point into room.
 * What is told before it is counted and the last of it kept.
 */
int client_recv(struct client *c, int lane, int ms, struct buf *room,
    struct outcome *ret_outcome);

#endif
