/*
 * reader - a whole JSON document, read strictly, as a tree
 *
 * The tree is json-c's and a struct json_value is one of its json_objects
 * under another name, so that its header stays in this file.  json-c has no
 * node for null; ours is the address of json_null.
 */
#include "fcgi-app/json/reader.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/scan.h"

struct json_doc {
    struct json_object *root;
    bool has_lone_surrogate;
    bool has_left_out;
    struct view left_out;
};

static const char json_null;

/* --- equal keys ----------------------------------------------------------- */

/*
 * The keys of all objects that are open, unescaped, one after another.  When
 * an object closes its keys are at the end: they are sorted, neighbours are
 * compared, and they are dropped.  So a text full of keys costs n log n.
 */
struct key_ref {
    uint32_t at, len; /* in `bytes` */
};

struct keys {
    struct buf bytes;
    struct buf refs; /* of struct key_ref */
    struct buf marks; /* of uint32_t: refs.len when each container opened */
};

static void
keys_init(struct keys *k, size_t text_len)
{
    /* A key in the text is longer by its quotes and colon than here. */
    buf_init(&k->bytes, text_len);
    buf_init(&k->refs, text_len * sizeof(struct key_ref));
    buf_init(&k->marks, text_len * sizeof(uint32_t));
}

static void
keys_done(struct keys *k)
{
    buf_done(&k->bytes);
    buf_done(&k->refs);
    buf_done(&k->marks);
}

static int
keys_add(struct keys *k, struct view token, const char **ret_problem)
{
    struct key_ref ref = { .at = (uint32_t)k->bytes.len };

    json_unescape(&k->bytes, token);
    ref.len = (uint32_t)(k->bytes.len - ref.at);
    buf_add(&k->refs, &ref, sizeof(ref));
    if (!buf_ok(&k->bytes) || !buf_ok(&k->refs))
        return -ENOMEM;
    if (ref.len > 0 && memchr(k->bytes.data + ref.at, '\0', ref.len) != NULL) {
        *ret_problem = "a key has a NUL in it";
        return -EPROTO;
    }
    return 0;
}

static int
keys_open(struct keys *k)
{
    uint32_t mark = (uint32_t)k->refs.len;

    buf_add(&k->marks, &mark, sizeof(mark));
    return buf_ok(&k->marks) ? 0 : -ENOMEM;
}

static int
keys_compare(const void *a, const void *b, void *bytes)
{
    const struct key_ref *x = a, *y = b;

    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    if (x->len == 0)
        return 0;
    return memcmp((char *)bytes + x->at, (char *)bytes + y->at, x->len);
}

static int
keys_close(struct keys *k, const char **ret_problem)
{
    uint32_t mark;
    struct key_ref *refs;
    size_t n;

    k->marks.len -= sizeof(mark);
    memcpy(&mark, k->marks.data + k->marks.len, sizeof(mark));
    if (k->refs.len == mark)
        return 0;
    refs = (struct key_ref *)(void *)(k->refs.data + mark);
    n = (k->refs.len - mark) / sizeof(*refs);
    k->refs.len = mark;
    k->bytes.len = refs[0].at;
    qsort_r(refs, n, sizeof(*refs), keys_compare, k->bytes.data);
    for (size_t i = 1; i < n; i++) {
        if (keys_compare(&refs[i - 1], &refs[i], k->bytes.data) == 0) {
            *ret_problem = "a key is there twice in one object";
            return -EPROTO;
        }
    }
    return 0;
}

/* --- the checks before json-c --------------------------------------------- */

static int
check_token(struct keys *k, enum json_token token, const struct json_scan *s,
    const char **ret_problem)
{
    switch (token) {
    case JSON_TOKEN_BAD:
        *ret_problem = s->problem;
        return -EPROTO;
    case JSON_TOKEN_KEY:
        return keys_add(k, s->text, ret_problem);
    case JSON_TOKEN_OBJECT:
    case JSON_TOKEN_ARRAY:
        return keys_open(k);
    case JSON_TOKEN_OBJECT_END:
    case JSON_TOKEN_ARRAY_END:
        return keys_close(k, ret_problem);
    default:
        return 0;
    }
}

