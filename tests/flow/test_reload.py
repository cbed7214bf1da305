"""New settings, new programs, one responder fewer: nobody loses a request."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import harness
from busy import await_runs
from harness import (OTHER_USER, Later, Load, Responder, Service, claim_alone,
                     eventually, expect, expect_in, expect_true, free_port,
                     process_born, process_tree, still_there)

LOADED = {"MAX_CONCURRENT_EXECUTIONS": 4, "QUEUE_TIMEOUT_MS": 30000}
CONFIG = "ALLOWED_ORIGINS=https://{}.example\n"


def figure(s, name):
    """Of a metric, the sum over its labels."""
    found = [float(line.rsplit(" ", 1)[1])
             for line in s.get("/metrics").body.decode().splitlines()
             if line.startswith((name + " ", name + "{"))]
    expect_true(f"{name} is there", found)
    return sum(found)


def allows(s, origin):
    answer = s.call("OPTIONS", "/execute", None, [("Origin", origin)])
    return answer.header("Access-Control-Allow-Origin") == origin


@claim_alone
def twenty_reloads_under_load_lose_nothing():
    with Service(config=CONFIG.format("x0"), **LOADED) as s:
        app, nginx = s.app_pid, s.nginx_pid
        runs = figure(s, "glovebox_reloads_total")
        workers = len(process_tree(nginx))
        with Load(s, 4) as load:
            for i in range(1, 21):
                s.configure(CONFIG.format(f"x{i}"))
                expect("reload", s.reload(), (0, "reloaded\n"))
                # Workers of before may still take a connection or two.
                eventually("the new settings count", lambda: allows(
                    s, f"https://x{i}.example"), 10)
        load.expect_no_loss(40)
        eventually("nginx's old workers are gone",
                   lambda: len(process_tree(nginx)) == workers, 10)
        expect_true("the old settings do not",
                    not allows(s, "https://x19.example"))
        expect("processes", (s.app_pid, s.nginx_pid), (app, nginx))
        # Metrics are kept: they counted on over all of it.
        eventually("the app has reloaded as often", lambda: figure(
            s, "glovebox_reloads_total") == runs + 20, 5)
        expect("runs that were counted", figure(
            s, "glovebox_executions_total"), float(load.answered))
    print(f"    {load.answered} calls over 20 reloads")


@claim_alone
def bad_settings_are_said_and_the_old_stay():
    with Service(config=CONFIG.format("old")) as s:
        files = os.path.join(s.state, "run", "nginx")

        def fingerprint():
            found = {}
            for name in os.listdir(files):
                with open(os.path.join(files, name)) as f:
                    found[name] = f.read()
            return found
        before = fingerprint()
        for text, word in (
                # what our own program refuses
                ("LOG_LEVEL=NOISE\n", "LOG_LEVEL"),
                # what only nginx can know
                ("UPSTREAMS=local,no-such-host.invalid:9000\n",
                 "nginx refuses")):
            s.configure(text + CONFIG.format("new"))
            status, words = s.reload()
            expect(f"exit status ({words})", status, 1)
            expect_in("words", word, words)
            expect("files", fingerprint(), before)
        expect_true("still the old", allows(s, "https://old.example"))
        os.kill(s.nginx_pid, signal.SIGHUP)  # nor does it come later
        time.sleep(0.5)
        expect_true("still the old", allows(s, "https://old.example"))
        s.configure(CONFIG.format("new"))
        expect("reload", s.reload(), (0, "reloaded\n"))
        eventually("the new", lambda: allows(s, "https://new.example"), 10)


@claim_alone
def nginx_that_cannot_take_a_configuration_keeps_the_old_one():
    """A port that another program has: nginx's test does not find that."""
    with tempfile.TemporaryDirectory(prefix="gbrenew.") as home, \
            Service() as s, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        run = os.path.join(s.state, "run")
        settings = subprocess.run(
            [os.path.join(harness.PROGRAMS, "gloveboxctl"), "settings"],
            env={"SOCKET_PATH": os.path.join(run, "app", "fcgi.sock"),
                 "SERVICE_PORT": str(taken.getsockname()[1])},
            capture_output=True, text=True, check=True).stdout
        with open(os.path.join(run, "nginx", "glovebox.conf")) as f:
            before = f.read()
        done = subprocess.run(
            [os.path.join(harness.ROOT, "ops", "renew"), run,
             str(s.nginx_pid)], input=settings, capture_output=True,
            text=True, check=False, cwd=home, timeout=60)
        expect(f"exit status ({done.stderr})", done.returncode, 1)
        expect_in("words", "did not take", done.stderr)
        with open(os.path.join(run, "nginx", "glovebox.conf")) as f:
            expect("files", f.read(), before)
        expect("value", s.value("_ = 1"), 1)


@claim_alone
def reload_says_when_nothing_runs():
    with tempfile.TemporaryDirectory(prefix="gbrun.") as home:
        done = subprocess.run(
            [os.path.join(harness.ROOT, "ops", "reload")],
            env={"PATH": os.environ["PATH"], "GLOVEBOX_STATE": home},
            capture_output=True, text=True, check=False)
        expect("exit status", done.returncode, 1)
        expect_in("words", "nothing runs", done.stderr)


