"""Every status of the contract, and the order of the checks."""

import json

from harness import (TOKEN, claim, claim_alone, Service, expect, expect_error,
                     expect_in, expect_true)

SETTINGS = {"MAX_CODE_BYTES": 2000, "MAX_AST_NODES": 200,
            "MAX_BODY_BYTES": 2 * 1024 * 1024}

GOOD = [("X-Executor-Token", TOKEN)]
BAD_TOKEN = "Invalid or missing executor token"


def refused(s, code, detail, **fields):
    expect_error(s.execute(code, **fields), 400, detail)


# --- 400: the validator -------------------------------------------------------


@claim
def refusal_says_where_by_which_rule_and_what_to_do_instead(s):
    body = s.execute("x = 1\nimport numpy").json
    expect("line", body["line"], 2)
    expect("rule", body["rule"], "import")
    expect_in("hint", "math", body["hint"])


@claim
def validator_says_what_the_contract_says(s):
    refused(s, "", "Code payload is empty")
    refused(s, "#" * 2001, "Code payload is 2001 bytes; limit is 2000 bytes")
    refused(s, "#" + "ü" * 1000,
            "Code payload is 2001 bytes; limit is 2000 bytes")
    refused(s, "import os", "Import of 'os' is not permitted")
    refused(s, "import os.path as p", "Import of 'os' is not permitted")
    refused(s, "from os.path import join", "Import of 'os' is not permitted")
    refused(s, "from . import x", "Relative imports are not permitted")
    refused(s, "eval('1')", "Use of 'eval' is not allowed in sandbox")
    refused(s, "x = open", "Use of 'open' is not allowed in sandbox")
    refused(s, "().__class__", "Attribute '__class__' is not allowed in "
            "sandbox")
    refused(s, "(x for x in ()).gi_frame",
            "Attribute 'gi_frame' is not allowed in sandbox")


@claim
def code_at_its_limits_passes(s):
    expect("status", s.execute("#" * 2000).status, 200)
    expect("status", s.execute("#" + "ü" * 999).status, 200)


@claim
def code_that_does_not_parse_is_told_where(s):
    answer = expect_error(s.execute("x = 1\ny = (\n"), 400)
    expect_true(f"detail: {answer.detail}",
                answer.detail.startswith("Code failed to parse: "))
    expect_in("line", "line", answer.detail)


@claim
def code_that_is_too_complex_is_told_how_much(s):
    answer = expect_error(s.execute("x=1\n" * 190), 400)
    expect_true(f"detail: {answer.detail}",
                answer.detail.startswith("Code is too complex (")
                and answer.detail.endswith(" AST nodes); limit is 200"))


@claim
def validator_answers_the_first_thing_in_its_order(s):
    refused(s, "().__class__\nimport os", "Import of 'os' is not permitted")
    refused(s, "import os\n" + "#" * 2000,
            "Code payload is 2010 bytes; limit is 2000 bytes")


@claim
def nesting_bombs_get_a_400(s):
    for code in ("(" * 900 + ")" * 900, "[" * 900, "-" * 1500 + "1",
                 "a" + ".a" * 900, "lambda:" * 250 + "0"):
        answer = s.execute(code)
        expect_true(f"{code[:8]!r}...: {answer.status} {answer.body[:200]}",
                    answer.status in (200, 400))
        if answer.status == 400:
            expect_error(answer, 400)


# --- 400: the context ---------------------------------------------------------


@claim
def context_rules_say_what_the_contract_says(s):
    for key in ("__name__", "len", "print", "_", "__x__"):
        refused(s, "1", f"Context key '{key}' is reserved", context={key: 1})
    for key in ("a b", "1a", "", "a-b"):
        refused(s, "1", "Context keys must be identifiers", context={key: 1})
    refused(s, "1", "Context nesting exceeds allowed depth",
            context={"a": [[[[[1]]]]]})
    refused(s, "1", "Context size exceeds 1048576 bytes",
            context={"a": "x" * 1048576})
    expect("status", s.execute(
        "1", context={"a": [[[[1]]]]}).status, 200)


