"""workloads - the programs that the bench runs, one way for each column

A workload is asked of a service as JSON (code, context) and of a bare python3 as
a program with its input on stdin.  Both must give the text that is wanted.
"""

import json
import time

TEXT = ("All work and no play makes a dull box. " * 1700)[:65000]

IMPORTS = """\
import json, datetime, math, re, typing, collections, itertools, functools
rows = json.loads('[{"when": "2024-02-29", "n": 3}, {"when": "2023-12-31", "n": 4}]')
days = [datetime.date.fromisoformat(r["when"]).isoweekday() for r in rows]
words = collections.Counter(re.findall(r"[a-z]+", "the cat and the dog"))
total = functools.reduce(lambda a, b: a + b, itertools.chain(days, [math.isqrt(17)]))
_ = [total, words["the"]]
"""


def burn_count(seconds=0.05):
    """How many rounds of the loop below take that long on this machine."""
    best = None
    for _ in range(3):
        start = time.perf_counter()
        exec(burn_code(20000), {})
        took = time.perf_counter() - start
        best = took if best is None else min(best, took)
    return max(1000, int(20000 * seconds / best))


def burn_code(count):
    return f"x = 0\nfor i in range({count}):\n    x += i * i\n_ = 'burnt'"


class Workload:
    def __init__(self, name, code, wanted, context=None, python=None,
                 python_wanted=None, stdin="", pause_ms=0):
        self.name = name
        self.code = code
        self.wanted = wanted
        self.context = context
        self.python = python or code + "\nprint(_)"
        self.python_wanted = python_wanted or wanted
        self.stdin = stdin
        self.pause_ms = pause_ms

    def body(self):
        fields = {"code": self.code}
        if self.context is not None:
            fields["context"] = self.context
        return json.dumps(fields).encode()


def workloads():
    many = {f"v{i}": {"a": i, "b": "x"} for i in range(200)}
    total = sum(range(200))
    adding = " + ".join(f"v{i}['a']" for i in range(200))
    return [
        Workload("trivial", "_ = [n*n for n in range(5)]", "0,1,4,9,16",
                 python_wanted="0, 1, 4, 9, 16"),
        Workload("print", "for i in range(100):\n    print('line', i)\n_ = 1",
                 "line 99"),
        Workload("64 KiB in and out", "print(text)\n_ = 'told'", "told",
                 context={"text": TEXT},
                 python="import sys\nprint(sys.stdin.read())\nprint('told')",
                 stdin=TEXT),
        Workload("50 ms of CPU", burn_code(burn_count()), "burnt"),
        Workload("imports", IMPORTS, "[15,2]", python_wanted="[15, 2]"),
        Workload("many small contexts", f"_ = {adding}", str(total),
                 context=many,
                 python="import json, sys\nglobals().update(json.load("
                        f"sys.stdin))\nprint({adding})",
                 stdin=json.dumps(many)),
    ]


def paced():
    """One after the other, but not back to back, as callers are."""
    return Workload("trivial, paced", "_ = [n*n for n in range(5)]",
                    "0,1,4,9,16", python_wanted="0, 1, 4, 9, 16", pause_ms=5)
