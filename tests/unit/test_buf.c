/* buf: what grows stops at its maximum, what is read stops at its end */
#include <check.h>
#include <string.h>

#include "sandbox/base/buf.h"
#include "tests/unit/fenced.h"

Suite *suite_buf(void);

/* --- writing ------------------------------------------------------------- */

START_TEST(buf_holds_what_was_added_and_a_nul_behind_it)
{
    struct buf b;

    buf_init(&b, 64);
    buf_add(&b, "ab\0cd", 5);
    buf_adds(&b, "ef");
    buf_addc(&b, 'g');
    buf_addf(&b, "%d-%s", 42, "x");
    ck_assert(buf_ok(&b));
    ck_assert_uint_eq(b.len, 12);
    ck_assert_mem_eq(b.data, "ab\0cdefg42-x", 13);
    buf_done(&b);
}
END_TEST

START_TEST(buf_can_be_filled_to_its_maximum_exactly)
{
    struct buf b;

    buf_init(&b, 5);
    buf_adds(&b, "12345");
    ck_assert(buf_ok(&b));
    buf_add(&b, "", 0);
    ck_assert(buf_ok(&b));
    ck_assert_str_eq(b.data, "12345");
    buf_done(&b);
}
END_TEST

START_TEST(buf_refuses_the_byte_past_its_maximum_and_keeps_the_rest)
{
    struct buf b;

    buf_init(&b, 5);
    buf_adds(&b, "1234");
    buf_adds(&b, "56");
    ck_assert(!buf_ok(&b));
    ck_assert_uint_eq(b.len, 4);
    ck_assert_str_eq(b.data, "1234");
    buf_done(&b);
}
END_TEST

START_TEST(buf_that_failed_takes_not_even_what_would_fit)
{
    struct buf b;

    buf_init(&b, 5);
    buf_adds(&b, "123456");
    buf_addc(&b, '1');
    buf_addf(&b, "%d", 2);
    buf_add_u32(&b, 3);
    buf_add_block(&b, "", 0);
    ck_assert_ptr_null(buf_room(&b, 1));
    ck_assert(!buf_ok(&b));
    ck_assert_uint_eq(b.len, 0);
    buf_done(&b);
}
END_TEST

START_TEST(buf_with_maximum_zero_takes_nothing)
{
    struct buf b;

    buf_init(&b, 0);
    buf_addc(&b, 'x');
    ck_assert(!buf_ok(&b));
    ck_assert_uint_eq(b.len, 0);
    buf_done(&b);
}
END_TEST

START_TEST(buf_refuses_a_size_that_would_wrap_around)
{
    struct buf b;

    buf_init(&b, 16);
    buf_addc(&b, 'x');
    ck_assert_ptr_null(buf_room(&b, SIZE_MAX));
    ck_assert(!buf_ok(&b));
    buf_reset(&b);
    ck_assert_ptr_null(buf_room(&b, SIZE_MAX - 1));
    ck_assert(!buf_ok(&b));
    buf_done(&b);
}
END_TEST

START_TEST(buf_formatted_text_past_the_maximum_adds_nothing)
{
    struct buf b;

    buf_init(&b, 8);
    buf_adds(&b, "ab");
    buf_addf(&b, "%s", "1234567");
    ck_assert(!buf_ok(&b));
    ck_assert_str_eq(b.data, "ab");
    buf_done(&b);
}
END_TEST

START_TEST(buf_reset_empties_it_and_forgives_the_failure)
{
    struct buf b;

    buf_init(&b, 3);
    buf_adds(&b, "1234");
    buf_reset(&b);
    ck_assert(buf_ok(&b));
    buf_adds(&b, "abc");
    ck_assert(buf_ok(&b));
    ck_assert_str_eq(b.data, "abc");
    buf_reset(&b);
    ck_assert_uint_eq(b.len, 0);
    ck_assert_str_eq(b.data, "");
    ck_assert_uint_eq(b.max, 3);
    buf_done(&b);
}
END_TEST

START_TEST(buf_grows_over_many_steps_without_losing_a_byte)
{
    struct buf b;

    buf_init(&b, 100000);
    for (size_t i = 0; i < 100000; i++)
        buf_addc(&b, (char)(i % 251));
    ck_assert(buf_ok(&b));
    for (size_t i = 0; i < 100000; i++)
        ck_assert_int_eq(b.data[i], (char)(i % 251));
    ck_assert_int_eq(b.data[100000], '\0');
    buf_done(&b);
}
END_TEST

START_TEST(buf_eat_drops_from_the_front_and_never_more_than_there_is)
{
    struct buf b;

    buf_init(&b, 16);
    buf_eat(&b, 3);
    buf_adds(&b, "abcdef");
    buf_eat(&b, 0);
    ck_assert_str_eq(b.data, "abcdef");
    buf_eat(&b, 2);
    ck_assert_str_eq(b.data, "cdef");
    buf_eat(&b, SIZE_MAX);
    ck_assert_uint_eq(b.len, 0);
    ck_assert_str_eq(b.data, "");
    buf_done(&b);
}
END_TEST

START_TEST(buf_done_twice_is_harmless)
{
    struct buf b;

    buf_init(&b, 16);
    buf_adds(&b, "abc");
    buf_done(&b);
    buf_done(&b);
    ck_assert_ptr_null(b.data);
}
END_TEST

START_TEST(buf_integers_are_little_endian_on_every_machine)
{
    struct buf b;

    buf_init(&b, 64);
    buf_add_u32(&b, 0x01020384);
    buf_add_u64(&b, 0xf102030405060708);
    buf_add_block(&b, "xy", 2);
    ck_assert_uint_eq(b.len, 18);
    ck_assert_mem_eq(b.data,
        "\x84\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\xf1\x02\0\0\0xy", 18);
    buf_done(&b);
}
END_TEST

