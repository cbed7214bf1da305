/*
 * nursery - where the objects of a box are born: close together
 *
 * CPython's allocator keeps blocks of each size in a pool of their own.  In a
 * fork every pool that is touched is a page to copy, and so is the page of
 * every block that is freed: a one-line program wrote to some eighty pages for
 * a few kilobytes.  The nursery is a stretch of fresh memory from which a box
 * takes its first blocks one after the other, whatever their size.  When it is
 * full, CPython's own allocator goes on; a long program notices nothing.
 *
 * Freed blocks are used again for the same size.  A block of the template that
 * a box gives back is forgotten rather than written to, as long as everything
 * that the box itself took came from the nursery.
 *
 * One thread, as in a template and in a box; no lock.
 *
 * Not for: limits; RLIMIT_DATA counts the nursery like any other memory.
 */
#ifndef GLOVEBOX_NURSERY_H
#define GLOVEBOX_NURSERY_H

#include <stdbool.h>

/* Before CPython starts, in the template: put it before its allocators. */
void nursery_install(void);

/* In a box, before anything of an order: from now on it is used. */
void nursery_open(void);

#endif
