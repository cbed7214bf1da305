#!/usr/bin/python3
"""Run a test suite and see that it leaves nothing behind.

    leftovers.py NAME COMMAND...

The command gets a TMPDIR of its own, and whatever it starts becomes our child
when its parent ends, however it was detached; so two suites that run at the
same time are not confused.  When the command has ended there must be

    no process     of those it started, or that those started
    no file        in its TMPDIR, and none new in the top of the checkout
    no mount       below its TMPDIR or the checkout
    no socket      with a name below its TMPDIR

Descriptors, and sockets with an abstract name or none, end with the last
process that holds them: where no process is left, none of these is.

Prints `ok NAME leaves nothing behind`, or `not ok` with what was left, which is
then removed.  Exit status: the command's, or 1 when something was left.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PR_SET_CHILD_SUBREAPER = 36
PATIENCE_S = float(os.environ.get("LEFTOVERS_PATIENCE_S", "5"))
# What the commands of ops/ and the build make in a checkout, to be kept.
KEPT = {"build", ".run", "__pycache__"}


def parents():
    """Each process with its parent and what it is; zombies are gone."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8",
                      errors="replace") as f:
                name, _, rest = f.read().rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if state not in "ZX":
            found[int(entry)] = (int(parent), name.partition("(")[2])
    return found


def descendants():
    """Processes below us: pid and name."""
    every = parents()
    below, grown = {os.getpid()}, True
    while grown:
        more = {p for p, (parent, _) in every.items() if parent in below}
        grown = not more <= below
        below |= more
    return {p: every[p][1] for p in below if p != os.getpid()}


def reap():
    """Collect children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


def processes_left():
    """What is still there after a moment: a process needs some to end."""
    until = time.monotonic() + PATIENCE_S
    while True:
        reap()
        left = descendants()
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.02)


def end(processes):
    for pid in processes:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        while processes:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def mounts(*below):
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        points = [line.split()[4] for line in f]
    return [p for p in points
            if any(p == b or p.startswith(f"{b}/") for b in below)]


def sockets(below):
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as f:
        names = [line.split(None, 7)[7].strip() for line in f
                 if len(line.split(None, 7)) == 8]
    return [n for n in names if n.startswith(f"{below}/")]


def files(where):
    return sorted(os.path.relpath(os.path.join(folder, name), where)
                  for folder, folders, names in os.walk(where)
                  for name in folders + names)


def top_of_checkout():
    return set(os.listdir(ROOT)) - KEPT


def remove(where):
    for point in sorted(mounts(where), reverse=True):
        subprocess.run(["umount", "-l", point], check=False)
    shutil.rmtree(where, ignore_errors=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    name, command = sys.argv[1], sys.argv[2:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Short, for the sake of sockets; open, for users that tests become.
    where = tempfile.mkdtemp(prefix="gb.")
    os.chmod(where, 0o1777)
    old_top, old_mounts = top_of_checkout(), mounts(str(ROOT))
    left = {}
    try:
        status = subprocess.run(
            command, env={**os.environ, "TMPDIR": where}, check=False
        ).returncode
        left = processes_left()
        found = [f"process {pid} ({what})" for pid, what in left.items()]
        found += [f"socket {n}" for n in sockets(where)]
        found += [f"mount {p}" for p in mounts(where)]
        found += [f"mount {p}" for p in mounts(str(ROOT))
                  if p not in old_mounts]
        found += [f"file {f} in TMPDIR" for f in files(where)]
        found += [f"file {f} in the checkout"
                  for f in sorted(top_of_checkout() - old_top)]
    finally:
        end(left or descendants())
        remove(where)
    if found:
        print(f"not ok {name} leaves nothing behind - {len(found)} left: "
              f"{found[0]}")
        for line in found:
            print(f"    {line}")
        return 1
    print(f"ok {name} leaves nothing behind")
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
