"""Nothing crosses from one run to another: canaries are put wherever a caller or
an operator can put something, and looked for in all readable memory of later
and parallel boxes, by the box itself under `raw` and from outside by root.

After CVE-2025-68668, CVE-2026-25905, CVE-2022-36067 (R11)."""

import contextlib
import re
import secrets
import time

from harness import (TOKEN, Later, Service, claim, claim_alone, eventually,
                     expect, expect_true)

ENVIRONMENT = "environment-canary-" + secrets.token_hex(12)

SETTINGS = {"arguments": ["--test-profiles"], "GBX_CANARY": ENVIRONMENT,
            "MAX_CONCURRENT_EXECUTIONS": 4}

MASK = 0x5a


def canary(what):
    return f"{what}-canary-{secrets.token_hex(12)}"


# --- memory, from outside ------------------------------------------------------


def readable(pid):
    """Mappings of a process that can be read: [(start, end)]; none when it
    has gone."""
    text = ""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps") as f:
        text = f.read()
    rows = re.findall(r"^(\w+)-(\w+) (\S+) .*?(\S*)$", text, re.M)
    return [(int(a, 16), int(b, 16)) for a, b, mode, name in rows
            if mode[0] == "r" and not name.startswith("[v")]


def holds(pid, texts):
    """Which of the texts are in the memory of a process."""
    found = set()
    for start, end in readable(pid):
        with contextlib.suppress(OSError), \
                open(f"/proc/{pid}/mem", "rb", buffering=0) as f:
            f.seek(start)
            memory = f.read(end - start)
            found |= {t for t in texts if t.encode() in memory}
    return sorted(found)


# --- memory, from inside --------------------------------------------------------

# A box cannot ask for its own map, so it is told that of a parked sibling: forks
# of one template have one layout.  Needles come masked, and are looked for
# without their last byte, so that the search does not find itself.
SCAN = """
import ctypes
MASK = %d
own = b"".join([b"own-", b"canary-", b"in-memory"])
parts = [(i, bytes(c ^ MASK for c in bytes.fromhex(n[:-2])),
          int(n[-2:], 16) ^ MASK) for i, n in enumerate(masked)]
parts.append((-1, own[:-1], own[-1]))
found = set()
scanned = 0
for text in ranges:
    start, end = (int(x, 16) for x in text.split("-"))
    at = start
    while at < end:
        size = min(1 << 20, end - at)
        memory = ctypes.string_at(at, size)
        scanned += size
        for i, part, last in parts:
            place = memory.find(part)
            while place >= 0:
                after = place + len(part)
                if after < size and memory[after] == last:
                    found.add(i)
                place = memory.find(part, place + 1)
        # The last bytes of a piece once more, with those that follow.
        at += size if at + size >= end else size - 256
_ = [sorted(found), scanned]
""" % MASK


def raw_box(s):
    """A parked box of raw: the only profile that has ctypes mapped."""
    def look():
        for pid in s.box_pids():
            try:
                with open(f"/proc/{pid}/maps") as f:
                    if "_ctypes" in f.read():
                        return pid
            except OSError:
                pass
        return None
    return eventually("a parked box of raw", look, 30)


def scan_inside(s, texts):
    """What a box finds of the texts in all that it can read."""
    ranges = [f"{a:x}-{b:x}" for a, b in readable(raw_box(s))]
    masked = [bytes(c ^ MASK for c in t.encode()).hex() for t in texts]
    found, scanned = s.value(SCAN, profile="raw", context={
        "masked": masked, "ranges": ranges})
    expect_true(f"it read all of its memory: {scanned} bytes",
                scanned > 8 << 20)
    expect_true("it finds what is there (its own canary)", -1 in found)
    return sorted(texts[i] for i in found if i >= 0)


