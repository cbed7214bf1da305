"""ops/systemd: the units as systemd reads them, and what they agree with.

(What the app does under systemd: test_systemd.py.)
"""

import os
import re
import tempfile

from harness import ROOT, claim_alone, expect, expect_in, expect_true
from shipped import OPS, longest_request_s, read, run, unit

# Ten times what `systemd-analyze security` may say at most; what it says now
# stands in docs/OPERATIONS.md.
EXPOSURE = {"glovebox.service": 28, "glovebox-nginx.service": 12}
UNITS = ["glovebox.socket", *EXPOSURE]


def directives(name, key):
    return re.findall(rf"(?m)^{key}=(.*)$", read(unit(name)))


@claim_alone
def units_are_no_more_exposed_than_documented():
    for name, ceiling in EXPOSURE.items():
        out = run("systemd-analyze", "security", "--offline=true",
                  "--no-pager", f"--threshold={ceiling}", unit(name))
        figure = re.search(r"exposure level for \S+: ([\d.]+)", out).group(1)
        expect_in(f"figure of {name} in OPERATIONS.md", figure,
                  read(os.path.join(ROOT, "docs", "OPERATIONS.md")))


@claim_alone
def units_are_understood_by_systemd():
    """Every key and value; the programs are replaced, since they may not be
    installed here."""
    with tempfile.TemporaryDirectory(prefix="gbunit.") as home:
        for name in UNITS:
            text = re.sub(r"(?m)^(Exec\w+=\+?)\S+", r"\1/bin/true",
                          read(unit(name)))
            with open(os.path.join(home, name), "w",
                      encoding="utf-8") as f:
                f.write(re.sub(r"(?m)^Documentation=.*$", "", text))
        out = run("systemd-analyze", "verify", "--man=no",
                  "--recursive-errors=no",
                  *(os.path.join(home, name) for name in UNITS))
    found = [line for line in out.splitlines() if "glovebox" in line]
    expect("findings of systemd-analyze verify", found, [])


@claim_alone
def units_give_the_longest_request_its_time():
    for name in EXPOSURE:
        stop_s = int(directives(name, "TimeoutStopSec")[0])
        expect_true(f"{name}: {stop_s} s to stop, a request may take "
                    f"{longest_request_s()} s", stop_s >= longest_request_s())


@claim_alone
def socket_unit_is_where_nginx_and_the_app_look():
    preset = re.search(r"(?m)^#SOCKET_PATH=(.*)$", read(
        os.path.join(OPS, "glovebox.conf"))).group(1)
    expect("path", directives("glovebox.socket", "ListenStream"), [preset])
    expect("mode", directives("glovebox.socket", "SocketMode"), ["0660"])
    # The directory is not to go with the service that is restarted.
    expect("directory", directives(
        "glovebox.service", "RuntimeDirectoryPreserve"), ["yes"])
    expect_in("the service has it", "glovebox.socket", directives(
        "glovebox.service", "Requires"))
    # nginx stays while the app is restarted.
    expect("PartOf", directives("glovebox-nginx.service", "PartOf"), [])


@claim_alone
def service_unit_is_told_and_watched():
    expect("type", directives("glovebox.service", "Type"), ["notify"])
    expect("who may tell", directives("glovebox.service", "NotifyAccess"),
           ["main"])
    expect_true("watchdog", int(directives(
        "glovebox.service", "WatchdogSec")[0]) >= 20)
    for name in EXPOSURE:
        expect_true(f"{name} can be reloaded",
                    directives(name, "ExecReload"))


def allowed_calls(name):
    """What SystemCallFilter= of a unit leaves, by systemd's own groups."""
    allowed = set()
    for line in directives(name, "SystemCallFilter"):
        takes_away = line.startswith("~")
        for word in line.lstrip("~").split():
            calls = calls_of(word)
            allowed = allowed - calls if takes_away else allowed | calls
    return allowed


def calls_of(word):
    if not word.startswith("@"):
        return {word}
    found = set()
    for line in run("systemd-analyze", "syscall-filter", word).splitlines():
        line = line.strip()
        if line and not line.startswith("#") and line != word:
            found |= calls_of(line)
    return found


# systemd refuses these with the same errno, by directives that are worth more
# than to have such a try named.
NOT_NAMED_UNDER_SYSTEMD = {"clock_settime"}


@claim_alone
def unit_leaves_refusals_of_boxes_to_their_own_filter():
    """A call that the unit refused would be missing from `refused`."""
    rows = read(os.path.join(ROOT, "sandbox", "confine", "calls.c"))
    named = set(re.findall(r'\{ "(\w+)", CALL_(?:NAMED|ALLOW)', rows))
    expect_true("rows were found", len(named) > 40)
    expect("calls that the unit refuses before the box's filter can",
           sorted(named - allowed_calls("glovebox.service")
                  - NOT_NAMED_UNDER_SYSTEMD), [])
    families = directives("glovebox.service", "RestrictAddressFamilies")
    expect_in("the family that the trial box asks for", "AF_INET",
              families[0].split())


@claim_alone
def unit_lets_the_confinement_be_made():
    allowed = allowed_calls("glovebox.service")
    for call in ("unshare", "clone3", "mount", "umount2", "pivot_root",
                 "seccomp", "landlock_create_ruleset", "landlock_add_rule",
                 "landlock_restrict_self", "epoll_wait", "signalfd4",
                 "eventfd2", "accept4", "capset", "keyctl", "prctl",
                 "pidfd_open", "memfd_create", "close_range", "setresuid"):
        expect_in("calls of the unit", call, allowed)
    for key in ("RestrictNamespaces", "ProtectProc", "PrivateUsers"):
        expect(f"{key} of glovebox.service",
               directives("glovebox.service", key), [])
    bounding = directives("glovebox.service", "CapabilityBoundingSet")
    expect("capabilities", sorted(bounding[0].split()),
           ["CAP_CHOWN", "CAP_KILL", "CAP_SETGID", "CAP_SETPCAP",
            "CAP_SETUID"])
