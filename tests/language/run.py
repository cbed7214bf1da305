#!/usr/bin/python3
"""The language corpora, run through the driver tests/language/try.c.

    run.py --build DIR [programs|escapes|names|bombs|rules|documents|starved]...

DIR has the driver, built with test hooks (make check-language does).

programs/*.py   ordinary programs: what they print in `restricted` and in
                `standard` is what CPython itself prints
escapes/*.py    attempts to leave the restricted language; each opens with
                    # attack: what it tries
                    # stopped by: the rule (a name of rules.c) or "harmless"
                with a rule, the claim must name that rule or the exception
                must carry its message; harmless ones must end without the
                word ESCAPED
names           each name that a program must not read from outside, and each
                attribute of the interpreter's inside, is refused; they are
                written out here and not read from rules.c
bombs           programs too deep or too large for the walker; made here
rules           the same escapes with their rule taken out: the outcome must
                change, or the rule is not what stops them; those with
                    # and by: fence
                must then end at the fence
starved/*.py    programs that are run again and again, each time with another
                allocation that fails: every run ends with a claim, as
                MemoryError, as before or as the program made of it; then
                likewise with calls of ours into CPython (failing.h), by the
                driver in DIR/../failing.  While the interpreter is warmed up
                nothing may fail: it does not come up.  And no escape gets
                further because something failed when it was looked at
documents       docs/LANGUAGE.md has the rules as the code has them

Exit status 0 when all is as it should be.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
VALUE, ERROR, REFUSED = 1, 2, 3


def header(path, name):
    for line in path.read_text().splitlines()[:8]:
        if line.startswith(f"# {name}:"):
            return line.split(":", 1)[1].strip()
    return None


def try_files(driver, paths, *options):
    command = [driver, *options, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def stdin_of(path):
    text = header(path, "stdin")
    return "" if text is None else text.replace("|", "\n") + "\n"


def plain(path):
    return subprocess.run([PYTHON, "-I", "-X", "utf8", str(path)],
                          input=stdin_of(path), capture_output=True,
                          text=True).stdout


def check_programs(driver):
    paths = sorted((HERE / "programs").glob("*.py"))
    wanted = {p: plain(p) for p in paths}
    failed = 0
    for profile in ("restricted", "standard"):
        for p in paths:
            (got,) = try_files(driver, [p], "-p", profile, "-s", stdin_of(p))
            if got["kind"] == VALUE and got["stdout"] == wanted[p]:
                continue
            failed += 1
            print(f"FAIL {profile} {p.name}: {got['message']!r} "
                  f"line {got['line']}\n  want {wanted[p]!r}\n  "
                  f"got  {got['stdout']!r}")
        print(f"{len(paths)} programs in {profile}")
    return failed


def why(got, rule):
    """None when the outcome is what `rule` should make it."""
    if "ESCAPED" in got["stdout"] or "ESCAPED" in got["value_text"]:
        return "it escaped"
    if got["signal"] or got["bad_claim"]:
        return "it crashed"
    if rule == "harmless":
        return None
    if got["kind"] == REFUSED and got["type"] == rule:
        return None
    said = got["message"] + got["stdout"]
    if rule in RUN_TIME and RUN_TIME[rule] in said:
        return None
    return "something else stopped it, or nothing"


# What an exception raised by a rule at run time says.
RUN_TIME = {
    "dunder-attribute": "is not allowed in sandbox",
    "internal-attribute": "is not allowed in sandbox",
    "private-attribute": "is not allowed in sandbox",
    "kept-object": "is not allowed in sandbox",
    "match-args": "is not allowed in sandbox",
    "format": "is not allowed in sandbox",
    "import": "is not permitted",
    "facade": "in sandbox",
    "fence": "internals are not available",
    "no-such-name": "is not defined",
    "immutable": "immutable type",
    "exact-name": "attribute name must be string",
    "unchangeable": "cannot be changed",
    "no-evaluation": "are not evaluated in sandbox",
    "wraps": "in sandbox",
}


def check_escapes(driver):
    paths = sorted((HERE / "escapes").glob("*.py"))
    failed = 0
    for p, got in zip(paths, try_files(driver, paths)):
        problem = why(got, header(p, "stopped by"))
        if problem:
            failed += 1
            print(f"FAIL {p.name}: {problem}: {got['kind']} {got['type']} "
                  f"{got['message']!r} {got['stdout']!r} "
                  f"{got['value_text']!r}")
    print(f"{len(paths)} escapes")
    return failed


# What a program must not take from outside; of which rule, and how it is used.
NAMES = (
    ("outside-name", "x = {}", """
        breakpoint compile dir eval exec globals help locals open os
        subprocess sys vars"""),
    ("internal-attribute", "x = y.{}", """
        ag_await ag_code ag_frame ag_running cell_contents co_argcount
        co_cellvars co_code co_consts co_exceptiontable co_filename
        co_firstlineno co_flags co_freevars co_kwonlyargcount co_lines
        co_linetable co_lnotab co_name co_names co_nlocals co_positions
        co_posonlyargcount co_qualname co_stacksize co_varnames cr_await
        cr_code cr_frame cr_origin cr_running cr_suspended f_back f_builtins
        f_code f_globals f_lasti f_lineno f_locals f_trace f_trace_lines
        f_trace_opcodes fdel fget fset func_closure func_code func_globals
        gi_code gi_frame gi_running gi_suspended gi_yieldfrom tb_frame
        tb_lasti tb_lineno tb_next"""),
)


# Names that are the program's own once it binds them, however it does.
BOUND = {
    "by_def": "def open(x): return x\n_ = open(3)",
    "by_class": "class sys: version = 3\n_ = sys.version",
    "by_assignment": "dir = 3\n_ = dir",
    "by_import": "from math import pi as vars\n_ = vars",
}


def check_bound(driver):
    failed = 0
    with tempfile.TemporaryDirectory(prefix="glovebox-made.") as where:
        paths = [pathlib.Path(where) / name for name in BOUND]
        for p in paths:
            p.write_text(BOUND[p.name])
        for p, got in zip(paths, try_files(driver, paths)):
            if got["kind"] != VALUE:
                failed += 1
                print(f"FAIL {p.name}: refused: {got['message']!r}")
    return failed


# Deeper than its stack allows, or more than it may walk.
BOMBS = {
    "deep_attributes": ("parse", "x = a" + ".b" * 4200),
    "deep_branches": ("parse", "if 0:0\n" + "elif 0:0\n" * 4200),
    "deep_pattern": ("parse", "if 0:0\n" + "elif 0:0\n" * 3900
                     + "else:\n match 1:\n  case "
                     + "[" * 120 + "x" + "]" * 120 + ":0\n"),
    "too_many_nodes": ("complexity", "x = [" + "0," * 6000 + "]"),
}


def check_refused(driver, programs):
    """Programs by name, each with the rule that must refuse it."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="glovebox-made.") as where:
        paths = [pathlib.Path(where) / name for name in programs]
        for p in paths:
            p.write_text(programs[p.name][1])
        for p, got in zip(paths, try_files(driver, paths)):
            rule = programs[p.name][0]
            if got["kind"] != REFUSED or got["type"] != rule:
                failed += 1
                print(f"FAIL {p.name}: not refused by {rule}: {got['type']} "
                      f"{got['message']!r}")
    return failed


