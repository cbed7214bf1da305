"""cpython_box - one test file of CPython, run inside a box

cpython.py puts `CARRIED` (JSON, compressed, as text) in front of this and sends
both as one program.  A box has no files: what the test imports and the
template does not hold, and the data files it reads, come in CARRIED.  The
scratch files that tests of csv, hashlib and others write (support.TESTFN and
tempfile.TemporaryFile) are kept in memory; any other file is asked of the
kernel, which refuses.

Every event is one line on standard output that begins with MARK, written at
once, so that nothing is lost when a test ends the whole box.
"""
import base64
import builtins
import errno
import io
import json
import linecache
import os
import sys
import tempfile
import time
import types
import unittest
import zlib
from importlib import import_module
from importlib.machinery import ModuleSpec

MARK = "\x1e"
WHY_CHARACTERS = 300

carried = json.loads(zlib.decompress(base64.b85decode(CARRIED)))
stdout_write = sys.stdout.write
in_template = dict(sys.modules)
monotonic = time.monotonic  # tests put other clocks in its place


def tell(*event):
    stdout_write(f"\n{MARK}{json.dumps(event)}\n")


# --- modules -----------------------------------------------------------------

class SourceLoader:
    """A module from its carried text."""

    def __init__(self, name):
        self.name = name
        self.path, self.is_a_package, self.source = carried["modules"][name]

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = self.path
        exec(compile(self.source, self.path, "exec", dont_inherit=True),
             vars(module))

    # Warnings are blamed on who imports, not on the importer.
    exec_module.__code__ = exec_module.__code__.replace(
        co_filename="<frozen importlib._bootstrap>")

    def get_source(self, name):
        return self.source

    def is_package(self, name):
        return self.is_a_package

    def get_filename(self, name):
        return self.path


class AgainLoader:
    """A module in C that a test wants to import afresh: the same one."""

    def __init__(self, module):
        self.module = module

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        pass


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in carried["modules"]:
            loader = SourceLoader(name)
            spec = ModuleSpec(name, loader, origin=loader.path,
                              is_package=loader.is_a_package)
            spec.has_location = True
            if loader.is_a_package:
                spec.submodule_search_locations.append(
                    os.path.dirname(loader.path))
            return spec
        if name not in carried["in_c"]:
            return None
        return ModuleSpec(
            name, AgainLoader(in_template[name]), origin="built-in")

    def invalidate_caches(self):
        pass


# --- files -------------------------------------------------------------------

files = {path: base64.b85decode(data)
         for path, data in carried["files"].items()}
stock = types.SimpleNamespace(
    open=builtins.open, exists=os.path.exists, isdir=os.path.isdir,
    listdir=os.listdir, unlink=os.unlink)


def path_of(file):
    """As a key of `files`; None for what is no path in text."""
    if not isinstance(file, (str, os.PathLike)):
        return None
    path = os.fspath(file)
    return os.path.normpath(path) if isinstance(path, str) else None


def is_scratch(path):
    return path is not None and os.path.basename(path).startswith("@test_")


class MemoryFile(io.BytesIO):
    """One file of `files`, which is written back to it."""

    def __init__(self, path, mode):
        super().__init__(files[path])
        self.name = path
        self.mode = mode

    @property
    def getbuffer(self):
        raise AttributeError("a file has none")

    def readable(self):
        return bool(set(self.mode) & set("r+"))

    def writable(self):
        return bool(set(self.mode) & set("wa+"))

    def read(self, *args):
        if not self.readable():
            raise io.UnsupportedOperation("read")
        return super().read(*args)

    def write(self, data):
        if not self.writable():
            raise io.UnsupportedOperation("write")
        return super().write(data)

    def flush(self):
        super().flush()
        if self.writable():
            files[self.name] = self.getvalue()

    def close(self):
        if not self.closed:
            self.flush()
        super().close()


def no_such_file(path):
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def open_bytes(path, mode):
    if "w" in mode:
        files[path] = b""
    elif "a" in mode:
        files.setdefault(path, b"")
    elif path not in files:
        raise no_such_file(path)
    raw = MemoryFile(path, mode)
    if "a" in mode:
        raw.seek(0, os.SEEK_END)
    return raw


