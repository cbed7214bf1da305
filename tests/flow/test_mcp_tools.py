"""/mcp: the tools, what they answer, and what becomes of those who hang up."""

import json
import os
import socket
import tempfile
import time

from busy import await_runs
from harness import (TOKEN, Later, claim, claim_alone, Service, expect,
                     expect_between, expect_in, expect_true)
from mcp_client import (BOTH_TYPES, ERAS, ask_for_progress, call_tool,
                        conforms, events, message, result, run_python,
                        tool_result, tools)

SETTINGS = {"EXECUTOR_PROFILES": "restricted,standard",
            "MAX_CONCURRENT_EXECUTIONS": 2, "MAX_QUEUED_EXECUTIONS": 1,
            "QUEUE_TIMEOUT_MS": 1500, "EXECUTION_TIMEOUT": 25}

SLEEP = "import time\ntime.sleep({})\n_ = 1"


def conforming(s, name, got):
    conforms(got["structuredContent"], tools(s)[name]["outputSchema"])
    return got["structuredContent"]


def rejected(s, got, status="rejected"):
    expect("isError", got["isError"], True)
    answer = conforming(s, "run_python", got)
    expect("status", answer["status"], status)
    expect("success", answer["success"], False)
    return answer["error"]


@claim
def tools_are_described_for_models_and_clients(s):
    listed = tools(s)
    hints = {name: tuple(t["annotations"][h] for h in (
        "readOnlyHint", "destructiveHint", "idempotentHint",
        "openWorldHint")) for name, t in listed.items()}
    expect("hints", hints, {"run_python": (True, False, False, False),
                            "check_python": (True, False, True, False),
                            "sandbox_info": (True, False, True, False)})
    for name, t in listed.items():
        expect(f"members of {name}", sorted(t), [
            "annotations", "description", "inputSchema", "name",
            "outputSchema", "title"])
        for schema in ("inputSchema", "outputSchema"):
            expect("root", t[schema]["type"], "object")
    fields = listed["run_python"]["inputSchema"]["properties"]
    expect("arguments", sorted(fields), ["code", "context", "profile",
                                         "stdin", "timeout_s"])
    expect("profiles", fields["profile"]["enum"], ["restricted", "standard"])


@claim
def run_python_answers_what_execute_answers(s):
    programs = [
        ("_ = [n * n for n in range(5)]", {}),
        ("print('hi')\n1 / 0", {}),
        ("print(input(), a)\n{'k': a}", {"stdin": "x\n",
                                         "context": {"a": [1, None, "ü"]}}),
        ("import sys\nprint('e', file=sys.stderr)", {"profile": "standard"}),
        (SLEEP.format(5), {"profile": "standard", "timeout_s": 0.2}),
        ("x = [0] * 10**9", {}),
        ("import socket\nsocket.socket()", {"profile": "standard"}),
    ]
    changing = ("execution_time", "memory_used_mb", "request_id")
    for era in ERAS:
        for code, more in programs:
            got = run_python(s, code, era, **more)
            answer = conforming(s, "run_python", got)
            rest = s.run(code, **more)
            expect("fields", list(answer), list(rest))
            for name in rest:
                if name not in changing:
                    expect(f"{name} of {code!r}", answer[name], rest[name])
            expect("isError", got["isError"], not rest["success"])


@claim
def wrong_arguments_are_results_that_say_what_to_change(s):
    for arguments, part in (
            ({}, "'code' is required"),
            ({"code": 5}, "'code' must be a string"),
            ({"code": None}, "'code' is required"),
            ({"code": " "}, "empty"),
            ({"code": "1", "cod": 1}, "Unknown field 'cod'"),
            ({"code": "1", "context": []}, "'context' must be an object"),
            ({"code": "1", "context": {"1a": 1}}, "identifiers"),
            ({"code": "1", "stdin": 5}, "'stdin' must be a string"),
            ({"code": "1", "timeout_s": 0}, "'timeout_s' must be a number"),
            ({"code": "1", "timeout_s": "5"}, "'timeout_s' must be a number"),
            ({"code": "1", "profile": "raw"}, "'restricted', 'standard'"),
            ({"code": "#" * 200000}, "limit is"),
            ({"code": "import os"}, "Import of 'os' is not permitted"),
            ({"code": "x = ("}, "Code failed to parse")):
        for era in ERAS:
            sentence = rejected(s, call_tool(s, "run_python", era,
                                             **arguments))
            expect_in(f"the error for {str(arguments)[:60]}", part, sentence)


