/* refusals - what boxes asked of the kernel and did not get */
#include "sandbox/refusals.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/log.h"
#include "sandbox/confine/calls.h"

/* The kernel may know longer structures than we do; it wants its own size. */
static struct seccomp_notif *refusals_call;
static struct seccomp_notif_resp *refusals_reply;
static struct seccomp_notif_sizes refusals_sizes;
static int refusals_mmap, refusals_mremap, refusals_exit;

int
refusals_init(void)
{
    struct seccomp_notif_sizes *s = &refusals_sizes;

    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, s) < 0)
        return -errno;
    if (s->seccomp_notif < sizeof(*refusals_call))
        s->seccomp_notif = sizeof(*refusals_call);
    if (s->seccomp_notif_resp < sizeof(*refusals_reply))
        s->seccomp_notif_resp = sizeof(*refusals_reply);
    refusals_call = calloc(1, s->seccomp_notif);
    refusals_reply = calloc(1, s->seccomp_notif_resp);
    if (refusals_call == NULL || refusals_reply == NULL)
        return -ENOMEM;
    refusals_mmap = seccomp_syscall_resolve_name("mmap");
    refusals_mremap = seccomp_syscall_resolve_name("mremap");
    refusals_exit = seccomp_syscall_resolve_name("exit_group");
    return 0;
}

/* A figure of /proc/PID/status in bytes; 0 when it cannot be had. */
static uint64_t
refusals_size(pid_t pid, const char *key)
{
    char path[64], text[4096], *at;
    AUTO_FD fd = -1;
    ssize_t n;

    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    n = read(fd, text, sizeof(text) - 1);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    at = strstr(text, key);
    if (at == NULL)
        return 0;
    return strtoull(at + strlen(key), NULL, 10) * 1024;
}

/* Each costs the warden a look into /proc. */
static void
refusals_count_question(struct pool_box *box)
{
    if (++box->watch.asked > WATCH_MAX_ASKED)
        watch_kill(&box->watch, box->end.fd, VERDICT_NOISY);
}

/*
 * A mapping above half of the budget: does it still fit?  If not, this is the
 * moment the memory limit was hit, and the warden has seen it.
 */
static int
refusals_big(
    const struct pool_template *t, struct pool_box *box, uint64_t grown_bytes)
{
    uint64_t limit = t->hello.as_bytes + box->watch.memory_bytes;
    uint64_t now = refusals_size(box->pid, "VmSize:");

    refusals_count_question(box);
    if (now + grown_bytes <= limit)
        return 0;
    box->watch.saw_memory = true;
    return ENOMEM;
}

/*
 * The box says an allocation failed.  One that was not seen here was at most
 * half of the server's budget; so the box must have come that near its own.
 */
static void
refusals_look(
    const struct pool *p, const struct pool_template *t, struct pool_box *box)
{
    uint64_t peak = refusals_size(box->pid, "VmPeak:");
    uint64_t unseen = p->setup->memory_bytes / 2;

    refusals_count_question(box);
    if (peak == 0 ||
        peak + unseen >= t->hello.as_bytes + box->watch.memory_bytes)
        box->watch.saw_memory = true;
}

static struct pool_box *
refusals_box(struct pool_template *t, pid_t pid)
{
    struct pool_box *box;

    LIST_FOREACH(box, &t->boxes, sibling)
    if (box->pid == pid)
        return box;
    return NULL;
}

/* Returns the errno to answer with, or 0 to let the call go on. */
static int
refusals_decide(struct pool *p, struct pool_template *t, struct pool_box *box,
    const struct seccomp_data *call)
{
    const struct call_row *row;

    if (call->nr == refusals_mmap && call->args[1] > p->setup->memory_bytes / 2)
        return refusals_big(t, box, call->args[1]);
    if (call->nr == refusals_mremap)
        return refusals_big(t, box, call->args[2] - call->args[1]);
    if (call->nr == refusals_exit && call->args[0] == CALL_EXIT_NO_MEMORY) {
        refusals_look(p, t, box);
        return EAGAIN;
    }
    if (call->nr == refusals_exit)
        return 0;
    row = call_find_named(call->nr);
    if (row == NULL)
        return EPERM;
    if (box->state == BOX_RUNNING)
        watch_count_refused(&box->watch, box->end.fd, row->name);
    else if (!box->is_trial)
        log_warn("call before an order call=%s", row->name);
    return row->error;
}

/* What wait4() will say once the kernel is done with it, as near as can be. */
static void
refusals_usage(pid_t pid, struct rusage *ret_usage)
{
    uint64_t cpu_us = watch_cpu_us(pid);

    memset(ret_usage, 0, sizeof(*ret_usage));
    ret_usage->ru_utime.tv_sec = (time_t)(cpu_us / 1000000);
    ret_usage->ru_utime.tv_usec = (suseconds_t)(cpu_us % 1000000);
    ret_usage->ru_maxrss = (long)(refusals_size(pid, "VmHWM:") / 1024);
}

static bool
refusals_is_end(const struct pool_box *box, const struct seccomp_data *call)
{
    return box != NULL && box->state == BOX_RUNNING && box->lane != NULL &&
           call->nr == refusals_exit && call->args[0] != CALL_EXIT_NO_MEMORY;
}

struct pool_box *
refusals_answer(struct pool *p, struct pool_template *t, int *ret_status,
    struct rusage *ret_usage)
{
    const struct seccomp_data *call = &refusals_call->data;
    struct pool_box *box;
    int error;

    memset(refusals_call, 0, refusals_sizes.seccomp_notif);
    if (ioctl(t->listener.fd, SECCOMP_IOCTL_NOTIF_RECV, refusals_call) < 0)
        return NULL;
    box = refusals_box(t, (pid_t)refusals_call->pid);
    if (refusals_is_end(box, call)) {
        *ret_status = (int)(call->args[0] & 0xff) << 8;
        refusals_usage(box->pid, ret_usage);
        return box;
    }
    /* Not a box: the template itself, which may only end. */
    if (box != NULL)
        error = refusals_decide(p, t, box, call);
    else
        error = call->nr == refusals_exit ? 0 : EPERM;
    memset(refusals_reply, 0, refusals_sizes.seccomp_notif_resp);
    refusals_reply->id = refusals_call->id;
    if (error == 0)
        refusals_reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else
        refusals_reply->error = -error;
    /* Fails only when the box is gone. */
    (void)ioctl(t->listener.fd, SECCOMP_IOCTL_NOTIF_SEND, refusals_reply);
    return NULL;
}