def check_names(driver):
    programs = {name: (rule, use.format(name)) for rule, use, names in NAMES
                for name in names.split()}
    failed = check_refused(driver, programs) + check_bound(driver)
    print(f"{len(programs)} names, {len(BOUND)} bound")
    return failed


def check_bombs(driver):
    failed = check_refused(driver, BOMBS)
    print(f"{len(BOMBS)} bombs")
    return failed


def check_rules(driver):
    """Each rule, taken out, lets through what it is said to stop."""
    paths = sorted((HERE / "escapes").glob("*.py"))
    with_rule = dict(zip(paths, try_files(driver, paths)))
    failed = 0
    for rule in ("import", "dunder-name", "outside-name", "dunder-attribute",
                 "internal-attribute", "private-attribute", "match-args",
                 "kept-object", "format", "relative-import"):
        mine = [p for p in paths if header(p, "stopped by") == rule]
        for p, got in zip(mine, try_files(driver, mine, "-x", rule)):
            old = with_rule[p]
            if (got["kind"], got["type"], got["message"], got["stdout"]) == (
                    old["kind"], old["type"], old["message"], old["stdout"]):
                failed += 1
                print(f"FAIL {p.name}: the same without rule {rule}")
            second = header(p, "and by")
            if second and RUN_TIME[second] not in got["message"]:
                failed += 1
                print(f"FAIL {p.name}: not stopped by the {second} either: "
                      f"{got['message']!r}")
    print("rules taken out one by one")
    return failed


