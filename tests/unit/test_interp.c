/* interp, capture, error, quiet: a program's run and what is told of it */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/python/interp.h"
#include "tests/unit/python_run.h"

static const struct python_run *
run_in(enum profile_id id, const char *code, const char *in)
{
    struct order o = python_order(code);

    o.stdin_text = view_of(in, strlen(in));
    return python_run(id, &o);
}

static bool
has(struct view v, const char *text)
{
    return memmem(v.data, v.len, text, strlen(text)) != NULL;
}

/* --- output and input ---------------------------------------------------- */

START_TEST(interp_captures_what_is_printed_in_both_profiles)
{
    const struct python_run *r = run_in((enum profile_id)_i,
        "print('a', 1, sep='-', end='!')\nprint('\\u00e9\\ud800')", "");

    ck_assert_uint_eq(r->claim.kind, CLAIM_VALUE);
    ck_assert_str_eq(python_out(r), "a-1!\xc3\xa9\\ud800\n");
    ck_assert_uint_eq(r->slate.head->phase, SLATE_TELLING);
}
END_TEST

START_TEST(interp_keeps_standard_error_apart)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "import os, sys, logging\n"
        "print('x', file=sys.stderr)\n"
        "logging.warning('w')\n"
        "os.write(2, b'raw\\n'); os.write(1, b'out\\n')\n"
        "sys.stdout.buffer.write(b'bytes\\n')",
        "");

    ck_assert_str_eq(python_err(r), "x\nWARNING:root:w\nraw\n");
    ck_assert_str_eq(python_out(r), "out\nbytes\n");
}
END_TEST

START_TEST(interp_bounds_output_and_counts_the_rest)
{
    struct order o = python_order("print('x' * 100)\nprint('y' * 100)");
    const struct python_run *r;

    o.output_bytes = 50;
    r = python_run(PROFILE_RESTRICTED, &o);
    ck_assert_uint_eq(r->claim.kind, CLAIM_VALUE);
    ck_assert_uint_eq(r->slate.head->out_len, 202);
    ck_assert_str_eq(python_out(r) + 50, "");
}
END_TEST

START_TEST(interp_reads_standard_input_line_by_line)
{
    const struct python_run *r = run_in((enum profile_id)_i,
        "a = input('? ')\nb = input()\n"
        "try:\n    input()\nexcept EOFError: print('end')\n[a, b]",
        "one\ntwo");

    ck_assert_str_eq(python_out(r), "? end\n");
    assert_text(r->claim.value, "[\"one\",\"two\"]");
}
END_TEST

START_TEST(interp_rehearsal_leaves_no_output)
{
    const struct python_run *r = run_in((enum profile_id)_i, "1", "");

    ck_assert_uint_eq(r->slate.head->out_len, 0);
    ck_assert_uint_eq(r->slate.head->err_len, 0);
}
END_TEST

START_TEST(interp_rehearsal_leaves_no_names)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "import sys, linecache\n"
        "[k for k in globals() if not k.startswith('__')]",
        "");

    assert_text(r->claim.value, "[\"sys\",\"linecache\"]");
}
END_TEST

/* --- errors -------------------------------------------------------------- */

START_TEST(error_tells_type_message_line_and_frames)
{
    const struct claim *c = python_claim("def f(x):\n"
                                         "    return 1 / x\n"
                                         "f(0)\n");

    assert_text(c->type, "ZeroDivisionError");
    assert_text(c->message, "division by zero");
    ck_assert_uint_eq(c->line, 2);
    assert_text(c->traceback, "Traceback (most recent call last):\n"
                              "  File \"<sandbox>\", line 3, in <module>\n"
                              "    f(0)\n"
                              "  File \"<sandbox>\", line 2, in f\n"
                              "    return 1 / x\n"
                              "ZeroDivisionError: division by zero\n");
}
END_TEST

START_TEST(error_leaves_out_frames_of_the_library_and_paths)
{
    struct order o = python_order("import json\njson.loads('{')");
    const struct claim *c = &python_run((enum profile_id)_i, &o)->claim;

    assert_text(c->type, "JSONDecodeError");
    ck_assert_uint_eq(c->line, 2);
    ck_assert(!has(c->traceback, "/"));
    ck_assert(!has(c->traceback, "decoder"));
}
END_TEST

START_TEST(error_tells_causes_and_contexts)
{
    const struct claim *c =
        python_claim("try:\n    {}['k']\nexcept KeyError as e:\n"
                     "    raise ValueError('v') from e");

    ck_assert(has(c->traceback, "KeyError: 'k'"));
    ck_assert(has(c->traceback, "direct cause"));
    c = python_claim(
        "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('v')");
    ck_assert(has(c->traceback, "During handling"));
}
END_TEST

