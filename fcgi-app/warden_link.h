/*
 * warden_link - the app's end of the socket
 *
 * Keeps one warden alive, tells it the settings, remembers what it last said
 * about itself, and carries orders to it and outcomes back.  All bytes are
 * those of sandbox/wire.
 *
 * Any number of threads may ask at once; each order travels on a lane of its
 * own, so none waits for another here.  Lanes are kept for the next order.
 *
 * Not for: how many orders may be under way (admit.c), whether an order is
 * tried again (runs.c).
 */
#ifndef GLOVEBOX_WARDEN_LINK_H
#define GLOVEBOX_WARDEN_LINK_H

#include <stdbool.h>

#include "fcgi-app/warden_lane.h"
#include "sandbox/base/fault.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/setup.h"
#include "sandbox/wire/status.h"

struct warden_link; /* opaque; warden_link.c */

/*
 * Start a warden through `spawner_fd` (spawner.h) and keep one alive from now
 * on.  Takes the descriptor over.  Returns NULL when out of memory or threads.
 *
 * Without a spawner there can be no new warden: when it is gone the link sends
 * SIGTERM to the process, so that whoever started the service starts it again
 * (warden_link_has_failed()).
 */
struct warden_link *warden_link_new(int spawner_fd, const struct setup *setup);

/* End the warden and the thread.  Nobody may be asking.  NULL is fine. */
void warden_link_free(struct warden_link *l);

/*
 * Have an order run.  Waits up to `ready_ms` for the sandbox to be ready for
 * the order's profile.  `hangup_fd`: whose hang-up cancels the order; -1 for
 * none.  Returns FAULT_NONE and fills *answer (initialised by the caller), or
 *   FAULT_SANDBOX    not ready in time, or the warden could not start a box,
 *                    or it fell silent and is being replaced
 *   FAULT_LOST       the warden vanished; worth another try
 *   FAULT_CANCELLED  the client went away; the box has been killed
 *   FAULT_INTERNAL   no memory
 */
enum fault warden_ask(struct warden_link *l, const struct order *order,
    int hangup_fd, unsigned ready_ms, struct warden_answer *answer);

/* The link sent the SIGTERM: there is no spawner any more. */
bool warden_link_has_failed(const struct warden_link *l);

/*
 * Wait for the first word of a warden, at most `wait_ms`.  Returns false when
 * there was none.
 */
bool warden_link_await(
    struct warden_link *l, unsigned wait_ms, struct status *ret_status);
/* A warden could not be started, or ended without a word. */
bool warden_link_is_hopeless(const struct warden_link *l);

/* What the warden last said.  False when there is none, or it is mute yet. */
bool warden_link_status(struct warden_link *l, struct status *ret_status);

#endif
