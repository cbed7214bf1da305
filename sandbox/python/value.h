/*
 * value - the program's return value as JSON text
 *
 * Exact types are walked with the concrete C interface: no method of the
 * program (__repr__, __str__, __iter__, items, ...) is ever called, so
 * nothing here can hang, and what is no JSON gets the conversion that
 * docs/LANGUAGE.md lists.  The text is always valid JSON in UTF-8 and never
 * longer than asked for: what does not fit is left out at the end of its
 * container, a string is cut at a character, every bracket is closed, and the
 * value is marked as cut.
 */
#ifndef GLOVEBOX_VALUE_H
#define GLOVEBOX_VALUE_H

#include <stdbool.h>

#include "sandbox/python/py.h"

/* Once, when the profile's modules are loaded: find the types we know. */
int value_warm(void);

/*
 * Write `value` (NULL: null) to `text`, at most `max` bytes.  Returns the
 * length; sets *ret_cut when something was left out.  Leaves no exception.
 */
size_t value_to_json(PyObject *value, char *text, size_t max, bool *ret_cut);

/*
 * A type of a module that is loaded, a new reference; else NULL.  Returns 0, or
 * -1 with an exception when that could not be found out.
 */
int value_find_type(
    const char *module, const char *name, PyTypeObject **ret_type);

#endif
