/* admit: places, the queue, fairness among callers */
#include "fcgi-app/admit.h"

#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"

/* One caller in a thread of its own. */
struct guest {
    struct admit *admit;
    struct admit_caller caller;
    pthread_t thread;
    enum fault fault;
    struct admit_ticket *ticket;
    uint64_t wait_us;
    unsigned turn; /* how many had entered before, and itself */
    _Atomic bool is_done;
};

static atomic_uint turns;

static void *
guest_main(void *arg)
{
    struct guest *g = arg;

    g->fault = admit_enter(g->admit, &g->caller, &g->ticket, &g->wait_us);
    if (g->fault == FAULT_NONE)
        g->turn = atomic_fetch_add(&turns, 1) + 1;
    atomic_store(&g->is_done, true);
    return NULL;
}

static void
guest_come(struct guest *g, struct admit *a, const char *id, unsigned limit)
{
    *g = (struct guest){ .admit = a };
    g->caller =
        (struct admit_caller){ .id = id, .limit = limit, .hangup_fd = -1 };
    ck_assert_int_eq(pthread_create(&g->thread, NULL, guest_main, g), 0);
}

static enum fault
guest_wait(struct guest *g)
{
    (void)pthread_join(g->thread, NULL);
    return g->fault;
}

static void
await_queued(struct admit *a, unsigned wanted)
{
    unsigned running, queued = 0;

    for (int i = 0; i < 2000; i++) {
        admit_count(a, &running, &queued);
        if (queued == wanted)
            return;
        (void)poll(NULL, 0, 1);
    }
    ck_abort_msg("%u queued, not %u", queued, wanted);
}

/* A guest that waits, come and queued before this returns. */
static void
guest_queue(struct guest *g, struct admit *a, const char *id, unsigned nth)
{
    guest_come(g, a, id, 0);
    await_queued(a, nth);
}

static enum fault
enter(struct admit *a, const char *id, unsigned limit,
    struct admit_ticket **ret_ticket)
{
    struct admit_caller caller = { .id = id, .limit = limit, .hangup_fd = -1 };

    return admit_enter(a, &caller, ret_ticket, NULL);
}

START_TEST(admit_gives_as_many_places_as_there_are)
{
    struct admit *a = admit_new(2, 0, 1000);
    struct admit_ticket *t[3] = { 0 };

    ck_assert_int_eq(enter(a, "x", 0, &t[0]), FAULT_NONE);
    ck_assert_int_eq(enter(a, "y", 0, &t[1]), FAULT_NONE);
    ck_assert_int_eq(enter(a, "z", 0, &t[2]), FAULT_BUSY);
    ck_assert_ptr_null(t[2]);
    admit_leave(t[0]);
    ck_assert_int_eq(enter(a, "z", 0, &t[2]), FAULT_NONE);
    admit_leave(t[1]);
    admit_leave(t[2]);
    admit_free(a);
}
END_TEST

START_TEST(admit_tells_how_many_places_a_caller_holds)
{
    struct admit *a = admit_new(4, 0, 1000);
    struct admit_ticket *t[4] = { 0 };

    ck_assert_int_eq(enter(a, "x", 0, &t[0]), FAULT_NONE);
    ck_assert_int_eq(enter(a, "y", 0, &t[1]), FAULT_NONE);
    ck_assert_uint_eq(admit_running(t[0]), 1);
    ck_assert_uint_eq(admit_running(t[1]), 1);
    ck_assert_int_eq(enter(a, "x", 0, &t[2]), FAULT_NONE);
    ck_assert_int_eq(enter(a, "x", 0, &t[3]), FAULT_NONE);
    ck_assert_uint_eq(admit_running(t[3]), 3);
    ck_assert_uint_eq(admit_running(t[1]), 1);
    admit_leave(t[0]);
    ck_assert_uint_eq(admit_running(t[3]), 2);
    for (size_t i = 1; i < 4; i++)
        admit_leave(t[i]);
    admit_free(a);
}
END_TEST

