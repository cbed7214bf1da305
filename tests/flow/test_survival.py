"""Killed, reloaded, stopped: what callers see and what is left."""

import concurrent.futures
import hashlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time

from busy import await_runs
from harness import (TOKEN, Later, Service, claim_alone, eventually, expect,
                     expect_between, expect_error, expect_in, expect_true,
                     gone_at_last, process_born, process_stat, process_tree,
                     still_there)


def under_load(s, seconds, disturb):
    """Answers of 8 callers while disturb() is called in the middle."""
    end = time.monotonic() + seconds
    answers = []
    lock = threading.Lock()

    def caller(number):
        count = 0
        while time.monotonic() < end:
            count += 1
            n = number * 100000 + count
            answer = s.execute(f"x = sum(range(20000))\n_ = {n}")
            with lock:
                answers.append((n, answer))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        callers = [pool.submit(caller, i) for i in range(8)]
        time.sleep(seconds / 3)
        disturb()
        for c in callers:
            c.result()
    return answers


def expect_all_right(answers):
    expect_true("nothing was answered", len(answers) > 20)
    for n, answer in answers:
        if answer.status != 200:
            expect(f"status of {n} ({answer.body[:200]})", answer.status, 200)
        result = answer.json
        expect(f"value of {n} ({result['status']}: {result['error']})",
               result["return_value"], n)


@claim_alone
def killed_warden_is_replaced_and_no_caller_notices():
    with Service(MAX_CONCURRENT_EXECUTIONS=4, QUEUE_TIMEOUT_MS=20000) as s:
        for _ in range(2):
            old = s.warden_pid()
            expect_all_right(under_load(
                s, 3, lambda: os.kill(s.warden_pid(), signal.SIGKILL)))
            expect_true("the warden is the old one", s.warden_pid() != old)
        eventually("healthy", lambda: s.get("/health").status == 200, 5)


@claim_alone
def killed_template_is_replaced_and_no_caller_notices():
    with Service(MAX_CONCURRENT_EXECUTIONS=4, QUEUE_TIMEOUT_MS=20000) as s:
        old = s.template_pids()

        def kill_templates():
            for pid in s.template_pids():
                os.kill(pid, signal.SIGKILL)
        expect_all_right(under_load(s, 3, kill_templates))
        expect_true("templates are the old ones",
                    not set(old) & set(s.template_pids()))
        expect("standard", s.value("_ = 2", profile="standard"), 2)


def parked_count(s):
    """Most often in a second: boxes that a template tries come and go."""
    counts = []
    end = time.monotonic() + 1
    while time.monotonic() < end:
        counts.append(len(s.box_pids()))
        time.sleep(0.02)
    return statistics.mode(counts)


@claim_alone
def killed_boxes_are_replaced():
    with Service() as s:
        parked = parked_count(s)
        expect_true(f"only {parked} boxes", parked >= 2)
        old = s.box_pids()
        dying = {pid: process_born(pid) for pid in old}
        for pid in old:
            os.kill(pid, signal.SIGKILL)
        expect("left alive", gone_at_last(dying), [])
        for profile in ("restricted", "standard"):
            expect("value after that", s.value("_ = 1", profile=profile), 1)
        eventually("new boxes", lambda: len(s.box_pids()) >= parked and
                   not set(old) & set(s.box_pids()))
        expect("value", s.value("_ = 2"), 2)
        expect("value", s.value("_ = 2", profile="standard"), 2)


@claim_alone
def killed_app_takes_all_processes_with_it():
    s = Service(MAX_CONCURRENT_EXECUTIONS=4).start()
    try:
        busy = [Later(s.execute, "while True: pass") for _ in range(3)]
        await_runs(s, 3)
        below = s.sandbox_pids()
        run = os.path.realpath(os.path.join(s.state, "run"))
        expect_true("something runs", len(below) >= 3)
        os.kill(s.app_pid, signal.SIGKILL)
        eventually("every process is gone", lambda: not still_there(below), 3)
        # ops/up sees it, says so and clears away the rest.
        status = s.process.wait(30)
        expect_true("ops/up ends with an error", status != 0)
        expect_in("log", "the app has ended", s.log_text())
        expect_true("run directory is gone", not os.path.exists(run))
        for later in busy:
            try:
                answer = later.result(5)
            except OSError:
                continue
            expect_in("status", answer.status, (502, 503, 504))
            expect_error(answer, answer.status)
    finally:
        s.kill(process_tree(s.process.pid))
        s.forget()


