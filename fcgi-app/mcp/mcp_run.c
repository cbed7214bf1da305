/*
 * mcp_run - the tools run_python and check_python: a call becomes an order
 *
 * The arguments are the body of POST /execute, read by the same function, and
 * the result is its answer, printed by the same function.  What HTTP would
 * say with a status is said in the result: `status` is then "rejected",
 * "busy" or "unavailable", and `error` has the sentence.
 *
 * A result has to stay below what clients cut.  How long a text is after it
 * was escaped twice is only known once it is written; so it is written with
 * the widest row of a table of cuts, and with the next if it came out too
 * long.  The last row always fits.
 */
#include <stdio.h>
#include <string.h>

#include "fcgi-app/json/reader.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/mcp/mcp_tools.h"
#include "fcgi-app/order_json.h"
#include "fcgi-app/outcome_json.h"
#include "fcgi-app/runs.h"
#include "sandbox/wire/profile.h"

/* A value that a box cuts to this fits, whatever is in it. */
#define RUN_MAX_RETURN 12000
#define RUN_MAX_SENTENCE 3500 /* escaped twice, still no long text */

/* --- results of what was not run ------------------------------------------ */

/* Why there is no outcome. */
struct refusal {
    const char *status;
    const char *type; /* a rule of the validator, or a word of ours */
    size_t type_len;
    uint32_t line;
    char sentence[RUN_MAX_SENTENCE];
};

/* What each fault of an order is called; the rest is "unavailable". */
static const struct {
    enum fault fault;
    const char *status, *type;
} refusal_rows[] = {
    { FAULT_FIELD, "rejected", "Argument" },
    { FAULT_REFUSED, "rejected", "Refused" },
    { FAULT_BUSY, "busy", "Busy" },
    { FAULT_QUEUE_TIMEOUT, "busy", "Busy" },
};

static void
refusal_of(struct refusal *r, enum fault fault, const struct exchange *x)
{
    const struct fault_row *row = fault_row(fault);
    const char *text =
        row->has_detail && x->detail[0] != '\0' ? x->detail : row->sentence;

    *r = (struct refusal){ .status = "unavailable", .type = "Unavailable" };
    for (size_t i = 0; i < sizeof(refusal_rows) / sizeof(refusal_rows[0]); i++)
        if (refusal_rows[i].fault == fault) {
            r->status = refusal_rows[i].status;
            r->type = refusal_rows[i].type;
        }
    r->type_len = strlen(r->type);
    if (row->retry_after_s > 0)
        (void)snprintf(r->sentence, sizeof(r->sentence), "%s; retry in %u s",
            text, row->retry_after_s);
    else
        (void)snprintf(r->sentence, sizeof(r->sentence), "%s", text);
    r->sentence[utf8_cut(r->sentence, strlen(r->sentence))] = '\0';
}

/* The validator's word: its rule, its line, and what to do instead. */
static void
refusal_of_claim(
    struct refusal *r, const struct claim *c, const struct exchange *x)
{
    char hint[1024];

    refusal_of(r, FAULT_REFUSED, x);
    r->line = c->line;
    if (c->type.len > 0) {
        r->type = c->type.data;
        r->type_len = c->type.len;
    }
    (void)utf8_safe(hint, sizeof(hint), c->traceback.data, c->traceback.len);
    if (hint[0] != '\0')
        (void)snprintf(
            r->sentence, sizeof(r->sentence), "%s. %s", x->detail, hint);
    r->sentence[utf8_cut(r->sentence, strlen(r->sentence))] = '\0';
}

static void
put_refusal_detail(struct json_writer *w, const struct refusal *r)
{
    json_put_key(w, "error_detail");
    json_begin_object(w);
    json_put_key(w, "type");
    json_put_bytes(w, r->type, r->type_len);
    json_put_key(w, "message");
    json_put_string(w, r->sentence);
    json_put_key(w, "line");
    if (r->line != 0)
        json_put_uint(w, r->line);
    else
        json_put_null(w);
    json_put_key(w, "traceback");
    json_put_null(w);
    json_end_object(w);
}

