/* route: the table, and the order of checks before and in the handlers */
#include "fcgi-app/route.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/whole_file.h"
#include "tests/support/temp.h"
#include "tests/unit/fake_service.h"

static struct fake_service fake;
static struct http_response response;

#define JSON "CONTENT_TYPE=application/json"
#define TOKEN "HTTP_X_EXECUTOR_TOKEN=" FAKE_SECRET

/* Send a request; `extra` are parameters, NULL-terminated. */
static unsigned
call(const char *method, const char *path, const char *body,
    const char *const *extra)
{
    http_response_done(&response);
    http_response_init(&response);
    fake_service_call(&fake, method, path, body, extra, &response);
    return response.status;
}

static unsigned
execute(const char *body)
{
    return call(
        "POST", "/execute", body, (const char *[]){ TOKEN, JSON, NULL });
}

static void
assert_body_has(const char *text)
{
    ck_assert_msg(strstr(response.body.data, text) != NULL, "%s not in %.500s",
        text, response.body.data);
}

static void
setup_service(void)
{
    fake_service_start(&fake, FAKE_SECRET);
    http_response_init(&response);
}

static void
setup_service_without_token(void)
{
    fake_service_start(&fake, "");
    http_response_init(&response);
}

static void
teardown_service(void)
{
    http_response_done(&response);
    fake_service_stop(&fake);
}

START_TEST(route_finds_whole_paths_only)
{
    static const struct {
        const char *method, *path;
        enum fault fault;
    } rows[] = {
        { "POST", "/execute", FAULT_NONE },
        { "POST", "/validate", FAULT_NONE },
        { "GET", "/health", FAULT_NONE },
        { "HEAD", "/health", FAULT_NONE },
        { "GET", "/health/live", FAULT_NONE },
        { "GET", "/health/ready", FAULT_NONE },
        { "GET", "/metrics", FAULT_NONE },
        { "HEAD", "/metrics", FAULT_NONE },
        { "GET", "/openapi.json", FAULT_NONE },
        { "POST", "/execute/", FAULT_NOT_FOUND },
        { "POST", "/execute-anything", FAULT_NOT_FOUND },
        { "POST", "//execute", FAULT_NOT_FOUND },
        { "POST", "/EXECUTE", FAULT_NOT_FOUND },
        { "POST", "", FAULT_NOT_FOUND },
        { "GET", "/health/", FAULT_NOT_FOUND },
        { "GET", "/execute", FAULT_METHOD },
        { "post", "/execute", FAULT_METHOD },
        { "", "/execute", FAULT_METHOD },
        { "PO", "/execute", FAULT_METHOD },
        { "POSTS", "/execute", FAULT_METHOD },
        { "POST", "/health", FAULT_METHOD },
        { "GET, HEAD", "/health", FAULT_METHOD },
        { " HEAD", "/health", FAULT_METHOD },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct route *route = NULL;

        ck_assert_msg(
            route_find(rows[i].method, rows[i].path, &route) == rows[i].fault,
            "%s %s", rows[i].method, rows[i].path);
    }
}
END_TEST

START_TEST(route_lets_nobody_but_a_token_run_code)
{
    for (size_t i = 0; i < route_count; i++)
        if (strcmp(routes[i].allow, "POST") == 0)
            ck_assert_int_ne(routes[i].who, ROUTE_ANYONE);
}
END_TEST

START_TEST(route_answers_an_unknown_path_with_404)
{
    ck_assert_uint_eq(call("GET", "/nowhere", "", NULL), 404);
    assert_body_has("\"request_id\":\"r1\"");
}
END_TEST

START_TEST(route_answers_a_wrong_method_with_what_is_allowed)
{
    ck_assert_uint_eq(call("GET", "/execute", "", NULL), 405);
    ck_assert_str_eq(response.allow, "POST");
    ck_assert_uint_eq(call("POST", "/health", "", NULL), 405);
    ck_assert_str_eq(response.allow, "GET, HEAD");
}
END_TEST

