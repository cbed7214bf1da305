/*
 * main - start-up of the app, in order
 *
 *   settings and tokens   all that is wrong is said at once, then exit
 *   signals blocked       before the first thread and the first fork
 *   listening socket      while the rights are there to give it its group;
 *                         or from the service manager, or from the service
 *                         that this one replaces (listener.h, takeover.h)
 *   spawner               keeps the rights that wardens need
 *   drop                  to APP_USER, and see that there is no way back
 *   audit log             as the user that will open it again; the journal
 *                         before the drop
 *   warden link, runs, canary, threads
 *
 * Then this thread attends to signals and the like (attend.h) until the
 * service is to end: no new work, the work under way finishes, exit 0; a second
 * signal ends the process at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/attend.h"
#include "fcgi-app/audit/audit.h"
#include "fcgi-app/canary.h"
#include "fcgi-app/listener.h"
#include "fcgi-app/notify.h"
#include "fcgi-app/runs.h"
#include "fcgi-app/serve.h"
#include "fcgi-app/service.h"
#include "fcgi-app/spawner.h"
#include "fcgi-app/takeover.h"
#include "fcgi-app/warden_link.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"

/* Over the runs and waiters: for what needs no place, and refusals. */
#define MAIN_SPARE_THREADS 8
#define MAIN_MAX_PROBLEMS 8192
/* How long templates may take to load, on a slow disk. */
#define MAIN_SANDBOX_MS 30000
#define MAIN_LOOK_MS 100
/* Before a service takes over: its first canary program. */
#define MAIN_CANARY_MS 30000
#define MAIN_MAX_PATH 128

struct options {
    const char *config_file; /* NULL: none */
    bool is_check;
    bool takes_over;
    int ready_fd; /* -1: nobody waits */
};

/* Where requests come from, and who else has to do with it. */
struct source {
    struct takeover_fds fds; /* control_fd -1: nobody can take over */
    char control_path[MAIN_MAX_PATH];
    int old_fd; /* to the service that is replaced; -1: none */
    bool is_kept; /* by the service manager, over our end */
};

static const char usage[] =
    "usage: glovebox [--config FILE] [--check] [--take-over] [--ready-fd N]\n"
    "  --config FILE  read settings from FILE; the environment wins over it\n"
    "  --check        read and check the settings, then exit\n"
    "  --take-over    replace the service that runs, without losing a request\n"
    "  --ready-fd N   write a newline to descriptor N when serving\n"
    "  --version      print the version, then exit\n";

static int
main_fail(const char *what, int error)
{
    log_error("cannot start: %s error=%s", what,
        error != 0 ? strerrorname_np(-error) : "ENOMEM");
    return 1;
}

/* A descriptor that we were started with. */
static bool
main_ready_fd(const char *text, int *ret_fd)
{
    uint64_t fd;

    if (parse_u64(text, 1u << 20, &fd) != 0 || fd <= STDERR_FILENO ||
        fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0)
        return false;
    *ret_fd = (int)fd;
    return true;
}

