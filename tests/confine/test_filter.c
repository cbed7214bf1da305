/*
 * The filter against what it must answer: every call that is allowed, or
 * refused, with its errno and whether the warden hears of it, with allowed
 * and with other arguments; every other number kills.
 *
 * What is expected is written out here and not read from call_rows[]: a row
 * that is lost or loosened there must turn something red here.  How a call is
 * tried: tries.h.
 */
#include <check.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/confine/calls.h"
#include "tests/confine/suites.h"
#include "tests/confine/tries.h"
#include "tests/support/fork.h"

#define LAST_CALL 511

/* --- what is expected -------------------------------------------------------
 */

static const struct {
    int error;
    bool is_named; /* the warden answers, and so knows */
    const char *names;
} refused[] = {
    { EBADF, false,
        "write writev pwrite64 pread64 readv close close_range fstat lseek "
        "fcntl dup dup2 dup3 fsync ftruncate" },
    { EPERM, false,
        "madvise rt_sigaction rt_sigprocmask sigaltstack uname sysinfo "
        "getrusage times getgroups getpgrp getpgid getsid getpriority "
        "getresuid getresgid getcpu sched_getaffinity prlimit64 getrlimit "
        "umask sync" },
    { ENOTTY, false, "ioctl" },
    { ENOSYS, false, "clone3 rseq set_robust_list set_tid_address" },
    { ENOENT, false, "getcwd" },
    { EACCES, true,
        "open openat openat2 creat statfs getdents64 chdir mkdir mkdirat "
        "rmdir unlink unlinkat rename renameat renameat2 link linkat symlink "
        "symlinkat chmod fchmodat chown lchown fchownat truncate utimensat "
        "mknod mknodat socket socketpair" },
    { ENOENT, true,
        "stat lstat newfstatat statx access faccessat faccessat2 readlink "
        "readlinkat" },
    { EPERM, true,
        "clone fork vfork execve execveat kill tkill tgkill setpriority "
        "setitimer alarm setsid setrlimit pipe pipe2 eventfd2 epoll_create1 "
        "poll ppoll select pselect6 clock_settime" },
    { ECHILD, true, "wait4 waitid" },
};

/* What the kernel itself answers to a call without arguments. */
static const struct {
    const char *name;
    long result; /* or -errno */
} permitted[] = {
    { "munmap", -EINVAL }, { "gettimeofday", 0 }, { "sched_yield", 0 },
    { "restart_syscall", -EINTR },
    { "exit_group", 12345 }, /* does not come back */
};

/* The same, where the answer is a fact of the process. */
static const char same_as_outside[] =
    "getppid getuid geteuid getgid getegid brk time";
/* Answered by their arguments; each has its own claims below. */
static const char by_arguments[] =
    "mmap mremap mprotect clock_gettime clock_getres clock_nanosleep "
    "getrandom futex read getpid gettid";

/* Walk the names of a list: NULL at its end. */
static const char *
next_name(const char **list)
{
    static char name[32];
    size_t len = strcspn(*list, " ");

    if (len == 0)
        return NULL;
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, *list);
    *list += len + (*list)[len] / ' '; /* and the space, if there is one */
    return name;
}

static void
expect_errno(const char *name, unsigned long a0, unsigned long a1,
    unsigned long a2, unsigned long a3, int error)
{
    int number = seccomp_syscall_resolve_name(name);

    if (number < 0)
        return;
    HOLD(call6(number, a0, a1, a2, a3, 0, 0) == 0);
    HOLD(shared->result == -1 && shared->error == error);
}

static void
every_refusal(void)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const char *list = refused[i].names, *name;

        while ((name = next_name(&list)) != NULL) {
            /* A descriptor that is open: the kernel would not say EBADF. */
            expect_errno(name,
                refused[i].error == EBADF ? (unsigned long)to_supervisor : 0, 0,
                0, 0, refused[i].error);
            HOLD(refused[i].is_named == (shared->asked == shared->number));
        }
    }
}

