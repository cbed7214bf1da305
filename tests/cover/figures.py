#!/usr/bin/python3
"""Which share of both programs was run, and which lines were not.

    figures.py [--missing | --markdown] FILE...

Each FILE is what gcovr made (--json) of one program's counters: a line or
branch counts as run when any of them ran it.  Prints a line for each room and
the sum; exit status 1 when fewer than 90 % of the lines or 80 % of the
branches were run, or when a line that was not run has no reason in
tests/cover/reasons.table.  --missing lists those lines, with their reasons;
--markdown as docs/TESTING.md has them.
"""
import argparse
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOMS = ("fcgi-app", "sandbox")
LEAST_LINES, LEAST_BRANCHES = 90.0, 80.0


def is_other(path):
    """Compiled with other macros (tests/language/failing.h): a call spread
    over two lines may be told at another line than in the programs."""
    return pathlib.Path(path).name.startswith("failing-")


def merge(paths):
    """{file: {line: (was run, [was taken])}}: the lines and branches are those
    of the programs, whatever else was read."""
    files = collections.defaultdict(dict)
    for path in sorted(paths, key=is_other):
        for entry in json.loads(pathlib.Path(path).read_text())["files"]:
            if entry["file"].startswith(ROOMS):
                add_file(files[entry["file"]], entry["lines"], is_other(path))
    return files


def add_file(known, lines, only_known):
    for line in lines:
        number = line["line_number"]
        if line["gcovr/noncode"] or (only_known and number not in known):
            continue
        taken = [b["count"] > 0 for b in line["branches"]]
        run, before = known.get(number, (False, taken))
        if len(before) != len(taken):
            taken = before
        known[number] = (run or line["count"] > 0,
                         [a or b for a, b in zip(before, taken)])


class Sum:
    def __init__(self):
        self.lines = self.run = self.branches = self.taken = 0

    def add(self, lines):
        for run, taken in lines.values():
            self.lines += 1
            self.run += run
            self.branches += len(taken)
            self.taken += sum(taken)

    def text(self):
        return (f"{self.share(self.run, self.lines):.1f} % of "
                f"{self.lines} lines, "
                f"{self.share(self.taken, self.branches):.1f} % of "
                f"{self.branches} branches")

    def is_enough(self):
        return (self.share(self.run, self.lines) >= LEAST_LINES and
                self.share(self.taken, self.branches) >= LEAST_BRANCHES)

    @staticmethod
    def share(part, whole):
        return 100.0 * part / whole if whole else 0.0


class Reasons:
    """Rows of reasons.table: a reason, then patterns of file and text."""

    def __init__(self):
        self.rows = []
        reason = None
        for line in (ROOT / "tests/cover/reasons.table").read_text().split(
                "\n"):
            if line.startswith("reason "):
                reason = line[len("reason "):]
            elif line.strip() and not line.startswith("#"):
                where, _, what = line.strip().partition(" ")
                self.rows.append((re.compile(where), re.compile(what or "."),
                                  reason))

    def find(self, path, function, text):
        for where, what, reason in self.rows:
            if where.search(f"{path}:{function}") and what.search(text):
                return reason
        return None


def functions_of(source):
    """The name of the function that each line stands in, from its own name
    on."""
    names, name = [""], ""
    for at, line in enumerate(source):
        names.append(name)
        if line != "{" or not at:
            continue
        for back in range(at - 1, -1, -1):
            found = re.match(r"(\w+)\(", source[back])
            if found:
                name = found[1]
                names[back + 1:] = [name] * (at - back + 1)
                break
    return names


def missing(files):
    """(reason, file, function, [line]) for all that was not run."""
    reasons = Reasons()
    found = collections.OrderedDict()
    for path, lines in sorted(files.items()):
        source = (ROOT / path).read_text().split("\n")
        functions = functions_of(source)
        for number, (run, _) in sorted(lines.items()):
            if run:
                continue
            # The condition before it often says more than the line itself.
            text = "\n".join(source[max(0, number - 4):number])
            reason = reasons.find(path, functions[number], text)
            found.setdefault((reason, path, functions[number]), []).append(
                number)
    return found


def spans(numbers):
    out = []
    for n in numbers:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in out)


def print_missing(found, is_markdown):
    by_reason = collections.defaultdict(list)
    for (reason, path, function), numbers in found.items():
        by_reason[reason].append((path, function, numbers))
    for reason, places in sorted(by_reason.items(), key=lambda x: x[0] or ""):
        count = sum(len(n) for _, _, n in places)
        files = collections.OrderedDict()
        for path, function, numbers in places:
            files.setdefault(path, []).append(
                f"{function} {len(numbers)}" if is_markdown
                else f"{function}() {spans(numbers)}")
        if is_markdown:
            print(f"- {reason or 'no reason'} ({count} lines): " + "; ".join(
                f"`{path}` {', '.join(names)}"
                for path, names in files.items()))
        else:
            print(f"{count} lines: {reason or 'NO REASON'}")
            for path, names in files.items():
                print(f"    {path}: {'; '.join(names)}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    files = merge(args.files)
    found = missing(files)
    if args.missing or args.markdown:
        print_missing(found, args.markdown)
        return
    holds = True
    for room in (*ROOMS, ""):
        total = Sum()
        for path, lines in files.items():
            if path.startswith(room):
                total.add(lines)
        holds &= total.is_enough()
        print(f"{'ok' if total.is_enough() else 'not ok'} cover "
              f"{room or 'both'} - {total.text()}")
    bare = sum(len(n) for (reason, _, _), n in found.items() if not reason)
    holds &= not bare
    print(f"{'not ok' if bare else 'ok'} cover reasons - {bare} lines that "
          f"were not run have no reason (figures.py --missing)")
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
