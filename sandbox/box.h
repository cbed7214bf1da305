/*
 * box - one fork of a template: one order, confined, then gone
 *
 * box_live() is called in the child right after the clone and never returns.
 * It walks box_steps[], rehearses, waits for its order, runs it and exits.
 */
#ifndef GLOVEBOX_BOX_H
#define GLOVEBOX_BOX_H

#include "sandbox/confine/confine.h"
#include "sandbox/wire/setup.h"

/* The byte that wakes a box. */
#define BOX_WAKE_RUN 'R' /* the order is in the slate */
#define BOX_WAKE_TRIAL 'T' /* try what must fail, then end */

/* How a box ends that did not run to its end. */
#define BOX_EXIT_STEP 70 /* a step failed; the slate says which */
#define BOX_EXIT_ORDER 71 /* the order could not be read */
#define BOX_EXIT_STOPPED 72 /* told to stop, has noted where it was */

extern const struct confine_step box_steps[];
extern const size_t box_step_count;

/* In the template, once: what a box does when it is told to stop. */
int box_prepare(void);

_Noreturn void box_live(
    struct confine *c, const struct setup *s, int wake_fd, int slate_fd);

#endif
