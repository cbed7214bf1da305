/* spawner: a program started with one descriptor and nothing else */
#include "fcgi-app/spawner.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "tests/support/temp.h"

static char script[TEMP_MAX];

static void
remove_script(void)
{
    (void)unlink(script);
}

/* A program for the spawner to start, in the place of the last one. */
static void
write_script(const char *body)
{
    int fd;

    remove_script();
    fd = temp_file(script);
    log_open("test", LOG_ERROR + 1);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fd_write_all(fd, "#!/bin/sh\n", 10), 0);
    ck_assert_int_eq(fd_write_all(fd, body, strlen(body)), 0);
    ck_assert_int_eq(fchmod(fd, 0700), 0);
    (void)close(fd);
}

/* All it says on descriptor 3, up to its end or the first `lines` lines. */
static void
read_lines(int fd, int lines, char *text, size_t size)
{
    size_t len = 0;

    while (lines > 0 && len < size - 1 && read(fd, text + len, 1) == 1)
        if (text[len++] == '\n')
            lines--;
    text[len] = '\0';
}

static int
start(int spawner_fd, int *ret_pid)
{
    int fds[2];

    ck_assert_int_eq(fd_pair(SOCK_STREAM, fds), 0);
    *ret_pid = spawner_ask(spawner_fd, fds[1]);
    (void)close(fds[1]);
    return fds[0];
}

static bool
ends_within(int pid, int ms)
{
    for (int i = 0; i < ms; i += 10) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return true;
        (void)poll(NULL, 0, 10);
    }
    return false;
}

START_TEST(spawner_hands_over_one_descriptor_and_no_environment)
{
    int pid, fd, spawner_fd, extra = open("/dev/null", O_RDONLY);
    char text[512];

    (void)setenv("SECRET", "hidden", 1);
    write_script("exec /usr/bin/env -S sh -c "
                 "'ls /proc/self/fd; echo secret=$SECRET' >&3\n");
    spawner_fd = spawner_start(script, NULL, 65031, 65031);
    ck_assert_int_ge(spawner_fd, 0);
    ck_assert_int_ge(extra, 0);
    fd = start(spawner_fd, &pid);
    ck_assert_int_gt(pid, 0);
    read_lines(fd, 99, text, sizeof(text));
    /* 4 is the directory that ls reads */
    ck_assert_str_eq(text, "0\n1\n2\n3\n4\nsecret=\n");
    (void)close(fd);
    (void)close(extra);
    (void)close(spawner_fd);
}
END_TEST

START_TEST(spawner_starts_with_signals_as_they_come)
{
    char text[256], *blocked, *ignored;
    sigset_t set;
    int pid, fd, spawner_fd;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    write_script("exec grep -E '^Sig(Blk|Ign)' /proc/self/status >&3\n");
    spawner_fd = spawner_start(script, NULL, 65031, 65031);
    fd = start(spawner_fd, &pid);
    read_lines(fd, 99, text, sizeof(text));
    blocked = strstr(text, "SigBlk:\t0000000000000000\n");
    ck_assert_msg(blocked != NULL, "%s", text);
    ignored = strstr(text, "SigIgn:\t");
    ck_assert_msg(ignored != NULL, "%s", text);
    /* glibc's posix_spawn() ignores its two inner signals, 32 and 33 */
    ck_assert_uint_eq(strtoull(ignored + 8, NULL, 16) & ~(3ull << 31), 0);
    (void)close(fd);
    (void)close(spawner_fd);
}
END_TEST

START_TEST(spawner_says_why_a_program_did_not_start)
{
    int pid,
        spawner_fd = spawner_start("/nonexistent/program", NULL, 65031, 65031);
    int fd = start(spawner_fd, &pid);

    ck_assert_int_eq(pid, -ENOENT);
    (void)close(fd);
    (void)close(spawner_fd);
}
END_TEST

START_TEST(spawner_keeps_one_warden_at_most)
{
    char text[64];
    int first, second, fd_one, fd_two, spawner_fd;

    write_script("echo up >&3; exec sleep 60\n");
    spawner_fd = spawner_start(script, NULL, 65031, 65031);
    fd_one = start(spawner_fd, &first);
    read_lines(fd_one, 1, text, sizeof(text));
    ck_assert_str_eq(text, "up\n");
    fd_two = start(spawner_fd, &second);
    ck_assert_int_gt(second, 0);
    ck_assert(kill(first, 0) != 0 && errno == ESRCH);
    ck_assert_int_eq(kill(second, 0), 0);
    (void)close(fd_one);
    (void)close(fd_two);
    (void)close(spawner_fd);
    ck_assert(ends_within(second, 5000));
}
END_TEST

