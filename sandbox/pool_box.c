/* pool_box - one box as the warden sees it, from its fork to its end */
#include "sandbox/pool_box.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/box.h"
#include "sandbox/pool.h"
#include "sandbox/template.h"

/* --- its fork ------------------------------------------------------------ */

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

int
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

/*
 * No process, no memory, or a step that fails in every box: trying again at
 * once would only make it worse.  Boxes that somebody kills at one blow are one
 * failure and not a row of them: nothing has been tried since the first fell.
 */
static void
pool_box_failed(
    struct pool *p, struct pool_profile *kept, bool was_killed, const char *why)
{
    uint64_t now_us = clock_mono_us();

    if (!was_killed || now_us >= kept->fork_not_before_us)
        kept->fork_not_before_us =
            now_us + pool_retry_us(kept->fork_failures++);
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
        pool_box_failed(p, kept, false, strerror(error));
    if (t->state == TEMPLATE_TRIAL || pool_is_fresh(p))
        pool_retire(p, t);
    pool_box_ended(p, box, false);
}

void
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
    fd = pid > 0 ? source_pidfd(pid) : pid;
    if (fd < 0 ||
        source_listen(p->epoll_fd, &box->end, SOURCE_BOX_END, fd, box) < 0) {
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

/* --- its order ----------------------------------------------------------- */

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

void
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

bool
pool_box_never_woke(const struct pool_box *box)
{
    int unread = 0;

    return ioctl(box->wake_read_fd, FIONREAD, &unread) == 0 && unread > 0;
}

/* --- its end ------------------------------------------------------------- */

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
    source_close(&box->end);
    if (box->wake_fd >= 0)
        (void)close(box->wake_fd);
    if (box->wake_read_fd >= 0)
        (void)close(box->wake_read_fd);
    if (box->slate_fd >= 0)
        (void)close(box->slate_fd);
    free(box);
    pool_forget(t);
}

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
        pool_box_failed(p, &p->profiles[t->profile],
            WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, why);
    }
    pool_box_ended(p, box, false);
}
