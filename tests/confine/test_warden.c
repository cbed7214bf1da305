/*
 * A warden of our own and real boxes, without the app: how runs end, what they
 * are held to and what is refused.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "tests/confine/runs.h"
#include "tests/confine/suites.h"

/* Where the CPU limit is meant to be first, however busy the machine is. */
static void
start_patient(void)
{
    struct setup s = client_setup();

    s.wall_ms = 20000;
    start_with(s);
}

static void
expect_refused(const char *call, unsigned count)
{
    ck_assert_uint_eq(got.refused_count, 1);
    ck_assert_str_eq(got.refused[0].call, call);
    ck_assert_uint_eq(got.refused[0].count, count);
}

/* --- ordinary runs -------------------------------------------------------- */

START_TEST(warden_runs_a_program)
{
    start();
    run("_ = [n * n for n in range(5)]");
    expect_value("[0,1,4,9,16]");
    ck_assert_uint_eq(got.refused_count, 0);
    ck_assert_uint_gt(got.wall_us, 0);
    run_in(PROFILE_RESTRICTED, "_ = [n * n for n in range(5)]");
    expect_value("[0,1,4,9,16]");
    stop();
}
END_TEST

START_TEST(order_for_a_profile_that_is_not_kept_is_not_started)
{
    start_with(one_parked());
    run_in(PROFILE_STANDARD, "_ = 1");
    ck_assert_uint_eq(got.verdict, VERDICT_NOT_STARTED);
    ck_assert_uint_eq(got.reason.len, strlen("profile is not kept"));
    ck_assert_mem_eq(got.reason.data, "profile is not kept", got.reason.len);
    run_in(PROFILE_RESTRICTED, "_ = 1");
    expect_value("1");
    stop();
}
END_TEST

START_TEST(warden_gives_every_order_a_new_box)
{
    start();
    run("import builtins\nbuiltins.seen = 1\n_ = 1");
    expect_value("1");
    run("import builtins\n_ = hasattr(builtins, 'seen')");
    expect_value("false");
    stop();
}
END_TEST

/* After CVE-2026-119408 (R12). */
START_TEST(fresh_start_runs_through_the_same_code)
{
    struct setup s = client_setup();
    char first[64];

    s.start = SETUP_START_FRESH;
    s.profiles = 1u << PROFILE_STANDARD;
    start_with(s);
    run("_ = hash('a') % 10**6 + id(_ := object()) % 10**9");
    (void)snprintf(first, sizeof(first), "%.*s", (int)got.claim.value.len,
        got.claim.value.data);
    run("_ = hash('a') % 10**6 + id(_ := object()) % 10**9");
    ck_assert_uint_eq(got.claim.kind, CLAIM_VALUE);
    ck_assert(strncmp(first, got.claim.value.data, got.claim.value.len) != 0);
    run("_ = 1");
    expect_value("1");
    stop();
}
END_TEST

START_TEST(warden_returns_what_was_printed_before_a_kill)
{
    start_patient();
    run("print('before')\nwhile True: pass");
    ck_assert_uint_eq(got.verdict, VERDICT_CPU);
    ck_assert_uint_eq(got.stdout_text.len, 7);
    ck_assert_mem_eq(got.stdout_text.data, "before\n", 7);
    ck_assert_uint_eq(got.where_line, 2);
    stop();
}
END_TEST

START_TEST(warden_tells_how_far_a_run_is_that_asks_for_it)
{
    struct order o;

    start();
    o = client_order(&client, PROFILE_STANDARD,
        "import time\nprint('a' * 5000)\nprint('the end', flush=True)\n"
        "time.sleep(0.7)\n_ = 1");
    o.progress_ms = 100;
    run_order_of(&o);
    expect_value("1");
    ck_assert_uint_ge(client.told, 2);
    ck_assert_uint_le(client.told, 8);
    ck_assert_uint_ge(client.progress.elapsed_us, 200000);
    ck_assert_uint_eq(client.progress.out_len, 5001 + 8);
    ck_assert_uint_eq(client.progress.tail.len, PROGRESS_MAX_TAIL);
    ck_assert_mem_eq(client.tail + PROGRESS_MAX_TAIL - 9, "\nthe end\n", 9);
    /* The next order on the same lane did not ask. */
    run("import time\ntime.sleep(0.3)");
    ck_assert_uint_eq(client.told, 0);
    stop();
}
END_TEST

