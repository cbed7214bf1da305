/* warden_link and runs, against a fake warden */
#include "fcgi-app/warden_link.h"

#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fcgi-app/runs.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/profile.h"
#include "tests/unit/fake_warden.h"

static struct fake_warden warden;
static struct warden_link *link_;
static struct warden_answer answer;

static void
setup_link(void)
{
    struct setup setup = fake_warden_setup();

    log_open("test", LOG_ERROR + 1);
    fake_warden_start(&warden);
    link_ = warden_link_new(warden.spawner_fd, &setup);
    ck_assert_ptr_nonnull(link_);
    warden_answer_init(&answer);
}

static void
teardown_link(void)
{
    warden_answer_done(&answer);
    warden_link_free(link_);
    fake_warden_stop(&warden);
}

static struct order
order_of(const char *code)
{
    struct setup s = fake_warden_setup();

    return (struct order){
        .profile = PROFILE_RESTRICTED,
        .wall_ms = s.wall_ms,
        .cpu_ms = s.cpu_ms,
        .memory_bytes = s.memory_bytes,
        .output_bytes = s.output_bytes,
        .return_bytes = s.return_bytes,
        .ast_nodes = s.ast_nodes,
        .request_id = view_of("t", 1),
        .code = view_of(code, strlen(code)),
        .context = view_of("", 0),
        .stdin_text = view_of("", 0),
    };
}

static enum fault
ask(const char *code, int hangup_fd, unsigned ready_ms)
{
    struct order order = order_of(code);

    return warden_ask(link_, &order, hangup_fd, ready_ms, &answer);
}

START_TEST(link_brings_the_outcome_of_an_order)
{
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert_uint_eq(answer.outcome.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(answer.outcome.claim.value.len, 3);
    ck_assert_mem_eq(answer.outcome.claim.value.data, "285", 3);
    ck_assert_mem_eq(answer.outcome.stdout_text.data, "hello\n", 6);
}
END_TEST

static int told;
static bool is_wanted;

static bool
on_progress(void *with, const struct progress *p)
{
    ck_assert_ptr_eq(with, &told);
    told++;
    ck_assert_uint_eq(p->elapsed_us, 1000000u * (unsigned)told);
    ck_assert_uint_eq(p->tail.len, told == 1 ? 0 : 6);
    return is_wanted;
}

static enum fault
ask_with_progress(void)
{
    static const struct warden_listener listener = { on_progress, &told };
    struct order order = order_of("_ = 1");

    told = 0;
    order.progress_ms = 1000;
    answer.listener = &listener;
    return warden_ask(link_, &order, -1, 1000, &answer);
}

START_TEST(link_tells_of_progress_before_the_outcome)
{
    is_wanted = true;
    ck_assert_int_eq(ask_with_progress(), FAULT_NONE);
    ck_assert_int_eq(told, 2);
    ck_assert_mem_eq(answer.outcome.stdout_text.data, "hello\n", 6);
    ck_assert_int_eq(ask_with_progress(), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.lanes), 1);
}
END_TEST

START_TEST(link_cancels_an_order_whose_listener_is_gone)
{
    is_wanted = false;
    ck_assert_int_eq(ask_with_progress(), FAULT_CANCELLED);
    ck_assert_int_eq(told, 1);
    answer.listener = NULL;
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.lanes), 2);
}
END_TEST

START_TEST(link_takes_progress_that_nobody_asked_for_as_nonsense)
{
    ck_assert_int_ne(ask("unasked progress", -1, 1000), FAULT_NONE);
}
END_TEST

START_TEST(link_uses_one_lane_for_orders_one_after_the_other)
{
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.lanes), 1);
    ck_assert_int_eq(atomic_load(&warden.orders), 5);
}
END_TEST

START_TEST(link_carries_an_order_as_large_as_the_bounds_allow)
{
    static char input[1u << 20];
    struct order order = order_of("_ = 1");

    memset(input, 'x', sizeof(input));
    order.stdin_text = view_of(input, sizeof(input));
    order.context = view_of(input, sizeof(input));
    ck_assert_int_eq(warden_ask(link_, &order, -1, 1000, &answer), FAULT_NONE);
}
END_TEST

START_TEST(link_tells_what_the_warden_said_of_itself)
{
    struct status status;

    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert(warden_link_status(link_, &status));
    ck_assert_uint_eq(status.is_ready, 1);
    ck_assert_str_eq(status.layers[0].name, "seccomp");
}
END_TEST

