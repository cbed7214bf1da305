"""kit - what an attack of this room may use; put before it by run.py

An attack makes system calls by number, through libc's syscall(), and ends by
setting `won`: whether it got what it came for.  `call()` remembers the errno of
the last call that failed, so that the runner can tell who refused.  Numbers are
those of x86-64.
"""

import ctypes
import json
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long

NUMBERS = {
    "read": 0, "write": 1, "open": 2, "stat": 4, "lstat": 6, "poll": 7,
    "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "ioctl": 16, "pread64": 17, "writev": 20, "access": 21, "pipe": 22,
    "select": 23, "mremap": 25, "madvise": 28, "shmget": 29, "dup": 32,
    "dup2": 33, "pause": 34, "alarm": 37, "setitimer": 38, "getpid": 39,
    "sendfile": 40, "socket": 41, "connect": 42, "accept": 43,
    "sendto": 44, "recvfrom": 45, "sendmsg": 46, "bind": 49, "listen": 50,
    "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58, "execve": 59,
    "wait4": 61, "kill": 62, "uname": 63, "semget": 64, "msgget": 68,
    "fcntl": 72, "flock": 73, "truncate": 76, "ftruncate": 77,
    "getdents64": 217, "getcwd": 79, "chdir": 80, "rename": 82,
    "mkdir": 83, "rmdir": 84, "creat": 85, "link": 86, "unlink": 87,
    "symlink": 88, "readlink": 89, "chmod": 90, "chown": 92, "umask": 95,
    "getrusage": 98, "sysinfo": 99, "times": 100, "ptrace": 101,
    "syslog": 103, "setuid": 105, "setresuid": 117, "setgroups": 116,
    "capset": 126, "rt_sigtimedwait": 128, "rt_sigqueueinfo": 129,
    "rt_sigsuspend": 130, "sigaltstack": 131, "mknod": 133, "uselib": 134,
    "personality": 135, "statfs": 137, "getpriority": 140,
    "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144,
    "mlock": 149, "mlockall": 151, "vhangup": 153, "modify_ldt": 154,
    "pivot_root": 155, "prctl": 157, "arch_prctl": 158, "adjtimex": 159,
    "setrlimit": 160, "chroot": 161, "acct": 163, "settimeofday": 164,
    "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169,
    "sethostname": 170, "iopl": 172, "ioperm": 173, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "tkill": 200,
    "sched_setaffinity": 203, "sched_getaffinity": 204,
    "remap_file_pages": 216, "semtimedop": 220, "timer_create": 222,
    "clock_settime": 227, "clock_gettime": 228, "exit_group": 231,
    "tgkill": 234, "mbind": 237, "set_mempolicy": 238, "mq_open": 240,
    "kexec_load": 246, "waitid": 247, "add_key": 248, "request_key": 249,
    "keyctl": 250, "ioprio_set": 251, "inotify_init1": 294,
    "migrate_pages": 256, "openat": 257, "mknodat": 259, "fchownat": 260,
    "newfstatat": 262, "unlinkat": 263, "fchmodat": 268, "faccessat": 269,
    "pselect6": 270, "ppoll": 271, "unshare": 272, "set_robust_list": 273,
    "get_robust_list": 274, "splice": 275, "tee": 276, "vmsplice": 278,
    "move_pages": 279, "utimensat": 280, "signalfd4": 289,
    "timerfd_create": 283, "eventfd2": 290, "epoll_create1": 291,
    "pipe2": 293, "rt_tgsigqueueinfo": 297, "perf_event_open": 298,
    "fanotify_init": 300, "prlimit64": 302, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308,
    "getcpu": 309, "process_vm_readv": 310, "process_vm_writev": 311,
    "kcmp": 312, "finit_module": 313, "sched_setattr": 314,
    "renameat2": 316, "seccomp": 317, "getrandom": 318,
    "memfd_create": 319, "kexec_file_load": 320, "bpf": 321,
    "execveat": 322, "userfaultfd": 323, "membarrier": 324,
    "copy_file_range": 326, "pkey_mprotect": 329, "pkey_alloc": 330,
    "statx": 332, "pidfd_send_signal": 424, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_open": 434,
    "clone3": 435, "close_range": 436, "openat2": 437, "pidfd_getfd": 438,
    "faccessat2": 439, "process_madvise": 440, "mount_setattr": 442,
    "quotactl_fd": 443, "landlock_create_ruleset": 444,
    "memfd_secret": 447, "process_mrelease": 448, "futex_waitv": 449,
}

AT_FDCWD = -100
O_WRONLY, O_RDWR, O_CREAT, O_DIRECTORY, O_TMPFILE = 1, 2, 64, 65536, 4259840
MAP_SHARED, MAP_PRIVATE, MAP_FIXED, MAP_ANONYMOUS = 1, 2, 16, 32
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
SIGKILL, SIGUSR1, SIGCHLD = 9, 10, 17
CLONE_VM, CLONE_PARENT, CLONE_NEWUSER = 0x100, 0x8000, 0x10000000

won = False
last_errno = 0


def as_argument(value):
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    if isinstance(value, int):
        return ctypes.c_long(value)
    return ctypes.c_void_p(ctypes.addressof(value))  # a ctypes object


def call(name, *arguments):
    """Make a system call; its result, -1 for a failure."""
    global last_errno
    number = NUMBERS[name] if isinstance(name, str) else name
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number),
                          *[as_argument(a) for a in arguments])
    if result == -1:
        last_errno = ctypes.get_errno()
    return result


def room(size):
    return ctypes.create_string_buffer(size)


def words(*values):
    """A structure of 64-bit fields."""
    return (ctypes.c_uint64 * len(values))(*[v & (2 ** 64 - 1)
                                             for v in values])
