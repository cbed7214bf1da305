/*
 * warden_link - the app's end of the socket
 *
 * One thread belongs to the link.  It has a warden started, sends SETUP, reads
 * STATUS, and when the control socket ends it does so again: at once, or after
 * a growing pause if wardens die young.  Each warden has a generation number.
 *
 * The threads that ask share the link's state under one lock: the control
 * socket (to send the far end of a new lane), the idle lanes, the status.  A
 * lane knows its generation; one of an older warden is closed, never used.
 *
 * Whatever goes wrong on a lane (warden_lane.c) ends with closing it, which
 * the warden takes as the order to kill the box.  A lane is kept for the next
 * order only after a whole and sane outcome.
 */
#include "fcgi-app/warden_link.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fcgi-app/metrics.h"
#include "fcgi-app/spawner.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/frame.h"
#include "sandbox/wire/profile.h"

/* A warden that dies within this time has failed to start. */
#define LINK_YOUNG_MS 1000
#define LINK_PAUSE_MIN_MS 50
#define LINK_PAUSE_MAX_MS 2000
/* Warming up templates takes well under a second each. */
#define LINK_FIRST_STATUS_MS 30000
/* A warden says how it is every second; one that is silent for this long
 * hangs, and is replaced. */
#define LINK_HEARTBEAT_MS 10000
/* Over an order's own wall time, before the warden is given up for dead. */
#define LINK_SILENCE_MS 10000
/* How often a thread that waits for readiness looks for a hang-up. */
#define LINK_LOOK_MS 50
/* How long a lost lane makes its warden suspect. */
#define LINK_DOUBT_MS 200

struct lane {
    struct lane *next;
    uint64_t generation;
    int fd; /* non-blocking */
};

struct warden_link {
    pthread_t thread;
    int spawner_fd;
    int stop_fd; /* eventfd; written once by warden_link_free() */
    struct setup setup;
    atomic_bool has_failed;
    atomic_bool is_hopeless; /* the last warden ended without a word */

    pthread_mutex_t lock; /* everything below */
    pthread_cond_t changed;
    int control_fd; /* -1: no warden */
    uint64_t generation;
    bool has_status;
    struct status status;
    struct lane *idle;
    uint64_t doubted; /* a generation that has lost a lane ... */
    uint64_t doubt_until_us; /* ... and is not used before this time */
};

/* --- the link's own thread ---------------------------------------------- */

static int
link_send_setup(int control_fd, const struct setup *setup)
{
    struct buf b;
    size_t start;
    int error = -ENOMEM;

    buf_init(&b, FRAME_HEADER_BYTES + SETUP_MAX_BODY);
    start = frame_begin(&b, FRAME_SETUP);
    setup_pack(&b, setup);
    frame_end(&b, start);
    if (buf_ok(&b))
        error = fd_write_all(control_fd, b.data, b.len);
    buf_done(&b);
    return error;
}

