"""Whatever dies, stops, fills up or is not there: what was accepted is
answered, and nothing is left behind.

One row of FAULTS is one fault, done to a service that has a request in every
phase at once; the row says what becomes of each.  docs/TESTING.md has the
table in words.
"""

import calendar
import contextlib
import glob
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from harness import (LONG, ROOT, TOKEN, Failure, Later, Service, claim_alone,
                     eventually, expect, expect_between, expect_error,
                     expect_in, expect_true, process_stat, process_tree,
                     still_there)

HERE = os.path.dirname(os.path.abspath(__file__))
NARROW = "narrow-secret-0123456789abcdef"  # one run at a time
BIG = 4 << 20

SETTINGS = {"EXECUTION_TIMEOUT": 4, "MAX_CONCURRENT_EXECUTIONS": 6,
            "MAX_QUEUED_EXECUTIONS": 64, "QUEUE_TIMEOUT_MS": 20000,
            "MAX_OUTPUT_BYTES": BIG, "CANARY_SECONDS": 1}


def for_root(function):
    """A claim that needs rights to be tried; nobody else has it."""
    return claim_alone(function) if os.getuid() == 0 else function


# --- a request in every phase -------------------------------------------------

SLEEP = "import time\nprint('a')\ntime.sleep({})\n_ = {}"
PRINT = ("import time\nend = time.monotonic() + 1\nn = 0\n"
         "while time.monotonic() < end:\n    print('line', n)\n    n += 1\n"
         "    time.sleep(0.001)\n_ = 'printed'")


def outcome(answer, value):
    """What became of a request, in a word."""
    if answer.status != 200:
        expect_error(answer, answer.status)
        return str(answer.status)
    body = answer.json
    if body["status"] != "ok":
        return body["status"]
    expect("value", body["return_value"], value)
    return "answered"


def attempt(value, call):
    """`cut`: the connection ended without a byte, or was not there."""
    try:
        return outcome(call(), value)
    except (OSError, EOFError) as e:
        return "cut" if not isinstance(e, TimeoutError) else "hangs"
    except Exception as e:
        if type(e).__module__ == "http.client":
            return "cut"
        raise


class SlowReader:
    """A client that asks for a large answer and reads its first bytes only,
    until it is told to go on."""

    def __init__(self, s):
        body = json.dumps({"code": f"print('x' * {BIG - 1})\n_ = 'sent'"})
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(60)
        self.socket.connect(("127.0.0.1", s.port))
        self.socket.sendall(
            (f"POST /execute HTTP/1.1\r\nHost: localhost\r\nConnection: close"
             f"\r\nX-Executor-Token: {TOKEN}\r\nContent-Type: "
             f"application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
             ).encode())
        self.data = self.socket.recv(1000)

    def read(self, pause):
        while True:
            part = self.socket.recv(65536)
            if not part:
                break
            self.data += part
            time.sleep(pause)
        self.socket.close()
        return self.data

    def result(self, pause=0.0):
        try:
            head, _, body = self.read(pause).partition(b"\r\n\r\n")
        except OSError:
            return "cut"
        if not head.startswith(b"HTTP/1.1 200"):
            return head[9:12].decode()
        if b"chunked" in head.lower():
            body = dechunk(body)
        try:
            result = json.loads(body)
        except ValueError:
            return "cut"
        expect("length", len(result["stdout"]), BIG)
        expect("value", result["return_value"], "sent")
        return "answered"


def dechunk(data):
    out = []
    while data:
        size, _, data = data.partition(b"\r\n")
        n = int(size, 16)
        out.append(data[:n])
        data = data[n + 2:]
    return b"".join(out)


class Burst:
    """Short requests one after another, so that the fault finds some of them
    handed over, at their end and on their way back."""

    def __init__(self, s):
        self.service = s
        self.is_over = False
        self.outcomes = set()
        self.count = 0
        self.threads = [threading.Thread(target=self.run, args=(i,))
                        for i in range(2)]
        for t in self.threads:
            t.start()

    def run(self, number):
        while not self.is_over:
            self.count += 1
            n = number * 1_000_000 + self.count
            self.outcomes.add(attempt(n, lambda: self.service.execute(
                f"print({n})\n_ = {n}")))

    def result(self):
        self.is_over = True
        for t in self.threads:
            t.join(60)
        expect_true("hardly a short request", self.count > 1)
        return self.outcomes


