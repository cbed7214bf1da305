/*
 * mcp_http - POST /mcp: the transport rules of both eras
 *
 * What HTTP alone can tell was looked at before (route.c): Origin (mcp_guard),
 * token, method, size and kind of the body.  Here it is the message's turn.
 * Which era a request is of is decided by the request alone:
 *
 *   params._meta has a protocolVersion, or the header MCP-Protocol-Version
 *   names a modern revision        modern
 *   anything else, and initialize without such a _meta        legacy
 *
 * A modern request says what it is twice, in its headers for whoever stands
 * between, and in its body for us; modern_checks[] sees that both say the
 * same, in the order in which they are listed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/mcp/mcp.h"
#include "fcgi-app/mcp/mcp_http.h"

/* --- Origin --------------------------------------------------------------- */

/* Is `origin` one of a comma list, `before` and `after` each of its items? */
static bool
origin_is_of(
    const char *origin, const char *list, const char *before, const char *after)
{
    char one[SETTINGS_MAX_TEXT + 32];

    while (*list != '\0') {
        size_t len = strcspn(list, ", ");

        (void)snprintf(
            one, sizeof(one), "%s%.*s%s", before, (int)len, list, after);
        if (len > 0 && strcasecmp(origin, one) == 0)
            return true;
        list += len;
        list += strspn(list, ", ");
    }
    return false;
}

/* As the service's own URL has it: a page that we would have served. */
static bool
origin_is_own(const char *origin, const struct settings *s)
{
    bool has_tls = s->tls_certificate[0] != '\0';
    const char *scheme = has_tls ? "https://" : "http://";
    char port[16];

    (void)snprintf(port, sizeof(port), ":%u", (unsigned)s->service_port);
    return origin_is_of(origin, s->server_names, scheme, port) ||
           (s->service_port == (has_tls ? 443u : 80u) &&
               origin_is_of(origin, s->server_names, scheme, ""));
}

enum fault
mcp_guard(struct exchange *x)
{
    const struct settings *s = &x->config->settings;
    const char *origin = "";
    int found = http_param(x->request, "HTTP_ORIGIN", &origin);

#ifdef GLOVEBOX_CONFORMANCE
    if (!mcp_fixture_is_near(x->request))
        return FAULT_ORIGIN;
#endif
    if (found == 0 || (found == 1 && *origin == '\0'))
        return FAULT_NONE;
    if (found == 1 &&
        (origin_is_of(origin, s->origins, "", "") || origin_is_own(origin, s)))
        return FAULT_NONE;
    return FAULT_ORIGIN;
}

/* --- what a request says of itself ---------------------------------------- */

struct mcp_headers {
    const char *version; /* NULL: not sent */
    const char *method;
    const char *name;
    const char *doubled; /* which of them was sent twice, or NULL */
};

/* What a request of either era must not send twice. */
static void
headers_read(struct mcp_headers *h, const struct http_request *r)
{
    const struct {
        const char *param, *name;
        const char **value;
    } rows[] = {
        { "HTTP_MCP_PROTOCOL_VERSION", "MCP-Protocol-Version", &h->version },
        { "HTTP_MCP_METHOD", "Mcp-Method", &h->method },
        { "HTTP_MCP_NAME", "Mcp-Name", &h->name },
        { "HTTP_MCP_SESSION_ID", "Mcp-Session-Id", NULL },
    };

    memset(h, 0, sizeof(*h));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *value = NULL;

        if (http_param(r, rows[i].param, &value) < 0)
            h->doubled = rows[i].name;
        if (rows[i].value != NULL)
            *rows[i].value = value;
    }
}

/* One message being judged. */
struct judging {
    struct mcp_call *call;
    const struct mcp_method *method; /* in the request's era; may be NULL */
    struct mcp_headers headers;
    struct view version; /* of _meta, any JSON value; data NULL: none */
};

static bool
refuse(struct judging *j, int code, const char *sentence)
{
    rpc_error_set(j->call->error, code, "%s", sentence);
    j->call->error_status = 400;
    return false;
}

static bool
is_modern_version(const char *name)
{
    const struct mcp_version *v =
        name == NULL ? NULL : mcp_version_find(name, strlen(name));

    return v != NULL && v->era == MCP_MODERN;
}

static void
judge_era(struct judging *j)
{
    struct mcp_call *c = j->call;
    struct view meta;

    if (c->message->params.data != NULL &&
        json_find_member(c->message->params, "_meta", &meta) &&
        meta.data[0] == '{') {
        c->meta = meta;
        (void)json_find_member(meta, MCP_META "protocolVersion", &j->version);
    }
    c->era = MCP_LEGACY;
    if (j->version.data != NULL ||
        (is_modern_version(j->headers.version) &&
            strcmp(c->message->method, "initialize") != 0))
        c->era = MCP_MODERN;
}

