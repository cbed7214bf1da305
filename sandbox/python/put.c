/* put - JSON text in a room that ends */
#include "sandbox/python/put.h"

#include <string.h>

#include "sandbox/python/text.h"

static bool
fits(const struct out *o, size_t len)
{
    return o->len + len + o->closers <= o->max;
}

enum put
put_raw(struct out *o, const char *bytes, size_t len)
{
    if (!fits(o, len))
        return PUT_NOT;
    memcpy(o->text + o->len, bytes, len);
    o->len += len;
    return PUT_ALL;
}

enum put
put_ascii(struct out *o, const char *text)
{
    return put_raw(o, text, strlen(text));
}

/* One character as it stands in a JSON string; returns its length. */
static size_t
escape_char(Py_UCS4 c, char room[8])
{
    static const char hex[] = "0123456789abcdef";
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; i + 1 < sizeof(names); i += 2)
        if ((Py_UCS4)names[i] == c) {
            room[0] = '\\';
            room[1] = names[i + 1];
            return 2;
        }
    if (c < 0x20) {
        memcpy(room, "\\u00", 4);
        room[4] = hex[c >> 4];
        room[5] = hex[c & 15];
        return 6;
    }
    return text_encode(c, room);
}

enum put
put_str(struct out *o, PyObject *text, bool may_cut)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    enum put done = PUT_ALL;
    char room[8];
    size_t len;

    if (!fits(o, 2))
        return PUT_NOT;
    o->text[o->len++] = '"';
    o->closers++;
    for (Py_ssize_t i = 0; i < n; i++) {
        len = escape_char(PyUnicode_READ(kind, data, i), room);
        if (put_raw(o, room, len) == PUT_NOT) {
            done = may_cut ? PUT_CUT : PUT_NOT;
            break;
        }
    }
    o->closers--;
    o->text[o->len++] = '"';
    return done;
}

enum put
put_new_str(struct out *o, PyObject *text)
{
    enum put done;

    if (!text || !PyUnicode_Check(text)) {
        PyErr_Clear();
        Py_XDECREF(text);
        return put_ascii(o, "\"<?>\"");
    }
    done = put_str(o, text, true);
    Py_DECREF(text);
    return done;
}

enum put
put_int(struct out *o, PyObject *value)
{
    PyObject *digits = PyLong_Type.tp_repr(value);
    enum put done;

    if (!digits) { /* more digits than CPython agrees to print */
        PyErr_Clear();
        return put_new_str(o,
            PyUnicode_FromFormat("<int of %zu bits>", _PyLong_NumBits(value)));
    }
    done = put_raw(
        o, PyUnicode_DATA(digits), (size_t)PyUnicode_GET_LENGTH(digits));
    Py_DECREF(digits);
    return done;
}

enum put
put_float(struct out *o, double value)
{
    char *digits;
    enum put done;

    if (value != value)
        return put_ascii(o, "\"NaN\"");
    if (value - value != 0)
        return put_ascii(o, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (!digits) {
        PyErr_Clear();
        return put_ascii(o, "null");
    }
    done = put_ascii(o, digits);
    PyMem_Free(digits);
    return done;
}

bool
put_is_open(const struct out *o, PyObject *container)
{
    for (int i = 0; i < o->depth; i++)
        if (o->open[i] == container)
            return true;
    return false;
}

enum put
put_open(struct out *o, PyObject *container, char bracket)
{
    if (!fits(o, 2))
        return PUT_NOT;
    o->text[o->len++] = bracket;
    o->closers++;
    o->open[o->depth++] = container;
    return PUT_ALL;
}

enum put
put_close(struct out *o, char bracket, enum put done)
{
    o->depth--;
    o->closers--;
    o->text[o->len++] = bracket;
    return done;
}
