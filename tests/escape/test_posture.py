"""How a running box stands, seen from outside by root: whatever the profile,
the kernel holds it in the same way."""

import contextlib
import ctypes
import math
import os
import re
import signal
import subprocess

from harness import (Failure, Later, Service, claim, claim_alone,
                     eventually, expect, expect_in, expect_true, process_stat)

SETTINGS = {"arguments": ["--test-profiles"],
            "MAX_CONCURRENT_EXECUTIONS": 2}

PROFILES = ("restricted", "standard", "raw")
NAMESPACES = ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup")

# Soft and hard, as docs/CONFINEMENT.md has them; AS, DATA and CPU below.
LIMITS = {
    "Max stack size": 8 << 20,
    "Max open files": 1,
    "Max file size": 0,
    "Max processes": 0,
    "Max core file size": 0,
    "Max locked memory": 0,
    "Max msgqueue size": 0,
    "Max pending signals": 0,
    "Max file locks": 0,
    "Max nice priority": 0,
    "Max realtime priority": 0,
}

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
PTRACE_SECCOMP_GET_FILTER = 0x420c


def busy(pid):
    stat = process_stat(pid)
    return stat is not None and int(stat[11]) > 10  # ticks in user mode


@contextlib.contextmanager
def running_box(s, profile):
    """The pid of a box that spins, until it has been looked at."""
    run = Later(s.run, "while True:\n    pass", profile=profile)
    pid = eventually(f"a box of {profile} runs", lambda: next(
        (p for p in s.box_pids() if busy(p)), None), 20)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
    expect("how it ended", run.result()["status"], "killed")


def status_of(pid):
    with open(f"/proc/{pid}/status") as f:
        return dict(re.findall(r"^(\w+):[ \t]*(.*)$", f.read(), re.M))


def limits_of(pid):
    with open(f"/proc/{pid}/limits") as f:
        return {name.strip(): (soft, hard) for name, soft, hard in re.findall(
            r"^(Max [a-z ]+?) {2,}(\w+) +(\w+)", f.read(), re.M)}


def check_status(profile, status):
    def is_(key, wanted):
        expect(f"{key} of a {profile} box", status[key], wanted)

    is_("Seccomp", "2")
    is_("Seccomp_filters", "2")
    is_("NoNewPrivs", "1")
    is_("Groups", "")
    is_("Threads", "1")
    for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        is_(capabilities, "0" * 16)
    for ids in ("Uid", "Gid"):
        four = set(status[ids].split())
        expect_true(f"{ids} of a {profile} box: {four}",
                    len(four) == 1 and "0" not in four)
    expect(f"pid of a {profile} box in its own namespace",
           status["NSpid"].split()[1:], ["1"])
    is_("SigBlk", "0" * 16)


def check_limits(profile, limits, status, memory_mb, cpu_s):
    for name, wanted in LIMITS.items():
        expect(f"{name} of a {profile} box", limits[name],
               (str(wanted), str(wanted)))
    soft, hard = limits["Max cpu time"]
    expect("soft and hard CPU limit", soft, hard)
    expect("CPU limit", int(soft), cpu_s + 1)
    size = int(status["VmSize"].split()[0]) << 10
    for name in ("Max address space", "Max data size"):
        soft, hard = limits[name]
        expect(f"soft and hard of {name}", soft, hard)
    room = int(limits["Max address space"][0]) - size
    # What a box may add to what it has: the setting, and a little.
    expect_true(f"room of a {profile} box: {room}",
                0 < room <= (memory_mb + 16) << 20)


