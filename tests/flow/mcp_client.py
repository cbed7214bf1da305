"""mcp_client - how the flow tests speak to /mcp, in both eras

A Caller posts one JSON-RPC message with the headers its era wants.  Whatever
is to be wrong is given by the test.  conforms() is a JSON Schema check of the
few words that our schemas use; a word it does not know is a failure.
"""

import json
import time

from harness import TOKEN, Failure, expect, expect_in

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18")
META = "io.modelcontextprotocol/"
BOTH_TYPES = ("Accept", "application/json, text/event-stream")
BEARER = ("Authorization", f"Bearer {TOKEN}")


def message(method, params=None, call_id=1, **more):
    m = {"jsonrpc": "2.0", "method": method, **more}
    if call_id is not None:
        m["id"] = call_id
    if params is not None:
        m["params"] = params
    return m


def post(s, body, headers=(), token=True, connection=None):
    """Any body at all; the token and the types unless they are not wanted."""
    headers = [BOTH_TYPES, *([BEARER] if token else []), *headers]
    return s.post("/mcp", body, headers, connection)


def modern_meta(version=MODERN, **more):
    return {META + "protocolVersion": version,
            META + "clientCapabilities": {}, **more}


def modern_headers(method, name=None, version=MODERN):
    headers = [("MCP-Protocol-Version", version), ("Mcp-Method", method)]
    return headers + ([("Mcp-Name", name)] if name is not None else [])


def modern(s, method, params=None, call_id=1, meta=None, headers=None,
           connection=None):
    """A whole modern request; `meta` and `headers` replace the right ones."""
    params = {**(params or {}),
              "_meta": modern_meta() if meta is None else meta}
    if headers is None:
        headers = modern_headers(method, params.get("name"))
    return post(s, message(method, params, call_id), headers,
                connection=connection)


def legacy(s, method, params=None, call_id=1, version=LEGACY[0],
           connection=None):
    headers = [("MCP-Protocol-Version", version)] if version else []
    return post(s, message(method, params, call_id), headers,
                connection=connection)


ERAS = {"modern": modern, "legacy": legacy}


def result(answer, call_id=1):
    """The result of a call that was answered."""
    expect("status of HTTP", answer.status, 200)
    expect("type", answer.header("Content-Type"), "application/json")
    body = answer.json
    if "result" not in body:
        raise Failure(f"no result: {answer.body[:400]!r}")
    expect("members", sorted(body), ["id", "jsonrpc", "result"])
    expect("jsonrpc", body["jsonrpc"], "2.0")
    expect("id", body["id"], call_id)
    return body["result"]


def error(answer, status, code, call_id=None):
    """An error of JSON-RPC with exactly this code and status."""
    body = answer.json
    got = (answer.status, body.get("error", {}).get("code"))
    if got != (status, code):
        raise Failure(f"got {got}, wanted {(status, code)}: "
                      f"{answer.body[:300]!r}")
    expect("type", answer.header("Content-Type"), "application/json")
    expect("members", sorted(body), ["error", "id", "jsonrpc"])
    expect("id", body["id"], call_id)
    expect("message", bool(body["error"]["message"]), True)
    return body["error"]


def call_tool(s, name, era="legacy", call_id=1, connection=None, **arguments):
    """The result of tools/call; content and structuredContent are equal."""
    answer = ERAS[era](s, "tools/call",
                       {"name": name, "arguments": arguments}, call_id,
                       connection=connection)
    return tool_result(result(answer, call_id))


def tool_result(value):
    expect("parts of content", len(value["content"]), 1)
    expect("type of content", value["content"][0]["type"], "text")
    expect("content and structuredContent",
           json.loads(value["content"][0]["text"]),
           value["structuredContent"])
    return value


def run_python(s, code, era="legacy", **arguments):
    return call_tool(s, "run_python", era, code=code, **arguments)


def tools(s):
    return {t["name"]: t for t in result(legacy(s, "tools/list"))["tools"]}


# --- JSON Schema --------------------------------------------------------------

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool,
         "null": type(None)}
WORDS = {"type", "properties", "required", "additionalProperties", "items",
         "enum", "description", "minLength", "maxLength", "exclusiveMinimum"}


def _is_kind(value, kind):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return (isinstance(value, (int, float))
                and not isinstance(value, bool))
    return isinstance(value, KINDS[kind])


def _conforms_object(value, schema, where):
    properties = schema.get("properties", {})
    more = schema.get("additionalProperties", True)
    for key in schema.get("required", []):
        expect_in(f"{where}: required", key, value)
    for key, member in value.items():
        if key in properties:
            conforms(member, properties[key], f"{where}.{key}")
        elif more is False:
            raise Failure(f"{where}: {key!r} is not in the schema")
        elif more is not True:
            conforms(member, more, f"{where}.{key}")


def conforms(value, schema, where="result"):
    unknown = set(schema) - WORDS
    if unknown:
        raise Failure(f"{where}: words of the schema that are not checked: "
                      f"{unknown}")
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_kind(value, k) for k in kinds):
        raise Failure(f"{where}: {value!r:.100} is not {kinds}")
    if "enum" in schema:
        expect_in(f"{where}: enum", value, schema["enum"])
    if isinstance(value, dict):
        _conforms_object(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            conforms(item, schema["items"], f"{where}[{i}]")


# --- streams ------------------------------------------------------------------


def ask_for_progress(s, code, progress_token="p1", accept=BOTH_TYPES[1],
                     call_id=1, **arguments):
    """Send run_python with a progressToken; the connection, to be read."""
    c = s.connect()
    headers = {"Content-Type": "application/json", "Accept": accept,
               BEARER[0]: BEARER[1]}
    c.request("POST", "/mcp", json.dumps(message("tools/call", {
        "name": "run_python", "arguments": {"code": code, **arguments},
        "_meta": {"progressToken": progress_token}}, call_id)), headers)
    return c


def events(response):
    """Each event of a stream as it comes: (seconds since the start, JSON)."""
    start = time.monotonic()
    data = []
    for line in response:
        line = line.decode("utf-8", "strict").rstrip("\n")
        if line.startswith("data: "):
            data.append(line[6:])
        elif line == "" and data:
            yield time.monotonic() - start, json.loads("\n".join(data))
            data = []
        elif line not in ("event: message", ""):
            raise Failure(f"a line that is no event: {line!r}")
    if data:
        raise Failure("the stream ends inside an event")
