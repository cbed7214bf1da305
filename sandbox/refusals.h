/*
 * refusals - what boxes asked of the kernel and did not get
 *
 * A call that the listener filter stops (sandbox/confine/seccomp.c) waits
 * here for its answer.  The number and the arguments come from the kernel; a
 * box cannot make one up.  Besides refused calls, two questions about memory
 * arrive this way: a mapping larger than half of the budget, and the last
 * moment of a box that says it ran out.
 */
#ifndef GLOVEBOX_REFUSALS_H
#define GLOVEBOX_REFUSALS_H

#include "sandbox/pool.h"

/* Sizes of the kernel's structures: 0, or -errno where it has none. */
int refusals_init(void);

/* Answer one call of a box of this template. */
void refusals_answer(struct pool *p, struct pool_template *t);

#endif
