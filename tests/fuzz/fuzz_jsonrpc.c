/*
 * fuzz_jsonrpc - any headers and any body to POST /mcp
 *
 * The whole of the app but its sandbox: run_order() is a fake that answers
 * with one of the outcomes or faults below, chosen by the first byte of the
 * input.  Then come parameters, one a line, an empty line, and the body.
 *
 * Whatever comes, the answer has a status of the contract; it is one JSON
 * object, or events each of which holds one; the id is the one that was sent,
 * byte by byte; the two forms of a tool's result are the same and stay below
 * what clients cut.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/mcp/mcp_tools.h"
#include "fcgi-app/route.h"
#include "fcgi-app/runs.h"
#include "fcgi-app/warden_link.h"
#include "sandbox/base/log.h"

#define SECRET "fuzz-secret-of-the-tests"
#define MAX_PARAMS 16

/* --- a service without a sandbox ------------------------------------------ */

static unsigned chosen; /* which fake answer */
static struct view hostile; /* bytes of the input, as a box would write them */

static const enum fault fake_faults[] = { FAULT_BUSY, FAULT_QUEUE_TIMEOUT,
    FAULT_SANDBOX, FAULT_AUDIT, FAULT_STOPPING, FAULT_CANCELLED,
    FAULT_INTERNAL };
#define FAULT_KINDS (sizeof(fake_faults) / sizeof(fake_faults[0]))

static struct view
piece(size_t max)
{
    return view_of(hostile.data, hostile.len < max ? hostile.len : max);
}

static void
fake_claim(const struct order *order, struct claim *c)
{
    static const uint32_t kinds[] = { CLAIM_VALUE, CLAIM_ERROR, CLAIM_REFUSED,
        CLAIM_FINDINGS, CLAIM_NONE };
    static const char findings[] = "[{\"line\":1,\"column\":2,\"rule\":\"r\","
                                   "\"message\":\"m\",\"more\":[]},7,null]";

    c->kind = kinds[chosen % 5];
    c->line = chosen;
    c->type = piece(CLAIM_MAX_TYPE);
    c->message = piece(CLAIM_MAX_MESSAGE);
    c->traceback = piece(CLAIM_MAX_DETAIL);
    c->value = chosen & 32 ? view_of(findings, strlen(findings))
                           : piece(order->return_bytes);
    c->flags = chosen & 1 ? CLAIM_VALUE_CUT : 0;
}

enum fault
run_order(struct runs *r, struct run_call *call)
{
    const struct warden_listener *l = call->answer.listener;
    struct outcome *o = &call->answer.outcome;
    struct progress p = { .elapsed_us = chosen, .tail = piece(64) };

    (void)r;
    must(call->order->return_bytes <= 65536);
    if (l != NULL && call->order->progress_ms > 0)
        for (int i = 0; i < 3; i++, p.elapsed_us *= 2)
            if (!l->progress(l->with, &p))
                return FAULT_CANCELLED;
    if (chosen >= 256 - FAULT_KINDS)
        return fake_faults[256 - 1 - chosen];
    o->verdict = chosen & 64 ? chosen % 8 : VERDICT_ENDED;
    o->number = 11;
    o->wall_us = chosen;
    o->stdout_text = piece(call->order->output_bytes);
    o->stderr_text = piece(chosen);
    o->stdout_cut = chosen & 1;
    fake_claim(call->order, &o->claim);
    return FAULT_NONE;
}

void
run_call_init(struct run_call *call)
{
    memset(call, 0, sizeof(*call));
    warden_answer_init(&call->answer);
}

void
run_call_done(struct run_call *call)
{
    warden_answer_done(&call->answer);
}

struct runs *
runs_new(const struct settings *s, struct warden_link *link)
{
    (void)s;
    (void)link;
    return NULL;
}

void
runs_free(struct runs *r)
{
    (void)r;
}

void
runs_stop(struct runs *r)
{
    (void)r;
}

void
runs_count(struct runs *r, unsigned *ret_running, unsigned *ret_queued)
{
    (void)r;
    *ret_running = *ret_queued = 0;
}

bool
warden_link_status(struct warden_link *l, struct status *ret_status)
{
    (void)l;
    memset(ret_status, 0, sizeof(*ret_status));
    memcpy(ret_status->python, "3.11.2", 7);
    return chosen & 1;
}

void
warden_link_free(struct warden_link *l)
{
    (void)l;
}

static struct service *
the_service(void)
{
    static struct service service;
    char token[] = "EXECUTOR_API_TOKEN=" SECRET, audit[] = "AUDIT_LOG=";
    char profiles_[] = "EXECUTOR_PROFILES=restricted,standard";
    char origins[] = "ALLOWED_ORIGINS=https://a.example";
    char *envp[] = { token, audit, profiles_, origins, NULL };
    char problems[512];
    struct config *config;

    if (service.config != NULL)
        return &service;
    log_open("fuzz", LOG_ERROR + 1);
    config = config_load(NULL, envp, problems, sizeof(problems));
    must(config != NULL);
    must(service_init(&service, config) == 0);
    return &service;
}

/* --- what every answer promises ------------------------------------------- */

static void
must_be_object(struct view text)
{
    must(text.len > 0 && text.data[0] == '{');
    must(json_is_value(text, JSON_MAX_DEPTH));
    must(memchr(text.data, '\n', text.len) == NULL);
}

