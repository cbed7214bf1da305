/* jsonrpc: messages taken apart, ids kept byte by byte */
#include "fcgi-app/mcp/jsonrpc.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fenced.h"

Suite *suite_jsonrpc(void);

static struct rpc_message m;
static struct rpc_error e;

static void
set_up(void)
{
    rpc_error_init(&e);
}

static void
tear_down(void)
{
    rpc_error_done(&e);
}

static bool
reads(const char *text)
{
    e.code = 0;
    return rpc_read(fenced(text, strlen(text)), &m, &e);
}

START_TEST(rpc_tells_requests_notifications_and_responses_apart)
{
    static const struct {
        const char *text;
        enum rpc_kind kind;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", RPC_REQUEST },
        { " {\"method\":\"a\" , \"id\":\"x\",\"jsonrpc\":\"2.0\",\"z\":[]}\n",
            RPC_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{}}",
            RPC_NOTIFICATION },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", RPC_RESPONSE },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", RPC_RESPONSE },
        { "{\"\\u006asonrpc\":\"2.0\",\"i\\u0064\":1,\"method\":\"a\"}",
            RPC_REQUEST },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_msg(reads(rows[i].text), "%s: %s", rows[i].text, e.message);
        ck_assert_int_eq(m.kind, rows[i].kind);
    }
}
END_TEST

START_TEST(rpc_refuses_what_is_no_message)
{
    static const struct {
        const char *text;
        int code;
        bool has_id;
    } rows[] = {
        { "", RPC_PARSE_ERROR, false },
        { "{", RPC_PARSE_ERROR, false },
        { "{\"id\":1,\"id\":2}", RPC_PARSE_ERROR, false },
        { "{\"\\u0069d\":1,\"id\":2}", RPC_PARSE_ERROR, false },
        { "{} {}", RPC_PARSE_ERROR, false },
        { "\xff", RPC_PARSE_ERROR, false },
        { "[]", RPC_INVALID_REQUEST, false },
        { "7", RPC_INVALID_REQUEST, false },
        { "{}", RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"2.0\",\"id\":3}", RPC_INVALID_REQUEST, true },
        { "{\"jsonrpc\":\"2.1\",\"id\":3,\"method\":\"a\"}",
            RPC_INVALID_REQUEST, true },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}",
            RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"a\"}",
            RPC_INVALID_REQUEST, false },
        { "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":{}}", RPC_INVALID_REQUEST,
            true },
        { "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\",\"params\":1}",
            RPC_INVALID_REQUEST, true },
        { "{\"jsonrpc\":\"2.0\",\"result\":1}", RPC_INVALID_REQUEST, false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_msg(!reads(rows[i].text), "%s", rows[i].text);
        ck_assert_msg(e.code == rows[i].code, "%s: %d", rows[i].text, e.code);
        ck_assert_msg(
            (m.id.data != NULL) == rows[i].has_id, "%s", rows[i].text);
        ck_assert(e.message[0] != '\0');
    }
}
END_TEST

START_TEST(rpc_id_is_a_string_or_an_integer_of_any_size)
{
    static const char *const good[] = { "0", "-1", "\"\"", "\"a\\u0000\"",
        "99999999999999999999999999999999999999999" };
    static const char *const bad[] = { "null", "true", "1.5", "1e2", "[]", "{}",
        "" };
    char longest[RPC_MAX_ID + 2];

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        ck_assert_msg(
            rpc_is_id(view_of(good[i], strlen(good[i]))), "%s", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(
            !rpc_is_id(view_of(bad[i], strlen(bad[i]))), "%s", bad[i]);
    memset(longest, '1', sizeof(longest));
    ck_assert(rpc_is_id(view_of(longest, RPC_MAX_ID)));
    ck_assert(!rpc_is_id(view_of(longest, RPC_MAX_ID + 1)));
    ck_assert(!rpc_is_id(view_of(NULL, 0)));
}
END_TEST

START_TEST(rpc_id_goes_back_as_it_came)
{
    static const char *const ids[] = { "0", "\"a\\u0062\\/\"", "-0",
        "123456789012345678901234567890" };
    char text[256], wanted[256];
    struct json_writer w;
    struct buf b;

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        (void)snprintf(text, sizeof(text),
            "{\"jsonrpc\":\"2.0\",\"id\": %s ,\"method\":\"a\"}", ids[i]);
        ck_assert(reads(text));
        buf_init(&b, 4096);
        json_writer_init(&w, &b);
        rpc_begin_result(&w, m.id);
        rpc_end_result(&w);
        (void)snprintf(wanted, sizeof(wanted),
            "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", ids[i]);
        ck_assert_str_eq(b.data, wanted);
        buf_done(&b);
    }
}
END_TEST

START_TEST(rpc_error_has_its_data_and_a_null_id_if_there_is_none)
{
    struct json_writer w;
    struct buf b;

    rpc_error_set(&e, -5, "%s \"quoted\"", "a");
    buf_adds(&e.data, "[1]");
    buf_init(&b, 4096);
    json_writer_init(&w, &b);
    rpc_put_error(&w, view_of(NULL, 0), &e);
    ck_assert_str_eq(b.data,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-5,"
        "\"message\":\"a \\\"quoted\\\"\",\"data\":[1]}}");
    buf_done(&b);
}
END_TEST

START_TEST(rpc_error_that_is_too_long_is_cut_between_characters)
{
    char text[2 * RPC_MAX_TEXT];
    size_t len;

    memset(text, 0, sizeof(text));
    for (size_t i = 0; i + 3 < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xbc", 2);
    rpc_error_set(&e, 1, "%s", text);
    len = strlen(e.message);
    ck_assert_uint_ge(len, RPC_MAX_TEXT - 3);
    ck_assert_uint_eq(len % 2, 0);
}
END_TEST

/* "tools/call\0" must not become "tools/call". */
START_TEST(rpc_method_is_never_cut_to_one_we_know)
{
    ck_assert(reads("{\"jsonrpc\":\"2.0\",\"method\":\"ping\\u0000\"}"));
    ck_assert_str_eq(m.method, "ping ");
    ck_assert(reads("{\"jsonrpc\":\"2.0\",\"method\":\"\"}"));
    ck_assert_str_eq(m.method, "");
    ck_assert(reads("{\"jsonrpc\":\"2.0\",\"method\":\"p\\u0069ng\"}"));
    ck_assert_str_eq(m.method, "ping");
}
END_TEST

START_TEST(rpc_params_are_the_text_as_it_was_sent)
{
    ck_assert(reads("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\": "
                    "{\"x\": [1.50, \"\\u0061\"]} }"));
    assert_view(m.params, "{\"x\": [1.50, \"\\u0061\"]}");
    ck_assert(reads("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}"));
    ck_assert_ptr_null(m.params.data);
}
END_TEST

Suite *
suite_jsonrpc(void)
{
    Suite *s = suite_create("jsonrpc");
    TCase *t = tcase_create("jsonrpc");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, rpc_tells_requests_notifications_and_responses_apart);
    tcase_add_test(t, rpc_refuses_what_is_no_message);
    tcase_add_test(t, rpc_id_is_a_string_or_an_integer_of_any_size);
    tcase_add_test(t, rpc_id_goes_back_as_it_came);
    tcase_add_test(t, rpc_error_has_its_data_and_a_null_id_if_there_is_none);
    tcase_add_test(t, rpc_error_that_is_too_long_is_cut_between_characters);
    tcase_add_test(t, rpc_method_is_never_cut_to_one_we_know);
    tcase_add_test(t, rpc_params_are_the_text_as_it_was_sent);
    suite_add_tcase(s, t);
    return s;
}