START_TEST(admit_counts_who_is_inside_and_who_waits)
{
    struct admit *a = admit_new(1, 4, 5000);
    struct admit_ticket *t = NULL;
    struct guest g;
    unsigned running, queued;

    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    guest_queue(&g, a, "x", 1);
    admit_count(a, &running, &queued);
    ck_assert_uint_eq(running, 1);
    ck_assert_uint_eq(queued, 1);
    admit_leave(t);
    ck_assert_int_eq(guest_wait(&g), FAULT_NONE);
    admit_leave(g.ticket);
    admit_count(a, &running, &queued);
    ck_assert_uint_eq(running, 0);
    ck_assert_uint_eq(queued, 0);
    admit_free(a);
}
END_TEST

START_TEST(admit_leave_takes_null)
{
    admit_leave(NULL);
    admit_free(NULL);
}
END_TEST

START_TEST(admit_refuses_at_once_when_the_queue_is_full)
{
    struct admit *a = admit_new(1, 1, 5000);
    struct admit_ticket *t = NULL, *none = NULL;
    struct guest g;
    uint64_t start_us;

    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    guest_queue(&g, a, "x", 1);
    start_us = clock_mono_us();
    ck_assert_int_eq(enter(a, "x", 0, &none), FAULT_BUSY);
    ck_assert_uint_lt(clock_mono_us() - start_us, 50000);
    admit_leave(t);
    ck_assert_int_eq(guest_wait(&g), FAULT_NONE);
    admit_leave(g.ticket);
    admit_free(a);
}
END_TEST

START_TEST(admit_ends_the_waiting_at_its_deadline)
{
    struct admit *a = admit_new(1, 4, 80);
    struct admit_ticket *t = NULL, *none = NULL;
    struct admit_caller caller = { .id = "x", .hangup_fd = -1 };
    uint64_t wait_us = 0;
    unsigned running, queued;

    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    ck_assert_int_eq(
        admit_enter(a, &caller, &none, &wait_us), FAULT_QUEUE_TIMEOUT);
    ck_assert_ptr_null(none);
    ck_assert_uint_ge(wait_us, 80000);
    ck_assert_uint_lt(wait_us, 400000);
    admit_count(a, &running, &queued);
    ck_assert_uint_eq(running, 1);
    ck_assert_uint_eq(queued, 0);
    admit_leave(t);
    admit_free(a);
}
END_TEST

START_TEST(admit_serves_one_caller_in_the_order_of_coming)
{
    struct admit *a = admit_new(1, 8, 5000);
    struct admit_ticket *t = NULL;
    struct guest g[4];

    atomic_store(&turns, 0);
    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    for (unsigned i = 0; i < 4; i++)
        guest_queue(&g[i], a, "x", i + 1);
    admit_leave(t);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(guest_wait(&g[i]), FAULT_NONE);
        ck_assert_uint_eq(g[i].turn, i + 1);
        admit_leave(g[i].ticket);
    }
    admit_free(a);
}
END_TEST

START_TEST(admit_serves_callers_in_turn_not_runs)
{
    /* x waits with three runs before y comes with one and z with one. */
    static const struct {
        const char *id;
        unsigned turn;
    } row[] = { { "x", 1 }, { "x", 4 }, { "x", 5 }, { "y", 2 }, { "z", 3 } };
    static const unsigned next[] = { 0, 3, 4, 1, 2 }; /* rows by turn */
    struct admit *a = admit_new(1, 8, 5000);
    struct admit_ticket *t = NULL;
    struct guest g[5];

    atomic_store(&turns, 0);
    ck_assert_int_eq(enter(a, "w", 0, &t), FAULT_NONE);
    for (unsigned i = 0; i < 5; i++)
        guest_queue(&g[i], a, row[i].id, i + 1);
    admit_leave(t);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_int_eq(guest_wait(&g[next[i]]), FAULT_NONE);
        ck_assert_uint_eq(g[next[i]].turn, row[next[i]].turn);
        admit_leave(g[next[i]].ticket);
    }
    admit_free(a);
}
END_TEST

