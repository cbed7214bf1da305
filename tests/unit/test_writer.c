/* writer and copy: whatever goes in, what comes out is JSON */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/copy.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/writer.h"

Suite *suite_writer(void);

START_TEST(writer_puts_commas_where_they_belong)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 1000);
    json_writer_init(&w, &b);
    json_begin_object(&w);
    json_put_key(&w, "a");
    json_begin_array(&w);
    json_end_array(&w);
    json_put_key(&w, "b");
    json_begin_array(&w);
    json_put_int(&w, -1);
    json_put_uint(&w, UINT64_MAX);
    json_begin_object(&w);
    json_end_object(&w);
    json_put_bool(&w, true);
    json_end_array(&w);
    json_put_key(&w, "c");
    json_put_null(&w);
    json_put_key(&w, "d");
    json_put_string_or_null(&w, NULL);
    json_end_object(&w);
    ck_assert_str_eq(b.data, "{\"a\":[],\"b\":[-1,18446744073709551615,{},"
                             "true],\"c\":null,\"d\":null}");
    buf_done(&b);
}
END_TEST

static const struct {
    const char *bytes;
    size_t len;
    const char *json;
} texts[] = {
    { "", 0, "\"\"" },
    { "abc", 3, "\"abc\"" },
    { "\"\\/", 3, "\"\\\"\\\\/\"" },
    { "\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"" },
    { "\0\x1f", 2, "\"\\u0000\\u001f\"" },
    { "\xc3\xa9", 2, "\"\xc3\xa9\"" },
    { "a\xff"
      "b",
        3,
        "\"a\xef\xbf\xbd"
        "b\"" },
    { "\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    { "\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
};

START_TEST(writer_text_of_any_bytes_is_valid_json)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 1000);
    json_writer_init(&w, &b);
    json_put_bytes(&w, texts[_i].bytes, texts[_i].len);
    ck_assert_str_eq(b.data, texts[_i].json);
    ck_assert(json_is_value(view_of(b.data, b.len), 1));
    buf_done(&b);
}
END_TEST

static const struct {
    double value;
    const char *text;
} doubles[] = {
    { 0.0, "0.0" },
    { -0.0, "-0.0" },
    { 1.0, "1.0" },
    { 0.1, "0.1" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { 1.0 / 3.0, "0.3333333333333333" },
    { 1e22, "1e+22" },
    { 5e-324, "4.94065645841247e-324" },
    { 1.7976931348623157e308, "1.7976931348623157e+308" },
    { 123456.789, "123456.789" },
    { (double)NAN, "null" },
    { (double)INFINITY, "null" },
    { -(double)INFINITY, "null" },
};

START_TEST(writer_doubles_are_short_and_read_back_the_same)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 100);
    json_writer_init(&w, &b);
    json_put_double(&w, doubles[_i].value);
    ck_assert_str_eq(b.data, doubles[_i].text);
    ck_assert(json_is_value(view_of(b.data, b.len), 1));
    if (isfinite(doubles[_i].value))
        ck_assert(strtod(b.data, NULL) == doubles[_i].value);
    buf_done(&b);
}
END_TEST

static const struct {
    const char *bytes;
    size_t max;
    const char *json;
    bool is_cut;
} cut_texts[] = {
    { "abc", 3, "\"abc\"", false },
    { "abcd", 3, "\"abc\"", true },
    { "", 0, "\"\"", false },
    { "a", 0, "\"\"", true },
    { "a\n\n", 2, "\"a\\n\"", true }, /* an escape counts as one */
    { "a\n\n", 3, "\"a\\n\\n\"", false },
    { "ab\xc3\xa9", 4, "\"ab\xc3\xa9\"", false },
    { "ab\xc3\xa9", 3, "\"ab\"", true },
    { "a\xff", 4, "\"a\xef\xbf\xbd\"", false },
    { "a\xff", 3, "\"a\"", true },
};

START_TEST(writer_cuts_between_characters_and_says_so)
{
    struct json_writer w;
    struct buf b;
    bool is_cut;

    buf_init(&b, 100);
    json_writer_init(&w, &b);
    is_cut = json_put_bytes_cut(&w, cut_texts[_i].bytes,
        strlen(cut_texts[_i].bytes), cut_texts[_i].max);
    ck_assert_str_eq(b.data, cut_texts[_i].json);
    ck_assert_int_eq(is_cut, cut_texts[_i].is_cut);
    buf_done(&b);
}
END_TEST

