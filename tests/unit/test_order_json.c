/* order_json and context: what a request may say, at every boundary */
#include <check.h>
#include <string.h>

#include "fcgi-app/order_json.h"
#include "sandbox/wire/profile.h"

Suite *suite_order_json(void);

static struct settings settings;
static struct token token;
static struct order_parse parse;
static char detail[ORDER_MAX_DETAIL];

static void
set_up(void)
{
    char *envp[] = { NULL };
    char problems[512];

    ck_assert_int_eq(
        settings_load(&settings, NULL, envp, problems, sizeof(problems)), 0);
    memset(&token, 0, sizeof(token));
    token.profiles = 1u << PROFILE_RESTRICTED | 1u << PROFILE_STANDARD;
    order_parse_init(&parse);
}

static void
tear_down(void)
{
    order_parse_done(&parse);
}

static enum fault
read_bytes(const char *body, size_t len)
{
    order_parse_done(&parse);
    order_parse_init(&parse);
    return order_from_json(
        &parse, view_of(body, len), &settings, &token, detail, sizeof(detail));
}

static enum fault
read_body(const char *body)
{
    return read_bytes(body, strlen(body));
}

static bool
view_is(struct view v, const char *text)
{
    return v.len == strlen(text) &&
           (v.len == 0 || memcmp(v.data, text, v.len) == 0);
}

START_TEST(order_of_code_alone_has_the_presets)
{
    ck_assert_int_eq(read_body("{\"code\":\"_ = 1\"}"), FAULT_NONE);
    ck_assert(view_is(parse.order.code, "_ = 1"));
    ck_assert_uint_eq(parse.order.kind, ORDER_RUN);
    ck_assert_uint_eq(parse.order.profile, PROFILE_RESTRICTED);
    ck_assert_uint_eq(parse.order.wall_ms, 30000);
    ck_assert_uint_eq(parse.order.cpu_ms, 15000);
    ck_assert_uint_eq(parse.order.memory_bytes, 128 << 20);
    ck_assert_uint_eq(parse.order.output_bytes, 65536);
    ck_assert_uint_eq(parse.order.return_bytes, 65536);
    ck_assert_uint_eq(parse.order.ast_nodes, 5000);
    ck_assert_uint_eq(parse.order.context.len, 0);
    ck_assert_uint_eq(parse.order.stdin_text.len, 0);
    ck_assert_str_eq(parse.context_detail, "");
}
END_TEST

START_TEST(order_of_nulls_has_the_presets_too)
{
    ck_assert_int_eq(
        read_body("{\"code\":\"1\",\"context\":null,\"stdin\":null,"
                  "\"timeout_s\":null,\"profile\":null}"),
        FAULT_NONE);
    ck_assert_uint_eq(parse.order.wall_ms, 30000);
    ck_assert_uint_eq(parse.order.profile, PROFILE_RESTRICTED);
    ck_assert_uint_eq(parse.order.context.len, 0);
}
END_TEST

START_TEST(order_takes_all_five_fields)
{
    ck_assert_int_eq(
        read_body("{\"code\":\"a\\u00e9\\n\",\"context\":{ \"x\" : 1.50 },"
                  "\"stdin\":\"in\\u0000put\",\"timeout_s\":2.5,"
                  "\"profile\":\"standard\"}"),
        FAULT_NONE);
    ck_assert(view_is(parse.order.code, "a\xc3\xa9\n"));
    ck_assert(view_is(parse.order.context, "{\"x\":1.50}"));
    ck_assert_uint_eq(parse.order.stdin_text.len, 6);
    ck_assert_uint_eq(parse.order.wall_ms, 2500);
    ck_assert_uint_eq(parse.order.cpu_ms, 1250);
    ck_assert_uint_eq(parse.order.profile, PROFILE_STANDARD);
    ck_assert_uint_eq(parse.keys.count, 1);
    ck_assert_str_eq(parse.keys.names[0], "x");
}
END_TEST

