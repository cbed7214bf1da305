/* client - a warden of one's own, without the app */
#include "tests/support/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/warden.h"
#include "sandbox/wire/frame.h"

#ifndef CLIENT_PROGRAM
#define CLIENT_PROGRAM "build/release/glovebox-sandbox"
#endif

struct setup
client_setup(void)
{
    return (struct setup){
        .start = SETUP_START_TEMPLATE,
        .log_level = LOG_WARN,
        .profiles = 1u << PROFILE_RESTRICTED | 1u << PROFILE_STANDARD,
        .parked = 2,
        .retire_boxes = 10000,
        .retire_s = 3600,
        .wall_ms = 2000,
        .cpu_ms = 1000,
        .memory_bytes = 64 << 20,
        .code_bytes = 10000,
        .context_bytes = 1 << 20,
        .stdin_bytes = 1 << 16,
        .output_bytes = 65536,
        .return_bytes = 65536,
        .ast_nodes = 5000,
    };
}

const char *
client_program(void)
{
    static char opened[32];
    const char *path = getenv("GLOVEBOX_SANDBOX");
    int low, fd;

    if (opened[0] != '\0')
        return opened;
    low = open(path != NULL ? path : CLIENT_PROGRAM, O_PATH | O_CLOEXEC);
    if (low < 0)
        return NULL;
    /* Out of the way of the descriptors that a warden is given. */
    fd = fcntl(low, F_DUPFD_CLOEXEC, 100);
    (void)close(low);
    (void)snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
    return opened;
}

static int
client_spawn(struct client *c, int theirs)
{
    static char name[] = WARDEN_NAME, ids[] = "65031:65031";
    char *argv[] = { name, ids, NULL }, *envp[] = { NULL };
    posix_spawn_file_actions_t actions;
    int r;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, theirs, WARDEN_FD);
    r = posix_spawn(&c->pid, client_program(), &actions, NULL, argv, envp);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -r;
}

static int
client_send_setup(struct client *c)
{
    struct buf b;
    size_t start;
    int r;

    buf_init(&b, FRAME_HEADER_BYTES + SETUP_MAX_BODY);
    start = frame_begin(&b, FRAME_SETUP);
    setup_pack(&b, &c->setup);
    frame_end(&b, start);
    r = fd_write_all(c->control_fd, b.data, b.len);
    buf_done(&b);
    return r;
}

/* Bytes until one whole frame of `type` is in `in`. */
static int
client_read_frame(int fd, enum frame_type type, size_t max, int ms,
    struct buf *in, struct view *ret_body, size_t *ret_size)
{
    uint64_t end_us = clock_mono_us() + (uint64_t)ms * 1000;
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char bytes[65536];
    ssize_t n;
    int r;

    for (;;) {
        uint64_t now_us = clock_mono_us();

        r = frame_peek(in, type, max, ret_body, ret_size);
        if (r != 0)
            return r < 0 ? r : 0;
        if (now_us >= end_us ||
            poll(&p, 1, (int)((end_us - now_us) / 1000) + 1) == 0)
            return -ETIMEDOUT;
        n = recv(fd, bytes, sizeof(bytes), 0);
        if (n <= 0)
            return n < 0 ? -errno : -EPIPE;
        buf_add(in, bytes, (size_t)n);
        if (!buf_ok(in))
            return -EMSGSIZE;
    }
}

int
client_read_status(struct client *c, int ms)
{
    struct view body;
    size_t size;
    int r = client_read_frame(c->control_fd, FRAME_STATUS, STATUS_MAX_BODY, ms,
        &c->control_in, &body, &size);

    if (r < 0)
        return r;
    r = status_unpack(body, &c->status);
    buf_eat(&c->control_in, size);
    return r;
}

int
client_start(struct client *c, const struct setup *s)
{
    int pair[2], r;

    if (client_program() == NULL)
        return -ENOENT;
    *c = (struct client){ .setup = *s, .control_fd = -1 };
    buf_init(&c->control_in, 8 * (size_t)STATUS_MAX_BODY);
    r = fd_pair(SOCK_STREAM, pair);
    if (r < 0)
        return r;
    c->control_fd = pair[0];
    r = client_spawn(c, pair[1]);
    (void)close(pair[1]);
    if (r == 0)
        r = client_send_setup(c);
    if (r == 0)
        r = client_read_status(c, 10000);
    return r;
}

int
client_stop(struct client *c)
{
    int status = -1;

    if (c->control_fd >= 0)
        (void)close(c->control_fd);
    buf_done(&c->control_in);
    if (c->pid > 0)
        (void)waitpid(c->pid, &status, 0);
    return status;
}

int
client_lane(struct client *c)
{
    struct buf b;
    int pair[2];
    int r = fd_pair(SOCK_STREAM, pair);

    if (r < 0)
        return r;
    buf_init(&b, FRAME_HEADER_BYTES);
    frame_end(&b, frame_begin(&b, FRAME_LANE));
    r = fd_pass_send(c->control_fd, b.data, b.len, &pair[1], 1);
    buf_done(&b);
    (void)close(pair[1]);
    if (r < 0)
        (void)close(pair[0]);
    return r < 0 ? r : pair[0];
}

struct order
client_order(const struct client *c, enum profile_id profile, const char *code)
{
    return (struct order){
        .kind = ORDER_RUN,
        .profile = profile,
        .wall_ms = c->setup.wall_ms,
        .cpu_ms = c->setup.cpu_ms,
        .memory_bytes = c->setup.memory_bytes,
        .output_bytes = c->setup.output_bytes,
        .return_bytes = c->setup.return_bytes,
        .ast_nodes = c->setup.ast_nodes,
        .request_id = view_of("test", 4),
        .code = view_of(code, strlen(code)),
        .context = view_of("", 0),
        .stdin_text = view_of("", 0),
    };
}

int
client_send(struct client *c, int lane, const struct order *o)
{
    struct buf b;
    size_t start;
    int r;

    buf_init(&b, FRAME_HEADER_BYTES + order_max_bytes(&c->setup));
    start = frame_begin(&b, FRAME_ORDER);
    order_pack(&b, o);
    frame_end(&b, start);
    r = buf_ok(&b) ? fd_write_all(lane, b.data, b.len) : -EMSGSIZE;
    buf_done(&b);
    return r;
}

/* Take the progress at the front of `in`: 0 or -errno. */
static int
client_take_progress(struct client *c, struct buf *in)
{
    struct view body;
    size_t size;
    int r = frame_peek(in, FRAME_PROGRESS, progress_max_bytes(), &body, &size);

    if (r <= 0)
        return r;
    r = progress_unpack(body, &c->progress);
    if (r < 0)
        return r;
    memcpy(c->tail, c->progress.tail.data, c->progress.tail.len);
    c->progress.tail.data = c->tail;
    c->told++;
    buf_eat(in, size);
    return 1;
}

int
client_recv(struct client *c, int lane, int ms, struct buf *room,
    struct outcome *ret_outcome)
{
    size_t max = outcome_max_bytes(&c->setup);
    struct view body;
    size_t size;
    int r;

    c->told = 0;
    buf_init(room, 2 * FRAME_HEADER_BYTES + max + progress_max_bytes());
    do {
        r = client_read_frame(lane, FRAME_OUTCOME, max, ms, room, &body, &size);
        if (r == -EPROTO && frame_is(room, FRAME_PROGRESS))
            r = client_take_progress(c, room);
    } while (r > 0);
    if (r < 0)
        return r;
    return outcome_unpack(body, &c->setup, ret_outcome);
}