static void
every_permission(void)
{
    const char *list = same_as_outside, *name;

    for (size_t i = 0; i < sizeof(permitted) / sizeof(permitted[0]); i++) {
        long number = seccomp_syscall_resolve_name(permitted[i].name);

        HOLD(call6(number, 0, 0, 0, 0, 0, 0) == 0);
        HOLD(permitted[i].result ==
             (shared->result < 0 ? -shared->error : shared->result));
    }
    while ((name = next_name(&list)) != NULL) {
        long number = seccomp_syscall_resolve_name(name);
        long outside = syscall(number, 0);

        HOLD(call6(number, 0, 0, 0, 0, 0, 0) == 0);
        HOLD(shared->result >= outside);
    }
    HOLD(call6(SYS_getpid, 0, 0, 0, 0, 0, 0) == 0 && shared->result > 1);
    HOLD(call6(SYS_gettid, 0, 0, 0, 0, 0, 0) == 0 && shared->result > 1);
}

static bool
is_in_list(int number, const char *list)
{
    const char *name;

    while ((name = next_name(&list)) != NULL)
        if (seccomp_syscall_resolve_name(name) == number)
            return true;
    return false;
}

static bool
is_expected(int number)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (is_in_list(number, refused[i].names))
            return true;
    for (size_t i = 0; i < sizeof(permitted) / sizeof(permitted[0]); i++)
        if (seccomp_syscall_resolve_name(permitted[i].name) == number)
            return true;
    return is_in_list(number, same_as_outside) ||
           is_in_list(number, by_arguments);
}

/* --- the table as a model: what it says of any call ------------------------
 */

#define HIGH ((unsigned long)1 << 32)

static bool
model_passes(const struct call_check *check, uint64_t value)
{
    switch (check->op) {
    case CALL_EQ:
        return value == check->a;
    case CALL_NE:
        return value != check->a;
    case CALL_LE:
        return value <= check->a;
    case CALL_GT:
        return value > check->a;
    case CALL_MASKED:
        return (value & check->a) == check->b;
    default:
        return true;
    }
}

static const struct call_row *
model_row(const char *name, const unsigned long *args)
{
    for (size_t i = 0; i < call_count; i++) {
        const struct call_check *k = call_rows[i].checks;

        if (strcmp(call_rows[i].name, name) == 0 &&
            model_passes(&k[0], args[k[0].arg]) &&
            model_passes(&k[1], args[k[1].arg]))
            return &call_rows[i];
    }
    return NULL;
}

/* Does a refusal of this call look so? */
static bool
model_refuses_with(const char *name, int error)
{
    for (size_t i = 0; i < call_count; i++)
        if (strcmp(call_rows[i].name, name) == 0 &&
            call_rows[i].kind != CALL_ALLOW && call_rows[i].error == error)
            return true;
    return false;
}

/* Does the kernel itself answer so, without a cage? */
static bool
kernel_says(int number, const unsigned long *a, int error)
{
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]) == -1 &&
           errno == error;
}

static bool
conforms(const char *name, const unsigned long *a)
{
    const struct call_row *row = model_row(name, a);
    int number = seccomp_syscall_resolve_name(name);
    int end;

    if (number < 0)
        return true;
    end = call6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (row == NULL)
        return end == SIGSYS;
    if (end != 0)
        return false;
    if (row->kind != CALL_ALLOW)
        return shared->result == -1 && shared->error == row->error;
    return shared->result != -1 || !model_refuses_with(name, shared->error) ||
           kernel_says(number, a, shared->error);
}

static void
expect_as_modelled(const char *name, const unsigned long *a)
{
    if (!conforms(name, a)) {
        (void)fprintf(stderr, "%s(%#lx, %#lx, %#lx, %#lx): %ld, errno %d\n",
            name, a[0], a[1], a[2], a[3], shared->result, shared->error);
        syscall(SYS_exit_group, 1);
    }
}

