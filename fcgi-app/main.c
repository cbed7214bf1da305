/*
 * main - start-up of the app, in order
 *
 *   settings and tokens   all that is wrong is said at once, then exit
 *   signals blocked       before the first thread and the first fork
 *   listening socket      while the rights are there to give it its group
 *   spawner               keeps the rights that wardens need
 *   drop                  to APP_USER, and see that there is no way back
 *   audit log             as the user that will open it again; the journal
 *                         before the drop
 *   warden link, runs, canary, threads
 *
 * Then this thread waits for signals:
 *   SIGHUP            read settings and tokens again
 *   SIGUSR1           open the audit log again
 *   SIGTERM, SIGINT   take no new work, let the work under way finish, exit 0;
 *                     a second one ends the process at once
 */
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/canary.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/runs.h"
#include "fcgi-app/serve.h"
#include "fcgi-app/service.h"
#include "fcgi-app/spawner.h"
#include "fcgi-app/warden_link.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"

/* Over the runs and waiters: for what needs no place, and refusals. */
#define MAIN_SPARE_THREADS 8
#define MAIN_MAX_PROBLEMS 8192
/* How long templates may take to load, on a slow disk. */
#define MAIN_SANDBOX_MS 30000
#define MAIN_LOOK_MS 100

struct options {
    const char *config_file; /* NULL: none */
    bool is_check;
};

static const char usage[] =
    "usage: glovebox [--config FILE] [--check]\n"
    "  --config FILE  read settings from FILE; the environment wins over it\n"
    "  --check        read and check the settings, then exit\n"
    "  --version      print the version, then exit\n";

/* Returns false when the program has nothing more to do; *ret_status. */
static bool
main_options(int argc, char **argv, struct options *o, int *ret_status)
{
    static const struct option known[] = {
        { "config", required_argument, NULL, 'c' },
        { "check", no_argument, NULL, 'k' },
        { "version", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == 'c')
            o->config_file = optarg;
        else if (c == 'k')
            o->is_check = true;
        else {
            (void)fputs(c == 'v' ? "glovebox " GLOVEBOX_VERSION "\n" : usage,
                c == '?' ? stderr : stdout);
            *ret_status = c == '?' ? 2 : 0;
            return false;
        }
    }
    if (optind < argc) {
        (void)fputs(usage, stderr);
        *ret_status = 2;
        return false;
    }
    return true;
}

static void
main_signal_set(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGHUP);
    (void)sigaddset(set, SIGUSR1);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
}

static void
main_block_signals(void)
{
    sigset_t set;

    main_signal_set(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Each run needs a connection, a lane and, in the queue, an eventfd. */
static void
main_raise_fd_limit(unsigned threads)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 64 + 3 * (rlim_t)threads)
        log_warn("few descriptors limit=%llu threads=%u",
            (unsigned long long)limit.rlim_cur, threads);
}

/* From root to APP_USER.  Not being root, there is nothing to drop. */
static int
main_drop(const struct settings *s)
{
    if (geteuid() != 0)
        return 0;
    if (s->app_uid == 0 || s->app_gid == 0)
        return -EPERM;
    if (setgroups(0, NULL) != 0 ||
        setresgid(s->app_gid, s->app_gid, s->app_gid) != 0 ||
        setresuid(s->app_uid, s->app_uid, s->app_uid) != 0)
        return -errno;
    if (setresuid(0, 0, 0) == 0 || setresgid(0, 0, 0) == 0 ||
        getuid() != s->app_uid || geteuid() != s->app_uid ||
        getgid() != s->app_gid || getegid() != s->app_gid)
        return -EPERM; /* it did not hold */
    return 0;
}

/* What the app never needs again, whoever it is. */
static int
main_harden(void)
{
    struct rlimit none = { 0, 0 };

    (void)umask(0077);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        setrlimit(RLIMIT_CORE, &none) != 0)
        return -errno;
    return 0;
}

static int
main_fail(const char *what, int error)
{
    log_error("cannot start: %s error=%s", what,
        error != 0 ? strerrorname_np(-error) : "ENOMEM");
    return 1;
}

static void
main_reload(struct service *s, const char *config_file)
{
    static char problems[MAIN_MAX_PROBLEMS], kept[MAIN_MAX_PROBLEMS];
    struct config *fresh =
        config_load(config_file, environ, problems, sizeof(problems));

    kept[0] = '\0';
    if (fresh == NULL) {
        metrics_count(METRICS_RELOADS_FAILED);
        log_error("reload refused, nothing changed: %s", problems);
        return;
    }
    log_set_level((enum log_level)fresh->settings.log_level);
    audit_set_policy(fresh->settings.audit_on_error);
    if (service_reload(s, fresh, kept, sizeof(kept)) != 0) {
        metrics_count(METRICS_RELOADS_FAILED);
        log_error("reload failed, nothing changed: out of memory");
        return;
    }
    metrics_count(METRICS_RELOADS);
    log_info("reloaded");
    if (kept[0] != '\0')
        log_warn("changed but needs a restart: %s", kept);
}

/* Kept in another stream than the trail, it shows whether the trail was cut. */
static void
main_log_audit_head(const char *when)
{
    char hex[SHA256_HEX];
    unsigned long long seq = audit_head(hex);

    if (seq > 0)
        log_info("audit trail %s seq=%llu head=%s", when, seq, hex);
}

