/*
 * imports - what a program of the restricted profile can import
 *
 * One list, from the profile's row and ALLOWED_IMPORTS, for the validator and
 * for __import__.  A program never gets a module: it gets a facade, a C
 * object with the module's public names, without modules among them, that
 * cannot be changed.  What evaluates text or reads attributes by name is left
 * out or has a counterpart in C.
 */
#ifndef GLOVEBOX_IMPORTS_H
#define GLOVEBOX_IMPORTS_H

#include <stdbool.h>

#include "sandbox/python/py.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/setup.h"

/* The profile's modules and, with language rules, those of the setup: a new
 * list of str, or NULL with an exception. */
PyObject *imports_wanted(const struct profile *p, const struct setup *s);

/* Make the facades of `wanted` and put __import__ into `builtins`. */
int imports_warm(PyObject *wanted, PyObject *builtins);

/* "a.b" is on the list, or is a parent of one that is. */
bool imports_is_allowed(PyObject *name);
/* The list as text: "collections, datetime, ...". */
const char *imports_text(void);

#endif
