/* nursery: where the objects of a box are born */
#include "sandbox/python/py.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "sandbox/python/nursery.h"

#define FILLED 0x5a

Suite *suite_nursery(void);

static void *of_template[3];

/* Every test is a process of its own, as every box is. */
static void
make(void)
{
    nursery_install();
    for (size_t i = 0; i < 3; i++) {
        of_template[i] = PyObject_Malloc(48);
        ck_assert_ptr_nonnull(of_template[i]);
    }
    nursery_open();
}

/* What a test leaves, a box would leave: known, so that it is no leak. */
static void *
kept(void *p)
{
    static void *all[4096];
    static size_t count;

    ck_assert_uint_lt(count, sizeof(all) / sizeof(all[0]));
    return all[count++] = p;
}

static size_t
distance(const void *a, const void *b)
{
    return (size_t)((const char *)b - (const char *)a);
}

/* Blocks until CPython's own allocator goes on; how many it were. */
static size_t
fill(size_t bytes)
{
    char *first = kept(PyMem_Malloc(bytes)), *p = first;
    size_t n = 0;

    while (distance(first, p) < ((size_t)1 << 20)) {
        n++;
        p = kept(PyMem_Malloc(bytes));
        ck_assert_ptr_nonnull(p);
    }
    return n;
}

START_TEST(nursery_puts_blocks_of_all_sizes_side_by_side)
{
    char *small = PyMem_Malloc(1);
    char *object = PyObject_Malloc(100);
    char *large = PyMem_Malloc(8192);
    char *next = PyObject_Malloc(24);

    ck_assert_uint_eq(distance(small, object), 16);
    ck_assert_uint_eq(distance(object, large), 112);
    ck_assert_uint_eq(distance(large, next), 8208);
}
END_TEST

START_TEST(nursery_aligns_every_block)
{
    for (size_t bytes = 0; bytes < 3000; bytes++) {
        void *p = bytes % 2 ? PyMem_Malloc(bytes) : PyObject_Calloc(1, bytes);

        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        if (bytes % 3)
            PyMem_Free(p);
        else
            (void)kept(p);
    }
}
END_TEST

START_TEST(nursery_uses_a_freed_block_again_for_its_size)
{
    void *a = PyMem_Malloc(40), *b = PyMem_Malloc(40), *c = PyMem_Malloc(400);
    void *end = PyMem_Malloc(1);

    ck_assert_ptr_nonnull(end);
    PyMem_Free(a);
    PyMem_Free(b);
    PyMem_Free(c);
    ck_assert_ptr_eq(PyMem_Malloc(400), c);
    ck_assert_ptr_eq(PyMem_Malloc(36), b); /* the last one is still warm */
    ck_assert_ptr_eq(PyMem_Malloc(40), a);
    ck_assert_ptr_ne(PyMem_Malloc(40), a);
}
END_TEST

START_TEST(nursery_uses_a_large_block_again_for_one_not_much_smaller)
{
    void *a = PyMem_Malloc(8192), *b = PyMem_Malloc(20000);
    void *end = PyMem_Malloc(1);

    ck_assert_ptr_nonnull(end);
    PyMem_Free(a);
    PyMem_Free(b);
    ck_assert_ptr_eq(PyMem_Malloc(8000), a);
    ck_assert(PyMem_Malloc(8000) > end); /* 20000 would be a waste */
    ck_assert_ptr_eq(PyMem_Malloc(12000), b);
}
END_TEST

START_TEST(nursery_looks_at_a_few_large_blocks_only)
{
    void *wanted = PyMem_Malloc(2000);
    void *others[4], *end;

    for (size_t i = 0; i < 4; i++)
        others[i] = PyMem_Malloc(30000);
    end = PyMem_Malloc(1);
    ck_assert_ptr_nonnull(end);
    PyMem_Free(wanted);
    for (size_t i = 0; i < 4; i++)
        PyMem_Free(others[i]); /* they lie before it in the list */
    ck_assert(PyMem_Malloc(2000) > end);
    ck_assert_ptr_eq(PyMem_Malloc(30000), others[3]);
}
END_TEST

START_TEST(nursery_takes_the_last_block_back)
{
    void *a = PyMem_Malloc(5000);

    PyMem_Free(a);
    ck_assert_ptr_eq(PyMem_Malloc(16), a);
}
END_TEST

START_TEST(nursery_clears_what_calloc_gives)
{
    unsigned char *p = PyMem_Malloc(64), *q;
    void *end = PyMem_Malloc(1);

    ck_assert_ptr_nonnull(end);
    memset(p, FILLED, 64);
    PyMem_Free(p);
    q = PyMem_Calloc(8, 8);
    ck_assert_ptr_eq(q, p);
    for (size_t i = 0; i < 64; i++)
        ck_assert_uint_eq(q[i], 0);
    ck_assert_ptr_null(PyMem_Calloc(SIZE_MAX / 2, 3));
    ck_assert_ptr_nonnull(PyMem_Calloc(0, 0));
}
END_TEST

