/*
 * clock - time for deadlines and for people
 *
 * Deadlines count in the monotonic clock, so a step of the wall clock moves
 * none of them.  The wall clock is only ever printed.
 */
#ifndef GLOVEBOX_CLOCK_H
#define GLOVEBOX_CLOCK_H

#include <stddef.h>
#include <stdint.h>

uint64_t clock_mono_us(void);

/* Now, as 2026-01-31T23:59:59.123Z; `size` at least CLOCK_TEXT. */
#define CLOCK_TEXT 25
void clock_text(char *text, size_t size);

#endif