START_TEST(admit_holds_a_caller_to_its_own_limit)
{
    struct admit *a = admit_new(4, 0, 1000);
    struct admit_ticket *t[3] = { 0 };

    ck_assert_int_eq(enter(a, "x", 1, &t[0]), FAULT_NONE);
    ck_assert_int_eq(enter(a, "x", 1, &t[1]), FAULT_BUSY);
    ck_assert_int_eq(enter(a, "y", 1, &t[1]), FAULT_NONE);
    ck_assert_int_eq(enter(a, "y", 2, &t[2]), FAULT_NONE);
    for (int i = 0; i < 3; i++)
        admit_leave(t[i]);
    admit_free(a);
}
END_TEST

START_TEST(admit_passes_over_a_caller_at_its_limit)
{
    struct admit *a = admit_new(2, 8, 5000);
    struct admit_ticket *first = NULL, *second = NULL;
    struct guest x, y;

    ck_assert_int_eq(enter(a, "x", 1, &first), FAULT_NONE);
    guest_come(&x, a, "x", 1); /* waits for itself, not for a place */
    await_queued(a, 1);
    ck_assert_int_eq(enter(a, "y", 0, &second), FAULT_NONE);
    guest_come(&y, a, "y", 0);
    await_queued(a, 2);
    admit_leave(second);
    ck_assert_int_eq(guest_wait(&y), FAULT_NONE);
    ck_assert(!atomic_load(&x.is_done));
    admit_leave(first);
    ck_assert_int_eq(guest_wait(&x), FAULT_NONE);
    admit_leave(x.ticket);
    admit_leave(y.ticket);
    admit_free(a);
}
END_TEST

/* The queue is full with g; a newcomer that found a place would be first. */
START_TEST(admit_lets_no_newcomer_overtake_who_waits)
{
    struct admit *a = admit_new(1, 1, 5000);
    struct admit_ticket *t = NULL, *none = NULL;
    struct guest g, later;

    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    guest_queue(&g, a, "x", 1);
    admit_leave(t); /* the place is g's now, whether g has woken or not */
    guest_queue(&later, a, "x", 1);
    ck_assert_int_eq(enter(a, "x", 0, &none), FAULT_BUSY);
    ck_assert_int_eq(guest_wait(&g), FAULT_NONE);
    ck_assert(!atomic_load(&later.is_done));
    admit_leave(g.ticket);
    ck_assert_int_eq(guest_wait(&later), FAULT_NONE);
    admit_leave(later.ticket);
    admit_free(a);
}
END_TEST

START_TEST(admit_does_not_let_one_caller_fill_the_queue_for_all)
{
    struct admit *a = admit_new(1, 3, 5000);
    struct admit_ticket *t = NULL;
    struct guest x[3], y;

    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    for (unsigned i = 0; i < 3; i++)
        guest_queue(&x[i], a, "x", i + 1);
    guest_come(&y, a, "y", 0);
    ck_assert_int_eq(guest_wait(&x[2]), FAULT_BUSY); /* the newest of x */
    await_queued(a, 3);
    admit_leave(t);
    ck_assert_int_eq(guest_wait(&x[0]), FAULT_NONE);
    admit_leave(x[0].ticket);
    ck_assert_int_eq(guest_wait(&y), FAULT_NONE);
    admit_leave(y.ticket);
    ck_assert_int_eq(guest_wait(&x[1]), FAULT_NONE);
    admit_leave(x[1].ticket);
    admit_free(a);
}
END_TEST

