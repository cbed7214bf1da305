/* outcome_json: the response, for every verdict and every kind of claim */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/outcome_json.h"
#include "sandbox/wire/profile.h"

Suite *suite_outcome_json(void);

static struct settings settings;
static struct order order;
static struct outcome outcome;
static struct buf body;

static struct view
text(const char *t)
{
    return view_of(t, strlen(t));
}

static void
set_up(void)
{
    memset(&settings, 0, sizeof(settings));
    settings.output_bytes = 1000;
    settings.return_bytes = 1000;
    order = (struct order){
        .profile = PROFILE_RESTRICTED,
        .wall_ms = 2000,
        .cpu_ms = 1500,
        .memory_bytes = 64 << 20,
        .output_bytes = 1000,
        .return_bytes = 1000,
    };
    outcome = (struct outcome){
        .verdict = VERDICT_ENDED,
        .wall_us = 12345,
        .memory_bytes = 3 << 19,
        .stdout_text = text("out\n"),
        .stderr_text = text(""),
        .claim = { .kind = CLAIM_VALUE, .value = text("42") },
    };
    buf_init(&body, outcome_json_max_bytes(&settings));
}

static void
tear_down(void)
{
    buf_done(&body);
}

static const char *
tell(void)
{
    buf_reset(&body);
    outcome_to_json(&body, &outcome, &order, "req-1");
    ck_assert(buf_ok(&body));
    ck_assert_msg(
        json_is_value(view_of(body.data, body.len), 200), "%s", body.data);
    return body.data;
}

/* The text of one field of the response. */
static const char *
field(const char *name)
{
    static char value[70000];
    struct view v;

    (void)tell();
    ck_assert_msg(
        json_find_member(view_of(body.data, body.len), name, &v), "%s", name);
    ck_assert_uint_lt(v.len, sizeof(value));
    memcpy(value, v.data, v.len);
    value[v.len] = '\0';
    return value;
}

START_TEST(outcome_body_has_the_fields_of_the_contract_in_its_order)
{
    ck_assert_str_eq(tell(),
        "{\"success\":true,\"stdout\":\"out\\n\",\"stderr\":\"\","
        "\"return_value\":42,\"execution_time\":0.012345,"
        "\"memory_used_mb\":1.5,\"error\":null,\"status\":\"ok\","
        "\"error_detail\":null,\"stdout_truncated\":false,"
        "\"stderr_truncated\":false,\"return_value_truncated\":false,"
        "\"refused\":[],\"profile\":\"restricted\","
        "\"request_id\":\"req-1\"}");
}
END_TEST

START_TEST(outcome_of_an_exception_has_type_message_line_and_traceback)
{
    outcome.claim = (struct claim){
        .kind = CLAIM_ERROR,
        .line = 3,
        .type = text("KeyError"),
        .message = text("'x'"),
        .traceback = text("line 3, in f"),
    };
    ck_assert_str_eq(field("success"), "false");
    ck_assert_str_eq(field("status"), "\"error\"");
    ck_assert_str_eq(field("error"), "\"KeyError: 'x'\"");
    ck_assert_str_eq(field("return_value"), "null");
    ck_assert_str_eq(field("error_detail"),
        "{\"type\":\"KeyError\",\"message\":\"'x'\",\"line\":3,"
        "\"traceback\":\"line 3, in f\"}");
    ck_assert_str_eq(field("stdout"), "\"out\\n\"");
}
END_TEST

START_TEST(outcome_error_is_never_empty)
{
    outcome.claim = (struct claim){ .kind = CLAIM_ERROR };
    ck_assert_str_eq(field("error"), "\"Error\"");
    outcome.claim.type = text("ValueError");
    ck_assert_str_eq(field("error"), "\"ValueError\"");
    outcome.claim.type = text("");
    outcome.claim.message = text("oops");
    ck_assert_str_eq(field("error"), "\"oops\"");
    for (uint32_t v = VERDICT_ENDED; v <= VERDICT_NOT_STARTED + 1; v++) {
        outcome.verdict = v;
        outcome.claim = (struct claim){ .kind = CLAIM_NONE };
        ck_assert_str_ne(field("error"), "null");
        ck_assert_str_ne(field("error"), "\"\"");
        ck_assert_str_eq(field("success"), "false");
        ck_assert_str_ne(field("error_detail"), "null");
    }
}
END_TEST

