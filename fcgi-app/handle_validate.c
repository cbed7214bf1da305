/*
 * handle_validate - POST /validate: what the validator would say, all of it
 *
 * The body is that of /execute, and the code is parsed where all code is: in a
 * box, under the same limits, through run_order().  It never runs.
 */
#include <string.h>

#include "fcgi-app/order_json.h"
#include "fcgi-app/outcome_json.h"
#include "fcgi-app/route.h"
#include "fcgi-app/runs.h"

/* No findings: a refusal with its message, or a limit hit while parsing. */
static enum fault
validate_refusal(struct exchange *x, const struct order *order,
    const struct outcome *outcome)
{
    struct buf text;

    if (outcome_is_refusal(outcome, x->detail, sizeof(x->detail)))
        return FAULT_REFUSED;
    buf_init(&text, sizeof(x->detail) - 1);
    outcome_error_text(&text, outcome, order);
    if (text.len > 0)
        memcpy(x->detail, text.data, text.len + 1);
    buf_done(&text);
    return x->detail[0] != '\0' ? FAULT_REFUSED : FAULT_INTERNAL;
}

static enum fault
validate_run(struct exchange *x, const struct order_parse *parse)
{
    struct http_response *w = x->response;
    struct run_call call;
    enum fault fault;

    fault = exchange_run(x, parse, &call);
    if (fault == FAULT_NONE) {
        buf_done(&w->body);
        buf_init(&w->body, outcome_json_max_bytes(&x->config->settings));
        if (findings_to_json(
                &w->body, &call.answer.outcome, x->request->request_id) != 0)
            fault = validate_refusal(x, &parse->order, &call.answer.outcome);
    }
    run_call_done(&call);
    return fault;
}

enum fault
handle_validate(struct exchange *x)
{
    struct http_request *r = x->request;
    struct order_parse parse;
    enum fault fault;

    order_parse_init(&parse);
    fault = order_from_json(&parse, view_of(r->body.data, r->body.len),
        &x->config->settings, x->token, x->detail, sizeof(x->detail));
    buf_done(&r->body);
    if (fault == FAULT_NONE && parse.context_detail[0] != '\0') {
        (void)snprintf(
            x->detail, sizeof(x->detail), "%s", parse.context_detail);
        fault = FAULT_REFUSED;
    }
    if (fault == FAULT_NONE) {
        parse.order.kind = ORDER_FINDINGS;
        parse.order.request_id = view_of(r->request_id, strlen(r->request_id));
        fault = validate_run(x, &parse);
    } else {
        exchange_audit(x, fault, &parse);
    }
    order_parse_done(&parse);
    return fault;
}
