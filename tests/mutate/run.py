#!/usr/bin/python3
"""Take the guards out one at a time, and see that a test notices.

    run.py [--jobs N] [--short] [--write] [TABLE...]

Each mutant is one row less, or one looser, in a table that something rests on:

    steps      template_steps[] and box_steps[]: the row is gone
    rlimits    the limits of a box: the row is gone
    namespaces the row is gone
    calls      call_rows[]: the row is gone; a refusal becomes a permission; an
               argument is no longer looked at
    filter     what the filter does with calls in no row, of another ABI, with
               large mappings and at the end
    rules      sandbox/python/walk*.c and guard.c: a place where a rule is asked
    names      sandbox/python/rules.c: a name is no longer on its list

The text is changed in a scratch copy, which is built as released (but for
warnings) and tested, the quick suites first, until one turns red.  Prints a
line for each, `ok mutate: TABLE ROW - noticed by TEST` or `not ok mutate: TABLE
ROW - no test noticed`; exit status 1 when one survived.  --write puts the table into docs/TESTING.md, --short
takes every eighth mutant of the long tables.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "TESTING.md"
BEGIN = "<!-- make mutate: begin -->"
END = "<!-- make mutate: end -->"
PATIENCE_S = 300
BUILD = "build/release"

# A change of one place: file, where it begins and ends, what stands there then.
Mutant = collections.namedtuple("Mutant", "table row change path begin end text")

# What is built for a table and what is run, the quick first.
Suite = collections.namedtuple("Suite", "name target command environment built")


def check(target, name, case=None, built=None):
    """A suite of a program made with Check; `built` is what must be made anew
    after a change, where that is another program."""
    return Suite(f"{target}.{name}", target, [f"{BUILD}/{target}"],
                 {"CK_RUN_SUITE": name, **({"CK_RUN_CASE": case} if case
                                           else {})}, built or target)


def language(check_name):
    return Suite(f"language.{check_name}", "try", [
        "/usr/bin/python3", "tests/language/run.py", "--build",
        f"{BUILD}/hooks", check_name], {}, "try")



SUITES = {
    "steps": [check("confine", "guards", built="glovebox-sandbox"),
              check("unit", "steps")],
    "rlimits": [check("confine", "steps")],
    "namespaces": [check("confine", "steps")],
    "calls": [check("confine", "filter", "refusals"),
              check("confine", "filter", "arguments"),
              check("confine", "filter", "permissions"),
              check("confine", "filter", "rest")],
    "filter": [check("confine", "filter")],
    "rules": [language("bombs"), language("names"), language("escapes")],
    "names": [language("names")],
}
LONG = ("calls", "rules", "names")
SHORT_EVERY = 8

# Nothing can notice these, and why.
UNKNOWN = ("Python 3.11 has no other kind of node; a later one may", "not asked")
EXEMPT = {
    (f"{function}(): RULE_PARSE", UNKNOWN[1]): UNKNOWN[0]
    for function in ("walk_expr.c: walk_simple",
                     "walk_expr.c: walk_pattern_kind", "walk.c: walk_small")
}
EXEMPT["walk.c: walk_stmt(): RULE_PARSE", "not asked"] = (
    "what nests so deep holds an expression, which is asked first")


# --- mutants ------------------------------------------------------------------


def read(path):
    return (ROOT / path).read_text()


def part(text, first, last):
    """Where the part of the text between two marks begins and ends."""
    begin = text.index(first) + len(first)
    return begin, text.index(last, begin)


def rows(path, first, last, pattern):
    """Each match of the pattern in a part of a file."""
    text = read(path)
    begin, end = part(text, first, last)
    found = list(re.compile(pattern, re.S | re.M).finditer(text, begin, end))
    if not found:
        sys.exit(f"{path}: nothing found after {first!r}")
    return found


def steps():
    for path, table in (("sandbox/template.c", "template_steps"),
                        ("sandbox/box.c", "box_steps")):
        for m in rows(path, f"confine_step {table}[] = {{", "\n};",
                      r'^    \{ "(\w+)",.*?(?=\n    \{|\Z)'):
            yield Mutant("steps", f"{table}: {m[1]}", "gone", path, *m.span(),
                         "")


def rlimits():
    path = "sandbox/confine/rlimits.c"
    for m in rows(path, "rows[] = {", "    };", r"\{ RLIMIT_(\w+), .*?\},"):
        yield Mutant("rlimits", m[1], "gone", path, *m.span(), "")


def namespaces():
    path = "sandbox/confine/namespaces.c"
    for m in rows(path, "namespaces[] = {", "};", r"\{ LAYER_(\w+), .*?\},"):
        yield Mutant("namespaces", m[1], "gone", path, *m.span(), "")


CALL = r'\{ "(\w+)", (CALL_\w+), (\w+),\s*\{ (\{.*?\}) \},\s*"[^"]*" \},'
CHECK = r"\{ \d, CALL_\w+, [^{}]*\}"


def calls():
    path = "sandbox/confine/calls.c"
    text = read(path)
    seen = collections.Counter()
    for m in rows(path, "call_rows[] = {", "\n};", CALL):
        seen[m[1]] += 1
        row = m[1] if seen[m[1]] == 1 else f"{m[1]} ({seen[m[1]]})"
        yield Mutant("calls", row, "gone", path, *m.span(), "")
        if m[2] != "CALL_ALLOW":
            yield Mutant("calls", row, "allowed", path, m.start(2), m.end(3),
                         "CALL_ALLOW, 0")
        for check in re.compile(CHECK).finditer(text, *m.span(4)):
            yield Mutant("calls", row, f"argument {check[0][2]} not checked",
                         path, *check.span(), "{ 0, CALL_NO_CHECK, 0, 0 }")


def filter_():
    path = "sandbox/confine/seccomp.c"
    text = read(path)
    for row, old, new in (
            ("calls in no row", "is_cage ? SCMP_ACT_KILL_PROCESS",
             "is_cage ? SCMP_ACT_ERRNO(EDOM)"),
            ("calls of another ABI",
             "SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS",
             "SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW"),
            ("large mmap()", 'seccomp_ask_big(ctx, "mmap", 1, big_bytes)',
             "0"),
            ("large mremap()", 'seccomp_ask_big(ctx, "mremap", 2, big_bytes)',
             "0"),
            ("exit_group()",
             'seccomp_add(ctx, SCMP_ACT_NOTIFY, "exit_group", 0, NULL)', "0"),
    ):
        begin = text.index(old)
        yield Mutant("filter", row, "gone", path, begin, begin + len(old), new)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def function_of(text, at):
    """The name of the function around a place: it begins its line."""
    return re.findall(r"^([a-z]\w*)\(", text[:at], re.M)[-1]


def rules():
    walk = (r"\bwalk_hit\(\s*w, (RULE_\w+),.*?\);",
            r"\b(walk_add_hit)\(w, [^;]*\);",
            r"(?<=\n)\s+(walk_check_name)\(w, .*?\);",
            r"rules_on\((RULE_\w+)\)")
    for path, pattern in (
            *(("sandbox/python/walk_note.c", p) for p in walk),
            *(("sandbox/python/walk_expr.c", p) for p in walk),
            *(("sandbox/python/walk.c", p) for p in walk),
            ("sandbox/python/guard.c", walk[-1])):
        text = read(path)
        seen = collections.Counter()
        for m in re.finditer(pattern, text, re.S):
            place = f"{pathlib.Path(path).name}: {function_of(text, m.start())}"
            place += f"(): {m[1]}"
            seen[place] += 1
            if seen[place] > 1:
                place += f" ({seen[place]})"
            is_test = "rules_on" in m[0]
            yield Mutant("rules", place, "not asked", path, *m.span(),
                         "false" if is_test else "(void)0;")


def names():
    path = "sandbox/python/rules.c"
    for table in ("internal_attrs", "outside_names"):
        for m in rows(path, f"{table}[] = {{", "};", r'"(\w+)",'):
            yield Mutant("names", f"{table}: {m[1]}", "gone", path, *m.span(),
                         "")


TABLES = {"steps": steps, "rlimits": rlimits, "namespaces": namespaces,
          "calls": calls, "filter": filter_, "rules": rules, "names": names}


# --- a scratch copy -----------------------------------------------------------


class Copy:
    """A checkout of its own, built, in which one file at a time is changed."""

    def __init__(self, where):
        self.where = pathlib.Path(where)
        self.recipes = {}

    def fill(self):
        for room in ("sandbox", "tests", "docs", "fcgi-app"):
            shutil.copytree(ROOT / room, self.where / room, symlinks=True)
        shutil.copy2(ROOT / "Makefile", self.where)
        # What is built already need not be built again.
        if (ROOT / BUILD).exists():
            shutil.copytree(ROOT / BUILD, self.where / BUILD, symlinks=True)

    def make(self, target, *options):
        """The driver of the language tests exists only with test hooks."""
        variant, build = (("test", f"{BUILD}/hooks") if target == "try"
                          else ("release", BUILD))
        return subprocess.run(
            ["make", *options, "WARNINGS=-w", f"VARIANT={variant}",
             f"BUILD={build}", f"{build}/{target}"],
            cwd=self.where, capture_output=True, text=True, check=False)

    def recipe(self, target, path):
        """What make does for the target when this file has changed: asked
        once, since make takes longer to look than to do it."""
        if (target, path) not in self.recipes:
            said = self.make(target, "-n", "V=1", "-W", path).stdout
            said = said.replace("\\\n", " ")
            self.recipes[target, path] = "set -e\n" + "\n".join(
                line for line in said.splitlines() if " -o " in line)
        return self.recipes[target, path]

    def remake(self, target, path):
        """Build after a change of one file; false when that is refused."""
        return subprocess.run(
            ["sh", "-c", self.recipe(target, path)], cwd=self.where,
            capture_output=True, check=False).returncode == 0

    def run(self, suite):
        """Run a suite; returns who noticed something, or None."""
        environment = {**os.environ, **suite.environment,
                       "GLOVEBOX_SANDBOX": str(
                           self.where / BUILD / "glovebox-sandbox")}
        try:
            done = subprocess.run(
                suite.command, cwd=self.where, env=environment, text=True,
                capture_output=True, check=False, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            return f"{suite.name}: did not end"
        if done.returncode == 0:
            return None
        return first_failure(done.stdout) or f"{suite.name}: {done.stderr}"


def file_of(room, test):
    """Where a test stands; Check names the file of the last assertion, which
    may be a helper's."""
    return next(path.name for path in (ROOT / "tests" / room).glob("test_*.c")
                if f"START_TEST({test})" in path.read_text())


