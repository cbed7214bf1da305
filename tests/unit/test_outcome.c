/* outcome: verdict and claim arrive whole, or not at all */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/wire/outcome.h"
#include "tests/unit/fenced.h"

Suite *suite_outcome(void);

/* Offsets of a packed outcome, as outcome_to_send() makes it. */
enum {
    VERDICT_AT = 0,
    REFUSED_AT = 8 + 9 * 8,
    CALL_AT = REFUSED_AT + 4,
    STDOUT_AT = CALL_AT + (4 + 6 + 4) + (4 + 4 + 4),
    STDERR_AT = STDOUT_AT + 4 + 5,
    WHERE_AT = STDERR_AT + 4 + 4 + 3 * 4,
    REASON_AT = WHERE_AT + 4 + 4,
    CLAIM_AT = REASON_AT + 4 + 6,
};

static const struct setup bounds = { .output_bytes = 5, .return_bytes = 4 };

static struct buf b;

static struct outcome
outcome_to_send(void)
{
    return (struct outcome){
        .verdict = VERDICT_CRASHED,
        .number = -11,
        .wall_us = 0x100000001,
        .cpu_us = 0x200000002,
        .wait_us = 0x300000003,
        .wake_us = 0x600000006,
        .check_us = 0x700000007,
        .run_us = 0x800000008,
        .end_us = 0x900000009,
        .memory_bytes = 0x400000004,
        .faults = 0x500000005,
        .refused_count = 2,
        .refused = { { "socket", 7 }, { "open", UINT32_MAX } },
        .stdout_text = view_of("out\0\n", 5),
        .stderr_text = view_of("err\n", 4),
        .stdout_cut = 1,
        .stderr_cut = 0,
        .where_line = 12,
        .where_name = view_of("main", 4),
        .reason = view_of("reason", 6),
        .claim = { .kind = CLAIM_VALUE, .value = view_of("null", 4) },
    };
}

static void
outcome_setup(void)
{
    struct outcome o = outcome_to_send();

    buf_init(&b, outcome_max_bytes(&bounds));
    outcome_pack(&b, &o);
}

static void
outcome_teardown(void)
{
    buf_done(&b);
}

static int
read_outcome(struct view body)
{
    struct outcome o;

    return outcome_unpack(body, &bounds, &o);
}

START_TEST(outcome_figures_come_back_as_they_were)
{
    struct outcome o;

    memset(&o, 0xee, sizeof(o));
    ck_assert_int_eq(outcome_unpack(fenced_buf(&b), &bounds, &o), 0);
    ck_assert_uint_eq(o.verdict, VERDICT_CRASHED);
    ck_assert_int_eq(o.number, -11);
    ck_assert_uint_eq(o.wall_us, 0x100000001);
    ck_assert_uint_eq(o.cpu_us, 0x200000002);
    ck_assert_uint_eq(o.wait_us, 0x300000003);
    ck_assert_uint_eq(o.wake_us, 0x600000006);
    ck_assert_uint_eq(o.check_us, 0x700000007);
    ck_assert_uint_eq(o.run_us, 0x800000008);
    ck_assert_uint_eq(o.end_us, 0x900000009);
    ck_assert_uint_eq(o.memory_bytes, 0x400000004);
    ck_assert_uint_eq(o.faults, 0x500000005);
    ck_assert_uint_eq(o.refused_count, 2);
    ck_assert_str_eq(o.refused[0].call, "socket");
    ck_assert_uint_eq(o.refused[0].count, 7);
    ck_assert_str_eq(o.refused[1].call, "open");
    ck_assert_uint_eq(o.refused[1].count, UINT32_MAX);
}
END_TEST

