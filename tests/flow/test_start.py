"""./ops/up: what an operator sees first."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import urllib.request

from harness import (OTHER_USER, PROGRAMS, ROOT, TOKEN, Service, claim_alone,
                     eventually, expect, expect_error, expect_in, expect_true,
                     free_port, still_there)


def fails_with_one_line(part, **settings):
    """Start, wait for the end, and look at what was said."""
    s = Service(**settings).launch()
    try:
        status = s.process.wait(60)
        log = s.log_text().strip()
        expect_true(f"status of {settings}", status != 0)
        expect(f"lines said: {log!r}", len(log.splitlines()), 1)
        expect_in("the line", part, log)
        expect("files left", sorted(os.listdir(s.state)), ["lock"])
        return log
    finally:
        s.forget()


@claim_alone
def printed_curl_works_and_the_token_stays():
    s = Service(EXECUTOR_API_TOKEN=None).start()
    try:
        log = s.log_text()
        command = re.search(r"try +(curl .*?)\n  agent", log, re.S)[1]
        done = subprocess.run(["sh", "-c", command], capture_output=True,
                              text=True, check=True)
        expect_in("answer", '42', done.stdout)
        with open(os.path.join(s.state, "token")) as f:
            token = f.read()
        expect_in("log", token, log)
        expect_true("the token is short", len(token) >= 40)
        expect("mode of the token's file",
               os.stat(os.path.join(s.state, "token")).st_mode & 0o777,
               0o600)
        expect_error(s.execute("1", [("X-Executor-Token", TOKEN)]), 401)
    finally:
        s.stop()


@claim_alone
def printed_line_for_an_agent_has_what_an_agent_needs():
    s = Service(EXECUTOR_API_TOKEN=None).start()
    try:
        line = re.search(r"agent +(claude .*)", s.log_text())[1]
        words = shlex.split(line)
        expect("command", words[:6], ["claude", "mcp", "add", "--transport",
                                      "http", "glovebox"])
        expect("option", words[7], "--header")
        request = urllib.request.Request(
            words[6], json.dumps({"jsonrpc": "2.0", "id": 1,
                                  "method": "ping"}).encode(),
            {"Content-Type": "application/json",
             words[8].partition(": ")[0]: words[8].partition(": ")[2]})
        with urllib.request.urlopen(request, timeout=20) as answer:
            expect("answer", json.load(answer)["result"], {})
    finally:
        s.stop()


@claim_alone
def taken_port_is_one_clear_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = fails_with_one_line(str(port), SERVICE_PORT=port)
        expect_in("the line", "SERVICE_PORT", line)


@claim_alone
def bad_settings_are_named_all_in_one_line():
    line = fails_with_one_line("EXECUTION_TIMEOUT", EXECUTION_TIMEOUT="0",
                               MAX_MEMORY_MB="lots", ALLOWED_ORIGINS="*")
    for name in ("MAX_MEMORY_MB", "ALLOWED_ORIGINS"):
        expect_in("the line", name, line)


@claim_alone
def production_refuses_a_weak_token():
    fails_with_one_line("EXECUTOR_API_TOKEN", ENVIRONMENT="production",
                        EXECUTOR_API_TOKEN="changeme")


@claim_alone
def network_tools_stop_the_start():
    fails_with_one_line("ENABLE_MCP_NETWORK_TOOLS",
                        ENABLE_MCP_NETWORK_TOOLS="true")


@claim_alone
def unfit_machine_stops_the_start_with_the_remedy():
    s = Service(SANDBOX_PROGRAM="/nonexistent/glovebox-sandbox").launch()
    try:
        expect("status", s.process.wait(60), 1)
        log = s.log_text()
        expect_true(f"a line of failure in {log!r}", re.search(
            r"^check \| fail  program  .* - install glovebox-sandbox", log,
            re.M))
        expect_true("no line that is ok", "check | ok" not in log)
        expect_in("the last line", "this machine is not fit",
                  log.splitlines()[-1])
        expect("files left", sorted(os.listdir(s.state)), ["lock"])
    finally:
        s.forget()


@claim_alone
def settings_come_from_a_file_and_the_environment_wins():
    config = ("# a comment\nMAX_CODE_BYTES=100\nSERVICE_NAME=from-file\n"
              f"EXECUTOR_API_TOKEN={TOKEN}\n")
    with Service(config=config, EXECUTOR_API_TOKEN=None,
                 SERVICE_NAME="from-environment") as s:
        expect_error(s.execute("#" * 101), 400,
                     "Code payload is 101 bytes; limit is 100 bytes")
        expect("name", s.get("/health").json["service"], "from-environment")


@claim_alone
def unknown_key_in_the_file_stops_the_start():
    s = Service(config="MAX_COD_BYTES=1\n").launch()
    try:
        expect_true("it started", s.process.wait(60) != 0)
        expect_in("the line", "MAX_COD_BYTES", s.log_text())
    finally:
        s.forget()


@claim_alone
def two_services_run_beside_each_other():
    with Service() as one, Service() as two:
        expect_true("same port", one.port != two.port)
        expect("one", one.value("_ = 1"), 1)
        expect("two", two.value("_ = 2"), 2)


@claim_alone
def second_start_in_the_same_state_is_refused():
    with Service() as s:
        done = subprocess.run(
            [os.path.join(ROOT, "ops", "up"), "--no-build"],
            env={"PATH": os.environ["PATH"], "GLOVEBOX_STATE": s.state,
                 "GLOVEBOX_PROGRAMS": PROGRAMS,
                 "SERVICE_PORT": str(free_port())},
            capture_output=True, text=True, check=False, timeout=60)
        expect_true("it started", done.returncode != 0)
        expect("lines", len(done.stderr.strip().splitlines()), 1)
        expect("value", s.value("_ = 1"), 1)


@claim_alone
def ordinary_user_can_run_it():
    if os.getuid() != 0:
        with Service() as s:
            expect("value", s.value("_ = 1"), 1)
        return
    with Service(user=OTHER_USER, MAX_CONCURRENT_EXECUTIONS=4) as s:
        for name in ("glovebox", "nginx"):
            expect(f"user of {name}",
                   os.stat(f"/proc/{s.pid(name)}").st_uid
                   if name == "nginx" else owner(s.pid(name)), OTHER_USER)
        expect("value", s.value("_ = [n*n for n in range(5)]"),
               [0, 1, 4, 9, 16])
        expect("standard", s.value("import time\ntime.sleep(0.01)\n_ = 1",
                                   profile="standard"), 1)
        result = s.run("try:\n    open('/etc/passwd')\nexcept OSError as e:\n"
                       "    _ = 'no'", profile="standard")
        expect("open", result["return_value"], "no")
        expect("timeout", s.run("while True: pass",
                                timeout_s=0.3)["status"], "timeout")
        expect("memory", s.run("x = bytearray(10**9)")["status"],
               "memory_limit")
        expect("health", s.get("/health").status, 200)


@claim_alone
def it_runs_without_user_namespaces():
    if os.getuid() != 0:
        return
    with Service(user=OTHER_USER, has_user_namespaces=False) as s:
        layers = s.get("/health").json["layers"]
        expect("user_namespace", layers["user_namespace"], False)
        for layer in ("seccomp", "landlock", "rlimits", "no_new_privs",
                      "descriptors"):
            expect(layer, layers[layer], True)
        expect("value", s.value("_ = [n*n for n in range(5)]"),
               [0, 1, 4, 9, 16])
        result = s.run("try:\n    open('/etc/passwd')\nexcept OSError as e:\n"
                       "    _ = 'no'", profile="standard")
        expect("open", result["return_value"], "no")
        expect("timeout", s.run("while True: pass",
                                timeout_s=0.3)["status"], "timeout")
        below = s.sandbox_pids()
        os.kill(s.warden_pid(), signal.SIGKILL)
        eventually("a new warden", lambda: s.execute("1").status == 200, 5)
        eventually("the old boxes are gone", lambda: not [
            p for p in still_there(below) if "glovebox-box" in p], 3)


def owner(pid):
    """Real user of a process; /proc/PID of one that cannot be dumped is
    root's, but its status tells."""
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith("Uid:"):
                return int(line.split()[1])
    return -1


