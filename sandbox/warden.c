/*
 * warden - the long-lived parent in the sandbox program
 *
 *            control socket             lanes
 *   app <====================> warden <========> app's threads
 *                               | | |
 *             template sockets  | | |  pidfds of boxes and templates
 *             (hello, pids)  <--+ | +-->  who ended
 *                                 +-- listeners: refused calls
 *
 * Events are taken one at a time from epoll, so that nothing handled later in
 * a round can belong to a record that was freed earlier in it.
 *
 * An order: warden_on_order() -> pool_take() -> warden_hand_over() writes it
 * into the box's slate and wakes the box; watch_tick() minds the clocks; when
 * the box waits in its last call (warden_on_call()) or is dead
 * (warden_on_box_end()) warden_conclude() makes the outcome of what is in the
 * slate (harvest.h) and of what was seen (watch.h).
 *
 * The warden has no token, no configuration file and no network.  It ends
 * when the app closes the control socket, and its boxes end with it.
 */
#include "sandbox/warden.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/box.h"
#include "sandbox/confine/confine.h"
#include "sandbox/control.h"
#include "sandbox/crowd.h"
#include "sandbox/glance.h"
#include "sandbox/harvest.h"
#include "sandbox/lane.h"
#include "sandbox/pool.h"
#include "sandbox/refusals.h"

/* At most one STATUS frame in this time, unless readiness changes. */
#define WARDEN_STATUS_US 1000000

/* An order that waits longer for a box is refused; the app waits longer. */
#define WARDEN_WAIT_US 5000000

struct warden {
    struct setup setup;
    struct confine confine;
    int epoll_fd;
    struct control control;
    struct pool pool;
    struct crowd crowd;
    LIST_HEAD(, lane) lanes;
    TAILQ_HEAD(, lane) waiting[PROFILE_COUNT];
    struct buf scratch; /* what is read from a slate */
    uint64_t status_us; /* when the last STATUS was sent */
    bool was_ready;
    bool is_ending;
};

/* --- one order ----------------------------------------------------------- */

static void
warden_send(struct warden *w, struct lane *l)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = &l->source };
    int r = lane_send(l);

    /* The app sees its end and takes the order to be lost. */
    if (r < 0)
        (void)shutdown(l->source.fd, SHUT_RDWR);
    if (l->is_full == (r == 0))
        return; /* as before */
    l->is_full = r == 0;
    if (l->is_full)
        event.events |= EPOLLOUT;
    (void)epoll_ctl(w->epoll_fd, EPOLL_CTL_MOD, l->source.fd, &event);
}

static void
warden_tell(struct warden *w, struct lane *l, const struct outcome *o)
{
    lane_put(l, o);
    warden_send(w, l);
}

static void
warden_not_started(struct warden *w, struct lane *l, const char *reason)
{
    struct outcome o = { .verdict = VERDICT_NOT_STARTED };

    o.reason = view_of(reason, strlen(reason));
    o.wait_us = clock_mono_us() - l->since_us;
    warden_tell(w, l, &o);
}

/* A limit below the server's own is set from outside; nobody can raise it. */
static void
warden_lower_limits(const struct warden *w, const struct pool_box *box,
    const struct order *order)
{
    const struct hello *h = &box->from->hello;
    struct rlimit as = { .rlim_cur = h->as_bytes + order->memory_bytes };
    struct rlimit data = { .rlim_cur = h->data_bytes + order->memory_bytes };

    if (order->memory_bytes >= w->setup.memory_bytes)
        return;
    as.rlim_max = as.rlim_cur;
    data.rlim_max = data.rlim_cur;
    if (prlimit(box->pid, RLIMIT_AS, &as, NULL) < 0 ||
        prlimit(box->pid, RLIMIT_DATA, &data, NULL) < 0)
        log_error("limit of an order not set: %s", strerror(errno));
}

static int
warden_write_order(
    const struct warden *w, const struct pool_box *box, struct view packed)
{
    uint32_t len = (uint32_t)packed.len;
    int r = fd_pwrite_all(
        box->slate_fd, packed.data, packed.len, (off_t)w->pool.layout.order_at);

    if (r == 0)
        r = fd_pwrite_all(box->slate_fd, &len, sizeof(len),
            offsetof(struct slate_head, order_len));
    return r;
}

