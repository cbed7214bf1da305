/*
 * One step at a time: allowed before it, refused after it.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/confine/confine.h"
#include "tests/confine/fresh.h"
#include "tests/confine/suites.h"
#include "tests/support/fork.h"

static struct confine c;

static void
fresh(void)
{
    confine_fresh(&c);
}

static bool
can_map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return false;
    (void)munmap(p, bytes);
    return true;
}

static bool
can_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    (void)close(fd);
    return true;
}

static bool
can_fork(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

/* --- identity ------------------------------------------------------------ */

static void
identity_body(void)
{
    c.uid = c.gid = 65031;
    if (fork_is_root())
        HOLD(can_open("/etc/shadow"));
    HOLD(confine_identity(&c) == 0);
    HOLD(geteuid() != 0 && getuid() != 0);
    HOLD(getgroups(0, NULL) == 0 || !fork_is_root());
    HOLD(!can_open("/etc/shadow"));
    HOLD(setuid(0) < 0);
    HOLD(confine_has(&c, LAYER_IDENTITY));
}

START_TEST(identity_leaves_root_for_good)
{
    ck_assert_int_eq(in_fork(identity_body), 0);
}
END_TEST

static void
identity_zero_body(void)
{
    c.uid = c.gid = 0;
    HOLD(!fork_is_root() || confine_identity(&c) < 0);
}

START_TEST(identity_refuses_to_stay_root)
{
    ck_assert_int_eq(in_fork(identity_zero_body), 0);
}
END_TEST

/* --- descriptors ---------------------------------------------------------- */

static void
fds_body(void)
{
    int p[2], high;

    fresh();
    HOLD(pipe(p) == 0);
    high = fcntl(p[1], F_DUPFD, 700);
    HOLD(high >= 700);
    HOLD(fcntl(high, F_GETFD) >= 0);
    c.wake_fd = p[0];
    HOLD(confine_fds(&c) == 0);
    HOLD(fcntl(0, F_GETFD) >= 0);
    for (int fd = 1; fd < 1024; fd++)
        HOLD(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
}

START_TEST(fds_closes_all_but_the_wake_pipe)
{
    ck_assert_int_eq(in_fork(fds_body), 0);
}
END_TEST

/* --- rlimits ------------------------------------------------------------- */

static void
rlimits_memory_body(void)
{
    fresh();
    HOLD(can_map((size_t)1 << 30));
    HOLD(confine_rlimits(&c) == 0);
    HOLD(!can_map((size_t)1 << 30));
    HOLD(can_map((size_t)1 << 20));
}

START_TEST(rlimits_refuse_memory_above_the_limit)
{
    ck_assert_int_eq(in_fork(rlimits_memory_body), 0);
}
END_TEST

static void
rlimits_process_body(void)
{
    fresh();
    HOLD(can_fork());
    HOLD(confine_rlimits(&c) == 0);
    HOLD(!can_fork());
}

START_TEST(rlimits_refuse_a_second_process)
{
    ck_assert_int_eq(in_fork(rlimits_process_body), 0);
}
END_TEST

static void
rlimits_file_body(void)
{
    fresh();
    HOLD(can_open("/dev/null"));
    HOLD(confine_rlimits(&c) == 0);
    HOLD(!can_open("/dev/null") && errno == EMFILE);
}

START_TEST(rlimits_refuse_a_new_descriptor)
{
    ck_assert_int_eq(in_fork(rlimits_file_body), 0);
}
END_TEST

static void
rlimits_size_body(void)
{
    int fd = memfd_create("x", MFD_CLOEXEC);

    fresh();
    HOLD(write(fd, "a", 1) == 1);
    HOLD(confine_rlimits(&c) == 0);
    (void)!write(fd, "a", 1);
}

START_TEST(rlimits_kill_a_write_to_a_file)
{
    ck_assert_int_eq(in_fork(rlimits_size_body), -SIGXFSZ);
}
END_TEST

static void
rlimits_cpu_body(void)
{
    fresh();
    c.limits.cpu_s = 1;
    HOLD(confine_rlimits(&c) == 0);
    for (;;)
        ;
}

START_TEST(rlimits_kill_a_loop)
{
    ck_assert_int_eq(in_fork(rlimits_cpu_body), -SIGKILL);
}
END_TEST

static void
rlimits_raise_body(void)
{
    struct rlimit more = { RLIM_INFINITY, RLIM_INFINITY };

    fresh();
    HOLD(confine_rlimits(&c) == 0);
    for (int what = 0; what < RLIM_NLIMITS; what++)
        if (what != RLIMIT_RSS && what != RLIMIT_RTTIME)
            HOLD(setrlimit((__rlimit_resource_t)what, &more) < 0);
}

START_TEST(rlimits_cannot_be_raised_again)
{
    ck_assert_int_eq(in_fork(rlimits_raise_body), 0);
}
END_TEST

/* Every limit of a box, written out: none may be missing in rlimits.c. */
static const struct {
    __rlimit_resource_t what;
    rlim_t value;
} box_limits[] = {
    { RLIMIT_AS, 512 << 20 },
    { RLIMIT_DATA, 256 << 20 },
    { RLIMIT_CPU, 2 },
    { RLIMIT_STACK, 8 << 20 },
    { RLIMIT_NOFILE, 1 },
    { RLIMIT_FSIZE, 0 },
    { RLIMIT_NPROC, 0 },
    { RLIMIT_CORE, 0 },
    { RLIMIT_MEMLOCK, 0 },
    { RLIMIT_MSGQUEUE, 0 },
    { RLIMIT_SIGPENDING, 0 },
    { RLIMIT_LOCKS, 0 },
    { RLIMIT_NICE, 0 },
    { RLIMIT_RTPRIO, 0 },
};
#define BOX_LIMITS (sizeof(box_limits) / sizeof(box_limits[0]))

static void
rlimits_all_body(void)
{
    struct rlimit now;

    fresh();
    HOLD(confine_rlimits(&c) == 0);
    for (size_t i = 0; i < BOX_LIMITS; i++) {
        HOLD(getrlimit(box_limits[i].what, &now) == 0);
        HOLD(now.rlim_cur == box_limits[i].value);
        HOLD(now.rlim_max == box_limits[i].value);
    }
}

START_TEST(rlimits_are_all_there_and_exact)
{
    ck_assert_int_eq(in_fork(rlimits_all_body), 0);
}
END_TEST

/* Some are 0 on most machines already; this shows that they are set. */
static __rlimit_resource_t stubborn;

static void
rlimits_stubborn_body(void)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
    struct scmp_arg_cmp set[] = {
        { 1, SCMP_CMP_EQ, (uint64_t)stubborn, 0 },
        { 2, SCMP_CMP_NE, 0, 0 },
    };

    fresh();
    HOLD(seccomp_rule_add_array(
             ctx, SCMP_ACT_ERRNO(EIO), SCMP_SYS(prlimit64), 2, set) == 0);
    HOLD(seccomp_load(ctx) == 0);
    HOLD(confine_rlimits(&c) == -EIO);
}

