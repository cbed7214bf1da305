"""Only the kernel is believed: a program that owns its process writes into the
slate what it likes, and may lie about its own value, but about nothing else.

The slate is where sandbox/box.c keeps it; the offset of that variable from a
symbol that programs can see comes from nm.

After CVE-2025-14931 (R10)."""

import os
import subprocess
import time

import harness
from harness import claim, expect, expect_in, expect_true

SETTINGS = {"arguments": ["--test-profiles"], "EXECUTION_TIMEOUT": "5"}

HERE = os.path.dirname(os.path.abspath(__file__))

# docs/PROTOCOL.md: "Slate" and "Claim".
TOOLS = """
import time

SLATE = ctypes.addressof(ctypes.c_char.in_dll(LIBC, "box_steps")) + OFFSET
(HEAD, ORDER_AT, ORDER_BYTES, OUT_AT, ERR_AT, OUTPUT_BYTES, CLAIM_AT,
 CLAIM_BYTES, TOTAL, BASE) = (ctypes.c_uint64 * 10).from_address(SLATE)
PHASE, LAYERS, BASE_KB, BASE_FAULTS = 0, 8, 16, 24
OUT_LEN, ERR_LEN, CLAIM_LEN, STEP, ERROR = 32, 40, 48, 52, 56
PHASE_US, WHERE_LINE, WHERE_NAME = 64, 112, 116


def put32(at, value):
    ctypes.c_uint32.from_address(HEAD + at).value = value


def put64(at, value):
    ctypes.c_uint64.from_address(HEAD + at).value = value


def u32(value):
    return value.to_bytes(4, "little")


def block(data):
    return u32(len(data)) + data


def packed(kind=1, flags=0, value=b'"forged"', name=b"", message=b"", trace=b""):
    return (u32(kind) + u32(flags) + u32(0) + u32(0) + block(value)
            + block(name) + block(message) + block(trace))


def tell(claim, length=None):
    ctypes.memmove(BASE + CLAIM_AT, claim, len(claim))
    put32(CLAIM_LEN, len(claim) if length is None else length)


def leave(status=0):
    call("exit_group", status)


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
"""


def offset():
    names = subprocess.run(
        ["nm", os.path.join(harness.PROGRAMS, "glovebox-sandbox")],
        check=True, capture_output=True, text=True).stdout
    at = {line.split()[2]: int(line.split()[0], 16)
          for line in names.splitlines() if len(line.split()) == 3
          and line.split()[2] in ("box_slate", "box_steps")}
    return at["box_slate"] - at["box_steps"]


def forge(s, code, **fields):
    with open(os.path.join(HERE, "kit.py"), encoding="utf-8") as f:
        kit = f.read()
    return s.run(f"OFFSET = {offset()}\n{kit}{TOOLS}{code}", profile="raw",
                 **fields)


def expect_unharmed(s):
    for profile in ("raw", "restricted"):
        expect(f"the next run, {profile}",
               s.value("_ = 6 * 7", profile=profile), 42)


# What it does | status | a part of the error.  A claim that is perfect comes
# first wherever the point is that it does not help.
CASES = [
    ("lies about its own value", "tell(packed())\nleave()", "ok", None),
    ("sends nothing", "leave()", "killed", "without a result"),
    ("sends half a claim", "c = packed()\ntell(c[:len(c) // 2])\nleave()",
     "killed", "without a result"),
    ("sends two claims", "tell(packed() * 2)\nleave()",
     "killed", "without a result"),
    ("sends a claim and one byte more", "tell(packed() + b'x')\nleave()",
     "killed", "without a result"),
    ("claims 4 GiB", "tell(packed(), 0xffffffff)\nleave()",
     "killed", "without a result"),
    ("claims the whole area", "tell(packed(), CLAIM_BYTES)\nleave()",
     "killed", "without a result"),
    ("has a field of 4 GiB",
     "tell(u32(1) + bytes(12) + u32(0xffffffff) + bytes(64))\nleave()",
     "killed", "without a result"),
    ("is of no kind that there is", "tell(packed(kind=9))\nleave()",
     "killed", "without a result"),
    ("says nothing at length", "tell(packed(kind=0))\nleave()",
     "killed", "without a result"),
    ("returns what is no JSON", "tell(packed(value=b'{no'))\nleave()",
     "killed", "without a result"),
    ("returns NaN", "tell(packed(value=b'NaN'))\nleave()",
     "killed", "without a result"),
    ("returns two values", "tell(packed(value=b'1 2'))\nleave()",
     "killed", "without a result"),
    ("returns depth", "tell(packed(value=b'[' * 5000 + b']' * 5000))\nleave()",
     "killed", "without a result"),
    ("returns bytes that are no text", "tell(packed(value=b'\"\\xff\"'))\nleave()",
     "killed", "without a result"),
    ("breaks out of a string of the answer",
     "tell(packed(kind=2, name=b'E\",\"success\":true,\"x\":\"',"
     " message=b'\\xff\\x00\"}'))\nleave()", "error", "success"),
    ("claims that memory ran out",
     "tell(packed(kind=2, flags=2, name=b'MemoryError'))\nleave()",
     "error", "MemoryError"),
    ("exits as if killed", "tell(packed())\nleave(137)",
     "killed", "exit status 137"),
    ("exits with 9", "tell(packed())\nleave(9)", "killed", "exit status 9"),
    ("exits as if a step had failed",
     "put32(PHASE, 5)\nput32(STEP, 7)\nput32(ERROR, 1)\nleave(70)",
     "killed", "exit status 70"),
    ("exits as if the order were unreadable", "tell(packed())\nleave(71)",
     "killed", "exit status 71"),
    ("exits as if told to stop", "tell(packed())\nput32(WHERE_LINE, 1)\n"
     "leave(72)", "killed", "exit status 72"),
    ("exits with more than an int", "tell(packed())\nleave(1 << 32 | 3)",
     "killed", "exit status 3"),
    ("crashes after a perfect claim", "tell(packed())\nctypes.string_at(0)",
     "killed", "SIGSEGV"),
    ("is killed after a perfect claim",
     "tell(packed())\ncall('ptrace', 0, 0, 0, 0)", "killed", "forbids"),
    ("aborts after a perfect claim", "tell(packed())\nos.abort()",
     "killed", "signal"),
    ("unmaps the slate", "call('munmap', BASE, TOTAL)\n_ = 1",
     "killed", "signal"),
    ("unmaps the slate and leaves",
     "tell(packed())\ncall('munmap', BASE, TOTAL)\nleave()", "ok", None),
    ("closes its descriptors and leaves",
     "call('close_range', 0, 100, 0)\ncall(3, 0)\ntell(packed())\nleave()",
     "ok", None),
    ("spoils its order",
     "ctypes.memset(BASE + ORDER_AT, 255, ORDER_BYTES)\n"
     "put32(4, 0xffffffff)\n_ = 'whole'", "ok", None),
    ("spoils the head",
     "ctypes.memset(HEAD, 255, 180)\ntell(packed())\nleave()", "ok", None),
    ("says that layers are off", "put64(LAYERS, 0)\n_ = 1", "ok", None),
]


