/* setup: every bound arrives as it was sent */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/wire/setup.h"
#include "tests/unit/fenced.h"

Suite *suite_setup(void);

static struct buf b;

/* No two fields alike, so that none can stand in for another. */
static const struct setup sent = {
    .start = SETUP_START_FRESH,
    .log_level = 2,
    .log_format = 15,
    .profiles = 3,
    .parked = 4,
    .retire_boxes = 5,
    .retire_s = 6,
    .wall_ms = 7,
    .cpu_ms = 8,
    .memory_bytes = 0x0102030405060708,
    .code_bytes = 9,
    .context_bytes = 10,
    .stdin_bytes = 11,
    .output_bytes = 12,
    .return_bytes = 13,
    .ast_nodes = 14,
    .imports = "decimal,fractions",
};

static void
setup_setup(void)
{
    buf_init(&b, SETUP_MAX_BODY);
    setup_pack(&b, &sent);
}

static void
setup_teardown(void)
{
    buf_done(&b);
}

static int
read_setup(struct view body)
{
    struct setup s;

    return setup_unpack(body, &s);
}

START_TEST(setup_comes_back_field_for_field)
{
    struct setup s;

    memset(&s, 0xee, sizeof(s));
    ck_assert_int_eq(setup_unpack(fenced_buf(&b), &s), 0);
    ck_assert_uint_eq(s.start, sent.start);
    ck_assert_uint_eq(s.log_level, sent.log_level);
    ck_assert_uint_eq(s.log_format, sent.log_format);
    ck_assert_uint_eq(s.profiles, sent.profiles);
    ck_assert_uint_eq(s.parked, sent.parked);
    ck_assert_uint_eq(s.retire_boxes, sent.retire_boxes);
    ck_assert_uint_eq(s.retire_s, sent.retire_s);
    ck_assert_uint_eq(s.wall_ms, sent.wall_ms);
    ck_assert_uint_eq(s.cpu_ms, sent.cpu_ms);
    ck_assert_uint_eq(s.memory_bytes, sent.memory_bytes);
    ck_assert_uint_eq(s.code_bytes, sent.code_bytes);
    ck_assert_uint_eq(s.context_bytes, sent.context_bytes);
    ck_assert_uint_eq(s.stdin_bytes, sent.stdin_bytes);
    ck_assert_uint_eq(s.output_bytes, sent.output_bytes);
    ck_assert_uint_eq(s.return_bytes, sent.return_bytes);
    ck_assert_uint_eq(s.ast_nodes, sent.ast_nodes);
    ck_assert_str_eq(s.imports, sent.imports);
}
END_TEST

START_TEST(setup_cut_anywhere_is_refused)
{
    fenced_refuses_every_cut(&b, read_setup);
}
END_TEST

START_TEST(setup_with_a_byte_behind_it_is_refused)
{
    fenced_refuses_one_byte_more(&b, read_setup);
}
END_TEST

START_TEST(setup_with_imports_that_do_not_fit_is_refused)
{
    size_t len = strlen(sent.imports); /* they come last */

    fenced_refuses_above(&b, read_setup, b.len - len - 4, (uint32_t)len);
}
END_TEST

START_TEST(setup_takes_imports_up_to_its_room_and_ends_them_with_a_nul)
{
    struct setup full = sent, got;

    memset(full.imports, 'x', sizeof(full.imports));
    full.imports[SETUP_MAX_IMPORTS - 1] = '\0';
    buf_reset(&b);
    setup_pack(&b, &full);
    ck_assert_int_eq(setup_unpack(fenced_buf(&b), &got), 0);
    ck_assert_str_eq(got.imports, full.imports);

    /* One more, really there: it would leave no room for the NUL. */
    full.imports[SETUP_MAX_IMPORTS - 1] = 'x';
    buf_reset(&b);
    setup_pack(&b, &full);
    ck_assert_int_eq(read_setup(fenced_buf(&b)), -EPROTO);
}
END_TEST

START_TEST(setup_that_is_refused_sets_nothing)
{
    struct setup s;

    memset(&s, 0x5a, sizeof(s));
    ck_assert_int_eq(setup_unpack(fenced(b.data, b.len - 1), &s), -EPROTO);
    for (size_t i = 0; i < sizeof(s); i++)
        ck_assert_int_eq(((char *)&s)[i], 0x5a);
}
END_TEST

START_TEST(setup_of_any_content_fits_its_largest_body)
{
    struct setup full;

    memset(&full, 0xff, sizeof(full));
    buf_reset(&b);
    setup_pack(&b, &full);
    ck_assert(buf_ok(&b));
}
END_TEST

Suite *
suite_setup(void)
{
    Suite *s = suite_create("setup");
    TCase *t = tcase_create("setup");

    tcase_add_checked_fixture(t, setup_setup, setup_teardown);
    tcase_add_test(t, setup_comes_back_field_for_field);
    tcase_add_test(t, setup_cut_anywhere_is_refused);
    tcase_add_test(t, setup_with_a_byte_behind_it_is_refused);
    tcase_add_test(t, setup_with_imports_that_do_not_fit_is_refused);
    tcase_add_test(
        t, setup_takes_imports_up_to_its_room_and_ends_them_with_a_nul);
    tcase_add_test(t, setup_that_is_refused_sets_nothing);
    tcase_add_test(t, setup_of_any_content_fits_its_largest_body);
    suite_add_tcase(s, t);
    return s;
}
