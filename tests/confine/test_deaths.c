/*
 * What dies, wears out or is still getting ready, and who notices: no order is
 * lost, and nothing outlives its warden.
 */
#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "tests/confine/runs.h"
#include "tests/confine/suites.h"
#include "tests/support/proc.h"

/* --- deaths --------------------------------------------------------------- */

static bool
has_large_pages(pid_t pid)
{
    char path[64], line[512];
    bool is_large = false;
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        is_large |= strstr(line, "glovebox-large") != NULL;
    if (f != NULL)
        (void)fclose(f);
    return is_large;
}

/* One of the template that serves: the spare's trial may stand beside it. */
static bool
is_parked(pid_t box)
{
    return is_alive(box) && is_caged(box) &&
           (has_large_pages(box) || !kernel_is_at_least(6, 1));
}

/* A box as large as that; trials of templates come and go beside it. */
static pid_t
large_box(long kb)
{
    pid_t pids[8];
    int count = children_list(client.pid, "glovebox-box", pids, 8);

    for (int i = 0; i < count; i++) {
        const char *at = strstr(proc_file(pids[i], "status"), "\nVmRSS:");

        if (at != NULL && strtol(at + strlen("\nVmRSS:"), NULL, 10) > kb)
            return pids[i];
    }
    return 0;
}

START_TEST(closing_a_lane_kills_its_box)
{
    struct order o;
    pid_t pid;
    struct setup s = client_setup();

    s.parked = 0;
    start_with(s);
    o = client_order(&client, PROFILE_STANDARD,
        "import time\nx = b'x' * 48_000_000\ntime.sleep(2)");
    ck_assert_int_eq(client_send(&client, lane, &o), 0);
    while ((pid = large_box(60000)) == 0)
        (void)usleep(10000);
    (void)close(lane);
    for (int i = 0; i < 10 && is_alive(pid); i++)
        (void)usleep(10000);
    ck_assert(!is_alive(pid));
    lane = client_lane(&client);
    run("_ = 1");
    expect_value("1");
    stop();
}
END_TEST

START_TEST(template_that_dies_is_replaced)
{
    struct setup s = client_setup();
    uint64_t since_us;
    pid_t pid;

    s.profiles = 1u << PROFILE_RESTRICTED;
    start_with(s);
    /* It and its spare: first the one, then the other.  A box has its
     * template's name until it has its own. */
    for (int i = 0; i < 2; i++) {
        while (children_of(client.pid, "glovebox-tmpl", &pid) != 2)
            (void)usleep(10000);
        ck_assert_int_eq(kill(pid, SIGKILL), 0);
        while (is_alive(pid))
            (void)usleep(1000);
    }
    since_us = clock_mono_us();
    for (int i = 0; i < 8; i++) {
        run_in(PROFILE_RESTRICTED, "_ = 1");
        expect_value("1");
    }
    ck_assert_uint_le(clock_mono_us() - since_us, 1000000);
    stop();
}
END_TEST

/* All boxes that wait are killed while the warden does not look; the order that
 * comes then is run. */
static void
expect_order_outlives(int parked)
{
    struct setup s = one_parked();
    struct order o;
    pid_t pids[8];

    s.parked = (uint32_t)parked;
    start_with(s);
    while (children_list(client.pid, "glovebox-box", pids, 8) != parked)
        (void)usleep(10000);
    ck_assert_int_eq(kill(client.pid, SIGSTOP), 0);
    for (int i = 0; i < parked; i++)
        ck_assert_int_eq(kill(pids[i], SIGKILL), 0);
    for (int i = 0; i < parked; i++)
        while (is_alive(pids[i]))
            (void)usleep(1000);
    o = client_order(&client, PROFILE_RESTRICTED, "_ = 1");
    buf_done(&room);
    ck_assert_int_eq(client_send(&client, lane, &o), 0);
    ck_assert_int_eq(kill(client.pid, SIGCONT), 0);
    ck_assert_int_eq(client_recv(&client, lane, 5000, &room, &got), 0);
    expect_value("1");
    stop();
}

