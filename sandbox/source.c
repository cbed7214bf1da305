/* source - a descriptor in the warden's epoll set, and whose it is */
#include "sandbox/source.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

int
source_listen(
    int epoll_fd, struct source *s, enum source_kind kind, int fd, void *owner)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = s };

    *s = (struct source){ .kind = kind, .fd = fd, .owner = owner };
    return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Closing is enough for epoll: nobody else holds these descriptors. */
void
source_close(struct source *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
}

int
source_pidfd(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    return fd < 0 ? -errno : fd;
}
