/*
 * confine - the kernel mechanisms that make a box, one a file
 *
 * A step takes something away from the process that calls it, for good, and
 * then tries whether it is really gone.  Steps return 0 or -errno and do not
 * log.  Which steps there are, and in which order, stands in two tables:
 * template_steps[] (sandbox/template.c) for what is inherited and paid once,
 * box_steps[] (sandbox/box.c) for what is private to a run.
 *
 * A step that its row calls optional may fail; its layer is then reported as
 * off, with the reason.  A step that must hold and fails ends the process:
 * half a cage is no cage.
 */
#ifndef GLOVEBOX_CONFINE_H
#define GLOVEBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every layer that /health lists; bit 1 << layer in struct confine.on. */
enum confine_layer {
    LAYER_DESCRIPTORS,
    LAYER_RLIMITS,
    LAYER_NO_NEW_PRIVS,
    LAYER_CAPABILITIES,
    LAYER_IDENTITY,
    LAYER_KEYRING,
    LAYER_USER_NS,
    LAYER_PID_NS,
    LAYER_NET_NS,
    LAYER_MOUNT_NS,
    LAYER_IPC_NS,
    LAYER_UTS_NS,
    LAYER_CGROUP_NS,
    LAYER_EMPTY_ROOT,
    LAYER_LANDLOCK,
    LAYER_LANDLOCK_NET,
    LAYER_LANDLOCK_SCOPE,
    LAYER_NO_EXEC_GAIN,
    LAYER_SPECULATION,
    LAYER_REFUSED_CALLS,
    LAYER_SECCOMP,
    LAYER_COUNT
};

extern const char *const confine_layer_names[LAYER_COUNT];

struct sock_filter;

/* A filter as the kernel takes it: built once, loaded with one call. */
struct confine_filter {
    struct sock_filter *code;
    unsigned short count;
};

/* What a box may use. */
struct confine_limits {
    uint64_t as_bytes;
    uint64_t data_bytes;
    uint32_t cpu_s;
};

struct confine {
    uint64_t on; /* layers that hold */
    int error[LAYER_COUNT]; /* errno of a layer that does not */
    unsigned uid, gid; /* outside, before the user namespace */
    int wake_fd; /* the one descriptor a box keeps, as 0 */
    struct confine_limits limits;
    uint64_t big_bytes; /* a mapping above this is asked of the warden */
    struct confine_filter listener;
    struct confine_filter cage;
    int listener_fd; /* made by confine_listener(); for the warden */
};

/* Mark a layer as holding, or not and why; returns -error. */
int confine_hold(struct confine *c, enum confine_layer layer);
int confine_lack(struct confine *c, enum confine_layer layer, int error);
bool confine_has(const struct confine *c, enum confine_layer layer);

/* One row of a table of steps. */
struct confine_step {
    const char *name;
    int (*take)(struct confine *c);
    bool is_optional; /* its failure is reported, not fatal */
};

/*
 * Take the steps in order.  Returns 0, or -errno of the first step that had
 * to hold and did not, with its number in *ret_failed.
 */
int confine_walk(struct confine *c, const struct confine_step *steps,
    size_t count, size_t *ret_failed);

/* --- in the warden, before it leaves root -----------------------------------
 */

/*
 * namespaces.c: without user namespaces, what root can make by itself.  Does
 * nothing where templates can make their own.
 */
void confine_namespaces_as_root(struct confine *c);

/* --- in a template ------------------------------------------------------ */

/* identity.c: leave root for uid and gid, no groups; try to come back. */
int confine_identity(struct confine *c);
/* keyring.c: a session keyring of our own, empty. */
int confine_keyring(struct confine *c);
/* namespaces.c: user, then each other; the pid one is made for each box. */
int confine_namespaces(struct confine *c);
/* root.c: an empty, read-only root.  Needs the mount namespace. */
int confine_root(struct confine *c);
/* capabilities.c: only what clone() into a pid namespace needs is kept. */
int confine_few_capabilities(struct confine *c);
/* privs.c */
int confine_no_new_privs(struct confine *c);
int confine_no_exec_gain(struct confine *c);
int confine_speculation(struct confine *c);
/* landlock.c: nothing allowed. */
int confine_landlock(struct confine *c);
/* verify.c: tries what must now fail; at least one file system layer. */
int confine_verify_files(struct confine *c);
/* seccomp.c: names refused calls to whoever holds listener_fd. */
int confine_listener(struct confine *c);

/* --- in a box ----------------------------------------------------------- */

/* privs.c: die with the warden; no core, no ptrace, no /proc/pid/mem. */
int confine_death(struct confine *c);
int confine_undumpable(struct confine *c);
/* fds.c: the wake pipe as 0, nothing else. */
int confine_fds(struct confine *c);
/* rlimits.c */
int confine_rlimits(struct confine *c);
/* capabilities.c: none. */
int confine_no_capabilities(struct confine *c);
/* verify.c: the box as it is, right before the filter. */
int confine_verify_box(struct confine *c);
/* seccomp.c: the allow-list.  Last: forbids all of the above. */
int confine_seccomp(struct confine *c);

/* verify.c: after everything, in a trial box: tries the forbidden. */
int confine_trial(struct confine *c);

#endif