START_TEST(admit_callers_with_equal_shares_do_not_displace_each_other)
{
    struct admit *a = admit_new(1, 2, 5000);
    struct admit_ticket *t = NULL, *none = NULL;
    struct guest x, y;

    ck_assert_int_eq(enter(a, "w", 0, &t), FAULT_NONE);
    guest_queue(&x, a, "x", 1);
    guest_queue(&y, a, "y", 2);
    ck_assert_int_eq(enter(a, "x", 0, &none), FAULT_BUSY);
    ck_assert_int_eq(enter(a, "z", 0, &none), FAULT_BUSY);
    admit_leave(t);
    ck_assert_int_eq(guest_wait(&x), FAULT_NONE);
    admit_leave(x.ticket);
    ck_assert_int_eq(guest_wait(&y), FAULT_NONE);
    admit_leave(y.ticket);
    admit_free(a);
}
END_TEST

START_TEST(admit_leaves_the_queue_when_the_client_hangs_up)
{
    struct admit *a = admit_new(1, 4, 5000);
    struct admit_ticket *t = NULL;
    struct guest g = { .admit = a };
    uint64_t start_us;
    unsigned running, queued;
    int fds[2];

    ck_assert_int_eq(fd_pair(SOCK_STREAM, fds), 0);
    g.caller = (struct admit_caller){ .id = "x", .hangup_fd = fds[0] };
    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    ck_assert_int_eq(pthread_create(&g.thread, NULL, guest_main, &g), 0);
    await_queued(a, 1);
    start_us = clock_mono_us();
    (void)close(fds[1]);
    ck_assert_int_eq(guest_wait(&g), FAULT_CANCELLED);
    ck_assert_uint_lt(clock_mono_us() - start_us, 100000);
    admit_count(a, &running, &queued);
    ck_assert_uint_eq(running, 1);
    ck_assert_uint_eq(queued, 0);
    (void)close(fds[0]);
    admit_leave(t);
    admit_free(a);
}
END_TEST

START_TEST(admit_takes_bytes_of_the_client_for_no_hang_up)
{
    struct admit *a = admit_new(1, 4, 100);
    struct admit_ticket *t = NULL, *none = NULL;
    struct admit_caller caller = { .id = "x" };
    int fds[2];

    ck_assert_int_eq(fd_pair(SOCK_STREAM, fds), 0);
    caller.hangup_fd = fds[0];
    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    ck_assert_int_eq(fd_write_all(fds[1], "more", 4), 0);
    ck_assert_int_eq(admit_enter(a, &caller, &none, NULL), FAULT_QUEUE_TIMEOUT);
    (void)close(fds[0]);
    (void)close(fds[1]);
    admit_leave(t);
    admit_free(a);
}
END_TEST

/* The client of the first waiter is gone when its turn comes. */
START_TEST(admit_gives_the_place_of_one_who_hung_up_to_the_next)
{
    struct admit *a = admit_new(1, 4, 5000);
    struct admit_ticket *t = NULL;
    struct guest gone = { .admit = a }, next;
    int fds[2];

    ck_assert_int_eq(fd_pair(SOCK_STREAM, fds), 0);
    gone.caller = (struct admit_caller){ .id = "x", .hangup_fd = fds[0] };
    ck_assert_int_eq(enter(a, "w", 0, &t), FAULT_NONE);
    ck_assert_int_eq(pthread_create(&gone.thread, NULL, guest_main, &gone), 0);
    await_queued(a, 1);
    guest_queue(&next, a, "y", 2);
    (void)close(fds[1]);
    admit_leave(t);
    ck_assert_int_eq(guest_wait(&gone), FAULT_CANCELLED);
    ck_assert_int_eq(guest_wait(&next), FAULT_NONE);
    admit_leave(next.ticket);
    (void)close(fds[0]);
    admit_free(a);
}
END_TEST

START_TEST(admit_stops_newcomers_but_not_those_who_wait)
{
    struct admit *a = admit_new(1, 4, 5000);
    struct admit_ticket *t = NULL, *none = NULL;
    struct guest g;

    ck_assert_int_eq(enter(a, "x", 0, &t), FAULT_NONE);
    guest_queue(&g, a, "x", 1);
    admit_stop(a);
    ck_assert_int_eq(enter(a, "x", 0, &none), FAULT_STOPPING);
    admit_leave(t);
    ck_assert_int_eq(guest_wait(&g), FAULT_NONE);
    admit_leave(g.ticket);
    admit_free(a);
}
END_TEST