@claim
def refused_code_names_its_rule_its_line_and_a_way_out(s):
    got = run_python(s, "x = 1\nimport os")
    expect_in("what to do", "collections", rejected(s, got))
    detail = got["structuredContent"]["error_detail"]
    expect("rule", detail["type"], "import")
    expect("line", detail["line"], 2)


@claim
def check_python_lists_every_place(s):
    got = call_tool(s, "check_python", code="import os\nopen('x')")
    answer = conforming(s, "check_python", got)
    expect("isError", got["isError"], False)
    expect("valid", answer["valid"], False)
    expect("places", [(f["line"], f["rule"]) for f in answer["findings"]],
           [(1, "import"), (2, "outside-name")])
    good = conforming(s, "check_python",
                      call_tool(s, "check_python", "modern", code="x = 1"))
    expect("valid", good["valid"], True)
    expect("findings", good["findings"], [])
    for arguments, part in (({}, "'code'"), ({"code": ""}, "empty"),
                            ({"code": "1", "stdin": ""}, "'stdin'"),
                            ({"code": "1", "profile": "no"}, "profile")):
        got = call_tool(s, "check_python", **arguments)
        expect("isError", got["isError"], True)
        answer = conforming(s, "check_python", got)
        expect("valid", answer["valid"], False)
        expect_in("error", part, answer["error"])


@claim
def check_python_runs_nothing(s):
    start = time.monotonic()
    got = call_tool(s, "check_python", profile="standard",
                    code=SLEEP.format(9))
    expect("valid", got["structuredContent"]["valid"], True)
    expect_true("it ran", time.monotonic() - start < 5)


@claim
def sandbox_info_tells_what_the_token_has(s):
    answer = conforming(s, "sandbox_info", call_tool(s, "sandbox_info"))
    expect_in("python", "3.11", answer["python"])
    expect("profiles", [p["name"] for p in answer["profiles"]],
           ["restricted", "standard"])
    expect_in("modules", "math", answer["profiles"][0]["modules"])
    expect("timeout", answer["limits"]["timeout_s"], 25.0)
    expect("depth", answer["limits"]["context_depth"], 4)


# --- sizes --------------------------------------------------------------------

LOUD = {
    "text": "print('x' * 500000)",
    "quotes": "print('\"\\\\' * 100000)",
    "control": "print(chr(1) * 100000)",
    "four bytes": "print(chr(0x1f600) * 50000)",
    "both": "import sys\nprint('\"' * 9**6)\nprint('\\n' * 9**6, "
            "file=sys.stderr)\n_ = ['\\\\' * 50] * 9000",
    "value": "_ = ['\"quoted\"'] * 100000",
    "value of controls": "_ = chr(2) * 100000",
    "error": "print('y' * 100000)\nraise ValueError('\"' * 100000)",
    "deep error": "def f(n):\n    return f(n - 1) if n else 1 / 0\n"
                  "print('\\\\' * 9**5)\nf(500)",
    "killed": "import os, sys\nprint('\"' * 10**5)\nsys.stdout.flush()\n"
              "os._exit(3)",
}


@claim
def results_stay_below_what_clients_cut(s):
    for name, code in LOUD.items():
        for era, ask in ERAS.items():
            answer = ask(s, "tools/call", {"name": "run_python", "arguments":
                                           {"code": code,
                                            "profile": "standard"}})
            got = tool_result(result(answer))
            text = got["content"][0]["text"]
            conforming(s, "run_python", got)
            expect_true(f"{name}, {era}: {len(answer.body)} bytes",
                        len(answer.body) < 50000)
            if got["isError"]:
                expect_true(f"{name}: {len(text)} characters of error",
                            len(text) < 10000)
            rest = got["structuredContent"]
            expect_true(f"{name} says that it was cut",
                        rest["stdout_truncated"] or rest["stderr_truncated"]
                        or rest["return_value_truncated"])


@claim
def output_of_a_usual_size_is_whole(s):
    got = run_python(s, "for i in range(1500):\n    print('line', i)")
    expect("cut", got["structuredContent"]["stdout_truncated"], False)
    expect("lines", got["structuredContent"]["stdout"].count("\n"), 1500)
    got = run_python(s, "_ = list(range(2000))")
    expect("value", got["structuredContent"]["return_value"],
           list(range(2000)))


# --- places -------------------------------------------------------------------


