/*
 * A step whose system calls fail, or do nothing and say that they did, never
 * says that it holds.
 *
 * Each row takes one step in a fork, with a filter of the test's own that
 * answers some of its calls.  An answer of 0 is a lie: the call was not made.
 * Rows of steps that must hold are taken without the filter too, and hold
 * then, so it is the answer that makes the difference.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"
#include "tests/confine/answers.h"
#include "tests/confine/fresh.h"
#include "tests/confine/suites.h"
#include "tests/support/fork.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

#define ROOT_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define NEW_LISTENER 8 /* a flag of seccomp() */

static struct confine c;

/* --- before the step ------------------------------------------------------ */

static void
as_user(void)
{
    confine_fresh(&c);
}

static void
as_root(void)
{
    confine_fresh_root(&c);
}

static void
in_namespaces(void)
{
    confine_fresh(&c);
    HOLD(confine_namespaces(&c) == 0);
}

static void
with_few_capabilities(void)
{
    in_namespaces();
    HOLD(confine_few_capabilities(&c) == 0);
}

static void
with_no_new_privs(void)
{
    confine_fresh(&c);
    HOLD(confine_no_new_privs(&c) == 0);
}

static void
behind_landlock(void)
{
    with_no_new_privs();
    HOLD(confine_landlock(&c) == 0);
}

static void
with_pipe(void)
{
    int p[2];

    confine_fresh(&c);
    HOLD(pipe(p) == 0);
    c.wake_fd = p[0];
}

/* A listener would have to be answered; so there is none. */
static void
with_cage(void)
{
    static const struct scmp_arg_cmp flags = { 1, SCMP_CMP_EQ, NEW_LISTENER,
        0 };
    const struct answer none = { SCMP_SYS(seccomp), EBUSY, &flags };

    with_no_new_privs();
    HOLD(answers_give(&none, 1));
    HOLD(confine_listener(&c) == 0);
    HOLD(c.listener_fd == -1 && !confine_has(&c, LAYER_REFUSED_CALLS));
}

/* --- the rows ------------------------------------------------------------- */

#define FIRST(value) ARG(0, value)
#define MUST LAYER_COUNT /* the step itself must fail */

