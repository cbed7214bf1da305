/* order_json - the body of a request becomes an order */
#include "fcgi-app/order_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/json/reader.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "sandbox/wire/profile.h"

/* What the fields need while they are read. */
struct reading {
    struct order_parse *parse;
    struct view body;
    const struct settings *settings;
    const struct token *token;
    char *detail;
    size_t detail_size;
};

void
order_parse_init(struct order_parse *p)
{
    *p = (struct order_parse){ 0 };
    buf_init(&p->context, MAX_CONTEXT_BYTES);
}

void
order_parse_done(struct order_parse *p)
{
    json_doc_free(p->doc);
    buf_done(&p->context);
    *p = (struct order_parse){ 0 };
}

static enum fault
wrong_field(struct reading *r, const char *sentence)
{
    (void)snprintf(r->detail, r->detail_size, "%s", sentence);
    return FAULT_FIELD;
}

/* The smaller of the server's and the token's, which may have none. */
static uint32_t
lower_of(uint32_t server, uint32_t token)
{
    return token != 0 && token < server ? token : server;
}

/* --- the fields ----------------------------------------------------------- */

/* `v` is NULL when the field is absent or null. */
static enum fault
field_code(struct reading *r, const struct json_value *v)
{
    if (v == NULL)
        return wrong_field(r, "Field 'code' is required; expected a string");
    if (json_kind_of(v) != JSON_STRING)
        return wrong_field(r, "Field 'code' must be a string");
    r->parse->order.code = json_text(v);
    return FAULT_NONE;
}

/*
 * Is there half of a surrogate pair in a member?  json-c has made U+FFFD of
 * it, so the body's own text must be asked.
 */
static bool
has_lone_surrogate(const struct reading *r, const char *field)
{
    struct json_scan s;
    struct view text;

    if (!json_has_lone_surrogate(r->parse->doc) ||
        !json_find_member(r->body, field, &text))
        return false;
    json_scan_init(&s, text);
    (void)json_scan_skip(&s, json_scan_next(&s));
    return s.has_lone_surrogate;
}

static enum fault
field_context(struct reading *r, const struct json_value *v)
{
    struct order_parse *p = r->parse;
    struct view text;

    /* The tree has null in its place; the kind is the text's first byte. */
    (void)v;
    if (!json_left_out(p->doc, &text) || text.data[0] == 'n')
        return FAULT_NONE;
    if (text.data[0] != '{')
        return wrong_field(r, "Field 'context' must be an object or null");
    if (has_lone_surrogate(r, "context"))
        return wrong_field(r, "Field 'context' has a lone surrogate in it; "
                              "expected Unicode text");
    if (context_check(text, &p->context, &p->keys, p->context_detail) != 0)
        return FAULT_INTERNAL;
    if (p->context_detail[0] == '\0')
        p->order.context = view_of(p->context.data, p->context.len);
    return FAULT_NONE;
}

static enum fault
field_stdin(struct reading *r, const struct json_value *v)
{
    struct view text;

    if (v == NULL)
        return FAULT_NONE;
    if (json_kind_of(v) != JSON_STRING)
        return wrong_field(r, "Field 'stdin' must be a string or null");
    if (has_lone_surrogate(r, "stdin"))
        return wrong_field(r, "Field 'stdin' has a lone surrogate in it; "
                              "expected Unicode text");
    text = json_text(v);
    if (text.len > r->settings->stdin_bytes) {
        (void)snprintf(r->detail, r->detail_size,
            "Field 'stdin' is %zu bytes; limit is %u bytes", text.len,
            (unsigned)r->settings->stdin_bytes);
        return FAULT_FIELD;
    }
    r->parse->order.stdin_text = text;
    return FAULT_NONE;
}

static enum fault
field_timeout(struct reading *r, const struct json_value *v)
{
    uint32_t wall_ms = lower_of(r->settings->wall_ms, r->token->limits.wall_ms);
    double seconds;

    if (v != NULL) {
        seconds = json_double(v); /* 0 when it is no number */
        if (!(seconds > 0.0))
            return wrong_field(r,
                "Field 'timeout_s' must be a number greater than 0, or "
                "null");
        /* More than the limit is not an error, it just does not raise it. */
        if (seconds * 1000.0 < (double)wall_ms)
            wall_ms = (uint32_t)ceil(seconds * 1000.0);
    }
    r->parse->order.wall_ms = wall_ms;
    r->parse->order.cpu_ms = settings_cpu_ms(r->settings, wall_ms);
    return FAULT_NONE;
}

/* Which profiles there are is told as far as the token may use them. */
static enum fault
wrong_profile(struct reading *r)
{
    struct buf names;

    buf_init(&names, r->detail_size);
    for (unsigned i = 0; i < PROFILE_COUNT; i++)
        if (r->token->profiles >> i & 1)
            buf_addf(
                &names, "%s'%s'", names.len > 0 ? ", " : "", profiles[i].name);
    (void)snprintf(r->detail, r->detail_size,
        "Field 'profile' must be one that this token may use: %s",
        names.len > 0 ? names.data : "none");
    buf_done(&names);
    return FAULT_FIELD;
}