static const struct {
    const char *body;
    enum fault fault;
    const char *detail; /* begins with this */
} refused[] = {
    { "", FAULT_JSON, "Request body is not valid JSON: it ends too early" },
    { "{", FAULT_JSON, "Request body is not valid JSON" },
    { "{\"code\":\"1\"} x", FAULT_JSON,
        "Request body is not valid JSON: something follows the value" },
    { "{\"code\":\"1\",\"timeout_s\":NaN}", FAULT_JSON,
        "Request body is not valid JSON: a value was expected, at byte 24" },
    { "{\"code\":\"1\",\"code\":\"2\"}", FAULT_JSON,
        "Request body is not valid JSON: a key is there twice" },
    { "{\"code\":\"1\",\"c\\u006fde\":\"2\"}", FAULT_JSON,
        "Request body is not valid JSON: a key is there twice" },
    { "{\"co\\u0000de\":\"1\"}", FAULT_JSON,
        "Request body is not valid JSON: a key has a NUL in it" },
    { "{\"code\":\"\xff\"}", FAULT_JSON,
        "Request body is not valid JSON: a string is not valid UTF-8" },
    { "{\"code\":\"\xed\xa0\x80\"}", FAULT_JSON,
        "Request body is not valid JSON: a string is not valid UTF-8" },
    { "{\"code\":\"a\nb\"}", FAULT_JSON,
        "Request body is not valid JSON: a control character" },
    { "{\"code\":\"1\",\"context\":{\"a\":1,\"a\":2}}", FAULT_JSON,
        "Request body is not valid JSON: a key is there twice" },
    { "[]", FAULT_FIELD, "Body must be a JSON object" },
    { "\"code\"", FAULT_FIELD, "Body must be a JSON object" },
    { "null", FAULT_FIELD, "Body must be a JSON object" },
    { "{}", FAULT_FIELD, "Field 'code' is required" },
    { "{\"code\":null}", FAULT_FIELD, "Field 'code' is required" },
    { "{\"code\":1}", FAULT_FIELD, "Field 'code' must be a string" },
    { "{\"code\":[\"1\"]}", FAULT_FIELD, "Field 'code' must be a string" },
    { "{\"code\":{}}", FAULT_FIELD, "Field 'code' must be a string" },
    { "{\"code\":true}", FAULT_FIELD, "Field 'code' must be a string" },
    { "{\"kode\":\"1\"}", FAULT_FIELD,
        "Unknown field 'kode'; expected code, context, stdin, timeout_s, "
        "profile" },
    { "{\"code\":\"1\",\"timeout\":1}", FAULT_FIELD,
        "Unknown field 'timeout'" },
    { "{\"code\":\"1\",\"Code\":1}", FAULT_FIELD, "Unknown field 'Code'" },
    { "{\"code\":\"1\",\"a\\nb\\u001b\":1}", FAULT_FIELD,
        "Unknown field 'a b '" },
    { "{\"code\":\"1\",\"context\":[]}", FAULT_FIELD,
        "Field 'context' must be an object or null" },
    { "{\"code\":\"1\",\"context\":\"{}\"}", FAULT_FIELD,
        "Field 'context' must be an object or null" },
    { "{\"code\":\"1\",\"context\":1}", FAULT_FIELD,
        "Field 'context' must be an object or null" },
    { "{\"code\":\"1\",\"context\":false}", FAULT_FIELD,
        "Field 'context' must be an object or null" },
    { "{\"code\":\"1\",\"context\":{\"a\":\"\\ud800\"}}", FAULT_FIELD,
        "Field 'context' has a lone surrogate" },
    { "{\"code\":\"1\",\"stdin\":1}", FAULT_FIELD,
        "Field 'stdin' must be a string or null" },
    { "{\"code\":\"1\",\"stdin\":[]}", FAULT_FIELD,
        "Field 'stdin' must be a string or null" },
    { "{\"code\":\"1\",\"stdin\":\"\\udc00\"}", FAULT_FIELD,
        "Field 'stdin' has a lone surrogate" },
    { "{\"code\":\"1\",\"timeout_s\":0}", FAULT_FIELD,
        "Field 'timeout_s' must be a number greater than 0" },
    { "{\"code\":\"1\",\"timeout_s\":-1}", FAULT_FIELD, "Field 'timeout_s'" },
    { "{\"code\":\"1\",\"timeout_s\":-1e999}", FAULT_FIELD,
        "Field 'timeout_s'" },
    { "{\"code\":\"1\",\"timeout_s\":1e-999}", FAULT_FIELD,
        "Field 'timeout_s'" },
    { "{\"code\":\"1\",\"timeout_s\":\"5\"}", FAULT_FIELD,
        "Field 'timeout_s'" },
    { "{\"code\":\"1\",\"timeout_s\":true}", FAULT_FIELD, "Field 'timeout_s'" },
    { "{\"code\":\"1\",\"timeout_s\":[1]}", FAULT_FIELD, "Field 'timeout_s'" },
    { "{\"code\":\"1\",\"profile\":1}", FAULT_FIELD,
        "Field 'profile' must be a string or null" },
    { "{\"code\":\"1\",\"profile\":\"\"}", FAULT_FIELD,
        "Field 'profile' must be one that this token may use: 'restricted', "
        "'standard'" },
    { "{\"code\":\"1\",\"profile\":\"Standard\"}", FAULT_FIELD,
        "Field 'profile' must be one" },
    { "{\"code\":\"1\",\"profile\":\"standard\\u0000\"}", FAULT_FIELD,
        "Field 'profile' must be one" },
    { "{\"code\":\"\"}", FAULT_REFUSED, "Code payload is empty" },
    { "{\"code\":\" \\t\\r\\n\\f\"}", FAULT_REFUSED, "Code payload is empty" },
    { "{\"code\":\"x = '\\ud800'\"}", FAULT_REFUSED,
        "Code failed to parse: it has a lone surrogate in it" },
    /* The schema comes before the code, whatever the order in the body. */
    { "{\"code\":\"\",\"timeout_s\":0}", FAULT_FIELD, "Field 'timeout_s'" },
};