/* The fields of outcome_to_json(), in its order, for a run that never was. */
static void
put_refusal(struct mcp_result *ret, const struct refusal *r,
    const struct order *order, const char *request_id)
{
    static const char none[] =
        "\"success\":false,\"stdout\":\"\",\"stderr\":\"\","
        "\"return_value\":null,\"execution_time\":0.0,\"memory_used_mb\":0.0";
    static const char uncut[] =
        "\"stdout_truncated\":false,\"stderr_truncated\":false,"
        "\"return_value_truncated\":false,\"refused\":[]";
    struct json_writer w;

    json_writer_init(&w, &ret->structured);
    json_begin_object(&w);
    json_put_raw(&w, none, sizeof(none) - 1);
    json_put_key(&w, "error");
    json_put_string(&w, r->sentence);
    json_put_key(&w, "status");
    json_put_string(&w, r->status);
    put_refusal_detail(&w, r);
    json_put_raw(&w, uncut, sizeof(uncut) - 1);
    json_put_key(&w, "profile");
    json_put_string(&w, profiles[order->profile].name);
    json_put_key(&w, "request_id");
    json_put_string(&w, request_id);
    json_end_object(&w);
    ret->is_error = true;
}

/* --- results of what was run ---------------------------------------------- */

struct run_cut {
    uint32_t output_bytes; /* of stdout and of stderr */
    uint32_t message_bytes;
    uint32_t traceback_bytes;
};

/* Widest first; results that are errors begin further down. */
static const struct run_cut run_cuts[] = {
    { 20000, CLAIM_MAX_MESSAGE, CLAIM_MAX_DETAIL },
    { 14000, CLAIM_MAX_MESSAGE, CLAIM_MAX_DETAIL },
    { 8000, CLAIM_MAX_MESSAGE, CLAIM_MAX_DETAIL },
    { 4000, 1500, 2000 },
    { 2500, 1000, 1500 },
    { 1500, 700, 1000 },
    { 600, 400, 500 },
    { 200, 150, 100 },
    { 0, 60, 0 },
};

static struct view
cut_text(struct view text, size_t max)
{
    if (text.len > max)
        text.len = utf8_cut(text.data, max);
    return text;
}

/* How long a text gets as a JSON string, quotes and all. */
static size_t
escaped_length(const struct buf *text)
{
    size_t n = 2;

    /* It is JSON of ours: no control characters, only quotes and slashes. */
    for (size_t i = 0; i < text->len; i++)
        n += text->data[i] == '"' || text->data[i] == '\\' ? 2 : 1;
    return n;
}

static bool
result_fits(const struct mcp_result *r)
{
    size_t text = escaped_length(&r->structured);

    if (r->is_error && r->structured.len > MCP_MAX_ERROR_TEXT)
        return false;
    return text + r->structured.len < MCP_MAX_RESULT;
}

static void
put_cut_outcome(struct mcp_result *ret, const struct outcome *outcome,
    const struct order *order, const char *request_id,
    const struct run_cut *cut)
{
    struct outcome o = *outcome;
    struct order bounds = *order;

    if (bounds.output_bytes > cut->output_bytes)
        bounds.output_bytes = cut->output_bytes;
    o.claim.message = cut_text(o.claim.message, cut->message_bytes);
    o.claim.traceback = cut_text(o.claim.traceback, cut->traceback_bytes);
    buf_reset(&ret->structured);
    outcome_to_json(&ret->structured, &o, &bounds, request_id);
}

static void
put_outcome(struct mcp_result *ret, const struct outcome *outcome,
    const struct order *order, const char *request_id)
{
    ret->is_error = outcome_status_of(outcome) != OUTCOME_OK;
    for (size_t i = 0; i < sizeof(run_cuts) / sizeof(run_cuts[0]); i++) {
        put_cut_outcome(ret, outcome, order, request_id, &run_cuts[i]);
        if (!buf_ok(&ret->structured) || result_fits(ret))
            return;
    }
}

/* --- run_python ----------------------------------------------------------- */

static void
answer_refusal(struct mcp_call *c, struct mcp_result *ret, enum fault fault,
    const struct order_parse *parse)
{
    struct refusal r;

    refusal_of(&r, fault, c->x);
    put_refusal(ret, &r, &parse->order, c->x->request->request_id);
}

/* As execute_answer(): the context's turn comes after the validator's. */
static void
answer_outcome(struct mcp_call *c, struct mcp_result *ret,
    const struct order_parse *parse, const struct outcome *outcome)
{
    struct exchange *x = c->x;
    struct refusal r;

    if (outcome_is_refusal(outcome, x->detail, sizeof(x->detail))) {
        refusal_of_claim(&r, &outcome->claim, x);
        put_refusal(ret, &r, &parse->order, x->request->request_id);
    } else if (parse->context_detail[0] != '\0') {
        (void)snprintf(
            x->detail, sizeof(x->detail), "%s", parse->context_detail);
        answer_refusal(c, ret, FAULT_REFUSED, parse);
    } else {
        put_outcome(ret, outcome, &parse->order, x->request->request_id);
    }
}

