/* fake_warden - a warden for tests of the app: no boxes, only frames */
#include "tests/unit/fake_warden.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "sandbox/wire/frame.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/outcome.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/progress.h"
#include "sandbox/wire/status.h"

struct fake_lane {
    struct fake_warden *w;
    int fd;
    int warden; /* which one it belongs to, from 1 */
    struct setup setup;
};

struct setup
fake_warden_setup(void)
{
    return (struct setup){
        .profiles = (1u << PROFILE_RESTRICTED) | (1u << PROFILE_STANDARD),
        .parked = 1,
        .wall_ms = 2000,
        .cpu_ms = 1000,
        .memory_bytes = 64u << 20,
        .code_bytes = 10000,
        .context_bytes = 1u << 20,
        .stdin_bytes = 1u << 20,
        .output_bytes = 65536,
        .return_bytes = 65536,
        .ast_nodes = 5000,
    };
}

/* Shut down, not closed: closing is each owner's. */
void
fake_warden_kill(struct fake_warden *w)
{
    (void)pthread_mutex_lock(&w->lock);
    if (w->control_fd >= 0)
        (void)shutdown(w->control_fd, SHUT_RDWR);
    for (int i = 0; i < FAKE_MAX_LANES; i++)
        if (w->lane_fds[i] >= 0)
            (void)shutdown(w->lane_fds[i], SHUT_RDWR);
    (void)pthread_mutex_unlock(&w->lock);
}

static void
fake_send(int fd, enum frame_type type, const struct outcome *o,
    const struct status *s)
{
    struct buf b;
    size_t start;

    buf_init(&b, 1u << 20);
    start = frame_begin(&b, type);
    if (o != NULL)
        outcome_pack(&b, o);
    if (s != NULL)
        status_pack(&b, s);
    frame_end(&b, start);
    (void)fd_write_all(fd, b.data, b.len);
    buf_done(&b);
}

static bool
fake_is(const struct order *o, const char *code)
{
    return o->code.len == strlen(code) &&
           memcmp(o->code.data, code, o->code.len) == 0;
}

static void
fake_await_end(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLRDHUP };

    (void)poll(&p, 1, 10000);
}

/* Two of them in one piece, the second with a tail. */
static void
fake_tell_progress(int fd)
{
    struct progress p = { .elapsed_us = 1000000 };
    struct buf b;

    buf_init(&b, 4096);
    for (int i = 0; i < 2; i++) {
        size_t start = frame_begin(&b, FRAME_PROGRESS);

        progress_pack(&b, &p);
        frame_end(&b, start);
        p.elapsed_us += 1000000;
        p.out_len = 6;
        p.tail = view_of("hello\n", 6);
    }
    (void)fd_write_all(fd, b.data, b.len);
    buf_done(&b);
}

static void
fake_answer(struct fake_lane *l, const struct order *order)
{
    struct outcome o = { .verdict = VERDICT_ENDED,
        .wall_us = 1500,
        .cpu_us = 1200,
        .memory_bytes = 3u << 20 };

    o.claim.kind = CLAIM_VALUE;
    o.claim.value = view_of("285", 3);
    o.stdout_text = view_of("hello\n", 6);
    if (fake_is(order, "not started")) {
        o = (struct outcome){ .verdict = VERDICT_NOT_STARTED };
        o.reason = view_of("step", 4);
    }
    if (fake_is(order, "unasked progress") || order->progress_ms > 0)
        fake_tell_progress(l->fd);
    if (fake_is(order, "slow"))
        (void)poll(NULL, 0, 300);
    fake_send(l->fd, FRAME_OUTCOME, &o, NULL);
}

static void
fake_on_order(struct fake_lane *l, const struct order *order)
{
    atomic_fetch_add(&l->w->orders, 1);
    if (fake_is(order, "die") || (fake_is(order, "die once") && l->warden == 1))
        fake_warden_kill(l->w);
    else if (fake_is(order, "garbage"))
        (void)fd_write_all(l->fd, "this is not a frame", 19);
    else if (fake_is(order, "hang")) {
        fake_await_end(l->fd);
        atomic_fetch_add(&l->w->cancelled, 1);
    } else
        fake_answer(l, order);
}

/* The next whole frame of `type` in `in`, read from `fd`; false at the end. */
static bool
fake_read(int fd, struct buf *in, enum frame_type type, struct view *ret_body,
    size_t *ret_size)
{
    int found;

    while ((found = frame_peek(in, type, in->max, ret_body, ret_size)) == 0) {
        char *to = buf_room(in, 4096);
        ssize_t n = to != NULL ? read(fd, to, 4096) : -1;

        if (n <= 0)
            return false;
        buf_grew(in, (size_t)n);
    }
    return found > 0;
}

static void
fake_keep_lane(struct fake_warden *w, int old, int new)
{
    (void)pthread_mutex_lock(&w->lock);
    for (int i = 0; i < FAKE_MAX_LANES; i++)
        if (w->lane_fds[i] == old) {
            w->lane_fds[i] = new;
            break;
        }
    (void)pthread_mutex_unlock(&w->lock);
}