static const struct doubt {
    void (*before)(void);
    int (*step)(struct confine *c);
    enum confine_layer layer; /* not to be held afterwards; or MUST */
    struct answer answers[2];
} doubts[] = {
    /* identity */
    { as_root, confine_identity, MUST,
        { { SCMP_SYS(prctl), EPERM, FIRST(PR_CAPBSET_DROP) } } },
    { as_root, confine_identity, MUST,
        { { SCMP_SYS(setgroups), EPERM, NULL } } },
    { as_root, confine_identity, MUST,
        { { SCMP_SYS(setresgid), EPERM, NULL } } },
    { as_root, confine_identity, MUST,
        { { SCMP_SYS(setresuid), EPERM, NULL } } },
    { as_root, confine_identity, MUST, { { SCMP_SYS(setresuid), LIE, NULL } } },
    { as_root, confine_identity, MUST,
        { { SCMP_SYS(setresuid), LIE, NULL },
            { SCMP_SYS(setuid), EPERM, NULL } } },
    /* keyring */
    { as_user, confine_keyring, LAYER_KEYRING,
        { { SCMP_SYS(keyctl), ENOSYS, NULL } } },
    /* namespaces */
    { as_user, confine_namespaces, LAYER_USER_NS,
        { { SCMP_SYS(unshare), EPERM, FIRST(CLONE_NEWUSER) } } },
    { as_user, confine_namespaces, LAYER_USER_NS,
        { { SCMP_SYS(prctl), EPERM, FIRST(PR_SET_DUMPABLE) } } },
    { as_user, confine_namespaces, LAYER_USER_NS,
        { { SCMP_SYS(openat), EACCES, NULL } } },
    { as_user, confine_namespaces, LAYER_USER_NS,
        { { SCMP_SYS(write), EPERM, NULL } } },
    { as_user, confine_namespaces, LAYER_USER_NS,
        { { SCMP_SYS(getuid), LIE, NULL } } },
    { as_user, confine_namespaces, LAYER_USER_NS,
        { { SCMP_SYS(getgid), LIE, NULL } } },
    { as_user, confine_namespaces, LAYER_NET_NS,
        { { SCMP_SYS(unshare), EPERM, FIRST(CLONE_NEWNET) } } },
    { as_user, confine_namespaces, LAYER_UTS_NS,
        { { SCMP_SYS(unshare), EPERM, FIRST(CLONE_NEWUTS) } } },
    { as_user, confine_namespaces, LAYER_PID_NS,
        { { SCMP_SYS(clone3), ENOSYS, NULL } } },
    { as_user, confine_namespaces, LAYER_PID_NS,
        { { SCMP_SYS(wait4), ECHILD, NULL } } },
    { as_user, confine_namespaces, LAYER_PID_NS,
        { { SCMP_SYS(getpid), LIE, NULL } } },
    /* root */
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(mount), EPERM, ARG(3, MS_REC | MS_PRIVATE) } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(mount), EPERM, ARG(3, ROOT_FLAGS) } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(chdir), EACCES, NULL } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(pivot_root), EINVAL, NULL } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(umount2), EBUSY, NULL } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(mount), EPERM,
            ARG(3, MS_REMOUNT | MS_BIND | MS_RDONLY | ROOT_FLAGS) } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(mount), LIE,
            ARG(3, MS_REMOUNT | MS_BIND | MS_RDONLY | ROOT_FLAGS) } } },
    { in_namespaces, confine_root, MUST,
        { { SCMP_SYS(pivot_root), LIE, NULL },
            { SCMP_SYS(umount2), LIE, NULL } } },
    { in_namespaces, confine_root, MUST, { { SCMP_SYS(mkdir), LIE, NULL } } },
    /* capabilities */
    { in_namespaces, confine_few_capabilities, MUST,
        { { SCMP_SYS(prctl), EPERM, FIRST(PR_SET_SECUREBITS) } } },
    { in_namespaces, confine_few_capabilities, MUST,
        { { SCMP_SYS(prctl), EPERM, FIRST(PR_CAPBSET_DROP) } } },
    { in_namespaces, confine_few_capabilities, MUST,
        { { SCMP_SYS(capset), EPERM, NULL } } },
    { in_namespaces, confine_few_capabilities, MUST,
        { { SCMP_SYS(capset), LIE, NULL } } },
    { in_namespaces, confine_few_capabilities, MUST,
        { { SCMP_SYS(capget), EPERM, NULL } } },
    { with_few_capabilities, confine_no_capabilities, MUST,
        { { SCMP_SYS(prctl), EINVAL, FIRST(PR_CAP_AMBIENT) } } },
    { with_few_capabilities, confine_no_capabilities, MUST,
        { { SCMP_SYS(capset), LIE, NULL } } },
    /* privileges */
    { as_user, confine_no_new_privs, MUST,
        { { SCMP_SYS(prctl), EINVAL, FIRST(PR_SET_NO_NEW_PRIVS) } } },
    { as_user, confine_no_new_privs, MUST,
        { { SCMP_SYS(prctl), LIE, FIRST(PR_GET_NO_NEW_PRIVS) } } },
    { as_user, confine_no_exec_gain, LAYER_NO_EXEC_GAIN,
        { { SCMP_SYS(prctl), EINVAL, FIRST(PR_SET_MDWE) } } },
    { as_user, confine_speculation, LAYER_SPECULATION,
        { { SCMP_SYS(prctl), EINVAL, FIRST(PR_GET_SPECULATION_CTRL) },
            { SCMP_SYS(prctl), ENXIO, FIRST(PR_SET_SPECULATION_CTRL) } } },
    { as_user, confine_death, MUST,
        { { SCMP_SYS(prctl), EINVAL, FIRST(PR_SET_PDEATHSIG) } } },
    { as_user, confine_undumpable, MUST,
        { { SCMP_SYS(prctl), EINVAL, FIRST(PR_SET_DUMPABLE) } } },
    { as_user, confine_undumpable, MUST,
        { { SCMP_SYS(prctl), LIE, FIRST(PR_SET_DUMPABLE) } } },
    /* landlock */
    { with_no_new_privs, confine_landlock, LAYER_LANDLOCK,
        { { SCMP_SYS(landlock_create_ruleset), ENOSYS, NULL } } },
    { with_no_new_privs, confine_landlock, LAYER_LANDLOCK,
        { { SCMP_SYS(landlock_create_ruleset), EINVAL, ARG(2, 0) } } },
    { with_no_new_privs, confine_landlock, LAYER_LANDLOCK,
        { { SCMP_SYS(landlock_restrict_self), EPERM, NULL } } },
    { with_no_new_privs, confine_landlock, LAYER_LANDLOCK_SCOPE,
        { { SCMP_SYS(landlock_create_ruleset), LIE, ARG(2, 1) } } },
    /* files */
    { behind_landlock, confine_verify_files, MUST,
        { { SCMP_SYS(openat), LIE, NULL } } },
    { behind_landlock, confine_verify_files, MUST,
        { { SCMP_SYS(mkdir), LIE, NULL } } },
    /* listener */
    { with_no_new_privs, confine_listener, LAYER_REFUSED_CALLS,
        { { SCMP_SYS(seccomp), EBUSY, ARG(1, NEW_LISTENER) } } },
    /* descriptors */
    { with_pipe, confine_fds, MUST, { { SCMP_SYS(dup2), EBADF, NULL } } },
    { with_pipe, confine_fds, MUST,
        { { SCMP_SYS(close_range), ENOSYS, NULL } } },
    { with_pipe, confine_fds, MUST, { { SCMP_SYS(close_range), LIE, NULL } } },
    { with_pipe, confine_fds, MUST, { { SCMP_SYS(fcntl), EPERM, NULL } } },
    { with_pipe, confine_fds, MUST, { { SCMP_SYS(fcntl), EPERM, NOT(0, 0) } } },
    /* limits: with an address of new ones they are set, else asked */
    { as_user, confine_rlimits, MUST,
        { { SCMP_SYS(prlimit64), EPERM, ARG(2, 0) } } },
    { as_user, confine_rlimits, MUST,
        { { SCMP_SYS(prlimit64), LIE, NOT(2, 0) } } },
    /* the cage */
    { with_cage, confine_seccomp, MUST,
        { { SCMP_SYS(seccomp), EINVAL, NULL } } },
    { with_cage, confine_seccomp, MUST, { { SCMP_SYS(seccomp), LIE, NULL } } },
    { with_cage, confine_seccomp, MUST,
        { { SCMP_SYS(seccomp), LIE, NULL }, { SCMP_SYS(ioctl), LIE, NULL } } },
};
#define DOUBTS (sizeof(doubts) / sizeof(doubts[0]))

