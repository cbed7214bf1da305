/* verify: whatever is done to a trail shows, and nothing else does */
#include "fcgi-app/audit/verify.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_verify(void);

#define LINES 6

static char trail[LINES][256];

/* A whole trail; its first line is number 1. */
static void
set_up(void)
{
    struct chain c = { 0 };

    for (size_t i = 0; i < LINES; i++) {
        struct json_writer w;
        struct buf b;

        buf_init(&b, sizeof(trail[i]) - 1);
        json_writer_init(&w, &b);
        chain_begin_line(&c, &w);
        buf_addf(&b, ",\"n\":%zu}", i);
        ck_assert(buf_ok(&b));
        memcpy(trail[i], b.data, b.len + 1);
        chain_advance(&c, view_of(b.data, b.len));
        buf_done(&b);
    }
}

/* What is found in the lines, as one letter each; NULL ends the list. */
static const char *
look(const char *const *lines)
{
    static const char letters[] = ".cmdstr"; /* enum verify_finding */
    static char found[32];
    struct verify v;
    size_t n = 0;

    verify_init(&v);
    for (; *lines != NULL; lines++)
        found[n++] =
            letters[verify_line(&v, view_of(*lines, strlen(*lines)), true)];
    found[n] = '\0';
    return found;
}

#define LOOK(...) look((const char *const[]){ __VA_ARGS__, NULL })
#define T(i) trail[(i)-1]

START_TEST(verify_finds_nothing_in_a_whole_trail)
{
    ck_assert_str_eq(LOOK(T(1), T(2), T(3), T(4), T(5), T(6)), "......");
}
END_TEST

START_TEST(verify_lets_a_trail_begin_in_the_middle)
{
    ck_assert_str_eq(LOOK(T(4), T(5), T(6)), "...");
}
END_TEST

START_TEST(verify_finds_a_changed_line_by_the_one_after_it)
{
    char changed[256];

    memcpy(changed, T(3), sizeof(changed));
    strstr(changed, "\"n\":2")[4] = '7';
    ck_assert_str_eq(LOOK(T(1), T(2), changed, T(4), T(5)), "...c.");
}
END_TEST

START_TEST(verify_finds_a_change_of_any_one_character)
{
    char changed[256];

    for (size_t i = 0; i < strlen(T(2)); i++) {
        memcpy(changed, T(2), sizeof(changed));
        changed[i] = (char)(changed[i] ^ 1);
        ck_assert_str_ne(LOOK(T(1), changed, T(3), T(4)), "....");
    }
}
END_TEST

START_TEST(verify_finds_missing_lines)
{
    ck_assert_str_eq(LOOK(T(1), T(2), T(4)), "..m");
    ck_assert_str_eq(LOOK(T(1), T(6)), ".m");
}
END_TEST

START_TEST(verify_finds_a_line_that_is_there_twice)
{
    ck_assert_str_eq(LOOK(T(1), T(2), T(2), T(3)), "..d.");
    ck_assert_str_eq(LOOK(T(1), T(2), T(3), T(2), T(4)), "...sm");
}
END_TEST

START_TEST(verify_finds_lines_that_changed_places)
{
    ck_assert_str_eq(LOOK(T(1), T(3), T(2), T(4)), ".msm");
}
END_TEST

START_TEST(verify_finds_files_given_in_the_wrong_order)
{
    ck_assert_str_eq(LOOK(T(4), T(5), T(2), T(3)), "..s.");
}
END_TEST

START_TEST(verify_finds_a_line_that_is_none_of_ours)
{
    ck_assert_str_eq(LOOK(T(1), "hello", T(2)), ".t.");
    ck_assert_str_eq(LOOK(T(1), "", T(2)), ".t.");
    /* It cannot hide that one is missing. */
    ck_assert_str_eq(LOOK(T(1), "hello", T(3)), ".tm");
}
END_TEST