START_TEST(order_is_refused_with_a_detail_that_names_the_field)
{
    const char *want = refused[_i].detail;

    ck_assert_int_eq(read_body(refused[_i].body), refused[_i].fault);
    ck_assert_msg(strncmp(detail, want, strlen(want)) == 0, "%s: %s",
        refused[_i].body, detail);
}
END_TEST

/* A body whose code is `len` letters. */
static void
code_of(struct buf *b, size_t len)
{
    buf_init(b, len + 100);
    buf_adds(b, "{\"code\":\"");
    for (size_t i = 0; i < len; i++)
        buf_addc(b, 'x');
    buf_adds(b, "\"}");
}

START_TEST(order_code_of_exactly_the_limit_passes)
{
    struct buf b;

    code_of(&b, 10000);
    ck_assert_int_eq(read_body(b.data), FAULT_NONE);
    buf_done(&b);
    code_of(&b, 10001);
    ck_assert_int_eq(read_body(b.data), FAULT_REFUSED);
    ck_assert_str_eq(
        detail, "Code payload is 10001 bytes; limit is 10000 bytes");
    /* For the audit line it is there all the same. */
    ck_assert_uint_eq(parse.order.code.len, 10001);
    buf_done(&b);
}
END_TEST

START_TEST(order_code_is_measured_in_bytes_of_utf8)
{
    settings.code_bytes = 4;
    ck_assert_int_eq(read_body("{\"code\":\"\\u00e9\xc3\xa9\"}"), FAULT_NONE);
    ck_assert_int_eq(
        read_body("{\"code\":\"\\u00e9\\u00e9x\"}"), FAULT_REFUSED);
    ck_assert_str_eq(detail, "Code payload is 5 bytes; limit is 4 bytes");
    ck_assert_int_eq(read_body("{\"code\":\"\\ud83d\\ude00\"}"), FAULT_NONE);
}
END_TEST

