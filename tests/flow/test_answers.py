"""POST /execute: what comes back when a program was run."""

from harness import (claim, expect, expect_between, expect_error, expect_in,
                     expect_true)

SETTINGS = {"MAX_CONCURRENT_EXECUTIONS": 4}

FIELDS = ["success", "stdout", "stderr", "return_value", "execution_time",
          "memory_used_mb", "error", "status", "error_detail",
          "stdout_truncated", "stderr_truncated", "return_value_truncated",
          "refused", "profile", "request_id"]


@claim
def answer_has_every_field_in_the_order_of_the_contract(s):
    result = s.run("_ = [n*n for n in range(5)]")
    expect("fields", list(result), FIELDS)
    expect("success", result["success"], True)
    expect("stdout", result["stdout"], "")
    expect("stderr", result["stderr"], "")
    expect("return_value", result["return_value"], [0, 1, 4, 9, 16])
    expect("error", result["error"], None)
    expect("status", result["status"], "ok")
    expect("error_detail", result["error_detail"], None)
    expect("refused", result["refused"], [])
    expect("profile", result["profile"], "restricted")
    for flag in ("stdout_truncated", "stderr_truncated",
                 "return_value_truncated"):
        expect(flag, result[flag], False)
    expect_true("execution_time is a float",
                isinstance(result["execution_time"], float))
    expect_between("execution_time", result["execution_time"], 0.0, 2.0)
    expect_true("memory_used_mb is a float",
                isinstance(result["memory_used_mb"], float))
    expect_between("memory_used_mb", result["memory_used_mb"], 0.0, 64.0)


@claim
def failed_program_has_the_same_fields(s):
    for code in ("1/0", "while True: pass", "[0] * 10**9"):
        expect("fields", list(s.run(code, timeout_s=0.5)), FIELDS)


@claim
def example_of_the_issue_gives_squares(s):
    expect("value", s.value("result = [n*n for n in range(5)]\n_ = result"),
           [0, 1, 4, 9, 16])


@claim
def last_expression_is_the_value_if_underscore_is_never_bound(s):
    expect("value", s.value("x = 20\nx + 1"), 21)
    expect("value", s.value("x = 20"), None)
    expect("value", s.value("_ = 1\n2"), 1)
    expect("value", s.value("_ = None\n2"), None)


@claim
def print_goes_to_stdout_and_nowhere_else(s):
    result = s.run("print('héllo', 1, sep='-')\nprint('x', end='')")
    expect("stdout", result["stdout"], "héllo-1\nx")
    expect("stderr", result["stderr"], "")


@claim
def error_has_type_message_line_and_traceback(s):
    result = s.run("def f():\n    return {}['k']\n\nprint('before')\nf()\n")
    expect("success", result["success"], False)
    expect("status", result["status"], "error")
    expect("error", result["error"], "KeyError: 'k'")
    expect("stdout", result["stdout"], "before\n")
    detail = result["error_detail"]
    expect("type", detail["type"], "KeyError")
    expect("message", detail["message"], "'k'")
    expect("line", detail["line"], 2)
    trace = str(detail["traceback"])
    expect_in("traceback", "f", trace)
    expect_true("traceback names a path of the host: " + trace,
                "/usr" not in trace and "/work" not in trace
                and "/home" not in trace and "/lib" not in trace)


@claim
def error_is_never_empty(s):
    for code in ("raise ValueError", "raise ValueError()",
                 "raise SystemExit(3)", "raise KeyboardInterrupt",
                 "assert False", "raise Exception('')",
                 "class E(Exception):\n    def __str__(self): return 1\n"
                 "raise E",
                 "class E(Exception):\n    def __str__(self): raise self\n"
                 "raise E"):
        result = s.run(code)
        expect(f"success of {code!r}", result["success"], False)
        expect_true(f"error of {code!r} is {result['error']!r}",
                    isinstance(result["error"], str) and result["error"])


@claim
def everyday_python_works(s):
    for code, wanted in PROGRAMS:
        expect(code, s.value(code), wanted)


PROGRAMS = [
    ("class A:\n    def __init__(self, x):\n        self._x = x\n"
     "    @property\n    def x(self):\n        return self._x\n"
     "class B(A):\n    def __init__(self):\n        super().__init__(5)\n"
     "_ = B().x", 5),
    ("try:\n    {}['a']\nexcept KeyError as e:\n    _ = str(e)", "'a'"),
    ("import datetime\n_ = datetime.datetime.strptime('2024-02-29', "
     "'%Y-%m-%d').isoformat()", "2024-02-29T00:00:00"),
    ("x = 3\n_ = f'{x!r:>4}|{x:03d}'", "   3|003"),
    ("import json\n_ = json.dumps({'a': [1, None]})", '{"a": [1, null]}'),
    ("from collections import Counter\n_ = Counter('aab').most_common(1)[0][0]",
     "a"),
    ("import math, itertools, functools, re\n"
     "_ = [math.floor(2.5), list(itertools.islice(itertools.count(), 2)), "
     "functools.reduce(lambda a, b: a + b, [1, 2]), "
     "re.findall('[0-9]+', 'a1b22')]", [2, [0, 1], 3, ["1", "22"]]),
    ("def g():\n    yield from range(3)\n_ = sum(g())", 3),
    ("match [1, 2]:\n    case [a, b]:\n        _ = a + b", 3),
    ("a, *b = 1, 2, 3\nb += [4]\n_ = b", [2, 3, 4]),
    ("_ = '{}-{:>3}'.format(1, 'x')", "1-  x"),
    ("if __name__ == '__main__':\n    _ = 1", 1),
]


