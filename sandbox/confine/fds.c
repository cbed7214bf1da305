/*
 * fds - one descriptor and no more
 *
 * The wake pipe becomes 0; everything from 1 up is closed, whatever it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"

int
confine_fds(struct confine *c)
{
    if (c->wake_fd != 0 && dup2(c->wake_fd, 0) < 0)
        return -errno;
    if (syscall(SYS_close_range, 1, ~0U, 0) < 0)
        return -errno;
    c->wake_fd = 0;
    if (fcntl(0, F_GETFD) < 0)
        return -errno;
    for (int fd = 1; fd < 16; fd++)
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            return -EBADF;
    return confine_hold(c, LAYER_DESCRIPTORS);
}
