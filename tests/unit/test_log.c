/* log: one line a thing, bounded, and no stranger can write a second one */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/scan.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"

Suite *suite_log(void);

#define LINE_MAX_BYTES 1024

static int seen_fd, saved_fd;
static char seen[16384];

static void
log_setup(void)
{
    seen_fd = memfd_create("stderr", MFD_CLOEXEC);
    saved_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ck_assert_int_eq(dup2(seen_fd, STDERR_FILENO), STDERR_FILENO);
    log_open("tester", LOG_INFO);
    log_set_format(LOG_TEXT);
    log_set_request(NULL);
}

static void
log_teardown(void)
{
    (void)dup2(saved_fd, STDERR_FILENO);
    (void)close(saved_fd);
    (void)close(seen_fd);
    log_open("glovebox", LOG_INFO);
    log_set_format(LOG_TEXT);
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

START_TEST(log_line_is_never_longer_than_its_bound)
{
    char text[3 * LINE_MAX_BYTES];

    for (size_t len = 0; len < sizeof(text); len++) {
        size_t n, least = len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES - 1;

        memset(text, 'x', len);
        text[len] = '\0';
        log_info("%s", text);
        n = log_look();
        ck_assert_uint_le(n, LINE_MAX_BYTES);
        ck_assert_uint_ge(n, least);
        ck_assert_int_eq(seen[n - 1], '\n');
        ck_assert_int_eq(ftruncate(seen_fd, 0), 0);
        ck_assert_int_eq(lseek(seen_fd, 0, SEEK_SET), 0);
    }
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
    (void)close(STDERR_FILENO); /* so that its write fails */
    errno = ENOTDIR;
    log_info("x");
    ck_assert_int_eq(errno, ENOTDIR);
}
END_TEST

/* --- the other formats ---------------------------------------------------- */

/* Where the time ends, in a line that begins with `before`. */
static const char *
after_time_of(const char *before)
{
    (void)log_look();
    ck_assert_mem_eq(seen, before, strlen(before));
    return seen + strlen(before) + CLOCK_TEXT - 1;
}

START_TEST(log_line_in_logfmt_has_its_pairs_as_fields)
{
    log_set_format(LOG_LOGFMT);
    log_set_request("r-1");
    log_warn("template ready profile=%s ms=%d", "restricted", 7);
    ck_assert_str_eq(after_time_of("time="),
        " level=warn process=tester req=r-1 msg=\"template ready\""
        " profile=restricted ms=7\n");
}
END_TEST

START_TEST(log_line_in_json_has_its_pairs_as_members)
{
    log_set_format(LOG_JSON);
    log_info("a \"b\" \\ profile=x ms=7");
    ck_assert_str_eq(after_time_of("{\"time\":\""),
        "\",\"level\":\"info\",\"process\":\"tester\","
        "\"msg\":\"a \\\"b\\\" \\\\\",\"profile\":\"x\",\"ms\":\"7\"}\n");
}
END_TEST

START_TEST(log_line_in_json_names_no_member_twice)
{
    log_set_format(LOG_JSON);
    log_info("x level=forged a=1 a=2");
    ck_assert_str_eq(after_time_of("{\"time\":\""),
        "\",\"level\":\"info\",\"process\":\"tester\","
        "\"msg\":\"x level=forged a=1\",\"a\":\"2\"}\n");
}
END_TEST

/* Bytes that a format must escape, as many as there is room for. */
static const char *const hostile[] = { "\"", "\\", "\n", "\x1b", "\xff",
    "\xc3\xa9", "}", " a=\"", " =", " k=v", "\"}\n{\"time\":\"" };
#define HOSTILE_COUNT (sizeof(hostile) / sizeof(hostile[0]))

static void
fill(char *text, size_t size, const char *with)
{
    size_t n = strlen(with);

    for (size_t i = 0; i < size - 1; i++)
        text[i] = with[i % n];
    text[size - 1] = '\0';
}

START_TEST(log_line_in_json_is_one_json_value_whatever_is_in_it)
{
    char text[2000], id[2000];
    size_t n;

    fill(text, sizeof(text), hostile[_i]);
    fill(id, sizeof(id), hostile[_i]);
    log_set_format(LOG_JSON);
    log_set_request(id);
    log_error("%s", text);
    n = log_look();
    ck_assert_int_eq(seen[n - 1], '\n');
    ck_assert_ptr_eq(strchr(seen, '\n'), seen + n - 1);
    ck_assert(json_is_value(view_of(seen, n - 1), 1));
}
END_TEST

START_TEST(log_line_in_logfmt_is_one_line_of_closed_quotes)
{
    char text[2000], id[2000];
    bool is_open = false;
    size_t n;

    fill(text, sizeof(text), hostile[_i]);
    fill(id, sizeof(id), hostile[_i]);
    log_set_format(LOG_LOGFMT);
    log_set_request(id);
    log_error("%s", text);
    n = log_look();
    for (size_t i = 0; i < n - 1; i++) {
        ck_assert(seen[i] >= ' ' && seen[i] <= '~');
        if (is_open && seen[i] == '\\')
            i++;
        else if (seen[i] == '"')
            is_open = !is_open;
    }
    ck_assert(!is_open);
    ck_assert_int_eq(seen[n - 1], '\n');
}
END_TEST

START_TEST(log_format_that_does_not_exist_is_plain_text)
{
    log_set_format((enum log_format)99);
    log_info("x");
    ck_assert_str_eq(after_time(), "INFO tester x\n");
}
END_TEST

/* --- values of strangers -------------------------------------------------- */

START_TEST(log_safe_keeps_harmless_characters_and_masks_the_rest)
{
    char room[64];

    ck_assert_str_eq(log_safe(room, sizeof(room), "aZ09-_./:", 9), "aZ09-_./:");
    ck_assert_str_eq(
        log_safe(room, sizeof(room), "a b\"\\=%\n\x1b\x7f\xc3\xa9\0c", 14),
        "a?b??????????c");
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

/* Every byte, in the sentence, in a pair and as a request id. */
static void
log_hostile_lines(void)
{
    char all[256] = "";

    for (size_t i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    log_error("a%sb%cc key=%s", all, '\0', all);
    log_set_request(all);
    log_error("x \"y\" \\ z= =z time=1 msg=2 a=1 a=2 b=\"");
    log_set_request(NULL);
}

START_TEST(log_json_lines_are_json_whatever_is_in_them)
{
    char *at = seen, *end;

    log_set_format(LOG_JSON);
    log_hostile_lines();
    (void)log_look();
    for (int i = 0; i < 2; i++, at = end + 1) {
        end = strchr(at, '\n');
        ck_assert_ptr_nonnull(end);
        ck_assert_msg(json_is_value(view_of(at, (size_t)(end - at)), 1), "%.*s",
            (int)(end - at), at);
    }
    ck_assert_int_eq(*at, '\0');
}
END_TEST

START_TEST(log_json_has_the_pairs_as_fields_and_no_key_twice)
{
    log_set_format(LOG_JSON);
    log_set_request("r-1");
    log_warn("template ready time=never pid=7 profile=%s", "restricted");
    (void)log_look();
    ck_assert_str_eq(strstr(seen, ",\"level\""),
        ",\"level\":\"warn\",\"process\":\"tester\",\"req\":\"r-1\","
        "\"msg\":\"template ready time=never\",\"pid\":\"7\","
        "\"profile\":\"restricted\"}\n");
}
END_TEST

START_TEST(log_logfmt_quotes_what_needs_it)
{
    log_set_format(LOG_LOGFMT);
    log_info("went \"wrong\" at=1 of=%s", "");
    (void)log_look();
    ck_assert_str_eq(strstr(seen, " level="),
        " level=info process=tester msg=\"went \\\"wrong\\\"\" at=1 "
        "of=\"\"\n");
}
END_TEST

START_TEST(log_logfmt_lines_stay_one_line_of_printable_bytes)
{
    size_t n, newlines = 0;

    log_set_format(LOG_LOGFMT);
    log_hostile_lines();
    n = log_look();
    for (size_t i = 0; i < n; i++) {
        newlines += seen[i] == '\n';
        ck_assert(seen[i] == '\n' || (seen[i] >= ' ' && seen[i] <= '~'));
    }
    ck_assert_uint_eq(newlines, 2);
}
END_TEST

START_TEST(log_longest_line_is_whole_in_every_format)
{
    char text[3 * LINE_MAX_BYTES];
    size_t n;

    log_set_format(LOG_JSON);
    memset(text, '"', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    log_set_request(text);
    log_error("%s", text);
    n = log_look();
    ck_assert(json_is_value(view_of(seen, n - 1), 1));
    /* Many short pairs: the most that fields can add to a sentence. */
    for (size_t i = 0; i + 4 < sizeof(text); i += 4)
        (void)snprintf(text + i, 5, " %c=\"", (char)('a' + i / 4 % 26));
    log_error("%s", text);
    n = log_look() - n;
    ck_assert(json_is_value(view_of(seen + strlen(seen) - n, n - 1), 1));
}
END_TEST

/* Nobody reads: nothing waits, and the next who does is told. */
static void
fill_and_look(int ends[2])
{
    static char bytes[1 << 20];
    unsigned lines = 3000;
    ssize_t n;

    ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    ck_assert_int_eq(fd_unblock(STDERR_FILENO), 0);
    while (lines-- > 0)
        log_info("%0500d", 1);
    do
        n = recv(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT);
    while (n > 0);
    if (n < 0 && errno == ENOTSOCK)
        ck_assert_int_gt((int)read(ends[0], bytes, sizeof(bytes)), 0);
    log_info("back");
    n = recv(ends[0], bytes, sizeof(bytes), MSG_DONTWAIT);
    if (n < 0)
        n = read(ends[0], bytes, sizeof(bytes) - 1);
    bytes[n] = '\0';
    ck_assert_ptr_nonnull(strstr(bytes, "WARN tester log lines lost count="));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

START_TEST(log_line_to_a_pipe_that_is_full_is_lost_and_counted)
{
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    fill_and_look(ends);
}
END_TEST

START_TEST(log_line_to_a_socket_that_is_full_is_lost_and_counted)
{
    int ends[2];

    ck_assert_int_eq(fd_pair(SOCK_STREAM, ends), 0);
    fill_and_look(ends);
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
    tcase_add_test(t, log_line_is_never_longer_than_its_bound);
    tcase_add_test(t, log_line_is_bounded_with_an_endless_request_id_too);
    tcase_add_test(t, log_line_leaves_errno_as_it_was);
    tcase_add_test(t, log_line_to_a_pipe_that_is_full_is_lost_and_counted);
    tcase_add_test(t, log_line_to_a_socket_that_is_full_is_lost_and_counted);
    tcase_add_test(t, log_line_in_logfmt_has_its_pairs_as_fields);
    tcase_add_test(t, log_line_in_json_has_its_pairs_as_members);
    tcase_add_test(t, log_line_in_json_names_no_member_twice);
    tcase_add_loop_test(t, log_line_in_json_is_one_json_value_whatever_is_in_it,
        0, (int)HOSTILE_COUNT);
    tcase_add_loop_test(t, log_line_in_logfmt_is_one_line_of_closed_quotes, 0,
        (int)HOSTILE_COUNT);
    tcase_add_test(t, log_format_that_does_not_exist_is_plain_text);
    tcase_add_test(t, log_safe_keeps_harmless_characters_and_masks_the_rest);
    tcase_add_test(t, log_safe_leaves_only_its_alphabet_of_any_byte);
    tcase_add_test(t, log_safe_cuts_to_its_room);
    tcase_add_test(t, log_json_lines_are_json_whatever_is_in_them);
    tcase_add_test(t, log_json_has_the_pairs_as_fields_and_no_key_twice);
    tcase_add_test(t, log_logfmt_quotes_what_needs_it);
    tcase_add_test(t, log_logfmt_lines_stay_one_line_of_printable_bytes);
    tcase_add_test(t, log_longest_line_is_whole_in_every_format);
    suite_add_tcase(s, t);
    return s;
}
