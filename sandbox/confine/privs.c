/* privs - what prctl() can take away */
#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "sandbox/confine/confine.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_GET_MDWE 66
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

int
confine_no_new_privs(struct confine *c)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return confine_lack(c, LAYER_NO_NEW_PRIVS, errno);
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return confine_lack(c, LAYER_NO_NEW_PRIVS, EPERM);
    return confine_hold(c, LAYER_NO_NEW_PRIVS);
}

/* Memory that was writable can never become code (Linux 6.3). */
int
confine_no_exec_gain(struct confine *c)
{
    if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) < 0)
        return confine_lack(c, LAYER_NO_EXEC_GAIN, errno);
    return confine_hold(c, LAYER_NO_EXEC_GAIN);
}

/*
 * Since 5.16 a filter no longer switches these on by itself.  Inside a
 * virtual machine the processor often does not offer them.
 */
int
confine_speculation(struct confine *c)
{
    static const unsigned long what[] = {
        PR_SPEC_STORE_BYPASS,
        PR_SPEC_INDIRECT_BRANCH,
    };
    int error = 0;

    for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
        long now = prctl(PR_GET_SPECULATION_CTRL, what[i], 0, 0, 0);

        if (now == PR_SPEC_NOT_AFFECTED ||
            (now > 0 && (now & PR_SPEC_FORCE_DISABLE)))
            continue;
        if (prctl(PR_SET_SPECULATION_CTRL, what[i], PR_SPEC_FORCE_DISABLE, 0,
                0) < 0)
            error = errno;
    }
    if (error != 0)
        return confine_lack(c, LAYER_SPECULATION, error);
    return confine_hold(c, LAYER_SPECULATION);
}

/* After the last change of credentials, which would undo it. */
int
confine_death(struct confine *c)
{
    (void)c;
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ? -errno : 0;
}

int
confine_undumpable(struct confine *c)
{
    (void)c;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return -errno;
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -EPERM;
}
