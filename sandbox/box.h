/*
 * box - one fork of a template: one order, confined, then gone
 *
 * box_live() is called in the child right after the clone and never returns.
 * It walks box_steps[], waits for its order, runs it and exits.  Told to while
 * it waits, it rehearses: an order that comes after that finds most of the
 * pages it needs in place.
 */
#ifndef GLOVEBOX_BOX_H
#define GLOVEBOX_BOX_H

#include "sandbox/confine/confine.h"
#include "sandbox/wire/setup.h"

/* The byte that wakes a box. */
#define BOX_WAKE_RUN 'R' /* the order is in the slate */
#define BOX_WAKE_WARM 'W' /* rehearse, then wait on */
#define BOX_WAKE_TRIAL 'T' /* try what must fail, then end */

/* How a box ends that did not run to its end. */
#define BOX_EXIT_STEP 70 /* a step failed; the slate says which */
#define BOX_EXIT_ORDER 71 /* the order could not be read */
#define BOX_EXIT_STOPPED 72 /* told to stop, has noted where it was */

extern const struct confine_step box_steps[];
extern const size_t box_step_count;

/* In the template, once: what a box does when it is told to stop. */
int box_prepare(void);

/* What the template hands a box on its way. */
struct box_start {
    int wake_fd;
    int slate_fd;
    bool is_trial; /* rehearse before the filter, and measure */
};

_Noreturn void box_live(
    struct confine *c, const struct setup *s, const struct box_start *start);

#endif
