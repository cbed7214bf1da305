/* check: what a machine may lack, and what is said about it */
#include "fcgi-app/ctl/check.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fcgi-app/ctl/ctl.h"
#include "sandbox/base/fdio.h"
#include "tests/support/fork.h"
#include "tests/support/temp.h"

Suite *suite_check(void);

/* --- a machine of our own ---------------------------------------------------
 */

static char root[TEMP_MAX];
static struct settings settings;
static struct check_host host;

static void
make_file(const char *path, const char *text)
{
    char whole[512];
    int fd;

    (void)snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL;
         at++) {
        *at = '\0';
        (void)mkdir(whole, 0755);
        *at = '/';
    }
    fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
    (void)close(fd);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

/* Everything is there, and nothing but what a case adds is in the way. */
static void
set_up(void)
{
    static char *const nothing[] = { NULL };
    static char problems[1024];

    log_open("test", LOG_ERROR + 1);
    temp_template(root);
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(
        settings_load(&settings, NULL, nothing, problems, sizeof(problems)), 0);
    host = (struct check_host){
        .root = root,
        .settings = &settings,
        .is_root = true,
        .facts = {
            .release = "6.18.0",
            .landlock_abi = 7,
            .files = { 65536, 65536 },
            .processes = { 65536, 65536 },
            .locked = { 65536, 65536 },
        },
    };
}