START_TEST(error_survives_a_chain_that_bites_its_tail)
{
    const struct claim *c =
        python_claim("a, b = ValueError('a'), ValueError('b')\n"
                     "a.__cause__, b.__cause__ = b, a\nraise a");

    assert_text(c->type, "ValueError");
}
END_TEST

START_TEST(error_survives_a_very_long_chain)
{
    const struct claim *c = python_claim("e = None\n"
                                         "for i in range(100000):\n"
                                         "    n = ValueError(i)\n"
                                         "    n.__cause__ = e\n"
                                         "    e = n\n"
                                         "raise e");

    assert_text(c->message, "99999");
}
END_TEST

START_TEST(error_survives_a_str_that_raises_or_hangs)
{
    const char *placeholder = "<the exception's text could not be made>";

    assert_raises("class E(Exception):\n"
                  "    def __str__(self): raise ValueError\n"
                  "raise E",
        "E", placeholder);
    assert_raises("class E(Exception):\n"
                  "    def __str__(self):\n"
                  "        while True: pass\n"
                  "raise E",
        "E", placeholder);
    assert_raises("class E(Exception):\n"
                  "    def __str__(self): return 5\n"
                  "raise E",
        "E", placeholder);
}
END_TEST

START_TEST(error_uses_a_str_of_the_program)
{
    assert_raises("class E(Exception):\n"
                  "    def __str__(self): return f'code {self.args[0]}'\n"
                  "raise E(7)",
        "E", "code 7");
}
END_TEST

START_TEST(error_counts_frames_that_repeat)
{
    const struct claim *c = python_claim("def f(): f()\nf()");

    assert_text(c->type, "RecursionError");
    ck_assert(has(c->traceback, "[Previous line repeated 99"));
}
END_TEST

START_TEST(error_flags_memory)
{
    const struct claim *c = python_claim("x = [0, 0] * (1 << 62)");

    assert_text(c->type, "MemoryError");
    ck_assert_uint_eq(c->flags, CLAIM_NO_MEMORY);
}
END_TEST

START_TEST(error_of_syntax_has_a_caret)
{
    struct order o = python_order("x = 1\ny = (2,\n");
    const struct claim *c = &python_run(PROFILE_STANDARD, &o)->claim;

    ck_assert_uint_eq(c->kind, CLAIM_ERROR);
    assert_text(c->type, "SyntaxError");
    ck_assert_uint_eq(c->line, 2);
    ck_assert(has(c->traceback, "    y = (2,\n        ^\n"));
}
END_TEST

/* Lines end as the compiler lets them end. */
START_TEST(error_finds_its_line_whatever_ends_one)
{
    const struct claim *c =
        python_claim("x = 1\r\ny = 2\r\ndef f():\r\n\t\f raise KeyError\r\n"
                     "f()\r\n");

    ck_assert_uint_eq(c->line, 4);
    ck_assert(has(c->traceback, "line 4, in f\n    raise KeyError\n"));
    c = python_claim("x = 1\ry = 2\r1 / 0\r");
    ck_assert_uint_eq(c->line, 3);
    ck_assert(has(c->traceback, "line 3, in <module>\n    1 / 0\n"));
}
END_TEST

START_TEST(error_tells_so_many_frames_and_the_last)
{
    const struct claim *c =
        python_claim("f = [lambda: 1 / 0]\n"
                     "def a(n):\n    return b(n - 1) if n else f[0]()\n"
                     "def b(n):\n    return a(n - 1) if n else f[0]()\n"
                     "a(60)");

    ck_assert(has(c->traceback, "  [more frames]\n"
                                "  File \"<sandbox>\", line 1, in <lambda>\n"
                                "    f = [lambda: 1 / 0]\n"
                                "ZeroDivisionError"));
    ck_assert_uint_eq(c->line, 1);
}
END_TEST

START_TEST(error_tells_notes_that_are_text)
{
    struct order o = python_order("e = KeyError('k')\ne.add_note('first')\n"
                                  "e.__notes__ += [5, 'second']\nraise e");

    ck_assert(has(python_run(PROFILE_STANDARD, &o)->claim.traceback,
        "KeyError: 'k'\nfirst\nsecond\n"));
    o = python_order("e = KeyError('k')\ne.__notes__ = 'x'\nraise e");
    ck_assert(has(
        python_run(PROFILE_STANDARD, &o)->claim.traceback, "KeyError: 'k'\n"));
}
END_TEST