/* At the edge of a check and beside it, in both halves of the argument. */
static void
every_value(const struct call_row *row, const struct call_check *check,
    const unsigned long *allowed)
{
    unsigned long lowest = check->a & -check->a;
    unsigned long b = check->op == CALL_MASKED ? check->b : check->a;
    const unsigned long values[] = { 0, b, b + 1, b - 1, b ^ HIGH, b ^ lowest,
        b ^ ((unsigned long)1 << 63), b | HIGH << 31, ~0UL, ~0UL << 32,
        0xffffffff };
    unsigned long args[6];

    memcpy(args, allowed, sizeof(args));
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        args[check->arg] = values[i];
        expect_as_modelled(row->name, args);
    }
}

static void
every_argument(void)
{
    for (size_t i = 0; i < call_count; i++) {
        const struct call_row *row = &call_rows[i];
        /* A page: the length of a mapping is not what is tried here. */
        unsigned long args[6] = { 0, 4096, 0, 0, -1UL, 0 };

        for (size_t k = 0; k < 2; k++)
            if (row->checks[k].op == CALL_MASKED)
                args[row->checks[k].arg] = row->checks[k].b;
            else if (row->checks[k].op != CALL_NO_CHECK)
                args[row->checks[k].arg] = row->checks[k].a;
        expect_as_modelled(row->name, args);
        for (size_t k = 0; k < 2; k++)
            if (row->checks[k].op != CALL_NO_CHECK)
                every_value(row, &row->checks[k], args);
    }
}

/*
 * uretprobe and uprobe (335 and 336 on x86-64): since Linux 6.14 the kernel
 * asks no filter about them; outside a probe's own page they do nothing.
 */
static bool
is_exempt(int number)
{
    return number == 335 || number == 336;
}

static void
every_other_number(void)
{
    static const int far[] = { 1000, 4095, 0x7fff, 0x3fffffff };

    for (int number = 0; number <= LAST_CALL; number++)
        if (!is_expected(number) && !is_exempt(number))
            HOLD(call6(number, 0, 0, 0, 0, 0, 0) == SIGSYS);
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
        HOLD(call6(far[i], 0, 0, 0, 0, 0, 0) == SIGSYS);
}

static void
memory_arguments(void)
{
    const unsigned long rw = PROT_READ | PROT_WRITE;
    const unsigned long plain = MAP_PRIVATE | MAP_ANONYMOUS;

    HOLD(call6(SYS_mmap, 0, 4096, rw, plain, (unsigned long)-1, 0) == 0);
    HOLD(shared->result > 0);
    HOLD(call6(SYS_mmap, 0, 4096, rw | PROT_EXEC, plain, -1UL, 0) == SIGSYS);
    HOLD(call6(SYS_mmap, 0, 4096, rw | HIGH, plain, -1UL, 0) == SIGSYS);
    expect_errno("mmap", 0, 4096, rw, MAP_SHARED | MAP_ANONYMOUS, EPERM);
    HOLD(shared->asked != SYS_mmap);
    HOLD(call6(SYS_mmap, 0, 4096, rw | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS,
             -1UL, 0) == SIGSYS);
    expect_errno("mmap", 0, 4096, PROT_NONE, plain | MAP_STACK, EPERM);
    HOLD(shared->asked == SYS_mmap);
    HOLD(call6(SYS_mmap, 0, 4096, PROT_EXEC, plain | MAP_STACK, -1UL, 0) ==
         SIGSYS);
    HOLD(call6(SYS_mmap, 0, 4096, rw, plain | MAP_FIXED, -1UL, 0) == SIGSYS);
    HOLD(call6(SYS_mmap, 0, 4096, rw, plain | HIGH, -1UL, 0) == SIGSYS);
    HOLD(call6(SYS_mmap, 0, 4096, rw, MAP_PRIVATE, 0, 0) == SIGSYS);
    expect_errno("mmap", 0, TRIES_BIG + 4096, rw, plain, ENOMEM);
    HOLD(shared->asked == SYS_mmap);
    expect_errno("mremap", 0, 0, TRIES_BIG + 4096, MREMAP_MAYMOVE, ENOMEM);
    HOLD(shared->asked == SYS_mremap);
    expect_errno("mprotect", 0, 4096, rw, 0, EPERM);
    HOLD(call6(SYS_mprotect, 0, 4096, PROT_EXEC, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_mprotect, 0, 4096, PROT_EXEC | HIGH, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_mremap, 0, 0, 0, MREMAP_MAYMOVE, 0, 0) == 0);
    HOLD(shared->result == -1 && shared->error == EINVAL);
    HOLD(call6(SYS_mremap, 0, 0, 0, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_mremap, 0, 0, 0, MREMAP_MAYMOVE | HIGH, 0, 0) == SIGSYS);
    HOLD(call6(SYS_brk, 0, 0, 0, 0, 0, 0) == 0 && shared->result > 0);
    HOLD(call6(SYS_munmap, 0, 4096, 0, 0, 0, 0) == 0 && shared->result == 0);
}