@claim
def context_becomes_variables(s):
    expect("value", s.value("_ = a + len(b['c'])",
                            context={"a": 1, "b": {"c": [1, 2]}}), 3)
    expect("null", s.value("_ = 1", context=None), 1)
    expect("unicode", s.value("_ = naïve", context={"naïve": "ü"}), "ü")
    expect("big number", s.value("_ = str(n + 1)", context={"n": 2 ** 80}),
           str(2 ** 80 + 1))


@claim
def stdin_is_what_input_reads(s):
    result = s.run("a = input()\nb = input('? ')\n_ = [a, b]",
                   stdin="one\nzwö\n")
    expect("value", result["return_value"], ["one", "zwö"])
    result = s.run("input()", stdin="")
    expect_in("error", "EOFError", result["error"] or "")


@claim
def standard_profile_has_the_whole_language(s):
    expect("value", s.value(
        "import sys, io, time, statistics, decimal, asyncio, dataclasses\n"
        "time.sleep(0.01)\n"
        "async def f():\n    await asyncio.sleep(0.01)\n    return 7\n"
        "_ = [sys.stdin.read(), eval('1+1'), asyncio.run(f()),\n"
        "     str(decimal.Decimal('0.1') * 3), statistics.mean([1, 3])]",
        profile="standard", stdin="in"), ["in", 2, 7, "0.3", 2])


@claim
def restricted_is_the_preset_and_standard_must_be_asked_for(s):
    expect("profile", s.run("1")["profile"], "restricted")
    expect("profile", s.run("1", profile=None)["profile"], "restricted")
    expect("profile", s.run("1", profile="standard")["profile"], "standard")
    expect_error(s.execute("import os"), 400,
                 "Import of 'os' is not permitted")


@claim
def values_that_json_cannot_hold_are_converted_or_named(s):
    for code in ("_ = float('nan')", "_ = float('inf')", "_ = b'\\xff'",
                 "_ = {1, 2}", "_ = (1, 2)", "_ = 10**400", "_ = {1: 2}",
                 "a = []\na.append(a)\n_ = a", "_ = lambda: 1",
                 "class A: pass\n_ = A", "_ = '\\ud800'", "_ = object()",
                 "import datetime\n_ = datetime.datetime(2024, 1, 1)",
                 "a = []\nfor i in range(5000): a = [a]\n_ = a",
                 "_ = {'a': {('x',): 1}}", "_ = 1j", "_ = range(3)",
                 "def g(): yield 1\n_ = g()"):
        answer = s.execute(code)
        expect(f"status of {code!r}", answer.status, 200)
        result = answer.json
        expect_true(f"{code!r}: neither a value nor an error",
                    result["return_value"] is not None or result["error"])


@claim
def program_with_nul_or_surrogate_gets_an_answer_of_the_contract(s):
    for code in ("x = 1\x00", "_ = '\ud800'"):
        answer = s.execute(code)
        expect_true(f"{code!r}: {answer.status}",
                    answer.status in (200, 400, 422))


@claim
def one_run_sees_nothing_of_another(s):
    s.run("import json\njson.leak = 1\nx = 1")
    for _ in range(8):
        result = s.run("import json\n_ = [hasattr(json, 'leak')]\nx")
        expect_in("error", "NameError", result["error"] or "")
    for _ in range(8):
        s.run("import sys, builtins\nsys.leak = 1\nbuiltins.leak = 1",
              profile="standard")
        expect("leak", s.value(
            "import sys, builtins\n"
            "_ = hasattr(sys, 'leak') or hasattr(builtins, 'leak')",
            profile="standard"), False)


@claim
def random_numbers_differ_between_runs(s):
    code = ("import random, uuid, secrets\n"
            "_ = [random.random(), str(uuid.uuid4()), secrets.token_hex(8)]")
    seen = [s.value(code, profile="standard") for _ in range(12)]
    for column in zip(*seen):
        expect("different values", len(set(column)), 12)


@claim
def validate_lists_findings_and_runs_nothing(s):
    answer = s.post("/validate", {"code": "_ = 1"})
    expect("status", answer.status, 200)
    expect("valid", answer.json["valid"], True)
    expect("findings", answer.json["findings"], [])
    expect("request_id", answer.json["request_id"],
           answer.header("X-Request-ID"))
    answer = s.post("/validate", {"code": "import os\neval('1')"})
    expect("status", answer.status, 200)
    expect("valid", answer.json["valid"], False)
    expect_in("findings", "Import of 'os' is not permitted",
              str(answer.json["findings"]))


@claim
def id_of_the_request_is_in_body_and_header(s):
    answer = s.execute("1")
    expect("id", answer.json["request_id"], answer.header("X-Request-ID"))
    answer = s.post("/execute", {"code": "1"}, [
        ("X-Executor-Token", s.settings["EXECUTOR_API_TOKEN"]),
        ("X-Request-ID", "my.id-1_2")])
    expect("id", answer.json["request_id"], "my.id-1_2")
    expect("id", answer.header("X-Request-ID"), "my.id-1_2")
