#!/usr/bin/python3
"""run - the container image, built from its Dockerfile and run without Docker

usage: unshare --mount tests/image/run.py [HOME]
       make check-image

Makes a minimal Debian 12 in HOME (preset build/image) with debootstrap, once, and
gives it the name that the Dockerfile builds on, since the image of that name is
in a registry; needs root and Debian's archive.  Then buildah builds the image
and podman runs it as ops/docker/Dockerfile says.  Prints `ok NAME` or `not ok
NAME - why` for each promise; they build on each other.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "flow"))

from harness import (ROOT as TREE, TOKEN, Failure, Later,  # noqa: E402
                     eventually, expect, expect_in, expect_true, free_port)

BASE = "docker.io/library/debian:12-slim"
IMAGE = "localhost/glovebox:test"
# A container engine's seccomp profile, and what Docker's forbids beside: then no
# namespace can be made, and no root.
PROFILE = "/usr/share/containers/seccomp.json"
FORBIDDEN = {
    "add_key", "bpf", "clone", "clone3", "fsconfig", "fsmount", "fsopen",
    "fspick", "keyctl", "mount", "mount_setattr", "move_mount", "open_tree",
    "perf_event_open", "pivot_root", "request_key", "setns", "umount",
    "umount2", "unshare", "userfaultfd"}
NAMESPACE_FLAGS = 0x7e020000
NEEDS_NAMESPACES = {
    "user_namespace", "pid_namespace", "network_namespace", "mount_namespace",
    "ipc_namespace", "uts_namespace", "cgroup_namespace", "empty_root",
    "identity", "keyring"}


# --- a machine to build and run on --------------------------------------------


def use_one_kind_of_control_groups():
    """crun wants to see control groups of one version only; in a mount
    namespace of our own we can have that."""
    if os.readlink("/proc/self/ns/mnt") == os.readlink(
            f"/proc/{os.getppid()}/ns/mnt"):
        raise Failure("not in a mount namespace of its own: make check-image")
    with open("/proc/mounts", encoding="utf-8") as f:
        kinds = [line.split()[2] for line in f
                 if line.split()[1].startswith("/sys/fs/cgroup")]
    if kinds != ["cgroup2"]:
        subprocess.run(["umount", "-R", "/sys/fs/cgroup"], check=False,
                       stderr=subprocess.DEVNULL)
        subprocess.run(["mount", "-t", "cgroup2", "none", "/sys/fs/cgroup"],
                       check=True)


class Engine:
    def __init__(self, home):
        self.home = home
        self.scratch = tempfile.mkdtemp(prefix="gbimage.")
        self.containers = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for name in self.containers:
            self.podman("rm", "--force", name, status=None)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _run(self, *command, status=0, seconds=900):
        done = subprocess.run(
            command, cwd=TREE, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=seconds, check=False)
        if status is not None and done.returncode != status:
            raise Failure(f"{command[0]} {' '.join(command[6:9])}: exit status"
                          f" {done.returncode}: {done.stdout[-1500:]}")
        return done.stdout

    def _store(self):
        return ["--root", os.path.join(self.home, "store"), "--runroot",
                os.path.join(self.home, "run"), "--storage-driver=vfs"]

    def buildah(self, *arguments, **more):
        return self._run("buildah", *self._store(), *arguments, **more)

    def podman(self, *arguments, **more):
        return self._run(
            "podman", *self._store(), "--cgroup-manager=cgroupfs",
            "--events-backend=file", *arguments, **more)

    def make_base(self):
        if BASE in self.buildah("images", "--format",
                                "{{.Name}}:{{.Tag}}"):
            return
        print(f"making {BASE} in {self.home}", flush=True)
        tree = os.path.join(self.scratch, "tree")
        self._run("debootstrap", "--variant=minbase", "bookworm", tree)
        name = self.buildah("from", "scratch").strip()
        self._run("cp", "-a", tree + "/.",
                  self.buildah("mount", name).strip())
        self.buildah("umount", name)
        self.buildah("commit", "--rm", name, BASE)

    def start(self, *options, **settings):
        c = Container(self, *options, **settings)
        self.containers.append(c.name)
        return c


class Container:
    """As the Dockerfile's first lines say, but for podman: on the host's net,
    with a tmpfs whose owner follows the image's user."""

    def __init__(self, engine, *options, **settings):
        self.engine = engine
        self.port = free_port()
        self.name = f"glovebox-{self.port}"
        settings = {"EXECUTOR_API_TOKEN": TOKEN, "SERVICE_PORT": self.port,
                    "LISTEN_ADDRESSES": "127.0.0.1", **settings}
        engine.podman(
            "run", "--detach", "--name", self.name, "--cgroups=disabled",
            "--network=host", "--ulimit=nofile=4096:4096",
            "--ulimit=nproc=4096:4096", "--no-healthcheck", "--read-only",
            "--read-only-tmpfs=false", "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            "--tmpfs=/run/glovebox:mode=0700,U", *options,
            *(f"--env={k}={v}" for k, v in settings.items()), IMAGE)

    def exec(self, command, *options, status=0):
        return self.engine.podman("exec", *options, self.name, "sh", "-c",
                                  command, status=status)

    def log(self):
        return self.engine.podman("logs", self.name)

    def state(self, field):
        return self.engine.podman("inspect", "--format",
                                  f"{{{{.State.{field}}}}}",
                                  self.name).strip()

    def ask(self, path, body=None):
        """Its JSON; None while nobody answers."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode() if body else None,
            {"Content-Type": "application/json", "X-Executor-Token": TOKEN})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            return json.load(e)
        except OSError:
            return None

    def await_health(self):
        """What it says once it is well."""
        def healthy():
            if self.state("Status") == "exited":
                raise Failure(f"it ended: {self.log()[-800:]}")
            said = self.ask("/health")
            return said if said and said["status"] == "healthy" else None
        return eventually("it is healthy", healthy, 30, 0.2)

    def value(self, code, **fields):
        return self.ask("/execute", {"code": code, **fields})["return_value"]


# --- promises -----------------------------------------------------------------


def image_is_built_by_its_dockerfile(e):
    e.buildah("build", "--isolation=chroot", "--network=host",
              "--pull=never", "--format=docker", "--file",
              "ops/docker/Dockerfile", "--tag", IMAGE, ".")
    e.podman("image", "prune", "--force")  # that of last time
    facts = json.loads(e.podman("image", "inspect", IMAGE))[0]
    config = facts["Config"]
    expect("user", config["User"], "65030:65030")
    expect("ports", list(config["ExposedPorts"]), ["8030/tcp"])
    expect("signal", config["StopSignal"], "SIGTERM")
    e.health_command = facts["Healthcheck"]["Test"][1]
    base = json.loads(e.podman("image", "inspect", BASE))[0]
    print(f"    {facts['Size'] / 1e6:.0f} MB, of which the base is "
          f"{base['Size'] / 1e6:.0f}")


def container_serves_behind_every_layer(e):
    e.container = e.start()
    layers = e.container.await_health()["layers"]
    # The processor of a virtual machine often does not offer this one.
    expect("layers that are off", [
        name for name, is_on in layers.items()
        if not is_on and name != "speculation"], [])
    expect("value", e.container.value("_ = 6 * 7"), 42)
    expect("value", e.container.value("import statistics\n_ = statistics."
                                      "mean([1, 3])", profile="standard"), 2)


def container_has_no_right_and_nothing_to_build_with(e):
    c = e.container
    status = c.exec("cat /proc/1/status")
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        expect(name, re.search(rf"(?m)^{name}:\t(\w+)", status)[1], "0" * 16)
    expect_in("status", "\nNoNewPrivs:\t1\n", status)
    expect_in("status", "\nUid:\t65030\t65030\t65030\t65030\n", status)
    expect_in("said", "Read-only file system", c.exec("touch /x", status=1))
    expect("programs that it needs not", c.exec(
        "for p in python3 python3.11 gcc cc make ld git; do "
        "command -v $p || :; done").strip(), "")


def health_check_of_the_image_tells_the_truth(e):
    e.container.exec(e.health_command)
    e.container.exec(e.health_command, "--env=SERVICE_PORT=1", status=1)


def stop_lets_a_run_finish(e):
    c = e.container
    later = Later(c.value, "import time\ntime.sleep(3)\n_ = 7",
                  profile="standard")
    eventually("it runs", lambda: b"\nglovebox_places_taken 1\n" in
               urllib.request.urlopen(
                   f"http://127.0.0.1:{c.port}/metrics", timeout=10).read())
    e.podman("stop", "--time=60", c.name)
    expect("value", later.result(5), 7)
    expect("exit status", c.state("ExitCode"), "0")


def docker_profile(path):
    """What Docker's preset profile allows, made of the engine's own."""
    with open(PROFILE, encoding="utf-8") as f:
        profile = json.load(f)
    for rule in profile["syscalls"]:
        rule["names"] = [n for n in rule["names"] if n not in FORBIDDEN]
    profile["syscalls"] = [r for r in profile["syscalls"] if r["names"]] + [
        {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [
            {"index": 0, "value": NAMESPACE_FLAGS, "valueTwo": 0,
             "op": "SCMP_CMP_MASKED_EQ"}]},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38}]
    profile["defaultErrnoRet"] = 1
    with open(path, "w", encoding="utf-8") as f:
        json.dump(profile, f)
    return path


def container_without_namespaces_serves_behind_the_rest(e):
    c = e.start("--security-opt=seccomp=" + docker_profile(
        os.path.join(e.scratch, "profile.json")))
    layers = c.await_health()["layers"]
    off = {name for name, is_on in layers.items() if not is_on}
    expect_true(f"off: {off}", {"user_namespace", "empty_root"} <= off
                <= NEEDS_NAMESPACES | {"speculation"})
    expect("value", c.value("_ = 6 * 7"), 42)
    e.podman("stop", "--time=60", c.name)
    expect("exit status", c.state("ExitCode"), "0")


def container_with_a_weak_token_does_not_start(e):
    c = e.start(ENVIRONMENT="production", EXECUTOR_API_TOKEN="changeme")
    eventually("it ended", lambda: c.state("Status") == "exited", 30)
    expect_true("exit status", c.state("ExitCode") != "0")
    expect("lines said", len(c.log().splitlines()), 1)
    expect_in("the line", "EXECUTOR_API_TOKEN", c.log())


def is_kept(promise, e):
    name = promise.__name__
    start = time.monotonic()
    try:
        promise(e)
    except (Failure, OSError, ValueError, KeyError) as error:
        print(f"not ok image.{name} - {error}", flush=True)
        return False
    print(f"ok image.{name} ({time.monotonic() - start:.1f} s)", flush=True)
    return True


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of exit
    home = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        TREE, "build", "image"))
    use_one_kind_of_control_groups()
    with Engine(home) as e:
        e.make_base()
        for promise in (
                image_is_built_by_its_dockerfile,
                container_serves_behind_every_layer,
                container_has_no_right_and_nothing_to_build_with,
                health_check_of_the_image_tells_the_truth,
                stop_lets_a_run_finish,
                container_without_namespaces_serves_behind_the_rest,
                container_with_a_weak_token_does_not_start):
            if not is_kept(promise, e):
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
