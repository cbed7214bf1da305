/*
 * date - dates, times and spans of time as JSON text
 *
 * date, datetime and time in ISO 8601; a timedelta in seconds.  Only zones of
 * the library are asked for their offset: another one is the program's code.
 */
#ifndef GLOVEBOX_DATE_H
#define GLOVEBOX_DATE_H

#include "sandbox/python/put.h"

/* Once, when the profile's modules are loaded.  0, or -1 with an exception. */
int date_warm(void);

/* One of the four?  Never, where datetime is not loaded. */
bool date_is_like(PyObject *v);

enum put date_put(struct out *o, PyObject *v);

#endif
