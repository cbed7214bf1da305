"""systemd's protocols, with this test or systemd's own tool in its place.

No systemd runs here as process 1.  What it does for a service is little: it
passes a socket, reads datagrams and sends signals.
"""

import grp
import os
import re
import shutil
import signal
import socket
import time

import harness
from busy import await_runs
from harness import (Failure, Load, Responder, Service, claim_alone,
                     eventually, expect, expect_in, expect_true)


class Manager(Responder):
    """A service manager: keeps the socket, hears notifications."""

    def __init__(self, watchdog_s=None, is_abstract=False, programs=None,
                 **settings):
        super().__init__(**settings)
        self.programs = programs or harness.PROGRAMS
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(4096)
        os.chmod(self.path, 0o660)
        if os.geteuid() == 0:
            os.chown(self.path, 0, grp.getgrnam("www-data").gr_gid)
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        where = (f"@glovebox-test-{os.getpid()}-{id(self)}" if is_abstract
                 else os.path.join(self.home, "notify"))
        self.notices.bind(where.replace("@", "\0", 1))
        if not is_abstract:
            os.chmod(where, 0o777)
        self.settings["NOTIFY_SOCKET"] = where
        if watchdog_s:
            self.settings["WATCHDOG_USEC"] = str(int(watchdog_s * 1e6))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        self.listener.close()
        self.notices.close()
        super().__exit__(kind, value, trace)

    def start(self):
        fd = self.listener.fileno()
        # LISTEN_PID is the pid of the program itself, hence the shell.
        self.launch(["/bin/sh", "-c", 'export LISTEN_PID=$$ LISTEN_FDS=1; '
                     'exec "$0"', os.path.join(self.programs, "glovebox")],
                    pass_fds=(3,), preexec_fn=lambda: os.dup2(fd, 3))
        self.hears("READY=1", 60)

    def hears(self, line, seconds=20):
        """The next notification with that line; the others are let go."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.notices.settimeout(max(0.01, end - time.monotonic()))
            try:
                text = self.notices.recv(4096).decode()
            except TimeoutError:
                break
            if line in text.split("\n"):
                return text
        raise Failure(f"no {line} within {seconds} s: "
                      f"{self.log_text()[-600:]}")

    def pings(self, seconds):
        """How many within that time, after what has been heard so far."""
        self.notices.settimeout(0.01)
        found, end = -1, 0
        while found < 0 or time.monotonic() < end:
            try:
                text = self.notices.recv(4096).decode()
            except TimeoutError:
                if found < 0:
                    found, end = 0, time.monotonic() + seconds
                continue
            found += text == "WATCHDOG=1" and found >= 0
        return found

    def restart(self):
        self.process.send_signal(signal.SIGTERM)
        self.hears("STOPPING=1")
        expect("exit status", self.process.wait(60), 0)
        expect_true("the socket is still there", os.path.exists(self.path))
        self.start()


@claim_alone
def socket_that_systemd_keeps_loses_nothing_over_restarts():
    settings = {"MAX_CONCURRENT_EXECUTIONS": 4, "QUEUE_TIMEOUT_MS": 30000}
    with Manager(**settings) as m, \
            Service(UPSTREAMS=m.upstream, **settings) as s:
        with Load(s) as load:
            for _ in range(3):
                time.sleep(0.5)
                m.restart()
            time.sleep(0.5)
        load.expect_no_loss(20)
        expect_true("nobody takes over what systemd keeps",
                    not os.path.exists(m.path + ".next"))
        below = harness.process_tree(m.process.pid)
        m.process.kill()  # also when it dies, the socket is systemd's
        eventually("its processes are gone",
                   lambda: not harness.still_there(below), 10)
        expect_true("the socket is still there", os.path.exists(m.path))
        later = harness.Later(s.execute, "_ = 5")
        time.sleep(0.3)
        expect("it waits in the backlog", later.is_done(), False)
        m.start()
        expect("value", later.result(30).json["return_value"], 5)


@claim_alone
def socket_that_goes_while_the_last_run_finishes_is_nothing_to_us():
    """It is left to others, who may do with it what they like."""
    with Manager(CANARY_SECONDS=1) as m, \
            Service(UPSTREAMS=m.upstream) as s:
        later = harness.Later(s.execute, "import time\ntime.sleep(4)\n_ = 5",
                              profile="standard")
        await_runs(s, 1, seconds=10)
        m.process.send_signal(signal.SIGTERM)
        m.hears("STOPPING=1")
        os.unlink(m.path)
        expect("value", later.result(30).json["return_value"], 5)
        expect("exit status", m.process.wait(30), 0)
        expect_true("nothing was missed", "socket is gone" not in m.log_text())


@claim_alone
def service_manager_is_told_what_happens():
    for is_abstract in (False, True):
        with Manager(is_abstract=is_abstract) as m:
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
            m.process.send_signal(signal.SIGHUP)
            text = m.hears("RELOADING=1")
            at = int(re.search(r"MONOTONIC_USEC=(\d+)", text).group(1))
            expect_true("time of the reload", before <= at <= before + 20e6)
            m.hears("READY=1")
            expect("pings that nobody asked for", m.pings(0.5), 0)
            m.process.send_signal(signal.SIGTERM)
            m.hears("STOPPING=1")
            expect("exit status", m.process.wait(30), 0)


@claim_alone
def watchdog_is_fed_only_while_programs_run():
    with Responder() as other:  # for a directory that the test may spoil
        programs = os.path.join(other.home, "programs")
        shutil.copytree(harness.PROGRAMS, programs, ignore=lambda d, names: [
            n for n in names if not n.startswith("glovebox")])
        path = os.path.join(programs, "glovebox-sandbox")
        with Manager(watchdog_s=1, programs=programs,
                     CANARY_SECONDS=1) as m:
            eventually("it is fed", lambda: m.pings(1) >= 2, 20)
            # The app answers, its threads are well: but nothing can be run.
            os.rename(path, path + ".kept")
            shutil.copy("/bin/false", path)
            for pid in harness.process_tree(m.process.pid):
                if harness.process_name(pid) == "glovebox-warden":
                    os.kill(pid, signal.SIGKILL)
            eventually("it is fed no more", lambda: m.pings(1) == 0, 20)
            expect("the app", m.process.poll(), None)
            os.rename(path + ".kept", path)
            eventually("it is fed again", lambda: m.pings(1) >= 2, 20)
            os.kill(m.process.pid, signal.SIGSTOP)
            eventually("a stopped app feeds nobody",
                       lambda: m.pings(1) == 0, 10)
            os.kill(m.process.pid, signal.SIGCONT)


@claim_alone
def systemds_own_tool_starts_it_with_the_first_request():
    with Responder() as r:
        path = os.path.join(r.home, "activated.sock")
        first = r.process
        settings = {**r.settings, "SOCKET_PATH": path}
        del settings["PATH"]
        command = ["systemd-socket-activate", f"--listen={path}"]
        for key, value in settings.items():
            command.append(f"--setenv={key}={value}")
        try:
            r.launch([*command, os.path.join(harness.PROGRAMS, "glovebox")])
            eventually("it listens", lambda: os.path.exists(path), 10)
            os.chmod(path, 0o666)
            with Service(UPSTREAMS=f"unix:{path}") as s:
                expect_in("log", "Listening on", r.log_text())
                expect("value", s.value("_ = 6 * 7"), 42)
                expect_in("log", " serving ", r.log_text())
        finally:
            first.kill()
            first.wait()


@claim_alone
def what_is_not_one_listening_socket_stops_the_start():
    with Responder() as r:
        first = r.process
        try:
            for command, word in (
                    ("LISTEN_FDS=2", "E2BIG"), ("LISTEN_FDS=1", "ENOTSOCK")):
                r.launch(["/bin/sh", "-c", f"export LISTEN_PID=$$ {command};"
                          'exec "$0" 3</dev/null',
                          os.path.join(harness.PROGRAMS, "glovebox")])
                expect("exit status", r.process.wait(30), 1)
                expect_in("log", word, r.log_text())
        finally:
            first.kill()
            first.wait()
