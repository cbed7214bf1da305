/* quiet - calls of the library that need no system call in a box */
#include "sandbox/python/quiet.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "sandbox/python/capture.h"

static PyCFunction stock_write;
static PyCFunction stock_isatty;
static PyCFunction stock_get_terminal_size;
static PyCFunction stock_acquire;

static bool
is_standard_fd(PyObject *fd, long *ret_fd)
{
    if (!PyLong_CheckExact(fd))
        return false;
    *ret_fd = PyLong_AsLong(fd);
    PyErr_Clear();
    return *ret_fd >= 0 && *ret_fd <= 2;
}

static PyObject *
quiet_write(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    Py_buffer view;
    Py_ssize_t len;
    long fd = -1;

    if (nargs != 2 || !is_standard_fd(args[0], &fd) || fd == 0)
        return ((_PyCFunctionFast)(void (*)(void))stock_write)(
            self, args, nargs);
    if (PyObject_GetBuffer(args[1], &view, PyBUF_SIMPLE) < 0)
        return NULL;
    len = view.len;
    capture_bytes(fd == 1 ? CAPTURE_OUT : CAPTURE_ERR, view.buf, (size_t)len);
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(len);
}

static PyObject *
quiet_isatty(PyObject *self, PyObject *fd)
{
    long n;

    if (is_standard_fd(fd, &n))
        Py_RETURN_FALSE;
    return stock_isatty(self, fd);
}

static PyObject *
quiet_get_terminal_size(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self;
    (void)args;
    (void)nargs;
    errno = ENOTTY;
    return PyErr_SetFromErrno(PyExc_OSError);
}

/*
 * Nobody else can ever release a lock here: waiting without a limit is a
 * deadlock and is said to be one; waiting with a limit is sleeping.
 */
static PyObject *
quiet_acquire(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char name_blocking[] = "blocking", name_timeout[] = "timeout";
    static char *names[] = { name_blocking, name_timeout, NULL };
    int blocking = 1;
    double timeout = -1;
    PyObject *got, *now;
    struct timespec wait;

    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "|pd:acquire", names, &blocking, &timeout))
        return NULL;
    now = Py_BuildValue("(i)", 0);
    if (!now)
        return NULL;
    got = ((PyCFunctionWithKeywords)(void (*)(void))stock_acquire)(
        self, now, NULL);
    Py_DECREF(now);
    if (!got || got == Py_True || !blocking)
        return got;
    if (timeout < 0) {
        Py_DECREF(got);
        PyErr_SetString(PyExc_RuntimeError,
            "deadlock: the lock is held, and there are no threads here that "
            "could release it");
        return NULL;
    }
    wait.tv_sec = (time_t)timeout;
    wait.tv_nsec = (long)((timeout - (double)wait.tv_sec) * 1e9);
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
    return got;
}

/* Give a built-in function of a loaded module another body. */
static int
replace_function(const char *module, const char *name, PyCFunction body,
    PyCFunction *ret_stock)
{
    PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module);
    PyObject *f = m ? PyObject_GetAttrString(m, name) : NULL;

    if (!f || !PyCFunction_Check(f))
        return -1;
    *ret_stock = ((PyCFunctionObject *)f)->m_ml->ml_meth;
    ((PyCFunctionObject *)f)->m_ml->ml_meth = body;
    Py_DECREF(f);
    return 0;
}

static int
replace_method(PyTypeObject *type, const char *name, PyCFunction body,
    PyCFunction *ret_stock)
{
    PyObject *d = PyDict_GetItemString(type->tp_dict, name);

    if (!d || !Py_IS_TYPE(d, &PyMethodDescr_Type))
        return -1;
    *ret_stock = ((PyMethodDescrObject *)d)->d_method->ml_meth;
    ((PyMethodDescrObject *)d)->d_method->ml_meth = body;
    return 0;
}

static int
replace_lock(void)
{
    PyObject *m = PyImport_ImportModule("_thread");
    PyObject *type = m ? PyObject_GetAttrString(m, "LockType") : NULL;
    int rc = -1;

    if (type && PyType_Check(type) &&
        replace_method((PyTypeObject *)type, "acquire",
            PY_METHOD(quiet_acquire), &stock_acquire) == 0 &&
        replace_method((PyTypeObject *)type, "acquire_lock",
            PY_METHOD(quiet_acquire), &stock_acquire) == 0 &&
        replace_method((PyTypeObject *)type, "__enter__",
            PY_METHOD(quiet_acquire), &stock_acquire) == 0)
        rc = 0;
    Py_XDECREF(type);
    Py_XDECREF(m);
    return rc;
}

int
quiet_warm(void)
{
    if (replace_function(
            "posix", "write", PY_METHOD(quiet_write), &stock_write) < 0 ||
        replace_function("posix", "isatty", quiet_isatty, &stock_isatty) < 0 ||
        replace_function("posix", "get_terminal_size",
            PY_METHOD(quiet_get_terminal_size), &stock_get_terminal_size) < 0 ||
        replace_lock() < 0) {
        PyErr_SetString(
            PyExc_RuntimeError, "a function of the library is not as expected");
        return -1;
    }
    return 0;
}
