"""columns - what the bench compares: Glovebox, its floor and its peers

A column runs a workload with a number of calls in flight for some seconds and
tells how many there were, how long each took, and what the machine paid:

  Slice  times in ms, seconds, CPU seconds and page faults of all who worked
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "flow"))

import harness  # noqa: E402  (needs the path above)

TICKS = os.sysconf("SC_CLK_TCK")
PYTHON = ["/usr/bin/python3", "-I", "-S", "-c"]


class Slice:
    def __init__(self, text, cpu=None, faults=None):
        head, *rest = text.splitlines()
        figures = json.loads(head)
        self.times = [int(line) / 1000 for line in rest]
        self.count = figures["count"]
        self.wrong = figures["wrong"]
        self.seconds = figures["seconds"]
        self.cpu = cpu if cpu is not None else figures["work_cpu"]
        self.faults = faults if faults is not None else figures["faults"]


def command(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise harness.Failure(f"{arguments[:4]}: {done.stderr[-500:]}")
    return done.stdout


def tree_cost(root):
    """CPU seconds and page faults of a process, all below it, and all that
    they have waited for."""
    cpu = faults = 0
    for pid in [root, *harness.process_tree(root)]:
        stat = harness.process_stat(pid)
        if stat:
            faults += int(stat[7]) + int(stat[8])
            cpu += sum(int(stat[i]) for i in (11, 12, 13, 14))
    return cpu / TICKS, faults


class Column:
    """Something that runs programs."""

    name = None
    only_trivial = False  # it runs no program, or always the same
    most_in_flight = 128

    def start(self, build, scratch):
        self.load = os.path.join(build, "load")
        self.floor = os.path.join(build, "floor")
        self.scratch = scratch

    def stop(self):
        pass

    def load_with(self, workload):
        if workload.pause_ms:
            return [self.load, "-p", str(workload.pause_ms)]
        return [self.load]

    def file(self, name, data):
        path = os.path.join(self.scratch, name.replace(" ", "_"))
        with open(path, "wb") as f:
            f.write(data)
        return path


class Http(Column):
    """A service on a port, asked by load.c."""

    path = "/execute"
    headers = ""

    def root_pid(self):
        raise NotImplementedError

    def request(self, workload):
        body = self.body(workload)
        head = (f"POST {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Content-Type: application/json\r\n{self.headers}"
                f"Content-Length: {len(body)}\r\n\r\n")
        return self.file(f"{self.name}.{workload.name}.request",
                         head.encode() + body)

    def body(self, workload):
        return workload.body()

    def wanted(self, workload):
        return workload.wanted

    def measure(self, workload, in_flight, seconds):
        before = tree_cost(self.root_pid())
        text = command([*self.load_with(workload), "http", str(self.port),
                        str(in_flight), str(seconds), self.request(workload),
                        self.wanted(workload)])
        after = tree_cost(self.root_pid())
        return Slice(text, after[0] - before[0], after[1] - before[1])


class Glovebox(Http):
    name = "glovebox"

    def __init__(self, cpus=None, **settings):
        self.settings = {
            "MAX_CONCURRENT_EXECUTIONS": 2 * (os.cpu_count() or 1),
            "MAX_QUEUED_EXECUTIONS": 512,
            "QUEUE_TIMEOUT_MS": 60000,
            "AUDIT_LOG": "",
            "CANARY_SECONDS": "3600",
            **settings,
        }
        self.cpus = cpus

    def start(self, build, scratch):
        super().start(build, scratch)
        harness.PROGRAMS = build
        self.service = harness.Service(**self.settings)
        if self.cpus:
            old = os.sched_getaffinity(0)
            os.sched_setaffinity(0, self.cpus)
            self.service.start()
            os.sched_setaffinity(0, old)
        else:
            self.service.start()
        self.port = self.service.port
        self.headers = f"X-Executor-Token: {harness.TOKEN}\r\n"

    def stop(self):
        self.service.stop()

    def root_pid(self):
        return self.service.process.pid


class NoRun(Http):
    """The same service, asked for something that it refuses: nginx, FastCGI,
    token, JSON, and back."""

    name = "no run"
    only_trivial = True

    def __init__(self, glovebox):
        self.glovebox = glovebox

    def start(self, build, scratch):
        super().start(build, scratch)
        self.port = self.glovebox.port
        self.headers = self.glovebox.headers

    def root_pid(self):
        return self.glovebox.root_pid()

    def body(self, workload):
        return b"{}"

    def wanted(self, workload):
        return "detail"


class Mcp(NoRun):
    """The same service and program, called as a tool of an agent."""

    name = "mcp"
    path = "/mcp"

    def body(self, workload):
        return json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "run_python",
                "arguments": json.loads(workload.body())}}).encode()

    def wanted(self, workload):
        return workload.wanted


class Floor(Column):
    """fork, exit, wait: what no run can be cheaper than."""

    only_trivial = True
    most_in_flight = 64

    def __init__(self, name, kind):
        self.name = name
        self.kind = kind

    def measure(self, workload, in_flight, seconds):
        return Slice(command([self.floor, self.kind,
                              str(min(in_flight, 64)), str(seconds)]))


class Spawn(Column):
    """A process for each program."""

    def __init__(self, name, prefix):
        self.name = name
        self.prefix = prefix

    def measure(self, workload, in_flight, seconds):
        stdin = self.file(f"{workload.name}.stdin", workload.stdin.encode())
        return Slice(command([
            *self.load_with(workload), "spawn", str(in_flight), str(seconds),
            workload.python_wanted, stdin, *self.prefix, *PYTHON,
            workload.python]))


BUBBLEWRAP = [
    "/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--clearenv",
    "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib",
    "--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev",
    "--"]


class Predecessor(Http):
    name = "predecessor"
    most_in_flight = 32

    def start(self, build, scratch):
        super().start(build, scratch)
        self.port = harness.free_port()
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-m", "uvicorn", "--app-dir", HERE,
             "--port", str(self.port), "--log-level", "warning",
             "predecessor:app"], stdin=subprocess.DEVNULL)
        harness.eventually("the predecessor is up", self.is_up, 30)

    def is_up(self):
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}/health", timeout=1) as r:
                return r.status == 200
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def root_pid(self):
        return self.process.pid


def columns():
    """Those that can be had on this machine, and the names of the others."""
    glovebox = Glovebox()
    found = [glovebox, Mcp(glovebox), NoRun(glovebox),
             Floor("fork floor", "bare"),
             Floor("fork + program", "program"), Spawn("python3", [])]
    missing = []
    if os.path.exists(BUBBLEWRAP[0]):
        found.append(Spawn("bubblewrap", BUBBLEWRAP))
    else:
        missing.append("bubblewrap")
    nsjail = shutil.which("nsjail")
    if nsjail:
        found.append(Spawn("nsjail", [
            nsjail, "-Mo", "-Q", "--disable_proc", "-R", "/usr", "-R", "/lib",
            "-R", "/lib64", "--"]))
    else:
        missing.append("nsjail")
    missing += [n for n in ("go-judge", "piston") if not shutil.which(n)]
    if subprocess.run(["/usr/bin/python3", "-c", "import fastapi, uvicorn"],
                      check=False, capture_output=True).returncode == 0:
        found.append(Predecessor())
    else:
        missing.append("predecessor")
    return found, missing


def scratch_directory():
    return tempfile.mkdtemp(prefix="glovebox-bench.")
