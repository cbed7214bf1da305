/* control - the warden's end of the socket it shares with the app */
#include "sandbox/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/frame.h"

int
control_init(struct control *c, int fd)
{
    c->source = (struct source){ .kind = SOURCE_CONTROL, .fd = fd };
    c->fd_count = 0;
    buf_init(&c->in, 4 * (size_t)SETUP_MAX_BODY);
    return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

int
control_read(struct control *c)
{
    char bytes[SETUP_MAX_BODY];
    int fds[FD_PASS_MAX];
    size_t n_fds = FD_PASS_MAX;
    ssize_t n = fd_pass_recv(c->source.fd, bytes, sizeof(bytes), fds, &n_fds);

    for (size_t i = 0; i < n_fds; i++) {
        if (c->fd_count < CONTROL_MAX_FDS)
            c->fds[c->fd_count++] = fds[i];
        else
            (void)close(fds[i]);
    }
    if (n == 0)
        return -EPIPE;
    if (n < 0)
        return (int)n;
    buf_add(&c->in, bytes, (size_t)n);
    return buf_ok(&c->in) ? 0 : -EPROTO;
}

int
control_read_setup(struct control *c, struct setup *ret_setup)
{
    struct view body = { 0 };
    size_t size = 0;
    int r;

    do {
        r = control_read(c);
        if (r == 0)
            r = frame_peek(&c->in, FRAME_SETUP, SETUP_MAX_BODY, &body, &size);
    } while (r == 0);
    if (r < 0)
        return r;
    r = setup_unpack(body, ret_setup);
    buf_eat(&c->in, size);
    return r;
}

/*
 * Every LANE frame takes one of the descriptors, in order.  A frame without
 * one came when we could hold no more: the kernel has closed that lane, its
 * order is lost to the app, and those under way go on.
 */
int
control_next_lane(struct control *c, int *ret_fd)
{
    struct view body;
    size_t size;
    int r;

    while ((r = frame_peek(&c->in, FRAME_LANE, 0, &body, &size)) > 0) {
        buf_eat(&c->in, size);
        if (c->fd_count > 0) {
            *ret_fd = c->fds[0];
            c->fd_count--;
            memmove(c->fds, c->fds + 1, c->fd_count * sizeof(c->fds[0]));
            return 1;
        }
        log_error("lane without a descriptor: too few of them");
    }
    return r;
}

void
control_send_status(const struct control *c, const struct status *s)
{
    struct buf b;
    size_t start;

    buf_init(&b, FRAME_HEADER_BYTES + STATUS_MAX_BODY);
    start = frame_begin(&b, FRAME_STATUS);
    status_pack(&b, s);
    frame_end(&b, start);
    if (buf_ok(&b))
        (void)!send(c->source.fd, b.data, b.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    buf_done(&b);
}
