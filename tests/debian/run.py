#!/usr/bin/python3
"""run - the Debian package on a clean system whose process 1 is systemd

usage: tests/debian/run.py DEB [ROOT]
       make check-deb

Makes a minimal Debian 12 in ROOT (preset build/debian) with debootstrap, once,
and what the package depends on; needs root and Debian's archive for that.
Then boots it in namespaces (tests/debian/boot), on top of ROOT, which stays
clean; installs the package, works the units and purges it.  Prints `ok NAME` or
`not ok NAME - why` for each promise; they build on each other.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "flow"))

from harness import (ROOT as TREE, Failure, eventually, expect,  # noqa: E402
                     expect_in, expect_true)

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive"}
UNITS = ["glovebox.socket", "glovebox.service", "glovebox-nginx.service"]
CONF = "/etc/glovebox/glovebox.conf"
# Written by any package that comes and goes, or by the system that runs.
PASSING = re.compile(r"/(proc|sys|dev|run|tmp)(/|$)|/var/(cache|tmp|log/apt"
                     r"|log/journal|lib/(dpkg|apt|systemd|ucf|logrotate))(/|$)"
                     r"|/etc/(passwd|group|shadow|gshadow)-$"
                     r"|/etc/\.pwd\.lock$|/var/log/(dpkg|alternatives)\.log$")

# The newest layers, and the kernel that first has each.
NEW_LAYERS = {"no_exec_gain": (6, 3), "landlock_network": (6, 7),
              "landlock_scope": (6, 12)}


# --- a clean system -----------------------------------------------------------


def control_field(deb, name):
    return subprocess.run(["dpkg-deb", "-f", deb, name], check=True,
                          capture_output=True, text=True).stdout.strip()


def wanted_packages(deb):
    """The first of each alternative; what it recommends is wanted, too."""
    both = control_field(deb, "Depends") + ", " + control_field(
        deb, "Recommends")
    return sorted({re.match(r"[a-z0-9.+-]+", part.strip()).group()
                   for part in both.split(",")})


def make_root(root, deb):
    """A tree with the packages, none of them ever started."""
    done = os.path.join(root, "done")
    wanted = " ".join(wanted_packages(deb))
    if os.path.exists(done) and open(done, encoding="ascii").read() == wanted:
        return
    print(f"making {root}", flush=True)
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(
        ["debootstrap", "--variant=minbase",
         "--include=systemd,systemd-sysv,dbus,curl,procps", "bookworm", root],
        check=True, stdout=subprocess.DEVNULL)
    policy = os.path.join(root, "usr/sbin/policy-rc.d")
    with open(policy, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nexit 101\n")
    os.chmod(policy, 0o755)
    subprocess.run(
        ["chroot", root, "sh", "-c", "apt-get -qq update && apt-get -qq -y "
         f"--no-install-recommends install {wanted} >/dev/null && "
         "apt-get clean && systemctl mask -q console-getty.service"],
        check=True, env=ENVIRONMENT)
    os.unlink(policy)
    with open(done, "w", encoding="ascii") as f:
        f.write(wanted)


# --- a system that runs -------------------------------------------------------


def cgroup_mount():
    """Where the second version of control groups is."""
    with open("/proc/mounts", encoding="utf-8") as f:
        for line in f:
            if line.split()[2] == "cgroup2":
                return line.split()[1]
    raise Failure("this machine has no control groups of version 2")


class System:
    def __init__(self, root, deb):
        self.deb = deb
        self.scratch = tempfile.mkdtemp(prefix="gbboot.")
        self.root = root
        self.group = os.path.join(
            cgroup_mount(), os.path.basename(self.scratch))

    def __enter__(self):
        os.mkdir(self.group)
        self.log = open(os.path.join(self.scratch, "log"), "wb")
        self.process = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--uts", "--ipc", "--net",
             "--cgroup", "--fork", "--kill-child", os.path.join(HERE, "boot"),
             self.root, self.scratch], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=self._enter_group)
        try:
            eventually("systemd is up", self._is_up, 60, 0.2)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _enter_group(self):
        with open(os.path.join(self.group, "cgroup.procs"), "w",
                  encoding="ascii") as f:
            f.write(str(os.getpid()))

    def _is_up(self):
        if self.process.poll() is not None:
            with open(os.path.join(self.scratch, "log"),
                      encoding="utf-8") as f:
                raise Failure(f"it did not boot: {f.read()[-800:]}")
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children",
                  encoding="ascii") as f:
            children = f.read().split()
        if not children:
            return False
        self.init = int(children[0])
        with open(f"/proc/{self.init}/comm", encoding="ascii") as f:
            if f.read().strip() != "systemd":
                return False
        return self.run("systemctl is-system-running || true").strip() in (
            "running", "degraded")

    def __exit__(self, kind, value, trace):
        with contextlib.suppress(OSError, AttributeError):
            os.kill(self.init, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        self.log.close()
        eventually("its control groups are gone", self._remove_groups, 20)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _remove_groups(self):
        for at, _, _ in os.walk(self.group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(at)
        return not os.path.exists(self.group)

    def run(self, command, status=0, seconds=120):
        """A shell command inside; its output."""
        done = subprocess.run(
            ["nsenter", "-t", str(self.init), "-m", "-u", "-i", "-n", "-p",
             "-C", "-r", "-w", "sh", "-c", command], env=ENVIRONMENT,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False)
        if status is not None and done.returncode != status:
            raise Failure(f"{command}: exit status {done.returncode}: "
                          f"{done.stdout[-800:]}")
        return done.stdout

    def show(self, unit, name):
        return self.run(f"systemctl show -P {name} {unit}").strip()

    def path(self, inside):
        """That file of the system, seen from here."""
        return f"/proc/{self.init}/root{inside}"

    def read(self, inside):
        with open(self.path(inside), encoding="utf-8") as f:
            return f.read()

    def append(self, inside, text):
        with open(self.path(inside), "a", encoding="utf-8") as f:
            f.write(text)

    def ask(self, code):
        """A program through nginx, with the token of the package."""
        body = json.dumps({"code": code})
        return json.loads(self.run(
            "curl -sS -m 60 http://127.0.0.1:8030/execute -H 'Content-Type: "
            "application/json' -H \"X-Executor-Token: $(cat /etc/glovebox/"
            f"first-token)\" -d '{body}'"))

    def value(self, code):
        answer = self.ask(code)
        if "return_value" not in answer:
            raise Failure(f"{code}: {answer}")
        return answer["return_value"]

    def health(self):
        return json.loads(self.run(
            "curl -sS -m 20 http://127.0.0.1:8030/health"))

    def files(self):
        found = self.run("find / -xdev | sort; getent passwd; getent group")
        return {line for line in found.splitlines()
                if not PASSING.match(line)}


# --- promises -----------------------------------------------------------------


def package_installs_and_the_service_starts(s):
    s.before = s.files()
    shutil.copy(s.deb, s.path("/root/glovebox.deb"))
    said = s.run("apt-get -q -y install /root/glovebox.deb")
    expect_true(f"gloveboxctl check in postinst: {said}",
                "fail" not in re.findall(r"(?m)^glovebox: (\w+)", said))
    for unit in UNITS:
        expect(unit, s.show(unit, "ActiveState"), "active")
        expect(unit, s.show(unit, "UnitFileState"), "enabled")
    expect("value", s.value("_ = 6 * 7"), 42)
    s.run("/usr/bin/gloveboxctl check --config " + CONF)


def every_layer_holds_under_the_units_hardening(s):
    health = s.health()
    expect("health", health["status"], "healthy")
    off = {name for name, is_on in health["layers"].items() if not is_on}
    kernel = tuple(int(n) for n in os.uname().release.split(".")[:2])
    too_new = {name for name, since in NEW_LAYERS.items() if kernel < since}
    # A virtual machine's processor may not let go of speculation.
    expect("layers that are off", off - {"speculation"}, too_new)


def figures_of_systemd_analyze_are_as_documented(s):
    with open(os.path.join(TREE, "docs", "OPERATIONS.md"),
              encoding="utf-8") as f:
        page = f.read()
    for unit in UNITS[1:]:
        said = s.run(f"systemd-analyze security --no-pager {unit}")
        figure = re.search(r"exposure level for \S+: ([\d.]+)", said).group(1)
        print(f"    {unit}: {figure}")
        expect_in(f"figure of {unit}", figure, page)


def reload_keeps_the_process_and_takes_settings(s):
    pid = s.show("glovebox.service", "MainPID")
    s.append(CONF, "MAX_QUEUED_EXECUTIONS=7\n")
    s.run("systemctl reload glovebox glovebox-nginx")
    expect("process", s.show("glovebox.service", "MainPID"), pid)
    expect("value", s.value("_ = 6 * 7"), 42)
    kept = s.read(CONF)
    s.append(CONF, "SERVICE_PORT=seventy\n")
    s.run("systemctl reload glovebox-nginx", status=1)
    with open(s.path(CONF), "w", encoding="utf-8") as f:
        f.write(kept)
    expect("value after a bad one", s.value("_ = 6 * 7"), 42)
    expect("nginx", s.show("glovebox-nginx.service", "ActiveState"), "active")


def request_starts_a_service_that_was_stopped(s):
    s.run("systemctl stop glovebox.service")
    expect("service", s.show("glovebox.service", "ActiveState"), "inactive")
    expect("socket", s.show("glovebox.socket", "ActiveState"), "active")
    expect("value", s.value("_ = 6 * 7"), 42)
    expect("service", s.show("glovebox.service", "ActiveState"), "active")


def restart_loses_neither_what_runs_nor_what_comes(s):
    token = s.read("/etc/glovebox/first-token").strip()
    code = "import time\\ntime.sleep(2)\\n_ = 42"
    out = s.run(
        "ask() { curl -sS -m 60 http://127.0.0.1:8030/execute -H 'Content-"
        f"Type: application/json' -H 'X-Executor-Token: {token}' -d "
        "'{\"profile\": \"standard\", \"code\": \"" + code + "\"}'; echo; };"
        "ask & sleep 1; systemctl restart --no-block glovebox; sleep 0.5;"
        "ask & wait")
    answers = [json.loads(line) for line in out.splitlines()]
    expect("values", [a.get("return_value") for a in answers], [42, 42])


def process_that_was_killed_is_started_again(s):
    before = int(s.show("glovebox.service", "NRestarts"))
    s.run("systemctl kill -s KILL --kill-who=main glovebox.service")
    eventually("it was started again", lambda: int(
        s.show("glovebox.service", "NRestarts")) == before + 1, 30)
    expect("value", s.value("_ = 6 * 7"), 42)


def watchdog_replaces_an_app_that_hangs(s):
    s.run("mkdir -p /run/systemd/system/glovebox.service.d && printf "
          "'[Service]\\nWatchdogSec=4\\nWatchdogSignal=SIGKILL\\n' "
          ">/run/systemd/system/glovebox.service.d/test.conf && "
          "systemctl daemon-reload && systemctl restart glovebox")
    pid = s.show("glovebox.service", "MainPID")
    s.run("systemctl kill -s STOP --kill-who=main glovebox.service")
    eventually("another process", lambda: s.show(
        "glovebox.service", "MainPID") not in (pid, "0"), 60, 0.5)
    s.run("journalctl -q -u glovebox.service | grep 'Watchdog timeout'")
    expect("value", s.value("_ = 6 * 7"), 42)
    s.run("rm -r /run/systemd/system/glovebox.service.d && "
          "systemctl daemon-reload && systemctl restart glovebox")


def audit_lines_reach_file_and_journal(s):
    s.run("gloveboxctl audit verify /var/log/glovebox/audit.log")
    s.run("logrotate -f /etc/logrotate.d/glovebox")
    expect("value", s.value("_ = 6 * 7"), 42)
    s.run("gloveboxctl audit verify /var/log/glovebox/audit.log.1 "
          "/var/log/glovebox/audit.log")
    kept = s.read(CONF)
    s.run(f"sed -i 's/^AUDIT_LOG=.*/AUDIT_LOG=journald/' {CONF} && "
          "systemctl restart glovebox")
    answer = s.ask("_ = 6 * 7")
    lines = eventually("a line", lambda: s.run(
        "journalctl -q -t glovebox-audit -o cat").splitlines(), 10)
    expect("id in the line", json.loads(lines[-1])["request_id"],
           answer["request_id"])
    with open(s.path(CONF), "w", encoding="utf-8") as f:
        f.write(kept)
    s.run("systemctl restart glovebox")


# The certificates of a runbook's reader; tests/flow/test_tls.py has some.
NOT_HERE = re.compile(r"CERTIFICATE|NAME|glovebox_certificate_expiry")
NO_COMMAND = re.compile(r": not found|No such file|[Uu]sage:|"
                        r"(unknown|invalid|unrecognized) (option|command)")


def runbook_commands():
    with open(os.path.join(TREE, "docs", "RUNBOOK.md"), encoding="utf-8") as f:
        lines = [line[4:].rstrip() for line in f if line.startswith("    ")]
    return [line for line in lines if not NOT_HERE.search(line)]


def commands_of_the_runbook_can_be_typed(s):
    """As they stand there, one after the other, in one shell's settings; a
    grep that finds nothing is no failure."""
    s.run("gloveboxctl token new --id runbook --config " + CONF)
    s.run("systemctl reload glovebox")
    settings = ""
    commands = runbook_commands()
    expect_true(f"only {len(commands)} commands", len(commands) > 20)
    for command in commands:
        if re.match(r"[A-Z]+=", command):
            settings += command + "; "
            continue
        typed = re.sub(r"\bID\b", "runbook", command)
        said = s.run(settings + typed, status=None)
        wrong = NO_COMMAND.search(said)
        expect_true(f"{command}: {said[-300:]}", not wrong)
    expect("value", s.value("_ = 6 * 7"), 42)


def upgrade_keeps_settings_and_serves(s):
    tokens = s.read("/etc/glovebox/tokens.json")
    s.run("apt-get -q -y install --reinstall /root/glovebox.deb")
    expect("tokens", s.read("/etc/glovebox/tokens.json"), tokens)
    expect_in("settings", "MAX_QUEUED_EXECUTIONS=7", s.read(CONF))
    expect("value", s.value("_ = 6 * 7"), 42)


def purge_leaves_no_trace(s):
    s.run("apt-get -q -y remove glovebox")
    expect_true("settings stay", os.path.exists(s.path(CONF)))
    s.run("apt-get -q -y purge glovebox")
    s.run("rm /root/glovebox.deb")
    expect("what is new or gone", sorted(s.files() ^ s.before), [])
    for unit in UNITS:
        expect(unit, s.show(unit, "LoadState"), "not-found")
    expect("processes", s.run(
        "cat /proc/[0-9]*/comm | grep glovebox || true"), "")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of exit
    deb = os.path.abspath(sys.argv[1])
    root = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(
        TREE, "build", "debian"))
    make_root(root, deb)
    failed = 0
    with System(root, deb) as s:
        for promise in (
                package_installs_and_the_service_starts,
                every_layer_holds_under_the_units_hardening,
                figures_of_systemd_analyze_are_as_documented,
                reload_keeps_the_process_and_takes_settings,
                request_starts_a_service_that_was_stopped,
                restart_loses_neither_what_runs_nor_what_comes,
                process_that_was_killed_is_started_again,
                watchdog_replaces_an_app_that_hangs,
                audit_lines_reach_file_and_journal,
                commands_of_the_runbook_can_be_typed,
                upgrade_keeps_settings_and_serves,
                purge_leaves_no_trace):
            failed += not is_kept(promise, s)
            if failed:
                break
    return 1 if failed else 0


def is_kept(promise, s):
    name = promise.__name__
    start = time.monotonic()
    try:
        promise(s)
    except (Failure, OSError, ValueError) as e:
        print(f"not ok debian.{name} - {e}", flush=True)
        return False
    print(f"ok debian.{name} ({time.monotonic() - start:.1f} s)", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
