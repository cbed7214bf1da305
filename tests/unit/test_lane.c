/* lane: an order in, an outcome out, strictly in turn */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"
#include "sandbox/lane.h"
#include "sandbox/wire/frame.h"
#include "tests/unit/fenced.h"

Suite *suite_lane(void);

static const struct setup bounds = {
    .wall_ms = 100,
    .cpu_ms = 100,
    .memory_bytes = 1 << 20,
    .code_bytes = 4096,
    .context_bytes = 64,
    .stdin_bytes = 64,
    .output_bytes = 1 << 20,
    .return_bytes = 64,
};

static struct lane *lane;
static int app_fd;

static void
lane_setup(void)
{
    int pair[2];

    ck_assert_int_eq(fd_pair(SOCK_STREAM, pair), 0);
    app_fd = pair[0];
    lane = lane_new(pair[1], &bounds);
    ck_assert_ptr_nonnull(lane);
}

static void
lane_teardown(void)
{
    lane_free(lane);
    (void)close(app_fd);
}

static void
add_order(struct buf *b, const char *code)
{
    struct order o = {
        .wall_ms = 100, .cpu_ms = 100, .code = view_of(code, strlen(code))
    };
    size_t start = frame_begin(b, FRAME_ORDER);

    order_pack(b, &o);
    frame_end(b, start);
}

static void
send_buf(struct buf *b)
{
    ck_assert(buf_ok(b));
    ck_assert_int_eq(fd_write_all(app_fd, b->data, b->len), 0);
    buf_done(b);
}

static void
send_order(const char *code)
{
    struct buf b;

    buf_init(&b, 65536);
    add_order(&b, code);
    send_buf(&b);
}

START_TEST(lane_gives_an_order_that_came_whole)
{
    send_order("print(1)");
    ck_assert_int_eq(lane_read(lane, &bounds), 1);
    assert_view(lane->order.code, "print(1)");
    ck_assert_uint_eq(lane->order.wall_ms, 100);
}
END_TEST

START_TEST(lane_gives_an_order_that_came_byte_by_byte)
{
    struct buf b;

    buf_init(&b, 65536);
    add_order(&b, "print(2)");
    for (size_t i = 0; i < b.len; i++) {
        ck_assert_int_eq(fd_write_all(app_fd, b.data + i, 1), 0);
        ck_assert_int_eq(lane_read(lane, &bounds), i + 1 == b.len ? 1 : 0);
    }
    assert_view(lane->order.code, "print(2)");
    buf_done(&b);
}
END_TEST

START_TEST(lane_with_nothing_to_read_waits)
{
    ck_assert_int_eq(lane_read(lane, &bounds), 0);
}
END_TEST

