/* watch: the clocks fire when they should, the verdict is the kernel's */
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/watch.h"

Suite *suite_watch(void);

/* Encodings of wait(2). */
#define EXITED(code) ((code) << 8)
#define KILLED(signal) (signal)

/* --- the verdict, from a status and figures ------------------------------- */

/* A box with 1 s of CPU that used `cpu_us`, judged. */
static struct outcome
judge(const struct watch *decided, int status, uint64_t cpu_us,
    uint32_t claim_flags)
{
    struct rusage usage = { .ru_utime = { .tv_sec = (time_t)(cpu_us / 1000000),
                                .tv_usec = (suseconds_t)(cpu_us % 1000000) } };
    struct outcome o = { .claim.flags = claim_flags };
    struct watch w = *decided;

    w.cpu_limit_us = 1000000;
    watch_verdict(&w, status, &usage, &o);
    return o;
}

static const struct {
    int status;
    uint64_t cpu_us;
    enum verdict_kind verdict;
    int number;
} ends[] = {
    { EXITED(0), 10, VERDICT_ENDED, 0 },
    { EXITED(0), 5000000, VERDICT_ENDED, 0 },
    { EXITED(1), 10, VERDICT_EXITED, 1 },
    { EXITED(255), 10, VERDICT_EXITED, 255 },
    { KILLED(SIGSYS), 10, VERDICT_FORBIDDEN, SIGSYS },
    { KILLED(SIGSYS) | 0x80, 10, VERDICT_FORBIDDEN, SIGSYS }, /* with core */
    { KILLED(SIGSYS), 5000000, VERDICT_FORBIDDEN, SIGSYS },
    { KILLED(SIGSEGV), 10, VERDICT_CRASHED, SIGSEGV },
    { KILLED(SIGSEGV) | 0x80, 10, VERDICT_CRASHED, SIGSEGV },
    { KILLED(SIGABRT), 10, VERDICT_CRASHED, SIGABRT },
    { KILLED(SIGBUS), 5000000, VERDICT_CRASHED, SIGBUS },
    { KILLED(SIGKILL), 10, VERDICT_CRASHED, SIGKILL },
    { KILLED(SIGKILL), 999999, VERDICT_CRASHED, SIGKILL },
    { KILLED(SIGKILL), 1000000, VERDICT_CPU, SIGKILL }, /* RLIMIT_CPU */
};

START_TEST(watch_verdict_follows_from_the_exit_status)
{
    struct watch undecided = { 0 };
    struct outcome o = judge(&undecided, ends[_i].status, ends[_i].cpu_us, 0);

    ck_assert_uint_eq(o.verdict, ends[_i].verdict);
    ck_assert_int_eq(o.number, ends[_i].number);
}
END_TEST

START_TEST(watch_verdict_of_the_warden_outweighs_any_status)
{
    struct watch w = { .has_verdict = true, .verdict = VERDICT_TIMEOUT };

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        ck_assert_uint_eq(judge(&w, ends[i].status, ends[i].cpu_us, 0).verdict,
            VERDICT_TIMEOUT);
}
END_TEST

START_TEST(watch_believes_out_of_memory_only_when_the_kernel_saw_it)
{
    struct watch saw = { .saw_memory = true }, saw_not = { 0 };

    ck_assert_uint_eq(
        judge(&saw, EXITED(0), 10, CLAIM_NO_MEMORY).verdict, VERDICT_MEMORY);
    ck_assert_uint_eq(
        judge(&saw_not, EXITED(0), 10, CLAIM_NO_MEMORY).verdict, VERDICT_ENDED);
    ck_assert_uint_eq(
        judge(&saw, EXITED(0), 10, CLAIM_VALUE_CUT).verdict, VERDICT_ENDED);
    ck_assert_uint_eq(
        judge(&saw, EXITED(3), 10, CLAIM_NO_MEMORY).verdict, VERDICT_EXITED);
    ck_assert_uint_eq(judge(&saw, KILLED(SIGSEGV), 10, CLAIM_NO_MEMORY).verdict,
        VERDICT_CRASHED);
}
END_TEST

