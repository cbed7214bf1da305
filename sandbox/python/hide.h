/*
 * hide - no address of this process in any text, hash or order
 *
 * All boxes of a template share its layout, so one real address told to one
 * program would be true for all of them.  CPython shows addresses in id(), in
 * default reprs and in the default hash (and so in the order of sets).  Here
 * the slots that do are replaced, before CPython starts, by ones that put a
 * keyed hash in the address's place: still different for different objects.
 */
#ifndef GLOVEBOX_HIDE_H
#define GLOVEBOX_HIDE_H

#include "sandbox/python/py.h"

/* Before Py_InitializeFromConfig(); restricted profile only. */
void hide_before_start(void);

/* The number that stands for `object`: positive, 62 bits. */
unsigned long long hide_id(const void *object);

#endif
