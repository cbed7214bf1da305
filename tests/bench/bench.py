#!/usr/bin/python3
"""bench - what a run costs through nginx, on this machine, now

usage: tests/bench/bench.py [--build DIR] [RUNS]

Starts a whole service of its own and prints medians, rates and memory, and what
matters of them as ratios within this run: a noisy machine is noisy for all.
"""

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "flow"))
sys.dont_write_bytecode = True

import harness  # noqa: E402  (needs the path above)
from harness import Failure, Service  # noqa: E402

PROGRAM = "_ = [n*n for n in range(5)]"
WANTED = [0, 1, 4, 9, 16]


def one(s, connection, profile):
    start = time.perf_counter()
    answer = s.execute(PROGRAM, connection=connection, profile=profile)
    took = time.perf_counter() - start
    if answer.status != 200 or answer.json["return_value"] != WANTED:
        raise Failure(f"{answer.status} {answer.body[:200]!r}")
    return took


def one_at_a_time(s, runs, profile, pause_s):
    """With a pause between two, parked boxes are there again; without, the
    time to make one shows."""
    connection = s.connect()
    times = []
    for _ in range(runs):
        times.append(one(s, connection, profile))
        time.sleep(pause_s)
    connection.close()
    return sorted(times)


def many_at_once(s, runs, callers):
    left = [runs]
    lock = threading.Lock()
    problems = []

    def caller():
        connection = s.connect()
        try:
            while True:
                with lock:
                    if left[0] <= 0:
                        return
                    left[0] -= 1
                one(s, connection, "restricted")
        except Exception as e:
            problems.append(e)
        finally:
            connection.close()

    threads = [threading.Thread(target=caller) for _ in range(callers)]
    start = time.perf_counter()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if problems:
        raise problems[0]
    return runs / (time.perf_counter() - start)


def no_run(s, runs, pause_s):
    """nginx, FastCGI and the app, but no program."""
    connection = s.connect()
    times = []
    for _ in range(runs):
        times.append(
            s.call("GET", "/health/live", None, (), connection).seconds)
        time.sleep(pause_s)
    connection.close()
    return sorted(times)


def new_interpreter(runs):
    """What a program costs where every run starts an interpreter."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(["/usr/bin/python3", "-I", "-S", "-c", PROGRAM],
                       check=True)
        times.append(time.perf_counter() - start)
        time.sleep(0.01)
    return sorted(times)


def memory_kb(pid):
    """Proportional set size, so that what is shared is counted once."""
    with open(f"/proc/{pid}/smaps_rollup") as f:
        for line in f:
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def show_memory(s):
    totals = {}
    for pid in [s.app_pid, *s.sandbox_pids()]:
        try:
            name, kb = harness.process_name(pid), memory_kb(pid)
        except OSError:
            print("memory: only root may look at it")
            return
        count, sum_kb = totals.get(name, (0, 0))
        totals[name] = (count + 1, sum_kb + kb)
    for name, (count, kb) in totals.items():
        print(f"{'memory of ' + name + ' x ' + str(count):<44} "
              f"{kb / 1024:7.1f} MiB PSS")
    print(f"{'memory in all':<44} "
          f"{sum(kb for _, kb in totals.values()) / 1024:7.1f} MiB PSS")


def show_ratio(what, a, b):
    print(f"{what:<44} {statistics.median(a) / statistics.median(b):7.2f} x")


def show(what, times):
    print(f"{what:<44} p50 {statistics.median(times) * 1e3:7.2f} ms   "
          f"p95 {times[int(len(times) * 0.95)] * 1e3:7.2f} ms")


def main():
    arguments = argparse.ArgumentParser(description="speed through nginx")
    arguments.add_argument("--build", default=harness.PROGRAMS,
                           help="where the programs are")
    arguments.add_argument("runs", nargs="?", type=int, default=500)
    given = arguments.parse_args()
    harness.PROGRAMS = os.path.abspath(given.build)
    runs = given.runs
    with Service(MAX_CONCURRENT_EXECUTIONS=8, QUEUE_TIMEOUT_MS=60000,
                 AUDIT_LOG="") as s:
        one_at_a_time(s, 20, "restricted", 0)
        quiet = one_at_a_time(s, runs, "restricted", 0.01)
        empty = no_run(s, runs, 0.01)
        fresh = new_interpreter(runs // 5)
        show("restricted, one at a time, idle machine", quiet)
        show("no run: nginx to the app and back", empty)
        show("python3 -I -S, started for each program", fresh)
        show_ratio("a run against no run", quiet, empty)
        show_ratio("python3 -I -S against a run", fresh, quiet)
        show("restricted, one after the other",
             one_at_a_time(s, runs, "restricted", 0))
        show("standard, one at a time, idle machine",
             one_at_a_time(s, runs // 2, "standard", 0.01))
        show_memory(s)
        print(f"{'restricted, 8 in flight':<44} "
              f"{many_at_once(s, runs * 2, 8):7.0f} runs a second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
