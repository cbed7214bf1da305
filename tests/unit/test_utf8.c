/* utf8: what is a character, and where one may be cut */
#include <check.h>
#include <string.h>

#include "fcgi-app/json/utf8.h"

Suite *suite_utf8(void);

static const struct {
    const char *bytes;
    size_t len; /* of the first character; 0: not one */
} chars[] = {
    { "a", 1 },
    { "\x7f", 1 },
    { "\xc2\x80", 2 },
    { "\xdf\xbf", 2 },
    { "\xe0\xa0\x80", 3 },
    { "\xed\x9f\xbf", 3 }, /* U+D7FF, the last before the surrogates */
    { "\xee\x80\x80", 3 }, /* U+E000, the first after them */
    { "\xef\xbf\xbf", 3 },
    { "\xf0\x90\x80\x80", 4 },
    { "\xf4\x8f\xbf\xbf", 4 }, /* U+10FFFF */
    { "\x80", 0 },
    { "\xbf", 0 },
    { "\xc0\xaf", 0 }, /* overlong */
    { "\xc1\xbf", 0 },
    { "\xe0\x9f\xbf", 0 },
    { "\xf0\x8f\xbf\xbf", 0 },
    { "\xed\xa0\x80", 0 }, /* surrogates */
    { "\xed\xbf\xbf", 0 },
    { "\xf4\x90\x80\x80", 0 }, /* past the end */
    { "\xf5\x80\x80\x80", 0 },
    { "\xff", 0 },
    { "\xc3", 0 }, /* cut short */
    { "\xe2\x82", 0 },
    { "\xf0\x9f\x98", 0 },
    { "\xc3(", 0 },
    { "\xe2(\xa1", 0 },
    { "\xf0\x9f(\x80", 0 },
};

START_TEST(utf8_takes_whole_valid_characters_only)
{
    ck_assert_uint_eq(
        utf8_char(chars[_i].bytes, strlen(chars[_i].bytes)), chars[_i].len);
}
END_TEST

static const struct {
    const char *bytes;
    size_t kept;
} cuts[] = {
    { "abc", 3 },
    { "ab\xc3\xa9", 4 },
    { "ab\xc3", 2 },
    { "a\xe2\x82\xac", 4 },
    { "a\xe2\x82", 1 },
    { "a\xe2", 1 },
    { "\xf0\x9f\x98\x80", 4 },
    { "\xf0\x9f\x98", 0 },
    { "\xf0\x9f", 0 },
    { "\xf0", 0 },
    { "a\x80", 2 }, /* could never become a character: left to U+FFFD */
    { "a\xff", 2 },
    { "a\xed\xa0", 3 },
    { "a\x80\x80\x80\x80", 5 },
    { "", 0 },
};

START_TEST(utf8_cut_leaves_out_a_torn_character_and_nothing_else)
{
    ck_assert_uint_eq(
        utf8_cut(cuts[_i].bytes, strlen(cuts[_i].bytes)), cuts[_i].kept);
}
END_TEST

START_TEST(utf8_encode_gives_what_utf8_char_takes)
{
    char bytes[4];

    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        size_t n = utf8_encode(c, bytes);

        if (c >= 0xd800 && c <= 0xdfff)
            ck_assert_uint_eq(utf8_char(bytes, n), 0);
        else if (utf8_char(bytes, n) != n)
            ck_abort_msg("U+%04X", c);
    }
}
END_TEST

START_TEST(utf8_safe_text_is_always_valid_and_terminated)
{
    char room[8];

    ck_assert_str_eq(utf8_safe(room, sizeof(room), "a\nb", 3), "a b");
    ck_assert_str_eq(
        utf8_safe(room, sizeof(room), "a\xff", 2), "a\xef\xbf\xbd");
    ck_assert_str_eq(
        utf8_safe(room, sizeof(room), "1234567890", 10), "1234567");
    ck_assert_str_eq(
        utf8_safe(room, sizeof(room), "123456\xc3\xa9", 8), "123456");
    ck_assert_str_eq(utf8_safe(room, sizeof(room), "a\0b", 3), "a b");
    ck_assert_str_eq(utf8_safe(room, sizeof(room), "", 0), "");
    ck_assert_str_eq(utf8_safe(room, 1, "abc", 3), "");
}
END_TEST

Suite *
suite_utf8(void)
{
    Suite *s = suite_create("utf8");
    TCase *t = tcase_create("utf8");

    tcase_add_loop_test(t, utf8_takes_whole_valid_characters_only, 0,
        sizeof(chars) / sizeof(chars[0]));
    tcase_add_loop_test(t,
        utf8_cut_leaves_out_a_torn_character_and_nothing_else, 0,
        sizeof(cuts) / sizeof(cuts[0]));
    tcase_add_test(t, utf8_encode_gives_what_utf8_char_takes);
    tcase_add_test(t, utf8_safe_text_is_always_valid_and_terminated);
    suite_add_tcase(s, t);
    return s;
}
