/* endpoint: which URLs the bridge takes, and the requests it makes */
#include <check.h>
#include <string.h>

#include "fcgi-app/bridge/endpoint.h"

Suite *suite_endpoint(void);

static const struct {
    const char *url;
    bool may_leave;
    const char *authority, *path; /* NULL: refused */
    const char *problem;
} urls[] = {
    { "http://127.0.0.1:8030/mcp", false, "127.0.0.1:8030", "/mcp", NULL },
    { "http://127.0.0.1:8030", false, "127.0.0.1:8030", "/mcp", NULL },
    { "http://localhost/", false, "localhost", "/", NULL },
    { "http://[::1]:8030/a/mcp", false, "[::1]:8030", "/a/mcp", NULL },
    { "http://192.0.2.1:80/mcp", true, "192.0.2.1:80", "/mcp", NULL },
    { "http://192.0.2.1:80/mcp", false, NULL, NULL, "in the clear" },
    { "http://[2001:db8::1]/mcp", false, NULL, NULL, "in the clear" },
    { "https://127.0.0.1/mcp", false, NULL, NULL, "no TLS" },
    { "127.0.0.1:8030", false, NULL, NULL, "not a URL" },
    { "http://127.0.0.1/a b", false, NULL, NULL, "not a URL" },
    { "http://127.0.0.1/a\r\nX: y", false, NULL, NULL, "not a URL" },
    { "http:///mcp", false, NULL, NULL, "not a host" },
    { "http://a@127.0.0.1/mcp", false, NULL, NULL, "not a host" },
    { "http://[::1/mcp", false, NULL, NULL, "not a host" },
    { "http://[::1]8030/mcp", false, NULL, NULL, "not a host" },
    { "http://127.0.0.1:/mcp", false, NULL, NULL, "not a host" },
    { "http://127.0.0.1:65536/mcp", false, NULL, NULL, "not a host" },
};

START_TEST(endpoint_takes_plain_urls_of_this_machine)
{
    char problem[1024] = "";
    struct endpoint e;
    int result = endpoint_init(
        &e, urls[_i].url, urls[_i].may_leave, problem, sizeof(problem));

    ck_assert_msg((result == 0) == (urls[_i].path != NULL), "%s: %s",
        urls[_i].url, problem);
    if (result == 0) {
        ck_assert_str_eq(e.authority, urls[_i].authority);
        ck_assert_str_eq(e.path, urls[_i].path);
        endpoint_done(&e);
    } else {
        ck_assert_ptr_nonnull(strstr(problem, urls[_i].problem));
    }
}
END_TEST

START_TEST(endpoint_refuses_a_url_that_is_too_long)
{
    char url[2048] = "http://127.0.0.1/", problem[64];
    struct endpoint e;

    memset(url + 17, 'a', 300);
    ck_assert_int_eq(endpoint_init(&e, url, false, problem, 64), -1);
    memset(url + 17, 'a', sizeof(url) - 18);
    ck_assert_int_eq(endpoint_init(&e, url, false, problem, 64), -1);
}
END_TEST

START_TEST(endpoint_takes_no_token_that_could_end_a_header)
{
    struct endpoint e = { 0 };
    char longest[1025];

    memset(longest, 'x', sizeof(longest));
    ck_assert(endpoint_set_token(&e, view_of("abc", 3)));
    ck_assert_str_eq(e.token, "abc");
    ck_assert(endpoint_set_token(&e, view_of(longest, 1024)));
    ck_assert(!endpoint_set_token(&e, view_of(longest, 1025)));
    ck_assert(!endpoint_set_token(&e, view_of("", 0)));
    ck_assert(!endpoint_set_token(&e, view_of("a b", 3)));
    ck_assert(!endpoint_set_token(&e, view_of("a\r\nX", 4)));
    ck_assert(!endpoint_set_token(&e, view_of("\xc3\xa9", 2)));
}
END_TEST

