/* slate: fixed in size, areas apart, output kept to its bound and counted */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/wire/claim.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/slate.h"

Suite *suite_slate(void);

#define PAGE 4096

/* One under, at and one over the size of a page. */
static const uint32_t sizes[] = { 0, 1, PAGE - 1, PAGE, PAGE + 1, 65536 };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static const struct setup small = {
    .code_bytes = 100,
    .context_bytes = 100,
    .stdin_bytes = 100,
    .output_bytes = 10,
    .return_bytes = 20,
};

static struct slate slate;
static int slate_fd;

static void
slate_setup(void)
{
    struct slate_layout l = slate_layout_of(&small);

    slate_fd = slate_new(&l);
    ck_assert_int_ge(slate_fd, 0);
    ck_assert_int_eq(slate_map(&slate, slate_fd, &l), 0);
}

static void
slate_teardown(void)
{
    (void)munmap(slate.base, slate.layout.total);
    (void)close(slate_fd);
}

/* --- layout --------------------------------------------------------------- */

static void
check_layout(const struct setup *s)
{
    struct slate_layout l = slate_layout_of(s);
    const size_t at[] = { 0, l.order_at, l.out_at, l.err_at, l.claim_at,
        l.total };
    const size_t bytes[] = { sizeof(struct slate_head), l.order_bytes,
        l.output_bytes, l.output_bytes, l.claim_bytes, 0 };

    for (size_t i = 0; i + 1 < sizeof(at) / sizeof(at[0]); i++) {
        ck_assert_uint_eq(at[i] % (i == 1 ? 64 : PAGE), 0);
        ck_assert_uint_le(at[i] + bytes[i], at[i + 1]);
    }
    ck_assert_uint_ge(l.order_bytes, order_max_bytes(s));
    ck_assert_uint_eq(l.output_bytes, s->output_bytes);
    ck_assert_uint_ge(l.claim_bytes, claim_max_bytes(s->return_bytes));
}

START_TEST(slate_areas_never_overlap)
{
    for (size_t i = 0; i < SIZE_COUNT * SIZE_COUNT * SIZE_COUNT; i++) {
        struct setup s = {
            .code_bytes = sizes[i % SIZE_COUNT],
            .output_bytes = sizes[i / SIZE_COUNT % SIZE_COUNT],
            .return_bytes = sizes[i / SIZE_COUNT / SIZE_COUNT],
        };

        check_layout(&s);
    }
}
END_TEST

START_TEST(slate_areas_do_not_wrap_around_with_large_bounds)
{
    struct setup s = { .code_bytes = UINT32_MAX,
        .context_bytes = UINT32_MAX,
        .stdin_bytes = UINT32_MAX,
        .output_bytes = UINT32_MAX,
        .return_bytes = UINT32_MAX };

    check_layout(&s);
}
END_TEST

START_TEST(slate_has_a_short_order_in_the_page_of_its_head)
{
    ck_assert_uint_ge(slate.layout.order_at, sizeof(struct slate_head));
    ck_assert_uint_le(slate.layout.order_at, 512);
}
END_TEST

/* --- the memory ----------------------------------------------------------- */

