/* pool - templates and the boxes they make, as the warden sees them */
#include "sandbox/pool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/box.h"
#include "sandbox/confine/confine.h"
#include "sandbox/template.h"

/* Boxes asked of one template and not yet there. */
#define POOL_MAX_FORKING 16

/* Between two templates that did not come up: from, and at most. */
#define POOL_RETRY_US 50000
#define POOL_RETRY_MOST_US 5000000

/* How soon to look whether a rehearsal is over. */
#define POOL_LOOK_US 1000

/*
 * A template that does not come up, or does not answer, in this time hangs and
 * is killed; the second is less than an order waits for a box.
 */
#define POOL_HUNG_START_US 30000000
#define POOL_HUNG_FORK_US 3000000

/* In a row, before orders are refused instead of kept waiting. */
#define POOL_MANY_FAILURES 3

static int
pool_listen(struct pool *p, struct source *s, enum source_kind kind, int fd,
    void *owner)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = s };

    *s = (struct source){ .kind = kind, .fd = fd, .owner = owner };
    return epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Closing is enough for epoll: nobody else holds these descriptors. */
static void
pool_close(struct source *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
}

static int
pool_pidfd(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    return fd < 0 ? -errno : fd;
}

static bool
pool_is_fresh(const struct pool *p)
{
    return p->setup->start == SETUP_START_FRESH;
}

int
pool_init(
    struct pool *p, const struct setup *setup, uint64_t layers, int epoll_fd)
{
    memset(p, 0, sizeof(*p));
    p->epoll_fd = epoll_fd;
    p->setup = setup;
    p->layers = layers;
    p->layout = slate_layout_of(setup);
    LIST_INIT(&p->templates);
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &p->profiles[i];

        TAILQ_INIT(&kept->parked);
        kept->is_kept = (setup->profiles >> i & 1) != 0;
        (void)snprintf(kept->figures.name, sizeof(kept->figures.name), "%s",
            profiles[i].name);
    }
    return 0;
}

/* --- templates ----------------------------------------------------------- */