static const struct {
    uint32_t verdict;
    int32_t number;
    uint32_t line;
    const char *name;
    const char *status;
    const char *error;
} verdicts[] = {
    { VERDICT_TIMEOUT, 0, 3, "f", "timeout",
        "Time limit of 2 s reached at line 3, in f" },
    { VERDICT_TIMEOUT, 0, 3, "<module>", "timeout",
        "Time limit of 2 s reached at line 3" },
    { VERDICT_TIMEOUT, 0, 0, "f", "timeout", "Time limit of 2 s reached" },
    { VERDICT_CPU, 0, 7, "", "cpu_limit",
        "CPU time limit of 1.5 s reached at line 7" },
    { VERDICT_MEMORY, 0, 0, "", "memory_limit",
        "Memory limit of 64 MB reached" },
    { VERDICT_FORBIDDEN, 31, 0, "", "killed",
        "The program was killed: it made a system call that the sandbox "
        "forbids" },
    { VERDICT_CRASHED, SIGSEGV, 0, "", "killed",
        "The program was killed by signal 11 (SIGSEGV)" },
    { VERDICT_CRASHED, 99, 0, "", "killed",
        "The program was killed by signal 99" },
    { VERDICT_EXITED, 3, 0, "", "killed",
        "The program ended its own process with exit status 3" },
    { VERDICT_NOISY, 0, 0, "", "killed",
        "The program was killed: it made too many system calls that the "
        "sandbox refused" },
};

/* Whatever the box claims: here it claims that all went well. */
START_TEST(outcome_verdict_decides_whatever_the_claim_says)
{
    char want[256];

    outcome.verdict = verdicts[_i].verdict;
    outcome.number = verdicts[_i].number;
    outcome.where_line = verdicts[_i].line;
    outcome.where_name = text(verdicts[_i].name);
    ck_assert_str_eq(field("success"), "false");
    ck_assert_str_eq(field("return_value"), "null");
    ck_assert_str_eq(field("stdout"), "\"out\\n\"");
    (void)snprintf(want, sizeof(want), "\"%s\"", verdicts[_i].status);
    ck_assert_str_eq(field("status"), want);
    (void)snprintf(want, sizeof(want), "\"%s\"", verdicts[_i].error);
    ck_assert_str_eq(field("error"), want);
}
END_TEST

START_TEST(outcome_memory_error_keeps_its_line_beside_the_limit)
{
    outcome.verdict = VERDICT_MEMORY;
    outcome.claim = (struct claim){
        .kind = CLAIM_ERROR, .line = 9, .type = text("MemoryError")
    };
    ck_assert_str_eq(field("status"), "\"memory_limit\"");
    ck_assert_str_eq(field("error"), "\"Memory limit of 64 MB reached\"");
    ck_assert_str_eq(field("error_detail"),
        "{\"type\":\"MemoryError\",\"message\":\"\",\"line\":9,"
        "\"traceback\":null}");
}
END_TEST

START_TEST(outcome_forbidden_names_no_earlier_call)
{
    outcome.verdict = VERDICT_FORBIDDEN;
    outcome.refused_count = 2;
    outcome.refused[0] = (struct outcome_refused){ "ptrace", 1 };
    outcome.refused[1] = (struct outcome_refused){ "socket", 20 };
    ck_assert_str_eq(field("error"),
        "\"The program was killed: it made a system call that the sandbox "
        "forbids\"");
    ck_assert_str_eq(field("refused"), "[{\"call\":\"ptrace\",\"count\":1},"
                                       "{\"call\":\"socket\",\"count\":20}]");
}
END_TEST

START_TEST(outcome_refused_count_beyond_the_array_is_not_believed)
{
    outcome.refused_count = 1000000;
    for (size_t i = 0; i < OUTCOME_MAX_REFUSED; i++)
        memset(outcome.refused[i].call, 'x', OUTCOME_MAX_CALL);
    (void)tell();
}
END_TEST

static const char *const forged[] = {
    "42,\"success\":true",
    "}",
    "\"",
    "NaN",
    "{\"a\":}",
    "\"\xff\"",
    "\"\xed\xa0\x80\"",
    "1 2",
    "\"a\nb\"",
    " ",
};

START_TEST(outcome_value_that_is_not_json_is_no_result)
{
    outcome.claim.value = text(forged[_i]);
    ck_assert_str_eq(field("status"), "\"killed\"");
    ck_assert_str_eq(field("success"), "false");
    ck_assert_str_eq(field("return_value"), "null");
    ck_assert_str_eq(field("error"),
        "\"The program ended without a result that can be read\"");
}
END_TEST

START_TEST(outcome_value_is_bounded_in_depth)
{
    char deep[2 * 129 + 1];

    memset(deep, '[', 129);
    memset(deep + 129, ']', 129);
    outcome.claim.value = view_of(deep, 2 * 129);
    ck_assert_str_eq(field("status"), "\"killed\"");
    outcome.claim.value = view_of(deep + 1, 2 * 128);
    ck_assert_str_eq(field("status"), "\"ok\"");
}
END_TEST

