/* calls: the table of what a box may ask, held against itself */
#include <check.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "sandbox/confine/calls.h"
#include "sandbox/wire/outcome.h"

Suite *suite_calls(void);

static bool
is_unconditional(const struct call_row *row)
{
    return row->checks[0].op == CALL_NO_CHECK &&
           row->checks[1].op == CALL_NO_CHECK;
}

/* What passes a check, as far as it is a range. */
struct range {
    uint64_t first, last;
};

static struct range
range_of(const struct call_check *c)
{
    switch (c->op) {
    case CALL_EQ:
        return (struct range){ c->a, c->a };
    case CALL_LE:
        return (struct range){ 0, c->a };
    case CALL_GT:
        return (struct range){ c->a + 1, UINT64_MAX };
    default:
        return (struct range){ 0, UINT64_MAX };
    }
}

/* Which bits a check wants to have a certain value, and which. */
static uint64_t
pinned(const struct call_check *c, uint64_t *ret_value)
{
    *ret_value = c->op == CALL_MASKED ? c->b : c->a;
    if (c->op == CALL_MASKED)
        return c->a;
    return c->op == CALL_EQ ? UINT64_MAX : 0;
}

/* No argument passes both. */
static bool
excludes(const struct call_check *x, const struct call_check *y)
{
    struct range rx = range_of(x), ry = range_of(y);
    uint64_t x_value, y_value;
    uint64_t both = pinned(x, &x_value) & pinned(y, &y_value);

    if (x->arg != y->arg)
        return false;
    if ((x->op == CALL_NE && y->op == CALL_EQ) ||
        (x->op == CALL_EQ && y->op == CALL_NE))
        return x->a == y->a;
    return rx.first > ry.last || ry.first > rx.last ||
           ((x_value ^ y_value) & both) != 0;
}

static bool
are_apart(const struct call_row *x, const struct call_row *y)
{
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++)
            if (excludes(&x->checks[i], &y->checks[k]))
                return true;
    return false;
}

START_TEST(calls_rows_of_one_name_never_speak_of_the_same_call)
{
    for (size_t i = 0; i < call_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(call_rows[i].name, call_rows[k].name) == 0)
                ck_assert_msg(are_apart(&call_rows[i], &call_rows[k]),
                    "%s: rows %zu and %zu overlap", call_rows[i].name, k, i);
}
END_TEST

START_TEST(calls_every_row_says_why_it_is_there)
{
    for (size_t i = 0; i < call_count; i++)
        ck_assert_uint_gt(strlen(call_rows[i].reason), 0);
}
END_TEST

START_TEST(calls_refusals_have_an_errno_and_permissions_have_none)
{
    for (size_t i = 0; i < call_count; i++) {
        const struct call_row *row = &call_rows[i];

        if (row->kind == CALL_ALLOW)
            ck_assert_int_eq(row->error, 0);
        else
            ck_assert_msg(row->error > 0 && row->error < 4096, "%s", row->name);
    }
}
END_TEST

/*
 * The warden answers by number alone and does not look at arguments.  But for
 * mmap(): there it tells a thread's stack from a large block by the size; and
 * for clone(), of which a template needs one form that a second row refuses to
 * boxes.
 */
START_TEST(calls_that_are_named_are_refused_whatever_their_arguments)
{
    for (size_t i = 0; i < call_count; i++)
        if (call_rows[i].kind == CALL_NAMED &&
            strcmp(call_rows[i].name, "mmap") != 0 &&
            strcmp(call_rows[i].name, "clone") != 0)
            ck_assert_msg(
                is_unconditional(&call_rows[i]), "%s", call_rows[i].name);
}
END_TEST

/* call_find_named() gives the first: there must not be a second. */
START_TEST(calls_that_are_named_have_one_such_row)
{
    for (size_t i = 0; i < call_count; i++)
        for (size_t k = 0; k < i; k++)
            if (call_rows[i].kind == CALL_NAMED &&
                call_rows[k].kind == CALL_NAMED)
                ck_assert_str_ne(call_rows[i].name, call_rows[k].name);
}
END_TEST

START_TEST(calls_never_map_memory_that_can_be_executed)
{
    for (size_t i = 0; i < call_count; i++) {
        const struct call_check *c = call_rows[i].checks;

        if (strcmp(call_rows[i].name, "mmap") == 0)
            ck_assert(c->arg == 2 && c->op == CALL_MASKED &&
                      (c->a & PROT_EXEC) != 0 && (c->b & PROT_EXEC) == 0);
    }
}
END_TEST

START_TEST(calls_have_names_that_fit_an_outcome)
{
    for (size_t i = 0; i < call_count; i++)
        ck_assert_uint_lt(strlen(call_rows[i].name), OUTCOME_MAX_CALL);
}
END_TEST

