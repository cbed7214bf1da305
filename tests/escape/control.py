"""control - every attack of this room once more, without a box

An attack that fails inside proves nothing unless it works outside.  Each is run
in a fork of its own, as root, one after the other, in namespaces and an empty
directory that are thrown away; fork and attack share nothing with the tests
but a pipe.  Started by run.py through unshare(1): pid 1 of a pid namespace.

usage: control.py FILE...    prints one line of JSON for each
"""

import ctypes
import errno
import json
import os
import pty
import resource
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 20
KEYCTL, KEYCTL_JOIN = 250, 1


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def be_alone(name, place):
    """A directory, descriptors and a keyring of its own; no core."""
    os.chdir(place)
    os.setsid()
    if name.startswith("terminal_"):
        _, fd = pty.openpty()
    else:
        with open("standard-input", "wb") as f:
            f.write(bytes(4096))
        fd = os.open("standard-input", os.O_RDONLY)
    os.dup2(fd, 0)
    os.dup2(os.pipe()[1], 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).syscall(KEYCTL, KEYCTL_JOIN, None)
    signal.alarm(SECONDS)


def attack(path, code):
    """In the fork: run it; what it says of itself."""
    names = {"__name__": "attack"}
    try:
        exec(compile(code, path, "exec"), names)
    except Exception as e:
        return {"exception": f"{type(e).__name__}: {e}", "won": False}
    error = names["last_errno"]
    return {"won": bool(names["won"]),
            "errno": errno.errorcode.get(error, "") if error else ""}


def run(path, place):
    code = read(os.path.join(HERE, "kit.py")) + read(path)
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        be_alone(os.path.basename(path), place)
        os.write(write_end, json.dumps(attack(path, code)).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as f:
        text = f.read()
    _, status = os.waitpid(pid, 0)
    result = json.loads(text) if text else {"won": False}
    if os.WIFSIGNALED(status):
        result["crash"] = signal.Signals(os.WTERMSIG(status)).name
    elif not text and os.WEXITSTATUS(status) == 0:
        result["exec"] = True  # it said nothing: it became /bin/true
    return result


def reap():
    """Whatever an attack left: we are the first of this namespace."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def main():
    for path in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as place:
            result = run(path, place)
            os.system(f"umount -q {place}/* 2>/dev/null")
        reap()
        print(json.dumps({"name": os.path.basename(path)[:-3], **result}),
              flush=True)


if __name__ == "__main__":
    main()