static const struct doubt *doubt;

static void
doubt_body(void)
{
    int r;

    doubt->before();
    HOLD(answers_give(doubt->answers, 2));
    r = doubt->step(&c);
    if (doubt->layer == MUST)
        HOLD(r < 0);
    else
        HOLD(!confine_has(&c, doubt->layer));
}

static void
sure_body(void)
{
    doubt->before();
    HOLD(doubt->step(&c) == 0);
}

START_TEST(step_does_not_hold_when_its_calls_fail_or_lie)
{
    doubt = &doubts[_i];
    if (doubt->before == as_root && !fork_is_root())
        return;
    ck_assert_int_eq(in_fork(doubt_body), 0);
    if (doubt->layer == MUST)
        ck_assert_int_eq(in_fork(sure_body), 0);
}
END_TEST

/* A filter that cannot be built is not one that is left out. */
static const struct answer unbuilt[][2] = {
    { { SCMP_SYS(memfd_create), EMFILE, NULL } },
    { { SCMP_SYS(write), EIO, NULL } },
    { { SCMP_SYS(newfstatat), EIO, NULL }, { SCMP_SYS(fstat), EIO, NULL } },
    { { SCMP_SYS(pread64), EIO, NULL } },
};
static size_t unbuilt_at;

static void
unbuilt_body(void)
{
    with_no_new_privs();
    HOLD(answers_give(unbuilt[unbuilt_at], 2));
    HOLD(confine_listener(&c) < 0);
    HOLD(c.listener_fd == -1);
}

START_TEST(listener_fails_when_no_filter_can_be_built)
{
    unbuilt_at = (size_t)_i;
    ck_assert_int_eq(in_fork(unbuilt_body), 0);
}
END_TEST

