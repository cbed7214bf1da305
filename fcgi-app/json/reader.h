/*
 * reader - a whole JSON document, read strictly, as a tree
 *
 * json_read() first walks over the text with our own scan (scan.h), which
 * refuses all that json-c would let through, and looks for equal keys and
 * for keys with a NUL in them.  Only then json-c makes the tree.  A struct
 * json_value is a node of that tree and lives as long as its document.
 *
 * One member of a top-level object can be left out of the tree: it counts as
 * null there, and its text is had with json_left_out().  That is for the part
 * of a request that only passes through: it may be large, a tree of it would
 * cost many times its size, and its numbers must stay as they were written.
 *
 * Not for: text of a box (copy.h).
 */
#ifndef GLOVEBOX_JSON_READER_H
#define GLOVEBOX_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/base/buf.h"

struct json_doc; /* opaque; reader.c */
struct json_value; /* opaque; a node of a json_doc */

struct json_bounds {
    size_t max_bytes;
    unsigned max_depth; /* of the tree; at most JSON_TREE_MAX_DEPTH */
    size_t max_values; /* nodes of the tree */
    const char *leave_out; /* a member of the top-level object, or NULL */
};

#define JSON_TREE_MAX_DEPTH 32

struct json_problem {
    char phrase[96]; /* "a value was expected" */
    size_t offset; /* bytes from the start */
};

/*
 * Is `text` strict JSON with no key twice in an object?  Returns 0, -EPROTO
 * with *ret_problem filled, or -ENOMEM.  For texts that need no tree.
 */
int json_check(struct view text, struct json_problem *ret_problem);

/*
 * Read `text`.  Returns 0 and sets *ret_doc, which the caller frees;
 * -EPROTO when the text is not JSON or has equal keys, -E2BIG when it passes
 * a bound (both with *ret_problem filled), or -ENOMEM.  `text` must live as
 * long as the document if a member was left out, and is not needed
 * otherwise.
 */
int json_read(struct view text, const struct json_bounds *bounds,
    struct json_doc **ret_doc, struct json_problem *ret_problem);
void json_doc_free(struct json_doc *doc); /* NULL is fine */

const struct json_value *json_root(const struct json_doc *doc);

/* The text of the member that was left out; false when there was none. */
bool json_left_out(const struct json_doc *doc, struct view *ret_text);

/* Does any string, also in what was left out, have a lone surrogate in it? */
bool json_has_lone_surrogate(const struct json_doc *doc);

enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER, /* written without fraction and exponent */
    JSON_FLOAT,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

enum json_kind json_kind_of(const struct json_value *v);

/* NULL when `v` has no such member, or is no object. */
const struct json_value *json_member(
    const struct json_value *v, const char *key);
/* The first key that is not in `known` (NULL-terminated), or NULL. */
const char *json_unknown_key(
    const struct json_value *v, const char *const *known);

size_t json_length(const struct json_value *v); /* of an array, or 0 */
const struct json_value *json_item(const struct json_value *v, size_t i);

/* Of a string; may hold NULs.  Empty for anything else. */
struct view json_text(const struct json_value *v);
/* Of a number; 0 for anything else.  Out of range is an infinity. */
double json_double(const struct json_value *v);
/* Of an integer; out of range is the nearest.  0 for anything else. */
int64_t json_integer(const struct json_value *v);

#endif
