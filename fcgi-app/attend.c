/* attend - what the main thread does while the others serve */
#include "fcgi-app/attend.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/canary.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/notify.h"
#include "fcgi-app/spawner.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/log.h"

#define ATTEND_MAX_PROBLEMS 8192

void
attend_signals(sigset_t *ret_set)
{
    (void)sigemptyset(ret_set);
    (void)sigaddset(ret_set, SIGHUP);
    (void)sigaddset(ret_set, SIGUSR1);
    (void)sigaddset(ret_set, SIGTERM);
    (void)sigaddset(ret_set, SIGINT);
}

/* --- signals -------------------------------------------------------------- */

static void
attend_reload(struct service *s, const char *config_file)
{
    static char problems[ATTEND_MAX_PROBLEMS], kept[ATTEND_MAX_PROBLEMS];
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

static void
attend_reopen_audit(void)
{
    int error;

    audit_log_head("to be reopened");
    error = audit_reopen();
    if (error != 0)
        log_error(
            "audit log not opened again error=%s", strerrorname_np(-error));
}

/* True: the service is to end. */
static bool
attend_signal(struct attend *a, int signal_fd)
{
    struct signalfd_siginfo info;

    if (read(signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return false;
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
        return true;
    if (info.ssi_signo == SIGUSR1)
        attend_reopen_audit();
    if (info.ssi_signo == SIGHUP) {
        notify_reloading();
        attend_reload(a->service, a->config_file);
        notify_ready();
    }
    return false;
}

/* --- a new service -------------------------------------------------------- */

static void
attend_let_in(struct attend *a)
{
    int fd = takeover_accept(&a->fds);

    if (fd >= 0) {
        a->peer_fd = fd;
        (void)spawner_keep_files(a->spawner_fd, true);
        log_info("handing over: a new service is coming up");
    } else if (fd != -EAGAIN) {
        log_warn("handing over refused error=%s", strerrorname_np(-fd));
    }
}

/* True: it accepts, so this service is to end. */
static bool
attend_peer(struct attend *a)
{
    bool is_ready = takeover_hear(a->peer_fd) == TAKEOVER_READY;

    (void)close(a->peer_fd);
    a->peer_fd = -1;
    if (!is_ready) {
        (void)spawner_keep_files(a->spawner_fd, false);
        log_warn("handing over broken off: the new service has ended; "
                 "serving on");
    }
    return is_ready;
}

/* --- the watchdog --------------------------------------------------------- */

/* Milliseconds until the next ping is due; -1: nobody waits for one. */
static int
attend_feed(const struct attend *a, uint64_t *next_us)
{
    int period_ms = notify_alive_ms();
    uint64_t now_us = clock_mono_us();

    if (period_ms < 0)
        return -1;
    if (now_us >= *next_us) {
        if (canary_is_well(a->service->canary))
            notify_alive();
        *next_us = now_us + (uint64_t)period_ms * 1000;
    }
    return (int)((*next_us - now_us) / 1000) + 1;
}

/* -------------------------------------------------------------------------- */

static enum attend_end
attend_loop(struct attend *a, int signal_fd)
{
    uint64_t feed_us = 0;

    for (;;) {
        struct pollfd p[] = {
            { .fd = signal_fd, .events = POLLIN },
            { .fd = a->peer_fd, .events = POLLIN },
            /* One at a time: the next waits until this one is done. */
            { .fd = a->peer_fd < 0 ? a->fds.control_fd : -1, .events = POLLIN },
        };

        if (poll(p, 3, attend_feed(a, &feed_us)) <= 0)
            continue;
        if (p[0].revents != 0 && attend_signal(a, signal_fd))
            return ATTEND_STOP;
        if (p[1].revents != 0 && attend_peer(a))
            return ATTEND_HANDED_OVER;
        if (p[2].revents != 0)
            attend_let_in(a);
    }
}

enum attend_end
attend_until_end(struct attend *a)
{
    AUTO_FD signal_fd = -1;
    enum attend_end end;
    sigset_t set;

    attend_signals(&set);
    signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signal_fd < 0) {
        log_error("no signalfd error=%s", strerrorname_np(errno));
        return ATTEND_STOP;
    }
    end = attend_loop(a, signal_fd);
    a->has_left_peer = a->peer_fd >= 0;
    if (a->has_left_peer)
        (void)close(a->peer_fd);
    return end;
}
