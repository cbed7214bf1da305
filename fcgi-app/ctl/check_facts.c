/*
 * check_facts - what only the kernel itself can say
 *
 * Each thing is asked as the service will ask it, not looked up in a version:
 * distributions backport, and the filters of containers take away.
 */
#include <errno.h>
#include <grp.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fcgi-app/ctl/check.h"

/* Headers of the build machine may be older than the kernel. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_VERSION 1
#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

static int
facts_error(long result)
{
    return result < 0 ? -errno : 0;
}

int
check_as(
    uint32_t uid, uint32_t gid, int (*body)(const void *), const void *with)
{
    pid_t pid = fork();
    int status;

    if (pid < 0)
        return -errno;
    if (pid == 0) {
        if (geteuid() == 0 &&
            (setgroups(0, NULL) != 0 || setgid(gid) != 0 || setuid(uid) != 0))
            _exit(errno);
        _exit(-body(with));
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -ECHILD;
    return -WEXITSTATUS(status);
}

/* AppArmor lets the first succeed and refuses what is in it. */
static int
facts_unshare(const void *unused)
{
    (void)unused;
    if (unshare(CLONE_NEWUSER) < 0 || unshare(CLONE_NEWNS | CLONE_NEWNET) < 0)
        return -errno;
    return 0;
}

static int
facts_action(uint32_t action)
{
    return facts_error(
        syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action));
}

static int
facts_pidfd(void)
{
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

    if (fd < 0)
        return -errno;
    (void)close(fd);
    return 0;
}

/* With nothing to read it fails, but not as a call that is not there. */
static int
facts_clone3(void)
{
    if (syscall(SYS_clone3, NULL, 0) < 0 &&
        (errno == EINVAL || errno == EFAULT))
        return 0;
    return -errno;
}

void
check_ask(struct check_facts *facts, const struct settings *settings)
{
    struct utsname name;

    memset(facts, 0, sizeof(*facts));
    if (uname(&name) == 0)
        (void)snprintf(
            facts->release, sizeof(facts->release), "%s", name.release);
    facts->landlock_abi =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    if (facts->landlock_abi < 0)
        facts->landlock_abi = -errno;
    facts->user_ns =
        check_as(settings->box_uid, settings->box_gid, facts_unshare, NULL);
    facts->seccomp = facts_action(SECCOMP_RET_KILL_PROCESS);
    facts->notify = facts_action(SECCOMP_RET_USER_NOTIF);
    facts->pidfd = facts_pidfd();
    facts->clone3 = facts_clone3();
    facts->no_exec_gain = facts_error(prctl(PR_GET_MDWE, 0, 0, 0, 0));
    (void)getrlimit(RLIMIT_NOFILE, &facts->files);
    (void)getrlimit(RLIMIT_NPROC, &facts->processes);
    (void)getrlimit(RLIMIT_MEMLOCK, &facts->locked);
}