PHASES = ("sending", "queued", "running", "printing", "short", "after")


def in_every_phase(s, fault, settle=0.0):
    """Do `fault` while there is a request in each phase; what became of
    each."""
    narrow = [("X-Executor-Token", NARROW)]
    reader = SlowReader(s)
    first = Later(attempt, 1, lambda: s.execute(
        SLEEP.format(1, 1), narrow, profile="standard"))
    time.sleep(0.1)
    later = {
        "queued": Later(attempt, 2, lambda: s.execute("_ = 2", narrow)),
        "running": Later(attempt, 3, lambda: s.execute(
            SLEEP.format(1, 3), profile="standard", timeout_s=3)),
        "printing": Later(attempt, "printed", lambda: s.execute(
            PRINT, profile="standard", timeout_s=3)),
    }
    burst = Burst(s)
    time.sleep(0.4)
    fault(s)
    time.sleep(settle)
    result = {"after": {attempt(4, lambda: s.execute("_ = 4"))}}
    result["short"] = burst.result()
    for phase, call in later.items():
        result[phase] = {call.result(90)}
    result["running"].add(first.result(90))
    result["sending"] = {reader.result()}
    return result


def expect_outcomes(got, wanted):
    """`wanted`: phase -> outcomes that are right; `rest` for the others."""
    wrong = []
    for phase in PHASES:
        right = set(wanted.get(phase, wanted["rest"]).split())
        if not got[phase] <= right:
            wrong.append(f"{phase}: {sorted(got[phase])}, "
                         f"wanted {sorted(right)}")
    expect_true("; ".join(wrong), not wrong)


def service():
    return Tokened(**SETTINGS)


class Tokened(Service):
    """With the narrow token beside the ordinary one."""

    def prepare(self):
        command, environment = super().prepare()
        path = os.path.join(self.home, "tokens.json")
        self.write(path, json.dumps({"tokens": [{
            "id": "narrow", "limits": {"concurrent": 1},
            "sha256": hashlib.sha256(NARROW.encode()).hexdigest(),
            "profiles": ["restricted", "standard"]}]}))
        environment["EXECUTOR_TOKENS_FILE"] = path
        return command, environment


# --- who is hit, and how ------------------------------------------------------


def templates(s):
    return s.template_pids()


def warden(s):
    return [s.warden_pid()]


def app(s):
    return [s.app_pid]


def spawner(s):
    return [pid for _, pid in s.named("glovebox-spawn")]


def boxes(s):
    return s.box_pids()


def workers(s):
    return list(process_tree(s.nginx_pid))


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # a box that ended by itself


def kill(who):
    def fault(s):
        pids = who(s)
        expect_true("nobody to kill", pids)
        signal_all(pids, signal.SIGKILL)
    return fault


def pause(who, seconds=0.7):
    def fault(s):
        pids = who(s)
        expect_true("nobody to stop", pids)
        signal_all(pids, signal.SIGSTOP)
        threading.Timer(
            seconds, signal_all, (pids, signal.SIGCONT)).start()
    return fault


def stop(who):
    def fault(s):
        pids = who(s)
        expect_true("nobody to stop", pids)
        signal_all(pids, signal.SIGSTOP)
    return fault


def everybody(s):
    return [*templates(s), *warden(s), *app(s), *spawner(s), *workers(s)]


# fault, who, what becomes of a request by phase
RECOVERS = {
    "template_killed": (kill(templates), {"rest": "answered"}),
    "template_stopped": (stop(templates), {"rest": "answered"}),
    "warden_killed": (kill(warden), {"rest": "answered"}),
    "all_paused": (pause(everybody), {"rest": "answered"}),
    "workers_killed": (kill(workers), {
        "after": "answered", "short": "answered cut", "rest": "cut"}),
    "boxes_killed": (kill(boxes), {
        "running": "killed", "printing": "killed", "sending": "answered",
        # An order that comes to a box in the moment of its death.
        "rest": "answered killed"}),
    "boxes_stopped": (stop(boxes), {
        "running": "timeout", "printing": "timeout",
        "sending": "answered",
        # Parked ones were stopped, too, and get orders.
        "rest": "answered timeout"}),
}
if LONG:
    RECOVERS |= {
        f"{who.__name__}_paused": (pause(who), {"rest": "answered"})
        for who in (templates, warden, app, spawner, workers)}


