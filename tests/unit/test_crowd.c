/* crowd: who gives way, how much, and what it leaves to others */
#include <check.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/crowd.h"

Suite *suite_crowd(void);

static struct crowd crowd;
static pid_t child;

static void
crowd_setup(void)
{
    crowd_init(&crowd);
    child = fork();
    ck_assert_int_ge(child, 0);
    while (child == 0)
        (void)pause();
}

static void
crowd_teardown(void)
{
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

/* As on a machine with that many; the child is not moved. */
static struct crowd
crowd_on(unsigned processors)
{
    return (struct crowd){ .processors = processors };
}

START_TEST(crowd_leaves_at_least_one_of_several_processors)
{
    ck_assert_uint_eq(crowd_left_of(1), 0);
    ck_assert_uint_eq(crowd_left_of(2), 1);
    ck_assert_uint_eq(crowd_left_of(15), 1);
    ck_assert_uint_eq(crowd_left_of(16), 2);
    ck_assert_uint_eq(crowd_left_of(64), 8);
}
END_TEST

START_TEST(crowd_knows_the_processors_it_was_given)
{
    cpu_set_t both;

    ck_assert_int_eq(sched_getaffinity(0, sizeof(both), &both), 0);
    ck_assert(CPU_EQUAL(&crowd.all, &both));
    ck_assert_uint_eq(crowd.processors, (unsigned)CPU_COUNT(&both));
    CPU_AND(&both, &crowd.all, &crowd.rest);
    ck_assert(CPU_EQUAL(&both, &crowd.rest));
    ck_assert_uint_eq((unsigned)CPU_COUNT(&crowd.rest),
        crowd.processors - crowd_left_of(crowd.processors));
}
END_TEST

START_TEST(crowd_of_many_gives_way_more_than_one)
{
    int nice = 0;

    for (unsigned count = 1; count < 100; count++) {
        ck_assert_int_ge(crowd_nice_of(count), nice);
        nice = crowd_nice_of(count);
    }
    ck_assert_int_lt(crowd_nice_of(1), crowd_nice_of(8));
    ck_assert_int_eq(nice, 19);
}
END_TEST

START_TEST(crowd_begins_with_two_programs_a_processor)
{
    struct crowd four = crowd_on(4);

    ck_assert(!crowd_is_one_of_many(&four, 0));
    ck_assert(!crowd_is_one_of_many(&four, 8));
    ck_assert(crowd_is_one_of_many(&four, 9));
}
END_TEST

static const struct {
    unsigned processors, giving, is_long;
    uint64_t now_us; /* a short program ended at 1000 */
    bool is_apart;
} apart[] = {
    { 4, 9, 5, 2000, true }, { 4, 100, 100, 1000 + CROWD_RECENT_US - 1, true },
    { 4, 100, 100, 1000 + CROWD_RECENT_US, false }, /* nobody to leave it to */
    { 4, 8, 8, 2000, false }, /* no crowd */
    { 4, 100, 4, 2000, false }, /* one that sleeps */
    { 1, 100, 100, 2000, false }, /* nothing to leave */
};

START_TEST(crowd_leaves_processors_only_when_there_is_one_and_others_come)
{
    struct watch ended = { .gives_way = true };
    struct crowd c = crowd_on(apart[_i].processors);

    crowd_saw_end(&c, &ended, 1000);
    crowd_count(&c, apart[_i].giving, apart[_i].is_long, 1001);
    ck_assert(!c.is_apart);
    ended.gives_way = false;
    crowd_saw_end(&c, &ended, 1000);
    crowd_count(&c, apart[_i].giving, apart[_i].is_long, apart[_i].now_us);
    ck_assert(c.is_apart == apart[_i].is_apart);
    ck_assert_int_eq(c.nice, crowd_nice_of(apart[_i].giving));
}
END_TEST

START_TEST(crowd_lowers_a_priority_and_never_raises_it)
{
    struct watch w = { 0 };

    crowd.nice = 15;
    crowd_place(&crowd, &w, child);
    ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)child), 15);
    crowd.nice = 10;
    crowd_place(&crowd, &w, child);
    ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)child), 15);
    ck_assert_int_eq(w.nice, 15);
}
END_TEST

/* Kernels before 6.12 have no slices and say 0; nobody asks for a default. */
START_TEST(crowd_asks_for_a_long_slice)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attr = { 0 };
    struct watch w = { 0 };

    ck_assert_int_eq(
        syscall(SYS_sched_getattr, child, &attr, sizeof(attr), 0), 0);
    if (attr.runtime == 0)
        return;
    ck_assert_uint_lt(attr.runtime, 100000000);
    crowd.nice = 5;
    crowd_place(&crowd, &w, child);
    ck_assert_int_eq(
        syscall(SYS_sched_getattr, child, &attr, sizeof(attr), 0), 0);
    ck_assert_uint_eq(attr.runtime, 100000000);
    ck_assert_int_eq(attr.nice, 5);
    ck_assert_uint_eq(attr.policy, SCHED_OTHER);
}
END_TEST

START_TEST(crowd_moves_one_aside_and_back)
{
    struct watch w = { 0 };
    cpu_set_t now;

    crowd.is_apart = crowd.processors > 1;
    crowd_place(&crowd, &w, child);
    ck_assert_int_eq(sched_getaffinity(child, sizeof(now), &now), 0);
    ck_assert(CPU_EQUAL(&now, crowd.is_apart ? &crowd.rest : &crowd.all));
    crowd.is_apart = false;
    crowd_place(&crowd, &w, child);
    ck_assert_int_eq(sched_getaffinity(child, sizeof(now), &now), 0);
    ck_assert(CPU_EQUAL(&now, &crowd.all));
}
END_TEST

START_TEST(crowd_does_not_mind_one_that_is_gone)
{
    struct watch w = { 0 };

    crowd_teardown();
    crowd.nice = 19;
    crowd.is_apart = true;
    crowd_place(&crowd, &w, child);
    ck_assert_int_eq(w.nice, 19);
    crowd_setup();
}
END_TEST

Suite *
suite_crowd(void)
{
    Suite *s = suite_create("crowd");
    TCase *t = tcase_create("crowd");

    tcase_add_checked_fixture(t, crowd_setup, crowd_teardown);
    tcase_add_test(t, crowd_leaves_at_least_one_of_several_processors);
    tcase_add_test(t, crowd_knows_the_processors_it_was_given);
    tcase_add_test(t, crowd_of_many_gives_way_more_than_one);
    tcase_add_test(t, crowd_begins_with_two_programs_a_processor);
    tcase_add_loop_test(t,
        crowd_leaves_processors_only_when_there_is_one_and_others_come, 0,
        sizeof(apart) / sizeof(apart[0]));
    tcase_add_test(t, crowd_lowers_a_priority_and_never_raises_it);
    tcase_add_test(t, crowd_asks_for_a_long_slice);
    tcase_add_test(t, crowd_moves_one_aside_and_back);
    tcase_add_test(t, crowd_does_not_mind_one_that_is_gone);
    suite_add_tcase(s, t);
    return s;
}
