/* fdio: whole or not at all, close-on-exec, descriptors accounted for */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"

Suite *suite_fdio(void);

static int pair[2];

static void
fdio_setup(void)
{
    ck_assert_int_eq(fd_pair(SOCK_STREAM, pair), 0);
}

static void
fdio_teardown(void)
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static bool
is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static bool
is_close_on_exec(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

/* The same before and after: nothing leaked. */
static int
count_open(void)
{
    int count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += is_open(fd);
    return count;
}

START_TEST(fd_pair_is_close_on_exec_at_both_ends)
{
    ck_assert(is_close_on_exec(pair[0]));
    ck_assert(is_close_on_exec(pair[1]));
}
END_TEST

START_TEST(fd_set_nonblocking_makes_a_read_return_at_once)
{
    char byte;

    ck_assert_int_eq(fd_set_nonblocking(pair[0]), 0);
    ck_assert_int_eq(fd_read_all(pair[0], &byte, 1), -EAGAIN);
    ck_assert_int_eq(fd_set_nonblocking(-1), -EBADF);
}
END_TEST

START_TEST(fd_read_all_puts_pieces_together)
{
    char bytes[6] = "";

    ck_assert_int_eq(fd_write_all(pair[1], "ab", 2), 0);
    ck_assert_int_eq(fd_write_all(pair[1], "cde", 3), 0);
    ck_assert_int_eq(fd_read_all(pair[0], bytes, 5), 0);
    ck_assert_str_eq(bytes, "abcde");
}
END_TEST

START_TEST(fd_read_all_tells_an_early_end_from_success)
{
    char bytes[4];

    ck_assert_int_eq(fd_write_all(pair[1], "ab", 2), 0);
    ck_assert_int_eq(shutdown(pair[1], SHUT_WR), 0);
    ck_assert_int_eq(fd_read_all(pair[0], bytes, 4), -EPIPE);
}
END_TEST

START_TEST(fd_write_all_to_a_closed_socket_raises_no_signal)
{
    (void)signal(SIGPIPE, SIG_DFL);
    (void)close(pair[0]);
    ck_assert_int_eq(fd_write_all(pair[1], "x", 1), -EPIPE);
}
END_TEST

START_TEST(fd_write_all_works_on_a_pipe_too)
{
    char bytes[3] = "";
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(fd_write_all(ends[1], "xy", 2), 0);
    ck_assert_int_eq(fd_read_all(ends[0], bytes, 2), 0);
    ck_assert_str_eq(bytes, "xy");
    (void)close(ends[0]);
    (void)close(ends[1]);
}
END_TEST

START_TEST(fd_unblock_makes_only_this_end_of_a_pipe_never_wait)
{
    char bytes[4096] = { 0 };
    int fds[2], other;

    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    other = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
    ck_assert_int_eq(fd_unblock(fds[1]), 0);
    while (write(fds[1], bytes, sizeof(bytes)) > 0)
        ;
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(fcntl(other, F_GETFL) & O_NONBLOCK, 0);
    /* It is still that pipe. */
    ck_assert_int_eq((int)read(fds[0], bytes, sizeof(bytes)), 4096);
    ck_assert_int_eq((int)write(fds[1], "x", 1), 1);
    (void)close(other);
    (void)close(fds[0]);
    (void)close(fds[1]);
}
END_TEST

START_TEST(fd_unblock_leaves_files_and_sockets_alone)
{
    int fd = memfd_create("file", MFD_CLOEXEC);

    ck_assert_int_eq((int)write(fd, "abc", 3), 3);
    ck_assert_int_eq(fd_unblock(fd), 0);
    /* Opened anew it would begin at the beginning. */
    ck_assert_int_eq((int)lseek(fd, 0, SEEK_CUR), 3);
    (void)close(fd);
    ck_assert_int_eq(fd_unblock(fd), -EBADF);
}
END_TEST

START_TEST(fd_pread_all_refuses_a_file_that_is_too_short)
{
    int fd = memfd_create("short", MFD_CLOEXEC);
    char bytes[8] = "";

    ck_assert_int_eq(fd_pwrite_all(fd, "abcdef", 6, 2), 0);
    ck_assert_int_eq(fd_pread_all(fd, bytes, 6, 2), 0);
    ck_assert_str_eq(bytes, "abcdef");
    ck_assert_int_eq(fd_pread_all(fd, bytes, 7, 2), -EIO);
    ck_assert_int_eq(fd_pread_all(fd, bytes, 1, 8), -EIO);
    ck_assert_int_eq(fd_pread_all(fd, bytes, 1, -1), -EINVAL);
    (void)close(fd);
}
END_TEST

/* --- in the middle of it -------------------------------------------------- */

static volatile sig_atomic_t ticks;

/* The first signals only interrupt; then the other side moves on. */
static void
on_tick(int number)
{
    static char bytes[65536];

    (void)number;
    if (++ticks < 3)
        return;
    (void)!send(pair[1], "x", 1, MSG_DONTWAIT);
    (void)!recv(pair[1], bytes, sizeof(bytes), MSG_DONTWAIT);
}

static void
start_ticking(void)
{
    const struct sigaction action = { .sa_handler = on_tick };
    const struct itimerval often = { { 0, 5000 }, { 0, 5000 } };

    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void
fill(int sock)
{
    static const char bytes[4096];

    while (send(sock, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        ;
    while (send(sock, bytes, 1, MSG_DONTWAIT) > 0)
        ;
}

START_TEST(signals_do_not_end_a_read)
{
    char byte = 0;
    size_t n = 0;

    start_ticking();
    ck_assert_int_eq(fd_read_all(pair[0], &byte, 1), 0);
    ck_assert_int_ge(ticks, 3);
    ck_assert_int_eq(byte, 'x');
    while (recv(pair[0], &byte, 1, MSG_DONTWAIT) == 1)
        ;
    ticks = 0;
    ck_assert_int_eq(fd_pass_recv(pair[0], &byte, 1, NULL, &n), 1);
}
END_TEST

START_TEST(signals_do_not_end_a_write)
{
    fill(pair[0]);
    start_ticking();
    ck_assert_int_eq(fd_write_all(pair[0], "y", 1), 0);
    ck_assert_int_ge(ticks, 3);
    fill(pair[0]);
    ticks = 0;
    ck_assert_int_eq(fd_pass_send(pair[0], "y", 1, NULL, 0), 0);
}
END_TEST

/* --- what the machine refuses --------------------------------------------- */

START_TEST(no_descriptor_left_is_an_error_like_any_other)
{
    struct rlimit before, none;
    int fds[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    ck_assert_int_eq(fd_unblock(null), 0);
    for (int fd = 0; fd < 3; fd++)
        ck_assert(is_open(fd));
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ 3, before.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    ck_assert_int_eq(fd_pair(SOCK_STREAM, fds), -EMFILE);
    ck_assert_int_eq(fd_unblock(null), -EMFILE);
    ck_assert_int_eq((int)write(null, "x", 1), 1);
    /* A sanitizer opens files to look for leaks. */
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    (void)close(null);
}
END_TEST

START_TEST(fd_pwrite_all_says_why_it_cannot)
{
    ck_assert_int_eq(fd_pwrite_all(pair[0], "x", 1, 0), -ESPIPE);
    ck_assert_int_eq(fd_pwrite_all(-1, "x", 1, 0), -EBADF);
}
END_TEST

/* --- passing descriptors -------------------------------------------------- */

START_TEST(fd_pass_hands_over_a_working_descriptor)
{
    int sent, got = -1;
    size_t n = 1;
    char bytes[4] = "", found[3] = "";

    sent = memfd_create("passed", MFD_CLOEXEC);
    ck_assert_int_eq(fd_pwrite_all(sent, "hi", 2, 0), 0);
    ck_assert_int_eq(fd_pass_send(pair[0], "abc", 3, &sent, 1), 0);
    ck_assert_int_eq(fd_pass_recv(pair[1], bytes, 4, &got, &n), 3);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(bytes, "abc");
    ck_assert_int_ne(got, sent);
    ck_assert(is_close_on_exec(got));
    ck_assert_int_eq(fd_pread_all(got, found, 2, 0), 0);
    ck_assert_str_eq(found, "hi");
    (void)close(sent);
    (void)close(got);
}
END_TEST

START_TEST(fd_pass_takes_as_many_as_its_maximum)
{
    int sent[FD_PASS_MAX + 1], got[FD_PASS_MAX];
    size_t n = FD_PASS_MAX;
    char byte;

    for (size_t i = 0; i < FD_PASS_MAX + 1; i++)
        sent[i] = pair[0];
    ck_assert_int_eq(
        fd_pass_send(pair[0], "x", 1, sent, FD_PASS_MAX + 1), -EINVAL);
    ck_assert_int_eq(fd_pass_send(pair[0], "x", 1, sent, FD_PASS_MAX), 0);
    ck_assert_int_eq(fd_pass_recv(pair[1], &byte, 1, got, &n), 1);
    ck_assert_uint_eq(n, FD_PASS_MAX);
    for (size_t i = 0; i < n; i++) {
        ck_assert(is_open(got[i]));
        (void)close(got[i]);
    }
}
END_TEST

START_TEST(fd_pass_closes_descriptors_there_is_no_room_for)
{
    int sent[3] = { pair[0], pair[0], pair[0] }, got[2] = { -1, -1 };
    int before = count_open();
    size_t n = 1;
    char byte;

    ck_assert_int_eq(fd_pass_send(pair[0], "x", 1, sent, 3), 0);
    ck_assert_int_eq(fd_pass_recv(pair[1], &byte, 1, got, &n), 1);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(got[1], -1);
    (void)close(got[0]);
    ck_assert_int_eq(count_open(), before);
}
END_TEST

/* As a peer does that was built from other sources. */
static void
send_many(int sock, size_t count)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int) * 16)];
    } control = { 0 };
    char byte = 'x';
    struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
    struct msghdr msg = { .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = CMSG_SPACE(sizeof(int) * count) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * count);
    for (size_t i = 0; i < count; i++)
        memcpy(CMSG_DATA(c) + i * sizeof(int), &sock, sizeof(int));
    ck_assert_int_eq(sendmsg(sock, &msg, 0), 1);
}