START_TEST(calls_checks_speak_of_arguments_that_exist)
{
    for (size_t i = 0; i < call_count; i++)
        for (size_t k = 0; k < 2; k++)
            ck_assert_uint_lt(call_rows[i].checks[k].arg, 6);
}
END_TEST

/* What would open the cage, and what would ask the kernel for a new bug. */
static const char *const never_allowed[] = { "ptrace", "process_vm_readv",
    "process_vm_writev", "pidfd_getfd", "pidfd_open", "bpf", "perf_event_open",
    "userfaultfd", "io_uring_setup", "io_uring_enter", "keyctl", "add_key",
    "request_key", "mount", "umount2", "pivot_root", "chroot", "unshare",
    "setns", "clone", "clone3", "fork", "vfork", "execve", "execveat", "open",
    "openat", "openat2", "open_by_handle_at", "name_to_handle_at", "socket",
    "socketpair", "connect", "bind", "sendmsg", "recvmsg", "sendto", "write",
    "writev", "prctl", "seccomp", "setuid", "setresuid", "capset", "kill",
    "tgkill", "memfd_create", "memfd_secret", "shmget", "shmat", "mprotect",
    "pkey_mprotect", "personality", "kexec_load", "init_module", "finit_module",
    "syslog", "reboot", "swapon", "quotactl", "acct", "ioctl", "fcntl", "dup",
    "dup2", "modify_ldt", "arch_prctl", "iopl", "rt_sigreturn", "rt_sigaction",
    "process_madvise", "prlimit64" };

START_TEST(calls_allows_nothing_that_opens_the_cage)
{
    for (size_t i = 0; i < call_count; i++) {
        if (call_rows[i].kind != CALL_ALLOW)
            continue;
        for (size_t k = 0; k < sizeof(never_allowed) / sizeof(never_allowed[0]);
             k++)
            ck_assert_str_ne(call_rows[i].name, never_allowed[k]);
    }
}
END_TEST

/* Allowed only with arguments that were looked at. */
START_TEST(calls_with_a_dangerous_argument_are_allowed_only_with_a_check)
{
    static const char *const careful[] = { "mmap", "mremap", "read", "futex",
        "clock_gettime", "clock_nanosleep", "getrandom" };

    for (size_t i = 0; i < call_count; i++)
        for (size_t k = 0; k < sizeof(careful) / sizeof(careful[0]); k++)
            if (strcmp(call_rows[i].name, careful[k]) == 0)
                ck_assert_msg(
                    !is_unconditional(&call_rows[i]), "%s", careful[k]);
}
END_TEST

START_TEST(calls_finds_the_row_of_a_refused_call_by_its_number)
{
    ck_assert_str_eq(call_find_named(SYS_socket)->name, "socket");
    ck_assert_str_eq(call_find_named(SYS_openat)->name, "openat");
    ck_assert_str_eq(call_find_named(SYS_execve)->name, "execve");
    ck_assert_str_eq(call_find_named(SYS_mmap)->name, "mmap");
}
END_TEST

START_TEST(calls_finds_no_name_for_what_is_not_refused_by_the_warden)
{
    ck_assert_ptr_null(call_find_named(SYS_munmap));
    ck_assert_ptr_null(call_find_named(SYS_read));
    ck_assert_ptr_null(call_find_named(SYS_write));
    ck_assert_ptr_null(call_find_named(SYS_ptrace));
    ck_assert_ptr_null(call_find_named(1 << 20));
    /* How libseccomp numbers what this machine does not have. */
    ck_assert_ptr_null(call_find_named(-1));
}
END_TEST

Suite *
suite_calls(void)
{
    Suite *s = suite_create("calls");
    TCase *t = tcase_create("calls");

    tcase_add_test(t, calls_rows_of_one_name_never_speak_of_the_same_call);
    tcase_add_test(t, calls_every_row_says_why_it_is_there);
    tcase_add_test(t, calls_refusals_have_an_errno_and_permissions_have_none);
    tcase_add_test(
        t, calls_that_are_named_are_refused_whatever_their_arguments);
    tcase_add_test(t, calls_that_are_named_have_one_such_row);
    tcase_add_test(t, calls_never_map_memory_that_can_be_executed);
    tcase_add_test(t, calls_have_names_that_fit_an_outcome);
    tcase_add_test(t, calls_checks_speak_of_arguments_that_exist);
    tcase_add_test(t, calls_allows_nothing_that_opens_the_cage);
    tcase_add_test(
        t, calls_with_a_dangerous_argument_are_allowed_only_with_a_check);
    tcase_add_test(t, calls_finds_the_row_of_a_refused_call_by_its_number);
    tcase_add_test(
        t, calls_finds_no_name_for_what_is_not_refused_by_the_warden);
    suite_add_tcase(s, t);
    return s;
}
