/* metrics: counts, histograms and the text that Prometheus reads */
#include "fcgi-app/metrics.h"

#include <check.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fcgi-app/outcome_json.h"
#include "sandbox/confine/calls.h"
#include "sandbox/python/rules.h"
#include "sandbox/wire/profile.h"

static struct buf text;

static void
print(void)
{
    buf_done(&text);
    buf_init(&text, 1u << 20);
    metrics_print(&text);
    ck_assert(buf_ok(&text));
}

static void
assert_line(const char *line)
{
    char whole[256];

    (void)snprintf(whole, sizeof(whole), "\n%s\n", line);
    ck_assert_msg(strstr(text.data, whole) != NULL, "no line %s", line);
}

START_TEST(metrics_count_requests_by_route_and_status)
{
    metrics_count_request(METRICS_ROUTE_EXECUTE, 200);
    metrics_count_request(METRICS_ROUTE_EXECUTE, 200);
    metrics_count_request(METRICS_ROUTE_OTHER, 404);
    metrics_count_request(METRICS_ROUTE_EXECUTE, 0);
    print();
    assert_line("glovebox_requests_total{route=\"execute\",status=\"200\"} 2");
    assert_line("glovebox_requests_total{route=\"other\",status=\"404\"} 1");
    assert_line("glovebox_requests_total{route=\"execute\",status=\"gone\"} 1");
    assert_line("glovebox_requests_total{route=\"health\",status=\"200\"} 0");
}
END_TEST

START_TEST(metrics_count_runs_by_profile_and_status)
{
    metrics_count_run(PROFILE_STANDARD, OUTCOME_TIMEOUT);
    metrics_count_run(PROFILE_COUNT, OUTCOME_OK); /* nowhere, but no harm */
    metrics_count_run(PROFILE_STANDARD, OUTCOME_STATUS_COUNT);
    print();
    assert_line("glovebox_executions_total{profile=\"standard\","
                "status=\"timeout\"} 1");
    assert_line("glovebox_executions_total{profile=\"restricted\","
                "status=\"ok\"} 0");
}
END_TEST

START_TEST(metrics_count_refusals_by_reason)
{
    metrics_count_refused(FAULT_BUSY);
    metrics_count_refused(FAULT_QUEUE_TIMEOUT);
    metrics_count_refused(FAULT_QUEUE_TIMEOUT);
    metrics_count_refused(FAULT_JSON); /* not expected here: "internal" */
    print();
    assert_line("glovebox_refused_total{reason=\"busy\"} 1");
    assert_line("glovebox_refused_total{reason=\"queue_timeout\"} 2");
    assert_line("glovebox_refused_total{reason=\"internal\"} 1");
}
END_TEST

START_TEST(metrics_put_a_value_into_every_bucket_that_holds_it)
{
    metrics_observe(METRICS_WALL_SECONDS, 1000); /* on a bound */
    metrics_observe(METRICS_WALL_SECONDS, 1001);
    metrics_observe(METRICS_WALL_SECONDS, 99000000); /* above all */
    print();
    assert_line("glovebox_run_wall_seconds_bucket{le=\"0.001\"} 1");
    assert_line("glovebox_run_wall_seconds_bucket{le=\"0.0025\"} 2");
    assert_line("glovebox_run_wall_seconds_bucket{le=\"30\"} 2");
    assert_line("glovebox_run_wall_seconds_bucket{le=\"+Inf\"} 3");
    assert_line("glovebox_run_wall_seconds_count 3");
    assert_line("glovebox_run_wall_seconds_sum 99.002001");
}
END_TEST

START_TEST(metrics_keep_bytes_as_bytes)
{
    metrics_observe(METRICS_MEMORY_BYTES, 3u << 20);
    print();
    assert_line("glovebox_run_memory_bytes_bucket{le=\"2097152\"} 0");
    assert_line("glovebox_run_memory_bytes_bucket{le=\"4194304\"} 1");
    assert_line("glovebox_run_memory_bytes_sum 3145728");
}
END_TEST

START_TEST(metrics_count_limits_and_rules_by_name)
{
    metrics_count_limit(METRICS_LIMIT_CPU);
    metrics_count_rule("import", 6);
    metrics_count_rule("imp", 3);
    metrics_count_rule("a\"}\nforged 1", 12);
    metrics_count_rule("", 0);
    print();
    assert_line("glovebox_limits_hit_total{limit=\"cpu\"} 1");
    assert_line("glovebox_limits_hit_total{limit=\"wall\"} 0");
    assert_line("glovebox_validator_refusals_total{rule=\"import\"} 1");
    assert_line("glovebox_validator_refusals_total{rule=\"other\"} 3");
    ck_assert_ptr_null(strstr(text.data, "forged"));
}
END_TEST