/* A new warden that has its setup.  Returns the control socket or -errno. */
static int
link_start(struct warden_link *l)
{
    /* A warden that does not read must not hold up whoever sends a lane. */
    struct timeval patience = { .tv_sec = 1 };
    AUTO_FD ours = -1;
    AUTO_FD theirs = -1;
    int fds[2], pid, error = fd_pair(SOCK_STREAM, fds);

    if (error != 0)
        return error;
    ours = fds[0];
    theirs = fds[1];
    if (setsockopt(
            ours, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0)
        return -errno;
    pid = spawner_ask(l->spawner_fd, theirs);
    if (pid < 0)
        return pid;
    metrics_count(METRICS_WARDEN_STARTS);
    log_info("warden started pid=%d", pid);
    error = link_send_setup(ours, &l->setup);
    return error != 0 ? error : take_fd(&ours);
}

/* The texts are the warden's own, made of its tables and errno. */
static void
link_say_status(const struct status *old, const struct status *new)
{
    if (old->is_ready && new->is_ready)
        return;
    if (!new->is_ready && strcmp(old->problem, new->problem) == 0)
        return;
    if (!new->is_ready) {
        log_error("sandbox not ready: %s", new->problem);
        return;
    }
    log_info("sandbox ready python=%s", new->python);
    for (uint32_t i = 0; i < new->layer_count; i++)
        if (!new->layers[i].is_on)
            log_warn("layer off name=%s: %s", new->layers[i].name,
                new->layers[i].note);
}

static void
link_set_status(struct warden_link *l, const struct status *status)
{
    link_say_status(&l->status, status);
    (void)pthread_mutex_lock(&l->lock);
    l->status = *status;
    l->has_status = true;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
}

/* Take in whatever whole STATUS frames are there: 0, or -EPROTO. */
static int
link_take_statuses(struct warden_link *l, struct buf *in)
{
    struct status status;
    struct view body;
    size_t size;
    int found;

    while ((found = frame_peek(
                in, FRAME_STATUS, STATUS_MAX_BODY, &body, &size)) > 0) {
        if (status_unpack(body, &status) != 0)
            return -EPROTO;
        link_set_status(l, &status);
        buf_eat(in, size);
    }
    return found;
}

/* Returns 0 to go on, -EPIPE at the end of the warden, or another -errno. */
static int
link_read(struct warden_link *l, int control_fd, struct buf *in)
{
    size_t room = in->max - in->len;
    char *to = buf_room(in, room);
    ssize_t n;

    if (to == NULL)
        return -ENOMEM;
    n = recv(control_fd, to, room, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0)
        return -EPIPE;
    buf_grew(in, (size_t)n);
    return link_take_statuses(l, in);
}

/* Until this warden ends, makes no sense, or the link is to stop. */
static void
link_listen(struct warden_link *l, int control_fd)
{
    struct pollfd p[] = {
        { .fd = control_fd, .events = POLLIN },
        { .fd = l->stop_fd, .events = POLLIN },
    };
    struct buf in;
    int n, error = 0;

    buf_init(&in, FRAME_HEADER_BYTES + STATUS_MAX_BODY);
    while (error == 0) {
        n = poll(
            p, 2, l->has_status ? LINK_HEARTBEAT_MS : LINK_FIRST_STATUS_MS);
        if (n < 0 && errno != EINTR)
            error = -errno;
        if (n == 0)
            error = -ETIMEDOUT;
        if (n > 0 && p[1].revents != 0)
            break;
        if (n > 0 && p[0].revents != 0)
            error = link_read(l, control_fd, &in);
    }
    buf_done(&in);
    if (error != 0 && !l->has_status)
        atomic_store(&l->is_hopeless, true);
    if (error == -EPROTO)
        metrics_count(METRICS_PROTOCOL_ERRORS);
    if (error != 0)
        log_error("warden lost error=%s", strerrorname_np(-error));
}

static void
link_publish(struct warden_link *l, int control_fd)
{
    (void)pthread_mutex_lock(&l->lock);
    l->control_fd = control_fd;
    l->generation++;
    l->has_status = false;
    memset(&l->status, 0, sizeof(l->status));
    (void)pthread_mutex_unlock(&l->lock);
}

static void
lane_close(struct lane *lane)
{
    (void)close(lane->fd);
    free(lane);
}

static void
link_withdraw(struct warden_link *l)
{
    struct lane *idle;

    (void)pthread_mutex_lock(&l->lock);
    (void)close(l->control_fd);
    l->control_fd = -1;
    l->has_status = false;
    idle = l->idle;
    l->idle = NULL;
    (void)pthread_mutex_unlock(&l->lock);
    while (idle != NULL) {
        struct lane *next = idle->next;

        lane_close(idle);
        idle = next;
    }
}

/* Sleep; true when the link is to stop. */
static bool
link_pause(const struct warden_link *l, int pause_ms)
{
    struct pollfd p = { .fd = l->stop_fd, .events = POLLIN };

    return poll(&p, 1, pause_ms) > 0;
}

static int
link_next_pause(int pause_ms, uint64_t lived_us)
{
    if (lived_us >= LINK_YOUNG_MS * 1000ull)
        return 0;
    if (pause_ms == 0)
        return LINK_PAUSE_MIN_MS;
    pause_ms *= 2;
    return pause_ms < LINK_PAUSE_MAX_MS ? pause_ms : LINK_PAUSE_MAX_MS;
}

/* The spawner is gone, and with it the rights to start a warden. */
static void *
link_fail(struct warden_link *l)
{
    log_error("spawner is gone, the service must be started anew");
    atomic_store(&l->has_failed, true);
    (void)kill(getpid(), SIGTERM);
    return NULL;
}

static void *
link_main(void *arg)
{
    struct warden_link *l = arg;
    uint64_t born_us;
    int control_fd, pause_ms = 0;

    do {
        born_us = clock_mono_us();
        control_fd = link_start(l);
        if (control_fd >= 0) {
            link_publish(l, control_fd);
            link_listen(l, control_fd);
            link_withdraw(l);
        } else {
            log_error(
                "warden did not start error=%s", strerrorname_np(-control_fd));
            atomic_store(&l->is_hopeless, true);
        }
        if (control_fd == -ENOTCONN)
            return link_fail(l);
        pause_ms = link_next_pause(pause_ms, clock_mono_us() - born_us);
    } while (!link_pause(l, pause_ms));
    return NULL;
}

static void
link_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(cond, &attr);
    (void)pthread_condattr_destroy(&attr);
}

