/* canary - a small program, run again and again to see whether it works */
#include "fcgi-app/canary.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/metrics.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/profile.h"

#define CANARY_WALL_MS 5000
#define CANARY_CPU_MS 2000
#define CANARY_RETRY_MS 1000
#define CANARY_ROUNDS_KEPT 3

/* Touches the import, the loop and the value path of every profile. */
static const char canary_code[] =
    "import math\n"
    "_ = sum(n * n for n in range(math.isqrt(100)))\n";
static const char canary_value[] = "285";

struct canary {
    pthread_t thread;
    int stop_fd;
    struct runs *runs;
    struct setup setup;
    uint32_t period_s;
    char socket_path[108];
    struct stat socket; /* as it was at the start; st_ino 0: none there */
    atomic_bool has_lost_socket;
    atomic_bool has_left_socket; /* it is another service's now */
    _Atomic uint64_t worked_us; /* clock_mono_us(); 0: never */
    atomic_bool has_failed; /* the last round */
};

static uint32_t
canary_least(uint32_t wanted, uint32_t limit)
{
    return wanted < limit ? wanted : limit;
}

static void
canary_order(const struct canary *c, uint32_t profile, struct order *ret)
{
    *ret = (struct order){
        .kind = ORDER_RUN,
        .profile = profile,
        .wall_ms = canary_least(CANARY_WALL_MS, c->setup.wall_ms),
        .cpu_ms = canary_least(CANARY_CPU_MS, c->setup.cpu_ms),
        .memory_bytes = c->setup.memory_bytes,
        .output_bytes = c->setup.output_bytes,
        .return_bytes = c->setup.return_bytes,
        .ast_nodes = c->setup.ast_nodes,
        .request_id = view_of("canary", strlen("canary")),
        .code = view_of(canary_code, strlen(canary_code)),
    };
}

static bool
canary_is_right(const struct outcome *o)
{
    struct view value = o->claim.value;

    return o->verdict == VERDICT_ENDED && o->claim.kind == CLAIM_VALUE &&
           value.len == strlen(canary_value) &&
           memcmp(value.data, canary_value, value.len) == 0;
}

static bool
canary_try(struct canary *c, uint32_t profile)
{
    struct run_call call;
    struct order order;
    enum fault fault;
    bool is_right;

    canary_order(c, profile, &order);
    run_call_init(&call);
    call.order = &order;
    call.request_id = "canary";
    fault = run_order(c->runs, &call);
    is_right = fault == FAULT_NONE && canary_is_right(&call.answer.outcome);
    if (fault == FAULT_NONE && !is_right)
        log_error("canary went wrong profile=%s verdict=%u",
            profiles[profile].name, call.answer.outcome.verdict);
    run_call_done(&call);
    return is_right;
}

/* All profiles, also when one fails: the log should name each. */
static bool
canary_round(struct canary *c)
{
    bool is_well = true;

    for (uint32_t p = 0; p < PROFILE_COUNT; p++)
        if ((c->setup.profiles & (1u << p)) && !canary_try(c, p))
            is_well = false;
    metrics_count(is_well ? METRICS_CANARY_OK : METRICS_CANARY_FAILED);
    atomic_store(&c->has_failed, !is_well);
    if (is_well)
        atomic_store(&c->worked_us, clock_mono_us());
    return is_well;
}

static void
canary_note_socket(struct canary *c, const char *path)
{
    if (strlen(path) >= sizeof(c->socket_path) || lstat(path, &c->socket) < 0 ||
        !S_ISSOCK(c->socket.st_mode))
        c->socket.st_ino = 0;
    else
        memcpy(c->socket_path, path, strlen(path) + 1);
}

static bool
canary_sees_socket(const struct canary *c)
{
    struct stat now;

    return lstat(c->socket_path, &now) == 0 && now.st_dev == c->socket.st_dev &&
           now.st_ino == c->socket.st_ino;
}

/*
 * A canary inside cannot tell that the way in is gone.  Nobody can put a
 * socket back once it is removed, and we have no rights left to make another:
 * what is under way is finished, then whoever started us starts us again.
 */
static void
canary_mind_socket(struct canary *c)
{
    if (c->socket.st_ino == 0 || atomic_load(&c->has_lost_socket) ||
        canary_sees_socket(c) || atomic_load(&c->has_left_socket))
        return;
    log_error("the socket is gone, the service must be started anew path=%s",
        c->socket_path);
    atomic_store(&c->has_lost_socket, true);
    (void)kill(getpid(), SIGTERM);
}

static void *
canary_main(void *arg)
{
    struct canary *c = arg;
    struct pollfd p = { .fd = c->stop_fd, .events = POLLIN };
    bool was_well = true, is_well;
    int pause_ms, n;

    log_set_request("canary");
    do {
        is_well = canary_round(c);
        audit_retry();
        canary_mind_socket(c);
        if (is_well != was_well)
            log_warn(is_well ? "canary works again" : "canary failed");
        was_well = is_well;
        pause_ms = is_well ? (int)c->period_s * 1000 : CANARY_RETRY_MS;
        n = poll(&p, 1, pause_ms);
    } while (n == 0 || (n < 0 && errno == EINTR));
    return NULL;
}

struct canary *
canary_new(const struct settings *s, struct runs *runs)
{
    struct canary *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    settings_to_setup(s, &c->setup);
    c->runs = runs;
    c->period_s = s->canary_s;
    if (s->fastcgi_address[0] == '\0')
        canary_note_socket(c, s->socket_path);
    c->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (c->stop_fd < 0 ||
        pthread_create(&c->thread, NULL, canary_main, c) != 0) {
        if (c->stop_fd >= 0)
            (void)close(c->stop_fd);
        free(c);
        return NULL;
    }
    return c;
}

void
canary_free(struct canary *c)
{
    uint64_t one = 1;

    if (c == NULL)
        return;
    (void)!write(c->stop_fd, &one, sizeof(one));
    (void)pthread_join(c->thread, NULL);
    (void)close(c->stop_fd);
    free(c);
}

bool
canary_has_failed(const struct canary *c)
{
    return atomic_load(&c->has_failed);
}

void
canary_leave_socket(struct canary *c)
{
    atomic_store(&c->has_left_socket, true);
}

bool
canary_has_lost_socket(const struct canary *c)
{
    return atomic_load(&c->has_lost_socket);
}

double
canary_age_s(const struct canary *c)
{
    uint64_t worked_us = atomic_load(&c->worked_us);

    if (worked_us == 0)
        return -1;
    return (double)(clock_mono_us() - worked_us) / 1e6;
}

bool
canary_is_well(const struct canary *c)
{
    double age_s = canary_age_s(c);

    return age_s >= 0 && age_s <= (double)c->period_s * CANARY_ROUNDS_KEPT;
}