static void
problem_set(struct json_problem *p, const char *phrase, size_t offset)
{
    (void)snprintf(p->phrase, sizeof(p->phrase), "%s", phrase);
    p->offset = offset;
}

/* Is it strict JSON with no key twice? */
static int
check_text(struct view text, bool *ret_has_lone_surrogate,
    struct json_problem *ret_problem)
{
    struct json_scan s;
    struct keys k;
    enum json_token token;
    const char *problem = "";
    int err;

    json_scan_init(&s, text);
    keys_init(&k, text.len);
    do {
        token = json_scan_next(&s);
        err = check_token(&k, token, &s, &problem);
    } while (err == 0 && token != JSON_TOKEN_END);
    keys_done(&k);
    problem_set(ret_problem, problem, json_scan_offset(&s));
    *ret_has_lone_surrogate = s.has_lone_surrogate;
    return err;
}

int
json_check(struct view text, struct json_problem *ret_problem)
{
    bool has_lone_surrogate;

    return check_text(text, &has_lone_surrogate, ret_problem);
}

/* Will the tree stay within bounds? */
static int
check_bounds(struct view text, const struct json_bounds *bounds,
    struct json_problem *ret_problem)
{
    struct json_scan s;
    enum json_token token;
    size_t values = 0;
    const char *problem = NULL;

    json_scan_init(&s, text);
    do {
        token = json_scan_next(&s);
        values += token != JSON_TOKEN_KEY && token != JSON_TOKEN_OBJECT_END &&
                  token != JSON_TOKEN_ARRAY_END && token != JSON_TOKEN_END;
        if (s.depth > bounds->max_depth || s.depth > JSON_TREE_MAX_DEPTH)
            problem = "it is nested too deeply";
        else if (values > bounds->max_values)
            problem = "it has too many values";
    } while (problem == NULL && token != JSON_TOKEN_END);
    if (problem == NULL)
        return 0;
    problem_set(ret_problem, problem, json_scan_offset(&s));
    return -E2BIG;
}

/* --- the tree ------------------------------------------------------------- */

static int
tree_read(struct json_doc *doc, struct view text)
{
    struct json_tokener *t = json_tokener_new_ex(JSON_TREE_MAX_DEPTH + 1);
    int err = -ENOMEM;

    if (t == NULL)
        return -ENOMEM;
    json_tokener_set_flags(t, JSON_TOKENER_STRICT);
    doc->root = json_tokener_parse_ex(t, text.data, (int)text.len);
    /* A number or word at the very end is only known to end by a NUL. */
    if (json_tokener_get_error(t) == json_tokener_continue)
        doc->root = json_tokener_parse_ex(t, "", 1);
    if (json_tokener_get_error(t) == json_tokener_success)
        err = 0;
    json_tokener_free(t);
    return err;
}

/* The text with `null` in place of the member that is left out. */
static void
tree_text(struct buf *b, struct view text, struct view left_out)
{
    size_t before = (size_t)(left_out.data - text.data);
    size_t after = before + left_out.len;

    buf_init(b, text.len + 4);
    buf_add(b, text.data, before);
    buf_adds(b, "null");
    buf_add(b, text.data + after, text.len - after);
}

static int
doc_read(struct json_doc *doc, struct view text,
    const struct json_bounds *bounds, struct json_problem *ret_problem)
{
    struct buf rest;
    int err;

    if (bounds->leave_out == NULL ||
        !json_find_member(text, bounds->leave_out, &doc->left_out)) {
        err = check_bounds(text, bounds, ret_problem);
        return err == 0 ? tree_read(doc, text) : err;
    }
    doc->has_left_out = true;
    tree_text(&rest, text, doc->left_out);
    err = buf_ok(&rest) ? 0 : -ENOMEM;
    if (err == 0)
        err = check_bounds(view_of(rest.data, rest.len), bounds, ret_problem);
    if (err == 0)
        err = tree_read(doc, view_of(rest.data, rest.len));
    buf_done(&rest);
    return err;
}