START_TEST(link_gives_up_on_a_sandbox_that_is_never_ready)
{
    struct setup setup = fake_warden_setup();
    struct order order = order_of("_ = 1");
    struct fake_warden mute;
    struct warden_link *l;
    uint64_t start_us;

    fake_warden_start(&mute);
    atomic_store(&mute.is_mute, true);
    l = warden_link_new(mute.spawner_fd, &setup);
    start_us = clock_mono_us();
    ck_assert_int_eq(warden_ask(l, &order, -1, 150, &answer), FAULT_SANDBOX);
    ck_assert_uint_ge(clock_mono_us() - start_us, 150000);
    ck_assert_uint_lt(clock_mono_us() - start_us, 600000);
    warden_link_free(l);
    fake_warden_stop(&mute);
}
END_TEST

START_TEST(link_calls_an_order_that_got_no_box_a_fault_of_the_sandbox)
{
    ck_assert_int_eq(ask("not started", -1, 1000), FAULT_SANDBOX);
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
}
END_TEST

START_TEST(link_refuses_a_profile_that_is_not_there)
{
    struct order order = order_of("_ = 1");

    order.profile = PROFILE_COUNT;
    ck_assert_int_eq(warden_ask(link_, &order, -1, 50, &answer), FAULT_SANDBOX);
}
END_TEST

/* Closes a client's end a moment after the order has begun. */
static void *
hang_up(void *arg)
{
    while (atomic_load(&warden.orders) == 0)
        (void)poll(NULL, 0, 1);
    (void)poll(NULL, 0, 30);
    (void)close(*(int *)arg);
    return NULL;
}

START_TEST(link_cancels_a_run_whose_client_hangs_up)
{
    uint64_t start_us;
    pthread_t thread;
    int fds[2];

    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    atomic_store(&warden.orders, 0);
    ck_assert_int_eq(fd_pair(SOCK_STREAM, fds), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, hang_up, &fds[1]), 0);
    start_us = clock_mono_us();
    ck_assert_int_eq(ask("hang", fds[0], 1000), FAULT_CANCELLED);
    ck_assert_uint_lt(clock_mono_us() - start_us, 130000);
    for (int i = 0; i < 100 && atomic_load(&warden.cancelled) == 0; i++)
        (void)poll(NULL, 0, 1);
    ck_assert_int_eq(atomic_load(&warden.cancelled), 1);
    (void)pthread_join(thread, NULL);
    (void)close(fds[0]);
    /* A lane of its own for the next order: the old one is out of step. */
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.lanes), 2);
}
END_TEST

START_TEST(link_reports_a_warden_that_vanished_and_gets_a_new_one)
{
    ck_assert_int_eq(ask("die", -1, 1000), FAULT_LOST);
    ck_assert_int_eq(ask("_ = 1", -1, 3000), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.starts), 2);
}
END_TEST

START_TEST(link_trusts_no_lane_of_a_warden_that_is_gone)
{
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    fake_warden_kill(&warden);
    ck_assert_int_eq(ask("_ = 1", -1, 3000), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.starts), 2);
}
END_TEST

START_TEST(link_takes_no_garbage_for_an_outcome)
{
    ck_assert_int_eq(ask("garbage", -1, 1000), FAULT_LOST);
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.lanes), 2);
}
END_TEST

START_TEST(link_pauses_longer_and_longer_when_wardens_die_young)
{
    struct setup setup = fake_warden_setup();
    struct fake_warden mortal;
    struct warden_link *l;

    fake_warden_start(&mortal);
    atomic_store(&mortal.is_mortal, true);
    l = warden_link_new(mortal.spawner_fd, &setup);
    (void)poll(NULL, 0, 1000);
    /* at 0, 50, 150, 350 and 750 ms */
    ck_assert_int_ge(atomic_load(&mortal.starts), 3);
    ck_assert_int_le(atomic_load(&mortal.starts), 5);
    warden_link_free(l);
    fake_warden_stop(&mortal);
}
END_TEST

START_TEST(link_ends_the_process_when_the_spawner_is_gone)
{
    struct timespec patience = { .tv_sec = 5 };
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    setup_link();
    ck_assert_int_eq(ask("_ = 1", -1, 1000), FAULT_NONE);
    ck_assert(!warden_link_has_failed(link_));
    fake_warden_stop(&warden);
    ck_assert_int_eq(sigtimedwait(&set, NULL, &patience), SIGTERM);
    ck_assert(warden_link_has_failed(link_));
    warden_answer_done(&answer);
    warden_link_free(link_);
}
END_TEST

START_TEST(link_can_be_freed_at_once)
{
    /* setup and teardown are the test */
}
END_TEST

/* --- runs ------------------------------------------------------------------
 */

static struct settings run_settings = {
    .concurrent = 1, .queued = 1, .queue_ms = 100, .canary_s = 1
};
static struct token run_token = { .id = "t" };