def expect_well(s):
    """As before: healthy, every profile works, nothing is under way."""
    eventually("healthy", lambda: s.get("/health").status == 200, 20)
    for profile in ("restricted", "standard"):
        expect("value", s.value("_ = 5", profile=profile), 5)
    eventually("no run is under way", lambda: places_taken(s) == 0, 10)
    expect("wardens", len(s.named("glovebox-warden")), 1)
    eventually("zombies are reaped", lambda: not zombies(s), 5)


def zombies(s):
    below = {s.app_pid, *s.sandbox_pids()}
    stats = [process_stat(name) for name in os.listdir("/proc")
             if name.isdigit()]
    return [stat for stat in stats
            if stat and stat[0] == b"Z" and int(stat[1]) in below]


def places_taken(s):
    for line in s.get("/metrics").body.decode().splitlines():
        if line.startswith("glovebox_places_taken "):
            return float(line.split()[1])
    return None


@claim_alone
def processes_that_are_killed_or_stopped_lose_no_request():
    wrong = []
    with service() as s:
        for name, (fault, wanted) in RECOVERS.items():
            try:
                expect_outcomes(in_every_phase(s, fault), wanted)
                expect_well(s)
            except Failure as e:
                wrong.append(f"{name}: {e}")
    expect_true(" | ".join(wrong), not wrong)


# --- those that end the service -----------------------------------------------


def expect_gone(s, below, why):
    """ops/up saw it, said so, and cleared away the rest."""
    run = os.path.realpath(os.path.join(s.state, "run"))
    expect_true("ops/up ends with an error", s.process.wait(60) != 0)
    expect_in("log", why, s.log_text())
    eventually("every process is gone", lambda: not still_there(below), 5)
    expect("run directory left behind", os.path.exists(run), False)


ENDS = {
    # nginx says 502 until it is stopped, too; what it has it sends.
    "app": (app, "the app has ended", {
        "sending": "answered", "short": "answered 502 cut",
        "after": "502 cut", "rest": "502"}),
    # Its warden dies with it; the app lets go and ends, to be started anew.
    "spawner": (spawner, "the app has ended", {
        "sending": "answered", "short": "answered 502 503 cut",
        "after": "502 503 cut", "rest": "503"}),
}


def ends(name):
    who, why, wanted = ENDS[name]

    def one():
        s = service().start()
        try:
            below = process_tree(s.process.pid)
            expect_outcomes(in_every_phase(s, kill(who)), wanted)
            expect_gone(s, below, why)
        finally:
            s.kill(process_tree(s.process.pid))
            s.forget()
    one.__name__ = f"killed_{name}_ends_the_service_and_leaves_nothing"
    return claim_alone(one)


for name in ENDS:
    ends(name)


@claim_alone
def killed_nginx_ends_the_service_and_leaves_nothing():
    s = service().start()
    try:
        below = process_tree(s.process.pid)
        os.kill(s.nginx_pid, signal.SIGKILL)
        expect_gone(s, below, "nginx has ended")
    finally:
        s.kill(below)
        s.kill(process_tree(s.process.pid))
        s.forget()


# --- stopped for good ---------------------------------------------------------


@claim_alone
def warden_that_hangs_is_replaced_and_its_orders_run_again():
    with service() as s:
        old = s.warden_pid()
        start = time.monotonic()
        # A client that reads nothing for ten seconds is let go by nginx.
        expect_outcomes(in_every_phase(s, stop(warden)), {
            "sending": "answered cut", "rest": "answered"})
        # Ten seconds of silence, and a little.
        expect_between("seconds", time.monotonic() - start, 9, 40)
        expect_well(s)
        expect_true("the warden is the old one", s.warden_pid() != old)


@claim_alone
def spawner_that_hangs_is_missed_when_a_warden_is_needed():
    with service() as s:
        pids = spawner(s)
        signal_all(pids, signal.SIGSTOP)
        try:
            expect("nobody needs it", s.value("_ = 1"), 1)
            os.kill(s.warden_pid(), signal.SIGKILL)
            expect("without a warden", attempt(
                1, lambda: s.execute("_ = 1")), "503")
            expect("health", s.get("/health").status, 503)
        finally:
            signal_all(pids, signal.SIGCONT)
        expect_well(s)


