#!/usr/bin/python3
"""overload - ten times more requests than can be run, and what becomes of them

usage: tests/flow/overload.py [--build DIR] [--seconds S] [--program NAME]
       make overload

In turn: as many callers as there are places, one request after another, which is
what the service does undisturbed; and ten times that rate, come what may.  What it
must show: accepted work goes on at no less than nine tenths of the rate, all
else is refused quickly with 429 or 503 in JSON, /health answers within 50 ms,
memory stays flat.  test_overload.py is the short form, with room for a noisy
machine.
"""

import argparse
import json
import os
import selectors
import socket
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness  # noqa: E402  (needs the path above)

PLACES = 4
SETTINGS = {"MAX_CONCURRENT_EXECUTIONS": PLACES,
            "MAX_QUEUED_EXECUTIONS": 16, "AUDIT_LOG": "", "LOG_LEVEL": "ERROR",
            "CANARY_SECONDS": 10}  # as preset: its rounds are work, too
# What a program does: wait, which takes no core from those who look, or
# count, which does.
PROGRAMS = {"waiting": ("standard", "import time\ntime.sleep(0.1)\n_ = 7"),
            "counting": ("restricted", "x = sum(range(100000))\n_ = 7")}
TIMES = 10
PROBE_EVERY_S = 0.05
MAX_CONNECTIONS = 900


def request_bytes(program):
    profile, code = PROGRAMS[program]
    body = json.dumps({"code": code, "profile": profile})
    return (f"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
            f"X-Executor-Token: {harness.TOKEN}\r\n"
            f"Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


class Call:
    """One connection, kept; one request on it at a time."""

    def __init__(self, port):
        self.port = port
        self.open()
        self.sent_at = 0.0
        self.data = b""

    def open(self):
        self.sock = socket.create_connection(("127.0.0.1", self.port), 10)
        self.sock.setblocking(False)
        self.is_closed = False

    def send(self, request):
        if self.is_closed:
            self.sock.close()
            self.open()
        self.sent_at = time.monotonic()
        self.data = b""
        self.sock.sendall(request)

    def read(self):
        """(status, body) once the answer is whole, else None."""
        part = self.sock.recv(65536)
        if not part:
            raise harness.Failure("a connection ended without an answer")
        self.data += part
        head, found, body = self.data.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.lower().split(b"content-length: ")[1].split()[0])
        if len(body) < length:
            return None
        # nginx says so with the last answer of a connection.
        self.is_closed = b"connection: close" in head.lower()
        return int(head.split()[1]), body


class Tally:
    """Answers by kind, and how long the refusals took."""

    def __init__(self):
        self.accepted = 0
        self.refused_ms = []
        self.wrong = []

    def count(self, status, body, seconds):
        try:
            value = json.loads(body)
        except ValueError:
            value = None
        if status == 200 and value and value.get("return_value") == 7:
            self.accepted += 1
        elif status in (429, 503) and value and "detail" in value:
            self.refused_ms.append(seconds * 1000)
        else:
            self.wrong.append((status, body[:200]))


def offer(port, request, seconds, rate=None, callers=None):
    """Requests at a rate, whatever becomes of them; or callers that each wait
    for their answer.  Returns a Tally, how many were sent, and how long it
    took."""
    tally, sent = Tally(), 0
    selector = selectors.DefaultSelector()
    idle = [Call(port) for _ in range(callers or 0)]
    busy = 0
    start = time.monotonic()
    end = start + seconds

    def due():
        if rate is None:
            return len(idle)
        return min(int((time.monotonic() - start) * rate) - sent,
                   len(idle) + MAX_CONNECTIONS - busy - len(idle))

    while time.monotonic() < end or busy:
        for _ in range(due() if time.monotonic() < end else 0):
            call = idle.pop() if idle else Call(port)
            call.send(request)
            selector.register(call.sock, selectors.EVENT_READ, call)
            sent, busy = sent + 1, busy + 1
        for key, _ in selector.select(0.005):
            call = key.data
            answer = call.read()
            if answer is None:
                continue
            selector.unregister(call.sock)
            busy -= 1
            idle.append(call)
            tally.count(*answer, time.monotonic() - call.sent_at)
    for call in idle:
        call.sock.close()
    selector.close()
    return tally, sent, time.monotonic() - start