static void
warden_hand_over(struct warden *w, struct lane *l, struct pool_box *box)
{
    const struct order *order = &l->order;
    char wake = BOX_WAKE_RUN, id[65];
    uint32_t phase = SLATE_CLOSING;
    int r;

    log_set_request(log_safe(
        id, sizeof(id), order->request_id.data, order->request_id.len));
    box->lane = l;
    l->box = box;
    l->state = LANE_RUNNING;
    (void)fd_pread_all(box->slate_fd, &phase, sizeof(phase),
        offsetof(struct slate_head, phase));
    l->progress_us = clock_mono_us() + (uint64_t)order->progress_ms * 1000;
    warden_lower_limits(w, box, order);
    r = warden_write_order(w, box, l->packed);
    if (r == 0) {
        watch_start(&box->watch, box->pid, clock_mono_us(), order->wall_ms,
            order->cpu_ms, order->memory_bytes, box->from->base_kb);
        box->watch.is_late = phase != SLATE_PARKED;
        box->watch.gives_way = crowd_is_one_of_many(&w->crowd, order->running);
        if (box->watch.gives_way)
            crowd_place(&w->crowd, &box->watch, box->pid);
        r = write(box->wake_fd, &wake, 1) == 1 ? 0 : -errno;
    }
    (void)close(box->wake_fd);
    box->wake_fd = -1;
    /* -EPIPE: it died in its place; its end is on its way and the order goes
     * to another. */
    if (r < 0 && r != -EPIPE)
        log_error("order not handed over: %s", strerror(-r));
    log_set_request(NULL);
}

static void
warden_wait(struct warden *w, struct lane *l)
{
    enum profile_id profile = (enum profile_id)l->order.profile;

    l->state = LANE_WAITING;
    TAILQ_INSERT_TAIL(&w->waiting[profile], l, turn);
    w->pool.profiles[profile].wanted++;
}

static void
warden_unwait(struct warden *w, struct lane *l)
{
    enum profile_id profile = (enum profile_id)l->order.profile;

    TAILQ_REMOVE(&w->waiting[profile], l, turn);
    w->pool.profiles[profile].wanted--;
    l->state = LANE_IDLE;
}

static void
warden_on_order(struct warden *w, struct lane *l)
{
    struct pool_box *box;

    if (l->order.profile >= PROFILE_COUNT ||
        !w->pool.profiles[l->order.profile].is_kept) {
        warden_not_started(w, l, "profile is not kept");
        return;
    }
    box = pool_take(&w->pool, (enum profile_id)l->order.profile);
    if (box != NULL)
        warden_hand_over(w, l, box);
    else if (pool_can_serve(&w->pool, (enum profile_id)l->order.profile))
        warden_wait(w, l);
    else
        warden_not_started(w, l, w->pool.status.problem);
}

/* Whoever waited longest gets a box that has become free. */
static void
warden_feed(struct warden *w)
{
    uint64_t now_us = clock_mono_us();

    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &w->pool.profiles[i];
        struct lane *l;

        while ((l = TAILQ_FIRST(&w->waiting[i])) != NULL) {
            if (kept->parked_count > 0) {
                warden_unwait(w, l);
                warden_hand_over(w, l, pool_take(&w->pool, (enum profile_id)i));
            } else if (!pool_can_serve(&w->pool, (enum profile_id)i)) {
                warden_unwait(w, l);
                warden_not_started(w, l, w->pool.status.problem);
            } else if (now_us - l->since_us >= WARDEN_WAIT_US) {
                warden_unwait(w, l);
                warden_not_started(w, l, "no box became free in time");
            } else {
                break;
            }
        }
    }
}

/* --- how it ended -------------------------------------------------------- */

/*
 * Did it die before it began?  Then nothing of the program can have happened:
 * the order goes to another box.  All that were parked may have died at one
 * blow, and the one that was made after that; then the failure is ours.
 */
static bool
warden_never_began(struct warden *w, struct lane *l, struct pool_box *box,
    const struct slate_head *head, int status)
{
    char why[STATUS_MAX_NOTE];

    if (box->watch.has_verdict || !pool_box_never_woke(box))
        return false;
    l->box = NULL;
    if (l->lost++ > w->setup.parked) {
        pool_describe_end(head, status, why, sizeof(why));
        warden_not_started(w, l, why);
    } else {
        warden_on_order(w, l);
    }
    return true;
}