START_TEST(metrics_know_every_rule_of_the_validator)
{
    for (size_t i = RULE_NONE + 1; i < RULE_COUNT; i++)
        metrics_count_rule(rule_rows[i].name, strlen(rule_rows[i].name));
    print();
    assert_line("glovebox_validator_refusals_total{rule=\"other\"} 0");
}
END_TEST

START_TEST(metrics_count_every_refused_call_there_is_by_name)
{
    for (size_t i = 0; i < call_count; i++)
        if (call_rows[i].kind == CALL_NAMED)
            metrics_count_call(call_rows[i].name, 2);
    print();
    assert_line("glovebox_refused_calls_total{call=\"other\"} 0");
    assert_line("glovebox_refused_calls_total{call=\"socket\"} 2");
}
END_TEST

START_TEST(metrics_names_of_calls_cannot_grow_without_end)
{
    char name[32];
    size_t lines = 0;

    for (int i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), "call_%d", i);
        metrics_count_call(name, 1);
    }
    metrics_count_call("so\"cket", 5);
    metrics_count_call("", 5);
    print();
    for (const char *at = text.data;
         (at = strstr(at, "\nglovebox_refused_calls_total{")) != NULL; at++)
        lines++;
    ck_assert_uint_le(lines, 129);
    assert_line("glovebox_refused_calls_total{call=\"other\"} 882");
}
END_TEST

START_TEST(metrics_totals_are_those_of_all_runs)
{
    struct metrics_totals totals;

    metrics_count_run(PROFILE_RESTRICTED, OUTCOME_OK);
    metrics_count_run(PROFILE_STANDARD, OUTCOME_OK);
    metrics_count_run(PROFILE_STANDARD, OUTCOME_KILLED);
    metrics_observe(METRICS_WALL_SECONDS, 1500000);
    metrics_totals(&totals);
    ck_assert_uint_eq(totals.runs, 3);
    ck_assert_uint_eq(totals.runs_ok, 2);
    ck_assert(totals.seconds > 1.49 && totals.seconds < 1.51);
}
END_TEST

static void *
count_many(void *arg)
{
    for (int i = 0; i < 10000; i++)
        metrics_count(METRICS_RELOADS);
    return arg;
}

START_TEST(metrics_lose_no_count_among_threads)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, count_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    print();
    assert_line("glovebox_reloads_total 40000");
}
END_TEST

/* 127: promtool is not here, which is no failure of ours. */
static int
promtool_says(const struct buf *b)
{
    int fds[2], status = 0;
    pid_t pid;

    ck_assert_int_eq(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        (void)dup2(fds[0], STDIN_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        (void)execlp("promtool", "promtool", "check", "metrics", NULL);
        _exit(127);
    }
    (void)close(fds[0]);
    ck_assert_int_eq(write(fds[1], b->data, b->len), (ssize_t)b->len);
    (void)close(fds[1]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(metrics_pass_promtool)
{
    int status;

    metrics_count_request(METRICS_ROUTE_METRICS, 200);
    metrics_observe(METRICS_QUEUE_SECONDS, 17);
    metrics_count_call("openat", 1);
    print();
    status = promtool_says(&text);
    ck_assert_msg(status == 0 || status == 127, "promtool: %d", status);
}
END_TEST

Suite *suite_metrics(void);

Suite *
suite_metrics(void)
{
    Suite *s = suite_create("metrics");
    TCase *t = tcase_create("metrics");

    tcase_set_timeout(t, 20);
    tcase_add_test(t, metrics_count_requests_by_route_and_status);
    tcase_add_test(t, metrics_count_runs_by_profile_and_status);
    tcase_add_test(t, metrics_count_refusals_by_reason);
    tcase_add_test(t, metrics_put_a_value_into_every_bucket_that_holds_it);
    tcase_add_test(t, metrics_keep_bytes_as_bytes);
    tcase_add_test(t, metrics_count_limits_and_rules_by_name);
    tcase_add_test(t, metrics_know_every_rule_of_the_validator);
    tcase_add_test(t, metrics_count_every_refused_call_there_is_by_name);
    tcase_add_test(t, metrics_names_of_calls_cannot_grow_without_end);
    tcase_add_test(t, metrics_totals_are_those_of_all_runs);
    tcase_add_test(t, metrics_lose_no_count_among_threads);
    tcase_add_test(t, metrics_pass_promtool);
    suite_add_tcase(s, t);
    return s;
}
