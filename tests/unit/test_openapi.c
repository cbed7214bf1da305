/* openapi: the document that is served names what is there, and no more */
#include "fcgi-app/openapi.h"

#include <check.h>
#include <string.h>

#include "fcgi-app/json/reader.h"
#include "fcgi-app/route.h"

Suite *suite_openapi(void);

static struct json_doc *doc;

static void
set_up(void)
{
    static const struct json_bounds bounds = {
        .max_bytes = 1 << 20, .max_depth = 30, .max_values = 20000
    };
    struct json_problem problem = { 0 };

    ck_assert_msg(json_read(view_of(openapi_text, openapi_len), &bounds, &doc,
                      &problem) == 0,
        "%s at %zu", problem.phrase, problem.offset);
}

static void
tear_down(void)
{
    json_doc_free(doc);
}

/* A member of a member ..., NULL-terminated. */
static const struct json_value *
at(const char *const *keys)
{
    const struct json_value *v = json_root(doc);

    for (; *keys != NULL && v != NULL; keys++)
        v = json_member(v, *keys);
    return v;
}

#define AT(...) at((const char *const[]){ __VA_ARGS__, NULL })

START_TEST(openapi_has_every_route_with_its_methods)
{
    for (size_t i = 0; i < route_count; i++) {
        bool is_post = strcmp(routes[i].allow, "POST") == 0;

        ck_assert_msg(
            AT("paths", routes[i].path) != NULL, "%s", routes[i].path);
        ck_assert_int_eq(AT("paths", routes[i].path, "post") != NULL, is_post);
        ck_assert_int_eq(AT("paths", routes[i].path, "get") != NULL, !is_post);
        ck_assert_int_eq(AT("paths", routes[i].path, "head") != NULL, !is_post);
    }
}
END_TEST

START_TEST(openapi_has_no_path_that_is_not_there)
{
    const char *known[32] = { "/nginx_status" }; /* nginx's own */
    const char *unknown;

    for (size_t i = 0; i < route_count; i++)
        known[i + 1] = routes[i].path;
    unknown = json_unknown_key(AT("paths"), known);
    ck_assert_msg(unknown == NULL, "%s", unknown);
}
END_TEST

START_TEST(openapi_lets_only_routes_without_a_token_be_open)
{
    for (size_t i = 0; i < route_count; i++) {
        const char *method = routes[i].who != ROUTE_ANYONE ? "post" : "get";
        const struct json_value *security =
            AT("paths", routes[i].path, method, "security");

        /* Absent: the token that holds for all. */
        ck_assert_int_eq(security == NULL, routes[i].who != ROUTE_ANYONE);
    }
}
END_TEST

static const struct {
    const char *schema;
    const char *fields[17];
} shapes[] = {
    { "Order", { "code", "context", "stdin", "timeout_s", "profile" } },
    { "Outcome",
        { "success", "stdout", "stderr", "return_value", "execution_time",
            "memory_used_mb", "error", "status", "error_detail",
            "stdout_truncated", "stderr_truncated", "return_value_truncated",
            "refused", "profile", "request_id" } },
    { "Error", { "detail", "line", "rule", "hint", "request_id" } },
    { "Findings", { "valid", "findings", "request_id" } },
    { "Health",
        { "status", "service", "version", "mcp_initialized", "uptime_seconds",
            "timestamp", "layers", "problem", "reasons" } },
};

START_TEST(openapi_shapes_have_the_fields_of_the_contract)
{
    const struct json_value *properties =
        AT("components", "schemas", shapes[_i].schema, "properties");

    ck_assert_ptr_nonnull(properties);
    for (size_t i = 0; shapes[_i].fields[i] != NULL; i++)
        ck_assert_msg(json_member(properties, shapes[_i].fields[i]) != NULL,
            "%s.%s", shapes[_i].schema, shapes[_i].fields[i]);
    ck_assert_ptr_null(json_unknown_key(properties, shapes[_i].fields));
}
END_TEST

START_TEST(openapi_has_the_version_of_the_program)
{
    struct view version = json_text(AT("info", "version"));

    ck_assert_uint_eq(version.len, strlen(GLOVEBOX_VERSION));
    ck_assert_mem_eq(version.data, GLOVEBOX_VERSION, version.len);
}
END_TEST

Suite *
suite_openapi(void)
{
    Suite *s = suite_create("openapi");
    TCase *t = tcase_create("openapi");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, openapi_has_every_route_with_its_methods);
    tcase_add_test(t, openapi_has_no_path_that_is_not_there);
    tcase_add_test(t, openapi_lets_only_routes_without_a_token_be_open);
    tcase_add_loop_test(t, openapi_shapes_have_the_fields_of_the_contract, 0,
        sizeof(shapes) / sizeof(shapes[0]));
    tcase_add_test(t, openapi_has_the_version_of_the_program);
    suite_add_tcase(s, t);
    return s;
}