def open_memory(file, mode="r", buffering=-1, encoding=None, errors=None,
                newline=None, **others):
    path = path_of(file)
    if not is_scratch(path) and (path not in files or set(mode) & set("wax+")):
        return stock.open(
            file, mode, buffering, encoding, errors, newline, **others)
    raw = open_bytes(path, mode)
    if "b" in mode:
        return raw
    return io.TextIOWrapper(raw, encoding, errors, newline)


def open_temporary(mode="w+b", buffering=-1, encoding=None, newline=None,
                   *args, **kwargs):
    return open_memory("@test_temporary", mode, buffering, encoding,
                       newline=newline)


def unlink_memory(path, **others):
    if not is_scratch(path_of(path)):
        stock.unlink(path, **others)
    elif files.pop(path_of(path), None) is None:
        raise no_such_file(path)


def exists_memory(path):
    return path_of(path) in files or stock.exists(path)


def names_in(folder):
    return [os.path.basename(file) for file in carried["files"]
            if os.path.dirname(file) == path_of(folder)]


def isdir_memory(path):
    return bool(names_in(path)) or stock.isdir(path)


def listdir_memory(path="."):
    return names_in(path) or stock.listdir(path)


def offer_files():
    builtins.open = io.open = open_memory
    tempfile.TemporaryFile = open_temporary
    os.unlink = os.remove = unlink_memory
    os.path.exists = exists_memory
    os.path.isdir = isdir_memory
    os.listdir = listdir_memory
    for path, _, source in carried["modules"].values():
        linecache.cache[path] = (
            len(source), None, source.splitlines(keepends=True), path)


# --- tests -------------------------------------------------------------------

def why(error):
    text = f"{error[0].__name__}: {error[1]}"
    return " ".join(text.split())[:WHY_CHARACTERS]


class Result(unittest.TestResult):
    """Tells how each test ended; the first thing wrong in it is the reason."""

    def __init__(self, numbers):
        super().__init__()
        self.numbers = numbers
        self.end = monotonic() + carried["seconds"]
        self.state = None

    def startTest(self, test):
        super().startTest(test)
        self.state = None
        tell("start", self.numbers[id(test)])

    def note(self, test, state, text):
        if id(test) not in self.numbers:  # setUpClass and its like
            tell("fixture", state, test.id(), text)
        elif self.state is None or self.state[0] == "skipped":
            self.state = (state, text)

    def addError(self, test, error):
        self.note(test, "failed", why(error))

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.note(test, "failed", why(error))

    def addSkip(self, test, reason):
        if not hasattr(test, "test_case"):  # else only one subtest of it
            self.note(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        self.note(test, "passed", "")

    def addUnexpectedSuccess(self, test):
        self.note(test, "failed", "unexpected success")

    def stopTest(self, test):
        super().stopTest(test)
        tell("end", self.numbers[id(test)], *(self.state or ("passed", "")))
        if monotonic() > self.end:
            self.stop()


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def unique_ids(tests):
    seen = {}
    for test in tests:
        name = test.id()
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}#{seen[name]}"


def run(suite):
    tests = list(flatten(suite))
    if carried["first"] == 0:
        tell("tests", list(unique_ids(tests)))
    result = Result({id(test): i for i, test in enumerate(tests)})
    unittest.TestSuite(tests[carried["first"]:]).run(result)
    tell("stopped" if result.shouldStop else "done")


def run_main(module):
    """A module with a test_main() says itself which classes it means, and
    what is to be done before and after them."""
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    module.run_unittest = lambda *classes: run(map(load, classes))
    module.run_doctest = lambda *args, **kwargs: None
    module.test_main()


def main():
    sys.meta_path.insert(0, Finder())
    offer_files()
    # As CPython's own runner without options: no expensive resource.
    from test import support
    support.use_resources = []
    modules = [import_module(name) for name in carried["tests"]]
    if hasattr(modules[0], "test_main"):
        run_main(modules[0])
    else:
        load = unittest.defaultTestLoader.loadTestsFromModule
        run(map(load, modules))


main()