static int
pool_spawn(int sock, pid_t *ret_pid)
{
    static char name[] = TEMPLATE_NAME;
    char *argv[] = { name, NULL }, *envp[] = { NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t all, none;
    int r;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -ENOMEM;
    if (posix_spawnattr_init(&attr) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return -ENOMEM;
    }
    r = posix_spawn_file_actions_adddup2(&actions, sock, TEMPLATE_FD);
    if (r == 0)
        r = posix_spawn_file_actions_addclosefrom_np(&actions, TEMPLATE_FD + 1);
    if (r == 0)
        r = posix_spawnattr_setsigdefault(&attr, &all);
    if (r == 0)
        r = posix_spawnattr_setsigmask(&attr, &none);
    if (r == 0)
        r = posix_spawnattr_setflags(
            &attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (r == 0)
        r = posix_spawn(ret_pid, "/proc/self/exe", &actions, &attr, argv, envp);
    (void)posix_spawnattr_destroy(&attr);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -r;
}

static int
pool_ask_template(struct pool *p, struct pool_template *t)
{
    struct hello_ask ask = {
        .profile = t->profile,
        .layers = p->layers,
        .setup = *p->setup,
    };
    struct buf b;
    int r;

    buf_init(&b, SETUP_MAX_BODY);
    hello_ask_pack(&b, &ask);
    r = buf_ok(&b) ? fd_pass_send(t->sock.fd, b.data, b.len, NULL, 0) : -ENOMEM;
    buf_done(&b);
    return r;
}

/* Both ends and the process; on failure nothing is left but a record. */
static int
pool_launch(struct pool *p, struct pool_template *t)
{
    AUTO_FD ours = -1;
    AUTO_FD theirs = -1;
    AUTO_FD pidfd = -1;
    int pair[2];
    int r = fd_pair(SOCK_SEQPACKET, pair);

    if (r < 0)
        return r;
    ours = pair[0];
    theirs = pair[1];
    r = pool_spawn(theirs, &t->pid);
    if (r < 0) {
        t->pid = 0;
        return r;
    }
    pidfd = pool_pidfd(t->pid);
    if (pidfd < 0)
        return pidfd;
    r = pool_listen(p, &t->end, SOURCE_TEMPLATE_END, take_fd(&pidfd), t);
    if (r == 0)
        r = pool_listen(p, &t->sock, SOURCE_TEMPLATE, take_fd(&ours), t);
    if (r == 0)
        r = pool_ask_template(p, t);
    return r;
}

static uint64_t
pool_retry_us(unsigned failures)
{
    uint64_t wait_us = POOL_RETRY_US;

    while (failures-- > 0 && wait_us < POOL_RETRY_MOST_US)
        wait_us *= 2;
    return wait_us < POOL_RETRY_MOST_US ? wait_us : POOL_RETRY_MOST_US;
}

static void
pool_failed(struct pool *p, struct pool_profile *kept, const char *why)
{
    kept->not_before_us = clock_mono_us() + pool_retry_us(kept->failures++);
    (void)snprintf(p->status.problem, sizeof(p->status.problem), "%s", why);
    p->has_news = true;
    log_error("template failed profile=%s: %s", kept->figures.name, why);
}

/* Tell it to end.  What it still has to say is not heard. */
static void
pool_retire(struct pool *p, struct pool_template *t)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    struct pool_box *box;

    if (kept->current == t)
        kept->current = NULL;
    if (kept->spare == t)
        kept->spare = NULL;
    if (kept->next == t)
        kept->next = NULL;
    if (t->state == TEMPLATE_STARTING && pool_is_fresh(p))
        kept->starting_count--;
    t->state = TEMPLATE_RETIRED;
    pool_close(&t->sock);
    /* It may have cloned one whose pid never reached us: that box finds its
     * wake pipe at its end and exits; the reaper in warden.c collects it. */
    while ((box = TAILQ_FIRST(&t->forking)) != NULL) {
        TAILQ_REMOVE(&t->forking, box, link);
        kept->forking_count--;
        pool_box_ended(p, box, false);
    }
}

/* The record goes with its last box and its process. */
static void
pool_forget(struct pool_template *t)
{
    if (t->pid != 0 || !LIST_EMPTY(&t->boxes) || t->state != TEMPLATE_RETIRED)
        return;
    pool_close(&t->listener);
    pool_close(&t->end);
    LIST_REMOVE(t, link);
    free(t);
}

static void
pool_start_template(struct pool *p, enum profile_id profile)
{
    struct pool_profile *kept = &p->profiles[profile];
    struct pool_template *t = calloc(1, sizeof(*t));
    int r;

    if (t == NULL) {
        pool_failed(p, kept, "no memory for a template");
        return;
    }
    t->profile = profile;
    t->sock.fd = t->end.fd = t->listener.fd = -1;
    t->since_us = clock_mono_us();
    TAILQ_INIT(&t->forking);
    LIST_INIT(&t->boxes);
    LIST_INSERT_HEAD(&p->templates, t, link);
    kept->figures.templates++;
    if (pool_is_fresh(p))
        kept->starting_count++;
    else
        kept->next = t;
    r = pool_launch(p, t);
    if (r == 0)
        return;
    pool_failed(p, kept, strerror(-r));
    if (t->pid != 0 && t->end.fd < 0) {
        (void)kill(t->pid, SIGKILL);
        (void)waitpid(t->pid, NULL, 0);
        t->pid = 0;
    }
    pool_retire(p, t);
    pool_forget(t);
}

void
pool_on_template_end(struct pool *p, struct pool_template *t)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    enum template_state was = t->state;
    int status = 0;

    if (waitpid(t->pid, &status, 0) == t->pid)
        t->pid = 0;
    pool_close(&t->end);
    if (was == TEMPLATE_CURRENT || was == TEMPLATE_SPARE)
        log_warn(
            "template died profile=%s status=%d", kept->figures.name, status);
    if (was == TEMPLATE_STARTING || was == TEMPLATE_TRIAL)
        pool_failed(p, kept, "a template died while it started");
    if (was != TEMPLATE_RETIRED)
        pool_retire(p, t);
    pool_forget(t);
}

/* --- boxes --------------------------------------------------------------- */

