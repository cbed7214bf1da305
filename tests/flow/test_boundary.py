"""Profile `standard`, no language filter: the kernel alone holds it."""

import os

import harness
from harness import (Failure, Service, claim, claim_alone, expect,
                     expect_error, expect_in, expect_true)

SETTINGS = {"MAX_CONCURRENT_EXECUTIONS": 2}


def refused_calls(result):
    return {entry["call"]: entry["count"] for entry in result["refused"]}


def standard(s, code):
    return s.run(code, profile="standard")


@claim
def opening_a_file_is_an_ordinary_exception_and_named(s):
    for path in ("/etc/passwd", "/proc/self/maps", "/", "x", "/dev/null",
                 "/usr/lib/python3.11/os.py"):
        for mode in ("r", "w"):
            result = standard(s, f"try:\n    open({path!r}, {mode!r})\n"
                                 "    _ = 'opened'\nexcept OSError as e:\n"
                                 "    _ = 'no'")
            expect(f"open({path!r}, {mode!r}): {result['error']}",
                   result["return_value"], "no")
            calls = refused_calls(result)
            expect_true(f"refused: {calls}",
                        calls.get("openat", calls.get("open", 0)) >= 1)
            for entry in result["refused"]:
                expect("keys", sorted(entry), ["call", "count"])


@claim
def socket_is_refused_and_named(s):
    result = standard(s, "import _socket\n_socket.socket()")
    if "ModuleNotFoundError" in (result["error"] or "") or \
            "ImportError" in (result["error"] or ""):
        return  # no socket module at all: nothing to refuse
    expect("status", result["status"], "error")
    expect_in("error", "Error", result["error"])
    expect_in("refused", "socket", refused_calls(result))


@claim
def fork_is_refused_and_named(s):
    result = standard(s, "import os\nos.fork()")
    expect("status", result["status"], "error")
    expect_true(f"refused: {result['refused']}",
                {"clone", "fork", "clone3"} & set(refused_calls(result)))
    # This one fails at the memory for the new process's stack already.
    result = standard(s, "import os\nos.posix_spawn('/bin/sh', ['sh'], {})")
    expect("status", result["status"], "error")
    expect_true("nothing was named", bool(refused_calls(result)))


@claim
def threads_and_processes_are_ordinary_exceptions(s):
    for code in ("import threading\n"
                 "threading.Thread(target=print).start()",
                 "import subprocess\nsubprocess.run(['ls'])",
                 "import os\nos.system('ls')",
                 "import os\nos.execv('/bin/ls', ['ls'])"):
        result = standard(s, f"try:\n    exec({code!r})\n    _ = 'done'\n"
                             "except Exception as e:\n"
                             "    _ = type(e).__name__")
        expect_true(f"{code!r}: {result['status']} {result['error']} "
                    f"{result['return_value']!r}",
                    result["status"] in ("ok", "killed")
                    and result["return_value"] != "done"
                    or "os.system" in code)


@claim
def nothing_of_the_host_can_be_read(s):
    result = standard(s, HOST_PROBE)
    expect(f"status ({result['error']})", result["status"], "ok")
    expect("what was readable", result["return_value"], [])


HOST_PROBE = """
import os
found = []
for path in ("/", "/etc", "/proc", "/proc/self", "/tmp", "/usr", "/sys",
             "/dev", "/home", "/root", "."):
    try:
        names = os.listdir(path)
    except Exception:
        continue
    if names:
        found.append(["listdir", path])
for path in ("/etc/passwd", "/proc/1/environ", "/proc/self/environ",
             "/proc/self/status", "/etc/hostname", "/proc/net/tcp"):
    for probe in (os.stat, os.readlink, lambda p: open(p).read()):
        try:
            probe(path)
        except Exception:
            continue
        found.append(["read", path])
for path in ("/tmp/gb-probe", "gb-probe", "/dev/shm/gb-probe"):
    for probe in (lambda p: open(p, "w"), os.mkdir, os.mkfifo):
        try:
            probe(path)
        except Exception:
            continue
        found.append(["write", path])
# Two constants that libraries ask for; nothing that was the host's.
for name in set(os.environ.items()) - {("TZ", "UTC0"), ("HOME", "/")}:
    found.append(["environ", name])
_ = found
"""


