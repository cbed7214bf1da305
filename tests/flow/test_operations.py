"""What people who run the service rely on: audit trail, logs, tokens, health,
figures and the document of its routes."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import harness
from harness import (
    ROOT, TOKEN, Service, claim, claim_alone, eventually, expect,
    expect_between, expect_error,
    expect_in, expect_true)

SETTINGS = {"MAX_OUTPUT_BYTES": 1000}


def ctl_said(*arguments, text="", program="gloveboxctl"):
    """gloveboxctl: exit status, and both of what it said."""
    done = subprocess.run(
        [os.path.join(harness.PROGRAMS, program), *arguments],
        input=text, text=True, capture_output=True, check=False, timeout=60,
        env={"PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr


def ctl(*arguments, text=""):
    """gloveboxctl: exit status and standard output."""
    return ctl_said(*arguments, text=text)[:2]


@contextlib.contextmanager
def directory():
    """One that the user whom the app becomes may write to."""
    with tempfile.TemporaryDirectory(prefix="gbflow.") as path:
        os.chmod(path, 0o777)
        yield path


def lines_of(*paths):
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            found += [json.loads(line) for line in f]
    return found


# --- the audit trail ----------------------------------------------------------


@claim_alone
def audit_chain_holds_over_rotation_and_restart():
    with directory() as where:
        path = os.path.join(where, "audit.log")
        old = path + ".1"
        with Service(AUDIT_LOG=path) as s:
            for i in range(3):
                s.value(f"_ = {i}")
            os.rename(path, old)
            os.kill(s.app_pid, signal.SIGUSR1)
            eventually("a new file", lambda: os.path.exists(path), 5)
            s.value("_ = 1")
            expect("verify", ctl("audit", "verify", old, path)[0], 0)
        with Service(AUDIT_LOG=path) as s:
            s.value("_ = 2")
        status, said = ctl("audit", "verify", old, path)
        expect(f"verify: {said}", status, 0)
        expect("numbers", [e["seq"] for e in lines_of(old, path)],
               [1, 2, 3, 4, 5])
        expect("verify of the newer alone", ctl("audit", "verify", path)[0], 0)
        expect("verify in the wrong order",
               ctl("audit", "verify", path, old)[0], 1)
        # What the service logged of the trail is what verify gives.
        s = Service(AUDIT_LOG=path).start()
        s.value("_ = 3")
        log = s.stop()
        head = re.findall(r"audit trail left seq=(\d+) head=([0-9a-f]{64})",
                          log)
        expect("heads in the log", len(head), 1)
        expect("--head", ctl("audit", "verify", "--head", head[0][1], old,
                             path)[0], 0)
        with open(path, encoding="utf-8") as f:
            lines = f.read().splitlines(True)
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(lines[:-1])
        expect("cut without --head", ctl("audit", "verify", old, path)[0], 0)
        expect("cut with --head",
               ctl("audit", "verify", "--head", head[0][1], old, path)[0], 1)


@claim_alone
def audit_verify_finds_what_was_done_to_a_trail():
    with directory() as where:
        path = os.path.join(where, "audit.log")
        with Service(AUDIT_LOG=path) as s:
            for i in range(5):
                s.value(f"_ = {i}")
        with open(path, encoding="utf-8") as f:
            good = f.read().splitlines(True)
        expect("lines", len(good), 5)
        spoiled = {
            "changed": good[:1] + [good[1].replace("127.0.0.1", "127.0.0.2")]
            + good[2:],
            "missing": good[:2] + good[3:],
            "reordered": [good[0], good[2], good[1], *good[3:]],
            "duplicated": good[:2] + [good[1]] + good[2:],
            "torn": good[:4] + [good[4][:-20]],
            "inserted": good[:2] + ["{}\n"] + good[2:],
        }
        for name, lines in spoiled.items():
            with open(path + ".bad", "w", encoding="utf-8") as f:
                f.writelines(lines)
            status, said = ctl("audit", "verify", path + ".bad")
            expect(f"verify of a trail with a line {name}: {said}", status, 1)
        expect("verify of the good one", ctl("audit", "verify", path)[0], 0)


@claim_alone
def every_request_leaves_one_line_that_nobody_can_forge():
    hostile = 'x"\n{"seq":1}\r\x1b[2J\\\u2028\udcff'.encode(
        "utf-8", "surrogatepass").decode("utf-8", "replace")
    with directory() as where:
        path = os.path.join(where, "audit.log")
        with Service(AUDIT_LOG=path) as s:
            token = ("X-Executor-Token", TOKEN)
            calls = [
                ("execute", s.execute("_ = 1"), 200),
                ("execute", s.execute(hostile), 400),
                ("execute", s.execute("_ = 1", context={hostile: 1}), 400),
                ("execute", s.execute("_ = 1", profile=hostile), 422),
                ("execute", s.execute("_ = 1", stdin=hostile), 200),
                ("execute", s.execute("_ = 1", **{hostile: 1}), 422),
                ("execute", s.post("/execute", b"\xff\xfe{\n"), 422),
                ("execute", s.execute("_ = 1", headers=[
                    ("X-Executor-Token", 'wrong"{}\\')]), 401),
                ("execute", s.execute("_ = 1", headers=[]), 401),
                ("execute", s.execute("_ = 1", headers=[
                    token, ("X-Request-ID", 'a"b{}')]), 200),
                ("execute", s.execute("_ = 1", headers=[
                    token, ("X-Request-ID", "mine.1")]), 200),
                ("execute", s.call("POST", "/execute", b"{}", [
                    token, ("Content-Type", 'text/"\\')]), 415),
                ("validate", s.post("/validate", {"code": hostile}), 200),
            ]
            for i, (_, answer, status) in enumerate(calls):
                expect(f"status of call {i}", answer.status, status)
        with open(path, "rb") as f:
            raw = f.read()
        expect_true("bytes below a blank",
                    not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", raw))
        lines = lines_of(path)
        expect("lines", len(lines), len(calls))
        for line, (route, answer, status) in zip(lines, calls):
            expect("route", line["route"], route)
            expect("http_status", line["http_status"], status)
            expect("request_id", line["request_id"],
                   answer.header("X-Request-ID"))
        expect("verify", ctl("audit", "verify", path)[0], 0)


@contextlib.contextmanager
def small_disk(where):
    """A file system of 64 KiB; needs root."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=0777",
                    "tmpfs", where], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", where], check=True)