START_TEST(nursery_lengthens_the_last_block_where_it_is)
{
    void *p = PyMem_Malloc(16);

    ck_assert_ptr_eq(PyMem_Realloc(p, 3000), p);
    ck_assert_ptr_eq(PyMem_Realloc(p, 16), p);
    ck_assert_uint_eq(distance(p, PyMem_Malloc(1)), 32);
}
END_TEST

START_TEST(nursery_moves_a_block_with_its_bytes)
{
    unsigned char *p = PyMem_Malloc(100), *q;
    void *end = PyMem_Malloc(1);

    ck_assert_ptr_nonnull(end);
    memset(p, FILLED, 100);
    ck_assert_ptr_eq(PyMem_Realloc(p, 90), p); /* not worth a move */
    q = PyMem_Realloc(p, 40000); /* too large for the nursery */
    ck_assert_ptr_ne(q, p);
    for (size_t i = 0; i < 100; i++)
        ck_assert_uint_eq(q[i], FILLED);
    q = PyMem_Realloc(q, 20); /* it stays where it went */
    for (size_t i = 0; i < 20; i++)
        ck_assert_uint_eq(q[i], FILLED);
    PyMem_Free(q);
    ck_assert_ptr_eq(PyMem_Malloc(100), p);
}
END_TEST

START_TEST(nursery_that_is_full_lets_cpython_go_on)
{
    size_t n = fill(1000);
    void *before = PyMem_Malloc(1000), *after;

    ck_assert_uint_gt(n, 400);
    ck_assert_uint_lt(n, 600);
    PyMem_Free(before);
    after = PyMem_Realloc(NULL, 1000);
    ck_assert_ptr_nonnull(after);
    PyMem_Free(after);
}
END_TEST

START_TEST(nursery_moves_no_more_than_there_is_room_for)
{
    unsigned char *p = PyMem_Malloc(400), *to, *neighbour;

    memset(p, FILLED, 400);
    (void)fill(1000);
    (void)fill(8);
    to = PyMem_Malloc(25); /* two that lie side by side, beyond */
    neighbour = PyMem_Calloc(1, 25);
    ck_assert_uint_eq(distance(to, neighbour), 32);
    PyMem_Free(to);
    ck_assert_ptr_eq(PyMem_Realloc(p, 25), to);
    for (size_t i = 0; i < 25; i++) {
        ck_assert_uint_eq(to[i], FILLED);
        ck_assert_uint_eq(neighbour[i], 0);
    }
}
END_TEST

START_TEST(nursery_forgets_what_the_template_had)
{
    /* Neither is written to: CPython's allocator would give it out again. */
    PyObject_Free(of_template[0]);
    (void)fill(1000);
    ck_assert_ptr_ne(PyObject_Malloc(48), of_template[0]);
    /* From here on nobody can tell whose a block is. */
    PyObject_Free(of_template[1]);
    ck_assert_ptr_eq(PyObject_Malloc(48), of_template[1]);
}
END_TEST

START_TEST(nursery_is_not_used_where_it_was_not_opened)
{
    char *a = PyMem_Malloc(1), *b = PyMem_Malloc(8192);

    ck_assert_uint_ne(distance(a, b), 16);
    PyMem_Free(a);
    PyMem_Free(b);
}
END_TEST

Suite *
suite_nursery(void)
{
    Suite *s = suite_create("nursery");
    TCase *box = tcase_create("box");
    TCase *template = tcase_create("template");

    tcase_add_checked_fixture(box, make, NULL);
    tcase_add_test(box, nursery_puts_blocks_of_all_sizes_side_by_side);
    tcase_add_test(box, nursery_aligns_every_block);
    tcase_add_test(box, nursery_uses_a_freed_block_again_for_its_size);
    tcase_add_test(
        box, nursery_uses_a_large_block_again_for_one_not_much_smaller);
    tcase_add_test(box, nursery_looks_at_a_few_large_blocks_only);
    tcase_add_test(box, nursery_takes_the_last_block_back);
    tcase_add_test(box, nursery_clears_what_calloc_gives);
    tcase_add_test(box, nursery_lengthens_the_last_block_where_it_is);
    tcase_add_test(box, nursery_moves_a_block_with_its_bytes);
    tcase_add_test(box, nursery_that_is_full_lets_cpython_go_on);
    tcase_add_test(box, nursery_moves_no_more_than_there_is_room_for);
    tcase_add_test(box, nursery_forgets_what_the_template_had);
    suite_add_tcase(s, box);
    tcase_add_checked_fixture(template, nursery_install, NULL);
    tcase_add_test(template, nursery_is_not_used_where_it_was_not_opened);
    suite_add_tcase(s, template);
    return s;
}
