/* capture, quiet, imports: what stands in for the operating system in a box */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/python_run.h"

/* A program of `standard`, and what is left in `_`. */
struct row {
    const char *code;
    const char *value;
};

static void
check_value(const struct python_run *r, const struct row *row)
{
    ck_assert_msg(r->claim.kind == CLAIM_VALUE, "%s: %.*s", row->code,
        (int)r->claim.message.len, r->claim.message.data);
    assert_text(r->claim.value, row->value);
}

static const struct row streams[] = {
    { "sys.stdout.writelines(['a', 'b'])", "null" },
    { "try:\n    sys.stdout.writelines([1])\nexcept TypeError as e:\n"
      "    _ = str(e)",
        "\"write() argument must be str, not int\"" },
    { "try:\n    sys.stdout.writelines(1)\nexcept TypeError:\n    _ = 1", "1" },
    { "def lines():\n    yield 'a'\n    raise KeyError(1)\n"
      "try:\n    sys.stdout.writelines(lines())\nexcept KeyError:\n    _ = 2",
        "2" },
    { "try:\n    sys.stdout.buffer.write('text')\nexcept TypeError:\n"
      "    _ = 3",
        "3" },
    { "sys.stdout.buffer.write(b'abc')", "3" },
    { "hasattr(sys.stdout.buffer, 'buffer')", "false" },
    { "[sys.stdout.fileno(), sys.stderr.fileno()]", "[1,2]" },
    { "s = sys.stdout\n[s.isatty(), s.readable(), s.seekable(), "
      "s.writable(), s.closed, s.newlines]",
        "[false,false,false,true,false,null]" },
    { "s = sys.stderr\n[s.encoding, s.errors, s.name, s.mode, "
      "s.line_buffering]",
        "[\"utf-8\",\"backslashreplace\",\"<stderr>\",\"w\",false]" },
    { "with sys.stdout as s:\n    s.flush()\n_ = repr(s)",
        "\"<_io.TextIOWrapper name='<stdout>' mode='w' encoding='utf-8'>\"" },
    { "print('a\\ud800', file=sys.stderr)", "null" },
    { "try:\n    print(1, sep=2)\nexcept TypeError:\n    _ = 4", "4" },
    { "try:\n    print(1, nothing=2)\nexcept TypeError:\n    _ = 5", "5" },
    { "try:\n    print(1, file=3)\nexcept AttributeError:\n    _ = 6", "6" },
    { "try:\n    input(1, 2)\nexcept TypeError:\n    _ = 7", "7" },
};

START_TEST(stream_is_what_a_program_expects)
{
    char code[1024];
    struct order o;

    (void)snprintf(code, sizeof(code), "import sys\n%s", streams[_i].code);
    o = python_order(code);
    check_value(python_run(PROFILE_STANDARD, &o), &streams[_i]);
}
END_TEST

static const struct row host[] = {
    { "[os.isatty(1), os.isatty(0)]", "[false,false]" },
    { "try:\n    os.isatty('x')\nexcept TypeError:\n    _ = 1", "1" },
    { "try:\n    os.get_terminal_size()\nexcept OSError:\n    _ = 2", "2" },
    { "[os.getcwd(), os.getcwdb().decode()]", "[\"/\",\"/\"]" },
    { "os.uname().nodename", "\"sandbox\"" },
    { "os.cpu_count()", "1" },
    { "os.write(1, b'out') + os.write(2, b'error')", "8" },
    { "try:\n    os.write(1)\nexcept TypeError:\n    _ = 3", "3" },
    { "try:\n    os.write('x', b'')\nexcept TypeError:\n    _ = 4", "4" },
    { "try:\n    os.path.expanduser('~nobody')\nexcept KeyError:\n    pass\n"
      "_ = 5",
        "5" },
    { "import threading\nk = threading.Lock()\nk.acquire()\n"
      "try:\n    k.acquire()\nexcept RuntimeError as e:\n    _ = str(e)[:8]",
        "\"deadlock\"" },
    { "import threading\nk = threading.Lock()\nk.acquire()\n"
      "_ = [k.acquire(False), k.acquire(timeout=0.01)]",
        "[false,false]" },
    { "import threading\nk = threading.Lock()\n"
      "try:\n    k.acquire(1, 2, 3)\nexcept TypeError:\n    _ = 6",
        "6" },
};

START_TEST(host_is_not_there_and_says_so)
{
    char code[1024];
    struct order o;

    (void)snprintf(code, sizeof(code), "import os\n%s", host[_i].code);
    o = python_order(code);
    check_value(python_run(PROFILE_STANDARD, &o), &host[_i]);
}
END_TEST

static const struct row dataclasses[] = {
    { "@dataclass\nclass P:\n    x: int\n    y: int = 2\n_ = P(1)",
        "{\"x\":1,\"y\":2}" },
    { "@dataclass(frozen=True, order=True)\nclass P:\n    x: int\n"
      "_ = P(1) < P(2)",
        "true" },
    { "@dataclass()\nclass P:\n    x: int\nclass Q(P):\n    z: int = 3\n"
      "_ = dataclass(Q)(1)",
        "{\"x\":1,\"z\":3}" },
    { "try:\n    dataclass(1)\nexcept TypeError as e:\n    _ = str(e)",
        "\"dataclass() takes a class\"" },
    { "try:\n    dataclass(int)\nexcept TypeError as e:\n    _ = str(e)",
        "\"dataclass() takes a class\"" },
    { "n = '__annotation' + 's__'\n"
      "C = type('C', (), {n: {'x=1); print(': int}})\n"
      "try:\n    dataclass(C)\nexcept TypeError as e:\n    _ = str(e)",
        "\"a field's name must be an identifier\"" },
    { "n = '__annotation' + 's__'\nC = type('C', (), {n: {'class': int}})\n"
      "try:\n    dataclass(C)\nexcept TypeError as e:\n    _ = str(e)",
        "\"a field's name must be an identifier\"" },
    { "n = '__annotation' + 's__'\nC = type('C', (), {n: [1]})\n"
      "try:\n    dataclass(C)\nexcept TypeError as e:\n    _ = str(e)",
        "\"annotations must be a dict\"" },
    { "n = '__dataclass_field' + 's__'\nC = type('C', (), {n: {'x': 1}})\n"
      "try:\n    dataclass(C)\nexcept (TypeError, AttributeError):\n"
      "    _ = 1",
        "1" },
};

START_TEST(dataclass_takes_only_identifiers_for_fields)
{
    char code[1024];
    struct order o;

    (void)snprintf(code, sizeof(code), "from dataclasses import dataclass\n%s",
        dataclasses[_i].code);
    o = python_order(code);
    check_value(python_run_with(PROFILE_RESTRICTED, &o, "dataclasses"),
        &dataclasses[_i]);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

Suite *suite_capture(void);

Suite *
suite_capture(void)
{
    Suite *s = suite_create("capture");
    TCase *t = tcase_create("capture");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, stream_is_what_a_program_expects, 0, ROWS(streams));
    tcase_add_loop_test(t, host_is_not_there_and_says_so, 0, ROWS(host));
    tcase_add_loop_test(
        t, dataclass_takes_only_identifiers_for_fields, 0, ROWS(dataclasses));
    suite_add_tcase(s, t);
    return s;
}