def offer_beside(port, program, seconds, **how):
    """offer() in a process of its own, which gives way to the service."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(read)
            os.nice(10)
            tally, sent, took = offer(port, request_bytes(program), seconds,
                                      **how)
            with os.fdopen(write, "w") as f:
                json.dump({"accepted": tally.accepted, "sent": sent,
                           "seconds": took, "refused_ms": tally.refused_ms,
                           "wrong": [str(w) for w in tally.wrong]}, f)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    os.waitpid(pid, 0)
    harness.expect_true("the callers ended early", text)
    return json.loads(text)


class Probes:
    """/health again and again, meanwhile; and the memory of the app."""

    def __init__(self, service):
        self.service = service
        self.ms, self.kb, self.bad = [], [], []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._end.wait(PROBE_EVERY_S):
            answer = self.service.get("/health")
            self.ms.append(answer.seconds * 1000)
            self.kb.append(sum(harness.memory_kb(p) for p in (
                self.service.app_pid, self.service.warden_pid())))
            if answer.status != 200:
                self.bad.append(answer.status)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self._end.set()
        self._thread.join(30)


def share(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def measure(service, program, seconds, rounds):
    """What is to be shown, as figures.  Calm and flood take turns, so that a
    noisy neighbour hits both."""
    calm, flood = [], []
    with Probes(service) as probes:
        for _ in range(rounds):
            calm.append(offer_beside(service.port, program,
                                     seconds / rounds / 3, callers=PLACES))
            flood.append(offer_beside(service.port, program, seconds / rounds,
                                      rate=TIMES * rate_of(calm)))
    third = len(probes.kb) // 3
    refused_ms = [ms for f in flood for ms in f["refused_ms"]] or [0]
    return {
        "program": program,
        "rate": rate_of(calm),
        "offered": sum(f["sent"] for f in flood) / seconds,
        "kept": rate_of(flood) / rate_of(calm),
        "refused": len(refused_ms),
        "refused_p50_ms": share(refused_ms, 0.5),
        "refused_p99_ms": share(refused_ms, 0.99),
        "health_p50_ms": share(probes.ms, 0.5),
        "health_p99_ms": share(probes.ms, 0.99),
        "unhealthy": len(probes.bad),
        "grown_kb": max(probes.kb[-third:]) - max(probes.kb[:third]),
        "wrong": [w for f in calm + flood for w in f["wrong"]],
    }


def rate_of(parts):
    """Accepted requests a second."""
    return (sum(p["accepted"] for p in parts)
            / sum(p["seconds"] for p in parts))


def text_of(f):
    return (f"{f['program']}: {f['rate']:.0f}/s alone; {f['offered']:.0f}/s "
            f"offered, {100 * f['kept']:.0f} % of the rate kept, "
            f"{f['refused']} refused in {f['refused_p50_ms']:.0f} ms "
            f"(99 %: {f['refused_p99_ms']:.0f}), /health in "
            f"{f['health_p50_ms']:.0f} ms (99 %: {f['health_p99_ms']:.0f}), "
            f"memory {f['grown_kb']:+d} kB, {len(f['wrong'])} wrong")


def main():
    arguments = argparse.ArgumentParser(description="ten times overload")
    arguments.add_argument("--build", default=harness.PROGRAMS)
    arguments.add_argument("--seconds", type=float, default=30)
    arguments.add_argument("--program", choices=PROGRAMS)
    given = arguments.parse_args()
    harness.PROGRAMS = os.path.abspath(given.build)
    is_kept = True
    for program in [given.program] if given.program else PROGRAMS:
        with harness.Service(**SETTINGS) as s:
            f = measure(s, program, given.seconds, 3)
        print(text_of(f), flush=True)
        is_kept = is_kept and not f["wrong"] and not f["unhealthy"] and \
            f["kept"] >= 0.9 and f["health_p99_ms"] < 50 and \
            f["grown_kb"] < 2048
    print("kept" if is_kept else "NOT KEPT")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