@claim_alone
def full_disk_refuses_runs_if_that_is_the_policy_and_recovers():
    if os.geteuid() != 0:
        return
    with directory() as where, small_disk(where):
        path = os.path.join(where, "audit.log")
        ballast = os.path.join(where, "ballast")
        with Service(AUDIT_LOG=path, AUDIT_ON_ERROR="refuse") as s:
            s.value("_ = 1")
            with open(ballast, "wb", buffering=0) as f:
                with contextlib.suppress(OSError):
                    while f.write(b"x" * 512):
                        pass
            eventually("a run is refused", lambda: s.execute(
                "_ = 1").status == 503, 20)
            expect_error(s.execute("_ = 1"), 503,
                         "The audit trail cannot be written")
            health = s.get("/health")
            expect("health", health.status, 503)
            expect_in("reasons", "audit lines cannot be written; "
                      "nothing is run", health.json["reasons"])
            expect("ready", s.get("/health/ready").status, 503)
            expect("live", s.get("/health/live").status, 200)
            os.unlink(ballast)
            eventually("it recovers by itself",
                       lambda: s.get("/health").status == 200, 10)
            s.value("_ = 2")
            metrics = s.get("/metrics").body.decode()
            expect_true("failures are counted", not re.search(
                r"^glovebox_audit_write_failures_total 0$", metrics, re.M))
        status, said = ctl("audit", "verify", path)
        expect(f"verify: {said}", status, 0)
        expect_true("no line tells of the lost ones", any(
            line.get("event") == "lines_lost" for line in lines_of(path)))


