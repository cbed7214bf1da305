"""Several responders behind one nginx: refused or lost by one, done by another.
"""

import concurrent.futures
import hashlib
import os
import re
import signal
import socket
import tempfile

from busy import await_runs, metric
from harness import (LONG, Later, Responder, Service, claim_alone, eventually,
                     expect, expect_between, expect_error,
                     expect_true, free_port, process_tree)
from two_tokens import OTHER_HEADERS, two_tokens

SLEEP = "import time\ntime.sleep({})\n_ = 1"


def sleepers(s, count, seconds):
    return [Later(s.execute, SLEEP.format(seconds), profile="standard")
            for _ in range(count)]


def statuses(laters):
    return sorted(later.result(60).status for later in laters)


def upstream_statuses(s):
    """What each responder said, of all executions in the access log; behind
    a colon nginx asked itself."""
    return [m.group(1).split(", ") for m in re.finditer(
        r'"path":"/execute".*"upstream_status":"([^", ]*(, [^", ]*)*)',
        s.log_text())]


@claim_alone
def dead_upstreams_are_passed_over():
    """Nobody listens at the path, nobody at the port."""
    with tempfile.TemporaryDirectory(prefix="gbdead.") as home:
        with Service(UPSTREAMS=f"unix:{home}/nobody.sock,local,"
                               f"127.0.0.1:{free_port()}") as s:
            for i in range(30):
                expect("value", s.value(f"_ = {i}"), i)
            expect("health", s.get("/health").status, 200)
            # Given up for a while, not asked each time.
            eventually("the access log", lambda: len(
                upstream_statuses(s)) == 30, 5)
            tried = sum(len(u) - 1 for u in upstream_statuses(s))
            expect_true(f"{tried} calls in vain", 0 < tried <= 24)


class Hole:
    """A port that takes connections and never answers; or, when `is_deaf`, one
    that does not even answer who connects."""

    def __init__(self, is_deaf):
        self.listener = socket.create_server(
            ("127.0.0.1", 0), backlog=0 if is_deaf else 64)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.taken = []
        while is_deaf:  # until the backlog is full
            c = socket.socket()
            c.settimeout(0.3)
            self.taken.append(c)
            try:
                c.connect(self.listener.getsockname())
            except TimeoutError:
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for c in (self.listener, *self.taken):
            c.close()


@claim_alone
def upstream_that_cannot_be_connected_to_is_given_up():
    """Packets to it get lost: after two seconds the other is asked, and after
    the third time it alone, for a while."""
    with Hole(is_deaf=True) as hole, \
            Service(UPSTREAMS=f"{hole.address},local") as s:
        for i in range(20):
            expect("value", s.value(f"_ = {i}"), i)
        eventually("the access log", lambda: len(
            upstream_statuses(s)) == 20, 5)
        met = upstream_statuses(s).count(["504", "200"])
        expect_true(f"{met} of 20 met it; every second one would, if it were "
                    "not given up", 1 <= met <= 6)


@claim_alone
def upstream_that_never_answers_holds_up_only_what_it_took():
    """It may be at work, so that its request waits.  But it has one more than
    the other, and gets no second one; and when it dies, the other runs that."""
    with Hole(is_deaf=False) as hole, \
            Service(UPSTREAMS=f"{hole.address},local") as s:
        first = [Later(s.execute, "_ = 7") for _ in range(2)]
        eventually("one of two is answered", lambda: any(
            later.is_done() for later in first), 20)
        for i in range(20):
            expect("value", s.value(f"_ = {i}"), i)
        expect("held up", [later.is_done() for later in first].count(False), 1)
        hole.listener.close()
        expect("values", [later.result(20).json["return_value"]
                          for later in first], [7, 7])
        eventually("it was run by the other", lambda: ["502", "200"] in
                   upstream_statuses(s), 5)


def silence_is_504_when_its_time_is_over():
    """Each may be at work for as long as a run can take (READ_TIMEOUT_S in
    ops/render); then it is told, and not asked of the next one again."""
    with Hole(is_deaf=False) as one, Hole(is_deaf=False) as two, \
            Service(UPSTREAMS=f"local,{one.address},{two.address}",
                    EXECUTION_TIMEOUT=1, QUEUE_TIMEOUT_MS=100) as s:
        laters = [Later(s.execute, "_ = 7") for _ in range(3)]
        answers = sorted((later.result(60) for later in laters),
                         key=lambda answer: answer.status)
        expect("statuses", [a.status for a in answers], [200, 504, 504])
        for answer in answers[1:]:
            expect_error(answer, 504, "The service did not answer in time")
            expect("Retry-After", answer.header("Retry-After"), "5")
            expect_between("seconds", answer.seconds, 20, 30)


if LONG:  # it takes half a minute
    claim_alone(silence_is_504_when_its_time_is_over)


