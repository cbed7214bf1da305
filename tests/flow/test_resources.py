"""Programs that want everything, alone and many at once.

Each file of tests/resources is one: its head says what it is, which file
limits it and what the answer must be.  In the long form (GLOVEBOX_LONG, make
check-resources) the time of honest callers beside 2, 8 and 32 of them is
measured and held to its promise; in the short form only their answers are.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

import callers
from busy import await_runs
from harness import (LONG, ROOT, Later, Service, claim, claim_alone, eventually,
                     expect, expect_in, expect_true, process_stat,
                     process_tree)

# The limits that tests/resources counts on.
LIMITS = {"EXECUTION_TIMEOUT": 4, "MAX_CPU_PERCENT": 25, "MAX_MEMORY_MB": 64}
RUNS_ALONE = True
SETTINGS = LIMITS

HONEST = "honest-secret-0123456789abcdef"
BOMBER = "bomber-secret-0123456789abcdef"

# p99 of honest callers: beside bombs, at most so many times the quiet one.
MOST_SLOWER = 3
# In the short form nobody's machine is judged; this is "not stuck".
MOST_SECONDS = 15


# --- each alone ---------------------------------------------------------------


def expect_limited(bomb, answer):
    """Exactly what the head of the file says."""
    head, body = bomb.head, answer.json
    status = body["status"] if answer.status == 200 else str(answer.status)
    text = body.get("detail") or body.get("error") or ""
    expect(f"status ({text[:200]})", status, head["expect"])
    if "error" in head:
        expect("error", text[:len(head["error"])], head["error"])
    if answer.status != 200:
        return
    expect("success", body["success"], status == "ok")
    if "value" in head:
        expect("value", body["return_value"], json.loads(head["value"]))
    for field in ("stdout", "stderr", "return_value"):
        expect(f"{field}_truncated", body[f"{field}_truncated"],
               field in head.get("cut", "").split())
    if "refused" in head:
        expect_in("refused", head["refused"],
                  [row["call"] for row in body["refused"]])


def alone(bomb):
    def one(s):
        expect_true(f"no such file: {bomb.head['limited by']}",
                    os.path.isfile(os.path.join(ROOT,
                                                bomb.head["limited by"])))
        expect_limited(bomb, s.execute(bomb.code, **bomb.fields))
        for profile in ("restricted", "standard"):
            expect("the next run", s.value("_ = 6 * 7", profile=profile), 42)
    one.__name__ = f"{bomb.name}_is_limited"
    return claim(one)


for bomb in callers.bombs():
    alone(bomb)


@claim
def bombs_leave_nothing_behind(s):
    await_runs(s, 0)
    # Parked and just forked ones of two profiles; none of them has a child.
    eventually("only parked boxes are left", lambda: len(s.box_pids()) <= 8)
    for pid in s.box_pids():
        expect("children of a box", process_tree(pid), {})


# --- beside honest callers ----------------------------------------------------


def token(name, secret, **limits):
    return {"id": name, "limits": limits,
            "sha256": hashlib.sha256(secret.encode()).hexdigest(),
            "profiles": ["restricted", "standard"]}


@contextlib.contextmanager
def service_for_both(bombs):
    """Places for all bombs and a few more, as an operator would give them:
    the bomber's token has a limit of its own."""
    with tempfile.TemporaryDirectory(prefix="gbflow.") as directory:
        os.chmod(directory, 0o755)
        path = os.path.join(directory, "tokens.json")
        s = Service(EXECUTOR_TOKENS_FILE=path, PARKED_BOXES=8,
                    MAX_CONCURRENT_EXECUTIONS=bombs + 4,
                    MAX_QUEUED_EXECUTIONS=64, **LIMITS)
        s.write(path, json.dumps({"tokens": [
            token("honest", HONEST),
            token("bomber", BOMBER, concurrent=bombs)]}))
        with s:
            yield s


class Started:
    """callers.py at work, in a session and so a share of CPU of its own."""

    def __init__(self, s, kind, secret, seconds, threads):
        self.seconds = seconds
        self.process = subprocess.Popen(
            [sys.executable, callers.__file__, kind, str(s.port), secret,
             str(seconds), str(threads)],
            stdout=subprocess.PIPE, start_new_session=True)

    def result(self):
        try:
            out, _ = self.process.communicate(timeout=self.seconds + 60)
        finally:
            self.process.kill()
            self.process.wait()
        result = json.loads(out)
        expect("what went wrong", result["wrong"][:3], [])
        return result


