/* capture - what the program prints and reads */
#include "sandbox/python/capture.h"

#include <string.h>

#include "sandbox/base/near.h"

/* The one order of this process; set by capture_begin(). */
static NEAR struct {
    struct slate *slate;
    size_t max;
    const char *in; /* what input() has not read yet */
    size_t in_len;
} now;

/* A text stream, or with `is_binary` the stream behind its `.buffer`. */
struct stream {
    PyObject_HEAD enum capture_stream to;
    bool is_binary;
    PyObject *buffer; /* of a text stream */
    PyObject *name;
    PyObject *errors;
};

static PyObject *stream_objects[2];
static PyObject *empty_input; /* sys.stdin when the order has none */

void
capture_bytes(enum capture_stream to, const char *bytes, size_t len)
{
    if (!now.slate || !len)
        return;
    if (to == CAPTURE_OUT)
        slate_add_out(now.slate, bytes, len, now.max);
    else
        slate_add_err(now.slate, bytes, len, now.max);
}

int
capture_text(enum capture_stream to, PyObject *text)
{
    Py_ssize_t len;
    const char *bytes;
    PyObject *encoded;

    if (PyUnicode_IS_COMPACT_ASCII(text)) {
        capture_bytes(
            to, PyUnicode_DATA(text), (size_t)PyUnicode_GET_LENGTH(text));
        return 0;
    }
    bytes = PyUnicode_AsUTF8AndSize(text, &len);
    if (bytes) {
        capture_bytes(to, bytes, (size_t)len);
        return 0;
    }
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return -1;
    PyErr_Clear();
    encoded = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (!encoded)
        return -1;
    capture_bytes(
        to, PyBytes_AS_STRING(encoded), (size_t)PyBytes_GET_SIZE(encoded));
    Py_DECREF(encoded);
    return 0;
}

/* --- the stream objects -------------------------------------------------- */

static PyObject *
stream_write_text(struct stream *s, PyObject *what)
{
    if (!PyUnicode_Check(what))
        return PyErr_Format(PyExc_TypeError,
            "write() argument must be str, not %.100s", Py_TYPE(what)->tp_name);
    if (capture_text(s->to, what) < 0)
        return NULL;
    return PyLong_FromSsize_t(PyUnicode_GET_LENGTH(what));
}