#if SIZE_MAX > UINT32_MAX
START_TEST(buf_refuses_a_block_whose_length_needs_more_than_four_bytes)
{
    struct buf b;

    buf_init(&b, SIZE_MAX / 4);
    buf_add_block(&b, "", (size_t)UINT32_MAX + 1);
    ck_assert(!buf_ok(&b));
    ck_assert_uint_eq(b.len, 0);
    buf_done(&b);
}
END_TEST
#endif

/* --- reading ------------------------------------------------------------- */

START_TEST(view_reads_back_what_a_buf_wrote)
{
    struct view v, block;
    struct buf b;

    buf_init(&b, 64);
    buf_add_u32(&b, UINT32_MAX);
    buf_add_u64(&b, 0x8000000000000001);
    buf_add_block(&b, "hello", 5);
    buf_add_block(&b, "", 0);
    v = fenced_buf(&b);
    ck_assert_uint_eq(view_u32(&v), UINT32_MAX);
    ck_assert_uint_eq(view_u64(&v), 0x8000000000000001);
    block = view_block(&v, 5);
    assert_view(block, "hello");
    ck_assert(!view_done(&v));
    block = view_block(&v, 0);
    ck_assert_uint_eq(block.len, 0);
    ck_assert(view_done(&v));
    buf_done(&b);
}
END_TEST

/* The loop's number is how many bytes there are. */
START_TEST(view_too_short_for_an_integer_is_bad_and_reads_zero)
{
    struct view v = fenced("\xff\xff\xff\xff\xff\xff\xff", (size_t)_i);

    if (_i < 4)
        ck_assert_uint_eq(view_u32(&v), 0);
    else
        (void)view_u64(&v);
    ck_assert(v.bad);
    ck_assert(!view_done(&v));
}
END_TEST

START_TEST(view_block_longer_than_its_bytes_is_bad_and_empty)
{
    struct view v = fenced("\x04\0\0\0abc", 7);
    struct view block = view_block(&v, 100);

    ck_assert(v.bad);
    ck_assert_uint_eq(block.len, 0);
    ck_assert_ptr_nonnull(block.data);
}
END_TEST

START_TEST(view_block_over_its_maximum_is_bad_although_it_is_there)
{
    struct view v = fenced("\x04\0\0\0abcd", 8);
    struct view block = view_block(&v, 3);

    ck_assert(v.bad);
    ck_assert_uint_eq(block.len, 0);
}
END_TEST

START_TEST(view_block_of_four_gigabytes_is_bad_under_any_maximum)
{
    struct view v = fenced("\xff\xff\xff\xff"
                           "abcd",
        8);
    struct view block = view_block(&v, SIZE_MAX);

    ck_assert(v.bad);
    ck_assert_uint_eq(block.len, 0);
}
END_TEST

START_TEST(view_that_is_bad_stays_bad_and_reads_nothing_more)
{
    struct view v = fenced("\xff\xff\xff\xff\x01\0\0\0z", 9);

    (void)view_block(&v, 8);
    ck_assert_uint_eq(view_u32(&v), 0);
    ck_assert_uint_eq(view_u64(&v), 0);
    ck_assert_uint_eq(view_block(&v, 8).len, 0);
    ck_assert(!view_done(&v));
}
END_TEST

START_TEST(view_of_nothing_is_done_and_gives_nothing)
{
    struct view v = view_of(NULL, 0);

    ck_assert(view_done(&v));
    ck_assert_uint_eq(view_u32(&v), 0);
    ck_assert(!view_done(&v));
}
END_TEST

Suite *
suite_buf(void)
{
    Suite *s = suite_create("buf");
    TCase *t = tcase_create("buf");

    tcase_add_test(t, buf_holds_what_was_added_and_a_nul_behind_it);
    tcase_add_test(t, buf_can_be_filled_to_its_maximum_exactly);
    tcase_add_test(t, buf_refuses_the_byte_past_its_maximum_and_keeps_the_rest);
    tcase_add_test(t, buf_that_failed_takes_not_even_what_would_fit);
    tcase_add_test(t, buf_with_maximum_zero_takes_nothing);
    tcase_add_test(t, buf_refuses_a_size_that_would_wrap_around);
    tcase_add_test(t, buf_formatted_text_past_the_maximum_adds_nothing);
    tcase_add_test(t, buf_reset_empties_it_and_forgives_the_failure);
    tcase_add_test(t, buf_grows_over_many_steps_without_losing_a_byte);
    tcase_add_test(
        t, buf_eat_drops_from_the_front_and_never_more_than_there_is);
    tcase_add_test(t, buf_done_twice_is_harmless);
    tcase_add_test(t, buf_integers_are_little_endian_on_every_machine);
#if SIZE_MAX > UINT32_MAX
    tcase_add_test(
        t, buf_refuses_a_block_whose_length_needs_more_than_four_bytes);
#endif
    tcase_add_test(t, view_reads_back_what_a_buf_wrote);
    tcase_add_loop_test(
        t, view_too_short_for_an_integer_is_bad_and_reads_zero, 0, 8);
    tcase_add_test(t, view_block_longer_than_its_bytes_is_bad_and_empty);
    tcase_add_test(t, view_block_over_its_maximum_is_bad_although_it_is_there);
    tcase_add_test(t, view_block_of_four_gigabytes_is_bad_under_any_maximum);
    tcase_add_test(t, view_that_is_bad_stays_bad_and_reads_nothing_more);
    tcase_add_test(t, view_of_nothing_is_done_and_gives_nothing);
    suite_add_tcase(s, t);
    return s;
}
