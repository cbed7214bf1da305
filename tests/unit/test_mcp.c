/* mcp: the room behind POST /mcp, with a fake warden; streams; base64 */
#include "fcgi-app/mcp/mcp.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/mcp/mcp_http.h"
#include "fcgi-app/mcp/mcp_tools.h"
#include "tests/unit/fake_service.h"

Suite *suite_mcp(void);

static struct fake_service fake;
static struct http_response response;
static struct buf told; /* what a stream sent */
static size_t told_max; /* then the client is gone */

static int
take_bytes(void *to, const char *bytes, size_t len)
{
    (void)to;
    buf_add(&told, bytes, len);
    return told.len > told_max ? -EPIPE : 0;
}

/* POST `body` with parameters, NULL-terminated. */
static unsigned
post(const char *body, const char *const *extra)
{
    const char *params[16] = { "CONTENT_TYPE=application/json",
        "HTTP_AUTHORIZATION=Bearer " FAKE_SECRET };
    size_t n = 2;

    for (; extra != NULL && *extra != NULL && n < 15; extra++)
        params[n++] = *extra;
    http_response_done(&response);
    http_response_init(&response);
    response.send = take_bytes;
    buf_reset(&told);
    fake_service_call(&fake, "POST", "/mcp", body, params, &response);
    return response.status;
}

#define CALL(code, meta)                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"     \
    "\"name\":\"run_python\",\"arguments\":{\"code\":\"" code "\"}" meta "}}"
#define TOKEN_META ",\"_meta\":{\"progressToken\":\"t\"}"

static const char *const streaming[] = { "HTTP_ACCEPT=text/event-stream",
    NULL };

static void
assert_has(const struct buf *b, const char *text)
{
    ck_assert_msg(b->data != NULL && strstr(b->data, text) != NULL,
        "%s not in %.2000s", text, b->data == NULL ? "" : b->data);
}

static void
set_up(void)
{
    fake_service_start(&fake, FAKE_SECRET);
    http_response_init(&response);
    buf_init(&told, 1 << 20);
    told_max = SIZE_MAX;
}

static void
tear_down(void)
{
    buf_done(&told);
    http_response_done(&response);
    fake_service_stop(&fake);
}

START_TEST(mcp_runs_code_and_tells_it_twice)
{
    ck_assert_uint_eq(post(CALL("_ = 1", ""), NULL), 200);
    assert_has(&response.body, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":");
    assert_has(&response.body, "\"structuredContent\":{\"success\":true,");
    assert_has(&response.body, "{\\\"success\\\":true,");
    assert_has(&response.body, "\"isError\":false");
    ck_assert_int_eq(atomic_load(&fake.warden.orders) > 0, 1);
    ck_assert(!response.is_stream);
}
END_TEST

START_TEST(mcp_tells_what_could_not_run_in_a_result)
{
    ck_assert_uint_eq(post(CALL("not started", ""), NULL), 200);
    assert_has(&response.body, "\"status\":\"unavailable\"");
    assert_has(&response.body, "Sandbox not initialized; retry in 2 s");
    assert_has(&response.body, "\"isError\":true");
    ck_assert_uint_eq(post(CALL("", ""), NULL), 200);
    assert_has(&response.body, "\"status\":\"rejected\"");
}
END_TEST

/* In the texts that agents read first, and in the list of each profile. */
START_TEST(mcp_names_the_modules_that_the_operator_added)
{
    ck_assert_uint_eq(
        post("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"2025-11-25\","
             "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
             "\"version\":\"1\"}}}",
            NULL),
        200);
    assert_has(&response.body, ", heapq, bisect. There,");
    ck_assert_uint_eq(
        post("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"sandbox_info\",\"arguments\":{}}}",
            NULL),
        200);
    assert_has(&response.body, ",\"heapq\",\"bisect\"]");
}
END_TEST

