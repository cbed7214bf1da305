/*
 * What a real box is held by, seen from outside, and what happens when a
 * step of the confinement cannot do its work: each row of template_steps[]
 * and box_steps[] that is lost turns something red here (`make mutate`).
 *
 * The kernel is asked (/proc), not the box and not the status; where the
 * kernel shows nothing, a filter around the warden makes a call succeed or
 * fail, so that only the step itself can make the difference.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "sandbox/confine/confine.h"
#include "tests/confine/answers.h"
#include "tests/confine/runs.h"
#include "tests/confine/suites.h"
#include "tests/support/fork.h"
#include "tests/support/proc.h"

#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

/* --- a parked box, from outside ---------------------------------------------
 */

/* The one box that is parked, with all of its confinement: see is_caged(). */
static pid_t
parked_box(void)
{
    for (int tries = 0; tries < 500; tries++) {
        pid_t pid;

        if (children_of(client.pid, "glovebox-box", &pid) == 1 && is_caged(pid))
            return pid;
        (void)usleep(10000);
    }
    ck_abort_msg("no box was parked behind a filter");
    return -1;
}

static void
expect_line(pid_t box, const char *file, const char *line)
{
    const char *text = proc_file(box, file);

    ck_assert_msg(
        strstr(text, line) != NULL, "%s has no '%s':\n%s", file, line, text);
}

START_TEST(box_has_no_rights_and_two_filters)
{
    static const char *const lines[] = { "\nSeccomp:\t2\n",
        "\nSeccomp_filters:\t2\n", "\nNoNewPrivs:\t1\n", "\nThreads:\t1\n",
        "\nCapInh:\t0000000000000000\n", "\nCapPrm:\t0000000000000000\n",
        "\nCapEff:\t0000000000000000\n", "\nCapBnd:\t0000000000000000\n",
        "\nCapAmb:\t0000000000000000\n", "\nGroups:\t \n" };
    pid_t box;

    start_with(one_parked());
    box = parked_box();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        expect_line(box, "status", lines[i]);
    ck_assert_ptr_null(strstr(proc_file(box, "status"), "\nUid:\t0"));
    ck_assert_ptr_null(strstr(proc_file(box, "status"), "\nGid:\t0"));
    stop();
}
END_TEST

/* Numbers of inodes, as "net:[4026531840]"; only root may look. */
START_TEST(box_shares_no_namespace_with_us)
{
    static const char *const kinds[] = { "user", "pid", "net", "mnt", "ipc",
        "uts", "cgroup" };
    char path[64], ours[64], theirs[64];
    pid_t box;

    start_with(one_parked());
    box = parked_box();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && fork_is_root();
         i++) {
        memset(ours, 0, sizeof(ours));
        memset(theirs, 0, sizeof(theirs));
        (void)snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[i]);
        ck_assert_int_gt((int)readlink(path, ours, sizeof(ours) - 1), 0);
        (void)snprintf(
            path, sizeof(path), "/proc/%d/ns/%s", (int)box, kinds[i]);
        ck_assert_int_gt((int)readlink(path, theirs, sizeof(theirs) - 1), 0);
        ck_assert_msg(strcmp(ours, theirs) != 0, "shared: %s", ours);
    }
    stop();
}
END_TEST

static int
entries_of(pid_t box, const char *name)
{
    struct dirent *entry;
    char path[64];
    int count = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)box, name);
    dir = opendir(path);
    if (dir == NULL)
        return -errno;
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            count++;
    (void)closedir(dir);
    return count;
}

START_TEST(box_has_an_empty_root_and_one_descriptor)
{
    pid_t box;

    start_with(one_parked());
    box = parked_box();
    if (fork_is_root()) {
        ck_assert_int_eq(entries_of(box, "root"), 0);
        ck_assert_int_eq(entries_of(box, "fd"), 1);
    }
    stop();
}
END_TEST

