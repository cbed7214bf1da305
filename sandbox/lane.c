/* lane - one thread of the app, as the warden sees it */
#include "sandbox/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/wire/frame.h"

#define LANE_READ_BYTES 65536

struct lane *
lane_new(int fd, const struct setup *s)
{
    struct lane *l = calloc(1, sizeof(*l));

    if (l == NULL)
        return NULL;
    l->source = (struct source){ .kind = SOURCE_LANE, .fd = fd, .owner = l };
    buf_init(&l->in, FRAME_HEADER_BYTES + order_max_bytes(s));
    /* An outcome, behind a progress that has not all left yet. */
    buf_init(&l->out,
        2 * FRAME_HEADER_BYTES + outcome_max_bytes(s) + progress_max_bytes());
    return l;
}

void
lane_free(struct lane *l)
{
    if (l == NULL)
        return;
    (void)close(l->source.fd);
    buf_done(&l->in);
    buf_done(&l->out);
    free(l);
}

static int
lane_parse(struct lane *l, const struct setup *s)
{
    size_t size;
    int r =
        frame_peek(&l->in, FRAME_ORDER, order_max_bytes(s), &l->packed, &size);

    if (r <= 0)
        return r;
    /* One order at a time: nothing may follow it before its outcome. */
    if (l->in.len != size || order_unpack(l->packed, s, &l->order) < 0)
        return -EPROTO;
    return 1;
}

int
lane_read(struct lane *l, const struct setup *s)
{
    size_t room = l->in.max - l->in.len;
    char *to;
    ssize_t n;

    if (room > LANE_READ_BYTES)
        room = LANE_READ_BYTES;
    if (l->state != LANE_IDLE || room == 0)
        room = 1; /* only its end may come now */
    to = l->state == LANE_IDLE && l->in.len < l->in.max ? buf_room(&l->in, room)
                                                        : &(char){ 0 };
    if (to == NULL)
        return -ENOMEM;
    n = recv(l->source.fd, to, room, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0)
        return -EPIPE;
    if (l->state != LANE_IDLE || l->in.len == l->in.max)
        return -EPROTO;
    buf_grew(&l->in, (size_t)n);
    return lane_parse(l, s);
}

void
lane_put(struct lane *l, const struct outcome *o)
{
    size_t start = frame_begin(&l->out, FRAME_OUTCOME);

    outcome_pack(&l->out, o);
    frame_end(&l->out, start);
    buf_reset(&l->in);
    l->box = NULL;
    l->lost = 0;
    l->state = LANE_TELLING;
}

void
lane_put_progress(struct lane *l, const struct progress *p)
{
    size_t start;

    if (l->out.len > 0)
        return;
    start = frame_begin(&l->out, FRAME_PROGRESS);
    progress_pack(&l->out, p);
    frame_end(&l->out, start);
}

int
lane_send(struct lane *l)
{
    ssize_t n;

    if (!buf_ok(&l->out))
        return -ENOMEM;
    while (l->out.len > 0) {
        n = send(
            l->source.fd, l->out.data, l->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -errno;
        buf_eat(&l->out, (size_t)n);
    }
    if (l->state == LANE_TELLING)
        l->state = LANE_IDLE;
    return 1;
}
