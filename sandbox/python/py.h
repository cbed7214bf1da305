/*
 * py - Python.h, with its own warnings kept out of ours
 *
 * Every file of this room includes this first.  The interpreter is linked
 * statically (Makefile: PY_LIBS), because the parser that gives the syntax
 * tree as C structures is not exported by the shared library; with it a
 * program is parsed, checked and compiled without one Python object for a
 * node.
 */
#ifndef GLOVEBOX_PY_H
#define GLOVEBOX_PY_H

#define PY_SSIZE_T_CLEAN

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <Python.h>
#pragma GCC diagnostic pop

/* For one test's driver alone: calls that fail when they are told to. */
#ifdef GLOVEBOX_FAILING
#include "tests/language/failing.h"
#endif

/* What tracebacks call the program; one interned object, compared by ==. */
#define PROGRAM_FILENAME "<sandbox>"
extern PyObject *program_filename;

/* How a C function with keywords is written into a PyMethodDef. */
#define PY_METHOD(f) ((PyCFunction)(void (*)(void))(f))

#endif