/*
 * A fault of the interpreter or worse: its template's layout may be known.  By
 * the kernel's word alone: a box that faults at its deadline, or when its
 * caller has hung up, has faulted.  SIGKILL is ours, or nobody's it chose.
 */
static bool
warden_is_crash(const struct pool_box *box, int status)
{
    return WIFSIGNALED(status) &&
           (WTERMSIG(status) != SIGKILL || !box->watch.is_killed);
}

/*
 * The box can do nothing more: it is dead, or waits in its last call.  Make
 * the outcome and send it.  Returns whether its template is burnt.
 */
static bool
warden_conclude(struct warden *w, struct pool_box *box, int status,
    const struct rusage *usage)
{
    struct lane *l = box->lane;
    struct slate_head head = { 0 };
    struct outcome o = { 0 };
    bool crashed = warden_is_crash(box, status);

    box->watch.end_us = clock_mono_us();
    if (l == NULL) /* nobody waits any more; it was killed for that */
        return crashed;
    if (l->order.running > 0)
        crowd_saw_end(&w->crowd, &box->watch, box->watch.end_us);
    if (fd_pread_all(box->slate_fd, &head, sizeof(head), 0) < 0)
        head = (struct slate_head){ .phase = SLATE_RUNNING };
    if (warden_never_began(w, l, box, &head, status))
        return false;
    harvest_claims(
        &w->scratch, &w->pool.layout, box->slate_fd, &l->order, &head, &o);
    watch_verdict(&box->watch, status, usage, &o);
    harvest_phases(&box->watch, &head, &o);
    o.faults -= head.base_faults < o.faults ? head.base_faults : o.faults;
    o.wait_us = box->watch.start_us - l->since_us;
    warden_tell(w, l, &o);
    return crashed;
}

static void
warden_on_call(struct warden *w, struct pool_template *t)
{
    struct rusage usage;
    int status = 0;
    struct pool_box *box = refusals_answer(&w->pool, t, &status, &usage);

    if (box != NULL)
        pool_box_leaves(&w->pool, box, warden_conclude(w, box, status, &usage));
}

static void
warden_on_box_end(struct warden *w, struct pool_box *box)
{
    struct rusage usage = { 0 };
    int status = 0;

    if (wait4(box->pid, &status, WNOHANG, &usage) != box->pid)
        return;
    if (box->state == BOX_RUNNING)
        pool_box_ended(&w->pool, box, warden_conclude(w, box, status, &usage));
    else if (box->state == BOX_LEAVING)
        pool_box_ended(&w->pool, box, false);
    else
        pool_on_idle_end(&w->pool, box, status);
}

/* --- lanes and the control socket ---------------------------------------- */

static void
warden_drop_lane(struct warden *w, struct lane *l)
{
    if (l->state == LANE_WAITING)
        warden_unwait(w, l);
    if (l->box != NULL) {
        l->box->lane = NULL;
        watch_kill(&l->box->watch, l->box->end.fd, VERDICT_ENDED);
    }
    LIST_REMOVE(l, link);
    lane_free(l);
}

static void
warden_on_lane(struct warden *w, struct lane *l, uint32_t events)
{
    int r;

    if ((events & EPOLLOUT) && l->out.len > 0)
        warden_send(w, l);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    r = lane_read(l, &w->setup);
    if (r > 0) {
        l->since_us = clock_mono_us();
        warden_on_order(w, l);
    } else if (r < 0) {
        warden_drop_lane(w, l);
    }
}

static void
warden_add_lane(struct warden *w, int fd)
{
    struct lane *l = lane_new(fd, &w->setup);

    if (l == NULL) {
        (void)close(fd);
        return;
    }
    if (source_listen(w->epoll_fd, &l->source, SOURCE_LANE, fd, l) < 0) {
        lane_free(l);
        return;
    }
    LIST_INSERT_HEAD(&w->lanes, l, link);
}

static void
warden_on_control(struct warden *w)
{
    int fd = -1, r = control_read(&w->control);

    if (r == 0)
        while ((r = control_next_lane(&w->control, &fd)) > 0)
            warden_add_lane(w, fd);
    if (r >= 0)
        return;
    /* The app may end with our last status unread. */
    if (r != -EPIPE && r != -ECONNRESET)
        log_error("control socket: %s", strerror(-r));
    w->is_ending = true;
}