/* Faults that are no answer to the model. */
static bool
is_ours(enum fault fault)
{
    return fault == FAULT_CANCELLED || fault == FAULT_INTERNAL;
}

/* --- while it runs -------------------------------------------------------- */

/* Bytes of a character whose start was left behind. */
static struct view
whole_characters(struct view text)
{
    while (text.len > 0 && ((unsigned char)text.data[0] & 0xc0) == 0x80) {
        text.data++;
        text.len--;
    }
    text.len = utf8_cut(text.data, text.len);
    return text;
}

/* Seconds of those it may have, and the end of what it has printed. */
static bool
run_on_progress(void *with, const struct progress *p)
{
    struct mcp_stream *s = with;
    struct view text = whole_characters(p->tail);
    uint64_t elapsed_ms = p->elapsed_us / 1000;
    char none[64];

    if (text.len == 0) {
        (void)snprintf(none, sizeof(none), "Running for %.0f s, no output yet",
            (double)p->elapsed_us / 1e6);
        text = view_of(none, strlen(none));
    }
    return mcp_stream_progress(s, (double)elapsed_ms / 1e3, s->total, text);
}

static void
run_listen(struct mcp_call *c, struct order *order)
{
    struct mcp_stream *s = c->stream;

    if (s == NULL)
        return;
    order->progress_ms = MCP_PROGRESS_MS;
    s->total = order->wall_ms / 1000.0;
    s->listener =
        (struct warden_listener){ .progress = run_on_progress, .with = s };
    c->x->listener = &s->listener;
}

static enum fault
run_parsed(
    struct mcp_call *c, struct order_parse *parse, struct mcp_result *ret)
{
    struct run_call call;
    enum fault fault;

    if (parse->order.return_bytes > RUN_MAX_RETURN)
        parse->order.return_bytes = RUN_MAX_RETURN;
    run_listen(c, &parse->order);
    fault = exchange_run(c->x, parse, &call);
    c->x->listener = NULL;
    if (fault == FAULT_NONE)
        answer_outcome(c, ret, parse, &call.answer.outcome);
    else if (!is_ours(fault))
        answer_refusal(c, ret, fault, parse);
    run_call_done(&call);
    return is_ours(fault) ? fault : FAULT_NONE;
}

/* The order, from the arguments; not run yet. */
static enum fault
parse_order(
    struct mcp_call *c, struct order_parse *parse, struct view arguments)
{
    struct exchange *x = c->x;
    enum fault fault = order_from_json(parse, arguments, &x->config->settings,
        x->token, x->detail, sizeof(x->detail));

    parse->order.request_id =
        view_of(x->request->request_id, strlen(x->request->request_id));
    return fault;
}

enum fault
mcp_run_python(
    struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    struct order_parse parse;
    enum fault fault;

    order_parse_init(&parse);
    fault = parse_order(c, &parse, arguments);
    if (fault == FAULT_NONE) {
        if (parse.context_detail[0] != '\0')
            parse.order.kind = ORDER_CHECK;
        fault = run_parsed(c, &parse, ret);
    } else {
        exchange_audit(c->x, fault, &parse);
        if (fault != FAULT_INTERNAL) {
            answer_refusal(c, ret, fault, &parse);
            fault = FAULT_NONE;
        }
    }
    order_parse_done(&parse);
    return fault;
}

/* --- check_python --------------------------------------------------------- */

#define CHECK_MAX_FINDINGS 100
#define CHECK_MAX_MESSAGE 240

/* Of one finding only what the schema knows, whatever the box wrote. */
static void
put_finding(struct json_writer *w, const struct json_value *finding)
{
    static const char *const numbers[] = { "line", "column" };
    static const char *const texts[] = { "rule", "message" };
    const struct json_value *v;
    struct view text;

    json_begin_object(w);
    for (size_t i = 0; i < 2; i++) {
        v = json_member(finding, numbers[i]);
        json_put_key(w, numbers[i]);
        json_put_int(w, v == NULL ? 0 : json_integer(v));
    }
    for (size_t i = 0; i < 2; i++) {
        v = json_member(finding, texts[i]);
        text = v == NULL ? view_of("", 0) : json_text(v);
        json_put_key(w, texts[i]);
        (void)json_put_bytes_cut(w, text.data, text.len, CHECK_MAX_MESSAGE);
    }
    json_end_object(w);
}

static void
put_findings(
    struct json_writer *w, const struct json_value *findings, size_t max)
{
    size_t count = findings == NULL ? 0 : json_length(findings);