@claim_alone
def audit_failure_is_only_told_of_if_that_is_the_policy():
    with Service(AUDIT_LOG="/dev/full", AUDIT_ON_ERROR="warn") as s:
        s.value("_ = 1")
        health = s.get("/health")
        expect("health", health.status, 503)
        expect("reasons", health.json["reasons"],
               ["audit lines cannot be written"])
        expect("ready", s.get("/health/ready").status, 200)
        expect_in("metrics", "\nglovebox_audit_failing 1\n",
                  s.get("/metrics").body.decode())


# --- logs ---------------------------------------------------------------------


def app_log(s):
    """Lines of app and warden, without the name ops/up puts before them."""
    return [line.split(" | ", 1)[1].strip() for line in
            s.log_text().split("\n")[:-1] if line.startswith("glovebox")
            and " | " in line]


@claim_alone
def log_is_json_line_by_line_when_asked():
    with Service(LOG_FORMAT="json", LOG_LEVEL="DEBUG", AUDIT_LOG="") as s:
        s.value("_ = 1")
        os.kill(s.warden_pid(), signal.SIGKILL)
        eventually("it runs again", lambda: s.execute(
            "_ = 1").status == 200, 20)
        os.kill(s.app_pid, signal.SIGHUP)
        eventually("reloaded", lambda: "reloaded" in s.log_text(), 5)
        lines = app_log(s)
    expect_true(f"only {len(lines)} lines", len(lines) > 5)
    processes = set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            raise harness.Failure(f"no JSON: {line!r}") from None
        for key in ("time", "level", "process", "msg"):
            expect_true(f"no {key}: {line}", key in entry)
        processes.add(entry["process"])
    expect_true(f"only {processes}", {"app", "warden"} <= processes)


@claim_alone
def log_is_logfmt_when_asked():
    with Service(LOG_FORMAT="logfmt", AUDIT_LOG="") as s:
        s.value("_ = 1")
        eventually("its lines", lambda: len(app_log(s)) > 2)
        lines = app_log(s)
    pair = r'[a-z_]+=(?:"(?:[^"\\]|\\.)*"|[^\s"=]*)'
    for line in lines:
        expect_true(f"no logfmt: {line!r}",
                    re.fullmatch(rf"{pair}(?: {pair})*", line))
        expect_true(line, line.startswith("time="))


# --- tokens -------------------------------------------------------------------


