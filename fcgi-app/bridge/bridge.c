/*
 * bridge - JSON-RPC on two pipes, carried to the service's /mcp
 *
 * One thread, one poll().  A call is a message under way on a connection of
 * its own; its state is what poll() is asked about: a connection being made
 * or a request being sent (POLLOUT), or a reply being read (POLLIN).
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "fcgi-app/bridge/bridge.h"
#include "fcgi-app/bridge/reply.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/json/writer.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"

#define BRIDGE_READ (64u << 10)
/* JSON-RPC's own codes, for what the bridge says by itself. */
#define BRIDGE_NOT_JSON (-32700)
#define BRIDGE_NOT_A_REQUEST (-32600)
#define BRIDGE_FAILED (-32603)

struct bridge_call {
    bool is_used;
    bool is_owed; /* an answer */
    bool is_answered;
    bool is_initialize;
    struct bridge *bridge;
    struct buf id; /* as the client wrote it */
    struct buf out; /* the HTTP request */
    size_t sent;
    int fd;
    const struct addrinfo *address; /* the one being tried */
    struct reply reply;
    uint64_t heard_us; /* of the service, last */
};

struct bridge {
    struct endpoint *endpoint;
    const struct bridge_options *options;
    struct buf in;
    size_t searched; /* of `in`, for the end of a line */
    bool is_skipping; /* the rest of a line that is too long */
    bool has_ended; /* nothing more comes in */
    int out_error; /* 0, or why nothing more goes out */
    struct bridge_call calls[BRIDGE_MAX_CALLS];
};

/* --- out ------------------------------------------------------------------ */

/* JSON has no line ends inside its strings: leaving them out changes nothing.
 */
static void
bridge_say(struct bridge *b, struct view json)
{
    struct buf line;
    int error;

    buf_init(&line, json.len + 1);
    for (size_t i = 0; i < json.len; i++)
        if (json.data[i] != '\n' && json.data[i] != '\r')
            buf_addc(&line, json.data[i]);
    buf_addc(&line, '\n');
    error = buf_ok(&line)
                ? fd_write_all(b->options->out_fd, line.data, line.len)
                : -ENOMEM;
    if (error != 0 && b->out_error == 0)
        b->out_error = error;
    buf_done(&line);
}

static void
bridge_note(const char *what, const char *detail)
{
    (void)fprintf(stderr, "gloveboxctl mcp: %s: %s\n", what, detail);
}

/* An error of the bridge's own; `status` of HTTP, or 0. */
static void
bridge_say_error(struct bridge *b, struct view id, int64_t code,
    const char *message, unsigned status)
{
    struct json_writer w;
    struct buf text;

    buf_init(&text, 16384 + 2 * id.len);
    json_writer_init(&w, &text);
    json_begin_object(&w);
    json_put_key(&w, "jsonrpc");
    json_put_string(&w, "2.0");
    json_put_key(&w, "id");
    json_put_raw(&w, id.data, id.len);
    json_put_key(&w, "error");
    json_begin_object(&w);
    json_put_key(&w, "code");
    json_put_int(&w, code);
    json_put_key(&w, "message");
    json_put_string(&w, message);
    if (status != 0) {
        json_put_key(&w, "data");
        json_begin_object(&w);
        json_put_key(&w, "status");
        json_put_uint(&w, status);
        json_end_object(&w);
    }
    json_end_object(&w);
    json_end_object(&w);
    if (buf_ok(&text))
        bridge_say(b, view_of(text.data, text.len));
    buf_done(&text);
}

/* --- a call --------------------------------------------------------------- */

static struct view
call_id(const struct bridge_call *c)
{
    return view_of(c->id.data, c->id.len);
}

static void
call_close(struct bridge_call *c)
{
    if (c->fd >= 0)
        (void)close(c->fd);
    reply_done(&c->reply);
    buf_done(&c->id);
    buf_done(&c->out);
    *c = (struct bridge_call){ .fd = -1 };
}

/* Ends a call that went wrong before its answer. */
static void
call_fail(struct bridge_call *c, const char *why)
{
    char message[1024];

    (void)snprintf(message, sizeof(message), "The service at %s %s",
        c->bridge->endpoint->url, why);
    if (c->is_owed && !c->is_answered)
        bridge_say_error(
            c->bridge, call_id(c), BRIDGE_FAILED, message, c->reply.status);
    else if (!c->is_answered)
        bridge_note("a notification was lost", message);
    call_close(c);
}