/* Returns false when the program has nothing more to do; *ret_status. */
static bool
main_options(int argc, char **argv, struct options *o, int *ret_status)
{
    static const struct option known[] = {
        { "config", required_argument, NULL, 'c' },
        { "check", no_argument, NULL, 'k' },
        { "take-over", no_argument, NULL, 't' },
        { "ready-fd", required_argument, NULL, 'r' },
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
        else if (c == 't')
            o->takes_over = true;
        else if (c == 'r' && main_ready_fd(optarg, &o->ready_fd))
            continue;
        else {
            (void)fputs(c == 'v' ? "glovebox " GLOVEBOX_VERSION "\n" : usage,
                c == 'v' || c == 'h' ? stdout : stderr);
            *ret_status = c == 'v' || c == 'h' ? 0 : 2;
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
main_block_signals(void)
{
    sigset_t set;

    attend_signals(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Each run needs a connection, a lane, an epoll set; in the queue an eventfd.
 */
static void
main_raise_fd_limit(unsigned threads)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 64 + 4 * (rlim_t)threads)
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

/* Somebody wants it to end before it has begun, which is no failure; but
 * whoever is to be replaced must not take it for a success. */
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

/* Nobody is replaced by a service that has not run a program. */
static int
main_await_canary(const struct canary *canary)
{
    for (int ms = 0; ms < MAIN_CANARY_MS; ms += MAIN_LOOK_MS) {
        if (canary_age_s(canary) >= 0)
            return 0;
        if (canary_has_failed(canary) || main_is_told_to_stop())
            break;
        (void)poll(NULL, 0, MAIN_LOOK_MS);
    }
    log_error("cannot take over: no canary program worked");
    return -1;
}

/* Everything but the threads that serve. */
static int
main_prepare(struct service *s, int spawner_fd, bool is_replacing)
{
    const struct settings *settings = &s->config->settings;
    struct setup setup;

    settings_to_setup(settings, &setup);
    s->link = warden_link_new(spawner_fd, &setup);
    if (s->link == NULL)
        return main_fail("sandbox link", 0);
    if (main_await_sandbox(s->link) < 0)
        return 1;
    if ((s->runs = runs_new(settings, s->link)) == NULL ||
        (s->canary = canary_new(settings, s->runs)) == NULL)
        return main_fail("sandbox link", 0);
    return is_replacing && main_await_canary(s->canary) < 0 ? 1 : 0;
}

/* To all who wait for it. */
static void
main_tell_ready(struct source *source, int spawner_fd, int ready_fd)
{
    if (source->old_fd >= 0) {
        if (takeover_tell_ready(source->old_fd) != 0)
            log_warn("the service that was to be replaced has ended by itself");
        (void)spawner_keep_files(spawner_fd, false);
        (void)close(source->old_fd);
        source->old_fd = -1;
    }
    if (ready_fd >= 0) {
        (void)fd_write_all(ready_fd, "\n", 1);
        (void)close(ready_fd);
    }
    notify_ready();
}

/*
 * Where others go on with the listener, what was accepted is served as ever;
 * where nobody does, callers are told that there is nothing more to be had.
 */
static void
main_finish(struct service *s, struct serve *serve, bool is_left_to_others)
{
    if (is_left_to_others)
        canary_leave_socket(s->canary);
    main_let_signals_through();
    if (is_left_to_others) {
        serve_leave(serve);
        return;
    }
    atomic_store(&s->is_stopping, true);
    runs_stop(s->runs);
    serve_stop(serve);
}

static void
main_attend(struct service *s, struct serve *serve, struct source *source,
    int spawner_fd, const char *config_file)
{
    struct attend attend = {
        .service = s,
        .config_file = config_file,
        .fds = source->fds,
        .peer_fd = -1,
        .spawner_fd = spawner_fd,
    };

    if (attend_until_end(&attend) == ATTEND_HANDED_OVER) {
        log_info("handed over, finishing the work under way");
        main_finish(s, serve, true);
        return;
    }
    log_info("stopping");
    notify_stopping();
    /* One that was just coming up has the listener, too. */
    main_finish(s, serve, source->is_kept || attend.has_left_peer);
}

static int
main_serve(struct service *s, struct source *source, int spawner_fd,
    const struct options *o)
{
    const struct settings *settings = &s->config->settings;
    unsigned threads =
        settings->concurrent + settings->queued + MAIN_SPARE_THREADS;
    struct serve *serve;

    main_raise_fd_limit(threads);
    if (main_prepare(s, spawner_fd, source->old_fd >= 0) != 0)
        return source->old_fd >= 0 || !main_is_told_to_stop();
    serve = serve_start(source->fds.listen_fd, s, threads);
    if (serve == NULL)
        return main_fail("threads", 0);
    main_tell_ready(source, spawner_fd, o->ready_fd);
    log_info("serving threads=%u places=%u queue=%u", threads,
        settings->concurrent, settings->queued);
    main_attend(s, serve, source, spawner_fd, o->config_file);
    return warden_link_has_failed(s->link) || canary_has_lost_socket(s->canary);
}

/* The listener of the service that is to be replaced. */
static int
main_take_over(const struct settings *settings, struct source *source)
{
    int fd = takeover_ask(source->control_path, &source->fds);

    if (fd < 0)
        return main_fail("nobody to take over from; is one running, with the "
                         "same SOCKET_PATH?",
            fd);
    source->old_fd = fd;
    if (!listener_is_at(source->fds.listen_fd, settings->socket_path,
            settings->fastcgi_address))
        return main_fail("the service that runs listens elsewhere: restart "
                         "instead",
            -EADDRNOTAVAIL);
    return 0;
}

/* One of our own, and a place where a successor can ask for it. */
static int
main_bind(const struct settings *settings, struct source *source)
{
    uint32_t uid = geteuid() == 0 ? settings->app_uid : SETTINGS_NO_ID;
    const char *address = settings->fastcgi_address;

    source->fds.listen_fd = address[0] != '\0'
                                ? listener_at_address(address)
                                : listener_at_path(settings->socket_path, uid,
                                      settings->socket_gid);
    if (source->fds.listen_fd < 0)
        return main_fail("socket", source->fds.listen_fd);
    source->fds.control_fd = source->control_path[0] != '\0'
                                 ? takeover_listen(source->control_path, uid)
                                 : -ENAMETOOLONG;
    if (source->fds.control_fd < 0) {
        log_warn("no service will be able to take over error=%s",
            strerrorname_np(-source->fds.control_fd));
        source->fds.control_fd = -1;
    }
    return 0;
}

static int
main_listen(
    const struct settings *settings, bool takes_over, struct source *source)
{
    int fd = listener_inherited(), status = 0, error;

    if (takeover_path(settings->socket_path, source->control_path,
            sizeof(source->control_path)) != 0)
        source->control_path[0] = '\0';
    if (fd >= 0) {
        source->fds.listen_fd = fd;
        source->is_kept = true;
        if (!listener_is_at(
                fd, settings->socket_path, settings->fastcgi_address))
            log_warn("the socket we were given is not at SOCKET_PATH, where "
                     "nginx will look for it");
    } else if (fd != -ENOENT) {
        return main_fail("what was passed is not one listening socket", fd);
    } else if (takes_over) {
        status = main_take_over(settings, source);
    } else {
        status = main_bind(settings, source);
    }
    if (status == 0 && (error = listener_prepare(source->fds.listen_fd)) != 0)
        status = main_fail("socket", error);
    return status;
}

/* Those of our files that nobody needs when we have ended. */
static int
main_start_spawner(const struct settings *settings, const struct source *source)
{
    bool has_path = !source->is_kept && settings->fastcgi_address[0] == '\0';
    struct spawner_files files = {
        .paths = { has_path ? settings->socket_path : NULL,
            source->fds.control_fd < 0 ? NULL : source->control_path },
        .are_kept = source->old_fd >= 0,
    };

    return spawner_start(settings->sandbox_program, &files, settings->box_uid,
        settings->box_gid);
}

/*
 * A thread of ours that has something to do takes the processor from nobody
 * who has it: a short program is done in a moment, and then there are several
 * things to do at a time.  Long programs still make room (sandbox/crowd.h).
 * The spawner, and all that it starts, are not concerned.
 */
static void
main_be_patient(void)
{
    (void)sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
}

/* With the rights it was started with, as far as needed; then without. */
static int
main_start(struct service *s, const struct options *o)
{
    const struct settings *settings = &s->config->settings;
    struct source source = { .fds = { -1, -1 }, .old_fd = -1 };
    int spawner_fd, error;

    main_block_signals();
    if ((error = notify_open()) != 0)
        return main_fail("NOTIFY_SOCKET", error);
    if (main_listen(settings, o->takes_over, &source) != 0)
        return 1;
    spawner_fd = main_start_spawner(settings, &source);
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
    main_be_patient();
    return main_serve(s, &source, spawner_fd, o);
}

int
main(int argc, char **argv)
{
    static char problems[MAIN_MAX_PROBLEMS];
    struct options options = { .ready_fd = -1 };
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
    status = main_start(&service, &options);
    service_done(&service);
    if (status == 0)
        log_info("stopped");
    audit_log_head("left");
    audit_close();
    return status;
}