START_TEST(parked_box_that_dies_loses_no_order)
{
    expect_order_outlives(1);
}
END_TEST

START_TEST(parked_boxes_killed_at_one_blow_lose_no_order)
{
    expect_order_outlives(4);
}
END_TEST

START_TEST(warden_that_dies_takes_all_with_it)
{
    pid_t template, box;
    int alive = 1;

    start();
    while (children_of(client.pid, "glovebox-tmpl", &template) == 0 ||
           children_of(client.pid, "glovebox-box", &box) == 0 || !is_caged(box))
        (void)usleep(10000);
    ck_assert_int_eq(kill(client.pid, SIGKILL), 0);
    for (int i = 0; i < 100 && alive; i++) {
        (void)usleep(10000);
        alive = is_alive(template) || is_alive(box);
    }
    ck_assert_int_eq(alive, 0);
    (void)client_stop(&client);
}
END_TEST

static void
await_parked_boxes(pid_t *ret_pids, int count)
{
    int parked = 0;

    for (int tries = 0; tries < 500 && parked < count; tries++) {
        (void)usleep(10000);
        parked = 0;
        if (children_list(client.pid, "glovebox-box", ret_pids, count) == count)
            while (parked < count && is_parked(ret_pids[parked]))
                parked++;
    }
    ck_assert_int_eq(parked, count);
}

/* By the death signal, that is; one that the filter killed would be in the
 * kernel's log, and look like an attack there.  This warden dies only when
 * nobody else wants a processor: boxes that were busy with their end would
 * keep it from that, and from sending the signal. */
START_TEST(parked_boxes_die_quietly_with_their_warden)
{
    const struct sched_param none = { 0 };
    struct setup s = one_parked();
    pid_t pids[8];
    int status = 0;

    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    s.parked = 8;
    for (int round = 0; round < 3; round++) {
        start_with(s);
        await_parked_boxes(pids, 8);
        ck_assert_int_eq(sched_setscheduler(client.pid, SCHED_IDLE, &none), 0);
        ck_assert_int_eq(kill(client.pid, SIGKILL), 0);
        (void)client_stop(&client);
        for (int i = 0; i < 8; i++) {
            ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
            ck_assert_int_ne(WTERMSIG(status), SIGSYS);
        }
    }
}
END_TEST

/* They have no death signal yet; they find nobody at the other end, and give
 * up after a second. */
START_TEST(boxes_born_while_the_warden_dies_die_too)
{
    struct setup s = one_parked();
    pid_t pid = 0;

    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    s.parked = 8;
    for (int round = 0; round < 10; round++) {
        start_with(s);
        (void)usleep((useconds_t)round * 1000);
        ck_assert_int_eq(kill(client.pid, SIGKILL), 0);
        (void)client_stop(&client);
        for (int tries = 0; tries < 300 && pid >= 0; tries += pid == 0) {
            pid = waitpid(-1, NULL, WNOHANG);
            if (pid == 0)
                (void)usleep(10000);
        }
        ck_assert_int_eq(pid, -1);
        pid = 0;
    }
}
END_TEST

START_TEST(crash_replaces_the_template)
{
    uint64_t before;

    start();
    before = client.status.profiles[1].templates;
    /* A stack overflow in C, by plain Python. */
    run("x = ()\nfor i in range(3 * 10 ** 5): x = (x,)\nhash(x)");
    ck_assert_uint_eq(got.verdict, VERDICT_CRASHED);
    ck_assert_int_eq(got.number, SIGSEGV);
    run("_ = 1");
    expect_value("1");
    while (client.status.profiles[1].templates == before)
        ck_assert_int_eq(client_read_status(&client, 3000), 0);
    ck_assert_uint_eq(client.status.profiles[1].crashes, 1);
    stop();
}
END_TEST

