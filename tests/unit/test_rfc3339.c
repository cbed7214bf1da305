/* rfc3339: times that are one, and texts that are none */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "fcgi-app/rfc3339.h"

Suite *suite_rfc3339(void);

static const struct {
    const char *text;
    int64_t seconds; /* -1: refused */
} times[] = {
    { "1970-01-01T00:00:00Z", 0 },
    { "2026-01-31T23:59:59Z", 1769903999 },
    { "2026-01-31 23:59:59z", 1769903999 },
    { "2026-01-31T23:59:59.999Z", 1769903999 },
    { "2026-02-01T00:59:59+01:00", 1769903999 },
    { "2026-01-31T18:29:59-05:30", 1769903999 },
    { "2024-02-29T00:00:00Z", 1709164800 },
    { "2000-02-29T00:00:00Z", 951782400 },
    { "2016-12-31T23:59:60Z", 1483228800 },
    { "9999-12-31T23:59:59Z", 253402300799 },
    { "", -1 },
    { "2026-01-31", -1 },
    { "2026-01-31T23:59:59", -1 },
    { "2026-01-31T23:59:59.Z", -1 },
    { "2026-01-31T23:59:59ZZ", -1 },
    { "2026-01-31T23:59:59+01", -1 },
    { "2026-01-31T23:59:59+0100", -1 },
    { "2026-01-31T23:59:59+24:00", -1 },
    { "2026-01-31T24:00:00Z", -1 },
    { "2026-01-31T23:60:00Z", -1 },
    { "2026-01-31T23:59:61Z", -1 },
    { "2026-00-31T23:59:59Z", -1 },
    { "2026-13-01T23:59:59Z", -1 },
    { "2026-01-00T23:59:59Z", -1 },
    { "2026-01-32T23:59:59Z", -1 },
    { "2026-02-29T00:00:00Z", -1 },
    { "2100-02-29T00:00:00Z", -1 },
    { "1969-12-31T23:59:59Z", -1 },
    { "26-01-31T23:59:59Z", -1 },
    { " 2026-01-31T23:59:59Z", -1 },
    { "2026-01-31T23:59:59Z ", -1 },
    { "2026-1-31T23:59:59Z", -1 },
    { "2026/01/31T23:59:59Z", -1 },
};

START_TEST(rfc3339_reads)
{
    int64_t seconds = -2;
    int err = rfc3339_parse(times[_i].text, strlen(times[_i].text), &seconds);

    if (times[_i].seconds == -1) {
        ck_assert_msg(err == -EINVAL, "%s", times[_i].text);
        return;
    }
    ck_assert_msg(err == 0, "%s", times[_i].text);
    ck_assert_int_eq(seconds, times[_i].seconds);
}
END_TEST

Suite *
suite_rfc3339(void)
{
    Suite *s = suite_create("rfc3339");
    TCase *t = tcase_create("rfc3339");

    tcase_add_loop_test(t, rfc3339_reads, 0, sizeof(times) / sizeof(times[0]));
    suite_add_tcase(s, t);
    return s;
}
