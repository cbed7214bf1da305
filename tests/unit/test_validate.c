/* validate, walk, rules: what the restricted language refuses, in which words
 */
#include <stdio.h>
#include <string.h>

#include "sandbox/python/rules.h"
#include "tests/unit/python_run.h"

/* One row a message of the contract: code, rule, text. */
static const struct {
    const char *code;
    const char *rule;
    const char *text;
} refusals[] = {
    { "", "empty", "Code payload is empty" },
    { " \n\t\r\n", "empty", "Code payload is empty" },
    { "x = = 1", "parse", "Code failed to parse: invalid syntax (line 1)" },
    { "\nreturn 1", "parse",
        "Code failed to parse: 'return' outside function (line 2)" },
    { "import os", "import", "Import of 'os' is not permitted" },
    { "import os.path as p", "import", "Import of 'os' is not permitted" },
    { "from sys import path", "import", "Import of 'sys' is not permitted" },
    { "import json.tool", "import", "Import of 'json.tool' is not permitted" },
    { "from . import x", "relative-import",
        "Relative imports are not permitted" },
    { "from .json import x", "relative-import",
        "Relative imports are not permitted" },
    { "eval('1')", "outside-name", "Use of 'eval' is not allowed in sandbox" },
    { "__import__('os')", "dunder-name",
        "Use of '__import__' is not allowed in sandbox" },
    { "().__class__", "dunder-attribute",
        "Attribute '__class__' is not allowed in sandbox" },
    { "(x for x in ()).gi_frame", "internal-attribute",
        "Attribute 'gi_frame' is not allowed in sandbox" },
    { "try: pass\nexcept* ValueError: pass", "except-star",
        "Use of 'except*' is not allowed in sandbox" },
};

START_TEST(validate_says_what_the_contract_says)
{
    assert_refused(refusals[_i].code, refusals[_i].rule, refusals[_i].text);
}
END_TEST

START_TEST(validate_takes_checks_in_the_order_of_the_contract)
{
    assert_refused("x.__class__\neval\nfrom . import a\nimport os", "import",
        "Import of 'os' is not permitted");
    assert_refused("x.__class__\neval\nfrom . import a", "relative-import",
        "Relative imports are not permitted");
    assert_refused("x.__class__\neval", "outside-name",
        "Use of 'eval' is not allowed in sandbox");
}
END_TEST

START_TEST(validate_names_the_line_and_column)
{
    const struct claim *c = python_claim("x = 1\ny = [\n  x.__dict__]\n");

    ck_assert_uint_eq(c->line, 3);
    ck_assert_uint_eq(c->column, 5);
}
END_TEST

START_TEST(validate_says_what_is_allowed_instead)
{
    const struct claim *c = python_claim("import os");

    ck_assert_ptr_nonnull(
        memmem(c->traceback.data, c->traceback.len, "datetime", 8));
}
END_TEST

/* `x` is a Module, Expr, Name and Load: four nodes. */
START_TEST(validate_lets_as_many_nodes_pass_as_the_limit)
{
    struct order o = python_order("1");

    o.ast_nodes = 3;
    ck_assert_uint_eq(
        python_run(PROFILE_RESTRICTED, &o)->claim.kind, CLAIM_VALUE);
    o.ast_nodes = 2;
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.message,
        "Code is too complex (3 AST nodes); limit is 2");
}
END_TEST

START_TEST(validate_answers_nul_bytes_with_the_line)
{
    struct order o = python_order("");

    o.code = view_of("a = 1\nb\0c", 9);
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.message,
        "Code failed to parse: source code cannot contain null bytes (line "
        "2)");
}
END_TEST

START_TEST(validate_answers_bytes_that_are_no_utf8)
{
    struct order o = python_order("");

    o.code = view_of("a = 1\nb = '\xff'", 12);
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.message,
        "Code failed to parse: source code is not valid UTF-8 (line 2)");
}
END_TEST

START_TEST(validate_ignores_a_byte_order_mark_and_foreign_line_ends)
{
    assert_value("\xEF\xBB\xBFx = 5\r\nx\r\n", "5");
    assert_value("x = 6\rx\r", "6");
    assert_value("\fx = 7\nx", "7");
}
END_TEST

START_TEST(validate_ignores_a_coding_line)
{
    assert_value("# coding: utf-7\nx = '+AAo-'\nx", "\"+AAo-\"");
}
END_TEST

/* Each a bomb of another kind: the answer is a refusal, not a dead box. */
static void
fill(char *room, size_t size, const char *unit, const char *end)
{
    size_t at = 0;

    while (at + strlen(unit) + strlen(end) + 1 < size) {
        memcpy(room + at, unit, strlen(unit));
        at += strlen(unit);
    }
    memcpy(room + at, end, strlen(end) + 1);
}

START_TEST(validate_survives_nesting_bombs)
{
    static const char *const units[] = { "(", "[", "-", "not ", "1+", "a.",
        "lambda:", "f'{", "1 if 1 else ", "x[" };
    char room[20000];
    const struct claim *c;

    fill(room, sizeof(room), units[_i], "1");
    c = python_claim(room);
    ck_assert_uint_eq(c->kind, CLAIM_REFUSED);
}
END_TEST