START_TEST(lane_refuses_two_orders_at_once)
{
    struct buf b;

    buf_init(&b, 65536);
    add_order(&b, "first");
    add_order(&b, "second");
    send_buf(&b);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

START_TEST(lane_refuses_an_order_with_one_byte_behind_it)
{
    struct buf b;

    buf_init(&b, 65536);
    add_order(&b, "first");
    buf_addc(&b, 'G');
    send_buf(&b);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

START_TEST(lane_refuses_a_second_order_before_the_outcome_of_the_first)
{
    static const enum lane_state busy[] = { LANE_WAITING, LANE_RUNNING,
        LANE_TELLING };

    struct outcome o = { .verdict = VERDICT_ENDED };

    send_order("first");
    ck_assert_int_eq(lane_read(lane, &bounds), 1);
    lane->state = busy[_i];
    if (busy[_i] == LANE_TELLING)
        lane_put(lane, &o); /* and it is not sent yet */
    ck_assert_int_eq(lane_read(lane, &bounds), 0);
    send_order("second");
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

START_TEST(lane_tells_the_end_of_the_app_in_every_state)
{
    static const enum lane_state states[] = { LANE_IDLE, LANE_WAITING,
        LANE_RUNNING, LANE_TELLING };

    lane->state = states[_i];
    ck_assert_int_eq(shutdown(app_fd, SHUT_WR), 0);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPIPE);
}
END_TEST

START_TEST(lane_refuses_what_is_no_frame)
{
    ck_assert_int_eq(fd_write_all(app_fd, "GET / HTTP/1.1\r\n", 16), 0);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

START_TEST(lane_refuses_a_frame_of_another_type)
{
    struct buf b;

    buf_init(&b, 64);
    frame_end(&b, frame_begin(&b, FRAME_OUTCOME));
    send_buf(&b);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

START_TEST(lane_refuses_a_frame_whose_body_is_no_order)
{
    struct buf b;
    size_t start;

    buf_init(&b, 64);
    start = frame_begin(&b, FRAME_ORDER);
    buf_adds(&b, "not an order");
    frame_end(&b, start);
    send_buf(&b);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

START_TEST(lane_refuses_a_length_over_the_bound_at_the_header)
{
    struct buf b;

    buf_init(&b, 64);
    buf_adds(&b, "GBX1");
    buf_add_u32(&b, FRAME_ORDER);
    buf_add_u32(&b, (uint32_t)order_max_bytes(&bounds) + 1);
    send_buf(&b);
    ck_assert_int_eq(lane_read(lane, &bounds), -EPROTO);
}
END_TEST

/* An order of zeroes of the largest size that fits, one byte at a time more. */
START_TEST(lane_never_keeps_more_than_one_largest_order)
{
    static const char flood[65536] = "GBX1\x04\0\0\0\xff\xff\xff\xff";

    (void)fd_set_nonblocking(app_fd);
    (void)!write(app_fd, flood, sizeof(flood));
    for (int i = 0, r = 0; i < 10 && r == 0; i++)
        r = lane_read(lane, &bounds);
    ck_assert_uint_le(
        lane->in.len, FRAME_HEADER_BYTES + order_max_bytes(&bounds));
    ck_assert_uint_le(
        lane->in.max, FRAME_HEADER_BYTES + order_max_bytes(&bounds));
}
END_TEST

/* --- the way back --------------------------------------------------------- */

static struct outcome
outcome_with(const char *text, size_t len)
{
    return (struct outcome){
        .verdict = VERDICT_ENDED, .number = 5, .stdout_text = view_of(text, len)
    };
}

/* Read frames from the lane as the app does. */
static void
read_outcome(struct buf *in, struct outcome *ret_outcome)
{
    size_t max = outcome_max_bytes(&bounds), size;
    struct view body;

    ck_assert_int_eq(frame_peek(in, FRAME_OUTCOME, max, &body, &size), 1);
    ck_assert_uint_eq(size, in->len);
    ck_assert_int_eq(outcome_unpack(body, &bounds, ret_outcome), 0);
}

static void
read_some(struct buf *in)
{
    char *room = buf_room(in, 65536);
    ssize_t n;

    ck_assert_ptr_nonnull(room);
    n = recv(app_fd, room, 65536, MSG_DONTWAIT);
    if (n > 0)
        buf_grew(in, (size_t)n);
}

START_TEST(lane_sends_an_outcome_and_is_ready_for_the_next_order)
{
    struct outcome o = outcome_with("hello", 5), got;
    struct buf in;

    buf_init(&in, 1 << 20);
    for (int i = 0; i < 3; i++) {
        send_order("again");
        ck_assert_int_eq(lane_read(lane, &bounds), 1);
        lane->state = LANE_RUNNING;
        lane_put(lane, &o);
        ck_assert_int_eq(lane->state, LANE_TELLING);
        ck_assert_int_eq(lane_send(lane), 1);
        ck_assert_int_eq(lane->state, LANE_IDLE);
        buf_reset(&in);
        read_some(&in);
        read_outcome(&in, &got);
        assert_view(got.stdout_text, "hello");
    }
    buf_done(&in);
}
END_TEST

static void
put_progress(const char *tail)
{
    struct progress p = { .elapsed_us = 7,
        .tail = view_of(tail, strlen(tail)) };

    lane_put_progress(lane, &p);
}

START_TEST(lane_tells_of_progress_and_goes_on_running)
{
    struct outcome o = outcome_with("hello", 5), got;
    struct progress p;
    struct view body;
    struct buf in;
    size_t size;

    buf_init(&in, 1 << 20);
    send_order("long");
    ck_assert_int_eq(lane_read(lane, &bounds), 1);
    lane->state = LANE_RUNNING;
    put_progress("one");
    ck_assert_int_eq(lane_send(lane), 1);
    ck_assert_int_eq(lane->state, LANE_RUNNING);
    lane_put(lane, &o);
    ck_assert_int_eq(lane_send(lane), 1);
    ck_assert_int_eq(lane->state, LANE_IDLE);
    read_some(&in);
    ck_assert_int_eq(
        frame_peek(&in, FRAME_PROGRESS, progress_max_bytes(), &body, &size), 1);
    ck_assert_int_eq(progress_unpack(body, &p), 0);
    assert_view(p.tail, "one");
    buf_eat(&in, size);
    read_outcome(&in, &got);
    assert_view(got.stdout_text, "hello");
    buf_done(&in);
}
END_TEST

START_TEST(lane_keeps_one_progress_for_who_does_not_read)
{
    static char most[1 << 20];
    struct outcome o = outcome_with(most, sizeof(most));
    size_t len;

    put_progress("one");
    len = lane->out.len;
    for (int i = 0; i < 100; i++)
        put_progress("more");
    ck_assert_uint_eq(lane->out.len, len);
    /* And the largest outcome still fits behind it. */
    lane_put(lane, &o);
    ck_assert(buf_ok(&lane->out));
}
END_TEST

START_TEST(lane_sends_an_outcome_larger_than_the_socket_takes_at_once)
{
    static char text[1 << 20];
    struct outcome o = outcome_with(text, sizeof(text)), got;
    int r, small = 4096;
    struct buf in;

    (void)setsockopt(
        lane->source.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    memset(text, 't', sizeof(text));
    buf_init(&in, 2 * sizeof(text));
    lane_put(lane, &o);
    r = lane_send(lane);
    ck_assert_int_eq(r, 0);
    ck_assert_int_eq(lane->state, LANE_TELLING);
    for (int i = 0; i < 100000 && r == 0; i++) {
        read_some(&in);
        r = lane_send(lane);
    }
    ck_assert_int_eq(r, 1);
    read_some(&in);
    while (in.len < FRAME_HEADER_BYTES + sizeof(text))
        read_some(&in);
    read_outcome(&in, &got);
    ck_assert_uint_eq(got.stdout_text.len, sizeof(text));
    ck_assert_mem_eq(got.stdout_text.data, text, sizeof(text));
    buf_done(&in);
}
END_TEST

START_TEST(lane_whose_app_is_gone_fails_without_a_signal)
{
    struct outcome o = outcome_with("x", 1);

    ck_assert_int_eq(shutdown(app_fd, SHUT_RDWR), 0);
    lane_put(lane, &o);
    ck_assert_int_eq(lane_send(lane), -EPIPE);
}
END_TEST

START_TEST(lane_that_could_not_hold_an_outcome_says_so_and_sends_no_part)
{
    static const char text[3 << 20] = "";
    struct outcome o = outcome_with(text, sizeof(text));
    char byte;

    lane_put(lane, &o);
    ck_assert_int_lt(lane_send(lane), 0);
    ck_assert_int_lt(recv(app_fd, &byte, 1, MSG_DONTWAIT), 0);
}
END_TEST

START_TEST(lane_free_takes_nothing_and_closes_what_it_has)
{
    int pair[2];
    char byte;

    lane_free(NULL);
    ck_assert_int_eq(fd_pair(SOCK_STREAM, pair), 0);
    lane_free(lane_new(pair[1], &bounds));
    ck_assert_int_eq(recv(pair[0], &byte, 1, 0), 0);
    (void)close(pair[0]);
}
END_TEST

Suite *
suite_lane(void)
{
    Suite *s = suite_create("lane");
    TCase *t = tcase_create("lane");

    tcase_add_checked_fixture(t, lane_setup, lane_teardown);
    tcase_add_test(t, lane_gives_an_order_that_came_whole);
    tcase_add_test(t, lane_gives_an_order_that_came_byte_by_byte);
    tcase_add_test(t, lane_with_nothing_to_read_waits);
    tcase_add_test(t, lane_refuses_two_orders_at_once);
    tcase_add_test(t, lane_refuses_an_order_with_one_byte_behind_it);
    tcase_add_loop_test(
        t, lane_refuses_a_second_order_before_the_outcome_of_the_first, 0, 3);
    tcase_add_loop_test(t, lane_tells_the_end_of_the_app_in_every_state, 0, 4);
    tcase_add_test(t, lane_refuses_what_is_no_frame);
    tcase_add_test(t, lane_refuses_a_frame_of_another_type);
    tcase_add_test(t, lane_refuses_a_frame_whose_body_is_no_order);
    tcase_add_test(t, lane_refuses_a_length_over_the_bound_at_the_header);
    tcase_add_test(t, lane_never_keeps_more_than_one_largest_order);
    tcase_add_test(t, lane_sends_an_outcome_and_is_ready_for_the_next_order);
    tcase_add_test(t, lane_tells_of_progress_and_goes_on_running);
    tcase_add_test(t, lane_keeps_one_progress_for_who_does_not_read);
    tcase_add_test(
        t, lane_sends_an_outcome_larger_than_the_socket_takes_at_once);
    tcase_add_test(t, lane_whose_app_is_gone_fails_without_a_signal);
    tcase_add_test(
        t, lane_that_could_not_hold_an_outcome_says_so_and_sends_no_part);
    tcase_add_test(t, lane_free_takes_nothing_and_closes_what_it_has);
    tcase_set_timeout(t, 30);
    suite_add_tcase(s, t);
    return s;
}
