/* claim: every byte may be forged, none may reach past its bound */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/wire/claim.h"
#include "tests/unit/fenced.h"

Suite *suite_claim(void);

#define RETURN_BYTES 8

/* Offsets of a packed claim; the blocks are as long as in claim_to_send(). */
enum {
    KIND_AT = 0,
    VALUE_AT = 16,
    TYPE_AT = VALUE_AT + 4 + 8,
    MESSAGE_AT = TYPE_AT + 4 + 8,
    DETAIL_AT = MESSAGE_AT + 4 + 3,
};

static struct buf b;

static struct claim
claim_to_send(void)
{
    return (struct claim){
        .kind = CLAIM_ERROR,
        .flags = CLAIM_VALUE_CUT | 0x80000000,
        .line = 3,
        .column = 4,
        .value = view_of("[1,2,34]", 8),
        .type = view_of("KeyError", 8),
        .message = view_of("'x'", 3),
        .traceback = view_of("line 3", 6),
    };
}

static void
claim_setup(void)
{
    struct claim c = claim_to_send();

    buf_init(&b, claim_max_bytes(RETURN_BYTES));
    claim_pack(&b, &c);
}

static void
claim_teardown(void)
{
    buf_done(&b);
}

static int
read_claim(struct view body)
{
    struct claim c;

    return claim_unpack(body, RETURN_BYTES, &c);
}

START_TEST(claim_comes_back_field_for_field)
{
    struct claim c;

    ck_assert_int_eq(claim_unpack(fenced_buf(&b), RETURN_BYTES, &c), 0);
    ck_assert_uint_eq(c.kind, CLAIM_ERROR);
    ck_assert_uint_eq(c.flags, CLAIM_VALUE_CUT | 0x80000000);
    ck_assert_uint_eq(c.line, 3);
    ck_assert_uint_eq(c.column, 4);
    assert_view(c.value, "[1,2,34]");
    assert_view(c.type, "KeyError");
    assert_view(c.message, "'x'");
    assert_view(c.traceback, "line 3");
}
END_TEST

START_TEST(claim_cut_anywhere_is_refused)
{
    fenced_refuses_every_cut(&b, read_claim);
}
END_TEST

START_TEST(claim_with_a_byte_behind_it_is_refused)
{
    fenced_refuses_one_byte_more(&b, read_claim);
}
END_TEST

START_TEST(claim_of_an_unknown_kind_is_refused)
{
    fenced_refuses_above(&b, read_claim, KIND_AT, CLAIM_FINDINGS);
}
END_TEST

START_TEST(claim_with_a_length_that_is_a_lie_is_refused)
{
    fenced_refuses_above(&b, read_claim, VALUE_AT, 8);
    fenced_refuses_above(&b, read_claim, TYPE_AT, 8);
    fenced_refuses_above(&b, read_claim, MESSAGE_AT, 3);
    fenced_refuses_above(&b, read_claim, DETAIL_AT, 6);
}
END_TEST

/* A claim whose blocks really are that long. */
static int
read_claim_with(size_t value, size_t type, size_t message, size_t detail)
{
    static const char filler[CLAIM_MAX_DETAIL + 1] = "";
    struct claim c = { .kind = CLAIM_VALUE,
        .value = view_of(filler, value),
        .type = view_of(filler, type),
        .message = view_of(filler, message),
        .traceback = view_of(filler, detail) };
    struct buf big;
    int r;

    buf_init(&big, 65536);
    claim_pack(&big, &c);
    r = read_claim(fenced_buf(&big));
    buf_done(&big);
    return r;
}

START_TEST(claim_with_a_block_longer_than_its_bound_is_refused)
{
    const size_t type = CLAIM_MAX_TYPE, message = CLAIM_MAX_MESSAGE,
                 detail = CLAIM_MAX_DETAIL;

    ck_assert_int_eq(read_claim_with(RETURN_BYTES, type, message, detail), 0);
    ck_assert_int_eq(read_claim_with(RETURN_BYTES + 1, 0, 0, 0), -EPROTO);
    ck_assert_int_eq(read_claim_with(0, type + 1, 0, 0), -EPROTO);
    ck_assert_int_eq(read_claim_with(0, 0, message + 1, 0), -EPROTO);
    ck_assert_int_eq(read_claim_with(0, 0, 0, detail + 1), -EPROTO);
    ck_assert_int_eq(read_claim_with(0, 0, 0, 0), 0);
}
END_TEST

START_TEST(claim_of_the_largest_size_is_its_maximum_exactly)
{
    static const char filler[CLAIM_MAX_DETAIL] = "";
    struct claim c = { .value = view_of(filler, RETURN_BYTES),
        .type = view_of(filler, CLAIM_MAX_TYPE),
        .message = view_of(filler, CLAIM_MAX_MESSAGE),
        .traceback = view_of(filler, CLAIM_MAX_DETAIL) };

    buf_reset(&b);
    claim_pack(&b, &c);
    ck_assert(buf_ok(&b));
    ck_assert_uint_eq(b.len, claim_max_bytes(RETURN_BYTES));
}
END_TEST

START_TEST(claim_that_is_refused_sets_nothing)
{
    struct claim c;

    memset(&c, 0x5a, sizeof(c));
    ck_assert_int_eq(
        claim_unpack(fenced(b.data, b.len - 1), RETURN_BYTES, &c), -EPROTO);
    for (size_t i = 0; i < sizeof(c); i++)
        ck_assert_int_eq(((char *)&c)[i], 0x5a);
}
END_TEST

START_TEST(claim_of_zeroes_alone_says_nothing)
{
    static const char zeroes[32] = "";
    struct claim c;

    ck_assert_int_eq(claim_unpack(fenced(zeroes, 32), RETURN_BYTES, &c), 0);
    ck_assert_uint_eq(c.kind, CLAIM_NONE);
    ck_assert_uint_eq(c.value.len, 0);
}
END_TEST

Suite *
suite_claim(void)
{
    Suite *s = suite_create("claim");
    TCase *t = tcase_create("claim");

    tcase_add_checked_fixture(t, claim_setup, claim_teardown);
    tcase_add_test(t, claim_comes_back_field_for_field);
    tcase_add_test(t, claim_cut_anywhere_is_refused);
    tcase_add_test(t, claim_with_a_byte_behind_it_is_refused);
    tcase_add_test(t, claim_of_an_unknown_kind_is_refused);
    tcase_add_test(t, claim_with_a_length_that_is_a_lie_is_refused);
    tcase_add_test(t, claim_with_a_block_longer_than_its_bound_is_refused);
    tcase_add_test(t, claim_of_the_largest_size_is_its_maximum_exactly);
    tcase_add_test(t, claim_that_is_refused_sets_nothing);
    tcase_add_test(t, claim_of_zeroes_alone_says_nothing);
    suite_add_tcase(s, t);
    return s;
}
