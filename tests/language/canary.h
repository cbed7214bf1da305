/*
 * canary - an object that only an escape can reach
 *
 * Planted into the driver's interpreter under a name that no program can
 * write, in every namespace that the restricted language keeps away: all
 * modules, the builtins, the program's own globals; its class is one of
 * object's subclasses.  Whatever is done to it (a call, an attribute, a
 * comparison, a text) is counted in memory that is shared with the driver, so
 * that no program can hide that it was there.
 */
#ifndef GLOVEBOX_TRY_CANARY_H
#define GLOVEBOX_TRY_CANARY_H

#define CANARY_NAME "<canary>"

/* After interp_warm().  0, or -1 when it cannot be planted. */
int canary_plant(void);

/* Forget, before a program runs; and how often it was touched since. */
void canary_reset(void);
unsigned canary_touches(void);

#endif
