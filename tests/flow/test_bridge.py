"""gloveboxctl mcp: what a client that starts a program sees.

The service is mostly played here, so that it can be slow, silent or gone at the
right moment.  With the real one, official clients try the bridge in
tests/mcp/run.py.
"""

import contextlib
import json
import os
import socket
import subprocess
import tempfile
import threading
import time

import harness
from harness import (Failure, Service, claim_alone, eventually, expect,
                     expect_between, expect_in, expect_true)

TOKEN = "bridge-test-token"


class FakeService:
    """Takes requests and answers each when, and as, the test says."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._read, args=(connection,),
                             daemon=True).start()

    def _read(self, connection):
        f = connection.makefile("rb")
        head = {}
        for line in iter(f.readline, b"\r\n"):
            if not line:
                return
            name, _, value = line.decode().partition(":")
            head[name.lower()] = value.strip()
        body = json.loads(f.read(int(head["content-length"])))
        with self.lock:
            self.requests.append((head, body, connection))

    def wait_for(self, count):
        """The requests, once there are so many."""
        eventually(f"{count} requests", lambda: len(self.requests) >= count)
        with self.lock:
            return list(self.requests)

    def request(self, request_id):
        """Headers and connection of the request with that id."""
        def find():
            with self.lock:
                return [(h, c) for h, b, c in self.requests
                        if b.get("id") == request_id]
        return eventually(f"request {request_id}", find)[0]

    @staticmethod
    def answer(connection, value):
        body = json.dumps(value).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json"
                           b"\r\nContent-Length: %d\r\n\r\n" % len(body)
                           + body)
        connection.close()

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(5)
        for _, _, connection in self.requests:
            connection.close()


class Bridge:
    """The program with pipes; every line it says is kept."""

    def __init__(self, port, *arguments, token=TOKEN, listens=True):
        environment = {"PATH": "/usr/bin:/bin"}
        if token is not None:
            environment["EXECUTOR_API_TOKEN"] = token
        self.process = subprocess.Popen(
            [os.path.join(harness.PROGRAMS, "gloveboxctl"), "mcp",
             "--url", f"http://127.0.0.1:{port}/mcp", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment)
        self.said = []
        self.thread = threading.Thread(target=self._listen, daemon=True)
        if listens:
            self.thread.start()

    def _listen(self):
        for line in self.process.stdout:
            self.said.append(json.loads(line))

    def send(self, **message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def answer(self, request_id, seconds=10):
        def find():
            return [m for m in self.said if m.get("id") == request_id
                    and "method" not in m]
        return eventually(f"an answer to {request_id}", find, seconds)[0]

    def end(self, seconds=10):
        """Close its input; exit status and what it said to the operator."""
        self.process.stdin.close()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure("the bridge does not end") from None
        self.thread.join(5)
        return status, self.process.stderr.read().decode()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.thread.ident is not None:
            self.thread.join(5)
        for pipe in (self.process.stdin, self.process.stdout,
                     self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


@contextlib.contextmanager
def bridged(*arguments, **options):
    service = FakeService()
    bridge = Bridge(service.port, *arguments, **options)
    try:
        yield bridge, service
    finally:
        bridge.close()
        service.stop()


def is_closed(connection):
    """The other side has hung up."""
    connection.settimeout(0.05)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


@claim_alone
def bridge_lets_no_request_wait_for_another():
    with bridged() as (bridge, service):
        bridge.send(id="slow", method="tools/call", params={"name": "x"})
        _, slow = service.request("slow")
        bridge.send(id=0, method="ping")
        FakeService.answer(service.request(0)[1], {"id": 0, "result": {}})
        expect("answer", bridge.answer(0), {"id": 0, "result": {}})
        expect("answers so far", len(bridge.said), 1)
        FakeService.answer(slow, {"id": "slow", "result": {}})
        expect("answer", bridge.answer("slow")["result"], {})
        expect("end", bridge.end(), (0, ""))


@claim_alone
def bridge_ends_after_the_answers_that_are_owed():
    with bridged() as (bridge, service):
        bridge.send(id=1, method="ping")
        bridge.send(method="notifications/initialized")
        requests = service.wait_for(2)
        bridge.process.stdin.close()
        expect_true("it waits", bridge.process.poll() is None)
        for _, message, connection in requests:
            if "id" in message:
                FakeService.answer(connection, {"id": 1, "result": {"a": 2}})
            else:
                connection.sendall(b"HTTP/1.1 202 Accepted\r\n"
                                   b"Content-Length: 0\r\n\r\n")
        expect("status", bridge.process.wait(10), 0)
        bridge.thread.join(5)
        expect("said", bridge.said, [{"id": 1, "result": {"a": 2}}])


@claim_alone
def bridge_hangs_up_on_a_request_that_is_cancelled():
    with bridged() as (bridge, service):
        for i in (1, 2):
            bridge.send(id=i, method="tools/call", params={"name": "x"})
        _, first = service.request(1)
        _, second = service.request(2)
        bridge.send(method="notifications/cancelled",
                    params={"requestId": 1, "reason": "enough"})
        eventually("the service sees it", lambda: is_closed(first))
        expect_true("the other goes on", not is_closed(second))
        FakeService.answer(second, {"id": 2, "result": {}})
        bridge.answer(2)
        expect("end", bridge.end(), (0, ""))
        expect("said", bridge.said, [{"id": 2, "result": {}}])
        expect("requests", len(service.requests), 2)


@claim_alone
def bridge_hangs_up_on_everything_when_its_client_is_gone():
    # A pipe that a thread reads from cannot be closed.
    with bridged(listens=False) as (bridge, service):
        bridge.send(id=1, method="tools/call", params={"name": "x"})
        _, connection = service.request(1)
        bridge.process.stdin.close()
        expect_true("it waits for the answer", not is_closed(connection))
        bridge.process.stdout.close()
        eventually("the service sees it", lambda: is_closed(connection))
        expect("status", bridge.process.wait(10), 0)


@claim_alone
def bridge_holds_32_requests_and_says_so_to_the_next():
    with bridged() as (bridge, service):
        for i in range(33):
            bridge.send(id=i, method="tools/call", params={"name": "x"})
        refused = bridge.answer(32)
        expect("code", refused["error"]["code"], -32603)
        expect_in("message", "Too many requests", refused["error"]["message"])
        service.wait_for(32)
        bridge.send(method="notifications/cancelled",
                    params={"requestId": 7})
        bridge.send(id="after", method="ping")
        FakeService.answer(service.request("after")[1],
                           {"id": "after", "result": {}})
        bridge.answer("after")
        for i in range(32):
            if i != 7:
                FakeService.answer(service.request(i)[1],
                                   {"id": i, "result": {}})
        expect("end", bridge.end(), (0, ""))
        expect("answers", len(bridge.said), 33)


@claim_alone
def bridge_passes_events_on_as_they_come():
    with bridged() as (bridge, service):
        bridge.send(id=5, method="tools/call", params={"name": "x"})
        _, connection = service.request(5)
        connection.sendall(b"HTTP/1.1 200 OK\r\n"
                           b"Content-Type: text/event-stream\r\n\r\n"
                           b'data: {"method":"notifications/progress"}\n\n')
        eventually("progress", lambda: bridge.said)
        expect("first", bridge.said[0], {"method": "notifications/progress"})
        connection.sendall(b'data: {"id":5,"result":{}}\n\n')
        bridge.answer(5)
        connection.close()
        expect("end", bridge.end(), (0, ""))


@claim_alone
def bridge_tells_when_the_service_breaks_off_in_the_middle():
    with bridged() as (bridge, service):
        bridge.send(id=5, method="tools/call", params={"name": "x"})
        _, connection = service.request(5)
        connection.sendall(b"HTTP/1.1 200 OK\r\n"
                           b"Content-Type: text/event-stream\r\n\r\n"
                           b'data: {"method":"notifications/progress"}\n\n')
        eventually("progress", lambda: bridge.said)
        connection.shutdown(socket.SHUT_RDWR)
        expect_in("message", "without an answer",
                  bridge.answer(5)["error"]["message"])


@claim_alone
def bridge_gives_up_after_its_timeout_and_goes_on():
    with bridged("--timeout", "1") as (bridge, service):
        bridge.send(id=5, method="tools/call", params={"name": "x"})
        _, connection = service.request(5)
        expect_in("message", "says nothing",
                  bridge.answer(5)["error"]["message"])
        expect_true("it has hung up", is_closed(connection))
        bridge.send(id=6, method="ping")
        FakeService.answer(service.request(6)[1], {"id": 6, "result": {}})
        bridge.answer(6)


@claim_alone
def bridge_speaks_the_version_that_was_agreed_on():
    with bridged() as (bridge, service):
        bridge.send(id=0, method="initialize", params={})
        head, connection = service.request(0)
        expect_true("no version yet", "mcp-protocol-version" not in head)
        FakeService.answer(connection, {
            "id": 0, "result": {"protocolVersion": "2025-11-25"}})
        bridge.answer(0)
        bridge.send(id=1, method="tools/list")
        head, connection = service.request(1)
        expect("version", head["mcp-protocol-version"], "2025-11-25")
        expect_true("no Mcp-Method", "mcp-method" not in head)
        FakeService.answer(connection, {"id": 1, "result": {}})
        bridge.send(id=2, method="tools/call", params={
            "name": "größe", "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28"}})
        head, connection = service.request(2)
        expect("version", head["mcp-protocol-version"], "2026-07-28")
        expect("method", head["mcp-method"], "tools/call")
        expect("name", head["mcp-name"], "=?base64?Z3LDtsOfZQ==?=")
        FakeService.answer(connection, {"id": 2, "result": {}})
        bridge.answer(2)


@claim_alone
def bridge_takes_its_token_from_a_file_or_the_environment():
    with bridged() as (bridge, service):
        bridge.send(id=0, method="ping")
        head, connection = service.request(0)
        expect("token", head["authorization"], f"Bearer {TOKEN}")
        FakeService.answer(connection, {"id": 0, "result": {}})
        bridge.answer(0)
    with tempfile.NamedTemporaryFile("w") as f:
        f.write("token-of-the-file\n")
        f.flush()
        with bridged("--token-file", f.name) as (bridge, service):
            bridge.send(id=0, method="ping")
            head, connection = service.request(0)
            expect("token", head["authorization"], "Bearer token-of-the-file")
            FakeService.answer(connection, {"id": 0, "result": {}})
            bridge.answer(0)


def refusal(*arguments, token=TOKEN):
    """Exit status and last words of a bridge that does not start."""
    bridge = Bridge(1, *arguments, token=token)
    try:
        return bridge.end()
    finally:
        bridge.close()


@claim_alone
def bridge_that_cannot_start_says_why():
    for arguments, token, word in (
            ((), None, "no token"),
            ((), "two words", "not a token"),
            ((), "", "not a token"),
            (("--token-file", "/nowhere/at/all"), None, "No such file"),
            (("--token-file", "/"), None, "/"),
            (("--url", "https://localhost/mcp"), TOKEN, "TLS"),
            (("--url", "http://192.0.2.1/mcp"), TOKEN, "--allow-plain"),
            (("--timeout", "0"), TOKEN, "seconds"),
            (("--timeout", "x"), TOKEN, "seconds"),
            (("--nonsense",), TOKEN, "nonsense"),
            (("more",), TOKEN, "not expected: more")):
        status, words = refusal(*arguments, token=token)
        expect(f"status of {arguments}", status, 2)
        expect_in(f"words of {arguments}", word, words)
        expect_true(f"one line: {words!r}", words.count("\n") == 1)


# --- with the service itself ---------------------------------------------------


@contextlib.contextmanager
def bridge_to(port, token=harness.TOKEN):
    bridge = Bridge(port, token=token)
    try:
        yield bridge
    finally:
        bridge.close()


def run_python(bridge, request_id, code, **more):
    bridge.send(id=request_id, method="tools/call", params={
        "name": "run_python", "arguments": {"code": code, **more}})


@claim_alone
def bridge_outlives_a_service_that_stops_and_starts_again():
    settings = {"MAX_CONCURRENT_EXECUTIONS": 1,
                "SERVICE_PORT": harness.free_port()}
    service = Service(**settings).start()
    with bridge_to(service.port) as bridge:
        try:
            run_python(bridge, 1, "_ = 6 * 7")
            result = bridge.answer(1)["result"]
            expect("value", result["structuredContent"]["return_value"], 42)
        finally:
            service.stop()
        run_python(bridge, 2, "_ = 1")
        expect_in("message", "cannot be reached",
                  bridge.answer(2)["error"]["message"])
        with Service(**settings):
            run_python(bridge, 3, "_ = 2")
            result = bridge.answer(3)["result"]
            expect("value", result["structuredContent"]["return_value"], 2)
        expect("end", bridge.end(), (0, ""))


@claim_alone
def bridge_cancels_a_run_of_the_service():
    """One place: what comes next runs only if the first one is over."""
    with Service(MAX_CONCURRENT_EXECUTIONS=1, QUEUE_TIMEOUT_MS=60000) as s, \
            bridge_to(s.port) as bridge:
        run_python(bridge, "slow", "while True: pass", timeout_s=30)
        eventually("it runs", lambda: s.get(
            "/metrics?format=json").json["active_executions"] == 1, 10)
        bridge.send(id="ping", method="ping")
        bridge.answer("ping")
        start = time.monotonic()
        bridge.send(method="notifications/cancelled",
                    params={"requestId": "slow"})
        run_python(bridge, "next", "_ = 1")
        bridge.answer("next")
        expect_between("seconds", time.monotonic() - start, 0, 15)
        expect("end", bridge.end(), (0, ""))
        expect("answers", sorted(m["id"] for m in bridge.said),
               ["next", "ping"])


@claim_alone
def bridge_tells_what_the_service_refuses():
    with Service() as s, bridge_to(s.port, token="nobodys") as bridge:
        bridge.send(id=1, method="ping")
        error = bridge.answer(1)["error"]
        expect("status", error["data"]["status"], 401)
        expect_in("message", "Invalid or missing executor token",
                  error["message"])
    with Service(RATE_LIMIT_PER_MINUTE=1, RATE_LIMIT_BURST=0) as s, \
            bridge_to(s.port) as bridge:
        for i in range(2):
            bridge.send(id=i, method="ping")
            bridge.answer(i)
        error = bridge.answer(1)["error"]
        expect("status", error["data"]["status"], 429)
        expect_in("message", "retry later", error["message"])