def honest_seconds(s, seconds, bombs=0):
    """How long honest callers waited, each time; all they got was right."""
    if bombs:
        beside = Started(s, "bombs", BOMBER, seconds + 1, bombs)
        time.sleep(0.5)
    honest = Started(s, "honest", HONEST, seconds, 2).result()["seconds"]
    expect_true("honest callers were hardly answered", len(honest) > 20)
    if bombs:
        counts = beside.result()["counts"]
        expect_true(f"hardly a bomb: {counts}", sum(counts.values()) >= bombs)
    return honest


def quantile(seconds, part):
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


@claim_alone
def honest_callers_keep_their_answers_beside_32_bombs():
    with service_for_both(32) as s:
        seconds = honest_seconds(s, 4, 32)
        expect_true(f"an answer took {max(seconds):.1f} s",
                    max(seconds) < MOST_SECONDS)
        await_runs(s, 0)
        expect("health", s.get("/health").status, 200)


def run_as(secret, s, code):
    """The status of a program of that caller."""
    answer = s.execute(code, headers=[("X-Executor-Token", secret)],
                       profile="standard")
    return answer.json.get("status", answer.status)


def boxes_that_give_way(s):
    """Those that run with a lower priority, and their processors."""
    found = []
    for pid in s.box_pids():
        with contextlib.suppress(ProcessLookupError):
            if int((process_stat(pid) or [0] * 17)[16]) > 0:
                found.append(os.sched_getaffinity(pid))
    return found


# Two, however many there are: a crowd of hundreds would show the same.
PROCESSORS = set(sorted(os.sched_getaffinity(0))[:2])
CROWD = 2 * len(PROCESSORS)


@contextlib.contextmanager
def service_on_two_processors(bombs):
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, PROCESSORS)
    try:
        with service_for_both(bombs) as s:
            yield s
    finally:
        os.sched_setaffinity(0, every)


@claim_alone
def only_a_callers_many_programs_give_way_from_their_start():
    count = CROWD + 3
    with service_on_two_processors(count) as s:
        asleep = []
        for i in range(count):
            asleep.append(Later(run_as, BOMBER, s,
                                "import time; time.sleep(3)"))
            await_runs(s, i + 1)
        honest = Later(run_as, HONEST, s, "import time; time.sleep(2)")
        await_runs(s, count + 1)
        expect("those that give way", len(boxes_that_give_way(s)), 3)
        for one in asleep + [honest]:
            expect("status", one.result(), "ok")


@claim_alone
def a_crowd_leaves_a_processor_while_short_programs_come():
    count = CROWD + 4
    rest = set(sorted(PROCESSORS)[1:]) or PROCESSORS

    def long_ones_are_on(s, processors):
        sets = boxes_that_give_way(s)
        return len(sets) > CROWD and all(p == processors for p in sets)

    def short_one_finds_them_on_the_rest(s):
        expect("short", run_as(HONEST, s, "_ = 42"), "ok")
        return long_ones_are_on(s, rest)

    with service_on_two_processors(count) as s:
        burners = [Later(run_as, BOMBER, s, "while True: pass")
                   for _ in range(count)]
        eventually("nobody else comes: they are everywhere",
                   lambda: long_ones_are_on(s, PROCESSORS))
        eventually("somebody comes: they step aside",
                   lambda: short_one_finds_them_on_the_rest(s))
        eventually("nobody comes any more: they are everywhere",
                   lambda: long_ones_are_on(s, PROCESSORS))
        for one in burners:
            expect_in("status", one.result(), ("timeout", "cpu_limit"))


def honest_callers_are_hardly_slower(bombs, rounds=5, seconds=5):
    """Quiet and loud in turn, so that other work on the machine hits both."""
    quiet, loud = [], []
    with service_for_both(bombs) as s:
        for _ in range(rounds):
            quiet += honest_seconds(s, seconds)
            loud += honest_seconds(s, seconds, bombs)
    calm, worst = quantile(quiet, 0.99), quantile(loud, 0.99)
    print(f"    {bombs} bombs: quiet p50 {quantile(quiet, 0.5) * 1000:.1f} "
          f"p99 {calm * 1000:.1f} ms of {len(quiet)}, beside them p50 "
          f"{quantile(loud, 0.5) * 1000:.1f} p99 {worst * 1000:.1f} ms of "
          f"{len(loud)}: {worst / calm:.2f} times", flush=True)
    expect_true(f"p99 is {worst / calm:.1f} times the quiet one",
                worst <= MOST_SLOWER * calm)


def beside(bombs):
    def one():
        honest_callers_are_hardly_slower(bombs)
    one.__name__ = f"honest_callers_are_hardly_slower_beside_{bombs}_bombs"
    return claim_alone(one)


if LONG:
    for count in (2, 8, 32):
        beside(count)