@claim_alone
def tokens_are_made_rotated_and_revoked_while_the_service_runs():
    with directory() as where:
        path = os.path.join(where, "tokens.json")

        def token(*arguments, text=""):
            status, said = ctl("token", *arguments, "--file", path, text=text)
            return status, said.strip()

        status, first = token("new", "--id", "agent", "--profiles",
                              "restricted,standard", "--timeout", "5")
        expect("new", status, 0)
        os.chmod(path, 0o644)
        expect_true("the file has the secret in it",
                    first not in open(path, encoding="utf-8").read())
        expect_in("and its digest", hashlib.sha256(first.encode()).hexdigest(),
                  open(path, encoding="utf-8").read())
        _, late = token("new", "--id", "late", "--not-before",
                        "2999-01-01T00:00:00Z")
        _, gone = token("new", "--id", "gone", "--expires",
                        "2020-01-01T00:00:00Z")
        with Service(EXECUTOR_TOKENS_FILE=path) as s:

            def status_of(secret):
                return s.execute("_ = 1", [("X-Executor-Token",
                                            secret)]).status

            expect("first", status_of(first), 200)
            expect("not yet valid", status_of(late), 401)
            expect("expired", status_of(gone), 401)
            status, second = token("new", "--id", "agent")
            expect("a second secret", status, 0)
            expect("a third one", token("new", "--id", "agent")[0], 2)
            expect("mode", os.stat(path).st_mode & 0o777, 0o644)
            os.kill(s.app_pid, signal.SIGHUP)
            eventually("second", lambda: status_of(second) == 200, 5)
            expect("first, during rotation", status_of(first), 200)
            expect("check", token("check", text=first)[0], 0)
            expect("revoke", token("revoke", "--id", "agent",
                                   "--oldest")[0], 0)
            os.kill(s.app_pid, signal.SIGHUP)
            eventually("first is gone", lambda: status_of(first) == 401, 5)
            expect("second", status_of(second), 200)
            expect("check", token("check", text=first)[0], 1)
            expect_in("list", "agent: valid secrets=1", token("list")[1])
            expect_in("list", "gone: expired", token("list")[1])
            expect("revoke", token("revoke", "--id", "agent")[0], 0)
            os.kill(s.app_pid, signal.SIGHUP)
            eventually("all of it", lambda: status_of(second) == 401, 5)
            with open(path, "w", encoding="utf-8") as f:
                f.write("{")
            os.kill(s.app_pid, signal.SIGHUP)
            eventually("the log names the file", lambda:
                       f"EXECUTOR_TOKENS_FILE {path}: " in s.log_text(), 5)


@claim_alone
def token_with_a_rate_of_its_own_is_held_to_it():
    with directory() as where:
        path = os.path.join(where, "tokens.json")
        secrets = {"slow": "s" * 32, "slow again": "t" * 32, "quick": "q" * 32}
        digest = {k: hashlib.sha256(v.encode()).hexdigest()
                  for k, v in secrets.items()}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"tokens": [
                {"id": "slow", "rate": 1,
                 "sha256": [digest["slow"], digest["slow again"]]},
                {"id": "quick", "sha256": digest["quick"]}]}, f)
        os.chmod(path, 0o644)
        with Service(EXECUTOR_TOKENS_FILE=path, RATE_LIMIT_BURST=2) as s:

            def call(whose):
                return s.execute("_ = 1", [("X-Executor-Token",
                                            secrets[whose])])

            for whose in ("slow", "slow again", "slow"):
                expect(whose, call(whose).status, 200)
            answer = expect_error(
                call("slow again"), 429,
                "The rate of this token is used up; retry later")
            expect_between("Retry-After",
                           int(answer.header("Retry-After")), 30, 60)
            expect("another token", call("quick").status, 200)
            os.kill(s.app_pid, signal.SIGHUP)
            eventually("reloaded", lambda: " reloaded" in s.log_text(), 5)
            expect("after a reload", call("slow").status, 429)
            expect("another token", call("quick").status, 200)


# --- health, figures, the document --------------------------------------------


@claim
def health_has_its_keys_in_their_order(s):
    answer = s.get("/health")
    expect("status", answer.status, 200)
    expect("keys", list(answer.json), [
        "status", "service", "version", "mcp_initialized", "uptime_seconds",
        "timestamp", "layers", "problem", "reasons"])
    expect("reasons", answer.json["reasons"], [])
    expect("live", s.get("/health/live").json, {"status": "alive"})
    expect("ready", s.get("/health/ready").json, {"status": "ready"})


def figures(s):
    """Samples of /metrics, as {name with labels: value}."""
    return {name: float(value) for name, value in re.findall(
        r"^([^#\s][^\s]*(?:\{.*\})?) (\S+)$",
        s.get("/metrics").body.decode(), re.M)}


