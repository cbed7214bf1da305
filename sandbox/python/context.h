/*
 * context - the caller's values as variables of the program
 *
 * A strict reader of JSON that makes fresh Python objects and nothing else,
 * and the rules of the contract on names, depth and size.
 */
#ifndef GLOVEBOX_PYTHON_CONTEXT_H
#define GLOVEBOX_PYTHON_CONTEXT_H

#include "sandbox/base/buf.h"
#include "sandbox/python/py.h"
#include "sandbox/wire/claim.h"

#define CONTEXT_MAX_DEPTH 4 /* containers below the top */
#define CONTEXT_MAX_BYTES 1048576

int context_warm(void);

/*
 * Put every key of the JSON object `json` into `globals`.  A name that
 * `builtins` or `globals` already has is reserved.  Returns 0; or -1 with the
 * refusal in *claim; or -1 with a Python exception (out of memory).
 */
int context_into(struct view json, PyObject *globals, PyObject *builtins,
    struct claim *claim);

#endif
