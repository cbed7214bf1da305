/*
 * copy - one JSON value of anybody, written anew
 *
 * For values that a box or a caller wrote and that go into a text of ours:
 * every token is checked and emitted again, compactly, numbers as they were
 * written, strings unescaped and escaped by our own writer, lone surrogates
 * as U+FFFD.  Nothing of the source's spelling survives that could end a
 * string or a value early.
 *
 * The copy is never longer than the source.
 */
#ifndef GLOVEBOX_JSON_COPY_H
#define GLOVEBOX_JSON_COPY_H

#include "fcgi-app/json/writer.h"
#include "sandbox/base/buf.h"

#define JSON_COPY_MAX_DEPTH 128

/*
 * Put one value at the writer's place.  `text` must hold exactly one value,
 * at most `max_depth` containers deep (and never more than JSON_MAX_DEPTH):
 * otherwise -EPROTO.  -ENOMEM when the buf is full or there is no memory.
 * On failure the writer and its buf are as before, except that a full buf
 * stays failed.
 */
int json_copy_value(
    struct json_writer *w, struct view text, unsigned max_depth);

#endif
