/* rfc3339 - a point in time as people write it in a file */
#include "fcgi-app/rfc3339.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

/* Reads from the front; `bad` sticks. */
struct reading {
    const char *at, *end;
    bool bad;
};

/* Exactly `digits` digits, as a number within bounds. */
static int
take_number(struct reading *r, int digits, int min, int max)
{
    int value = 0;

    for (; digits > 0; digits--) {
        if (r->bad || r->at == r->end || *r->at < '0' || *r->at > '9') {
            r->bad = true;
            return min;
        }
        value = value * 10 + (*r->at++ - '0');
    }
    if (value < min || value > max) {
        r->bad = true;
        return min;
    }
    return value;
}

/* One of two characters; returns which. */
static char
take_char(struct reading *r, char one, char other)
{
    if (r->bad || r->at == r->end || (*r->at != one && *r->at != other)) {
        r->bad = true;
        return one;
    }
    return *r->at++;
}

static int
days_of(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
        31 };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

static void
take_fraction(struct reading *r)
{
    if (r->bad || r->at == r->end || *r->at != '.')
        return;
    r->at++;
    (void)take_number(r, 1, 0, 9);
    while (!r->bad && r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
}

/* Z, z, +hh:mm or -hh:mm, in seconds east. */
static int
take_offset(struct reading *r)
{
    int hours, minutes;
    bool is_west;

    if (!r->bad && r->at < r->end && (*r->at == 'Z' || *r->at == 'z')) {
        r->at++;
        return 0;
    }
    is_west = take_char(r, '+', '-') == '-';
    hours = take_number(r, 2, 0, 23);
    (void)take_char(r, ':', ':');
    minutes = take_number(r, 2, 0, 59);
    return (is_west ? -60 : 60) * (hours * 60 + minutes);
}

int
rfc3339_parse(const char *text, size_t len, int64_t *ret_seconds)
{
    struct reading r = { .at = text, .end = text + len };
    struct tm tm = { 0 };
    int year, month, offset;

    year = take_number(&r, 4, 1970, 9999);
    (void)take_char(&r, '-', '-');
    month = take_number(&r, 2, 1, 12);
    (void)take_char(&r, '-', '-');
    tm.tm_mday = take_number(&r, 2, 1, r.bad ? 31 : days_of(year, month));
    (void)take_char(&r, 'T', ' ');
    tm.tm_hour = take_number(&r, 2, 0, 23);
    (void)take_char(&r, ':', ':');
    tm.tm_min = take_number(&r, 2, 0, 59);
    (void)take_char(&r, ':', ':');
    tm.tm_sec = take_number(&r, 2, 0, 60); /* 60: a leap second */
    take_fraction(&r);
    offset = take_offset(&r);
    if (r.bad || r.at != r.end)
        return -EINVAL;
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    *ret_seconds = (int64_t)timegm(&tm) - offset;
    return 0;
}

void
rfc3339_print(int64_t seconds, char *text, size_t size)
{
    time_t at = (time_t)seconds;
    struct tm tm;

    if (gmtime_r(&at, &tm) == NULL ||
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        text[0] = '\0';
}
