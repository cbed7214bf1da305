"""docs/: the examples of HTTP-API.md answer as they are written there, what
MCP.md tells clients leads to the service, and the tests that THREATS.md names
are there.  (Files: tests/lint/run documents.)"""

import ast
import json
import os
import re
import subprocess
import tempfile
import tomllib

import harness
from harness import (ROOT, TOKEN, Failure, claim, claim_alone, expect,
                     expect_in)

# An example has a time limit and names the line that it met.
RUNS_ALONE = True
DOCUMENT = os.path.join(ROOT, "docs", "HTTP-API.md")

# Of these only the kind is compared: they differ from run to run.
VARYING = {"execution_time", "memory_used_mb", "request_id", "uptime_seconds",
           "timestamp", "version", "layers", "total_executions",
           "successful_executions", "failed_executions",
           "average_execution_time", "active_executions"}

# `curl` in an example is this one: quiet, with the headers put aside.
SHELL = 'curl() { command curl -s -D "$HEADERS" "$@"; }\n'


class Example:
    """A command, and the status, headers and body it must give."""

    def __init__(self, line, text):
        self.line = line
        command, _, answer = text.partition("\n\nHTTP ")
        head, _, self.body = answer.partition("\n\n")
        status, *headers = head.splitlines()
        self.command = command
        self.status = int(status)
        self.headers = [h.partition(": ")[::2] for h in headers]


def examples():
    with open(DOCUMENT, encoding="utf-8") as f:
        text = f.read()
    return [Example(text.count("\n", 0, m.start()) + 1, m.group(1))
            for m in re.finditer(r"^```http-example\n(.*?)^```$", text,
                                 re.DOTALL | re.MULTILINE)]


def call(s, command):
    """Run the command as a reader would; status, headers, body."""
    with tempfile.NamedTemporaryFile() as headers:
        done = subprocess.run(
            ["sh", "-euc", SHELL + command], stdin=subprocess.DEVNULL,
            capture_output=True, timeout=60, check=False,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                 "URL": f"http://127.0.0.1:{s.port}", "TOKEN": TOKEN,
                 "HEADERS": headers.name})
        head = headers.read().decode("latin-1").split("\r\n")
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}: {done.stderr!r}")
    pairs = [line.partition(": ")[::2] for line in head[1:] if line]
    return int(head[0].split()[1]), pairs, done.stdout.decode("utf-8")


def compare(where, got, wanted):
    """Fields of `wanted` must be there; lists and plain values are equal."""
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            raise Failure(f"{where}: got {got!r}, wanted an object")
        for key, value in wanted.items():
            if key not in got:
                raise Failure(f"{where}: no field {key!r} in {got!r}")
            if key in VARYING:
                expect(f"kind of {where}.{key}", type(got[key]), type(value))
            else:
                compare(f"{where}.{key}", got[key], value)
    elif isinstance(wanted, list) and isinstance(got, list):
        expect(f"items of {where}", len(got), len(wanted))
        for i, (g, w) in enumerate(zip(got, wanted)):
            compare(f"{where}[{i}]", g, w)
    else:
        expect(where, got, wanted)


def compare_body(where, got, wanted):
    if wanted.lstrip().startswith("{"):
        compare(where, json.loads(got), json.loads(wanted))
        return
    for line in wanted.splitlines():
        if not any(g.startswith(line) for g in got.splitlines()):
            raise Failure(f"{where}: no line starts with {line!r}")


def compare_order(where, got, wanted):
    """An example that shows every field shows them in their order."""
    if wanted.lstrip().startswith("{"):
        fields = list(json.loads(wanted))
        shown = [f for f in json.loads(got) if f in fields]
        expect(f"order of the fields of {where}", shown, fields)


@claim
def examples_of_the_http_api_answer_as_written(s):
    for e in examples():
        where = f"HTTP-API.md:{e.line}"
        status, headers, body = call(s, e.command)
        expect(f"status of {where}", status, e.status)
        for name, value in e.headers:
            expect(f"{name} of {where}",
                   [v for k, v in headers if k.lower() == name.lower()],
                   [value])
        compare_body(where, body, e.body)
        compare_order(where, body, e.body)


