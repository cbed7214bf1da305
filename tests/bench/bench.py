#!/usr/bin/python3
"""bench - what a run costs through nginx, beside its floor and its peers

usage: tests/bench/bench.py [--build DIR] [--rounds N] [--seconds S] [--out DIR]
                            [--only PART]

One command, one run.  Every figure is taken in several short slices, one of each
column in turn, so that a noisy moment hits all alike; what counts are ratios
within this run.  Prints a table; writes bench.txt, bench.json and bench.svg.
Parts: load (in flight), programs (workloads), cores, memory.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import chart  # noqa: E402  (needs the path above)
import columns  # noqa: E402
import harness  # noqa: E402
import workloads  # noqa: E402

IN_FLIGHT = [1, 2, 8, 32, 128]
PROGRAMS_IN_FLIGHT = [1, 8]
# So many that even a slow peer answers a few times.
LEAST_COUNT = 5


class Cell:
    """All slices of one column, workload and number in flight."""

    def __init__(self, column, workload, in_flight):
        self.column, self.workload = column, workload
        self.in_flight = in_flight
        self.slices = []

    def take(self, seconds):
        s = self.column.measure(self.workload, self.in_flight, seconds)
        if s.wrong or not s.count:
            raise harness.Failure(f"{self.column.name}, {self.workload.name}: "
                                  f"{s.wrong} of {s.count} wrong")
        self.slices.append(s)

    def total(self, what):
        return sum(getattr(s, what) for s in self.slices)

    def figures(self):
        times = sorted(t for s in self.slices for t in s.times)
        count = self.total("count")
        return {
            "column": self.column.name,
            "workload": self.workload.name,
            "in_flight": self.in_flight,
            "count": count,
            "p50_ms": round(statistics.median(times), 3),
            "p99_ms": round(times[min(len(times) - 1,
                                      int(len(times) * 0.99))], 3),
            "per_second": round(statistics.median(
                s.count / s.seconds for s in self.slices), 1),
            "cpu_ms": round(self.total("cpu") / count * 1000, 3),
            "faults": round(self.total("faults") / count, 1),
        }


def measure(cells, rounds, seconds, say):
    """Slices of all cells in turn; a slow peer gets longer ones."""
    for i in range(rounds):
        for cell in cells:
            cell.take(seconds)
            if cell.total("count") < LEAST_COUNT * (i + 1):
                cell.take(seconds)
        say(f"round {i + 1} of {rounds}")
    return [cell.figures() for cell in cells]


def machine():
    model = "unknown"
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
    with open("/proc/meminfo") as f:
        memory_kb = int(f.readline().split()[1])
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gib": round(memory_kb / 1024 / 1024, 1),
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""),
        "load_before": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


# --- parts --------------------------------------------------------------------


def load_cells(found, programs):
    trivial = programs[0]
    calm = [Cell(c, workloads.paced(), 1) for c in found
            if not isinstance(c, columns.Floor)]
    return calm + [Cell(c, trivial, n) for n in IN_FLIGHT for c in found
                   if n <= c.most_in_flight]


def program_cells(found, programs):
    return [Cell(c, w, n) for w in programs[1:] for n in PROGRAMS_IN_FLIGHT
            for c in found if not c.only_trivial]


def cores(build, scratch, programs, rounds, seconds, say):
    """The same service on one core and on all; the load beside it."""
    rows = []
    every = sorted(os.sched_getaffinity(0))
    for cpus in ({every[0]}, set(every[:2])):
        column = columns.Glovebox(cpus=cpus)
        column.name = f"{len(cpus)} core" + "s" * (len(cpus) > 1)
        column.start(build, scratch)
        try:
            cell = Cell(column, programs[0], 32)
            old = os.sched_getaffinity(0)
            os.sched_setaffinity(0, cpus)
            rows += measure([cell], rounds, seconds, say)
            os.sched_setaffinity(0, old)
        finally:
            column.stop()
    return rows


def memory_of(pid):
    """PSS and what is its own alone, in KiB."""
    pss = own = 0
    with open(f"/proc/{pid}/smaps_rollup") as f:
        for line in f:
            if line.startswith("Pss:"):
                pss = int(line.split()[1])
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                own += int(line.split()[1])
    return pss, own


def memory(service):
    """At rest, by process name: how many, PSS of all, own memory of one."""
    found = {}
    for pid in [service.app_pid, *service.sandbox_pids()]:
        try:
            pss, own = memory_of(pid)
        except OSError:  # not root, or gone
            continue
        row = found.setdefault(harness.process_name(pid), [0, 0, 0])
        row[0] += 1
        row[1] += pss
        row[2] = max(row[2], own)
    return [{"process": name, "count": n, "pss_mib": round(pss / 1024, 1),
             "own_mib": round(own / 1024, 2)}
            for name, (n, pss, own) in sorted(found.items())]


# --- what is said -------------------------------------------------------------


def find(rows, column, in_flight, workload="trivial"):
    for row in rows:
        if (row["column"], row["in_flight"], row["workload"]) == (
                column, in_flight, workload):
            return row
    return None


# what | a | b | which figure | workload | in flight | aim
RATIOS = [
    ("a run against no run, p50", "glovebox", "no run", "p50_ms",
     "trivial, paced", 1, "at most 4"),
    ("a run against no run, p50, back to back", "glovebox", "no run",
     "p50_ms", "trivial", 1, ""),
    ("a run by /mcp against /execute, p50", "mcp", "glovebox", "p50_ms",
     "trivial, paced", 1, "at most 1.1"),
    ("a run by /mcp against /execute, CPU", "mcp", "glovebox", "cpu_ms",
     "trivial", 32, "at most 1.1"),
    ("a run against bubblewrap, p50", "glovebox", "bubblewrap", "p50_ms",
     "trivial, paced", 1, "at most 0.1"),
    ("a run against bubblewrap, p50, back to back", "glovebox", "bubblewrap",
     "p50_ms", "trivial", 1, ""),
    ("a run against python3, p50", "glovebox", "python3", "p50_ms",
     "trivial, paced", 1, ""),
    ("runs a second against the fork floor", "glovebox", "fork floor",
     "per_second", "trivial", 32, "at least 0.35"),
    ("runs a second against fork + program", "glovebox", "fork + program",
     "per_second", "trivial", 32, ""),
    ("runs a second against python3", "glovebox", "python3", "per_second",
     "trivial", 32, "at least 5"),
    ("runs a second against bubblewrap", "glovebox", "bubblewrap",
     "per_second", "trivial", 32, ""),
    ("runs a second against the predecessor", "glovebox", "predecessor",
     "per_second", "trivial", 32, "at least 60"),
]


def ratios(rows):
    result = []
    for what, a, b, figure, workload, in_flight, aim in RATIOS:
        x = find(rows, a, in_flight, workload)
        y = find(rows, b, in_flight, workload)
        if x and y and y[figure]:
            result.append((what, in_flight, x[figure] / y[figure], aim))
    for workload in ("trivial, paced", "trivial"):
        one = find(rows, "glovebox", 1, workload)
        if one:
            result.append((f"p99 of a run against its p50, {workload}", 1,
                           one["p99_ms"] / one["p50_ms"], "at most 5"))
    return result


def table(rows, by):
    lines = [f"{by:<22} {'in flight':>9} {'':<15} {'p50 ms':>9} {'p99 ms':>9} "
             f"{'a second':>9} {'CPU ms':>8} {'faults':>7}"]
    for r in rows:
        lines.append(
            f"{r['workload']:<22} {r['in_flight']:>9} {r['column']:<15} "
            f"{r['p50_ms']:>9.2f} {r['p99_ms']:>9.2f} {r['per_second']:>9.1f} "
            f"{r['cpu_ms']:>8.2f} {r['faults']:>7.0f}")
    return lines


def text_of(result):
    m = result["machine"]
    lines = [f"{m['system']}, Linux {m['kernel']}, {m['cores']} x "
             f"{m['processor']}, {m['memory_gib']} GiB; load before "
             f"{m['load_before']:.2f}; {m['date']}",
             f"{result['rounds']} rounds of {result['seconds']} s slices; CPU "
             "and page faults are of all processes of the column, for one run"]
    if result["missing"]:
        lines.append("not on this machine: " + ", ".join(result["missing"]))
    for part in ("load", "programs", "cores"):
        if result.get(part):
            lines += ["", *table(result[part], "program")]
    if result.get("ratios"):
        lines += ["", f"{'ratio within this run':<44} {'in flight':>9} "
                      f"{'':>8}  aim"]
        lines += [f"{what:<44} {n:>9} {value:>8.3f}  {aim}"
                  for what, n, value, aim in result["ratios"]]
    if result.get("memory"):
        lines += ["", f"{'at rest':<22} {'processes':>9} {'PSS MiB':>9} "
                      f"{'own MiB, largest':>18}"]
        lines += [f"{r['process']:<22} {r['count']:>9} {r['pss_mib']:>9.1f} "
                  f"{r['own_mib']:>18.2f}" for r in result["memory"]]
    return "\n".join(lines) + "\n"


def write(out, result):
    os.makedirs(out, exist_ok=True)
    text = text_of(result)
    with open(os.path.join(out, "bench.txt"), "w") as f:
        f.write(text)
    with open(os.path.join(out, "bench.json"), "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    if result.get("load"):
        with open(os.path.join(out, "bench.svg"), "w") as f:
            f.write(chart.bench(result))
    print(text, end="")


# --- one run ------------------------------------------------------------------


def run(given, say):
    build = os.path.abspath(given.build)
    parts = given.only or ["load", "programs", "cores", "memory"]
    programs = workloads.workloads()
    found, missing = columns.columns()
    result = {"machine": machine(), "rounds": given.rounds,
              "seconds": given.seconds, "missing": missing}
    scratch = columns.scratch_directory()
    started = []
    try:
        for column in found:
            column.start(build, scratch)
            started.append(column)
        if "memory" in parts:
            time.sleep(2)
            result["memory"] = memory(found[0].service)
        if "load" in parts:
            result["load"] = measure(load_cells(found, programs),
                                     given.rounds, given.seconds, say)
            result["ratios"] = ratios(result["load"])
        if "programs" in parts:
            result["programs"] = measure(program_cells(found, programs),
                                         given.rounds, given.seconds, say)
    finally:
        for column in reversed(started):
            column.stop()
        if "cores" in parts and sys.exc_info()[0] is None:
            result["cores"] = cores(build, scratch, programs, given.rounds,
                                    given.seconds, say)
        shutil.rmtree(scratch, ignore_errors=True)
    return result


def main():
    arguments = argparse.ArgumentParser(
        description="what a run costs, beside its floor and its peers")
    arguments.add_argument("--build", default=harness.PROGRAMS,
                           help="where the programs are")
    arguments.add_argument("--out", help="where the results go; preset: "
                           "bench in the build directory")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=1.0)
    arguments.add_argument("--only", action="append",
                           choices=["load", "programs", "cores", "memory"])
    given = arguments.parse_args()
    say = lambda text: print(text, file=sys.stderr, flush=True)  # noqa: E731
    write(given.out or os.path.join(given.build, "bench"), run(given, say))
    return 0


if __name__ == "__main__":
    sys.exit(main())
