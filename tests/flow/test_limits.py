"""Time, CPU, memory, output: each limit holds and is named."""

import hashlib
import json
import os
import signal
import tempfile
import time

from busy import await_runs
from harness import (Later, claim, claim_alone, Service, expect,
                     expect_between, expect_error, expect_in, expect_true,
                     signal_all)

RUNS_ALONE = True
SETTINGS = {"EXECUTION_TIMEOUT": 4, "MAX_CPU_PERCENT": 25,
            "MAX_MEMORY_MB": 64}

# What nginx, JSON and a busy machine may add to a deadline of the warden.
SLACK_S = 0.35


def timed_out(s, code, seconds, **fields):
    answer = s.execute(code, timeout_s=seconds, **fields)
    result = answer.json
    expect(f"status of {code!r}", result["status"], "timeout")
    expect("success", result["success"], False)
    expect_in("error", "ime limit", result["error"])
    expect_between("execution_time", result["execution_time"],
                   seconds - 0.001, seconds + 0.05)
    expect_between("time of the answer", answer.seconds,
                   seconds, seconds + SLACK_S)
    return result


@claim
def deadline_is_kept_within_50_ms(s):
    for _ in range(5):
        timed_out(s, "while True: pass", 0.3)
    timed_out(s, "import time\ntime.sleep(10)", 0.5, profile="standard")


@claim
def program_that_waits_for_a_processor_still_says_where_it_was(s):
    """Played by stopping it: it can answer the warden a tenth of a second
    after its deadline only."""
    start = time.monotonic()
    later = Later(s.execute, "x = 1\nwhile True: pass", timeout_s=1)
    await_runs(s, 1)
    boxes = s.box_pids()
    for number, seconds in ((signal.SIGSTOP, 0.5), (signal.SIGCONT, 1.1)):
        time.sleep(max(0, start + seconds - time.monotonic()))
        signal_all(boxes, number)
    result = later.result(30).json
    expect("error", result["error"], "Time limit of 1 s reached at line 2")
    expect_between("execution_time", result["execution_time"], 1.02, 1.3)


@claim
def program_that_swallows_everything_dies_on_time(s):
    timed_out(s, "while True:\n    try:\n        while True: pass\n"
                 "    except BaseException:\n        pass", 0.3)
    timed_out(s, "import time\nwhile True:\n    try:\n"
                 "        time.sleep(9)\n    except BaseException:\n"
                 "        pass", 0.3, profile="standard")


@claim
def long_call_in_c_dies_on_time(s):
    for code in ("_ = 7 ** (10 ** 8)", "_ = 'a' * 10 ** 7 in 'a' * 10 ** 7",
                 "sum(range(10 ** 12))",
                 "import re\nre.match('(a*)*b', 'a' * 40)"):
        result = s.run(code, timeout_s=0.4)
        expect_true(f"status of {code!r}: {result['status']}",
                    result["status"] in ("timeout", "memory_limit", "ok"))
        expect_between("execution_time", result["execution_time"], 0.0, 0.5)


@claim
def output_before_a_deadline_is_kept(s):
    result = timed_out(s, "print('so far')\nwhile True: pass", 0.3)
    expect("stdout", result["stdout"], "so far\n")
    result = timed_out(s, "import sys, time\nprint('out')\n"
                          "print('err', file=sys.stderr)\ntime.sleep(9)",
                       0.3, profile="standard")
    expect("stdout", result["stdout"], "out\n")
    expect("stderr", result["stderr"], "err\n")


@claim
def cpu_limit_is_one_of_its_own(s):
    # 25 % of 4 s: one second of CPU.
    answer = s.execute("print('x')\nwhile True: pass")
    result = answer.json
    expect("status", result["status"], "cpu_limit")
    expect_in("error", "CPU", result["error"])
    expect("stdout", result["stdout"], "x\n")
    expect_between("execution_time", result["execution_time"], 0.9, 3.0)


@claim
def sleeping_costs_no_cpu(s):
    expect("value", s.value("import time\ntime.sleep(1.5)\n_ = 1",
                            profile="standard"), 1)


@claim
def memory_limit_is_named(s):
    for code in ("x = 'a' * (200 * 1024 * 1024)",
                 "x = []\nwhile True: x.append('a' * 100000)",
                 "x = bytearray(10 ** 9)",
                 "x = []\ntry:\n    while True: x.append(bytearray(10**6))\n"
                 "except MemoryError:\n    del x\n    raise"):
        result = s.run("print('before')\n" + code)
        expect(f"status of {code!r}", result["status"], "memory_limit")
        expect("success", result["success"], False)
        expect_in("error", "emory", result["error"])
        expect("stdout", result["stdout"], "before\n")


