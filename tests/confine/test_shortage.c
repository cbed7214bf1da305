/*
 * A warden on a machine that refuses one of its calls: it ends, or says what
 * is wrong, or does without.  It never claims to be ready and then is not.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/confine/answers.h"
#include "tests/confine/runs.h"
#include "tests/confine/suites.h"
#include "tests/support/fork.h"

/* --- it ends ---------------------------------------------------------------
 */

static const struct answer fatal[] = {
    { SCMP_SYS(epoll_create1), EMFILE, NULL },
    { SCMP_SYS(epoll_ctl), ENOSPC, NULL },
    { SCMP_SYS(prctl), EINVAL, ARG(0, PR_SET_PDEATHSIG) },
    { SCMP_SYS(fcntl), EBADF, ARG(1, F_SETFD) },
    { SCMP_SYS(setresuid), EPERM, NULL }, /* as root only */
};

START_TEST(warden_ends_without_what_it_cannot_do_without)
{
    bool is_for_root = fatal[_i].call == SCMP_SYS(setresuid);
    struct setup s = one_parked();
    int status;

    if (is_for_root && !fork_is_root())
        return;
    ck_assert(answers_give(&fatal[_i], 1));
    ck_assert_int_lt(client_start(&client, &s), 0);
    status = client_stop(&client);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
END_TEST

/* --- it says what is wrong -------------------------------------------------
 */

static const struct {
    struct answer answers[2];
    const char *problem;
} told[] = {
    { { { SCMP_SYS(socketpair), EMFILE,
          ARG(1, SOCK_SEQPACKET | SOCK_CLOEXEC) } },
        "Too many open files" },
    { { { SCMP_SYS(pidfd_open), EMFILE, NULL } }, "Too many open files" },
    { { { SCMP_SYS(pipe2), EMFILE, NULL } }, "Too many open files" },
    { { { SCMP_SYS(memfd_create), ENFILE,
          ARG(1, MFD_CLOEXEC | MFD_ALLOW_SEALING) } },
        "Too many open files in system" },
    { { { SCMP_SYS(fcntl), EPERM, ARG(1, F_ADD_SEALS) } },
        "Operation not permitted" },
    { { { SCMP_SYS(clone3), ENOSYS, NULL },
          { SCMP_SYS(clone), EAGAIN, ARG(0, CLONE_PARENT) } },
        "Resource temporarily unavailable" },
    { { { SCMP_SYS(getrusage), EINVAL, NULL } }, "step 'measure' failed" },
    { { { SCMP_SYS(rt_sigaction), EINVAL, ARG(0, SIGUSR1) } },
        "Invalid argument" },
};

START_TEST(warden_says_what_the_machine_refuses)
{
    ck_assert(answers_give(told[_i].answers, 2));
    expect_no_start(told[_i].problem);
}
END_TEST

/* --- it does without --------------------------------------------------------
 */

static const struct answer minor[] = {
    { SCMP_SYS(sethostname), EPERM, NULL },
    { SCMP_SYS(prctl), EPERM, ARG(0, PR_SET_NAME) },
    { SCMP_SYS(prctl), EINVAL, ARG(0, PR_SET_SPECULATION_CTRL) },
    { SCMP_SYS(keyctl), ENOSYS, NULL },
};

START_TEST(warden_does_without_what_is_not_needed)
{
    ck_assert(answers_give(&minor[_i], 1));
    start_with(one_parked());
    run_in(PROFILE_RESTRICTED, "_ = 6 * 7");
    expect_value("42");
    stop();
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(*(a)))

Suite *
suite_shortage(void)
{
    Suite *s = suite_create("shortage");
    TCase *t = tcase_create("shortage");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(
        t, warden_ends_without_what_it_cannot_do_without, 0, COUNT(fatal));
    tcase_add_loop_test(
        t, warden_says_what_the_machine_refuses, 0, COUNT(told));
    tcase_add_loop_test(
        t, warden_does_without_what_is_not_needed, 0, COUNT(minor));
    suite_add_tcase(s, t);
    return s;
}
