"""Rates: by address, by token, and of refused tokens."""

import contextlib
import time

from access_log import access_lines
from harness import (TOKEN, Later, Service, claim_alone, eventually, expect,
                     expect_between, expect_error, expect_true)


@claim_alone
def rate_limit_by_address_answers_429():
    with Service(RATE_LIMIT_PER_MINUTE=30, RATE_LIMIT_BURST=5) as s:
        answers = [s.post("/execute", {"code": "1"}) for _ in range(9)]
        expect("statuses", [a.status for a in answers],
               [200] * 6 + [429] * 3)
        expect_error(answers[-1], 429)
        expect("Retry-After", answers[-1].header("Retry-After"), "2")
        expect("health", s.get("/health").status, 200)
        expect("metrics", s.get("/metrics").status, 200)
        time.sleep(2.2)
        expect("afterwards", s.post("/execute", {"code": "1"}).status, 200)


@claim_alone
def every_refusal_has_its_line_in_the_log():
    """They are written several at a time; none is lost, torn or twice."""
    with Service(RATE_LIMIT_PER_MINUTE=30, RATE_LIMIT_BURST=5) as s:
        got = {429: [], 200: []}
        with contextlib.closing(s.connect()) as kept:
            for i in range(150):
                name = f"line-{i}"
                answer = s.execute("1", connection=kept, headers=[
                    ("X-Executor-Token", TOKEN), ("X-Request-ID", name)])
                got[answer.status].append(name)
        expect_true(f"refused: {len(got[429])}", len(got[429]) > 100)

        def lines(status):
            return [row["request_id"] for row in access_lines(s)
                    if row["status"] == status]
        eventually("the accepted", lambda: lines(200) == got[200])
        eventually("the refused", lambda: len(lines(429)) >= len(got[429]))
        expect("the refused", lines(429), got[429])
        expect_true("the token is in the log", TOKEN not in s.log_text())


@claim_alone
def rate_limit_of_zero_is_no_limit():
    with Service(RATE_LIMIT_PER_MINUTE=0, RATE_LIMIT_BURST=0) as s:
        statuses = {s.post("/execute", {"code": "1"}).status
                    for _ in range(40)}
        expect("statuses", statuses, {200})


@claim_alone
def rate_limit_by_token_counts_both_headers_as_one():
    with Service(RATE_LIMIT_PER_MINUTE=30, RATE_LIMIT_BURST=3) as s:
        def from_address(last, header):
            body = b'{"code":"1"}'
            with s.socket(20, f"127.0.0.{last}") as c:
                c.sendall(b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                          b"Connection: close\r\nContent-Type: "
                          b"application/json\r\nContent-Length: %d\r\n"
                          b"%s\r\n\r\n%s" % (len(body), header, body))
                return int(c.recv(65536).split()[1])
        headers = [b"X-Executor-Token: " + TOKEN.encode(),
                   b"Authorization: Bearer " + TOKEN.encode(),
                   b"authorization: bearer  " + TOKEN.encode()]
        got = [from_address(10 + i, headers[i % 3]) for i in range(8)]
        expect_true(f"statuses: {got}", got[:2] == [200, 200]
                    and got[4:] == [429] * 4)


# --- refused tokens -----------------------------------------------------------

TOO_MANY = "Too many refused tokens from this address; retry later"


def call(s, token, source=None, headers=b""):
    """Status, headers and seconds of a run, from an address of ours."""
    start = time.monotonic()
    with s.socket(40, source) as c:
        c.sendall(b"POST /execute HTTP/1.1\r\nHost: localhost\r\nConnection: "
                  b"close\r\nContent-Type: application/json\r\n"
                  b"Content-Length: 12\r\nX-Executor-Token: " +
                  token.encode() + b"\r\n" + headers +
                  b'\r\n{"code":"1"}')
        answer = b""
        while part := c.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    return (int(head.split()[1]), head.decode("latin-1"), body,
            time.monotonic() - start)


@claim_alone
def refused_tokens_are_slowed_down_by_address():
    """60 a minute: five at once, five a second apart, the rest 429; and a
    good token goes on, from that address as from another."""
    with Service(REFUSED_TOKENS_PER_MINUTE=60) as s:
        calls = [Later(call, s, f"wrong-{n}") for n in range(20)]
        time.sleep(0.5)
        for source in ("127.0.0.1", "127.0.0.2"):
            status, _, _, seconds = call(s, TOKEN, source)
            expect(f"status of a good token from {source}", status, 200)
            expect_true(f"a good token had to wait {seconds:.1f} s",
                        seconds < 1.5)
        status, _, _, seconds = call(s, "wrong", "127.0.0.2")
        expect("status of a first wrong one from elsewhere", status, 401)
        expect_true(f"it had to wait {seconds:.1f} s", seconds < 1.5)
        got = sorted((c.result() for c in calls), key=lambda g: g[3])
        statuses = [g[0] for g in got]
        expect_between("answered 401", statuses.count(401), 11, 13)
        expect("answered 429", statuses.count(429),
               20 - statuses.count(401))
        late = [g[3] for g in got if g[0] == 401 and g[3] > 0.7]
        expect_between(f"answered late: {late}", len(late), 4, 6)
        expect_between("the last one", late[-1], 3.5, 9)
        for status, head, body, seconds in got:
            if status == 429:
                expect_true(f"429 after {seconds:.1f} s", seconds < 3)


@claim_alone
def slowed_down_answers_are_whole():
    with Service(REFUSED_TOKENS_PER_MINUTE=1) as s:
        first = s.post("/execute", {"code": "1"}, [("Origin",
                                                    "http://localhost:8030")])
        expect_error(first, 401, "Invalid or missing executor token")
        expect("challenge", first.header("WWW-Authenticate"), "Bearer")
        expect("origin", first.header("Access-Control-Allow-Origin"),
               "http://localhost:8030")
        expect("redirect of ours", first.header("X-Accel-Redirect"), None)
        for path in ("/validate", "/execute", "/validate", "/execute",
                     "/execute"):
            expect_error(s.post(path, {"code": "1"}, []), 401)
        with contextlib.ExitStack() as waiting:
            for _ in range(5):
                waiting.enter_context(s.socket()).sendall(
                    b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Length: 0\r\n\r\n")
            eventually("all are counted", lambda: 'total{route="execute",'
                       'status="401"} 9\n' in s.get("/metrics").body.decode())
            answer = expect_error(s.post("/execute", {"code": "1"}, []), 429,
                                  TOO_MANY)
            expect("Retry-After", answer.header("Retry-After"), "60")
            expect("challenge", answer.header("WWW-Authenticate"), None)
            expect("status of a good token", call(s, TOKEN)[0], 200)
        # Who hangs up does not hold up the end of the service.
