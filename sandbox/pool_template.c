/* pool_template - one template, from its start to its last box */
#include "sandbox/pool_template.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/confine/confine.h"
#include "sandbox/pool.h"
#include "sandbox/template.h"

/*
 * A template that does not come up, or does not answer, in this time hangs and
 * is killed; the second is less than an order waits for a box.
 */
#define POOL_HUNG_START_US 30000000
#define POOL_HUNG_FORK_US 3000000

/* --- its process --------------------------------------------------------- */

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
        .is_large = t->is_large,
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
    pidfd = source_pidfd(t->pid);
    if (pidfd < 0)
        return pidfd;
    r = source_listen(
        p->epoll_fd, &t->end, SOURCE_TEMPLATE_END, take_fd(&pidfd), t);
    if (r == 0)
        r = source_listen(
            p->epoll_fd, &t->sock, SOURCE_TEMPLATE, take_fd(&ours), t);
    if (r == 0)
        r = pool_ask_template(p, t);
    return r;
}

/* --- start and end ------------------------------------------------------- */

void
pool_failed(struct pool *p, struct pool_profile *kept, const char *why)
{
    kept->not_before_us = clock_mono_us() + pool_retry_us(kept->failures++);
    (void)snprintf(p->status.problem, sizeof(p->status.problem), "%s", why);
    p->has_news = true;
    log_error("template failed profile=%s: %s", kept->figures.name, why);
}

void
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
    source_close(&t->sock);
    /* It may have cloned one whose pid never reached us: that box finds its
     * wake pipe at its end and exits; pool_reap_strays() collects it. */
    while ((box = TAILQ_FIRST(&t->forking)) != NULL) {
        TAILQ_REMOVE(&t->forking, box, link);
        kept->forking_count--;
        pool_box_ended(p, box, false);
    }
}

void
pool_forget(struct pool_template *t)
{
    if (t->pid != 0 || !LIST_EMPTY(&t->boxes) || t->state != TEMPLATE_RETIRED)
        return;
    source_close(&t->listener);
    source_close(&t->end);
    LIST_REMOVE(t, link);
    free(t);
}

void
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
    t->base_kb = kept->base_kb;
    t->is_large = !pool_is_fresh(p) &&
                  (kept->current == NULL || !kept->current->is_large) &&
                  (kept->spare == NULL || !kept->spare->is_large);
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
    source_close(&t->end);
    if (was == TEMPLATE_CURRENT || was == TEMPLATE_SPARE)
        log_warn(
            "template died profile=%s status=%d", kept->figures.name, status);
    if (was == TEMPLATE_STARTING || was == TEMPLATE_TRIAL)
        pool_failed(p, kept, "a template died while it started");
    if (was != TEMPLATE_RETIRED)
        pool_retire(p, t);
    pool_forget(t);
}

/* --- what it says -------------------------------------------------------- */

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

    if (n_fds == 1 &&
        source_listen(p->epoll_fd, &t->listener, SOURCE_LISTENER, fd, t) < 0)
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

/* --- its trial ----------------------------------------------------------- */

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
    if (kept->spare != NULL) /* it waited for a spare of its own */
        pool_promote(p, kept->spare);
    t->state = TEMPLATE_SPARE;
    kept->spare = t;
}

void
pool_on_trial(struct pool *p, struct pool_template *t,
    const struct slate_head *head, int status)
{
    struct pool_profile *kept = &p->profiles[t->profile];
    char why[STATUS_MAX_NOTE];

    if (status == 0 && head->phase == SLATE_PARKED) {
        pool_set_layers(p, head->layers, t->hello.errors);
        t->base_kb = kept->base_kb = head->base_kb;
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

/* --- in the place of another --------------------------------------------- */

bool
pool_is_worn(
    const struct pool *p, const struct pool_template *t, uint64_t now_us)
{
    return t->is_burnt || t->made >= p->setup->retire_boxes ||
           now_us - t->since_us >= (uint64_t)p->setup->retire_s * 1000000;
}

bool
pool_stands_in(const struct pool_template *t, const struct pool_template *next)
{
    return t != NULL && next->is_large && !t->is_large;
}

void
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
        if (old->is_burnt || pool_stands_in(old, t))
            pool_discard_parked(p, old);
        pool_retire(p, old);
        pool_forget(old);
    }
    p->has_news = true;
}

/* --- one that hangs ------------------------------------------------------ */

uint64_t
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
void
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