START_TEST(mcp_check_that_gives_no_findings_says_so)
{
    ck_assert_uint_eq(
        post("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"check_python\",\"arguments\":"
             "{\"code\":\"1\"}}}",
            NULL),
        200);
    assert_has(&response.body, "\"valid\":false");
    assert_has(&response.body, "\"isError\":true");
}
END_TEST

START_TEST(mcp_streams_progress_and_then_the_result)
{
    const char *first, *second, *last;

    ck_assert_uint_eq(post(CALL("_ = 1", TOKEN_META), streaming), 200);
    ck_assert(response.is_stream);
    assert_has(&told, "Content-Type: text/event-stream\r\n");
    assert_has(&told, "X-Accel-Buffering: no\r\n");
    ck_assert_ptr_null(strstr(told.data, "Content-Length"));
    first = strstr(told.data, "\"progress\":1.0,\"total\":30.0,"
                              "\"message\":\"Running for 1 s");
    second = strstr(told.data, "\"progress\":2.0,\"total\":30.0,"
                               "\"message\":\"hello\\n\"");
    last = strstr(told.data, "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\"");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_nonnull(last);
    ck_assert(first < second && second < last);
    ck_assert_str_eq(told.data + told.len - 3, "}\n\n");
}
END_TEST

START_TEST(mcp_stream_whose_reader_is_gone_cancels)
{
    for (told_max = 0; told_max < 600; told_max += 299)
        ck_assert_uint_eq(post(CALL("_ = 1", TOKEN_META), streaming), 0);
}
END_TEST

