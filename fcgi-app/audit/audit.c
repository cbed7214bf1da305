/*
 * audit - one line for each request that asked to run code
 *
 * The fields of a line are made in audit_fields_of(), from the table, before
 * any lock is held.  Under the stream's lock stream_put() sees what the file
 * looks like, ties the line to the one before it, and lets the sink write it.
 */
#include "fcgi-app/audit/audit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/audit/sink.h"
#include "fcgi-app/json/writer.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/log.h"

static struct audit_stream {
    pthread_mutex_t lock;
    struct sink sink;
    struct chain chain;
    uint64_t lost; /* lines that are missing and not yet told of */
    uint64_t written, failed; /* atomic */
    bool is_failing; /* atomic */
    bool must_write; /* atomic; AUDIT_ON_ERROR=refuse */
} stream = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .sink = { .kind = SINK_NONE, .fd = -1, .size = -1 },
};

/* --- under the lock: bytes out -------------------------------------------- */

/* `fields`: what follows the two keys of the chain, up to the brace. */
static int
stream_emit(const char *before, struct view fields)
{
    struct json_writer w;
    struct buf line;
    size_t skip = strlen(before);
    int err = -EMSGSIZE;

    buf_init(&line, CHAIN_MAX_LINE);
    buf_adds(&line, before);
    json_writer_init(&w, &line);
    chain_begin_line(&stream.chain, &w);
    buf_add(&line, fields.data, fields.len);
    buf_adds(&line, "}\n");
    if (buf_ok(&line))
        err = sink_write(&stream.sink, view_of(line.data, line.len));
    if (err == 0)
        chain_advance(
            &stream.chain, view_of(line.data + skip, line.len - skip - 1));
    buf_done(&line);
    return err;
}

static int
stream_emit_event(const char *before, const char *event, uint64_t count)
{
    char now[CLOCK_TEXT], fields[160];
    int n;

    clock_text(now, sizeof(now));
    n = snprintf(fields, sizeof(fields),
        ",\"time\":\"%s\",\"event\":\"%s\",\"count\":%llu", now, event,
        (unsigned long long)count);
    return stream_emit(before, view_of(fields, (size_t)n));
}

/* Go on where `tail` ends, and say so when that is not a line of ours. */
static int
stream_resume(struct view tail)
{
    switch (chain_resume(&stream.chain, tail)) {
    case CHAIN_END_TORN:
        return stream_emit_event("\n", "after_torn_line", 1);
    case CHAIN_END_FOREIGN:
        return stream_emit_event("", "after_foreign_line", 1);
    case CHAIN_END_WHOLE:
        break;
    }
    return 0;
}

/*
 * A file that is new to us: if it has lines, the chain goes on from the last.
 * If it has none, the chain goes on from what this process wrote last.
 */
static int
stream_catch_up(void)
{
    struct buf tail;
    int err;

    buf_init(&tail, 2 * CHAIN_MAX_LINE);
    err = sink_look(&stream.sink, &tail);
    if (err > 0)
        err = tail.len > 0 ? stream_resume(view_of(tail.data, tail.len)) : 0;
    if (err < 0)
        stream.sink.size = -1; /* look again before the next line */
    buf_done(&tail);
    return err;
}

static int
stream_tell_lost(void)
{
    int err = 0;

    if (stream.lost > 0)
        err = stream_emit_event("", "lines_lost", stream.lost);
    if (err == 0)
        stream.lost = 0;
    return err;
}

/* Everything that is to be written; `fields` may be NULL: only what is due. */
static int
stream_put(const struct buf *fields)
{
    int err;

    if (fields != NULL && !buf_ok(fields))
        return -EMSGSIZE;
    err = sink_lock(&stream.sink);
    if (err != 0)
        return err;
    err = stream_catch_up();
    if (err == 0)
        err = stream_tell_lost();
    if (err == 0 && fields != NULL)
        err = stream_emit("", view_of(fields->data, fields->len));
    sink_unlock(&stream.sink);
    return err;
}

/* --- where it goes -------------------------------------------------------- */

/* Started with a file just rotated: the line before ours is in FILE.1. */
static void
stream_look_at_rotated(void)
{
    char path[SINK_MAX_PATH + 2];
    struct buf tail;

    if (stream.sink.kind != SINK_FILE || stream.chain.seq > 0)
        return;
    buf_init(&tail, 2 * CHAIN_MAX_LINE);
    (void)snprintf(path, sizeof(path), "%s.1", stream.sink.path);
    if (sink_tail_of(path, &tail) == 0 && tail.len > 0)
        (void)chain_resume(&stream.chain, view_of(tail.data, tail.len));
    buf_done(&tail);
}