START_TEST(writer_over_its_bound_is_not_ok)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 4);
    json_writer_init(&w, &b);
    json_put_string(&w, "ab");
    ck_assert(buf_ok(&b));
    json_put_null(&w);
    ck_assert(!buf_ok(&b));
    buf_done(&b);
}
END_TEST

static const struct {
    const char *text;
    const char *copy; /* NULL: refused */
} copies[] = {
    { "null", "null" },
    { " [ 1 , 2.50 , 1e5 ] ", "[1,2.50,1e5]" },
    { "123456789012345678901234567890", "123456789012345678901234567890" },
    { "{ \"a\" : { \"b\" : [ true , false ] } }",
        "{\"a\":{\"b\":[true,false]}}" },
    { "\"\\u0041\\/\\u00e9\\n\\u0001\"", "\"A/\xc3\xa9\\n\\u0001\"" },
    { "\"\\ud800\"", "\"\xef\xbf\xbd\"" },
    { "{\"\":0}", "{\"\":0}" },
    { "", NULL },
    { "1 2", NULL },
    { "[1", NULL },
    { "1}", NULL },
    { "NaN", NULL },
    { "\"\xff\"", NULL },
    { "\"a\nb\"", NULL },
    { "null,\"success\":true", NULL },
};

START_TEST(copy_writes_exactly_one_value_anew)
{
    struct json_writer w;
    struct buf b;
    int err;

    buf_init(&b, 200);
    json_writer_init(&w, &b);
    json_begin_array(&w);
    json_put_int(&w, 7);
    err = json_copy_value(
        &w, view_of(copies[_i].text, strlen(copies[_i].text)), 8);
    ck_assert_int_eq(err, copies[_i].copy == NULL ? -EPROTO : 0);
    json_end_array(&w);
    if (copies[_i].copy == NULL) {
        ck_assert_str_eq(b.data, "[7]");
    } else {
        ck_assert_int_eq(memcmp(b.data, "[7,", 3), 0);
        ck_assert_int_eq(
            memcmp(b.data + 3, copies[_i].copy, strlen(copies[_i].copy)), 0);
        ck_assert_uint_eq(b.len, strlen(copies[_i].copy) + 4);
    }
    buf_done(&b);
}
END_TEST

START_TEST(copy_bounds_depth)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 100);
    json_writer_init(&w, &b);
    ck_assert_int_eq(json_copy_value(&w, view_of("[[[]]]", 6), 3), 0);
    ck_assert_int_eq(json_copy_value(&w, view_of("[[[]]]", 6), 2), -EPROTO);
    ck_assert_int_eq(json_copy_value(&w, view_of("1", 1), 0), 0);
    ck_assert_str_eq(b.data, "[[[]]],1");
    buf_done(&b);
}
END_TEST

START_TEST(copy_that_does_not_fit_leaves_nothing_behind)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, 8);
    json_writer_init(&w, &b);
    json_begin_array(&w);
    ck_assert_int_eq(
        json_copy_value(&w, view_of("\"123456789\"", 11), 2), -ENOMEM);
    ck_assert_uint_eq(b.len, 1);
    ck_assert(!buf_ok(&b));
    buf_done(&b);
}
END_TEST

Suite *
suite_writer(void)
{
    Suite *s = suite_create("writer");
    TCase *t = tcase_create("writer");

    tcase_add_test(t, writer_puts_commas_where_they_belong);
    tcase_add_loop_test(t, writer_text_of_any_bytes_is_valid_json, 0,
        sizeof(texts) / sizeof(texts[0]));
    tcase_add_loop_test(t, writer_doubles_are_short_and_read_back_the_same, 0,
        sizeof(doubles) / sizeof(doubles[0]));
    tcase_add_loop_test(t, writer_cuts_between_characters_and_says_so, 0,
        sizeof(cut_texts) / sizeof(cut_texts[0]));
    tcase_add_test(t, writer_over_its_bound_is_not_ok);
    tcase_add_loop_test(t, copy_writes_exactly_one_value_anew, 0,
        sizeof(copies) / sizeof(copies[0]));
    tcase_add_test(t, copy_bounds_depth);
    tcase_add_test(t, copy_that_does_not_fit_leaves_nothing_behind);
    suite_add_tcase(s, t);
    return s;
}