# --- upgrade ------------------------------------------------------------------


def verified(audit):
    """Lines of a trail that gloveboxctl finds whole."""
    done = subprocess.run(
        [os.path.join(harness.PROGRAMS, "gloveboxctl"), "audit", "verify",
         audit], capture_output=True, text=True, check=False)
    expect(f"audit verify ({done.stdout + done.stderr})", done.returncode, 0)
    with open(audit) as f:
        return len(f.readlines())


@claim_alone
def upgrades_under_load_lose_nothing():
    with tempfile.TemporaryDirectory(prefix="gbaudit.") as home:
        os.chmod(home, 0o777)
        audit = os.path.join(home, "audit.log")
        with Service(config="", AUDIT_LOG=audit, **LOADED) as s:
            slow = "import time\ntime.sleep(4)\n_ = 'of the old one'"
            with Load(s) as load:
                for i in range(3):
                    old = s.app_pid
                    born, below = process_born(old), process_tree(old)
                    later = Later(s.execute, slow, profile="standard")
                    time.sleep(0.3)
                    # It also counts what otherwise needs a restart.
                    s.configure(f"SERVICE_NAME=service-{i}\n")
                    status, words = s.reload("--upgrade")
                    expect(f"exit status ({words})", status, 0)
                    expect_true("another process serves", s.app_pid != old)
                    if process_born(old) == born:
                        # The slow run is still its own to finish.
                        expect_true("it ended early", not later.is_done())
                    answer = later.result(30)
                    expect("slow run", (answer.status, answer.json.get(
                        "return_value")), (200, "of the old one"))
                    eventually("the old app is gone", lambda: not
                               still_there({old: born, **below}), 10)
                    expect("name", s.get("/health").json["service"],
                           f"service-{i}")
            load.expect_no_loss(40)
            eventually("the log says so", lambda:
                       s.log_text().count("handed over,") == 3)
            log = s.stop()
            expect_true("an old app ended with an error",
                        "ended with an error" not in log)
            # Two processes wrote to one trail, and it is one trail.
            expect("audit lines", verified(audit), load.answered + 3)
    print(f"    {load.answered} calls over 3 upgrades")


@claim_alone
def upgrade_that_does_not_come_up_changes_nothing():
    with Service(OWN_PROGRAMS="yes", config="", **LOADED) as s:
        path = os.path.join(s.programs, "glovebox-sandbox")
        app = s.app_pid
        with Load(s, 2) as load:
            os.rename(path, path + ".kept")
            shutil.copy("/bin/false", path)
            status, words = s.reload("--upgrade")
            expect(f"exit status ({words})", status, 1)
            expect_in("words", "the old one serves on", words)
            expect("app", s.app_pid, app)
            eventually("the old one noticed", lambda: "handing over broken "
                       "off" in s.log_text(), 5)
            os.rename(path + ".kept", path)
            status, words = s.reload("--upgrade")
            expect(f"exit status ({words})", status, 0)
            expect_true("another process serves", s.app_pid != app)
        load.expect_no_loss(10)


@claim_alone
def ordinary_user_can_upgrade():
    user = OTHER_USER if os.geteuid() == 0 else None
    with Service(user=user, config="") as s:
        app = s.app_pid
        expect("reload", s.reload(), (0, "reloaded\n"))
        expect("upgrade", s.reload("--upgrade")[0], 0)
        expect_true("another process serves", s.app_pid != app)
        expect("value", s.value("_ = 1"), 1)


@claim_alone
def stopping_right_after_an_upgrade_leaves_nothing():
    with Service(config="", **LOADED) as s:
        later = Later(s.execute, "import time\ntime.sleep(3)\n_ = 1",
                      profile="standard")
        await_runs(s, 1)
        expect("upgrade", s.reload("--upgrade")[0], 0)
        s.stop()
        expect("status of what the old one ran", later.result(5).status, 200)


@claim_alone
def take_over_from_nobody_is_refused():
    with tempfile.TemporaryDirectory(prefix="gbtake.") as home:
        done = subprocess.run(
            [os.path.join(harness.PROGRAMS, "glovebox"), "--take-over"],
            env={"SOCKET_PATH": os.path.join(home, "sock")},
            capture_output=True, text=True, check=False, timeout=60)
        expect("exit status", done.returncode, 1)
        expect_in("words", "nobody to take over from", done.stderr)


# --- one of two ---------------------------------------------------------------


def stop_one_of_two(**settings):
    with Responder(**LOADED, **settings) as other, \
            Service(UPSTREAMS=f"local,{other.upstream}", **LOADED) as s:
        with Load(s) as load:
            time.sleep(1)
            other.process.send_signal(signal.SIGTERM)
            expect("exit status", other.process.wait(60), 0)
            time.sleep(1)
        load.expect_no_loss(20)
        expect_in("the other one had its share", '"status":"ok"',
                  other.log_text())


@claim_alone
def sigterm_of_one_of_two_upstreams_loses_nothing():
    stop_one_of_two()


@claim_alone
def sigterm_of_one_of_two_tcp_upstreams_loses_nothing():
    stop_one_of_two(FASTCGI_ADDRESS=f"127.0.0.1:{free_port()}")