@claim
def keyword_is_no_context_key(s):
    answer = expect_error(s.execute("1", context={"class": 1}), 400)
    expect_in("detail", "Context key", answer.detail)


@claim
def validator_comes_before_context(s):
    refused(s, "import os", "Import of 'os' is not permitted",
            context={"_": 1})


# --- 401 ----------------------------------------------------------------------


def unauthorized(s, headers):
    answer = expect_error(s.post("/execute", {"code": "1"}, headers), 401,
                          BAD_TOKEN)
    expect("WWW-Authenticate", answer.header("WWW-Authenticate"), "Bearer")


@claim
def wrong_token_is_refused(s):
    unauthorized(s, [])
    for token in ("", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(),
                  TOKEN + TOKEN, "x" * 4000, "ü"):
        unauthorized(s, [("X-Executor-Token", token)])
        unauthorized(s, [("Authorization", "Bearer " + token)])
    unauthorized(s, [("Authorization", TOKEN)])
    unauthorized(s, [("Authorization", "Basic " + TOKEN)])
    unauthorized(s, [("Authorization", "Bearer")])
    unauthorized(s, [("Cookie", "X-Executor-Token=" + TOKEN)])


@claim
def both_headers_are_accepted(s):
    for headers in ([("X-Executor-Token", TOKEN)],
                    [("Authorization", "Bearer " + TOKEN)],
                    [("authorization", "bearer " + TOKEN)],
                    [("Authorization", "Bearer " + TOKEN),
                     ("X-Executor-Token", TOKEN)]):
        expect(f"status with {headers}",
               s.post("/execute", {"code": "1"}, headers).status, 200)


@claim
def token_sent_twice_or_differently_is_refused(s):
    unauthorized(s, [("X-Executor-Token", TOKEN),
                     ("X-Executor-Token", TOKEN)])
    unauthorized(s, [("X-Executor-Token", TOKEN),
                     ("X-Executor-Token", "other")])
    # nginx itself refuses this one, as malformed, before the app sees it.
    expect_error(s.post("/execute", {"code": "1"}, [
        ("Authorization", "Bearer " + TOKEN),
        ("Authorization", "Bearer " + TOKEN)]), 400, "Malformed request")
    unauthorized(s, [("Authorization", "Bearer other"),
                     ("X-Executor-Token", TOKEN)])
    unauthorized(s, [("Authorization", "Bearer " + TOKEN),
                     ("X-Executor-Token", "other")])


@claim
def header_with_underscores_is_no_token(s):
    unauthorized(s, [("X_Executor_Token", TOKEN)])
    expect("status", s.post("/execute", {"code": "1"}, [
        ("X_Executor_Token", "other"), ("X-Executor-Token", TOKEN)]).status,
        200)


@claim
def caller_without_token_learns_nothing_but_401(s):
    for body in (b"", b"{", b"{}", b'{"code": 1}', b"\xff",
                 json.dumps({"code": "import os"}).encode()):
        for kind in ("application/json", "text/plain"):
            expect_error(s.post("/execute", body, [
                ("Content-Type", kind)]), 401, BAD_TOKEN)
            expect_error(s.post("/validate", body, [
                ("Content-Type", kind)]), 401, BAD_TOKEN)


# --- 404, 405 -----------------------------------------------------------------


@claim
def unknown_path_is_404(s):
    for path in ("/", "/nope", "/execute/", "/executex", "/execute/x",
                 "/health/", "/health/x", "/EXECUTE", "//execute",
                 "/metrics/x", "/_error/", "/_error/404", "/_nginx_metrics",
                 "/_nginx_status", "/execute;x", "/%65xecute%2f"):
        expect_error(s.get(path), 404)
        expect_error(s.post(path, {"code": "1"}), 404)


@claim
def wrong_method_is_405_and_names_the_right_ones(s):
    for path, right in (("/execute", "POST"), ("/validate", "POST"),
                        ("/health", "GET"), ("/health/live", "GET"),
                        ("/health/ready", "GET"), ("/metrics", "GET"),
                        ("/nginx_status", "GET")):
        for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "FOO",
                       "TRACE"):
            if method == right:
                continue
            answer = expect_error(s.call(method, path, b"", GOOD), 405)
            expect_in(f"Allow of {path}", right, answer.header("Allow") or "")


