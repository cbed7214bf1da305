/*
 * glance - what a box has printed so far
 *
 * The one look into a slate whose box still runs.  What is seen may be half
 * of a line or of a character, and change the next moment; it is shown to
 * whoever waits and decides nothing.  Lengths are the box's word and are cut
 * to the area before they are used.
 */
#ifndef GLOVEBOX_GLANCE_H
#define GLOVEBOX_GLANCE_H

#include "sandbox/wire/progress.h"
#include "sandbox/wire/slate.h"

/*
 * Fill *ret_progress but for its time.  The tail is that of the first
 * `output_bytes` (at most the area's) of standard output and is read into
 * `room`.  0 or -errno.
 */
int glance(int slate_fd, const struct slate_layout *l, uint32_t output_bytes,
    char room[PROGRESS_MAX_TAIL], struct progress *ret_progress);

#endif
