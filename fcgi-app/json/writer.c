/* writer - JSON text, written into a buf */
#include "fcgi-app/json/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/utf8.h"

void
json_writer_init(struct json_writer *w, struct buf *b)
{
    w->b = b;
    w->needs_comma = false;
}

/* Before every key and value. */
static void
writer_separate(struct json_writer *w)
{
    if (w->needs_comma)
        buf_addc(w->b, ',');
    w->needs_comma = true;
}

static void
writer_begin(struct json_writer *w, char bracket)
{
    writer_separate(w);
    buf_addc(w->b, bracket);
    w->needs_comma = false;
}

static void
writer_end(struct json_writer *w, char bracket)
{
    buf_addc(w->b, bracket);
    w->needs_comma = true;
}

void
json_begin_object(struct json_writer *w)
{
    writer_begin(w, '{');
}

void
json_end_object(struct json_writer *w)
{
    writer_end(w, '}');
}

void
json_begin_array(struct json_writer *w)
{
    writer_begin(w, '[');
}

void
json_end_array(struct json_writer *w)
{
    writer_end(w, ']');
}

/* The letter of the short escape of `c`, or 0. */
static char
writer_short_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void
writer_add_escaped(struct buf *b, char c)
{
    char letter = writer_short_escape(c);

    if (letter != 0) {
        buf_addc(b, '\\');
        buf_addc(b, letter);
    } else {
        buf_addf(b, "\\u%04x", (unsigned)(unsigned char)c);
    }
}

static bool
writer_is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' &&
           c != '\\';
}

static bool
writer_add_text(struct buf *b, const char *bytes, size_t len, size_t max)
{
    size_t at = 0, n, size, used = 0;

    while (at < len) {
        for (n = 0; at + n < len && writer_is_plain(bytes[at + n]);)
            n++;
        if (n > 0) {
            size = n > max - used ? max - used : n;
            buf_add(b, bytes + at, size);
            used += size;
            at += size;
            if (size < n)
                return true;
            continue;
        }
        n = utf8_char(bytes + at, len - at);
        size = n == 0 ? 3 : n;
        if (size > max - used)
            return true;
        if (n == 0)
            buf_add(b, "\xef\xbf\xbd", 3);
        else if (n == 1)
            writer_add_escaped(b, bytes[at]);
        else
            buf_add(b, bytes + at, n);
        used += size;
        at += n == 0 ? 1 : n;
    }
    return false;
}

bool
json_put_bytes_cut(
    struct json_writer *w, const char *bytes, size_t len, size_t max)
{
    bool is_cut;

    writer_separate(w);
    buf_addc(w->b, '"');
    is_cut = writer_add_text(w->b, bytes, len, max);
    buf_addc(w->b, '"');
    return is_cut;
}

void
json_put_bytes(struct json_writer *w, const char *bytes, size_t len)
{
    (void)json_put_bytes_cut(w, bytes, len, SIZE_MAX);
}

void
json_put_key_bytes(struct json_writer *w, const char *key, size_t len)
{
    json_put_bytes(w, key, len);
    buf_addc(w->b, ':');
    w->needs_comma = false;
}

void
json_put_key(struct json_writer *w, const char *key)
{
    json_put_key_bytes(w, key, strlen(key));
}

void
json_put_string(struct json_writer *w, const char *text)
{
    json_put_bytes(w, text, strlen(text));
}

void
json_put_string_or_null(struct json_writer *w, const char *text)
{
    if (text == NULL)
        json_put_null(w);
    else
        json_put_string(w, text);
}

void
json_put_int(struct json_writer *w, int64_t value)
{
    writer_separate(w);
    buf_addf(w->b, "%" PRId64, value);
}

void
json_put_uint(struct json_writer *w, uint64_t value)
{
    writer_separate(w);
    buf_addf(w->b, "%" PRIu64, value);
}

void
json_put_double(struct json_writer *w, double value)
{
    char text[40];

    if (!isfinite(value)) {
        json_put_null(w);
        return;
    }
    /* 17 digits always read back; mostly fewer do. */
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    writer_separate(w);
    buf_adds(w->b, text);
    if (strpbrk(text, ".e") == NULL)
        buf_adds(w->b, ".0");
}

void
json_put_bool(struct json_writer *w, bool value)
{
    json_put_raw(w, value ? "true" : "false", value ? 4 : 5);
}

void
json_put_null(struct json_writer *w)
{
    json_put_raw(w, "null", 4);
}

void
json_put_raw(struct json_writer *w, const char *text, size_t len)
{
    writer_separate(w);
    buf_add(w->b, text, len);
}