def first_failure(output):
    """The name of the first test that failed."""
    for line in output.splitlines():
        check = re.match(r"not ok \d+ - tests/(\w+)/\w+\.c:\w+:(\w+):", line)
        if check:
            step = re.search(r"confinement step '(\w+)' failed", line)
            return (f"{file_of(check[1], check[2])}: {check[2]}" +
                    (f" (step '{step[1]}' refuses the box)" if step else ""))
        language = re.match(r"(?:FAIL|not ok) (\S+?):? ", line)
        if language:
            return f"tests/language: {language[1]}"
    return None


def targets_of(tables):
    return sorted({program for t in tables for s in SUITES[t]
                   for program in (s.target, s.built)})


def try_mutant(copy, mutant):
    """Returns who noticed, or None.  The file and its objects are put back."""
    file = copy.where / mutant.path
    objects = list(copy.where.glob(
        f"build/**/{pathlib.Path(mutant.path).with_suffix('.o')}"))
    kept = [(o, o.read_bytes()) for o in objects]
    text = file.read_text()
    file.write_text(text[:mutant.begin] + mutant.text + text[mutant.end:])
    try:
        built = set()
        for suite in SUITES[mutant.table]:
            if suite.built not in built and not copy.remake(
                    suite.built, mutant.path):
                raise ValueError("does not build")
            built.add(suite.built)
            noticed = copy.run(suite)
            if noticed:
                return noticed
        return None
    finally:
        file.write_text(text)
        for path, old in kept:
            path.write_bytes(old)


