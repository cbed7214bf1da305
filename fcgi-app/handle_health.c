/*
 * handle_health - what was just tried, and whether it worked
 *
 *   /health        everything, for people and monitors
 *   /health/live   the app answers: restart it when it does not
 *   /health/ready  the app would take an order now: send it none otherwise
 *
 * None of them runs anything or waits for a place: they tell what the canary
 * and the warden have found out.  What is wrong is a list of constant
 * sentences (health_checks), so that nothing of a stranger can be in it.
 */
#include "fcgi-app/audit/audit.h"
#include "fcgi-app/canary.h"
#include "fcgi-app/json/writer.h"
#include "fcgi-app/route.h"
#include "sandbox/base/clock.h"
#include "sandbox/wire/status.h"

/* What is known at one moment, for all checks. */
struct health {
    struct service *service;
    bool has_status;
    struct status status;
};

static bool
is_stopping(const struct health *h)
{
    return atomic_load(&h->service->is_stopping);
}

static bool
is_not_running(const struct health *h)
{
    return !h->has_status;
}

static bool
is_not_ready(const struct health *h)
{
    return h->has_status && !h->status.is_ready;
}

static bool
canary_is_failing(const struct health *h)
{
    return !canary_is_well(h->service->canary) &&
           canary_has_failed(h->service->canary);
}

static bool
canary_is_old(const struct health *h)
{
    return !canary_is_well(h->service->canary) &&
           !canary_has_failed(h->service->canary);
}

static bool
audit_is_failing(const struct health *h)
{
    (void)h;
    return !audit_is_well();
}

static bool
audit_stops_runs(const struct health *h)
{
    (void)h;
    return audit_is_refusing();
}

/* Why it is degraded; the first that holds is the one to look at first. */
static const struct health_check {
    bool (*holds)(const struct health *h);
    const char *sentence;
    bool stops_runs; /* no order would be run: not ready */
} health_checks[] = {
    { is_stopping, "stopping", true },
    { is_not_running, "sandbox not running", true },
    { is_not_ready, "sandbox not ready", true },
    { canary_is_failing, "the canary program failed", true },
    { canary_is_old, "no canary program worked lately", true },
    { audit_stops_runs, "audit lines cannot be written; nothing is run", true },
    { audit_is_failing, "audit lines cannot be written", false },
};
#define HEALTH_CHECK_COUNT (sizeof(health_checks) / sizeof(health_checks[0]))

static void
health_look(struct health *h, struct service *s)
{
    *h = (struct health){ .service = s };
    h->has_status = warden_link_status(s->link, &h->status);
}

/* The first reason, and all of them in `json` if it is not NULL; or NULL. */
static const char *
health_reasons(const struct health *h, struct json_writer *json)
{
    const char *first = NULL;

    for (size_t i = 0; i < HEALTH_CHECK_COUNT; i++) {
        if (!health_checks[i].holds(h))
            continue;
        if (first == NULL)
            first = health_checks[i].sentence;
        if (json != NULL)
            json_put_string(json, health_checks[i].sentence);
    }
    return first;
}

static bool
health_is_ready(const struct health *h)
{
    for (size_t i = 0; i < HEALTH_CHECK_COUNT; i++)
        if (health_checks[i].stops_runs && health_checks[i].holds(h))
            return false;
    return true;
}

static void
health_layers(struct json_writer *json, const struct status *status)
{
    json_put_key(json, "layers");
    json_begin_object(json);
    for (uint32_t i = 0; i < status->layer_count; i++) {
        json_put_key(json, status->layers[i].name);
        json_put_bool(json, status->layers[i].is_on);
    }
    json_end_object(json);
}

static void
health_print(
    struct json_writer *json, const struct exchange *x, const struct health *h)
{
    const char *problem = health_reasons(h, NULL);
    char now[CLOCK_TEXT];

    clock_text(now, sizeof(now));
    json_begin_object(json);
    json_put_key(json, "status");
    json_put_string(json, problem == NULL ? "healthy" : "degraded");
    json_put_key(json, "service");
    json_put_string(json, x->config->settings.service_name);
    json_put_key(json, "version");
    json_put_string(json, GLOVEBOX_VERSION);
    json_put_key(json, "mcp_initialized");
    json_put_bool(json, true); /* /mcp needs nothing that /execute does not */
    json_put_key(json, "uptime_seconds");
    json_put_double(
        json, (double)(clock_mono_us() - x->service->started_us) / 1e6);
    json_put_key(json, "timestamp");
    json_put_string(json, now);
    health_layers(json, &h->status);
    json_put_key(json, "problem");
    json_put_string_or_null(json, problem);
    json_put_key(json, "reasons");
    json_begin_array(json);
    (void)health_reasons(h, json);
    json_end_array(json);
    json_end_object(json);
}

enum fault
handle_health(struct exchange *x)
{
    struct json_writer json;
    struct health h;

    health_look(&h, x->service);
    x->response->status = health_reasons(&h, NULL) == NULL ? 200 : 503;
    json_writer_init(&json, &x->response->body);
    health_print(&json, x, &h);
    return FAULT_NONE;
}

static void
health_word(struct http_response *w, unsigned status, const char *word)
{
    struct json_writer json;

    w->status = status;
    json_writer_init(&json, &w->body);
    json_begin_object(&json);
    json_put_key(&json, "status");
    json_put_string(&json, word);
    json_end_object(&json);
}

enum fault
handle_live(struct exchange *x)
{
    health_word(x->response, 200, "alive");
    return FAULT_NONE;
}

enum fault
handle_ready(struct exchange *x)
{
    struct health h;
    bool is_ready;

    health_look(&h, x->service);
    is_ready = health_is_ready(&h);
    health_word(
        x->response, is_ready ? 200 : 503, is_ready ? "ready" : "not ready");
    return FAULT_NONE;
}
