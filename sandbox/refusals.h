/*
 * refusals - what boxes asked of the kernel and did not get
 *
 * A call that the listener filter stops (sandbox/confine/seccomp.c) waits
 * here for its answer.  The number and the arguments come from the kernel; a
 * box cannot make one up.  Besides refused calls there arrive this way: a
 * mapping larger than half of the budget, the last moment of a box that says
 * it ran out of memory, and the end of every box and template.
 */
#ifndef GLOVEBOX_REFUSALS_H
#define GLOVEBOX_REFUSALS_H

#include "sandbox/pool.h"

/* Sizes of the kernel's structures: 0, or -errno where it has none. */
int refusals_init(void);

/*
 * Answer one call of a box of this template.  Returns NULL, or a running box
 * that waits in exit_group(), unanswered: it will not run again, *ret_status
 * is how it meant to end and *ret_usage what it used.  The caller ends it.
 */
struct pool_box *refusals_answer(struct pool *p, struct pool_template *t,
    int *ret_status, struct rusage *ret_usage);

#endif
