/*
 * progress - how far a run has come, told while it is under way
 *
 * An order may ask for it (order.progress_ms).  The time is the warden's; the
 * counts and the text are the box's word, read while the box runs: bounded
 * here, made safe where they are printed, and deciding nothing.
 */
#ifndef GLOVEBOX_PROGRESS_H
#define GLOVEBOX_PROGRESS_H

#include "sandbox/base/buf.h"

#define PROGRESS_MAX_TAIL 2000

struct progress {
    uint64_t elapsed_us; /* since the order was handed over */
    uint64_t out_len; /* bytes printed so far, also those not kept */
    uint64_t err_len;
    struct view tail; /* the end of the standard output that is kept */
};

size_t progress_max_bytes(void);
void progress_pack(struct buf *b, const struct progress *p);
/* 0, or -EPROTO.  The view of *ret_progress points into `body`. */
int progress_unpack(struct view body, struct progress *ret_progress);

#endif
