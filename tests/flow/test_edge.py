"""What nginx does by itself: errors, headers, hosts, origins, rates."""

import json
import os
import re
import subprocess
import tempfile

from access_log import access_line, access_lines
from harness import (ROOT, TOKEN, claim, claim_alone, eventually, expect,
                     expect_in, expect_true, make_certificate)

SETTINGS = {"ALLOWED_ORIGINS": "http://localhost:8030,https://a.example"}

EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Origin",
}


def head_of(answer):
    """Status, headers and body of raw bytes."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


@claim
def security_headers_are_on_every_answer_once(s):
    answers = [s.get("/health"), s.get("/nope"), s.get("/execute"),
               s.post("/execute", {"code": "1"}),
               s.post("/execute", {"code": "1"}, []),
               s.post("/execute", b"{"), s.get("/metrics"),
               s.get("/nginx_status"), s.call("OPTIONS", "/execute"),
               s.post("/execute", {"code": "import os"})]
    expect("statuses", [a.status for a in answers],
           [200, 404, 405, 200, 401, 422, 200, 200, 204, 400])
    for a in answers:
        for name, value in EVERYWHERE.items():
            expect(f"{name} of a {a.status}", a.header(name), value)
        for name in ("Content-Security-Policy", "Permissions-Policy",
                     "X-Request-ID"):
            expect_true(f"{name} of a {a.status}", a.header(name))
        expect("banner", a.header("Server"), "nginx")
        expect("HSTS without TLS", a.header("Strict-Transport-Security"),
               None)


@claim
def broken_requests_get_json_from_nginx(s):
    host = b"Host: localhost\r\nConnection: close\r\n"
    long = b"a" * 9000
    for name, data, status in (
            ("no HTTP at all", b"\x16\x03\x01\r\n\r\n", 400),
            ("no host", b"GET /health HTTP/1.1\r\n\r\n", 400),
            ("version", b"GET /health HTTP/3.7\r\n" + host + b"\r\n", 505),
            ("two lengths", b"POST /execute HTTP/1.1\r\n" + host +
             b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("length twice", b"POST /execute HTTP/1.1\r\n" + host +
             b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
            ("signed length", b"POST /execute HTTP/1.1\r\n" + host +
             b"Content-Length: +1\r\n\r\na", 400),
            ("coding", b"POST /execute HTTP/1.1\r\n" + host +
             b"Transfer-Encoding: gzip\r\n\r\n", 501),
            ("long path", b"GET /" + long + b" HTTP/1.1\r\n" + host +
             b"\r\n", 414),
            ("long header", b"GET /health HTTP/1.1\r\n" + host + b"X-A: " +
             long + b"\r\n\r\n", 431),
            ("NUL in path", b"GET /%00 HTTP/1.1\r\n" + host + b"\r\n", 400),
            ("above the root", b"GET /../x HTTP/1.1\r\n" + host + b"\r\n",
             400),
            ("small letters", b"get /health HTTP/1.1\r\n" + host + b"\r\n",
             400)):
        got, headers, body = head_of(s.raw(data, 5))
        expect(name, got, status)
        expect(f"type of {name}", headers["Content-Type"],
               "application/json")
        expect(f"keys of {name}", sorted(json.loads(body)),
               ["detail", "request_id"])
        expect(f"id of {name}", json.loads(body)["request_id"],
               headers["X-Request-ID"])


@claim
def unknown_host_is_refused(s):
    for host in ("evil.example", "evil.example:80", "localhost.evil.example",
                 "127.0.0.2"):
        data = f"GET /health HTTP/1.1\r\nHost: {host}\r\n" \
               "Connection: close\r\n\r\n"
        expect(host, head_of(s.raw(data.encode()))[0], 421)
    for host in ("localhost", "127.0.0.1:1", "[::1]", "LOCALHOST"):
        data = f"GET /health HTTP/1.1\r\nHost: {host}\r\n" \
               "Connection: close\r\n\r\n"
        expect(host, head_of(s.raw(data.encode()))[0], 200)
    data = b"GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n" \
           b"Connection: close\r\n\r\n"
    expect("absolute form", head_of(s.raw(data))[0], 421)


@claim
def id_of_the_caller_is_taken_only_if_well_formed(s):
    for good in ("a", "A-b_c.9", "x" * 64):
        expect("id", s.get("/health", [("X-Request-ID", good)]).header(
            "X-Request-ID"), good)
    for bad in ("", "x" * 65, "a b", "a/b", 'a"b', "ü", "a,b", "$a"):
        got = s.get("/nope", [("X-Request-ID", bad)])
        expect_true(f"id for {bad!r}: {got.header('X-Request-ID')}",
                    re.fullmatch("[0-9a-f]{32}", got.header("X-Request-ID")))
        expect("id in the body", got.json["request_id"],
               got.header("X-Request-ID"))


@claim
def allowed_origin_is_named_and_no_other(s):
    for origin in ("http://localhost:8030", "https://a.example"):
        for answer in (s.get("/health", [("Origin", origin)]),
                       s.get("/nope", [("Origin", origin)]),
                       s.post("/execute", {"code": "1"},
                              [("Origin", origin)])):
            expect("origin", answer.header("Access-Control-Allow-Origin"),
                   origin)
            expect("credentials", answer.header(
                "Access-Control-Allow-Credentials"), None)
    for origin in ("https://evil.example", "null", "*",
                   "https://a.example.evil.example", "https://a.example:1",
                   "http://a.example", "https://xa.example", ""):
        answer = s.get("/health", [("Origin", origin)])
        expect(f"origin {origin!r}",
               answer.header("Access-Control-Allow-Origin"), None)


@claim
def preflight_is_answered_with_what_is_in_use(s):
    for path in ("/execute", "/validate"):
        answer = s.call("OPTIONS", path, None, [
            ("Origin", "https://a.example"),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "x-executor-token")])
        expect("status", answer.status, 204)
        expect("body", answer.body, b"")
        expect("methods", answer.header("Access-Control-Allow-Methods"),
               "POST")
        expect_in("headers", "X-Executor-Token",
                  answer.header("Access-Control-Allow-Headers"))
        answer = s.call("OPTIONS", path, None, [
            ("Origin", "https://evil.example")])
        expect("methods", answer.header("Access-Control-Allow-Methods"), None)


@claim
def client_header_cannot_pose_as_a_parameter(s):
    # Every one of these would be a parameter of ours, were it taken.
    answer = s.post("/execute", {"code": "_ = 1"}, [
        ("X-Executor-Token", TOKEN), ("Request-Method", "GET"),
        ("Script-Name", "/health"), ("Remote-Addr", "6.6.6.6"),
        ("Proxy", "http://evil.example"), ("Request-Id", "evil"),
        ("Content-Length-", "1")])
    expect("status", answer.status, 200)
    expect("value", answer.json["return_value"], 1)
    expect_true("the id is not the client's",
                answer.json["request_id"] != "evil")
    expect("address", access_line(s, answer.json["request_id"])["address"],
           "127.0.0.1")
    expect_true("the address is not the client's",
                "6.6.6.6" not in s.log_text())


@claim
def doubled_and_malformed_headers_are_refused(s):
    """As for HTTP/2 in test_tls.py; the token's own are in
    test_statuses.py."""
    def status(*lines):
        data = b"\r\n".join([b"POST /execute HTTP/1.1", b"Host: localhost",
                             b"Connection: close", b"X-Executor-Token: " +
                             TOKEN.encode(), *lines,
                             b"Content-Length: 12", b"", b'{"code":"1"}'])
        got, headers, body = head_of(s.raw(data, 8))
        if got != 200:
            expect(f"keys of {lines}", sorted(json.loads(body)),
                   ["detail", "request_id"])
        return got
    json_type = b"Content-Type: application/json"
    expect("a good one", status(json_type), 200)
    for name, lines, wanted in (
            ("type twice", [json_type, json_type], 400),
            ("another type", [json_type, b"Content-Type: text/plain"], 400),
            ("another type first", [b"Content-Type: text/plain", json_type],
             400),
            ("origin twice", [json_type, b"Origin: https://a.example",
                              b"Origin: https://evil.example"], 400),
            ("host twice", [json_type, b"Host: localhost"], 400),
            ("another host", [json_type, b"Host: evil.example"], 400),
            ("a folded line", [json_type, b"X-A: b", b" c: d"], 400),
            ("NUL", [json_type, b"X-A: b\0c"], 400),
            ("blank before the colon", [b"Content-Type : application/json"],
             400),
            ("no name", [json_type, b": b"], 400),
            ("underscores", [b"Content_Type: application/json"], 415)):
        expect(name, status(*lines), wanted)


@claim
def health_says_what_the_contract_says(s):
    answer = s.get("/health")
    expect("status", answer.status, 200)
    for key in ("status", "service", "version", "mcp_initialized",
                "uptime_seconds", "timestamp", "layers"):
        expect_in("keys", key, answer.json)
    expect("status", answer.json["status"], "healthy")
    expect("service", answer.json["service"], "ai-code-executor")
    text = json.dumps(answer.json["layers"])
    for layer in ("seccomp", "rlimits", "no_new_privs"):
        expect_in("layers", layer, text)
    for path in ("/health/live", "/health/ready"):
        expect(path, s.get(path).status, 200)
    expect("HEAD", s.call("HEAD", "/health").status, 200)
    expect("body of HEAD", s.call("HEAD", "/health").body, b"")


@claim
def metrics_pass_promtool_with_nginx_in_the_same_scrape(s):
    s.run("1")
    answer = s.get("/metrics")
    expect("status", answer.status, 200)
    expect_in("type", "text/plain", answer.header("Content-Type"))
    text = answer.body.decode()
    expect_in("metrics without TLS", "\nglovebox_certificate_expiry_timestamp"
              "_seconds +Inf\n", text)
    for name in ("nginx_connections_accepted_total ",
                 'nginx_connections{state="active"} ',
                 "nginx_http_requests_total ", "glovebox_"):
        expect_in("metrics", name, text)
    check = subprocess.run(["promtool", "check", "metrics"], input=text,
                           capture_output=True, text=True, check=False)
    expect("promtool", (check.returncode, check.stdout + check.stderr),
           (0, ""))


@claim
def nginx_status_is_stub_status(s):
    answer = s.get("/nginx_status")
    expect("status", answer.status, 200)
    expect_in("body", b"Active connections:", answer.body)


@claim
def pipelined_requests_are_answered_in_order(s):
    def one(number):
        body = json.dumps({"code": f"_ = {number}"})
        return (f"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                f"X-Executor-Token: {TOKEN}\r\nContent-Type: application/json"
                f"\r\nContent-Length: {len(body)}\r\n"
                + ("Connection: close\r\n" if number == 3 else "")
                + f"\r\n{body}").encode()
    answer = s.raw(one(1) + one(2) + one(3), 15)
    values = re.findall(rb'"return_value": ?([0-9]+)', answer)
    expect("values", values, [b"1", b"2", b"3"])


@claim
def access_log_is_json_without_secrets(s):
    access_line(s, s.get("/nope?token=" + TOKEN).header("X-Request-ID"))
    line = access_line(s, s.run("secret_name = 1")["request_id"])
    expect("what it tells", {k: line[k] for k in (
        "method", "path", "status", "address", "protocol", "upstream_status")},
        {"method": "POST", "path": "/execute", "status": 200,
         "address": "127.0.0.1", "protocol": "HTTP/1.1",
         "upstream_status": "200"})
    expect_true("upstream time", 0 <= float(line["upstream_seconds"])
                <= line["seconds"] + 0.1)
    log = s.log_text()
    expect_true("the token is in the log", TOKEN not in log)
    expect_true("the code is in the log", "secret_name" not in log)
    expect_true("no access log", len(access_lines(s)) > 5)


@claim
def hostile_values_stay_inside_one_line_of_json(s):
    host = b"Host: localhost\r\nConnection: close\r\n"
    for n, (line, more, path) in enumerate((
            (b'GET /x"},{"a":"b HTTP/1.1', b"", '/x"},{"a":"b'),
            (b"GET /x\\ HTTP/1.1", b"", "/x\\"),
            (b"GET /\xff\xfe\x80 HTTP/1.1", b"", "/"),
            (b"GET /\xc3\xa9 HTTP/1.1", b"", "/"),
            (b"GET /%0a%0d%00x HTTP/1.1", b"", None),
            (b"GET /a?token=" + TOKEN.encode() + b" HTTP/1.1", b"", "/a"),
            (b"GET /" + b"a" * 2000 + b" HTTP/1.1", b"", "/" + "a" * 511),
            (b"PROPFIND /x HTTP/1.1", b"", "/x"),
            (b"POST /execute HTTP/1.1",
             b'X-Forwarded-For: "},\xff\r\nUser-Agent: \xff"\\\r\n'
             b"Cookie: a=\x01\r\nReferer: \x7f\r\n"
             b"Content-Length: 0\r\n", "/execute"))):
        s.raw(line + b"\r\n" + host + b"X-Request-ID: hostile-%d\r\n" % n +
              more + b"\r\n", 5)
        rows = eventually("the line", lambda n=n: [
            r for r in access_lines(s)
            if r["request_id"] == f"hostile-{n}" or (
                n == 4 and r["status"] == 400)])
        if path is not None:
            expect(f"path of {line[:20]}", rows[0]["path"], path)
            expect(f"method of {line[:20]}", rows[0]["method"],
                   line.split()[0].decode())
    for data in (b"\x16\x03\x01\xff\xff\r\n\r\n", b'"\\\xff / "\r\n\r\n',
                 b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n", b"GET"):
        s.raw(data, 1, shut=True)
    for row in access_lines(s):
        expect("kind of status", type(row["status"]), int)
    expect_true("the token is in the log", TOKEN not in s.log_text())


@claim_alone
def rendered_files_pass_nginx_for_every_variant():
    with tempfile.TemporaryDirectory(prefix="gbtls.") as home:
        expect_good_variants(home)


def tls_variants(home):
    certificate, key = make_certificate(home)
    tls = f"TLS_CERTIFICATE={certificate}\nTLS_KEY={key}\n"
    return (tls, tls + "HTTP_REDIRECT_PORT=8080\nSERVICE_PORT=8443\n",
            tls + "SERVICE_PORT=8443\nTRUSTED_PROXIES=10.0.0.0/8\n",
            "TRUSTED_PROXIES=10.0.0.1,fd00::/8\n",
            "REFUSED_TOKENS_PER_MINUTE=0\n",
            "RATE_LIMIT_PER_MINUTE=0\n")


def expect_good_variants(home):
    for extra in ("", "ALLOWED_ORIGINS=\n",
                  "METRICS_ALLOW=10.0.0.0/8,fd00::/8\n",
                  "SERVER_NAMES=a.example,b.example\n",
                  "MAX_CONCURRENT_EXECUTIONS=1024\n"
                  "MAX_QUEUED_EXECUTIONS=4096\n",
                  "RATE_LIMIT_PER_MINUTE=1\nRATE_LIMIT_BURST=0\n",
                  "LOG_LEVEL=DEBUG\n", *tls_variants(home)):
        with tempfile.TemporaryDirectory(prefix="gbflow.") as run:
            os.chmod(run, 0o755)
            subprocess.run([os.path.join(ROOT, "ops", "render"), run],
                           input="SOCKET_PATH=/tmp/x.sock\n" + extra,
                           text=True, check=True)
            test = subprocess.run(
                ["/usr/sbin/nginx", "-t", "-e", "stderr", "-p", run,
                 "-c", run + "/nginx/nginx.conf"],
                capture_output=True, text=True, check=False)
            expect(f"nginx -t with {extra!r}: {test.stderr}",
                   test.returncode, 0)
            expect_true(f"warning with {extra!r}: {test.stderr}",
                        "[warn]" not in test.stderr)


@claim_alone
def render_refuses_what_would_break_out_of_nginx_files():
    for line in ('ALLOWED_ORIGINS=http://a";evil', "SERVER_NAMES=a;b",
                 "METRICS_ALLOW=all; }", "SOCKET_PATH=/x$y",
                 "SERVICE_PORT=80;", "SERVER_NAMES={",
                 "TRUSTED_PROXIES=10.0.0.1;", "TLS_KEY=/a;b",
                 "TLS_CERTIFICATE=/etc/passwd", "HTTP_REDIRECT_PORT=80",
                 "REFUSED_TOKENS_PER_MINUTE=1r/s"):
        with tempfile.TemporaryDirectory(prefix="gbflow.") as run:
            done = subprocess.run(
                [os.path.join(ROOT, "ops", "render"), run],
                input="SOCKET_PATH=/tmp/x.sock\n" + line + "\n", text=True,
                capture_output=True, check=False)
            expect_true(f"{line!r} was rendered", done.returncode != 0)
            expect("lines of the complaint",
                   len(done.stderr.strip().splitlines()), 1)
