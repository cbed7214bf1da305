/*
 * fenced - bytes that end where memory ends
 *
 * A copy whose last byte is the last of a page, with a page behind it that
 * nobody may read: a reader that goes one byte too far dies on the spot, in
 * every build and not only under the sanitizers.
 */
#ifndef GLOVEBOX_TEST_FENCED_H
#define GLOVEBOX_TEST_FENCED_H

#include <check.h>

#include "sandbox/base/buf.h"

#define FENCED_MAX ((size_t)1 << 20)

/*
 * A copy of `len` bytes, at most FENCED_MAX.  It lies in the one fence there
 * is: the next copy takes its place.
 */
struct view fenced(const void *bytes, size_t len);

/* The bytes of `b`, fenced.  Fails the test when `b` has failed. */
struct view fenced_buf(const struct buf *b);

/*
 * What every reader of a message promises, tried on `b`, a message it takes:
 * any part of it that is cut off at the end is missed, one byte more is not
 * overlooked.  `read` returns 0 or -EPROTO.
 */
typedef int fenced_reader(struct view body);
void fenced_refuses_every_cut(const struct buf *b, fenced_reader *read);
void fenced_refuses_one_byte_more(const struct buf *b, fenced_reader *read);

/*
 * The four bytes at `at` are a length or a number that may be at most `max`:
 * max + 1 and much larger ones are refused.
 */
void fenced_refuses_above(
    const struct buf *b, fenced_reader *read, size_t at, uint32_t max);

/* The view is exactly this text. */
#define assert_view(view, text)                                                \
    do {                                                                       \
        ck_assert_uint_eq((view).len, strlen(text));                           \
        ck_assert_mem_eq((view).data, (text), strlen(text));                   \
    } while (0)

#endif
