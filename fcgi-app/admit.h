/*
 * admit - how many runs may be under way at once
 *
 * One struct admit guards the whole service.  A run enters before it is handed
 * to the warden and leaves when its outcome is known; in between it holds one
 * place of the service and one of its caller.  A run that finds no place waits
 * in a queue that is bounded in length and in time, and leaves it at once when
 * its client goes away.
 *
 * Fair among callers, not among runs:
 *  - a place that comes free goes to the callers that wait in turn, and within
 *    a caller to the run that has waited longest;
 *  - when the queue is full, a caller with few runs in it displaces the newest
 *    run of the caller with the most, so nobody can fill the queue for all;
 *  - a caller at its own limit is passed over, never in the way of others.
 *
 * Not for: the rate of requests (nginx/limits.conf.in) or the time of one
 * run (sandbox/watch.c).
 */
#ifndef GLOVEBOX_ADMIT_H
#define GLOVEBOX_ADMIT_H

#include <stdint.h>

#include "sandbox/base/fault.h"

#define ADMIT_MAX_CALLER 64

struct admit; /* opaque; admit.c */
struct admit_ticket; /* one place, held; give it back with admit_leave() */

/*
 * Make a guard with `places` in all and a queue of `max_queued` runs, none of
 * which waits longer than `queue_ms`.  Returns NULL when out of memory.  The
 * caller owns it: admit_free(), when nobody is inside or waiting any more.
 */
struct admit *admit_new(
    unsigned places, unsigned max_queued, unsigned queue_ms);
void admit_free(struct admit *a); /* NULL is fine */

/* Who wants to enter. */
struct admit_caller {
    const char *id; /* token id; longer than ADMIT_MAX_CALLER is cut */
    unsigned limit; /* places this caller may hold; 0: as many as there are */
    int hangup_fd; /* whose hang-up ends the waiting; -1 for none */
};

/*
 * Take a place.  Returns FAULT_NONE and sets *ret_ticket, or leaves it alone
 * and returns
 *   FAULT_BUSY           the queue is full
 *   FAULT_QUEUE_TIMEOUT  no place came free in time
 *   FAULT_CANCELLED      the client went away
 *   FAULT_STOPPING       admit_stop() was called before
 *   FAULT_INTERNAL       no memory or descriptor for waiting
 * *ret_wait_us, if not NULL, is set in every case.
 */
enum fault admit_enter(struct admit *a, const struct admit_caller *caller,
    struct admit_ticket **ret_ticket, uint64_t *ret_wait_us);

/* Give a place back.  NULL is fine, so it can stand in a cleanup. */
void admit_leave(struct admit_ticket *ticket);

/* How many places its caller holds now, with this one. */
unsigned admit_running(struct admit_ticket *ticket);

/* Nobody enters any more; those that wait already still get their turn. */
void admit_stop(struct admit *a);

/* How many are inside and how many wait, for /metrics. */
void admit_count(struct admit *a, unsigned *ret_running, unsigned *ret_queued);

#endif