START_TEST(template_is_replaced_after_so_many_boxes)
{
    struct setup s = client_setup();

    s.retire_boxes = 5;
    s.profiles = 1u << PROFILE_RESTRICTED;
    start_with(s);
    for (int i = 0; i < 30; i++) {
        run_in(PROFILE_RESTRICTED, "_ = 1");
        expect_value("1");
    }
    ck_assert_int_eq(client_read_status(&client, 3000), 0);
    ck_assert_uint_ge(client.status.profiles[0].templates, 2);
    stop();
}
END_TEST

/* How many processes of that name there are, and how many of them with large
 * pages; the last such in *ret_large. */
static int
count_large(const char *name, int *ret_count, pid_t *ret_large)
{
    pid_t pids[16];
    int large = 0;

    *ret_count = children_list(client.pid, name, pids, 16);
    for (int i = 0; i < *ret_count; i++)
        if (has_large_pages(pids[i])) {
            *ret_large = pids[i];
            large++;
        }
    return large;
}

static pid_t
other_template(pid_t not_this)
{
    pid_t pids[8];
    int count = children_list(client.pid, "glovebox-tmpl", pids, 8);

    for (int i = 0; i < count; i++)
        if (pids[i] != not_this)
            return pids[i];
    return 0;
}

/* Until there are two, of which one has large pages and has been tried. */
static pid_t
wait_for_large_one(void)
{
    pid_t large = 0;
    int count = 0;

    for (int i = 0; i < 500; i++) {
        if (count_large("glovebox-tmpl", &count, &large) == 1 && count == 2)
            return large;
        (void)usleep(10000);
    }
    return 0;
}

/* Its spare serves until there is another one, and is replaced, too. */
START_TEST(template_that_serves_has_large_pages_and_its_spare_has_not)
{
    struct setup s = client_setup();
    pid_t first, second, spare, now;
    int count, large = 0;

    s.profiles = 1u << PROFILE_RESTRICTED;
    start_with(s);
    if (!kernel_is_at_least(6, 1)) { /* which has none for us */
        ck_assert_int_eq(count_large("glovebox-tmpl", &count, &first), 0);
        stop();
        return;
    }
    first = wait_for_large_one();
    ck_assert_int_ne(first, 0);
    spare = other_template(first);
    ck_assert_int_eq(kill(first, SIGKILL), 0);
    for (int i = 0; i < 8; i++) {
        run_in(PROFILE_RESTRICTED, "_ = 1");
        expect_value("1");
    }
    /* A spare has never served: this one goes, and another comes. */
    for (int i = 0; i < 500 && is_alive(spare); i++)
        (void)usleep(10000);
    ck_assert(!is_alive(spare));
    second = wait_for_large_one();
    ck_assert_int_ne(second, 0);
    ck_assert_int_ne(second, first);
    for (int i = 0; i < 50; i++) {
        run_in(PROFILE_RESTRICTED, "_ = 2");
        expect_value("2");
        (void)usleep(20000);
        large = count_large("glovebox-box", &count, &now);
        if (count > 0 && large == count)
            break;
    }
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq(large, count);
    stop();
}
END_TEST

static pid_t
stop_parked_box(pid_t not_this)
{
    pid_t pids[8];

    for (int tries = 0; tries < 500; tries++) {
        int count = children_list(client.pid, "glovebox-box", pids, 8);

        for (int i = 0; i < count; i++)
            if (pids[i] != not_this && is_parked(pids[i])) {
                ck_assert_int_eq(kill(pids[i], SIGSTOP), 0);
                while (!is_stopped(pids[i]))
                    (void)usleep(1000);
                return pids[i];
            }
        (void)usleep(10000);
    }
    ck_abort_msg("no box was parked");
    return 0;
}