START_TEST(slate_cannot_be_resized_by_who_holds_it)
{
    struct stat st;

    ck_assert_int_eq(fstat(slate_fd, &st), 0);
    ck_assert_uint_eq((size_t)st.st_size, slate.layout.total);
    ck_assert_int_lt(ftruncate(slate_fd, 0), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(ftruncate(slate_fd, st.st_size + PAGE), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(pwrite(slate_fd, "x", 1, st.st_size), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(fcntl(slate_fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
    ck_assert_int_eq(errno, EPERM);
}
END_TEST

START_TEST(slate_is_close_on_exec_and_born_empty)
{
    static const char zeroes[PAGE];
    char page[PAGE];

    ck_assert_int_ne(fcntl(slate_fd, F_GETFD) & FD_CLOEXEC, 0);
    for (size_t at = 0; at < slate.layout.total; at += PAGE) {
        ck_assert_int_eq(fd_pread_all(slate_fd, page, PAGE, (off_t)at), 0);
        ck_assert_mem_eq(page, zeroes, PAGE);
    }
}
END_TEST

START_TEST(slate_written_by_a_box_is_read_by_descriptor)
{
    char bytes[3] = "";

    slate_add_out(&slate, "hi", 2, 10);
    ck_assert_int_eq(
        fd_pread_all(slate_fd, bytes, 2, (off_t)slate.layout.out_at), 0);
    ck_assert_str_eq(bytes, "hi");
}
END_TEST

START_TEST(slate_phase_is_told_with_the_time_it_began)
{
    uint64_t before_us = clock_mono_us();

    slate_set_phase(&slate, SLATE_RUNNING);
    ck_assert_uint_eq(slate.head->phase, SLATE_RUNNING);
    ck_assert_uint_ge(slate.head->phase_us[SLATE_RUNNING], before_us);
    ck_assert_uint_le(slate.head->phase_us[SLATE_RUNNING], clock_mono_us());
    ck_assert_uint_eq(slate.head->phase_us[SLATE_TELLING], 0);
}
END_TEST

/* --- output --------------------------------------------------------------- */

static const char *
out_area(void)
{
    return slate.base + slate.layout.out_at;
}

START_TEST(slate_output_is_appended_in_order)
{
    slate_add_out(&slate, "abc", 3, 10);
    slate_add_out(&slate, "", 0, 10);
    slate_add_out(&slate, "de", 2, 10);
    ck_assert_uint_eq(slate.head->out_len, 5);
    ck_assert_mem_eq(out_area(), "abcde\0", 6);
    ck_assert_uint_eq(slate.head->err_len, 0);
}
END_TEST

START_TEST(slate_output_that_fills_the_bound_exactly_is_all_kept)
{
    slate_add_out(&slate, "01234", 5, 10);
    slate_add_out(&slate, "56789", 5, 10);
    ck_assert_uint_eq(slate.head->out_len, 10);
    ck_assert_mem_eq(out_area(), "0123456789\0", 11);
}
END_TEST

START_TEST(slate_output_across_the_bound_is_cut_there_and_counted_whole)
{
    slate_add_out(&slate, "0123456", 7, 10);
    slate_add_out(&slate, "789abc", 6, 10);
    ck_assert_uint_eq(slate.head->out_len, 13);
    ck_assert_mem_eq(out_area(), "0123456789\0\0", 12);
}
END_TEST

START_TEST(slate_output_behind_the_bound_is_only_counted)
{
    slate_add_out(&slate, "0123456789", 10, 10);
    slate_add_out(&slate, "x", 1, 10);
    slate_add_out(&slate, "yz", 2, 10);
    ck_assert_uint_eq(slate.head->out_len, 13);
    ck_assert_mem_eq(out_area(), "0123456789\0", 11);
}
END_TEST

START_TEST(slate_order_with_a_lower_bound_is_held_to_it)
{
    slate_add_out(&slate, "01234", 5, 3);
    ck_assert_uint_eq(slate.head->out_len, 5);
    ck_assert_mem_eq(out_area(), "012\0\0", 5);
}
END_TEST

/* What a program would write to reach the area behind its output. */
START_TEST(slate_output_never_leaves_its_area_whatever_bound_is_asked)
{
    static char flood[3 * PAGE];

    memset(flood, 'x', sizeof(flood));
    slate_add_out(&slate, flood, sizeof(flood), SIZE_MAX);
    slate_add_out(&slate, flood, sizeof(flood), SIZE_MAX);
    ck_assert_uint_eq(slate.head->out_len, 2 * sizeof(flood));
    ck_assert_mem_eq(out_area(), "xxxxxxxxxx\0", 11);
    ck_assert_int_eq(slate.base[slate.layout.err_at], '\0');
    slate.head->out_len = UINT64_MAX - 1;
    slate_add_out(&slate, "yy", 2, SIZE_MAX);
    ck_assert_mem_eq(out_area(), "xxxxxxxxxx\0", 11);
}
END_TEST

START_TEST(slate_standard_error_has_an_area_and_a_count_of_its_own)
{
    slate_add_err(&slate, "0123456789abc", 13, 10);
    ck_assert_uint_eq(slate.head->err_len, 13);
    ck_assert_uint_eq(slate.head->out_len, 0);
    ck_assert_mem_eq(slate.base + slate.layout.err_at, "0123456789\0\0\0", 13);
    ck_assert_int_eq(out_area()[0], '\0');
}
END_TEST

/* --- claim ---------------------------------------------------------------- */

START_TEST(slate_claim_is_stored_whole_or_not_at_all)
{
    static char bytes[65536];

    ck_assert_uint_lt(slate.layout.claim_bytes, sizeof(bytes));
    memset(bytes, 'c', sizeof(bytes));
    slate_set_claim(&slate, bytes, slate.layout.claim_bytes + 1);
    ck_assert_uint_eq(slate.head->claim_len, 0);
    ck_assert_int_eq(slate.base[slate.layout.claim_at], '\0');
    slate_set_claim(&slate, bytes, slate.layout.claim_bytes);
    ck_assert_uint_eq(slate.head->claim_len, slate.layout.claim_bytes);
    ck_assert_mem_eq(
        slate.base + slate.layout.claim_at, bytes, slate.layout.claim_bytes);
}
END_TEST

Suite *
suite_slate(void)
{
    Suite *s = suite_create("slate");
    TCase *t = tcase_create("slate");

    tcase_add_checked_fixture(t, slate_setup, slate_teardown);
    tcase_add_test(t, slate_areas_never_overlap);
    tcase_add_test(t, slate_areas_do_not_wrap_around_with_large_bounds);
    tcase_add_test(t, slate_has_a_short_order_in_the_page_of_its_head);
    tcase_add_test(t, slate_cannot_be_resized_by_who_holds_it);
    tcase_add_test(t, slate_is_close_on_exec_and_born_empty);
    tcase_add_test(t, slate_written_by_a_box_is_read_by_descriptor);
    tcase_add_test(t, slate_phase_is_told_with_the_time_it_began);
    tcase_add_test(t, slate_output_is_appended_in_order);
    tcase_add_test(t, slate_output_that_fills_the_bound_exactly_is_all_kept);
    tcase_add_test(
        t, slate_output_across_the_bound_is_cut_there_and_counted_whole);
    tcase_add_test(t, slate_output_behind_the_bound_is_only_counted);
    tcase_add_test(t, slate_order_with_a_lower_bound_is_held_to_it);
    tcase_add_test(
        t, slate_output_never_leaves_its_area_whatever_bound_is_asked);
    tcase_add_test(t, slate_standard_error_has_an_area_and_a_count_of_its_own);
    tcase_add_test(t, slate_claim_is_stored_whole_or_not_at_all);
    suite_add_tcase(s, t);
    return s;
}