def check_documents(driver):
    printed = subprocess.run([driver, "-d"], capture_output=True, text=True,
                             check=True).stdout
    page = (HERE.parent.parent / "docs" / "LANGUAGE.md").read_text()
    if printed.strip() in page:
        print("docs/LANGUAGE.md has the rules")
        return 0
    print(f"FAIL docs/LANGUAGE.md: wants this, printed by {driver} -d:\n"
          f"{printed}")
    return 1


# STARVED_TIMES=1500 tries about every call.
STARVED_TIMES = int(os.environ.get("STARVED_TIMES", "300"))
STARVED_CPYTHON = 77  # starve.h: a crash of CPython's own


def check_warming(driver, times, may_crash):
    """A template that lacks something must not come up; CPython itself may
    crash for it."""
    failed = 0
    for profile in ("restricted", "standard"):
        (got,) = try_files(driver, [], "-p", profile, "-w", str(times))
        if got["ready"] or not got["said"] or (
                got["bad_call"] and not may_crash):
            failed += 1
            print(f"FAIL {profile} warming up: {got}")
    return failed


def check_starved_escapes(driver, option):
    """No guard may take a failure for a permission.  What is stopped at run
    time is tried more often: there memory is the program's to use up."""
    paths = sorted((HERE / "escapes").glob("*.py"))
    late = [p for p, got in zip(paths, try_files(driver, paths))
            if got["kind"] != REFUSED]
    early = [p for p in paths if p not in late]
    failed = 0
    for some, times in ((late, min(STARVED_TIMES // 6, 50)), (early, 6)):
        got = try_files(driver, some, option, str(times))
        for i, one in enumerate(got):
            if "ESCAPED" in one["stdout"] + one["value_text"]:
                failed += 1
                print(f"FAIL {some[i // (times + 1)].name}: it escaped when "
                      f"something failed ({option}, {i % (times + 1)})")
    return failed


def check_failing(driver):
    """Calls of ours into CPython that fail, one after the other: while the
    interpreter is warmed up, and in programs."""
    driver = pathlib.Path(driver).parent.parent / "failing" / "try"
    failed = check_warming(driver, STARVED_TIMES * 2 // 5, False)
    failed += check_starved_escapes(driver, "-f")
    for p in sorted((HERE / "starved").glob("*.py")):
        profile = "standard" if "standard" in p.read_text()[:30] \
            else "restricted"
        bad = [got for got in try_files(driver, [p], "-p", profile, "-f",
                                        str(STARVED_TIMES))
               if got["signal"] or got["exit"] or not got["kind"]]
        if bad:
            failed += 1
            print(f"FAIL {p.name}: {len(bad)} runs end badly: {bad[:1]}")
    return failed


def check_starved(driver):
    failed = check_failing(driver)
    failed += check_warming(driver, STARVED_TIMES // 5, True)
    failed += check_starved_escapes(driver, "-a")
    for p in sorted((HERE / "starved").glob("*.py")):
        profile = "standard" if "standard" in p.read_text()[:30] \
            else "restricted"
        context = '{"c": [1, {"k": "v\\u00e9"}, 1.5, true, null, "x"]}'
        whole, *runs = try_files(driver, [p], "-p", profile, "-c", context,
                                 "-a", str(STARVED_TIMES))
        ours = [got for got in runs if got["exit"] != STARVED_CPYTHON]
        bad = [got for got in ours
               if got["signal"] or got["exit"] or got["bad_claim"]
               or not got["kind"]]
        told = sum(got["type"] == "MemoryError" for got in runs)
        if bad or not told or not whole["kind"] or len(ours) < 0.9 * len(runs):
            failed += 1
            print(f"FAIL {p.name}: {len(bad)} of {len(runs)} runs end badly, "
                  f"{told} as MemoryError: {bad[:1]}")
    print(f"allocations that fail, {STARVED_TIMES} in each program")
    return failed


CHECKS = {"programs": check_programs, "escapes": check_escapes,
          "names": check_names, "bombs": check_bombs, "rules": check_rules,
          "documents": check_documents, "starved": check_starved}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("names", nargs="*", metavar="|".join(CHECKS))
    args = parser.parse_args()
    driver = f"{args.build}/try"
    failed = sum(CHECKS[n](driver) for n in args.names or CHECKS)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