/* Ids up to 11 are clocks; above and below are other processes' and threads'.
 */
static void
clock_id_arguments(const char *name)
{
    long number = seccomp_syscall_resolve_name(name);
    struct timespec ts;

    for (unsigned long id = 0; id <= CLOCK_TAI; id++) {
        HOLD(call6(number, id, (unsigned long)&ts, 0, 0, 0, 0) == 0);
        /* Not every machine has those that can wake it. */
        HOLD(shared->result == 0 || (id >= CLOCK_REALTIME_ALARM && id <= 10));
    }
    expect_errno(name, 12, (unsigned long)&ts, 0, 0, EINVAL);
    expect_errno(name, -14UL, (unsigned long)&ts, 0, 0, EINVAL);
    expect_errno(name, HIGH, (unsigned long)&ts, 0, 0, EINVAL);
    HOLD(shared->result == -1);
}

static void
clock_and_random_arguments(void)
{
    struct timespec ts = { 0, 1 };
    unsigned long at = (unsigned long)&ts;

    clock_id_arguments("clock_gettime");
    clock_id_arguments("clock_getres");
    /* The one for one's own CPU time, as the kernel numbers it. */
    expect_errno("clock_gettime", -6UL, at, 0, 0, EINVAL);
    expect_errno("clock_getres", -6UL, at, 0, 0, EINVAL);
    HOLD(call6(SYS_clock_nanosleep, 0, 0, at, 0, 0, 0) == 0);
    HOLD(shared->result == 0);
    HOLD(call6(SYS_clock_nanosleep, 1, 0, at, 0, 0, 0) == 0);
    HOLD(shared->result == 0);
    expect_errno("clock_nanosleep", 4, 0, at, 0, EINVAL);
    expect_errno("clock_nanosleep", CLOCK_BOOTTIME, 0, at, 0, EINVAL);
    expect_errno("clock_nanosleep", HIGH, 0, at, 0, EINVAL);
    HOLD(call6(SYS_getrandom, (unsigned long)&ts, 8, 0, 0, 0, 0) == 0);
    HOLD(shared->result == 8);
    HOLD(call6(SYS_getrandom, (unsigned long)&ts, 8, 1, 0, 0, 0) == 0);
    HOLD(call6(SYS_getrandom, (unsigned long)&ts, 8, 2, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_getrandom, 0, 8, HIGH, 0, 0, 0) == SIGSYS);
}

