/*
 * handle_health - what was just tried, and whether it worked
 *
 *   /health        everything, for people and monitors
 *   /health/live   the app answers
 *   /health/ready  the app would take an order now
 *
 * None of them runs anything or waits for a place: they tell what the canary
 * and the warden have found out.
 */
#include "fcgi-app/canary.h"
#include "fcgi-app/json/writer.h"
#include "fcgi-app/route.h"
#include "sandbox/base/clock.h"
#include "sandbox/wire/status.h"

/* Why it is degraded, in one constant phrase; NULL: healthy. */
static const char *
health_problem(struct service *s, bool has_status, const struct status *status)
{
    if (atomic_load(&s->is_stopping))
        return "stopping";
    if (!has_status)
        return "sandbox not running";
    if (!status->is_ready)
        return "sandbox not ready";
    if (!canary_is_well(s->canary))
        return "no canary program worked lately";
    return NULL;
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

enum fault
handle_health(struct exchange *x)
{
    struct service *s = x->service;
    struct status status = { 0 };
    bool has_status = warden_link_status(s->link, &status);
    const char *problem = health_problem(s, has_status, &status);
    struct json_writer json;
    char now[CLOCK_TEXT];

    clock_text(now, sizeof(now));
    x->response->status = problem == NULL ? 200 : 503;
    json_writer_init(&json, &x->response->body);
    json_begin_object(&json);
    json_put_key(&json, "status");
    json_put_string(&json, problem == NULL ? "healthy" : "degraded");
    json_put_key(&json, "service");
    json_put_string(&json, x->config->settings.service_name);
    json_put_key(&json, "version");
    json_put_string(&json, GLOVEBOX_VERSION);
    json_put_key(&json, "mcp_initialized");
    json_put_bool(&json, false);
    json_put_key(&json, "uptime_seconds");
    json_put_double(&json, (double)(clock_mono_us() - s->started_us) / 1e6);
    json_put_key(&json, "timestamp");
    json_put_string(&json, now);
    health_layers(&json, &status);
    json_put_key(&json, "problem");
    json_put_string_or_null(&json, problem);
    json_end_object(&json);
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
    struct service *s = x->service;
    struct status status;
    bool has_status = warden_link_status(s->link, &status);
    bool is_ready = health_problem(s, has_status, &status) == NULL;

    health_word(
        x->response, is_ready ? 200 : 503, is_ready ? "ready" : "not ready");
    return FAULT_NONE;
}