static int
pool_send_fork(struct pool *p, struct pool_template *t, struct pool_box *box)
{
    int pipe_fds[2], pass[2];
    char byte = box->is_trial ? TEMPLATE_FORK_TRIAL : TEMPLATE_FORK;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return -errno;
    box->wake_read_fd = pipe_fds[0];
    box->wake_fd = pipe_fds[1];
    box->slate_fd = slate_new(&p->layout);
    if (box->slate_fd < 0)
        return box->slate_fd;
    pass[0] = box->wake_read_fd;
    pass[1] = box->slate_fd;
    return fd_pass_send(t->sock.fd, &byte, 1, pass, 2);
}

static int
pool_fork(struct pool *p, struct pool_template *t, bool is_trial)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    struct pool_box *box = calloc(1, sizeof(*box));
    int r;

    if (box == NULL)
        return -ENOMEM;
    box->from = t;
    box->state = BOX_FORKING;
    box->is_trial = is_trial;
    box->wake_fd = box->wake_read_fd = box->slate_fd = box->end.fd = -1;
    LIST_INSERT_HEAD(&t->boxes, box, sibling);
    r = pool_send_fork(p, t, box);
    if (r < 0) {
        pool_box_ended(p, box, false);
        return r;
    }
    if (TAILQ_EMPTY(&t->forking))
        t->asked_us = clock_mono_us();
    TAILQ_INSERT_TAIL(&t->forking, box, link);
    kept->forking_count++;
    kept->figures.forks++;
    t->made++;
    return 0;
}

static void
pool_count_crash(struct pool *p, struct pool_template *t)
{
    p->profiles[t->profile].figures.crashes++;
    t->is_burnt = true;
}

void
pool_box_leaves(struct pool *p, struct pool_box *box, bool crashed)
{
    p->profiles[box->from->profile].running_count--;
    box->state = BOX_LEAVING;
    box->lane = NULL;
    if (crashed)
        pool_count_crash(p, box->from);
    (void)syscall(SYS_pidfd_send_signal, box->end.fd, SIGKILL, NULL, 0);
}

void
pool_box_ended(struct pool *p, struct pool_box *box, bool crashed)
{
    struct pool_template *t = box->from;
    struct pool_profile *kept = &p->profiles[t->profile];

    if (box->state == BOX_PARKED) {
        TAILQ_REMOVE(&kept->parked, box, link);
        kept->parked_count--;
    }
    if (p->warming == box)
        p->warming = NULL;
    if (box->state == BOX_RUNNING)
        kept->running_count--;
    if (crashed)
        pool_count_crash(p, t);
    LIST_REMOVE(box, sibling);
    pool_close(&box->end);
    if (box->wake_fd >= 0)
        (void)close(box->wake_fd);
    if (box->wake_read_fd >= 0)
        (void)close(box->wake_read_fd);
    if (box->slate_fd >= 0)
        (void)close(box->slate_fd);
    free(box);
    pool_forget(t);
}

/*
 * No process, no memory, or a step that fails in every box: trying again at
 * once would only make it worse.
 */
static void
pool_box_failed(struct pool *p, struct pool_profile *kept, const char *why)
{
    kept->fork_not_before_us =
        clock_mono_us() + pool_retry_us(kept->fork_failures++);
    (void)snprintf(
        p->status.problem, sizeof(p->status.problem), "no box: %s", why);
    p->has_news = true;
    log_error("no box profile=%s: %s", kept->figures.name, why);
}

/* A template whose trial box cannot be made is of no use, nor is a fresh one
 * that has no box to make. */
static void
pool_on_no_box(struct pool *p, struct pool_box *box, int error)
{
    struct pool_template *t = box->from;
    struct pool_profile *kept = &p->profiles[t->profile];

    if (t->state == TEMPLATE_TRIAL)
        pool_failed(p, kept, strerror(error));
    else
        pool_box_failed(p, kept, strerror(error));
    if (t->state == TEMPLATE_TRIAL || pool_is_fresh(p))
        pool_retire(p, t);
    pool_box_ended(p, box, false);
}

