/*
 * seccomp - two filters from one table (calls.c)
 *
 * The listener is loaded in the template and inherited by every box: it lets
 * all pass but the calls a program may reasonably try and must not have, and
 * mappings so large that only the warden can tell whether they fit.  Those
 * wait for the warden, who answers with an errno and so knows, from the
 * kernel and not from the box, what was tried.  It also asks about the end:
 * a box that waits in exit_group() can do nothing more, so the warden can
 * answer its order before the kernel has taken the process apart, which takes
 * longer than most programs.
 *
 * The cage is loaded in a box, last: allow-list, everything else kills.  What
 * the listener asks about, the cage lets through to it; where the kernel has
 * no listener the cage answers with the errno itself and nobody is told.  Of
 * two filters the stricter answer wins (kill, errno, ask, allow), so the
 * cage never loosens the listener nor the other way round.
 *
 * Both are built once, with libseccomp, and exported; a box loads its cage
 * with one system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/hook.h"
#include "sandbox/confine/calls.h"
#include "sandbox/confine/confine.h"

static struct scmp_arg_cmp
seccomp_check(const struct call_check *c)
{
    static const enum scmp_compare ops[] = {
        [CALL_EQ] = SCMP_CMP_EQ,
        [CALL_NE] = SCMP_CMP_NE,
        [CALL_LE] = SCMP_CMP_LE,
        [CALL_GT] = SCMP_CMP_GT,
        [CALL_MASKED] = SCMP_CMP_MASKED_EQ,
    };

    return (struct scmp_arg_cmp){ c->arg, ops[c->op], c->a, c->b };
}

/* A call that this architecture does not have needs no rule. */
static int
seccomp_add(scmp_filter_ctx ctx, uint32_t action, const char *name, unsigned n,
    const struct scmp_arg_cmp *checks)
{
    int number = seccomp_syscall_resolve_name(name);

    if (number < 0)
        return 0;
    return seccomp_rule_add_array(ctx, action, number, n, checks);
}

static int
seccomp_add_row(
    scmp_filter_ctx ctx, uint32_t action, const struct call_row *row)
{
    struct scmp_arg_cmp checks[2];
    unsigned n = 0;

    for (size_t i = 0; i < 2; i++)
        if (row->checks[i].op != CALL_NO_CHECK)
            checks[n++] = seccomp_check(&row->checks[i]);
    return seccomp_add(ctx, action, row->name, n, checks);
}

/* Row i as it counts; false: it does not (hook.h). */
static bool
seccomp_row(size_t i, struct call_row *ret_row)
{
    *ret_row = call_rows[i];
    if (hook_has_row("bare-call", i, ret_row->name))
        ret_row->checks[0].op = ret_row->checks[1].op = CALL_NO_CHECK;
    if (hook_has_row("allow-call", i, ret_row->name))
        ret_row->kind = CALL_ALLOW;
    return !hook_has_row("drop-call", i, ret_row->name);
}

static int
seccomp_fill_cage(scmp_filter_ctx ctx, bool has_listener)
{
    struct call_row row;
    uint32_t action;
    int r;

    for (size_t i = 0; i < call_count; i++) {
        if (!seccomp_row(i, &row))
            continue;
        if (row.kind == CALL_ALLOW || (row.kind == CALL_NAMED && has_listener))
            action = SCMP_ACT_ALLOW;
        else
            action = SCMP_ACT_ERRNO((uint32_t)row.error);
        /* libseccomp wants no rule that says what is done anyway. */
        if (action == SCMP_ACT_ALLOW && hook_has("allow-rest", "calls"))
            continue;
        r = seccomp_add_row(ctx, action, &row);
        if (r < 0)
            return r;
    }
    return 0;
}

/* A program's size, old or new, in the argument that holds it. */
static int
seccomp_ask_big(
    scmp_filter_ctx ctx, const char *name, unsigned arg, uint64_t bytes)
{
    struct scmp_arg_cmp big = { arg, SCMP_CMP_GT, bytes, 0 };

    return seccomp_add(ctx, SCMP_ACT_NOTIFY, name, 1, &big);
}

