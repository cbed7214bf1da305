/*
 * template - CPython warmed up, nothing of any client in it
 *
 *   recv   setup and profile
 *   move   its own code onto large pages, if it is to serve (large.h)
 *   warm   interpreter, modules, everything that is ever read from a file
 *   step   template_steps[]: namespaces, empty root, landlock, listener
 *   send   hello, with the listener's descriptor
 *   loop   recv a byte with two descriptors, clone a box, send its pid
 *
 * A box is cloned with CLONE_PARENT: the kernel makes it the warden's child,
 * not ours, so the warden alone learns how it ended, and a template that dies
 * takes no box with it.
 */
#include "sandbox/template.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/base/buf.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/base/near.h"
#include "sandbox/box.h"
#include "sandbox/python/interp.h"
#include "sandbox/large.h"
#include "sandbox/wire/hello.h"
#include "sandbox/wire/profile.h"

/*
 * What every box of this template inherits, in the order it is taken.
 */
const struct confine_step template_steps[] = {
    { "identity", confine_identity, false }, /* the warden left root; check */
    { "keyring", confine_keyring, true }, /* by our own id, outside */
    { "namespaces", confine_namespaces, true }, /* grants what root needs */
    { "root", confine_root, true }, /* in the new mount namespace */
    { "few_capabilities", confine_few_capabilities, false }, /* mounts done */
    { "no_new_privs", confine_no_new_privs, false }, /* the next ask for it */
    { "no_exec_gain", confine_no_exec_gain, true }, /* libraries are mapped */
    { "speculation", confine_speculation, true }, /* anywhere before code */
    { "landlock", confine_landlock, true }, /* forbids mounts: after root */
    { "files", confine_verify_files, false }, /* both file layers stand */
    { "listener", confine_listener, false }, /* last: asks about open() */
};
const size_t template_step_count =
    sizeof(template_steps) / sizeof(template_steps[0]);

struct template
{
    struct hello_ask ask;
    struct confine confine;
    struct hello hello;
};

static int
template_ask(struct template *t)
{
    char bytes[SETUP_MAX_BODY];
    size_t no_fds = 0;
    ssize_t n = fd_pass_recv(TEMPLATE_FD, bytes, sizeof(bytes), NULL, &no_fds);

    if (n <= 0)
        return n < 0 ? (int)n : -EPIPE;
    if (hello_ask_unpack(view_of(bytes, (size_t)n), &t->ask) < 0 ||
        t->ask.profile >= PROFILE_COUNT)
        return -EPROTO;
    return 0;
}

/* Total and writable size of this process, from /proc, while it is there. */
static int
template_measure(uint64_t *ret_as, uint64_t *ret_data)
{
    AUTO_FD fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned long size, resident, shared, text, lib, data;
    char line[128];
    ssize_t n;

    if (fd < 0)
        return -errno;
    n = read(fd, line, sizeof(line) - 1);
    if (n <= 0)
        return -EIO;
    line[n] = '\0';
    if (sscanf(line, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared,
            &text, &lib, &data) != 6)
        return -EIO;
    *ret_as = size * page;
    *ret_data = data * page;
    return 0;
}

static void
template_problem(struct template *t, const char *what, int error)
{
    (void)snprintf(t->hello.problem, sizeof(t->hello.problem), "%s: %s", what,
        strerror(error));
}

/* What an operator can mend, in words that say how. */
static void
template_step_problem(struct template *t, size_t step, int error)
{
    const char *name = template_steps[step].name;

    if (strcmp(name, "files") == 0 && error == ENOTSUP)
        (void)snprintf(t->hello.problem, sizeof(t->hello.problem),
            "no layer keeps files away: allow user namespaces "
            "(user.max_user_namespaces > 0) or use a kernel with landlock");
    else if (strcmp(name, "listener") == 0)
        (void)snprintf(t->hello.problem, sizeof(t->hello.problem),
            "no seccomp filter (%s): use a kernel with "
            "CONFIG_SECCOMP_FILTER, Linux 5.10 or newer",
            strerror(error));
    else
        (void)snprintf(t->hello.problem, sizeof(t->hello.problem),
            "confinement step '%s' failed: %s", name, strerror(error));
}

/* Room that a box's own start-up takes beyond what was measured. */
#define TEMPLATE_SLACK ((uint64_t)2 << 20)

static void
template_limits(struct template *t)
{
    const struct setup *s = &t->ask.setup;
    struct slate_layout layout = slate_layout_of(s);
    struct confine_limits *l = &t->confine.limits;

    t->hello.as_bytes += layout.total + TEMPLATE_SLACK;
    t->hello.data_bytes += TEMPLATE_SLACK;
    l->as_bytes = t->hello.as_bytes + s->memory_bytes;
    l->data_bytes = t->hello.data_bytes + s->memory_bytes;
    l->cpu_s = (s->cpu_ms + 999) / 1000 + 1;
    t->confine.big_bytes = s->memory_bytes / 2;
}