/* Not affected: there is nothing to switch off. */
static void
unaffected_body(void)
{
    const struct answer answers[] = {
        { SCMP_SYS(prctl), LIE, FIRST(PR_GET_SPECULATION_CTRL) },
        { SCMP_SYS(prctl), ENXIO, FIRST(PR_SET_SPECULATION_CTRL) },
    };

    as_user();
    HOLD(answers_give(answers, 2));
    HOLD(confine_speculation(&c) == 0);
    HOLD(confine_has(&c, LAYER_SPECULATION));
}

START_TEST(speculation_holds_where_the_processor_is_not_affected)
{
    ck_assert_int_eq(in_fork(unaffected_body), 0);
}
END_TEST

/* --- in the warden, as root ------------------------------------------------
 */

/* Templates could not make their own, whichever call it is that fails. */
static const struct answer no_user_namespace[] = {
    { SCMP_SYS(setgroups), EPERM, NULL },
    { SCMP_SYS(setgid), EPERM, NULL },
    { SCMP_SYS(setuid), EPERM, NULL },
    { SCMP_SYS(unshare), EPERM, FIRST(CLONE_NEWUSER) },
    { SCMP_SYS(clone), EAGAIN, NULL },
    { SCMP_SYS(wait4), ECHILD, NULL },
};

static size_t no_user_namespace_at;

static void
namespaces_as_root_body(void)
{
    as_root();
    HOLD(answers_give(&no_user_namespace[no_user_namespace_at], 1));
    confine_namespaces_as_root(&c);
    HOLD(confine_has(&c, LAYER_NET_NS) && confine_has(&c, LAYER_IPC_NS));
    HOLD(!confine_has(&c, LAYER_MOUNT_NS) && !confine_has(&c, LAYER_USER_NS));
}

START_TEST(root_makes_namespaces_that_templates_cannot)
{
    no_user_namespace_at = (size_t)_i;
    if (fork_is_root())
        ck_assert_int_eq(in_fork(namespaces_as_root_body), 0);
}
END_TEST

static void
namespaces_left_body(void)
{
    as_root();
    confine_namespaces_as_root(&c);
    HOLD(c.on == 0);
}

START_TEST(root_leaves_namespaces_to_templates_that_can)
{
    if (fork_is_root())
        ck_assert_int_eq(in_fork(namespaces_left_body), 0);
}
END_TEST

/* --- the last look at a box ------------------------------------------------
 */

enum part {
    PART_NONE, /* all is in place */
    PART_DEATH,
    PART_WAKE,
    PART_DESCRIPTORS,
    PART_CAPABILITIES,
    PART_CAPGET,
    PART_NO_NEW_PRIVS,
    PART_UNDUMPABLE,
    PART_PID,
    PART_UID,
    PART_COUNT
};

static enum part left_out;

/* Some of them come with the filter of another: NNP with any. */
static void
almost_a_box(void)
{
    static const struct answer no_capget = { SCMP_SYS(capget), EPERM, NULL };

    if (left_out == PART_UID)
        as_root();
    else
        in_namespaces();
    if (left_out != PART_PID)
        c.on &= ~((uint64_t)1 << LAYER_PID_NS);
    if (left_out != PART_CAPABILITIES)
        HOLD(confine_no_capabilities(&c) == 0);
    if (left_out != PART_NO_NEW_PRIVS)
        HOLD(confine_no_new_privs(&c) == 0);
    if (left_out != PART_UNDUMPABLE)
        HOLD(confine_undumpable(&c) == 0);
    c.wake_fd = 0;
    if (left_out != PART_DESCRIPTORS)
        HOLD(confine_fds(&c) == 0);
    if (left_out == PART_WAKE)
        (void)close(0);
    if (left_out != PART_DEATH)
        HOLD(confine_death(&c) == 0);
    if (left_out == PART_CAPGET)
        HOLD(answers_give(&no_capget, 1));
}

static void
left_out_body(void)
{
    HOLD(dup2(open("/dev/null", O_RDONLY), 0) == 0);
    almost_a_box();
    HOLD((confine_verify_box(&c) == 0) == (left_out == PART_NONE));
}

START_TEST(verify_misses_whatever_was_left_out)
{
    left_out = (enum part)_i;
    if (left_out == PART_UID && !fork_is_root())
        return;
    ck_assert_int_eq(in_fork(left_out_body), 0);
}
END_TEST