def plant(s, profile):
    """A run that has a canary in all that a caller sends or prints."""
    texts = {what: canary(what) for what in (
        "code", "context", "stdin", "value", "output", "id")}
    s.post("/execute", {
        "code": f"x = '{texts['code']}'\nprint('{texts['output']}')\n"
                f"_ = '{texts['value']}'",
        "context": {"given": texts["context"]},
        "stdin": texts["stdin"], "profile": profile,
    }, headers=[("X-Executor-Token", TOKEN), ("X-Request-ID", texts["id"])])
    return list(texts.values())


@claim
def scan_finds_what_is_there(s):
    expect("token and environment, in the app",
           holds(s.app_pid, [TOKEN, ENVIRONMENT]), [ENVIRONMENT, TOKEN])
    text = canary("control")
    run = Later(s.run, f"x = '{text}'\nwhile True:\n    pass",
                profile="raw", timeout_s=2)
    eventually("the box that runs it holds it", lambda: any(
        holds(p, [text]) for p in s.box_pids()), 20)
    run.result()


@claim
def later_box_holds_nothing_of_earlier_callers(s):
    texts = [TOKEN, ENVIRONMENT]
    for profile in ("raw", "restricted", "standard"):
        texts += plant(s, profile)
    expect("found from inside", scan_inside(s, texts), [])
    for pid in (*s.template_pids(), *s.box_pids()):
        expect(f"found from outside in {pid}", holds(pid, texts), [])


@claim
def parallel_box_holds_nothing_of_its_neighbour(s):
    text = canary("neighbour")
    run = Later(s.run, f"x = '{text}'\nimport time\n"
                       "while True:\n    time.sleep(0.01)",
                profile="raw", timeout_s=6)
    eventually("the neighbour runs", lambda: any(
        holds(p, [text]) for p in s.box_pids()), 20)
    expect("found from inside", scan_inside(s, [text, TOKEN, ENVIRONMENT]),
           [])
    expect("the neighbour ended as it must", run.result()["status"],
           "timeout")


# --- what Python keeps ----------------------------------------------------------


@claim
def state_of_one_run_is_not_there_in_the_next(s):
    s.value("import json, os, random, sys, builtins, time\n"
            "json.loads = len\nos.environ['LEFT'] = '1'\nbuiltins.left = 1\n"
            "sys.modules['left'] = json\nrandom.seed(1)\nrandom.random()\n"
            "sys.setrecursionlimit(99)\nglobals()['kept'] = 1\n"
            "os.environ.pop('TZ', None)\n_ = 1", profile="raw")
    for _ in range(8):  # as many as there may be boxes ready
        expect("what is left", s.value(
            "import json, os, sys, builtins\n"
            "_ = [json.loads('1'), 'LEFT' in os.environ, "
            "hasattr(builtins, 'left'), 'left' in sys.modules, "
            "sys.getrecursionlimit() == 99, 'kept' in globals(), "
            "os.environ.get('TZ')]", profile="raw"),
            [1, False, False, False, False, False, "UTC0"])


@claim
def caches_of_modules_are_as_the_template_made_them(s):
    size = ("import re\nbefore = len(re._cache)\n"
            "for i in range(50):\n    re.compile('x%d' % i)\n_ = before")
    sizes = {s.value(size, profile="standard") for _ in range(6)}
    expect(f"sizes of re's cache: {sizes}", len(sizes), 1)


@claim
def no_two_runs_have_the_same_random_numbers(s):
    for profile, code in (
            ("raw", "import random, os\n_ = [random.random(), "
                    "os.urandom(8).hex(), random.Random().random()]"),
            ("standard", "import random, uuid, secrets\n_ = [random.random(), "
                         "str(uuid.uuid4()), secrets.token_hex(8)]")):
        runs = [s.value(code, profile=profile) for _ in range(8)]
        for i, what in enumerate(zip(*runs)):
            expect(f"different ones ({profile}, {i})", len(set(what)), 8)


HASH = "_ = str(hash('canary'))"


