/*
 * identity - leave root behind
 *
 * Done by the warden, before anything else, while it may still be root: drop
 * the bounding set (an ordinary user could not), the groups, then gid before
 * uid, and try to come back.  Started as an ordinary user there is nothing to
 * leave, and the same checks must hold.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"

static int
identity_leave_root(const struct confine *c)
{
    if (c->uid == 0 || c->gid == 0)
        return -EINVAL;
    for (unsigned long cap = 0; cap <= 63; cap++)
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EINVAL)
            return -errno;
    if (setgroups(0, NULL) < 0)
        return -errno;
    if (setresgid(c->gid, c->gid, c->gid) < 0)
        return -errno;
    if (setresuid(c->uid, c->uid, c->uid) < 0)
        return -errno;
    return 0;
}

int
confine_identity(struct confine *c)
{
    int r;

    if (geteuid() == 0) {
        r = identity_leave_root(c);
        if (r < 0)
            return confine_lack(c, LAYER_IDENTITY, -r);
    } else {
        c->uid = getuid();
        c->gid = getgid();
    }
    if (setuid(0) == 0 || setresuid(0, 0, 0) == 0 || geteuid() == 0)
        return confine_lack(c, LAYER_IDENTITY, EPERM);
    return confine_hold(c, LAYER_IDENTITY);
}
