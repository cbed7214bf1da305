/* log: one line a thing, bounded, and no stranger can write a second one */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/log.h"

Suite *suite_log(void);

#define LINE_MAX_BYTES 1024

static int seen_fd, saved_fd;
static char seen[8192];

static void
log_setup(void)
{
    seen_fd = memfd_create("stderr", MFD_CLOEXEC);
    saved_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ck_assert_int_eq(dup2(seen_fd, STDERR_FILENO), STDERR_FILENO);
    log_open("tester", LOG_INFO);
    log_set_request(NULL);
}

static void
log_teardown(void)
{
    (void)dup2(saved_fd, STDERR_FILENO);
    (void)close(saved_fd);
    (void)close(seen_fd);
    log_open("glovebox", LOG_INFO);
    log_set_request(NULL);
}

/* All that was logged so far. */
static size_t
log_look(void)
{
    ssize_t n = pread(seen_fd, seen, sizeof(seen) - 1, 0);

    ck_assert_int_ge(n, 0);
    seen[n] = '\0';
    return (size_t)n;
}

/* What follows the time, which is of fixed length. */
static const char *
after_time(void)
{
    size_t n = log_look();

    ck_assert_uint_gt(n, CLOCK_TEXT);
    return seen + CLOCK_TEXT;
}

START_TEST(log_line_is_time_level_process_sentence)
{
    log_warn("template ready profile=%s", "restricted");
    ck_assert_str_eq(
        after_time(), "WARN tester template ready profile=restricted\n");
}
END_TEST

START_TEST(log_line_carries_the_request_id_while_one_is_set)
{
    log_set_request("r-1");
    log_info("ran");
    ck_assert_str_eq(after_time(), "INFO tester req=r-1 ran\n");
}
END_TEST

START_TEST(log_line_below_the_level_is_not_written)
{
    log_debug("x");
    ck_assert_uint_eq(log_look(), 0);
    log_set_level(LOG_ERROR);
    log_warn("x");
    ck_assert_uint_eq(log_look(), 0);
    log_set_level(LOG_DEBUG);
    log_debug("x");
    ck_assert_str_eq(after_time(), "DEBUG tester x\n");
}
END_TEST

START_TEST(log_line_stays_one_line_whatever_is_in_it)
{
    char all[256] = "";
    size_t n;

    for (size_t i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    log_error("a%sb%cc", all, '\0');
    n = log_look();
    ck_assert_int_eq(seen[n - 1], '\n');
    for (size_t i = 0; i < n - 1; i++) {
        ck_assert_uint_ge((unsigned char)seen[i], ' ');
        ck_assert_uint_ne((unsigned char)seen[i], 0x7f);
    }
}
END_TEST

START_TEST(log_line_with_a_hostile_request_id_stays_one_line)
{
    log_set_request("r\n2026-01-01T00:00:00.000Z INFO app forged");
    log_info("x");
    ck_assert_ptr_eq(strchr(after_time(), '\n'), seen + strlen(seen) - 1);
}
END_TEST

/* The loop's number is how long the text is, around the bound. */
START_TEST(log_line_is_never_longer_than_its_bound)
{
    char text[3 * LINE_MAX_BYTES];
    size_t n;

    memset(text, 'x', sizeof(text));
    text[_i] = '\0';
    log_info("%s", text);
    n = log_look();
    ck_assert_uint_le(n, LINE_MAX_BYTES);
    ck_assert_uint_ge(
        n, _i < LINE_MAX_BYTES ? (size_t)_i : LINE_MAX_BYTES - 1);
    ck_assert_int_eq(seen[n - 1], '\n');
}
END_TEST

START_TEST(log_line_is_bounded_with_an_endless_request_id_too)
{
    char id[3 * LINE_MAX_BYTES];
    size_t n;

    memset(id, 'x', sizeof(id));
    id[sizeof(id) - 1] = '\0';
    log_set_request(id);
    log_info("ran %d", 7);
    n = log_look();
    ck_assert_uint_le(n, LINE_MAX_BYTES);
    ck_assert_int_eq(seen[n - 1], '\n');
}
END_TEST

START_TEST(log_line_leaves_errno_as_it_was)
{
    (void)dup2(saved_fd, seen_fd);
    (void)close(STDERR_FILENO); /* so that its write fails */
    errno = ENOTDIR;
    log_info("x");
    ck_assert_int_eq(errno, ENOTDIR);
}
END_TEST

START_TEST(log_safe_keeps_harmless_characters_and_masks_the_rest)
{
    char room[64];

    ck_assert_str_eq(log_safe(room, sizeof(room), "aZ09-_./:", 9), "aZ09-_./:");
    ck_assert_str_eq(log_safe(room, sizeof(room),
                         "a b\"\\=%\n\x1b\x7f\xc3\xa9\0c", 14),
        "a?b??????" "????c");
}
END_TEST

START_TEST(log_safe_leaves_only_its_alphabet_of_any_byte)
{
    char room[4];

    for (unsigned c = 0; c < 256; c++) {
        char byte = (char)c;
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
            (c >= 'a' && c <= 'z') ||
            (c != 0 && strchr("-_./:", (int)c) != NULL);

        (void)log_safe(room, sizeof(room), &byte, 1);
        ck_assert_int_eq(room[0], is_plain ? byte : '?');
        ck_assert_int_eq(room[1], '\0');
    }
}
END_TEST

START_TEST(log_safe_cuts_to_its_room)
{
    char room[5] = "####";

    ck_assert_ptr_eq(log_safe(room, 4, "abcdef", 6), room);
    ck_assert_str_eq(room, "abc");
    ck_assert_str_eq(log_safe(room, 1, "abc", 3), "");
    ck_assert_str_eq(log_safe(room, 4, "", 0), "");
}
END_TEST

Suite *
suite_log(void)
{
    Suite *s = suite_create("log");
    TCase *t = tcase_create("log");

    tcase_add_checked_fixture(t, log_setup, log_teardown);
    tcase_add_test(t, log_line_is_time_level_process_sentence);
    tcase_add_test(t, log_line_carries_the_request_id_while_one_is_set);
    tcase_add_test(t, log_line_below_the_level_is_not_written);
    tcase_add_test(t, log_line_stays_one_line_whatever_is_in_it);
    tcase_add_test(t, log_line_with_a_hostile_request_id_stays_one_line);
    tcase_add_loop_test(t, log_line_is_never_longer_than_its_bound,
        LINE_MAX_BYTES - 64, LINE_MAX_BYTES + 8);
    tcase_add_test(t, log_line_is_bounded_with_an_endless_request_id_too);
    tcase_add_test(t, log_line_leaves_errno_as_it_was);
    tcase_add_test(t, log_safe_keeps_harmless_characters_and_masks_the_rest);
    tcase_add_test(t, log_safe_leaves_only_its_alphabet_of_any_byte);
    tcase_add_test(t, log_safe_cuts_to_its_room);
    suite_add_tcase(s, t);
    return s;
}