def new_template(s, profile):
    """Crash one, so that the template is replaced."""
    before = set(s.template_pids())
    s.run("import ctypes\nctypes.string_at(0)", profile=profile)
    eventually("another template", lambda: len(
        set(s.template_pids()) - before) > 0, 30)
    eventually("and the old one is gone", lambda: not
               before <= set(s.template_pids()), 30)


LAYOUT = "import ctypes\n_ = [str(hash('x')), str(ctypes.addressof(" \
         "ctypes.c_char.in_dll(ctypes.CDLL(None), 'box_steps')))]"


@claim
def crash_gives_the_next_runs_another_layout_and_hash_seed(s):
    before = s.value(LAYOUT, profile="raw")
    new_template(s, "raw")
    after = s.value(LAYOUT, profile="raw")
    expect_true("another hash seed", before[0] != after[0])
    expect_true("another layout", before[1] != after[1])


@claim_alone
def crash_is_followed_at_once_by_a_box_of_the_spare():
    with Service(arguments=["--test-profiles"], EXECUTOR_PROFILES="raw") as s:
        ready = lambda: s.log_text().count("template ready profile=raw ")
        for crashes in range(4):
            # One that serves and one that is spare; after a crash one of each
            # again.  All have passed their trial.
            eventually("spares are there",
                       lambda: ready() == 2 + 2 * crashes, 30)
            before = s.value(LAYOUT, profile="raw")
            s.run("import ctypes\nctypes.string_at(0)", profile="raw")
            after = s.value(LAYOUT, profile="raw")
            expect_true("the very next run has another layout",
                        before[1] != after[1])


@claim_alone
def fresh_start_gives_every_run_its_own_hash_seed():
    with Service(SANDBOX_START="fresh", PARKED_BOXES="2") as s:
        seeds = {s.value(HASH) for _ in range(4)}
        expect("seeds", len(seeds), 4)


# --- templates are replaced -----------------------------------------------------


@claim_alone
def template_is_replaced_by_age_while_nobody_waits():
    with Service(RETIRE_SECONDS="2", EXECUTOR_PROFILES="restricted") as s:
        first = set(s.template_pids())
        slowest = 0.0
        end = time.monotonic() + 30
        while first & set(s.template_pids()) and time.monotonic() < end:
            slowest = max(slowest, s.execute("_ = 1").seconds)
        expect("the first is gone", first & set(s.template_pids()), set())
        expect_true(f"nobody waited for it: {slowest}", slowest < 3)


@claim_alone
def template_is_replaced_by_count():
    with Service(RETIRE_BOXES="10", EXECUTOR_PROFILES="restricted") as s:
        first = set(s.template_pids())
        for _ in range(30):  # enough for the spare that was there too
            expect("a run", s.value("_ = 1"), 1)
        eventually("the first is gone", lambda: not
                   first & set(s.template_pids()), 30)


def seconds_of(s, n):
    took = []
    for _ in range(n):
        answer = s.execute("_ = 6 * 7", profile="raw")
        expect("an honest run", answer.json["return_value"], 42)
        took.append(answer.seconds)
    return sorted(took)


@claim
def crashing_callers_do_not_hold_up_others(s):
    quiet = seconds_of(s, 40)
    stop = []

    def crash():
        n = 0
        while not stop:
            answer = s.run("import ctypes\nctypes.string_at(0)",
                           profile="raw")
            expect("a crash", answer["status"], "killed")
            n += 1
        return n

    crashing = Later(crash)
    try:
        busy = seconds_of(s, 60)
    finally:
        stop.append(True)
    expect_true("there were crashes", crashing.result() > 3)
    # A template takes longer than this to start: nobody waited for one.
    expect_true(f"half of them took {busy[30]:.4f} s, quiet {quiet[20]:.4f}",
                busy[30] < max(20 * quiet[20], 0.2))
    expect_true(f"the slowest took {busy[-1]:.3f} s", busy[-1] < 5)
