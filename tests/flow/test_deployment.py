"""ops/: package, container and cluster files.

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
import urllib.request

import harness
from cluster_api import api_problems, monitor_problems
from harness import (OTHER_USER, ROOT, TOKEN, Failure, claim, claim_alone,
                     eventually, expect, expect_in, expect_true, free_port)
from shipped import (OPS, expect_settings, longest_request_s, read, read_yaml,
                     run, scrape, unit)

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


@claim_alone
def lintian_finds_neither_errors_nor_warnings():
    with tempfile.TemporaryDirectory(prefix="gbdeb.") as home:
        # It leaves a file of its own in TMPDIR.
        out = run("env", f"TMPDIR={home}", "lintian", "--allow-root",
                  "--fail-on", "error,warning", build_package(home))
        expect("findings", re.findall(r"(?m)^[EW]: .*$", out), [])


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
def entry_point_that_is_stopped_while_it_starts_ends():
    for made in ("access", "app.sock", "inner.sock"):
        with Container() as c:
            eventually(f"{made} is there", lambda path=made: os.path.exists(
                os.path.join(c.run, path)), 30)
            c.tree = harness.process_tree(c.process.pid)
            c.process.send_signal(signal.SIGTERM)
            log, _ = c.process.communicate(timeout=20)
            expect(f"exit status, from {made} on ({log[-300:]})",
                   c.process.returncode, 0)
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


@claim_alone
def compose_file_is_read_by_debians_compose():
    path = os.path.join(DOCKER, "compose.yaml")
    words = {"EXECUTOR_API_TOKEN": "t" * 64, "GRAFANA_PASSWORD": "p"}

    def config(name, status, **env):
        return run("docker-compose", "-p", "glovebox", "-f", name, "config",
                   "-q", status=status, env={"PATH": os.environ["PATH"], **env})

    expect("said", config(path, 0, **words), "")
    for name in words:
        expect_in(f"said without {name}", "Missing mandatory value", config(
            path, 1, **{k: v for k, v in words.items() if k != name}))
    with tempfile.TemporaryDirectory(prefix="gbcompose.") as home:
        wrong = os.path.join(home, "compose.yaml")
        with open(wrong, "w", encoding="utf-8") as f:
            f.write(read(path).replace("read_only:", "readonly:"))
        expect_in("said of a wrong word", "readonly",
                  config(wrong, 1, **words))


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
def manifests_are_what_the_api_takes():
    there = manifests()
    # Not of the API itself: one of a cluster's tools, one of an operator.
    for kind in ("Kustomization", "ServiceMonitor"):
        del there[kind]
    expect_true(f"only {sorted(there)}", len(there) >= 6)
    for kind, manifest in there.items():
        expect(kind, api_problems(manifest), [])


@claim_alone
def fields_that_the_api_does_not_take_are_noticed():
    def container(m):
        return m["spec"]["template"]["spec"]["containers"][0]

    for kind, change, wanted in (
            ("Deployment", lambda m: container(m).update(imagePolicy="Never"),
             "no field imagePolicy"),
            ("Deployment", lambda m: container(m).pop("name"),
             "`name`, must not be `None`"),
            ("Deployment", lambda m: m["spec"].update(replicas="2"),
             "replicas is '2', not int"),
            ("Deployment", lambda m: m["spec"].update(template=[]),
             "template is [], not fields"),
            ("Service", lambda m: m["spec"].update(ports={"port": 1}),
             "not a list"),
            ("Service", lambda m: m["spec"]["selector"].update(app=True),
             "app is True, not str"),
            ("HorizontalPodAutoscaler",
             lambda m: m["spec"].pop("maxReplicas"), "must not be `None`")):
        manifest = manifests()[kind]
        change(manifest)
        expect_in(f"problems of the {kind}", wanted,
                  "; ".join(api_problems(manifest)))


@claim_alone
def service_monitor_is_what_its_operator_takes():
    def problems(change=lambda m: None):
        manifest = manifests()["ServiceMonitor"]
        change(manifest)
        return "; ".join(monitor_problems(manifest))

    def endpoint(m):
        return m["spec"]["endpoints"][0]

    expect("problems", problems(), "")
    for change, wanted in (
            (lambda m: m.update(apiVersion="monitoring.coreos.com/v2"),
             "not monitoring.coreos.com/v1"),
            (lambda m: m["metadata"].update(label="x"), "no field label"),
            (lambda m: m["spec"].update(port="http"), "no field port"),
            (lambda m: m["spec"].pop("selector"), ".spec needs selector"),
            (lambda m: m["spec"].update(endpoints={"port": "http"}),
             "not a list"),
            (lambda m: m["spec"]["selector"].update(matchLabel={}),
             "no field matchLabel"),
            (lambda m: endpoint(m).update(timeout="5s"), "no field timeout"),
            (lambda m: endpoint(m).update(interval="15"),
             "interval cannot be '15'"),
            (lambda m: endpoint(m).update(port=8030),
             "port is 8030, not str")):
        expect_in("problems", wanted, problems(change))
    expect_true("the port has that name", endpoint(manifests()[
        "ServiceMonitor"])["port"] in [p["name"] for p in manifests()[
            "Service"]["spec"]["ports"]])


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
