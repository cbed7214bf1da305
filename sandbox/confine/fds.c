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

#define FDS_OLD_KERNEL_MAX 4096

/* close_range() is Linux 5.9. */
static int
fds_close_from(unsigned first)
{
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return 0;
    if (errno != ENOSYS)
        return -errno;
    for (int fd = (int)first; fd < FDS_OLD_KERNEL_MAX; fd++)
        (void)close(fd);
    return 0;
}

int
confine_fds(struct confine *c)
{
    int r;

    if (c->wake_fd != 0 && dup2(c->wake_fd, 0) < 0)
        return -errno;
    r = fds_close_from(1);
    if (r < 0)
        return r;
    c->wake_fd = 0;
    if (fcntl(0, F_GETFD) < 0)
        return -errno;
    for (int fd = 1; fd < 16; fd++)
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            return -EBADF;
    return confine_hold(c, LAYER_DESCRIPTORS);
}
