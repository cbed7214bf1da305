/* rate: a token's own allowance */
#include <check.h>
#include <stdio.h>

#include "fcgi-app/rate.h"
#include "fcgi-app/tokens.h"

Suite *suite_rate(void);

static const uint64_t second = 1000000;
static struct rates *rates;

static void
make(void)
{
    rates = rates_new();
    ck_assert_ptr_nonnull(rates);
}

static void
drop(void)
{
    rates_free(rates);
}

START_TEST(rate_of_nothing_is_no_limit)
{
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(rates_take(rates, "a", 0, 0, 5), 0);
}
END_TEST

START_TEST(rate_lets_a_burst_through_and_then_one_at_a_time)
{
    uint64_t now = 77 * second;

    for (int i = 0; i < 4; i++) /* 3 saved up, and the one that is due */
        ck_assert_uint_eq(rates_take(rates, "a", 60, 3, now), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 3, now), 1);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 3, now + second - 1), 1);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 3, now + second), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 3, now + second), 1);
}
END_TEST

START_TEST(rate_tells_how_long_to_wait)
{
    ck_assert_uint_eq(rates_take(rates, "a", 1, 0, second), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 1, 0, second), 60);
    ck_assert_uint_eq(rates_take(rates, "a", 1, 0, 31 * second), 30);
    ck_assert_uint_eq(rates_take(rates, "a", 1, 0, 61 * second), 0);
}
END_TEST

START_TEST(rate_of_a_refused_call_costs_nothing)
{
    ck_assert_uint_eq(rates_take(rates, "a", 60, 0, second), 0);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(rates_take(rates, "a", 60, 0, second), 1);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 0, 2 * second), 0);
}
END_TEST

START_TEST(rate_of_one_token_is_not_anothers)
{
    ck_assert_uint_eq(rates_take(rates, "a", 1, 0, second), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 1, 0, second), 60);
    ck_assert_uint_eq(rates_take(rates, "b", 1, 0, second), 0);
}
END_TEST

START_TEST(rate_saves_up_no_more_than_its_burst)
{
    ck_assert_uint_eq(rates_take(rates, "a", 60, 1, second), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 1, 9000 * second), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 1, 9000 * second), 0);
    ck_assert_uint_eq(rates_take(rates, "a", 60, 1, 9000 * second), 1);
}
END_TEST

/* Ids that came and went with reloads take no place for ever. */
START_TEST(rate_forgets_ids_that_are_gone)
{
    char id[TOKEN_MAX_ID];

    for (unsigned i = 0; i < 10 * TOKENS_MAX; i++) {
        uint64_t now = (1 + (uint64_t)i) * second;

        (void)snprintf(id, sizeof(id), "token-%u", i);
        ck_assert_uint_eq(rates_take(rates, id, 60, 0, now), 0);
        ck_assert_uint_eq(rates_take(rates, id, 60, 0, now), 1);
    }
}
END_TEST

START_TEST(rate_that_cannot_be_kept_refuses_nobody)
{
    char id[TOKEN_MAX_ID];

    for (unsigned i = 0; i < 3 * TOKENS_MAX; i++) {
        (void)snprintf(id, sizeof(id), "token-%u", i);
        ck_assert_uint_eq(rates_take(rates, id, 1, 0, second), 0);
    }
}
END_TEST

Suite *
suite_rate(void)
{
    Suite *s = suite_create("rate");
    TCase *t = tcase_create("rate");

    tcase_add_checked_fixture(t, make, drop);
    tcase_add_test(t, rate_of_nothing_is_no_limit);
    tcase_add_test(t, rate_lets_a_burst_through_and_then_one_at_a_time);
    tcase_add_test(t, rate_tells_how_long_to_wait);
    tcase_add_test(t, rate_of_a_refused_call_costs_nothing);
    tcase_add_test(t, rate_of_one_token_is_not_anothers);
    tcase_add_test(t, rate_saves_up_no_more_than_its_burst);
    tcase_add_test(t, rate_forgets_ids_that_are_gone);
    tcase_add_test(t, rate_that_cannot_be_kept_refuses_nobody);
    suite_add_tcase(s, t);
    return s;
}
