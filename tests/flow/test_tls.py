"""TLS: two settings, https and HTTP/2, the way from http, and the start."""

import calendar
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time

from access_log import access_line
from harness import (OTHER_USER, ROOT, TOKEN, Failure, Service, claim,
                     claim_alone, eventually, expect, expect_error, expect_in,
                     expect_true, free_port, make_certificate, process_tree,
                     still_there)
from http2 import (CONTINUATION, END_HEADERS, END_STREAM, HEADERS, Http2,
                   request)

SETTINGS = {"has_tls": True, "HTTP_REDIRECT_PORT": free_port()}

HSTS = "max-age=31536000"
POST = [("content-type", "application/json")]
GOOD = [*POST, ("x-executor-token", TOKEN)]
CODE = json.dumps({"code": "_ = 6 * 7"}).encode()
ON_EVERY_ANSWER = (
    "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy",
    "Permissions-Policy", "Content-Security-Policy", "Cache-Control", "Vary",
    "X-Request-ID")


# --- https --------------------------------------------------------------------


@claim
def curl_gets_the_same_by_both_protocols(s):
    token = f"X-Executor-Token: {TOKEN}"
    kind = "Content-Type: application/json"
    for name, path, arguments, data, status in (
            ("health", "/health", [], None, 200),
            ("metrics", "/metrics", [], None, 200),
            ("a run", "/execute", ["-H", token, "-H", kind], CODE, 200),
            ("a refused run", "/execute", ["-H", token, "-H", kind],
             b'{"code":"import os"}', 400),
            ("a bad body", "/execute", ["-H", token, "-H", kind], b"{", 422),
            ("no token", "/execute", ["-H", kind], CODE, 401),
            ("no path", "/nope", [], None, 404),
            ("a method", "/execute", ["-X", "PUT"], None, 405),
            ("a size", "/execute", ["-H", token, "-H", kind],
             b" " * 4194305, 413),
            ("a host", "/health", ["-H", "Host: evil.example"], None, 421),
            ("preflight", "/execute", ["-X", "OPTIONS"], None, 204)):
        for protocol in ("--http1.1", "--http2"):
            a = s.curl(path, protocol, "-H", "Expect:", *arguments,
                       data=data)
            what = f"{name} by {protocol}"
            expect(f"status of {what}", a.status, status)
            expect(f"HSTS of {what}",
                   a.header("Strict-Transport-Security"), HSTS)
            expect(f"Server of {what}", a.header("Server"), "nginx")
            for header in ON_EVERY_ANSWER:
                expect_true(f"{header} of {what}", a.header(header))
            if status >= 400:
                expect_error(a, status)
            if status == 401:
                expect("challenge", a.header("WWW-Authenticate"), "Bearer")
            if name == "a run":
                expect("value", a.json["return_value"], 42)


@claim
def both_protocols_are_offered_and_logged(s):
    for protocol, wanted in (("--http1.1", "HTTP/1.1"),
                             ("--http2", "HTTP/2.0")):
        s.curl("/nope", protocol, "-H", f"X-Request-ID: log{protocol}")
        line = access_line(s, f"log{protocol}")
        expect("protocol", line["protocol"], wanted)
        expect("TLS", line["tls"], "TLSv1.3")
        expect("method", line["method"], "GET")


def handshake(s, version, ciphers=None):
    """The cipher and whether the server gave a ticket; None if refused."""
    context = s.tls()
    context.minimum_version = context.maximum_version = version
    context.set_ciphers(ciphers or "ALL:@SECLEVEL=0")
    try:
        with socket.create_connection(("127.0.0.1", s.port), 20) as plain, \
                context.wrap_socket(plain) as c:
            return c.cipher()[0], c.session.has_ticket
    except ssl.SSLError as e:
        # It must be the server who refuses, not we.
        expect_in("alert", "alert", str(e).lower())
        return None


@claim
def only_modern_tls_is_spoken(s):
    versions = ssl.TLSVersion
    expect_true("TLS 1.3", handshake(s, versions.TLSv1_3))
    expect("TLS 1.1", handshake(s, versions.TLSv1_1), None)
    for cipher, is_good in (("ECDHE-ECDSA-AES128-GCM-SHA256", True),
                            ("ECDHE-ECDSA-AES256-GCM-SHA384", True),
                            ("ECDHE-ECDSA-CHACHA20-POLY1305", True),
                            ("ECDHE-ECDSA-AES128-SHA256", False),
                            ("ECDHE-ECDSA-AES128-SHA", False),
                            ("ECDHE-ECDSA-AES128-CCM", False)):
        got = handshake(s, versions.TLSv1_2, cipher)
        expect(cipher, got, (cipher, False) if is_good else None)