START_TEST(verify_finds_a_line_that_has_no_end)
{
    struct verify v;

    verify_init(&v);
    ck_assert_int_eq(
        verify_line(&v, view_of(T(1), strlen(T(1))), true), VERIFY_GOOD);
    ck_assert_int_eq(
        verify_line(&v, view_of(T(2), strlen(T(2))), false), VERIFY_TORN);
    ck_assert_int_eq(
        verify_line(&v, view_of(T(2), strlen(T(2)) - 1), true), VERIFY_TORN);
}
END_TEST

START_TEST(verify_finds_a_trail_that_was_begun_anew)
{
    ck_assert_str_eq(LOOK(T(1), T(2), T(3), T(1), T(2)), "...r.");
}
END_TEST

START_TEST(verify_has_the_digest_of_the_last_line)
{
    unsigned char digest[SHA256_BYTES];
    struct verify v;

    verify_init(&v);
    (void)verify_line(&v, view_of(T(5), strlen(T(5))), true);
    sha256_of(T(5), strlen(T(5)), digest);
    ck_assert_mem_eq(v.last.digest, digest, sizeof(digest));
    ck_assert_uint_eq(v.last.seq, 5);
}
END_TEST

START_TEST(chain_reads_only_lines_that_begin_as_they_should)
{
    static const char *const bad[] = {
        "",
        "{",
        "{\"seq\":",
        "{\"seq\":1,\"prev\":\"",
        "{\"seq\":0,\"prev\":\"%s\"}",
        "{\"seq\":-1,\"prev\":\"%s\"}",
        "{\"seq\":99999999999999999999,\"prev\":\"%s\"}",
        "{ \"seq\":1,\"prev\":\"%s\"}",
        "{\"prev\":\"%s\",\"seq\":1}",
        "{\"seq\":1,\"prev\":\"x%s\"}",
        "{\"seq\":1,\"prev\":\"%s",
    };
    static const char hex[] =
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    char line[256];
    struct chain keys;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const char *mark = strstr(bad[i], "%s");
        size_t before = mark == NULL ? strlen(bad[i]) : (size_t)(mark - bad[i]);

        (void)snprintf(line, sizeof(line), "%.*s%s%s", (int)before, bad[i],
            mark == NULL ? "" : hex, mark == NULL ? "" : mark + 2);
        ck_assert_msg(
            !chain_read(view_of(line, strlen(line)), &keys), "%s", line);
    }
    (void)snprintf(line, sizeof(line), "{\"seq\":17,\"prev\":\"%s\"}", hex);
    ck_assert(chain_read(view_of(line, strlen(line)), &keys));
    ck_assert_uint_eq(keys.seq, 17);
}
END_TEST

Suite *
suite_verify(void)
{
    Suite *s = suite_create("verify");
    TCase *t = tcase_create("verify");

    tcase_add_checked_fixture(t, set_up, NULL);
    tcase_add_test(t, verify_finds_nothing_in_a_whole_trail);
    tcase_add_test(t, verify_lets_a_trail_begin_in_the_middle);
    tcase_add_test(t, verify_finds_a_changed_line_by_the_one_after_it);
    tcase_add_test(t, verify_finds_a_change_of_any_one_character);
    tcase_add_test(t, verify_finds_missing_lines);
    tcase_add_test(t, verify_finds_a_line_that_is_there_twice);
    tcase_add_test(t, verify_finds_lines_that_changed_places);
    tcase_add_test(t, verify_finds_files_given_in_the_wrong_order);
    tcase_add_test(t, verify_finds_a_line_that_is_none_of_ours);
    tcase_add_test(t, verify_finds_a_line_that_has_no_end);
    tcase_add_test(t, verify_finds_a_trail_that_was_begun_anew);
    tcase_add_test(t, verify_has_the_digest_of_the_last_line);
    tcase_add_test(t, chain_reads_only_lines_that_begin_as_they_should);
    suite_add_tcase(s, t);
    return s;
}
