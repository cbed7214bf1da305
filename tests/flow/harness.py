"""harness - a whole Glovebox for a test: the app, its sandbox and an nginx

A Service runs ./ops/up, the same command an operator runs, in a fresh state
directory, on a free port, with the settings that the test asks for.  Nothing is
shared between two Services, so any number can run at once.  stop() also checks
that nothing is left: no process, no socket, no directory.

Only what Debian's python3 has is used.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PROGRAMS = os.environ.get(
    "GLOVEBOX_PROGRAMS", os.path.join(ROOT, "build", "release"))

# The long forms of tests that have one: make check-resources, check-faults.
LONG = bool(os.environ.get("GLOVEBOX_LONG"))

TOKEN = "flow-test-token-0123456789abcdef"
OTHER_USER = 61234  # nobody in particular; must not be a user of the system

# Rates are tested in test_edge.py; everywhere else they would be in the way.
PRESETS = {
    "EXECUTOR_API_TOKEN": TOKEN,
    "RATE_LIMIT_PER_MINUTE": "1000000",
    "RATE_LIMIT_BURST": "100000",
    "REFUSED_TOKENS_PER_MINUTE": "0",
    "CANARY_SECONDS": "1",
}


class Failure(Exception):
    """A promise was not kept; the message says which and how."""


def expect(what, got, wanted):
    if got != wanted or type(got) is not type(wanted):
        raise Failure(f"{what}: got {got!r}, wanted {wanted!r}")


def expect_true(what, holds):
    if not holds:
        raise Failure(what)


def expect_in(what, part, whole):
    if part not in whole:
        raise Failure(f"{what}: {part!r} is not in {whole!r}")


def expect_between(what, got, low, high):
    if not low <= got <= high:
        raise Failure(f"{what}: got {got!r}, wanted {low!r} to {high!r}")


def eventually(what, check, seconds=5.0, every=0.02):
    """Wait for check() to be true; its last value is returned."""
    end = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(every)


# --- claims -------------------------------------------------------------------

CLAIMS = []


def claim(function):
    """A test that gets the Service of its file (SETTINGS of the module)."""
    CLAIMS.append((function, True))
    return function


def claim_alone(function):
    """A test that starts what it needs by itself."""
    CLAIMS.append((function, False))
    return function


# --- processes ----------------------------------------------------------------


def process_stat(pid):
    """Fields of /proc/PID/stat after the name, or None: no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            return f.read().rpartition(b")")[2].split()
    except OSError:
        return None


def process_name(pid):
    try:
        with open(f"/proc/{pid}/comm") as f:
            return f.read().strip()
    except OSError:
        return ""


def namespaces_around(pid):
    """In how many PID namespaces it has a number."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as f:
            return len(re.search(r"(?m)^NSpid:(.*)$", f.read())[1].split())
    except OSError:
        return 0


def process_parent(pid):
    stat = process_stat(pid)
    return int(stat[1]) if stat else None


def process_born(pid):
    """Start time in ticks: with the pid, it names a process for good."""
    stat = process_stat(pid)
    return stat[19] if stat and stat[0] != b"Z" else None


def process_tree(root):
    """Descendants of a process, as {pid: born}, without itself."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = process_stat(int(name))
            if stat and stat[0] != b"Z":
                children.setdefault(int(stat[1]), []).append(
                    (int(name), stat[19]))
    found, todo = {}, [root]
    while todo:
        for pid, born in children.get(todo.pop(), []):
            found[pid] = born
            todo.append(pid)
    return found


def still_there(processes):
    return [f"{pid} ({process_name(pid)})"
            for pid, born in processes.items() if process_born(pid) == born]


