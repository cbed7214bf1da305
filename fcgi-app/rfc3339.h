/*
 * rfc3339 - a point in time as people write it in a file
 *
 * "2026-01-31T23:59:59Z", "2026-01-31 23:59:59.5+01:00".  A fraction is
 * allowed and dropped; an offset or Z is required, so that no file means
 * another time on another machine.
 */
#ifndef GLOVEBOX_RFC3339_H
#define GLOVEBOX_RFC3339_H

#include <stddef.h>
#include <stdint.h>

/* Seconds of the epoch: 0 or -EINVAL. */
int rfc3339_parse(const char *text, size_t len, int64_t *ret_seconds);

/* As 2026-01-31T23:59:59Z; `size` at least RFC3339_TEXT. */
#define RFC3339_TEXT 40
void rfc3339_print(int64_t seconds, char *text, size_t size);

#endif
