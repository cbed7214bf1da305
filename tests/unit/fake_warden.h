/*
 * fake_warden - a warden for tests of the app: no boxes, only frames
 *
 * Stands behind the socket of a spawner and speaks sandbox/wire as the real
 * one does, in threads of the test.  What it does with an order is the order's
 * code:
 *
 *   "die"          the whole warden vanishes
 *   "die once"     likewise, but only the first warden; then as any other
 *   "hang"         nothing, until the lane is closed
 *   "garbage"      bytes that are no frame
 *   "not started"  VERDICT_NOT_STARTED
 *   "slow"         the value after 300 ms
 *   anything else  ended, with the value 285
 */
#ifndef GLOVEBOX_FAKE_WARDEN_H
#define GLOVEBOX_FAKE_WARDEN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "sandbox/wire/setup.h"

#define FAKE_MAX_LANES 64

struct fake_warden {
    int spawner_fd; /* the app's end; for warden_link_new(), which takes it */
    atomic_bool is_mute; /* sends no status: never ready */
    atomic_bool is_mortal; /* every warden dies as soon as it is started */
    atomic_int starts;
    atomic_int lanes;
    atomic_int orders;
    atomic_int cancelled; /* lanes closed under a hanging order */

    /* inside only */
    pthread_t thread;
    int far_fd;
    pthread_mutex_t lock;
    int control_fd; /* of the warden that lives */
    int lane_fds[FAKE_MAX_LANES];
    atomic_int workers;
};

void fake_warden_start(struct fake_warden *w);
/* After the link has been freed. */
void fake_warden_stop(struct fake_warden *w);

/* Make the living warden vanish. */
void fake_warden_kill(struct fake_warden *w);

/* Bounds that orders of these tests fit into. */
struct setup fake_warden_setup(void);

#endif