if LONG:
    @claim_alone
    def spawner_that_never_answers_ends_the_service():
        s = service().start()
        try:
            below = process_tree(s.process.pid)
            pids = spawner(s)
            signal_all(pids, signal.SIGSTOP)
            os.kill(s.warden_pid(), signal.SIGKILL)
            expect_true("ops/up ends with an error", s.process.wait(60) != 0)
            expect_in("log", "spawner is gone", s.log_text())
            signal_all(pids, signal.SIGCONT)
            eventually("every process is gone",
                       lambda: not still_there(below), 5)
        finally:
            s.kill(process_tree(s.process.pid))
            s.forget()

    @claim_alone
    def app_that_hangs_is_504_and_comes_back():
        with service() as s:
            pids = app(s)
            signal_all(pids, signal.SIGSTOP)
            try:
                expect_error(s.execute("_ = 1"), 504)
            finally:
                signal_all(pids, signal.SIGCONT)
            expect_well(s)


# --- nothing left of something ------------------------------------------------


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
    with Service(MAX_CONCURRENT_EXECUTIONS=2) as s:
        soft, hard = descriptor_limit(s.warden_pid())
        expect("soft limit", soft, hard)


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


# --- disks, pipes, readers, the socket ----------------------------------------


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


@claim_alone
def socket_that_is_removed_ends_the_service():
    s = service().start()
    try:
        below = process_tree(s.process.pid)
        running = Later(attempt, 1, lambda: s.execute(
            SLEEP.format(1, 1), profile="standard"))
        time.sleep(0.3)
        os.unlink(os.path.join(s.state, "run", "app", "fcgi.sock"))
        expect_error(s.execute("_ = 1"), 502, "The service is not running")
        expect("what was running", running.result(), "answered")
        expect_gone(s, below, "the socket is gone")
    finally:
        s.kill(process_tree(s.process.pid))
        s.forget()


# --- kernels that lack something ----------------------------------------------

# Layers that are off beyond those that are off here anyway.
KERNELS = {
    # In the short form the first three.
    "landlock": {"landlock", "landlock_network", "landlock_scope"},
    # Started by root, the warden makes those it can live in.
    "user_namespaces": {"user_namespace", "pid_namespace", "mount_namespace",
                        "empty_root"},
    "listener": {"refused_calls"},
    "clone3": {"pid_namespace"},
    "cgroup_namespaces": {"cgroup_namespace"},
}
# What the service says instead of starting.
NO_KERNELS = {
    "landlock,user_namespaces": "no layer keeps files away",
    "seccomp": "seccomp",
    "pidfd": "the warden cannot watch a box",
}
# Glovebox makes no control groups; these must make no difference.
GROUPS = {
    "none": "mount -t tmpfs none /sys/fs/cgroup",
    "v2": "mount -t cgroup2 none /sys/fs/cgroup",
}
if LONG:
    GROUPS["v1"] = (
        "mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory && "
        "mount -t cgroup -o memory none /sys/fs/cgroup/memory")


class Behind(Service):
    """Started by another command, which starts ./ops/up."""

    def __init__(self, command, **settings):
        super().__init__(**settings)
        self.command = command

    def prepare(self):
        command, environment = super().prepare()
        return [*self.command, *command], environment


def without(names, **settings):
    return Behind([sys.executable, os.path.join(HERE, "without.py"), names],
                  **settings)


def layers_off(s):
    answer = s.get("/health")
    expect("health", answer.status, 200)
    return {name for name, is_on in answer.json["layers"].items()
            if not is_on}


def expect_limits(s, has_listener=True):
    """The same program ends the same way, whatever the kernel lacks."""
    expect("value", s.value("_ = 6 * 7"), 42)
    result = s.run("open('/etc/passwd')", profile="standard")
    expect_in("file", "PermissionError", result["error"])
    expect("refused", bool(result["refused"]), has_listener)
    expect("time", s.run("while True: pass", timeout_s=0.3)["status"],
           "timeout")
    expect("memory", s.run("x = bytearray(1 << 30)")["status"],
           "memory_limit" if has_listener else "error")


@for_root
def kernel_that_lacks_a_layer_is_served_without_it_and_says_so():
    with Service() as s:
        usual = layers_off(s)
    for name, missing in list(KERNELS.items())[:None if LONG else 3]:
        with without(name) as s:
            expect(f"layers off without {name}", layers_off(s) - usual,
                   missing)
            expect_limits(s, name != "listener")