struct warden_link *
warden_link_new(int spawner_fd, const struct setup *setup)
{
    struct warden_link *l = calloc(1, sizeof(*l));

    if (l == NULL)
        goto out;
    l->setup = *setup;
    l->spawner_fd = spawner_fd;
    l->control_fd = -1;
    l->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (l->stop_fd < 0)
        goto out;
    (void)pthread_mutex_init(&l->lock, NULL);
    link_cond_init(&l->changed);
    if (pthread_create(&l->thread, NULL, link_main, l) != 0)
        goto out;
    return l;
out:
    if (l != NULL && l->stop_fd >= 0)
        (void)close(l->stop_fd);
    free(l);
    (void)close(spawner_fd);
    return NULL;
}

void
warden_link_free(struct warden_link *l)
{
    uint64_t one = 1;

    if (l == NULL)
        return;
    (void)!write(l->stop_fd, &one, sizeof(one));
    (void)pthread_join(l->thread, NULL);
    (void)close(l->stop_fd);
    (void)close(l->spawner_fd);
    (void)pthread_cond_destroy(&l->changed);
    (void)pthread_mutex_destroy(&l->lock);
    free(l);
}

bool
warden_link_has_failed(const struct warden_link *l)
{
    return atomic_load(&l->has_failed);
}

bool
warden_link_is_hopeless(const struct warden_link *l)
{
    return atomic_load(&l->is_hopeless);
}

bool
warden_link_status(struct warden_link *l, struct status *ret_status)
{
    bool has_status;

    (void)pthread_mutex_lock(&l->lock);
    has_status = l->has_status;
    if (has_status)
        *ret_status = l->status;
    (void)pthread_mutex_unlock(&l->lock);
    return has_status;
}

/* With the lock held: sleep until something changed, at most LINK_LOOK_MS. */
static void
link_await_change(struct warden_link *l)
{
    uint64_t until_us = clock_mono_us() + LINK_LOOK_MS * 1000ull;
    struct timespec until = {
        .tv_sec = (time_t)(until_us / 1000000),
        .tv_nsec = (long)(until_us % 1000000) * 1000,
    };

    (void)pthread_cond_timedwait(&l->changed, &l->lock, &until);
}

bool
warden_link_await(
    struct warden_link *l, unsigned wait_ms, struct status *ret_status)
{
    uint64_t deadline_us = clock_mono_us() + wait_ms * 1000ull;
    bool has_status;

    (void)pthread_mutex_lock(&l->lock);
    while (!l->has_status && clock_mono_us() < deadline_us)
        link_await_change(l);
    has_status = l->has_status;
    if (has_status)
        *ret_status = l->status;
    (void)pthread_mutex_unlock(&l->lock);
    return has_status;
}

/* --- asking --------------------------------------------------------------- */

static bool
link_is_gone(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLRDHUP };

    return fd >= 0 && poll(&p, 1, 0) > 0;
}

/*
 * With the lock held: a lane was lost.  When a warden is killed its lanes end
 * before its control socket does, and whoever lost one is here again sooner
 * than the link's thread can tell; the second try must not go to the same dead
 * warden.
 */
static void
link_doubt(struct warden_link *l, uint64_t generation)
{
    l->doubted = generation;
    l->doubt_until_us = clock_mono_us() + LINK_DOUBT_MS * 1000ull;
}

/* With the lock held. */
static bool
link_is_doubtful(const struct warden_link *l)
{
    return l->control_fd < 0 || link_is_gone(l->control_fd) ||
           (l->generation == l->doubted && clock_mono_us() < l->doubt_until_us);
}

/* With the lock held. */
static bool
link_is_ready_for(const struct warden_link *l, uint32_t profile)
{
    const struct status *s = &l->status;

    if (!l->has_status || profile >= PROFILE_COUNT || link_is_doubtful(l))
        return false;
    for (uint32_t i = 0; i < s->profile_count; i++)
        if (strcmp(s->profiles[i].name, profiles[profile].name) == 0)
            return s->profiles[i].is_ready;
    return false;
}