int
audit_open(const struct settings *s)
{
    struct sink fresh;
    int err = sink_open(&fresh, s->audit_log);

    if (err != 0)
        return err;
    (void)pthread_mutex_lock(&stream.lock);
    sink_close(&stream.sink);
    stream.sink = fresh;
    stream.chain = (struct chain){ 0 };
    stream.lost = 0;
    stream_look_at_rotated();
    (void)pthread_mutex_unlock(&stream.lock);
    __atomic_store_n(&stream.is_failing, false, __ATOMIC_RELAXED);
    audit_set_policy(s->audit_on_error);
    return 0;
}

bool
audit_needs_rights(const struct settings *s)
{
    return strcmp(s->audit_log, "journald") == 0;
}

/*
 * What stands last in the file that is being left, be it of a process before
 * us, when nothing was written since the start, or of one beside us.
 */
static void
stream_look_at_left(void)
{
    struct buf tail;

    buf_init(&tail, 2 * CHAIN_MAX_LINE);
    if (sink_look(&stream.sink, &tail) > 0 && tail.len > 0)
        (void)chain_resume(&stream.chain, view_of(tail.data, tail.len));
    buf_done(&tail);
}

int
audit_reopen(void)
{
    struct sink fresh = { .kind = SINK_NONE };
    int err = 0;

    (void)pthread_mutex_lock(&stream.lock);
    if (stream.sink.kind == SINK_FILE)
        err = sink_open(&fresh, stream.sink.path);
    else if (stream.sink.kind == SINK_JOURNALD)
        err = sink_open_journal(&fresh, stream.sink.path);
    if (err == 0 && fresh.kind != SINK_NONE) {
        stream_look_at_left();
        sink_close(&stream.sink);
        stream.sink = fresh;
    }
    (void)pthread_mutex_unlock(&stream.lock);
    return err;
}

void
audit_close(void)
{
    (void)pthread_mutex_lock(&stream.lock);
    sink_close(&stream.sink);
    (void)pthread_mutex_unlock(&stream.lock);
}

void
audit_set_policy(uint32_t on_error)
{
    __atomic_store_n(
        &stream.must_write, on_error == AUDIT_REFUSE, __ATOMIC_RELAXED);
}

uint64_t
audit_head(char ret_hex[SHA256_HEX])
{
    uint64_t seq;

    (void)pthread_mutex_lock(&stream.lock);
    seq = stream.chain.seq;
    sha256_to_hex(stream.chain.digest, ret_hex);
    (void)pthread_mutex_unlock(&stream.lock);
    return seq;
}

void
audit_log_head(const char *when)
{
    char hex[SHA256_HEX];
    unsigned long long seq = audit_head(hex);

    if (seq > 0)
        log_info("audit trail %s seq=%llu head=%s", when, seq, hex);
}

/* --- the line ------------------------------------------------------------- */

static void
put_time(struct json_writer *w, const struct audit_entry *e)
{
    char now[CLOCK_TEXT];

    (void)e;
    clock_text(now, sizeof(now));
    json_put_string(w, now);
}

static void
put_request_id(struct json_writer *w, const struct audit_entry *e)
{
    json_put_string_or_null(w, e->request_id);
}

static void
put_route(struct json_writer *w, const struct audit_entry *e)
{
    json_put_string_or_null(w, e->route);
}

static void
put_address(struct json_writer *w, const struct audit_entry *e)
{
    json_put_string_or_null(w, e->address);
}

static void
put_token_id(struct json_writer *w, const struct audit_entry *e)
{
    json_put_string_or_null(w, e->token_id);
}

static void
put_code_sha256(struct json_writer *w, const struct audit_entry *e)
{
    unsigned char digest[SHA256_BYTES];
    char hex[SHA256_HEX];

    if (e->code.data == NULL) {
        json_put_null(w);
        return;
    }
    sha256_of(e->code.data, e->code.len, digest);
    sha256_to_hex(digest, hex);
    json_put_string(w, hex);
}

static void
put_code_bytes(struct json_writer *w, const struct audit_entry *e)
{
    if (e->code.data == NULL)
        json_put_null(w);
    else
        json_put_uint(w, e->code.len);
}

/* No identifier starts with '+', so the last one cannot be mistaken. */
static void
put_context_keys(struct json_writer *w, const struct audit_entry *e)
{
    size_t count = e->keys == NULL ? 0 : e->keys->count;
    char more[40];

    json_begin_array(w);
    for (size_t i = 0; i < count && i < CONTEXT_KEYS_KEPT; i++)
        json_put_string(w, e->keys->names[i]);
    if (count > CONTEXT_KEYS_KEPT) {
        (void)snprintf(
            more, sizeof(more), "+%zu more", count - CONTEXT_KEYS_KEPT);
        json_put_string(w, more);
    }
    json_end_array(w);
}