static void
pool_on_pid(struct pool *p, struct pool_template *t, int32_t pid)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    struct pool_box *box = TAILQ_FIRST(&t->forking);
    int fd;

    if (box == NULL)
        return;
    TAILQ_REMOVE(&t->forking, box, link);
    kept->forking_count--;
    t->asked_us = clock_mono_us();
    fd = pid > 0 ? pool_pidfd(pid) : pid;
    if (fd < 0 || pool_listen(p, &box->end, SOURCE_BOX_END, fd, box) < 0) {
        pool_on_no_box(p, box, fd < 0 ? -fd : errno);
        return;
    }
    kept->fork_failures = 0;
    box->pid = pid;
    if (box->is_trial) {
        char wake = BOX_WAKE_TRIAL;

        box->state = BOX_TRIAL;
        (void)fd_write_all(box->wake_fd, &wake, 1);
        return;
    }
    box->state = BOX_PARKED;
    TAILQ_INSERT_TAIL(&kept->parked, box, link);
    kept->parked_count++;
    /* Fresh: this template has made its box. */
    if (pool_is_fresh(p) && kept->was_tried)
        pool_retire(p, t);
}

struct pool_box *
pool_take(struct pool *p, enum profile_id profile)
{
    struct pool_profile *kept = &p->profiles[profile];
    struct pool_box *box = TAILQ_FIRST(&kept->parked);

    if (box == NULL) {
        kept->figures.waits++;
        return NULL;
    }
    /* One that rehearses would take the order a little later. */
    if (box == p->warming && TAILQ_NEXT(box, link) != NULL)
        box = TAILQ_NEXT(box, link);
    if (box == p->warming)
        p->warming = NULL;
    TAILQ_REMOVE(&kept->parked, box, link);
    kept->parked_count--;
    kept->running_count++;
    box->state = BOX_RUNNING;
    return box;
}

/* Those that wait for an order of a template that is no longer trusted. */
static void
pool_discard_parked(struct pool *p, const struct pool_template *t)
{
    struct pool_box *box;

    LIST_FOREACH(box, &t->boxes, sibling)
    if (box->state == BOX_PARKED) {
        TAILQ_REMOVE(&p->profiles[t->profile].parked, box, link);
        p->profiles[t->profile].parked_count--;
        if (p->warming == box)
            p->warming = NULL;
        box->state = BOX_DISCARDED;
        (void)close(box->wake_fd); /* end of file: it exits */
        box->wake_fd = -1;
    }
}

/* --- what a template says ------------------------------------------------ */

static void
pool_set_layers(struct pool *p, uint64_t on, const int32_t *errors)
{
    struct status *s = &p->status;

    s->layer_count = LAYER_COUNT;
    for (size_t i = 0; i < LAYER_COUNT; i++) {
        struct status_layer *l = &s->layers[i];

        (void)snprintf(l->name, sizeof(l->name), "%s", confine_layer_names[i]);
        l->is_on = (on >> i & 1) != 0;
        (void)snprintf(l->note, sizeof(l->note), "%s",
            l->is_on || errors[i] == 0 ? "" : strerror(errors[i]));
    }
    p->has_news = true;
}

static bool
pool_is_worn(
    const struct pool *p, const struct pool_template *t, uint64_t now_us)
{
    return t->is_burnt || t->made >= p->setup->retire_boxes ||
           now_us - t->since_us >= (uint64_t)p->setup->retire_s * 1000000;
}

/* In the place of the current one, if there is one. */
static void
pool_promote(struct pool *p, struct pool_template *t)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    struct pool_template *old = kept->current;

    t->state = TEMPLATE_CURRENT;
    t->since_us = clock_mono_us();
    kept->current = t;
    if (kept->spare == t)
        kept->spare = NULL;
    if (old != NULL) {
        if (old->is_burnt)
            pool_discard_parked(p, old);
        pool_retire(p, old);
        pool_forget(old);
    }
    p->has_news = true;
}

/* Its trial box found everything shut. */
static void
pool_has_passed(struct pool *p, struct pool_template *t)
{
    struct pool_profile *kept = &p->profiles[t->profile];

    kept->failures = 0;
    kept->was_tried = true;
    kept->figures.is_ready = 1;
    p->has_news = true;
    log_info("template ready profile=%s pid=%d python=%s", kept->figures.name,
        t->pid, t->hello.python);
    if (kept->next == t)
        kept->next = NULL;
    if (pool_is_fresh(p))
        return;
    t->state = TEMPLATE_SPARE;
    kept->spare = t;
}