# --- the run ------------------------------------------------------------------


def prepare(scratch, jobs, tables):
    """Copies that are built and green."""
    first = Copy(os.path.join(scratch, "0"))
    first.where.mkdir()
    first.fill()
    for target in targets_of(tables):
        done = first.make(target, "-s", "-j", str(jobs))
        if done.returncode != 0:
            sys.exit(f"the copy cannot be built:\n{done.stdout}{done.stderr}")
    for suite in {s.name: s for t in tables for s in SUITES[t]}.values():
        noticed = first.run(suite)
        if noticed:
            sys.exit(f"not green without any change: {noticed}")
    copies = [first]
    for i in range(1, jobs):
        shutil.copytree(first.where, os.path.join(scratch, str(i)),
                        symlinks=True)
        copies.append(Copy(os.path.join(scratch, str(i))))
    return copies


def run_all(mutants, copies):
    """Each mutant with who noticed it, in order; prints as it goes."""
    free = list(copies)
    lock = threading.Lock()

    def one(mutant):
        with lock:
            copy = free.pop()
        what = f"{mutant.table} {mutant.row}, {mutant.change}"
        try:
            noticed, problem = try_mutant(copy, mutant), "no test noticed"
        except ValueError as e:
            noticed, problem = None, e
        with lock:
            free.append(copy)
            if noticed:
                print(f"ok mutate: {what} - noticed by {noticed}", flush=True)
            else:
                print(f"exempt {what}" if is_exempt(mutant) else
                      f"not ok mutate: {what} - {problem}", flush=True)
        return mutant, noticed

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(one, mutants))


