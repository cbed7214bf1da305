"""Clients that are slow, silent, gone, too large, or that take back what they
asked for: ordinary requests go on beside them.

Each claim first measures ordinary requests without the others, then beside
them.  Machines differ, so the two are compared with each other, and generously:
what must not happen is that somebody waits for a slow client, which is seconds.
"""

import contextlib
import json
import os
import re
import resource
import select
import selectors
import socket
import statistics
import struct
import time

from access_log import access_line
from busy import await_runs, running
from harness import (TOKEN, Later, Service, claim, claim_alone, eventually,
                     expect, expect_between, expect_in, expect_true)
from http2 import DATA, END_HEADERS, END_STREAM, Http2, request
from http2 import SETTINGS as SETTINGS_FRAME

RUNS_ALONE = True
SETTINGS = {"MAX_CONCURRENT_EXECUTIONS": 2}
MANY = 1000
PROBES = 64  # limit_conn in nginx/read.conf.in
HEADER_S = 10  # client_header_timeout in nginx/limits.conf.in

HEAD = (f"POST /execute HTTP/1.1\r\nHost: localhost\r\nX-Executor-Token: "
        f"{TOKEN}\r\nContent-Type: application/json\r\n").encode()
SPIN = b'{"code":"while True: pass","timeout_s":2}'


@contextlib.contextmanager
def room_for(count):
    """Descriptors for so many connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, count + 256)
    resource.setrlimit(resource.RLIMIT_NOFILE, (
        min(wanted, hard) if hard != resource.RLIM_INFINITY else wanted,
        hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def ordinary(s, count=20):
    """Seconds of runs and probes that must all succeed."""
    took = []
    for n in range(count):
        answer = s.execute(f"_ = {n}")
        expect("status of an ordinary run", answer.status, 200)
        expect("value of an ordinary run", answer.json["return_value"], n)
        took.append(answer.seconds)
        expect("health", s.get("/health").status, 200)
    return took


def expect_unharmed(before, beside):
    usual = statistics.median(before)
    now = statistics.median(beside)
    expect_true(f"median of {usual:.3f} s became {now:.3f} s",
                now < 5 * usual + 0.25)
    expect_true(f"one took {max(beside):.1f} s", max(beside) < 5)


def connections(s):
    """nginx's own count, without the one that asks."""
    text = s.get("/nginx_status").body.decode()
    return int(text.split("Active connections:")[1].split()[0]) - 1


class Crowd:
    """Connections that send what they have, a byte at a time."""

    def __init__(self, s, count, data):
        self.data = data
        self.sockets = {}  # those still open: how much each has sent
        self.dropped = 0
        self.answered = 0
        self.selector = selectors.DefaultSelector()
        for _ in range(count):
            c = socket.create_connection(("127.0.0.1", s.port), 20)
            c.setblocking(False)
            self.selector.register(c, selectors.EVENT_READ)
            self.sockets[c] = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for c in list(self.sockets):
            self.forget(c)
        self.selector.close()

    def forget(self, c):
        self.selector.unregister(c)
        c.close()
        del self.sockets[c]

    def send_a_byte_each(self):
        for c, sent in list(self.sockets.items()):
            try:
                c.send(self.data[sent:sent + 1])
                self.sockets[c] = sent + 1
            except OSError:
                self.dropped += 1
                self.forget(c)

    def look(self):
        """Who was dropped or answered meanwhile."""
        for key, _ in self.selector.select(0):
            try:
                data = key.fileobj.recv(65536)
            except OSError:
                data = b""
            if data:
                self.answered += 1
            else:
                self.dropped += 1
                self.forget(key.fileobj)


# --- slow ---------------------------------------------------------------------


@claim
def probes_of_one_address_are_at_most_64_at_once(s):
    """Held by bodies that they announce and do not send; calls are counted
    apart."""
    head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.create_connection(
            ("127.0.0.1", s.port), 20)) for _ in range(PROBES + 10)]
        for c in probes:
            c.sendall(head + b"\r\n")
        refused = eventually("ten are answered", lambda: len(
            ready := select.select(probes, [], [], 0)[0]) == 10 and ready, 5)
        for c in refused:
            expect("answer to one too many", c.recv(65536)[:12],
                   b"HTTP/1.1 429")
        expect("value", s.value("_ = 7"), 7)
        for c in set(probes) - set(refused):
            c.sendall(b"x")
            expect("answer to one that was held", c.recv(65536)[:12],
                   b"HTTP/1.1 200")
        expect("status", s.get("/health").status, 200)


