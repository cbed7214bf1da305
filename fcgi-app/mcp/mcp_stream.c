/* mcp_stream - an answer that comes in pieces: progress, then the result */
#include "fcgi-app/mcp/mcp_stream.h"

#include <stdio.h>
#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/json/writer.h"
#include "fcgi-app/mcp/jsonrpc.h"
#include "fcgi-app/route.h"

/* An escape can make six bytes of one. */
#define STREAM_MAX_EVENT (6 * PROGRESS_MAX_TAIL + RPC_MAX_ID + 512)

/* --- who wants one -------------------------------------------------------- */

/* Does the list of media types in Accept name this one, and not with q=0? */
static bool
accept_has(const char *accept, const char *type)
{
    const char *at = strcasestr(accept, type);
    const char *behind, *q;
    size_t len;

    if (at == NULL)
        return false;
    behind = at + strlen(type);
    len = strcspn(behind, ",");
    q = memmem(behind, len, "q=0", 3);
    /* "q=0", "q=0.0": never; "q=0.5": less willingly than others. */
    return q == NULL || strspn(q + 2, "0.") < strcspn(q + 2, ", ;");
}

bool
mcp_stream_init(struct mcp_stream *s, struct exchange *x, struct view meta)
{
    const char *accept = "";

    memset(s, 0, sizeof(*s));
    s->x = x;
    s->last = -1;
    if (x->response->send == NULL || meta.data == NULL ||
        !json_find_member(meta, "progressToken", &s->token) ||
        !rpc_is_id(s->token))
        return false;
    return http_param(x->request, "HTTP_ACCEPT", &accept) == 1 &&
           accept_has(accept, "text/event-stream");
}

/* --- events --------------------------------------------------------------- */

/* JSON text has no line ends, so one data line holds it. */
static bool
stream_send(struct mcp_stream *s, const char *json, size_t len)
{
    struct buf event;

    buf_init(&event, len + 32);
    buf_adds(&event, "event: message\ndata: ");
    buf_add(&event, json, len);
    buf_adds(&event, "\n\n");
    if (s->is_gone || !buf_ok(&event) ||
        http_send(s->x->response, s->x->request, event.data, event.len) != 0)
        s->is_gone = true;
    buf_done(&event);
    return !s->is_gone;
}

bool
mcp_stream_notify(struct mcp_stream *s, const char *method, struct view params)
{
    struct json_writer w;
    struct buf b;
    bool is_there = !s->is_gone;

    buf_init(&b, params.len + RPC_MAX_METHOD + 128);
    json_writer_init(&w, &b);
    json_begin_object(&w);
    json_put_key(&w, "jsonrpc");
    json_put_string(&w, "2.0");
    json_put_key(&w, "method");
    json_put_string(&w, method);
    json_put_key(&w, "params");
    json_put_raw(&w, params.data, params.len);
    json_end_object(&w);
    if (is_there && buf_ok(&b) && s->sent + b.len <= MCP_MAX_STREAM) {
        s->sent += b.len;
        is_there = stream_send(s, b.data, b.len);
    }
    buf_done(&b);
    return is_there;
}

bool
mcp_stream_progress(
    struct mcp_stream *s, double progress, double total, struct view text)
{
    struct json_writer w;
    struct buf b;
    bool is_there;

    if (!(progress > s->last))
        return !s->is_gone;
    s->last = progress;
    buf_init(&b, STREAM_MAX_EVENT);
    json_writer_init(&w, &b);
    json_begin_object(&w);
    json_put_key(&w, "progressToken");
    json_put_raw(&w, s->token.data, s->token.len);
    json_put_key(&w, "progress");
    json_put_double(&w, progress);
    if (total > 0) {
        json_put_key(&w, "total");
        json_put_double(&w, total);
    }
    if (text.len > 0) {
        json_put_key(&w, "message");
        (void)json_put_bytes_cut(&w, text.data, text.len, PROGRESS_MAX_TAIL);
    }
    json_end_object(&w);
    is_there = !buf_ok(&b) || mcp_stream_notify(s, "notifications/progress",
                                  view_of(b.data, b.len));
    buf_done(&b);
    return is_there;
}

enum fault
mcp_stream_end(struct mcp_stream *s)
{
    const struct buf *body = &s->x->response->body;

    return stream_send(s, body->data, body->len) ? FAULT_NONE : FAULT_CANCELLED;
}