def signal_all(pids, number):
    """Of which some, as a box does, may have ended by themselves."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def gone_at_last(processes, seconds=5.0):
    """What of them is left; a kernel under load takes a while to take the
    killed apart."""
    end = time.monotonic() + seconds
    while still_there(processes) and time.monotonic() < end:
        time.sleep(0.05)
    return still_there(processes)


def memory_kb(pid):
    """Private memory in KiB: what growing would show in."""
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    return 0


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def make_certificate(home, days=30):
    """A certificate that signs itself, and its key, for localhost."""
    certificate = os.path.join(home, "certificate.pem")
    key = os.path.join(home, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", str(days), "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,"
         "DNS:glovebox.example,IP:127.0.0.1", "-keyout", key, "-out",
         certificate], check=True, stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    return certificate, key


# --- answers ------------------------------------------------------------------


class Answer:
    """Status, headers (a list of pairs, duplicates kept) and body."""

    def __init__(self, status, headers, body, seconds):
        self.status = status
        self.headers = headers
        self.body = body
        self.seconds = seconds

    def all(self, name):
        return [v for k, v in self.headers if k.lower() == name.lower()]

    def header(self, name):
        values = self.all(name)
        if len(values) > 1:
            raise Failure(f"header {name} is there {len(values)} times")
        return values[0] if values else None

    @property
    def json(self):
        try:
            return json.loads(self.body.decode("utf-8", "strict"),
                              parse_constant=self._no_constant)
        except ValueError as e:
            raise Failure(f"the body of a {self.status} is no JSON ({e}): "
                          f"{self.body[:200]!r}") from None

    @staticmethod
    def _no_constant(name):
        raise ValueError(f"{name} is not JSON")

    @property
    def detail(self):
        return self.json["detail"]


def expect_error(answer, status, detail=None):
    """An error of the contract: JSON with two keys, whoever made it; a 400 may
    say more about the code that was refused."""
    if answer.status != status:
        raise Failure(f"got {answer.status} {answer.body[:200]!r}, "
                      f"wanted {status}")
    more = {"line", "rule", "hint"} if status == 400 else set()
    expect("keys of the error", sorted(set(answer.json) - more),
           ["detail", "request_id"])
    expect("request_id of the error", answer.json["request_id"],
           answer.header("X-Request-ID"))
    expect_in("type of the error", "application/json",
              answer.header("Content-Type") or "")
    if detail is not None:
        expect("detail", answer.detail, detail)
    return answer


# --- the service --------------------------------------------------------------


RUNNING = set()  # services that are not to outlive the tests


def stop_all():
    """For a run that is broken off: stop what was started."""
    for service in list(RUNNING):
        service.kill(process_tree(service.process.pid))
        service.forget()


class Service:
    def __init__(self, user=None, arguments=(), config=None,
                 has_user_namespaces=True, has_tls=False, **settings):
        self.user = user
        self.has_tls = has_tls
        self.has_user_namespaces = has_user_namespaces
        self.arguments = list(arguments)
        self.config = config
        self.settings = {**PRESETS, **settings}
        self.settings = {k: str(v) for k, v in self.settings.items()
                         if v is not None}
        self.process = None
        self.home = None

    # -- starting and stopping

    def prepare(self):
        """A directory, a port, the command and its environment."""
        self.home = tempfile.mkdtemp(prefix="gbflow.")
        os.chmod(self.home, 0o755)
        self.state = os.path.join(self.home, "state")
        self.log = os.path.join(self.home, "log")
        os.mkdir(self.state)
        if self.has_tls:
            self.certificate, self.key = make_certificate(self.home)
            self.settings.setdefault("TLS_CERTIFICATE", self.certificate)
            self.settings.setdefault("TLS_KEY", self.key)
        self.port = int(self.settings.setdefault(
            "SERVICE_PORT", str(free_port())))
        root, programs = ROOT, PROGRAMS
        command = []
        if self.user is not None:
            # That user may not be able to enter the checkout.
            root = os.path.join(self.home, "tree")
            for part in ("ops", "nginx"):
                shutil.copytree(os.path.join(ROOT, part),
                                os.path.join(root, part))
            programs = os.path.join(self.home, "programs")
            shutil.copytree(PROGRAMS, programs, ignore=lambda d, names: [
                n for n in names if not n.startswith("glovebox")])
            os.chown(self.state, self.user, self.user)
            command = self.as_user()
        elif self.settings.pop("OWN_PROGRAMS", None):
            # A test that means to spoil them.
            programs = os.path.join(self.home, "programs")
            shutil.copytree(PROGRAMS, programs, ignore=lambda d, names: [
                n for n in names if not n.startswith("glovebox")])
        self.programs = programs
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
                    ":/sbin:/bin",
            "GLOVEBOX_STATE": self.state,
            "GLOVEBOX_PROGRAMS": programs,
            **self.settings,
        }
        if self.config is not None:
            path = os.path.join(self.home, "glovebox.conf")
            self.write(path, self.config)
            environment["GLOVEBOX_CONFIG"] = path
        command += [os.path.join(root, "ops", "up"), "--no-build",
                    *self.arguments]
        return command, environment

    def as_user(self):
        """Run what follows as that user.  The kernel gives nobody a user
        namespace whose root is not the root of its mounts: that is how a
        machine without them is played."""
        plain = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}",
                 "--clear-groups"]
        if self.has_user_namespaces or subprocess.run(
                [*plain, "unshare", "--user", "true"], check=False,
                stderr=subprocess.DEVNULL).returncode != 0:
            return plain
        root = os.path.join(self.home, "root")
        os.mkdir(root)
        return ["unshare", "--mount", "sh", "-c",
                'mount --rbind / "$0" && exec chroot '
                f'--userspec={self.user}:{self.user} --groups= "$0" "$@"',
                root]

    def launch(self, command=None, environment=None, out=None):
        """Start without waiting; with what prepare() gave, if it was
        changed; `out`: where it says things, if not to the log."""
        if command is None:
            try:
                command, environment = self.prepare()
            except BaseException:
                self.forget()
                raise
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log if out is None else out,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                cwd="/", start_new_session=True)
        RUNNING.add(self)
        return self

    def start(self):
        self.launch()
        return self.wait_until_up()

    def wait_until_up(self):
        eventually("the service is up", self._is_up_or_gone, 60)
        if self.process.poll() is not None:
            log = self.log_text()
            self.forget()
            raise Failure(f"the service did not start: {log[-2000:]}")
        return self

    def _is_up_or_gone(self):
        return (self.process.poll() is not None
                or "  stop   Ctrl-C\n" in self.log_text())

    def stop(self, how=signal.SIGTERM, seconds=60):
        """Stop as Ctrl-C does, and look for what is left."""
        processes = process_tree(self.process.pid)
        run = os.path.realpath(os.path.join(self.state, "run"))
        self.process.send_signal(how)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill(processes)
            self.forget()
            raise Failure("the service does not stop") from None
        log = self.log_text()
        left = gone_at_last(processes)
        entries = sorted(os.listdir(self.state))
        is_run_left = os.path.exists(run)
        self.kill(processes)
        self.forget()
        expect("exit status of ops/up", status, 0)
        expect("processes left behind", left, [])
        expect("run directory left behind", is_run_left, False)
        expect_true(f"files left behind: {entries}",
                    set(entries) <= {"lock", "token"})
        return log

    def kill(self, processes):
        """Without asking.  The run directory may lie outside the state."""
        run = os.path.realpath(os.path.join(self.state, "run"))
        for pid, born in processes.items():
            if process_born(pid) == born:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(run, ignore_errors=True)

    def forget(self):
        RUNNING.discard(self)
        if self.home:
            shutil.rmtree(self.home, ignore_errors=True)
            self.home = None

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        if self.home is None:
            return  # stopped by the test itself
        if kind is None:
            self.stop()
            return
        tail = self.log_text()[-3000:]
        with contextlib.suppress(Exception):
            self.stop(seconds=20)
        self.forget()
        if isinstance(value, Failure):
            value.log = tail

    # -- new settings and new programs

    def configure(self, text):
        """Another settings file; it counts from the next reload on."""
        self.write(os.path.join(self.home, "glovebox.conf"), text)

    def reload(self, *arguments):
        """./ops/reload, as an operator calls it: exit status and words."""
        done = subprocess.run(
            [os.path.join(ROOT, "ops", "reload"), "--no-build", *arguments],
            env={"PATH": os.environ["PATH"], "GLOVEBOX_STATE": self.state},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            stdin=subprocess.DEVNULL, timeout=150, check=False)
        return done.returncode, done.stdout

    # -- looking at it

    def log_text(self):
        try:
            with open(self.log, errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def write(self, path, text):
        """Put a file in place at once, readable for whom the app becomes."""
        with open(path + ".new", "w") as f:
            f.write(text)
        os.chmod(path + ".new", 0o644)
        os.rename(path + ".new", path)

    def pid(self, name):
        with open(os.path.join(self.state, "run", name + ".pid")) as f:
            return int(f.read())

    @property
    def app_pid(self):
        return self.pid("glovebox")

    @property
    def nginx_pid(self):
        return self.pid("nginx")

    def sandbox_pids(self):
        """All processes below the app: warden, templates, boxes."""
        return process_tree(self.app_pid)

    def named(self, name):
        """Processes below the app with that name, oldest first; not a child
        that has its parent's name because it has not its own yet."""
        found = {pid: born for pid, born in self.sandbox_pids().items()
                 if process_name(pid) == name}
        return sorted((int(born), pid) for pid, born in found.items()
                      if process_parent(pid) not in found)

    def warden_pid(self):
        wardens = self.named("glovebox-warden")
        if len(wardens) != 1:
            raise Failure(f"{len(wardens)} wardens are running")
        return wardens[0][1]

    def template_pids(self):
        """Not a box that has its template's name because it has not its own
        yet: that is the first of a namespace."""
        return [pid for _, pid in self.named("glovebox-tmpl")
                if namespaces_around(pid) == 1]

    def box_pids(self):
        return [pid for _, pid in self.named("glovebox-box")]

    # -- calling it

    def raw(self, data, seconds=15.0, shut=False):
        """Bytes out, bytes in, until the other side closes."""
        with self.socket(seconds) as s:
            s.sendall(data)
            if shut:
                s.shutdown(socket.SHUT_WR)
            parts = []
            while True:
                try:
                    part = s.recv(65536)
                except (ConnectionResetError, TimeoutError):
                    break
                if not part:
                    break
                parts.append(part)
            return b"".join(parts)

    def socket(self, seconds=15.0, source=None):
        """A connection, over TLS if that is what the port speaks; `source` is
        the address to come from, of 127.0.0.0/8."""
        s = socket.create_connection(
            ("127.0.0.1", self.port), seconds,
            source_address=(source, 0) if source else None)
        return self.tls().wrap_socket(s) if self.has_tls else s

    @staticmethod
    def tls():
        """Of a client that believes every certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context

    def connect(self, seconds=90.0):
        if self.has_tls:
            return http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=seconds, context=self.tls())
        return http.client.HTTPConnection("127.0.0.1", self.port, seconds)

    def curl(self, path, *arguments, data=None, port=None):
        """What curl gets, as an Answer; it calls by the name and checks the
        certificate."""
        scheme = "https" if self.has_tls and port is None else "http"
        command = ["curl", "-sS", "-i", "-m", "30", *arguments]
        if self.has_tls:
            command += ["--cacert", self.certificate]
        if data is not None:
            command += ["--data-binary", "@-"]
        start = time.monotonic()
        done = subprocess.run(
            [*command, f"{scheme}://localhost:{port or self.port}{path}"],
            input=data, capture_output=True, check=False)
        if done.returncode != 0:
            raise Failure(f"curl: {done.stderr.decode()}")
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = [tuple(line.split(": ", 1)) for line in lines[1:]]
        return Answer(int(lines[0].split()[1]), headers, body,
                      time.monotonic() - start)

    def call(self, method, path, body=None, headers=(), connection=None):
        """One request; headers is a list of pairs and may hold doubles."""
        c = connection or self.connect()
        start = time.monotonic()
        if isinstance(body, str):
            body = body.encode()
        try:
            c.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers:
                c.putheader(name, value)
            if body is not None:
                c.putheader("Content-Length", str(len(body)))
            c.endheaders(body)
            r = c.getresponse()
            data = r.read()
            return Answer(r.status, r.getheaders(), data,
                          time.monotonic() - start)
        finally:
            if connection is None:
                c.close()

    def get(self, path, headers=()):
        return self.call("GET", path, None, headers)

    def post(self, path, value, headers=None, connection=None):
        """POST a JSON value (or bytes as they are) with the token."""
        if headers is None:
            headers = [("X-Executor-Token", TOKEN)]
        if not any(k.lower() == "content-type" for k, _ in headers):
            headers = [("Content-Type", "application/json"), *headers]
        body = value if isinstance(value, bytes) else json.dumps(value)
        return self.call("POST", path, body, headers, connection)

    def execute(self, code, headers=None, connection=None, **fields):
        return self.post("/execute", {"code": code, **fields}, headers,
                         connection)

    def run(self, code, **fields):
        """The answer to a program that was run, whatever became of it."""
        answer = self.execute(code, **fields)
        if answer.status != 200:
            raise Failure(f"got {answer.status} {answer.body[:300]!r}, "
                          "wanted 200")
        return answer.json

    def value(self, code, **fields):
        """The value of a program that must succeed."""
        result = self.run(code, **fields)
        if result["status"] != "ok":
            raise Failure(f"{result['status']}: {result['error']}")
        return result["return_value"]


class Responder:
    """One more app, without nginx, for a Service to have as an upstream."""

    def __init__(self, **settings):
        self.home = tempfile.mkdtemp(prefix="gbresp.")
        os.chmod(self.home, 0o755)
        self.path = os.path.join(self.home, "fcgi.sock")
        self.settings = {
            "PATH": "/usr/bin:/bin", **PRESETS, "SOCKET_PATH": self.path,
            **{k: str(v) for k, v in settings.items() if v is not None}}
        for key in [k for k, v in settings.items() if v is None]:
            del self.settings[key]
        if os.geteuid() == 0:
            self.settings["SOCKET_GROUP"] = "www-data"
        self.process = None

    @property
    def upstream(self):
        return self.settings.get("FASTCGI_ADDRESS") or f"unix:{self.path}"

    def __enter__(self):
        self.launch([os.path.join(PROGRAMS, "glovebox")])
        try:
            eventually("the responder serves", self._serves, 60)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def launch(self, command, **options):
        """Without waiting; its log is empty again."""
        with open(os.path.join(self.home, "log"), "wb") as log:
            self.process = subprocess.Popen(
                command, env=self.settings, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, cwd="/",
                start_new_session=True, **options)

    def _serves(self):
        if self.process.poll() is not None:
            raise Failure(f"the responder ended: {self.log_text()[-800:]}")
        return " serving " in self.log_text()

    def __exit__(self, kind, value, trace):
        below = process_tree(self.process.pid)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        try:
            eventually("the responder's processes are gone",
                       lambda: not still_there(below), 10)
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def log_text(self):
        with open(os.path.join(self.home, "log"), errors="replace") as f:
            return f.read()


class Load:
    """Callers that call until told to stop; each answer is looked at."""

    def __init__(self, service, callers=6):
        self.service = service
        self.answered = 0
        self.wrong = []
        self._end = False
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._call, args=(i,),
                                          daemon=True)
                         for i in range(callers)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self._end = True
        for thread in self._threads:
            thread.join(120)

    def _call(self, number):
        n = number * 1000000
        while not self._end:
            n += 1
            try:
                answer = self.service.execute(
                    f"x = sum(range(5000))\n_ = {n}")
                is_right = (answer.status == 200
                            and answer.json["return_value"] == n)
                what = (answer.status, answer.body[:200])
            except (OSError, http.client.HTTPException) as e:
                is_right, what = False, repr(e)
            with self._lock:
                self.answered += 1
                if not is_right:
                    self.wrong.append(what)

    def expect_no_loss(self, least):
        expect("calls that were not answered right",
               (len(self.wrong), self.wrong[:3]), (0, []))
        expect_true(f"only {self.answered} calls were made",
                    self.answered >= least)


class Later:
    """A call in a thread; result() waits for it."""

    def __init__(self, function, *args, **kwargs):
        self._value = None
        self._error = None
        self._thread = threading.Thread(
            target=self._run, args=(function, args, kwargs), daemon=True)
        self._thread.start()

    def _run(self, function, args, kwargs):
        try:
            self._value = function(*args, **kwargs)
        except BaseException as e:  # handed on by result()
            self._error = e

    def is_done(self):
        return not self._thread.is_alive()

    def result(self, seconds=120):
        self._thread.join(seconds)
        if self._thread.is_alive():
            raise Failure(f"no answer within {seconds} s")
        if self._error:
            raise self._error
        return self._value
