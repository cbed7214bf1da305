"""Nothing left of something: descriptors, processes, memory, disk, room in a
pipe.  What was accepted is answered, the rest refused with its reason, and
afterwards all is as before.
"""

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import time

from harness import (LONG, TOKEN, Failure, Later, Service, claim_alone,
                     eventually, expect, expect_error, expect_in, expect_true,
                     process_tree)
from phases import (BIG, SETTINGS, SlowReader, Tokened, attempt, expect_well,
                    for_root, service)

# --- descriptors, processes, memory -------------------------------------------


def leave_descriptors(pid, count):
    """So many more and no more; what undoes it."""
    used = max(int(fd) for fd in os.listdir(f"/proc/{pid}/fd")) + 1
    soft, _ = descriptor_limit(pid)
    set_descriptor_limit(pid, used + count)
    return lambda: set_descriptor_limit(pid, soft)


def descriptor_limit(pid):
    with open(f"/proc/{pid}/limits") as f:
        for line in f:
            if line.startswith("Max open files"):
                return [int(n) for n in line.split()[3:5]]
    return None


def set_descriptor_limit(pid, soft):
    """By whoever it runs as: root may lack the right in a container."""
    with open(f"/proc/{pid}/status") as f:
        user = next(line.split()[1] for line in f if line.startswith("Uid:"))
    subprocess.run(
        ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
         "prlimit", f"--pid={pid}", f"--nofile={soft}:"], check=True)


def crowd(s, count=12):
    """Many at once, each answered or refused with a reason."""
    calls = [Later(attempt, n, lambda n=n: s.execute(
        f"x = sum(range(200000))\n_ = {n}")) for n in range(count)]
    return {c.result(90) for c in calls}


@for_root
def app_without_descriptors_refuses_and_comes_back():
    with service() as s:
        for count in (0, 1, 3):
            restore = leave_descriptors(s.app_pid, count)
            try:
                waiting = Later(crowd, s)
                time.sleep(1)
            finally:
                restore()
            got = waiting.result(90)
            expect_true(f"{got}", got <= {"answered", "500", "502", "503"})
            expect_well(s)


@for_root
def warden_without_descriptors_refuses_and_goes_on():
    with service() as s:
        old = s.warden_pid()
        for count in (0, 2, 5):
            restore = leave_descriptors(old, count)
            try:
                got = crowd(s)
            finally:
                restore()
            expect_true(f"{got}", got <= {"answered", "503"})
            expect_well(s)
        expect("warden", s.warden_pid(), old)


@for_root
def warden_takes_all_descriptors_it_may_have():
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Less than it may have, whatever whoever runs this was given.
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, usual[1]))
    try:
        s = Service(MAX_CONCURRENT_EXECUTIONS=2).start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    try:
        soft, hard = descriptor_limit(s.warden_pid())
        expect("soft limit", soft, hard)
    finally:
        s.stop()