@claim_alone
def requests_are_shared_and_each_responder_has_its_metrics():
    address = f"127.0.0.1:{free_port()}"
    with Responder(FASTCGI_ADDRESS=address) as other, \
            Service(UPSTREAMS=f"local,{other.upstream}") as s:
        expect_true("the responder has no socket at its path",
                    not os.path.exists(other.path))
        expect("statuses", statuses(sleepers(s, 4, 0.5)), [200] * 4)
        name = "glovebox_executions_total"
        expect("runs of the first", metric(s, name), 2.0)
        expect("the same", metric(s, name, "?responder=1"), 2.0)
        expect("runs of the second", metric(s, name, "?responder=2"), 2.0)
        # What is wrong with a request is no reason to ask another.
        expect_error(s.execute("import os"), 400)
        expect_error(s.execute("1", [("X-Executor-Token", "wrong")]), 401)
        expect_error(s.post("/execute", {"kode": 1}), 422)
        eventually("the access log", lambda: [
            u for u in upstream_statuses(s) if u[0] != "200"] ==
            [["400"], ["401"], ["422"]], 5)


@claim_alone
def refused_with_503_by_one_is_run_by_the_other():
    """A responder that has no token, which is one way to be out of service."""
    with Responder(EXECUTOR_API_TOKEN=None) as other, \
            Service(UPSTREAMS=f"{other.upstream},local") as s:
        for i in range(20):
            expect("value", s.value(f"_ = {i}"), i)
        eventually("a 503 was passed on", lambda: ["503", "200"] in
                   upstream_statuses(s), 5)


@claim_alone
def one_that_stops_with_work_under_way_finishes_it():
    with Responder() as other, \
            Service(UPSTREAMS=f"local,{other.upstream}") as s:
        laters = sleepers(s, 4, 1.5)
        await_runs(s, 2, query="?responder=2")
        other.process.send_signal(signal.SIGTERM)
        for i in range(10):
            expect("value", s.value(f"_ = {i}"), i)
        expect("statuses", statuses(laters), [200] * 4)
        expect("exit status", other.process.wait(30), 0)
        # A short one may have come in the moment of the signal.
        code = hashlib.sha256(SLEEP.format(1.5).encode()).hexdigest()
        ran = [line for line in other.log_text().splitlines()
               if code in line and '"status":"ok"' in line]
        expect("runs under way that it finished", len(ran), 2)


@claim_alone
def lost_by_one_that_was_killed_is_run_by_the_other():
    with Responder(MAX_CONCURRENT_EXECUTIONS=4) as other, \
            Service(UPSTREAMS=f"local,{other.upstream}",
                    MAX_CONCURRENT_EXECUTIONS=8) as s:
        laters = sleepers(s, 6, 1.5)
        await_runs(s, 3, query="?responder=2", seconds=10)
        below = process_tree(other.process.pid)
        other.process.kill()
        expect("statuses", statuses(laters), [200] * 6)
        eventually("three were run again", lambda: upstream_statuses(
            s).count(["502", "200"]) == 3, 5)
        expect_true("it had processes", below)


@claim_alone
def full_one_passes_on_what_it_cannot_hold():
    with Responder(MAX_CONCURRENT_EXECUTIONS=1,
                   MAX_QUEUED_EXECUTIONS=0) as other, \
            Service(UPSTREAMS=f"local,{other.upstream}",
                    MAX_CONCURRENT_EXECUTIONS=10) as s:
        expect("statuses", statuses(sleepers(s, 8, 1)), [200] * 8)
        eventually("a 429 was passed on", lambda: ["429", "200"] in
                   upstream_statuses(s), 5)


@claim_alone
def all_of_them_full_is_429_and_never_502():
    """However often they were full just before, and whom nginx gave up.  Full
    with another token's: of the same, nginx would refuse all by itself."""
    full = {"MAX_CONCURRENT_EXECUTIONS": 1, "MAX_QUEUED_EXECUTIONS": 0}
    with two_tokens() as tokens, Responder(**full, **tokens) as other, \
            Service(**tokens, UPSTREAMS=f"local,{other.upstream}", **full) as s:
        laters = sleepers(s, 2, 4)
        for i in (1, 2):
            await_runs(s, 1, query=f"?responder={i}", seconds=10)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(
                lambda _: s.execute("1", OTHER_HEADERS), range(60)))
        for answer in answers:
            expect_error(answer, 429)
            expect_true("Retry-After", int(answer.header("Retry-After")) > 0)
        expect("health", s.get("/health").status, 200)
        expect("statuses", statuses(laters), [200, 200])
        expect("value", s.value("_ = 1"), 1)
        eventually("each was asked", lambda: ["429", "429"] in
                   upstream_statuses(s), 5)
