/* scan: which texts are JSON and which are not */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/scan.h"

Suite *suite_scan(void);

static const char *const good[] = {
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "10",
    "1.5",
    "1e5",
    "1E+5",
    "1e-5",
    "-0.0e0",
    "1e999",
    "\"\"",
    "\"a\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
    "\"\\ud83d\\ude00\"",
    "\"\x7f\"",
    "\"\xc3\xa9\"",
    "[]",
    "{}",
    "[1,2]",
    "[[],{}]",
    "{\"a\":1,\"b\":[{}]}",
    " \t\r\n[ 1 , 2 ] \n",
};

static const char *const bad[] = {
    "",
    " ",
    "nul",
    "nullx",
    "True",
    "NaN",
    "Infinity",
    "-Infinity",
    "-",
    "+1",
    "01",
    "-01",
    "1.",
    ".5",
    "1e",
    "1e+",
    "0x10",
    "1 2",
    "\"",
    "\"a",
    "'a'",
    "\"\\\"",
    "\"\\x41\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\",
    "\"\n\"",
    "\"\t\"",
    "\"\x01\"",
    "\"\xff\"",
    "\"\xc0\xaf\"",
    "\"\xed\xa0\x80\"",
    "\xef\xbb\xbf{}",
    "[",
    "]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1}",
    "{",
    "}",
    "{]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{1:1}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}",
    "[1]]",
    "{}{}",
    "// c\n1",
    "/* c */1",
    "[1]#",
    "\xc2\xa0"
    "1",
};

START_TEST(scan_accepts)
{
    ck_assert_msg(
        json_is_value(view_of(good[_i], strlen(good[_i])), 16), "%s", good[_i]);
}
END_TEST

START_TEST(scan_refuses)
{
    ck_assert_msg(
        !json_is_value(view_of(bad[_i], strlen(bad[_i])), 16), "%s", bad[_i]);
}
END_TEST

START_TEST(scan_refuses_every_true_prefix_of_a_text)
{
    static const char text[] =
        "{\"a\":[1,-2.5e3,\"\\u00e9\xc3\xa9\"],\"b\":{\"c\":null}}";

    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        /* A copy of its own, so that a read past the end is noticed. */
        char *copy = malloc(len == 0 ? 1 : len);

        memcpy(copy, text, len);
        ck_assert(!json_is_value(view_of(copy, len), 16));
        free(copy);
    }
    ck_assert(json_is_value(view_of(text, sizeof(text) - 1), 16));
}
END_TEST

START_TEST(scan_refuses_a_nul_inside_and_after)
{
    ck_assert(!json_is_value(view_of("1\0", 2), 4));
    ck_assert(!json_is_value(view_of("\"\0\"", 3), 4));
    ck_assert(!json_is_value(view_of("\"\\\0\"", 4), 4));
    ck_assert(!json_is_value(view_of(NULL, 0), 4));
}
END_TEST

static bool
nested_is_value(size_t depth, unsigned max_depth)
{
    struct buf b;
    bool is_value;

    buf_init(&b, 2 * depth + 1);
    for (size_t i = 0; i < depth; i++)
        buf_addc(&b, '[');
    for (size_t i = 0; i < depth; i++)
        buf_addc(&b, ']');
    is_value = json_is_value(view_of(b.data, b.len), max_depth);
    buf_done(&b);
    return is_value;
}

START_TEST(scan_depth_equal_to_the_bound_passes)
{
    ck_assert(nested_is_value(128, 128));
    ck_assert(!nested_is_value(129, 128));
    ck_assert(nested_is_value(JSON_MAX_DEPTH, UINT32_MAX));
    ck_assert(!nested_is_value(JSON_MAX_DEPTH + 1, UINT32_MAX));
    ck_assert(!nested_is_value(1000000, UINT32_MAX));
}
END_TEST

START_TEST(scan_numbers_have_at_most_4300_digits)
{
    char text[JSON_MAX_DIGITS + 3];

    memset(text, '7', sizeof(text));
    ck_assert(json_is_value(view_of(text, JSON_MAX_DIGITS), 4));
    ck_assert(!json_is_value(view_of(text, JSON_MAX_DIGITS + 1), 4));
    text[0] = '-';
    ck_assert(json_is_value(view_of(text, JSON_MAX_DIGITS + 1), 4));
    ck_assert(!json_is_value(view_of(text, JSON_MAX_DIGITS + 2), 4));
}
END_TEST