/* Made by the program: nothing of it is a place in its text. */
START_TEST(error_of_syntax_is_told_wherever_it_is_from)
{
    static const char *const codes[] = {
        "compile('x =', 'other.py', 'exec')",
        "raise SyntaxError('made')",
        "e = SyntaxError('made')\ne.lineno, e.offset = 'a', 'b'\nraise e",
        "e = SyntaxError('made')\ne.lineno = 10 ** 30\nraise e",
        "e = SyntaxError('made')\ne.msg = 5\nraise e",
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct order o = python_order(codes[i]);
        const struct claim *c = &python_run(PROFILE_STANDARD, &o)->claim;

        assert_text(c->type, "SyntaxError");
        ck_assert(!has(c->traceback, "File \"other.py"));
        ck_assert_uint_le(c->line, 3);
        if (i == 0)
            ck_assert(
                has(c->traceback, "  File \"<string>\", line 1\nSyntaxError"));
    }
}
END_TEST

/* No text of an argument is asked for that the program could answer. */
START_TEST(error_does_not_trust_its_arguments)
{
    assert_raises("raise ValueError(True, None, 1.5, b'x', 'a')", "ValueError",
        "(True, None, 1.5, b'x', 'a')");
    assert_raises("class A:\n"
                  "    def __repr__(self):\n"
                  "        while True: pass\n"
                  "raise ValueError(A(), 1)",
        "ValueError", "<the exception's text could not be made>");
    assert_raises("try:\n    {}['k']\nexcept KeyError:\n"
                  "    raise ValueError('v') from None",
        "ValueError", "v");
}
END_TEST

START_TEST(error_none_for_an_exit_that_ends_well)
{
    assert_value("x = 5\n_ = x\nexit()\n_ = 6", "5");
    assert_value("raise SystemExit(0)", "null");
    assert_raises("raise SystemExit(3)", "SystemExit", "3");
    assert_raises("exit('bye')", "SystemExit", "bye");
}
END_TEST

/* --- a box of `standard` ------------------------------------------------- */

START_TEST(standard_runs_asyncio_without_descriptors)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "import asyncio\n"
        "async def f(n):\n"
        "    await asyncio.sleep(0.001 * n)\n"
        "    return n\n"
        "async def main():\n"
        "    return await asyncio.gather(f(2), f(1))\n"
        "asyncio.run(main())",
        "");

    assert_text(r->claim.value, "[2,1]");
}
END_TEST

START_TEST(standard_says_what_can_be_imported)
{
    const struct python_run *r = run_in(PROFILE_STANDARD, "import numpy", "");

    assert_text(r->claim.type, "ModuleNotFoundError");
    ck_assert(has(r->claim.message, "No module named 'numpy'"));
    ck_assert(has(r->claim.message, "statistics"));
}
END_TEST

START_TEST(standard_cannot_load_what_is_linked_in)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "import sys, _imp\n"
        "sys.modules.pop('posix', None)\n"
        "out = []\n"
        "for n in ('posix', '_socket', 'faulthandler'):\n"
        "    sys.modules.pop(n, None)\n"
        "    try:\n"
        "        __import__(n)\n"
        "        out.append(n)\n"
        "    except ImportError: pass\n"
        "out",
        "");

    assert_text(r->claim.value, "[]");
}
END_TEST

START_TEST(standard_says_that_a_lock_cannot_be_had)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "import threading\n"
        "l = threading.Lock()\n"
        "l.acquire()\n"
        "print(l.acquire(timeout=0.01), l.acquire(False))\n"
        "l.acquire()",
        "");

    ck_assert_str_eq(python_out(r), "False False\n");
    assert_text(r->claim.type, "RuntimeError");
    ck_assert(has(r->claim.message, "deadlock"));
}
END_TEST

START_TEST(standard_shows_source_lines_in_tracebacks)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "import traceback\n"
        "try:\n    1 / 0\nexcept Exception:\n    traceback.print_exc()",
        "");

    ck_assert_ptr_nonnull(strstr(python_err(r), "    1 / 0\n"));
}
END_TEST

START_TEST(standard_has_time_zones)
{
    const struct python_run *r = run_in(PROFILE_STANDARD,
        "from zoneinfo import ZoneInfo\n"
        "from datetime import datetime\n"
        "datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Berlin'))",
        "");

    assert_text(r->claim.value, "\"2024-07-01T00:00:00+02:00\"");
}
END_TEST

/* --- randomness, places -------------------------------------------------- */