START_TEST(route_says_503_to_everybody_when_no_token_is_configured)
{
    ck_assert_uint_eq(execute("{\"code\":\"1\"}"), 503);
    assert_body_has("API token not configured");
    ck_assert_uint_eq(call("POST", "/execute", "", NULL), 503);
    ck_assert_uint_eq(call("GET", "/execute", "", NULL), 405);
}
END_TEST

/* Each request breaks the rule of its row and all rules below it. */
START_TEST(route_checks_in_the_order_of_the_contract)
{
    static char large[65537 + 1];
    const char *bad_type = "CONTENT_TYPE=text/plain";

    memset(large, 'x', sizeof(large) - 1);
    ck_assert_uint_eq(call("PUT", "/nowhere", large, NULL), 404);
    ck_assert_uint_eq(call("PUT", "/execute", large, NULL), 405);
    ck_assert_uint_eq(
        call("POST", "/execute", large, (const char *[]){ bad_type, NULL }),
        401);
    ck_assert_uint_eq(call("POST", "/execute", large,
                          (const char *[]){ TOKEN, bad_type, NULL }),
        413);
    ck_assert_uint_eq(call("POST", "/execute", "{",
                          (const char *[]){ TOKEN, bad_type, NULL }),
        415);
    ck_assert_uint_eq(execute("{"), 422);
    ck_assert_uint_eq(execute("{\"code\":1,\"context\":{\"_\":1}}"), 422);
    ck_assert_uint_eq(execute("{\"code\":\"\",\"context\":{\"_\":1}}"), 400);
    assert_body_has("Code payload is empty");
    ck_assert_uint_eq(execute("{\"code\":\"1\",\"context\":{\"_\":1}}"), 400);
    assert_body_has("Context key '_' is reserved");
    ck_assert_int_eq(atomic_load(&fake.warden.orders) > 0, 1);
}
END_TEST

START_TEST(route_refuses_a_token_sent_twice)
{
    ck_assert_uint_eq(call("POST", "/execute", "{\"code\":\"1\"}",
                          (const char *[]){ TOKEN, TOKEN, JSON, NULL }),
        401);
    ck_assert(response.has_challenge);
}
END_TEST

START_TEST(route_refuses_a_malformed_request)
{
    ck_assert_uint_eq(
        call("POST", "/execute", "{\"code\":\"1\"}",
            (const char *[]){ TOKEN, JSON, "CONTENT_LENGTH=3", NULL }),
        400);
    assert_body_has("Malformed request");
}
END_TEST

START_TEST(execute_answers_with_the_outcome)
{
    ck_assert_uint_eq(execute("{\"code\":\"_ = 285\"}"), 200);
    assert_body_has("{\"success\":true,\"stdout\":\"hello\\n\"");
    assert_body_has("\"return_value\":285");
    assert_body_has("\"request_id\":\"r1\"");
}
END_TEST

START_TEST(execute_answers_503_when_there_is_no_box)
{
    ck_assert_uint_eq(execute("{\"code\":\"not started\"}"), 503);
    assert_body_has("Sandbox not initialized");
    ck_assert_uint_gt(response.retry_after_s, 0);
}
END_TEST

START_TEST(execute_answers_503_when_the_service_stops)
{
    runs_stop(fake.service.runs);
    ck_assert_uint_eq(execute("{\"code\":\"1\"}"), 503);
}
END_TEST

START_TEST(execute_survives_the_loss_of_a_warden)
{
    ck_assert_uint_eq(execute("{\"code\":\"die once\"}"), 200);
}
END_TEST

START_TEST(health_is_healthy_once_a_canary_has_worked)
{
    fake_service_await_health(&fake);
    ck_assert_uint_eq(call("GET", "/health", "", NULL), 200);
    assert_body_has("{\"status\":\"healthy\",\"service\":");
    assert_body_has("\"mcp_initialized\":true");
    assert_body_has("\"layers\":{\"seccomp\":true,\"landlock\":false}");
    ck_assert_uint_eq(call("GET", "/health/ready", "", NULL), 200);
}
END_TEST

