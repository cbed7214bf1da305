/* message: what the bridge makes of a line of its client */
#include <check.h>
#include <string.h>

#include "fcgi-app/bridge/message.h"

Suite *suite_message(void);

static const struct {
    const char *line;
    enum message_kind kind;
    const char *id;
} lines[] = {
    { "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", MESSAGE_REQUEST,
        "0" },
    { " {\"id\" : \"a\\u0062\" ,\"method\":\"ping\"}", MESSAGE_REQUEST,
        "\"a\\u0062\"" },
    { "{\"id\":-1,\"method\":\"ping\"}", MESSAGE_REQUEST, "-1" },
    { "{\"id\":123456789012345678901,\"method\":\"x\"}", MESSAGE_REQUEST,
        "123456789012345678901" },
    { "{\"method\":\"notifications/initialized\"}", MESSAGE_SILENT, "null" },
    { "{\"id\":1,\"result\":{}}", MESSAGE_SILENT, "1" },
    { "{\"id\":1,\"error\":{}}", MESSAGE_SILENT, "1" },
    /* Nothing that MCP knows: the service will say so, and is owed. */
    { "{}", MESSAGE_REQUEST, "null" },
    { "{\"id\":null,\"method\":\"ping\"}", MESSAGE_REQUEST, "null" },
    { "{\"id\":{},\"method\":\"ping\"}", MESSAGE_REQUEST, "null" },
    { "{\"id\":true,\"method\":\"ping\"}", MESSAGE_REQUEST, "null" },
    { "{\"id\":7,\"method\":5}", MESSAGE_REQUEST, "7" },
    { "[]", MESSAGE_NOT_ONE, "null" },
    { "\"ping\"", MESSAGE_NOT_ONE, "null" },
    { "", MESSAGE_NOT_JSON, "null" },
    { "{\"id\":1", MESSAGE_NOT_JSON, "null" },
    { "{\"id\":1}{}", MESSAGE_NOT_JSON, "null" },
    { "{\"id\":\"\xff\"}", MESSAGE_NOT_JSON, "null" },
};

static void
expect_text(struct view got, const char *wanted)
{
    ck_assert_uint_eq(got.len, strlen(wanted));
    ck_assert_mem_eq(got.data, wanted, got.len);
}

START_TEST(message_tells_who_is_owed_an_answer)
{
    struct message m;

    message_read(&m, view_of(lines[_i].line, strlen(lines[_i].line)));
    ck_assert_int_eq(m.kind, lines[_i].kind);
    expect_text(m.id, lines[_i].id);
}
END_TEST

#define CANCEL "{\"method\":\"notifications/cancelled\""

static const struct {
    const char *line;
    const char *id; /* NULL: cancels nothing */
} cancels[] = {
    { CANCEL ",\"params\":{\"requestId\":0}}", "0" },
    { CANCEL ",\"params\":{\"reason\":\"x\",\"requestId\":\"a\"}}", "\"a\"" },
    { CANCEL ",\"params\":{\"requestId\":null}}", NULL },
    { CANCEL ",\"params\":{}}", NULL },
    { CANCEL ",\"params\":[1]}", NULL },
    { CANCEL "}", NULL },
    { CANCEL ",\"id\":1,\"params\":{\"requestId\":0}}", NULL },
    { "{\"method\":\"notifications/cancelle\",\"params\":{\"requestId\":0}}",
        NULL },
};

START_TEST(message_names_the_request_it_cancels)
{
    const char *line = cancels[_i].line;
    struct view id;
    struct message m;

    message_read(&m, view_of(line, strlen(line)));
    ck_assert_int_eq(message_cancels(&m, &id), cancels[_i].id != NULL);
    if (cancels[_i].id != NULL)
        expect_text(id, cancels[_i].id);
}
END_TEST

static const struct {
    const char *line;
    const char *name; /* NULL: none */
} names[] = {
    { "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a b\"}}",
        "\"a b\"" },
    { "{\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"}}",
        "\"p\"" },
    { "{\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"x:y\","
      "\"name\":\"n\"}}",
        "\"x:y\"" },
    { "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":1}}", NULL },
    { "{\"id\":1,\"method\":\"tools/call\"}", NULL },
    { "{\"id\":1,\"method\":\"tools/list\",\"params\":{\"name\":\"a\"}}",
        NULL },
};

START_TEST(message_has_the_name_that_a_header_repeats)
{
    struct view name;
    struct message m;

    message_read(&m, view_of(names[_i].line, strlen(names[_i].line)));
    ck_assert_int_eq(message_name(&m, &name), names[_i].name != NULL);
    if (names[_i].name != NULL)
        expect_text(name, names[_i].name);
}
END_TEST

START_TEST(message_of_the_modern_era_has_a_version)
{
    static const char line[] =
        "{\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":"
        "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}";
    struct message m;

    message_read(&m, view_of(line, sizeof(line) - 1));
    expect_text(m.version, "\"2026-07-28\"");
    message_read(&m, view_of("{\"id\":1,\"method\":\"ping\"}", 24));
    ck_assert_uint_eq(m.version.len, 0);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

Suite *
suite_message(void)
{
    Suite *s = suite_create("message");
    TCase *t = tcase_create("message");

    tcase_add_loop_test(
        t, message_tells_who_is_owed_an_answer, 0, COUNT(lines));
    tcase_add_loop_test(
        t, message_names_the_request_it_cancels, 0, COUNT(cancels));
    tcase_add_loop_test(
        t, message_has_the_name_that_a_header_repeats, 0, COUNT(names));
    tcase_add_test(t, message_of_the_modern_era_has_a_version);
    suite_add_tcase(s, t);
    return s;
}