static void
main_reopen_audit(void)
{
    int error;

    main_log_audit_head("to be reopened");
    error = audit_reopen();
    if (error != 0)
        log_error(
            "audit log not opened again error=%s", strerrorname_np(-error));
}

/* Until somebody wants the service to end. */
static void
main_wait(struct service *s, const char *config_file)
{
    sigset_t set;
    int signo;

    main_signal_set(&set);
    for (;;) {
        if (sigwait(&set, &signo) != 0)
            continue;
        if (signo == SIGTERM || signo == SIGINT)
            return;
        if (signo == SIGHUP)
            main_reload(s, config_file);
        if (signo == SIGUSR1)
            main_reopen_audit();
    }
}

/* A second signal ends the process: nobody should need SIGKILL. */
static void
main_let_signals_through(void)
{
    sigset_t set;

    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Somebody wants it to end before it has begun. */
static bool
main_is_told_to_stop(void)
{
    sigset_t set;

    return sigpending(&set) == 0 &&
           (sigismember(&set, SIGTERM) == 1 || sigismember(&set, SIGINT) == 1);
}

/*
 * A sandbox that cannot be had now is a fault of this machine or of the
 * settings: better no service than one that refuses everything.
 */
static int
main_await_sandbox(struct warden_link *link)
{
    struct status status;
    unsigned waited_ms = 0;

    while (!warden_link_await(link, MAIN_LOOK_MS, &status)) {
        waited_ms += MAIN_LOOK_MS;
        if (main_is_told_to_stop())
            return -1;
        if (!warden_link_is_hopeless(link) && waited_ms < MAIN_SANDBOX_MS)
            continue;
        log_error("cannot start: the sandbox program does not start; "
                  "see SANDBOX_PROGRAM");
        return -1;
    }
    if (status.is_ready)
        return 0;
    log_error("cannot start: %s", status.problem);
    return -1;
}

static int
main_serve(
    struct service *s, int listen_fd, int spawner_fd, const char *config_file)
{
    const struct settings *settings = &s->config->settings;
    unsigned threads =
        settings->concurrent + settings->queued + MAIN_SPARE_THREADS;
    struct serve *serve;
    struct setup setup;

    main_raise_fd_limit(threads);
    settings_to_setup(settings, &setup);
    s->link = warden_link_new(spawner_fd, &setup);
    if (s->link == NULL)
        return main_fail("sandbox link", 0);
    if (main_await_sandbox(s->link) < 0)
        return 1;
    if ((s->runs = runs_new(settings, s->link)) == NULL ||
        (s->canary = canary_new(settings, s->runs)) == NULL)
        return main_fail("sandbox link", 0);
    serve = serve_start(listen_fd, s, threads);
    if (serve == NULL)
        return main_fail("threads", 0);
    log_info("serving threads=%u places=%u queue=%u", threads,
        settings->concurrent, settings->queued);
    main_wait(s, config_file);
    main_let_signals_through();
    log_info("stopping");
    atomic_store(&s->is_stopping, true);
    runs_stop(s->runs);
    serve_stop(serve);
    return warden_link_has_failed(s->link) || canary_has_lost_socket(s->canary);
}

/* With the rights it was started with, as far as needed; then without. */
static int
main_start(struct service *s, const char *config_file)
{
    const struct settings *settings = &s->config->settings;
    bool is_root = geteuid() == 0;
    int listen_fd, spawner_fd, error;

    main_block_signals();
    listen_fd = serve_listen(settings->socket_path,
        is_root ? settings->app_uid : SETTINGS_NO_ID, settings->socket_gid);
    if (listen_fd < 0)
        return main_fail("socket", listen_fd);
    spawner_fd = spawner_start(settings->sandbox_program, settings->socket_path,
        settings->box_uid, settings->box_gid);
    if (spawner_fd < 0)
        return main_fail("spawner", spawner_fd);
    if (audit_needs_rights(settings) && (error = audit_open(settings)) != 0)
        return main_fail("audit log", error);
    if ((error = main_drop(settings)) != 0)
        return main_fail("dropping rights", error);
    if ((error = main_harden()) != 0)
        return main_fail("hardening", error);
    if (!audit_needs_rights(settings) && (error = audit_open(settings)) != 0)
        return main_fail("audit log", error);
    return main_serve(s, listen_fd, spawner_fd, config_file);
}

int
main(int argc, char **argv)
{
    static char problems[MAIN_MAX_PROBLEMS];
    struct options options = { 0 };
    struct config *config;
    struct service service;
    int status = 0;

    if (!main_options(argc, argv, &options, &status))
        return status;
    (void)fd_unblock(STDERR_FILENO);
    log_open("app", LOG_INFO);
    config =
        config_load(options.config_file, environ, problems, sizeof(problems));
    if (config == NULL) {
        (void)fprintf(stderr, "glovebox: %s\n", problems);
        return 1;
    }
    log_set_level((enum log_level)config->settings.log_level);
    log_set_format((enum log_format)config->settings.log_format);
    if (options.is_check) {
        (void)puts("settings are fine");
        config_unref(config);
        return 0;
    }
    if (service_init(&service, config) != 0)
        return main_fail("rates", 0);
    status = main_start(&service, options.config_file);
    service_done(&service);
    if (status == 0)
        log_info("stopped");
    main_log_audit_head("left");
    audit_close();
    return status;
}