@claim_alone
def root_gives_up_its_rights():
    if os.getuid() != 0:
        return
    with Service() as s:
        expect_true("the app is root", owner(s.app_pid) != 0)
        for pid in process_children(s.nginx_pid):
            expect_true("a worker of nginx is root", owner(pid) != 0)


def process_children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(p) for p in f.read().split()]


@claim_alone
def root_can_run_it_where_nobody_else_may_enter():
    if os.getuid() != 0:
        return
    s = Service()
    command, environment = s.prepare()
    hidden = os.path.join(s.home, "hidden")
    os.mkdir(hidden, 0o700)
    os.mkdir(os.path.join(hidden, "state"))
    s.state = environment["GLOVEBOX_STATE"] = os.path.join(hidden, "state")
    shutil.copytree(PROGRAMS, os.path.join(hidden, "programs"),
                    ignore=lambda d, names: [
                        n for n in names if not n.startswith("glovebox")])
    environment["GLOVEBOX_PROGRAMS"] = os.path.join(hidden, "programs")
    s.launch(command, environment).wait_until_up()
    try:
        expect("value", s.value("_ = 1"), 1)
        old = s.warden_pid()
        os.kill(old, signal.SIGKILL)
        eventually("a new warden", lambda: s.execute("1").status == 200, 5)
    finally:
        s.stop()