static enum fault
run(struct runs *r, const char *code, const struct token *token)
{
    struct order order = order_of(code);
    struct run_call call;
    enum fault fault;

    run_call_init(&call);
    call.order = &order;
    call.request_id = "t";
    call.token = token;
    fault = run_order(r, &call);
    if (fault == FAULT_NONE)
        ck_assert_uint_eq(call.answer.outcome.verdict, VERDICT_ENDED);
    run_call_done(&call);
    return fault;
}

START_TEST(run_order_repeats_a_run_that_was_lost_with_its_warden)
{
    struct runs *r = runs_new(&run_settings, link_);

    ck_assert_int_eq(run(r, "die once", &run_token), FAULT_NONE);
    ck_assert_int_eq(atomic_load(&warden.orders), 2);
    runs_free(r);
}
END_TEST

START_TEST(run_order_repeats_only_once)
{
    struct runs *r = runs_new(&run_settings, link_);

    ck_assert_int_eq(run(r, "die", &run_token), FAULT_SANDBOX);
    ck_assert_int_eq(atomic_load(&warden.orders), 2);
    runs_free(r);
}
END_TEST

START_TEST(run_order_gives_the_place_back_however_it_ends)
{
    static const char *const codes[] = { "_ = 1", "not started", "garbage",
        "die once" };
    struct runs *r = runs_new(&run_settings, link_);
    unsigned running, queued;

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        (void)run(r, codes[i], &run_token);
        runs_count(r, &running, &queued);
        ck_assert_uint_eq(running, 0);
    }
    runs_free(r);
}
END_TEST

static void *
run_slow(void *runs)
{
    ck_assert_int_eq(run(runs, "slow", &run_token), FAULT_NONE);
    return NULL;
}

START_TEST(run_order_needs_no_place_for_the_canary)
{
    struct runs *r = runs_new(&run_settings, link_);
    unsigned running = 0, queued;
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, run_slow, r), 0);
    while (running == 0)
        runs_count(r, &running, &queued);
    ck_assert_int_eq(run(r, "_ = 1", &run_token), FAULT_QUEUE_TIMEOUT);
    ck_assert_int_eq(run(r, "_ = 1", NULL), FAULT_NONE);
    (void)pthread_join(thread, NULL);
    runs_free(r);
}
END_TEST

START_TEST(run_order_refuses_when_stopping)
{
    struct runs *r = runs_new(&run_settings, link_);

    runs_stop(r);
    ck_assert_int_eq(run(r, "_ = 1", &run_token), FAULT_STOPPING);
    runs_free(r);
}
END_TEST

Suite *suite_warden_link(void);

Suite *
suite_warden_link(void)
{
    Suite *s = suite_create("warden_link");
    TCase *t = tcase_create("link");

    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, setup_link, teardown_link);
    tcase_add_test(t, link_brings_the_outcome_of_an_order);
    tcase_add_test(t, link_tells_of_progress_before_the_outcome);
    tcase_add_test(t, link_cancels_an_order_whose_listener_is_gone);
    tcase_add_test(t, link_takes_progress_that_nobody_asked_for_as_nonsense);
    tcase_add_test(t, link_uses_one_lane_for_orders_one_after_the_other);
    tcase_add_test(t, link_carries_an_order_as_large_as_the_bounds_allow);
    tcase_add_test(t, link_tells_what_the_warden_said_of_itself);
    tcase_add_test(t, link_gives_up_on_a_sandbox_that_is_never_ready);
    tcase_add_test(
        t, link_calls_an_order_that_got_no_box_a_fault_of_the_sandbox);
    tcase_add_test(t, link_refuses_a_profile_that_is_not_there);
    tcase_add_test(t, link_cancels_a_run_whose_client_hangs_up);
    tcase_add_test(t, link_reports_a_warden_that_vanished_and_gets_a_new_one);
    tcase_add_test(t, link_trusts_no_lane_of_a_warden_that_is_gone);
    tcase_add_test(t, link_takes_no_garbage_for_an_outcome);
    tcase_add_test(t, link_pauses_longer_and_longer_when_wardens_die_young);
    tcase_add_test(t, link_can_be_freed_at_once);
    suite_add_tcase(s, t);

    t = tcase_create("without spawner");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, link_ends_the_process_when_the_spawner_is_gone);
    suite_add_tcase(s, t);

    t = tcase_create("runs");
    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, setup_link, teardown_link);
    tcase_add_test(t, run_order_repeats_a_run_that_was_lost_with_its_warden);
    tcase_add_test(t, run_order_repeats_only_once);
    tcase_add_test(t, run_order_gives_the_place_back_however_it_ends);
    tcase_add_test(t, run_order_needs_no_place_for_the_canary);
    tcase_add_test(t, run_order_refuses_when_stopping);
    suite_add_tcase(s, t);
    return s;
}