@claim
def thousand_slow_clients_hold_nobody_up(s):
    """1,000 connections, each a byte a second: they are served by nobody and
    dropped when the time for a header is over."""
    before = ordinary(s)
    beside = []
    with room_for(MANY), Crowd(s, MANY, HEAD) as crowd:
        start = time.monotonic()
        seen = 0
        while time.monotonic() - start < HEADER_S + 6 and crowd.sockets:
            tick = time.monotonic()
            crowd.send_a_byte_each()
            seen = max(seen, connections(s))
            beside += ordinary(s, 4)
            crowd.look()
            time.sleep(max(0, tick + 1 - time.monotonic()))
        expect_between("connections that nginx held at once", seen, MANY,
                       MANY + 50)
        expect("connections that are left", len(crowd.sockets), 0)
        expect("connections that were answered", crowd.answered, 0)
    expect_unharmed(before, beside)
    eventually("nginx has room again", lambda: connections(s) < 20, 5)


@claim
def slow_bodies_count_for_their_own_token_and_address(s):
    """Places and queue; another token from there, and the same one from
    elsewhere, are not meant."""
    body = b'{"code":"_ = 7"}'
    end = b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def status(head, source):
        with s.socket(20, source) as c:
            c.sendall(head + end)
            return c.makefile("rb").read().split(b"\r\n", 1)

    with contextlib.ExitStack() as stack:
        for _ in range(2 + 32):
            c = stack.enter_context(s.socket(20, "127.0.0.9"))
            c.sendall(HEAD + b"Content-Length: 100\r\n\r\n")
        # Asked sooner, it would take the place of one of them.
        eventually("nginx has their heads", lambda: int(re.search(
            rb"Writing: (\d+)", s.get("/nginx_status").body)[1]) > 2 + 32, 5)
        line, rest = status(HEAD, "127.0.0.9")
        expect("one more", line, b"HTTP/1.1 429 Too Many Requests")
        expect_in("its answer", b"Too many requests at once", rest)
        expect("another token", status(HEAD.replace(
            TOKEN.encode(), b"nobodys"), "127.0.0.9")[0][:12], b"HTTP/1.1 401")
        # nginx keeps no count by a key of more than 255 bytes, and says so.
        expect("a long token", status(HEAD.replace(
            TOKEN.encode(), b"x" * 250) + b"X-Request-ID: long\r\n",
            "127.0.0.9")[0][:12], b"HTTP/1.1 401")
        access_line(s, "long")
        expect_true("a key is too long",
                    "more than 255 bytes" not in s.log_text())
        expect("another address", status(HEAD, "127.0.0.8")[0],
               b"HTTP/1.1 200 OK")
    eventually("the next is run", lambda: status(HEAD, "127.0.0.9")[0]
               == b"HTTP/1.1 200 OK", 5)


@claim
def slow_bodies_take_no_place(s):
    """As many as one address may have, each a byte a second: the app sees none
    of them.  More from there are turned away; elsewhere all goes on."""
    held, allowed = 2 + 32, 2 + 32 + 64
    before = ordinary(s)
    beside = []
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(s.socket(20, "127.0.0.9"))
                for _ in range(allowed + 20)]
        for i, c in enumerate(slow):
            head = HEAD if i < held else HEAD.replace(
                TOKEN.encode(), b"another-%d" % i)
            c.sendall(head + b"Content-Length: 100\r\n\r\n")
        for _ in range(3):
            beside += ordinary(s, 5)
            expect("places taken", running(s), 0.0)
            time.sleep(0.5)
            for c in slow:
                with contextlib.suppress(OSError):  # those turned away
                    c.send(b" ")
        answers = []
        for c in slow:
            c.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                answers.append(c.recv(65536)[9:12])
        expect("answers", answers, [b"429"] * 20)
    expect_unharmed(before, beside)


# --- silent and gone ----------------------------------------------------------


def vanish(c):
    """Close without telling the other side, as a machine that lost its power
    does: a socket under repair sends nothing when it goes."""
    tcp_repair = 19
    c.setsockopt(socket.IPPROTO_TCP, tcp_repair, 1)
    c.close()


@claim
def half_open_connections_hold_nobody_up(s):
    """Silent from the start, half closed, or gone in the middle of a header, a
    body or a run."""
    before = ordinary(s)
    starts = (b"", b"GET /health HTT", HEAD,
              HEAD + b"Content-Length: 100\r\n\r\n{")
    with contextlib.ExitStack() as stack:
        for n in range(100):
            c = stack.enter_context(s.socket())
            c.sendall(starts[n % len(starts)])
            if n % 3 == 0:
                c.shutdown(socket.SHUT_WR)
            elif n % 3 == 1 and os.getuid() == 0:
                vanish(c)
        beside = ordinary(s)
        c = s.socket()
        c.sendall(HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(SPIN), SPIN))
        await_runs(s, 1)
        if os.getuid() == 0:
            vanish(c)
        else:
            c.close()
        beside += ordinary(s, 5)
        eventually("nginx has dropped them", lambda: connections(s) < 20,
                   HEADER_S + 10)
    await_runs(s, 0, seconds=10)
    expect_unharmed(before, beside)


# --- large, chunked, pipelined ------------------------------------------------


def statuses_of(data):
    """Of all answers in what was received."""
    return [int(part[:3]) for part in data.split(b"HTTP/1.1 ")[1:]]


