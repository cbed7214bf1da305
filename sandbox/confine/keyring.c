/*
 * keyring - a session keyring of our own
 *
 * Keyrings are not namespaced by user namespaces alone and outlive processes:
 * a box must not share one with the session that started the service.
 */
#include <errno.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"

int
confine_keyring(struct confine *c)
{
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
        return confine_lack(c, LAYER_KEYRING, errno);
    return confine_hold(c, LAYER_KEYRING);
}