static void
pool_on_hello(struct pool *p, struct pool_template *t)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    int r;

    (void)snprintf(
        p->status.python, sizeof(p->status.python), "%s", t->hello.python);
    if (pool_is_fresh(p))
        kept->starting_count--;
    t->state = TEMPLATE_TRIAL;
    if (pool_is_fresh(p) && kept->was_tried) {
        t->state = TEMPLATE_CURRENT;
        r = pool_fork(p, t, false);
    } else {
        r = pool_fork(p, t, true);
    }
    if (r < 0) {
        pool_failed(p, kept, strerror(-r));
        pool_retire(p, t);
        pool_forget(t);
    }
}

static void
pool_read_hello(struct pool *p, struct pool_template *t)
{
    char bytes[HELLO_MAX_BODY];
    int fd = -1;
    size_t n_fds = 1;
    ssize_t n = fd_pass_recv(t->sock.fd, bytes, sizeof(bytes), &fd, &n_fds);

    if (n_fds == 1 && pool_listen(p, &t->listener, SOURCE_LISTENER, fd, t) < 0)
        log_error("no listener: %s", strerror(errno));
    if (n <= 0 || hello_unpack(view_of(bytes, (size_t)n), &t->hello) < 0)
        return; /* its end is reported by its pidfd */
    if (t->hello.is_ready) {
        pool_on_hello(p, t);
        return;
    }
    pool_set_layers(p, t->hello.layers, t->hello.errors);
    pool_failed(p, &p->profiles[t->profile], t->hello.problem);
    pool_retire(p, t);
}

void
pool_on_template(struct pool *p, struct pool_template *t)
{
    unsigned char answer[4];
    size_t none = 0;
    struct view v;

    if (t->state == TEMPLATE_STARTING) {
        pool_read_hello(p, t);
        return;
    }
    if (fd_pass_recv(t->sock.fd, answer, sizeof(answer), NULL, &none) !=
        sizeof(answer)) {
        pool_retire(p, t);
        return;
    }
    v = view_of(answer, sizeof(answer));
    pool_on_pid(p, t, (int32_t)view_u32(&v));
}

bool
pool_box_never_woke(const struct pool_box *box)
{
    int unread = 0;

    return ioctl(box->wake_read_fd, FIONREAD, &unread) == 0 && unread > 0;
}

/* --- boxes that ended without an order ----------------------------------- */

void
pool_describe_end(
    const struct slate_head *head, int status, char *text, size_t size)
{
    const char *step =
        head->step < box_step_count ? box_steps[head->step].name : "trial";

    if (head->phase == SLATE_STEP_FAILED)
        (void)snprintf(text, size, "confinement step '%s' failed: %s", step,
            strerror(head->error));
    else
        (void)snprintf(
            text, size, "a box ended before its order, status %d", status);
}

static void
pool_on_trial(struct pool *p, struct pool_template *t,
    const struct slate_head *head, int status)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    char why[STATUS_MAX_NOTE];

    if (status == 0 && head->phase == SLATE_PARKED) {
        pool_set_layers(p, head->layers, t->hello.errors);
        kept->base_kb = head->base_kb;
        pool_has_passed(p, t);
        if (pool_is_fresh(p)) {
            pool_retire(p, t);
            pool_forget(t);
        }
        return;
    }
    pool_describe_end(head, status, why, sizeof(why));
    pool_failed(p, kept, why);
    pool_retire(p, t);
    pool_forget(t);
}

void
pool_on_idle_end(struct pool *p, struct pool_box *box, int status)
{
    struct pool_template *t = box->from;
    struct slate_head head = { 0 };
    char why[STATUS_MAX_NOTE];

    (void)fd_pread_all(box->slate_fd, &head, sizeof(head), 0);
    if (box->state == BOX_TRIAL) {
        if (t->state == TEMPLATE_TRIAL)
            pool_on_trial(p, t, &head, status);
    } else if (status != 0) {
        pool_describe_end(&head, status, why, sizeof(why));
        pool_box_failed(p, &p->profiles[t->profile], why);
    }
    pool_box_ended(p, box, false);
}

/* --- keeping up ---------------------------------------------------------- */

