/*
 * A warden of our own and real boxes, without the app: how runs end, what is
 * refused, what survives which death.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "tests/confine/answers.h"
#include "tests/confine/suites.h"
#include "tests/support/client.h"
#include "tests/support/fork.h"
#include "tests/support/proc.h"

static struct client client;
static int lane = -1;
static struct buf room;
static struct outcome got;

static void
start_with(struct setup s)
{
    ck_assert_int_eq(client_start(&client, &s), 0);
    while (!client.status.is_ready)
        ck_assert_int_eq(client_read_status(&client, 5000), 0);
    lane = client_lane(&client);
    ck_assert_int_ge(lane, 0);
}

static void
start(void)
{
    start_with(client_setup());
}

/* Where the CPU limit is meant to be first, however busy the machine is. */
static void
start_patient(void)
{
    struct setup s = client_setup();

    s.wall_ms = 20000;
    start_with(s);
}

static void
stop(void)
{
    (void)close(lane);
    ck_assert_int_eq(client_stop(&client), 0);
}

static void
run_order_of(const struct order *o)
{
    buf_done(&room);
    ck_assert_int_eq(client_send(&client, lane, o), 0);
    ck_assert_int_eq(client_recv(&client, lane, 25000, &room, &got), 0);
}

static void
run_in(enum profile_id profile, const char *code)
{
    struct order o = client_order(&client, profile, code);

    run_order_of(&o);
}

static void
run(const char *code)
{
    run_in(PROFILE_STANDARD, code);
}