@claim
def memory_under_the_limit_is_there(s):
    expect("value", s.value("x = bytearray(30 * 1024 * 1024)\n_ = len(x)"),
           30 * 1024 * 1024)
    result = s.run("x = bytearray(30 * 1024 * 1024)\n_ = len(x)")
    expect_between("memory_used_mb", result["memory_used_mb"], 28.0, 50.0)


@claim
def flood_of_output_is_cut_and_flagged(s):
    result = s.run("for i in range(20000): print('x' * 100)")
    expect("status", result["status"], "ok")
    expect("length", len(result["stdout"]), 65536)
    expect("stdout_truncated", result["stdout_truncated"], True)
    expect("stderr_truncated", result["stderr_truncated"], False)
    result = s.run("import sys\nfor i in range(20000):\n"
                   "    print('y' * 100, file=sys.stderr)",
                   profile="standard")
    expect("length", len(result["stderr"]), 65536)
    expect("stderr_truncated", result["stderr_truncated"], True)


@claim
def output_at_the_limit_is_whole(s):
    result = s.run("print('x' * 65536, end='')")
    expect("length", len(result["stdout"]), 65536)
    expect("stdout_truncated", result["stdout_truncated"], False)
    result = s.run("print('x' * 65537, end='')")
    expect("length", len(result["stdout"]), 65536)
    expect("stdout_truncated", result["stdout_truncated"], True)


@claim
def output_is_cut_between_characters(s):
    result = s.run("print('a' + '€' * 40000)")
    expect("stdout", result["stdout"], "a" + "€" * 21845)
    expect("stdout_truncated", result["stdout_truncated"], True)


@claim
def endless_flood_ends_with_the_limit_and_keeps_its_beginning(s):
    result = s.run("while True: print('z' * 1000)", timeout_s=0.4)
    expect_true(f"status {result['status']}",
                result["status"] in ("timeout", "cpu_limit"))
    expect("length", len(result["stdout"]), 65536)


@claim
def large_value_is_cut_and_flagged_or_an_error(s):
    result = s.run("_ = 'x' * 200000")
    expect_true("neither flagged nor an error",
                result["return_value_truncated"] or result["error"])


@claim
def timeout_may_only_lower_the_limit(s):
    answer = s.execute("import time\ntime.sleep(30)", profile="standard",
                       timeout_s=300)
    expect_true(f"{answer.status} {answer.body[:200]}",
                answer.status in (200, 422))
    if answer.status == 200:
        expect("status", answer.json["status"], "timeout")
        expect_between("seconds", answer.json["execution_time"], 3.9, 4.1)
    expect("null", s.execute("1", timeout_s=None).status, 200)


@claim
def crash_of_the_interpreter_is_one_killed_run(s):
    # Deep recursion in C, a classic: whatever becomes of it, it is answered.
    result = s.run("x = []\nfor i in range(200000): x = [x]\nrepr(x)",
                   profile="standard")
    expect_true(f"status {result['status']}",
                result["status"] in ("error", "killed", "memory_limit"))
    expect_true("no error text", bool(result["error"]))
    expect("next", s.value("_ = 1", profile="standard"), 1)


@claim_alone
def limits_of_a_token_hold():
    secret = "a-secret-of-the-small-token"
    headers = [("X-Executor-Token", secret)]
    with tempfile.TemporaryDirectory(prefix="gbflow.") as directory:
        os.chmod(directory, 0o755)
        path = os.path.join(directory, "tokens.json")
        s = Service(EXECUTOR_TOKENS_FILE=path)
        s.write(path, json.dumps({"tokens": [{
            "id": "small",
            "sha256": hashlib.sha256(secret.encode()).hexdigest(),
            "profiles": ["restricted"],
            "limits": {"timeout_s": 1, "memory_mb": 32,
                       "code_bytes": 100}}]}))
        with s:
            answer = s.execute("while True: pass", headers)
            expect("status", answer.json["status"], "timeout")
            expect_between("seconds", answer.seconds, 0.9, 1.5)
            expect_error(s.execute("#" * 101, headers), 400,
                         "Code payload is 101 bytes; limit is 100 bytes")
            expect_error(s.execute("1", headers, profile="standard"), 422)
            expect("memory", s.execute("x = bytearray(50 * 2**20)",
                                       headers).json["status"],
                   "memory_limit")
            expect("other token", s.value("_ = len(bytearray(50 * 2**20))"),
                   50 * 2**20)
