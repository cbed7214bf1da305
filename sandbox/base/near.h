/*
 * near - what every box writes, side by side
 *
 * In a fork each page that is written for the first time is a page to copy
 * or to clear.  The few static variables that every run writes stand together
 * in memory (sandbox/large.ld), so that they are one page or two and not one
 * each.  For variables without an initial value.
 */
#ifndef GLOVEBOX_NEAR_H
#define GLOVEBOX_NEAR_H

#define NEAR __attribute__((section(".bss.near")))

/* A large one whose first bytes are written first: behind all others. */
#define NEAR_LAST __attribute__((section(".bss.nearlast")))

#endif
