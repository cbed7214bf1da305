/*
 * starve - let one allocation of the interpreter fail
 *
 * A box that is out of memory finds out in any line.  After starve_begin() the
 * allocations of CPython and of sandbox/python are counted, and number `at`
 * (from 1; 0: none) returns NULL, once.
 *
 * CPython 3.11's own parser and compiler, and a few of its modules, crash when
 * they are out of memory; for a warden that is a crash like any other.  Such a
 * child ends with STARVE_EXIT_CPYTHON.  One that crashes in a line of ours, or
 * in a function of CPython that we called, ends by the signal.
 */
#ifndef GLOVEBOX_STARVE_H
#define GLOVEBOX_STARVE_H

#define STARVE_EXIT_CPYTHON 77

/* Once, before the children are forked.  0 or -errno. */
int starve_prepare(void);

void starve_begin(unsigned long at);
/* Likewise, but calls of ours into CPython (failing.h), not allocations. */
void starve_begin_calls(unsigned long at);

/* How many there were since starve_begin() in the last child. */
unsigned long starve_count(void);

#endif