START_TEST(rlimits_fail_when_one_of_them_cannot_be_set)
{
    stubborn = box_limits[_i].what;
    ck_assert_int_eq(in_fork(rlimits_stubborn_body), 0);
}
END_TEST

/* --- keyring ------------------------------------------------------------- */

static long
key_find(void)
{
    return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
        "glovebox-test", 0);
}

static void
keyring_body(void)
{
    fresh();
    /* A session of our own first, so that nobody else's is written to. */
    HOLD(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0);
    HOLD(syscall(SYS_add_key, "user", "glovebox-test", "secret", 6,
             KEY_SPEC_SESSION_KEYRING) >= 0);
    HOLD(key_find() >= 0);
    HOLD(confine_keyring(&c) == 0);
    HOLD(key_find() < 0 && errno == ENOKEY);
    HOLD(confine_has(&c, LAYER_KEYRING));
}

START_TEST(keyring_leaves_the_keys_of_the_session_behind)
{
    ck_assert_int_eq(in_fork(keyring_body), 0);
}
END_TEST

/* --- namespaces and what they allow --------------------------------------- */

static void
namespaces_body(void)
{
    static const char *const kinds[] = { "/proc/self/ns/user",
        "/proc/self/ns/net", "/proc/self/ns/mnt", "/proc/self/ns/ipc",
        "/proc/self/ns/uts", "/proc/self/ns/cgroup" };
    char before[6][64] = { "" }, after[64] = "";

    fresh();
    for (size_t i = 0; i < 6; i++)
        HOLD(readlink(kinds[i], before[i], sizeof(before[i]) - 1) > 0);
    HOLD(confine_namespaces(&c) == 0);
    for (size_t i = 0; i < 6; i++) {
        HOLD(readlink(kinds[i], after, sizeof(after) - 1) > 0);
        HOLD(strcmp(before[i], after) != 0);
    }
    HOLD(getuid() == 65534 && getgid() == 65534);
    for (int layer = LAYER_USER_NS; layer <= LAYER_CGROUP_NS; layer++)
        HOLD(confine_has(&c, (enum confine_layer)layer));
}

