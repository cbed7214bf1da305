/*
 * namespaces - a world with nothing in it
 *
 * The user namespace comes first: it is what lets an ordinary user make the
 * others.  One id is mapped, to nobody.  The others are made once, in the
 * template, and shared by its boxes, which can do nothing with them; only the
 * pid namespace is made anew for each box, when it is cloned
 * (sandbox/template.c), so that a box is alone in it and dies with it.
 *
 * Where user namespaces are not to be had but the service was started by
 * root, the warden makes those that it can live in itself, before it leaves
 * root, and its templates inherit them.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"
#include "sandbox/confine/confine.h"

#define NOBODY 65534

static const struct {
    enum confine_layer layer;
    int flag;
} namespaces[] = {
    { LAYER_NET_NS, CLONE_NEWNET },
    { LAYER_MOUNT_NS, CLONE_NEWNS },
    { LAYER_IPC_NS, CLONE_NEWIPC },
    { LAYER_UTS_NS, CLONE_NEWUTS },
    { LAYER_CGROUP_NS, CLONE_NEWCGROUP },
};

/* Those of them that need no empty root, so that a warden can live in them. */
#define NAMESPACES_OF_WARDEN                                                   \
    (1 << LAYER_NET_NS | 1 << LAYER_IPC_NS | 1 << LAYER_UTS_NS |               \
        1 << LAYER_CGROUP_NS)

static int
namespaces_write(const char *path, const char *text)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    return fd_write_all(fd, text, strlen(text));
}

static int
namespaces_map_one(const char *path, unsigned outside)
{
    char line[64];

    (void)snprintf(line, sizeof(line), "%d %u 1\n", NOBODY, outside);
    return namespaces_write(path, line);
}

static int
namespaces_user(const struct confine *c)
{
    int r;

    if (unshare(CLONE_NEWUSER) < 0)
        return -errno;
    /* A process that changed its uid is not dumpable, and then the files
     * below belong to root. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -errno;
    r = namespaces_write("/proc/self/setgroups", "deny");
    if (r == 0)
        r = namespaces_map_one("/proc/self/uid_map", c->uid);
    if (r == 0)
        r = namespaces_map_one("/proc/self/gid_map", c->gid);
    if (r == 0 && (getuid() != NOBODY || getgid() != NOBODY))
        r = -EPERM;
    return r;
}

/* Is a child of ours pid 1 in a pid namespace of its own? */
static int
namespaces_try_pid(void)
{
    struct clone_args args = { .flags = CLONE_NEWPID, .exit_signal = SIGCHLD };
    long pid = syscall(SYS_clone3, &args, sizeof(args));
    int status;

    if (pid < 0)
        return -errno;
    if (pid == 0)
        _exit(syscall(SYS_getpid) == 1 ? 0 : 1);
    if (waitpid((pid_t)pid, &status, 0) < 0)
        return -errno;
    return status == 0 ? 0 : -EPERM;
}

static void
namespaces_unshare(struct confine *c, uint64_t which)
{
    for (size_t i = 0; i < sizeof(namespaces) / sizeof(*namespaces); i++) {
        enum confine_layer layer = namespaces[i].layer;

        if (!(which >> layer & 1) || confine_has(c, layer))
            continue;
        if (unshare(namespaces[i].flag) == 0)
            (void)confine_hold(c, layer);
        else
            (void)confine_lack(c, layer, errno);
    }
    if (confine_has(c, LAYER_UTS_NS))
        (void)!sethostname("glovebox", 8);
}

/* In a child, as the user that templates will be. */
static bool
namespaces_user_works(const struct confine *c)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0)
        _exit(setgroups(0, NULL) == 0 && setgid(c->gid) == 0 &&
                      setuid(c->uid) == 0 && unshare(CLONE_NEWUSER) == 0
                  ? 0
                  : 1);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

void
confine_namespaces_as_root(struct confine *c)
{
    if (geteuid() == 0 && !namespaces_user_works(c))
        namespaces_unshare(c, NAMESPACES_OF_WARDEN);
}

int
confine_namespaces(struct confine *c)
{
    int r = namespaces_user(c);

    if (r < 0) {
        for (size_t i = 0; i < sizeof(namespaces) / sizeof(*namespaces); i++)
            if (!confine_has(c, namespaces[i].layer))
                (void)confine_lack(c, namespaces[i].layer, -r);
        (void)confine_lack(c, LAYER_PID_NS, -r);
        return confine_lack(c, LAYER_USER_NS, -r);
    }
    (void)confine_hold(c, LAYER_USER_NS);
    namespaces_unshare(c, ~(uint64_t)0);
    r = namespaces_try_pid();
    if (r < 0)
        (void)confine_lack(c, LAYER_PID_NS, -r);
    else
        (void)confine_hold(c, LAYER_PID_NS);
    return 0;
}
