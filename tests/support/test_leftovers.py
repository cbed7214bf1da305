#!/usr/bin/python3
"""tests/support/leftovers.py finds what is planted, and removes it."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# What is done, and the line about it; None: nothing is to be found.
PLANTED = {
    "a_clean_suite_leaves_nothing": ("true", None),
    "what_is_cleaned_up_is_not_left":
        ("touch $TMPDIR/x && rm $TMPDIR/x; sleep 0.1 &", None),
    "a_process_that_went_its_own_way_is_found":
        ("setsid sh -c 'sleep 97 & sleep 98 &' >/dev/null 2>&1 </dev/null",
         r"process \d+ \(sleep\)"),
    "a_process_that_ignores_the_end_is_found":
        ("nohup sh -c 'trap \"\" TERM HUP; sleep 97' >/dev/null 2>&1 &",
         r"process \d+ \(s(h|leep)\)"),
    "a_file_is_found": ("mkdir $TMPDIR/a; touch $TMPDIR/a/b",
                        r"file a/b in TMPDIR"),
    "a_socket_is_found": (
        "python3 -c 'import os, socket, time; s = socket.socket("
        "socket.AF_UNIX); s.bind(os.environ[\"TMPDIR\"] + \"/s\"); "
        "os.fork() or time.sleep(97)' &"
        " while [ ! -S $TMPDIR/s ]; do sleep 0.05; done",
        r"socket .*/s"),
    "a_mount_is_found": (
        "mkdir $TMPDIR/m && mount -t tmpfs none $TMPDIR/m", r"mount .*/m"),
}


def look(name, script, wanted):
    """None, or what is wrong with the checker."""
    done = subprocess.run(
        [HERE / "leftovers.py", name, "sh", "-c",
         f"echo $TMPDIR; {script}"], capture_output=True, text=True,
        check=False, env={**os.environ, "LEFTOVERS_PATIENCE_S": "1"})
    where = done.stdout.splitlines()[0]
    if os.path.exists(where):
        return f"{where} is still there"
    if wanted is None:
        is_right = (done.returncode == 0 and
                    f"ok {name} leaves nothing behind" in done.stdout)
        return None if is_right else f"found something: {done.stdout}"
    if done.returncode != 1 or not re.search(
            rf"^not ok {name} leaves nothing behind - .*", done.stdout, re.M):
        return f"not found: {done.stdout}{done.stderr}"
    if not re.search(f"^    {wanted}$", done.stdout, re.M):
        return f"not named: {done.stdout}"
    for pid in re.findall(r"process (\d+) \(", done.stdout):
        if os.path.exists(f"/proc/{pid}"):
            return f"process {pid} is still there"
    return None


def status_is_kept():
    done = subprocess.run([HERE / "leftovers.py", "x", "sh", "-c", "exit 3"],
                          capture_output=True, check=False)
    return None if done.returncode == 3 else f"status {done.returncode}"


def main():
    failed = 0
    claims = {name: (look, name, *planted)
              for name, planted in PLANTED.items()
              if "mount" not in name or os.getuid() == 0}
    claims["the_status_of_a_suite_is_kept"] = (status_is_kept,)
    for name, (ask, *arguments) in claims.items():
        problem = ask(*arguments)
        failed += problem is not None
        print(f"not ok leftovers.{name} - {problem}" if problem
              else f"ok leftovers.{name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