/* {"jsonrpc":"2.0","id":ID, and the id is the one of the request. */
static void
must_have_id(struct view text, struct view body)
{
    static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":";
    struct rpc_message m;
    struct rpc_error e;
    struct view id;

    rpc_error_init(&e);
    (void)rpc_read(body, &m, &e);
    rpc_error_done(&e);
    id = m.id.data != NULL ? m.id : view_of("null", 4);
    must(text.len > sizeof(before) - 1 + id.len);
    must(memcmp(text.data, before, sizeof(before) - 1) == 0);
    must(memcmp(text.data + sizeof(before) - 1, id.data, id.len) == 0);
    must(text.data[sizeof(before) - 1 + id.len] == ',');
}

static void
must_be_tool_result(struct view result)
{
    struct view structured, content, text;
    struct buf plain;

    if (!json_find_member(result, "structuredContent", &structured))
        return;
    must(json_find_member(result, "content", &content));
    must(content.data[0] == '[' && content.len > 2);
    must(json_find_member(
        view_of(content.data + 1, content.len - 2), "text", &text));
    buf_init(&plain, text.len);
    json_unescape(&plain, text);
    must_be_same(&plain, structured);
    buf_done(&plain);
    must(result.len < 50000);
    must(json_find_member(result, "isError", &text));
    must(text.data[0] == 'f' || structured.len < 10000);
}

static void
must_be_answer(struct view text, struct view body)
{
    struct view result, error;

    must_be_object(text);
    must_have_id(text, body);
    must(json_find_member(text, "result", &result) !=
         json_find_member(text, "error", &error));
    if (json_find_member(text, "result", &result))
        must_be_tool_result(result);
}

/* --- one request ---------------------------------------------------------- */

static struct buf told;

static int
take_bytes(void *to, const char *bytes, size_t len)
{
    (void)to;
    buf_add(&told, bytes, len);
    return chosen % 16 == 9 && told.len > 500 ? -EPIPE : 0;
}

static void
must_be_events(struct view body)
{
    static const char before[] = "event: message\ndata: ";
    const char *at, *end = told.data + told.len, *stop;
    size_t head = sizeof(before) - 1;

    must(buf_ok(&told));
    at = memmem(told.data, told.len, "\r\n\r\n", 4);
    must(at != NULL);
    for (at += 4; at < end; at = stop + 2) {
        must((size_t)(end - at) > head && memcmp(at, before, head) == 0);
        at += head;
        stop = memmem(at, (size_t)(end - at), "\n\n", 2);
        must(stop != NULL);
        must_be_object(view_of(at, (size_t)(stop - at)));
        if (stop + 2 == end && chosen % 16 != 9)
            must_be_answer(view_of(at, (size_t)(stop - at)), body);
    }
}

static void
must_be_right(const struct http_response *w, struct view body)
{
    struct view text = view_of(w->body.data, w->body.len);
    struct view detail;

    if (w->is_stream) {
        if (w->status == 200)
            must_be_events(body);
        return;
    }
    switch (w->status) {
    case 0:
        return;
    case 202:
        must(text.len == 0);
        return;
    case 200:
    case 404:
    case 500:
        must_be_answer(text, body);
        return;
    case 400:
        if (json_find_member(text, "detail", &detail))
            return; /* parameters that make no request */
        must_be_answer(text, body);
        return;
    default:
        must(w->status == 401 || w->status == 403 || w->status == 405 ||
             w->status == 413 || w->status == 415);
        must_be_object(text);
    }
}

static long
read_body(void *from, char *bytes, size_t len)
{
    struct view *body = from;
    size_t n = body->len < len ? body->len : len;

    if (n > 0)
        memcpy(bytes, body->data, n);
    body->data += n;
    body->len -= n;
    return (long)n;
}

static void
ask(char **params, struct view body)
{
    struct view left = body;
    struct http_response w;
    struct http_request r;

    buf_init(&told, MCP_MAX_BODY);
    http_request_init(&r, params, -1);
    r.read = read_body;
    r.read_from = &left;
    http_response_init(&w);
    w.send = take_bytes;
    route_handle(the_service(), &r, &w);
    must_be_right(&w, body);
    http_response_done(&w);
    http_request_done(&r);
    buf_done(&told);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char method[] = "REQUEST_METHOD=POST", path[] = "SCRIPT_NAME=/mcp";
    char type[] = "CONTENT_TYPE=application/json", id[] = "REQUEST_ID=r1";
    char token[] = "HTTP_X_EXECUTOR_TOKEN=" SECRET, length[40];
    char *params[MAX_PARAMS + 7] = { method, path, type, id, token, length };
    char *text, *at, *end, *line;
    size_t n = 6;

    if (size == 0)
        return 0;
    chosen = data[0];
    text = malloc(size);
    must(text != NULL);
    memcpy(text, data + 1, size - 1);
    at = text;
    end = text + size - 1;
    hostile = view_of(data, size);
    while (at < end && *at != '\n' && n < MAX_PARAMS + 6) {
        line = memchr(at, '\n', (size_t)(end - at));
        if (line == NULL)
            break;
        *line = '\0';
        if (strncmp(at, "HTTP_", 5) == 0) /* the others are nginx's own */
            params[n++] = at;
        at = line + 1;
    }
    if (at < end && *at == '\n')
        at++;
    (void)snprintf(
        length, sizeof(length), "CONTENT_LENGTH=%zu", (size_t)(end - at));
    ask(params, view_of(at, (size_t)(end - at)));
    free(text);
    return 0;
}