START_TEST(box_has_limits)
{
    pid_t box;

    start_with(one_parked());
    box = parked_box();
    expect_line(
        box, "limits", "Max processes             0                    0 ");
    expect_line(
        box, "limits", "Max open files            1                    1 ");
    expect_line(
        box, "limits", "Max core file size        0                    0 ");
    stop();
}
END_TEST

static void
spy_body(void)
{
    char path[64];
    pid_t box;

    fork_leave_root();
    start_with(one_parked());
    box = parked_box();
    (void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)box);
    HOLD(open(path, O_RDONLY) < 0 && errno == EACCES);
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)box);
    HOLD(open(path, O_RDONLY) < 0 && errno == EACCES);
    stop();
}

/* Not dumpable: to others of the same user it is root's. */
START_TEST(box_is_closed_to_others_of_its_user)
{
    ck_assert_int_eq(in_fork(spy_body), 0);
}
END_TEST

/* A parked one would end by itself, when its pipe does. */
START_TEST(running_box_dies_with_its_warden)
{
    struct order o;
    pid_t box;

    start_with(one_parked());
    box = parked_box();
    o = client_order(&client, PROFILE_RESTRICTED, "while True: pass");
    ck_assert_int_eq(client_send(&client, lane, &o), 0);
    (void)usleep(200000);
    ck_assert_int_eq(kill(client.pid, SIGKILL), 0);
    for (int tries = 0; tries < 300 && is_alive(box); tries++)
        (void)usleep(10000);
    ck_assert(!is_alive(box));
    (void)close(lane);
    (void)client_stop(&client);
}
END_TEST

/* --- what the kernel does not show ------------------------------------------
 */

START_TEST(keyring_and_exec_gain_are_taken_where_the_kernel_can)
{
    start_with(one_parked());
    ck_assert(layer_is_on("keyring"));
    ck_assert_int_eq(
        layer_is_on("no_exec_gain"), prctl(PR_GET_MDWE, 0, 0, 0, 0) >= 0);
    ck_assert(layer_is_on("landlock"));
    stop();
}
END_TEST

/* A processor that can do it, whatever the one here can. */
START_TEST(speculation_is_switched_off_where_the_processor_can)
{
    const struct answer can = { SCMP_SYS(prctl), LIE,
        ARG(0, PR_SET_SPECULATION_CTRL) };

    ck_assert(answers_give(&can, 1));
    start_with(one_parked());
    ck_assert(layer_is_on("speculation"));
    stop();
}
END_TEST

/* The step believes what it is told; the one that looks again does not. */
START_TEST(verify_refuses_a_box_that_would_be_root)
{
    const struct answer root = { SCMP_SYS(getgid), LIE, NULL };

    fork_leave_root();
    ck_assert(answers_give(&root, 1));
    expect_no_start("step 'verify' failed");
}
END_TEST

/* Landlock says that it holds, and nothing does. */
START_TEST(files_refuses_a_template_that_still_reaches_files)
{
    const struct answer answers[] = {
        { SCMP_SYS(landlock_restrict_self), LIE, NULL },
        { SCMP_SYS(pivot_root), EPERM, NULL },
    };

    ck_assert(answers_give(answers, 2));
    expect_no_start("step 'files' failed");
}
END_TEST

Suite *
suite_guards(void)
{
    Suite *s = suite_create("guards");
    TCase *t = tcase_create("guards");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, box_has_no_rights_and_two_filters);
    tcase_add_test(t, box_shares_no_namespace_with_us);
    tcase_add_test(t, box_has_an_empty_root_and_one_descriptor);
    tcase_add_test(t, box_has_limits);
    tcase_add_test(t, box_is_closed_to_others_of_its_user);
    tcase_add_test(t, running_box_dies_with_its_warden);
    tcase_add_test(t, keyring_and_exec_gain_are_taken_where_the_kernel_can);
    tcase_add_test(t, speculation_is_switched_off_where_the_processor_can);
    tcase_add_test(t, verify_refuses_a_box_that_would_be_root);
    tcase_add_test(t, files_refuses_a_template_that_still_reaches_files);
    suite_add_tcase(s, t);
    return s;
}
