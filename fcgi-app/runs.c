/* runs - the one way to run code */
#include "fcgi-app/runs.h"

#include <stdlib.h>
#include <string.h>

#include "fcgi-app/admit.h"
#include "fcgi-app/audit/audit.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/outcome_json.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/profile.h"

/* A sandbox that is just starting is worth a short wait. */
#define RUNS_READY_MS 3000

struct runs {
    struct admit *admit;
    struct warden_link *link;
};

struct runs *
runs_new(const struct settings *s, struct warden_link *link)
{
    struct runs *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->link = link;
    r->admit = admit_new(s->concurrent, s->queued, s->queue_ms);
    if (r->admit == NULL) {
        free(r);
        return NULL;
    }
    return r;
}

void
runs_free(struct runs *r)
{
    if (r == NULL)
        return;
    admit_free(r->admit);
    free(r);
}

void
run_call_init(struct run_call *call)
{
    memset(call, 0, sizeof(*call));
    call->hangup_fd = -1;
    warden_answer_init(&call->answer);
}

void
run_call_done(struct run_call *call)
{
    warden_answer_done(&call->answer);
}

/*
 * A box has no way to act on the outside, so an order that was lost with its
 * warden can be run again without harm.  Once: an order that takes its warden
 * down must not do so for ever.
 */
static enum fault
run_ask(struct runs *r, struct run_call *call, const struct order *order)
{
    enum fault fault = warden_ask(
        r->link, order, call->hangup_fd, RUNS_READY_MS, &call->answer);

    if (fault != FAULT_LOST)
        return fault;
    metrics_count(METRICS_RUNS_REPEATED);
    log_warn("run lost, trying once more");
    fault = warden_ask(
        r->link, order, call->hangup_fd, RUNS_READY_MS, &call->answer);
    return fault == FAULT_LOST ? FAULT_SANDBOX : fault;
}

/* The program was read and not run: the answer will be a 400. */
static bool
run_is_refused(const struct run_call *call)
{
    const struct outcome *o = &call->answer.outcome;

    return call->order->kind == ORDER_CHECK ||
           (o->verdict == VERDICT_ENDED && o->claim.kind == CLAIM_REFUSED);
}

/* What the audit line says of it: a word, and the status of the answer. */
static void
run_describe(
    const struct run_call *call, enum fault fault, struct audit_entry *entry)
{
    if (fault == FAULT_NONE && run_is_refused(call))
        fault = FAULT_REFUSED;
    if (fault == FAULT_NONE) {
        entry->status =
            outcome_status_name(outcome_status_of(&call->answer.outcome));
        entry->http_status = 200;
    } else {
        entry->status = fault_row(fault)->name;
        entry->http_status = call->fault_status != 0 ? call->fault_status
                                                     : fault_row(fault)->status;
        if (fault == FAULT_CANCELLED)
            entry->http_status = 0;
    }
}

/* False: the policy is that what has no line has no answer. */
static bool
run_audit(const struct run_call *call, enum fault fault)
{
    const struct outcome *o = &call->answer.outcome;
    struct audit_entry entry = {
        .request_id = call->request_id,
        .route = call->route,
        .address = call->address,
        .token_id = call->token->id,
        .code = call->order->code,
        .keys = call->keys,
        .profile = profiles[call->order->profile].name,
        .wait_us = call->queue_us,
    };

    run_describe(call, fault, &entry);
    if (fault == FAULT_NONE) {
        entry.wall_us = o->wall_us;
        entry.cpu_us = o->cpu_us;
        entry.wait_us += o->wait_us;
        entry.handover_us = o->wake_us;
        entry.validate_us = o->check_us;
        entry.run_us = o->run_us;
        entry.collect_us = o->end_us;
        entry.memory_bytes = o->memory_bytes;
    }
    return audit_write(&entry);
}