# --- 413, 415, 422 ------------------------------------------------------------


@claim
def body_over_the_limit_is_413_before_it_is_read(s):
    head = (b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nX-Executor-Token: "
            + TOKEN.encode() + b"\r\nContent-Length: 2097153\r\n\r\n")
    answer = s.raw(head + b"{", 1)
    expect_true(f"answer: {answer[:80]}", answer.startswith(
        b"HTTP/1.1 413 "))
    expect_in("body", b'"detail"', answer)


@claim
def chunked_body_over_the_limit_is_413(s):
    head = (b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nX-Executor-Token: "
            + TOKEN.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    answer = s.raw(head + chunk * 33, 5)
    expect_true(f"answer: {answer[:80]}", answer.startswith(
        b"HTTP/1.1 413 "))


@claim
def chunked_body_is_a_body(s):
    body = json.dumps({"code": "_ = 5"}).encode()
    head = (b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
            b"Connection: close\r\n"
            b"Content-Type: application/json\r\nX-Executor-Token: "
            + TOKEN.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    answer = s.raw(head + chunks, 10)
    expect_in("body", b'"return_value":5', answer.replace(b": ", b":"))


@claim
def other_media_types_are_415(s):
    for kind in ("text/plain", "application/x-www-form-urlencoded",
                 "multipart/form-data", "application/jsonx", "json"):
        expect_error(s.post("/execute", {"code": "1"}, [
            ("Content-Type", kind), *GOOD]), 415)
    for kind in ("application/json", "APPLICATION/JSON",
                 "application/json; charset=utf-8"):
        expect(f"status with {kind}", s.post("/execute", {"code": "1"}, [
            ("Content-Type", kind), *GOOD]).status, 200)


@claim
def missing_media_type_is_415(s):
    expect_error(s.call("POST", "/execute", b'{"code":"1"}', GOOD), 415)


@claim
def body_that_is_not_json_is_422(s):
    for body in (b"", b"{", b"{}x", b"{'code':'1'}", b'{"code":"1",}',
                 b'{"code":"\xff"}', b'{"code":"\xed\xa0\x80"}',
                 b'{"code":"1","code":"2"}', b'{"code":"a\nb"}',
                 b'{"code":NaN}', b'// x\n{"code":"1"}', b'{"code":01}',
                 b'{"co\\u0000de":"1"}', b"\xef\xbb\xbf{}",
                 b"[" * 100000):
        expect_error(s.post("/execute", body), 422)


@claim
def wrong_field_is_422_and_named(s):
    for field, value in (("code", 1), ("code", None), ("code", ["x"]),
                         ("context", []), ("context", "x"), ("stdin", 1),
                         ("timeout_s", "1"), ("timeout_s", True),
                         ("timeout_s", 0), ("timeout_s", -1),
                         ("profile", 1), ("profile", "nope"),
                         ("profile", ""), ("cod", "x"), ("extra", None)):
        body = {"code": "1", field: value}
        answer = expect_error(s.post("/execute", body), 422)
        expect_in(f"detail for {field}={value!r}", field, answer.detail)


@claim
def missing_code_and_other_kinds_of_body_are_422(s):
    answer = expect_error(s.post("/execute", {}), 422)
    expect_in("detail", "code", answer.detail)
    for body in (b"[]", b'"x"', b"1", b"null", b"true"):
        expect_error(s.post("/execute", body), 422)


# --- 503 ----------------------------------------------------------------------


@claim_alone
def without_any_token_execute_is_503():
    with Service(arguments=["--no-token"], EXECUTOR_API_TOKEN=None) as s:
        for headers in ([], GOOD):
            expect_error(s.post("/execute", {"code": "1"}, headers), 503,
                         "API token not configured")
        expect("health", s.get("/health").status, 200)
        expect_error(s.get("/execute"), 405)
