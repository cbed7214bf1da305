"""ops/prometheus and ops/grafana: rules, alerts and the dashboard.

Tried with Debian's Prometheus and promtool; what they ask for is held against
a live /metrics.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import yaml

import harness
from harness import (ROOT, Failure, claim, claim_alone, eventually, expect,
                     expect_in, expect_true, free_port)
from shipped import OPS, read, read_yaml, run, scrape

RULES = os.path.join(OPS, "prometheus", "rules.yml")
ALERTS = os.path.join(OPS, "prometheus", "alerts.yml")
RULE_TESTS = os.path.join(OPS, "prometheus", "rules_test.yml")
DASHBOARD = os.path.join(OPS, "grafana", "glovebox.json")
RUNBOOK = os.path.join(ROOT, "docs", "RUNBOOK.md")


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
        except (OSError, Failure):  # not there yet, or 503 until it is ready
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