START_TEST(watch_figures_are_what_the_order_added)
{
    struct watch w = {
        .start_us = 1000, .end_us = 4000, .base_kb = 100, .cpu_start_us = 500000
    };
    struct rusage usage = { .ru_utime = { 0, 600000 },
        .ru_stime = { 1, 2 },
        .ru_maxrss = 130,
        .ru_minflt = 9 };
    struct outcome o = { 0 };

    watch_verdict(&w, 0, &usage, &o);
    ck_assert_uint_eq(o.wall_us, 3000);
    ck_assert_uint_eq(o.cpu_us, 1100002);
    ck_assert_uint_eq(o.memory_bytes, 30 * 1024);
    ck_assert_uint_eq(o.faults, 9);
}
END_TEST

START_TEST(watch_figures_below_the_start_are_zero_and_not_enormous)
{
    struct watch w = { .base_kb = 200, .cpu_start_us = 500000 };
    struct rusage usage = { .ru_utime = { 0, 100 }, .ru_maxrss = 130 };
    struct outcome o = { 0 };

    watch_verdict(&w, 0, &usage, &o);
    ck_assert_uint_eq(o.cpu_us, 0);
    ck_assert_uint_eq(o.memory_bytes, 0);
}
END_TEST

/* --- a process to be watched ---------------------------------------------- */

static pid_t child;
static int child_fd;
static char *child_is_ready;

/* Waits for ever; with `spins`, by using CPU.  Takes no notice of SIGUSR1. */
static void
child_live(bool spins)
{
    (void)signal(SIGUSR1, SIG_IGN);
    __atomic_store_n(child_is_ready, 1, __ATOMIC_RELEASE);
    while (spins)
        ;
    for (;;)
        (void)pause();
}

