/*
 * warden_lane - one order out, its outcome back
 *
 * A lane is a stream socket whose far end the warden holds.  It carries one
 * order at a time, and closing it cancels the order.  After anything but
 * success a lane is out of step and must be closed.
 *
 * Not for: which warden a lane belongs to, or keeping it (warden_link.c).
 */
#ifndef GLOVEBOX_WARDEN_LANE_H
#define GLOVEBOX_WARDEN_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/base/buf.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/outcome.h"
#include "sandbox/wire/progress.h"
#include "sandbox/wire/setup.h"

/* Who is told how far an order has come that asks for it. */
struct warden_listener {
    /* False: whoever wanted to know is gone, cancel the order. */
    bool (*progress)(void *with, const struct progress *p);
    void *with;
};

/* An outcome and the bytes its views point into. */
struct warden_answer {
    struct outcome outcome;
    struct buf frame;
    const struct warden_listener *listener; /* the caller's to set; or NULL */
};

void warden_answer_init(struct warden_answer *w);
void warden_answer_done(struct warden_answer *w);

/*
 * Make a lane and send its far end over the control socket.  Returns the
 * near end, which the caller owns, or -errno.
 */
int warden_lane_open(int control_fd);

/*
 * Send `order`, await its outcome in *answer (initialised by the caller).
 * Returns 0, or
 *   -ECANCELED  `hangup_fd` (-1 for none) has been hung up, or the listener
 *               wants no more
 *   -ETIMEDOUT  nothing whole came before `deadline_us` of clock_mono_us()
 *   -EPROTO     what came is no outcome
 *   -ENOMEM     no memory, or the order is over the bounds of `setup`
 *   another -errno when the far end is gone
 */
int warden_lane_ask(int lane_fd, const struct setup *setup,
    const struct order *order, int hangup_fd, uint64_t deadline_us,
    struct warden_answer *answer);

#endif