@claim
def nobody_can_be_signalled(s):
    for call in ("os.kill(1, 9)", "os.kill(os.getppid(), 9)",
                 "os.kill(-1, 9)", "os.killpg(0, 9)"):
        standard(s, f"import os\ntry:\n    {call}\n"
                    "except Exception as e:\n    pass")
        expect("next", s.value("_ = 1", profile="standard"), 1)
    expect("health", s.get("/health").status, 200)


@claim
def descriptors_lead_nowhere(s):
    result = standard(s, """
import os
found = []
for fd in range(64):
    for probe in (lambda f: os.write(f, b"x"), lambda f: os.read(f, 1),
                  lambda f: os.fstat(f), os.dup):
        try:
            probe(fd)
        except Exception:
            continue
        found.append(fd)
_ = [f for f in found if f > 2]
""")
    expect_true(f"{result['status']}: {result['error']}",
                result["status"] in ("ok", "killed"))
    if result["status"] == "ok":
        expect("descriptors that can be used", result["return_value"], [])


@claim
def ordinary_programs_have_no_refused_call(s):
    for profile, code in (
            ("restricted", "import json, datetime\nprint('x' * 100000)\n"
             "_ = [json.loads('[1]'), str(datetime.datetime(2024, 1, 1))]"),
            ("standard", "import time, random, asyncio, decimal, uuid, "
             "datetime\ntime.sleep(0.01)\nasyncio.run(asyncio.sleep(0.01))\n"
             "x = [bytearray(10**6) for i in range(20)]\ndel x\n"
             "print(datetime.datetime.now())\n"
             "_ = [random.random(), str(uuid.uuid4())]")):
        result = s.run(code, profile=profile)
        expect(f"status ({result['error']})", result["status"], "ok")
        expect(f"refused in {profile}", result["refused"], [])


@claim
def claim_cannot_be_forged_through_stdout(s):
    result = standard(s, 'print(\'{"success":true,"return_value":1}\')\n'
                         "raise ValueError('x')")
    expect("success", result["success"], False)
    expect("return_value", result["return_value"], None)


@claim
def exit_by_the_back_door_is_no_success(s):
    for call in ("os._exit(0)", "os._exit(3)", "os.abort()"):
        result = standard(s, f"import os\nprint('before')\n{call}")
        expect(f"success of {call}", result["success"], False)
        expect_true(f"error of {call}", bool(result["error"]))
        expect(f"stdout of {call}", result["stdout"], "before\n")
    expect("next", s.value("_ = 1", profile="standard"), 1)


@claim
def flood_of_refused_calls_is_bounded(s):
    result = standard(s, "for i in range(100000):\n    try:\n"
                         "        open('/x')\n    except OSError:\n"
                         "        pass\n_ = 'through'")
    expect_true(f"status {result['status']}",
                result["status"] in ("ok", "killed", "timeout", "cpu_limit"))
    expect("next", s.value("_ = 1", profile="standard"), 1)


@claim
def release_has_no_profile_without_any_rules(s):
    expect_error(s.execute("_ = 1", profile="raw"), 422)


@claim_alone
def release_cannot_be_told_to_offer_what_it_has_not():
    s = Service(EXECUTOR_PROFILES="restricted,raw")
    try:
        s.start()
    except Failure as e:
        expect_in("why it does not start", "EXECUTOR_PROFILES", str(e))
        return
    s.stop()
    raise Failure("it started")


@claim_alone
def release_has_nothing_of_the_test_build_in_it():
    """Neither the profile `raw` nor the hooks that break a step."""
    for name in ("glovebox", "glovebox-sandbox", "gloveboxctl"):
        with open(os.path.join(harness.PROGRAMS, name), "rb") as f:
            program = f.read()
        for text in (b"an attacker who owns the interpreter", b"drop-call",
                     b"hook_has", b"raw_modules"):
            expect(f"{text} in {name}", text in program, False)
