/*
 * check_host - what the machine offers to attackers, and to spies
 *
 * A box can reach none of this: its filter kills the calls.  It counts for
 * whoever broke the app or nginx, and for what is kept of memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/ctl/check.h"

/* Numbers of the kernel's, by the name of their row; less is a warning. */
static const struct host_switch {
    const char *name;
    const char *path;
    int64_t least;
} host_switches[] = {
    { "io_uring", "/proc/sys/kernel/io_uring_disabled", 1 },
    { "bpf", "/proc/sys/kernel/unprivileged_bpf_disabled", 1 },
    { "perf", "/proc/sys/kernel/perf_event_paranoid", 2 },
    { "aslr", "/proc/sys/kernel/randomize_va_space", 2 },
};

static const struct host_switch *
host_find_switch(const char *name)
{
    const struct host_switch *found = host_switches;

    while (strcmp(found->name, name) != 0)
        found++;
    return found;
}

/* "/proc/sys/kernel/x" is the sysctl kernel.x */
static void
host_sysctl_name(const char *path, char *name, size_t size)
{
    (void)snprintf(name, size, "%s", path + strlen("/proc/sys/"));
    for (char *slash = name; (slash = strchr(slash, '/')) != NULL;)
        *slash = '.';
}

void
check_switch(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const struct host_switch *sw = host_find_switch(row->name);
    char name[128];
    int64_t value;
    int r = check_read_number(host, sw->path, &value);

    host_sysctl_name(sw->path, name, sizeof(name));
    if (r == -ENOENT)
        check_say(f, CHECK_OK, "%s: this kernel has no such switch", name);
    else if (r < 0)
        check_say(
            f, CHECK_WARN, "%s cannot be read (%s)", name, strerrorname_np(-r));
    else
        check_say(f, value < sw->least ? CHECK_WARN : CHECK_OK, "%s is %lld",
            name, (long long)value);
}

/* For information: what is ours is not dumpable, and so cannot be traced. */
void
check_ptrace(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    int64_t scope;

    (void)row;
    if (check_read_number(host, "/proc/sys/kernel/yama/ptrace_scope", &scope) <
        0)
        check_say(f, CHECK_OK, "no yama; app and boxes are not dumpable");
    else
        check_say(f, CHECK_OK,
            "kernel.yama.ptrace_scope is %lld; app and boxes are not dumpable",
            (long long)scope);
}

void
check_core_pattern(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    char pattern[160];
    int r = check_read(
        host, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern));

    (void)row;
    if (r < 0)
        check_say(f, CHECK_WARN, "cannot be read (%s)", strerrorname_np(-r));
    else if (pattern[0] == '|')
        check_say(f, CHECK_WARN,
            "'%s' gets dumps whatever RLIMIT_CORE says; app and boxes make "
            "none, nginx may",
            pattern);
    else
        check_say(f, CHECK_OK, "'%s': limits hold", pattern);
}

void
check_swap(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    char table[1024];
    const char *second;
    int r = check_read(host, "/proc/swaps", table, sizeof(table));

    (void)row;
    if (r < 0) {
        check_say(f, CHECK_OK, "none");
        return;
    }
    second = strchr(table, '\n');
    if (second == NULL)
        check_say(f, CHECK_OK, "none");
    else
        check_say(f, CHECK_WARN,
            "programs and their data may be written to %.*s",
            (int)strcspn(second + 1, " \t\n"), second + 1);
}

void
check_ksm(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    int64_t run = 0;
    int r = check_read_number(host, "/sys/kernel/mm/ksm/run", &run);

    (void)row;
    if (r == 0 && run == 1)
        check_say(f, CHECK_WARN,
            "pages are merged: how long a write takes tells what others hold");
    else
        check_say(f, CHECK_OK, "pages are not merged");
}

/* For information. */
void
check_huge_pages(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    char modes[128];

    (void)row;
    if (check_read(host, "/sys/kernel/mm/transparent_hugepage/enabled", modes,
            sizeof(modes)) == 0 &&
        strstr(modes, "[always]") != NULL)
        check_say(
            f, CHECK_OK, "always: memory_used_mb may come out 2 MiB higher");
    else
        check_say(f, CHECK_OK, "only where asked for");
}

/* For information: command lines hold no secret. */
void
check_hidepid(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    char mounts[16384], *line, *rest = mounts;
    bool is_hidden = false;

    (void)row;
    if (check_read(host, "/proc/self/mounts", mounts, sizeof(mounts)) < 0)
        mounts[0] = '\0';
    while ((line = strsep(&rest, "\n")) != NULL)
        if (strstr(line, " /proc proc ") != NULL &&
            strstr(line, "hidepid=") != NULL &&
            strstr(line, "hidepid=0") == NULL &&
            strstr(line, "hidepid=off") == NULL)
            is_hidden = true;
    check_say(f, CHECK_OK,
        is_hidden ? "users see only their own processes"
                  : "users see each other's processes; ours show no secret");
}