/* --- the trial -------------------------------------------------------------
 */

static const enum confine_layer trial_layers[] = { LAYER_DESCRIPTORS,
    LAYER_RLIMITS, LAYER_NO_NEW_PRIVS, LAYER_CAPABILITIES, LAYER_IDENTITY,
    LAYER_SECCOMP };
#define TRIAL_LAYERS (sizeof(trial_layers) / sizeof(trial_layers[0]))

START_TEST(trial_wants_every_layer_that_must_hold)
{
    memset(&c, 0, sizeof(c));
    c.on = ~((uint64_t)1 << trial_layers[_i]);
    ck_assert_int_eq(confine_trial(&c), -ENOTSUP);
}
END_TEST

/* What the cage says to the trial. */
static const struct answer cage_answers[] = {
    { SCMP_SYS(openat), EACCES, NULL },
    { SCMP_SYS(socket), EACCES, NULL },
    { SCMP_SYS(clone), EPERM, NULL },
    { SCMP_SYS(execve), EPERM, NULL },
    { SCMP_SYS(kill), EPERM, NULL },
    { SCMP_SYS(write), EBADF, FIRST(0) },
    { SCMP_SYS(read), EBADF, FIRST(1) },
    { SCMP_SYS(getpgrp), EPERM, NULL },
    { SCMP_SYS(mprotect), EPERM, NULL },
};
#define CAGE_ANSWERS (sizeof(cage_answers) / sizeof(cage_answers[0]))

static struct answer trial_answers[CAGE_ANSWERS + 1];

static void
trial_body(void)
{
    as_user();
    c.on = ~(uint64_t)0;
    HOLD(answers_give(trial_answers, CAGE_ANSWERS + 1));
    HOLD(confine_trial(&c) < 0);
}

static void
trial_sure_body(void)
{
    as_user();
    c.on = ~(uint64_t)0;
    HOLD(answers_give(cage_answers, CAGE_ANSWERS));
    HOLD(confine_trial(&c) == 0);
}

START_TEST(trial_fails_when_one_answer_is_not_the_cages)
{
    static const int wrong[] = { LIE, ENOSYS };

    for (size_t i = 0; i < 2; i++) {
        memcpy(trial_answers, cage_answers, sizeof(cage_answers));
        trial_answers[_i].error = wrong[i];
        ck_assert_int_eq(in_fork(trial_body), 0);
    }
    ck_assert_int_eq(in_fork(trial_sure_body), 0);
}
END_TEST

START_TEST(trial_fails_when_the_cage_refuses_what_a_box_needs)
{
    static const struct answer needed[] = {
        { SCMP_SYS(mmap), ENOMEM, NULL },
        { SCMP_SYS(munmap), EPERM, NULL },
    };

    memcpy(trial_answers, cage_answers, sizeof(cage_answers));
    trial_answers[CAGE_ANSWERS] = needed[_i];
    ck_assert_int_eq(in_fork(trial_body), 0);
}
END_TEST

Suite *
suite_doubt(void)
{
    Suite *s = suite_create("doubt");
    TCase *t = tcase_create("doubt");

    tcase_set_timeout(t, 20);
    tcase_add_loop_test(
        t, step_does_not_hold_when_its_calls_fail_or_lie, 0, (int)DOUBTS);
    tcase_add_loop_test(t, listener_fails_when_no_filter_can_be_built, 0,
        (int)(sizeof(unbuilt) / sizeof(unbuilt[0])));
    tcase_add_test(t, speculation_holds_where_the_processor_is_not_affected);
    tcase_add_loop_test(t, root_makes_namespaces_that_templates_cannot, 0,
        (int)(sizeof(no_user_namespace) / sizeof(no_user_namespace[0])));
    tcase_add_test(t, root_leaves_namespaces_to_templates_that_can);
    tcase_add_loop_test(t, verify_misses_whatever_was_left_out, 0, PART_COUNT);
    tcase_add_loop_test(
        t, trial_wants_every_layer_that_must_hold, 0, (int)TRIAL_LAYERS);
    tcase_add_loop_test(
        t, trial_fails_when_one_answer_is_not_the_cages, 0, (int)CAGE_ANSWERS);
    tcase_add_loop_test(
        t, trial_fails_when_the_cage_refuses_what_a_box_needs, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