/* A spare is there before it is needed: whoever crashes boxes on purpose makes
 * nobody wait, and is handed no second box of a template that a crash may have
 * told about. */
static void
pool_keep_template(struct pool *p, enum profile_id profile, uint64_t now_us)
{
    struct pool_profile *kept = &p->profiles[profile];

    if (kept->spare != NULL && !kept->spare->is_hung &&
        (kept->current == NULL || pool_is_worn(p, kept->current, now_us)))
        pool_promote(p, kept->spare);
    if (kept->spare == NULL && kept->next == NULL &&
        now_us >= kept->not_before_us)
        pool_start_template(p, profile);
}

static void
pool_refill(struct pool *p, struct pool_profile *kept, uint64_t now_us)
{
    unsigned want = p->setup->parked + kept->wanted;
    unsigned have = kept->parked_count + kept->forking_count;

    if (now_us < kept->fork_not_before_us)
        return;
    /* While an order runs the processor is its own, unless boxes get few or
     * it has run for long. */
    if (kept->running_count > kept->long_count && kept->wanted == 0 &&
        have * 2 >= want)
        return;
    while (kept->current != NULL && kept->forking_count < POOL_MAX_FORKING &&
           kept->parked_count + kept->forking_count < want)
        if (pool_fork(p, kept->current, false) < 0)
            return;
}

static void
pool_keep_fresh(struct pool *p, enum profile_id profile, uint64_t now_us)
{
    struct pool_profile *kept = &p->profiles[profile];
    unsigned want = p->setup->parked + kept->wanted;

    if (now_us < kept->not_before_us)
        return;
    if (!kept->was_tried)
        want = 1;
    while (kept->parked_count + kept->forking_count + kept->starting_count <
               want &&
           kept->starting_count < POOL_MAX_FORKING) {
        unsigned before = kept->starting_count;

        pool_start_template(p, profile);
        if (kept->starting_count == before)
            return;
    }
}

/* --- rehearsals ----------------------------------------------------------- */

/* Nobody waits, and what runs is long and gives way (watch.h): the processors
 * have nothing better to do. */
static bool
pool_is_quiet(const struct pool *p)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (p->profiles[i].running_count > p->profiles[i].long_count ||
            p->profiles[i].wanted > 0)
            return false;
    return true;
}

/* Warm boxes stand first in their row; true once this one does. */
static bool
pool_has_warmed(struct pool *p, struct pool_box *box)
{
    struct pool_boxes *parked = &p->profiles[box->from->profile].parked;
    uint32_t is_warm = 0;

    (void)fd_pread_all(box->slate_fd, &is_warm, sizeof(is_warm),
        offsetof(struct slate_head, is_warm));
    if (is_warm == 0)
        return false;
    box->is_warm = true;
    TAILQ_REMOVE(parked, box, link);
    TAILQ_INSERT_HEAD(parked, box, link);
    return true;
}

static struct pool_box *
pool_find_cold(struct pool *p)
{
    struct pool_box *box;

    for (size_t i = 0; i < PROFILE_COUNT; i++)
        TAILQ_FOREACH(box, &p->profiles[i].parked, link)
    if (!box->is_warm)
        return box;
    return NULL;
}

/*
 * A rehearsal costs more than most programs.  It is worth that while nobody
 * waits; under load boxes get their orders as they are, and more of them in
 * all.  One at a time, so that an order finds a processor free.
 */
static void
pool_warm(struct pool *p)
{
    char wake = BOX_WAKE_WARM;

    if (p->warming != NULL && pool_has_warmed(p, p->warming))
        p->warming = NULL;
    if (p->warming != NULL || !pool_is_quiet(p))
        return;
    p->warming = pool_find_cold(p);
    if (p->warming != NULL && write(p->warming->wake_fd, &wake, 1) != 1)
        p->warming = NULL; /* dead; its end is on its way */
}

/* When to give a template up that has said nothing; UINT64_MAX for never. */
static uint64_t
pool_patience_us(const struct pool_template *t)
{
    if (t->state == TEMPLATE_RETIRED || t->state == TEMPLATE_SPARE)
        return UINT64_MAX;
    if (t->state != TEMPLATE_CURRENT)
        return t->since_us + POOL_HUNG_START_US;
    return TAILQ_EMPTY(&t->forking) ? UINT64_MAX
                                    : t->asked_us + POOL_HUNG_FORK_US;
}