int
json_read(struct view text, const struct json_bounds *bounds,
    struct json_doc **ret_doc, struct json_problem *ret_problem)
{
    struct json_doc *doc;
    bool has_lone_surrogate;
    int err;

    problem_set(ret_problem, "it is too long", 0);
    if (text.len > bounds->max_bytes || text.len > INT_MAX / 16)
        return -E2BIG;
    err = check_text(text, &has_lone_surrogate, ret_problem);
    if (err != 0)
        return err;
    doc = calloc(1, sizeof(*doc));
    if (doc == NULL)
        return -ENOMEM;
    doc->has_lone_surrogate = has_lone_surrogate;
    err = doc_read(doc, text, bounds, ret_problem);
    if (err != 0) {
        json_doc_free(doc);
        return err;
    }
    *ret_doc = doc;
    return 0;
}

void
json_doc_free(struct json_doc *doc)
{
    if (doc == NULL)
        return;
    (void)json_object_put(doc->root);
    free(doc);
}

/* --- nodes ---------------------------------------------------------------- */

static const struct json_value *
value_of(const struct json_object *object)
{
    if (object == NULL)
        return (const struct json_value *)(const void *)&json_null;
    return (const struct json_value *)object;
}

/* json-c's getters take no const pointer, though they change nothing. */
static struct json_object *
object_of(const struct json_value *v)
{
    if (v == (const struct json_value *)(const void *)&json_null)
        return NULL;
    return (struct json_object *)(uintptr_t)v;
}

const struct json_value *
json_root(const struct json_doc *doc)
{
    return value_of(doc->root);
}

bool
json_left_out(const struct json_doc *doc, struct view *ret_text)
{
    if (doc->has_left_out)
        *ret_text = doc->left_out;
    return doc->has_left_out;
}

bool
json_has_lone_surrogate(const struct json_doc *doc)
{
    return doc->has_lone_surrogate;
}

enum json_kind
json_kind_of(const struct json_value *v)
{
    switch (json_object_get_type(object_of(v))) {
    case json_type_null:
        return JSON_NULL;
    case json_type_boolean:
        return JSON_BOOL;
    case json_type_int:
        return JSON_INTEGER;
    case json_type_double:
        return JSON_FLOAT;
    case json_type_string:
        return JSON_STRING;
    case json_type_array:
        return JSON_ARRAY;
    case json_type_object:
        return JSON_OBJECT;
    }
    return JSON_NULL;
}

const struct json_value *
json_member(const struct json_value *v, const char *key)
{
    struct json_object *member;

    if (json_kind_of(v) != JSON_OBJECT ||
        !json_object_object_get_ex(object_of(v), key, &member))
        return NULL;
    return value_of(member);
}

static bool
key_is_known(const char *key, const char *const *known)
{
    for (; *known != NULL; known++)
        if (strcmp(key, *known) == 0)
            return true;
    return false;
}

const char *
json_unknown_key(const struct json_value *v, const char *const *known)
{
    if (json_kind_of(v) != JSON_OBJECT)
        return NULL;
    json_object_object_foreach(object_of(v), key, member)
    {
        (void)member;
        if (!key_is_known(key, known))
            return key;
    }
    return NULL;
}

size_t
json_length(const struct json_value *v)
{
    if (json_kind_of(v) != JSON_ARRAY)
        return 0;
    return json_object_array_length(object_of(v));
}

const struct json_value *
json_item(const struct json_value *v, size_t i)
{
    return value_of(json_object_array_get_idx(object_of(v), i));
}

struct view
json_text(const struct json_value *v)
{
    struct json_object *object = object_of(v);

    if (json_kind_of(v) != JSON_STRING)
        return view_of("", 0);
    return view_of(json_object_get_string(object),
        (size_t)json_object_get_string_len(object));
}

double
json_double(const struct json_value *v)
{
    enum json_kind kind = json_kind_of(v);

    if (kind != JSON_INTEGER && kind != JSON_FLOAT)
        return 0.0;
    return json_object_get_double(object_of(v));
}

int64_t
json_integer(const struct json_value *v)
{
    if (json_kind_of(v) != JSON_INTEGER)
        return 0;
    return json_object_get_int64(object_of(v));
}
