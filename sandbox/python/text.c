/* text - words for the outside, written without allocating */
#include "sandbox/python/text.h"

#include <stdarg.h>
#include <string.h>

/* How much of `len` bytes of UTF-8 can be kept in `room`. */
static size_t
whole_characters(const char *utf8, size_t len, size_t room)
{
    if (len <= room)
        return len;
    while (room && ((unsigned char)utf8[room] & 0xC0) == 0x80)
        room--;
    return room;
}

void
text_add(struct text *t, const char *utf8, size_t len)
{
    size_t kept = whole_characters(utf8, len, t->max - t->len);

    memcpy(t->data + t->len, utf8, kept);
    t->len += kept;
    if (kept < len) /* nothing may follow what was cut */
        t->max = t->len;
}

void
text_adds(struct text *t, const char *utf8)
{
    text_add(t, utf8, strlen(utf8));
}

void
text_addf(struct text *t, const char *fmt, ...)
{
    char room[512];
    va_list ap;
    int len;

    va_start(ap, fmt);
    len = vsnprintf(room, sizeof(room), fmt, ap);
    va_end(ap);
    if (len > 0)
        text_add(t, room,
            (size_t)len < sizeof(room) ? (size_t)len : sizeof(room) - 1);
}

size_t
text_encode(Py_UCS4 c, char *room)
{
    if (c >= 0xD800 && c <= 0xDFFF)
        c = 0xFFFD;
    if (c < 0x80) {
        room[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        room[0] = (char)(0xC0 | (c >> 6));
        room[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        room[0] = (char)(0xE0 | (c >> 12));
        room[1] = (char)(0x80 | ((c >> 6) & 63));
        room[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    room[0] = (char)(0xF0 | (c >> 18));
    room[1] = (char)(0x80 | ((c >> 12) & 63));
    room[2] = (char)(0x80 | ((c >> 6) & 63));
    room[3] = (char)(0x80 | (c & 63));
    return 4;
}

void
text_add_str(struct text *t, PyObject *str)
{
    int kind = PyUnicode_KIND(str);
    const void *data = PyUnicode_DATA(str);
    Py_ssize_t n = PyUnicode_GET_LENGTH(str);
    char room[4];

    for (Py_ssize_t i = 0; i < n && t->len < t->max; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);

        text_add(t, room, text_encode(c == 0 ? ' ' : c, room));
    }
}

void
text_add_type(struct text *t, PyTypeObject *type)
{
    const char *dot;

    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        text_add_str(t, ((PyHeapTypeObject *)type)->ht_name);
        return;
    }
    dot = strrchr(type->tp_name, '.');
    text_adds(t, dot ? dot + 1 : type->tp_name);
}

struct view
text_view(const struct text *t)
{
    return view_of(t->data, t->len);
}