/* What stopped the current one may have stopped its spare, which cannot be
 * asked: an order that waits has no time to find out. */
static void
pool_end_spare(struct pool_profile *kept, const struct pool_template *hung)
{
    struct pool_template *spare = kept->spare;

    if (hung != kept->current || spare == NULL || spare->is_hung)
        return;
    spare->is_hung = true;
    (void)syscall(SYS_pidfd_send_signal, spare->end.fd, SIGKILL, NULL, 0);
}

/* Killed, it is replaced like any that died: pool_on_template_end(). */
static void
pool_end_hung(struct pool *p, uint64_t now_us)
{
    struct pool_template *t;

    LIST_FOREACH(t, &p->templates, link)
    if (now_us >= pool_patience_us(t) && !t->is_hung) {
        log_error("template hangs profile=%s pid=%d, killed",
            p->profiles[t->profile].figures.name, t->pid);
        t->is_hung = true;
        (void)syscall(SYS_pidfd_send_signal, t->end.fd, SIGKILL, NULL, 0);
        pool_end_spare(&p->profiles[t->profile], t);
    }
}

void
pool_keep(struct pool *p)
{
    uint64_t now_us = clock_mono_us();

    pool_end_hung(p, now_us);
    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &p->profiles[i];

        if (!kept->is_kept)
            continue;
        if (pool_is_fresh(p)) {
            pool_keep_fresh(p, (enum profile_id)i, now_us);
        } else {
            pool_keep_template(p, (enum profile_id)i, now_us);
            pool_refill(p, kept, now_us);
        }
    }
    pool_warm(p);
}

uint64_t
pool_next_us(const struct pool *p)
{
    uint64_t next = UINT64_MAX, worn;
    const struct pool_template *t;

    if (p->warming != NULL)
        next = clock_mono_us() + POOL_LOOK_US;
    LIST_FOREACH(t, &p->templates, link)
    if (!t->is_hung && pool_patience_us(t) < next)
        next = pool_patience_us(t);
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        const struct pool_profile *kept = &p->profiles[i];

        if (!kept->is_kept)
            continue;
        if (kept->fork_failures > 0 && kept->fork_not_before_us < next)
            next = kept->fork_not_before_us;
        if (kept->next == NULL && kept->failures > 0 &&
            kept->not_before_us < next)
            next = kept->not_before_us;
        /* Without a spare nothing can be done about a worn one. */
        if (kept->current == NULL || kept->spare == NULL)
            continue;
        worn = kept->current->since_us + (uint64_t)p->setup->retire_s * 1000000;
        if (worn < next)
            next = worn;
    }
    return next;
}

bool
pool_can_serve(const struct pool *p, enum profile_id profile)
{
    const struct pool_profile *kept = &p->profiles[profile];

    return kept->was_tried && kept->fork_failures < POOL_MANY_FAILURES &&
           (kept->current != NULL || kept->failures < POOL_MANY_FAILURES);
}

void
pool_status(struct pool *p, struct status *ret_status)
{
    struct status *s = &p->status;

    s->is_ready = 1;
    s->profile_count = 0;
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &p->profiles[i];

        if (!kept->is_kept)
            continue;
        kept->figures.is_ready = pool_can_serve(p, (enum profile_id)i);
        kept->figures.parked = kept->parked_count;
        kept->figures.running = kept->running_count;
        if (!kept->figures.is_ready)
            s->is_ready = 0;
        s->profiles[s->profile_count++] = kept->figures;
    }
    if (s->is_ready)
        s->problem[0] = '\0';
    *ret_status = *s;
}

static bool
pool_knows(const struct pool *p, pid_t pid)
{
    const struct pool_template *t;
    const struct pool_box *box;

    LIST_FOREACH(t, &p->templates, link)
    {
        if (t->pid == pid)
            return true;
        LIST_FOREACH(box, &t->boxes, sibling)
        if (box->pid == pid)
            return true;
    }
    return false;
}

void
pool_reap_strays(const struct pool *p)
{
    siginfo_t info = { 0 };

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0 && !pool_knows(p, info.si_pid)) {
        (void)waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
}