@claim
def figures_count_what_happened(s):
    before = figures(s)
    s.value("_ = 1")
    s.run("while True: pass", timeout_s=0.2)
    s.run("print('x' * 5000)")
    s.run("import socket\nsocket.socket()", profile="standard")
    s.run("try: open('/x')\nexcept OSError: pass", profile="standard")
    expect_error(s.execute("import os"), 400)
    after = figures(s)
    for name, least in (
            ('glovebox_executions_total{profile="restricted",status="ok"}', 2),
            ('glovebox_executions_total{profile="restricted",'
             'status="timeout"}', 1),
            ('glovebox_requests_total{route="execute",status="400"}', 1),
            ('glovebox_limits_hit_total{limit="wall"}', 1),
            ('glovebox_limits_hit_total{limit="stdout"}', 1),
            ('glovebox_validator_refusals_total{rule="import"}', 1),
            ('glovebox_refused_calls_total{call="openat"}', 1),
            ("glovebox_program_seconds_count", 5),
            ("glovebox_handover_seconds_count", 6),
            ("glovebox_audit_lines_total{result=\"written\"}", 6)):
        expect(name, after.get(name, 0) - before.get(name, 0), float(least))
    for name in ("glovebox_build_info", "process_cpu_seconds_total",
                 "process_resident_memory_bytes", "process_max_fds",
                 "glovebox_boxes_parked", "glovebox_templates_total",
                 "nginx_connections"):
        expect_true(f"no {name}", any(n.startswith(name) for n in after))


@claim
def figures_pass_promtool_and_are_kept_over_a_reload(s):
    s.value("_ = 1")
    before = figures(s)
    os.kill(s.app_pid, signal.SIGHUP)
    eventually("a reload", lambda: figures(s)["glovebox_reloads_total"]
               > before["glovebox_reloads_total"], 5)
    name = 'glovebox_executions_total{profile="restricted",status="ok"}'
    expect("counter", figures(s)[name], before[name])
    if shutil.which("promtool") is None:
        return
    done = subprocess.run(["promtool", "check", "metrics"],
                          input=s.get("/metrics").body, capture_output=True,
                          check=False)
    expect(f"promtool: {done.stderr.decode()}", done.returncode, 0)


@claim
def figures_are_json_when_asked(s):
    s.value("_ = 1")
    for answer in (s.get("/metrics?format=json"),
                   s.get("/metrics", [("Accept", "application/json")])):
        expect("status", answer.status, 200)
        expect_in("type", "application/json", answer.header("Content-Type"))
        expect("keys", list(answer.json), [
            "total_executions", "successful_executions", "failed_executions",
            "average_execution_time", "active_executions", "uptime_seconds"])
        expect_true("no runs", answer.json["total_executions"] > 0)


@claim
def answer_tells_where_the_time_went_when_asked(s):
    expect("not asked", s.execute("_ = 1").header("Server-Timing"), None)
    answer = s.execute("import time\ntime.sleep(0.2)", [
        ("X-Executor-Token", TOKEN), ("X-Glovebox-Timing", "1")],
        profile="standard")
    phases = dict(re.findall(r"(\w+);dur=([0-9.]+)",
                             answer.header("Server-Timing")))
    expect("phases", list(phases),
           ["queue", "handover", "validate", "run", "collect"])
    expect_true(f"run {phases['run']} ms", 150 < float(phases["run"]) < 1000)


@claim
def openapi_is_what_is_served(s):
    answer = s.get("/openapi.json")
    expect("status", answer.status, 200)
    expect_in("type", "application/json", answer.header("Content-Type"))
    with open(os.path.join(ROOT, "docs", "openapi.json"),
              encoding="utf-8") as f:
        expect("document", answer.json, json.load(f))
    schemas = answer.json["components"]["schemas"]
    for path, methods in answer.json["paths"].items():
        if "get" not in methods:
            expect_error(s.get(path, [("X-Executor-Token", TOKEN)]), 405)
            expect_error(s.call("POST", path, b"{}", [
                ("Content-Type", "application/json")]), 401)
            continue
        got = s.get(path)
        expect(f"status of {path}", got.status, 200)
        kinds = methods["get"]["responses"]["200"]["content"]
        expect_in(f"type of {path}",
                  got.header("Content-Type").split(";")[0], kinds)
        name = kinds.get("application/json", {}).get("schema", {}).get("$ref")
        if name and "json" in got.header("Content-Type"):
            shape = schemas[name.rpartition("/")[2]]
            expect(f"fields of {path}", sorted(got.json),
                   sorted(shape["required"]))
    expect("fields of an outcome", list(s.run("_ = 1")),
           list(schemas["Outcome"]["properties"]))
    expect("fields of findings",
           list(s.post("/validate", {"code": "1"}).json),
           list(schemas["Findings"]["properties"]))