/* Does a JSON string stand for exactly `text`? */
static bool
string_is(struct view token, const char *text, size_t len)
{
    struct buf b;
    bool is_same;

    if (token.data == NULL || token.data[0] != '"')
        return false;
    buf_init(&b, token.len);
    json_unescape(&b, token);
    is_same = buf_ok(&b) && b.len == len &&
              (len == 0 || memcmp(b.data, text, len) == 0);
    buf_done(&b);
    return is_same;
}

/* Versions that could have been asked for in the way this one was. */
static bool
refuse_version(struct judging *j, struct view asked, unsigned eras)
{
    struct rpc_error *e = j->call->error;
    struct json_writer w;
    char shown[64];

    (void)refuse(j, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version");
    json_writer_init(&w, &e->data);
    json_begin_object(&w);
    json_put_key(&w, "supported");
    mcp_put_versions(&w, eras);
    json_put_key(&w, "requested");
    json_put_string(&w, utf8_safe(shown, sizeof(shown), asked.data, asked.len));
    json_end_object(&w);
    return false;
}

/* --- modern: both say the same -------------------------------------------- */

static bool
check_meta(struct judging *j)
{
    struct mcp_call *c = j->call;
    struct view capabilities;

    if (c->meta.data == NULL || j->version.data == NULL ||
        j->version.data[0] != '"')
        return refuse(j, RPC_INVALID_PARAMS,
            "Invalid params: _meta must have " MCP_META
            "protocolVersion, a string");
    if (!json_find_member(
            c->meta, MCP_META "clientCapabilities", &capabilities) ||
        capabilities.data[0] != '{')
        return refuse(j, RPC_INVALID_PARAMS,
            "Invalid params: _meta must have " MCP_META
            "clientCapabilities, an object");
    return true;
}

static bool
check_version_header(struct judging *j)
{
    const char *version = j->headers.version;

    if (version == NULL || !string_is(j->version, version, strlen(version)))
        return refuse(j, MCP_HEADER_MISMATCH,
            "Header mismatch: MCP-Protocol-Version must equal the "
            "protocolVersion of _meta");
    return true;
}

static bool
check_version(struct judging *j)
{
    const char *version = j->headers.version;

    if (is_modern_version(version))
        return true;
    return refuse_version(j, view_of(version, strlen(version)), MCP_MODERN);
}

static bool
check_method_header(struct judging *j)
{
    const char *method = j->headers.method;

    if (method == NULL || strcmp(method, j->call->message->method) != 0)
        return refuse(j, MCP_HEADER_MISMATCH,
            "Header mismatch: Mcp-Method must equal the method");
    return true;
}

/* --- Mcp-Name ------------------------------------------------------------- */

static int
base64_digit(char c)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int)(at - digits);
}

/*
 * Strict: whole groups of four, padding only at the end, no bits that nothing
 * would read.
 */