@claim
def http_on_the_port_of_https_is_told_so(s):
    with socket.create_connection(("127.0.0.1", s.port), 20) as c:
        c.sendall(b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Length: 0\r\n\r\n")
        head, _, body = c.recv(65536).partition(b"\r\n\r\n")
    expect("status", head.split()[1], b"400")
    expect("detail", json.loads(body)["detail"], "This port speaks https")
    expect_true("HSTS without TLS", b"Strict-Transport" not in head)


@claim
def expiry_of_the_certificate_is_a_metric(s):
    end = subprocess.run(
        ["openssl", "x509", "-noout", "-enddate", "-in", s.certificate],
        capture_output=True, text=True, check=True).stdout
    wanted = calendar.timegm(time.strptime(
        end.strip().split("=")[1], "%b %d %H:%M:%S %Y %Z"))
    expect("expiry", expiry(s), float(wanted))


def expiry(s):
    return float(re.search(
        r"(?m)^glovebox_certificate_expiry_timestamp_seconds (\S+)$",
        s.get("/metrics").body.decode())[1])


# --- from http to https -------------------------------------------------------


@claim
def reader_is_sent_from_http_to_https(s):
    port = s.settings["HTTP_REDIRECT_PORT"]
    for arguments in ([], ["-I"], ["-H", "Host: LOCALHOST:80"]):
        a = s.curl("/health?a=b%20c", *arguments, port=port)
        expect("status", a.status, 301)
        expect("Location", a.header("Location"),
               f"https://localhost:{s.port}/health?a=b%20c")
        expect("HSTS", a.header("Strict-Transport-Security"), None)
        for header in ON_EVERY_ANSWER:
            expect_true(f"{header} of a 301", a.header(header))
    there = subprocess.run(
        ["curl", "-sSL", "--cacert", s.certificate,
         f"http://localhost:{port}/health/live"], capture_output=True,
        check=True).stdout
    expect("status by -L", json.loads(there)["status"], "alive")


@claim
def what_carries_a_secret_is_refused_not_sent_on(s):
    port = s.settings["HTTP_REDIRECT_PORT"]
    token = f"X-Executor-Token: {TOKEN}"
    for path, arguments, data in (
            ("/execute", ["-H", token], CODE), ("/execute", [], CODE),
            ("/health", ["-H", token], None),
            ("/health", ["-H", "Authorization: Bearer " + TOKEN], None),
            ("/execute", ["-X", "OPTIONS"], None),
            ("/health", ["-X", "DELETE"], None)):
        a = s.curl(path, *arguments, data=data, port=port)
        expect_error(a, 403, "Only https here; replace a token that was sent "
                             "without it")
        expect("Location", a.header("Location"), None)


@claim
def redirect_knows_only_our_names(s):
    for host in ("evil.example", "localhost.evil.example", ""):
        a = s.curl("/health", "-H", f"Host: {host}" if host else "Host;",
                   port=s.settings["HTTP_REDIRECT_PORT"])
        expect_true(f"{host!r}: {a.status}", a.status in (400, 421))
        expect("Location", a.header("Location"), None)


# --- headers over HTTP/2 ------------------------------------------------------


@claim
def doubled_and_malformed_headers_are_refused_over_http2(s):
    bearer = ("authorization", "Bearer " + TOKEN)
    whole = request("POST", "/execute", more=GOOD)
    with Http2(s.port) as c:
        expect("protocol", c.protocol, "h2")
        status, body = c.ask(1, whole, CODE)
        expect("a good one", (status, json.loads(body)["return_value"]),
               (200, 42))
    for name, fields, wanted in (
            ("token twice", [*whole, GOOD[1]], {401}),
            ("another token", [*whole, ("x-executor-token", "other")],
             {401}),
            ("two ways that differ", [*whole, ("authorization",
                                               "Bearer other")], {401}),
            ("authorization twice", [*whole[:-1], bearer, bearer], {400}),
            ("underscores", [*whole[:-1], ("x_executor_token", TOKEN)],
             {401}),
            ("type twice", [*whole, ("content-type", "text/plain")], {400}),
            ("origin twice", [*whole, ("origin", "https://a.example"),
                              ("origin", "https://b.example")], {400}),
            ("length twice", [*whole, ("content-length", str(len(CODE))),
                              ("content-length", "1")], {400}),
            ("another length", [*whole, ("content-length", "1")], {400}),
            ("capitals", [*whole, ("X-A", "b")], {400, "reset"}),
            ("line feed", [*whole, ("x-a", "b\r\nx-executor-token: c")],
             {400, "reset"}),
            ("NUL", [*whole, ("x-a", "b\0c")], {400, "reset"}),
            ("path twice", [*whole, (":path", "/health")], {400, "reset"}),
            ("no path", [f for f in whole if f[0] != ":path"],
             {400, "reset"}),
            ("no method", [f for f in whole if f[0] != ":method"],
             {400, "reset"}),
            ("unknown pseudo-header", [(":evil", "x"), *whole],
             {400, "reset"}),
            ("two hosts", [*whole, ("host", "evil.example")], {400}),
            ("unknown host", request("POST", "/execute", "evil.example",
                                     GOOD), {421}),
            ("no host", [f for f in whole if f[0] != ":authority"], {400})):
        with Http2(s.port) as c:
            got, body = c.ask(1, fields, CODE)
            if got not in wanted:
                raise Failure(f"{name}: got {got!r} {body[:99]!r}, wanted "
                              f"{wanted}")
            if body:
                expect(f"keys of {name}", sorted(json.loads(body)),
                       ["detail", "request_id"])
    expect("value", s.value("_ = 1"), 1)


@claim
def header_poses_as_no_parameter_over_http2(s):
    with Http2(s.port) as c:
        status, body = c.ask(1, request("POST", "/execute", more=[
            *GOOD, ("request-method", "GET"), ("script-name", "/health"),
            ("remote-addr", "6.6.6.6"), ("proxy", "http://evil.example"),
            ("request-id", "evil"), ("x-address", "6.6.6.6"),
            ("x-accel-redirect", "/_nginx_status")]), CODE)
    expect("status", status, 200)
    answer = json.loads(body)
    expect("value", answer["return_value"], 42)
    expect_true("the id is the client's", answer["request_id"] != "evil")
    expect("address", access_line(s, answer["request_id"])["address"],
           "127.0.0.1")
    expect_true("the address is the client's", "6.6.6.6" not in s.log_text())


@claim
def headers_over_http2_are_bounded(s):
    """Many small ones, one large one.  Over HTTP/1.1 they get a 431, here the
    connection ends."""
    for fields in ([("x-" + str(n), "a" * 100) for n in range(1000)],
                   [("x-a", "a" * 40000)]):
        with Http2(s.port) as c:
            pairs = request("GET", "/health", more=fields)
            data = c.headers(1, pairs)[9:]
            c.send(c.frame(HEADERS, END_STREAM, 1, data[:16000]))
            for at in range(16000, len(data), 16000):
                c.send(c.frame(CONTINUATION, 0, 1, data[at:at + 16000]))
            c.send(c.frame(CONTINUATION, END_HEADERS, 1))
            got, _ = c.answer(1)
            expect_true(f"it was taken: {got}", got in (
                400, 431, None, "goaway", "reset"))
    expect("value", s.value("_ = 1"), 1)


# --- renewing -----------------------------------------------------------------


def served(s):
    """The certificate as a new connection gets it."""
    with s.socket() as c:
        return c.getpeercert(binary_form=True)


@claim
def renewed_certificate_is_served_after_a_reload(s):
    """And a pair that does not fit changes nothing."""
    old, old_key = served(s), read(s.key)
    workers = process_tree(s.nginx_pid)
    make_certificate(s.home)
    new_key = read(s.key)
    for key in (old_key, new_key):
        with open(s.key, "w", encoding="ascii") as f:
            f.write(key)
        os.kill(s.nginx_pid, signal.SIGHUP)
        if key == old_key:
            eventually("nginx says why", lambda: "key values mismatch" in
                       s.log_text(), 10)
            expect("certificate of a bad pair", served(s), old)
    eventually("nginx's old workers are gone",
               lambda: not still_there(workers), 10)
    expect_true("the old one is served", served(s) != old)
    expect("status", s.curl("/health/live").status, 200)


def runbook_says(s):
    """What the commands of the runbook print, one of them after the other."""
    with open(os.path.join(ROOT, "docs", "RUNBOOK.md"),
              encoding="utf-8") as f:
        chapter = f.read().partition("\n## Certificate expired\n")[2]
    commands = re.findall(r"(?m)^    (\S.*)$", chapter.partition("\n## ")[0])
    said = []
    for command, blank, value in zip(
            commands, ("127.0.0.1:8030", "CERTIFICATE", "$URL"),
            (f"127.0.0.1:{s.port}", s.certificate,
             f"https://127.0.0.1:{s.port}"), strict=True):
        expect_in("the command", blank, command)
        done = subprocess.run(
            command.replace(blank, value).replace("NAME", "localhost"),
            shell=True, capture_output=True, text=True, timeout=30)
        said.append((done.returncode, done.stdout))
    return said


def end_in(text):
    return re.search(r"notAfter=(.*)", text)[1]


def is_file_served(s):
    """Workers of before a reload may still take a connection or two."""
    def check():
        now, lies, _ = runbook_says(s)
        return end_in(now[1]) == end_in(lies[1])
    return check


@claim
def runbook_tells_a_certificate_that_nginx_has_not_read_yet(s):
    eventually("the file's own is served", is_file_served(s), 10)
    now, lies, metric = runbook_says(s)
    expect("status", [now[0], lies[0], metric[0]], [0, 0, 0])
    expect_in("subject", "CN = localhost", now[1])
    expect("the metric", float(metric[1].split()[1]), expiry(s))
    old = end_in(now[1])
    make_certificate(s.home, days=1)
    now, lies, _ = runbook_says(s)
    expect("served before a reload", end_in(now[1]), old)
    expect_true("the file has the old one", end_in(lies[1]) != old)
    expect("ends within a week", lies[0], 1)
    os.kill(s.nginx_pid, signal.SIGHUP)
    eventually("the new one is served", is_file_served(s), 10)


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read()


# --- starting -----------------------------------------------------------------


def start_fails(wanted, **settings):
    s = Service(**settings).launch()
    try:
        expect_true(f"it started with {settings}", s.process.wait(60) != 0)
        # What `gloveboxctl check` thinks of the machine is not the point here.
        lines = [line for line in s.log_text().splitlines()
                 if not line.startswith("check | ")]
        expect(f"lines said: {lines}", len(lines), 1)
        expect_in("the line", wanted, lines[0])
    finally:
        s.forget()


@claim_alone
def bad_certificates_stop_the_start_with_one_line():
    with tempfile.TemporaryDirectory(prefix="gbtls.") as home:
        certificate, key = make_certificate(home)
        other = os.path.join(home, "other")
        os.mkdir(other)
        _, other_key = make_certificate(other)
        locked = os.path.join(home, "locked.pem")
        subprocess.run(["openssl", "ec", "-in", key, "-aes128", "-passout",
                        "pass:secret", "-out", locked], check=True,
                       stderr=subprocess.DEVNULL)
        for wanted, settings in (
                ("both or not at all", {"TLS_CERTIFICATE": certificate}),
                ("both or not at all", {"TLS_KEY": key}),
                ("absolute path", {"TLS_CERTIFICATE": "c.pem",
                                   "TLS_KEY": key}),
                ("TLS_CERTIFICATE='/nowhere/c.pem' must be a file",
                 {"TLS_CERTIFICATE": "/nowhere/c.pem", "TLS_KEY": key}),
                (f"TLS_KEY='{home}' must be a file",
                 {"TLS_CERTIFICATE": certificate, "TLS_KEY": home}),
                ("key values mismatch", {"TLS_CERTIFICATE": certificate,
                                         "TLS_KEY": other_key}),
                ("cannot load certificate", {"TLS_CERTIFICATE": key,
                                             "TLS_KEY": key}),
                ("cannot load certificate key", {
                    "TLS_CERTIFICATE": certificate, "TLS_KEY": locked}),
                ("HTTP_REDIRECT_PORT", {"HTTP_REDIRECT_PORT": "80"})):
            start_fails(wanted, **settings)


@claim_alone
def key_that_the_user_cannot_read_is_named():
    if os.getuid() != 0:
        return
    with tempfile.TemporaryDirectory(prefix="gbtls.") as home:
        os.chmod(home, 0o755)
        certificate, key = make_certificate(home)
        os.chmod(key, 0o600)
        start_fails(f"TLS_KEY='{key}' must be a file that",
                    user=OTHER_USER, TLS_CERTIFICATE=certificate, TLS_KEY=key)


@claim_alone
def expired_certificate_is_served_with_a_warning():
    with tempfile.TemporaryDirectory(prefix="gbtls.") as home:
        certificate, key = make_certificate(home)
        subprocess.run(["openssl", "x509", "-in", certificate, "-signkey",
                        key, "-days", "-1", "-out", certificate + ".old"],
                       check=True, stderr=subprocess.DEVNULL)
        certificate += ".old"
        with Service(has_tls=True, TLS_CERTIFICATE=certificate,
                     TLS_KEY=key) as s:
            lines = [line for line in s.log_text().splitlines()
                     if "expired" in line]
            expect(f"warnings: {lines}", len(lines), 1)
            expect_in("the warning", certificate, lines[0])
            expect("health", s.get("/health").status, 200)
            expect_true("the metric is in the past",
                        expiry(s) < time.time())


@claim_alone
def printed_curl_works_over_https():
    """By a name of this machine, and by one that nobody else knows."""
    for names in ("localhost,127.0.0.1", "glovebox.example"):
        with Service(has_tls=True, EXECUTOR_API_TOKEN=None,
                     SERVER_NAMES=names) as s:
            log = s.log_text()
            name = names.split(",")[0]
            expect_in("log", f"URL    https://{name}:{s.port}\n", log)
            command = re.search(r"try +(curl .*?)\n  agent", log, re.S)[1]
            expect_true("the certificate is not looked at",
                        "--insecure" not in command)
            done = subprocess.run(["sh", "-c", command], text=True,
                                  capture_output=True, check=True)
            expect("output", json.loads(done.stdout)["stdout"], "42\n")
