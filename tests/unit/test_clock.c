/* clock: deadlines never run backwards, times read as times */
#include <check.h>
#include <ctype.h>
#include <string.h>

#include "sandbox/base/clock.h"

Suite *suite_clock(void);

START_TEST(clock_mono_never_runs_backwards)
{
    uint64_t last_us = clock_mono_us();

    for (int i = 0; i < 10000; i++) {
        uint64_t now_us = clock_mono_us();

        ck_assert_uint_ge(now_us, last_us);
        last_us = now_us;
    }
}
END_TEST

START_TEST(clock_mono_counts_microseconds)
{
    struct timespec pause = { .tv_nsec = 20000000 };
    uint64_t start_us = clock_mono_us();

    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    ck_assert_uint_ge(clock_mono_us() - start_us, 20000);
    ck_assert_uint_lt(clock_mono_us() - start_us, 20000000);
}
END_TEST

START_TEST(clock_text_has_the_shape_of_rfc_3339_in_utc)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    char text[CLOCK_TEXT];

    clock_text(text, sizeof(text));
    ck_assert_uint_eq(strlen(text), sizeof(shape) - 1);
    for (size_t i = 0; i < sizeof(shape) - 1; i++)
        if (shape[i] == 'd')
            ck_assert_int_ne(isdigit((unsigned char)text[i]), 0);
        else
            ck_assert_int_eq(text[i], shape[i]);
}
END_TEST

START_TEST(clock_text_fills_its_room_exactly)
{
    char room[CLOCK_TEXT + 1];

    memset(room, '#', sizeof(room));
    clock_text(room, CLOCK_TEXT);
    ck_assert_int_eq(room[CLOCK_TEXT - 1], '\0');
    ck_assert_int_eq(room[CLOCK_TEXT], '#');
}
END_TEST

Suite *
suite_clock(void)
{
    Suite *s = suite_create("clock");
    TCase *t = tcase_create("clock");

    tcase_add_test(t, clock_mono_never_runs_backwards);
    tcase_add_test(t, clock_mono_counts_microseconds);
    tcase_add_test(t, clock_text_has_the_shape_of_rfc_3339_in_utc);
    tcase_add_test(t, clock_text_fills_its_room_exactly);
    suite_add_tcase(s, t);
    return s;
}