@for_root
def kernel_that_lacks_what_everything_rests_on_gets_no_service():
    for names, sentence in NO_KERNELS.items():
        s = without(names).launch()
        try:
            expect_true(f"it starts without {names}", s.process.wait(60) != 0)
            expect_in(f"what it says without {names}", sentence,
                      s.log_text())
            expect("left behind", process_tree(s.process.pid), {})
        finally:
            s.kill(process_tree(s.process.pid))
            s.forget()


@for_root
def control_groups_of_any_version_or_none_make_no_difference():
    usual = None
    for name, mount in GROUPS.items():
        with Behind(["unshare", "--mount", "sh", "-ec", f'{mount}; exec "$@"',
                     "sh"]) as s:
            off = layers_off(s)
            usual = off if usual is None else usual
            expect(f"layers off with groups {name}", off, usual)
            expect_limits(s)


# --- clocks -------------------------------------------------------------------

STEP_C = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long
step(void)
{
    FILE *f = fopen(getenv("STEP_FILE"), "r");
    long seconds = 0;

    if (f != NULL) {
        (void)!fscanf(f, "%ld", &seconds);
        fclose(f);
    }
    return seconds;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    static int (*real)(clockid_t, struct timespec *);
    int r;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    r = real(id, ts);
    if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ts->tv_sec += step();
    return r;
}

time_t
time(time_t *ret)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    if (ret != NULL)
        *ret = ts.tv_sec;
    return ts.tv_sec;
}

int
gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec ts;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &ts);
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = ts.tv_nsec / 1000;
    return 0;
}
"""


class Stepped(Tokened):
    """The app sees a wall clock that the test sets.  (The sandbox has no
    environment to be told so, and asks for no wall clock but for its log.)"""

    def prepare(self):
        command, environment = super().prepare()
        self.step_file = os.path.join(self.home, "step")
        self.step(0)
        library = os.path.join(self.home, "step.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-x", "c", "-",
                        "-o", library, "-ldl"], input=STEP_C.encode(),
                       check=True)
        path = os.path.join(self.programs, "glovebox")
        os.rename(path, path + ".stepped")
        self.write(path, f'#!/bin/sh\nexport LD_PRELOAD={library} '
                         f'STEP_FILE={self.step_file}\n'
                         f'exec "{path}.stepped" "$@"\n')
        os.chmod(path, 0o755)
        return command, environment

    def step(self, seconds):
        self.write(self.step_file, str(seconds))


@claim_alone
def clock_that_is_set_moves_no_deadline():
    day = 86400
    with Stepped(OWN_PROGRAMS="yes", **SETTINGS) as s:
        def now():
            return calendar.timegm(time.strptime(
                s.get("/health").json["timestamp"][:19],
                "%Y-%m-%dT%H:%M:%S"))
        for seconds in (day, -2 * day, 0) if LONG else (-2 * day,):
            expect_outcomes(in_every_phase(s, lambda s, n=seconds: s.step(n)),
                            {"rest": "answered"})
            expect_between("the clock that the app sees",
                           now() - time.time(), seconds - 60, seconds + 60)
            answer = s.execute("while True: pass", timeout_s=0.4)
            expect("status", answer.json["status"], "timeout")
            expect_between("seconds", answer.seconds, 0.4, 5)
            expect_well(s)


@claim_alone
def only_the_monotonic_clock_decides_deadlines():
    """Who asks for the wall clock, and what for; anybody new is looked at."""
    allowed = {
        "sandbox/base/clock.c",       # the time in a line
        "fcgi-app/handle_metrics.c",  # when the process was started
        "fcgi-app/auth.c",            # a token's last day
        "fcgi-app/ctl/token.c",       # likewise, for the operator
        "fcgi-app/ctl/check.c",       # what is old on this machine
    }
    found = set()
    for room in ("fcgi-app", "sandbox"):
        for path in glob.glob(os.path.join(ROOT, room, "**", "*.[ch]"),
                              recursive=True):
            with open(path) as f:
                if re.search(r"\bCLOCK_REALTIME\b|\btime\((NULL|&)|"
                             r"\bgettimeofday\(", f.read()):
                    found.add(os.path.relpath(path, ROOT))
    expect("who asks for the wall clock", found, allowed)
