/* context: the caller's values as variables */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/python_run.h"

static const struct claim *
with_context(const char *code, const char *json)
{
    struct order o = python_order(code);

    o.context = view_of(json, strlen(json));
    return &python_run(PROFILE_RESTRICTED, &o)->claim;
}

START_TEST(context_becomes_fresh_python_objects)
{
    const struct claim *c =
        with_context("a['new'] = type(n).__name__ + type(f).__name__\n"
                     "[a, n, f, s, t, z, l]",
            "{\"a\": {\"k\": [1, {}]}, \"n\": -12345678901234567890, "
            "\"f\": 1.5e3, \"s\": \"\\u00e9\\ud83d\\ude00\\n\xc3\xa9\", "
            "\"t\": true, \"z\": null, \"l\": [] }");

    assert_text(c->value,
        "[{\"k\":[1,{}],\"new\":\"intfloat\"},-12345678901234567890,1500.0,"
        "\"\xc3\xa9\xf0\x9f\x98\x80\\n\xc3\xa9\",true,null,[]]");
}
END_TEST

/* One row a refusal: JSON, message. */
static const struct {
    const char *json;
    const char *text;
} refusals[] = {
    { "{\"_\":1}", "Context key '_' is reserved" },
    { "{\"__x\":1}", "Context key '__x' is reserved" },
    { "{\"__builtins__\":1}", "Context key '__builtins__' is reserved" },
    { "{\"class\":1}", "Context key 'class' is reserved" },
    { "{\"print\":1}", "Context key 'print' is reserved" },
    { "{\"getattr\":1}", "Context key 'getattr' is reserved" },
    { "{\"eval\":1}", "Context key 'eval' is reserved" },
    { "{\"os\":1}", "Context key 'os' is reserved" },
    { "{\"\":1}", "Context keys must be identifiers" },
    { "{\"1a\":1}", "Context keys must be identifiers" },
    { "{\"a b\":1}", "Context keys must be identifiers" },
    { "{\"a.b\":1}", "Context keys must be identifiers" },
    /* full-width letters: the program's own spelling would be 'ab' */
    { "{\"\xef\xbd\x81\xef\xbd\x82\":1}", "Context keys must be identifiers" },
    { "{\"<own>\":1}", "Context keys must be identifiers" },
    { "{\"a\":[[[[[]]]]]}", "Context nesting exceeds allowed depth" },
    { "{\"a\":{\"b\":{\"c\":{\"d\":{}}}}}", NULL },
    { "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{}}}}}}",
        "Context nesting exceeds allowed depth" },
    { "[]", "Context is not a valid JSON object" },
    { "{\"a\":01}", "Context is not a valid JSON object" },
    { "{\"a\":NaN}", "Context is not a valid JSON object" },
    { "{\"a\":1,}", "Context is not a valid JSON object" },
    { "{\"a\":\"\\x\"}", "Context is not a valid JSON object" },
    { "{\"a\":\"\xff\"}", "Context is not a valid JSON object" },
    { "{\"a\":\"\xff\\n\"}", "Context is not a valid JSON object" },
    { "{\"a\":\"x", "Context is not a valid JSON object" },
    { "{\"a\":1} x", "Context is not a valid JSON object" },
    { "{\"a\":\"\\u12\"}", "Context is not a valid JSON object" },
    { "{\"a\":\"\\u12x4\"}", "Context is not a valid JSON object" },
    { "{\"a\":\"\\uD8", "Context is not a valid JSON object" },
    { "{\"a\":\"\x01\"}", "Context is not a valid JSON object" },
    { "{\"a\":-}", "Context is not a valid JSON object" },
    { "{\"a\":1.}", "Context is not a valid JSON object" },
    { "{\"a\":1e+}", "Context is not a valid JSON object" },
    { "{\"a\" 1}", "Context is not a valid JSON object" },
    { "{\"a\":[1 2]}", "Context is not a valid JSON object" },
    { "{\"a\":1 \"b\":2}", "Context is not a valid JSON object" },
    { "{\"a\":", "Context is not a valid JSON object" },
    { "{\"a\":{\"b\":1,}}", "Context is not a valid JSON object" },
    { "{\"\\ud800\":1}", "Context keys must be identifiers" },
};

/* A pair is one letter; half of one stays what it was. */
START_TEST(context_reads_every_spelling_of_a_letter)
{
    const struct claim *c =
        with_context("[[ord(x) for x in a], b, [type(x).__name__ for x in c]]",
            "{\"a\":\r\n\t\"\\uD83D\\uDE00\\ud83d\\u0041\\uDbFf\\n"
            "\\ud800\\\\\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\","
            "\"b\":\"\\/\\b\\f\\r\\t\\\"\",\"c\":[1E2,1e-2,-0,0.5,-1.0]}");

    assert_text(c->value,
        "[[128512,55357,65,56319,10,55296,92,233,8364,128512],"
        "\"/\\b\\f\\r\\t\\\"\","
        "[\"float\",\"float\",\"int\",\"float\",\"float\"]]");
}
END_TEST

/* What reads a number would take longer than linear for more. */
START_TEST(context_refuses_a_number_with_too_many_digits)
{
    char json[8192];

    memset(json, '7', sizeof(json));
    memcpy(json, "{\"a\":", 5);
    memcpy(json + sizeof(json) - 2, "}", 2);
    assert_text(with_context("1", json)->message,
        "Context has a number with too many digits");
}
END_TEST

START_TEST(context_says_what_the_contract_says)
{
    const struct claim *c = with_context("1", refusals[_i].json);

    if (!refusals[_i].text) {
        ck_assert_uint_eq(c->kind, CLAIM_VALUE);
        return;
    }
    ck_assert_uint_eq(c->kind, CLAIM_REFUSED);
    assert_text(c->message, refusals[_i].text);
}
END_TEST

/* Exactly 1 MiB passes, one byte more does not. */
START_TEST(context_is_held_to_its_size)
{
    size_t max = 1048576;
    char *json = malloc(max + 2);
    struct order o = python_order("len(a)");

    ck_assert_ptr_nonnull(json);
    memset(json, 'x', max + 2);
    memcpy(json, "{\"a\":\"", 6);
    memcpy(json + max - 2, "\"}", 2);
    o.context = view_of(json, max);
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.value, "1048568");
    memcpy(json + max - 2, "x\"}", 3);
    o.context = view_of(json, max + 1);
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.message,
        "Context size exceeds 1048576 bytes");
    free(json);
}
END_TEST

START_TEST(context_is_looked_at_after_the_code)
{
    assert_text(with_context("import os", "{\"_\":1}")->message,
        "Import of 'os' is not permitted");
}
END_TEST

Suite *suite_context(void);

Suite *
suite_context(void)
{
    Suite *s = suite_create("context");
    TCase *t = tcase_create("context");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, context_becomes_fresh_python_objects);
    tcase_add_loop_test(t, context_says_what_the_contract_says, 0,
        sizeof(refusals) / sizeof(refusals[0]));
    tcase_add_test(t, context_reads_every_spelling_of_a_letter);
    tcase_add_test(t, context_refuses_a_number_with_too_many_digits);
    tcase_add_test(t, context_is_held_to_its_size);
    tcase_add_test(t, context_is_looked_at_after_the_code);
    suite_add_tcase(s, t);
    return s;
}