/* The head of the request for a message. */
static char *
head_of(const char *line, const char *version)
{
    struct endpoint e = { .authority = "h:1", .path = "/mcp", .token = "t" };
    struct message m;
    struct buf out;
    char *end;

    (void)snprintf(e.version, sizeof(e.version), "%s", version);
    message_read(&m, view_of(line, strlen(line)));
    buf_init(&out, 65536);
    endpoint_request(&e, &m, &out);
    ck_assert(buf_ok(&out));
    end = strstr(out.data, "\r\n\r\n");
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(end + 4, line); /* the message as it was */
    end[2] = '\0';
    return out.data;
}

START_TEST(endpoint_sends_a_legacy_message_with_the_version_agreed_on)
{
    static const char ping[] = "{\"id\":1,\"method\":\"ping\"}";
    char *head = head_of(ping, "2025-11-25");

    ck_assert_int_eq(strncmp(head, "POST /mcp HTTP/1.1\r\n", 20), 0);
    ck_assert_ptr_nonnull(strstr(head, "\r\nHost: h:1\r\n"));
    ck_assert_ptr_nonnull(strstr(head, "\r\nAuthorization: Bearer t\r\n"));
    ck_assert_ptr_nonnull(strstr(head, "\r\nContent-Length: 24\r\n"));
    ck_assert_ptr_nonnull(
        strstr(head, "\r\nMCP-Protocol-Version: 2025-11-25\r\n"));
    ck_assert_ptr_null(strstr(head, "Mcp-Method"));
    free(head);
    head = head_of(ping, "");
    ck_assert_ptr_null(strstr(head, "MCP-Protocol-Version"));
    free(head);
    head = head_of("{\"id\":1,\"method\":\"initialize\"}", "2025-11-25");
    ck_assert_ptr_null(strstr(head, "MCP-Protocol-Version"));
    free(head);
}
END_TEST

static const struct {
    const char *name; /* in JSON */
    const char *header;
} repeated[] = {
    { "run_python", "run_python" },
    { "a b", "a b" },
    { " a", "=?base64?IGE=?=" },
    { "a ", "=?base64?YSA=?=" },
    { "", "=?base64?"
          "?=" },
    { "h\xc3\xa9", "=?base64?aMOp?=" },
    { "\\u00e9", "=?base64?w6k=?=" },
    { "a\\r\\nX: y", "=?base64?YQ0KWDogeQ==?=" },
    { "a\\u007f", "=?base64?YX8=?=" },
    { "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" },
};

START_TEST(endpoint_repeats_a_modern_message_in_headers)
{
    char line[512], wanted[256], *head;

    (void)snprintf(line, sizeof(line),
        "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\"}}}",
        repeated[_i].name);
    head = head_of(line, "2025-11-25");
    (void)snprintf(
        wanted, sizeof(wanted), "\r\nMcp-Name: %s\r\n", repeated[_i].header);
    ck_assert_ptr_nonnull(
        strstr(head, "\r\nMCP-Protocol-Version: 2026-07-28\r\n"));
    ck_assert_ptr_nonnull(strstr(head, "\r\nMcp-Method: tools/call\r\n"));
    ck_assert_msg(strstr(head, wanted) != NULL, "%s", head);
    ck_assert_ptr_null(strstr(head, "2025"));
    free(head);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

Suite *
suite_endpoint(void)
{
    Suite *s = suite_create("endpoint");
    TCase *t = tcase_create("endpoint");

    tcase_add_loop_test(
        t, endpoint_takes_plain_urls_of_this_machine, 0, COUNT(urls));
    tcase_add_test(t, endpoint_refuses_a_url_that_is_too_long);
    tcase_add_test(t, endpoint_takes_no_token_that_could_end_a_header);
    tcase_add_test(
        t, endpoint_sends_a_legacy_message_with_the_version_agreed_on);
    tcase_add_loop_test(
        t, endpoint_repeats_a_modern_message_in_headers, 0, COUNT(repeated));
    suite_add_tcase(s, t);
    return s;
}
