/* hello: the first words between a warden and a template */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/confine/confine.h"
#include "sandbox/wire/hello.h"
#include "tests/unit/fenced.h"

Suite *suite_hello(void);

/* Offsets of a packed hello, as `sent` makes it. */
enum {
    PROBLEM_AT = 4,
    PYTHON_AT = PROBLEM_AT + 4 + 7,
};

static const struct hello sent = {
    .is_ready = 1,
    .problem = "no root",
    .python = "3.11.2",
    .as_bytes = 0x100000001,
    .data_bytes = 0x200000002,
    .layers = 0x8000000000000001,
    .errors = { 0, -1, [STATUS_MAX_LAYERS - 1] = 95 },
};

static struct buf b;

static void
hello_setup(void)
{
    buf_init(&b, HELLO_MAX_BODY);
    hello_pack(&b, &sent);
}

static void
hello_teardown(void)
{
    buf_done(&b);
}

static int
read_hello(struct view body)
{
    struct hello h;

    return hello_unpack(body, &h);
}

static int
read_ask(struct view body)
{
    struct hello_ask a;

    return hello_ask_unpack(body, &a);
}

START_TEST(hello_comes_back_field_for_field)
{
    struct hello h;

    memset(&h, 0xee, sizeof(h));
    ck_assert_int_eq(hello_unpack(fenced_buf(&b), &h), 0);
    ck_assert_uint_eq(h.is_ready, 1);
    ck_assert_str_eq(h.problem, "no root");
    ck_assert_str_eq(h.python, "3.11.2");
    ck_assert_uint_eq(h.as_bytes, 0x100000001);
    ck_assert_uint_eq(h.data_bytes, 0x200000002);
    ck_assert_uint_eq(h.layers, 0x8000000000000001);
    for (size_t i = 0; i < STATUS_MAX_LAYERS; i++)
        ck_assert_int_eq(h.errors[i], sent.errors[i]);
}
END_TEST

START_TEST(hello_cut_anywhere_is_refused)
{
    fenced_refuses_every_cut(&b, read_hello);
}
END_TEST

START_TEST(hello_with_a_byte_behind_it_is_refused)
{
    fenced_refuses_one_byte_more(&b, read_hello);
}
END_TEST

START_TEST(hello_with_a_text_over_its_bound_is_refused)
{
    fenced_refuses_above(&b, read_hello, PROBLEM_AT, STATUS_MAX_NOTE - 1);
    fenced_refuses_above(&b, read_hello, PYTHON_AT, STATUS_MAX_NAME - 1);
}
END_TEST

START_TEST(hello_texts_without_an_end_are_cut_to_their_room)
{
    struct hello h, got;

    memset(&h, 'x', sizeof(h));
    buf_reset(&b);
    hello_pack(&b, &h);
    ck_assert_int_eq(hello_unpack(fenced_buf(&b), &got), 0);
    ck_assert_uint_eq(strlen(got.problem), STATUS_MAX_NOTE - 1);
    ck_assert_uint_eq(strlen(got.python), STATUS_MAX_NAME - 1);
}
END_TEST

START_TEST(hello_that_is_refused_sets_nothing)
{
    struct hello h;

    memset(&h, 0x5a, sizeof(h));
    ck_assert_int_eq(hello_unpack(fenced(b.data, b.len - 1), &h), -EPROTO);
    for (size_t i = 0; i < sizeof(h); i++)
        ck_assert_int_eq(((char *)&h)[i], 0x5a);
}
END_TEST

START_TEST(hello_has_a_bit_and_an_error_for_every_layer)
{
    ck_assert_uint_le(LAYER_COUNT, STATUS_MAX_LAYERS);
    ck_assert_uint_le(LAYER_COUNT, 64);
}
END_TEST

static void
pack_ask(void)
{
    struct hello_ask a = { .profile = 1,
        .is_large = 1,
        .layers = 0x100000002,
        .setup = { .wall_ms = 7, .imports = "decimal" } };

    buf_done(&b);
    buf_init(&b, SETUP_MAX_BODY);
    hello_ask_pack(&b, &a);
}

START_TEST(hello_ask_comes_back_with_its_setup)
{
    struct hello_ask a;

    pack_ask();
    ck_assert_int_eq(hello_ask_unpack(fenced_buf(&b), &a), 0);
    ck_assert_uint_eq(a.profile, 1);
    ck_assert_uint_eq(a.is_large, 1);
    ck_assert_uint_eq(a.layers, 0x100000002);
    ck_assert_uint_eq(a.setup.wall_ms, 7);
    ck_assert_str_eq(a.setup.imports, "decimal");
}
END_TEST

START_TEST(hello_ask_cut_anywhere_or_too_long_is_refused)
{
    pack_ask();
    fenced_refuses_every_cut(&b, read_ask);
    fenced_refuses_one_byte_more(&b, read_ask);
}
END_TEST

START_TEST(hello_ask_of_any_content_fits_the_room_a_template_reads_into)
{
    struct hello_ask a;

    memset(&a, 0xff, sizeof(a));
    buf_done(&b);
    buf_init(&b, SETUP_MAX_BODY);
    hello_ask_pack(&b, &a);
    ck_assert(buf_ok(&b));
}
END_TEST

Suite *
suite_hello(void)
{
    Suite *s = suite_create("hello");
    TCase *t = tcase_create("hello");

    tcase_add_checked_fixture(t, hello_setup, hello_teardown);
    tcase_add_test(t, hello_comes_back_field_for_field);
    tcase_add_test(t, hello_cut_anywhere_is_refused);
    tcase_add_test(t, hello_with_a_byte_behind_it_is_refused);
    tcase_add_test(t, hello_with_a_text_over_its_bound_is_refused);
    tcase_add_test(t, hello_texts_without_an_end_are_cut_to_their_room);
    tcase_add_test(t, hello_that_is_refused_sets_nothing);
    tcase_add_test(t, hello_has_a_bit_and_an_error_for_every_layer);
    tcase_add_test(t, hello_ask_comes_back_with_its_setup);
    tcase_add_test(t, hello_ask_cut_anywhere_or_too_long_is_refused);
    tcase_add_test(
        t, hello_ask_of_any_content_fits_the_room_a_template_reads_into);
    suite_add_tcase(s, t);
    return s;
}