@claim
def health_answers_at_once_while_every_place_is_taken(s):
    runs = [harness.Later(s.run, "while True: pass", timeout_s=1)
            for _ in range(6)]
    time.sleep(0.2)
    for _ in range(20):
        answer = s.get("/health")
        expect_true(f"{answer.seconds:.3f} s", answer.seconds < 0.5)
        expect("status", answer.status, 200)
    for run in runs:
        run.result()


# --- at a terminal --------------------------------------------------------------


@claim_alone
def gloveboxctl_run_takes_what_a_request_takes():
    with directory() as where:
        lines, bad = os.path.join(where, "lines"), os.path.join(where, "bad")
        with open(lines, "w", encoding="utf-8") as f:
            f.write("one\ntwo\n")
        with open(bad, "wb") as f:
            f.write(b"print('\xff')")
        expect("all options", ctl_said(
            "run", "--profile", "standard", "--timeout", "5", "--stdin",
            lines, "--context", '{"n": [2, 3]}', "-",
            text="import sys\nprint(input(), n)\n"
                 "print('aside', file=sys.stderr)\n_ = input()"),
            (0, 'one [2, 3]\n"two"\n', "aside\n"))
        expect("no value", ctl_said("run", "-", text="x = 1"), (0, "", ""))
        for why, arguments, code, said in (
                ("late", ("--timeout", "1", "-"), "while True: pass",
                 (1, "Time limit")),
                ("refused", ("--profile", "restricted", "-"), "import os",
                 (2, "not permitted")),
                ("no profile", ("--profile", "none", "-"), "1",
                 (2, "profile")),
                ("no number", ("--timeout", "soon", "-"), "1",
                 (2, "not JSON")),
                ("no context", ("--context", "{", "-"), "1", (2, "not JSON")),
                ("reserved", ("--context", '{"print": 1}', "-"), "1",
                 (2, "reserved")),
                ("no file", (os.path.join(where, "none"),), "",
                 (2, "No such file")),
                ("no stdin", ("--stdin", os.path.join(where, "none"), "-"),
                 "1", (2, "No such file")),
                ("no text", (bad,), "", (2, "multibyte")),
                ("no settings", ("--config", lines, "-"), "1",
                 (2, "settings")),
                ("no option", ("--wrong", "-"), "1", (2, "--wrong")),
                ("two programs", ("-", lines), "1", (2, "one program")),
                ("no program", (), "1", (2, "one program"))):
            status, _, err = ctl_said("run", *arguments, text=code)
            expect(f"status, {why} ({err})", status, said[0])
            expect_in(why, said[1], err)


