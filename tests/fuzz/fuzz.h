/*
 * fuzz - what the fuzzers of the wire share
 *
 * Each hands any bytes to one reader.  What is refused is of no interest;
 * what is taken must keep its promises: views inside the bytes they came from,
 * numbers under their bounds, and written out again it must read the same.
 */
#ifndef GLOVEBOX_FUZZ_H
#define GLOVEBOX_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void
must(bool is_so)
{
    if (!is_so)
        abort();
}

static inline void
must_lie_within(struct view part, struct view whole, size_t max)
{
    must(part.len <= max && part.len <= whole.len);
    must(part.data >= whole.data);
    must(part.data + part.len <= whole.data + whole.len);
}

static inline void
must_be_same(const struct buf *b, struct view v)
{
    must(buf_ok(b));
    must(b->len == v.len && memcmp(b->data, v.data, v.len) == 0);
}

#endif
