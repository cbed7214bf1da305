/*
 * guard - the builtins of the restricted profile, and its checks at run time
 *
 * Each is a C function with nothing behind it: no __globals__, no closure, no
 * module.  The validator (validate.c) writes calls to the four GUARD_ names
 * into the tree; they have characters no program can write, so they can be
 * neither read nor replaced.
 *
 *   own(x, '_a')       x, if x is of a class of the program; x._a follows
 *   plain(x, 'obj')    x, unless x is an exception that keeps an object
 *   special(x, '__n__') the special method of a class or of super()
 *   class(x)           type(x)
 *   match(C)           C, if its __match_args__ name harmless attributes
 */
#ifndef GLOVEBOX_GUARD_H
#define GLOVEBOX_GUARD_H

#include <stdbool.h>

#include "sandbox/python/py.h"
#include "sandbox/python/rules.h"

enum guard_name {
    GUARD_OWN,
    GUARD_PLAIN,
    GUARD_SPECIAL,
    GUARD_CLASS,
    GUARD_MATCH,
    GUARD_COUNT
};

/* The interned names, for the validator. */
extern PyObject *guard_names[GUARD_COUNT];

/* Before Py_InitializeFromConfig(): str.format gets its guard. */
void guard_before_start(void);

/* Fill `builtins`; needs the library loaded. */
int guard_warm(PyObject *builtins, PyObject *program_globals);

/*
 * Last step: every class that exists now is the library's, not the
 * program's, and can no longer be changed.  0, or -1 with an exception.
 */
int guard_mark_library(void);

/* Whether x is an object or a class of the program. */
bool guard_is_own(PyObject *x);

/* Set AttributeError "Attribute 'x' is not allowed in sandbox"; NULL. */
PyObject *guard_refuse_attribute(PyObject *name);

#endif
