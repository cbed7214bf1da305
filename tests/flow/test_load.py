"""Many at once, in a row, in a queue, and those who hang up."""

import concurrent.futures
import json
import os
import socket
import time

from busy import await_runs
from harness import (TOKEN, Later, claim, claim_alone, Service, eventually,
                     expect, expect_between, expect_error, expect_in,
                     expect_true, memory_kb, open_files)
from two_tokens import OTHER_HEADERS, two_tokens

RUNS_ALONE = True
SETTINGS = {"MAX_CONCURRENT_EXECUTIONS": 2, "MAX_QUEUED_EXECUTIONS": 2,
            "QUEUE_TIMEOUT_MS": 1500, "EXECUTION_TIMEOUT": 10}

SLEEP = "import time\ntime.sleep({})\n_ = 1"


def sleeper(s, seconds):
    return Later(s.execute, SLEEP.format(seconds), profile="standard")


def hang(s, seconds):
    """Ask for a long run and return the connection, to be closed."""
    body = json.dumps({"code": SLEEP.format(seconds), "profile": "standard"})
    c = socket.create_connection(("127.0.0.1", s.port))
    c.sendall((f"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
               f"X-Executor-Token: {TOKEN}\r\n"
               f"Content-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
    return c


@claim
def queue_is_bounded_and_its_end_is_429(s):
    running = [sleeper(s, 1.0) for _ in range(2)]
    await_runs(s, 2)
    waiting = [sleeper(s, 0.01) for _ in range(2)]
    await_runs(s, 2, 2)
    answer = s.execute("1")
    expect_error(answer, 429, "Too many requests at once; try again shortly")
    expect("Retry-After", answer.header("Retry-After"), "1")
    expect_true("the refusal took too long", answer.seconds < 0.3)
    for later in running + waiting:
        expect("status", later.result().status, 200)


@claim_alone
def one_who_has_it_all_does_not_keep_another_out():
    """nginx refuses more of the same token; another one's request goes to the
    app, where it takes the place in the queue of the newest that waits."""
    with two_tokens() as tokens, Service(**{**SETTINGS, **tokens}) as s:
        running = [sleeper(s, 1.0) for _ in range(2)]
        await_runs(s, 2)
        waiting = [sleeper(s, 0.01) for _ in range(2)]
        await_runs(s, 2, 2)
        expect_error(s.execute("1"), 429,
                     "Too many requests at once; try again shortly")
        answer = s.execute("_ = 7", OTHER_HEADERS)
        expect("value of the other", (answer.status, answer.json.get(
            "return_value")), (200, 7))
        answers = [later.result() for later in running + waiting]
        expect("of the first", sorted(a.status for a in answers),
               [200, 200, 200, 429])
        for refused in (a for a in answers if a.status == 429):
            expect_error(refused, 429, "No free place to run code and the "
                         "queue is full; try again shortly")


@claim
def waiting_too_long_is_429_and_says_which_time(s):
    running = [sleeper(s, 3.0) for _ in range(2)]
    await_runs(s, 2)
    answer = s.execute("1")
    expect_error(answer, 429)
    expect_in("detail", "queue", answer.detail.lower())
    expect_true("Retry-After", int(answer.header("Retry-After")) >= 1)
    expect_between("seconds", answer.seconds, 1.45, 1.9)
    for later in running:
        expect("status", later.result().status, 200)


@claim
def health_and_metrics_are_quick_while_every_place_is_taken(s):
    running = [sleeper(s, 1.5) for _ in range(4)]
    await_runs(s, 2, 2)
    for path in ("/health", "/health/live", "/health/ready", "/metrics"):
        for _ in range(5):
            answer = s.get(path)
            expect(path, answer.status, 200)
            expect_true(f"{path} took {answer.seconds:.3f} s",
                        answer.seconds < 0.2)
    for later in running:
        later.result()


@claim
def hang_up_frees_the_place_at_once(s):
    held = [hang(s, 8) for _ in range(2)]
    await_runs(s, 2)
    later = Later(s.execute, "_ = 1")
    await_runs(s, 2, 1)
    start = time.monotonic()
    for c in held:
        c.close()
    answer = later.result(5)
    took = time.monotonic() - start
    expect("status", answer.status, 200)
    # 100 ms for the run to die, and some for the way of the second one.
    expect_between("seconds until the place was free", took, 0.0, 0.2)


@claim
def hang_up_in_the_queue_leaves_it(s):
    running = [sleeper(s, 1.2) for _ in range(2)]
    await_runs(s, 2)
    hung = [hang(s, 8) for _ in range(2)]
    await_runs(s, 2, 2)
    for c in hung:
        c.close()
    await_runs(s, 2)
    waiting = [sleeper(s, 0.01) for _ in range(2)]
    for later in running + waiting:
        expect("status", later.result().status, 200)


@claim
def half_closed_connection_is_still_answered_or_dropped(s):
    body = b'{"code":"_ = 1"}'
    s.raw(b"POST /execute HTTP/1.1\r\nHost: localhost\r\nConnection: close"
          b"\r\nX-Executor-Token: " + TOKEN.encode() +
          b"\r\nContent-Type: application/json\r\nContent-Length: "
          b"%d\r\n\r\n" % len(body) + body, 5, shut=True)
    expect("value", s.value("_ = 2"), 2)


@claim_alone
def thousand_sequential_requests_are_answered_right():
    with Service() as s:
        connection = s.connect()
        start = time.monotonic()
        for i in range(1000):
            answer = s.execute(f"print({i})\n_ = {i} * 3",
                               connection=connection)
            expect("status", answer.status, 200)
            expect("value", answer.json["return_value"], i * 3)
            expect("stdout", answer.json["stdout"], f"{i}\n")
        connection.close()
        print(f"    1000 in a row: {time.monotonic() - start:.1f} s")


@claim_alone
def thousand_concurrent_requests_are_answered_right():
    with Service(MAX_CONCURRENT_EXECUTIONS=8, MAX_QUEUED_EXECUTIONS=1100,
                 QUEUE_TIMEOUT_MS=60000) as s:
        def one(i):
            answer = s.execute(f"print({i})\n_ = {i} * 3",
                               context={"n": i})
            return i, answer
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(1000) as pool:
            for i, answer in pool.map(one, range(1000)):
                expect("status", answer.status, 200)
                expect("value", answer.json["return_value"], i * 3)
                expect("stdout", answer.json["stdout"], f"{i}\n")
        print(f"    1000 at once: {time.monotonic() - start:.1f} s")


MIXED = ["_ = 1", "print('x' * 1000)", "1/0", "import os", "while True: pass",
         "x = 'a' * 10**9", "import json\n_ = json.dumps([1])", "("]


# What must not grow, and how much it may waver.
GROWING = {"app files": 3, "warden files": 6, "processes": 3,
           "app kB": 3000, "warden kB": 1500}


def growing(s):
    app, warden = s.app_pid, s.warden_pid()
    figures = {"processes": len(s.sandbox_pids()), "app kB": memory_kb(app),
               "warden kB": memory_kb(warden)}
    if os.getuid() == 0:
        # Nobody else may look: these processes are not dumpable.
        figures["app files"] = open_files(app)
        figures["warden files"] = open_files(warden)
    return figures


@claim_alone
def nothing_grows_over_thousands_of_runs():
    with Service(MAX_CONCURRENT_EXECUTIONS=4, RETIRE_BOXES=500) as s:
        def batch(count):
            def one(i):
                code = MIXED[i % len(MIXED)]
                fields = {"timeout_s": 0.05} if "while" in code else {}
                if i % 40 == 7:
                    fields["profile"] = "standard"
                return s.execute(code, **fields).status
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for status in pool.map(one, range(count)):
                    expect_in("status", status, (200, 400))

        def figures():
            # Let what is being replaced be replaced.
            time.sleep(1.5)
            return growing(s)
        batch(800)
        first = figures()
        batch(2400)
        last = figures()
        print(f"    {first} -> {last}")
        for name, room in GROWING.items():
            if name in first:
                expect_between(name, last[name], 0, first[name] + room)


@claim_alone
def zombies_are_none_after_load():
    with Service(MAX_CONCURRENT_EXECUTIONS=4) as s:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: s.run("_ = 1"), range(100)))

        def zombies():
            found = []
            for pid in [s.app_pid, *s.sandbox_pids()]:
                path = f"/proc/{pid}/task/{pid}/children"
                try:
                    with open(path) as f:
                        children = f.read().split()
                except OSError:
                    continue
                for child in children:
                    try:
                        with open(f"/proc/{child}/stat") as f:
                            if f.read().rpartition(")")[2].split()[0] == "Z":
                                found.append(child)
                    except OSError:
                        pass
            return found
        eventually("no zombie", lambda: not zombies(), 3)
        expect_true("the app is alive", os.path.exists(f"/proc/{s.app_pid}"))
