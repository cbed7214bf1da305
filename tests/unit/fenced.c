/* fenced - bytes that end where memory ends */
#include "tests/unit/fenced.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>

#define FENCE_PAGE ((size_t)4096)

struct view
fenced(const void *bytes, size_t len)
{
    static char *room;

    if (room == NULL) {
        void *at = mmap(NULL, FENCED_MAX + FENCE_PAGE, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        ck_assert_ptr_ne(at, MAP_FAILED);
        ck_assert_int_eq(
            mprotect((char *)at + FENCED_MAX, FENCE_PAGE, PROT_NONE), 0);
        room = at;
    }
    ck_assert_uint_le(len, FENCED_MAX);
    if (len > 0)
        memcpy(room + FENCED_MAX - len, bytes, len);
    return view_of(room + FENCED_MAX - len, len);
}

struct view
fenced_buf(const struct buf *b)
{
    ck_assert(buf_ok(b));
    return fenced(b->data, b->len);
}
