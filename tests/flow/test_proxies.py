"""TRUSTED_PROXIES: whose word about the client's address counts."""

import json

from harness import (TOKEN, Service, claim, claim_alone, eventually, expect,
                     expect_true)

# 127.0.0.1 is the proxy; whoever comes from another 127.x is not.
SETTINGS = {"TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8, fd00::/8"}


def run_from(s, name, forwarded, source=None, more=""):
    """Run a program as request `name`, with these X-Forwarded-For headers."""
    lines = "".join(f"X-Forwarded-For: {value}\r\n" for value in forwarded)
    body = '{"code":"1"}'
    with s.socket(20, source) as c:
        c.sendall((f"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                   f"Connection: close\r\nContent-Type: application/json\r\n"
                   f"X-Executor-Token: {TOKEN}\r\nX-Request-ID: {name}\r\n"
                   f"{lines}{more}Content-Length: {len(body)}\r\n\r\n{body}"
                   ).encode("latin-1"))
        return int(c.recv(65536).split()[1])


def addresses(s, name):
    """What nginx's log and the audit trail have as the address of `name`."""
    def found():
        rows = [json.loads(line[line.index("{"):])
                for line in s.log_text().splitlines()
                if f'"request_id":"{name}"' in line]
        return rows if len(rows) >= 2 else None
    return {row["address"] for row in eventually(
        f"lines of {name}", found)}


@claim
def proxy_tells_the_address_of_its_client(s):
    for n, (forwarded, wanted) in enumerate((
            ([], "127.0.0.1"),
            (["192.0.2.7"], "192.0.2.7"),
            (["2001:db8::7"], "2001:db8::7"),
            # The client's own claims come first; the proxy's word is last.
            (["6.6.6.6, 192.0.2.8"], "192.0.2.8"),
            (["6.6.6.6", "192.0.2.9"], "192.0.2.9"),
            (["127.0.0.1, 192.0.2.10"], "192.0.2.10"),
            # Several proxies of ours in a row.
            (["6.6.6.6, 192.0.2.11, 10.1.2.3, fd00::1"], "192.0.2.11"),
            (["10.9.9.9"], "10.9.9.9"),
            # Not an address: nothing is taken from the left of it.
            (["192.0.2.12, nonsense"], "127.0.0.1"),
            (["6.6.6.6, <script>, 10.1.2.3"], "10.1.2.3"),
            (["", ], "127.0.0.1"))):
        expect(f"status with {forwarded}",
               run_from(s, f"told-{n}", forwarded), 200)
        expect(f"addresses with {forwarded}", addresses(s, f"told-{n}"),
               {wanted})


@claim
def nobody_else_is_believed(s):
    expect("status", run_from(s, "spoof-1", ["6.6.6.6"], "127.0.0.5"), 200)
    expect("addresses", addresses(s, "spoof-1"), {"127.0.0.5"})
    # Nor any other header, whoever sends it.
    expect("status", run_from(
        s, "spoof-2", [], None,
        "X-Real-IP: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\n"
        "X-Address: 6.6.6.6\r\nTrue-Client-IP: 6.6.6.6\r\n"
        "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n"),
        200)
    expect("addresses", addresses(s, "spoof-2"), {"127.0.0.1"})


@claim
def metrics_are_for_the_client_not_for_its_proxy(s):
    forwarded = [("X-Forwarded-For", "192.0.2.7")]
    for path in ("/metrics", "/nginx_status"):
        expect(f"{path} for a stranger", s.get(path, forwarded).status, 403)
        expect(f"{path} for the machine itself", s.get(path).status, 200)


@claim_alone
def without_proxies_the_header_means_nothing():
    with Service(RATE_LIMIT_PER_MINUTE=1, RATE_LIMIT_BURST=2) as s:
        expect("statuses", [run_from(s, f"none-{n}", [f"192.0.2.{n}"])
                            for n in range(4)], [200, 200, 200, 429])
        expect("addresses", addresses(s, "none-0"), {"127.0.0.1"})


@claim_alone
def rates_go_by_the_real_address():
    """One address, or one net of IPv6, has one allowance; the token's own is
    out of the way by a token for each."""
    with Service(TRUSTED_PROXIES="127.0.0.1", RATE_LIMIT_PER_MINUTE=1,
                 RATE_LIMIT_BURST=1) as s:
        count = iter(range(100))

        def status(address):
            answer = s.post("/execute", {"code": "1"}, [
                ("X-Executor-Token", f"wrong-{next(count)}"),
                ("X-Forwarded-For", address)])
            return answer.status
        expect("one address", [status("192.0.2.1") for _ in range(3)],
               [401, 401, 429])
        expect("another", status("192.0.2.2"), 401)
        expect("spoofed in front", status("192.0.2.9, 192.0.2.1"), 429)
        expect("one net of IPv6",
               [status(f"2001:db8:1:2:{n}::{n}") for n in range(1, 4)],
               [401, 401, 429])
        expect("another net", status("2001:db8:1:3::1"), 401)
        expect("a net with zeros in it",
               [status(a) for a in ("2001:db8::1", "2001:db8::2:1",
                                    "2001:db8::ffff:2:1")], [401, 401, 429])


@claim_alone
def refused_tokens_are_counted_by_the_real_address():
    with Service(TRUSTED_PROXIES="127.0.0.1",
                 REFUSED_TOKENS_PER_MINUTE=1) as s:
        def wrong(address):
            return s.post("/execute", {"code": "1"},
                          [("X-Forwarded-For", address)])
        got = [wrong(f"198.51.100.{n}").seconds for n in range(8)]
        expect_true(f"eight addresses, none is slowed down: {got}",
                    max(got) < 3)
        for _ in range(6):
            expect("status", wrong("192.0.2.1").status, 401)
        with s.socket(1) as c:
            c.sendall(b"POST /execute HTTP/1.1\r\nHost: localhost\r\n"
                      b"X-Forwarded-For: 192.0.2.1\r\n"
                      b"Content-Length: 0\r\n\r\n")
            try:
                expect_true(f"it was not slowed down: {c.recv(99)}", False)
            except TimeoutError:
                pass
