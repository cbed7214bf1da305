/*
 * rlimits - bounds the kernel keeps, set before any client's byte is read
 *
 * Address space and data count from what the template already has.  CPU here
 * is the second line: the warden watches the clock itself (sandbox/watch.c)
 * and this one fires a second later if it does not.  Soft equals hard: the
 * soft signal means nothing to pid 1.  The warden may lower a limit for one
 * order from outside; nobody can raise it.
 */
#include <errno.h>
#include <sys/resource.h>

#include "sandbox/confine/confine.h"

#define STACK_BYTES (8 << 20)

int
confine_rlimits(struct confine *c)
{
    const struct {
        __rlimit_resource_t what;
        rlim_t value;
    } rows[] = {
        { RLIMIT_AS, c->limits.as_bytes },
        { RLIMIT_DATA, c->limits.data_bytes },
        { RLIMIT_CPU, c->limits.cpu_s },
        { RLIMIT_STACK, STACK_BYTES },
        { RLIMIT_NOFILE, 1 }, /* descriptor 0 */
        { RLIMIT_FSIZE, 0 },
        { RLIMIT_NPROC, 0 },
        { RLIMIT_CORE, 0 },
        { RLIMIT_MEMLOCK, 0 },
        { RLIMIT_MSGQUEUE, 0 },
        { RLIMIT_SIGPENDING, 0 },
        { RLIMIT_LOCKS, 0 },
        { RLIMIT_NICE, 0 },
        { RLIMIT_RTPRIO, 0 },
    };
    struct rlimit now;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct rlimit want = { rows[i].value, rows[i].value };

        if (setrlimit(rows[i].what, &want) < 0)
            return -errno;
        if (getrlimit(rows[i].what, &now) < 0)
            return -errno;
        if (now.rlim_cur != want.rlim_cur || now.rlim_max != want.rlim_max)
            return -EPERM;
    }
    return confine_hold(c, LAYER_RLIMITS);
}