START_TEST(outcome_texts_come_back_as_they_were)
{
    struct outcome o;

    ck_assert_int_eq(outcome_unpack(fenced_buf(&b), &bounds, &o), 0);
    ck_assert_uint_eq(o.stdout_text.len, 5);
    ck_assert_mem_eq(o.stdout_text.data, "out\0\n", 5);
    assert_view(o.stderr_text, "err\n");
    ck_assert_uint_eq(o.stdout_cut, 1);
    ck_assert_uint_eq(o.stderr_cut, 0);
    ck_assert_uint_eq(o.where_line, 12);
    assert_view(o.where_name, "main");
    assert_view(o.reason, "reason");
    ck_assert_uint_eq(o.claim.kind, CLAIM_VALUE);
    assert_view(o.claim.value, "null");
}
END_TEST

START_TEST(outcome_cut_anywhere_is_refused)
{
    fenced_refuses_every_cut(&b, read_outcome);
}
END_TEST

START_TEST(outcome_with_a_byte_behind_it_is_refused)
{
    fenced_refuses_one_byte_more(&b, read_outcome);
}
END_TEST

static const struct {
    size_t at;
    uint32_t max;
} outcome_bounds[] = {
    { VERDICT_AT, VERDICT_NOT_STARTED },
    { REFUSED_AT, OUTCOME_MAX_REFUSED },
    { CALL_AT, OUTCOME_MAX_CALL - 1 },
    { STDOUT_AT, 5 },
    { STDERR_AT, 5 },
    { WHERE_AT, 64 },
    { REASON_AT, 256 },
    { CLAIM_AT, CLAIM_FINDINGS },
};

START_TEST(outcome_over_a_bound_is_refused)
{
    fenced_refuses_above(
        &b, read_outcome, outcome_bounds[_i].at, outcome_bounds[_i].max);
}
END_TEST

/* The outcome with `count` refused calls, each with a name of `len` bytes. */
static int
read_outcome_with_calls(uint32_t count, size_t len)
{
    static const char name[2 * OUTCOME_MAX_CALL] = "socket";
    struct buf big;
    int r;

    buf_init(&big, 65536);
    buf_add(&big, b.data, REFUSED_AT);
    buf_add_u32(&big, count);
    for (uint32_t i = 0; i < count; i++) {
        buf_add_block(&big, name, len);
        buf_add_u32(&big, 1);
    }
    buf_add(&big, b.data + STDOUT_AT, b.len - STDOUT_AT);
    r = read_outcome(fenced_buf(&big));
    buf_done(&big);
    return r;
}

START_TEST(outcome_with_one_refused_call_too_many_is_refused)
{
    const uint32_t count = OUTCOME_MAX_REFUSED;
    const size_t len = OUTCOME_MAX_CALL - 1;

    ck_assert_int_eq(read_outcome_with_calls(0, 0), 0);
    ck_assert_int_eq(read_outcome_with_calls(count, len), 0);
    ck_assert_int_eq(read_outcome_with_calls(count + 1, len), -EPROTO);
    ck_assert_int_eq(read_outcome_with_calls(count, len + 1), -EPROTO);
}
END_TEST

START_TEST(outcome_with_more_output_or_value_than_allowed_is_refused)
{
    struct outcome o = outcome_to_send();
    struct setup tight = bounds;
    struct buf big;

    buf_init(&big, 4096);
    outcome_pack(&big, &o);
    ck_assert_int_eq(outcome_unpack(fenced_buf(&big), &tight, &o), 0);
    tight.output_bytes--;
    ck_assert_int_eq(outcome_unpack(fenced_buf(&big), &tight, &o), -EPROTO);
    tight.output_bytes++;
    tight.return_bytes--;
    ck_assert_int_eq(outcome_unpack(fenced_buf(&big), &tight, &o), -EPROTO);
    buf_done(&big);
}
END_TEST

START_TEST(outcome_call_name_without_an_end_is_cut_to_its_room)
{
    struct outcome o = outcome_to_send(), got;

    memset(o.refused[0].call, 'x', sizeof(o.refused[0].call));
    buf_reset(&b);
    outcome_pack(&b, &o);
    ck_assert_int_eq(outcome_unpack(fenced_buf(&b), &bounds, &got), 0);
    ck_assert_uint_eq(strlen(got.refused[0].call), OUTCOME_MAX_CALL - 1);
}
END_TEST

