/* clock - time for deadlines and for people */
#include "sandbox/base/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t
clock_mono_us(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

void
clock_text(char *text, size_t size)
{
    struct timespec ts;
    struct tm tm;
    size_t n;

    (void)clock_gettime(CLOCK_REALTIME, &ts);
    (void)gmtime_r(&ts.tv_sec, &tm);
    n = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(text + n, size - n, ".%03dZ", (int)(ts.tv_nsec / 1000000));
}