def is_exempt(mutant):
    return (mutant.row, mutant.change) in EXEMPT


def rows_of(results):
    """The result as rows of Markdown; what one test noticed is put together."""
    groups = collections.OrderedDict()
    for m, noticed in results:
        if not noticed:
            noticed = (f"nobody: {EXEMPT[m.row, m.change]}" if is_exempt(m)
                       else "**nobody**")
        elif m.table == "names":  # each by a program of its own
            noticed = "tests/language: names"
        key = (m.table, m.change, noticed.strip().splitlines()[0])
        groups.setdefault(key, []).append(m.row)
    return [f"| {table} | {', '.join(members)} | {change} | {noticed} |"
            for (table, change, noticed), members in groups.items()]


def write_page(results):
    """Rows of tables that were not run this time stay as they are."""
    page = PAGE.read_text()
    begin, end = part(page, BEGIN, END)
    ran = {m.table for m, _ in results}
    rows_now = rows_of(results)
    old = [line for line in page[begin:end].splitlines()
           if line.split("|")[1:2] and line.split("|")[1].strip() in TABLES]
    kept = [line for line in old if line.split("|")[1].strip() not in ran]
    lines = sorted(kept + rows_now,
                   key=lambda line: list(TABLES).index(
                       line.split("|")[1].strip()))
    counts = [len(line.split("|")[2].split(", ")) for line in lines]
    nobody = sum(n for n, line in zip(counts, lines) if "nobody" in line)
    text = "\n".join([
        "", f"{sum(counts)} mutants, {sum(counts) - nobody} noticed:", "",
        "| table | row or step | change | test that noticed |",
        "|---|---|---|---|", *lines, ""])
    PAGE.write_text(f"{page[:begin]}\n{text[1:]}\n{page[end:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    args = parser.parse_args()
    tables = args.tables or list(TABLES)
    mutants = []
    for table in tables:
        made = list(TABLES[table]())
        mutants += made[::SHORT_EVERY] if (
            args.short and table in LONG) else made
    if args.list:
        for m in mutants:
            print(m.table, m.row, m.change, sep=" | ")
        return 0
    started = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="glovebox-mutate.") as scratch:
        os.chmod(scratch, 0o755)
        results = run_all(mutants, prepare(scratch, args.jobs, tables))
    survivors = [m for m, noticed in results
                 if not noticed and not is_exempt(m)]
    print(f"mutate: {len(results)} mutants, {len(survivors)} survived, "
          f"{time.monotonic() - started:.0f} s")
    if args.write:
        write_page(results)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
