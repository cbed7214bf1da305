#!/usr/bin/python3
"""growth - how the cost of a run grows with what it is given

usage: tests/bench/growth.py [--build DIR] [--seconds S] [--out DIR]

Time and memory against the size of the code, the context and the output, the
number of callers that wait, of tokens in the file and of profiles.  For each it
prints the figures and the exponent of the growth over the upper half of the
range: 1 is linear, 0 is none.  Writes growth.txt, growth.json and growth.svg.
"""

import argparse
import hashlib
import json
import math
import os
import shutil
import statistics
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bench  # noqa: E402  (needs the path above)
import chart  # noqa: E402
import columns  # noqa: E402
import harness  # noqa: E402
from workloads import Workload  # noqa: E402

ROOMY = {
    "MAX_CODE_BYTES": 1000000, "MAX_AST_NODES": 1000000,
    "MAX_BODY_BYTES": 8 << 20, "MAX_OUTPUT_BYTES": 1 << 20,
    "MAX_RETURN_BYTES": 1 << 20, "MAX_MEMORY_MB": 512,
}


def exponent(points):
    """Slope of the upper half, both axes logarithmic."""
    upper = points[len(points) // 2 - 1:]
    xs = [math.log(x) for x, _ in upper]
    ys = [math.log(max(y, 1e-6)) for _, y in upper]
    mx, my = statistics.mean(xs), statistics.mean(ys)
    spread = sum((x - mx) ** 2 for x in xs)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / spread


def measure(column, workload, seconds, in_flight=1):
    """Median time of a run, and the memory that its answer tells."""
    s = column.measure(workload, in_flight, seconds)
    if s.wrong or not s.count:
        raise harness.Failure(f"{workload.name}: {s.wrong} wrong")
    told = column.service.post("/execute", json.loads(workload.body()))
    return {"p50_ms": round(statistics.median(s.times), 3),
            "per_second": round(s.count / s.seconds, 1),
            "memory_mb": told.json.get("memory_used_mb")}


def by_code(column, seconds):
    for size in (100, 1000, 10000, 30000, 100000, 300000):
        lines = max(1, size // 10)
        code = "".join(f"x{i % 10} = {i % 10}\n  ".strip() + "\n"
                       for i in range(lines)) + "_ = 'told'"
        yield len(code), measure(column, Workload("code", code, "told"),
                                 seconds)


def by_context(column, seconds):
    for size in (100, 1000, 10000, 100000, 300000, 1000000):
        rows = [{"n": i, "s": "abcdefgh"} for i in range(max(1, size // 30))]
        w = Workload("context", "_ = 'told'", "told", context={"rows": rows})
        yield len(json.dumps(rows)), measure(column, w, seconds)


def by_output(column, seconds):
    for size in (100, 1000, 10000, 100000, 300000, 1000000):
        code = f"for i in range({size // 50}):\n    print('x' * 49)\n_ = 'told'"
        yield size, measure(column, Workload("output", code, "told"), seconds)


def by_queue(column, seconds):
    """Each of n callers waits for those before it: the time of one may grow
    with n, the rate of all must not fall."""
    for n in (4, 8, 16, 32, 64, 128, 256):
        w = Workload("queue", "_ = 'told'", "told")
        row = measure(column, w, seconds, n)
        row["ms_of_one"] = round(1000 / row["per_second"], 3)
        yield n, row


def by_tokens(build, scratch, seconds):
    for n in (1, 10, 100, 1000):
        path = os.path.join(scratch, f"tokens{n}.json")
        secrets = [f"secret-number-{i:06d}-of-the-file" for i in range(n)]
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"tokens": [
                {"id": f"t{i}", "sha256": hashlib.sha256(
                    secret.encode()).hexdigest()}
                for i, secret in enumerate(secrets)]}, f)
        os.chmod(scratch, 0o755)
        os.chmod(path, 0o644)
        column = columns.Glovebox(EXECUTOR_TOKENS_FILE=path)
        column.start(build, scratch)
        empty = columns.NoRun(column)
        empty.start(build, scratch)
        empty.headers = f"X-Executor-Token: {secrets[-1]}\r\n"
        try:
            s = empty.measure(Workload("tokens", "", ""), 1, seconds)
            yield n, {"p50_ms": round(statistics.median(s.times), 3),
                      "memory_mb": round(bench.memory_of(
                          column.service.app_pid)[0] / 1024, 1)}
        finally:
            column.stop()


def by_profiles(build, scratch):
    for n, profiles in ((1, "restricted"), (2, "restricted,standard")):
        column = columns.Glovebox(EXECUTOR_PROFILES=profiles)
        column.start(build, scratch)
        try:
            rows = bench.memory(column.service)
        finally:
            column.stop()
        yield n, {"memory_mb": round(sum(r["pss_mib"] for r in rows), 1)}


# what | unit | figure that counts
SERIES = {
    "code": ("bytes of code", "p50_ms"),
    "context": ("bytes of context", "p50_ms"),
    "output": ("bytes of output", "p50_ms"),
    "queue": ("callers at once", "ms_of_one"),
    "tokens": ("tokens in the file", "p50_ms"),
    "profiles": ("profiles", "memory_mb"),
}


def run(build, seconds):
    scratch = columns.scratch_directory()
    result = {}
    column = columns.Glovebox(**ROOMY)
    column.start(build, scratch)
    try:
        result["code"] = list(by_code(column, seconds))
        result["context"] = list(by_context(column, seconds))
        result["output"] = list(by_output(column, seconds))
        result["queue"] = list(by_queue(column, seconds))
    finally:
        column.stop()
    try:
        result["tokens"] = list(by_tokens(build, scratch, seconds))
        result["profiles"] = list(by_profiles(build, scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return result


def text_of(machine, result):
    lines = [f"{machine['system']}, Linux {machine['kernel']}, "
             f"{machine['cores']} x {machine['processor']}; {machine['date']}"]
    for name, points in result.items():
        unit, figure = SERIES[name]
        power = exponent([(x, row[figure]) for x, row in points]) \
            if len(points) > 2 else None
        lines.append("")
        lines.append(f"{unit:<20}" + "".join(
            f"{key:>12}" for key in points[0][1]))
        lines += [f"{x:<20}" + "".join(f"{v:>12}" for v in row.values())
                  for x, row in points]
        if power is not None:
            lines.append(f"{figure} grows with the power {power:.2f} "
                         "of it, over the upper half")
    return "\n".join(lines) + "\n"


def svg_of(result):
    parts, y = [], 40
    for name, points in result.items():
        unit, figure = SERIES[name]
        series = {figure: [(x, row[figure]) for x, row in points]}
        parts += chart.curves([figure], series, f"{figure} by {unit}", 20, y,
                              720, 200, unit)
        y += 240
    return chart.svg(760, y, parts)


def main():
    arguments = argparse.ArgumentParser(description="how costs grow")
    arguments.add_argument("--build", default=harness.PROGRAMS)
    arguments.add_argument("--out")
    arguments.add_argument("--seconds", type=float, default=1.0)
    given = arguments.parse_args()
    result = run(os.path.abspath(given.build), given.seconds)
    out = given.out or os.path.join(given.build, "bench")
    os.makedirs(out, exist_ok=True)
    machine = bench.machine()
    text = text_of(machine, result)
    for name, data in (
            ("growth.txt", text), ("growth.svg", svg_of(result)),
            ("growth.json", json.dumps({"machine": machine, **result},
                                       indent=1) + "\n")):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(data)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