static PyObject *
stream_write(struct stream *s, PyObject *what)
{
    Py_buffer view;
    Py_ssize_t len;

    if (!s->is_binary)
        return stream_write_text(s, what);
    if (PyObject_GetBuffer(what, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    len = view.len;
    capture_bytes(s->to, view.buf, (size_t)len);
    PyBuffer_Release(&view);
    return PyLong_FromSsize_t(len);
}

static PyObject *
stream_writelines(struct stream *s, PyObject *lines)
{
    PyObject *it = PyObject_GetIter(lines);
    PyObject *line, *done;

    if (!it)
        return NULL;
    while ((line = PyIter_Next(it)) != NULL) {
        done = stream_write(s, line);
        Py_DECREF(line);
        if (!done) {
            Py_DECREF(it);
            return NULL;
        }
        Py_DECREF(done);
    }
    Py_DECREF(it);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
stream_nothing(PyObject *s, PyObject *args, PyObject *kwargs)
{
    (void)s;
    (void)args;
    (void)kwargs;
    Py_RETURN_NONE;
}

static PyObject *
stream_no(PyObject *s, PyObject *unused)
{
    (void)s;
    (void)unused;
    Py_RETURN_FALSE;
}

static PyObject *
stream_yes(PyObject *s, PyObject *unused)
{
    (void)s;
    (void)unused;
    Py_RETURN_TRUE;
}

static PyObject *
stream_fileno(struct stream *s, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong(s->to == CAPTURE_OUT ? 1 : 2);
}

static PyObject *
stream_enter(PyObject *s, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(s);
}

static PyObject *
stream_get_buffer(struct stream *s, void *unused)
{
    (void)unused;
    if (!s->buffer) {
        PyErr_SetString(PyExc_AttributeError, "buffer");
        return NULL;
    }
    return Py_NewRef(s->buffer);
}

static PyObject *
stream_get_text(struct stream *s, void *text)
{
    (void)s;
    return PyUnicode_FromString(text);
}

static PyObject *
stream_get_errors(struct stream *s, void *unused)
{
    (void)unused;
    return Py_NewRef(s->errors);
}

static PyObject *
stream_get_name(struct stream *s, void *unused)
{
    (void)unused;
    return Py_NewRef(s->name);
}

static PyObject *
stream_get_none(PyObject *s, void *unused)
{
    (void)s;
    (void)unused;
    Py_RETURN_NONE;
}

static PyObject *
stream_get_false(PyObject *s, void *unused)
{
    (void)s;
    (void)unused;
    Py_RETURN_FALSE;
}

static PyObject *
stream_repr(struct stream *s)
{
    return PyUnicode_FromFormat(
        "<_io.TextIOWrapper name=%R mode='w' encoding='utf-8'>", s->name);
}

static char text_utf8[] = "utf-8";
static char text_w[] = "w";

static PyMethodDef stream_methods[] = {
    { "write", (PyCFunction)stream_write, METH_O, NULL },
    { "writelines", (PyCFunction)stream_writelines, METH_O, NULL },
    { "flush", PY_METHOD(stream_nothing), METH_VARARGS | METH_KEYWORDS, NULL },
    { "close", PY_METHOD(stream_nothing), METH_VARARGS | METH_KEYWORDS, NULL },
    { "reconfigure", PY_METHOD(stream_nothing), METH_VARARGS | METH_KEYWORDS,
        NULL },
    { "isatty", stream_no, METH_NOARGS, NULL },
    { "readable", stream_no, METH_NOARGS, NULL },
    { "seekable", stream_no, METH_NOARGS, NULL },
    { "writable", stream_yes, METH_NOARGS, NULL },
    { "fileno", (PyCFunction)stream_fileno, METH_NOARGS, NULL },
    { "__enter__", stream_enter, METH_NOARGS, NULL },
    { "__exit__", PY_METHOD(stream_nothing), METH_VARARGS | METH_KEYWORDS,
        NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef stream_getset[] = {
    { "buffer", (getter)stream_get_buffer, NULL, NULL, NULL },
    { "encoding", (getter)stream_get_text, NULL, NULL, text_utf8 },
    { "errors", (getter)stream_get_errors, NULL, NULL, NULL },
    { "mode", (getter)stream_get_text, NULL, NULL, text_w },
    { "name", (getter)stream_get_name, NULL, NULL, NULL },
    { "newlines", stream_get_none, NULL, NULL, NULL },
    { "closed", stream_get_false, NULL, NULL, NULL },
    { "line_buffering", stream_get_false, NULL, NULL, NULL },
    { "write_through", stream_get_false, NULL, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyTypeObject stream_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_io.TextIOWrapper",
    .tp_basicsize = sizeof(struct stream),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                Py_TPFLAGS_IMMUTABLETYPE,
    .tp_repr = (reprfunc)stream_repr,
    .tp_methods = stream_methods,
    .tp_getset = stream_getset,
};

/* --- setting up ---------------------------------------------------------- */

static PyObject *
stream_new(enum capture_stream to, bool is_binary)
{
    struct stream *s = PyObject_New(struct stream, &stream_type);

    if (!s)
        return NULL;
    s->to = to;
    s->is_binary = is_binary;
    s->buffer = is_binary ? NULL : stream_new(to, true);
    s->errors = PyUnicode_InternFromString("backslashreplace");
    s->name =
        PyUnicode_InternFromString(to == CAPTURE_OUT ? "<stdout>" : "<stderr>");
    if (!s->errors || !s->name || (!is_binary && !s->buffer))
        return NULL; /* and so the template: it need not be tidied up */
    return (PyObject *)s;
}

/* A text stream over bytes, as sys.stdin is one over a pipe. */
static PyObject *
input_new(const char *bytes, size_t len)
{
    PyObject *io = PyImport_ImportModule("_io");
    PyObject *raw = NULL, *text = NULL;

    if (io)
        raw = PyObject_CallMethod(io, "BytesIO", "y#", bytes, (Py_ssize_t)len);
    if (raw)
        text = PyObject_CallMethod(io, "TextIOWrapper", "Os", raw, "utf-8");
    Py_XDECREF(raw);
    Py_XDECREF(io);
    return text;
}

static int
put_streams(void)
{
    if (PySys_SetObject("stdout", stream_objects[CAPTURE_OUT]) < 0 ||
        PySys_SetObject("__stdout__", stream_objects[CAPTURE_OUT]) < 0 ||
        PySys_SetObject("stderr", stream_objects[CAPTURE_ERR]) < 0 ||
        PySys_SetObject("__stderr__", stream_objects[CAPTURE_ERR]) < 0 ||
        PySys_SetObject("stdin", empty_input) < 0 ||
        PySys_SetObject("__stdin__", empty_input) < 0)
        return -1;
    return 0;
}

int
capture_warm(void)
{
    if (PyType_Ready(&stream_type) < 0)
        return -1;
    stream_objects[CAPTURE_OUT] = stream_new(CAPTURE_OUT, false);
    stream_objects[CAPTURE_ERR] = stream_new(CAPTURE_ERR, false);
    empty_input = input_new("", 0);
    if (!stream_objects[CAPTURE_OUT] || !stream_objects[CAPTURE_ERR] ||
        !empty_input)
        return -1;
    return put_streams();
}

int
capture_begin(const struct order *o, struct slate *slate)
{
    PyObject *in;

    now.slate = slate;
    now.max = o->output_bytes;
    now.in = o->stdin_text.data;
    now.in_len = o->stdin_text.len;
    if (!now.in_len)
        return 0;
    in = input_new(now.in, now.in_len);
    if (!in || PySys_SetObject("stdin", in) < 0 ||
        PySys_SetObject("__stdin__", in) < 0)
        return -1;
    Py_DECREF(in);
    return 0;
}

/* --- print() and input() of the restricted profile ----------------------- */

struct print_how {
    PyObject *sep; /* NULL: a space */
    PyObject *end; /* NULL: a newline */
    PyObject *file; /* NULL: standard output */
    bool flush; /* means something to a file of the program only */
};

static int
print_text_option(const char *name, PyObject *value, PyObject **ret_text)
{
    if (value == Py_None)
        return 0;
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or a string, not %.200s",
            name, Py_TYPE(value)->tp_name);
        return -1;
    }
    *ret_text = value;
    return 0;
}

static int
print_option(struct print_how *how, PyObject *name, PyObject *value)
{
    if (PyUnicode_CompareWithASCIIString(name, "sep") == 0)
        return print_text_option("sep", value, &how->sep);
    if (PyUnicode_CompareWithASCIIString(name, "end") == 0)
        return print_text_option("end", value, &how->end);
    if (PyUnicode_CompareWithASCIIString(name, "file") == 0) {
        how->file = value == Py_None ? NULL : value;
        return 0;
    }
    if (PyUnicode_CompareWithASCIIString(name, "flush") == 0) {
        how->flush = PyObject_IsTrue(value) == 1;
        return PyErr_Occurred() ? -1 : 0;
    }
    PyErr_Format(PyExc_TypeError,
        "'%U' is an invalid keyword argument for print()", name);
    return -1;
}

static int
print_piece(const struct print_how *how, PyObject *text)
{
    PyObject *done;

    if (!how->file)
        return capture_text(CAPTURE_OUT, text);
    if (Py_TYPE(how->file) == &stream_type)
        return capture_text(((struct stream *)how->file)->to, text);
    done = PyObject_CallMethod(how->file, "write", "O", text);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static int
print_ascii(const struct print_how *how, PyObject *text, const char *preset)
{
    PyObject *made;
    int rc;

    if (text)
        return print_piece(how, text);
    if (!how->file) {
        capture_bytes(CAPTURE_OUT, preset, strlen(preset));
        return 0;
    }
    made = PyUnicode_FromString(preset);
    if (!made)
        return -1;
    rc = print_piece(how, made);
    Py_DECREF(made);
    return rc;
}

static int
print_one(const struct print_how *how, PyObject *what)
{
    PyObject *text = PyObject_Str(what);
    int rc;

    if (!text)
        return -1;
    rc = print_piece(how, text);
    Py_DECREF(text);
    return rc;
}

static int
print_flush(const struct print_how *how)
{
    PyObject *done;

    if (!how->flush || !how->file)
        return 0;
    done = PyObject_CallMethod(how->file, "flush", NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyObject *
capture_print(
    PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    struct print_how how = { 0 };
    Py_ssize_t options = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;

    (void)self;
    for (Py_ssize_t i = 0; i < options; i++)
        if (print_option(&how, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) <
            0)
            return NULL;
    for (Py_ssize_t i = 0; i < nargs; i++) {
        if (i && print_ascii(&how, how.sep, " ") < 0)
            return NULL;
        if (print_one(&how, args[i]) < 0)
            return NULL;
    }
    if (print_ascii(&how, how.end, "\n") < 0 || print_flush(&how) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *
capture_input(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    const struct print_how to_stdout = { 0 };
    const char *newline;
    size_t len, used;

    (void)self;
    if (nargs > 1)
        return PyErr_Format(PyExc_TypeError,
            "input expected at most 1 argument, got %zd", nargs);
    if (nargs == 1 && print_one(&to_stdout, args[0]) < 0)
        return NULL;
    if (!now.in_len) {
        PyErr_SetString(PyExc_EOFError, "EOF when reading a line");
        return NULL;
    }
    newline = memchr(now.in, '\n', now.in_len);
    len = newline ? (size_t)(newline - now.in) : now.in_len;
    used = newline ? len + 1 : len;
    now.in_len -= used;
    now.in += used;
    if (len && newline && now.in[-2] == '\r')
        len--;
    return PyUnicode_DecodeUTF8(now.in - used, (Py_ssize_t)len, "replace");
}