START_TEST(interp_draws_other_numbers_in_every_box)
{
    const char *code = "import random\nrandom.getrandbits(128)";
    struct order o = python_order(code);
    char first[64];
    struct view v = python_run(PROFILE_STANDARD, &o)->claim.value;

    ck_assert_uint_lt(v.len, sizeof(first));
    memcpy(first, v.data, v.len);
    first[v.len] = '\0';
    v = python_run(PROFILE_STANDARD, &o)->claim.value;
    ck_assert(v.len != strlen(first) || memcmp(v.data, first, v.len) != 0);
}
END_TEST

static struct slate where_slate;

static void
on_alarm(int sig)
{
    (void)sig;
    interp_note_where(&where_slate);
    _exit(0);
}

static void
spin(void)
{
    struct order o = python_order("def spin():\n    while True:\n"
                                  "        pass\nspin()");
    struct setup s = { .output_bytes = 4096, .return_bytes = 4096 };
    char problem[256];

    if (interp_warm(
            &profiles[PROFILE_RESTRICTED], &s, problem, sizeof(problem)) < 0)
        _exit(1);
    (void)signal(SIGALRM, on_alarm);
    (void)alarm(1);
    interp_run(&o, &where_slate);
    _exit(2);
}

START_TEST(interp_notes_where_the_program_was)
{
    struct setup s = { .output_bytes = 4096, .return_bytes = 4096 };
    struct slate_layout l = slate_layout_of(&s);
    int fd = slate_new(&l);
    int status;
    pid_t pid;

    ck_assert_int_eq(slate_map(&where_slate, fd, &l), 0);
    pid = fork();
    if (pid == 0)
        spin();
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(where_slate.head->where_name, "spin");
    ck_assert_uint_ge(where_slate.head->where_line, 2);
    ck_assert_uint_le(where_slate.head->where_line, 3);
    ck_assert_uint_eq(where_slate.head->phase, SLATE_RUNNING);
}
END_TEST

static void
add_run_tests(TCase *t)
{
    tcase_add_loop_test(
        t, interp_captures_what_is_printed_in_both_profiles, 0, 2);
    tcase_add_test(t, interp_keeps_standard_error_apart);
    tcase_add_test(t, interp_bounds_output_and_counts_the_rest);
    tcase_add_loop_test(t, interp_reads_standard_input_line_by_line, 0, 2);
    tcase_add_loop_test(t, interp_rehearsal_leaves_no_output, 0, 2);
    tcase_add_test(t, interp_rehearsal_leaves_no_names);
    tcase_add_test(t, interp_draws_other_numbers_in_every_box);
    tcase_add_test(t, interp_notes_where_the_program_was);
    tcase_add_test(t, standard_runs_asyncio_without_descriptors);
    tcase_add_test(t, standard_says_what_can_be_imported);
    tcase_add_test(t, standard_cannot_load_what_is_linked_in);
    tcase_add_test(t, standard_says_that_a_lock_cannot_be_had);
    tcase_add_test(t, standard_shows_source_lines_in_tracebacks);
    tcase_add_test(t, standard_has_time_zones);
}

static void
add_error_tests(TCase *t)
{
    tcase_add_test(t, error_tells_type_message_line_and_frames);
    tcase_add_loop_test(
        t, error_leaves_out_frames_of_the_library_and_paths, 0, 2);
    tcase_add_test(t, error_tells_causes_and_contexts);
    tcase_add_test(t, error_survives_a_chain_that_bites_its_tail);
    tcase_add_test(t, error_survives_a_very_long_chain);
    tcase_add_test(t, error_survives_a_str_that_raises_or_hangs);
    tcase_add_test(t, error_uses_a_str_of_the_program);
    tcase_add_test(t, error_counts_frames_that_repeat);
    tcase_add_test(t, error_flags_memory);
    tcase_add_test(t, error_of_syntax_has_a_caret);
    tcase_add_test(t, error_finds_its_line_whatever_ends_one);
    tcase_add_test(t, error_tells_so_many_frames_and_the_last);
    tcase_add_test(t, error_tells_notes_that_are_text);
    tcase_add_test(t, error_of_syntax_is_told_wherever_it_is_from);
    tcase_add_test(t, error_does_not_trust_its_arguments);
    tcase_add_test(t, error_none_for_an_exit_that_ends_well);
}

Suite *suite_interp(void);

Suite *
suite_interp(void)
{
    Suite *s = suite_create("interp");
    TCase *t = tcase_create("interp");

    tcase_set_timeout(t, 30);
    add_run_tests(t);
    add_error_tests(t);
    suite_add_tcase(s, t);
    return s;
}