START_TEST(mcp_streams_only_to_who_asked_and_can_read_it)
{
    static const struct {
        const char *accept;
        bool is_stream;
    } rows[] = {
        { "HTTP_ACCEPT=application/json, text/event-stream", true },
        { "HTTP_ACCEPT=Text/Event-Stream;q=0.5", true },
        { "HTTP_ACCEPT=text/event-stream;q=0.0, application/json", false },
        { "HTTP_ACCEPT=text/event-stream;q=0", false },
        { "HTTP_ACCEPT=*/*", false },
        { "HTTP_ACCEPT=", false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_uint_eq(post(CALL("_ = 1", TOKEN_META),
                              (const char *[]){ rows[i].accept, NULL }),
            200);
        ck_assert_msg(
            response.is_stream == rows[i].is_stream, "%s", rows[i].accept);
    }
    ck_assert_uint_eq(post(CALL("_ = 1", ""), streaming), 200);
    ck_assert(!response.is_stream);
}
END_TEST

START_TEST(mcp_stream_is_bounded_and_only_rises)
{
    char tail[PROGRESS_MAX_TAIL];
    struct http_request request = { 0 };
    struct exchange x = { .request = &request, .response = &response };
    struct mcp_stream s = { .x = &x, .last = -1, .token = { "1", 1, false } };
    size_t len = 0;

    response.send = take_bytes;
    memset(tail, 1, sizeof(tail)); /* six bytes for one */
    for (int i = 0; i < 500; i++) {
        ck_assert(mcp_stream_progress(&s, i, 0, view_of(tail, sizeof(tail))));
        if (i == 250)
            len = told.len;
    }
    ck_assert_uint_eq(told.len, len);
    ck_assert_uint_lt(told.len, MCP_MAX_STREAM + 4096);
    s = (struct mcp_stream){ .x = &x, .last = 3, .token = { "1", 1, false } };
    ck_assert(mcp_stream_progress(&s, 3, 0, view_of("", 0)));
    ck_assert(mcp_stream_progress(&s, 2, 0, view_of("", 0)));
    ck_assert_uint_eq(told.len, len);
    ck_assert(mcp_stream_progress(&s, 4, 0, view_of("", 0)));
    ck_assert_uint_gt(told.len, len);
}
END_TEST

START_TEST(mcp_needs_a_capability_that_the_client_declared)
{
    static const char with[] =
        "{\"io.modelcontextprotocol/clientCapabilities\":{\"roots\":{}}}";
    struct rpc_error e;
    struct mcp_call c = { .era = MCP_MODERN,
        .meta = { with, sizeof(with) - 1, false },
        .error = &e };

    rpc_error_init(&e);
    ck_assert(mcp_needs_capability(&c, "roots"));
    ck_assert_int_eq(e.code, 0);
    ck_assert(!mcp_needs_capability(&c, "sampling"));
    ck_assert_int_eq(e.code, MCP_MISSING_CAPABILITY);
    ck_assert_str_eq(
        e.data.data, "{\"requiredCapabilities\":{\"sampling\":{}}}");
    ck_assert_uint_eq(mcp_error_status(e.code, MCP_MODERN), 400);
    c.era = MCP_LEGACY;
    ck_assert(mcp_needs_capability(&c, "sampling"));
    rpc_error_done(&e);
}
END_TEST

START_TEST(mcp_schemas_are_json_and_texts_are_short)
{
    for (size_t i = 0; i < mcp_tool_count; i++) {
        const struct mcp_tool *t = &mcp_tools[i];

        ck_assert(json_is_value(
            view_of(t->output_schema, strlen(t->output_schema)), 32));
        ck_assert(
            json_is_value(view_of(t->annotations, strlen(t->annotations)), 32));
        ck_assert_uint_lt(strlen(t->description), 2000);
        ck_assert_uint_le(strlen(t->name), 64);
        /* No release has a tool of the test build. */
        ck_assert(strncmp(t->name, "test_", 5) != 0);
    }
}
END_TEST

START_TEST(base64_is_strict)
{
    static const struct {
        const char *text, *plain; /* NULL: refused */
    } rows[] = {
        { "", "" },
        { "Zg==", "f" },
        { "Zm8=", "fo" },
        { "Zm9v", "foo" },
        { "Zm9vYmFy", "foobar" },
        { "+/+/", "\xfb\xff\xbf" },
        { "Zh==", NULL }, /* bits that nothing reads */
        { "Zm9=", NULL },
        { "Zg=", NULL },
        { "Zg", NULL },
        { "Z===", NULL },
        { "====", NULL },
        { "Zg==Zg==", NULL },
        { "Zm9v\n", NULL },
        { "Zm-_", NULL },
        { " Zm9", NULL },
    };
    struct buf b;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        buf_init(&b, 64);
        ck_assert_msg(mcp_base64_decode(&b, rows[i].text,
                          strlen(rows[i].text)) == (rows[i].plain != NULL),
            "%s", rows[i].text);
        if (rows[i].plain != NULL) {
            ck_assert_uint_eq(b.len, strlen(rows[i].plain));
            if (b.len > 0)
                ck_assert_mem_eq(b.data, rows[i].plain, b.len);
        }
        buf_done(&b);
    }
}
END_TEST

Suite *
suite_mcp(void)
{
    Suite *s = suite_create("mcp");
    TCase *t = tcase_create("mcp"), *plain = tcase_create("plain");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, mcp_runs_code_and_tells_it_twice);
    tcase_add_test(t, mcp_tells_what_could_not_run_in_a_result);
    tcase_add_test(t, mcp_names_the_modules_that_the_operator_added);
    tcase_add_test(t, mcp_check_that_gives_no_findings_says_so);
    tcase_add_test(t, mcp_streams_progress_and_then_the_result);
    tcase_add_test(t, mcp_stream_whose_reader_is_gone_cancels);
    tcase_add_test(t, mcp_streams_only_to_who_asked_and_can_read_it);
    tcase_add_test(t, mcp_stream_is_bounded_and_only_rises);
    suite_add_tcase(s, t);
    tcase_add_test(plain, mcp_needs_a_capability_that_the_client_declared);
    tcase_add_test(plain, mcp_schemas_are_json_and_texts_are_short);
    tcase_add_test(plain, base64_is_strict);
    suite_add_tcase(s, plain);
    return s;
}
