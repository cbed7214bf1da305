/* copy - one JSON value of anybody, written anew */
#include "fcgi-app/json/copy.h"

#include <errno.h>

#include "fcgi-app/json/scan.h"

/* A string token goes through `scratch`, which is big enough for any. */
static int
copy_string(
    struct json_writer *w, struct view token, bool is_key, struct buf *scratch)
{
    buf_reset(scratch);
    json_unescape(scratch, token);
    if (!buf_ok(scratch))
        return -ENOMEM;
    if (is_key)
        json_put_key_bytes(w, scratch->data, scratch->len);
    else
        json_put_bytes(w, scratch->data, scratch->len);
    return 0;
}

static int
copy_token(struct json_writer *w, enum json_token token, struct view text,
    struct buf *scratch)
{
    switch (token) {
    case JSON_TOKEN_OBJECT:
        json_begin_object(w);
        return 0;
    case JSON_TOKEN_OBJECT_END:
        json_end_object(w);
        return 0;
    case JSON_TOKEN_ARRAY:
        json_begin_array(w);
        return 0;
    case JSON_TOKEN_ARRAY_END:
        json_end_array(w);
        return 0;
    case JSON_TOKEN_KEY:
    case JSON_TOKEN_STRING:
        return copy_string(w, text, token == JSON_TOKEN_KEY, scratch);
    case JSON_TOKEN_NUMBER:
    case JSON_TOKEN_TRUE:
    case JSON_TOKEN_FALSE:
    case JSON_TOKEN_NULL:
        json_put_raw(w, text.data, text.len);
        return 0;
    case JSON_TOKEN_BAD:
    case JSON_TOKEN_END:
        break;
    }
    return -EPROTO;
}

static int
copy_tokens(struct json_writer *w, struct view text, unsigned max_depth,
    struct buf *scratch)
{
    struct json_scan s;
    enum json_token token;
    int err = 0;

    json_scan_init(&s, text);
    while (err == 0) {
        token = json_scan_next(&s);
        if (token == JSON_TOKEN_END)
            break;
        if (s.depth > max_depth)
            return -EPROTO;
        err = copy_token(w, token, s.text, scratch);
    }
    if (err == 0 && !buf_ok(w->b))
        err = -ENOMEM;
    return err;
}

int
json_copy_value(struct json_writer *w, struct view text, unsigned max_depth)
{
    struct json_writer before = *w;
    size_t len_before = w->b->len;
    struct buf scratch;
    int err;

    buf_init(&scratch, text.len);
    err = copy_tokens(w, text, max_depth, &scratch);
    buf_done(&scratch);
    if (err != 0) {
        *w = before;
        w->b->len = len_before;
        if (w->b->data != NULL)
            w->b->data[len_before] = '\0';
    }
    return err;
}
