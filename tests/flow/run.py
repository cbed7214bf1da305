#!/usr/bin/python3
"""run - the flow tests: the whole service behind nginx

usage: tests/flow/run.py [--build DIR] [PART-OF-A-NAME...]

Prints `ok NAME` or `not ok NAME - why` for each claim and exits 1 if one
failed.  A claim is kept or broken as its name says; those of a file share one
service, unless they start their own.
"""

import argparse
import glob
import importlib
import os
import signal
import sys
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


def main():
    # A shell's background job ignores SIGINT, and what we start would inherit
    # that; the service must be stopped the way Ctrl-C does it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    arguments = argparse.ArgumentParser(description="flow tests")
    arguments.add_argument("--build", default=harness.PROGRAMS,
                           help="where the programs are")
    arguments.add_argument("filters", nargs="*", metavar="PART-OF-A-NAME")
    given = arguments.parse_args()
    harness.PROGRAMS = os.path.abspath(given.build)

    tally = Tally()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for path in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
            run_file(tally, os.path.basename(path)[:-3], given.filters)
    except KeyboardInterrupt:
        return 130
    finally:
        harness.stop_all()
    print(f"flow: {tally.passed} passed, {tally.failed} failed", flush=True)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