static void
tear_down(void)
{
    (void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct check_finding
look(const char *name)
{
    const struct check_row *row = check_find(name);
    struct check_finding f = { CHECK_OK, "" };

    ck_assert_msg(row != NULL, "no row %s", name);
    row->look(&host, row, &f);
    ck_assert_msg(f.text[0] != '\0', "%s says nothing", name);
    ck_assert_msg(f.level == CHECK_OK || row->remedy[0] != '\0',
        "%s has no remedy", name);
    return f;
}

static void
expect(const char *name, enum check_level level, const char *text)
{
    struct check_finding f = look(name);

    ck_assert_msg(f.level == level && strstr(f.text, text) != NULL,
        "%s: expected %s '%s', got %s '%s'", name, check_level_name(level),
        text, check_level_name(f.level), f.text);
}

/* --- the table --------------------------------------------------------------
 */

START_TEST(check_has_no_two_rows_of_one_name)
{
    for (size_t i = 0; i < check_row_count; i++)
        ck_assert_ptr_eq(check_find(check_rows[i].name), &check_rows[i]);
    ck_assert_ptr_null(check_find("nothing"));
}
END_TEST

/* --- files of the kernel ----------------------------------------------------
 */

#define SYS_KERNEL "/proc/sys/kernel/"
#define SWAPS "Filename\t\tType\tSize\n"
#define DPKG "/var/lib/dpkg/status"
#define INSTALLED "Status: install ok installed\nArchitecture: amd64\n"

static const struct {
    const char *name;
    const char *path;
    const char *text; /* NULL: the file is not there */
    enum check_level level;
    const char *found;
} file_cases[] = {
    { "io_uring", SYS_KERNEL "io_uring_disabled", "0\n", CHECK_WARN,
        "kernel.io_uring_disabled is 0" },
    { "io_uring", SYS_KERNEL "io_uring_disabled", "2\n", CHECK_OK, "is 2" },
    { "io_uring", NULL, NULL, CHECK_OK, "no such switch" },
    { "io_uring", SYS_KERNEL "io_uring_disabled", "two\n", CHECK_WARN,
        "cannot be read" },
    { "bpf", SYS_KERNEL "unprivileged_bpf_disabled", "0\n", CHECK_WARN,
        "is 0" },
    { "bpf", SYS_KERNEL "unprivileged_bpf_disabled", "1\n", CHECK_OK, "is 1" },
    { "perf", SYS_KERNEL "perf_event_paranoid", "-1\n", CHECK_WARN, "is -1" },
    { "perf", SYS_KERNEL "perf_event_paranoid", "3\n", CHECK_OK, "is 3" },
    { "aslr", SYS_KERNEL "randomize_va_space", "1\n", CHECK_WARN, "is 1" },
    { "aslr", SYS_KERNEL "randomize_va_space", "2\n", CHECK_OK, "is 2" },
    { "ptrace", SYS_KERNEL "yama/ptrace_scope", "1\n", CHECK_OK, "is 1" },
    { "ptrace", NULL, NULL, CHECK_OK, "no yama" },
    { "core_pattern", SYS_KERNEL "core_pattern", "|/usr/bin/apport %p\n",
        CHECK_WARN, "'|/usr/bin/apport %p' gets dumps" },
    { "core_pattern", SYS_KERNEL "core_pattern", "core\n", CHECK_OK, "'core'" },
    { "core_pattern", NULL, NULL, CHECK_WARN, "cannot be read" },
    { "swap", "/proc/swaps", SWAPS "/dev/sda2\tpartition\t1000\n", CHECK_WARN,
        "written to /dev/sda2" },
    { "swap", "/proc/swaps", SWAPS, CHECK_OK, "none" },
    { "swap", NULL, NULL, CHECK_OK, "none" },
    { "ksm", "/sys/kernel/mm/ksm/run", "1\n", CHECK_WARN, "merged" },
    { "ksm", "/sys/kernel/mm/ksm/run", "0\n", CHECK_OK, "not merged" },
    { "huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled",
        "[always] madvise never\n", CHECK_OK, "always" },
    { "huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled",
        "always [madvise] never\n", CHECK_OK, "only where asked for" },
    { "hidepid", "/proc/self/mounts",
        "x / ext4 rw 0 0\nproc /proc proc rw,hidepid=2 0 0\n", CHECK_OK,
        "only their own" },
    { "hidepid", "/proc/self/mounts", "proc /proc proc rw,hidepid=off 0 0\n",
        CHECK_OK, "each other's" },
    { "hidepid", "/proc/self/mounts", "proc /proc proc rw 0 0\n", CHECK_OK,
        "each other's" },
    { "cgroups", "/sys/fs/cgroup/cgroup.controllers", "cpu\n", CHECK_OK,
        "version 2" },
    { "cgroups", "/sys/fs/cgroup/unified/x", "", CHECK_OK, "hybrid" },
    { "cgroups", "/sys/fs/cgroup/memory/x", "", CHECK_OK, "version 1" },
    { "cgroups", NULL, NULL, CHECK_OK, "none; none is needed" },
    { "descriptors", "/proc/sys/fs/file-nr", "1000\t0\t1500\n", CHECK_WARN,
        "1000 of 1500" },
    { "descriptors", "/proc/sys/fs/file-nr", "1000\t0\t99999\n", CHECK_OK,
        "1000 of 99999" },
    { "descriptors", "/proc/sys/fs/file-nr", "what\n", CHECK_WARN,
        "cannot be read" },
    { "memory", "/proc/meminfo",
        "MemTotal: 9999999 kB\nMemAvailable: 102400 kB\n", CHECK_FAIL,
        "100 MiB are free; one program may need 238" },
    { "memory", "/proc/meminfo", "MemAvailable: 409600 kB\n", CHECK_WARN,
        "400 MiB are free; all programs at once may need 432" },
    { "memory", "/proc/meminfo", "MemAvailable: 9999999 kB\n", CHECK_OK,
        "9765 MiB" },
    { "memory", "/proc/meminfo", "MemTotal: 9999999 kB\n", CHECK_WARN,
        "cannot be read" },
    { "memory", NULL, NULL, CHECK_WARN, "cannot be read" },
    { "libfcgi", DPKG, "Package: libfcgi0ldbl\n" INSTALLED "Version: 2.4.2-2\n",
        CHECK_WARN, "libfcgi0ldbl 2.4.2-2 has CVE-2025-23016" },
    { "libfcgi", DPKG,
        "Package: libfcgi0ldbl\n" INSTALLED "Version: 2.4.2-2+deb12u1\n",
        CHECK_OK, "2.4.2-2+deb12u1" },
    { "libfcgi", DPKG,
        "Package: libfcgi0t64\n" INSTALLED "Version: 2.4.5-0.1\n", CHECK_OK,
        "libfcgi0t64 2.4.5-0.1" },
    { "libfcgi", DPKG,
        "Package: libfcgi0ldbl\nStatus: deinstall ok config-files\n"
        "Version: 9\n\nPackage: other\n" INSTALLED "Version: 9\n",
        CHECK_WARN, "not installed by dpkg" },
    { "libfcgi", NULL, NULL, CHECK_OK, "no record of dpkg" },
    { "packages", DPKG,
        "Package: libseccomp2\n" INSTALLED "Version: 2.5.4-1\n\n"
        "Package: nginx-light\n" INSTALLED "Version: 1.22.1-9\n",
        CHECK_OK,
        "nginx-light 1.22.1-9, libpython3.11 not installed, libseccomp2 "
        "2.5.4-1" },
    { "packages", NULL, NULL, CHECK_OK, "no record of dpkg" },
};
#define FILE_CASES (int)(sizeof(file_cases) / sizeof(file_cases[0]))

START_TEST(check_reads_what_the_kernel_and_dpkg_record)
{
    if (file_cases[_i].path != NULL)
        make_file(file_cases[_i].path, file_cases[_i].text);
    expect(file_cases[_i].name, file_cases[_i].level, file_cases[_i].found);
}
END_TEST

START_TEST(check_compares_versions_as_dpkg_does)
{
    /* Each one is older than the next. */
    static const char *const versions[] = { "1.0~rc1-1", "1.0-1", "1.0-1+b1",
        "1.0-2", "1.0-10", "1.0a-1", "1.0.1-1", "1.9-1", "1.10-1", "2.4.2-2",
        "2.4.2-2+deb12u1", "2.4.2-2.1", "2.4.5-0.1", "1:0.1" };
    size_t count = sizeof(versions) / sizeof(versions[0]);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            int order = check_version_compare(versions[i], versions[k]);

            ck_assert_msg((order < 0) == (i < k) && (order > 0) == (i > k),
                "%s and %s: %d", versions[i], versions[k], order);
        }
    ck_assert_int_eq(check_version_compare("1.0", "1.0-0"), 0);
}
END_TEST

/* --- what the kernel was asked ----------------------------------------------
 */

START_TEST(check_judges_the_kernel_by_its_version)
{
    static const struct {
        const char *release;
        enum check_level level;
    } cases[] = { { "4.19.0-27-amd64", CHECK_FAIL }, { "5.9.16", CHECK_FAIL },
        { "5.10.0", CHECK_WARN }, { "6.0.1", CHECK_WARN },
        { "6.1.0-38-amd64", CHECK_OK }, { "7.0", CHECK_OK },
        { "strange", CHECK_WARN } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(host.facts.release, sizeof(host.facts.release), "%s",
            cases[i].release);
        expect("kernel", cases[i].level, cases[i].release);
    }
}
END_TEST

START_TEST(check_fails_when_no_layer_keeps_files_away)
{
    expect("landlock", CHECK_OK, "ABI 7: files, network, signals");
    host.facts.landlock_abi = 2;
    expect("landlock", CHECK_OK, "ABI 2: files; other layers");
    expect("user_namespaces", CHECK_OK, "can be made");
    host.facts.landlock_abi = -ENOSYS;
    expect("landlock", CHECK_WARN, "ENOSYS: the empty root alone");
    host.facts.user_ns = -EPERM;
    expect("landlock", CHECK_FAIL, "no layer keeps files away");
    expect("user_namespaces", CHECK_FAIL, "EPERM");
    host.facts.landlock_abi = 2;
    expect("user_namespaces", CHECK_WARN, "EPERM");
}
END_TEST

START_TEST(check_names_who_forbids_user_namespaces)
{
    host.facts.user_ns = -EPERM;
    expect("user_namespaces", CHECK_WARN, "a container's filter");
    make_file(SYS_KERNEL "apparmor_restrict_unprivileged_userns", "1\n");
    expect("user_namespaces", CHECK_WARN,
        "kernel.apparmor_restrict_unprivileged_userns is 1");
    make_file(SYS_KERNEL "unprivileged_userns_clone", "0\n");
    expect(
        "user_namespaces", CHECK_WARN, "kernel.unprivileged_userns_clone is 0");
    make_file("/proc/sys/user/max_user_namespaces", "0\n");
    expect("user_namespaces", CHECK_WARN, "user.max_user_namespaces is 0");
    make_file("/proc/sys/user/max_user_namespaces", "1000\n");
    make_file(SYS_KERNEL "unprivileged_userns_clone", "1\n");
    make_file(SYS_KERNEL "apparmor_restrict_unprivileged_userns", "0\n");
    expect("user_namespaces", CHECK_WARN, "a container's filter");
}
END_TEST

START_TEST(check_knows_which_calls_boxes_are_made_of)
{
    expect("seccomp", CHECK_OK, "kill");
    expect("refused_calls", CHECK_OK, "asked");
    expect("pidfd", CHECK_OK, "held");
    expect("clone3", CHECK_OK, "pid namespace");
    expect("no_exec_gain", CHECK_OK, "never becomes code");
    host.facts.seccomp = host.facts.notify = host.facts.pidfd =
        host.facts.clone3 = -ENOSYS;
    host.facts.no_exec_gain = -EINVAL;
    expect("seccomp", CHECK_FAIL, "ENOSYS");
    expect("refused_calls", CHECK_WARN, "not named");
    expect("pidfd", CHECK_FAIL, "cannot watch a box");
    expect("clone3", CHECK_WARN, "no pid namespace");
    expect("no_exec_gain", CHECK_OK, "not in this kernel");
}
END_TEST

START_TEST(check_compares_limits_with_the_settings)
{
    settings.concurrent = 10;
    settings.queued = 82;
    settings.parked = 5;
    host.facts.files.rlim_max = 364;
    expect("files", CHECK_OK, "364 descriptors may be needed, 364 are");
    host.facts.files.rlim_max = 363;
    expect("files", CHECK_WARN, "364 descriptors may be needed, 363 are");
    host.facts.files.rlim_max = RLIM_INFINITY;
    expect("files", CHECK_OK, "no limit");
    host.facts.processes.rlim_max = 26;
    expect("processes", CHECK_OK, "26 processes may be needed, 26 are");
    host.is_root = false; /* the threads of the app are the same user's */
    expect("processes", CHECK_WARN, "126 processes may be needed, 26 are");
    expect("locked_memory", CHECK_OK, "64 KiB; nothing is locked");
    host.facts.locked.rlim_max = RLIM_INFINITY;
    expect("locked_memory", CHECK_OK, "no limit");
}
END_TEST

/* --- the kernel that is asked -----------------------------------------------
 */

/* This machine has all of it: the tests of the confinement need it, too. */
START_TEST(check_finds_on_this_machine_what_boxes_use)
{
    struct check_facts facts;

    check_ask(&facts, &settings);
    ck_assert_int_gt(facts.landlock_abi, 0);
    ck_assert_int_eq(facts.user_ns, 0);
    ck_assert_int_eq(facts.seccomp, 0);
    ck_assert_int_eq(facts.notify, 0);
    ck_assert_int_eq(facts.pidfd, 0);
    ck_assert_int_eq(facts.clone3, 0);
    ck_assert_uint_gt(facts.files.rlim_max, 0);
    ck_assert_uint_gt(facts.processes.rlim_max, 0);
    ck_assert_str_ne(facts.release, "");
}
END_TEST

static void
ask_without_body(void)
{
    static const int calls[] = { SYS_landlock_create_ruleset, SYS_unshare,
        SYS_pidfd_open, SYS_clone3, SYS_prctl, SYS_seccomp };
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
    struct check_facts facts;

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        HOLD(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), calls[i], 0) == 0);
    HOLD(seccomp_load(ctx) == 0);
    check_ask(&facts, &settings);
    HOLD(facts.landlock_abi == -ENOSYS);
    HOLD(facts.user_ns == -ENOSYS);
    HOLD(facts.seccomp == -ENOSYS && facts.notify == -ENOSYS);
    HOLD(facts.pidfd == -ENOSYS);
    HOLD(facts.clone3 == -ENOSYS);
    HOLD(facts.no_exec_gain == -ENOSYS);
}