START_TEST(order_size_is_told_before_a_surrogate_and_emptiness_first)
{
    settings.code_bytes = 2;
    ck_assert_int_eq(read_body("{\"code\":\"\\ud800\"}"), FAULT_REFUSED);
    ck_assert_str_eq(detail, "Code payload is 3 bytes; limit is 2 bytes");
    ck_assert_int_eq(read_body("{\"code\":\"    \"}"), FAULT_REFUSED);
    ck_assert_str_eq(detail, "Code payload is empty");
}
END_TEST

START_TEST(order_code_keeps_nul_bytes_for_the_box_to_refuse)
{
    ck_assert_int_eq(read_body("{\"code\":\"a\\u0000b\"}"), FAULT_NONE);
    ck_assert_uint_eq(parse.order.code.len, 3);
    ck_assert_int_eq(memcmp(parse.order.code.data, "a\0b", 3), 0);
    ck_assert_int_eq(read_body("{\"code\":\"\\u0000\"}"), FAULT_NONE);
}
END_TEST

START_TEST(order_token_limits_can_only_lower)
{
    token.limits = (struct token_limits){
        .wall_ms = 4000, .memory_mb = 32, .code_bytes = 3
    };
    ck_assert_int_eq(read_body("{\"code\":\"123\"}"), FAULT_NONE);
    ck_assert_uint_eq(parse.order.wall_ms, 4000);
    ck_assert_uint_eq(parse.order.cpu_ms, 2000);
    ck_assert_uint_eq(parse.order.memory_bytes, 32 << 20);
    ck_assert_int_eq(read_body("{\"code\":\"1234\"}"), FAULT_REFUSED);
    ck_assert_str_eq(detail, "Code payload is 4 bytes; limit is 3 bytes");
    token.limits = (struct token_limits){
        .wall_ms = 40000, .memory_mb = 320, .code_bytes = 30000
    };
    ck_assert_int_eq(read_body("{\"code\":\"123\"}"), FAULT_NONE);
    ck_assert_uint_eq(parse.order.wall_ms, 30000);
    ck_assert_uint_eq(parse.order.memory_bytes, 128 << 20);
}
END_TEST

static const struct {
    const char *timeout;
    uint32_t wall_ms;
} timeouts[] = {
    { "1", 1000 },
    { "0.5", 500 },
    { "0.0001", 1 },
    { "0.0011", 2 },
    { "29.999", 29999 },
    { "30", 30000 },
    { "31", 30000 },
    { "1e999", 30000 },
    { "99999999999999999999999", 30000 },
    { "1e1", 10000 },
};

START_TEST(order_timeout_can_only_lower_the_limit)
{
    char body[128];

    (void)snprintf(body, sizeof(body), "{\"code\":\"1\",\"timeout_s\":%s}",
        timeouts[_i].timeout);
    ck_assert_int_eq(read_body(body), FAULT_NONE);
    ck_assert_uint_eq(parse.order.wall_ms, timeouts[_i].wall_ms);
    ck_assert_uint_ge(parse.order.cpu_ms, 1000);
}
END_TEST

START_TEST(order_profile_must_be_the_tokens)
{
    token.profiles = 1u << PROFILE_RESTRICTED;
    ck_assert_int_eq(
        read_body("{\"code\":\"1\",\"profile\":\"standard\"}"), FAULT_FIELD);
    ck_assert_str_eq(detail,
        "Field 'profile' must be one that this token may use: 'restricted'");
    token.profiles = 1u << PROFILE_STANDARD;
    ck_assert_int_eq(
        read_body("{\"code\":\"1\",\"profile\":\"standard\"}"), FAULT_NONE);
    ck_assert_int_eq(read_body("{\"code\":\"1\"}"), FAULT_FIELD);
}
END_TEST

START_TEST(order_stdin_of_exactly_the_limit_passes)
{
    settings.stdin_bytes = 3;
    ck_assert_int_eq(
        read_body("{\"code\":\"1\",\"stdin\":\"abc\"}"), FAULT_NONE);
    ck_assert_int_eq(
        read_body("{\"code\":\"1\",\"stdin\":\"abcd\"}"), FAULT_FIELD);
    ck_assert_str_eq(detail, "Field 'stdin' is 4 bytes; limit is 3 bytes");
}
END_TEST