/* Without them every box is slower, and nothing else is different. */
static void
template_enlarge(void)
{
    int r = large_move();

    if (r < 0)
        log_info("no large pages for code: %s", strerror(-r));
}

static int
template_ready(struct template *t)
{
    size_t failed = 0;
    int r;

    /* One arena: glibc then never needs mprotect() to grow. */
    (void)mallopt(M_ARENA_MAX, 1);
    if (t->ask.is_large)
        template_enlarge();
    if (interp_warm(&profiles[t->ask.profile], &t->ask.setup, t->hello.problem,
            sizeof(t->hello.problem)) < 0)
        return -1;
    r = template_measure(&t->hello.as_bytes, &t->hello.data_bytes);
    if (r == 0)
        r = box_prepare();
    if (r < 0) {
        template_problem(t, "template could not measure itself", -r);
        return -1;
    }
    template_limits(t);
    r = confine_walk(&t->confine, template_steps, template_step_count, &failed);
    if (r < 0) {
        template_step_problem(t, failed, -r);
        return -1;
    }
    /*
     * What was freed lies in lists that glibc would put in order in every
     * box, at its first large request, writing to some hundred pages there.
     */
    (void)malloc_trim(0);
    return 0;
}

static int
template_hello(struct template *t)
{
    struct buf b;
    int fd = t->confine.listener_fd;
    int r;

    (void)snprintf(t->hello.python, sizeof(t->hello.python), "%s",
        t->hello.is_ready ? interp_version() : "");
    t->hello.layers = t->confine.on;
    for (size_t i = 0; i < LAYER_COUNT; i++)
        t->hello.errors[i] = t->confine.error[i];
    buf_init(&b, HELLO_MAX_BODY);
    hello_pack(&b, &t->hello);
    r = buf_ok(&b)
            ? fd_pass_send(TEMPLATE_FD, b.data, b.len, &fd, fd >= 0 ? 1 : 0)
            : -ENOMEM;
    buf_done(&b);
    if (fd >= 0)
        (void)close(fd);
    return r;
}

/*
 * Filters of containers cannot look behind the pointer that clone3() takes and
 * say that there is no such call; clone() shows its flags.
 */
static long
template_clone(const struct confine *c)
{
    struct clone_args args = { .flags = CLONE_PARENT };
    long pid;

    if (confine_has(c, LAYER_PID_NS))
        args.flags |= CLONE_NEWPID;
    pid = syscall(SYS_clone3, &args, sizeof(args));
    if (pid < 0 && errno == ENOSYS)
        pid = syscall(SYS_clone, args.flags, 0, 0, 0, 0);
    return pid;
}

static int
template_fork_box(struct template *t, const struct box_start *start)
{
    unsigned char answer[4];
    long pid;
    int error;

    pid = template_clone(&t->confine);
    if (pid == 0) {
        (void)prctl(PR_SET_NAME, "glovebox-box", 0, 0, 0);
        box_live(&t->confine, &t->ask.setup, start);
    }
    error = errno;
    if (pid < 0)
        pid = -error;
    for (size_t i = 0; i < sizeof(answer); i++)
        answer[i] = (unsigned char)((uint32_t)pid >> (8 * i));
    return fd_write_all(TEMPLATE_FD, answer, sizeof(answer));
}

/* Until the warden closes its end. */
static int
template_serve(struct template *t)
{
    int fds[2], r;
    size_t n;
    char byte;

    for (;;) {
        n = 2;
        if (fd_pass_recv(TEMPLATE_FD, &byte, 1, fds, &n) != 1)
            return 0;
        r = n == 2 ? template_fork_box(t,
                         &(struct box_start){
                             .wake_fd = fds[0],
                             .slate_fd = fds[1],
                             .is_trial = byte == TEMPLATE_FORK_TRIAL,
                         })
                   : -EPROTO;
        for (size_t i = 0; i < n; i++)
            (void)close(fds[i]);
        if (r < 0)
            return 1;
    }
}

int
template_main(void)
{
    static NEAR struct template t;

    t.confine.listener_fd = -1;
    (void)prctl(PR_SET_NAME, "glovebox-tmpl", 0, 0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || template_ask(&t) < 0)
        return 1;
    log_open("template", (enum log_level)t.ask.setup.log_level);
    log_set_format((enum log_format)t.ask.setup.log_format);
    t.confine.on = t.ask.layers;
    t.hello.is_ready = template_ready(&t) == 0;
    if (template_hello(&t) < 0 || !t.hello.is_ready)
        return 1;
    /* 0, 1 and 2 served while there were files; now the socket is all. */
    for (int fd = 0; fd < TEMPLATE_FD; fd++)
        (void)close(fd);
    return template_serve(&t);
}
