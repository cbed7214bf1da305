/*
 * harvest - what a box has left in its slate
 *
 * For a box that can do nothing more: it is dead, or waits in its last call.
 * All of it is the box's word.  Lengths are cut to their areas before they are
 * used, a claim that is not what it should be is none, and stamps are clamped
 * to what the warden saw.
 *
 * Not for: a box that still runs (sandbox/glance.h), or how it ended
 * (sandbox/watch.h).
 */
#ifndef GLOVEBOX_HARVEST_H
#define GLOVEBOX_HARVEST_H

#include "sandbox/watch.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/outcome.h"
#include "sandbox/wire/slate.h"

/*
 * Output, claim and place into *o, whose views point into `scratch` and
 * `head`.  Without memory they stay empty.
 */
void harvest_claims(struct buf *scratch, const struct slate_layout *l,
    int slate_fd, const struct order *order, struct slate_head *head,
    struct outcome *o);

/* Where the time went into *o; after watch_verdict(). */
void harvest_phases(
    const struct watch *w, const struct slate_head *head, struct outcome *o);

#endif