START_TEST(outcome_value_of_any_kind_is_copied_compactly)
{
    outcome.claim.value = text(" {\"a\" : [1, \"\\u00e9\", null]} ");
    ck_assert_str_eq(field("return_value"), "{\"a\":[1,\"\xc3\xa9\",null]}");
    outcome.claim.value = text("");
    ck_assert_str_eq(field("return_value"), "null");
    ck_assert_str_eq(field("status"), "\"ok\"");
}
END_TEST

START_TEST(outcome_without_a_claim_is_killed_and_keeps_its_output)
{
    outcome.claim = (struct claim){ .kind = CLAIM_NONE };
    ck_assert_str_eq(field("status"), "\"killed\"");
    ck_assert_str_eq(field("stdout"), "\"out\\n\"");
}
END_TEST

START_TEST(outcome_flags_what_was_cut)
{
    outcome.stdout_cut = 1;
    outcome.claim.flags = CLAIM_VALUE_CUT;
    ck_assert_str_eq(field("stdout_truncated"), "true");
    ck_assert_str_eq(field("stderr_truncated"), "false");
    ck_assert_str_eq(field("return_value_truncated"), "true");
    outcome.stdout_cut = 0;
    outcome.stderr_cut = 1;
    ck_assert_str_eq(field("stdout_truncated"), "false");
    ck_assert_str_eq(field("stderr_truncated"), "true");
}
END_TEST

START_TEST(outcome_output_is_cut_between_characters)
{
    outcome.stdout_text = text("ab\xe2\x82");
    outcome.stdout_cut = 1;
    ck_assert_str_eq(field("stdout"), "\"ab\"");
    /* Not cut by us: the program itself printed half a character. */
    outcome.stdout_cut = 0;
    ck_assert_str_eq(field("stdout"), "\"ab\xef\xbf\xbd\xef\xbf\xbd\"");
}
END_TEST

START_TEST(outcome_output_stays_bounded_when_bytes_become_longer)
{
    char noise[1000];

    memset(noise, '\xff', sizeof(noise));
    outcome.stdout_text = view_of(noise, sizeof(noise));
    ck_assert_str_eq(field("stdout_truncated"), "true");
    ck_assert_uint_eq(strlen(field("stdout")), 999 + 2);
}
END_TEST

START_TEST(outcome_output_of_escapes_only_still_fits)
{
    static char zeroes[1000], message[CLAIM_MAX_MESSAGE], type[CLAIM_MAX_TYPE],
        detail[CLAIM_MAX_DETAIL];

    outcome.stdout_text = view_of(zeroes, sizeof(zeroes));
    outcome.stderr_text = view_of(zeroes, sizeof(zeroes));
    outcome.claim = (struct claim){
        .kind = CLAIM_ERROR,
        .type = view_of(type, sizeof(type)),
        .message = view_of(message, sizeof(message)),
        .traceback = view_of(detail, sizeof(detail)),
    };
    (void)tell();
    memset(message, '\xff', sizeof(message));
    memset(type, '\xff', sizeof(type));
    memset(detail, '\xff', sizeof(detail));
    (void)tell();
}
END_TEST

START_TEST(outcome_hostile_texts_cannot_leave_their_strings)
{
    outcome.stdout_text = text("\",\"success\":true,\"x\":\"\\");
    outcome.claim = (struct claim){
        .kind = CLAIM_ERROR,
        .type = text("A\"}\n"),
        .message = text("\\\"\x01\xc0\xaf</script>"),
        .traceback = text("\"]}"),
    };
    outcome.where_line = 1;
    outcome.where_name = text("\"\n\xff");
    ck_assert_str_eq(field("success"), "false");
    outcome.verdict = VERDICT_TIMEOUT;
    ck_assert_str_eq(field("success"), "false");
}
END_TEST

START_TEST(outcome_names_of_states_are_those_of_the_contract)
{
    ck_assert_str_eq(outcome_status_name(OUTCOME_OK), "ok");
    ck_assert_str_eq(outcome_status_name(OUTCOME_ERROR), "error");
    ck_assert_str_eq(outcome_status_name(OUTCOME_TIMEOUT), "timeout");
    ck_assert_str_eq(outcome_status_name(OUTCOME_CPU_LIMIT), "cpu_limit");
    ck_assert_str_eq(outcome_status_name(OUTCOME_MEMORY_LIMIT), "memory_limit");
    ck_assert_str_eq(outcome_status_name(OUTCOME_KILLED), "killed");
    ck_assert_str_eq(outcome_status_name(OUTCOME_STATUS_COUNT), "killed");
}
END_TEST

START_TEST(outcome_of_a_profile_that_is_none_still_is_json)
{
    order.profile = 4000000000u;
    ck_assert_str_eq(field("profile"), "\"\"");
}
END_TEST

