#!/usr/bin/python3
"""cpython - CPython's own test files, run inside boxes of `standard`

usage: tests/language/cpython.py [--build DIR] [--outside] [-v] [NAME...]

The files are those of Debian's libpython3.11-testsuite; none of them is kept
here.  A box has no file system, so an order carries the text of a test file and
of what it imports (cpython_box.py); $BUILD/ask has a warden and runs it.

A file is `ok` when exactly those tests fail that cpython-expected.txt lists
for it, each with the reason why no box can pass it.  One that fails and is not
listed, or is listed and passes, makes it `not ok`.  The last line is for all
files together; below PERCENT_WANTED the command fails, unless NAMEs chose some.

--outside runs the same programs in /usr/bin/python3, without any sandbox: what
fails there too is not the sandbox's doing.  It compares with nothing.
"""
import argparse
import ast
import base64
import collections
import concurrent.futures
import contextlib
import fnmatch
import glob
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY = pathlib.Path("/usr/lib/python3.11")
TESTS = LIBRARY / "test"
EXPECTED = HERE / "cpython-expected.txt"
MARK = "\x1e"

PERCENT_WANTED = 98.0
PARALLEL = 2
ORDER_SECONDS = 30  # then a file goes on in another box
WALL_SECONDS = 120  # a single test that takes longer is killed
MAX_DEATHS = 25  # boxes that a file may lose before it is given up

# Test file: the data files it opens.
FILES = {
    "test_json": (),
    "test_math": ("*math_testcases.txt", "ieee754.txt"),
    "test_cmath": ("cmath_testcases.txt",),
    "test_re": (),
    "test_itertools": (),
    "test_functools": (),
    "test_collections": (),
    "test_datetime": ("/usr/share/zoneinfo/Asia/Tehran",
                      "/usr/share/zoneinfo/America/New_York"),
    "test_statistics": (),
    "test_decimal": ("decimaltestdata/*.decTest",),
    "test_fractions": (),
    "test_heapq": (),
    "test_bisect": (),
    "test_textwrap": (),
    "test_enum": (),
    "test_dataclasses": (),
    "test_random": ("randv*.pck",),
    "test_string": (),
    "test_struct": (),
    "test_array": (),
    "test_base64": (),
    "test_binascii": (),
    "test_hashlib": (),
    "test_hmac": (),
    "test_csv": (),
    "test_copy": (),
    "test_operator": (),
    "test_contextlib": (),
    "test_contextlib_async": (),
    "test_abc": (),
    "test_calendar": (),
    "test_html": (),
    "test_htmlparser": (),
    "test_urlparse": (),
    "test_difflib": ("test_difflib_expect.html",),
    "test_unicodedata": (),
    "test_secrets": (),
    "test_pprint": (),
    "test_types": (),
    "test_typing": (),
    "test_abstract_numbers": (),
    "test_numeric_tower": (),
    "test_string_literals": (),
    "test_dict": (),
    "test_list": (),
    "test_set": (),
    "test_tuple": (),
    "test_generators": (),
    "test_fstring": (),
    "test_patma": (),
    "test_unpack": (),
    "test_unpack_ex": (),
    "test_with": (),
    "test_exceptions": (),
    "test_uuid": (),
    "test_zlib": (),
    "test_time": (),
    "test_strptime": (),
    "test_defaultdict": (),
    "test_deque": (),
    "test_ordered_dict": (),
    "test_userdict": (),
    "test_userlist": (),
    "test_userstring": (),
    "test_dictviews": (),
    "test_complex": (),
    "test_float": ("floating_points.txt", "formatfloat_testcases.txt"),
    "test_int": (),
    "test_long": (),
    "test_bool": (),
    "test_bytes": (),
    "test_unicode": (),
    "test_slice": (),
    "test_range": (),
    "test_enumerate": (),
    "test_iter": (),
    "test_sort": (),
    "test_grammar": (),
    "test_scope": (),
    "test_super": (),
    "test_property": (),
    "test_descr": (),
    "test_class": (),
    "test_listcomps": (),
    "test_setcomps": (),
    "test_genexps": (),
    "test_coroutines": (),
    "test_asyncgen": (),
    "test_context": (),
    "test_graphlib": (),
    "test_ipaddress": (),
    "test_keyword": (),
    "test_reprlib": (),
    "test_shlex": (),
    "test_stringprep": (),
    "test_weakref": (),
    "test_memoryio": (),
    "test_builtin": (),
    "test_exception_group": (),
    "test_colorsys": (),
}


# --- what an order carries ---------------------------------------------------

def find_module(name):
    """(path, is a package) of a module in Python, or None."""
    place = LIBRARY.joinpath(*name.split("."))
    if (place / "__init__.py").is_file():
        return place / "__init__.py", True
    if place.with_name(place.name + ".py").is_file():
        return place.with_name(place.name + ".py"), False
    return None


def parents_of(name):
    parts = name.split(".")
    return {".".join(parts[:i]) for i in range(1, len(parts))}


