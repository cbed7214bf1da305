/* outcome_json - an outcome becomes the body of a response */
#include "fcgi-app/outcome_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/json/copy.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/json/writer.h"
#include "sandbox/wire/profile.h"

/* --- how it ended --------------------------------------------------------- */

static const char *const status_names[OUTCOME_STATUS_COUNT] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_ERROR] = "error",
    [OUTCOME_TIMEOUT] = "timeout",
    [OUTCOME_CPU_LIMIT] = "cpu_limit",
    [OUTCOME_MEMORY_LIMIT] = "memory_limit",
    [OUTCOME_KILLED] = "killed",
};

/* `error_detail.type` where no exception of the program gives one. */
static const char *const status_types[OUTCOME_STATUS_COUNT] = {
    [OUTCOME_OK] = "",
    [OUTCOME_ERROR] = "Error",
    [OUTCOME_TIMEOUT] = "TimeLimit",
    [OUTCOME_CPU_LIMIT] = "CpuLimit",
    [OUTCOME_MEMORY_LIMIT] = "MemoryLimit",
    [OUTCOME_KILLED] = "Killed",
};

const char *
outcome_status_name(enum outcome_status status)
{
    if ((unsigned)status >= OUTCOME_STATUS_COUNT)
        status = OUTCOME_KILLED;
    return status_names[status];
}

/* No bytes count as null: a value too large to tell may be left out. */
static bool
value_is_json(struct view value)
{
    return value.len == 0 || json_is_value(value, JSON_COPY_MAX_DEPTH);
}

/* A box that ended by itself: its word counts as far as it is well-formed. */
static enum outcome_status
status_of_claim(const struct claim *c)
{
    switch (c->kind) {
    case CLAIM_VALUE:
    case CLAIM_FINDINGS:
        return value_is_json(c->value) ? OUTCOME_OK : OUTCOME_KILLED;
    case CLAIM_ERROR:
    case CLAIM_REFUSED:
        return OUTCOME_ERROR;
    default:
        return OUTCOME_KILLED;
    }
}

enum outcome_status
outcome_status_of(const struct outcome *o)
{
    switch (o->verdict) {
    case VERDICT_ENDED:
        return status_of_claim(&o->claim);
    case VERDICT_TIMEOUT:
        return OUTCOME_TIMEOUT;
    case VERDICT_CPU:
        return OUTCOME_CPU_LIMIT;
    case VERDICT_MEMORY:
        return OUTCOME_MEMORY_LIMIT;
    default:
        return OUTCOME_KILLED;
    }
}

/* --- the error as a sentence ---------------------------------------------- */

/* Text of anybody into a plain buf, as strict UTF-8. */
static void
add_safe(struct buf *b, struct view text)
{
    size_t n;

    while (text.len > 0) {
        n = utf8_char(text.data, text.len);
        if (n == 0)
            buf_adds(b, "\xef\xbf\xbd");
        else
            buf_add(b, text.data, n);
        text.data += n == 0 ? 1 : n;
        text.len -= n == 0 ? 1 : n;
    }
}

/* " at line 3, in f", as far as the box said so before it was stopped. */
static void
add_where(struct buf *b, const struct outcome *o)
{
    char name[80];

    if (o->where_line == 0)
        return;
    buf_addf(b, " at line %u", (unsigned)o->where_line);
    if (o->where_name.len == 0 || o->where_name.data[0] == '<')
        return;
    buf_addf(b, ", in %s",
        utf8_safe(name, sizeof(name), o->where_name.data, o->where_name.len));
}

static void
add_crash(struct buf *b, int number)
{
    const char *name = sigabbrev_np(number);

    if (name == NULL)
        buf_addf(b, "The program was killed by signal %d", number);
    else
        buf_addf(
            b, "The program was killed by signal %d (SIG%s)", number, name);
}

static void
add_sentence(struct buf *b, const struct outcome *o, const struct order *order)
{
    switch (o->verdict) {
    case VERDICT_TIMEOUT:
        buf_addf(b, "Time limit of %g s reached", order->wall_ms / 1000.0);
        add_where(b, o);
        break;
    case VERDICT_CPU:
        buf_addf(b, "CPU time limit of %g s reached", order->cpu_ms / 1000.0);
        add_where(b, o);
        break;
    case VERDICT_MEMORY:
        buf_addf(b, "Memory limit of %llu MB reached",
            (unsigned long long)(order->memory_bytes >> 20));
        add_where(b, o);
        break;
    case VERDICT_FORBIDDEN:
        buf_adds(b, "The program was killed: it made a system call that the "
                    "sandbox forbids");
        break;
    case VERDICT_CRASHED:
        add_crash(b, o->number);
        break;
    case VERDICT_EXITED:
        buf_addf(b, "The program ended its own process with exit status %d",
            (int)o->number);
        break;
    case VERDICT_NOISY:
        buf_adds(b, "The program was killed: it made too many system calls "
                    "that the sandbox refused");
        break;
    case VERDICT_NOT_STARTED:
        buf_adds(b, "The program could not be started");
        break;
    default:
        buf_adds(b, "The program ended without a result that can be read");
        break;
    }
}