@claim
def forged_claims_get_the_status_that_the_kernel_saw(s):
    for what, code, status, error in CASES:
        answer = forge(s, code)
        expect(f"status of a box that {what} ({answer['error']})",
               answer["status"], status)
        expect(f"success of a box that {what}", answer["success"],
               status == "ok")
        if error is not None:
            expect_in(f"error of a box that {what}", error, answer["error"])
        expect_unharmed(s)
    expect("health", s.get("/health").status, 200)


@claim
def lengths_of_output_that_are_lies_stay_inside_the_area(s):
    for length in (2 ** 64 - 1, 2 ** 32, 2 ** 63):
        answer = forge(s, f"print('x')\nput64(OUT_LEN, {length})\n"
                          f"put64(ERR_LEN, {length})\ntell(packed())\nleave()")
        expect("status", answer["status"], "ok")
        expect("stdout was cut", answer["stdout_truncated"], True)
        expect_true("stdout is bounded", len(answer["stdout"]) <= 2 << 20)
        expect("begins with what was printed", answer["stdout"][:2], "x\n")
    expect_unharmed(s)


@claim
def box_that_hangs_after_its_answer_ends_at_its_deadline(s):
    for code in ("tell(packed())\nwhile True:\n    pass",
                 "tell(packed())\nwhile True:\n    time.sleep(1)",
                 "while True:\n    tell(packed())\n    tell(b'')"):
        start = time.monotonic()
        answer = forge(s, code, timeout_s=1)
        expect_true(f"status {answer['status']}",
                    answer["status"] in ("timeout", "cpu_limit"))
        expect("success", answer["success"], False)
        expect("value", answer["return_value"], None)
        expect_true("ended on time", time.monotonic() - start < 10)
        expect_unharmed(s)


@claim
def stamps_that_are_lies_change_no_figure(s):
    for stamps in ([2 ** 64 - 1] * 6, [0] * 6, [2 ** 63, 5, 2 ** 64 - 1, 0, 9,
                                                1]):
        lies = "".join(f"put64(PHASE_US + {8 * i}, {v})\n"
                       for i, v in enumerate(stamps))
        answer = forge(s, f"spin(0.4)\n{lies}tell(packed())\nleave()")
        expect("status", answer["status"], "ok")
        expect_true(f"time it took: {answer['execution_time']}",
                    0.35 <= answer["execution_time"] <= 5)
    expect_unharmed(s)


@claim
def memory_figure_cannot_be_talked_down(s):
    answer = forge(s, "x = bytearray(24 << 20)\nput64(BASE_KB, 2 ** 40)\n"
                      "put64(BASE_FAULTS, 2 ** 60)\ntell(packed())\nleave()")
    expect("status", answer["status"], "ok")
    expect_true(f"memory: {answer['memory_used_mb']}",
                answer["memory_used_mb"] >= 20)


@claim
def place_it_was_stopped_at_is_text_whatever_it_is(s):
    answer = forge(s, "put32(WHERE_LINE, 7)\n"
                      "ctypes.memset(HEAD + WHERE_NAME, 0xff, 64)\n"
                      "ctypes.memmove(HEAD + WHERE_NAME, b'a\"\\n\\\\', 4)\n"
                      "while True:\n    pass", timeout_s=1)
    expect_true(f"status {answer['status']}",
                answer["status"] in ("timeout", "cpu_limit"))
    expect_unharmed(s)


@claim
def questions_to_the_warden_are_bounded(s):
    answer = forge(s, "for i in range(100000):\n"
                      "    call('exit_group', 0x6d656d << 40)\n_ = 'through'")
    expect("status", answer["status"], "killed")
    expect_in("error", "too many system calls", answer["error"])
    expect_unharmed(s)


@claim
def box_that_faults_at_its_deadline_burns_its_template(s):
    before = set(s.template_pids())
    # The handler of the stop signal reads what the program has spoilt.
    answer = forge(s, "ctypes.memset(SLATE, 0, 80)\nwhile True:\n    pass",
                   timeout_s=1)
    expect_true(f"status {answer['status']}",
                answer["status"] in ("timeout", "cpu_limit"))
    harness.eventually("another template", lambda: not before <= set(
        s.template_pids()), 30)
    expect_unharmed(s)