START_TEST(fd_pass_leaks_nothing_when_a_peer_sends_more_than_the_maximum)
{
    int got[FD_PASS_MAX], before = count_open();
    size_t n = FD_PASS_MAX;
    char byte;

    send_many(pair[0], 16);
    ck_assert_int_eq(fd_pass_recv(pair[1], &byte, 1, got, &n), 1);
    ck_assert_uint_le(n, FD_PASS_MAX);
    for (size_t i = 0; i < n; i++)
        (void)close(got[i]);
    ck_assert_int_eq(count_open(), before);
}
END_TEST

START_TEST(fd_pass_recv_says_none_came_with_plain_bytes_or_the_end)
{
    int got = -1;
    size_t n = 1;
    char byte;

    ck_assert_int_eq(fd_pass_send(pair[0], "x", 1, NULL, 0), 0);
    ck_assert_int_eq(fd_pass_recv(pair[1], &byte, 1, &got, &n), 1);
    ck_assert_uint_eq(n, 0);
    (void)close(pair[0]);
    n = 1;
    ck_assert_int_eq(fd_pass_recv(pair[1], &byte, 1, &got, &n), 0);
    ck_assert_uint_eq(n, 0);
    n = 1;
    ck_assert_int_eq(fd_pass_recv(-1, &byte, 1, &got, &n), -EBADF);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(got, -1);
}
END_TEST

