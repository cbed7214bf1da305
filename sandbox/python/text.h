/*
 * text - words for the outside, written without allocating
 *
 * A struct text is a fixed piece of memory with UTF-8 in it that is always
 * valid and never longer than it may be: what does not fit is cut at a
 * character.  Used for everything a claim says in words, so that even a box
 * without memory can still say why it failed.
 */
#ifndef GLOVEBOX_TEXT_H
#define GLOVEBOX_TEXT_H

#include "sandbox/base/buf.h"
#include "sandbox/python/py.h"

struct text {
    char *data;
    size_t len;
    size_t max;
};

/* One character as UTF-8, at most 4 bytes; a surrogate is U+FFFD. */
size_t text_encode(Py_UCS4 c, char *room);

void text_add(struct text *t, const char *utf8, size_t len);
void text_adds(struct text *t, const char *utf8);
void text_addf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A str; surrogates become U+FFFD, NUL becomes a space. */
void text_add_str(struct text *t, PyObject *str);
/* The name of a type without its module, never by asking the type. */
void text_add_type(struct text *t, PyTypeObject *type);

struct view text_view(const struct text *t);

#endif
