/* order: nothing passes that the setup does not allow */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/wire/order.h"
#include "tests/unit/fenced.h"

Suite *suite_order(void);

/* Offsets of a packed order; the blocks are as long as in sent(). */
enum {
    KIND_AT = 0,
    WALL_AT = 8,
    CPU_AT = 12,
    MEMORY_AT = 16,
    OUTPUT_AT = 24,
    RETURN_AT = 28,
    NODES_AT = 32,
    PROGRESS_AT = 36,
    ID_AT = 44, /* after `running`, which may be anything */
    CODE_AT = ID_AT + 4 + 4,
    CONTEXT_AT = CODE_AT + 4 + 5,
    STDIN_AT = CONTEXT_AT + 4 + 2,
};

/* Each bound is what the order asks for: one more must be refused. */
static const struct setup bounds = {
    .wall_ms = 2000,
    .cpu_ms = 1000,
    .memory_bytes = 0x500000000,
    .code_bytes = 5,
    .context_bytes = 2,
    .stdin_bytes = 3,
    .output_bytes = 100,
    .return_bytes = 200,
    .ast_nodes = 300,
};

static struct buf b;

static struct order
order_to_send(void)
{
    return (struct order){
        .kind = ORDER_FINDINGS,
        .profile = 1,
        .wall_ms = 2000,
        .cpu_ms = 1000,
        .memory_bytes = 0x500000000,
        .output_bytes = 100,
        .return_bytes = 200,
        .ast_nodes = 300,
        .progress_ms = 1000,
        .running = 7,
        .request_id = view_of("id-1", 4),
        .code = view_of("a\0b\xff!", 5),
        .context = view_of("{}", 2),
        .stdin_text = view_of("in\n", 3),
    };
}

static void
order_setup(void)
{
    struct order o = order_to_send();

    buf_init(&b, order_max_bytes(&bounds));
    order_pack(&b, &o);
}

static void
order_teardown(void)
{
    buf_done(&b);
}

static int
read_order(struct view body)
{
    struct order o;

    return order_unpack(body, &bounds, &o);
}

START_TEST(order_comes_back_field_for_field)
{
    struct order o;

    ck_assert_int_eq(order_unpack(fenced_buf(&b), &bounds, &o), 0);
    ck_assert_uint_eq(o.kind, ORDER_FINDINGS);
    ck_assert_uint_eq(o.profile, 1);
    ck_assert_uint_eq(o.wall_ms, 2000);
    ck_assert_uint_eq(o.cpu_ms, 1000);
    ck_assert_uint_eq(o.memory_bytes, 0x500000000);
    ck_assert_uint_eq(o.output_bytes, 100);
    ck_assert_uint_eq(o.return_bytes, 200);
    ck_assert_uint_eq(o.ast_nodes, 300);
    ck_assert_uint_eq(o.progress_ms, 1000);
    ck_assert_uint_eq(o.running, 7);
    assert_view(o.request_id, "id-1");
    ck_assert_uint_eq(o.code.len, 5);
    ck_assert_mem_eq(o.code.data, "a\0b\xff!", 5);
    assert_view(o.context, "{}");
    assert_view(o.stdin_text, "in\n");
}
END_TEST

START_TEST(order_cut_anywhere_is_refused)
{
    fenced_refuses_every_cut(&b, read_order);
}
END_TEST

START_TEST(order_with_a_byte_behind_it_is_refused)
{
    fenced_refuses_one_byte_more(&b, read_order);
}
END_TEST

static const struct {
    size_t at;
    uint32_t max;
} order_bounds[] = {
    { KIND_AT, ORDER_FINDINGS },
    { WALL_AT, 2000 },
    { CPU_AT, 1000 },
    { MEMORY_AT + 4, 5 }, /* the upper half */
    { OUTPUT_AT, 100 },
    { RETURN_AT, 200 },
    { NODES_AT, 300 },
    { ID_AT, 4 },
    { CODE_AT, 5 },
    { CONTEXT_AT, 2 },
    { STDIN_AT, 3 },
};

START_TEST(order_over_a_bound_is_refused)
{
    fenced_refuses_above(
        &b, read_order, order_bounds[_i].at, order_bounds[_i].max);
}
END_TEST

