/* http - a request after FastCGI, a response being built */
#include "fcgi-app/http.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "fcgi-app/json/writer.h"
#include "sandbox/base/fdio.h"

#define HTTP_READ_BYTES 65536
#define HTTP_MAX_FAULT_BODY 65536

/* Where each string of a request comes from; all set by nginx itself. */
static const struct {
    const char *param;
    size_t field;
} http_strings[] = {
    { "REQUEST_METHOD", offsetof(struct http_request, method) },
    { "SCRIPT_NAME", offsetof(struct http_request, path) },
    { "QUERY_STRING", offsetof(struct http_request, query) },
    { "CONTENT_TYPE", offsetof(struct http_request, content_type) },
    { "REMOTE_ADDR", offsetof(struct http_request, remote_addr) },
};

/*
 * Headers that decide something here or in nginx, which looks at the first of
 * two.  (The token's are auth.c's business: twice is a 401.)
 */
static const char *const http_single_headers[] = {
    "HTTP_CONTENT_TYPE",
    "HTTP_ORIGIN",
};

int
http_param(
    const struct http_request *r, const char *name, const char **ret_value)
{
    size_t len = strlen(name);
    const char *value = NULL;

    for (char **p = r->params; *p != NULL; p++) {
        if (strncmp(*p, name, len) != 0 || (*p)[len] != '=')
            continue;
        if (value != NULL)
            return -EEXIST;
        value = *p + len + 1;
    }
    if (value == NULL)
        return 0;
    *ret_value = value;
    return 1;
}

