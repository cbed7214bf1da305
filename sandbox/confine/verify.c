/*
 * verify - after switching something off, try it
 *
 * Steps check themselves where they can.  Here is what only shows once
 * several of them are in place: that no file can be reached, that the box is
 * what it should be, and, in a trial box that runs no program, that the
 * filter answers as its table says.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/confine/confine.h"

int
confine_verify_files(struct confine *c)
{
    static const char *const paths[] = { "/etc/passwd", "/proc/self/status",
        "/dev/null", "/usr/lib" };

    if (!confine_has(c, LAYER_EMPTY_ROOT) && !confine_has(c, LAYER_LANDLOCK))
        return -ENOTSUP;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        AUTO_FD fd = open(paths[i], O_RDONLY | O_CLOEXEC);

        if (fd >= 0)
            return -EACCES;
    }
    if (mkdir("/tmp/try", 0700) == 0 || mkdir("/try", 0700) == 0)
        return -EACCES;
    return 0;
}

/* In all sets; the bounding set is empty since the template. */
static bool
verify_has_capability(void)
{
    struct __user_cap_header_struct head = { .version =
                                                 _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct have[2] = { { 0 } };

    if (syscall(SYS_capget, &head, have) < 0)
        return true;
    for (size_t i = 0; i < 2; i++)
        if (have[i].effective | have[i].permitted | have[i].inheritable)
            return true;
    return false;
}

int
confine_verify_box(struct confine *c)
{
    int death = 0;

    if (prctl(PR_GET_PDEATHSIG, &death, 0, 0, 0) < 0 || death != SIGKILL)
        return -EPERM;
    if (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) >= 0)
        return -EBADF;
    if (verify_has_capability())
        return -EPERM;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return -EPERM;
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        return -EPERM;
    if (confine_has(c, LAYER_PID_NS) && syscall(SYS_getpid) != 1)
        return -ESRCH;
    if (getuid() == 0 || geteuid() == 0 || getgid() == 0)
        return -EPERM;
    return 0;
}

/* The answer of the filter's table, and no other. */
static int
trial_expect(long result, int error)
{
    return result == -1 && errno == error ? 0 : -EPERM;
}

/* What must hold whatever the kernel; files have a step of their own. */
static bool
trial_has_all(const struct confine *c)
{
    static const enum confine_layer must[] = { LAYER_DESCRIPTORS, LAYER_RLIMITS,
        LAYER_NO_NEW_PRIVS, LAYER_CAPABILITIES, LAYER_IDENTITY, LAYER_SECCOMP };

    for (size_t i = 0; i < sizeof(must) / sizeof(*must); i++)
        if (!confine_has(c, must[i]))
            return false;
    return true;
}

int
confine_trial(struct confine *c)
{
    void *page;
    int r;

    if (!trial_has_all(c))
        return -ENOTSUP;
    r = trial_expect(
        syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY), EACCES);
    if (r == 0)
        r = trial_expect(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0), EACCES);
    if (r == 0)
        r = trial_expect(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), EPERM);
    if (r == 0)
        r = trial_expect(syscall(SYS_execve, "/bin/sh", NULL, NULL), EPERM);
    if (r == 0)
        r = trial_expect(syscall(SYS_kill, -1, SIGKILL), EPERM);
    if (r == 0)
        r = trial_expect(syscall(SYS_write, 0, "", 1), EBADF);
    if (r == 0)
        r = trial_expect(syscall(SYS_read, 1, NULL, 0), EBADF);
    /* Only the cage says no to these. */
    if (r == 0)
        r = trial_expect(syscall(SYS_getpgrp), EPERM);
    if (r == 0)
        r = trial_expect(syscall(SYS_mprotect, 0, 0, PROT_READ), EPERM);
    if (r < 0)
        return r;
    page = mmap(
        NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    return munmap(page, 4096) < 0 ? -errno : 0;
}