/* Each of them is stopped before the order comes, and killed with it. */
START_TEST(order_whose_boxes_all_die_is_answered)
{
    static const char why[] = "a box ended before its order, status 9";
    struct order o;
    pid_t has_it, next = 0;

    start_with(one_parked());
    for (int quiet = 0; quiet < 30; quiet++) {
        (void)usleep(10000);
        if (children_of(client.pid, "glovebox-box", &has_it) != 1 ||
            !is_parked(has_it))
            quiet = 0;
    }
    o = client_order(&client, PROFILE_RESTRICTED, "_ = 1");
    has_it = stop_parked_box(0);
    buf_done(&room);
    ck_assert_int_eq(client_send(&client, lane, &o), 0);
    for (int lost = 0; lost < 3; lost++) {
        if (lost < 2)
            next = stop_parked_box(has_it);
        ck_assert_int_eq(kill(has_it, SIGKILL), 0);
        while (is_alive(has_it))
            (void)usleep(1000);
        has_it = next;
    }
    ck_assert_int_eq(client_recv(&client, lane, 5000, &room, &got), 0);
    ck_assert_uint_eq(got.verdict, VERDICT_NOT_STARTED);
    ck_assert_uint_eq(got.reason.len, strlen(why));
    ck_assert_mem_eq(got.reason.data, why, strlen(why));
    stop();
}
END_TEST

/* --- rehearsals ----------------------------------------------------------- */

/* Page faults of a process so far: a rehearsal makes more than a start. */
static unsigned long
faults_of(pid_t pid)
{
    char path[64], line[512] = "", *at;
    unsigned long faults = 0;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_gt(read(fd, line, sizeof(line) - 1), 0);
    (void)close(fd);
    at = strrchr(line, ')');
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %lu", &faults), 1);
    return faults;
}

START_TEST(parked_box_rehearses_while_it_is_quiet)
{
    unsigned long before = 0;
    pid_t pid = 0;

    start_with(one_parked());
    for (int i = 0; i < 500 && before < 150; i++) {
        (void)usleep(10000);
        if (children_of(client.pid, "glovebox-box", &pid) == 1)
            before = faults_of(pid);
    }
    ck_assert_uint_ge(before, 150); /* a start alone makes some 50 */
    run_in(PROFILE_RESTRICTED, "_ = 1");
    expect_value("1");
    ck_assert_uint_lt(got.wall_us, 1000000);
    stop();
}
END_TEST

START_TEST(box_gets_its_order_while_it_rehearses)
{
    start_with(one_parked());
    /* One parked box, told to rehearse after each answer: most of these come
     * in the middle of that. */
    for (int i = 0; i < 50; i++) {
        run_in(PROFILE_RESTRICTED, "_ = len('rehearsed')");
        expect_value("9");
        (void)usleep((useconds_t)(i % 10) * 200);
    }
    stop();
}
END_TEST

Suite *
suite_deaths(void)
{
    Suite *s = suite_create("deaths");
    TCase *t = tcase_create("deaths");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, closing_a_lane_kills_its_box);
    tcase_add_test(t, template_that_dies_is_replaced);
    tcase_add_test(t, parked_box_that_dies_loses_no_order);
    tcase_add_test(t, parked_boxes_killed_at_one_blow_lose_no_order);
    tcase_add_test(t, order_whose_boxes_all_die_is_answered);
    tcase_add_test(t, warden_that_dies_takes_all_with_it);
    tcase_add_test(t, parked_boxes_die_quietly_with_their_warden);
    tcase_add_test(t, boxes_born_while_the_warden_dies_die_too);
    tcase_add_test(t, crash_replaces_the_template);
    tcase_add_test(t, template_is_replaced_after_so_many_boxes);
    tcase_add_test(
        t, template_that_serves_has_large_pages_and_its_spare_has_not);
    tcase_add_test(t, parked_box_rehearses_while_it_is_quiet);
    tcase_add_test(t, box_gets_its_order_while_it_rehearses);
    suite_add_tcase(s, t);
    return s;
}
