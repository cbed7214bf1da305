/*
 * reply - one HTTP/1.1 response of the service, read as it arrives
 *
 *   HEAD ---> BODY (Content-Length, or to the end) ------------> END
 *        \--> SIZE <--> CHUNK, AFTER ---> TRAILER ---------------^
 *
 * HEAD, SIZE, AFTER and TRAILER read lines, the other two take bytes.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "fcgi-app/bridge/reply.h"

enum reply_state {
    REPLY_HEAD,
    REPLY_BODY,
    REPLY_SIZE, /* of the next chunk */
    REPLY_CHUNK,
    REPLY_AFTER, /* the line end that closes a chunk */
    REPLY_TRAILER,
    REPLY_END,
};

void
reply_init(struct reply *r, reply_message *on_message, void *to)
{
    *r = (struct reply){ .on_message = on_message, .to = to };
    buf_init(&r->line, REPLY_MAX_HEAD);
    buf_init(&r->body, REPLY_MAX_BODY);
    buf_init(&r->event, REPLY_MAX_BODY);
}

void
reply_done(struct reply *r)
{
    buf_done(&r->line);
    buf_done(&r->body);
    buf_done(&r->event);
}

/* --- events --------------------------------------------------------------- */

/* One line of a stream, without its end. */
static void
reply_event_line(struct reply *r, struct view line)
{
    if (line.len == 0) {
        if (r->event.len > 0)
            r->on_message(r->to, view_of(r->event.data, r->event.len));
        buf_reset(&r->event);
        return;
    }
    if (line.len < 5 || memcmp(line.data, "data:", 5) != 0)
        return; /* a comment, an id, the name of the event */
    line = view_of(line.data + 5, line.len - 5);
    if (line.len > 0 && line.data[0] == ' ')
        line = view_of(line.data + 1, line.len - 1);
    if (r->event.len > 0)
        buf_addc(&r->event, '\n');
    buf_add(&r->event, line.data, line.len);
}

/* All whole lines of what has arrived; the rest waits. */
static void
reply_events(struct reply *r)
{
    size_t used = 0;
    char *end;

    while (used < r->body.len && (end = memchr(r->body.data + used, '\n',
                                      r->body.len - used)) != NULL) {
        char *line = r->body.data + used;
        size_t len = (size_t)(end - line);

        used += len + 1;
        if (len > 0 && line[len - 1] == '\r')
            len--;
        reply_event_line(r, view_of(line, len));
    }
    buf_eat(&r->body, used);
}

/* --- the head ------------------------------------------------------------- */

static int
reply_status_line(struct reply *r, const char *line)
{
    if (strncmp(line, "HTTP/1.", 7) != 0 || line[7] == '\0' || line[8] != ' ')
        return -EPROTO;
    line += 9;
    for (int i = 0; i < 3; i++)
        if (!isdigit((unsigned char)line[i]))
            return -EPROTO;
    if (line[3] != ' ' && line[3] != '\0')
        return -EPROTO;
    r->status = (unsigned)((line[0] - '0') * 100 + (line[1] - '0') * 10 +
                           (line[2] - '0'));
    return 0;
}

/* Digits of a base up to 16, all of the text up to `end`. */
static int
reply_number(const char *text, unsigned base, const char *ends, uint64_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    size_t len = strcspn(text, ends);
    uint64_t value = 0;

    if (len == 0 || len > 12)
        return -EPROTO;
    for (size_t i = 0; i < len; i++) {
        const char *digit = strchr(digits, tolower((unsigned char)text[i]));

        if (digit == NULL || digit >= digits + base)
            return -EPROTO;
        value = value * base + (uint64_t)(digit - digits);
    }
    *ret = value;
    return 0;
}

static bool
reply_type_is(const char *value, const char *type)
{
    size_t len = strlen(type);

    return strncasecmp(value, type, len) == 0 &&
           (value[len] == '\0' || value[len] == ';' || value[len] == ' ');
}