def imported_from(node, package):
    base = node.module or ""
    if node.level:
        above = package.split(".")
        above = above[:len(above) - node.level + 1]
        base = ".".join(above + ([base] if base else []))
    return {base} | {f"{base}.{alias.name}" for alias in node.names}


def named_modules(name, tree, is_package):
    """What may be imported, also by names in strings when it is a test:
    import_fresh_module("heapq", blocked=["_heapq"])."""
    package = name if is_package else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found |= imported_from(node, package)
        elif (isinstance(node, ast.Constant) and isinstance(node.value, str)
              and name.startswith("test.")
              and re.fullmatch(r"[A-Za-z_][\w.]*\w", node.value)):
            found.add(node.value)
    return found


def carry_modules(tests, in_template):
    """{name: [path, is a package, text]} for these modules and all that they
    may import and the template does not hold."""
    modules = {}
    wanted = {"test.support", *tests}
    while wanted:
        name = wanted.pop()
        place = None if name in modules else find_module(name)
        if not place:
            continue
        text = place[0].read_bytes()
        modules[name] = [str(place[0]), place[1], text.decode("utf-8")]
        wanted |= parents_of(name)
        if name.startswith("test.") or name not in in_template:
            wanted |= named_modules(name, ast.parse(text), place[1])
    return modules


def carry_files(patterns):
    """{path: bytes in base 85}; a pattern is relative to the tests."""
    files = {}
    for pattern in patterns:
        for path in map(pathlib.Path, sorted(glob.glob(str(TESTS / pattern)))):
            if path.is_file():
                files[str(path)] = base64.b85encode(path.read_bytes()).decode()
    return files


def modules_of(file):
    """The test modules of a file, or of a folder."""
    if not (TESTS / file).is_dir():
        return [f"test.{file}"]
    return [f"test.{file}.{path.stem}"
            for path in sorted((TESTS / file).glob("test_*.py"))]


def make_program(content):
    packed = zlib.compress(json.dumps(content).encode(), 6)
    text = base64.b85encode(packed).decode()
    return f"CARRIED = {text!r}\n" + (HERE / "cpython_box.py").read_text()


# --- who runs it -------------------------------------------------------------

class Boxes:
    """A process of `ask` for each thread that asks."""

    def __init__(self, build):
        self.command = [str(build / "ask"), "-w", str(WALL_SECONDS)]
        self.mine = threading.local()
        self.started = []

    def run(self, path):
        if not hasattr(self.mine, "ask"):
            self.mine.ask = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.started.append(self.mine.ask)
        ask = self.mine.ask
        ask.stdin.write(f"{path}\n".encode())
        ask.stdin.flush()
        line = ask.stdout.readline()
        if not line:
            del self.mine.ask
            raise BrokenPipeError(f"{self.command[0]} ended by itself")
        return json.loads(line.decode("utf-8", "replace"))

    def close(self):
        for ask in self.started:
            with contextlib.suppress(BrokenPipeError):
                ask.stdin.close()
            ask.wait()


class Outside:
    """No sandbox at all."""

    def run(self, path):
        done = subprocess.run(["/usr/bin/python3", "-I", path],
                              capture_output=True, timeout=WALL_SECONDS)
        text = done.stderr.decode("utf-8", "replace")
        return {"verdict": "ended" if done.returncode == 0 else "exited",
                "number": done.returncode, "refused": {}, "type": "",
                "message": text[-300:], "traceback": text,
                "stdout": done.stdout.decode("utf-8", "replace")}

    def close(self):
        pass


# --- one file ----------------------------------------------------------------

class FileRun:
    """All tests of one file, over as many boxes as it takes."""

    def __init__(self, file, boxes, in_template):
        self.file = file
        self.boxes = boxes
        self.ids = []
        self.states = {}  # number of the test: (state, why)
        self.fixtures = []
        self.refused = collections.Counter()
        self.orders = 0
        self.trouble = None  # why the file could not be run to its end
        tests = modules_of(file)
        sources = [find_module(name)[0] for name in tests]
        self.content = {
            "tests": tests,
            "modules": carry_modules(tests, in_template),
            "in_c": [name for name in in_template if not find_module(name)],
            "files": carry_files([*sources, *FILES.get(file, ())]),
            "seconds": ORDER_SECONDS,
        }

    def run(self):
        first, deaths = 0, 0
        while first is not None and not self.trouble:
            try:
                first, died = self.run_from(first)
            except (OSError, subprocess.TimeoutExpired) as e:
                self.trouble = str(e)
                break
            deaths += died
            if deaths > MAX_DEATHS:
                self.trouble = f"{deaths} boxes died"
        self.settle()
        return self

    def ask(self, first):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write(make_program(self.content | {"first": first}))
            f.flush()
            self.orders += 1
            return self.boxes.run(f.name)

    def run_from(self, first):
        """Where to go on (None: at the end), and whether the box died."""
        outcome = self.ask(first)
        self.refused.update(outcome["refused"])
        started, last = None, None
        for line in outcome["stdout"].split("\n"):
            if line.startswith(MARK):
                last, *rest = json.loads(line[1:])
                started = self.take(last, rest, started)
        if last == "done":
            return None, 0
        if last == "stopped":
            return max(self.states) + 1, 0
        reason = self.reason(outcome)
        if started is None:
            self.trouble = reason
            return None, 1
        self.states.setdefault(started, ("failed", reason))
        return started + 1, 1

    def take(self, kind, rest, started):
        if kind == "tests":
            self.ids = rest[0]
        elif kind == "start":
            return rest[0]
        elif kind == "end":
            self.states[rest[0]] = (rest[1], rest[2])
        elif kind == "fixture":
            self.fixtures.append(rest)
        return started

    @staticmethod
    def reason(outcome):
        if outcome["verdict"] != "ended":
            return (f"the box: {outcome['verdict']} {outcome['number']} "
                    f"{outcome['message']}")
        return (f"the program: {outcome['type']}: {outcome['message']} "
                f"{outcome['traceback'][-600:]}")

    def settle(self):
        """Tests that never started: their class or module did not."""
        for number, name in enumerate(self.ids):
            if number not in self.states:
                self.states[number] = self.fixture_of(name)

    def fixture_of(self, name):
        for state, fixture, text in self.fixtures:
            place = re.search(r"\((.*)\)", fixture)
            if place and name.startswith(place[1] + "."):
                return state, text
        return "failed", "not run"

    def failed(self):
        return {self.ids[n]: why for n, (state, why) in self.states.items()
                if state == "failed"}

    def count(self, state):
        return sum(1 for s, _ in self.states.values() if s == state)


