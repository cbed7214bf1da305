/* calls - what a box may ask of the kernel: the allow-list, as a table */
#include "sandbox/confine/calls.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <time.h>

#define PLAIN_MAP (MAP_PRIVATE | MAP_ANONYMOUS)
#define STACK_MAP (MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK)
#define NOT_RW (~(uint64_t)(PROT_READ | PROT_WRITE))
#define FUTEX_TIMED (FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG)

/* clang-format off: one call a line, so that the table can be read. */
const struct call_row call_rows[] = {
    /* memory: growing, shrinking, moving; never code, never shared */
    { "mmap", CALL_ALLOW, 0,
        { { 2, CALL_MASKED, NOT_RW, 0 }, { 3, CALL_EQ, PLAIN_MAP, 0 } },
        "arenas and large blocks; no PROT_EXEC, no file, not shared" },
    { "mmap", CALL_NAMED, EPERM,
        { { 2, CALL_MASKED, PROT_EXEC, 0 }, { 3, CALL_EQ, STACK_MAP, 0 } },
        "the stack of a thread, or of a child of posix_spawn()" },
    { "mmap", CALL_QUIET, EPERM,
        { { 2, CALL_MASKED, PROT_EXEC, 0 }, { 3, CALL_MASKED, 1, 1 } },
        "shared memory; any other kind of mapping kills" },
    { "munmap", CALL_ALLOW, 0, { { 0 } }, "giving memory back" },
    { "mremap", CALL_ALLOW, 0, { { 3, CALL_EQ, MREMAP_MAYMOVE, 0 } },
        "realloc() of large blocks" },
    { "brk", CALL_ALLOW, 0, { { 0 } }, "the heap" },
    { "mprotect", CALL_QUIET, EPERM, { { 2, CALL_MASKED, PROT_EXEC, 0 } },
        "nothing left to protect; with PROT_EXEC it kills" },
    { "madvise", CALL_QUIET, EPERM, { { 0 } }, "an allocator's hint" },

    /* time and chance */
    { "clock_gettime", CALL_ALLOW, 0, { { 0, CALL_LE, CLOCK_TAI, 0 } },
        "static clocks; dynamic ids name other processes" },
    { "clock_gettime", CALL_QUIET, EINVAL, { { 0, CALL_GT, CLOCK_TAI, 0 } },
        "the clock of a thread" },
    { "clock_getres", CALL_ALLOW, 0, { { 0, CALL_LE, CLOCK_TAI, 0 } },
        "time.get_clock_info()" },
    { "clock_getres", CALL_QUIET, EINVAL, { { 0, CALL_GT, CLOCK_TAI, 0 } },
        "the clock of a thread" },
    { "clock_settime", CALL_NAMED, EPERM, { { 0 } }, "time.clock_settime()" },
    { "clock_nanosleep", CALL_ALLOW, 0, { { 0, CALL_LE, 1, 0 } },
        "time.sleep(); the warden's clock ends it" },
    { "clock_nanosleep", CALL_QUIET, EINVAL, { { 0, CALL_GT, 1, 0 } },
        "by another clock" },
    { "gettimeofday", CALL_ALLOW, 0, { { 0 } }, "without a vDSO" },
    { "time", CALL_ALLOW, 0, { { 0 } }, "without a vDSO" },
    { "getrandom", CALL_ALLOW, 0, { { 2, CALL_MASKED, ~(uint64_t)1, 0 } },
        "random, secrets, uuid; GRND_NONBLOCK or nothing" },
    { "restart_syscall", CALL_ALLOW, 0, { { 0 } },
        "a timed wait that a stop interrupted" },
    { "sched_yield", CALL_ALLOW, 0, { { 0 } }, "time.sleep(0) of some" },

    /* waiting on a lock with a time-out, in a process of one thread */
    { "futex", CALL_ALLOW, 0, { { 1, CALL_EQ, FUTEX_WAIT_PRIVATE, 0 } },
        "a lock that is held" },
    { "futex", CALL_ALLOW, 0, { { 1, CALL_EQ, FUTEX_WAKE_PRIVATE, 0 } },
        "letting go of it" },
    { "futex", CALL_ALLOW, 0, { { 1, CALL_EQ, FUTEX_TIMED, 0 } },
        "Event.wait(1)" },
    { "futex", CALL_ALLOW, 0,
        { { 1, CALL_EQ, FUTEX_TIMED | FUTEX_CLOCK_REALTIME, 0 } },
        "Event.wait(1), by the wall clock" },

    /* its own descriptor, its own end */
    { "read", CALL_ALLOW, 0, { { 0, CALL_EQ, 0, 0 } },
        "descriptor 0 wakes the box with its order, then is at its end" },
    { "read", CALL_QUIET, EBADF, { { 0, CALL_NE, 0, 0 } },
        "there is no other" },
    { "exit_group", CALL_ALLOW, 0, { { 0 } }, "the end" },

    /* who am I: constants in a pid and user namespace of its own */
    { "getpid", CALL_ALLOW, 0, { { 0 } }, "os.getpid(): 1" },
    { "gettid", CALL_ALLOW, 0, { { 0 } }, "threading.get_native_id(): 1" },
    { "getppid", CALL_ALLOW, 0, { { 0 } }, "0" },
    { "getuid", CALL_ALLOW, 0, { { 0 } }, "nobody" },
    { "geteuid", CALL_ALLOW, 0, { { 0 } }, "nobody" },
    { "getgid", CALL_ALLOW, 0, { { 0 } }, "nogroup" },
    { "getegid", CALL_ALLOW, 0, { { 0 } }, "nogroup" },

    /* descriptors that do not exist */
    { "write", CALL_QUIET, EBADF, { { 0 } }, "output goes by the slate" },
    { "writev", CALL_QUIET, EBADF, { { 0 } }, "abort() messages of libc" },
    { "pwrite64", CALL_QUIET, EBADF, { { 0 } }, "os.pwrite()" },
    { "pread64", CALL_QUIET, EBADF, { { 0 } }, "os.pread()" },
    { "readv", CALL_QUIET, EBADF, { { 0 } }, "os.readv()" },
    { "close", CALL_QUIET, EBADF, { { 0 } }, "finalizers" },
    { "close_range", CALL_QUIET, EBADF, { { 0 } }, "os.closerange()" },
    { "fstat", CALL_QUIET, EBADF, { { 0 } }, "os.fstat()" },
    { "lseek", CALL_QUIET, EBADF, { { 0 } }, "io probes for seeking" },
    { "fcntl", CALL_QUIET, EBADF, { { 0 } }, "os.get_inheritable()" },
    { "ioctl", CALL_QUIET, ENOTTY, { { 0 } }, "isatty()" },
    { "dup", CALL_QUIET, EBADF, { { 0 } }, "os.dup()" },
    { "dup2", CALL_QUIET, EBADF, { { 0 } }, "os.dup2()" },
    { "dup3", CALL_QUIET, EBADF, { { 0 } }, "os.dup2()" },
    { "fsync", CALL_QUIET, EBADF, { { 0 } }, "os.fsync()" },
    { "ftruncate", CALL_QUIET, EBADF, { { 0 } }, "os.ftruncate()" },

    /* probes of libc and CPython that do no harm when they fail */
    { "rt_sigaction", CALL_QUIET, EPERM, { { 0 } }, "signal.signal()" },
    { "rt_sigprocmask", CALL_QUIET, EPERM, { { 0 } }, "abort(), fork()" },
    { "sigaltstack", CALL_QUIET, EPERM, { { 0 } }, "faulthandler" },
    { "clone3", CALL_QUIET, ENOSYS, { { 0 } },
        "its flags are behind a pointer; libc falls back to clone()" },
    { "rseq", CALL_QUIET, ENOSYS, { { 0 } }, "libc after a fork" },
    { "set_robust_list", CALL_QUIET, ENOSYS, { { 0 } }, "the same" },
    { "set_tid_address", CALL_QUIET, ENOSYS, { { 0 } }, "the same" },
    { "getcwd", CALL_QUIET, ENOENT, { { 0 } }, "os.getcwd()" },
    { "uname", CALL_QUIET, EPERM, { { 0 } }, "os.uname()" },
    { "sysinfo", CALL_QUIET, EPERM, { { 0 } }, "an oracle of load" },
    { "getrusage", CALL_QUIET, EPERM, { { 0 } }, "resource.getrusage()" },
    { "times", CALL_QUIET, EPERM, { { 0 } }, "os.times()" },
    { "getgroups", CALL_QUIET, EPERM, { { 0 } }, "os.getgroups()" },
    { "getpgrp", CALL_QUIET, EPERM, { { 0 } }, "os.getpgrp()" },
    { "getpgid", CALL_QUIET, EPERM, { { 0 } }, "os.getpgid()" },
    { "getsid", CALL_QUIET, EPERM, { { 0 } }, "os.getsid()" },
    { "getpriority", CALL_QUIET, EPERM, { { 0 } }, "os.getpriority()" },
    { "getresuid", CALL_QUIET, EPERM, { { 0 } }, "os.getresuid()" },
    { "getresgid", CALL_QUIET, EPERM, { { 0 } }, "os.getresgid()" },
    { "getcpu", CALL_QUIET, EPERM, { { 0 } }, "without a vDSO" },
    { "sched_getaffinity", CALL_QUIET, EPERM, { { 0 } }, "os.cpu_count()" },
    { "prlimit64", CALL_QUIET, EPERM, { { 0 } }, "sysconf()" },
    { "getrlimit", CALL_QUIET, EPERM, { { 0 } }, "sysconf()" },
    { "umask", CALL_QUIET, EPERM, { { 0 } }, "os.umask()" },
    { "sync", CALL_QUIET, EPERM, { { 0 } }, "os.sync()" },

    /* files: none */
    { "open", CALL_NAMED, EACCES, { { 0 } }, "open()" },
    { "openat", CALL_NAMED, EACCES, { { 0 } }, "open()" },
    { "openat2", CALL_NAMED, EACCES, { { 0 } }, "open()" },
    { "creat", CALL_NAMED, EACCES, { { 0 } }, "open()" },
    { "stat", CALL_NAMED, ENOENT, { { 0 } }, "os.path.exists()" },
    { "lstat", CALL_NAMED, ENOENT, { { 0 } }, "os.path.islink()" },
    { "newfstatat", CALL_NAMED, ENOENT, { { 0 } }, "os.path.exists()" },
    { "statx", CALL_NAMED, ENOENT, { { 0 } }, "os.stat()" },
    { "access", CALL_NAMED, ENOENT, { { 0 } }, "os.access()" },
    { "faccessat", CALL_NAMED, ENOENT, { { 0 } }, "os.access()" },
    { "faccessat2", CALL_NAMED, ENOENT, { { 0 } }, "os.access()" },
    { "readlink", CALL_NAMED, ENOENT, { { 0 } }, "os.readlink()" },
    { "readlinkat", CALL_NAMED, ENOENT, { { 0 } }, "os.readlink()" },
    { "statfs", CALL_NAMED, EACCES, { { 0 } }, "os.statvfs()" },
    { "getdents64", CALL_NAMED, EACCES, { { 0 } }, "os.listdir()" },
    { "chdir", CALL_NAMED, EACCES, { { 0 } }, "os.chdir()" },
    { "mkdir", CALL_NAMED, EACCES, { { 0 } }, "os.mkdir()" },
    { "mkdirat", CALL_NAMED, EACCES, { { 0 } }, "os.mkdir()" },
    { "rmdir", CALL_NAMED, EACCES, { { 0 } }, "os.rmdir()" },
    { "unlink", CALL_NAMED, EACCES, { { 0 } }, "os.remove()" },
    { "unlinkat", CALL_NAMED, EACCES, { { 0 } }, "os.remove()" },
    { "rename", CALL_NAMED, EACCES, { { 0 } }, "os.rename()" },
    { "renameat", CALL_NAMED, EACCES, { { 0 } }, "os.rename()" },
    { "renameat2", CALL_NAMED, EACCES, { { 0 } }, "os.rename()" },
    { "link", CALL_NAMED, EACCES, { { 0 } }, "os.link()" },
    { "linkat", CALL_NAMED, EACCES, { { 0 } }, "os.link()" },
    { "symlink", CALL_NAMED, EACCES, { { 0 } }, "os.symlink()" },
    { "symlinkat", CALL_NAMED, EACCES, { { 0 } }, "os.symlink()" },
    { "chmod", CALL_NAMED, EACCES, { { 0 } }, "os.chmod()" },
    { "fchmodat", CALL_NAMED, EACCES, { { 0 } }, "os.chmod()" },
    { "chown", CALL_NAMED, EACCES, { { 0 } }, "os.chown()" },
    { "lchown", CALL_NAMED, EACCES, { { 0 } }, "os.lchown()" },
    { "fchownat", CALL_NAMED, EACCES, { { 0 } }, "os.chown()" },
    { "truncate", CALL_NAMED, EACCES, { { 0 } }, "os.truncate()" },
    { "utimensat", CALL_NAMED, EACCES, { { 0 } }, "os.utime()" },
    { "mknod", CALL_NAMED, EACCES, { { 0 } }, "os.mkfifo()" },
    { "mknodat", CALL_NAMED, EACCES, { { 0 } }, "os.mkfifo()" },

    /* network: none */
    { "socket", CALL_NAMED, EACCES, { { 0 } }, "socket.socket()" },
    { "socketpair", CALL_NAMED, EACCES, { { 0 } }, "socket.socketpair()" },

    /* processes and threads: none */
    { "clone", CALL_NAMED, EPERM, { { 0, CALL_NE, CLONE_PARENT, 0 } },
        "fork(), threads" },
    { "clone", CALL_QUIET, EPERM, { { 0, CALL_EQ, CLONE_PARENT, 0 } },
        "a template's own, where clone3() is hidden (template.c)" },
    { "fork", CALL_NAMED, EPERM, { { 0 } }, "os.fork()" },
    { "vfork", CALL_NAMED, EPERM, { { 0 } }, "subprocess" },
    { "execve", CALL_NAMED, EPERM, { { 0 } }, "os.execv()" },
    { "execveat", CALL_NAMED, EPERM, { { 0 } }, "os.execve(fd)" },
    { "wait4", CALL_NAMED, ECHILD, { { 0 } }, "os.wait()" },
    { "waitid", CALL_NAMED, ECHILD, { { 0 } }, "os.waitid()" },
    { "kill", CALL_NAMED, EPERM, { { 0 } }, "os.kill()" },
    { "tkill", CALL_NAMED, EPERM, { { 0 } }, "raise()" },
    { "tgkill", CALL_NAMED, EPERM, { { 0 } }, "raise(), abort()" },
    { "setpriority", CALL_NAMED, EPERM, { { 0 } }, "os.nice()" },
    { "setitimer", CALL_NAMED, EPERM, { { 0 } }, "signal.setitimer()" },
    { "alarm", CALL_NAMED, EPERM, { { 0 } }, "signal.alarm()" },
    { "setsid", CALL_NAMED, EPERM, { { 0 } }, "os.setsid()" },
    { "setrlimit", CALL_NAMED, EPERM, { { 0 } }, "resource.setrlimit()" },

    /* new descriptors: none */
    { "pipe", CALL_NAMED, EPERM, { { 0 } }, "os.pipe()" },
    { "pipe2", CALL_NAMED, EPERM, { { 0 } }, "os.pipe()" },
    { "eventfd2", CALL_NAMED, EPERM, { { 0 } }, "os.eventfd()" },
    { "epoll_create1", CALL_NAMED, EPERM, { { 0 } }, "selectors" },
    { "poll", CALL_NAMED, EPERM, { { 0 } }, "select.poll()" },
    { "ppoll", CALL_NAMED, EPERM, { { 0 } }, "select.poll()" },
    { "select", CALL_NAMED, EPERM, { { 0 } }, "select.select()" },
    { "pselect6", CALL_NAMED, EPERM, { { 0 } }, "select.select()" },
};
/* clang-format on */

const size_t call_count = sizeof(call_rows) / sizeof(call_rows[0]);

const struct call_row *
call_find_named(int number)
{
    static int numbers[sizeof(call_rows) / sizeof(call_rows[0])];
    static int is_filled;

    if (!is_filled) {
        for (size_t i = 0; i < call_count; i++)
            numbers[i] = seccomp_syscall_resolve_name(call_rows[i].name);
        is_filled = 1;
    }
    for (size_t i = 0; i < call_count; i++)
        if (call_rows[i].kind == CALL_NAMED && numbers[i] == number)
            return &call_rows[i];
    return NULL;
}