static int
seccomp_fill_listener(scmp_filter_ctx ctx, uint64_t big_bytes)
{
    struct call_row row;
    int r;

    for (size_t i = 0; i < call_count; i++) {
        if (!seccomp_row(i, &row) || row.kind != CALL_NAMED)
            continue;
        r = seccomp_add_row(ctx, SCMP_ACT_NOTIFY, &row);
        if (r < 0)
            return r;
    }
    r = seccomp_ask_big(ctx, "mmap", 1, big_bytes);
    if (r == 0)
        r = seccomp_ask_big(ctx, "mremap", 2, big_bytes);
    if (r == 0)
        r = seccomp_add(ctx, SCMP_ACT_NOTIFY, "exit_group", 0, NULL);
    return r;
}

static int
seccomp_export(scmp_filter_ctx ctx, struct confine_filter *ret_filter)
{
    AUTO_FD fd = memfd_create("filter", MFD_CLOEXEC);
    struct stat st;
    void *code;
    int r;

    if (fd < 0)
        return -errno;
    r = seccomp_export_bpf(ctx, fd);
    if (r < 0)
        return r;
    if (fstat(fd, &st) < 0)
        return -errno;
    code = malloc((size_t)st.st_size);
    if (code == NULL)
        return -ENOMEM;
    r = fd_pread_all(fd, code, (size_t)st.st_size, 0);
    if (r < 0) {
        free(code);
        return r;
    }
    ret_filter->code = code;
    ret_filter->count =
        (unsigned short)((size_t)st.st_size / sizeof(struct sock_filter));
    return 0;
}

static int
seccomp_build(struct confine *c, bool is_cage, struct confine_filter *ret)
{
    uint32_t rest = is_cage ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ALLOW;
    scmp_filter_ctx ctx = seccomp_init(rest);
    int r;

    if (is_cage && hook_has("allow-rest", "calls")) {
        seccomp_release(ctx);
        ctx = seccomp_init(SCMP_ACT_ALLOW);
    }
    if (ctx == NULL) /* the kernel does not know an action that we need */
        return -ENOSYS;
    r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    /* A binary tree: a call is found in a few steps, wherever it stands. */
    if (r == 0)
        r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (r == 0)
        r = is_cage
                ? seccomp_fill_cage(ctx, confine_has(c, LAYER_REFUSED_CALLS))
                : seccomp_fill_listener(ctx, c->big_bytes);
    if (r == 0)
        r = seccomp_export(ctx, ret);
    seccomp_release(ctx);
    return r;
}

static int
seccomp_load_filter(const struct confine_filter *f, unsigned flags)
{
    struct sock_fprog prog = { .len = f->count, .filter = f->code };
    long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);

    return r < 0 ? -errno : (int)r;
}

/*
 * Both filters are built before the listener is loaded: once it is, a call
 * like fstat() would wait for a warden that has not got the listener yet.
 */
int
confine_listener(struct confine *c)
{
    int r;

    c->listener_fd = -1;
    (void)confine_hold(c, LAYER_REFUSED_CALLS);
    r = seccomp_build(c, true, &c->cage);
    if (r < 0)
        return r;
    r = seccomp_build(c, false, &c->listener);
    if (r == 0)
        r = seccomp_load_filter(&c->listener, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (r >= 0) {
        c->listener_fd = r;
        (void)fcntl(r, F_SETFD, FD_CLOEXEC);
        return 0;
    }
    (void)confine_lack(c, LAYER_REFUSED_CALLS, -r);
    free(c->cage.code);
    return seccomp_build(c, true, &c->cage);
}

int
confine_seccomp(struct confine *c)
{
    int r = seccomp_load_filter(&c->cage, 0);

    if (r < 0)
        return r;
    /* ENOTTY is the cage's own answer; without it this would be EBADF. */
    if (syscall(SYS_ioctl, 1023, 0, 0) != -1 || errno != ENOTTY)
        return -EPERM;
    return confine_hold(c, LAYER_SECCOMP);
}