@claim
def oversized_headers_hold_nobody_up(s):
    before = ordinary(s)
    line = b"X-A: " + b"a" * 7000 + b"\r\n"
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
    for data in (whole + b"X-A: " + b"a" * 100000, whole + line * 200,
                 whole + b"X: y\r\n" * 20000, b"GET /" + b"a" * 100000,
                 b"A" * 100000):
        got = statuses_of(s.raw(data, 5))
        expect_true(f"{data[:20]!r}: {got}", got in ([431], [414], [400]))
    beside = ordinary(s)
    expect_unharmed(before, beside)


@claim
def chunked_bodies_are_read_strictly(s):
    """Good ones run, broken ones get an error as JSON, and endless ones end."""
    before = ordinary(s, 5)
    body = b'{"code":"_ = 5"}'
    head = HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    for name, data, wanted in (
            ("whole", whole, 200),
            ("extension", whole.replace(b"\r\n", b";a=b\r\n", 1), 200),
            ("trailer", whole[:-2] + b"X-Executor-Token: other\r\n\r\n", 200),
            ("no size", b"\r\n" + body, 400),
            ("negative", b"-5\r\n" + body, 400),
            ("too large", b"ffffffffffffffffff\r\n" + body, 400),
            ("larger than allowed", b"7fffffffffffff\r\n" + body, 413),
            ("no end of line", b"%x\r\n%sXX" % (len(body), body), 400)):
        answer = s.raw(head + data, 8)
        expect(f"status of {name}", statuses_of(answer), [wanted])
        if wanted != 200:
            expect(f"keys of {name}", sorted(json.loads(
                answer.partition(b"\r\n\r\n")[2])), ["detail", "request_id"])
    with s.socket() as c:
        c.sendall(head)
        later = Later(ordinary, s, 10)
        for _ in range(200):
            c.sendall(b"1\r\n \r\n")
            time.sleep(0.005)
        beside = later.result()
    expect_unharmed(before, beside)


@claim
def pipelined_requests_hold_nobody_up(s):
    """Hundreds in one breath: all are answered, in order; and one that hangs
    up in the middle leaves nothing behind."""
    before = ordinary(s, 5)
    probe = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = probe.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    got = statuses_of(s.raw(probe * 100 + last, 30))
    expect("answers", (len(got), set(got)), (101, {200}))
    run = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(SPIN), SPIN)
    with s.socket() as c:
        c.sendall(run * 50)
        later = Later(ordinary, s, 10)
        time.sleep(0.3)
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                     struct.pack("ii", 1, 0))
    beside = later.result()
    await_runs(s, 0, seconds=10)
    expect_unharmed(before, beside)


# --- HTTP/2 -------------------------------------------------------------------

FIELDS = request("POST", "/execute", more=[
    ("x-executor-token", TOKEN), ("content-type", "application/json")])


def reset_streams(port, count):
    """Ask and take back, as fast as one can, until the other side has enough.
    Returns how many were sent."""
    sent = 0
    with Http2(port, "127.0.0.9") as c, contextlib.suppress(OSError):
        for n in range(count):
            stream = 2 * n + 1
            c.send(c.headers(stream, FIELDS, END_HEADERS),
                   c.frame(DATA, END_STREAM, stream, SPIN), c.reset(stream))
            sent += 1
    return sent


@claim_alone
def http2_resets_hold_nobody_up():
    with Service(has_tls=True) as s:
        before = ordinary(s)
        attackers = [Later(reset_streams, s.port, 1200) for _ in range(2)]
        beside = ordinary(s, 10)
        for a in attackers:
            sent = a.result()
            expect_true("no stream was sent", sent > 100)
        beside += ordinary(s, 10)
        await_runs(s, 0, seconds=10)
        # A connection has an end: 1,000 requests (limits.conf.in).
        with Http2(s.port) as c, contextlib.suppress(OSError):
            answered = 0
            for n in range(1100):
                status, _ = c.ask(2 * n + 1, request("GET", "/nope"))
                if status != 404:
                    break
                answered += 1
            expect_between("requests of one connection", answered, 900, 1001)
        expect_unharmed(before, beside)


@claim_alone
def http2_streams_that_wait_hold_nobody_up():
    """All streams of ten connections open, with bodies that do not come, and
    answers that nobody lets through."""
    with Service(has_tls=True) as s, contextlib.ExitStack() as stack:
        before = ordinary(s)
        for _ in range(10):
            c = stack.enter_context(Http2(s.port, "127.0.0.9"))
            c.send(*(c.headers(2 * n + 1, FIELDS, END_HEADERS)
                     for n in range(60)))
        for _ in range(5):
            c = stack.enter_context(Http2(s.port, "127.0.0.9"))
            # No window at all: the answer has nowhere to go.
            c.send(c.frame(SETTINGS_FRAME, 0, 0, struct.pack(">HI", 4, 0)),
                   c.headers(1, request("GET", "/openapi.json")))
        beside = ordinary(s)
        expect_unharmed(before, beside)
