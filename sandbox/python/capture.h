/*
 * capture - what the program prints and reads
 *
 * sys.stdout and sys.stderr are C objects that write straight into the slate;
 * no system call, nothing buffered, so nothing is lost when the box is
 * killed.  Text is UTF-8; what UTF-8 cannot hold (a lone surrogate) is
 * written as a backslash escape.  More than the order allows is counted and
 * dropped (the warden sees that the count passed the bound).
 *
 * Not for: cutting at a character boundary (done where the slate is read).
 */
#ifndef GLOVEBOX_CAPTURE_H
#define GLOVEBOX_CAPTURE_H

#include "sandbox/python/py.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/slate.h"

enum capture_stream {
    CAPTURE_OUT,
    CAPTURE_ERR,
};

/* Once, in the template: make the stream objects, put them into sys. */
int capture_warm(void);

/* From now on output goes to `slate` and input comes from `o`. */
int capture_begin(const struct order *o, struct slate *slate);

void capture_bytes(enum capture_stream to, const char *bytes, size_t len);
/* 0, or -1 with an exception.  `text` is a str. */
int capture_text(enum capture_stream to, PyObject *text);

/* print() and input() of the restricted profile. */
PyObject *capture_print(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *capture_input(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs);

#endif
