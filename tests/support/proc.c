/* proc - other processes, as /proc shows them */
#include "tests/support/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int
children_list(pid_t parent, const char *name, pid_t *ret_pids, int max)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(proc)) != NULL) {
        char path[300], line[512], comm[64];
        int pid, ppid, fd;
        ssize_t n;

        (void)snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
        fd = open(path, O_RDONLY);
        if (fd < 0)
            continue;
        n = read(fd, line, sizeof(line) - 1);
        (void)close(fd);
        if (n <= 0)
            continue;
        line[n] = '\0';
        if (sscanf(line, "%d (%63[^)]) %*c %d", &pid, comm, &ppid) != 3 ||
            ppid != parent || strncmp(comm, name, strlen(name)) != 0)
            continue;
        if (count < max)
            ret_pids[count++] = pid;
    }
    (void)closedir(proc);
    return count;
}

int
children_of(pid_t parent, const char *name, pid_t *ret_one)
{
    pid_t pids[256];
    int count = children_list(parent, name, pids, 256);

    if (count > 0)
        *ret_one = pids[count - 1];
    return count;
}

const char *
proc_file(pid_t pid, const char *name)
{
    static char text[16384];
    char path[64];
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY);
    n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        (void)close(fd);
    return text;
}

/* As proc(5) names it; 'X' when there is none. */
static char
state_of(pid_t pid)
{
    char state = 'X';

    (void)sscanf(proc_file(pid, "stat"), "%*d (%*[^)]) %c", &state);
    return state;
}

bool
is_alive(pid_t pid)
{
    char state = state_of(pid);

    return state != 'Z' && state != 'X';
}

bool
is_stopped(pid_t pid)
{
    return state_of(pid) == 'T';
}

bool
is_caged(pid_t pid)
{
    return strstr(proc_file(pid, "status"), "\nSeccomp_filters:\t2\n") != NULL;
}

bool
kernel_is_at_least(int major, int minor)
{
    struct utsname u;
    int has_major = 0, has_minor = 0;

    (void)uname(&u);
    (void)sscanf(u.release, "%d.%d", &has_major, &has_minor);
    return has_major > major || (has_major == major && has_minor >= minor);
}