static void *
fake_lane_main(void *arg)
{
    struct fake_lane *l = arg;
    struct order order;
    struct view body;
    struct buf in;
    size_t size;

    buf_init(&in, 4u << 20);
    while (fake_read(l->fd, &in, FRAME_ORDER, &body, &size)) {
        if (order_unpack(body, &l->setup, &order) != 0)
            break;
        fake_on_order(l, &order);
        buf_eat(&in, size);
    }
    buf_done(&in);
    fake_keep_lane(l->w, l->fd, -1);
    (void)close(l->fd);
    atomic_fetch_sub(&l->w->workers, 1);
    free(l);
    return NULL;
}

static void
fake_spawn(struct fake_warden *w, void *(*run)(void *), void *arg)
{
    pthread_t thread;

    atomic_fetch_add(&w->workers, 1);
    if (pthread_create(&thread, NULL, run, arg) != 0)
        abort();
    (void)pthread_detach(thread);
}

static void
fake_add_lane(struct fake_warden *w, int fd, int warden, struct setup *setup)
{
    struct fake_lane *l = calloc(1, sizeof(*l));

    if (l == NULL)
        abort();
    *l = (struct fake_lane){
        .w = w, .fd = fd, .warden = warden, .setup = *setup
    };
    atomic_fetch_add(&w->lanes, 1);
    fake_keep_lane(w, -1, fd);
    fake_spawn(w, fake_lane_main, l);
}

static void
fake_send_status(int fd)
{
    struct status s = { .is_ready = 1, .python = "3.11.2" };

    s.layer_count = 2;
    memcpy(s.layers[0].name, "seccomp", 8);
    s.layers[0].is_on = 1;
    memcpy(s.layers[1].name, "landlock", 9);
    s.profile_count = PROFILE_COUNT;
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        size_t len = strlen(profiles[i].name);

        memcpy(s.profiles[i].name, profiles[i].name, len + 1);
        s.profiles[i].is_ready = 1;
        s.profiles[i].forks = 7;
    }
    fake_send(fd, FRAME_STATUS, NULL, &s);
}

struct fake_control {
    struct fake_warden *w;
    int fd;
    int warden;
};

static void
fake_serve_control(struct fake_control *c, struct setup *setup)
{
    char frame[FRAME_HEADER_BYTES];
    int fds[FD_PASS_MAX];

    for (;;) {
        size_t n = FD_PASS_MAX;

        if (fd_pass_recv(c->fd, frame, sizeof(frame), fds, &n) <= 0)
            return;
        for (size_t i = 0; i < n; i++)
            fake_add_lane(c->w, fds[i], c->warden, setup);
    }
}

static void *
fake_control_main(void *arg)
{
    struct fake_control *c = arg;
    struct setup setup;
    struct view body;
    struct buf in;
    size_t size;

    buf_init(&in, FRAME_HEADER_BYTES + SETUP_MAX_BODY);
    if (!atomic_load(&c->w->is_mortal) &&
        fake_read(c->fd, &in, FRAME_SETUP, &body, &size) &&
        setup_unpack(body, &setup) == 0) {
        if (!atomic_load(&c->w->is_mute))
            fake_send_status(c->fd);
        fake_serve_control(c, &setup);
    }
    buf_done(&in);
    (void)pthread_mutex_lock(&c->w->lock);
    if (c->w->control_fd == c->fd)
        c->w->control_fd = -1;
    (void)close(c->fd);
    (void)pthread_mutex_unlock(&c->w->lock);
    atomic_fetch_sub(&c->w->workers, 1);
    free(c);
    return NULL;
}

static void
fake_start_warden(struct fake_warden *w, int fd)
{
    struct fake_control *c = calloc(1, sizeof(*c));
    int32_t pid = 1;

    if (c == NULL)
        abort();
    c->w = w;
    c->fd = fd;
    c->warden = atomic_fetch_add(&w->starts, 1) + 1;
    (void)pthread_mutex_lock(&w->lock);
    w->control_fd = fd;
    (void)pthread_mutex_unlock(&w->lock);
    (void)fd_write_all(w->far_fd, &pid, sizeof(pid));
    fake_spawn(w, fake_control_main, c);
}

/* In the place of spawner.c. */
static void *
fake_spawner_main(void *arg)
{
    struct fake_warden *w = arg;
    int fds[FD_PASS_MAX];
    char verb;

    for (;;) {
        size_t n = FD_PASS_MAX;

        if (fd_pass_recv(w->far_fd, &verb, 1, fds, &n) <= 0)
            return NULL;
        if (n == 1)
            fake_start_warden(w, fds[0]);
    }
}

void
fake_warden_start(struct fake_warden *w)
{
    int fds[2];

    memset(w, 0, sizeof(*w));
    if (fd_pair(SOCK_STREAM, fds) != 0)
        abort();
    w->spawner_fd = fds[0];
    w->far_fd = fds[1];
    w->control_fd = -1;
    for (int i = 0; i < FAKE_MAX_LANES; i++)
        w->lane_fds[i] = -1;
    (void)pthread_mutex_init(&w->lock, NULL);
    if (pthread_create(&w->thread, NULL, fake_spawner_main, w) != 0)
        abort();
}

void
fake_warden_stop(struct fake_warden *w)
{
    (void)shutdown(w->far_fd, SHUT_RDWR);
    (void)pthread_join(w->thread, NULL);
    fake_warden_kill(w);
    while (atomic_load(&w->workers) > 0)
        (void)poll(NULL, 0, 1);
    (void)close(w->far_fd);
}