bool
http_id_is_well_formed(const char *id)
{
    size_t len = strspn(id,
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

    return len >= 1 && len <= HTTP_MAX_ID && id[len] == '\0';
}

static void
http_id_new(char id[HTTP_MAX_ID + 1])
{
    unsigned char bytes[16] = { 0 };

    /* Never short for so few bytes once the kernel is seeded. */
    (void)!getrandom(bytes, sizeof(bytes), 0);
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

static void
http_take_id(struct http_request *r)
{
    const char *id;

    if (http_param(r, "REQUEST_ID", &id) == 1 && http_id_is_well_formed(id))
        memcpy(r->request_id, id, strlen(id) + 1);
    else
        http_id_new(r->request_id);
}

/* Absent and empty are the same: nginx sends the parameter always. */
static void
http_take_length(struct http_request *r)
{
    const char *text = "";
    int found = http_param(r, "CONTENT_LENGTH", &text);

    if (found < 0 ||
        (*text != '\0' && parse_u64(text, INT64_MAX, &r->content_length) != 0))
        r->is_malformed = true;
}

void
http_request_init(struct http_request *r, char **params, int hangup_fd)
{
    memset(r, 0, sizeof(*r));
    r->params = params;
    r->hangup_fd = hangup_fd;
    for (size_t i = 0; i < sizeof(http_strings) / sizeof(http_strings[0]);
         i++) {
        const char *value = "";

        if (http_param(r, http_strings[i].param, &value) < 0)
            r->is_malformed = true;
        memcpy((char *)r + http_strings[i].field, &value, sizeof(value));
    }
    for (size_t i = 0;
         i < sizeof(http_single_headers) / sizeof(http_single_headers[0]);
         i++) {
        const char *value;

        if (http_param(r, http_single_headers[i], &value) < 0)
            r->is_malformed = true;
    }
    http_take_length(r);
    http_take_id(r);
}

void
http_request_done(struct http_request *r)
{
    buf_done(&r->body);
}

/* One more byte than announced is asked for, to see that it is not there. */
enum fault
http_body_read(struct http_request *r, size_t max_bytes)
{
    char *room;
    long n;

    if (r->content_length > max_bytes)
        return FAULT_BODY_SIZE;
    buf_init(&r->body, (size_t)r->content_length + 1);
    do {
        size_t left = r->body.max - r->body.len;

        if (left == 0)
            return FAULT_JSON;
        if (left > HTTP_READ_BYTES)
            left = HTTP_READ_BYTES;
        room = buf_room(&r->body, left);
        if (room == NULL)
            return FAULT_INTERNAL;
        n = r->read(r->read_from, room, left);
        if (n < 0)
            return FAULT_CANCELLED;
        buf_grew(&r->body, (size_t)n);
    } while (n > 0);
    return r->body.len == r->content_length ? FAULT_NONE : FAULT_JSON;
}

bool
http_body_is_json(const struct http_request *r)
{
    static const char type[] = "application/json";
    const char *rest;

    if (strncasecmp(r->content_type, type, strlen(type)) != 0)
        return false;
    rest = r->content_type + strlen(type);
    rest += strspn(rest, " \t");
    return *rest == '\0' || *rest == ';';
}

void
http_response_init(struct http_response *w)
{
    memset(w, 0, sizeof(*w));
    w->status = 200;
    buf_init(&w->body, HTTP_MAX_FAULT_BODY);
}

void
http_response_done(struct http_response *w)
{
    buf_done(&w->body);
}

static void
http_put_hint(struct json_writer *json, const struct http_hint *hint)
{
    if (hint->line != 0) {
        json_put_key(json, "line");
        json_put_int(json, hint->line);
    }
    if (hint->rule_len > 0) {
        json_put_key(json, "rule");
        json_put_bytes(json, hint->rule, hint->rule_len);
    }
    if (hint->text_len > 0) {
        json_put_key(json, "hint");
        json_put_bytes(json, hint->text, hint->text_len);
    }
}

void
http_response_fault(struct http_response *w, const struct http_request *r,
    enum fault fault, const char *detail, const struct http_hint *hint)
{
    const struct fault_row *row = fault_row(fault);
    struct json_writer json;

    if (fault == FAULT_CANCELLED) {
        w->status = 0;
        return;
    }
    if (!row->has_detail || detail == NULL || *detail == '\0')
        detail = row->sentence;
    w->status = (unsigned)row->status;
    w->type = HTTP_TYPE_JSON;
    w->retry_after_s = row->retry_after_s;
    w->has_challenge = row->status == 401;
    buf_done(&w->body);
    buf_init(&w->body, HTTP_MAX_FAULT_BODY);
    json_writer_init(&json, &w->body);
    json_begin_object(&json);
    json_put_key(&json, "detail");
    json_put_string(&json, detail);
    if (fault == FAULT_REFUSED && hint != NULL)
        http_put_hint(&json, hint);
    json_put_key(&json, "request_id");
    json_put_string(&json, r->request_id);
    json_end_object(&json);
}

static const char *
http_reason(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } reasons[] = {
        { 200, "OK" },
        { 202, "Accepted" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 422, "Unprocessable Content" },
        { 429, "Too Many Requests" },
        { 503, "Service Unavailable" },
    };

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Internal Server Error";
}

void
http_response_head(const struct http_response *w, const struct http_request *r,
    struct buf *head)
{
    static const char *const types[] = {
        [HTTP_TYPE_JSON] = "application/json",
        [HTTP_TYPE_METRICS] = "text/plain; version=0.0.4; charset=utf-8",
        [HTTP_TYPE_NONE] = NULL,
        [HTTP_TYPE_EVENTS] = "text/event-stream",
    };

    buf_addf(head, "Status: %u %s\r\n", w->status, http_reason(w->status));
    if (types[w->type] != NULL)
        buf_addf(head, "Content-Type: %s\r\n", types[w->type]);
    if (w->is_stream) /* each event is to leave nginx as it comes */
        buf_adds(head, "X-Accel-Buffering: no\r\n");
    else
        buf_addf(head, "Content-Length: %zu\r\n", w->body.len);
    buf_addf(head, "X-Request-ID: %s\r\n", r->request_id);
    if (w->timing[0] != '\0')
        buf_addf(head, "Server-Timing: %s\r\n", w->timing);
    /*
     * nginx counts refusals by address and answers in our place, maybe late
     * (nginx/glovebox.conf.in).  It would take a Cache-Control over into its
     * answer, which has one already.
     */
    if (w->has_challenge)
        buf_adds(head, "WWW-Authenticate: Bearer\r\n"
                       "X-Accel-Redirect: /_refused\r\n");
    else
        buf_adds(head, "Cache-Control: no-store\r\n");
    if (w->retry_after_s > 0)
        buf_addf(head, "Retry-After: %u\r\n", w->retry_after_s);
    if (w->allow != NULL)
        buf_addf(head, "Allow: %s\r\n", w->allow);
    buf_adds(head, "\r\n");
}

static int
http_send_head(struct http_response *w, const struct http_request *r)
{
    struct buf head;
    int error = -ENOMEM;

    w->is_stream = true;
    w->type = HTTP_TYPE_EVENTS;
    buf_init(&head, HTTP_MAX_HEAD);
    http_response_head(w, r, &head);
    if (buf_ok(&head))
        error = w->send(w->send_to, head.data, head.len);
    buf_done(&head);
    return error;
}

int
http_send(struct http_response *w, const struct http_request *r,
    const char *bytes, size_t len)
{
    int error = 0;

    if (!w->is_stream)
        error = http_send_head(w, r);
    if (error == 0)
        error = w->send(w->send_to, bytes, len);
    return error;
}