/* "TypeName: message"; one of them when the other is empty. */
static void
add_exception(struct buf *b, const struct claim *c)
{
    if (c->type.len == 0 && c->message.len == 0) {
        buf_adds(b, status_types[OUTCOME_ERROR]);
        return;
    }
    add_safe(b, c->type);
    if (c->type.len > 0 && c->message.len > 0)
        buf_adds(b, ": ");
    add_safe(b, c->message);
}

void
outcome_error_text(
    struct buf *b, const struct outcome *o, const struct order *order)
{
    enum outcome_status status = outcome_status_of(o);

    if (status == OUTCOME_ERROR)
        add_exception(b, &o->claim);
    else if (status != OUTCOME_OK)
        add_sentence(b, o, order);
}

bool
outcome_is_refusal(const struct outcome *o, char *detail, size_t detail_size)
{
    const struct view *m = &o->claim.message;

    if (o->verdict != VERDICT_ENDED || o->claim.kind != CLAIM_REFUSED)
        return false;
    (void)utf8_safe(detail, detail_size, m->data, m->len);
    if (detail[0] == '\0')
        (void)snprintf(detail, detail_size, "Code was refused");
    return true;
}

/* --- the body ------------------------------------------------------------- */

/* What the fields of one response share. */
struct telling {
    const struct outcome *outcome;
    const struct order *order;
    const char *request_id;
    enum outcome_status status;
    struct buf error; /* outcome_error_text() */
    bool is_stdout_cut, is_stderr_cut; /* known once they are written */
};

static void
put_success(struct json_writer *w, struct telling *t)
{
    json_put_bool(w, t->status == OUTCOME_OK);
}

/*
 * What was cut in the middle of a character loses its torn end; what was not
 * cut keeps even a torn end, as U+FFFD.
 */
static bool
put_output(struct json_writer *w, struct view text, bool is_cut, size_t max)
{
    size_t len = is_cut ? utf8_cut(text.data, text.len) : text.len;

    return json_put_bytes_cut(w, text.data, len, max) || is_cut;
}

static void
put_stdout(struct json_writer *w, struct telling *t)
{
    const struct outcome *o = t->outcome;

    t->is_stdout_cut = put_output(
        w, o->stdout_text, o->stdout_cut != 0, t->order->output_bytes);
}

static void
put_stderr(struct json_writer *w, struct telling *t)
{
    const struct outcome *o = t->outcome;

    t->is_stderr_cut = put_output(
        w, o->stderr_text, o->stderr_cut != 0, t->order->output_bytes);
}

static void
put_return_value(struct json_writer *w, struct telling *t)
{
    const struct claim *c = &t->outcome->claim;

    if (t->status != OUTCOME_OK || c->kind != CLAIM_VALUE ||
        json_copy_value(w, c->value, JSON_COPY_MAX_DEPTH) != 0)
        json_put_null(w);
}

static void
put_execution_time(struct json_writer *w, struct telling *t)
{
    json_put_double(w, (double)t->outcome->wall_us / 1e6);
}

/* In thousandths of a MiB; more digits would be noise. */
static void
put_memory(struct json_writer *w, struct telling *t)
{
    uint64_t thousandths =
        (uint64_t)((double)t->outcome->memory_bytes * 1000.0 / 1048576.0 + 0.5);

    json_put_double(w, (double)thousandths / 1000.0);
}

static void
put_error(struct json_writer *w, struct telling *t)
{
    if (t->status == OUTCOME_OK)
        json_put_null(w);
    else
        json_put_bytes(w, t->error.data, t->error.len);
}

static void
put_status(struct json_writer *w, struct telling *t)
{
    json_put_string(w, outcome_status_name(t->status));
}

static void
put_text_or_null(struct json_writer *w, struct view text)
{
    if (text.len == 0)
        json_put_null(w);
    else
        json_put_bytes(w, text.data, text.len);
}

static void
put_line(struct json_writer *w, uint32_t line)
{
    if (line == 0)
        json_put_null(w);
    else
        json_put_uint(w, line);
}

/* The exception when there is one, else what the sentence says. */
static void
put_error_detail(struct json_writer *w, struct telling *t)
{
    const struct claim *c = &t->outcome->claim;
    bool has_exception = c->kind == CLAIM_ERROR || c->kind == CLAIM_REFUSED;

    if (t->status == OUTCOME_OK) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    json_put_key(w, "type");
    if (has_exception && c->type.len > 0)
        json_put_bytes(w, c->type.data, c->type.len);
    else
        json_put_string(w, status_types[t->status]);
    json_put_key(w, "message");
    if (has_exception)
        json_put_bytes(w, c->message.data, c->message.len);
    else
        json_put_bytes(w, t->error.data, t->error.len);
    json_put_key(w, "line");
    put_line(w, has_exception ? c->line : t->outcome->where_line);
    json_put_key(w, "traceback");
    put_text_or_null(w, has_exception ? c->traceback : view_of("", 0));
    json_end_object(w);
}