    json_put_key(w, "valid");
    json_put_bool(w, findings != NULL && count == 0);
    json_put_key(w, "findings");
    json_begin_array(w);
    for (size_t i = 0; i < count && i < max; i++)
        put_finding(w, json_item(findings, i));
    json_end_array(w);
    json_put_key(w, "findings_truncated");
    json_put_bool(w, count > max);
}

/* `error` NULL: the check was made, `findings` is what it found. */
static void
put_check(struct mcp_result *ret, const struct json_value *findings,
    const char *error, const char *request_id)
{
    struct json_writer w;

    ret->is_error = error != NULL;
    for (size_t max = CHECK_MAX_FINDINGS; max > 0; max /= 2) {
        buf_reset(&ret->structured);
        json_writer_init(&w, &ret->structured);
        json_begin_object(&w);
        put_findings(&w, findings, max);
        json_put_key(&w, "error");
        json_put_string_or_null(&w, error);
        json_put_key(&w, "request_id");
        json_put_string(&w, request_id);
        json_end_object(&w);
        if (result_fits(ret))
            return;
    }
}

static void
check_answer_fault(struct mcp_call *c, struct mcp_result *ret, enum fault fault)
{
    struct refusal r;

    refusal_of(&r, fault, c->x);
    put_check(ret, NULL, r.sentence, c->x->request->request_id);
}

/* The findings as the box wrote them, or why there are none. */
static void
check_answer(struct mcp_call *c, struct mcp_result *ret,
    const struct order *order, const struct outcome *o)
{
    const struct json_bounds bounds = {
        .max_bytes = o->claim.value.len,
        .max_depth = 4,
        .max_values = 4096,
    };
    struct exchange *x = c->x;
    struct json_problem problem;
    struct json_doc *doc = NULL;
    struct buf text;

    if (o->verdict == VERDICT_ENDED && o->claim.kind == CLAIM_FINDINGS &&
        json_read(o->claim.value, &bounds, &doc, &problem) == 0 &&
        json_kind_of(json_root(doc)) == JSON_ARRAY) {
        put_check(ret, json_root(doc), NULL, x->request->request_id);
    } else if (outcome_is_refusal(o, x->detail, sizeof(x->detail))) {
        check_answer_fault(c, ret, FAULT_REFUSED);
    } else {
        buf_init(&text, sizeof(x->detail) - 1);
        outcome_error_text(&text, o, order);
        (void)snprintf(x->detail, sizeof(x->detail), "%s",
            text.len > 0 ? text.data : "The check gave no result");
        buf_done(&text);
        check_answer_fault(c, ret, FAULT_REFUSED);
    }
    json_doc_free(doc);
}

static enum fault
check_parsed(
    struct mcp_call *c, struct order_parse *parse, struct mcp_result *ret)
{
    struct run_call call;
    enum fault fault;

    parse->order.kind = ORDER_FINDINGS;
    fault = exchange_run(c->x, parse, &call);
    if (fault == FAULT_NONE)
        check_answer(c, ret, &parse->order, &call.answer.outcome);
    else if (!is_ours(fault))
        check_answer_fault(c, ret, fault);
    run_call_done(&call);
    return is_ours(fault) ? fault : FAULT_NONE;
}

/* Less than /execute takes; FAULT_FIELD says which field is too much. */
static enum fault
check_fields(struct mcp_call *c, struct view arguments)
{
    static const char *const unwanted[] = { "context", "stdin", "timeout_s",
        NULL };
    struct view found[3];

    (void)json_find_members(arguments, unwanted, found);
    for (size_t i = 0; unwanted[i] != NULL; i++) {
        if (found[i].data == NULL)
            continue;
        (void)snprintf(c->x->detail, sizeof(c->x->detail),
            "Unknown field '%s'; expected code, profile", unwanted[i]);
        return FAULT_FIELD;
    }
    return FAULT_NONE;
}

enum fault
mcp_check_python(
    struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    struct order_parse parse;
    enum fault fault;

    order_parse_init(&parse);
    fault = parse_order(c, &parse, arguments);
    if (fault == FAULT_NONE)
        fault = check_fields(c, arguments);
    if (fault == FAULT_NONE) {
        fault = check_parsed(c, &parse, ret);
    } else {
        exchange_audit(c->x, fault, &parse);
        if (fault != FAULT_INTERNAL) {
            check_answer_fault(c, ret, fault);
            fault = FAULT_NONE;
        }
    }
    order_parse_done(&parse);
    return fault;
}
