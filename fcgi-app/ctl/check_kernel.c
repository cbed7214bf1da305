/* check_kernel - what boxes are made of */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/ctl/check.h"

#define KERNEL(major, minor) ((major)*1000 + (minor))
#define KERNEL_LEAST KERNEL(5, 10)
#define KERNEL_TESTED KERNEL(6, 1) /* Debian 12's */
#define LANDLOCK_SCOPE_ABI 6

void
check_kernel(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const char *release = host->facts.release;
    int major, minor, version;

    (void)row;
    if (sscanf(release, "%d.%d", &major, &minor) != 2) {
        check_say(f, CHECK_WARN, "version '%s' cannot be read", release);
        return;
    }
    version = KERNEL(major, minor);
    if (version < KERNEL_LEAST)
        check_say(f, CHECK_FAIL, "Linux %s is older than 5.10", release);
    else if (version < KERNEL_TESTED)
        check_say(
            f, CHECK_WARN, "Linux %s is older than what we test", release);
    else
        check_say(f, CHECK_OK, "Linux %s", release);
}

/* One of the two must keep files away. */
static bool
kernel_has_file_layer(const struct check_host *host)
{
    return host->facts.landlock_abi > 0 || host->facts.user_ns == 0;
}

void
check_landlock(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    int abi = host->facts.landlock_abi;

    (void)row;
    if (!kernel_has_file_layer(host))
        check_say(f, CHECK_FAIL,
            "%s, and no user namespace: no layer keeps files away",
            strerrorname_np(-abi));
    else if (abi <= 0)
        check_say(f, CHECK_WARN, "%s: the empty root alone keeps files away",
            strerrorname_np(-abi));
    else if (abi < LANDLOCK_SCOPE_ABI)
        check_say(f, CHECK_OK,
            "ABI %d: files; other layers keep the network and signals away",
            abi);
    else
        check_say(f, CHECK_OK, "ABI %d: files, network, signals", abi);
}

/* Whoever switched them off. */
static const char *
kernel_why_no_namespaces(const struct check_host *host)
{
    static const struct {
        const char *path;
        int64_t bad;
        const char *why;
    } rows[] = {
        { "/proc/sys/user/max_user_namespaces", 0,
            "sysctl user.max_user_namespaces is 0" },
        { "/proc/sys/kernel/unprivileged_userns_clone", 0,
            "sysctl kernel.unprivileged_userns_clone is 0" },
        { "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
            "AppArmor: sysctl "
            "kernel.apparmor_restrict_unprivileged_userns is 1" },
    };
    int64_t value;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (check_read_number(host, rows[i].path, &value) == 0 &&
            value == rows[i].bad)
            return rows[i].why;
    return "a container's filter, or a kernel without CONFIG_USER_NS";
}

void
check_user_namespaces(const struct check_host *host,
    const struct check_row *row, struct check_finding *f)
{
    int error = host->facts.user_ns;
    enum check_level level =
        kernel_has_file_layer(host) ? CHECK_WARN : CHECK_FAIL;

    (void)row;
    if (error == 0)
        check_say(f, CHECK_OK, "can be made, with namespaces in them");
    else
        check_say(f, level, "%s (%s): no empty root, and all in one pid space",
            strerrorname_np(-error), kernel_why_no_namespaces(host));
}

void
check_seccomp(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    if (host->facts.seccomp == 0)
        check_say(f, CHECK_OK, "filters that kill a process");
    else
        check_say(f, CHECK_FAIL, "no filter that kills a process (%s)",
            strerrorname_np(-host->facts.seccomp));
}

void
check_refused_calls(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    if (host->facts.notify == 0)
        check_say(f, CHECK_OK, "the warden is asked about refused calls");
    else
        check_say(f, CHECK_WARN,
            "no user notification (%s): refused calls are not named",
            strerrorname_np(-host->facts.notify));
}

void
check_pidfd(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    if (host->facts.pidfd == 0)
        check_say(f, CHECK_OK, "processes can be held by a descriptor");
    else
        check_say(f, CHECK_FAIL, "%s: the warden cannot watch a box",
            strerrorname_np(-host->facts.pidfd));
}

void
check_clone3(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    if (host->facts.clone3 == 0)
        check_say(f, CHECK_OK, "each box gets a pid namespace of its own");
    else
        check_say(f, CHECK_WARN, "%s: boxes have no pid namespace",
            strerrorname_np(-host->facts.clone3));
}

void
check_no_exec_gain(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    if (host->facts.no_exec_gain == 0)
        check_say(f, CHECK_OK, "memory that was writable never becomes code");
    else
        check_say(f, CHECK_OK,
            "not in this kernel (6.3); the filter alone refuses new code");
}

static bool
kernel_has_file(const struct check_host *host, const char *path)
{
    char text[8];

    /* A directory opens, and cannot be read. */
    int r = check_read(host, path, text, sizeof(text));

    return r == 0 || r == -EISDIR;
}

/* For information: limits here are the kernel's own, for each process. */
void
check_cgroups(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const char *mode = "none";

    (void)row;
    if (kernel_has_file(host, "/sys/fs/cgroup/cgroup.controllers"))
        mode = "version 2";
    else if (kernel_has_file(host, "/sys/fs/cgroup/unified"))
        mode = "hybrid";
    else if (kernel_has_file(host, "/sys/fs/cgroup/memory") ||
             kernel_has_file(host, "/sys/fs/cgroup/cpu"))
        mode = "version 1";
    check_say(f, CHECK_OK, "%s; none is needed", mode);
}
