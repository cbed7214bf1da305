/* reader: a strict document and its tree */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "fcgi-app/json/reader.h"

Suite *suite_reader(void);

static const struct json_bounds wide = {
    .max_bytes = 1 << 20,
    .max_depth = JSON_TREE_MAX_DEPTH,
    .max_values = 1000,
};

static struct json_problem problem;

static int
read_text(const char *text, const struct json_bounds *bounds,
    struct json_doc **ret_doc)
{
    *ret_doc = NULL;
    return json_read(view_of(text, strlen(text)), bounds, ret_doc, &problem);
}

static struct json_doc *
must_read(const char *text)
{
    struct json_doc *doc;

    ck_assert_msg(
        read_text(text, &wide, &doc) == 0, "%s: %s", text, problem.phrase);
    return doc;
}

static const struct {
    const char *text;
    enum json_kind kind;
} kinds[] = {
    { "null", JSON_NULL },
    { "true", JSON_BOOL },
    { "1", JSON_INTEGER },
    { "1.0", JSON_FLOAT },
    { "1e3", JSON_FLOAT },
    { "\"1\"", JSON_STRING },
    { "[1]", JSON_ARRAY },
    { "{\"a\":1}", JSON_OBJECT },
    { " 12 ", JSON_INTEGER },
};

START_TEST(reader_knows_the_kind_of_every_value)
{
    struct json_doc *doc = must_read(kinds[_i].text);

    ck_assert_int_eq(json_kind_of(json_root(doc)), kinds[_i].kind);
    json_doc_free(doc);
}
END_TEST

START_TEST(reader_gives_members_items_and_texts)
{
    struct json_doc *doc =
        must_read("{\"s\":\"a\\u0000b\\u00e9\",\"l\":[1,null,2.5],\"n\":null}");
    const struct json_value *root = json_root(doc), *list;
    struct view text = json_text(json_member(root, "s"));

    ck_assert_uint_eq(text.len, 5);
    ck_assert_int_eq(memcmp(text.data, "a\0b\xc3\xa9", 5), 0);
    list = json_member(root, "l");
    ck_assert_uint_eq(json_length(list), 3);
    ck_assert_int_eq(json_integer(json_item(list, 0)), 1);
    ck_assert_int_eq(json_kind_of(json_item(list, 1)), JSON_NULL);
    ck_assert_double_eq(json_double(json_item(list, 2)), 2.5);
    ck_assert_int_eq(json_kind_of(json_member(root, "n")), JSON_NULL);
    ck_assert_ptr_null(json_member(root, "x"));
    ck_assert_ptr_null(json_member(list, "x"));
    json_doc_free(doc);
}
END_TEST

START_TEST(reader_does_not_coerce)
{
    struct json_doc *doc =
        must_read("{\"s\":\"30\",\"n\":null,\"b\":true,\"i\":30,\"f\":30.5}");
    const struct json_value *root = json_root(doc);

    ck_assert_int_eq(json_integer(json_member(root, "s")), 0);
    ck_assert_double_eq(json_double(json_member(root, "s")), 0.0);
    ck_assert_double_eq(json_double(json_member(root, "n")), 0.0);
    ck_assert_double_eq(json_double(json_member(root, "b")), 0.0);
    ck_assert_double_eq(json_double(json_member(root, "i")), 30.0);
    ck_assert_int_eq(json_integer(json_member(root, "f")), 0);
    ck_assert_uint_eq(json_text(json_member(root, "i")).len, 0);
    ck_assert_uint_eq(json_length(json_member(root, "s")), 0);
    json_doc_free(doc);
}
END_TEST

START_TEST(reader_numbers_out_of_range_are_the_nearest)
{
    struct json_doc *doc =
        must_read("[99999999999999999999,-99999999999999999999,1e999,-1e999]");
    const struct json_value *root = json_root(doc);

    ck_assert_int_eq(json_kind_of(json_item(root, 0)), JSON_INTEGER);
    ck_assert(json_integer(json_item(root, 0)) == INT64_MAX);
    ck_assert(json_integer(json_item(root, 1)) == INT64_MIN);
    ck_assert(json_double(json_item(root, 2)) > 1e300);
    ck_assert(json_double(json_item(root, 3)) < -1e300);
    json_doc_free(doc);
}
END_TEST

static const char *const equal_keys[] = {
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"b\":2,\"\\u0061\":3}",
    "{\"\":1,\"\":2}",
    "[{\"x\":{\"k\":1,\"j\":2,\"k\":3}}]",
    "{\"a\":{\"b\":1},\"c\":[{\"d\":1}],\"a\":2}",
};

START_TEST(reader_refuses_equal_keys_however_they_are_spelled)
{
    struct json_doc *doc;

    ck_assert_int_eq(read_text(equal_keys[_i], &wide, &doc), -EPROTO);
    ck_assert_str_eq(problem.phrase, "a key is there twice in one object");
}
END_TEST

START_TEST(reader_takes_equal_keys_of_different_objects)
{
    json_doc_free(
        must_read("{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]},\"b\":{\"a\":1}}"));
}
END_TEST

START_TEST(reader_refuses_a_nul_in_a_key)
{
    struct json_doc *doc;

    ck_assert_int_eq(read_text("{\"co\\u0000de\":1}", &wide, &doc), -EPROTO);
    ck_assert_str_eq(problem.phrase, "a key has a NUL in it");
}
END_TEST

