/*
 * put - JSON text in a room that ends
 *
 * `closers` bytes are always kept free for the quotes and brackets that are
 * still open, so whatever happens the text can be finished.  A piece that does
 * not fit is taken back by the caller to where it began (PUT_NOT) and its
 * container ends there; a string may instead be shortened (PUT_CUT).
 *
 * Not for: what an object is shown as (value.h).
 */
#ifndef GLOVEBOX_PUT_H
#define GLOVEBOX_PUT_H

#include <stdbool.h>

#include "sandbox/python/py.h"

#define PUT_MAX_DEPTH 60 /* containers inside each other */

enum put {
    PUT_ALL, /* written whole */
    PUT_CUT, /* written, something left out: nothing more may follow */
    PUT_NOT, /* did not fit; the caller takes back what there is */
};

struct out {
    char *text;
    size_t len;
    size_t max;
    size_t closers;
    PyObject *open[PUT_MAX_DEPTH]; /* containers we are inside of */
    int depth;
};

/* As they are: the caller knows that they are JSON. */
enum put put_raw(struct out *o, const char *bytes, size_t len);
enum put put_ascii(struct out *o, const char *text);

/* A str (or an object of a subclass: its characters) as a JSON string. */
enum put put_str(struct out *o, PyObject *text, bool may_cut);

/* `text` is a new reference or NULL (an error: shown as a placeholder). */
enum put put_new_str(struct out *o, PyObject *text);

enum put put_int(struct out *o, PyObject *value);
enum put put_float(struct out *o, double value);

/*
 * A bracket, and what was opened by it; less than PUT_MAX_DEPTH of them.
 * put_close() always finds room and hands `done` on.
 */
enum put put_open(struct out *o, PyObject *container, char bracket);
enum put put_close(struct out *o, char bracket, enum put done);

/* Are we inside of this container? */
bool put_is_open(const struct out *o, PyObject *container);

#endif