START_TEST(order_body_over_its_bound_is_no_order)
{
    settings.body_bytes = 12;
    ck_assert_int_eq(read_body("{\"code\":\"1\"}"), FAULT_NONE);
    ck_assert_int_eq(read_body("{\"code\":\"12\"}"), FAULT_JSON);
}
END_TEST

START_TEST(order_survives_a_nesting_bomb)
{
    struct buf b;

    buf_init(&b, 4 << 20);
    buf_adds(&b, "{\"code\":");
    for (int i = 0; i < 1000000; i++)
        buf_addc(&b, '[');
    ck_assert_int_eq(read_body(b.data), FAULT_JSON);
    buf_reset(&b);
    buf_adds(&b, "{\"code\":");
    for (int i = 0; i < 40; i++)
        buf_addc(&b, '[');
    for (int i = 0; i < 40; i++)
        buf_addc(&b, ']');
    buf_adds(&b, "}");
    ck_assert_int_eq(read_body(b.data), FAULT_JSON);
    ck_assert_ptr_nonnull(strstr(detail, "nested too deeply"));
    buf_done(&b);
}
END_TEST

START_TEST(order_body_may_be_freed_before_the_order_is_used)
{
    static const char text[] =
        "{\"code\":\"abc\",\"stdin\":\"def\",\"context\":{\"x\":1}}";
    char *copy = strdup(text);

    ck_assert_int_eq(read_bytes(copy, sizeof(text) - 1), FAULT_NONE);
    memset(copy, 'Z', sizeof(text) - 1);
    free(copy);
    ck_assert(view_is(parse.order.code, "abc"));
    ck_assert(view_is(parse.order.stdin_text, "def"));
    ck_assert(view_is(parse.order.context, "{\"x\":1}"));
}
END_TEST

/* --- context -------------------------------------------------------------- */

static const struct {
    const char *context;
    const char *detail; /* "": good */
} contexts[] = {
    { "{}", "" },
    { "{\"x\":1}", "" },
    { "{\"_x\":1,\"x_\":2,\"X9\":3}", "" },
    { "{\"match\":1,\"case\":2,\"os\":3,\"data\":4}", "" },
    { "{\"\xc3\xa9t\xc3\xa9\":1}", "" },
    { "{\"x\":[\"a\",1,1.5,true,null,{\"any key!\":[]}]}", "" },
    { "{\"\":1}", "Context keys must be identifiers" },
    { "{\"1a\":1}", "Context keys must be identifiers" },
    { "{\"a b\":1}", "Context keys must be identifiers" },
    { "{\"a-b\":1}", "Context keys must be identifiers" },
    { "{\"a.b\":1}", "Context keys must be identifiers" },
    { "{\"a\\n\":1}", "Context keys must be identifiers" },
    { "{\"ok\":1,\"not ok\":2}", "Context keys must be identifiers" },
    { "{\"_\":1}", "Context key '_' is reserved" },
    { "{\"__\":1}", "Context key '__' is reserved" },
    { "{\"__name__\":1}", "Context key '__name__' is reserved" },
    { "{\"__builtins__\":1}", "Context key '__builtins__' is reserved" },
    { "{\"__import__\":1}", "Context key '__import__' is reserved" },
    { "{\"__x\":1}", "Context key '__x' is reserved" },
    { "{\"_getattr_\":1}", "Context key '_getattr_' is reserved" },
    { "{\"_print_\":1}", "Context key '_print_' is reserved" },
    { "{\"class\":1}", "Context key 'class' is reserved" },
    { "{\"None\":1}", "Context key 'None' is reserved" },
    { "{\"True\":1}", "Context key 'True' is reserved" },
    { "{\"async\":1}", "Context key 'async' is reserved" },
    { "{\"print\":1}", "Context key 'print' is reserved" },
    { "{\"len\":1}", "Context key 'len' is reserved" },
    { "{\"eval\":1}", "Context key 'eval' is reserved" },
    { "{\"open\":1}", "Context key 'open' is reserved" },
    { "{\"ArithmeticError\":1}", "Context key 'ArithmeticError' is reserved" },
    { "{\"zip\":1}", "Context key 'zip' is reserved" },
    { "{\"\\u0065val\":1}", "Context key 'eval' is reserved" },
    { "{\"x\":{\"print\":1,\"__class__\":2,\"1\":3}}", "" },
    { "{\"a\":[[[[1]]]]}", "" },
    { "{\"a\":[[[[]]]]}", "" },
    { "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}", "" },
    { "{\"a\":[[[[[]]]]]}", "Context nesting exceeds allowed depth" },
    { "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{}}}}}}",
        "Context nesting exceeds allowed depth" },
};