START_TEST(order_cannot_ask_to_be_told_of_all_the_time)
{
    static const struct {
        uint32_t ms;
        int r;
    } rows[] = {
        { 0, 0 },
        { 1, -EPROTO },
        { ORDER_MIN_PROGRESS_MS - 1, -EPROTO },
        { ORDER_MIN_PROGRESS_MS, 0 },
        { UINT32_MAX, 0 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        memcpy(b.data + PROGRESS_AT, &rows[i].ms, sizeof(rows[i].ms));
        ck_assert_int_eq(read_order(fenced_buf(&b)), rows[i].r);
    }
}
END_TEST

/* As above, but with all the bytes that the length promises. */
static int
read_order_with(size_t id, size_t code, size_t context, size_t stdin_bytes)
{
    static const char filler[ORDER_MAX_ID + 1] = "";
    struct order o = order_to_send();
    struct buf big;
    int r;

    o.request_id = view_of(filler, id);
    o.code = view_of(filler, code);
    o.context = view_of(filler, context);
    o.stdin_text = view_of(filler, stdin_bytes);
    buf_init(&big, 4096);
    order_pack(&big, &o);
    r = read_order(fenced_buf(&big));
    buf_done(&big);
    return r;
}

START_TEST(order_with_a_block_longer_than_allowed_is_refused)
{
    ck_assert_int_eq(read_order_with(ORDER_MAX_ID, 5, 2, 3), 0);
    ck_assert_int_eq(read_order_with(ORDER_MAX_ID + 1, 5, 2, 3), -EPROTO);
    ck_assert_int_eq(read_order_with(ORDER_MAX_ID, 6, 2, 3), -EPROTO);
    ck_assert_int_eq(read_order_with(ORDER_MAX_ID, 5, 3, 3), -EPROTO);
    ck_assert_int_eq(read_order_with(ORDER_MAX_ID, 5, 2, 4), -EPROTO);
    ck_assert_int_eq(read_order_with(0, 0, 0, 0), 0);
}
END_TEST

START_TEST(order_that_is_refused_sets_nothing)
{
    struct order o;

    memset(&o, 0x5a, sizeof(o));
    ck_assert_int_eq(
        order_unpack(fenced(b.data, b.len - 1), &bounds, &o), -EPROTO);
    for (size_t i = 0; i < sizeof(o); i++)
        ck_assert_int_eq(((char *)&o)[i], 0x5a);
}
END_TEST

START_TEST(order_of_the_largest_size_fits_the_maximum_and_not_a_word_more)
{
    static const char id[ORDER_MAX_ID] = "";
    struct order o = order_to_send();

    o.request_id = view_of(id, sizeof(id));
    buf_reset(&b);
    order_pack(&b, &o);
    ck_assert(buf_ok(&b));
    ck_assert_uint_le(order_max_bytes(&bounds) - b.len, 4);
}
END_TEST

START_TEST(order_maximum_does_not_wrap_around_with_large_bounds)
{
    struct setup large = { .code_bytes = UINT32_MAX,
        .context_bytes = UINT32_MAX,
        .stdin_bytes = UINT32_MAX };

    ck_assert_uint_gt(order_max_bytes(&large), 3 * (uint64_t)UINT32_MAX);
}
END_TEST

Suite *
suite_order(void)
{
    Suite *s = suite_create("order");
    TCase *t = tcase_create("order");

    tcase_add_checked_fixture(t, order_setup, order_teardown);
    tcase_add_test(t, order_comes_back_field_for_field);
    tcase_add_test(t, order_cut_anywhere_is_refused);
    tcase_add_test(t, order_with_a_byte_behind_it_is_refused);
    tcase_add_loop_test(t, order_over_a_bound_is_refused, 0,
        sizeof(order_bounds) / sizeof(order_bounds[0]));
    tcase_add_test(t, order_cannot_ask_to_be_told_of_all_the_time);
    tcase_add_test(t, order_with_a_block_longer_than_allowed_is_refused);
    tcase_add_test(t, order_that_is_refused_sets_nothing);
    tcase_add_test(
        t, order_of_the_largest_size_fits_the_maximum_and_not_a_word_more);
    tcase_add_test(t, order_maximum_does_not_wrap_around_with_large_bounds);
    suite_add_tcase(s, t);
    return s;
}
