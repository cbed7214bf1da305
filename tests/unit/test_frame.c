/* frame: a whole message of the right type, or a wait, or a refusal */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/wire/frame.h"
#include "tests/unit/fenced.h"

Suite *suite_frame(void);

#define BODY "some bytes of a body"
#define BODY_BYTES (sizeof(BODY) - 1)

static struct buf b;

static void
frame_setup(void)
{
    size_t start;

    buf_init(&b, 4096);
    start = frame_begin(&b, FRAME_ORDER);
    buf_adds(&b, BODY);
    frame_end(&b, start);
}

static void
frame_teardown(void)
{
    buf_done(&b);
}

/* frame_peek() of bytes that end where memory ends. */
static int
peek(const char *bytes, size_t len, enum frame_type type, size_t max_body,
    struct view *ret_body, size_t *ret_size)
{
    struct view v = fenced(bytes, len);
    struct buf in = {
        .data = (char *)(uintptr_t)v.data, .len = len, .cap = len, .max = len
    };

    return frame_peek(&in, type, max_body, ret_body, ret_size);
}

START_TEST(frame_is_laid_out_as_its_header_says)
{
    ck_assert_uint_eq(b.len, FRAME_HEADER_BYTES + BODY_BYTES);
    ck_assert_mem_eq(b.data, "GBX1\x04\0\0\0\x14\0\0\0" BODY, b.len);
}
END_TEST

START_TEST(frame_that_is_whole_is_found_with_its_body_and_size)
{
    struct view body;
    size_t size;

    ck_assert_int_eq(
        peek(b.data, b.len, FRAME_ORDER, BODY_BYTES, &body, &size), 1);
    assert_view(body, BODY);
    ck_assert_uint_eq(size, b.len);
}
END_TEST

START_TEST(frame_cut_anywhere_waits_for_more_and_sets_nothing)
{
    struct view body = view_of("untouched", 9);
    size_t size = 77;

    for (size_t len = 0; len < b.len; len++)
        ck_assert_int_eq(
            peek(b.data, len, FRAME_ORDER, BODY_BYTES, &body, &size), 0);
    assert_view(body, "untouched");
    ck_assert_uint_eq(size, 77);
}
END_TEST

START_TEST(frame_with_wrong_magic_is_refused_at_its_header)
{
    struct view body;
    size_t size;

    for (size_t i = 0; i < 4; i++) {
        b.data[i] ^= 1;
        ck_assert_int_eq(peek(b.data, FRAME_HEADER_BYTES, FRAME_ORDER,
                             BODY_BYTES, &body, &size),
            -EPROTO);
        b.data[i] ^= 1;
    }
}
END_TEST

START_TEST(frame_of_another_type_is_refused)
{
    struct view body;
    size_t size;

    for (unsigned i = 0; i < 32; i++) {
        b.data[4 + i / 8] ^= (char)(1u << i % 8);
        ck_assert_int_eq(
            peek(b.data, b.len, FRAME_ORDER, BODY_BYTES, &body, &size),
            -EPROTO);
        b.data[4 + i / 8] ^= (char)(1u << i % 8);
    }
    ck_assert_int_eq(
        peek(b.data, b.len, FRAME_OUTCOME, BODY_BYTES, &body, &size), -EPROTO);
}
END_TEST

START_TEST(frame_over_the_maximum_is_refused_before_its_body_arrives)
{
    static const uint32_t lengths[] = { BODY_BYTES + 1, 0x7fffffff, 0x80000000,
        UINT32_MAX - FRAME_HEADER_BYTES, UINT32_MAX };
    struct view body;
    size_t size;

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        for (size_t k = 0; k < 4; k++)
            b.data[8 + k] = (char)(lengths[i] >> (8 * k));
        ck_assert_int_eq(peek(b.data, FRAME_HEADER_BYTES, FRAME_ORDER,
                             BODY_BYTES, &body, &size),
            -EPROTO);
    }
}
END_TEST

START_TEST(frame_with_an_empty_body_is_a_frame)
{
    struct view body;
    size_t size;

    buf_reset(&b);
    frame_end(&b, frame_begin(&b, FRAME_LANE));
    ck_assert_int_eq(peek(b.data, b.len, FRAME_LANE, 0, &body, &size), 1);
    ck_assert_uint_eq(body.len, 0);
    ck_assert_uint_eq(size, FRAME_HEADER_BYTES);
}
END_TEST

START_TEST(frames_behind_one_another_are_taken_in_turn)
{
    struct view body;
    size_t size, start = frame_begin(&b, FRAME_OUTCOME);

    buf_adds(&b, "second");
    frame_end(&b, start);
    ck_assert_int_eq(frame_peek(&b, FRAME_ORDER, 100, &body, &size), 1);
    assert_view(body, BODY);
    buf_eat(&b, size);
    ck_assert_int_eq(frame_peek(&b, FRAME_OUTCOME, 100, &body, &size), 1);
    assert_view(body, "second");
    buf_eat(&b, size);
    ck_assert_int_eq(frame_peek(&b, FRAME_ORDER, 100, &body, &size), 0);
}
END_TEST

START_TEST(frame_tells_its_type_once_its_header_is_there)
{
    struct buf in;

    for (size_t len = 0; len <= b.len; len++) {
        in = b;
        in.len = len;
        ck_assert(frame_is(&in, FRAME_ORDER) == (len >= FRAME_HEADER_BYTES));
        ck_assert(!frame_is(&in, FRAME_PROGRESS));
    }
}
END_TEST

START_TEST(frame_that_does_not_fit_leaves_a_failed_buf)
{
    struct buf small;
    size_t start;

    for (size_t max = 0; max < FRAME_HEADER_BYTES + 4; max++) {
        buf_init(&small, max);
        start = frame_begin(&small, FRAME_ORDER);
        buf_adds(&small, "body");
        frame_end(&small, start);
        ck_assert(!buf_ok(&small));
        buf_done(&small);
    }
}
END_TEST

Suite *
suite_frame(void)
{
    Suite *s = suite_create("frame");
    TCase *t = tcase_create("frame");

    tcase_add_checked_fixture(t, frame_setup, frame_teardown);
    tcase_add_test(t, frame_is_laid_out_as_its_header_says);
    tcase_add_test(t, frame_that_is_whole_is_found_with_its_body_and_size);
    tcase_add_test(t, frame_cut_anywhere_waits_for_more_and_sets_nothing);
    tcase_add_test(t, frame_with_wrong_magic_is_refused_at_its_header);
    tcase_add_test(t, frame_of_another_type_is_refused);
    tcase_add_test(
        t, frame_over_the_maximum_is_refused_before_its_body_arrives);
    tcase_add_test(t, frame_with_an_empty_body_is_a_frame);
    tcase_add_test(t, frames_behind_one_another_are_taken_in_turn);
    tcase_add_test(t, frame_tells_its_type_once_its_header_is_there);
    tcase_add_test(t, frame_that_does_not_fit_leaves_a_failed_buf);
    suite_add_tcase(s, t);
    return s;
}
