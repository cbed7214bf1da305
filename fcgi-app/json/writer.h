/*
 * writer - JSON text, written into a buf
 *
 * The commas are the writer's business; that objects hold keys and values in
 * turn is the caller's.  Whatever bytes are given, the text is valid JSON in
 * strict UTF-8: bytes that are not UTF-8 become U+FFFD, a number that JSON
 * cannot hold becomes null.  When the buf is full the text is cut short and
 * buf_ok() says so; never send such a text.
 */
#ifndef GLOVEBOX_JSON_WRITER_H
#define GLOVEBOX_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/base/buf.h"

struct json_writer {
    struct buf *b;
    bool needs_comma;
};

void json_writer_init(struct json_writer *w, struct buf *b);

void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);

void json_put_key(struct json_writer *w, const char *key);
void json_put_key_bytes(struct json_writer *w, const char *key, size_t len);

void json_put_string(struct json_writer *w, const char *text);
/* NULL gives null. */
void json_put_string_or_null(struct json_writer *w, const char *text);
void json_put_bytes(struct json_writer *w, const char *bytes, size_t len);
void json_put_int(struct json_writer *w, int64_t value);
void json_put_uint(struct json_writer *w, uint64_t value);
/* The shortest text that reads back as the same double; always a float. */
void json_put_double(struct json_writer *w, double value);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);
/* One value that is known to be JSON already. */
void json_put_raw(struct json_writer *w, const char *text, size_t len);

/*
 * As json_put_bytes(), but keeps at most `max` bytes of the text that a
 * reader will get (escapes count as what they stand for), cut between
 * characters.  Returns whether anything was left out.
 */
bool json_put_bytes_cut(
    struct json_writer *w, const char *bytes, size_t len, size_t max);

#endif
