/*
 * gloveboxctl check - is this machine fit for the service
 *
 * First the table, then what the verb does with it.
 */
#include "fcgi-app/ctl/check.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fcgi-app/ctl/ctl.h"
#include "fcgi-app/json/writer.h"
#include "sandbox/base/cleanup.h"

#define CHECK_MAX_REPORT 65536

/* From the ground up: the kernel, the machine, the packages, the service. */
const struct check_row check_rows[] = {
    { "kernel", check_kernel, "boot Linux 6.1 or newer (5.10 at least)" },
    { "landlock", check_landlock,
        "boot a kernel with CONFIG_SECURITY_LANDLOCK and landlock in lsm=" },
    { "user_namespaces", check_user_namespaces,
        "allow them; docs/OPERATIONS.md has each switch" },
    { "seccomp", check_seccomp, "boot a kernel with CONFIG_SECCOMP_FILTER" },
    { "refused_calls", check_refused_calls,
        "boot Linux 5.5 or newer; in a container, allow seccomp()" },
    { "pidfd", check_pidfd,
        "boot Linux 5.10 or newer; in a container, allow pidfd_open()" },
    { "clone3", check_clone3,
        "in a container, let the runtime's filter allow clone3()" },
    { "no_exec_gain", check_no_exec_gain, "" },
    { "cgroups", check_cgroups, "" },
    { "io_uring", check_switch,
        "sysctl kernel.io_uring_disabled=2, if nothing else here needs it" },
    { "bpf", check_switch, "sysctl kernel.unprivileged_bpf_disabled=2" },
    { "perf", check_switch, "sysctl kernel.perf_event_paranoid=2 or more" },
    { "aslr", check_switch, "sysctl kernel.randomize_va_space=2" },
    { "ptrace", check_ptrace, "" },
    { "core_pattern", check_core_pattern,
        "sysctl kernel.core_pattern=core, or keep the handler's dumps secret" },
    { "swap", check_swap,
        "swapoff -a, or encrypt it, or MemorySwapMax=0 in the unit" },
    { "ksm", check_ksm, "echo 2 >/sys/kernel/mm/ksm/run" },
    { "huge_pages", check_huge_pages, "" },
    { "hidepid", check_hidepid, "" },
    { "libfcgi", check_libfcgi, "apt-get install --only-upgrade libfcgi0ldbl" },
    { "packages", check_packages, "" },
    { "files", check_files,
        "raise LimitNOFILE= or ulimit -n, or lower MAX_QUEUED_EXECUTIONS" },
    { "processes", check_processes,
        "raise LimitNPROC= or ulimit -u, or lower PARKED_BOXES" },
    { "locked_memory", check_locked, "" },
    { "descriptors", check_descriptors, "raise sysctl fs.file-max" },
    { "memory", check_memory,
        "lower MAX_CONCURRENT_EXECUTIONS or MAX_MEMORY_MB, or add memory" },
    { "socket_directory", check_socket_directory,
        "make it (the unit does when it starts) for the service alone: 0755" },
    { "audit_directory", check_audit_directory,
        "make it, owned by APP_USER: install -d -o glovebox -m 750" },
    { "certificate", check_certificate,
        "put a new one there (0640 for the key) and reload nginx" },
    { "program", check_program,
        "install glovebox-sandbox where everybody may run it, or set "
        "SANDBOX_PROGRAM" },
    { "trial", check_trial,
        "see above; then docs/RUNBOOK.md, 'The sandbox will not start'" },
};
const size_t check_row_count = sizeof(check_rows) / sizeof(check_rows[0]);

const struct check_row *
check_find(const char *name)
{
    for (size_t i = 0; i < check_row_count; i++)
        if (strcmp(check_rows[i].name, name) == 0)
            return &check_rows[i];
    return NULL;
}

const char *
check_level_name(enum check_level level)
{
    static const char *const names[] = {
        [CHECK_OK] = "ok",
        [CHECK_WARN] = "warn",
        [CHECK_FAIL] = "fail",
    };

    return names[level];
}

/* --- for those who judge ----------------------------------------------------
 */

void
check_say(struct check_finding *f, enum check_level level, const char *fmt, ...)
{
    va_list ap;

    f->level = level;
    va_start(ap, fmt);
    (void)vsnprintf(f->text, sizeof(f->text), fmt, ap);
    va_end(ap);
}

