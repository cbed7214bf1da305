/*
 * landlock - the second lock on the file system
 *
 * A ruleset that handles every right the kernel knows and allows none.  It
 * holds where user namespaces do not, and blocks even what an inherited
 * directory descriptor would reach.  Rights grew with the ABI, so what is
 * asked for depends on what the kernel says it has.
 *
 * The structures are written out here: the kernel's header on the build
 * machine may be older than the kernel that the service runs on.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/confine/confine.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

#define LANDLOCK_VERSION 1 /* the flag that asks for the ABI */

struct landlock_rules {
    uint64_t files;
    uint64_t net; /* ABI 4 */
    uint64_t scope; /* ABI 6 */
};

/* How many file rights, from bit 0, each ABI has. */
static const unsigned landlock_file_bits[] = { 0, 13, 14, 15, 15, 16 };

static struct landlock_rules
landlock_everything(int abi)
{
    struct landlock_rules rules = { 0 };
    size_t last = sizeof(landlock_file_bits) / sizeof(*landlock_file_bits) - 1;
    size_t row = (size_t)abi < last ? (size_t)abi : last;

    rules.files = ((uint64_t)1 << landlock_file_bits[row]) - 1;
    if (abi >= 4)
        rules.net = 3; /* bind and connect, TCP */
    if (abi >= 6)
        rules.scope = 3; /* abstract unix sockets, signals */
    return rules;
}

static size_t
landlock_size(int abi)
{
    return sizeof(uint64_t) * (abi >= 6 ? 3 : abi >= 4 ? 2 : 1);
}

static int
landlock_restrict(int abi)
{
    struct landlock_rules rules = landlock_everything(abi);
    AUTO_FD fd = (int)syscall(
        SYS_landlock_create_ruleset, &rules, landlock_size(abi), 0);

    if (fd < 0)
        return -errno;
    if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
        return -errno;
    return 0;
}

int
confine_landlock(struct confine *c)
{
    int abi =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    int r = abi < 0 ? -errno : landlock_restrict(abi);

    (void)confine_lack(c, LAYER_LANDLOCK_NET, r < 0 ? -r : ENOSYS);
    (void)confine_lack(c, LAYER_LANDLOCK_SCOPE, r < 0 ? -r : ENOSYS);
    if (r < 0)
        return confine_lack(c, LAYER_LANDLOCK, -r);
    if (abi >= 4)
        (void)confine_hold(c, LAYER_LANDLOCK_NET);
    if (abi >= 6)
        (void)confine_hold(c, LAYER_LANDLOCK_SCOPE);
    return confine_hold(c, LAYER_LANDLOCK);
}