def has_stopped(pid):
    """Each of its threads; the kernel stops them one after the other."""
    return all(process_stat(f"{pid}/task/{thread}")[0] == b"T"
               for thread in os.listdir(f"/proc/{pid}/task"))


@claim_alone
def app_that_stalls_does_not_stall_nginx():
    with Service() as s:
        app = s.app_pid
        os.kill(app, signal.SIGSTOP)
        try:
            eventually("it has stopped", lambda: has_stopped(app))
            held = Later(s.get, "/health")
            time.sleep(0.2)
            expect("held", held.is_done(), False)
            expect("nginx", s.get("/nginx_status").status, 200)
            expect_error(s.get("/nope"), 404)
        finally:
            os.kill(app, signal.SIGCONT)
        expect("status", held.result().status, 200)


@claim_alone
def sandbox_that_cannot_start_is_503_and_comes_back():
    with Service(OWN_PROGRAMS="yes") as s:
        path = os.path.join(s.programs, "glovebox-sandbox")
        os.rename(path, path + ".kept")
        shutil.copy("/bin/false", path)
        os.kill(s.warden_pid(), signal.SIGKILL)
        answer = eventually("503", lambda: (
            lambda a: a if a.status == 503 else None)(s.execute("1")), 10)
        expect_error(answer, 503, "Sandbox not initialized")
        expect_true("Retry-After", int(answer.header("Retry-After")) >= 1)
        health = eventually("degraded", lambda: (
            lambda a: a if a.status == 503 else None)(s.get("/health")), 10)
        expect("status", health.json["status"], "degraded")
        expect("live", s.get("/health/live").status, 200)
        expect("ready", s.get("/health/ready").status, 503)
        os.rename(path + ".kept", path)
        eventually("runs again", lambda: s.execute("1").status == 200, 10)
        eventually("healthy again",
                   lambda: s.get("/health").status == 200, 10)


@claim_alone
def sigterm_lets_running_programs_finish():
    s = Service(MAX_CONCURRENT_EXECUTIONS=2).start()
    try:
        later = Later(s.execute, "import time\nprint('a')\ntime.sleep(1.5)\n"
                      "_ = 7", profile="standard")
        await_runs(s, 1)
        s.stop()
        answer = later.result(1)
        expect("status", answer.status, 200)
        expect("value", answer.json["return_value"], 7)
        expect("stdout", answer.json["stdout"], "a\n")
    finally:
        s.forget()


@claim_alone
def app_alone_drains_on_sigterm_and_exits_0():
    s = Service(MAX_CONCURRENT_EXECUTIONS=2).start()
    try:
        later = Later(s.execute, "import time\ntime.sleep(1)\n_ = 7",
                      profile="standard")
        await_runs(s, 1)
        below = s.sandbox_pids()
        os.kill(s.app_pid, signal.SIGTERM)
        answer = later.result(5)
        expect("status", answer.status, 200)
        expect("value", answer.json["return_value"], 7)
        eventually("the sandbox is gone", lambda: not still_there(below), 3)
        s.process.wait(30)
    finally:
        s.kill(process_tree(s.process.pid))
        s.forget()


def tokens_text(*pairs):
    return json.dumps({"tokens": [
        {"id": name, "sha256": hashlib.sha256(secret.encode()).hexdigest(),
         "profiles": ["restricted"]} for name, secret in pairs]})


@claim_alone
def sighup_reads_tokens_again_and_keeps_the_old_if_the_new_are_bad():
    first, second = "first-secret-" + "a" * 20, "second-secret-" + "b" * 20
    with tempfile.TemporaryDirectory(prefix="gbflow.") as directory:
        os.chmod(directory, 0o755)
        path = os.path.join(directory, "tokens.json")
        s = Service(EXECUTOR_TOKENS_FILE=path)
        s.write(path, tokens_text(("one", first)))

        def status(secret):
            return s.execute("1", [("X-Executor-Token", secret)]).status
        with s:
            expect("first", status(first), 200)
            expect("second", status(second), 401)
            expect("the setting's own", status(TOKEN), 200)

            s.write(path, tokens_text(("two", second)))
            os.kill(s.app_pid, signal.SIGHUP)
            eventually("second works", lambda: status(second) == 200, 5)
            expect("first", status(first), 401)

            for bad in ("{", "{}", '{"tokens":[{"id":"x"}]}'):
                s.write(path, bad)
                seen = len(s.log_text())
                os.kill(s.app_pid, signal.SIGHUP)
                eventually("the log says so", lambda: "nothing changed" in
                           s.log_text()[seen:], 5)
                expect("second", status(second), 200)
                expect("first", status(first), 401)