START_TEST(spawner_ends_a_warden_that_outlives_the_app)
{
    char text[64];
    int pid, fd, spawner_fd;

    write_script("echo up >&3; exec sleep 60\n");
    spawner_fd = spawner_start(script, NULL, 65031, 65031);
    fd = start(spawner_fd, &pid);
    read_lines(fd, 1, text, sizeof(text));
    (void)close(spawner_fd);
    ck_assert(ends_within(pid, 5000));
    (void)close(fd);
}
END_TEST

START_TEST(spawner_reaps_a_warden_that_died)
{
    char text[64];
    int pid, fd, spawner_fd;

    write_script("echo up >&3; exec sleep 60\n");
    spawner_fd = spawner_start(script, NULL, 65031, 65031);
    fd = start(spawner_fd, &pid);
    read_lines(fd, 1, text, sizeof(text));
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert(ends_within(pid, 2000)); /* a zombie would still be there */
    (void)close(fd);
    (void)close(spawner_fd);
}
END_TEST

/*
 * Which of two files are left at the end, as bits: the service's own, and one
 * that was replaced meanwhile.  `words` are said to the spawner.
 */
static int
files_left(bool are_kept, const char *words)
{
    char mine[80], theirs[80], new[80];
    struct spawner_files files = { { mine, theirs }, are_kept };
    int left, spawner_fd, pid;

    write_script("exit 0\n");
    (void)snprintf(mine, sizeof(mine), "%s.mine", script);
    (void)snprintf(theirs, sizeof(theirs), "%s.theirs", script);
    (void)snprintf(new, sizeof(new), "%s.new", script);
    (void)close(open(mine, O_CREAT | O_WRONLY, 0600));
    (void)close(open(theirs, O_CREAT | O_WRONLY, 0600));
    spawner_fd = spawner_start(script, &files, 65031, 65031);
    ck_assert_int_ge(spawner_fd, 0);
    (void)close(start(spawner_fd, &pid)); /* it has looked at the files */
    (void)close(open(new, O_CREAT | O_WRONLY, 0600));
    ck_assert_int_eq(rename(new, theirs), 0);
    for (; *words != '\0'; words++)
        ck_assert_int_eq(spawner_keep_files(spawner_fd, *words == 'k'), 0);
    (void)shutdown(spawner_fd, SHUT_WR);
    ck_assert_int_eq((int)read(spawner_fd, &pid, 1), 0); /* it has ended */
    (void)close(spawner_fd);
    left = (access(mine, F_OK) == 0) + 2 * (access(theirs, F_OK) == 0);
    (void)unlink(mine);
    (void)unlink(theirs);
    return left;
}

START_TEST(spawner_removes_the_files_that_are_still_the_services)
{
    ck_assert_int_eq(files_left(false, ""), 2);
    ck_assert_int_eq(files_left(false, "kr"), 2);
    ck_assert_int_eq(files_left(true, "r"), 2);
}
END_TEST

START_TEST(spawner_removes_no_file_that_another_service_shares)
{
    ck_assert_int_eq(files_left(true, ""), 3);
    ck_assert_int_eq(files_left(false, "k"), 3);
    ck_assert_int_eq(files_left(false, "krk"), 3);
}
END_TEST

Suite *suite_spawner(void);

Suite *
suite_spawner(void)
{
    Suite *s = suite_create("spawner");
    TCase *t = tcase_create("spawner");

    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, NULL, remove_script);
    tcase_add_test(t, spawner_hands_over_one_descriptor_and_no_environment);
    tcase_add_test(t, spawner_starts_with_signals_as_they_come);
    tcase_add_test(t, spawner_says_why_a_program_did_not_start);
    tcase_add_test(t, spawner_keeps_one_warden_at_most);
    tcase_add_test(t, spawner_ends_a_warden_that_outlives_the_app);
    tcase_add_test(t, spawner_reaps_a_warden_that_died);
    tcase_add_test(t, spawner_removes_the_files_that_are_still_the_services);
    tcase_add_test(t, spawner_removes_no_file_that_another_service_shares);
    suite_add_tcase(s, t);
    return s;
}