START_TEST(namespaces_give_a_world_of_its_own)
{
    ck_assert_int_eq(in_fork(namespaces_body), 0);
}
END_TEST

static void
network_body(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons(9),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd;

    fresh();
    HOLD(confine_namespaces(&c) == 0);
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    HOLD(fd >= 0);
    HOLD(sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) < 0);
    HOLD(errno == ENETUNREACH);
}

START_TEST(namespaces_leave_not_even_loopback)
{
    ck_assert_int_eq(in_fork(network_body), 0);
}
END_TEST

static void
root_body(void)
{
    fresh();
    HOLD(confine_namespaces(&c) == 0);
    HOLD(can_open("/etc/passwd"));
    HOLD(confine_root(&c) == 0);
    HOLD(!can_open("/etc/passwd") && errno == ENOENT);
    HOLD(!can_open("/proc/self/status") && errno == ENOENT);
    HOLD(access("/..", F_OK) == 0 && access("/../etc", F_OK) < 0);
    HOLD(mkdir("/x", 0700) < 0 && errno == EROFS);
}

START_TEST(root_leaves_nothing_to_open)
{
    ck_assert_int_eq(in_fork(root_body), 0);
}
END_TEST

static void
root_without_namespace_body(void)
{
    fresh();
    HOLD(confine_root(&c) <= 0);
    HOLD(!confine_has(&c, LAYER_EMPTY_ROOT));
    HOLD(can_open("/etc/passwd"));
}

START_TEST(root_says_so_when_there_is_no_mount_namespace)
{
    ck_assert_int_eq(in_fork(root_without_namespace_body), 0);
}
END_TEST

static void
capabilities_body(void)
{
    fresh();
    HOLD(confine_namespaces(&c) == 0);
    HOLD(mount("none", "/tmp", "tmpfs", 0, NULL) == 0);
    HOLD(confine_few_capabilities(&c) == 0);
    HOLD(sethostname("x", 1) == 0); /* the one that is kept */
    HOLD(setuid(65534) == 0 && chroot("/") < 0);
    HOLD(confine_no_capabilities(&c) == 0);
    HOLD(sethostname("x", 1) < 0 && errno == EPERM);
    for (unsigned long cap = 0; cap <= CAP_LAST_CAP; cap++)
        HOLD(prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 0);
}

START_TEST(capabilities_are_all_gone)
{
    ck_assert_int_eq(in_fork(capabilities_body), 0);
}
END_TEST

/* --- landlock ------------------------------------------------------------ */

static void
landlock_body(void)
{
    int dir = open("/etc", O_RDONLY | O_DIRECTORY);

    fresh();
    HOLD(confine_no_new_privs(&c) == 0);
    HOLD(can_open("/etc/passwd"));
    HOLD(confine_landlock(&c) == 0);
    HOLD(!can_open("/etc/passwd") && errno == EACCES);
    HOLD(openat(dir, "passwd", O_RDONLY) < 0 && errno == EACCES);
    HOLD(mkdir("/tmp/glovebox-try", 0700) < 0);
    HOLD(confine_verify_files(&c) == 0);
}

START_TEST(landlock_refuses_every_file)
{
    ck_assert_int_eq(in_fork(landlock_body), 0);
}
END_TEST

static void
landlock_signal_body(void)
{
    fresh();
    HOLD(confine_no_new_privs(&c) == 0);
    HOLD(confine_landlock(&c) == 0);
    if (confine_has(&c, LAYER_LANDLOCK_SCOPE))
        HOLD(kill(getppid(), 0) < 0 && errno == EPERM);
}

START_TEST(landlock_refuses_a_signal_to_the_parent)
{
    ck_assert_int_eq(in_fork(landlock_signal_body), 0);
}
END_TEST

static void
files_body(void)
{
    fresh();
    HOLD(confine_verify_files(&c) == -ENOTSUP);
}

START_TEST(files_step_fails_when_no_layer_holds)
{
    ck_assert_int_eq(in_fork(files_body), 0);
}
END_TEST

static void
files_lie_body(void)
{
    fresh();
    (void)confine_hold(&c, LAYER_LANDLOCK);
    HOLD(confine_verify_files(&c) == -EACCES);
}

START_TEST(files_step_tries_and_does_not_trust)
{
    ck_assert_int_eq(in_fork(files_lie_body), 0);
}
END_TEST

/* --- privileges ---------------------------------------------------------- */

