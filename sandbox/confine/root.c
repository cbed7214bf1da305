/*
 * root - an empty, read-only root directory
 *
 * After the interpreter has loaded everything it will ever need, and before
 * any client's byte: a tmpfs with nothing in it becomes the root, the old one
 * is let go.  No /proc, no /dev, no /sys.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"

#define ROOT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

static int
root_pivot(void)
{
    /* Any directory will do to mount on; the library's is always there. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -errno;
    if (mount("none", "/usr", "tmpfs", ROOT_FLAGS,
            "size=4k,nr_inodes=2,mode=0555") < 0)
        return -errno;
    if (chdir("/usr") < 0)
        return -errno;
    if (syscall(SYS_pivot_root, ".", ".") < 0)
        return -errno;
    if (umount2(".", MNT_DETACH) < 0)
        return -errno;
    if (chdir("/") < 0)
        return -errno;
    if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | ROOT_FLAGS,
            NULL) < 0)
        return -errno;
    return 0;
}

static int
root_try(void)
{
    if (access("/usr", F_OK) == 0 || access("/proc", F_OK) == 0)
        return -EEXIST;
    if (mkdir("/try", 0700) == 0 || errno != EROFS)
        return -EPERM;
    return 0;
}

int
confine_root(struct confine *c)
{
    int r;

    if (!confine_has(c, LAYER_MOUNT_NS))
        return confine_lack(c, LAYER_EMPTY_ROOT, c->error[LAYER_MOUNT_NS]);
    r = root_pivot();
    if (r == 0)
        r = root_try();
    if (r < 0)
        return confine_lack(c, LAYER_EMPTY_ROOT, -r);
    return confine_hold(c, LAYER_EMPTY_ROOT);
}