/* --- telling how we are --------------------------------------------------- */

static void
warden_send_status(struct warden *w)
{
    struct status status;

    pool_status(&w->pool, &status);
    control_send_status(&w->control, &status);
    w->was_ready = status.is_ready;
    w->pool.has_news = false;
    w->status_us = clock_mono_us();
}

/* The first word waits until every profile is ready or has failed. */
static bool
warden_has_word(struct warden *w)
{
    struct status status;

    pool_status(&w->pool, &status);
    if (status.is_ready != w->was_ready)
        return true;
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (w->pool.profiles[i].is_kept && w->pool.profiles[i].failures > 0)
            return true;
    return w->status_us != 0;
}

static void
warden_keep_status(struct warden *w, uint64_t now_us)
{
    bool is_due = now_us - w->status_us >= WARDEN_STATUS_US;

    if (w->pool.has_news && warden_has_word(w)) {
        warden_send_status(w);
    } else if (is_due && w->status_us != 0) {
        pool_reap_strays(&w->pool);
        warden_send_status(w);
    }
}

/* --- the loop ------------------------------------------------------------ */

/*
 * A box that was handed its order before it was parked began later than the
 * clock did.  When its time seems up it is given that back, once and within
 * bounds: the stamp is the box's word.
 */
static void
warden_mind_start(struct pool_box *box, uint64_t now_us)
{
    uint64_t began_us = 0;

    if (box->watch.is_minded || now_us < box->watch.deadline_us)
        return;
    box->watch.is_minded = true;
    (void)fd_pread_all(box->slate_fd, &began_us, sizeof(began_us),
        (off_t)(offsetof(struct slate_head, phase_us) +
                SLATE_CHECKING * sizeof(began_us)));
    watch_began(&box->watch, began_us);
}

/* Whoever asks for little gets it at once, whatever else is running. */
static void
warden_let_short_ones_first(struct warden *w, uint64_t now_us)
{
    unsigned giving = 0, is_long = 0;
    struct lane *l;

    for (size_t i = 0; i < PROFILE_COUNT; i++)
        w->pool.profiles[i].long_count = 0;
    LIST_FOREACH(l, &w->lanes, link)
    {
        if (l->box == NULL || !l->box->watch.gives_way)
            continue;
        giving++;
        if (!l->box->watch.is_long)
            continue;
        is_long++;
        w->pool.profiles[l->box->from->profile].long_count++;
    }
    crowd_count(&w->crowd, giving, is_long, now_us);
    LIST_FOREACH(l, &w->lanes, link)
    if (l->box != NULL && l->box->watch.gives_way)
        crowd_place(&w->crowd, &l->box->watch, l->box->pid);
}

static void
warden_tell_progress(struct warden *w, struct lane *l, uint64_t now_us)
{
    char room[PROGRESS_MAX_TAIL];
    struct progress p;

    if (glance(l->box->slate_fd, &w->pool.layout, l->order.output_bytes, room,
            &p) != 0)
        return;
    p.elapsed_us = now_us - l->box->watch.start_us;
    lane_put_progress(l, &p);
    warden_send(w, l);
}

/* When to tell of a run again; never, if its order does not ask for it. */
static uint64_t
warden_mind_progress(struct warden *w, struct lane *l, uint64_t now_us)
{
    uint64_t every_us = (uint64_t)l->order.progress_ms * 1000;

    if (every_us == 0)
        return UINT64_MAX;
    if (now_us >= l->progress_us) {
        warden_tell_progress(w, l, now_us);
        l->progress_us = now_us + every_us;
    }
    return l->progress_us;
}

static uint64_t
warden_tick(struct warden *w, uint64_t now_us)
{
    uint64_t progress_us, next_us = pool_next_us(&w->pool);
    struct lane *l;

    LIST_FOREACH(l, &w->lanes, link)
    {
        struct pool_box *box = l->box;

        if (l->state == LANE_WAITING && l->since_us + WARDEN_WAIT_US < next_us)
            next_us = l->since_us + WARDEN_WAIT_US;
        if (box == NULL)
            continue;
        warden_mind_start(box, now_us);
        watch_tick(&box->watch, box->pid, box->end.fd, now_us);
        if (box->watch.check_us < next_us)
            next_us = box->watch.check_us;
        progress_us = warden_mind_progress(w, l, now_us);
        if (progress_us < next_us)
            next_us = progress_us;
    }
    warden_let_short_ones_first(w, now_us);
    if (w->crowd.is_apart && crowd_until_us(&w->crowd) < next_us)
        next_us = crowd_until_us(&w->crowd);
    if (w->status_us != 0 && w->status_us + WARDEN_STATUS_US < next_us)
        next_us = w->status_us + WARDEN_STATUS_US;
    return next_us;
}

