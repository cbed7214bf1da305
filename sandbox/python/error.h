/*
 * error - an exception as a claim
 *
 * Type, message, line and a traceback of the program's own frames with their
 * source lines, with the exceptions that led to it.  Everything is bounded
 * and written into memory that was there before; no path of the host is in
 * it, because frames of the library are left out.  The one piece of the
 * program that runs here is an own __str__ of an exception, for a bounded
 * number of steps.
 */
#ifndef GLOVEBOX_ERROR_H
#define GLOVEBOX_ERROR_H

#include "sandbox/python/py.h"
#include "sandbox/wire/claim.h"

int error_warm(void);

/* The text that line numbers are about; not copied. */
void error_set_source(const char *source, size_t len);
struct view error_source(void);
/* One line of it, without its end; empty when there is no such line. */
struct view error_source_line(uint32_t line);

/*
 * Fill *claim from `exc`, or from the pending exception when `exc` is NULL
 * (which is cleared).  The views point into static memory.
 */
void error_tell(PyObject *exc, struct claim *claim);

/* "invalid syntax (line 3)" of a SyntaxError, or of what else the parser
 * raised; sets the claim's line, column and, with a caret, its traceback. */
void error_tell_parse(PyObject *exc, const char *prefix, struct claim *claim);

#endif