START_TEST(check_notices_calls_that_a_container_takes_away)
{
    ck_assert_int_eq(in_fork(ask_without_body), 0);
}
END_TEST

/* --- what belongs to the service --------------------------------------------
 */

START_TEST(check_wants_a_socket_directory_that_strangers_cannot_write_to)
{
    char directory[256];

    (void)snprintf(directory, sizeof(directory), "%s/run", root);
    (void)snprintf(settings.socket_path, sizeof(settings.socket_path),
        "%s/app.sock", directory);
    expect("socket_directory", CHECK_WARN, "is not there (ENOENT)");
    make_file("/run", "");
    expect("socket_directory", CHECK_FAIL, "is no directory");
    ck_assert_int_eq(unlink(directory), 0);
    ck_assert_int_eq(mkdir(directory, 0755), 0);
    expect("socket_directory", CHECK_OK, directory);
    ck_assert_int_eq(chmod(directory, 0777), 0);
    expect("socket_directory", CHECK_FAIL, "everybody may write");
    ck_assert_int_eq(chmod(directory, 01777), 0);
    expect("socket_directory", CHECK_OK, directory);
}
END_TEST

static void
socket_directory_body(void)
{
    struct check_finding f = { CHECK_OK, "" };
    const struct check_row *row = check_find("socket_directory");

    (void)snprintf(
        settings.socket_path, sizeof(settings.socket_path), "/proc/app.sock");
    fork_leave_root();
    row->look(&host, row, &f);
    HOLD(f.level == CHECK_FAIL);
    HOLD(strstr(f.text, "cannot be written to") != NULL);
}

