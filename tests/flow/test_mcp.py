"""/mcp: the transport and the protocol, in both eras."""

import base64
import json

from harness import (TOKEN, claim, claim_alone, Service, expect, expect_error,
                     expect_in, expect_true)
from mcp_client import (BEARER, BOTH_TYPES, ERAS, LEGACY, META, MODERN,
                        call_tool, error, legacy, message, modern,
                        modern_headers, modern_meta, post, result, tools)

SETTINGS = {"EXECUTOR_PROFILES": "restricted,standard",
            "ALLOWED_ORIGINS": "https://agent.example",
            "MAX_BODY_BYTES": 1200000}

VERSIONS = [MODERN, *LEGACY]


# --- methods ------------------------------------------------------------------


@claim
def initialize_agrees_on_a_version(s):
    for asked, given in (("2025-11-25", "2025-11-25"),
                         ("2025-06-18", "2025-06-18"),
                         ("2025-03-26", "2025-11-25"),
                         ("2024-11-05", "2025-11-25"),
                         ("2026-07-28", "2025-11-25"),
                         ("1.0", "2025-11-25"), ("", "2025-11-25")):
        got = result(legacy(s, "initialize", {
            "protocolVersion": asked, "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}, version=None))
        expect(f"version for {asked}", got["protocolVersion"], given)
        expect("capabilities", got["capabilities"], {"tools": {}})
        expect("serverInfo", sorted(got["serverInfo"]),
               ["name", "title", "version"])
        expect("members", sorted(got), ["capabilities", "instructions",
                                        "protocolVersion", "serverInfo"])
    for params in ({}, {"protocolVersion": 5}, None):
        error(legacy(s, "initialize", params, version=None), 200, -32602, 1)


@claim
def initialize_is_legacy_whatever_header_strayed_in(s):
    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    for stray in (MODERN, "1999-01-01"):
        got = result(legacy(s, "initialize", params, version=stray))
        expect("version", got["protocolVersion"], "2025-11-25")


@claim
def discover_lists_every_version_and_only_what_exists(s):
    got = result(modern(s, "server/discover"))
    expect("supportedVersions", got["supportedVersions"], VERSIONS)
    expect("capabilities", got["capabilities"], {"tools": {}})
    expect("resultType", got["resultType"], "complete")
    expect("cacheScope", got["cacheScope"], "private")
    expect_true("ttlMs", isinstance(got["ttlMs"], int) and got["ttlMs"] >= 0)
    expect("server", sorted(got["_meta"][META + "serverInfo"]),
           ["name", "title", "version"])
    error(legacy(s, "server/discover"), 200, -32601, 1)


@claim
def instructions_and_descriptions_stay_below_2_kb(s):
    texts = {"instructions": result(modern(s, "server/discover"))[
        "instructions"]}
    texts.update((n, t["description"]) for n, t in tools(s).items())
    for name, text in texts.items():
        expect_true(f"{name}: {len(text)} characters",
                    40 < len(text.encode()) < 2048)
        expect_true(f"{name} has an unfilled place", "@" not in text)
    for part in ("return_value", "context", "no network", "30 s", "math"):
        expect_in("instructions", part, texts["instructions"])


@claim
def ping_is_answered_with_nothing(s):
    expect("ping", result(legacy(s, "ping")), {})
    expect("ping without a version", result(legacy(s, "ping", version=None)),
           {})


@claim
def legacy_needs_no_initialize_and_no_header(s):
    for version in (None, *LEGACY):
        got = result(legacy(s, "tools/list", version=version))
        expect("names", [t["name"] for t in got["tools"]],
               ["run_python", "check_python", "sandbox_info"])
        expect("members", sorted(got), ["tools"])


@claim
def methods_of_the_other_era_are_not_there(s):
    for method in ("initialize", "ping", "logging/setLevel",
                   "resources/subscribe", "resources/unsubscribe",
                   "subscriptions/listen", "tools/lists", "x" * 100):
        error(modern(s, method), 404, -32601, 1)
    for method in ("logging/setLevel", "resources/list", "prompts/list",
                   "completion/complete", "tools/call\0", "", "x" * 100000):
        error(legacy(s, method), 200, -32601, 1)


@claim
def notifications_and_responses_get_202_and_nothing(s):
    bodies = [message("notifications/initialized", call_id=None),
              message("notifications/cancelled", {"requestId": 1}, None),
              message("tools/call", {"name": "run_python"}, None),
              message("no/such/thing", call_id=None),
              {"jsonrpc": "2.0", "id": 5, "result": {}},
              {"jsonrpc": "2.0", "id": 5, "error": {"code": 1}}]
    for body in bodies:
        for headers in ([], [("MCP-Protocol-Version", LEGACY[0])],
                        [("MCP-Protocol-Version", MODERN)]):
            answer = post(s, body, headers)
            expect(f"status of {body}", answer.status, 202)
            expect("body", answer.body, b"")
            expect("type", answer.header("Content-Type"), None)


@claim
def ids_come_back_byte_by_byte(s):
    for raw in ('0', '-1', '"0"', '"server-discover-probe-1"', '""',
                '123456789012345678901234567890123456789',
                r'"a\u0062\n\"\\\/\ud83d\ude00"', '"ü"', '"\U0001f600"',
                r'"\ud800"', '-0', '"' + "x" * 1000 + '"'):
        for wanted, body in (
                ("result", '"method":"ping"'),
                ("error", '"method":"no"'),
                ("error", '"method":5'),
                ("error", '"method":"ping","params":[]'),
                ("error", '"method":"ping","jsonrpc":"1.0"')):
            version = "" if "1.0" in body else '"jsonrpc":"2.0",'
            answer = post(s, f'{{{version} "id": {raw} , {body}}}'.encode())
            expect_in("the answer", wanted, answer.json)
            expect_in(f"id {raw}", f'"id":{raw},'.encode(), answer.body)


# --- malformed shapes ---------------------------------------------------------

DEEP = 20000
SHAPES = [
    # body, HTTP, code, id
    (b"", 400, -32700, None),
    (b"{", 400, -32700, None),
    (b"not json", 400, -32700, None),
    (b"\xff\xfe", 400, -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"p\xffng"}', 400, -32700, None),
    (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
     400, -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', 400, -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
     400, -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\\u0000":1}}',
     400, -32700, None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":'
     + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}", 400, -32700, None),
    (b"[" * DEEP + b"]" * DEEP, 400, -32700, None),
    (b"[]", 400, -32600, None),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600, None),
    (b"null", 400, -32600, None),
    (b"true", 400, -32600, None),
    (b"1", 400, -32600, None),
    (b'"ping"', 400, -32600, None),
    (b"{}", 400, -32600, None),
    (b'{"jsonrpc":"2.0"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":1}', 400, -32600, 1),
    (b'{"jsonrpc":"2.0","result":{}}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 400, -32600, 1),
    (b'{"id":1,"method":"ping"}', 400, -32600, 1),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600, 1),
    (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', 400, -32600, 1),
    (b'{"jsonrpc":null,"id":1,"method":"ping"}', 400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":1e3,"method":"ping"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600, None),
    (b'{"jsonrpc":"2.0","id":"' + b"x" * 1025 + b'","method":"ping"}',
     400, -32600, None),
    (b'{"jsonrpc":"2.0","id":1,"method":5}', 400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":null}', 400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":["ping"]}', 400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
     400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
     400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
     400, -32600, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":'
     b'{"cursor":"x"}}', 200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
     200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}',
     200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
     b'{"name":"rm"}}', 200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
     b'{"name":"run_python\\u0000"}}', 200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
     b'{"name":"run_python","arguments":[]}}', 200, -32602, 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
     b'{"name":"run_python","arguments":null}}', 200, -32602, 1),
]


@claim
def malformed_shapes_get_their_code_and_status(s):
    c = s.connect()
    for body, status, code, call_id in SHAPES:
        error(post(s, body, connection=c), status, code, call_id)
    c.close()


@claim
def large_and_deep_requests_are_judged_not_feared(s):
    # A megabyte that is a request after all.
    got = call_tool(s, "run_python", code="_ = len(text)",
                    context={"text": "x" * 1000000})
    expect("value", got["structuredContent"]["return_value"], 1000000)
    # A megabyte of keys that nobody asked for.
    body = {**message("ping"), **{f"k{i}": 0 for i in range(60000)}}
    expect("ping", result(post(s, body)), {})
    # Deep, but no deeper than JSON may be.
    deep = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
    expect("deep", result(post(s, deep + b"[" * 9000 + b"]" * 9000 + b"}}")),
           {})
    # More than MAX_BODY_BYTES.
    expect_error(post(s, b" " * 1300000), 413)


# --- headers ------------------------------------------------------------------


@claim
def modern_requests_say_the_same_in_headers_and_body(s):
    right = modern_headers("tools/list")

    def ask(meta=None, headers=None):
        return modern(s, "tools/list", meta=meta,
                      headers=right if headers is None else headers)

    expect("right", result(ask())["resultType"], "complete")
    # _meta comes first, also when every header is right
    for meta in ({}, {META + "protocolVersion": MODERN},
                 {META + "clientCapabilities": {}},
                 {**modern_meta(), META + "clientCapabilities": []},
                 {**modern_meta(), META + "clientCapabilities": None},
                 {**modern_meta(), META + "protocolVersion": 5}):
        error(ask(meta), 400, -32602, 1)
    error(post(s, message("tools/list"), right), 400, -32602, 1)
    error(post(s, message("tools/list", {"_meta": 5}), right), 400, -32602, 1)
    # then the header of the version
    for headers in ([], right[1:],
                    modern_headers("tools/list", version="2025-11-25"),
                    modern_headers("tools/list", version="x"),
                    [right[0], *right], [("MCP-Protocol-Version", ""),
                                         right[1]]):
        error(ask(headers=headers), 400, -32020, 1)
    # then the version itself
    for version in ("2027-01-01", "", "2025-11-25", "2026-07-28 x"):
        got = ask({**modern_meta(version)},
                  modern_headers("tools/list", version=version))
        if version == "":
            error(got, 400, -32022, 1)
            continue
        data = error(got, 400, -32022, 1)["data"]
        expect("supported", data["supported"], [MODERN])
        expect("requested", data["requested"], version)
    # then the method
    for headers in (right[:1], modern_headers("tools/call"),
                    modern_headers("Tools/List"),
                    [*right, ("Mcp-Method", "tools/list")]):
        error(ask(headers=headers), 400, -32020, 1)
    # names of headers have no case
    expect("case", result(ask(headers=[(k.upper(), v) for k, v in right]))[
        "resultType"], "complete")


@claim
def mcp_name_must_be_the_tools_name(s):
    def ask(name, headers, params=None):
        params = {"name": name, "arguments": {}} if params is None else params
        return modern(s, "tools/call", params,
                      headers=modern_headers("tools/call") + headers)

    def coded(text):
        return "=?base64?" + base64.b64encode(text.encode()).decode() + "?="

    info = "sandbox_info"
    for good in (info, coded(info)):
        result(ask(info, [("Mcp-Name", good)]))
    plain = base64.b64encode(info.encode()).decode()
    for bad in ("run_python", info.upper(), "", plain, f"=?base64?{plain}",
                f"=?base64?{plain[:-1]}?=", f"=?base64?{plain}====?=",
                "=?base64?c2FuZ(94?=", "=?BASE64?" + plain + "?=",
                coded("run_python"), "=?base64??="):
        error(ask(info, [("Mcp-Name", bad)]), 400, -32020, 1)
    error(ask(info, []), 400, -32020, 1)
    error(ask(info, [("Mcp-Name", info)] * 2), 400, -32020, 1)
    # The name is wrong in both: that is no mismatch.
    error(ask("nö", [("Mcp-Name", coded("nö"))]), 200, -32602, 1)
    error(ask(None, [], {}), 200, -32602, 1)
    error(ask(None, [("Mcp-Name", info)], {}), 400, -32020, 1)


@claim
def legacy_versions_are_checked_when_they_are_named(s):
    for version in ("2025-03-26", "2024-11-05", "1999-01-01", "x"):
        data = error(legacy(s, "ping", version=version), 400, -32022,
                     1)["data"]
        expect("supported", data["supported"], VERSIONS)
        answer = post(s, message("notifications/initialized", call_id=None),
                      [("MCP-Protocol-Version", version)])
        expect("status of a notification", answer.status, 400)
    twice = [("MCP-Protocol-Version", LEGACY[0])] * 2
    error(post(s, message("ping"), twice), 400, -32600, 1)
    # A modern header alone makes a modern request, and that needs its _meta.
    error(legacy(s, "ping", version=MODERN), 400, -32602, 1)


@claim
def sessions_and_resumption_are_passed_over(s):
    answer = post(s, message("ping"), [("Mcp-Session-Id", "x" * 40),
                                       ("Last-Event-ID", "7")])
    expect("ping", result(answer), {})
    expect("a session", answer.header("Mcp-Session-Id"), None)


@claim
def accept_is_not_insisted_on(s):
    for accept in ([], [("Accept", "application/json")], [("Accept", "*/*")]):
        answer = s.post("/mcp", message("ping"), [BEARER, *accept])
        expect("ping", result(answer), {})


# --- who may call -------------------------------------------------------------


@claim
def token_is_asked_for_before_the_method(s):
    for method in ("GET", "DELETE", "PUT", "PATCH", "HEAD"):
        answer = s.call(method, "/mcp", None, [BOTH_TYPES])
        expect(f"{method} without a token", answer.status, 401)
        expect("challenge", answer.header("WWW-Authenticate"), "Bearer")
        answer = s.call(method, "/mcp", None, [BOTH_TYPES, BEARER])
        expect(f"{method} with a token", answer.status, 405)
        expect("Allow", answer.header("Allow"), "POST")
        if method != "HEAD":
            expect_error(answer, 405)


@claim
def one_right_token_is_enough_and_a_wrong_one_too_many(s):
    own = ("X-Executor-Token", TOKEN)
    wrong = ("X-Executor-Token", "wrong")
    for headers, status in (([BEARER], 200), ([own], 200),
                            ([BEARER, own], 200), ([], 401), ([wrong], 401),
                            ([BEARER, wrong], 401), ([own, own], 401),
                            ([("Authorization", f"bearer {TOKEN}")], 200),
                            ([("Authorization", f"Basic {TOKEN}")], 401)):
        answer = post(s, message("ping"), headers, token=False)
        expect(f"status with {headers}", answer.status, status)
        if status == 401:
            expect_error(answer, 401)
            expect("challenge", answer.header("WWW-Authenticate"), "Bearer")


@claim
def foreign_origins_are_turned_away_before_all_else(s):
    own = [f"http://{host}:{s.port}" for host in
           ("localhost", "127.0.0.1", "[::1]")]
    for origin in ["https://agent.example", *own]:
        answer = post(s, message("ping"), [("Origin", origin)])
        expect(f"status for {origin}", answer.status, 200)
    for origin in ("http://evil.example.com", "null",
                   "https://agent.example.evil.com", "http://agent.example",
                   f"https://localhost:{s.port}", "http://localhost",
                   f"http://localhost:{s.port}1", "https://agent.example:444",
                   f"http://evil.example.com:{s.port}", "localhost"):
        for token in (True, False):
            answer = post(s, message("ping"), [("Origin", origin)], token)
            expect_error(answer, 403)
    answer = post(s, message("ping"), [("Origin", own[0])] * 2)
    expect("status for two", answer.status, 403)


@claim
def foreign_hosts_are_turned_away(s):
    body = json.dumps(message("ping")).encode()
    answer = s.raw(b"POST /mcp HTTP/1.1\r\nHost: evil.example.com\r\n"
                   b"Connection: close\r\nContent-Type: application/json\r\n"
                   b"Authorization: Bearer " + TOKEN.encode() +
                   b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    expect_in("status line", b" 421 ", answer.split(b"\r\n")[0])


@claim
def oauth_probes_find_nothing(s):
    for path in ("/.well-known/oauth-protected-resource",
                 "/.well-known/oauth-protected-resource/mcp",
                 "/.well-known/oauth-authorization-server",
                 "/.well-known/oauth-authorization-server/mcp",
                 "/.well-known/openid-configuration",
                 "/.well-known/openid-configuration/mcp",
                 "/mcp/.well-known/openid-configuration",
                 "/register", "/authorize", "/token", "/mcp/", "/MCP",
                 "/mcp/x", "/sse"):
        for method in ("GET", "POST"):
            expect_error(s.call(method, path, b"{}" if method == "POST"
                                else None, [BEARER]), 404)


@claim
def body_must_be_json_by_its_type(s):
    for kind, status in (("application/json", 200), ("text/plain", 415),
                         ("application/json; charset=utf-8", 200),
                         ("application/json-rpc", 415), ("", 415)):
        answer = s.post("/mcp", message("ping"),
                        [BEARER, ("Content-Type", kind)])
        expect(f"status for {kind!r}", answer.status, status)


@claim
def browsers_may_send_the_headers_of_the_protocol(s):
    answer = s.call("OPTIONS", "/mcp", None, [
        ("Origin", "https://agent.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers",
         "authorization,content-type,mcp-protocol-version,mcp-method")])
    expect("status", answer.status, 204)
    expect("origin", answer.header("Access-Control-Allow-Origin"),
           "https://agent.example")
    allowed = answer.header("Access-Control-Allow-Headers").lower()
    for name in ("authorization", "content-type", "x-executor-token",
                 "mcp-protocol-version", "mcp-method", "mcp-name",
                 "mcp-session-id", "last-event-id"):
        expect_in("allowed headers", name, allowed)
    other = s.call("OPTIONS", "/mcp", None, [
        ("Origin", "https://evil.example"),
        ("Access-Control-Request-Method", "POST")])
    expect("a stranger", other.header("Access-Control-Allow-Origin"), None)


@claim_alone
def rates_of_the_edge_hold_for_mcp():
    with Service(RATE_LIMIT_PER_MINUTE=1, RATE_LIMIT_BURST=2) as s:
        statuses = [post(s, message("ping")).status for _ in range(6)]
        expect("first", statuses[0], 200)
        expect("last", statuses[-1], 429)
        answer = expect_error(post(s, message("ping")), 429)
        expect_true("Retry-After", int(answer.header("Retry-After")) >= 1)


@claim
def messages_are_counted_by_method(s):
    def count(method):
        text = s.get("/metrics").body.decode()
        start = f'glovebox_mcp_messages_total{{method="{method}"}} '
        return [int(line[len(start):]) for line in text.splitlines()
                if line.startswith(start)][0]

    for name, method, ask in (
            ("tools/list", "tools/list", legacy), ("ping", "ping", legacy),
            ("server/discover", "server/discover", modern),
            ("other", "evil\"} 1", legacy)):
        before = count(name)
        ask(s, method)
        expect(f"count of {name}", count(name), before + 1)
    expect("health", s.get("/health").json["mcp_initialized"], True)


@claim
def both_eras_share_a_connection(s):
    c = s.connect()
    for _ in range(3):
        for ask in ERAS.values():
            expect("tools", len(result(ask(s, "tools/list", connection=c))[
                "tools"]), 3)
    c.close()
