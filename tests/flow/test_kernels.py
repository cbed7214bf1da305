"""Kernels that lack something: the service does without it and says so, or
says why it does not start.
"""

import os
import sys

from harness import LONG, Service, expect, expect_in, expect_true, process_tree
from phases import for_root

HERE = os.path.dirname(os.path.abspath(__file__))

# Layers that are off beyond those that are off here anyway.
KERNELS = {
    # In the short form the first three.
    "landlock": {"landlock", "landlock_network", "landlock_scope"},
    # Started by root, the warden makes those it can live in.
    "user_namespaces": {"user_namespace", "pid_namespace", "mount_namespace",
                        "empty_root"},
    "listener": {"refused_calls"},
    "clone3": {"pid_namespace"},
    "cgroup_namespaces": {"cgroup_namespace"},
}
# What the service says instead of starting.
NO_KERNELS = {
    "landlock,user_namespaces": "no layer keeps files away",
    "seccomp": "seccomp",
    "pidfd": "the warden cannot watch a box",
}
# Glovebox makes no control groups; these must make no difference.  The second
# version cannot be mounted upon itself, and where it has the memory controller
# the first can only be had without.
NO_GROUPS = "mount -t tmpfs none /sys/fs/cgroup"
GROUPS = {
    "none": NO_GROUPS,
    "v2": f"{NO_GROUPS} && mount -t cgroup2 none /sys/fs/cgroup",
}
if LONG:
    GROUPS["v1"] = (
        f"{NO_GROUPS} && cd /sys/fs/cgroup && mkdir memory && "
        "{ mount -t cgroup -o memory none memory 2>/dev/null || "
        "mount -t cgroup -o none,name=gbflow none memory; } && cd /")


class Behind(Service):
    """Started by another command, which starts ./ops/up."""

    def __init__(self, command, **settings):
        super().__init__(**settings)
        self.command = command

    def prepare(self):
        command, environment = super().prepare()
        return [*self.command, *command], environment


def without(names, **settings):
    return Behind([sys.executable, os.path.join(HERE, "without.py"), names],
                  **settings)


def layers_off(s):
    answer = s.get("/health")
    expect("health", answer.status, 200)
    return {name for name, is_on in answer.json["layers"].items()
            if not is_on}


def expect_limits(s, has_listener=True):
    """The same program ends the same way, whatever the kernel lacks."""
    expect("value", s.value("_ = 6 * 7"), 42)
    result = s.run("open('/etc/passwd')", profile="standard")
    expect_in("file", "PermissionError", result["error"])
    expect("refused", bool(result["refused"]), has_listener)
    expect("time", s.run("while True: pass", timeout_s=0.3)["status"],
           "timeout")
    expect("memory", s.run("x = bytearray(1 << 30)")["status"],
           "memory_limit" if has_listener else "error")


@for_root
def kernel_that_lacks_a_layer_is_served_without_it_and_says_so():
    with Service() as s:
        usual = layers_off(s)
    for name, missing in list(KERNELS.items())[:None if LONG else 3]:
        with without(name) as s:
            expect(f"layers off without {name}", layers_off(s) - usual,
                   missing - usual)
            expect_limits(s, name != "listener")


@for_root
def kernel_that_lacks_what_everything_rests_on_gets_no_service():
    for names, sentence in NO_KERNELS.items():
        s = without(names).launch()
        try:
            expect_true(f"it starts without {names}", s.process.wait(60) != 0)
            expect_in(f"what it says without {names}", sentence,
                      s.log_text())
            expect("left behind", process_tree(s.process.pid), {})
        finally:
            s.kill(process_tree(s.process.pid))
            s.forget()


@for_root
def control_groups_of_any_version_or_none_make_no_difference():
    usual = None
    for name, mount in GROUPS.items():
        with Behind(["unshare", "--mount", "sh", "-ec", f'{mount}; exec "$@"',
                     "sh"]) as s:
            off = layers_off(s)
            usual = off if usual is None else usual
            expect(f"layers off with groups {name}", off, usual)
            expect_limits(s)