static void
child_start(bool spins)
{
    child_is_ready = mmap(
        NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(child_is_ready, MAP_FAILED);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        child_live(spins);
    child_fd = (int)syscall(SYS_pidfd_open, child, 0);
    ck_assert_int_ge(child_fd, 0);
    while (!__atomic_load_n(child_is_ready, __ATOMIC_ACQUIRE))
        (void)usleep(1000);
}

static bool
child_is_dead(int ms)
{
    struct pollfd p = { .fd = child_fd, .events = POLLIN };

    return poll(&p, 1, ms) == 1;
}

static void
child_end(void)
{
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    (void)close(child_fd);
    (void)munmap(child_is_ready, 1);
}

static void
idle_setup(void)
{
    child_start(false);
}

START_TEST(watch_leaves_a_box_alone_before_its_deadline)
{
    struct watch w;

    watch_start(&w, child, 1000, 50, 40, 0, 0);
    watch_tick(&w, child, child_fd, 1000);
    watch_tick(&w, child, child_fd, 1000 + 49999);
    ck_assert(!w.is_stopped);
    ck_assert(!w.has_verdict);
    ck_assert_uint_le(w.check_us, w.deadline_us);
}
END_TEST

/* Starts to watch it, and lets its deadline come. */
static void
told_to_stop(struct watch *w)
{
    watch_start(w, child, 1000, 50, 50, 0, 0);
    watch_tick(w, child, child_fd, w->deadline_us);
    ck_assert(w->is_stopped);
    ck_assert(!w->is_killed);
    ck_assert_uint_eq(w->verdict, VERDICT_TIMEOUT);
    ck_assert_uint_eq(w->check_us, w->deadline_us + WATCH_GRACE_US);
}

static void
expect_killed_at(struct watch *w, uint64_t now_us)
{
    watch_tick(w, child, child_fd, now_us - 1);
    ck_assert(!w->is_killed);
    ck_assert(!child_is_dead(0));
    watch_tick(w, child, child_fd, now_us);
    ck_assert(w->is_killed);
    ck_assert(child_is_dead(5000));
    ck_assert_uint_eq(w->verdict, VERDICT_TIMEOUT);
}

START_TEST(watch_asks_a_box_to_stop_at_its_deadline_and_kills_it_after)
{
    struct watch w;

    child_start(true);
    told_to_stop(&w);
    while (watch_cpu_us(child) < w.stop_cpu_us + WATCH_ANSWER_US)
        (void)usleep(1000);
    expect_killed_at(&w, w.check_us);
    child_end();
}
END_TEST

/* As one is that waits behind others: it could not answer. */
START_TEST(watch_gives_a_box_without_a_processor_more_time_and_not_for_ever)
{
    struct watch w;

    told_to_stop(&w);
    for (uint64_t us = w.check_us; us < w.stop_us + WATCH_MOST_GRACE_US;
         us = w.check_us) {
        watch_tick(&w, child, child_fd, us);
        ck_assert(!w.is_killed);
        ck_assert_uint_gt(w.check_us, us);
    }
    ck_assert_uint_le(w.check_us, w.stop_us + WATCH_MOST_GRACE_US);
    expect_killed_at(&w, w.check_us);
}
END_TEST

START_TEST(watch_that_has_killed_never_looks_again)
{
    struct watch w;

    watch_start(&w, child, 1000, 50, 50, 0, 0);
    watch_kill(&w, child_fd, VERDICT_NOISY);
    ck_assert_uint_eq(w.check_us, UINT64_MAX);
    watch_tick(&w, child, child_fd, UINT64_MAX);
    ck_assert_uint_eq(w.verdict, VERDICT_NOISY);
    ck_assert(child_is_dead(5000));
}
END_TEST

START_TEST(watch_keeps_its_first_verdict)
{
    struct watch w;

    watch_start(&w, child, 1000, 50, 50, 0, 0);
    watch_tick(&w, child, child_fd, w.deadline_us);
    watch_kill(&w, child_fd, VERDICT_NOISY);
    ck_assert_uint_eq(w.verdict, VERDICT_TIMEOUT);
}
END_TEST

START_TEST(watch_counts_refused_calls_by_name)
{
    struct watch w;

    watch_start(&w, child, 1000, 50, 50, 0, 0);
    watch_count_refused(&w, child_fd, "open");
    watch_count_refused(&w, child_fd, "socket");
    watch_count_refused(&w, child_fd, "open");
    ck_assert_uint_eq(w.refused_count, 2);
    ck_assert_str_eq(w.refused[0].call, "open");
    ck_assert_uint_eq(w.refused[0].count, 2);
    ck_assert_str_eq(w.refused[1].call, "socket");
    ck_assert_uint_eq(w.refused[1].count, 1);
    ck_assert(!w.is_killed);
}
END_TEST

START_TEST(watch_names_no_more_refused_calls_than_it_has_room_for)
{
    struct watch w;
    char name[OUTCOME_MAX_CALL * 2];

    watch_start(&w, child, 1000, 50, 50, 0, 0);
    for (int i = 0; i < 3 * OUTCOME_MAX_REFUSED; i++) {
        (void)snprintf(name, sizeof(name), "a_call_%d", i);
        watch_count_refused(&w, child_fd, name);
    }
    ck_assert_uint_eq(w.refused_count, OUTCOME_MAX_REFUSED);
    ck_assert_uint_eq(w.refused_total, 3 * OUTCOME_MAX_REFUSED);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    w.refused_count = 0;
    watch_count_refused(&w, child_fd, name);
    ck_assert_uint_eq(strlen(w.refused[0].call), OUTCOME_MAX_CALL - 1);
}
END_TEST

START_TEST(watch_kills_a_box_for_the_noise_at_its_bound_and_not_before)
{
    struct watch w;

    watch_start(&w, child, 1000, 50, 50, 0, 0);
    for (int i = 0; i < WATCH_MAX_REFUSED - 1; i++)
        watch_count_refused(&w, child_fd, "open");
    ck_assert(!w.is_killed);
    watch_count_refused(&w, child_fd, "open");
    ck_assert(w.is_killed);
    ck_assert_uint_eq(w.verdict, VERDICT_NOISY);
    ck_assert(child_is_dead(5000));
}
END_TEST

/* A clock that is ahead must not make it busy: it looks when it may be due. */
START_TEST(watch_looks_again_no_sooner_than_a_cpu_limit_can_be_reached)
{
    struct watch w;

    watch_start(&w, child, 1000, 1000, 100, 0, 0);
    w.is_long = true;
    w.check_us = 1000 + 100000;
    watch_tick(&w, child, child_fd, w.check_us);
    ck_assert(!w.is_stopped);
    ck_assert_uint_gt(w.check_us, 1000 + 100000 + 50000);
    ck_assert_uint_le(w.check_us, w.deadline_us);
}
END_TEST

START_TEST(watch_of_a_sleeper_looks_later_and_later_and_finds_it_short)
{
    struct watch w;
    unsigned looks = 0;

    watch_start(&w, child, 1000, 60000, 60000, 0, 0);
    ck_assert_uint_eq(w.check_us, 1000 + WATCH_LONG_US);
    while (w.check_us < 10000000) {
        watch_tick(&w, child, child_fd, w.check_us);
        looks++;
    }
    ck_assert_uint_gt(looks, 50);
    ck_assert_uint_lt(looks, 130);
    ck_assert(!w.is_long);
    ck_assert(!w.gives_way);
}
END_TEST

START_TEST(watch_finds_a_program_long_that_has_used_the_processor)
{
    struct watch w;
    uint64_t give_up_us = clock_mono_us() + 20000000;

    child_start(true);
    watch_start(&w, child, clock_mono_us(), 60000, 60000, 0, 0);
    ck_assert(!w.is_long);
    while (!w.is_long && clock_mono_us() < give_up_us) {
        watch_tick(&w, child, child_fd, clock_mono_us());
        (void)usleep(1000);
    }
    ck_assert(w.is_long);
    ck_assert_uint_ge(watch_cpu_us(child) - w.cpu_start_us, WATCH_LONG_US);
    ck_assert(w.gives_way);
    child_end();
}
END_TEST

START_TEST(watch_stops_a_box_that_has_used_its_cpu_time)
{
    struct watch w;
    uint64_t give_up_us = clock_mono_us() + 20000000;

    child_start(true);
    watch_start(&w, child, clock_mono_us(), 60000, 50, 0, 0);
    while (!w.is_stopped && clock_mono_us() < give_up_us) {
        watch_tick(&w, child, child_fd, clock_mono_us());
        (void)usleep(2000);
    }
    ck_assert_uint_eq(w.verdict, VERDICT_CPU);
    ck_assert(w.is_stopped);
    ck_assert_uint_ge(watch_cpu_us(child) - w.cpu_start_us, 50000);
    child_end();
}
END_TEST

START_TEST(watch_cpu_of_nobody_is_zero)
{
    child_start(false);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_uint_eq(watch_cpu_us(child), 0);
    (void)close(child_fd);
    (void)munmap(child_is_ready, 1);
}
END_TEST

Suite *
suite_watch(void)
{
    Suite *s = suite_create("watch");
    TCase *t = tcase_create("verdict"), *idle = tcase_create("idle");

    tcase_add_loop_test(t, watch_verdict_follows_from_the_exit_status, 0,
        sizeof(ends) / sizeof(ends[0]));
    tcase_add_test(t, watch_verdict_of_the_warden_outweighs_any_status);
    tcase_add_test(t, watch_believes_out_of_memory_only_when_the_kernel_saw_it);
    tcase_add_test(t, watch_figures_are_what_the_order_added);
    tcase_add_test(t, watch_figures_below_the_start_are_zero_and_not_enormous);
    tcase_add_test(t, watch_stops_a_box_that_has_used_its_cpu_time);
    tcase_add_test(
        t, watch_asks_a_box_to_stop_at_its_deadline_and_kills_it_after);
    tcase_add_test(t, watch_cpu_of_nobody_is_zero);
    tcase_add_test(t, watch_finds_a_program_long_that_has_used_the_processor);
    tcase_set_timeout(t, 30);
    suite_add_tcase(s, t);

    tcase_add_checked_fixture(idle, idle_setup, child_end);
    tcase_add_test(idle, watch_leaves_a_box_alone_before_its_deadline);
    tcase_add_test(
        idle, watch_gives_a_box_without_a_processor_more_time_and_not_for_ever);
    tcase_add_test(idle, watch_that_has_killed_never_looks_again);
    tcase_add_test(idle, watch_keeps_its_first_verdict);
    tcase_add_test(idle, watch_counts_refused_calls_by_name);
    tcase_add_test(
        idle, watch_names_no_more_refused_calls_than_it_has_room_for);
    tcase_add_test(
        idle, watch_kills_a_box_for_the_noise_at_its_bound_and_not_before);
    tcase_add_test(
        idle, watch_looks_again_no_sooner_than_a_cpu_limit_can_be_reached);
    tcase_add_test(
        idle, watch_of_a_sleeper_looks_later_and_later_and_finds_it_short);
    tcase_set_timeout(idle, 30);
    suite_add_tcase(s, idle);
    return s;
}
