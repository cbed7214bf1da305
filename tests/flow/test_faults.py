"""Whatever dies or stops: what was accepted is answered, and nothing is left
behind.

One row of RECOVERS is one fault, done to a service that has a request in every
phase at once (phases.py); the row says what becomes of each.  docs/TESTING.md
has the table in words.
"""

import os
import signal
import threading
import time

from busy import await_runs
from harness import (LONG, Failure, Later, claim_alone, eventually, expect,
                     expect_between, expect_error, expect_in, expect_true,
                     process_born, process_tree, signal_all, still_there)
from phases import (SLEEP, attempt, expect_outcomes, expect_well,
                    in_every_phase, service)

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


def kill(who):
    def fault(s):
        pids = who(s)
        expect_true("nobody to kill", pids)
        signal_all(pids, signal.SIGKILL)
    return fault


def kill_for_good(who):
    """On a busy machine the killed live on for a moment, and so does the warden,
    which dies with them: whoever asks after that finds nobody."""
    def fault(s):
        dying = {pid: process_born(pid) for pid in who(s) + warden(s)}
        kill(who)(s)
        eventually("they are dead", lambda: not still_there(dying))
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
# What is killed must run until then.
LASTS_S = {"boxes_killed": 2.5}
if LONG:
    RECOVERS |= {
        f"{who.__name__}_paused": (pause(who), {"rest": "answered"})
        for who in (templates, warden, app, spawner, workers)}


@claim_alone
def processes_that_are_killed_or_stopped_lose_no_request():
    wrong = []
    with service() as s:
        for name, (fault, wanted) in RECOVERS.items():
            try:
                expect_outcomes(in_every_phase(
                    s, fault, lasts_s=LASTS_S.get(name, 1)), wanted)
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
            expect_outcomes(in_every_phase(
                s, kill_for_good(who), lasts_s=2.5), wanted)
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


@claim_alone
def socket_that_is_removed_ends_the_service():
    s = service().start()
    try:
        below = process_tree(s.process.pid)
        running = Later(attempt, 1, lambda: s.execute(
            SLEEP.format(1, 1), profile="standard"))
        await_runs(s, 1)
        os.unlink(os.path.join(s.state, "run", "app", "fcgi.sock"))
        expect_error(s.execute("_ = 1"), 502, "The service is not running")
        expect("what was running", running.result(), "answered")
        expect_gone(s, below, "the socket is gone")
    finally:
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