static bool
is_same(struct view a, struct view b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* The answer to `initialize` says which version to speak from now on. */
static void
call_note_version(const struct bridge_call *c, struct view json)
{
    struct endpoint *e = c->bridge->endpoint;
    struct view result, version;

    if (!json_find_member(json, "result", &result) ||
        !json_find_member(result, "protocolVersion", &version) ||
        version.len < 3 || version.len - 2 >= sizeof(e->version))
        return;
    for (size_t i = 1; i < version.len - 1; i++)
        if (strchr("0123456789-", version.data[i]) == NULL)
            return;
    memcpy(e->version, version.data + 1, version.len - 2);
    e->version[version.len - 2] = '\0';
}

/* A message of the service: an event of a stream, or the whole body. */
static void
call_on_message(void *to, struct view json)
{
    struct bridge_call *c = to;
    struct view id, other;

    if (c->reply.status / 100 != 2 || !c->is_owed || c->is_answered)
        return; /* call_finish() makes something of a refusal */
    if (!json_is_value(json, JSON_MAX_DEPTH)) {
        bridge_note("left out", "an answer of the service that is no JSON");
        return;
    }
    if (json_find_member(json, "id", &id) && is_same(id, call_id(c)) &&
        !json_find_member(json, "method", &other)) {
        c->is_answered = true;
        if (c->is_initialize)
            call_note_version(c, json);
    }
    bridge_say(c->bridge, json);
}

/* A string member of an object of the service's, fit to be shown. */
static bool
find_text(struct view object, const char *key, char room[512])
{
    struct view token;
    struct buf text;

    if (!json_find_member(object, key, &token) || token.data[0] != '"')
        return false;
    buf_init(&text, token.len + 1);
    json_unescape(&text, token);
    (void)utf8_safe(room, 512, text.len > 0 ? text.data : "", text.len);
    buf_done(&text);
    return true;
}

/*
 * The service refused.  A JSON-RPC error for this very request is passed on;
 * of any other refusal the sentence is kept and put under the right id.
 */
static void
call_refused(struct bridge_call *c)
{
    struct view body = view_of(
        c->reply.body.len > 0 ? c->reply.body.data : "", c->reply.body.len);
    struct view error, id, code;
    char sentence[512] = "", message[600];
    int64_t number = BRIDGE_FAILED;

    if (json_is_value(body, JSON_MAX_DEPTH)) {
        if (!json_find_member(body, "error", &error))
            (void)find_text(body, "detail", sentence);
        else if (json_find_member(body, "id", &id) && is_same(id, call_id(c))) {
            bridge_say(c->bridge, body);
            return;
        } else {
            (void)find_text(error, "message", sentence);
            if (json_find_member(error, "code", &code))
                number = strtoll(code.data, NULL, 10);
        }
    }
    (void)snprintf(message, sizeof(message), "The service answered HTTP %u%s%s",
        c->reply.status, sentence[0] != '\0' ? ": " : "", sentence);
    bridge_say_error(c->bridge, call_id(c), number, message, c->reply.status);
}

/* The reply is complete. */
static void
call_finish(struct bridge_call *c)
{
    char status[64];
    bool is_refused = c->reply.status / 100 != 2;

    (void)snprintf(status, sizeof(status), "answered HTTP %u%s",
        c->reply.status, is_refused ? "" : " without an answer");
    if (is_refused && c->is_owed) {
        call_refused(c);
        c->is_answered = true;
    }
    if (!is_refused && !c->is_owed)
        c->is_answered = true;
    if (c->is_answered)
        call_close(c);
    else
        call_fail(c, status);
}

/* Try the next address; false when there is none that answers. */
static bool
call_connect(struct bridge_call *c, int *error)
{
    for (; c->address != NULL; c->address = c->address->ai_next) {
        c->fd = socket(c->address->ai_family,
            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (c->fd < 0) {
            *error = errno;
            continue;
        }
        if (connect(c->fd, c->address->ai_addr, c->address->ai_addrlen) == 0 ||
            errno == EINPROGRESS)
            return true;
        *error = errno;
        (void)close(c->fd);
        c->fd = -1;
    }
    return false;
}

static void
call_unreachable(struct bridge_call *c, int error)
{
    char why[256];

    (void)snprintf(why, sizeof(why), "cannot be reached: %s", strerror(error));
    call_fail(c, why);
}

static void
call_send(struct bridge_call *c)
{
    ssize_t n;
    int error = 0;
    socklen_t len = sizeof(error);

    if (c->sent == 0 &&
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 &&
        error != 0) {
        (void)close(c->fd);
        c->fd = -1;
        c->address = c->address->ai_next;
        if (!call_connect(c, &error))
            call_unreachable(c, error);
        return;
    }
    n = send(c->fd, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);
    if (n >= 0) {
        c->sent += (size_t)n;
    } else if (errno != EAGAIN && errno != EINTR) {
        /* It may have answered (413) and closed: that is worth reading. */
        c->sent = c->out.len;
    }
}

static void
call_receive(struct bridge_call *c)
{
    char bytes[BRIDGE_READ];
    ssize_t n = recv(c->fd, bytes, sizeof(bytes), 0);
    int error;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0)
        error = reply_feed(&c->reply, bytes, (size_t)n);
    else
        error = reply_end(&c->reply);
    if (c->reply.is_complete)
        call_finish(c);
    else if (error == -EFBIG)
        call_fail(c, "gives a longer answer than the bridge takes");
    else if (error != 0)
        call_fail(c, n > 0 ? "does not speak HTTP/1.1" : "broke off");
}

/* --- in ------------------------------------------------------------------- */

static struct bridge_call *
bridge_free_call(struct bridge *b)
{
    for (size_t i = 0; i < BRIDGE_MAX_CALLS; i++)
        if (!b->calls[i].is_used)
            return &b->calls[i];
    return NULL;
}

static void
bridge_call(struct bridge *b, const struct message *m)
{
    struct bridge_call *c = bridge_free_call(b);
    bool is_owed = m->kind == MESSAGE_REQUEST;
    int error = ENOMEM;

    if (c == NULL && is_owed)
        bridge_say_error(b, m->id, BRIDGE_FAILED,
            "Too many requests under way at once; retry later", 0);
    else if (c == NULL)
        bridge_note("a notification was lost", "too many requests under way");
    if (c == NULL)
        return;
    *c = (struct bridge_call){ .is_used = true,
        .is_owed = is_owed,
        .is_initialize = message_is(m, "initialize"),
        .bridge = b,
        .fd = -1,
        .address = b->endpoint->addresses,
        .heard_us = clock_mono_us() };
    reply_init(&c->reply, call_on_message, c);
    buf_init(&c->id, m->id.len);
    buf_add(&c->id, m->id.data, m->id.len);
    buf_init(&c->out, 16384 + 4 * m->text.len);
    endpoint_request(b->endpoint, m, &c->out);
    if (!buf_ok(&c->out) || !call_connect(c, &error))
        call_unreachable(c, error);
}

/* The run behind a request that nobody waits for ends with its connection. */
static void
bridge_cancel(struct bridge *b, struct view id)
{
    for (size_t i = 0; i < BRIDGE_MAX_CALLS; i++)
        if (b->calls[i].is_used && b->calls[i].is_owed &&
            is_same(call_id(&b->calls[i]), id))
            call_close(&b->calls[i]);
}

static void
bridge_line(struct bridge *b, struct view line)
{
    struct message m;
    struct view id;

    if (line.len > 0 && line.data[line.len - 1] == '\r')
        line.len--;
    if (line.len == 0)
        return;
    message_read(&m, line);
    if (m.kind == MESSAGE_NOT_JSON)
        bridge_say_error(b, m.id, BRIDGE_NOT_JSON, "Not JSON", 0);
    else if (m.kind == MESSAGE_NOT_ONE)
        bridge_say_error(b, m.id, BRIDGE_NOT_A_REQUEST,
            "One message a line; batches are not served", 0);
    else if (message_cancels(&m, &id))
        bridge_cancel(b, id);
    else
        bridge_call(b, &m);
}

/* The line is too long to be kept; what follows it is not lost. */
static void
bridge_skip(struct bridge *b)
{
    char message[80];

    if (!b->is_skipping) {
        (void)snprintf(message, sizeof(message),
            "A message must not be longer than %u bytes", BRIDGE_MAX_LINE);
        bridge_say_error(
            b, view_of("null", 4), BRIDGE_NOT_A_REQUEST, message, 0);
    }
    b->is_skipping = true;
    buf_reset(&b->in);
    b->searched = 0;
}

static void
bridge_lines(struct bridge *b)
{
    size_t used = 0;
    char *end;

    while (
        b->searched < b->in.len && (end = memchr(b->in.data + b->searched, '\n',
                                        b->in.len - b->searched)) != NULL) {
        size_t len = (size_t)(end - b->in.data) - used;

        *end = '\0';
        if (!b->is_skipping)
            bridge_line(b, view_of(b->in.data + used, len));
        b->is_skipping = false;
        used += len + 1;
        b->searched = used;
    }
    buf_eat(&b->in, used);
    b->searched = b->in.len;
    if (b->in.len > BRIDGE_MAX_LINE || (b->is_skipping && b->in.len > 0))
        bridge_skip(b);
}

static int
bridge_read(struct bridge *b)
{
    char *room = buf_room(&b->in, BRIDGE_READ);
    ssize_t n;

    if (room == NULL)
        return -ENOMEM;
    n = read(b->options->in_fd, room, BRIDGE_READ);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : -errno;
    buf_grew(&b->in, (size_t)n);
    if (n == 0) {
        b->has_ended = true;
        if (b->in.len > 0) /* a last line without its end */
            buf_addc(&b->in, '\n');
    }
    bridge_lines(b);
    return 0;
}

/* --- the loop ------------------------------------------------------------- */

/* What to ask poll(): the two pipes, then one for each call; how many calls. */
static size_t
bridge_ask(struct bridge *b, struct pollfd fds[2 + BRIDGE_MAX_CALLS])
{
    size_t under_way = 0;

    fds[0] = (struct pollfd){ .fd = b->has_ended ? -1 : b->options->in_fd,
        .events = POLLIN };
    /* Asked for nothing, it tells only that the reader is gone. */
    fds[1] = (struct pollfd){ .fd = b->options->out_fd };
    for (size_t i = 0; i < BRIDGE_MAX_CALLS; i++) {
        struct bridge_call *c = &b->calls[i];

        fds[2 + i] = (struct pollfd){ .fd = c->fd,
            .events = c->sent < c->out.len ? POLLIN | POLLOUT : POLLIN };
        under_way += c->is_used;
    }
    return under_way;
}

static void
bridge_serve(struct bridge *b, const struct pollfd *fds)
{
    uint64_t silence_us = (uint64_t)b->options->silence_ms * 1000;

    for (size_t i = 0; i < BRIDGE_MAX_CALLS; i++) {
        struct bridge_call *c = &b->calls[i];

        if (!c->is_used || c->fd != fds[i].fd)
            continue; /* over, or newer than the question */
        if (fds[i].revents != 0)
            c->heard_us = clock_mono_us();
        if (c->sent > 0 && (fds[i].revents & POLLIN))
            c->sent = c->out.len; /* an early answer (413): no use going on */
        if (c->sent < c->out.len && fds[i].revents != 0)
            call_send(c);
        else if (fds[i].revents != 0)
            call_receive(c);
        else if (clock_mono_us() - c->heard_us > silence_us)
            call_fail(c, "says nothing");
    }
}

static int
bridge_loop(struct bridge *b)
{
    struct pollfd fds[2 + BRIDGE_MAX_CALLS];
    size_t under_way;
    int n, error = 0;

    while (error == 0 && b->out_error == 0) {
        under_way = bridge_ask(b, fds);
        if (under_way == 0 && b->has_ended)
            return 0;
        n = poll(fds, 2 + BRIDGE_MAX_CALLS, under_way > 0 ? 250 : -1);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n < 0)
            continue;
        if (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL))
            return 0;
        bridge_serve(b, fds + 2);
        if (fds[0].revents != 0)
            error = bridge_read(b);
    }
    return b->out_error == -EPIPE ? 0 : error != 0 ? error : b->out_error;
}

int
bridge_run(struct endpoint *e, const struct bridge_options *o)
{
    struct bridge *b = calloc(1, sizeof(*b));
    int error;

    if (b == NULL)
        return -ENOMEM;
    b->endpoint = e;
    b->options = o;
    buf_init(&b->in, BRIDGE_MAX_LINE + 2 * BRIDGE_READ);
    for (size_t i = 0; i < BRIDGE_MAX_CALLS; i++)
        b->calls[i].fd = -1;
    error = bridge_loop(b);
    for (size_t i = 0; i < BRIDGE_MAX_CALLS; i++)
        call_close(&b->calls[i]);
    buf_done(&b->in);
    free(b);
    return error;
}
