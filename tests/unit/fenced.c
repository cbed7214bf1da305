/* fenced - bytes that end where memory ends */
#include "tests/unit/fenced.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define FENCE_PAGE ((size_t)4096)
#define FENCED_MAX_MESSAGE 16384

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

void
fenced_refuses_every_cut(const struct buf *b, fenced_reader *read)
{
    ck_assert_int_eq(read(fenced_buf(b)), 0);
    for (size_t len = 0; len < b->len; len++)
        ck_assert_int_eq(read(fenced(b->data, len)), -EPROTO);
}

/* The NUL behind the bytes of a buf is the byte that is too many. */
void
fenced_refuses_one_byte_more(const struct buf *b, fenced_reader *read)
{
    ck_assert_int_eq(read(fenced_buf(b)), 0);
    ck_assert_int_eq(read(fenced(b->data, b->len + 1)), -EPROTO);
}

void
fenced_refuses_above(
    const struct buf *b, fenced_reader *read, size_t at, uint32_t max)
{
    const uint32_t tried[] = { max + 1, 0x7fffffff, 0x80000000, 0xfffffff0,
        UINT32_MAX };

    ck_assert_int_eq(read(fenced_buf(b)), 0);
    ck_assert_uint_le(at + 4, b->len);
    for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
        struct view v = fenced_buf(b);
        char bytes[FENCED_MAX_MESSAGE];

        ck_assert_uint_le(v.len, sizeof(bytes));
        memcpy(bytes, v.data, v.len);
        for (size_t k = 0; k < 4; k++)
            bytes[at + k] = (char)(tried[i] >> (8 * k));
        ck_assert_int_eq(read(fenced(bytes, v.len)), -EPROTO);
    }
}