static void
put_profile(struct json_writer *w, const struct audit_entry *e)
{
    json_put_string_or_null(w, e->profile);
}

static void
put_status(struct json_writer *w, const struct audit_entry *e)
{
    json_put_string_or_null(w, e->status);
}

static void
put_http_status(struct json_writer *w, const struct audit_entry *e)
{
    json_put_int(w, e->http_status);
}

/* All times of a line, in milliseconds. */
static const struct audit_time {
    const char *name;
    size_t field;
} audit_times[] = {
    { "wall_ms", offsetof(struct audit_entry, wall_us) },
    { "cpu_ms", offsetof(struct audit_entry, cpu_us) },
    { "wait_ms", offsetof(struct audit_entry, wait_us) },
    { "handover_ms", offsetof(struct audit_entry, handover_us) },
    { "validate_ms", offsetof(struct audit_entry, validate_us) },
    { "run_ms", offsetof(struct audit_entry, run_us) },
    { "collect_ms", offsetof(struct audit_entry, collect_us) },
};

static void
put_times(struct json_writer *w, const struct audit_entry *e)
{
    for (size_t i = 0; i < sizeof(audit_times) / sizeof(audit_times[0]); i++) {
        uint64_t us;

        memcpy(&us, (const char *)e + audit_times[i].field, sizeof(us));
        json_put_key(w, audit_times[i].name);
        json_put_double(w, (double)us / 1000.0);
    }
}

static void
put_memory_mb(struct json_writer *w, const struct audit_entry *e)
{
    uint64_t hundredths =
        (uint64_t)((double)e->memory_bytes * 100.0 / 1048576.0 + 0.5);

    json_put_double(w, (double)hundredths / 100.0);
}

/* The fields in their order, then the times.  Readers rely on both. */
static const struct audit_field {
    const char *name;
    void (*put)(struct json_writer *w, const struct audit_entry *e);
} audit_fields[] = {
    { "time", put_time },
    { "request_id", put_request_id },
    { "route", put_route },
    { "address", put_address },
    { "token_id", put_token_id },
    { "code_sha256", put_code_sha256 },
    { "code_bytes", put_code_bytes },
    { "context_keys", put_context_keys },
    { "profile", put_profile },
    { "status", put_status },
    { "http_status", put_http_status },
    { "memory_mb", put_memory_mb },
};

static void
audit_fields_of(struct buf *b, const struct audit_entry *e)
{
    struct json_writer w;

    json_writer_init(&w, b);
    w.needs_comma = true; /* they follow those of the chain */
    for (size_t i = 0; i < sizeof(audit_fields) / sizeof(audit_fields[0]);
         i++) {
        json_put_key(&w, audit_fields[i].name);
        audit_fields[i].put(&w, e);
    }
    put_times(&w, e);
}

/* --- writing -------------------------------------------------------------- */

/* Lines to nowhere are neither written nor failed. */
static void
audit_count(int err, bool is_line)
{
    if (is_line)
        (void)__atomic_add_fetch(
            err == 0 ? &stream.written : &stream.failed, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&stream.is_failing, err != 0, __ATOMIC_RELAXED);
}

static bool
audit_may_fail(void)
{
    return !__atomic_load_n(&stream.must_write, __ATOMIC_RELAXED);
}

bool
audit_is_well(void)
{
    return !__atomic_load_n(&stream.is_failing, __ATOMIC_RELAXED);
}

static bool
audit_put(const struct buf *fields)
{
    int err = 0;

    (void)pthread_mutex_lock(&stream.lock);
    if (stream.sink.kind != SINK_NONE) {
        err = stream_put(fields);
        if (err != 0 && fields != NULL)
            stream.lost++;
        audit_count(err, fields != NULL);
    }
    (void)pthread_mutex_unlock(&stream.lock);
    return err == 0;
}

bool
audit_write(const struct audit_entry *e)
{
    struct buf fields;
    bool is_written;

    buf_init(&fields, CHAIN_MAX_LINE);
    audit_fields_of(&fields, e);
    is_written = audit_put(&fields);
    buf_done(&fields);
    return is_written || audit_may_fail();
}

void
audit_retry(void)
{
    if (!audit_is_well())
        (void)audit_put(NULL);
}

bool
audit_is_refusing(void)
{
    return !audit_may_fail() && !audit_is_well();
}

bool
audit_is_open_for_runs(void)
{
    if (audit_is_refusing())
        audit_retry();
    return !audit_is_refusing();
}

uint64_t
audit_written(void)
{
    return __atomic_load_n(&stream.written, __ATOMIC_RELAXED);
}

uint64_t
audit_failed(void)
{
    return __atomic_load_n(&stream.failed, __ATOMIC_RELAXED);
}
