/* confine - names of the layers, and which of them hold */
#include "sandbox/confine/confine.h"

#include <errno.h>

#include "sandbox/base/hook.h"

const char *const confine_layer_names[LAYER_COUNT] = {
    [LAYER_DESCRIPTORS] = "descriptors",
    [LAYER_RLIMITS] = "rlimits",
    [LAYER_NO_NEW_PRIVS] = "no_new_privs",
    [LAYER_CAPABILITIES] = "capabilities",
    [LAYER_IDENTITY] = "identity",
    [LAYER_KEYRING] = "keyring",
    [LAYER_USER_NS] = "user_namespace",
    [LAYER_PID_NS] = "pid_namespace",
    [LAYER_NET_NS] = "network_namespace",
    [LAYER_MOUNT_NS] = "mount_namespace",
    [LAYER_IPC_NS] = "ipc_namespace",
    [LAYER_UTS_NS] = "uts_namespace",
    [LAYER_CGROUP_NS] = "cgroup_namespace",
    [LAYER_EMPTY_ROOT] = "empty_root",
    [LAYER_LANDLOCK] = "landlock",
    [LAYER_LANDLOCK_NET] = "landlock_network",
    [LAYER_LANDLOCK_SCOPE] = "landlock_scope",
    [LAYER_NO_EXEC_GAIN] = "no_exec_gain",
    [LAYER_SPECULATION] = "speculation",
    [LAYER_REFUSED_CALLS] = "refused_calls",
    [LAYER_SECCOMP] = "seccomp",
};

int
confine_hold(struct confine *c, enum confine_layer layer)
{
    c->on |= (uint64_t)1 << layer;
    c->error[layer] = 0;
    return 0;
}

int
confine_lack(struct confine *c, enum confine_layer layer, int error)
{
    c->on &= ~((uint64_t)1 << layer);
    c->error[layer] = error;
    return -error;
}

bool
confine_has(const struct confine *c, enum confine_layer layer)
{
    return (c->on >> layer & 1) != 0;
}

static int
confine_take(struct confine *c, const struct confine_step *step)
{
    if (hook_has("fail", step->name))
        return -EIO;
    if (hook_has("skip", step->name))
        return 0;
    return step->take(c);
}

int
confine_walk(struct confine *c, const struct confine_step *steps, size_t count,
    size_t *ret_failed)
{
    int r;

    for (size_t i = 0; i < count; i++) {
        r = confine_take(c, &steps[i]);
        if (r < 0 && !steps[i].is_optional) {
            *ret_failed = i;
            return r;
        }
    }
    return 0;
}