static enum fault
field_profile(struct reading *r, const struct json_value *v)
{
    const struct profile *p = &profiles[PROFILE_RESTRICTED];
    struct view name;

    if (v != NULL) {
        if (json_kind_of(v) != JSON_STRING)
            return wrong_field(r, "Field 'profile' must be a string or null");
        name = json_text(v);
        p = profile_find(name.data, name.len);
    }
    if (p == NULL || (r->token->profiles >> profile_id_of(p) & 1) == 0)
        return wrong_profile(r);
    r->parse->order.profile = profile_id_of(p);
    return FAULT_NONE;
}

/* In the order in which they are checked. */
static const struct order_field {
    const char *name;
    enum fault (*read)(struct reading *r, const struct json_value *v);
} order_fields[] = {
    { "code", field_code },
    { "context", field_context },
    { "stdin", field_stdin },
    { "timeout_s", field_timeout },
    { "profile", field_profile },
};

static enum fault
refuse_unknown(struct reading *r, const struct json_value *root)
{
    static const char *const known[] = { "code", "context", "stdin",
        "timeout_s", "profile", NULL };
    const char *key = json_unknown_key(root, known);
    char shown[64];

    if (key == NULL)
        return FAULT_NONE;
    (void)snprintf(r->detail, r->detail_size,
        "Unknown field '%s'; expected code, context, stdin, timeout_s, "
        "profile",
        utf8_safe(shown, sizeof(shown), key, strlen(key)));
    return FAULT_FIELD;
}

static enum fault
read_fields(struct reading *r, const struct json_value *root)
{
    const struct json_value *v;
    enum fault fault;

    if (json_kind_of(root) != JSON_OBJECT)
        return wrong_field(r, "Body must be a JSON object");
    fault = refuse_unknown(r, root);
    for (size_t i = 0; fault == FAULT_NONE &&
                       i < sizeof(order_fields) / sizeof(order_fields[0]);
         i++) {
        v = json_member(root, order_fields[i].name);
        if (v != NULL && json_kind_of(v) == JSON_NULL)
            v = NULL;
        fault = order_fields[i].read(r, v);
    }
    return fault;
}

/* --- what the validator would say first ----------------------------------- */

static bool
is_blank(struct view text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\0' || strchr(" \t\r\n\f\v", text.data[i]) == NULL)
            return false;
    return true;
}

/*
 * The part of the validator that needs no Python.  Half a surrogate pair
 * cannot be sent on as UTF-8, so it is found here, after the size.
 */
static enum fault
check_code(struct reading *r)
{
    struct view code = r->parse->order.code;
    uint32_t limit =
        lower_of(r->settings->code_bytes, r->token->limits.code_bytes);

    if (is_blank(code))
        (void)snprintf(r->detail, r->detail_size, "Code payload is empty");
    else if (code.len > limit)
        (void)snprintf(r->detail, r->detail_size,
            "Code payload is %zu bytes; limit is %u bytes", code.len,
            (unsigned)limit);
    else if (has_lone_surrogate(r, "code"))
        (void)snprintf(r->detail, r->detail_size,
            "Code failed to parse: it has a lone surrogate in it");
    else
        return FAULT_NONE;
    return FAULT_REFUSED;
}

static void
set_limits(struct reading *r)
{
    struct order *o = &r->parse->order;

    o->kind = ORDER_RUN;
    o->memory_bytes =
        (uint64_t)lower_of(r->settings->memory_mb, r->token->limits.memory_mb)
        << 20;
    o->output_bytes = r->settings->output_bytes;
    o->return_bytes = r->settings->return_bytes;
    o->ast_nodes = r->settings->ast_nodes;
}

static enum fault
read_document(struct reading *r)
{
    const struct json_bounds bounds = {
        .max_bytes = r->settings->body_bytes,
        .max_depth = JSON_TREE_MAX_DEPTH,
        .max_values = 10000, /* five are right; the rest is for a message */
        .leave_out = "context",
    };
    struct json_problem problem;
    int err = json_read(r->body, &bounds, &r->parse->doc, &problem);

    if (err == -ENOMEM)
        return FAULT_INTERNAL;
    if (err == 0)
        return FAULT_NONE;
    (void)snprintf(r->detail, r->detail_size,
        "Request body is not valid JSON: %s, at byte %zu", problem.phrase,
        problem.offset);
    return FAULT_JSON;
}

enum fault
order_from_json(struct order_parse *p, struct view body,
    const struct settings *s, const struct token *token, char *detail,
    size_t detail_size)
{
    struct reading r = {
        .parse = p,
        .body = body,
        .settings = s,
        .token = token,
        .detail = detail,
        .detail_size = detail_size,
    };
    enum fault fault;

    detail[0] = '\0';
    fault = read_document(&r);
    if (fault == FAULT_NONE)
        fault = read_fields(&r, json_root(p->doc));
    if (fault == FAULT_NONE)
        fault = check_code(&r);
    if (fault == FAULT_NONE)
        set_limits(&r);
    return fault;
}
