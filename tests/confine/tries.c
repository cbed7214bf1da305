/* tries - one call after another, each in a cage of its own */
#include "tests/confine/tries.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "sandbox/confine/calls.h"
#include "sandbox/confine/confine.h"
#include "tests/support/fork.h"

#define HANG_MS 3000

struct tried *shared;
int to_supervisor;

static struct confine c;
static void (*template_body)(void);

/* --- the template's side -------------------------------------------------- */

/*
 * The supervisor reaps: wait() is among what is refused here, and a try is
 * cloned as its child, not ours.
 */
static int
ended(int pid)
{
    int status;

    HOLD(fd_write_all(to_supervisor, &pid, sizeof(pid)) == 0);
    HOLD(fd_read_all(to_supervisor, &status, sizeof(status)) == 0);
    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    HOLD(WEXITSTATUS(status) != 99);
    return 0;
}

int
try_in_cage(void (*what)(void))
{
    long pid = fork_raw();

    if (pid == 0) {
        if (confine_seccomp(&c) < 0)
            syscall(SYS_exit_group, 99);
        what();
        syscall(SYS_exit_group, 0);
    }
    HOLD(pid > 0);
    return ended((int)pid);
}

static void
make_call(void)
{
    errno = 0;
    shared->result = syscall(shared->number, shared->args[0], shared->args[1],
        shared->args[2], shared->args[3], shared->args[4], shared->args[5]);
    shared->error = errno;
}

int
call6(long number, unsigned long a0, unsigned long a1, unsigned long a2,
    unsigned long a3, unsigned long a4, unsigned long a5)
{
    *shared = (struct tried){
        .number = number,
        .args = { a0, a1, a2, a3, a4, a5 },
        .result = 12345,
        .error = 12345,
        .asked = -1,
    };
    return try_in_cage(make_call);
}

static void
template_life(void)
{
    HOLD(fd_pass_send(to_supervisor, "L", 1, &c.listener_fd, 1) == 0);
    template_body();
    syscall(SYS_exit_group, 0);
}

/* --- the supervisor's side ------------------------------------------------ */

static void
supervisor_answer(int listener)
{
    struct seccomp_notif call = { 0 };
    struct seccomp_notif_resp reply = { 0 };
    const struct call_row *row;

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
        return;
    reply.id = call.id;
    if (call.data.nr == SYS_exit_group) {
        shared->exits++;
        reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
        return;
    }
    shared->asked = call.data.nr;
    row = call.data.nr == SYS_mmap && call.data.args[1] > TRIES_BIG
              ? NULL
              : call_find_named(call.data.nr);
    reply.error = row != NULL ? -row->error : -ENOMEM;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/*
 * The try may still be waiting for an answer of ours, or, in a call that
 * should have been refused, for ever.
 */
static int
supervisor_reap(int sock, int listener)
{
    struct pollfd p = { .fd = listener, .events = POLLIN };
    int pid, status = 0;

    if (fd_read_all(sock, &pid, sizeof(pid)) < 0)
        return -1;
    for (int ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms++) {
        if (poll(&p, 1, 1) > 0 && (p.revents & POLLIN))
            supervisor_answer(listener);
        if (ms == HANG_MS)
            (void)kill(pid, SIGKILL);
    }
    return fd_write_all(sock, &status, sizeof(status));
}

static void
supervisor_body(void)
{
    int pair[2], listener = -1;
    struct pollfd p[2];
    size_t n = 1;
    pid_t template;
    int status;
    char byte;

    HOLD(fd_pair(SOCK_STREAM, pair) == 0);
    template = fork();
    if (template == 0) {
        (void)close(pair[0]);
        to_supervisor = pair[1];
        c.big_bytes = TRIES_BIG;
        HOLD(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
        HOLD(confine_listener(&c) == 0);
        template_life();
    }
    (void)close(pair[1]);
    HOLD(fd_pass_recv(pair[0], &byte, 1, &listener, &n) == 1 && n == 1);
    p[0] = (struct pollfd){ .fd = pair[0], .events = POLLIN };
    p[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
    while (poll(p, 2, 20000) > 0) {
        if (p[1].revents & POLLIN)
            supervisor_answer(listener);
        else if (p[0].revents != 0 && supervisor_reap(pair[0], listener) < 0)
            break;
    }
    HOLD(waitpid(template, &status, 0) == template);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        _exit(1);
}

int
run_in_template(void (*body)(void))
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    template_body = body;
    return in_fork(supervisor_body);
}
