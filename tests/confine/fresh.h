/*
 * fresh - a struct confine before any step, in a fork that left root
 *
 * Call it in the fork of a test (tests/support/fork.h): who leaves root does
 * not come back.
 */
#ifndef GLOVEBOX_CONFINE_FRESH_H
#define GLOVEBOX_CONFINE_FRESH_H

#include "sandbox/confine/confine.h"

void confine_fresh(struct confine *c);
/* As root, where the test was started by root; ids to leave it for. */
void confine_fresh_root(struct confine *c);

#endif