START_TEST(reader_says_where_it_went_wrong)
{
    struct json_doc *doc;

    ck_assert_int_eq(read_text("[1, x]", &wide, &doc), -EPROTO);
    ck_assert_str_eq(problem.phrase, "a value was expected");
    ck_assert_uint_eq(problem.offset, 4);
}
END_TEST

START_TEST(reader_bounds_equal_passes)
{
    struct json_bounds bounds = wide;
    struct json_doc *doc;

    bounds.max_bytes = 7;
    ck_assert_int_eq(read_text("[1,[2]]", &bounds, &doc), 0);
    json_doc_free(doc);
    bounds.max_bytes = 6;
    ck_assert_int_eq(read_text("[1,[2]]", &bounds, &doc), -E2BIG);
    bounds = wide;
    bounds.max_depth = 2;
    ck_assert_int_eq(read_text("[1,[2]]", &bounds, &doc), 0);
    json_doc_free(doc);
    bounds.max_depth = 1;
    ck_assert_int_eq(read_text("[1,[2]]", &bounds, &doc), -E2BIG);
    bounds = wide;
    bounds.max_values = 4;
    ck_assert_int_eq(read_text("[1,[2]]", &bounds, &doc), 0);
    json_doc_free(doc);
    bounds.max_values = 3;
    ck_assert_int_eq(read_text("[1,[2]]", &bounds, &doc), -E2BIG);
}
END_TEST

START_TEST(reader_leaves_a_member_out_as_it_was_written)
{
    struct json_bounds bounds = wide;
    struct json_doc *doc;
    struct view text;

    bounds.leave_out = "context";
    bounds.max_values = 4;
    bounds.max_depth = 1;
    ck_assert_int_eq(
        read_text("{\"a\":1, \"context\" : [1.50,[[2]],3,4,5] ,\"b\":2}",
            &bounds, &doc),
        0);
    ck_assert(json_left_out(doc, &text));
    ck_assert_uint_eq(text.len, 18);
    ck_assert_int_eq(memcmp(text.data, "[1.50,[[2]],3,4,5]", 18), 0);
    ck_assert_int_eq(
        json_kind_of(json_member(json_root(doc), "context")), JSON_NULL);
    ck_assert_int_eq(json_integer(json_member(json_root(doc), "b")), 2);
    json_doc_free(doc);
}
END_TEST

START_TEST(reader_checks_what_it_leaves_out)
{
    struct json_bounds bounds = wide;
    struct json_doc *doc;
    struct view text;

    bounds.leave_out = "context";
    ck_assert_int_eq(
        read_text("{\"context\":{\"a\":1,\"a\":2}}", &bounds, &doc), -EPROTO);
    ck_assert_int_eq(
        read_text("{\"context\":{\"a\":01}}", &bounds, &doc), -EPROTO);
    ck_assert_int_eq(read_text("{\"x\":1}", &bounds, &doc), 0);
    ck_assert(!json_left_out(doc, &text));
    json_doc_free(doc);
}
END_TEST

START_TEST(reader_names_the_first_unknown_key)
{
    static const char *const known[] = { "a", "b", NULL };
    struct json_doc *doc = must_read("{\"a\":1,\"c\":2,\"d\":3}");

    ck_assert_str_eq(json_unknown_key(json_root(doc), known), "c");
    json_doc_free(doc);
    doc = must_read("{\"b\":1}");
    ck_assert_ptr_null(json_unknown_key(json_root(doc), known));
    json_doc_free(doc);
}
END_TEST

START_TEST(reader_many_keys_cost_no_quadratic_time)
{
    struct json_bounds bounds = {
        .max_bytes = 4 << 20, .max_depth = 4, .max_values = 10, .leave_out = "c"
    };
    struct json_doc *doc;
    struct buf b;

    buf_init(&b, 4 << 20);
    buf_adds(&b, "{\"c\":{\"x\":0");
    for (unsigned i = 0; i < 250000; i++)
        buf_addf(&b, ",\"k%u\":0", i);
    buf_adds(&b, "}}");
    ck_assert(buf_ok(&b));
    ck_assert_int_eq(read_text(b.data, &bounds, &doc), 0);
    json_doc_free(doc);
    buf_done(&b);
}
END_TEST

Suite *
suite_reader(void)
{
    Suite *s = suite_create("reader");
    TCase *t = tcase_create("reader");

    tcase_add_loop_test(t, reader_knows_the_kind_of_every_value, 0,
        sizeof(kinds) / sizeof(kinds[0]));
    tcase_add_test(t, reader_gives_members_items_and_texts);
    tcase_add_test(t, reader_does_not_coerce);
    tcase_add_test(t, reader_numbers_out_of_range_are_the_nearest);
    tcase_add_loop_test(t, reader_refuses_equal_keys_however_they_are_spelled,
        0, sizeof(equal_keys) / sizeof(equal_keys[0]));
    tcase_add_test(t, reader_takes_equal_keys_of_different_objects);
    tcase_add_test(t, reader_refuses_a_nul_in_a_key);
    tcase_add_test(t, reader_says_where_it_went_wrong);
    tcase_add_test(t, reader_bounds_equal_passes);
    tcase_add_test(t, reader_leaves_a_member_out_as_it_was_written);
    tcase_add_test(t, reader_checks_what_it_leaves_out);
    tcase_add_test(t, reader_names_the_first_unknown_key);
    tcase_add_test(t, reader_many_keys_cost_no_quadratic_time);
    suite_add_tcase(s, t);
    return s;
}