@claim_alone
def strict_umask_is_no_obstacle():
    s = Service()
    command, environment = s.prepare()
    s.launch(["sh", "-c", 'umask 077 && exec "$@"', "sh", *command],
             environment).wait_until_up()
    try:
        # A body that nginx puts into a file, and a file that it reads.
        expect("value", s.value("_ = len(a) + len(b)", context={
            "a": "x" * 500000, "b": "y" * 500000},
            stdin="z" * 900000), 1000000)
        expect_in("metrics", "nginx_http_requests_total",
                  s.get("/metrics").body.decode())
    finally:
        s.stop()


@claim_alone
def long_state_path_is_no_obstacle():
    s = Service()
    command, environment = s.prepare()
    deep = os.path.join(s.home, "d" * 100, "e" * 60)
    os.makedirs(deep)
    s.state = environment["GLOVEBOX_STATE"] = deep
    s.launch(command, environment).wait_until_up()
    try:
        expect("value", s.value("_ = 1"), 1)
    finally:
        s.stop()


@claim_alone
def file_of_settings_names_every_key_with_its_preset():
    printed = subprocess.run(
        [os.path.join(ROOT, "ops", "settings-file")],
        env={"PATH": os.environ["PATH"], "GLOVEBOX_PROGRAMS": PROGRAMS},
        capture_output=True, text=True, check=True).stdout
    with open(os.path.join(ROOT, "ops", "glovebox.conf")) as f:
        expect_true("ops/glovebox.conf is not what ops/settings-file prints",
                    f.read() == printed)


@claim_alone
def help_needs_nothing():
    done = subprocess.run([os.path.join(ROOT, "ops", "up"), "--help"],
                          capture_output=True, text=True, check=True)
    expect_in("help", "GLOVEBOX_STATE", done.stdout)
    done = subprocess.run([os.path.join(ROOT, "ops", "up"), "--nope"],
                          capture_output=True, text=True, check=False)
    expect_true("unknown argument", done.returncode != 0)


@claim_alone
def health_works_with_an_ordinary_client():
    with Service() as s:
        with urllib.request.urlopen(
                f"http://127.0.0.1:{s.port}/health") as answer:
            expect("status", answer.status, 200)
