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

bool
is_alive(pid_t pid)
{
    char path[64], line[256], state = 'Z';
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY);
    if (fd < 0)
        return false;
    n = read(fd, line, sizeof(line) - 1);
    (void)close(fd);
    if (n <= 0)
        return false;
    line[n] = '\0';
    (void)sscanf(line, "%*d (%*[^)]) %c", &state);
    return state != 'Z' && state != 'X';
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