/* Many threads, three callers: never more inside than there are places. */
#define CROWD 12
#define CROWD_ROUNDS 200

static struct {
    struct admit *admit;
    atomic_int inside;
    atomic_int most;
    atomic_int entered;
} crowd;

static void *
crowd_main(void *arg)
{
    static const char *const ids[] = { "x", "y", "z" };
    struct admit_caller caller = {
        .id = ids[(size_t)arg % 3], .limit = 2, .hangup_fd = -1
    };

    for (int i = 0; i < CROWD_ROUNDS; i++) {
        struct admit_ticket *t = NULL;
        int inside;

        if (admit_enter(crowd.admit, &caller, &t, NULL) != FAULT_NONE)
            continue;
        inside = atomic_fetch_add(&crowd.inside, 1) + 1;
        if (inside > atomic_load(&crowd.most))
            atomic_store(&crowd.most, inside);
        atomic_fetch_add(&crowd.entered, 1);
        atomic_fetch_sub(&crowd.inside, 1);
        admit_leave(t);
    }
    return NULL;
}

START_TEST(admit_never_lets_in_more_than_it_has_places)
{
    pthread_t threads[CROWD];
    unsigned running, queued;

    crowd.admit = admit_new(3, CROWD, 5000);
    for (size_t i = 0; i < CROWD; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, crowd_main, (void *)i), 0);
    for (size_t i = 0; i < CROWD; i++)
        (void)pthread_join(threads[i], NULL);
    ck_assert_int_le(atomic_load(&crowd.most), 3);
    ck_assert_int_eq(atomic_load(&crowd.entered), CROWD * CROWD_ROUNDS);
    admit_count(crowd.admit, &running, &queued);
    ck_assert_uint_eq(running, 0);
    ck_assert_uint_eq(queued, 0);
    admit_free(crowd.admit);
}
END_TEST

Suite *suite_admit(void);

Suite *
suite_admit(void)
{
    Suite *s = suite_create("admit");
    TCase *t = tcase_create("admit");

    tcase_set_timeout(t, 20);
    tcase_add_test(t, admit_gives_as_many_places_as_there_are);
    tcase_add_test(t, admit_tells_how_many_places_a_caller_holds);
    tcase_add_test(t, admit_counts_who_is_inside_and_who_waits);
    tcase_add_test(t, admit_leave_takes_null);
    tcase_add_test(t, admit_refuses_at_once_when_the_queue_is_full);
    tcase_add_test(t, admit_ends_the_waiting_at_its_deadline);
    tcase_add_test(t, admit_serves_one_caller_in_the_order_of_coming);
    tcase_add_test(t, admit_serves_callers_in_turn_not_runs);
    tcase_add_test(t, admit_holds_a_caller_to_its_own_limit);
    tcase_add_test(t, admit_passes_over_a_caller_at_its_limit);
    tcase_add_test(t, admit_lets_no_newcomer_overtake_who_waits);
    tcase_add_test(t, admit_does_not_let_one_caller_fill_the_queue_for_all);
    tcase_add_test(
        t, admit_callers_with_equal_shares_do_not_displace_each_other);
    tcase_add_test(t, admit_leaves_the_queue_when_the_client_hangs_up);
    tcase_add_test(t, admit_takes_bytes_of_the_client_for_no_hang_up);
    tcase_add_test(t, admit_gives_the_place_of_one_who_hung_up_to_the_next);
    tcase_add_test(t, admit_stops_newcomers_but_not_those_who_wait);
    tcase_add_test(t, admit_never_lets_in_more_than_it_has_places);
    suite_add_tcase(s, t);
    return s;
}