START_TEST(health_is_degraded_when_the_canary_stops_working)
{
    fake_service_await_health(&fake);
    atomic_store(&fake.warden.is_mute, true);
    fake_warden_kill(&fake.warden);
    for (int i = 0; i < 100 && call("GET", "/health", "", NULL) == 200; i++)
        (void)usleep(50000);
    ck_assert_uint_eq(response.status, 503);
    assert_body_has("\"status\":\"degraded\"");
    assert_body_has("\"reasons\":[\"");
    ck_assert_uint_eq(call("GET", "/health/ready", "", NULL), 503);
    ck_assert_uint_eq(call("GET", "/health/live", "", NULL), 200);
}
END_TEST

START_TEST(health_is_degraded_while_stopping)
{
    fake_service_await_health(&fake);
    atomic_store(&fake.service.is_stopping, true);
    ck_assert_uint_eq(call("GET", "/health", "", NULL), 503);
    assert_body_has("\"problem\":\"stopping\",\"reasons\":[\"stopping\"]");
}
END_TEST

/* Send the audit lines of the tests to a path; "" for nowhere again. */
static void
audit_to(const char *path, uint32_t on_error)
{
    struct settings s = { .audit_on_error = on_error };

    (void)snprintf(s.audit_log, sizeof(s.audit_log), "%s", path);
    ck_assert_int_eq(audit_open(&s), 0);
}

START_TEST(execute_without_an_audit_line_is_refused_if_that_is_the_policy)
{
    int orders;

    fake_service_await_health(&fake);
    audit_to("/dev/full", AUDIT_REFUSE);
    ck_assert_uint_eq(execute("{\"code\":\"hello\"}"), 503);
    assert_body_has("The audit trail cannot be written");
    ck_assert_uint_gt(response.retry_after_s, 0);
    /* From now on nothing is even run. */
    orders = atomic_load(&fake.warden.orders);
    ck_assert_uint_eq(execute("{\"code\":\"slow\"}"), 503);
    ck_assert_int_le(atomic_load(&fake.warden.orders), orders + 2); /* canary */
    ck_assert_uint_eq(call("GET", "/health", "", NULL), 503);
    assert_body_has("audit lines cannot be written; nothing is run");
    ck_assert_uint_eq(call("GET", "/health/ready", "", NULL), 503);
    ck_assert_uint_eq(call("GET", "/health/live", "", NULL), 200);
    /* What was refused anyway stays what it is. */
    ck_assert_uint_eq(call("POST", "/execute", "", NULL), 401);
    audit_to("", AUDIT_WARN);
    ck_assert_uint_eq(execute("{\"code\":\"hello\"}"), 200);
}
END_TEST

START_TEST(execute_without_an_audit_line_is_served_if_that_is_the_policy)
{
    fake_service_await_health(&fake);
    audit_to("/dev/full", AUDIT_WARN);
    ck_assert_uint_eq(execute("{\"code\":\"hello\"}"), 200);
    ck_assert_uint_eq(call("GET", "/health", "", NULL), 503);
    assert_body_has("\"reasons\":[\"audit lines cannot be written\"]");
    ck_assert_uint_eq(call("GET", "/health/ready", "", NULL), 200);
    ck_assert_uint_eq(call("GET", "/metrics", "", NULL), 200);
    assert_body_has("\nglovebox_audit_failing 1\n");
    audit_to("", AUDIT_WARN);
    ck_assert_uint_eq(call("GET", "/health", "", NULL), 200);
}
END_TEST

static size_t
count_lines(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

START_TEST(every_request_to_run_or_check_code_leaves_one_line)
{
    static const struct {
        const char *path, *body, *status;
        bool has_token;
    } rows[] = {
        { "/execute", "", "\"status\":\"token\",\"http_status\":401", false },
        { "/execute", "{", "\"status\":\"json\",\"http_status\":422", true },
        { "/execute", "{}", "\"status\":\"field\",\"http_status\":422", true },
        { "/execute", "{\"code\":\"\"}",
            "\"status\":\"refused\",\"http_status\":400", true },
        { "/execute", "{\"code\":\"x\"}",
            "\"status\":\"ok\",\"http_status\":200", true },
        { "/execute", "{\"code\":\"not started\"}",
            "\"status\":\"sandbox\",\"http_status\":503", true },
        { "/validate", "{\"code\":\"x\",\"context\":{\"_\":1}}",
            "\"route\":\"validate\"", true },
    };
    char path[TEMP_MAX];
    int fd = temp_file(path);
    struct buf lines;

    ck_assert_int_ge(fd, 0);
    audit_to(path, AUDIT_REFUSE);
    buf_init(&lines, 1u << 20);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)call("POST", rows[i].path, rows[i].body,
            (const char *[]){ JSON, rows[i].has_token ? TOKEN : NULL, NULL });
        buf_reset(&lines);
        ck_assert_int_eq(whole_file_read(path, &lines), 0);
        ck_assert_uint_eq(count_lines(lines.data), i + 1);
        ck_assert_msg(strstr(lines.data, rows[i].status) != NULL, "%zu: %s", i,
            lines.data);
    }
    buf_done(&lines);
    audit_to("", AUDIT_WARN);
    (void)close(fd);
    (void)unlink(path);
}
END_TEST