def check_world(profile, pid, app_pid):
    for name in NAMESPACES:
        expect_true(f"{name} namespace of a {profile} box is its own",
                    os.readlink(f"/proc/{pid}/ns/{name}")
                    != os.readlink(f"/proc/{app_pid}/ns/{name}"))
    expect("root directory", os.listdir(f"/proc/{pid}/root/"), [])
    expect("working directory", os.readlink(f"/proc/{pid}/cwd"), "/")
    with open(f"/proc/{pid}/mountinfo") as f:
        mounts = f.read().splitlines()
    expect(f"mounts {mounts}", len(mounts), 1)
    expect_in("mount", " / / ro,nosuid,nodev,noexec", mounts[0])
    descriptors = {fd: os.readlink(f"/proc/{pid}/fd/{fd}")
                   for fd in os.listdir(f"/proc/{pid}/fd")}
    expect(f"descriptors {descriptors}", sorted(descriptors), ["0"])
    expect_in("descriptor 0", "pipe:", descriptors["0"])
    with open(f"/proc/{pid}/environ", "rb") as f:
        expect("environment it was started with", f.read(), b"")
    # Of a process that cannot be dumped, /proc belongs to root.
    expect("owner of its /proc", os.stat(f"/proc/{pid}/stat").st_uid, 0)


def settings(s):
    text = subprocess.run(
        [os.path.join(s.programs, "gloveboxctl"), "settings"], check=True,
        capture_output=True, text=True, env=dict(s.settings)).stdout
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.M))


@claim
def every_box_is_held_in_the_same_way(s):
    known = settings(s)
    cpu_s = math.ceil(int(known["EXECUTION_TIMEOUT"])
                      * float(known["MAX_CPU_PERCENT"]) / 100)
    for profile in PROFILES:
        with running_box(s, profile) as pid:
            status, limits = status_of(pid), limits_of(pid)
            check_status(profile, status)
            check_limits(profile, limits, status,
                         int(known["MAX_MEMORY_MB"]), cpu_s)
            check_world(profile, pid, s.app_pid)


def filters_of(pid):
    """The programs of both filters, as the kernel has them, newest first."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(PTRACE_SEIZE, pid, 0, 0) != 0:
        raise Failure(f"the box cannot be looked into by root: "
                      f"{os.strerror(ctypes.get_errno())}")
    libc.ptrace(PTRACE_INTERRUPT, pid, 0, 0)
    os.waitpid(pid, 0x40000000)  # __WALL
    programs = []
    try:
        for index in (0, 1):
            room = ctypes.create_string_buffer(8 * 4096)
            n = libc.ptrace(PTRACE_SECCOMP_GET_FILTER, pid, index,
                            ctypes.addressof(room))
            if n <= 0:
                raise Failure("the kernel does not show filters (needs "
                              "CONFIG_CHECKPOINT_RESTORE): "
                              f"{os.strerror(ctypes.get_errno())}")
            programs.append(room.raw[:8 * n])
    finally:
        libc.ptrace(PTRACE_DETACH, pid, 0, 0)
    return programs


@claim
def raw_has_the_very_filters_of_restricted(s):
    seen = {}
    for profile in PROFILES:
        with running_box(s, profile) as pid:
            seen[profile] = filters_of(pid)
    for profile in PROFILES[1:]:
        expect(f"filters of {profile} are those of restricted",
               seen[profile] == seen["restricted"], True)
    expect_true("the filters are not empty",
                all(len(p) > 800 for p in seen["restricted"]))


@claim
def raw_has_its_modules_and_no_language_rules(s):
    expect("modules", s.value(
        "import ctypes, os, signal, json, random, select, time, _thread\n"
        "_ = eval('().__class__.__bases__[0].__name__')", profile="raw"),
        "object")


@claim_alone
def test_profiles_are_offered_on_loopback_only():
    with Service(arguments=["--test-profiles"],
                 config="LISTEN_ADDRESSES=0.0.0.0\n") as s:
        expect("raw", s.value("import ctypes\n_ = 1", profile="raw"), 1)
        with open("/proc/net/tcp") as f:
            rows = [line.split() for line in f.readlines()[1:]]
        listening = [r[1] for r in rows if r[3] == "0A"
                     and int(r[1].split(":")[1], 16) == s.port]
        expect("addresses it listens on", listening,
               [f"0100007F:{s.port:04X}"])
        with open("/proc/net/tcp6") as f:
            expect("listens on IPv6",
                   f":{s.port:04X} 0000" in f.read(), False)
