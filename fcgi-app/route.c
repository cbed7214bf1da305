/* route - which request goes where, and who may send it */
#include "fcgi-app/runs.h"
#include "fcgi-app/order_json.h"
#include "fcgi-app/route.h"

#include <string.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/auth.h"
#include "fcgi-app/mcp/mcp_http.h"
#include "fcgi-app/rate.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/profile.h"

#define ROUTE_READ "GET, HEAD"

const struct route routes[] = {
    { "/execute", "execute", "POST", ROUTE_TOKEN, METRICS_ROUTE_EXECUTE,
        handle_execute, NULL },
    { "/validate", "validate", "POST", ROUTE_TOKEN, METRICS_ROUTE_VALIDATE,
        handle_validate, NULL },
    { "/mcp", "mcp", "POST", ROUTE_TOKEN_FIRST, METRICS_ROUTE_MCP, handle_mcp,
        mcp_guard },
    { "/health", "health", ROUTE_READ, ROUTE_ANYONE, METRICS_ROUTE_HEALTH,
        handle_health, NULL },
    { "/health/live", "live", ROUTE_READ, ROUTE_ANYONE, METRICS_ROUTE_HEALTH,
        handle_live, NULL },
    { "/health/ready", "ready", ROUTE_READ, ROUTE_ANYONE, METRICS_ROUTE_HEALTH,
        handle_ready, NULL },
    /* Only from loopback and configured addresses; nginx sees to that. */
    { "/metrics", "metrics", ROUTE_READ, ROUTE_ANYONE, METRICS_ROUTE_METRICS,
        handle_metrics, NULL },
    { "/openapi.json", "openapi", ROUTE_READ, ROUTE_ANYONE,
        METRICS_ROUTE_OPENAPI, handle_openapi, NULL },
};
const size_t route_count = sizeof(routes) / sizeof(routes[0]);

/* Is `method` one of the list `allow`, whose separator is ", "? */
static bool
route_allows(const char *allow, const char *method)
{
    size_t len = strlen(method);
    const char *at = allow;

    while (*at != '\0') {
        size_t word = strcspn(at, ",");

        if (word == len && strncmp(at, method, len) == 0)
            return true;
        at += word;
        at += strspn(at, ", ");
    }
    return false;
}

enum fault
route_find(const char *method, const char *path, const struct route **ret_route)
{
    for (size_t i = 0; i < route_count; i++) {
        if (strcmp(routes[i].path, path) != 0)
            continue;
        *ret_route = &routes[i];
        return route_allows(routes[i].allow, method) ? FAULT_NONE
                                                     : FAULT_METHOD;
    }
    return FAULT_NOT_FOUND;
}

void
exchange_audit(
    struct exchange *x, enum fault fault, const struct order_parse *parse)
{
    const struct fault_row *row = fault_row(fault);
    struct audit_entry entry = {
        .request_id = x->request->request_id,
        .route = x->route->name,
        .address = x->request->remote_addr,
        .token_id = x->token != NULL ? x->token->id : NULL,
        .status = fault == FAULT_NONE ? "ok" : row->name,
        .http_status = row->status,
    };

    if (x->fault_status != 0)
        entry.http_status = x->fault_status;
    if (fault == FAULT_CANCELLED)
        entry.http_status = 0;

    if (parse != NULL) {
        entry.code = parse->order.code;
        entry.keys = &parse->keys;
        entry.profile = profiles[parse->order.profile].name;
    }
    /* Nothing was run: the answer stays what it is, also without a line. */
    (void)audit_write(&entry);
    x->is_audited = true;
}

/* What holds for every call that may run code, before its JSON is looked at. */
static enum fault
route_admit_caller(struct exchange *x)
{
    struct http_request *r = x->request;
    enum fault fault = auth_check(x->config->tokens, r, &x->token);

    if (fault != FAULT_NONE)
        return fault;
    x->retry_after_s = rates_take(x->service->rates, x->token->id,
        x->token->rate, x->config->settings.rate_burst, clock_mono_us());
    if (x->retry_after_s > 0)
        return FAULT_RATE;
    if (!route_allows(x->route->allow, r->method))
        return FAULT_METHOD;
    if (r->is_malformed) {
        (void)snprintf(x->detail, sizeof(x->detail), "Malformed request");
        return FAULT_REFUSED;
    }
    fault = http_body_read(r, x->config->settings.body_bytes);
    if (fault != FAULT_NONE)
        return fault;
    return http_body_is_json(r) ? FAULT_NONE : FAULT_MEDIA_TYPE;
}

static enum fault
route_call(struct exchange *x)
{
    const struct route *route = x->route;
    enum fault fault = FAULT_NONE;

    if (route->guard != NULL)
        fault = route->guard(x);
    if (fault == FAULT_NONE && route->who != ROUTE_ANYONE)
        fault = route_admit_caller(x);
    if (fault == FAULT_NONE)
        fault = route->handle(x);
    if (fault == FAULT_NONE && !buf_ok(&x->response->body)) {
        log_error("response does not fit status=%u", x->response->status);
        fault = FAULT_INTERNAL;
    }
    if (route->who != ROUTE_ANYONE && !x->is_audited)
        exchange_audit(x, fault, NULL);
    return fault;
}

static void
route_count_answer(
    const struct route *route, const struct http_response *w, uint64_t start_us)
{
    enum metrics_route metric =
        route != NULL ? route->metric : METRICS_ROUTE_OTHER;

    metrics_count_request(metric, w->status);
    if (metric == METRICS_ROUTE_EXECUTE)
        metrics_observe(METRICS_REQUEST_SECONDS, clock_mono_us() - start_us);
}

enum fault
exchange_run(struct exchange *x, const struct order_parse *parse,
    struct run_call *ret_call)
{
    run_call_init(ret_call);
    ret_call->order = &parse->order;
    ret_call->keys = &parse->keys;
    ret_call->token = x->token;
    ret_call->request_id = x->request->request_id;
    ret_call->route = x->route->name;
    ret_call->address = x->request->remote_addr;
    ret_call->hangup_fd = x->request->hangup_fd;
    ret_call->fault_status = x->fault_status;
    ret_call->answer.listener = x->listener;
    x->is_audited = true;
    return run_order(x->service->runs, ret_call);
}

void
route_handle(struct service *s, struct http_request *r, struct http_response *w)
{
    struct exchange x = { .service = s, .request = r, .response = w };
    const struct route *route = NULL;
    uint64_t start_us = clock_mono_us();
    enum fault fault;

    log_set_request(r->request_id);
    x.config = service_config(s);
    fault = route_find(r->method, r->path, &route);
    x.route = route;
    if (fault == FAULT_NONE ||
        (fault == FAULT_METHOD && route->who == ROUTE_TOKEN_FIRST))
        fault = route_call(&x);
    if (fault == FAULT_INTERNAL)
        log_error("request failed inside path=%s", route->path);
    if (fault != FAULT_NONE)
        http_response_fault(w, r, fault, x.detail, &x.hint);
    if (fault == FAULT_RATE)
        w->retry_after_s = x.retry_after_s;
    if (fault == FAULT_METHOD)
        w->allow = route->allow;
    w->has_no_body = strcmp(r->method, "HEAD") == 0;
    route_count_answer(route, w, start_us);
    config_unref(x.config);
    log_set_request(NULL);
}