START_TEST(execute_tells_where_the_time_went_when_asked)
{
    struct buf head;

    ck_assert_uint_eq(execute("{\"code\":\"x\"}"), 200);
    ck_assert_str_eq(response.timing, "");
    ck_assert_uint_eq(
        call("POST", "/execute", "{\"code\":\"x\"}",
            (const char *[]){ TOKEN, JSON, "HTTP_X_GLOVEBOX_TIMING=1", NULL }),
        200);
    ck_assert_int_eq(strncmp(response.timing, "queue;dur=", 10), 0);
    ck_assert_ptr_nonnull(strstr(response.timing, ", collect;dur="));
    buf_init(&head, 1024);
    http_response_head(
        &response, &(struct http_request){ .request_id = "r" }, &head);
    ck_assert_ptr_nonnull(strstr(head.data, "\r\nServer-Timing: queue;dur="));
    buf_done(&head);
}
END_TEST

START_TEST(metrics_give_six_figures_as_json_when_asked)
{
    fake_service_await_health(&fake);
    ck_assert_uint_eq(execute("{\"code\":\"_ = 285\"}"), 200);
    ck_assert_uint_eq(call("GET", "/metrics", "",
                          (const char *[]){ "QUERY_STRING=format=json", NULL }),
        200);
    ck_assert_int_eq(response.type, HTTP_TYPE_JSON);
    assert_body_has("{\"total_executions\":1,\"successful_executions\":1,"
                    "\"failed_executions\":0,\"average_execution_time\":");
    assert_body_has(",\"active_executions\":0,\"uptime_seconds\":");
    ck_assert_uint_eq(
        call("GET", "/metrics", "",
            (const char *[]){ "HTTP_ACCEPT=application/json", NULL }),
        200);
    ck_assert_int_eq(response.type, HTTP_TYPE_JSON);
    ck_assert_uint_eq(call("GET", "/metrics", "",
                          (const char *[]){ "HTTP_ACCEPT=*/*", NULL }),
        200);
    ck_assert_int_eq(response.type, HTTP_TYPE_METRICS);
}
END_TEST

START_TEST(openapi_is_served_to_anyone)
{
    ck_assert_uint_eq(call("GET", "/openapi.json", "", NULL), 200);
    assert_body_has("\"openapi\": \"3.1.0\"");
}
END_TEST

START_TEST(counters_are_kept_over_a_reload)
{
    char kept[1024] = "";

    ck_assert_uint_eq(execute("{\"code\":\"_ = 285\"}"), 200);
    ck_assert_int_eq(
        service_reload(&fake.service,
            config_load(NULL, (char *[]){ NULL }, kept, sizeof(kept)), kept,
            sizeof(kept)),
        0);
    ck_assert_uint_eq(call("GET", "/metrics", "", NULL), 200);
    assert_body_has("\nglovebox_executions_total{profile=\"restricted\","
                    "status=\"ok\"} 1\n");
}
END_TEST

START_TEST(health_answers_head_without_a_body)
{
    fake_service_await_health(&fake);
    ck_assert_uint_eq(call("HEAD", "/health", "", NULL), 200);
    ck_assert(response.has_no_body);
    ck_assert_uint_gt(response.body.len, 0);
}
END_TEST

