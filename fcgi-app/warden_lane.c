/*
 * warden_lane - one order out, its outcome back
 *
 * The socket is non-blocking, so that sending a large order, waiting and
 * reading are all watched together with the client's connection.
 *
 * The warden is ours, but it reads what hostile boxes wrote; so its bytes are
 * checked as those of a stranger, and it gets a deadline.
 */
#include "fcgi-app/warden_lane.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/wire/frame.h"

#define LANE_READ_BYTES 16384

void
warden_answer_init(struct warden_answer *w)
{
    memset(&w->outcome, 0, sizeof(w->outcome));
    buf_init(&w->frame, 0);
    w->listener = NULL;
}

void
warden_answer_done(struct warden_answer *w)
{
    buf_done(&w->frame);
}

static int
lane_send_end(int control_fd, int far_fd)
{
    struct buf b;
    int error = -ENOMEM;

    buf_init(&b, FRAME_HEADER_BYTES);
    frame_end(&b, frame_begin(&b, FRAME_LANE));
    if (buf_ok(&b))
        error = fd_pass_send(control_fd, b.data, b.len, &far_fd, 1);
    buf_done(&b);
    return error;
}

int
warden_lane_open(int control_fd)
{
    AUTO_FD near_fd = -1;
    AUTO_FD far_fd = -1;
    int fds[2], error = fd_pair(SOCK_STREAM, fds);

    if (error != 0)
        return error;
    near_fd = fds[0];
    far_fd = fds[1];
    error = fd_set_nonblocking(near_fd);
    if (error == 0)
        error = lane_send_end(control_fd, far_fd);
    return error != 0 ? error : take_fd(&near_fd);
}

static int
lane_pack_order(
    const struct setup *setup, const struct order *order, struct buf *out)
{
    size_t start;

    buf_init(out, FRAME_HEADER_BYTES + order_max_bytes(setup));
    start = frame_begin(out, FRAME_ORDER);
    order_pack(out, order);
    frame_end(out, start);
    return buf_ok(out) ? 0 : -ENOMEM;
}

/* As much of `out` as the socket takes: 0 or -errno. */
static int
lane_send(int fd, struct buf *out)
{
    ssize_t n;

    if (out->len == 0)
        return 0;
    n = send(fd, out->data, out->len, MSG_NOSIGNAL);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    buf_eat(out, (size_t)n);
    return 0;
}

/* Tell what stands at the front of `in`: 0, or -errno. */
static int
lane_tell_progress(struct buf *in, const struct warden_listener *listener)
{
    struct progress p;
    struct view body;
    size_t size;
    int found;

    while (frame_is(in, FRAME_PROGRESS)) {
        found =
            frame_peek(in, FRAME_PROGRESS, progress_max_bytes(), &body, &size);
        if (found <= 0)
            return found;
        if (listener == NULL || progress_unpack(body, &p) != 0)
            return -EPROTO; /* nobody asked, or it is none */
        if (!listener->progress(listener->with, &p))
            return -ECANCELED;
        buf_eat(in, size);
    }
    return 0;
}

/* What has come: 1 when `in` holds a whole outcome, 0 for more, or -errno. */
static int
lane_recv(int fd, struct buf *in, const struct warden_listener *listener,
    struct view *ret_body)
{
    size_t size, left = in->max - in->len;
    size_t room = left < LANE_READ_BYTES ? left : LANE_READ_BYTES;
    char *to = buf_room(in, room);
    ssize_t n;
    int found;

    if (to == NULL)
        return -ENOMEM;
    if (room == 0)
        return -EPROTO; /* full, and still no whole frame */
    n = recv(fd, to, room, 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0)
        return -EPIPE;
    buf_grew(in, (size_t)n);
    found = lane_tell_progress(in, listener);
    if (found < 0 || frame_is(in, FRAME_PROGRESS))
        return found;
    found = frame_peek(
        in, FRAME_OUTCOME, in->max - FRAME_HEADER_BYTES, ret_body, &size);
    if (found > 0 && size != in->len)
        return -EPROTO; /* one order, one outcome, nothing after it */
    return found;
}

/* Send `out`, await the outcome in `in`: 0 and *ret_body, or -errno. */
static int
lane_exchange(int fd, int hangup_fd, uint64_t deadline_us, struct buf *out,
    struct warden_answer *answer, struct view *ret_body)
{
    struct pollfd p[] = {
        { .fd = fd },
        { .fd = hangup_fd, .events = POLLRDHUP }, /* only the end, no bytes */
    };
    uint64_t now_us;
    int n, done = lane_send(fd, out);

    while (done == 0) {
        now_us = clock_mono_us();
        if (now_us >= deadline_us)
            return -ETIMEDOUT;
        p[0].events = out->len > 0 ? POLLIN | POLLOUT : POLLIN;
        n = poll(p, 2, (int)((deadline_us - now_us + 999) / 1000));
        if (n <= 0)
            continue;
        if (p[1].revents != 0)
            return -ECANCELED;
        if (p[0].revents & POLLOUT)
            done = lane_send(fd, out);
        if (done == 0 && (p[0].revents & ~POLLOUT))
            done = lane_recv(fd, &answer->frame, answer->listener, ret_body);
    }
    return done > 0 ? 0 : done;
}

int
warden_lane_ask(int lane_fd, const struct setup *setup,
    const struct order *order, int hangup_fd, uint64_t deadline_us,
    struct warden_answer *answer)
{
    struct buf out, *in = &answer->frame;
    struct view body = { 0 };
    int error;

    buf_done(in);
    buf_init(in, FRAME_HEADER_BYTES + outcome_max_bytes(setup));
    error = lane_pack_order(setup, order, &out);
    if (error == 0)
        error =
            lane_exchange(lane_fd, hangup_fd, deadline_us, &out, answer, &body);
    buf_done(&out);
    if (error == 0 && outcome_unpack(body, setup, &answer->outcome) != 0)
        error = -EPROTO;
    return error;
}