static void
put_stdout_truncated(struct json_writer *w, struct telling *t)
{
    json_put_bool(w, t->is_stdout_cut);
}

static void
put_stderr_truncated(struct json_writer *w, struct telling *t)
{
    json_put_bool(w, t->is_stderr_cut);
}

static void
put_return_truncated(struct json_writer *w, struct telling *t)
{
    const struct claim *c = &t->outcome->claim;

    json_put_bool(w, t->status == OUTCOME_OK && c->kind == CLAIM_VALUE &&
                         (c->flags & CLAIM_VALUE_CUT) != 0);
}

static void
put_refused(struct json_writer *w, struct telling *t)
{
    const struct outcome *o = t->outcome;

    json_begin_array(w);
    for (size_t i = 0; i < o->refused_count && i < OUTCOME_MAX_REFUSED; i++) {
        json_begin_object(w);
        json_put_key(w, "call");
        json_put_bytes(w, o->refused[i].call,
            strnlen(o->refused[i].call, OUTCOME_MAX_CALL));
        json_put_key(w, "count");
        json_put_uint(w, o->refused[i].count);
        json_end_object(w);
    }
    json_end_array(w);
}

static void
put_profile(struct json_writer *w, struct telling *t)
{
    uint32_t id = t->order->profile;

    json_put_string(w, id < PROFILE_COUNT ? profiles[id].name : "");
}

static void
put_request_id(struct json_writer *w, struct telling *t)
{
    json_put_string(w, t->request_id);
}

/* The contract's fields in the contract's order: seven old ones, then ours. */
static const struct response_field {
    const char *name;
    void (*put)(struct json_writer *w, struct telling *t);
} response_fields[] = {
    { "success", put_success },
    { "stdout", put_stdout },
    { "stderr", put_stderr },
    { "return_value", put_return_value },
    { "execution_time", put_execution_time },
    { "memory_used_mb", put_memory },
    { "error", put_error },
    { "status", put_status },
    { "error_detail", put_error_detail },
    { "stdout_truncated", put_stdout_truncated },
    { "stderr_truncated", put_stderr_truncated },
    { "return_value_truncated", put_return_truncated },
    { "refused", put_refused },
    { "profile", put_profile },
    { "request_id", put_request_id },
};

/* Of the texts of a claim; three bytes for one is what U+FFFD can cost. */
#define ERROR_MAX_BYTES (3 * (CLAIM_MAX_TYPE + CLAIM_MAX_MESSAGE) + 512)

/* An escape can make six bytes of one. */
size_t
outcome_json_max_bytes(const struct settings *s)
{
    return 6 * (2 * (size_t)s->output_bytes + 2 * ERROR_MAX_BYTES +
                   3 * CLAIM_MAX_DETAIL) +
           s->return_bytes + 64 * OUTCOME_MAX_REFUSED + 2048;
}

void
outcome_to_json(struct buf *b, const struct outcome *o,
    const struct order *order, const char *request_id)
{
    struct telling t = {
        .outcome = o,
        .order = order,
        .request_id = request_id,
        .status = outcome_status_of(o),
    };
    struct json_writer w;

    buf_init(&t.error, ERROR_MAX_BYTES);
    outcome_error_text(&t.error, o, order);
    json_writer_init(&w, b);
    json_begin_object(&w);
    for (size_t i = 0; i < sizeof(response_fields) / sizeof(response_fields[0]);
         i++) {
        json_put_key(&w, response_fields[i].name);
        response_fields[i].put(&w, &t);
    }
    json_end_object(&w);
    if (!buf_ok(&t.error))
        b->failed = true;
    buf_done(&t.error);
}

/* --- findings ------------------------------------------------------------- */

/* An array; and has it anything in it? */
static bool
is_array(struct view text, bool *ret_is_empty)
{
    struct json_scan s;

    if (!json_is_value(text, JSON_COPY_MAX_DEPTH))
        return false;
    json_scan_init(&s, text);
    if (json_scan_next(&s) != JSON_TOKEN_ARRAY)
        return false;
    *ret_is_empty = json_scan_next(&s) == JSON_TOKEN_ARRAY_END;
    return true;
}

int
findings_to_json(struct buf *b, const struct outcome *o, const char *request_id)
{
    struct json_writer w;
    bool is_empty;

    if (o->verdict != VERDICT_ENDED || o->claim.kind != CLAIM_FINDINGS ||
        !is_array(o->claim.value, &is_empty))
        return -EPROTO;
    json_writer_init(&w, b);
    json_begin_object(&w);
    json_put_key(&w, "valid");
    json_put_bool(&w, is_empty);
    json_put_key(&w, "findings");
    (void)json_copy_value(&w, o->claim.value, JSON_COPY_MAX_DEPTH);
    json_put_key(&w, "request_id");
    json_put_string(&w, request_id);
    json_end_object(&w);
    return 0;
}
