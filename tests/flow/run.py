#!/usr/bin/python3
"""run - the flow tests: the whole service behind nginx

usage: tests/flow/run.py [--build DIR] [--jobs N] [PART-OF-A-NAME...]

Prints `ok NAME` or `not ok NAME - why` for each claim and exits 1 if one
failed.  A claim is kept or broken as its name says; those of a file share one
service, unless they start their own.

With --jobs, so many files are tried at a time, and the lines of a file come when
it is through.  Files that say RUNS_ALONE = True, because they make or measure
load, come after that, one by one.
"""

import argparse
import glob
import importlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import harness  # noqa: E402  (needs the path above)


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def attempt(self, name, function):
        start = time.monotonic()
        try:
            function()
        except harness.Failure as e:
            self.fail(name, str(e), getattr(e, "log", ""))
            return False
        except Exception as e:
            self.fail(name, f"{type(e).__name__}: {e}",
                      traceback.format_exc())
            return False
        self.passed += 1
        print(f"ok {name} ({time.monotonic() - start:.1f} s)", flush=True)
        return True

    def fail(self, name, why, log):
        self.failed += 1
        print(f"not ok {name} - {' '.join(why.split())[:600]}", flush=True)
        for line in log.splitlines():
            print(f"    {line}", flush=True)


def claims_of(file_name, filters):
    """Import one test file: the module and its claims that are wanted."""
    harness.CLAIMS.clear()
    module = importlib.import_module(file_name)
    wanted = []
    for function, needs_service in harness.CLAIMS:
        full = f"{file_name[len('test_'):]}.{function.__name__}"
        if not filters or any(f in full for f in filters):
            wanted.append((full, function, needs_service))
    return module, wanted


def run_shared(tally, module, group, shared):
    """Claims that are tried on one service, which must start and stop."""
    service = harness.Service(**getattr(module, "SETTINGS", {}))
    if not tally.attempt(f"{group}.service_starts", service.start):
        return
    for name, function in shared:
        tally.attempt(name, lambda f=function: f(service))
    if not tally.attempt(f"{group}.service_stops_and_leaves_nothing",
                         service.stop):
        service.forget()


def run_file(tally, file_name, filters):
    module, wanted = claims_of(file_name, filters)
    shared = [(n, f) for n, f, needs_service in wanted if needs_service]
    if shared:
        run_shared(tally, module, file_name[len("test_"):], shared)
    for name, function, needs_service in wanted:
        if not needs_service:
            tally.attempt(name, function)


# --- several files at a time ----------------------------------------------------


def is_for_itself(path):
    with open(path, encoding="utf-8") as f:
        return re.search(r"^RUNS_ALONE = True$", f.read(), re.M) is not None


def start_file(path, given):
    said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
    process = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "--build", given.build,
         "--file", os.path.basename(path)[:-3], *given.filters],
        stdout=said, stderr=subprocess.STDOUT)
    process.said = said
    return process


def end_files(running):
    for process in running:
        if process.poll() is None:
            process.terminate()
    for process in running:
        process.wait()


def run_several(paths, given):
    """The lines of each file, in the order they are through."""
    waiting = sorted(paths, key=lambda p: -os.path.getsize(p))
    running, failed = [], False
    try:
        while waiting or running:
            while waiting and len(running) < given.jobs:
                running.append(start_file(waiting.pop(0), given))
            done = next((p for p in running if p.poll() is not None), None)
            if done is None:
                time.sleep(0.05)
                continue
            running.remove(done)
            done.said.seek(0)
            print(done.said.read(), end="", flush=True)
            failed = failed or done.returncode != 0
    finally:
        end_files(running)
    return failed


def main():
    # A shell's background job ignores SIGINT, and what we start would inherit
    # that; the service must be stopped the way Ctrl-C does it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = argparse.ArgumentParser(description="flow tests")
    arguments.add_argument("--build", default=harness.PROGRAMS,
                           help="where the programs are")
    arguments.add_argument("--jobs", type=int, default=1,
                           help="how many files at a time")
    arguments.add_argument("--file", help="only this one; for --jobs")
    arguments.add_argument("filters", nargs="*", metavar="PART-OF-A-NAME")
    given = arguments.parse_args()
    harness.PROGRAMS = os.path.abspath(given.build)

    tally = Tally()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    paths = sorted(glob.glob(os.path.join(HERE, "test_*.py")))
    if given.file:
        paths = [p for p in paths if os.path.basename(p)[:-3] == given.file]
    has_failed = False
    try:
        if given.jobs > 1:
            has_failed = run_several(
                [p for p in paths if not is_for_itself(p)], given)
            paths = [p for p in paths if is_for_itself(p)]
        for path in paths:
            run_file(tally, os.path.basename(path)[:-3], given.filters)
    except KeyboardInterrupt:
        return 130
    finally:
        harness.stop_all()
    if not given.file:
        print(f"flow: {tally.passed} passed, {tally.failed} failed"
              + " alone" * (given.jobs > 1), flush=True)
    if given.file or given.jobs > 1:
        return 1 if tally.failed or has_failed else 0
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
