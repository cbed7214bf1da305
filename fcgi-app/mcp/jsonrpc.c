/* jsonrpc - one JSON-RPC 2.0 message in, one out */
#include "fcgi-app/mcp/jsonrpc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/json/reader.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"

/* The members that mean something; in the order of their names here. */
enum rpc_member {
    MEMBER_JSONRPC,
    MEMBER_ID,
    MEMBER_METHOD,
    MEMBER_PARAMS,
    MEMBER_RESULT,
    MEMBER_ERROR,
    MEMBER_COUNT
};

static const char *const rpc_members[MEMBER_COUNT + 1] = {
    [MEMBER_JSONRPC] = "jsonrpc",
    [MEMBER_ID] = "id",
    [MEMBER_METHOD] = "method",
    [MEMBER_PARAMS] = "params",
    [MEMBER_RESULT] = "result",
    [MEMBER_ERROR] = "error",
};

void
rpc_error_init(struct rpc_error *e)
{
    memset(e, 0, sizeof(*e));
    buf_init(&e->data, RPC_MAX_DATA);
}

void
rpc_error_done(struct rpc_error *e)
{
    buf_done(&e->data);
}

void
rpc_error_set(struct rpc_error *e, int code, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(e->message, sizeof(e->message), fmt, ap);
    va_end(ap);
    /* Cut in the middle of a character, perhaps. */
    if (n >= (int)sizeof(e->message))
        e->message[utf8_cut(e->message, sizeof(e->message) - 1)] = '\0';
    e->code = code;
}

bool
rpc_is_id(struct view text)
{
    if (text.data == NULL || text.len == 0 || text.len > RPC_MAX_ID)
        return false;
    if (text.data[0] == '"')
        return true;
    for (size_t i = text.data[0] == '-'; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

static bool
rpc_refuse(struct rpc_error *e, const char *sentence)
{
    rpc_error_set(e, RPC_INVALID_REQUEST, "%s", sentence);
    return false;
}

static void
rpc_take_method(struct rpc_message *m, struct view token)
{
    struct buf name;

    buf_init(&name, token.len);
    json_unescape(&name, token);
    (void)utf8_safe(m->method, sizeof(m->method),
        name.data == NULL ? "" : name.data, name.len);
    buf_done(&name);
}

/* No method: only the answer to a request can be meant. */
static bool
rpc_take_response(
    const struct view *found, struct rpc_message *m, struct rpc_error *e)
{
    bool has_result = found[MEMBER_RESULT].data != NULL;
    bool has_error = found[MEMBER_ERROR].data != NULL;

    if (has_result == has_error)
        return rpc_refuse(e, "Invalid request: 'method' must be a string");
    if (m->id.data == NULL)
        return rpc_refuse(e, "Invalid request: a response needs an 'id'");
    m->kind = RPC_RESPONSE;
    return true;
}

static bool
rpc_take_members(
    const struct view *found, struct rpc_message *m, struct rpc_error *e)
{
    struct view version = found[MEMBER_JSONRPC];
    struct view method = found[MEMBER_METHOD];
    struct view params = found[MEMBER_PARAMS];

    /* First, so that every other error can tell whose it is. */
    if (found[MEMBER_ID].data != NULL) {
        if (!rpc_is_id(found[MEMBER_ID]))
            return rpc_refuse(e,
                "Invalid request: 'id' must be a string or an integer, not "
                "null, and of at most 1024 bytes");
        m->id = found[MEMBER_ID];
    }
    if (version.len != 5 || memcmp(version.data, "\"2.0\"", 5) != 0)
        return rpc_refuse(e, "Invalid request: 'jsonrpc' must be \"2.0\"");
    if (method.data == NULL)
        return rpc_take_response(found, m, e);
    if (method.data[0] != '"')
        return rpc_refuse(e, "Invalid request: 'method' must be a string");
    if (params.data != NULL && params.data[0] != '{')
        return rpc_refuse(e, "Invalid request: 'params' must be an object");
    rpc_take_method(m, method);
    m->params = params;
    m->kind = m->id.data != NULL ? RPC_REQUEST : RPC_NOTIFICATION;
    return true;
}

bool
rpc_read(struct view text, struct rpc_message *m, struct rpc_error *e)
{
    struct view found[MEMBER_COUNT];
    struct json_problem problem;
    int err = json_check(text, &problem);

    memset(m, 0, sizeof(*m));
    if (err == -ENOMEM) {
        rpc_error_set(e, RPC_INTERNAL, "Internal error");
        return false;
    }
    if (err != 0) {
        rpc_error_set(e, RPC_PARSE_ERROR, "Parse error: %s, at byte %zu",
            problem.phrase, problem.offset);
        return false;
    }
    if (!json_find_members(text, rpc_members, found))
        return rpc_refuse(e,
            "Invalid request: the body must be one JSON-RPC object; batches "
            "are not accepted");
    return rpc_take_members(found, m, e);
}

static void
rpc_begin(struct json_writer *w, struct view id)
{
    json_begin_object(w);
    json_put_key(w, "jsonrpc");
    json_put_string(w, "2.0");
    json_put_key(w, "id");
    if (id.data != NULL)
        json_put_raw(w, id.data, id.len);
    else
        json_put_null(w);
}

void
rpc_begin_result(struct json_writer *w, struct view id)
{
    rpc_begin(w, id);
    json_put_key(w, "result");
    json_begin_object(w);
}

void
rpc_end_result(struct json_writer *w)
{
    json_end_object(w);
    json_end_object(w);
}

void
rpc_put_error(struct json_writer *w, struct view id, const struct rpc_error *e)
{
    rpc_begin(w, id);
    json_put_key(w, "error");
    json_begin_object(w);
    json_put_key(w, "code");
    json_put_int(w, e->code);
    json_put_key(w, "message");
    json_put_string(w, e->message);
    if (e->data.len > 0) {
        json_put_key(w, "data");
        json_put_raw(w, e->data.data, e->data.len);
    }
    json_end_object(w);
    json_end_object(w);
}