static void
futex_and_read_arguments(void)
{
    static const int ours[] = { FUTEX_WAIT_PRIVATE, FUTEX_WAKE_PRIVATE,
        FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
        FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME };

    /* The word is not there: the kernel says so, and not the filter. */
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        HOLD(call6(SYS_futex, 8, (unsigned long)ours[i], 1, 0, 0, 1) == 0);
        HOLD(shared->result == 0 || shared->error == EFAULT);
    }
    HOLD(call6(SYS_futex, 0, FUTEX_WAIT, 0, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_futex, 0, FUTEX_WAKE, 0, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_futex, 0, FUTEX_CMP_REQUEUE_PI_PRIVATE, 0, 0, 0, 0) ==
         SIGSYS);
    HOLD(call6(SYS_futex, 0, FUTEX_WAKE_PRIVATE | HIGH, 0, 0, 0, 0) == SIGSYS);
    HOLD(call6(SYS_read, 0, 8, 0, 0, 0, 0) == 0);
    HOLD(shared->result == 0); /* nothing, from what is really open */
    expect_errno("read", 1, 0, 0, 0, EBADF);
    expect_errno("read", HIGH, 0, 0, 0, EBADF);
    expect_errno("write", 0, 0, 0, 0, EBADF);
    expect_errno("write", 1, 0, 0, 0, EBADF);
    expect_errno("clone", CLONE_PARENT, 0, 0, 0, EPERM);
    HOLD(shared->asked != SYS_clone); /* the one form that is a template's */
    HOLD(call6(SYS_exit_group, 3, 0, 0, 0, 0, 0) == 0);
    HOLD(shared->exits == 1); /* the warden is asked about the end */
}

#ifdef __x86_64__
static void
interrupt_of_32_bits(void)
{
    __asm__ volatile("int $0x80" : : "a"(20) : "memory");
}

/* The same numbers by another door: x32 and the 32-bit interrupt. */
static void
other_doors(void)
{
    for (size_t i = 0; i < call_count; i++) {
        int number = seccomp_syscall_resolve_name(call_rows[i].name);

        if (number >= 0)
            HOLD(call6(0x40000000 | number, 0, 0, 0, 0, 0, 0) == SIGSYS);
    }
    HOLD(try_in_cage(interrupt_of_32_bits) == SIGSYS);
}
#else
static void
other_doors(void)
{
}
#endif

START_TEST(filter_refuses_every_row_with_its_own_errno)
{
    ck_assert_int_eq(run_in_template(every_refusal), 0);
}
END_TEST

START_TEST(filter_answers_every_argument_as_its_table_says)
{
    ck_assert_int_eq(run_in_template(every_argument), 0);
}
END_TEST

START_TEST(filter_lets_through_what_python_needs)
{
    ck_assert_int_eq(run_in_template(every_permission), 0);
}
END_TEST

START_TEST(filter_kills_every_number_that_is_in_no_row)
{
    ck_assert_int_eq(run_in_template(every_other_number), 0);
}
END_TEST

START_TEST(filter_checks_both_halves_of_memory_arguments)
{
    ck_assert_int_eq(run_in_template(memory_arguments), 0);
}
END_TEST

START_TEST(filter_checks_clock_ids_and_random_flags)
{
    ck_assert_int_eq(run_in_template(clock_and_random_arguments), 0);
}
END_TEST

START_TEST(filter_checks_futex_operations_and_descriptors)
{
    ck_assert_int_eq(run_in_template(futex_and_read_arguments), 0);
}
END_TEST

START_TEST(filter_kills_calls_by_another_abi)
{
    ck_assert_int_eq(run_in_template(other_doors), 0);
}
END_TEST

/* By itself (CK_RUN_CASE), so that a mutant can end at the first. */
static TCase *
add_case(Suite *s, const char *name)
{
    TCase *t = tcase_create(name);

    tcase_set_timeout(t, 120);
    suite_add_tcase(s, t);
    return t;
}

Suite *
suite_filter(void)
{
    Suite *s = suite_create("filter");
    TCase *t = add_case(s, "refusals");

    tcase_add_test(t, filter_refuses_every_row_with_its_own_errno);
    t = add_case(s, "permissions");
    tcase_add_test(t, filter_lets_through_what_python_needs);
    t = add_case(s, "arguments");
    tcase_add_test(t, filter_answers_every_argument_as_its_table_says);
    tcase_add_test(t, filter_checks_both_halves_of_memory_arguments);
    tcase_add_test(t, filter_checks_clock_ids_and_random_flags);
    tcase_add_test(t, filter_checks_futex_operations_and_descriptors);
    t = add_case(s, "rest");
    tcase_add_test(t, filter_kills_every_number_that_is_in_no_row);
    tcase_add_test(t, filter_kills_calls_by_another_abi);
    return s;
}