static bool
has_lone(const char *text)
{
    struct json_scan s;

    json_scan_init(&s, view_of(text, strlen(text)));
    ck_assert(json_scan_skip(&s, json_scan_next(&s)));
    return s.has_lone_surrogate;
}

START_TEST(scan_notes_lone_surrogates_and_not_pairs)
{
    ck_assert(!has_lone("\"\\ud83d\\ude00\""));
    ck_assert(!has_lone("\"\\ud7ff\\ue000\""));
    ck_assert(has_lone("\"\\ud800\""));
    ck_assert(has_lone("\"\\udfff\""));
    ck_assert(has_lone("\"\\ude00\\ud83d\""));
    ck_assert(has_lone("\"\\ud83d\\ud83d\\ude00\""));
    ck_assert(has_lone("\"\\ud83dx\""));
    ck_assert(has_lone("[{\"a\\uDC00\":1}]"));
}
END_TEST

static const struct {
    const char *token;
    const char *text;
    size_t len;
} strings[] = {
    { "\"\"", "", 0 },
    { "\"abc\"", "abc", 3 },
    { "\"\\\"\\\\\\/\"", "\"\\/", 3 },
    { "\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t", 5 },
    { "\"a\\u0000b\"", "a\0b", 3 },
    { "\"\\u00e9\"", "\xc3\xa9", 2 },
    { "\"\\u20AC\"", "\xe2\x82\xac", 3 },
    { "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4 },
    { "\"\\ud83d\"", "\xef\xbf\xbd", 3 },
    { "\"\\ud83d\\u0041\"",
        "\xef\xbf\xbd"
        "A",
        4 },
};

START_TEST(scan_unescape_gives_what_the_string_stands_for)
{
    struct buf b;

    buf_init(&b, 64);
    json_unescape(&b, view_of(strings[_i].token, strlen(strings[_i].token)));
    ck_assert(buf_ok(&b));
    ck_assert_uint_eq(b.len, strings[_i].len);
    ck_assert(b.len == 0 || memcmp(b.data, strings[_i].text, b.len) == 0);
    buf_done(&b);
}
END_TEST

START_TEST(scan_finds_a_member_of_the_top_object_only)
{
    static const char text[] =
        "{\"x\":{\"a\":1}, \"\\u0061\" : [2, 3] ,\"b\":4}";
    struct view object = view_of(text, sizeof(text) - 1), v;

    ck_assert(json_find_member(object, "a", &v));
    ck_assert_uint_eq(v.len, 6);
    ck_assert_int_eq(memcmp(v.data, "[2, 3]", 6), 0);
    ck_assert(json_find_member(object, "b", &v));
    ck_assert_uint_eq(v.len, 1);
    ck_assert(!json_find_member(object, "c", &v));
    ck_assert(!json_find_member(view_of("[1]", 3), "a", &v));
}
END_TEST

Suite *
suite_scan(void)
{
    Suite *s = suite_create("scan");
    TCase *t = tcase_create("scan");

    tcase_add_loop_test(t, scan_accepts, 0, sizeof(good) / sizeof(good[0]));
    tcase_add_loop_test(t, scan_refuses, 0, sizeof(bad) / sizeof(bad[0]));
    tcase_add_test(t, scan_refuses_every_true_prefix_of_a_text);
    tcase_add_test(t, scan_refuses_a_nul_inside_and_after);
    tcase_add_test(t, scan_depth_equal_to_the_bound_passes);
    tcase_add_test(t, scan_numbers_have_at_most_4300_digits);
    tcase_add_test(t, scan_notes_lone_surrogates_and_not_pairs);
    tcase_add_loop_test(t, scan_unescape_gives_what_the_string_stands_for, 0,
        sizeof(strings) / sizeof(strings[0]));
    tcase_add_test(t, scan_finds_a_member_of_the_top_object_only);
    suite_add_tcase(s, t);
    return s;
}
