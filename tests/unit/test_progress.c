/* progress: bounded on the wire, and a glance into a slate stays inside it */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/glance.h"
#include "sandbox/wire/progress.h"
#include "tests/unit/fenced.h"

Suite *suite_progress(void);

enum {
    TAIL_AT = 24,
};

static struct buf b;

static void
pack_setup(void)
{
    struct progress p = { .elapsed_us = 0x500000001,
        .out_len = 0x600000002,
        .err_len = 3,
        .tail = view_of("a\0b\xff", 4) };

    buf_init(&b, progress_max_bytes());
    progress_pack(&b, &p);
}

static void
pack_teardown(void)
{
    buf_done(&b);
}

static int
read_progress(struct view body)
{
    struct progress p;

    return progress_unpack(body, &p);
}

START_TEST(progress_comes_back_field_for_field)
{
    struct progress p;

    ck_assert_int_eq(progress_unpack(fenced_buf(&b), &p), 0);
    ck_assert_uint_eq(p.elapsed_us, 0x500000001);
    ck_assert_uint_eq(p.out_len, 0x600000002);
    ck_assert_uint_eq(p.err_len, 3);
    ck_assert_uint_eq(p.tail.len, 4);
    ck_assert_mem_eq(p.tail.data, "a\0b\xff", 4);
}
END_TEST

START_TEST(progress_cut_or_too_long_is_refused)
{
    fenced_refuses_every_cut(&b, read_progress);
    fenced_refuses_one_byte_more(&b, read_progress);
    fenced_refuses_above(&b, read_progress, TAIL_AT, PROGRESS_MAX_TAIL);
}
END_TEST

START_TEST(progress_of_the_largest_size_fits_its_maximum)
{
    static const char tail[PROGRESS_MAX_TAIL] = "";
    struct progress p = { .tail = view_of(tail, sizeof(tail)) };

    buf_reset(&b);
    progress_pack(&b, &p);
    ck_assert(buf_ok(&b));
    ck_assert_uint_eq(b.len, progress_max_bytes());
    ck_assert_int_eq(read_progress(fenced_buf(&b)), 0);
}
END_TEST

/* --- the glance ----------------------------------------------------------- */

#define AREA 6000 /* of output */

static const struct setup bounds = { .output_bytes = AREA };
static struct slate slate;
static struct slate_layout layout;
static int slate_fd;
static char room[PROGRESS_MAX_TAIL];

static void
slate_setup(void)
{
    layout = slate_layout_of(&bounds);
    slate_fd = slate_new(&layout);
    ck_assert_int_ge(slate_fd, 0);
    ck_assert_int_eq(slate_map(&slate, slate_fd, &layout), 0);
}

static void
slate_teardown(void)
{
    (void)munmap(slate.base, slate.layout.total);
    (void)close(slate_fd);
}

START_TEST(glance_sees_nothing_before_something_is_printed)
{
    struct progress p;

    ck_assert_int_eq(glance(slate_fd, &layout, AREA, room, &p), 0);
    ck_assert_uint_eq(p.out_len, 0);
    ck_assert_uint_eq(p.tail.len, 0);
}
END_TEST

START_TEST(glance_sees_all_of_a_little_and_the_end_of_much)
{
    char much[4000];
    struct progress p;

    slate_add_out(&slate, "hello", 5, AREA);
    slate_add_err(&slate, "no", 2, AREA);
    ck_assert_int_eq(glance(slate_fd, &layout, AREA, room, &p), 0);
    assert_view(p.tail, "hello");
    ck_assert_uint_eq(p.out_len, 5);
    ck_assert_uint_eq(p.err_len, 2);

    memset(much, 'x', sizeof(much));
    much[sizeof(much) - 1] = '!';
    slate_add_out(&slate, much, sizeof(much), AREA);
    ck_assert_int_eq(glance(slate_fd, &layout, AREA, room, &p), 0);
    ck_assert_uint_eq(p.out_len, 5 + sizeof(much));
    ck_assert_uint_eq(p.tail.len, PROGRESS_MAX_TAIL);
    ck_assert_int_eq(p.tail.data[PROGRESS_MAX_TAIL - 1], '!');
    ck_assert_int_eq(p.tail.data[0], 'x');
}
END_TEST

START_TEST(glance_believes_no_length_beyond_the_area)
{
    static const uint64_t lies[] = { AREA + 1, UINT32_MAX, UINT64_MAX };
    struct progress p;

    memset(slate.base + layout.out_at, 'o', AREA);
    memset(slate.base + layout.err_at, 'e', AREA);
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        slate.head->out_len = lies[i];
        /* Nor does an order that asks for more than there is make more. */
        ck_assert_int_eq(glance(slate_fd, &layout, AREA + 4096, room, &p), 0);
        ck_assert_uint_eq(p.tail.len, PROGRESS_MAX_TAIL);
        for (size_t k = 0; k < p.tail.len; k++)
            ck_assert_int_eq(p.tail.data[k], 'o');
    }
}
END_TEST

START_TEST(glance_shows_only_what_the_order_keeps)
{
    struct progress p;

    slate_add_out(&slate, "0123456789", 10, AREA);
    ck_assert_int_eq(glance(slate_fd, &layout, 4, room, &p), 0);
    assert_view(p.tail, "0123");
    ck_assert_int_eq(glance(slate_fd, &layout, 0, room, &p), 0);
    ck_assert_uint_eq(p.tail.len, 0);
}
END_TEST

START_TEST(glance_at_no_slate_is_an_error)
{
    struct progress p = { .out_len = 7 };

    ck_assert_int_lt(glance(-1, &layout, AREA, room, &p), 0);
    ck_assert_uint_eq(p.out_len, 7);
}
END_TEST

Suite *
suite_progress(void)
{
    Suite *s = suite_create("progress");
    TCase *t = tcase_create("wire"), *g = tcase_create("glance");

    tcase_add_checked_fixture(t, pack_setup, pack_teardown);
    tcase_add_test(t, progress_comes_back_field_for_field);
    tcase_add_test(t, progress_cut_or_too_long_is_refused);
    tcase_add_test(t, progress_of_the_largest_size_fits_its_maximum);
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(g, slate_setup, slate_teardown);
    tcase_add_test(g, glance_sees_nothing_before_something_is_printed);
    tcase_add_test(g, glance_sees_all_of_a_little_and_the_end_of_much);
    tcase_add_test(g, glance_believes_no_length_beyond_the_area);
    tcase_add_test(g, glance_shows_only_what_the_order_keeps);
    tcase_add_test(g, glance_at_no_slate_is_an_error);
    suite_add_tcase(s, g);
    return s;
}