@claim_alone
def http_api_has_an_example_of_every_route():
    commands = " ".join(e.command for e in examples())
    for path in ("/execute", "/validate", "/health", "/health/live",
                 "/health/ready", "/metrics", "/openapi.json",
                 "/nginx_status"):
        if f"$URL{path}" not in commands:
            raise Failure(f"no example of {path}")


# --- MCP.md -------------------------------------------------------------------

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
# However a client spells "the token from elsewhere".
TOKEN_WORDS = re.compile(
    r"\$\{(env:)?GLOVEBOX_TOKEN\}|\$\{input:[a-z-]+\}|^TOKEN$")


def fenced(kind):
    with open(os.path.join(ROOT, "docs", "MCP.md"), encoding="utf-8") as f:
        return re.findall(rf"^```{kind}\n(.*?)^```$", f.read(),
                          re.DOTALL | re.MULTILINE)


def client_settings():
    """What the JSON and TOML snippets say of the server."""
    for text in fenced("json"):
        whole = json.loads(text)
        for key in ("mcpServers", "servers"):
            yield from whole.get(key, {}).values()
    for text in fenced("toml"):
        for server in tomllib.loads(text)["mcp_servers"].values():
            expect("variable", server["bearer_token_env_var"],
                   "GLOVEBOX_TOKEN")
            yield {"url": server["url"], "headers": {
                "Authorization": "Bearer ${GLOVEBOX_TOKEN}"}}


def ping_by_http(s, settings):
    headers = [(k, TOKEN_WORDS.sub(TOKEN, v))
               for k, v in settings["headers"].items()]
    return s.post(settings["url"].partition(":8030")[2], PING, headers).json


def ping_by_bridge(s, settings):
    expect("program", settings["command"], "/usr/bin/gloveboxctl")
    done = subprocess.run(
        [os.path.join(harness.PROGRAMS, "gloveboxctl"),
         *(a.replace(":8030", f":{s.port}") for a in settings["args"])],
        input=json.dumps(PING) + "\n", capture_output=True, text=True,
        timeout=60, check=True, env={k: TOKEN_WORDS.sub(TOKEN, v)
                                     for k, v in settings["env"].items()})
    return json.loads(done.stdout)


@claim
def settings_for_clients_in_mcp_md_lead_to_the_service(s):
    found = list(client_settings())
    expect("snippets", len(found), 6)
    for settings in found:
        if settings.get("command") == "npx":
            expect_in("url", "https://HOST:8030/mcp", settings["args"])
            continue  # needs a network; its line is JSON
        if "command" in settings:
            answer = ping_by_bridge(s, settings)
        else:
            expect_in("url", "http://127.0.0.1:8030/mcp", settings["url"])
            answer = ping_by_http(s, settings)
        expect(f"answer by {settings}", answer.get("result"), {})


@claim_alone
def python_in_mcp_md_is_python():
    snippets = fenced("python")
    expect("snippets", len(snippets), 2)
    for text in snippets:
        # `await` outside a function, as in a notebook
        compile(text, "MCP.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@claim_alone
def every_test_named_in_the_threats_exists():
    """`tests/x/file: name` in THREATS.md, where it names what shows it."""
    with open(os.path.join(ROOT, "docs", "THREATS.md"),
              encoding="utf-8") as f:
        named = re.findall(r"(tests/[\w/.-]+): ?`?(\w+)", f.read())
    missing = []
    for path, name in named:
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            if not re.search(rf"\b{name}\b", f.read()):
                missing.append(f"{path}: {name}")
    expect("tests that are named and not there", missing, [])
    if len(named) < 40:
        raise Failure(f"only {len(named)} tests are named")


@claim_alone
def every_advisory_is_named_in_the_tests_that_cover_it():
    """Rows of "What past escapes taught" in THREATS.md."""
    with open(os.path.join(ROOT, "docs", "THREATS.md"),
              encoding="utf-8") as f:
        chapter = f.read().partition("## What past escapes taught")[2]
    rows = re.findall(r"^\| ((?:CVE|GHSA|dify)[^|]*) \|.*\| ([^|]*) \|$",
                      chapter.partition("\n## ")[0], re.MULTILINE)
    if len(rows) < 20:
        raise Failure(f"only {len(rows)} rows of advisories")
    missing = []
    for advisories, paths in rows:
        for path in paths.split(", "):
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                text = f.read()
            missing += [f"{a} in {path}" for a in advisories.split(", ")
                        if a not in text]
    expect("advisories that are not named", missing, [])