START_TEST(check_fails_when_the_socket_cannot_be_made)
{
    ck_assert_int_eq(in_fork(socket_directory_body), 0);
}
END_TEST

START_TEST(check_wants_an_audit_directory_that_the_app_can_write_to)
{
    expect("audit_directory", CHECK_OK, "audit lines go to stderr");
    settings.audit_log[0] = '\0';
    expect("audit_directory", CHECK_OK, "nobody");
    (void)snprintf(settings.audit_log, sizeof(settings.audit_log),
        "%s/log/audit.log", root);
    ck_assert_int_eq(chmod(root, 0755), 0);
    expect("audit_directory", CHECK_WARN, "the app cannot write");
    settings.audit_on_error = AUDIT_REFUSE;
    expect("audit_directory", CHECK_FAIL, "ENOENT");
    (void)snprintf(settings.audit_log, sizeof(settings.audit_log), "/x.log");
    if (fork_is_root()) /* else '/' may be anybody's */
        expect("audit_directory", CHECK_FAIL, "EACCES");
    (void)snprintf(
        settings.audit_log, sizeof(settings.audit_log), "/tmp/x.log");
    expect("audit_directory", CHECK_OK, "/tmp");
}
END_TEST

/* Good until 2040-01-01, of version 3; until 2060-01-01, of version 1. */
/* clang-format off */
static const char until_2040[] =
    "a comment before it\n"
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBQTCB56ADAgECAgEBMAoGCCqGSM49BAMCMBMxETAPBgNVBAMMCGdsb3ZlYm94\n"
    "MB4XDTI2MDEwMTAwMDAwMFoXDTQwMDEwMTAwMDAwMFowEzERMA8GA1UEAwwIZ2xv\n"
    "dmVib3gwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARzphn9+3ufk7RLQH2/llD3\n"
    "MIAad5ppXqf9CQhuuKOzgGPvI4Dtu2lw6/0/XS5Xzy4juCfUTb/9VucX6rm5h3Jo\n"
    "oywwKjAJBgNVHRMEAjAAMB0GA1UdDgQWBBSKiHSLLQckqRbHtKu9XkjWkIu04TAK\n"
    "BggqhkjOPQQDAgNJADBGAiEAp1h0ew1UiBzOCTivkY9JGsl125N0gUPyO/3t35SA\n"
    "iFUCIQCx/p/hEDiXWEgOpxBFQlZgnecEL9BCW66FYWhnacT2Qg==\n"
    "-----END CERTIFICATE-----\n";