bool
mcp_base64_decode(struct buf *b, const char *text, size_t len)
{
    size_t padding = 0;

    if (len % 4 != 0)
        return false;
    while (padding < 2 && padding < len && text[len - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < len; i += 4) {
        size_t kept = i + 4 == len ? 4 - padding : 4;
        uint32_t bits = 0;

        for (size_t k = 0; k < 4; k++) {
            int digit = k < kept ? base64_digit(text[i + k]) : 0;

            if (digit < 0)
                return false;
            bits = bits << 6 | (uint32_t)digit;
        }
        if ((kept == 3 && (bits & 0xff) != 0) ||
            (kept == 2 && (bits & 0xffff) != 0))
            return false;
        for (size_t k = 0; k + 1 < kept; k++)
            buf_addc(b, (char)(bits >> (16 - 8 * k) & 0xff));
    }
    return buf_ok(b);
}

/* "=?base64?...?=" is how a header holds what is no plain ASCII. */
bool
mcp_header_is(const char *header, struct view token)
{
    static const char before[] = "=?base64?", after[] = "?=";
    size_t len = strlen(header), head = strlen(before), tail = strlen(after);
    struct buf b;
    bool is_same;

    if (len < head + tail || strncmp(header, before, head) != 0 ||
        strcmp(header + len - tail, after) != 0)
        return string_is(token, header, len);
    buf_init(&b, len);
    is_same = mcp_base64_decode(&b, header + head, len - head - tail) &&
              string_is(token, b.data == NULL ? "" : b.data, b.len);
    buf_done(&b);
    return is_same;
}

static bool
check_name_header(struct judging *j)
{
    const struct rpc_message *m = j->call->message;
    const char *name = j->headers.name;
    struct view value = { 0 };

    if (j->method == NULL || j->method->named_by == NULL)
        return true;
    if (m->params.data != NULL)
        (void)json_find_member(m->params, j->method->named_by, &value);
    if (name == NULL && value.data == NULL)
        return true; /* the method will say that it is missing */
    if (name == NULL || !mcp_header_is(name, value))
        return refuse(j, MCP_HEADER_MISMATCH,
            "Header mismatch: Mcp-Name must equal the name in the "
            "parameters");
    return true;
}

/*
 * A request without _meta but with the right headers is told about _meta; so
 * that comes first.
 */
static bool (*const modern_checks[])(struct judging *j) = {
    check_meta,
    check_version_header,
    check_version,
    check_method_header,
    check_name_header,
};

static bool
is_modern_sound(struct judging *j)
{
    if (j->headers.doubled != NULL)
        return refuse(j, MCP_HEADER_MISMATCH,
            "Header mismatch: a header of the protocol was sent twice");
    for (size_t i = 0; i < sizeof(modern_checks) / sizeof(modern_checks[0]);
         i++)
        if (!modern_checks[i](j))
            return false;
    return true;
}

/*
 * Who says nothing is served: some clients never send the header.  initialize
 * is where the version is agreed on, in its body.
 */
static bool
is_legacy_sound(struct judging *j)
{
    const char *version = j->headers.version;

    if (j->headers.doubled != NULL)
        return refuse(j, RPC_INVALID_REQUEST,
            "Invalid request: a header of the protocol was sent twice");
    if (version == NULL || strcmp(j->call->message->method, "initialize") == 0)
        return true;
    if (mcp_version_find(version, strlen(version)) == NULL)
        return refuse_version(
            j, view_of(version, strlen(version)), MCP_LEGACY | MCP_MODERN);
    return true;
}

/* --- the request ---------------------------------------------------------- */

/* Nothing is to be answered, and nothing is to be done either. */
static bool
is_sound(struct judging *j)
{
    struct mcp_call *c = j->call;

    headers_read(&j->headers, c->x->request);
    judge_era(j);
    j->method = mcp_method_find(c->message->method, c->era);
    if (c->era == MCP_MODERN && c->message->kind == RPC_REQUEST)
        return is_modern_sound(j);
    return is_legacy_sound(j);
}

static enum metrics_mcp
metric_of(const struct rpc_message *m, const struct mcp_method *method)
{
    if (m->kind != RPC_REQUEST)
        return METRICS_MCP_NOTIFICATION;
    return method != NULL ? method->metric : METRICS_MCP_OTHER;
}

/* A message that was refused has its line as well. */
static void
audit_error(struct mcp_call *c)
{
    struct exchange *x = c->x;

    x->fault_status = (int)x->response->status;
    if (!x->is_audited)
        exchange_audit(x,
            c->error->code == RPC_PARSE_ERROR ? FAULT_JSON : FAULT_REFUSED,
            NULL);
}

static enum fault
answer_error(struct mcp_call *c)
{
    struct http_response *w = c->x->response;
    struct json_writer json;

    buf_done(&w->body);
    buf_init(&w->body, MCP_MAX_BODY);
    json_writer_init(&json, &w->body);
    rpc_put_error(&json, c->message->id, c->error);
    w->status = c->error_status != 0 ? c->error_status
                                     : mcp_error_status(c->error->code, c->era);
    audit_error(c);
    return FAULT_NONE;
}

static enum fault
answer(struct mcp_call *c)
{
    struct judging j = { .call = c };
    struct http_response *w = c->x->response;
    struct mcp_stream stream = { .x = c->x };
    bool is_good = is_sound(&j);
    enum fault fault;

    metrics_count_mcp(metric_of(c->message, j.method));
    if (!is_good)
        return answer_error(c);
    if (c->message->kind != RPC_REQUEST) {
        c->x->is_audited = true;
        w->status = 202;
        w->type = HTTP_TYPE_NONE;
        return FAULT_NONE;
    }
    /* What asks to run code has a line; what was refused has one, too. */
    if (j.method != NULL && !j.method->runs_code)
        c->x->is_audited = true;
    if (j.method != NULL && j.method->runs_code &&
        mcp_stream_init(&stream, c->x, c->meta))
        c->stream = &stream;
    fault = mcp_answer(c, j.method, &w->status);
    if (fault == FAULT_NONE && c->error->code != 0)
        audit_error(c);
    /* An error that came before anything was told is answered plainly. */
    if (fault == FAULT_NONE &&
        (w->is_stream || (c->stream != NULL && c->error->code == 0)))
        fault = mcp_stream_end(&stream);
    c->stream = NULL;
    return fault;
}

enum fault
handle_mcp(struct exchange *x)
{
    struct http_request *r = x->request;
    struct rpc_message message;
    struct rpc_error error;
    struct mcp_call call = {
        .x = x, .message = &message, .era = MCP_LEGACY, .error = &error
    };
    enum fault fault;

    x->fault_status = 200; /* what went wrong with an order is a result */
    rpc_error_init(&error);
    if (rpc_read(view_of(r->body.data, r->body.len), &message, &error))
        fault = answer(&call);
    else
        fault = answer_error(&call);
    rpc_error_done(&error);
    return fault;
}