static void
expect_value(const char *json)
{
    ck_assert_uint_eq(got.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(got.claim.kind, CLAIM_VALUE);
    ck_assert_uint_eq(got.claim.value.len, strlen(json));
    ck_assert_mem_eq(got.claim.value.data, json, strlen(json));
}

static void
expect_error(const char *type)
{
    ck_assert_uint_eq(got.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(got.claim.kind, CLAIM_ERROR);
    ck_assert_uint_eq(got.claim.type.len, strlen(type));
    ck_assert_mem_eq(got.claim.type.data, type, strlen(type));
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

START_TEST(memory_in_use_is_reported)
{
    start();
    run("x = bytearray(b'x') * (20 << 20)");
    ck_assert_uint_ge(got.memory_bytes, 19 << 20);
    ck_assert_uint_le(got.memory_bytes, 26 << 20);
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

/* --- deaths -----------------------------------------------------------------
 */

START_TEST(closing_a_lane_kills_its_box)
{
    struct order o;
    pid_t pid;
    int count = 0;
    struct setup s = client_setup();

    s.parked = 0;
    start_with(s);
    o = client_order(&client, PROFILE_STANDARD, "import time\ntime.sleep(2)");
    ck_assert_int_eq(client_send(&client, lane, &o), 0);
    (void)usleep(200000);
    ck_assert_int_eq(children_of(client.pid, "glovebox-box", &pid), 1);
    (void)close(lane);
    for (int i = 0; i < 10; i++) {
        (void)usleep(10000);
        count = children_of(client.pid, "glovebox-box", &pid);
        if (count == 0)
            break;
    }
    ck_assert_int_eq(count, 0);
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

START_TEST(parked_box_that_dies_loses_no_order)
{
    struct setup s = client_setup();
    pid_t pid;

    s.profiles = 1u << PROFILE_RESTRICTED;
    s.parked = 1;
    start_with(s);
    (void)usleep(100000);
    ck_assert_int_eq(children_of(client.pid, "glovebox-box", &pid), 1);
    ck_assert_int_eq(kill(client.pid, SIGSTOP), 0);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    while (is_alive(pid))
        (void)usleep(1000);
    {
        struct order o = client_order(&client, PROFILE_RESTRICTED, "_ = 1");

        buf_done(&room);
        ck_assert_int_eq(client_send(&client, lane, &o), 0);
        ck_assert_int_eq(kill(client.pid, SIGCONT), 0);
        ck_assert_int_eq(client_recv(&client, lane, 5000, &room, &got), 0);
    }
    expect_value("1");
    stop();
}
END_TEST

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
    struct setup s = client_setup();
    unsigned long before = 0;
    pid_t pid = 0;

    s.profiles = 1u << PROFILE_RESTRICTED;
    s.parked = 1;
    start_with(s);
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
    struct setup s = client_setup();

    s.profiles = 1u << PROFILE_RESTRICTED;
    s.parked = 1;
    start_with(s);
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

START_TEST(warden_that_dies_takes_all_with_it)
{
    pid_t template, box;
    int alive = 1;

    start();
    (void)usleep(100000);
    ck_assert_int_gt(children_of(client.pid, "glovebox-tmpl", &template), 0);
    ck_assert_int_gt(children_of(client.pid, "glovebox-box", &box), 0);
    ck_assert_int_eq(kill(client.pid, SIGKILL), 0);
    for (int i = 0; i < 100 && alive; i++) {
        (void)usleep(10000);
        alive = is_alive(template) || is_alive(box);
    }
    ck_assert_int_eq(alive, 0);
    (void)client_stop(&client);
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

/* --- kernels that lack something ---------------------------------------------
 */

/* This test's process, and so its warden, can make no user namespace. */
static void
lose_user_namespaces(void)
{
    char map[32];
    int fd;

    fork_leave_root();
    ck_assert_int_eq(unshare(CLONE_NEWUSER), 0);
    (void)snprintf(map, sizeof(map), "%d %d 1", getuid(), getuid());
    fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fd_write_all(fd, "0", 1), 0);
    (void)close(fd);
}

/* A call that this test's process, and so its warden, does not have. */
static void
lose_call(int number)
{
    const struct answer none = { number, ENOSYS, NULL };

    ck_assert(answers_give(&none, 1));
}

static bool
layer_is_on(const char *name)
{
    for (uint32_t i = 0; i < client.status.layer_count; i++)
        if (strcmp(client.status.layers[i].name, name) == 0)
            return client.status.layers[i].is_on;
    ck_abort_msg("no layer %s", name);
    return false;
}

static void
expect_box_without(const char *layer)
{
    ck_assert(!layer_is_on(layer));
    ck_assert(layer_is_on("seccomp"));
    ck_assert(layer_is_on("rlimits"));
    run("_ = 1");
    expect_value("1");
    run("open('/etc/passwd')");
    expect_error("PermissionError");
    stop();
}

START_TEST(works_with_every_layer_here)
{
    static const char *const layers[] = { "descriptors", "rlimits",
        "no_new_privs", "capabilities", "identity", "user_namespace",
        "pid_namespace", "network_namespace", "mount_namespace",
        "ipc_namespace", "uts_namespace", "cgroup_namespace", "empty_root",
        "landlock", "refused_calls", "seccomp" };

    start();
    for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++)
        ck_assert_msg(layer_is_on(layers[i]), "%s", layers[i]);
    stop();
}
END_TEST

START_TEST(works_without_user_namespaces)
{
    lose_user_namespaces();
    start();
    ck_assert(layer_is_on("landlock"));
    ck_assert(!layer_is_on("empty_root"));
    ck_assert(!layer_is_on("pid_namespace"));
    expect_box_without("user_namespace");
}
END_TEST

START_TEST(root_without_user_namespaces_still_has_no_network)
{
    const struct scmp_arg_cmp user = { 0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER,
        CLONE_NEWUSER };
    const struct answer none = { SCMP_SYS(unshare), EPERM, &user };

    ck_assert(answers_give(&none, 1));
    start();
    ck_assert_int_eq(layer_is_on("network_namespace"), fork_is_root());
    ck_assert_int_eq(layer_is_on("ipc_namespace"), fork_is_root());
    expect_box_without("user_namespace");
}
END_TEST

START_TEST(works_without_landlock)
{
    lose_call(SCMP_SYS(landlock_create_ruleset));
    start();
    ck_assert(layer_is_on("empty_root"));
    expect_box_without("landlock");
}
END_TEST

START_TEST(refuses_to_start_with_no_layer_for_files)
{
    struct setup s = client_setup();

    lose_user_namespaces();
    lose_call(SCMP_SYS(landlock_create_ruleset));
    ck_assert_int_eq(client_start(&client, &s), 0);
    ck_assert_int_eq((int)client.status.is_ready, 0);
    ck_assert_ptr_nonnull(
        strstr(client.status.problem, "no layer keeps files away"));
    (void)client_stop(&client);
}
END_TEST

START_TEST(refuses_to_start_without_seccomp)
{
    struct setup s = client_setup();

    lose_call(SCMP_SYS(seccomp));
    ck_assert_int_eq(client_start(&client, &s), 0);
    ck_assert_int_eq((int)client.status.is_ready, 0);
    ck_assert_ptr_nonnull(strstr(client.status.problem, "seccomp"));
    (void)client_stop(&client);
}
END_TEST

/* As the filters of containers do, which cannot read its flags. */
START_TEST(works_where_clone3_is_hidden)
{
    lose_call(SCMP_SYS(clone3));
    start();
    ck_assert(layer_is_on("empty_root"));
    expect_box_without("pid_namespace");
}
END_TEST

START_TEST(refuses_to_start_and_names_the_step_that_fails)
{
    struct setup s = client_setup();

    lose_call(SCMP_SYS(close_range));
    ck_assert_int_eq(client_start(&client, &s), 0);
    ck_assert_int_eq((int)client.status.is_ready, 0);
    ck_assert_ptr_nonnull(strstr(client.status.problem, "step 'fds' failed"));
    (void)client_stop(&client);
}
END_TEST

START_TEST(works_as_an_ordinary_user)
{
    fork_leave_root();
    start();
    run("_ = 1");
    expect_value("1");
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
    tcase_add_test(t, closing_a_lane_kills_its_box);
    tcase_add_test(t, template_that_dies_is_replaced);
    tcase_add_test(t, parked_box_that_dies_loses_no_order);
    tcase_add_test(t, parked_box_rehearses_while_it_is_quiet);
    tcase_add_test(t, box_gets_its_order_while_it_rehearses);
    tcase_add_test(t, warden_that_dies_takes_all_with_it);
    tcase_add_test(t, crash_replaces_the_template);
    tcase_add_test(t, template_is_replaced_after_so_many_boxes);
    tcase_add_test(t, lane_that_talks_nonsense_is_closed);
    tcase_add_test(t, many_lanes_get_their_own_answers);
    tcase_add_test(t, works_with_every_layer_here);
    tcase_add_test(t, works_without_user_namespaces);
    tcase_add_test(t, root_without_user_namespaces_still_has_no_network);
    tcase_add_test(t, works_without_landlock);
    tcase_add_test(t, refuses_to_start_with_no_layer_for_files);
    tcase_add_test(t, refuses_to_start_without_seccomp);
    tcase_add_test(t, works_where_clone3_is_hidden);
    tcase_add_test(t, refuses_to_start_and_names_the_step_that_fails);
    tcase_add_test(t, works_as_an_ordinary_user);
    suite_add_tcase(s, t);
    return s;
}