START_TEST(context_obeys_the_rules_of_the_contract)
{
    char body[512];

    (void)snprintf(body, sizeof(body), "{\"code\":\"1\",\"context\":%s}",
        contexts[_i].context);
    ck_assert_msg(read_body(body) == FAULT_NONE, "%s", detail);
    ck_assert_str_eq(parse.context_detail, contexts[_i].detail);
    ck_assert_int_eq(
        parse.order.context.len == 0, contexts[_i].detail[0] != '\0');
}
END_TEST

/* A context whose compact text has exactly `len` bytes, with blanks added. */
static void
context_of(struct buf *b, size_t len, size_t blanks)
{
    buf_init(b, len + blanks + 100);
    buf_adds(b, "{\"code\":\"1\",\"context\":{");
    for (size_t i = 0; i < blanks; i++)
        buf_addc(b, ' ');
    buf_adds(b, "\"x\":\"");
    for (size_t i = strlen("{\"x\":\"\"}"); i < len; i++)
        buf_addc(b, 'y');
    buf_adds(b, "\"}}");
    ck_assert(buf_ok(b));
}

START_TEST(context_of_exactly_a_mebibyte_passes)
{
    struct buf b;

    context_of(&b, MAX_CONTEXT_BYTES, 0);
    ck_assert_int_eq(read_body(b.data), FAULT_NONE);
    ck_assert_str_eq(parse.context_detail, "");
    ck_assert_uint_eq(parse.order.context.len, MAX_CONTEXT_BYTES);
    buf_done(&b);
    context_of(&b, MAX_CONTEXT_BYTES, 1000);
    ck_assert_int_eq(read_body(b.data), FAULT_NONE);
    ck_assert_str_eq(parse.context_detail, "");
    buf_done(&b);
    context_of(&b, MAX_CONTEXT_BYTES + 1, 0);
    ck_assert_int_eq(read_body(b.data), FAULT_NONE);
    ck_assert_str_eq(
        parse.context_detail, "Context size exceeds 1048576 bytes");
    ck_assert_uint_eq(parse.order.context.len, 0);
    buf_done(&b);
}
END_TEST

START_TEST(context_nested_ever_so_deep_gets_its_own_message)
{
    struct buf b;

    buf_init(&b, 1 << 20);
    buf_adds(&b, "{\"code\":\"1\",\"context\":{\"a\":");
    for (int i = 0; i < 10000; i++)
        buf_addc(&b, '[');
    for (int i = 0; i < 10000; i++)
        buf_addc(&b, ']');
    buf_adds(&b, "}}");
    ck_assert_int_eq(read_body(b.data), FAULT_NONE);
    ck_assert_str_eq(
        parse.context_detail, "Context nesting exceeds allowed depth");
    buf_done(&b);
}
END_TEST

START_TEST(context_numbers_and_texts_stay_what_they_were)
{
    ck_assert_int_eq(read_body("{\"code\":\"1\",\"context\":{\"x\":[1.50, "
                               "123456789012345678901234567890, 1E5, -0.0],"
                               "\"y\":\"\\u00e9\\/\\n\\u0000\"}}"),
        FAULT_NONE);
    ck_assert(view_is(parse.order.context,
        "{\"x\":[1.50,123456789012345678901234567890,1E5,-0.0],"
        "\"y\":\"\xc3\xa9/\\n\\u0000\"}"));
}
END_TEST