@claim_alone
def nginx_reload_loses_no_request():
    with Service(MAX_CONCURRENT_EXECUTIONS=4, QUEUE_TIMEOUT_MS=20000) as s:
        def reload_often():
            for _ in range(5):
                os.kill(s.nginx_pid, signal.SIGHUP)
                time.sleep(0.2)
        expect_all_right(under_load(s, 3, reload_often))


@claim_alone
def ctrl_c_stops_everything():
    Service().start().stop(signal.SIGINT)


@claim_alone
def ctrl_c_during_the_start_leaves_nothing():
    """At once, for nobody has asked it anything yet; whatever is there."""
    for made in ("run", "run/nginx/nginx.conf", "run/glovebox.1.log",
                 "run/app/fcgi.sock", "run/nginx.2.log"):
        s = Service().launch()
        try:
            eventually(f"{made} is there", lambda path=made: os.path.exists(
                os.path.join(s.state, path)), 30)
            start = time.monotonic()
            s.stop(signal.SIGINT)
            expect_between(f"seconds, from {made} on",
                           time.monotonic() - start, 0, 20)
        finally:
            s.forget()


@claim_alone
def it_serves_and_stops_though_nobody_reads_what_it_says():
    """As with `./ops/up | head`, after whose end nothing can be said."""
    nobody, out = os.pipe()
    os.close(nobody)
    s = Service().launch(out=out)
    os.close(out)
    eventually("it is up", lambda: os.path.exists(
        os.path.join(s.state, "run", "up.pid")), 30)
    # What answers this comes after all that is said at the start.
    expect("reload", s.reload(), (0, "reloaded\n"))
    for n in range(20):
        expect("value", s.value(f"_ = {n}"), n)
    s.stop(signal.SIGINT)


@claim_alone
def two_stop_signals_do_not_wait_for_a_long_run():
    s = Service(EXECUTION_TIMEOUT=60).start()
    later = Later(s.execute, "import time\ntime.sleep(50)",
                  profile="standard")
    time.sleep(0.4)
    s.process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    start = time.monotonic()
    s.stop(signal.SIGTERM)
    expect_between("seconds", time.monotonic() - start, 0, 10)
    try:
        later.result(5)
    except Exception:
        pass  # its connection was cut, which is what was asked for


@claim_alone
def start_fresh_runs_the_same_programs():
    with Service(SANDBOX_START="fresh") as s:
        for i in range(5):
            expect("value", s.value(f"print('x')\n_ = {i}"), i)
        expect("standard", s.value("import time\n_ = 1",
                                   profile="standard"), 1)
        expect("timeout", s.run("while True: pass",
                                timeout_s=0.4)["status"], "timeout")


@claim_alone
def audit_line_has_the_request_and_no_secret():
    with Service() as s:
        code = "very_secret_name = 1\n_ = very_secret_name"
        answer = s.execute(code, [("X-Executor-Token", TOKEN),
                                  ("X-Request-ID", "audit-me")],
                           context={"k1": "v-secret"})
        expect("status", answer.status, 200)
        digest = hashlib.sha256(code.encode()).hexdigest()
        eventually("the audit line", lambda: digest in s.log_text(), 3)
        lines = [line.split(" | ", 1)[1] for line in
                 s.log_text().splitlines() if digest in line]
        expect("lines", len(lines), 1)
        entry = json.loads(lines[0][lines[0].index("{"):])
        text = json.dumps(entry)
        for part in ("audit-me", "127.0.0.1", "default", "k1", "restricted"):
            expect_in("audit line", part, text)
        for secret in (TOKEN, "very_secret_name", "v-secret"):
            expect_true(f"{secret} is in the log",
                        secret not in s.log_text())


@claim_alone
def gloveboxctl_runs_a_program_without_nginx():
    from harness import PROGRAMS
    done = subprocess.run(
        [os.path.join(PROGRAMS, "gloveboxctl"), "run", "-"],
        input="print('héllo')\n_ = 6 * 7", text=True, capture_output=True,
        check=False, timeout=60)
    expect(f"status ({done.stderr})", done.returncode, 0)
    expect_in("stdout", "héllo", done.stdout)
    expect_in("value", "42", done.stdout + done.stderr)
    done = subprocess.run(
        [os.path.join(PROGRAMS, "gloveboxctl"), "run", "-"],
        input="1/0", text=True, capture_output=True, check=False, timeout=60)
    expect("status", done.returncode, 1)
    expect_in("stderr", "ZeroDivisionError", done.stderr + done.stdout)