/* Who sent it is told in the same place as what was sent. */
START_TEST(fd_pass_takes_nothing_for_a_descriptor_that_is_none)
{
    int on = 1, got[FD_PASS_MAX] = { -1, -1, -1, -1 };
    size_t n = FD_PASS_MAX;
    char byte;

    ck_assert_int_eq(
        setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
    ck_assert_int_eq(fd_pass_send(pair[0], "x", 1, NULL, 0), 0);
    ck_assert_int_eq(fd_pass_recv(pair[1], &byte, 1, got, &n), 1);
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(got[0], -1);
}
END_TEST

/* --- numbers -------------------------------------------------------------- */

static const struct {
    const char *text;
    uint64_t max;
    uint64_t value;
} numbers[] = {
    { "0", 0, 0 },
    { "7", 7, 7 },
    { "007", 7, 7 },
    { "10", 10, 10 },
    { "4294967296", UINT64_MAX, 4294967296 },
    { "18446744073709551615", UINT64_MAX, UINT64_MAX },
    { "9223372036854775808", (uint64_t)1 << 63, (uint64_t)1 << 63 },
};

START_TEST(parse_u64_reads_digits_up_to_the_maximum)
{
    uint64_t value = 99;

    ck_assert_int_eq(parse_u64(numbers[_i].text, numbers[_i].max, &value), 0);
    ck_assert_uint_eq(value, numbers[_i].value);
}
END_TEST

static const struct {
    const char *text;
    uint64_t max;
} no_numbers[] = {
    { "", 10 },
    { " 1", 10 },
    { "1 ", 10 },
    { "+1", 10 },
    { "-1", UINT64_MAX },
    { "-0", 10 },
    { "0x1", 10 },
    { "1e1", 100 },
    { "1.0", 10 },
    { "1\n", 10 },
    { "\xd9\xa1", 10 }, /* a digit, but of another script */
    { "1", 0 },
    { "8", 7 },
    { "11", 10 },
    { "99", 5 },
    { "100", 99 },
    { "18446744073709551616", UINT64_MAX },
    { "18446744073709551625", UINT64_MAX },
    { "99999999999999999999", UINT64_MAX },
    { "184467440737095516150", UINT64_MAX },
    { "18446744073709551617", 9 }, /* 1, had it wrapped around */
    { "340282366920938463463374607431768211456", UINT64_MAX },
};

START_TEST(parse_u64_refuses_all_else_and_leaves_the_value_alone)
{
    uint64_t value = 99;

    ck_assert_int_eq(
        parse_u64(no_numbers[_i].text, no_numbers[_i].max, &value), -EINVAL);
    ck_assert_uint_eq(value, 99);
}
END_TEST

/* Where a check done in 64 bits would wrap: small maxima, long numbers. */
START_TEST(parse_u64_accepts_exactly_the_numbers_up_to_any_small_maximum)
{
    char text[32];
    uint64_t value;

    for (uint64_t max = 0; max < 130; max++)
        for (unsigned i = 0; i < 1200; i++) {
            (void)snprintf(text, sizeof(text), "%u", i);
            ck_assert_int_eq(
                parse_u64(text, max, &value), i <= max ? 0 : -EINVAL);
            (void)snprintf(text, sizeof(text), "1844674407370955%04u", i);
            ck_assert_int_eq(parse_u64(text, max, &value), -EINVAL);
        }
}
END_TEST

Suite *
suite_fdio(void)
{
    Suite *s = suite_create("fdio");
    TCase *t = tcase_create("fdio");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, fdio_setup, fdio_teardown);
    tcase_add_test(t, fd_pair_is_close_on_exec_at_both_ends);
    tcase_add_test(t, fd_set_nonblocking_makes_a_read_return_at_once);
    tcase_add_test(t, fd_read_all_puts_pieces_together);
    tcase_add_test(t, fd_read_all_tells_an_early_end_from_success);
    tcase_add_test(t, fd_write_all_to_a_closed_socket_raises_no_signal);
    tcase_add_test(t, fd_write_all_works_on_a_pipe_too);
    tcase_add_test(t, fd_unblock_makes_only_this_end_of_a_pipe_never_wait);
    tcase_add_test(t, fd_unblock_leaves_files_and_sockets_alone);
    tcase_add_test(t, fd_pread_all_refuses_a_file_that_is_too_short);
    tcase_add_test(t, signals_do_not_end_a_read);
    tcase_add_test(t, signals_do_not_end_a_write);
    tcase_add_test(t, no_descriptor_left_is_an_error_like_any_other);
    tcase_add_test(t, fd_pwrite_all_says_why_it_cannot);
    tcase_add_test(t, fd_pass_takes_nothing_for_a_descriptor_that_is_none);
    tcase_add_test(t, fd_pass_hands_over_a_working_descriptor);
    tcase_add_test(t, fd_pass_takes_as_many_as_its_maximum);
    tcase_add_test(t, fd_pass_closes_descriptors_there_is_no_room_for);
    tcase_add_test(
        t, fd_pass_leaks_nothing_when_a_peer_sends_more_than_the_maximum);
    tcase_add_test(t, fd_pass_recv_says_none_came_with_plain_bytes_or_the_end);
    tcase_add_loop_test(t, parse_u64_reads_digits_up_to_the_maximum, 0,
        sizeof(numbers) / sizeof(numbers[0]));
    tcase_add_loop_test(t,
        parse_u64_refuses_all_else_and_leaves_the_value_alone, 0,
        sizeof(no_numbers) / sizeof(no_numbers[0]));
    tcase_add_test(
        t, parse_u64_accepts_exactly_the_numbers_up_to_any_small_maximum);
    suite_add_tcase(s, t);
    return s;
}