START_TEST(outcome_reason_is_cut_rather_than_lost)
{
    static const char text[1000] = "";
    struct outcome o = outcome_to_send(), got;

    o.reason = view_of(text, sizeof(text));
    buf_reset(&b);
    outcome_pack(&b, &o);
    ck_assert_int_eq(outcome_unpack(fenced_buf(&b), &bounds, &got), 0);
    ck_assert_uint_eq(got.reason.len, 256);
}
END_TEST

START_TEST(outcome_of_the_largest_size_fits_its_maximum)
{
    static const char filler[CLAIM_MAX_DETAIL] = "";
    struct outcome o = outcome_to_send(), got;

    o.refused_count = OUTCOME_MAX_REFUSED;
    for (size_t i = 0; i < OUTCOME_MAX_REFUSED; i++)
        memset(o.refused[i].call, 'x', OUTCOME_MAX_CALL - 1);
    o.stdout_text = o.stderr_text = view_of(filler, bounds.output_bytes);
    o.where_name = view_of(filler, 64);
    o.reason = view_of(filler, 256);
    o.claim.value = view_of(filler, bounds.return_bytes);
    o.claim.type = view_of(filler, CLAIM_MAX_TYPE);
    o.claim.message = view_of(filler, CLAIM_MAX_MESSAGE);
    o.claim.traceback = view_of(filler, CLAIM_MAX_DETAIL);
    buf_reset(&b);
    outcome_pack(&b, &o);
    ck_assert(buf_ok(&b));
    ck_assert_int_eq(outcome_unpack(fenced_buf(&b), &bounds, &got), 0);
}
END_TEST

START_TEST(outcome_maximum_does_not_wrap_around_with_large_bounds)
{
    struct setup large = { .output_bytes = UINT32_MAX,
        .return_bytes = UINT32_MAX };

    ck_assert_uint_gt(outcome_max_bytes(&large), 3 * (uint64_t)UINT32_MAX);
}
END_TEST

START_TEST(outcome_that_is_refused_sets_nothing)
{
    struct outcome o;

    memset(&o, 0x5a, sizeof(o));
    ck_assert_int_eq(
        outcome_unpack(fenced(b.data, b.len - 1), &bounds, &o), -EPROTO);
    for (size_t i = 0; i < sizeof(o); i++)
        ck_assert_int_eq(((char *)&o)[i], 0x5a);
}
END_TEST

Suite *
suite_outcome(void)
{
    Suite *s = suite_create("outcome");
    TCase *t = tcase_create("outcome");

    tcase_add_checked_fixture(t, outcome_setup, outcome_teardown);
    tcase_add_test(t, outcome_figures_come_back_as_they_were);
    tcase_add_test(t, outcome_texts_come_back_as_they_were);
    tcase_add_test(t, outcome_cut_anywhere_is_refused);
    tcase_add_test(t, outcome_with_a_byte_behind_it_is_refused);
    tcase_add_loop_test(t, outcome_over_a_bound_is_refused, 0,
        sizeof(outcome_bounds) / sizeof(outcome_bounds[0]));
    tcase_add_test(t, outcome_with_one_refused_call_too_many_is_refused);
    tcase_add_test(
        t, outcome_with_more_output_or_value_than_allowed_is_refused);
    tcase_add_test(t, outcome_call_name_without_an_end_is_cut_to_its_room);
    tcase_add_test(t, outcome_reason_is_cut_rather_than_lost);
    tcase_add_test(t, outcome_of_the_largest_size_fits_its_maximum);
    tcase_add_test(t, outcome_maximum_does_not_wrap_around_with_large_bounds);
    tcase_add_test(t, outcome_that_is_refused_sets_nothing);
    suite_add_tcase(s, t);
    return s;
}