int
check_read(
    const struct check_host *host, const char *path, char *text, size_t size)
{
    char whole[4096];
    AUTO_FD fd = -1;
    ssize_t n;

    (void)snprintf(whole, sizeof(whole), "%s%s", host->root, path);
    fd = open(whole, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    n = read(fd, text, size - 1);
    if (n < 0)
        return -errno;
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    return 0;
}

int
check_read_number(
    const struct check_host *host, const char *path, int64_t *ret_value)
{
    char text[64], *end;
    long long value;
    int r = check_read(host, path, text, sizeof(text));

    if (r < 0)
        return r;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0')
        return -EINVAL;
    *ret_value = value;
    return 0;
}

/* --- the verb ---------------------------------------------------------------
 */

struct check_options {
    const char *config_file;
    bool is_json;
    bool has_trial;
};

static int
check_parse(int argc, char **argv, struct check_options *o)
{
    static const struct option known[] = {
        { "config", required_argument, NULL, 'c' },
        { "json", no_argument, NULL, 'j' },
        { "no-trial", no_argument, NULL, 'n' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == '?')
            return CTL_NOT_DONE;
        if (c == 'c')
            o->config_file = optarg;
        if (c == 'j')
            o->is_json = true;
        if (c == 'n')
            o->has_trial = false;
    }
    if (optind == argc)
        return CTL_OK;
    (void)fprintf(
        stderr, "gloveboxctl check: not expected: %s\n", argv[optind]);
    return CTL_NOT_DONE;
}

static void
check_put_line(
    struct buf *b, const struct check_row *row, const struct check_finding *f)
{
    buf_addf(
        b, "%-4s  %-16s  %s", check_level_name(f->level), row->name, f->text);
    if (f->level != CHECK_OK)
        buf_addf(b, " - %s", row->remedy);
    buf_addc(b, '\n');
}

static void
check_put_object(struct json_writer *json, const struct check_row *row,
    const struct check_finding *f)
{
    json_begin_object(json);
    json_put_key(json, "level");
    json_put_string(json, check_level_name(f->level));
    json_put_key(json, "name");
    json_put_string(json, row->name);
    json_put_key(json, "found");
    json_put_string(json, f->text);
    json_put_key(json, "remedy");
    json_put_string_or_null(json, f->level != CHECK_OK ? row->remedy : NULL);
    json_end_object(json);
}

/* Walk the table; returns the worst that was found. */
static enum check_level
check_walk(const struct check_host *host, const struct check_options *o,
    struct buf *report)
{
    enum check_level worst = CHECK_OK;
    struct json_writer json;

    json_writer_init(&json, report);
    if (o->is_json)
        json_begin_array(&json);
    for (size_t i = 0; i < check_row_count; i++) {
        struct check_finding f = { CHECK_OK, "" };
        const struct check_row *row = &check_rows[i];

        if (row->look == check_trial && !o->has_trial)
            continue;
        row->look(host, row, &f);
        if (f.level > worst)
            worst = f.level;
        if (o->is_json)
            check_put_object(&json, row, &f);
        else
            check_put_line(report, row, &f);
    }
    if (o->is_json) {
        json_end_array(&json);
        buf_addc(report, '\n');
    }
    return worst;
}

int
ctl_check(int argc, char **argv)
{
    static char problems[8192];
    struct check_options o = { .has_trial = true };
    struct check_host host = { .root = "", .is_root = geteuid() == 0 };
    enum check_level worst;
    struct settings settings;
    struct buf report;
    int status = check_parse(argc, argv, &o);

    if (status != CTL_OK)
        return status;
    if (settings_load(&settings, o.config_file, environ, problems,
            sizeof(problems)) != 0) {
        (void)fprintf(stderr, "gloveboxctl check: settings: %s\n", problems);
        return CTL_NOT_DONE;
    }
    settings_forget_secrets(&settings);
    host.settings = &settings;
    host.now = time(NULL);
    check_ask(&host.facts, &settings);
    buf_init(&report, CHECK_MAX_REPORT);
    worst = check_walk(&host, &o, &report);
    if (!buf_ok(&report) ||
        fwrite(report.data, 1, report.len, stdout) != report.len)
        status = CTL_NOT_DONE;
    else if (worst == CHECK_FAIL)
        status = CTL_FAILED;
    buf_done(&report);
    return status;
}