START_TEST(metrics_tell_of_places_boxes_and_the_process)
{
    fake_service_await_health(&fake);
    ck_assert_uint_eq(execute("{\"code\":\"_ = 285\"}"), 200);
    ck_assert_uint_eq(call("GET", "/metrics", "", NULL), 200);
    ck_assert_int_eq(response.type, HTTP_TYPE_METRICS);
    assert_body_has("\nglovebox_places 2\n");
    assert_body_has("\nglovebox_places_taken 0\n");
    assert_body_has("\nglovebox_sandbox_ready 1\n");
    assert_body_has("\nglovebox_layer_on{layer=\"landlock\"} 0\n");
    assert_body_has("\nglovebox_boxes_total{profile=\"restricted\"} 7\n");
    assert_body_has("\nglovebox_executions_total{profile=\"restricted\","
                    "status=\"ok\"} 1\n");
    assert_body_has("\nprocess_resident_memory_bytes ");
}
END_TEST

static struct config *
config_with_token(const char *token)
{
    char setting[128], places[] = "MAX_CONCURRENT_EXECUTIONS=7";
    char *envp[] = { setting, places, NULL };
    char problems[1024];

    (void)snprintf(setting, sizeof(setting), "EXECUTOR_API_TOKEN=%s", token);
    return config_load(NULL, envp, problems, sizeof(problems));
}

START_TEST(reload_changes_tokens_and_names_what_needs_a_restart)
{
    char kept[1024] = "";

    ck_assert_uint_eq(execute("{\"code\":\"1\"}"), 200);
    ck_assert_int_eq(
        service_reload(&fake.service,
            config_with_token("another-secret-of-tests"), kept, sizeof(kept)),
        0);
    ck_assert_uint_eq(execute("{\"code\":\"1\"}"), 401);
    ck_assert_ptr_nonnull(strstr(kept, "MAX_CONCURRENT_EXECUTIONS"));
}
END_TEST

Suite *suite_route(void);

Suite *
suite_route(void)
{
    Suite *s = suite_create("route");
    TCase *t = tcase_create("table");

    tcase_add_test(t, route_finds_whole_paths_only);
    tcase_add_test(t, route_lets_nobody_but_a_token_run_code);
    suite_add_tcase(s, t);

    t = tcase_create("without a token");
    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, setup_service_without_token, teardown_service);
    tcase_add_test(t, route_says_503_to_everybody_when_no_token_is_configured);
    suite_add_tcase(s, t);

    t = tcase_create("calls");
    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, setup_service, teardown_service);
    tcase_add_test(t, route_answers_an_unknown_path_with_404);
    tcase_add_test(t, route_answers_a_wrong_method_with_what_is_allowed);
    tcase_add_test(t, route_checks_in_the_order_of_the_contract);
    tcase_add_test(t, route_refuses_a_token_sent_twice);
    tcase_add_test(t, route_refuses_a_malformed_request);
    tcase_add_test(t, execute_answers_with_the_outcome);
    tcase_add_test(t, execute_answers_503_when_there_is_no_box);
    tcase_add_test(t, execute_answers_503_when_the_service_stops);
    tcase_add_test(t, execute_survives_the_loss_of_a_warden);
    tcase_add_test(t, health_is_healthy_once_a_canary_has_worked);
    tcase_add_test(t, health_is_degraded_when_the_canary_stops_working);
    tcase_add_test(t, health_is_degraded_while_stopping);
    tcase_add_test(
        t, execute_without_an_audit_line_is_refused_if_that_is_the_policy);
    tcase_add_test(
        t, execute_without_an_audit_line_is_served_if_that_is_the_policy);
    tcase_add_test(t, every_request_to_run_or_check_code_leaves_one_line);
    tcase_add_test(t, execute_tells_where_the_time_went_when_asked);
    tcase_add_test(t, metrics_give_six_figures_as_json_when_asked);
    tcase_add_test(t, openapi_is_served_to_anyone);
    tcase_add_test(t, counters_are_kept_over_a_reload);
    tcase_add_test(t, health_answers_head_without_a_body);
    tcase_add_test(t, metrics_tell_of_places_boxes_and_the_process);
    tcase_add_test(t, reload_changes_tokens_and_names_what_needs_a_restart);
    suite_add_tcase(s, t);
    return s;
}
