#!/usr/bin/python3
"""without - run a command on a kernel that lacks something

usage: without.py WHAT[,WHAT...] COMMAND...

A filter of system calls on ourselves, which the command and all it starts
inherit, answers as a kernel without that thing would.  Root only: without
no_new_privs, so that nothing else is different.
"""

import ctypes
import errno
import os
import sys

CLONE_NEWUSER = 0x10000000
CLONE_NEWCGROUP = 0x02000000
NEW_LISTENER = 1 << 3

# what: call, errno, and for one argument: its number and the bits that count
KERNELS = {
    "landlock": [("landlock_create_ruleset", errno.ENOSYS)],
    "user_namespaces": [("unshare", errno.EPERM, 0, CLONE_NEWUSER),
                        ("clone", errno.EPERM, 0, CLONE_NEWUSER)],
    "cgroup_namespaces": [("unshare", errno.EINVAL, 0, CLONE_NEWCGROUP)],
    "clone3": [("clone3", errno.ENOSYS)],
    "listener": [("seccomp", errno.EINVAL, 1, NEW_LISTENER)],
    "seccomp": [("seccomp", errno.ENOSYS)],
    "pidfd": [("pidfd_open", errno.ENOSYS)],
}

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
CTL_NNP = 3
MASKED_EQ = 7


class Compare(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int),
                ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def check(result):
    if result != 0:
        raise OSError(-result, os.strerror(-result))


def lose(names):
    lib = ctypes.CDLL("libseccomp.so.2")
    lib.seccomp_init.restype = ctypes.c_void_p
    ctx = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(ALLOW)))
    check(lib.seccomp_attr_set(ctx, CTL_NNP, ctypes.c_uint32(0)))
    for name in names:
        for call, error, *match in KERNELS[name]:
            number = lib.seccomp_syscall_resolve_name(call.encode())
            rules = (Compare * 1)()
            if match:
                arg, bits = match
                rules[0] = Compare(arg, MASKED_EQ, bits, bits)
            check(lib.seccomp_rule_add_array(
                ctx, ctypes.c_uint32(ERRNO | error), number,
                1 if match else 0, rules))
    check(lib.seccomp_load(ctx))
    lib.seccomp_release(ctx)


def main():
    names, *command = sys.argv[1:]
    lose(names.split(","))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
