/* quiet - calls of the library that need no system call in a box */
#include "sandbox/python/quiet.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "sandbox/python/capture.h"

static PyCFunction stock_write;
static PyCFunction stock_isatty;
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
quiet_get_terminal_size(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
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

/* There are no accounts here: glibc would look for them in files and, when
 * those are gone, end the process. */
static PyObject *
quiet_no_entry(PyObject *self, PyObject *key)
{
    (void)self;
    return PyErr_Format(PyExc_KeyError, "name or id not found: %R", key);
}

static PyObject *
quiet_no_entry_keywords(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    (void)kwnames;
    return quiet_no_entry(self, nargs ? args[0] : Py_None);
}

static PyObject *
quiet_no_entries(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyList_New(0);
}

/* The one directory that a box has. */
static PyObject *
quiet_getcwd(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyUnicode_FromString("/");
}

static PyObject *
quiet_getcwdb(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyBytes_FromString("/");
}

/* Nothing about the host. */
static PyObject *
quiet_uname(PyObject *self, PyObject *unused)
{
    PyObject *type = PyObject_GetAttrString(self, "uname_result");
    PyObject *made;

    (void)unused;
    if (!type)
        return NULL;
    made = PyObject_CallFunction(
        type, "((sssss))", "Linux", "sandbox", "", "", "x86_64");
    Py_DECREF(type);
    return made;
}

static PyObject *
quiet_cpu_count(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyLong_FromLong(1);
}

/*
 * How CPython calls a function is in the flags of its table; a body of
 * another kind must not get there.
 */
static const struct quiet_row {
    const char *module;
    const char *name;
    int flags;
    PyCFunction body;
    PyCFunction *ret_stock; /* NULL: the stock body is not needed */
} quiet_rows[] = {
    { "posix", "write", METH_FASTCALL, PY_METHOD(quiet_write), &stock_write },
    { "posix", "isatty", METH_O, quiet_isatty, &stock_isatty },
    { "posix", "get_terminal_size", METH_FASTCALL,
        PY_METHOD(quiet_get_terminal_size), NULL },
    { "posix", "getcwd", METH_NOARGS, quiet_getcwd, NULL },
    { "posix", "getcwdb", METH_NOARGS, quiet_getcwdb, NULL },
    { "posix", "uname", METH_NOARGS, quiet_uname, NULL },
    { "posix", "cpu_count", METH_NOARGS, quiet_cpu_count, NULL },
    { "pwd", "getpwuid", METH_O, quiet_no_entry, NULL },
    { "pwd", "getpwnam", METH_O, quiet_no_entry, NULL },
    { "pwd", "getpwall", METH_NOARGS, quiet_no_entries, NULL },
    { "grp", "getgrgid", METH_FASTCALL | METH_KEYWORDS,
        PY_METHOD(quiet_no_entry_keywords), NULL },
    { "grp", "getgrnam", METH_FASTCALL | METH_KEYWORDS,
        PY_METHOD(quiet_no_entry_keywords), NULL },
    { "grp", "getgrall", METH_NOARGS, quiet_no_entries, NULL },
};

static int
not_as_expected(const char *name)
{
    PyErr_Format(PyExc_RuntimeError,
        "%s of this CPython is not called as expected", name);
    return -1;
}

/* A module that is not loaded cannot be loaded later either. */
static int
replace_function(const struct quiet_row *row)
{
    PyObject *m =
        _PyDict_GetItemStringWithError(PyImport_GetModuleDict(), row->module);
    PyObject *f = m ? PyObject_GetAttrString(m, row->name) : NULL;
    PyMethodDef *def;

    if (!m)
        return PyErr_Occurred() ? -1 : 0;
    if (!f || !PyCFunction_Check(f))
        return not_as_expected(row->name);
    def = ((PyCFunctionObject *)f)->m_ml;
    Py_DECREF(f); /* its module keeps it */
    if (def->ml_flags != row->flags)
        return not_as_expected(row->name);
    if (row->ret_stock)
        *row->ret_stock = def->ml_meth;
    def->ml_meth = row->body;
    return 0;
}

static int
replace_acquire(PyTypeObject *lock, const char *name)
{
    PyObject *d = PyDict_GetItemString(lock->tp_dict, name);
    PyMethodDef *def;

    if (!d || !Py_IS_TYPE(d, &PyMethodDescr_Type))
        return not_as_expected(name);
    def = ((PyMethodDescrObject *)d)->d_method;
    if (def->ml_flags != (METH_VARARGS | METH_KEYWORDS))
        return not_as_expected(name);
    stock_acquire = def->ml_meth; /* the same under every name */
    def->ml_meth = PY_METHOD(quiet_acquire);
    return 0;
}

static int
replace_lock(void)
{
    static const char *const names[] = { "acquire", "acquire_lock",
        "__enter__" };
    PyObject *m = PyImport_ImportModule("_thread");
    PyObject *type = m ? PyObject_GetAttrString(m, "LockType") : NULL;
    int rc = type && PyType_Check(type) ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < 3; i++)
        rc = replace_acquire((PyTypeObject *)type, names[i]);
    Py_XDECREF(type);
    Py_XDECREF(m);
    return rc;
}

int
quiet_warm(void)
{
    for (size_t i = 0; i < sizeof(quiet_rows) / sizeof(quiet_rows[0]); i++)
        if (replace_function(&quiet_rows[i]) < 0)
            return -1;
    return replace_lock();
}