static int
reply_header(struct reply *r, char *line)
{
    char *value = strchr(line, ':');

    if (value == NULL || value == line)
        return -EPROTO;
    *value++ = '\0';
    value += strspn(value, " \t");
    if (strcasecmp(line, "Content-Length") == 0) {
        r->has_length = true;
        return reply_number(value, 10, " \t", &r->left);
    }
    if (strcasecmp(line, "Transfer-Encoding") == 0) {
        r->is_chunked = true;
        return strcasecmp(value, "chunked") == 0 ? 0 : -EPROTO;
    }
    if (strcasecmp(line, "Content-Type") == 0) {
        r->is_json = reply_type_is(value, "application/json");
        r->is_stream = reply_type_is(value, "text/event-stream");
    }
    return 0;
}

/* --- one step of the drawing above ---------------------------------------- */

static void
reply_finish(struct reply *r)
{
    r->state = REPLY_END;
    r->is_complete = true;
    if (r->is_json && r->body.len > 0)
        r->on_message(r->to, view_of(r->body.data, r->body.len));
}

static void
reply_after_head(struct reply *r)
{
    if (r->is_chunked)
        r->state = REPLY_SIZE;
    else if (r->status == 204 || (r->has_length && r->left == 0))
        reply_finish(r);
    else
        r->state = REPLY_BODY;
}

static int
reply_chunk_size(struct reply *r, const char *line)
{
    int error = reply_number(line, 16, "; \t", &r->left);

    r->state = r->left > 0 ? REPLY_CHUNK : REPLY_TRAILER;
    return error;
}

/* A whole line of the head or around a chunk. */
static int
reply_take_line(struct reply *r, char *line)
{
    switch ((enum reply_state)r->state) {
    case REPLY_HEAD:
        if (r->status == 0)
            return reply_status_line(r, line);
        if (line[0] != '\0')
            return reply_header(r, line);
        reply_after_head(r);
        return 0;
    case REPLY_SIZE:
        return reply_chunk_size(r, line);
    case REPLY_AFTER:
        r->state = REPLY_SIZE;
        return line[0] == '\0' ? 0 : -EPROTO;
    case REPLY_TRAILER:
        if (line[0] == '\0')
            reply_finish(r);
        return 0;
    case REPLY_BODY:
    case REPLY_CHUNK:
    case REPLY_END:
        break;
    }
    return -EPROTO;
}

/* Bytes up to the end of a line; how many were used. */
static size_t
reply_read_line(struct reply *r, const char *bytes, size_t len, int *error)
{
    const char *end = memchr(bytes, '\n', len);
    size_t used = end != NULL ? (size_t)(end - bytes) + 1 : len;

    buf_add(&r->line, bytes, used);
    if (!buf_ok(&r->line)) {
        *error = -EFBIG;
    } else if (end != NULL) {
        r->line.data[--r->line.len] = '\0';
        if (r->line.len > 0 && r->line.data[r->line.len - 1] == '\r')
            r->line.data[--r->line.len] = '\0';
        *error = reply_take_line(r, r->line.data);
        buf_reset(&r->line);
    }
    return used;
}

/* Bytes of the body; how many were used. */
static size_t
reply_read_body(struct reply *r, const char *bytes, size_t len, int *error)
{
    bool is_bounded = r->has_length || r->is_chunked;
    size_t used = is_bounded && r->left < len ? (size_t)r->left : len;

    buf_add(&r->body, bytes, used);
    if (r->is_stream)
        reply_events(r);
    if (!buf_ok(&r->body) || !buf_ok(&r->event))
        *error = -EFBIG;
    r->left -= is_bounded ? used : 0;
    if (*error == 0 && is_bounded && r->left == 0) {
        if (r->is_chunked)
            r->state = REPLY_AFTER;
        else
            reply_finish(r);
    }
    return used;
}

int
reply_feed(struct reply *r, const char *bytes, size_t len)
{
    int error = 0;
    size_t used;

    while (error == 0 && len > 0 && r->state != REPLY_END) {
        if (r->state == REPLY_BODY || r->state == REPLY_CHUNK)
            used = reply_read_body(r, bytes, len, &error);
        else
            used = reply_read_line(r, bytes, len, &error);
        bytes += used;
        len -= used;
    }
    return error;
}

int
reply_end(struct reply *r)
{
    if (r->state == REPLY_BODY && !r->has_length)
        reply_finish(r);
    return r->is_complete ? 0 : -EPROTO;
}
