/*
 * Kernels that lack something, and users that may not have it: a box is made
 * with the layers that are left, or the warden says which one it misses.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "tests/confine/answers.h"
#include "tests/confine/runs.h"
#include "tests/confine/suites.h"
#include "tests/support/fork.h"

/* This test's process, and so its warden, can make no user namespace. */
static void
lose_user_namespaces(void)
{
    char map[32];
    int fd;

    fork_leave_root();
    ck_assert_int_eq(unshare(CLONE_NEWUSER), 0);
    (void)snprintf(map, sizeof(map), "%d %d 1", getuid(), getuid());
    fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fd_write_all(fd, "0", 1), 0);
    (void)close(fd);
}

/* A call that this test's process, and so its warden, does not have. */
static void
lose_call(int number)
{
    const struct answer none = { number, ENOSYS, NULL };

    ck_assert(answers_give(&none, 1));
}

static void
expect_box_without(const char *layer)
{
    ck_assert(!layer_is_on(layer));
    ck_assert(layer_is_on("seccomp"));
    ck_assert(layer_is_on("rlimits"));
    run("_ = 1");
    expect_value("1");
    run("open('/etc/passwd')");
    expect_error("PermissionError");
    stop();
}

START_TEST(works_with_every_layer_here)
{
    static const char *const layers[] = { "descriptors", "rlimits",
        "no_new_privs", "capabilities", "identity", "user_namespace",
        "pid_namespace", "network_namespace", "mount_namespace",
        "ipc_namespace", "uts_namespace", "cgroup_namespace", "empty_root",
        "landlock", "refused_calls", "seccomp" };

    start();
    for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++)
        ck_assert_msg(layer_is_on(layers[i]), "%s", layers[i]);
    stop();
}
END_TEST

START_TEST(works_without_user_namespaces)
{
    lose_user_namespaces();
    start();
    ck_assert(layer_is_on("landlock"));
    ck_assert(!layer_is_on("empty_root"));
    ck_assert(!layer_is_on("pid_namespace"));
    expect_box_without("user_namespace");
}
END_TEST

START_TEST(root_without_user_namespaces_still_has_no_network)
{
    const struct scmp_arg_cmp user = { 0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER,
        CLONE_NEWUSER };
    const struct answer none = { SCMP_SYS(unshare), EPERM, &user };

    ck_assert(answers_give(&none, 1));
    start();
    ck_assert_int_eq(layer_is_on("network_namespace"), fork_is_root());
    ck_assert_int_eq(layer_is_on("ipc_namespace"), fork_is_root());
    expect_box_without("user_namespace");
}
END_TEST

START_TEST(works_without_landlock)
{
    lose_call(SCMP_SYS(landlock_create_ruleset));
    start();
    ck_assert(layer_is_on("empty_root"));
    expect_box_without("landlock");
}
END_TEST

START_TEST(refuses_to_start_with_no_layer_for_files)
{
    lose_user_namespaces();
    lose_call(SCMP_SYS(landlock_create_ruleset));
    expect_no_start("no layer keeps files away");
}
END_TEST

START_TEST(refuses_to_start_without_seccomp)
{
    lose_call(SCMP_SYS(seccomp));
    expect_no_start("seccomp");
}
END_TEST

/* As the filters of containers do, which cannot read its flags. */
START_TEST(works_where_clone3_is_hidden)
{
    lose_call(SCMP_SYS(clone3));
    start();
    ck_assert(layer_is_on("empty_root"));
    expect_box_without("pid_namespace");
}
END_TEST

START_TEST(refuses_to_start_and_names_the_step_that_fails)
{
    lose_call(SCMP_SYS(close_range));
    expect_no_start("step 'fds' failed");
}
END_TEST

START_TEST(works_as_an_ordinary_user)
{
    fork_leave_root();
    start();
    run("_ = 1");
    expect_value("1");
    stop();
}
END_TEST

Suite *
suite_kernels(void)
{
    Suite *s = suite_create("kernels");
    TCase *t = tcase_create("kernels");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, works_with_every_layer_here);
    tcase_add_test(t, works_without_user_namespaces);
    tcase_add_test(t, root_without_user_namespaces_still_has_no_network);
    tcase_add_test(t, works_without_landlock);
    tcase_add_test(t, refuses_to_start_with_no_layer_for_files);
    tcase_add_test(t, refuses_to_start_without_seccomp);
    tcase_add_test(t, works_where_clone3_is_hidden);
    tcase_add_test(t, refuses_to_start_and_names_the_step_that_fails);
    tcase_add_test(t, works_as_an_ordinary_user);
    suite_add_tcase(s, t);
    return s;
}