START_TEST(validate_lets_a_program_use_names_it_binds_itself)
{
    assert_value("dir = 1\ndef f(open, *vars): return open + dir\nf(2)", "3");
    assert_refused("x = open\n", "outside-name",
        "Use of 'open' is not allowed in sandbox");
}
END_TEST

START_TEST(validate_lets_everyday_dunders_pass)
{
    assert_value("class A:\n"
                 "    __slots__ = ('x',)\n"
                 "    def __init__(self): self.x = 1\n"
                 "    def __repr__(self): return self.__class__.__name__\n"
                 "    __str__ = __repr__\n"
                 "class B(A):\n"
                 "    def __init__(self): A.__init__(self)\n"
                 "(repr(A()), str(B()), __name__, A.__name__)",
        "[\"A\",\"B\",\"__main__\",\"A\"]");
}
END_TEST

START_TEST(validate_findings_lists_all_of_them)
{
    struct order o = python_order("import os\nx.__class__\n");

    o.kind = ORDER_FINDINGS;
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.value,
        "[{\"line\":1,\"column\":8,\"rule\":\"import\",\"message\":"
        "\"Import of 'os' is not permitted\"},"
        "{\"line\":2,\"column\":3,\"rule\":\"dunder-attribute\",\"message\":"
        "\"Attribute '__class__' is not allowed in sandbox\"}]");
}
END_TEST

START_TEST(validate_findings_of_a_good_program_are_none)
{
    struct order o = python_order("print(1)");
    const struct python_run *r;

    o.kind = ORDER_FINDINGS;
    r = python_run(PROFILE_RESTRICTED, &o);
    ck_assert_uint_eq(r->claim.kind, CLAIM_FINDINGS);
    assert_text(r->claim.value, "[]");
    ck_assert_str_eq(python_out(r), "");
}
END_TEST

START_TEST(validate_findings_include_what_the_compiler_refuses)
{
    struct order o = python_order("break");

    o.kind = ORDER_FINDINGS;
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.value,
        "[{\"line\":1,\"column\":1,\"rule\":\"parse\",\"message\":"
        "\"Code failed to parse: 'break' outside loop (line 1)\"}]");
}
END_TEST

START_TEST(validate_check_runs_nothing)
{
    struct order o = python_order("print(1)");
    const struct python_run *r;

    o.kind = ORDER_CHECK;
    r = python_run(PROFILE_RESTRICTED, &o);
    ck_assert_uint_eq(r->claim.kind, CLAIM_VALUE);
    ck_assert_str_eq(python_out(r), "");
}
END_TEST

START_TEST(validate_allows_what_the_operator_added)
{
    struct order o = python_order("import textwrap\ntextwrap.dedent(' x')");

    assert_text(python_run_with(PROFILE_RESTRICTED, &o, "string, textwrap")
                    ->claim.value,
        "\"x\"");
}
END_TEST

START_TEST(rules_lists_are_sorted)
{
    const struct rule_list *list = &rule_lists[_i];

    for (size_t i = 1; i < list->n; i++)
        ck_assert_int_lt(strcmp(list->names[i - 1], list->names[i]), 0);
}
END_TEST

Suite *suite_validate(void);

Suite *
suite_validate(void)
{
    Suite *s = suite_create("validate");
    TCase *t = tcase_create("validate");

    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, validate_says_what_the_contract_says, 0,
        sizeof(refusals) / sizeof(refusals[0]));
    tcase_add_test(t, validate_takes_checks_in_the_order_of_the_contract);
    tcase_add_test(t, validate_names_the_line_and_column);
    tcase_add_test(t, validate_says_what_is_allowed_instead);
    tcase_add_test(t, validate_lets_as_many_nodes_pass_as_the_limit);
    tcase_add_test(t, validate_answers_nul_bytes_with_the_line);
    tcase_add_test(t, validate_answers_bytes_that_are_no_utf8);
    tcase_add_test(t, validate_ignores_a_byte_order_mark_and_foreign_line_ends);
    tcase_add_test(t, validate_ignores_a_coding_line);
    tcase_add_loop_test(t, validate_survives_nesting_bombs, 0, 10);
    tcase_add_test(t, validate_lets_a_program_use_names_it_binds_itself);
    tcase_add_test(t, validate_lets_everyday_dunders_pass);
    tcase_add_test(t, validate_findings_lists_all_of_them);
    tcase_add_test(t, validate_findings_of_a_good_program_are_none);
    tcase_add_test(t, validate_findings_include_what_the_compiler_refuses);
    tcase_add_test(t, validate_check_runs_nothing);
    tcase_add_test(t, validate_allows_what_the_operator_added);
    tcase_add_loop_test(t, rules_lists_are_sorted, 0, LIST_COUNT);
    suite_add_tcase(s, t);
    return s;
}
