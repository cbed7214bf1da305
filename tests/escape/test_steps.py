"""Each step of the confinement made to fail, or left out: no program runs, the
caller gets a 503, and the log says which step it was.

The hook is a file beside the program (sandbox/base/hook.h); what stands in it
already stays, so that a mutation run can take out one step more.

After dify-sandbox #27 (R17)."""

import os
import re
import signal

from harness import ROOT, claim, eventually, expect, expect_error

SETTINGS = {"OWN_PROGRAMS": "1", "arguments": ["--test-profiles"],
            "EXECUTOR_PROFILES": "restricted", "PARKED_BOXES": "1"}

# Without them others hold; see docs/CONFINEMENT.md, "Rules".
OPTIONAL = {
    "keyring": ["keyring"],
    "namespaces": ["user_namespace", "pid_namespace", "network_namespace",
                   "mount_namespace", "ipc_namespace", "uts_namespace",
                   "cgroup_namespace", "empty_root"],
    "root": ["empty_root"],
    "no_exec_gain": ["no_exec_gain"],
    "speculation": ["speculation"],
    "landlock": ["landlock", "landlock_network", "landlock_scope"],
}

# Left out, and what finds that out before a program can run.
NOTICED = {
    "death": "verify",
    "fds": "verify",
    "rlimits": "trial",
    "no_capabilities": "verify",
    "undumpable": "verify",
    "seccomp": "trial",
    "listener": "seccomp",
}


def steps_of(path, table):
    """Names of the rows of a table of steps, in their order."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        rows = f.read().partition(f"{table}[] = {{")[2].partition("};")[0]
    return re.findall(r'\{ "(\w+)",', rows)


def all_steps():
    return (steps_of("sandbox/template.c", "template_steps")
            + steps_of("sandbox/box.c", "box_steps"))


class Hook:
    """Breaks one thing after the other, each in a new warden; mends all."""

    def __init__(self, s):
        self.s = s
        self.path = os.path.join(s.programs, "glovebox-sandbox.hook")
        self.before = ""

    def __enter__(self):
        if os.path.exists(self.path):
            with open(self.path) as f:
                self.before = f.read()
        return self

    def set(self, *lines):
        with open(self.path, "w") as f:
            f.write("\n".join([self.before, *lines, ""]))
        self.log_from = len(self.s.log_text())
        warden = self.s.warden_pid()
        os.kill(warden, signal.SIGKILL)
        eventually("another warden", lambda: [
            p for _, p in self.s.named("glovebox-warden") if p != warden], 30)

    def __exit__(self, *_):
        self.set()
        eventually("it is healthy again", lambda: self.s.get(
            "/health").status == 200, 60)

    def wait_for_log(self, text):
        eventually(f"{text!r} in the log", lambda: text in
                   self.s.log_text()[self.log_from:], 60)


def expect_no_run(s, step, hook):
    """It says which step; nobody is served."""
    hook.wait_for_log(f"confinement step '{step}' failed"
                      if step not in ("listener",) else "no seccomp filter")
    eventually("not healthy", lambda: s.get("/health").status == 503, 30)
    answer = eventually("a run is refused", lambda: (
        lambda a: a if a.status == 503 else None)(
            s.execute("print('it ran')")), 30)
    expect_error(answer, 503, "Sandbox not initialized")


@claim
def every_step_has_an_expected_end_here(s):
    names = all_steps()
    expect("no name twice", len(set(names)), len(names))
    expect("steps there are", len(names) >= 19, True)
    expect("optional ones that exist", set(OPTIONAL) <= set(names), True)
    expect("noticed ones that exist", set(NOTICED) <= set(names), True)


@claim
def step_that_must_hold_and_fails_ends_in_a_503_that_names_it(s):
    with Hook(s) as hook:
        for step in all_steps():
            if step not in OPTIONAL:
                hook.set(f"fail:{step}")
                expect_no_run(s, step, hook)


@claim
def step_that_is_left_out_is_noticed_before_a_program_runs(s):
    with Hook(s) as hook:
        for step, noticed_by in NOTICED.items():
            hook.set(f"skip:{step}")
            expect_no_run(s, noticed_by, hook)


def layers(s):
    return s.get("/health").json["layers"]


@claim
def optional_step_that_fails_is_reported_and_the_rest_holds(s):
    with Hook(s) as hook:
        for step, names in OPTIONAL.items():
            hook.set(f"fail:{step}")
            eventually("healthy", lambda: s.get("/health").status == 200, 60)
            eventually(f"layers {names} are off without {step}", lambda: not
                       [n for n in names if layers(s)[n]], 30)
            expect("a program still runs", s.value("_ = 6 * 7"), 42)


@claim
def without_both_layers_for_files_nothing_runs(s):
    with Hook(s) as hook:
        hook.set("fail:root", "fail:landlock")
        hook.wait_for_log("no layer keeps files away")
        answer = eventually("a run is refused", lambda: (
            lambda a: a if a.status == 503 else None)(
                s.execute("print('it ran')")), 30)
        expect_error(answer, 503, "Sandbox not initialized")