static const char until_2060[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBEDCBtgIBATAKBggqhkjOPQQDAjATMREwDwYDVQQDDAhnbG92ZWJveDAgFw0y\n"
    "NjAxMDEwMDAwMDBaGA8yMDYwMDEwMTAwMDAwMFowEzERMA8GA1UEAwwIZ2xvdmVi\n"
    "b3gwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARzphn9+3ufk7RLQH2/llD3MIAa\n"
    "d5ppXqf9CQhuuKOzgGPvI4Dtu2lw6/0/XS5Xzy4juCfUTb/9VucX6rm5h3JoMAoG\n"
    "CCqGSM49BAMCA0kAMEYCIQCfGU1kM11CmWvMOpT7DaWFWz2HqR9itChJL+KOlo33\n"
    "iAIhAKdj+Izb+18Cgld1LyXea4jiauHMuEG02tJ7FRfJa3qC\n"
    "-----END CERTIFICATE-----\n";
/* clang-format on */
#define YEAR_2040 2208988800
#define YEAR_2060 2840140800
#define DAY (24 * 3600)

START_TEST(check_says_how_long_the_certificate_is_good)
{
    expect("certificate", CHECK_OK, "no TLS");
    (void)snprintf(settings.tls_certificate, sizeof(settings.tls_certificate),
        "%s/cert.pem", root);
    (void)snprintf(
        settings.tls_key, sizeof(settings.tls_key), "%s/key.pem", root);
    expect("certificate", CHECK_FAIL, "holds no certificate (ENOENT)");
    make_file("/cert.pem", until_2040);
    expect("certificate", CHECK_FAIL, "the key");
    make_file("/key.pem", "");
    expect("certificate", CHECK_FAIL, "everybody may read the key");
    ck_assert_int_eq(chmod(settings.tls_key, 0600), 0);
    host.now = YEAR_2040 - 15 * DAY;
    expect("certificate", CHECK_OK, "good until 2040-01-01T00:00:00Z");
    host.now = YEAR_2040 - 3 * DAY;
    expect("certificate", CHECK_WARN, "2040-01-01T00:00:00Z, in 3 days");
    host.now = YEAR_2040;
    expect("certificate", CHECK_WARN, "ended 2040-01-01T00:00:00Z");
    make_file("/cert.pem", until_2060);
    expect("certificate", CHECK_OK, "good until 2060-01-01T00:00:00Z");
    host.now = YEAR_2060;
    expect("certificate", CHECK_WARN, "ended 2060-01-01T00:00:00Z");
}
END_TEST

/* Whatever is in the file, there is an answer. */
START_TEST(check_reads_no_certificate_beyond_its_end)
{
    char cut[sizeof(until_2040)];

    (void)snprintf(settings.tls_certificate, sizeof(settings.tls_certificate),
        "%s/cert.pem", root);
    (void)snprintf(
        settings.tls_key, sizeof(settings.tls_key), "%s/key.pem", root);
    make_file("/key.pem", "");
    ck_assert_int_eq(chmod(settings.tls_key, 0600), 0);
    make_file("/cert.pem", "-----BEGIN CERTIFICATE-----\nMIL/\n-----END");
    expect("certificate", CHECK_FAIL, "holds no certificate (EINVAL)");
    make_file("/cert.pem", "-----BEGIN PRIVATE KEY-----\n");
    expect("certificate", CHECK_FAIL, "holds no certificate (EINVAL)");
    for (size_t len = 0; len + 60 < sizeof(cut); len += 7) {
        memcpy(cut, until_2040, len);
        cut[len] = '\0';
        make_file("/cert.pem", cut);
        expect("certificate", CHECK_FAIL, "holds no certificate");
    }
}
END_TEST

START_TEST(check_wants_a_program_that_boxes_may_run)
{
    (void)snprintf(settings.sandbox_program, sizeof(settings.sandbox_program),
        "%s/glovebox-sandbox", root);
    ck_assert_int_eq(chmod(root, 0755), 0);
    expect("program", CHECK_FAIL, "ENOENT");
    make_file("/glovebox-sandbox", "");
    expect("program", CHECK_FAIL, "EACCES");
    ck_assert_int_eq(chmod(settings.sandbox_program, 0755), 0);
    expect("program", CHECK_OK, settings.sandbox_program);
}
END_TEST

/* That a box does come up, tests/flow/test_operations.py shows. */
START_TEST(check_says_that_no_box_came_up)
{
    (void)snprintf(settings.sandbox_program, sizeof(settings.sandbox_program),
        "/bin/false");
    expect("trial", CHECK_FAIL, "the sandbox does not start");
}
END_TEST

/* --- the verb ---------------------------------------------------------------
 */

static int
run_verb(const char *option)
{
    char verb[] = "check", *text = strdup(option);
    char *argv[] = { verb, text, NULL };
    int out = open("/dev/null", O_WRONLY), status;

    ck_assert_ptr_nonnull(text);
    ck_assert_int_ge(dup2(out, STDOUT_FILENO), 0);
    ck_assert_int_ge(dup2(out, STDERR_FILENO), 0);
    optind = 1;
    status = ctl_check(2, argv);
    free(text);
    (void)close(out);
    return status;
}

static void
verb_body(void)
{
    HOLD(setenv("MAX_MEMORY_MB", "16", 1) == 0);
    HOLD(setenv("SANDBOX_PROGRAM", "/bin/true", 1) == 0);
    HOLD(run_verb("--no-trial") == CTL_OK);
    HOLD(setenv("SANDBOX_PROGRAM", "/nonexistent", 1) == 0);
    HOLD(run_verb("--no-trial") == CTL_FAILED);
    HOLD(run_verb("--what") == CTL_NOT_DONE);
    HOLD(run_verb("what") == CTL_NOT_DONE);
    HOLD(setenv("MAX_MEMORY_MB", "1", 1) == 0);
    HOLD(run_verb("--json") == CTL_NOT_DONE);
}

START_TEST(check_ends_with_the_worst_that_was_found)
{
    ck_assert_int_eq(in_fork(verb_body), 0);
}
END_TEST

Suite *
suite_check(void)
{
    Suite *s = suite_create("check");
    TCase *t = tcase_create("check");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, check_has_no_two_rows_of_one_name);
    tcase_add_loop_test(
        t, check_reads_what_the_kernel_and_dpkg_record, 0, FILE_CASES);
    tcase_add_test(t, check_compares_versions_as_dpkg_does);
    tcase_add_test(t, check_judges_the_kernel_by_its_version);
    tcase_add_test(t, check_fails_when_no_layer_keeps_files_away);
    tcase_add_test(t, check_names_who_forbids_user_namespaces);
    tcase_add_test(t, check_knows_which_calls_boxes_are_made_of);
    tcase_add_test(t, check_compares_limits_with_the_settings);
    tcase_add_test(t, check_finds_on_this_machine_what_boxes_use);
    tcase_add_test(t, check_notices_calls_that_a_container_takes_away);
    tcase_add_test(
        t, check_wants_a_socket_directory_that_strangers_cannot_write_to);
    tcase_add_test(t, check_fails_when_the_socket_cannot_be_made);
    tcase_add_test(t, check_wants_an_audit_directory_that_the_app_can_write_to);
    tcase_add_test(t, check_says_how_long_the_certificate_is_good);
    tcase_add_test(t, check_reads_no_certificate_beyond_its_end);
    tcase_add_test(t, check_wants_a_program_that_boxes_may_run);
    tcase_add_test(t, check_says_that_no_box_came_up);
    tcase_add_test(t, check_ends_with_the_worst_that_was_found);
    suite_add_tcase(s, t);
    return s;
}
