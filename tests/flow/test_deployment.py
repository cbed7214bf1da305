"""ops/: rules, dashboard, units, package, container and cluster files.

Each is tried with the tool that will read it where that tool is a package of
Debian's; the rest is read here and held against the programs.
"""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import yaml

import harness
from harness import (OTHER_USER, ROOT, TOKEN, Failure, claim, claim_alone,
                     eventually, expect, expect_in, expect_true, free_port)

OPS = os.path.join(ROOT, "ops")
RULES = os.path.join(OPS, "prometheus", "rules.yml")
ALERTS = os.path.join(OPS, "prometheus", "alerts.yml")
RULE_TESTS = os.path.join(OPS, "prometheus", "rules_test.yml")
DASHBOARD = os.path.join(OPS, "grafana", "glovebox.json")
RUNBOOK = os.path.join(ROOT, "docs", "RUNBOOK.md")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def read_yaml(path):
    return list(yaml.safe_load_all(read(path)))


def run(*command, status=0, **options):
    """Its output; another exit status is a failure that shows it."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != status:
        raise Failure(f"{command[0]} {command[1]}: exit status "
                      f"{done.returncode}: {done.stdout[-1500:]}")
    return done.stdout


# --- what the rules and the dashboard ask for ---------------------------------


def rules_of(path):
    return [r for g in read_yaml(path)[0]["groups"] for r in g["rules"]]


def recorded():
    return {r["record"] for r in rules_of(RULES)}


def panels():
    return [p for p in json.loads(read(DASHBOARD))["panels"]
            if p["type"] != "row"]


def dashboard_queries():
    return [(p["title"], t["expr"]) for p in panels() for t in p["targets"]]


def filled(expr, job="glovebox"):
    """A query of the dashboard as Grafana sends it."""
    return (expr.replace("$job", job).replace("$instance", ".*")
            .replace("$__rate_interval", "1m"))


WORDS = {"and", "or", "unless", "by", "without", "on", "ignoring", "offset",
         "bool", "group_left", "group_right"}


def selectors(expr):
    """(name, {label: (operator, value)}) of each metric in an expression."""
    strings = []

    def keep(match):
        strings.append(match.group(1))
        return f"\x00{len(strings) - 1}\x00"

    text = re.sub(r'"((?:[^"\\]|\\.)*)"', keep, expr)
    text = re.sub(r"\b(by|without|on|ignoring)\s*\([^)]*\)", " ", text)
    text = re.sub(r"\[[^\]]*\]", " ", text)
    found = []
    for name, called, matchers in re.findall(
            r"([A-Za-z_:][\w:]*)\s*(\(?)(?:\{([^}]*)\})?", text):
        if called or name in WORDS:
            continue
        labels = {}
        for label, operator, n in re.findall(
                r"(\w+)\s*(=~|!~|!=|=)\s*\x00(\d+)\x00", matchers):
            labels[label] = (operator, strings[int(n)])
        found.append((name, labels))
    return found


SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$")


def scrape(s):
    """{name: [labels]} of a live /metrics."""
    series = {}
    for line in s.get("/metrics").body.decode().splitlines():
        m = SAMPLE.match(line)
        if m:
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"',
                                     m.group(2) or ""))
            series.setdefault(m.group(1), []).append(labels)
    return series


# Given to every series by Prometheus itself, or made by it.
OF_PROMETHEUS = {"job", "instance"}
MADE_BY_PROMETHEUS = {"up", "ALERTS"}


def problems_of(where, expr, series):
    for name, labels in selectors(filled(expr)):
        if name in MADE_BY_PROMETHEUS or name in recorded():
            continue
        if name not in series:
            yield f"{where}: there is no metric {name}"
            continue
        for label, (operator, value) in labels.items():
            if label in OF_PROMETHEUS:
                continue
            have = {row.get(label) for row in series[name]}
            wanted = value.split("|") if operator == "=~" else [value]
            for v in wanted:
                if v not in have:
                    yield f"{where}: {name} has no {label}={v!r}"


@claim
def every_metric_in_rules_and_dashboard_exists(s):
    series = scrape(s)
    asked = [(r.get("record") or r.get("alert"), r["expr"])
             for path in (RULES, ALERTS) for r in rules_of(path)]
    asked += dashboard_queries()
    problems = [p for where, expr in asked
                for p in problems_of(where, expr, series)]
    expect("queries of what is not there", problems, [])
    expect_true("queries were found", len(asked) > 60)


@claim_alone
def selectors_are_read_out_of_queries():
    expect("selectors", selectors(
        'sum by (job, le) (rate(a_total{x="1", y=~"b|c"}[5m])) / (b > 0)'
        ' and max(c{z="} by (d)"})'),
        [("a_total", {"x": ("=", "1"), "y": ("=~", "b|c")}), ("b", {}),
         ("c", {"z": ("=", "} by (d)")})])


# --- Prometheus ---------------------------------------------------------------


@claim_alone
def prometheus_takes_the_rules():
    run("promtool", "check", "config",
        os.path.join(OPS, "prometheus", "prometheus.yml"))
    out = run("promtool", "check", "rules", RULES, ALERTS)
    expect("findings", out.count("FAILED"), 0)


@claim_alone
def alerts_fire_and_stay_silent_as_tested():
    run("promtool", "test", "rules", RULE_TESTS)


@claim_alone
def every_alert_has_both_tests_and_a_chapter():
    fires, silent = set(), set()
    for test in read_yaml(RULE_TESTS)[0]["tests"]:
        for t in test.get("alert_rule_test", []):
            (fires if t.get("exp_alerts") else silent).add(t["alertname"])
    alerts = {r["alert"]: r for r in rules_of(ALERTS)}
    expect("alerts with a test in which they fire", fires, set(alerts))
    expect("alerts with a test in which they are silent", silent,
           set(alerts))
    chapters = {re.sub(r"[^\w -]", "", title).strip().lower()
                .replace(" ", "-")
                for title in re.findall(r"^#+ (.*)$", read(RUNBOOK), re.M)}
    for name, rule in alerts.items():
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        expect(f"page of {name}", page, "docs/RUNBOOK.md")
        expect_in(f"chapter of {name}", anchor, chapters)


@claim_alone
def metrics_pass_promtool_and_prometheus_finds_the_series():
    """A real Prometheus scrapes the service through nginx."""
    with harness.Service() as s, Prometheus(s) as p:
        text = s.get("/metrics").body
        done = subprocess.run(["promtool", "check", "metrics"], input=text,
                              capture_output=True, timeout=60, check=False)
        expect("findings of promtool", done.stdout + done.stderr, b"")

        for _ in range(5):
            s.value("_ = 1")
        eventually("the runs are counted", lambda: p.number(
            'sum(glovebox_executions_total{status="ok"})') >= 5, 20)
        expect("up", p.number("up"), 1.0)
        expect("ready", p.number("glovebox_sandbox_ready"), 1.0)
        eventually("nginx's own counters", lambda: p.number(
            "nginx_http_requests_total") >= 5, 10)
        for path in (RULES, ALERTS):
            for r in rules_of(path):
                p.ask(r["expr"])
        for title, expr in dashboard_queries():
            p.ask(filled(expr))
        eventually("the rules are evaluated", p.rules_are_evaluated, 30)
        expect("rules that fail", p.failing_rules(), [])
        expect("alerts that fire", p.firing(), [])
        eventually("saturation is recorded", lambda: p.ask(
            "instance:glovebox_places:saturation"), 20)


class Prometheus:
    """The one of Debian, on a free port, in a directory of its own."""

    def __init__(self, service):
        self.home = tempfile.mkdtemp(prefix="gbprom.")
        self.port = free_port()
        for path in (RULES, ALERTS):
            # As they are, but evaluated every second.
            text = re.sub(r"(?m)^    interval: .*$", "    interval: 1s",
                          read(path))
            with open(os.path.join(self.home, os.path.basename(path)),
                      "w", encoding="utf-8") as f:
                f.write(text)
        config = read_yaml(os.path.join(
            OPS, "prometheus", "prometheus.yml"))[0]
        config["global"] = {"scrape_interval": "1s",
                            "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"] = [
            {"targets": [f"127.0.0.1:{service.port}"]}]
        with open(os.path.join(self.home, "prometheus.yml"), "w",
                  encoding="utf-8") as f:
            yaml.safe_dump(config, f)

    def __enter__(self):
        self.log = open(os.path.join(self.home, "log"), "wb")
        self.process = subprocess.Popen(
            ["prometheus",
             f"--config.file={self.home}/prometheus.yml",
             f"--storage.tsdb.path={self.home}/data",
             f"--web.listen-address=127.0.0.1:{self.port}",
             "--log.level=warn"],
            stdout=self.log, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, cwd=self.home)
        try:
            eventually("Prometheus has scraped", self._has_scraped, 60, 0.2)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def _has_scraped(self):
        if self.process.poll() is not None:
            raise Failure("Prometheus did not start: " +
                          read(os.path.join(self.home, "log"))[-800:])
        try:
            return self.number("up") == 1
        except OSError:
            return False

    def get(self, path, **query):
        url = (f"http://127.0.0.1:{self.port}/api/v1/{path}?"
               + urllib.parse.urlencode(query))
        try:
            with urllib.request.urlopen(url, timeout=10) as r:
                return json.load(r)["data"]
        except urllib.error.HTTPError as e:
            raise Failure(f"{path} {query}: {e.read()[:300]!r}") from None

    def ask(self, expr):
        return self.get("query", query=expr)["result"]

    def number(self, expr):
        result = self.ask(expr)
        return float(result[0]["value"][1]) if result else -1

    def rules(self):
        return [r for g in self.get("rules")["groups"] for r in g["rules"]]

    def rules_are_evaluated(self):
        return all(not r["lastEvaluation"].startswith("0001")
                   for r in self.rules())

    def failing_rules(self):
        return [r["name"] for r in self.rules() if r["health"] != "ok"]

    def firing(self):
        return [a["labels"]["alertname"] for a in self.get("alerts")["alerts"]
                if a["state"] == "firing"]


# --- the dashboard ------------------------------------------------------------


@claim_alone
def dashboard_is_whole():
    ids = [p["id"] for p in json.loads(read(DASHBOARD))["panels"]]
    expect("panels with an id of their own", len(set(ids)), len(ids))
    for p in panels():
        expect_true(f"{p['title']} has a description", p["description"])
        expect("data source of " + p["title"], p["datasource"]["uid"],
               "${datasource}")
        end = p["gridPos"]["x"] + p["gridPos"]["w"]
        expect_true(f"{p['title']} is within the grid", end <= 24)
    for title, expr in dashboard_queries():
        expect_in(f"job in the query of {title}", 'job="$job"', expr)


# --- settings that the files name ---------------------------------------------


def known_settings():
    return set(re.findall(r"(?m)^#([A-Z_]+)=",
                          read(os.path.join(OPS, "glovebox.conf"))))


def expect_settings(where, names):
    expect(f"names in {where} that are no setting",
           sorted(set(names) - known_settings()), [])


def rendered(name):
    """A file of nginx with the presets, in seconds it took from them."""
    with tempfile.TemporaryDirectory(prefix="gbrender.") as home:
        done = subprocess.run(
            [os.path.join(OPS, "render"), home], input="SOCKET_PATH=/s\n",
            text=True, capture_output=True, timeout=60, check=False)
        expect("what render says", done.stderr, "")
        return read(os.path.join(home, "nginx", name))


def longest_request_s():
    """With presets: as long as nginx waits for the app."""
    return int(re.search(r"fastcgi_read_timeout (\d+)s",
                         rendered("fastcgi.conf")).group(1))


# --- systemd ------------------------------------------------------------------

# Ten times what `systemd-analyze security` may say at most; what it says now
# stands in docs/OPERATIONS.md.
EXPOSURE = {"glovebox.service": 28, "glovebox-nginx.service": 11}
UNITS = ["glovebox.socket", *EXPOSURE]


def unit(name):
    return os.path.join(OPS, "systemd", name)


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


# --- Debian package -----------------------------------------------------------


def build_package(out):
    version = re.search(r"(?m)^VERSION +:= (\S+)",
                        read(os.path.join(ROOT, "Makefile"))).group(1)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    return run(os.path.join(OPS, "debian", "build"), harness.PROGRAMS,
               version, out, env=environment).splitlines()[-1]


@claim_alone
def package_is_whole_and_the_same_each_time():
    with tempfile.TemporaryDirectory(prefix="gbdeb.") as home:
        first = build_package(os.path.join(home, "a"))
        second = build_package(os.path.join(home, "b"))
        with open(first, "rb") as a, open(second, "rb") as b:
            expect_true("two builds are the same bytes",
                        a.read() == b.read())
        tree = os.path.join(home, "tree")
        run("dpkg-deb", "-R", first, tree)
        look_at_package(tree)


def look_at_package(tree):
    for path in ("usr/bin/glovebox", "usr/bin/gloveboxctl",
                 "usr/libexec/glovebox/glovebox-sandbox",
                 "usr/share/glovebox/ops/render",
                 "usr/share/glovebox/ops/renew",
                 "usr/share/glovebox/nginx/glovebox.conf.in",
                 "usr/share/glovebox/prometheus/alerts.yml",
                 "usr/share/glovebox/grafana/glovebox.json",
                 "lib/systemd/system/glovebox.socket",
                 "lib/systemd/system/glovebox.service",
                 "lib/systemd/system/glovebox-nginx.service",
                 "usr/lib/sysusers.d/glovebox.conf",
                 "usr/lib/tmpfiles.d/glovebox.conf",
                 "etc/logrotate.d/glovebox",
                 "usr/share/man/man8/gloveboxctl.8.gz"):
        expect_true(f"{path} is in the package",
                    os.path.isfile(os.path.join(tree, path)))
    conffiles = read(os.path.join(tree, "DEBIAN", "conffiles")).split()
    expect("conffiles", conffiles,
           ["/etc/glovebox/glovebox.conf", "/etc/logrotate.d/glovebox"])
    depends = re.search(r"(?m)^Depends: (.*)$", read(
        os.path.join(tree, "DEBIAN", "control"))).group(1)
    for package in ("libc6", "libfcgi0ldbl", "libjson-c5", "libseccomp2",
                    "libpython3.11-stdlib", "nginx-light"):
        expect_in("Depends", package, depends)
    conf = os.path.join(tree, "etc/glovebox/glovebox.conf")
    in_force = set(re.findall(r"(?m)^([A-Z_]+)=", read(conf)))
    expect("settings in force in the package", in_force,
           {"SOCKET_GROUP", "AUDIT_LOG", "ENVIRONMENT", "APP_USER",
            "SANDBOX_USER", "EXECUTOR_TOKENS_FILE"})
    for path in glob.glob(os.path.join(tree, "DEBIAN", "p*")):
        run("sh", "-n", path)
    for at, _, names in os.walk(tree):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                expect_true(f"{name} names no directory of the build",
                            ROOT.encode() + b"/" not in f.read())


@claim_alone
def units_and_package_agree_on_paths():
    """What the units run and read is what the package installs."""
    text = read(unit("glovebox.service")) + read(
        unit("glovebox-nginx.service"))
    for path in ("/usr/bin/glovebox ", "/usr/bin/gloveboxctl ",
                 "/usr/share/glovebox/ops/render ",
                 "/usr/share/glovebox/ops/renew ",
                 "/etc/glovebox/glovebox.conf", "/usr/sbin/nginx "):
        expect_in("paths of the units", path, text)
    users = re.findall(r"(?m)^u (\S+)", read(unit("sysusers.conf")))
    expect("users", users, ["glovebox", "glovebox-box"])
    for user in users:
        expect_in("postinst", f"add_user {user} ", read(
            os.path.join(OPS, "debian", "postinst")))


# --- container ----------------------------------------------------------------

DOCKER = os.path.join(OPS, "docker")


class Container:
    """The entry point as a container runs it: an ordinary user, one directory
    to write to."""

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="gbdock.")
        os.chmod(self.home, 0o755)
        share = os.path.join(self.home, "share")
        for part in ("ops", "nginx"):
            shutil.copytree(os.path.join(ROOT, part),
                            os.path.join(share, part))
        programs = os.path.join(self.home, "bin")
        shutil.copytree(harness.PROGRAMS, programs,
                        ignore=lambda d, names: [
                            n for n in names if not n.startswith("glovebox")])
        self.run = os.path.join(self.home, "run")
        os.mkdir(self.run, 0o700)
        self.port = free_port()
        command = [os.path.join(share, "ops", "docker", "entrypoint")]
        if os.geteuid() == 0:
            os.chown(self.run, OTHER_USER, OTHER_USER)
            command = ["setpriv", f"--reuid={OTHER_USER}",
                       f"--regid={OTHER_USER}", "--clear-groups",
                       "--no-new-privs", *command]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd="/", start_new_session=True,
            env={"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin",
                 "GLOVEBOX_RUN": self.run, "GLOVEBOX_SHARE": share,
                 "EXECUTOR_API_TOKEN": TOKEN, "EXECUTION_TIMEOUT": "4",
                 "LISTEN_ADDRESSES": "127.0.0.1",
                 "SERVICE_PORT": str(self.port)})
        self.tree = {}
        return self

    def __exit__(self, kind, value, trace):
        for pid, born in self.tree.items():
            if harness.process_born(pid) == born:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdout.close()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def get(self, path, data=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data,
            {"X-Executor-Token": TOKEN, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as r:
            return json.load(r)

    def is_ready(self):
        if self.process.poll() is not None:
            raise Failure("the entry point ended: " +
                          self.process.stdout.read().decode()[-800:])
        try:
            return self.get("/health/ready")["status"] == "ready"
        except OSError:
            return False

    def execute(self, code):
        return self.get("/execute", json.dumps({"code": code}).encode())


@claim_alone
def entry_point_serves_reloads_and_stops():
    with Container() as c:
        eventually("the container is ready", c.is_ready, 60, 0.1)
        c.tree = harness.process_tree(c.process.pid)
        expect("value", c.execute("_ = 6 * 7")["return_value"], 42)
        for pid in c.tree:
            if harness.process_name(pid) in ("nginx", "cat"):
                with open(f"/proc/{pid}/environ", "rb") as f:
                    expect_true("nginx has no token in its environment",
                                TOKEN.encode() not in f.read())
        c.process.send_signal(signal.SIGHUP)
        expect("value after a reload",
               c.execute("_ = 6 * 7")["return_value"], 42)
        later = harness.Later(c.execute, "while True: pass")
        eventually("the run is under way", lambda: "places_taken 1" in
                   urllib.request.urlopen(
                       f"http://127.0.0.1:{c.port}/metrics",
                       timeout=10).read().decode(), 10)
        c.process.send_signal(signal.SIGTERM)
        expect_in("status of the run under way", later.result()["status"],
                  ("cpu_limit", "timeout"))
        log, _ = c.process.communicate(timeout=60)
        expect("exit status", c.process.returncode, 0)
        expect_in("the access log is in the output",
                  b'"path":"/execute"', log)
        eventually("no process is left behind",
                   lambda: not harness.still_there(c.tree), 10)


@claim_alone
def image_runs_without_rights():
    text = read(os.path.join(DOCKER, "Dockerfile"))
    last = text[text.rindex("\nFROM "):]
    expect("base images", set(re.findall(r"(?m)^FROM (\S+)", text)),
           {"debian:12-slim"})
    expect("user of the image", re.findall(r"(?m)^USER (\S+)", last),
           ["65030:65030"])
    expect_in("health check", "CMD curl -fs", last)
    expect("ADD", re.findall(r"(?m)^ADD ", text), [])
    for source in re.findall(r"(?m)^COPY (?!--from)(?:--\S+ )*(.*) \S+$",
                             text):
        for path in source.split():
            expect_true(f"{path} is in the checkout",
                        os.path.exists(os.path.join(ROOT, path)))
    expect_settings("Dockerfile", re.findall(r"(?m)^(?:ENV|   ) ([A-Z_]+)=",
                                             last))
    wanted = re.search(r"(?s)PACKAGES_RUN=\"(.*?)\"", read(
        os.path.join(OPS, "lib.sh"))).group(1).split()
    expect("packages to build and run that no stage installs",
           [p for p in wanted if p not in text], [])


@claim_alone
def compose_locks_every_service():
    compose = read_yaml(os.path.join(DOCKER, "compose.yaml"))[0]
    for name, service in compose["services"].items():
        expect(f"read_only of {name}", service.get("read_only"), True)
        expect(f"cap_drop of {name}", service.get("cap_drop"), ["ALL"])
        expect(f"security_opt of {name}", service.get("security_opt"),
               ["no-new-privileges:true"])
        expect_true(f"{name} is not root",
                    not service["user"].startswith("0"))
        expect_true(f"{name} has a fixed version",
                    re.search(r":v?\d", service["image"]))
        for port in service["ports"]:
            expect_true(f"{name} is on loopback",
                        port.startswith("127.0.0.1:"))
        for volume in service.get("volumes", []):
            if volume.startswith("."):
                path = os.path.join(DOCKER, volume.split(":")[0])
                expect_true(f"{volume} is there", os.path.isfile(path))
                expect_true(f"{volume} is read-only",
                            volume.endswith(":ro"))
    glovebox = compose["services"]["glovebox"]
    expect_settings("compose.yaml", glovebox["environment"])
    expect_true("time to stop", int(
        glovebox["stop_grace_period"][:-1]) >= longest_request_s())
    run("promtool", "check", "config", "--syntax-only",
        os.path.join(DOCKER, "prometheus.yml"))


# --- Kubernetes ---------------------------------------------------------------

CLUSTER = os.path.join(OPS, "kubernetes")


def manifests():
    return {d["kind"]: d for path in glob.glob(os.path.join(
        CLUSTER, "*.yaml")) for d in read_yaml(path)}


@claim_alone
def kustomization_names_every_manifest():
    names = read_yaml(os.path.join(CLUSTER, "kustomization.yaml"))[0]
    there = {os.path.basename(p)
             for p in glob.glob(os.path.join(CLUSTER, "*.yaml"))}
    expect("resources", set(names["resources"]),
           there - {"kustomization.yaml"})


@claim_alone
def pods_are_restricted():
    spec = manifests()["Deployment"]["spec"]["template"]["spec"]
    expect("token of the cluster", spec["automountServiceAccountToken"],
           False)
    expect("seccomp", spec["securityContext"]["seccompProfile"],
           {"type": "RuntimeDefault"})
    expect("not root", spec["securityContext"]["runAsNonRoot"], True)
    for c in spec["containers"]:
        expect("context of the container", c["securityContext"],
               {"allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True, "runAsNonRoot": True,
                "capabilities": {"drop": ["ALL"]}})
        expect("probes", {p: c[p]["httpGet"]["path"] for p in
                          ("readinessProbe", "livenessProbe",
                           "startupProbe")},
               {"readinessProbe": "/health/ready",
                "livenessProbe": "/health/live",
                "startupProbe": "/health/ready"})
        expect_settings("deployment.yaml", [
            e["name"] for e in c["env"] if e["name"] != "POD_IP"])
        expect_true("limits", c["resources"]["limits"].keys()
                    >= {"cpu", "memory"})
    expect_true("time to stop", spec["terminationGracePeriodSeconds"]
                >= longest_request_s())
    policy = manifests()["NetworkPolicy"]["spec"]
    expect("egress", (policy["egress"], "Egress" in policy["policyTypes"]),
           ([], True))


@claim_alone
def manifests_fit_together():
    m = manifests()
    labels = m["Deployment"]["spec"]["template"]["metadata"]["labels"]
    for kind, selector in (
            ("Deployment", m["Deployment"]["spec"]["selector"]
             ["matchLabels"]),
            ("Service", m["Service"]["spec"]["selector"]),
            ("NetworkPolicy", m["NetworkPolicy"]["spec"]["podSelector"]
             ["matchLabels"]),
            ("PodDisruptionBudget", m["PodDisruptionBudget"]["spec"]
             ["selector"]["matchLabels"])):
        expect_true(f"{kind} selects the pods",
                    selector.items() <= labels.items())
    expect_true("ServiceMonitor selects the service",
                m["ServiceMonitor"]["spec"]["selector"]["matchLabels"]
                .items() <= m["Service"]["metadata"]["labels"].items())
    expect("target of the autoscaler",
           m["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"],
           m["Deployment"]["metadata"]["name"])
    container = m["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    mounted = {v["name"] for v in container["volumeMounts"]}
    expect("volumes", mounted, {v["name"] for v in m["Deployment"]["spec"]
                                ["template"]["spec"]["volumes"]})


@claim
def autoscaler_asks_for_metrics_that_exist(s):
    series = scrape(s)
    text = read(os.path.join(CLUSTER, "hpa.yaml"))
    for name in set(re.findall(r"(glovebox_\w+)\{", text)):
        expect_in("metrics", name, series)