static void
privs_body(void)
{
    fresh();
    HOLD(confine_undumpable(&c) == 0);
    HOLD(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    HOLD(confine_no_new_privs(&c) == 0);
    HOLD(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
}

START_TEST(privs_are_switched_off)
{
    ck_assert_int_eq(in_fork(privs_body), 0);
}
END_TEST

static void
exec_gain_body(void)
{
    void *p = mmap(
        NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    fresh();
    HOLD(mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0);
    HOLD(mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0);
    if (confine_no_exec_gain(&c) == 0)
        HOLD(mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0);
    else
        HOLD(!confine_has(&c, LAYER_NO_EXEC_GAIN));
}

START_TEST(exec_gain_is_refused_where_the_kernel_can)
{
    ck_assert_int_eq(in_fork(exec_gain_body), 0);
}
END_TEST

static void
death_body(void)
{
    int p[2];
    pid_t middle;
    char byte;

    HOLD(pipe(p) == 0);
    middle = fork();
    if (middle == 0) {
        if (fork() == 0) {
            fresh();
            (void)confine_death(&c);
            (void)!write(p[1], "r", 1);
            for (;;)
                (void)pause();
        }
        for (;;)
            (void)pause();
    }
    (void)close(p[1]);
    HOLD(read(p[0], &byte, 1) == 1);
    HOLD(kill(middle, SIGKILL) == 0);
    HOLD(waitpid(middle, NULL, 0) == middle);
    /* The pipe ends only when the grandchild is dead too. */
    (void)alarm(5);
    HOLD(read(p[0], &byte, 1) == 0);
}

START_TEST(death_of_the_parent_is_death)
{
    ck_assert_int_eq(in_fork(death_body), 0);
}
END_TEST

/* --- order --------------------------------------------------------------- */

static int walked;

static int
step_ok(struct confine *unused)
{
    (void)unused;
    walked++;
    return 0;
}

static int
step_bad(struct confine *unused)
{
    (void)unused;
    return -EIO;
}

START_TEST(walk_stops_at_the_first_step_that_must_hold)
{
    static const struct confine_step steps[] = {
        { "a", step_ok, false },
        { "b", step_bad, true },
        { "c", step_ok, false },
        { "d", step_bad, false },
        { "e", step_ok, false },
    };
    size_t failed = 99;

    walked = 0;
    ck_assert_int_eq(confine_walk(&c, steps, 5, &failed), -EIO);
    ck_assert_uint_eq(failed, 3);
    ck_assert_int_eq(walked, 2);
}
END_TEST

Suite *
suite_steps(void)
{
    Suite *s = suite_create("steps");
    TCase *t = tcase_create("steps");

    tcase_set_timeout(t, 20);
    tcase_add_test(t, identity_leaves_root_for_good);
    tcase_add_test(t, identity_refuses_to_stay_root);
    tcase_add_test(t, fds_closes_all_but_the_wake_pipe);
    tcase_add_test(t, rlimits_refuse_memory_above_the_limit);
    tcase_add_test(t, rlimits_refuse_a_second_process);
    tcase_add_test(t, rlimits_refuse_a_new_descriptor);
    tcase_add_test(t, rlimits_kill_a_write_to_a_file);
    tcase_add_test(t, rlimits_kill_a_loop);
    tcase_add_test(t, rlimits_cannot_be_raised_again);
    tcase_add_test(t, rlimits_are_all_there_and_exact);
    tcase_add_loop_test(
        t, rlimits_fail_when_one_of_them_cannot_be_set, 0, (int)BOX_LIMITS);
    tcase_add_test(t, keyring_leaves_the_keys_of_the_session_behind);
    tcase_add_test(t, namespaces_give_a_world_of_its_own);
    tcase_add_test(t, namespaces_leave_not_even_loopback);
    tcase_add_test(t, root_leaves_nothing_to_open);
    tcase_add_test(t, root_says_so_when_there_is_no_mount_namespace);
    tcase_add_test(t, capabilities_are_all_gone);
    tcase_add_test(t, landlock_refuses_every_file);
    tcase_add_test(t, landlock_refuses_a_signal_to_the_parent);
    tcase_add_test(t, files_step_fails_when_no_layer_holds);
    tcase_add_test(t, files_step_tries_and_does_not_trust);
    tcase_add_test(t, privs_are_switched_off);
    tcase_add_test(t, exec_gain_is_refused_where_the_kernel_can);
    tcase_add_test(t, death_of_the_parent_is_death);
    tcase_add_test(t, walk_stops_at_the_first_step_that_must_hold);
    suite_add_tcase(s, t);
    return s;
}