def hang(s, seconds, headers=""):
    """Ask for a long run and return the connection, to be closed."""
    body = json.dumps(message("tools/call", {
        "name": "run_python", "arguments": {
            "code": SLEEP.format(seconds), "profile": "standard"}}))
    c = socket.create_connection(("127.0.0.1", s.port))
    c.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
               f"Authorization: Bearer {TOKEN}\r\n{headers}"
               f"Content-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
    return c


@claim
def busy_is_a_result_that_can_be_read(s):
    held = [Later(run_python, s, SLEEP.format(2.5), profile="standard")
            for _ in range(2)]
    await_runs(s, 2)
    waits = Later(run_python, s, "1")
    await_runs(s, 2, 1)
    for name in ("run_python", "check_python"):
        got = call_tool(s, name, code="1")
        expect("isError", got["isError"], True)
        answer = conforming(s, name, got)
        expect_in("error", "retry in 1 s", answer["error"])
        if name == "run_python":
            expect("status", answer["status"], "busy")
    expect_in("error", "retry in 2 s", rejected(s, waits.result(), "busy"))
    for later in held:
        expect("success", later.result()["isError"], False)


@claim
def hang_up_during_a_long_run_frees_its_place(s):
    """20 s of sleep; both places and the one who waits are free again."""
    for _ in range(3):
        held = [hang(s, 20) for _ in range(2)]
        await_runs(s, 2)
        later = Later(run_python, s, "_ = 1")
        await_runs(s, 2, 1)
        start = time.monotonic()
        for c in held:
            c.close()
        expect("isError", later.result(10)["isError"], False)
        took = time.monotonic() - start
        # 100 ms, and as much again for the way of the one who waited.
        expect_between("seconds until the place was free", took, 0.0, 0.2)
        await_runs(s, 0)


@claim
def as_many_places_are_free_as_calls_were_cancelled(s):
    for _ in range(10):
        held = [hang(s, 20) for _ in range(2)]
        await_runs(s, 2)
        for c in held:
            c.close()
        await_runs(s, 0)
    for later in [Later(run_python, s, "_ = 1") for _ in range(2)]:
        expect("isError", later.result()["isError"], False)


@claim_alone
def runs_of_mcp_have_the_same_audit_line():
    with tempfile.TemporaryDirectory(prefix="gbmcp.") as home:
        os.chmod(home, 0o777)
        path = os.path.join(home, "audit")
        with Service(AUDIT_LOG=path) as s:
            run_python(s, "_ = 1")
            run_python(s, "import os")
            call_tool(s, "run_python")
            call_tool(s, "check_python", code="1")
            call_tool(s, "sandbox_info")
            result(ERAS["legacy"](s, "tools/list"))
            s.post("/mcp", b"{", [("X-Executor-Token", TOKEN)])
            s.post("/mcp", b"{}", [])
        with open(path) as f:
            lines = [json.loads(line) for line in f]
    lines = [line for line in lines if line.get("route") == "mcp"]
    expect("lines", [(x["status"], x["http_status"]) for x in lines],
           [("ok", 200), ("refused", 200), ("field", 200), ("ok", 200),
            ("ok", 200), ("json", 400), ("token", 401)])
    expect("token", lines[0]["token_id"], "default")
    expect_true("digest of the code", lines[0]["code_sha256"])


# --- progress -----------------------------------------------------------------

STEPS = ("import time\nfor i in range({0}):\n    print('step', i, flush=True)\n"
         "    time.sleep({1})\n_ = 'done'")


def stream(s, code, **more):
    """The response, and all its events."""
    c = ask_for_progress(s, code, profile="standard", **more)
    response = c.getresponse()
    expect("status", response.status, 200)
    expect("type", response.getheader("Content-Type"), "text/event-stream")
    expect("length", response.getheader("Content-Length"), None)
    expect("buffering", response.getheader("X-Accel-Buffering"), "no")
    found = list(events(response))
    c.close()
    return found