class Group:
    """A control group for one service, of whichever version there is."""

    def __init__(self, controller, file_v1, file_v2):
        v1 = f"/sys/fs/cgroup/{controller}"
        self.path = None
        for root, file in ((v1, file_v1), ("/sys/fs/cgroup", file_v2)):
            path = os.path.join(root, f"gbflow-{os.getpid()}")
            try:
                os.mkdir(path)
            except OSError:
                continue
            if os.path.exists(os.path.join(path, file)):
                self.path, self.file = path, file
                return
            os.rmdir(path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.path is not None:
            eventually("the group is empty", self._is_removed, 10)

    def _is_removed(self):
        try:
            os.rmdir(self.path)
        except OSError:
            return False
        return True

    def take(self, pid):
        for one in [pid, *process_tree(pid)]:
            with contextlib.suppress(OSError):
                with open(os.path.join(self.path, "cgroup.procs"), "w") as f:
                    f.write(str(one))

    def limit(self, value):
        with open(os.path.join(self.path, self.file), "w") as f:
            f.write(str(value))

    def figure(self, *names):
        for name in names:
            with contextlib.suppress(OSError):
                with open(os.path.join(self.path, name)) as f:
                    return int(f.read())
        return 0


@for_root
def service_without_processes_refuses_and_comes_back():
    with Group("pids", "pids.max", "pids.max") as group, service() as s:
        expect_true("no group for processes on this machine: not tested",
                    group.path)
        group.take(s.app_pid)
        group.limit(1)
        try:
            got = set()
            for n in range(12):
                got.add(attempt(n, lambda n=n: s.execute(f"_ = {n}")))
                if "503" in got:
                    break
            expect_true(f"{got}", "503" in got and got <= {"answered", "503"})
            eventually("health says so",
                       lambda: s.get("/health").status == 503, 10)
        finally:
            group.limit("max")
        expect_well(s)


@for_root
def service_without_memory_loses_programs_and_nothing_else():
    with Group("memory", "memory.limit_in_bytes",
               "memory.max") as group, service() as s:
        expect_true("no group for memory on this machine: not tested",
                    group.path)
        group.take(s.app_pid)
        keep = {name: [pid for _, pid in s.named(name)] for name in
                ("glovebox-warden", "glovebox-spawn")}
        code = "x = bytearray(90 << 20)\nfor i in range(0, 90 << 20, 4096):" \
               "\n    x[i] = 1\n_ = 1"
        # What is charged to it now, and less than one such program.
        used = group.figure("memory.usage_in_bytes", "memory.current")
        group.limit(used + (40 << 20))
        got = set()
        try:
            for _ in range(3):
                got.add(attempt(1, lambda: s.execute(code)))
        finally:
            group.limit(-1 if group.file.endswith("bytes") else "max")
        expect("a program larger than the machine", got, {"killed"})
        expect("who was kept", {name: [pid for _, pid in s.named(name)]
                                for name in keep}, keep)
        expect_well(s)


# --- disks, pipes, readers ----------------------------------------------------


class OnSmallDisk(Tokened):
    """Its state and run directories lie on a disk of so many bytes."""

    def __init__(self, size, **settings):
        super().__init__(**settings)
        self.size = size

    def prepare(self):
        command, environment = super().prepare()
        subprocess.run(["mount", "-t", "tmpfs", "-o",
                        f"size={self.size},mode=755", "gbflow", self.state],
                       check=True)
        return command, environment

    def forget(self):
        if self.home:
            subprocess.run(["umount", "-l", self.state], check=False,
                           stderr=subprocess.DEVNULL)
        super().forget()

    @contextlib.contextmanager
    def full(self):
        path = os.path.join(self.state, "run", "filler")
        with open(path, "wb", buffering=0) as f, \
                contextlib.suppress(OSError):
            while f.write(bytes(4096)):
                pass
        try:
            yield
        finally:
            os.unlink(path)


@for_root
def disk_that_is_full_costs_only_what_needs_it():
    # A body above 1 MiB goes through a file of nginx's.
    large = {"stdin": "x" * 1_000_000, "context": {"k": "y" * 900_000}}
    with OnSmallDisk(16 << 20, **SETTINGS) as s:
        expect("large", s.value("_ = len(k)", **large), 900_000)
        with s.full():
            expect("small", s.value("_ = 1"), 1)
            expect_error(s.execute("_ = 1", **large), 500, "Internal error")
            # An answer larger than nginx keeps in memory, to one who reads
            # it, needs no disk.
            expect("stdout", len(s.run(f"print('x' * {BIG - 1})")["stdout"]),
                   BIG)
        expect("large", s.value("_ = len(k)", **large), 900_000)
        expect_well(s)


def reader_of(s, process):
    """The process that reads that one's log: ops/up's prefixer."""
    wanted = os.stat(f"/proc/{process}/fd/2").st_ino
    for pid in process_tree(s.process.pid):
        with contextlib.suppress(OSError):
            if (os.stat(f"/proc/{pid}/fd/0").st_ino == wanted):
                return pid
    raise Failure("nobody reads the log")


@for_root
def log_that_nobody_reads_holds_up_nobody():
    for policy, refused in (("warn", {"answered"}),
                            ("refuse", {"answered", "503"}))[:1 + LONG]:
        with Tokened(AUDIT_LOG="stderr", AUDIT_ON_ERROR=policy,
                     **SETTINGS) as s:
            reader = reader_of(s, s.app_pid)
            os.kill(reader, signal.SIGSTOP)
            try:
                connection = s.connect(20)
                start = time.monotonic()
                got = set()
                # 64 KiB are full after a hundred audit lines and some.
                for n in range(200):
                    got.add(attempt(n, lambda n=n: s.execute(
                        f"_ = {n}", connection=connection)))
                    if not got <= refused:
                        break
                seconds = time.monotonic() - start
                connection.close()
                expect("outcomes", got, refused)
                expect_true(f"{seconds:.0f} s", seconds < 30)
                expect_in("health", "audit lines cannot be written",
                          str(s.get("/health").json["reasons"]))
            finally:
                os.kill(reader, signal.SIGCONT)
            expect_well(s)
            eventually("the trail says what is missing", lambda:
                       '"event":"lines_lost"' in s.log_text(), 10)


@claim_alone
def slow_reader_gets_all_and_holds_up_nobody():
    with Tokened(**{**SETTINGS, "MAX_CONCURRENT_EXECUTIONS": 1}) as s:
        # Some that read large answers in drops, and one that reads a small
        # one a byte at a time.
        readers = [SlowReader(s) for _ in range(2)]
        slow = [Later(r.result, 0.001) for r in readers]
        body = json.dumps({"code": "print('y' * 100)\n_ = 1"})
        drop = socket.create_connection(("127.0.0.1", s.port), 60)
        drop.sendall((f"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                      f"Connection: close\r\nX-Executor-Token: {TOKEN}\r\n"
                      f"Content-Type: application/json\r\nContent-Length: "
                      f"{len(body)}\r\n\r\n{body}").encode())
        for n in range(10):
            expect("value", s.value(f"_ = {n}"), n)
        data = b""
        while byte := drop.recv(1):
            data += byte
            time.sleep(0.001)
        drop.close()
        expect_in("the whole answer", b'"stdout":"' + b"y" * 100, data)
        for later in slow:
            expect("slow reader", later.result(), "answered")
        expect_well(s)
