/*
 * capabilities - none
 *
 * A process that made its user namespace holds every capability in it.  The
 * template keeps one, CAP_SYS_ADMIN over that empty namespace, because clone()
 * into a new pid namespace asks for it; a box keeps none.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"

#define CAP_BIT(cap) ((uint32_t)1 << (cap))

static int
capabilities_set(uint32_t low)
{
    struct __user_cap_header_struct head = { .version =
                                                 _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct want[2], have[2];

    memset(want, 0, sizeof(want));
    memset(have, 0xff, sizeof(have));
    want[0].effective = want[0].permitted = low;
    if (syscall(SYS_capset, &head, want) < 0)
        return -errno;
    if (syscall(SYS_capget, &head, have) < 0)
        return -errno;
    return memcmp(want, have, sizeof(want)) == 0 ? 0 : -EPERM;
}

int
confine_few_capabilities(struct confine *c)
{
    unsigned long bits =
        SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
        SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
        SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

    if (!confine_has(c, LAYER_USER_NS))
        return capabilities_set(0);
    if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
        return -errno;
    for (unsigned long cap = 0; cap <= 63; cap++)
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EINVAL)
            return -errno;
    return capabilities_set(
        confine_has(c, LAYER_PID_NS) ? CAP_BIT(CAP_SYS_ADMIN) : 0);
}

int
confine_no_capabilities(struct confine *c)
{
    int r;

    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return -errno;
    r = capabilities_set(0);
    if (r < 0)
        return r;
    return confine_hold(c, LAYER_CAPABILITIES);
}
