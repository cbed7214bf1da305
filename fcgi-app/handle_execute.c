/* handle_execute - POST /execute: order from JSON, run it, outcome to JSON */
#include <string.h>

#include "fcgi-app/order_json.h"
#include "fcgi-app/outcome_json.h"
#include "fcgi-app/route.h"
#include "fcgi-app/runs.h"

static size_t
execute_copy(char *room, size_t size, const char *bytes, size_t len)
{
    size_t n = len < size ? len : size;

    memcpy(room, bytes, n);
    return n;
}

/* A refusal's claim: its type is the rule, its traceback what to do. */
static void
execute_put_hint(struct exchange *x, const struct claim *c)
{
    struct http_hint *hint = &x->hint;

    hint->line = c->line;
    hint->rule_len =
        execute_copy(hint->rule, sizeof(hint->rule), c->type.data, c->type.len);
    hint->text_len = execute_copy(
        hint->text, sizeof(hint->text), c->traceback.data, c->traceback.len);
}

/*
 * Answer with the outcome.  The turn of the context's rules comes after the
 * validator's, which is why they are looked at only here.
 */
static enum fault
execute_answer(struct exchange *x, const struct order_parse *parse,
    const struct outcome *outcome)
{
    const struct settings *s = &x->config->settings;
    struct http_response *w = x->response;

    if (outcome_is_refusal(outcome, x->detail, sizeof(x->detail))) {
        execute_put_hint(x, &outcome->claim);
        return FAULT_REFUSED;
    }
    if (parse->context_detail[0] != '\0') {
        (void)snprintf(
            x->detail, sizeof(x->detail), "%s", parse->context_detail);
        return FAULT_REFUSED;
    }
    buf_done(&w->body);
    buf_init(&w->body, outcome_json_max_bytes(s));
    outcome_to_json(&w->body, outcome, &parse->order, x->request->request_id);
    return FAULT_NONE;
}

/* Asked for by `X-Glovebox-Timing: 1`: where the time went, in ms. */
static void
execute_put_timing(struct exchange *x, const struct run_call *call)
{
    const struct outcome *o = &call->answer.outcome;
    struct http_response *w = x->response;
    const char *wanted = "";

    if (http_param(x->request, "HTTP_X_GLOVEBOX_TIMING", &wanted) != 1 ||
        strcmp(wanted, "1") != 0)
        return;
    (void)snprintf(w->timing, sizeof(w->timing),
        "queue;dur=%.3f, handover;dur=%.3f, validate;dur=%.3f, run;dur=%.3f, "
        "collect;dur=%.3f",
        (double)(call->queue_us + o->wait_us) / 1e3, (double)o->wake_us / 1e3,
        (double)o->check_us / 1e3, (double)o->run_us / 1e3,
        (double)o->end_us / 1e3);
}

static enum fault
execute_run(struct exchange *x, struct order_parse *parse)
{
    struct run_call call;
    enum fault fault;

    fault = exchange_run(x, parse, &call);
    if (fault == FAULT_NONE) {
        execute_put_timing(x, &call);
        fault = execute_answer(x, parse, &call.answer.outcome);
    }
    run_call_done(&call);
    return fault;
}

enum fault
handle_execute(struct exchange *x)
{
    struct http_request *r = x->request;
    struct order_parse parse;
    enum fault fault;

    order_parse_init(&parse);
    fault = order_from_json(&parse, view_of(r->body.data, r->body.len),
        &x->config->settings, x->token, x->detail, sizeof(x->detail));
    buf_done(&r->body); /* not held while the order waits and runs */
    if (fault == FAULT_NONE) {
        parse.order.request_id = view_of(r->request_id, strlen(r->request_id));
        if (parse.context_detail[0] != '\0')
            parse.order.kind = ORDER_CHECK;
        fault = execute_run(x, &parse);
    } else {
        exchange_audit(x, fault, &parse);
    }
    order_parse_done(&parse);
    return fault;
}