START_TEST(output_flood_is_cut_and_counted)
{
    start();
    run("for i in range(100000): print('x' * 100)");
    ck_assert_uint_eq(got.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(got.stdout_text.len, 65536);
    ck_assert_uint_eq(got.stdout_cut, 1);
    stop();
}
END_TEST

/* --- limits ----------------------------------------------------------------
 */

START_TEST(wall_limit_ends_a_sleep_on_time)
{
    struct setup s = client_setup();

    s.wall_ms = 500;
    start_with(s);
    run("import time\ntime.sleep(10)");
    ck_assert_uint_eq(got.verdict, VERDICT_TIMEOUT);
    ck_assert_uint_ge(got.wall_us, 500000);
    ck_assert_uint_le(got.wall_us, 550000);
    ck_assert_uint_eq(got.where_line, 2);
    stop();
}
END_TEST

START_TEST(wall_limit_ends_a_program_that_swallows_everything)
{
    struct setup s = client_setup();

    s.wall_ms = 500;
    s.cpu_ms = 500;
    start_with(s);
    run("while True:\n try:\n  while True: pass\n except BaseException: pass");
    ck_assert(got.verdict == VERDICT_TIMEOUT || got.verdict == VERDICT_CPU);
    ck_assert_uint_le(got.wall_us, 560000);
    stop();
}
END_TEST

START_TEST(cpu_limit_ends_a_call_that_never_returns)
{
    start_patient();
    run("_ = 7 ** (10 ** 9)");
    ck_assert_uint_eq(got.verdict, VERDICT_CPU);
    ck_assert_uint_ge(got.cpu_us, 1000000);
    ck_assert_uint_le(got.cpu_us, 1100000);
    stop();
}
END_TEST

START_TEST(order_can_lower_its_limits)
{
    struct order o;

    start();
    o = client_order(&client, PROFILE_STANDARD, "x = bytearray(40 << 20)");
    run_order_of(&o);
    ck_assert_uint_eq(got.claim.kind, CLAIM_VALUE);
    o.memory_bytes = 16 << 20;
    run_order_of(&o);
    ck_assert_uint_eq(got.verdict, VERDICT_MEMORY);
    o = client_order(&client, PROFILE_STANDARD, "while True: pass");
    o.wall_ms = 200;
    run_order_of(&o);
    ck_assert_uint_eq(got.verdict, VERDICT_TIMEOUT);
    stop();
}
END_TEST

static const char *const memory_bombs[] = {
    "x = bytearray(10 ** 9)",
    "x = 'x' * 10 ** 10",
    "x = [0] * 10 ** 9",
    "x = [bytearray(3 * 10 ** 7) for i in range(10)]",
    "x = []\nwhile True: x.append(' ' * 100000)",
    "x = {}\nwhile True: x[len(x)] = len(x)",
    "x = [0]\nwhile True: x += x",
};

START_TEST(memory_limit_is_named)
{
    start();
    run(memory_bombs[_i]);
    ck_assert_uint_eq(got.verdict, VERDICT_MEMORY);
    run("_ = 1");
    expect_value("1");
    stop();
}
END_TEST

START_TEST(memory_limit_cannot_be_claimed)
{
    start();
    run("raise MemoryError('not really')");
    expect_error("MemoryError");
    stop();
}
END_TEST

/*
 * The kernel counts a process's pages for each processor and adds them up when
 * a count has grown by 32, so its figure may be off by 128 KiB a processor.
 */
START_TEST(memory_in_use_is_reported)
{
    start();
    run("x = bytearray(b'x') * (60 << 20)");
    ck_assert_uint_ge(got.memory_bytes, 57 << 20);
    ck_assert_uint_le(got.memory_bytes, 66 << 20);
    stop();
}
END_TEST

/* --- what is refused -------------------------------------------------------
 */

static const struct {
    const char *code, *type, *call;
} refusals[] = {
    { "open('/etc/passwd')", "PermissionError", "openat" },
    { "open('/tmp/x', 'w')", "PermissionError", "openat" },
    { "import os; os.listdir('/')", "PermissionError", "openat" },
    { "import os; os.stat('/')", "FileNotFoundError", "newfstatat" },
    { "import socket; socket.socket()", "PermissionError", "socket" },
    { "import os; os.fork()", "PermissionError", "clone" },
    { "import os; os.execv('/bin/sh', ['sh'])", "PermissionError", "execve" },
    { "import os; os.kill(1, 9)", "PermissionError", "kill" },
    { "import os; os.pipe()", "PermissionError", "pipe2" },
    { "import threading; threading.Thread(target=print).start()",
        "RuntimeError", "mmap" },
};

START_TEST(box_refuses_and_names_the_call)
{
    start();
    run(refusals[_i].code);
    expect_error(refusals[_i].type);
    expect_refused(refusals[_i].call, 1);
    stop();
}
END_TEST

START_TEST(box_is_killed_for_a_call_only_an_attacker_makes)
{
    start();
    run("import os\nos.memfd_create('x')");
    ck_assert_uint_eq(got.verdict, VERDICT_FORBIDDEN);
    run("_ = 1");
    expect_value("1");
    stop();
}
END_TEST

START_TEST(refusals_are_answered_only_so_often)
{
    start();
    run("import os\nfor i in range(30000): os.path.exists('/x')");
    ck_assert_uint_eq(got.verdict, VERDICT_NOISY);
    expect_refused("newfstatat", 10000);
    stop();
}
END_TEST

START_TEST(exit_of_the_process_is_no_answer)
{
    start();
    run("import os\nos._exit(0)");
    ck_assert_uint_eq(got.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(got.claim.kind, CLAIM_NONE);
    run("import os\nos._exit(137)");
    ck_assert_uint_eq(got.verdict, VERDICT_EXITED);
    ck_assert_int_eq(got.number, 137);
    stop();
}
END_TEST

START_TEST(every_exit_status_is_only_a_status)
{
    start();
    for (int status = 1; status < 256; status += 19) {
        char code[64];

        (void)snprintf(code, sizeof(code), "import os\nos._exit(%d)", status);
        run(code);
        ck_assert_uint_eq(got.verdict, VERDICT_EXITED);
        ck_assert_int_eq(got.number, status);
    }
    stop();
}
END_TEST

/* --- lanes ---------------------------------------------------------------- */

START_TEST(lane_that_talks_nonsense_is_closed)
{
    char byte;

    start();
    ck_assert_int_eq(fd_write_all(lane, "GET / HTTP/1.1\r\n\r\n", 18), 0);
    ck_assert_int_eq((int)recv(lane, &byte, 1, 0), 0);
    (void)close(lane);
    lane = client_lane(&client);
    run("_ = 1");
    expect_value("1");
    stop();
}
END_TEST

START_TEST(many_lanes_get_their_own_answers)
{
    enum {
        LANES = 32
    };
    int lanes[LANES];
    char code[64], want[16];

    start();
    for (int i = 0; i < LANES; i++) {
        struct order o;

        lanes[i] = client_lane(&client);
        (void)snprintf(code, sizeof(code), "_ = %d * 3", i);
        o = client_order(&client, PROFILE_STANDARD, code);
        ck_assert_int_eq(client_send(&client, lanes[i], &o), 0);
    }
    for (int i = LANES - 1; i >= 0; i--) {
        buf_done(&room);
        ck_assert_int_eq(client_recv(&client, lanes[i], 8000, &room, &got), 0);
        (void)snprintf(want, sizeof(want), "%d", i * 3);
        expect_value(want);
        (void)close(lanes[i]);
    }
    stop();
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(*(a)))

Suite *
suite_warden(void)
{
    Suite *s = suite_create("warden");
    TCase *t = tcase_create("warden");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, warden_runs_a_program);
    tcase_add_test(t, order_for_a_profile_that_is_not_kept_is_not_started);
    tcase_add_test(t, warden_gives_every_order_a_new_box);
    tcase_add_test(t, fresh_start_runs_through_the_same_code);
    tcase_add_test(t, warden_returns_what_was_printed_before_a_kill);
    tcase_add_test(t, warden_tells_how_far_a_run_is_that_asks_for_it);
    tcase_add_test(t, output_flood_is_cut_and_counted);
    tcase_add_test(t, wall_limit_ends_a_sleep_on_time);
    tcase_add_test(t, wall_limit_ends_a_program_that_swallows_everything);
    tcase_add_test(t, cpu_limit_ends_a_call_that_never_returns);
    tcase_add_test(t, order_can_lower_its_limits);
    tcase_add_loop_test(t, memory_limit_is_named, 0, COUNT(memory_bombs));
    tcase_add_test(t, memory_limit_cannot_be_claimed);
    tcase_add_test(t, memory_in_use_is_reported);
    tcase_add_loop_test(t, box_refuses_and_names_the_call, 0, COUNT(refusals));
    tcase_add_test(t, box_is_killed_for_a_call_only_an_attacker_makes);
    tcase_add_test(t, refusals_are_answered_only_so_often);
    tcase_add_test(t, exit_of_the_process_is_no_answer);
    tcase_add_test(t, every_exit_status_is_only_a_status);
    tcase_add_test(t, lane_that_talks_nonsense_is_closed);
    tcase_add_test(t, many_lanes_get_their_own_answers);
    suite_add_tcase(s, t);
    return s;
}
