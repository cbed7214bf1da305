/* sink: the journal's own protocol; files are tried in test_audit.c */
#include "fcgi-app/audit/sink.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "sandbox/base/clock.h"
#include "tests/support/temp.h"

Suite *suite_sink(void);

static char dir[TEMP_MAX], path[TEMP_MAX + 64];
static int journal_fd = -1;

/* A journal, as far as a sender can tell. */
static void
journal_start(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    (void)unlink(path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    journal_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(
        bind(journal_fd, (const struct sockaddr *)&address, sizeof(address)),
        0);
}

static void
set_up(void)
{
    temp_template(dir);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    (void)snprintf(path, sizeof(path), "%s/socket", dir);
    journal_start();
}

static void
tear_down(void)
{
    (void)close(journal_fd);
    (void)unlink(path);
    (void)rmdir(dir);
}

static void
assert_journal_got(const char *text)
{
    char got[1024];
    ssize_t n = recv(journal_fd, got, sizeof(got) - 1, MSG_DONTWAIT);

    ck_assert_int_gt(n, 0);
    got[n] = '\0';
    ck_assert_str_eq(got, text);
}

#define HEAD "PRIORITY=6\nSYSLOG_IDENTIFIER=glovebox-audit\nMESSAGE="

START_TEST(sink_sends_a_line_as_one_datagram_of_fields)
{
    struct sink s;

    ck_assert_int_eq(sink_open_journal(&s, path), 0);
    ck_assert_int_eq(sink_write(&s, view_of("{\"a\":1}\n", 8)), 0);
    assert_journal_got(HEAD "{\"a\":1}\n");
    sink_close(&s);
}
END_TEST

START_TEST(sink_finds_a_journal_that_was_started_anew)
{
    struct sink s;

    ck_assert_int_eq(sink_open_journal(&s, path), 0);
    (void)close(journal_fd);
    journal_start();
    ck_assert_int_eq(sink_write(&s, view_of("{}\n", 3)), 0);
    assert_journal_got(HEAD "{}\n");
    sink_close(&s);
}
END_TEST

START_TEST(sink_without_a_journal_fails)
{
    struct sink s;

    ck_assert_int_eq(sink_open_journal(&s, path), 0);
    (void)close(journal_fd);
    journal_fd = -1;
    ck_assert_int_eq(sink_write(&s, view_of("{}\n", 3)), -ECONNREFUSED);
    sink_close(&s);
    (void)unlink(path);
    ck_assert_int_eq(sink_open_journal(&s, path), -ENOENT);
}
END_TEST

/* A second for the first line that does not fit, nothing for those after. */
START_TEST(sink_waits_once_for_a_pipe_that_nobody_reads)
{
    int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), ends[2], r = 0;
    struct view line = view_of("a line of the trail\n", 20);
    struct sink s;
    uint64_t start_us;
    char bytes[4096];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    r = sink_open(&s, "stdout");
    while (r == 0)
        r = sink_write(&s, line);
    start_us = clock_mono_us();
    for (int i = 0; i < 50 && r == -EAGAIN; i++)
        r = sink_write(&s, line);
    start_us = clock_mono_us() - start_us;
    (void)!read(ends[0], bytes, sizeof(bytes));
    if (r == -EAGAIN)
        r = sink_write(&s, line);
    (void)dup2(saved, STDOUT_FILENO);
    (void)close(saved);
    (void)close(ends[0]);
    (void)close(ends[1]);
    ck_assert_int_eq(r, 0);
    ck_assert(!s.is_stuck);
    ck_assert_uint_lt(start_us, 900000);
}
END_TEST

START_TEST(sink_with_a_path_that_is_too_long_for_a_socket_fails)
{
    char name[200];
    struct sink s;

    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    ck_assert_int_eq(sink_open_journal(&s, name), -ENAMETOOLONG);
}
END_TEST

Suite *
suite_sink(void)
{
    Suite *s = suite_create("sink");
    TCase *t = tcase_create("sink");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, sink_sends_a_line_as_one_datagram_of_fields);
    tcase_add_test(t, sink_finds_a_journal_that_was_started_anew);
    tcase_add_test(t, sink_without_a_journal_fails);
    tcase_add_test(t, sink_waits_once_for_a_pipe_that_nobody_reads);
    tcase_add_test(t, sink_with_a_path_that_is_too_long_for_a_socket_fails);
    suite_add_tcase(s, t);
    return s;
}