START_TEST(outcome_refusal_gives_the_validators_message)
{
    char detail[32];

    ck_assert(!outcome_is_refusal(&outcome, detail, sizeof(detail)));
    outcome.claim = (struct claim){
        .kind = CLAIM_REFUSED,
        .message = text("Import of 'os' is not permitted"),
    };
    ck_assert(outcome_is_refusal(&outcome, detail, sizeof(detail)));
    ck_assert_str_eq(detail, "Import of 'os' is not permitted");
    outcome.claim.message = text("Import of 'o\xc3\xa9' is not permitted so");
    ck_assert(outcome_is_refusal(&outcome, detail, sizeof(detail)));
    ck_assert_uint_eq(strlen(detail), sizeof(detail) - 1);
    outcome.claim.message = text("");
    ck_assert(outcome_is_refusal(&outcome, detail, sizeof(detail)));
    ck_assert_str_eq(detail, "Code was refused");
    outcome.verdict = VERDICT_CRASHED;
    ck_assert(!outcome_is_refusal(&outcome, detail, sizeof(detail)));
}
END_TEST

START_TEST(findings_are_copied_and_none_means_valid)
{
    outcome.claim =
        (struct claim){ .kind = CLAIM_FINDINGS, .value = text("[]") };
    ck_assert_int_eq(findings_to_json(&body, &outcome, "r"), 0);
    ck_assert_str_eq(
        body.data, "{\"valid\":true,\"findings\":[],\"request_id\":\"r\"}");
    buf_reset(&body);
    outcome.claim.value = text("[ {\"line\": 1} ]");
    ck_assert_int_eq(findings_to_json(&body, &outcome, "r"), 0);
    ck_assert_str_eq(body.data, "{\"valid\":false,\"findings\":[{\"line\":1}],"
                                "\"request_id\":\"r\"}");
    ck_assert_int_eq(outcome_status_of(&outcome), OUTCOME_OK);
}
END_TEST

START_TEST(findings_that_are_none_give_nothing)
{
    ck_assert_int_eq(findings_to_json(&body, &outcome, "r"), -EPROTO);
    outcome.claim =
        (struct claim){ .kind = CLAIM_FINDINGS, .value = text("{}") };
    ck_assert_int_eq(findings_to_json(&body, &outcome, "r"), -EPROTO);
    outcome.claim.value = text("[1");
    ck_assert_int_eq(findings_to_json(&body, &outcome, "r"), -EPROTO);
    outcome.claim.value = text("[]");
    outcome.verdict = VERDICT_TIMEOUT;
    ck_assert_int_eq(findings_to_json(&body, &outcome, "r"), -EPROTO);
    ck_assert_uint_eq(body.len, 0);
}
END_TEST

Suite *
suite_outcome_json(void)
{
    Suite *s = suite_create("outcome_json");
    TCase *t = tcase_create("outcome_json");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, outcome_body_has_the_fields_of_the_contract_in_its_order);
    tcase_add_test(
        t, outcome_of_an_exception_has_type_message_line_and_traceback);
    tcase_add_test(t, outcome_error_is_never_empty);
    tcase_add_loop_test(t, outcome_verdict_decides_whatever_the_claim_says, 0,
        sizeof(verdicts) / sizeof(verdicts[0]));
    tcase_add_test(t, outcome_memory_error_keeps_its_line_beside_the_limit);
    tcase_add_test(t, outcome_forbidden_names_no_earlier_call);
    tcase_add_test(t, outcome_refused_count_beyond_the_array_is_not_believed);
    tcase_add_loop_test(t, outcome_value_that_is_not_json_is_no_result, 0,
        sizeof(forged) / sizeof(forged[0]));
    tcase_add_test(t, outcome_value_is_bounded_in_depth);
    tcase_add_test(t, outcome_value_of_any_kind_is_copied_compactly);
    tcase_add_test(t, outcome_without_a_claim_is_killed_and_keeps_its_output);
    tcase_add_test(t, outcome_flags_what_was_cut);
    tcase_add_test(t, outcome_output_is_cut_between_characters);
    tcase_add_test(t, outcome_output_stays_bounded_when_bytes_become_longer);
    tcase_add_test(t, outcome_output_of_escapes_only_still_fits);
    tcase_add_test(t, outcome_hostile_texts_cannot_leave_their_strings);
    tcase_add_test(t, outcome_names_of_states_are_those_of_the_contract);
    tcase_add_test(t, outcome_of_a_profile_that_is_none_still_is_json);
    tcase_add_test(t, outcome_refusal_gives_the_validators_message);
    tcase_add_test(t, findings_are_copied_and_none_means_valid);
    tcase_add_test(t, findings_that_are_none_give_nothing);
    suite_add_tcase(s, t);
    return s;
}
