/*
 * tree - a program as CPython's own syntax tree
 *
 * The structures of the parser, from CPython's internal headers (fixed: the
 * build asks for 3.11).  A file that needs them includes this first, before
 * any other header that includes Python.h.
 */
#ifndef GLOVEBOX_TREE_H
#define GLOVEBOX_TREE_H

#define Py_BUILD_CORE 1

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wpedantic"
#include "sandbox/python/py.h"

#include <internal/pycore_ast.h>
#include <internal/pycore_code.h>
#include <internal/pycore_compile.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_parser.h>
#include <internal/pycore_pyarena.h>
#pragma GCC diagnostic pop

#endif
