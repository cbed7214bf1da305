#!/usr/bin/python3
"""run - attacks by a program that owns its process, and what becomes of them

usage: tests/escape/run.py [--build DIR] [PART-OF-A-NAME...]

Needs a test build (make VARIANT=test) and root.  Each attack is a file here
that opens with

  # attack: what it tries
  # stopped by: the file that stops it
  # expect: how that shows: an errno, the name of an exception, `forbidden`
      (killed by the filter), `crash SIGNAL` or `nothing` (it runs, and gets
      nothing), or several of them; and `refused CALL` if the answer names it
  # control: without a box it has won; or one of these errnos, `crash` or
      `exec`, and why that shows as much

It runs under the profile `raw`, through the whole service, so with ctypes, no
language rules and the same kernel boundary as any box; and once more as an
ordinary process (control.py), where it must get what it came for.

The files test_*.py beside them hold claims that need more than one program.
Prints `ok NAME` or `not ok NAME - why` for each; exits 1 if one failed.
"""

import argparse
import errno
import glob
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FLOW = os.path.join(os.path.dirname(HERE), "flow")
sys.path[:0] = [FLOW, HERE]
sys.dont_write_bytecode = True

import harness  # noqa: E402  (needs the path above)
from harness import Failure  # noqa: E402

spec = importlib.util.spec_from_file_location(
    "flow_run", os.path.join(FLOW, "run.py"))
flow_run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(flow_run)

OUTSIDE = ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork",
           "--mount-proc", "--kill-child", "/usr/bin/python3",
           os.path.join(HERE, "control.py")]

# Put after an attack: what it says of itself is its value.
LAST_WORD = "\n_ = [bool(won), last_errno]\n"

FORBIDDEN = "it made a system call that the sandbox forbids"


class Attack:
    def __init__(self, path):
        self.name = os.path.basename(path)[:-3]
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.code = f.read()
        head = dict(re.findall(r"^# ([a-z ]+): (.*)$", self.code, re.M))
        self.stopped_by = head["stopped by"]
        items = head["expect"].split(", ")
        self.refused = [i[8:] for i in items if i.startswith("refused ")]
        self.expect = [i for i in items if not i.startswith("refused ")]
        accepted = head.get("control", "won").partition(" - ")[0]
        self.control = ["won", *re.split(r", | or ", accepted)]


def attacks():
    """Every file of this room that opens as an attack does."""
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.py"))):
        with open(path, encoding="utf-8") as f:
            if f.readline().startswith("# attack: "):
                found.append(Attack(path))
    return found


def run_controls(wanted):
    done = subprocess.run([*OUTSIDE, *[a.path for a in wanted]],
                          capture_output=True, text=True, timeout=300,
                          check=False)
    results = {}
    for line in done.stdout.splitlines():
        result = json.loads(line)
        results[result["name"]] = result
    return results, done.stderr


def check_control(attack, results, why):
    result = results.get(attack.name)
    if result is None:
        raise Failure(f"the control did not run: {why[-300:]}")
    got = ["won" if result["won"] else "", result.get("errno", ""),
           "crash" if "crash" in result else "",
           "exec" if "exec" in result else ""]
    if not set(filter(None, got)) & set(attack.control):
        raise Failure(f"without a box: {result}, wanted {attack.control}")


def how_it_ended(answer):
    """In the words of `expect`."""
    error = answer["error"] or ""
    if answer["status"] == "killed" and FORBIDDEN in error:
        return ["forbidden"]
    crash = re.search(r"killed by signal \d+ \((\w+)\)", error)
    if answer["status"] == "killed" and crash:
        return ["crash", f"crash {crash.group(1)}"]
    if answer["status"] == "error":
        return [answer["error_detail"]["type"]]
    if answer["status"] != "ok":
        return [answer["status"]]
    won, error = answer["return_value"]
    if won:
        return ["IT WON"]
    return ["nothing", errno.errorcode.get(error, str(error))]


def check_attack(service, kit, attack):
    answer = service.run(kit + attack.code + LAST_WORD, profile="raw")
    ended = how_it_ended(answer)
    if not set(ended) & set(attack.expect):
        raise Failure(f"ended as {ended} ({answer['error']}, "
                      f"{answer['return_value']}), wanted {attack.expect}")
    named = {r["call"] for r in answer["refused"]}
    if not set(attack.refused) <= named:
        raise Failure(f"named as refused: {sorted(named)}, wanted "
                      f"{attack.refused}")


def check_after(service):
    """Whatever they did, the service is as before."""
    harness.expect("an honest run", service.value("_ = 6 * 7"), 42)
    harness.expect("health", service.get("/health").status, 200)


def run_attacks(tally, filters):
    wanted = [a for a in attacks()
              if not filters or any(f in f"attack.{a.name}" for f in filters)]
    if not wanted:
        return
    with open(os.path.join(HERE, "kit.py"), encoding="utf-8") as f:
        kit = f.read()
    results, why = run_controls(wanted)
    for a in wanted:
        tally.attempt(f"control.{a.name}",
                      lambda a=a: check_control(a, results, why))
    service = harness.Service(arguments=["--test-profiles"])
    if not tally.attempt("attack.service_starts", service.start):
        return
    for a in wanted:
        tally.attempt(f"attack.{a.name}",
                      lambda a=a: check_attack(service, kit, a))
    tally.attempt("attack.service_is_unharmed", lambda: check_after(service))
    if not tally.attempt("attack.service_stops_and_leaves_nothing",
                         service.stop):
        service.forget()


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = argparse.ArgumentParser(description="attacks from inside")
    arguments.add_argument("--build", default=os.path.join(
        harness.ROOT, "build", "test"), help="where the programs are")
    arguments.add_argument("filters", nargs="*", metavar="PART-OF-A-NAME")
    given = arguments.parse_args()
    harness.PROGRAMS = os.path.abspath(given.build)
    if os.geteuid() != 0:
        print("not ok escape - needs root, for the controls")
        return 1

    tally = flow_run.Tally()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run_attacks(tally, given.filters)
        for path in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
            flow_run.run_file(tally, os.path.basename(path)[:-3],
                              given.filters)
    except KeyboardInterrupt:
        return 130
    finally:
        harness.stop_all()
    print(f"escape: {tally.passed} passed, {tally.failed} failed", flush=True)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