@claim_alone
def gloveboxctl_says_how_it_is_used():
    status, out, _ = ctl_said("help")
    expect("help", (status, out), ctl_said("--help")[:2])
    for verb in ("run", "audit", "check", "mcp", "settings", "token",
                 "version"):
        expect_in("help", f"\n  {verb} ", out)
    status, out, _ = ctl_said("version")
    expect_true(f"version {out!r}", status == 0 and re.match(
        r"gloveboxctl \d+\.\d+\.\d+", out))
    status, out, _ = ctl_said("settings")
    expect("settings", status, 0)
    expect_in("settings", "MAX_OUTPUT_BYTES", out)
    for arguments, said in (
            ((), "usage"), (("nothing",), "no such verb: nothing"),
            (("settings", "more"), "not expected: more"),
            (("settings", "--wrong"), "--wrong"),
            (("settings", "--config", "/nonexistent"), "/nonexistent"),
            (("audit",), "usage"), (("audit", "forget"), "usage"),
            (("audit", "verify"), "usage"),
            (("audit", "verify", "--wrong", "-"), "usage"),
            (("audit", "verify", "/nonexistent"), "No such file"),
            (("audit", "verify", "/"), "cannot be read"),
            (("token",), "usage"), (("token", "forget"), "usage"),
            (("token", "new", "--file", "/nonexistent"), ""),
            (("token", "list", "--wrong"), "--wrong"),
            (("token", "list", "--file", "/nonexistent/x"), "")):
        status, _, err = ctl_said(*arguments)
        expect(f"status of {arguments} ({err})", status, 2)
        expect_in(f"{arguments}", said, err)
        expect_true(f"{arguments} says why", err)


@claim_alone
def gloveboxctl_token_refuses_what_it_cannot_do():
    with directory() as where:
        path = os.path.join(where, "tokens")
        expect("new", ctl("token", "new", "--id", "a", "--file", path)[0], 0)
        for arguments, said in (
                (("new",), "--id"), (("revoke",), "--id"),
                (("new", "--id", "a", "--rate", "5"), "there is one"),
                (("new", "--id", "b", "--rate", "many"), "not made"),
                (("revoke", "--id", "none"), "no such token"),
                (("revoke", "--id", "a", "--oldest"), "one secret"),
                (("check",), "no secret"),
                (("list", "more"), "not expected")):
            status, _, err = ctl_said("token", *arguments, "--file", path)
            expect(f"status of {arguments} ({err})", status, 2)
            expect_in(f"{arguments}", said, err)
        status, _, err = ctl_said("token", "list")
        expect("no file", status, 2)
        expect_in("no file", "EXECUTOR_TOKENS_FILE", err)
        config = os.path.join(where, "config")
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"EXECUTOR_TOKENS_FILE={path}\n")
        status, out, _ = ctl_said("token", "list", "--config", config)
        expect("list", (status, out.split()[0]), (0, "a:"))


@claim_alone
def programs_say_how_they_are_used():
    for arguments, wanted in ((("--help",), 0), (("--version",), 0),
                              (("--wrong",), 2), (("more",), 2)):
        status, out, err = ctl_said(*arguments, program="glovebox")
        expect(f"status of {arguments}", status, wanted)
        expect_in(f"{arguments}", "glovebox", err if wanted else out)
    status, _, err = ctl_said(program="glovebox-sandbox")
    expect("status", status, 2)
    expect_in("sandbox", "is started by glovebox", err)


# --- the machine ---------------------------------------------------------------


@claim_alone
def gloveboxctl_check_tries_a_box_and_says_what_is_missing():
    status, text = ctl("check")
    expect(f"status of {text}", status, 0)
    lines = text.splitlines()
    for line in lines:
        expect_true(f"form of {line!r}", re.match(
            r"(ok  |warn|fail)  [a-z0-9_]+ +\S", line))
        expect_true(f"remedy of {line!r}",
                    line.startswith("ok") or " - " in line)
    expect_true(f"the trial in {lines[-1]!r}", re.match(
        r"ok +trial +Python 3\.11\.\d+ ran in a box of each profile",
        lines[-1]))

    status, text = ctl("check", "--json", "--no-trial")
    rows = json.loads(text)
    expect("status", status, 0)
    expect("rows", [row["name"] for row in rows],
           [line.split()[1] for line in lines[:-1]])
    for row in rows:
        expect("keys", list(row), ["level", "name", "found", "remedy"])
        expect(f"remedy of {row}", row["remedy"] is None,
               row["level"] == "ok")