/* Limits that the verdict names, and output that was cut. */
static void
run_count_limits(const struct outcome *o)
{
    static const struct {
        uint32_t verdict;
        enum metrics_limit limit;
    } rows[] = {
        { VERDICT_TIMEOUT, METRICS_LIMIT_WALL },
        { VERDICT_CPU, METRICS_LIMIT_CPU },
        { VERDICT_MEMORY, METRICS_LIMIT_MEMORY },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].verdict == o->verdict)
            metrics_count_limit(rows[i].limit);
    if (o->stdout_cut)
        metrics_count_limit(METRICS_LIMIT_STDOUT);
    if (o->stderr_cut)
        metrics_count_limit(METRICS_LIMIT_STDERR);
    if (o->claim.kind == CLAIM_VALUE && (o->claim.flags & CLAIM_VALUE_CUT))
        metrics_count_limit(METRICS_LIMIT_RETURN);
}

/* A program that ran. */
static void
run_count_program(const struct run_call *call, const struct outcome *o)
{
    metrics_count_run(call->order->profile, outcome_status_of(o));
    metrics_observe(METRICS_WALL_SECONDS, o->wall_us);
    metrics_observe(METRICS_CPU_SECONDS, o->cpu_us);
    metrics_observe(METRICS_MEMORY_BYTES, o->memory_bytes);
    metrics_observe(METRICS_PROGRAM_SECONDS, o->run_us);
    metrics_observe(METRICS_COLLECT_SECONDS, o->end_us);
    run_count_limits(o);
}

static void
run_count(const struct run_call *call, enum fault fault)
{
    const struct outcome *o = &call->answer.outcome;
    bool is_refused = fault == FAULT_NONE && run_is_refused(call);

    metrics_observe(METRICS_QUEUE_SECONDS, call->queue_us);
    if (fault != FAULT_NONE) {
        metrics_count_refused(fault);
        return;
    }
    metrics_observe(METRICS_BOX_WAIT_SECONDS, o->wait_us);
    metrics_observe(METRICS_HANDOVER_SECONDS, o->wake_us);
    metrics_observe(METRICS_VALIDATE_SECONDS, o->check_us);
    for (uint32_t i = 0; i < o->refused_count; i++)
        metrics_count_call(o->refused[i].call, o->refused[i].count);
    if (is_refused)
        metrics_count(METRICS_CODE_REFUSED);
    if (is_refused && o->claim.kind == CLAIM_REFUSED)
        metrics_count_rule(o->claim.type.data, o->claim.type.len);
    if (!is_refused && call->order->kind == ORDER_RUN)
        run_count_program(call, o);
}

/* With a place.  Nothing is run that could not be told of. */
static enum fault
run_admitted(struct runs *r, struct run_call *call)
{
    struct admit_caller caller = {
        .id = call->token->id,
        .limit = call->token->limits.concurrent,
        .hangup_fd = call->hangup_fd,
    };
    struct admit_ticket *ticket = NULL;
    struct order order = *call->order;
    enum fault fault;

    if (!audit_is_open_for_runs())
        return FAULT_AUDIT;
    fault = admit_enter(r->admit, &caller, &ticket, &call->queue_us);
    if (fault == FAULT_NONE) {
        order.running = admit_running(ticket);
        fault = run_ask(r, call, &order);
    }
    admit_leave(ticket);
    return fault;
}

enum fault
run_order(struct runs *r, struct run_call *call)
{
    enum fault fault;

    if (call->token == NULL)
        return run_ask(r, call, call->order);
    fault = run_admitted(r, call);
    run_count(call, fault);
    if (!run_audit(call, fault) && fault == FAULT_NONE)
        fault = FAULT_AUDIT;
    return fault;
}

void
runs_stop(struct runs *r)
{
    admit_stop(r->admit);
}

void
runs_count(struct runs *r, unsigned *ret_running, unsigned *ret_queued)
{
    admit_count(r->admit, ret_running, ret_queued);
}