static int
warden_timeout_ms(uint64_t now_us, uint64_t next_us)
{
    if (next_us == UINT64_MAX)
        return -1;
    if (next_us <= now_us)
        return 0;
    next_us -= now_us;
    return next_us > 60000000 ? 60000 : (int)((next_us + 999) / 1000);
}

static void
warden_handle(struct warden *w, const struct epoll_event *event)
{
    struct source *source = event->data.ptr;

    switch (source->kind) {
    case SOURCE_CONTROL:
        warden_on_control(w);
        break;
    case SOURCE_LANE:
        warden_on_lane(w, source->owner, event->events);
        break;
    case SOURCE_TEMPLATE:
        pool_on_template(&w->pool, source->owner);
        break;
    case SOURCE_TEMPLATE_END:
        pool_on_template_end(&w->pool, source->owner);
        break;
    case SOURCE_LISTENER:
        warden_on_call(w, source->owner);
        break;
    case SOURCE_BOX_END:
        warden_on_box_end(w, source->owner);
        break;
    }
}

static void
warden_serve(struct warden *w)
{
    struct epoll_event event;
    uint64_t now_us, next_us;
    int n;

    while (!w->is_ending) {
        warden_feed(w);
        pool_keep(&w->pool);
        now_us = clock_mono_us();
        warden_keep_status(w, now_us);
        next_us = warden_tick(w, now_us);
        n = epoll_wait(
            w->epoll_fd, &event, 1, warden_timeout_ms(now_us, next_us));
        if (n == 1)
            warden_handle(w, &event);
    }
}

/* --- start-up, in order --------------------------------------------------- */

/* Not by a signal meant for the app: only by the app's end. */
static void
warden_detach(void)
{
    (void)setsid();
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)umask(077);
    (void)prctl(PR_SET_NAME, "glovebox-warden", 0, 0, 0);
}

/* A run needs a lane and four more; what is granted is what was given us. */
static void
warden_raise_fd_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int
warden_leave_root(struct warden *w)
{
    int r;

    confine_namespaces_as_root(&w->confine);
    r = confine_identity(&w->confine);
    if (r == 0)
        r = confine_no_new_privs(&w->confine);
    if (r < 0)
        log_error("root could not be left: %s", strerror(-r));
    return r;
}

static int
warden_listen(struct warden *w)
{
    int r;

    w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll_fd < 0)
        return -errno;
    r = source_listen(w->epoll_fd, &w->control.source, SOURCE_CONTROL,
        w->control.source.fd, w);
    if (r < 0)
        return r;
    return pool_init(&w->pool, &w->setup, w->confine.on, w->epoll_fd);
}

int
warden_main(const char *ids)
{
    static struct warden w;

    warden_detach();
    if (control_init(&w.control, WARDEN_FD) < 0)
        return 1;
    crowd_init(&w.crowd);
    LIST_INIT(&w.lanes);
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        TAILQ_INIT(&w.waiting[i]);
    (void)fd_unblock(STDERR_FILENO);
    log_open("warden", LOG_INFO);
    warden_raise_fd_limit();
    /* Root is left before a byte of the app is read. */
    if (sscanf(ids, "%u:%u", &w.confine.uid, &w.confine.gid) != 2 ||
        warden_leave_root(&w) < 0 ||
        control_read_setup(&w.control, &w.setup) < 0)
        return 1;
    log_set_level((enum log_level)w.setup.log_level);
    log_set_format((enum log_format)w.setup.log_format);
    /* After the last change of credentials, which would undo it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return 1;
    buf_init(&w.scratch, outcome_max_bytes(&w.setup));
    if (refusals_init() < 0)
        log_warn("refused calls cannot be named on this kernel");
    if (warden_listen(&w) < 0)
        return 1;
    warden_serve(&w);
    return 0;
}
