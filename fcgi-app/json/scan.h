/*
 * scan - JSON text, token by token, strictly after RFC 8259
 *
 * A scan walks over bytes of anybody.  It refuses whatever a lenient reader
 * lets through: bytes that are not strict UTF-8, raw control characters,
 * NaN and Infinity, "1." and "01", comments, a byte order mark, text after
 * the value.  It needs no memory but its own struct and does not recurse, so
 * nesting costs one bit a level, up to JSON_MAX_DEPTH.
 *
 * Two things are left to the caller because their right answer differs: a
 * lone surrogate written as an escape (it is no text, but it is JSON) is only
 * noted in `has_lone_surrogate`, and equal keys are found by json_read().
 */
#ifndef GLOVEBOX_JSON_SCAN_H
#define GLOVEBOX_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/base/buf.h"

#define JSON_MAX_DEPTH 16384
/* CPython reads no integer of more digits; nor do we. */
#define JSON_MAX_DIGITS 4300

enum json_token {
    JSON_TOKEN_BAD, /* see `problem`; the scan stays here */
    JSON_TOKEN_END, /* the one value is complete and nothing follows */
    JSON_TOKEN_OBJECT,
    JSON_TOKEN_OBJECT_END,
    JSON_TOKEN_ARRAY,
    JSON_TOKEN_ARRAY_END,
    JSON_TOKEN_KEY, /* `text` with its quotes */
    JSON_TOKEN_STRING, /* `text` with its quotes */
    JSON_TOKEN_NUMBER,
    JSON_TOKEN_TRUE,
    JSON_TOKEN_FALSE,
    JSON_TOKEN_NULL,
};

struct json_scan {
    const char *start, *at, *end;
    unsigned depth; /* containers open after the last token */
    bool has_lone_surrogate; /* in any string so far */
    const char *problem; /* a phrase: "a value was expected" */
    struct view text; /* the bytes of the last token */

    /* inside only */
    unsigned expect; /* enum json_expect of scan.c */
    uint64_t is_object[JSON_MAX_DEPTH / 64];
};

void json_scan_init(struct json_scan *s, struct view text);
enum json_token json_scan_next(struct json_scan *s);

/* Where the scan is, counted in bytes from the start. */
size_t json_scan_offset(const struct json_scan *s);

/*
 * Go on to the end of the value that begins with `token`, the last one read.
 * Returns false when the text is bad before that.
 */
bool json_scan_skip(struct json_scan *s, enum json_token token);

/* Is the text exactly one JSON value, at most `max_depth` containers deep? */
bool json_is_value(struct view text, unsigned max_depth);

/*
 * The text of the member `key` of an object that has been scanned before.
 * Returns false when it has no such member (or is no object).
 */
bool json_find_member(
    struct view object, const char *key, struct view *ret_value);

/*
 * The texts of the members `keys` (NULL-terminated) of such an object, in one
 * walk: ret_values[i] is that of keys[i], empty (data NULL) when there is
 * none.  Returns false when it is no object.
 */
bool json_find_members(
    struct view object, const char *const *keys, struct view *ret_values);

/*
 * Add what a string token stands for, without quotes and escapes.  A lone
 * surrogate becomes U+FFFD.  The token must come from a scan.
 */
void json_unescape(struct buf *b, struct view token);

#endif