START_TEST(context_keys_are_kept_for_the_audit_up_to_a_bound)
{
    struct buf b;

    buf_init(&b, 1 << 16);
    buf_adds(&b, "{\"code\":\"1\",\"context\":{\"");
    for (int i = 0; i < 100; i++)
        buf_addc(&b, 'l');
    buf_adds(&b, "\":0");
    for (int i = 1; i < 100; i++)
        buf_addf(&b, ",\"k%d\":{\"inner\":1}", i);
    buf_adds(&b, "}}");
    ck_assert_int_eq(read_body(b.data), FAULT_NONE);
    ck_assert_uint_eq(parse.keys.count, 100);
    ck_assert_uint_eq(strlen(parse.keys.names[0]), CONTEXT_KEY_ROOM - 1);
    ck_assert_str_eq(parse.keys.names[1], "k1");
    ck_assert_str_eq(parse.keys.names[CONTEXT_KEYS_KEPT - 1], "k31");
    buf_done(&b);
}
END_TEST

START_TEST(context_reserved_names_are_found_at_both_ends_of_the_list)
{
    static const char *const names[] = { "ArithmeticError", "False", "None",
        "True", "ZeroDivisionError", "abs", "and", "exit", "help", "lambda",
        "quit", "super", "type", "vars", "while", "yield", "zip" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        ck_assert_msg(
            context_is_reserved(names[i], strlen(names[i])), "%s", names[i]);
    ck_assert(!context_is_reserved("zipp", 4));
    ck_assert(!context_is_reserved("zi", 2));
    ck_assert(!context_is_reserved("", 0));
}
END_TEST

Suite *
suite_order_json(void)
{
    Suite *s = suite_create("order_json");
    TCase *t = tcase_create("order_json");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 30);
    tcase_add_test(t, order_of_code_alone_has_the_presets);
    tcase_add_test(t, order_of_nulls_has_the_presets_too);
    tcase_add_test(t, order_takes_all_five_fields);
    tcase_add_loop_test(t, order_is_refused_with_a_detail_that_names_the_field,
        0, sizeof(refused) / sizeof(refused[0]));
    tcase_add_test(t, order_code_of_exactly_the_limit_passes);
    tcase_add_test(t, order_code_is_measured_in_bytes_of_utf8);
    tcase_add_test(
        t, order_size_is_told_before_a_surrogate_and_emptiness_first);
    tcase_add_test(t, order_code_keeps_nul_bytes_for_the_box_to_refuse);
    tcase_add_test(t, order_token_limits_can_only_lower);
    tcase_add_loop_test(t, order_timeout_can_only_lower_the_limit, 0,
        sizeof(timeouts) / sizeof(timeouts[0]));
    tcase_add_test(t, order_profile_must_be_the_tokens);
    tcase_add_test(t, order_stdin_of_exactly_the_limit_passes);
    tcase_add_test(t, order_body_over_its_bound_is_no_order);
    tcase_add_test(t, order_survives_a_nesting_bomb);
    tcase_add_test(t, order_body_may_be_freed_before_the_order_is_used);
    tcase_add_loop_test(t, context_obeys_the_rules_of_the_contract, 0,
        sizeof(contexts) / sizeof(contexts[0]));
    tcase_add_test(t, context_of_exactly_a_mebibyte_passes);
    tcase_add_test(t, context_nested_ever_so_deep_gets_its_own_message);
    tcase_add_test(t, context_numbers_and_texts_stay_what_they_were);
    tcase_add_test(t, context_keys_are_kept_for_the_audit_up_to_a_bound);
    tcase_add_test(
        t, context_reserved_names_are_found_at_both_ends_of_the_list);
    suite_add_tcase(s, t);
    return s;
}
