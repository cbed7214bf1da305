/*
 * interp - CPython in a template and in a box
 *
 * The only room that includes Python.h; this header does not.  The template
 * calls interp_warm() once.  A box, right after it was forked, calls
 * interp_after_fork_box(), rehearses with interp_rehearse(), and then,
 * confined, runs its one order with interp_run() and ends with _exit().
 *
 * Everything that interp_run() has to tell goes into the slate: output as it
 * is printed, the claim at the end.  It makes no system call for that.
 *
 * Not for: limits, confinement, deciding how a run ended.
 */
#ifndef GLOVEBOX_INTERP_H
#define GLOVEBOX_INTERP_H

#include "sandbox/wire/order.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/setup.h"
#include "sandbox/wire/slate.h"

/*
 * Start CPython, isolated, and load all that `p` offers, with every helper
 * that is loaded lazily; then empty the path, the inittab and the importer,
 * collect garbage and freeze.  After this no file is ever opened again.
 * Returns 0, or -1 with one sentence in `problem`.
 */
int interp_warm(const struct profile *p, const struct setup *s, char *problem,
    size_t problem_size);

/* "3.11.2"; valid after interp_warm(). */
const char *interp_version(void);

/*
 * First thing in the child.  There is no more to do around a clone, as
 * PyOS_BeforeFork() and its like would: the template has one thread, so no
 * lock can be held by another.  -1 when it would draw the same random numbers
 * as its neighbours.
 */
int interp_after_fork_box(void);

/*
 * Run a small harmless program through the same path as an order, so that
 * the pages it needs are there; leaves no trace in the interpreter's state
 * that a program could see, and nothing in the slate.
 */
void interp_rehearse(struct slate *slate);

/* Run the order.  Sets the slate's phase, output and claim. */
void interp_run(const struct order *o, struct slate *slate);

/*
 * Note in the slate which line of the program is being run.  Called from a
 * signal handler that never returns to the program: reads memory, allocates
 * nothing, takes no lock.
 */
void interp_note_where(struct slate *slate);

#endif
