/*
 * fuzz_lane - both ends of a lane, when the far end sends anything
 *
 * The first byte says which end reads (the warden an order, the app an
 * outcome) and where the stream is cut into two sends.  What is refused must
 * be refused with -EPROTO or at the end with -EPIPE; what is taken must lie in
 * its bounds.  Half of the orders ask to be told of their progress.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fcgi-app/warden_lane.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/lane.h"

#define MAX_STREAM 16384 /* fits a socket's buffer, so that nothing waits */

static const struct setup bounds = {
    .wall_ms = 2000,
    .cpu_ms = 1000,
    .memory_bytes = (uint64_t)5 << 32,
    .code_bytes = 64,
    .context_bytes = 32,
    .stdin_bytes = 16,
    .output_bytes = 100,
    .return_bytes = 200,
};

static void
put(int fd, const uint8_t *data, size_t size)
{
    if (size > 0)
        must(send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size);
}

/* In two sends, as a stream comes; then the end. */
static void
warden_reads(int fds[2], const uint8_t *data, size_t size, size_t cut)
{
    struct lane *l = lane_new(fds[0], &bounds);
    int r;

    must(l != NULL);
    put(fds[1], data, cut);
    r = cut > 0 ? lane_read(l, &bounds) : 0;
    if (r == 0) {
        put(fds[1], data + cut, size - cut);
        must(shutdown(fds[1], SHUT_WR) == 0);
        while (r == 0)
            r = lane_read(l, &bounds);
    }
    must(r == 1 || r == -EPROTO || r == -EPIPE);
    if (r == 1) {
        struct view in = view_of(l->in.data, l->in.len);

        must_lie_within(l->packed, in, order_max_bytes(&bounds));
        must_lie_within(l->order.code, in, bounds.code_bytes);
        must_lie_within(l->order.context, in, bounds.context_bytes);
        must_lie_within(l->order.stdin_text, in, bounds.stdin_bytes);
    }
    lane_free(l);
}

static bool
on_progress(void *with, const struct progress *p)
{
    size_t *count = with;

    must(p->tail.len <= PROGRESS_MAX_TAIL);
    for (size_t i = 0; i < p->tail.len; i++) /* all of it can be read */
        *count += (unsigned char)p->tail.data[i];
    return ++*count % 64 != 0;
}

static void
app_reads(int fds[2], const uint8_t *data, size_t size, size_t cut)
{
    struct order o = { .kind = ORDER_RUN, .code = view_of("1", 1) };
    size_t count = 0;
    struct warden_listener listener = { on_progress, &count };
    struct warden_answer a;
    int r;

    must(fd_set_nonblocking(fds[0]) == 0);
    warden_answer_init(&a);
    if (cut % 2 == 0)
        a.listener = &listener;
    put(fds[1], data, cut);
    put(fds[1], data + cut, size - cut);
    must(shutdown(fds[1], SHUT_WR) == 0);
    r = warden_lane_ask(
        fds[0], &bounds, &o, -1, clock_mono_us() + 60000000, &a);
    must(r == 0 || r == -EPROTO || r == -EPIPE || r == -ECANCELED);
    if (r == 0) {
        struct view in = view_of(a.frame.data, a.frame.len);

        must_lie_within(a.outcome.stdout_text, in, bounds.output_bytes);
        must_lie_within(a.outcome.stderr_text, in, bounds.output_bytes);
        must_lie_within(a.outcome.claim.value, in, bounds.return_bytes);
    }
    warden_answer_done(&a);
    (void)close(fds[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t cut;
    int fds[2];

    if (size == 0 || size > MAX_STREAM)
        return 0;
    cut = data[0] >> 1;
    if (cut > size - 1)
        cut = size - 1;
    must(fd_pair(SOCK_STREAM, fds) == 0);
    if (data[0] & 1)
        warden_reads(fds, data + 1, size - 1, cut);
    else
        app_reads(fds, data + 1, size - 1, cut);
    (void)close(fds[1]);
    return 0;
}
