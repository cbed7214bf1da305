/* listener: made at a path, at an address, or passed to us */
#include "fcgi-app/listener.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fork.h"
#include "tests/support/temp.h"

static char directory[TEMP_MAX];
static char path[TEMP_MAX + 8];

static void
setup_directory(void)
{
    temp_template(directory);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    (void)snprintf(path, sizeof(path), "%s/sock", directory);
}

static void
teardown_directory(void)
{
    (void)unlink(path);
    (void)rmdir(directory);
}

START_TEST(listener_at_path_opens_to_owner_and_group_only)
{
    struct stat st;
    int fd;

    (void)umask(0);
    fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0660);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    (void)close(fd);
}
END_TEST

START_TEST(listener_at_path_replaces_a_socket_nobody_serves)
{
    int fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);

    (void)close(fd);
    fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
}
END_TEST

START_TEST(listener_at_path_leaves_a_living_service_alone)
{
    int fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);

    ck_assert_int_eq(
        listener_at_path(path, UINT32_MAX, UINT32_MAX), -EADDRINUSE);
    (void)close(fd);
}
END_TEST

START_TEST(listener_at_path_replaces_no_ordinary_file)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);

    (void)close(fd);
    ck_assert_int_eq(listener_at_path(path, UINT32_MAX, UINT32_MAX), -EEXIST);
    ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

/* A port that is free now: of a socket that was bound to any. */
static void
free_address(const char *host, int family, char *room, size_t size)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } a = { .any = { .sa_family = (sa_family_t)family } };
    socklen_t len = family == AF_INET ? sizeof(a.v4) : sizeof(a.v6);
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(fd, &a.any, len), 0);
    ck_assert_int_eq(getsockname(fd, &a.any, &len), 0);
    (void)close(fd);
    (void)snprintf(room, size, "%s:%u", host,
        ntohs(family == AF_INET ? a.v4.sin_port : a.v6.sin6_port));
}

START_TEST(listener_at_address_listens_there_and_nowhere_else)
{
    char address[64], other[64];
    int fd;

    free_address("127.0.0.1", AF_INET, address, sizeof(address));
    fd = listener_at_address(address);
    ck_assert_int_ge(fd, 0);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    ck_assert(listener_is_at(fd, path, address));
    (void)snprintf(other, sizeof(other), "127.0.0.2%s", strchr(address, ':'));
    ck_assert(!listener_is_at(fd, path, other));
    ck_assert(!listener_is_at(fd, path, ""));
    ck_assert_int_eq(listener_at_address(address), -EADDRINUSE);
    ck_assert_int_eq(listener_prepare(fd), 0);
    ck_assert(fcntl(fd, F_GETFL) & O_NONBLOCK);
    (void)close(fd);
}
END_TEST

START_TEST(listener_at_address_takes_ipv6_in_brackets)
{
    char address[64];
    int fd;

    if (access("/proc/net/if_inet6", F_OK) != 0)
        return;
    free_address("[::1]", AF_INET6, address, sizeof(address));
    fd = listener_at_address(address);
    ck_assert_int_ge(fd, 0);
    ck_assert(listener_is_at(fd, path, address));
    (void)close(fd);
}
END_TEST

START_TEST(listener_at_address_takes_only_numbers)
{
    static const char *const bad[] = { "", ":", "localhost:9000", "127.0.0.1",
        "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "::1:9000", "[::1]",
        "[]:9000", "]:1", "1.2.3:9000" };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(listener_at_address(bad[i]) == -EINVAL, "%s", bad[i]);
}
END_TEST

START_TEST(listener_is_at_its_path)
{
    int fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);

    ck_assert(listener_is_at(fd, path, ""));
    ck_assert(!listener_is_at(fd, "/elsewhere", ""));
    ck_assert(!listener_is_at(fd, path, "127.0.0.1:9000"));
    (void)close(fd);
}
END_TEST

/* --- passed to us: tried in forks, which may lose their descriptor 3 ------ */

static int passed_fd;

static int
inherit(const char *count, int pid_off)
{
    char pid[32];

    HOLD(dup2(passed_fd, 3) == 3);
    (void)snprintf(pid, sizeof(pid), "%d", getpid() + pid_off);
    (void)setenv("LISTEN_PID", pid, 1);
    (void)setenv("LISTEN_FDS", count, 1);
    return listener_inherited();
}

static void
inherit_one(void)
{
    HOLD(inherit("1", 0) == 3);
    HOLD(fcntl(3, F_GETFD) & FD_CLOEXEC);
    HOLD(getenv("LISTEN_PID") == NULL && getenv("LISTEN_FDS") == NULL);
    HOLD(listener_is_at(3, path, ""));
    HOLD(listener_inherited() == -ENOENT);
}

static void
inherit_foreign(void)
{
    HOLD(inherit("1", 1) == -ENOENT);
}

static void
inherit_two(void)
{
    HOLD(inherit("2", 0) == -E2BIG);
    HOLD(inherit("0", 0) == -E2BIG);
    HOLD(inherit("x", 0) == -E2BIG);
}

static void
inherit_other_thing(void)
{
    int fds[2];

    HOLD(pipe2(fds, O_CLOEXEC) == 0);
    passed_fd = fds[0];
    HOLD(inherit("1", 0) == -ENOTSOCK);
    passed_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    HOLD(inherit("1", 0) == -ENOTSOCK); /* does not listen */
}

START_TEST(listener_inherited_takes_the_one_that_was_passed)
{
    passed_fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ck_assert_int_eq(in_fork(inherit_one), 0);
    (void)close(passed_fd);
}
END_TEST

START_TEST(listener_inherited_takes_nothing_that_another_was_passed)
{
    passed_fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ck_assert_int_eq(in_fork(inherit_foreign), 0);
    (void)close(passed_fd);
}
END_TEST

START_TEST(listener_inherited_takes_exactly_one_listening_socket)
{
    passed_fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ck_assert_int_eq(in_fork(inherit_two), 0);
    ck_assert_int_eq(in_fork(inherit_other_thing), 0);
    (void)close(passed_fd);
}
END_TEST

Suite *suite_listener(void);

Suite *
suite_listener(void)
{
    Suite *s = suite_create("listener");
    TCase *t = tcase_create("made");

    tcase_add_checked_fixture(t, setup_directory, teardown_directory);
    tcase_add_test(t, listener_at_path_opens_to_owner_and_group_only);
    tcase_add_test(t, listener_at_path_replaces_a_socket_nobody_serves);
    tcase_add_test(t, listener_at_path_leaves_a_living_service_alone);
    tcase_add_test(t, listener_at_path_replaces_no_ordinary_file);
    tcase_add_test(t, listener_at_address_listens_there_and_nowhere_else);
    tcase_add_test(t, listener_at_address_takes_ipv6_in_brackets);
    tcase_add_test(t, listener_at_address_takes_only_numbers);
    tcase_add_test(t, listener_is_at_its_path);
    suite_add_tcase(s, t);

    t = tcase_create("passed");
    tcase_add_checked_fixture(t, setup_directory, teardown_directory);
    tcase_add_test(t, listener_inherited_takes_the_one_that_was_passed);
    tcase_add_test(t, listener_inherited_takes_nothing_that_another_was_passed);
    tcase_add_test(t, listener_inherited_takes_exactly_one_listening_socket);
    suite_add_tcase(s, t);
    return s;
}
