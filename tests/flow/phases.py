"""A service that has a request in every phase at once, and what becomes of
each when something is done to it.

For tests/flow/test_faults.py and its neighbours: shortages, kernels, clocks.
"""

import hashlib
import json
import os
import socket
import threading
import time

from busy import await_runs
from harness import (TOKEN, Later, Service, claim_alone, eventually, expect,
                     expect_error, expect_true, process_stat)

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
PRINT = ("import time\nend = time.monotonic() + {}\nn = 0\n"
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


def in_every_phase(s, fault, settle=0.0, lasts_s=1):
    """Do `fault` while there is a request in each phase; what became of
    each.  `lasts_s`: of what runs meanwhile; longer, where the fault must not
    come after its end even if it takes its time."""
    narrow = [("X-Executor-Token", NARROW)]
    reader = SlowReader(s)
    first = Later(attempt, 1, lambda: s.execute(
        SLEEP.format(lasts_s, 1), narrow, profile="standard"))
    time.sleep(0.1)
    later = {
        "queued": Later(attempt, 2, lambda: s.execute("_ = 2", narrow)),
        "running": Later(attempt, 3, lambda: s.execute(
            SLEEP.format(lasts_s, 3), profile="standard", timeout_s=3)),
        "printing": Later(attempt, "printed", lambda: s.execute(
            PRINT.format(lasts_s), profile="standard", timeout_s=3)),
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


# --- afterwards ---------------------------------------------------------------


def expect_well(s):
    """As before: healthy, every profile works, nothing is under way."""
    eventually("healthy", lambda: s.get("/health").status == 200, 20)
    for profile in ("restricted", "standard"):
        expect("value", s.value("_ = 5", profile=profile), 5)
    await_runs(s, 0, seconds=10)
    expect("wardens", len(s.named("glovebox-warden")), 1)
    eventually("zombies are reaped", lambda: not zombies(s), 5)


def zombies(s):
    below = {s.app_pid, *s.sandbox_pids()}
    stats = [process_stat(name) for name in os.listdir("/proc")
             if name.isdigit()]
    return [stat for stat in stats
            if stat and stat[0] == b"Z" and int(stat[1]) in below]