/* With the lock held: FAULT_NONE once the sandbox can take the order. */
static enum fault
link_await_ready(struct warden_link *l, uint32_t profile, int hangup_fd,
    uint64_t deadline_us)
{
    while (!link_is_ready_for(l, profile)) {
        if (clock_mono_us() >= deadline_us)
            return FAULT_SANDBOX;
        if (link_is_gone(hangup_fd))
            return FAULT_CANCELLED;
        link_await_change(l);
    }
    return FAULT_NONE;
}

/* With the lock held. */
static struct lane *
lane_new(const struct warden_link *l)
{
    struct lane *lane = calloc(1, sizeof(*lane));

    if (lane == NULL)
        return NULL;
    lane->generation = l->generation;
    lane->fd = warden_lane_open(l->control_fd);
    if (lane->fd < 0) {
        free(lane);
        return NULL;
    }
    return lane;
}

static enum fault
lane_take(struct warden_link *l, uint32_t profile, int hangup_fd,
    unsigned ready_ms, struct lane **ret_lane)
{
    uint64_t deadline_us = clock_mono_us() + ready_ms * 1000ull;
    struct lane *lane = NULL;
    enum fault fault;

    (void)pthread_mutex_lock(&l->lock);
    fault = link_await_ready(l, profile, hangup_fd, deadline_us);
    if (fault == FAULT_NONE) {
        lane = l->idle;
        if (lane != NULL)
            l->idle = lane->next;
        else
            lane = lane_new(l);
        if (lane == NULL) {
            link_doubt(l, l->generation);
            fault = FAULT_LOST;
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
    if (fault == FAULT_NONE)
        *ret_lane = lane;
    return fault;
}

static void
lane_give(struct warden_link *l, struct lane *lane)
{
    bool is_current;

    (void)pthread_mutex_lock(&l->lock);
    is_current = l->control_fd >= 0 && lane->generation == l->generation;
    if (is_current) {
        lane->next = l->idle;
        l->idle = lane;
    }
    (void)pthread_mutex_unlock(&l->lock);
    if (!is_current)
        lane_close(lane);
}

/*
 * What a failed exchange means for the caller, and for this warden.  One that
 * broke its own deadline is replaced, and the order not tried again: the
 * caller has waited long enough.  Shutting the control socket down wakes the
 * link's thread, which alone closes it.
 */
static enum fault
link_on_lost_lane(struct warden_link *l, uint64_t generation, int error)
{
    if (error == -ECANCELED)
        return FAULT_CANCELLED;
    log_warn("lane lost error=%s", strerrorname_np(-error));
    if (error == -ENOMEM)
        return FAULT_INTERNAL;
    if (error == -EPROTO)
        metrics_count(METRICS_PROTOCOL_ERRORS);
    (void)pthread_mutex_lock(&l->lock);
    link_doubt(l, generation);
    if (error == -ETIMEDOUT && l->control_fd >= 0 &&
        l->generation == generation)
        (void)shutdown(l->control_fd, SHUT_RDWR);
    (void)pthread_mutex_unlock(&l->lock);
    return error == -ETIMEDOUT ? FAULT_SANDBOX : FAULT_LOST;
}

/* An outcome that is no run: told apart here, so that no caller has to. */
static enum fault
link_check_outcome(const struct outcome *o)
{
    if (o->verdict != VERDICT_NOT_STARTED)
        return FAULT_NONE;
    log_error("no box: %.*s", (int)o->reason.len, o->reason.data);
    return FAULT_SANDBOX;
}

enum fault
warden_ask(struct warden_link *l, const struct order *order, int hangup_fd,
    unsigned ready_ms, struct warden_answer *answer)
{
    uint64_t deadline_us;
    struct lane *lane;
    enum fault fault = lane_take(l, order->profile, hangup_fd, ready_ms, &lane);
    int error;

    if (fault != FAULT_NONE)
        return fault;
    deadline_us =
        clock_mono_us() + (order->wall_ms + LINK_SILENCE_MS) * 1000ull;
    error = warden_lane_ask(
        lane->fd, &l->setup, order, hangup_fd, deadline_us, answer);
    if (error != 0) {
        fault = link_on_lost_lane(l, lane->generation, error);
        lane_close(lane);
        return fault;
    }
    lane_give(l, lane);
    return link_check_outcome(&answer->outcome);
}