# --- the verdict -------------------------------------------------------------

def read_expected():
    expected = {}
    for line in EXPECTED.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(None, 1)
            expected[name] = reason
    return expected


def file_of(name):
    """test_json of test.test_json.test_dump.TestCDump.test_x"""
    return name.removeprefix("test.").split(".")[0]


class Report:
    def __init__(self, expected, verbose):
        self.expected = expected
        self.verbose = verbose
        self.passed = 0
        self.skipped = 0
        self.failures = collections.Counter()  # by reason
        self.bad = 0

    def listed(self, run):
        return {name for name in self.expected
                if name in run.ids or file_of(name) == run.file}

    def add(self, run):
        failed, listed = run.failed(), self.listed(run)
        self.passed += run.count("passed")
        self.skipped += run.count("skipped")
        self.failures.update(
            self.expected.get(name, "not listed") for name in failed)
        lines = [f"fails: {n}  {failed[n]}" for n in failed
                 if n not in listed]
        lines += [f"stale: {n}  is listed, but did not fail"
                  for n in sorted(listed - set(failed))]
        if run.trouble:
            lines.append(f"trouble: {run.trouble}")
        self.show(run, failed, lines)

    def show(self, run, failed, lines):
        counts = (f"passed={run.count('passed')} expected={len(failed)} "
                  f"skipped={run.count('skipped')} boxes={run.orders}")
        if not lines:
            print(f"ok cpython_{run.file} {counts}", flush=True)
        else:
            self.bad += 1
            print(f"not ok cpython_{run.file} - {counts}: {len(lines)} "
                  f"not as listed", flush=True)
        for line in lines:
            print(f"    {line}", flush=True)
        if self.verbose:
            print(f"    refused: {dict(run.refused)}", flush=True)

    def finish(self, is_whole):
        failed = sum(self.failures.values())
        percent = 100 * self.passed / max(1, self.passed + failed)
        for reason, count in self.failures.most_common():
            print(f"    {count:5} {reason}")
        good = percent >= PERCENT_WANTED or not is_whole
        print(f"{'ok' if good else 'not ok'} cpython_tests_pass_in_a_box - "
              f"{percent:.2f} % of {self.passed + failed} "
              f"(wanted: {PERCENT_WANTED} %), {self.skipped} skip themselves")
        return 0 if good and not self.bad else 1


def template_modules(boxes):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write("import sys\nprint('\\n'.join(sys.modules))\n")
        f.flush()
        outcome = boxes.run(f.name)
    return set(outcome["stdout"].split())


def wanted_files(patterns):
    return [file for file in FILES
            if not patterns or any(fnmatch.fnmatch(file, p) for p in patterns)
            ] or list(patterns)


def run_files(files, boxes, report):
    in_template = template_modules(boxes)
    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        runs = [pool.submit(lambda f=file: FileRun(f, boxes, in_template).run())
                for file in files]
        for run in concurrent.futures.as_completed(runs):
            report.add(run.result())


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=ROOT / "build" / "release",
                           type=pathlib.Path, help="where the programs are")
    arguments.add_argument("--outside", action="store_true",
                           help="without the sandbox, to compare")
    arguments.add_argument("-v", "--verbose", action="store_true")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    given = arguments.parse_args()
    if not TESTS.joinpath("test_math.py").is_file():
        sys.exit("cpython: the package libpython3.11-testsuite is not here")
    boxes = Outside() if given.outside else Boxes(given.build.resolve())
    report = Report({} if given.outside else read_expected(), given.verbose)
    try:
        run_files(wanted_files(given.names), boxes, report)
    finally:
        boxes.close()
    return report.finish(is_whole=not given.names)


if __name__ == "__main__":
    sys.exit(main())