@claim
def progress_comes_while_the_program_runs(s):
    for token in ("p1", 12345678901234567890):
        seconds = 3.4 if token == "p1" else 1.2
        found = stream(s, STEPS.format(int(seconds * 10), 0.1),
                       progress_token=token)
        told, (_, last) = found[:-1], found[-1]
        expect_true("nothing was told", told)
        if token == "p1":
            expect_true(f"{len(told)} events", 2 <= len(told) <= 5)
            expect_true("they came together at the end",
                        found[-1][0] - found[0][0] > 1.0)
        values = []
        for _, event in told:
            expect("members", sorted(event), ["jsonrpc", "method", "params"])
            expect("method", event["method"], "notifications/progress")
            expect("token", event["params"]["progressToken"], token)
            expect("total", event["params"]["total"], 25.0)
            values.append(event["params"]["progress"])
            expect_in("the output so far", "step 0\nstep 1",
                      event["params"]["message"])
        expect("rising", values, sorted(set(values)))
        got = tool_result(last["result"])
        expect("value", got["structuredContent"]["return_value"], "done")
        expect("id", last["id"], 1)


@claim
def short_and_refused_runs_end_their_stream_with_the_result(s):
    for code, status, token in (("_ = 1", "ok", 0), ("_ = 2", "ok", "ü\""),
                                ("x = (", "error", "")):
        found = stream(s, code, progress_token=token)
        expect("events", len(found), 1)
        got = tool_result(found[0][1]["result"])
        expect("status", conforming(s, "run_python", got)["status"], status)


@claim
def progress_shows_the_end_of_much_output_safely(s):
    code = ("import sys, time\nprint('first ' + 'ü' * 30000, flush=True)\n"
            "print(chr(0) + '\"\\n\\u2028' * 100, flush=True)\n"
            "sys.stdout.buffer.write(b'\\xff\\xc3')\nsys.stdout.flush()\n"
            "time.sleep(1.6)")
    told = stream(s, code)[0][1]["params"]["message"]
    expect_true(f"{len(told.encode())} bytes", len(told.encode()) <= 2000)
    expect_true("it is the end", "first" not in told)
    expect_in("the end", '"\n\u2028"\n\u2028', told)
    expect_true("what is no text", told.endswith("\ufffd"))
    silent = stream(s, "import time\ntime.sleep(1.5)")[0][1]["params"]
    expect_in("message", "no output yet", silent["message"])


@claim
def without_a_token_or_the_type_the_answer_is_plain(s):
    for token, accept in (("p", "application/json"), ("p", ""),
                          ("p", "text/event-stream;q=0, application/json"),
                          (None, BOTH_TYPES[1]), (1.5, BOTH_TYPES[1]),
                          ([], BOTH_TYPES[1])):
        # Long enough for an event, once.
        seconds = 1.2 if token is None else 0.1
        c = ask_for_progress(
            s, f"import time\ntime.sleep({seconds})\n_ = 1", token, accept,
            profile="standard")
        response = c.getresponse()
        expect("type", response.getheader("Content-Type"),
               "application/json")
        got = tool_result(json.loads(response.read())["result"])
        expect("value", got["structuredContent"]["return_value"], 1)
        c.close()


@claim
def errors_are_plain_whatever_was_asked_for(s):
    c = s.connect()
    c.request("POST", "/mcp", json.dumps(message("tools/call", {
        "name": "no", "_meta": {"progressToken": 1}})), {
            "Content-Type": "application/json", BOTH_TYPES[0]: BOTH_TYPES[1],
            "Authorization": f"Bearer {TOKEN}"})
    response = c.getresponse()
    expect("type", response.getheader("Content-Type"), "application/json")
    expect("code", json.loads(response.read())["error"]["code"], -32602)
    c.close()


@claim
def hang_up_during_a_stream_frees_its_place(s):
    for has_begun in (False, True):
        held = [ask_for_progress(s, SLEEP.format(20), profile="standard")
                for _ in range(2)]
        await_runs(s, 2)
        if has_begun:
            for c in held:
                expect_in("an event", b"event", c.getresponse().readline())
        later = Later(run_python, s, "_ = 1")
        await_runs(s, 2, 1)
        start = time.monotonic()
        for c in held:
            c.close()
        expect("isError", later.result(10)["isError"], False)
        expect_between("seconds until the place was free",
                       time.monotonic() - start, 0.0, 0.2)


@claim
def reader_that_does_not_read_holds_nobody_up(s):
    noise = ("import time\nend = time.monotonic() + 3\n"
             "while time.monotonic() < end:\n    print('x' * 1000)\n"
             "    time.sleep(0.01)")
    held = [ask_for_progress(s, noise, profile="standard") for _ in range(2)]
    await_runs(s, 2)
    await_runs(s, 0, seconds=10)
    for c in held:
        last = list(events(c.getresponse()))[-1][1]
        expect("isError", last["result"]["isError"], False)
        c.close()
