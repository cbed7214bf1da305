/*
 * audit - one line for each request that asked to run code
 *
 * A line is made in audit_line(), from the table of fields, and leaves the
 * process in audit_emit(), under the lock, one at a time.  Whatever ties
 * lines to each other belongs there and nowhere else.
 */
#include "fcgi-app/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/json/writer.h"
#include "fcgi-app/sha256.h"
#include "sandbox/base/clock.h"

/* Far more than the fields can have; a bound all the same. */
#define AUDIT_MAX_LINE 32768

static struct audit_stream {
    pthread_mutex_t lock;
    int fd; /* -1: nowhere */
    char path[SETTINGS_MAX_TEXT]; /* "" for stderr or nowhere */
    uint64_t written, failed; /* atomic */
} stream = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* --- where it goes -------------------------------------------------------- */

static int
stream_open_path(const char *path)
{
    int fd = open(path,
        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
        0640);

    return fd < 0 ? -errno : fd;
}

/* Takes `fd` over; closes the one before, but never standard error. */
static void
stream_use(int fd, const char *path)
{
    int before;

    (void)pthread_mutex_lock(&stream.lock);
    before = stream.fd;
    stream.fd = fd;
    if (path != stream.path)
        (void)snprintf(stream.path, sizeof(stream.path), "%s", path);
    (void)pthread_mutex_unlock(&stream.lock);
    if (before > STDERR_FILENO)
        (void)close(before);
}

int
audit_open(const struct settings *s)
{
    int fd;

    if (s->audit_log[0] != '/') {
        stream_use(s->audit_log[0] == '\0' ? -1 : STDERR_FILENO, "");
        return 0;
    }
    fd = stream_open_path(s->audit_log);
    if (fd < 0)
        return fd;
    stream_use(fd, s->audit_log);
    return 0;
}

int
audit_reopen(void)
{
    int fd;

    if (stream.path[0] == '\0')
        return 0;
    fd = stream_open_path(stream.path);
    if (fd < 0)
        return fd;
    stream_use(fd, stream.path);
    return 0;
}

void
audit_close(void)
{
    stream_use(-1, "");
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

static void
put_wall_ms(struct json_writer *w, const struct audit_entry *e)
{
    json_put_double(w, (double)e->wall_us / 1000.0);
}

static void
put_cpu_ms(struct json_writer *w, const struct audit_entry *e)
{
    json_put_double(w, (double)e->cpu_us / 1000.0);
}

static void
put_wait_ms(struct json_writer *w, const struct audit_entry *e)
{
    json_put_double(w, (double)e->wait_us / 1000.0);
}

static void
put_memory_mb(struct json_writer *w, const struct audit_entry *e)
{
    uint64_t hundredths =
        (uint64_t)((double)e->memory_bytes * 100.0 / 1048576.0 + 0.5);

    json_put_double(w, (double)hundredths / 100.0);
}

/* The fields in their order.  Readers of old lines rely on both. */
static const struct audit_field {
    const char *name;
    void (*put)(struct json_writer *w, const struct audit_entry *e);
} audit_fields[] = {
    { "time", put_time },
    { "request_id", put_request_id },
    { "address", put_address },
    { "token_id", put_token_id },
    { "code_sha256", put_code_sha256 },
    { "code_bytes", put_code_bytes },
    { "context_keys", put_context_keys },
    { "profile", put_profile },
    { "status", put_status },
    { "http_status", put_http_status },
    { "wall_ms", put_wall_ms },
    { "cpu_ms", put_cpu_ms },
    { "wait_ms", put_wait_ms },
    { "memory_mb", put_memory_mb },
};

static void
audit_line(struct buf *b, const struct audit_entry *e)
{
    struct json_writer w;

    json_writer_init(&w, b);
    json_begin_object(&w);
    for (size_t i = 0; i < sizeof(audit_fields) / sizeof(audit_fields[0]);
         i++) {
        json_put_key(&w, audit_fields[i].name);
        audit_fields[i].put(&w, e);
    }
    json_end_object(&w);
    buf_addc(b, '\n');
}

/* One write(); a line of which only a part was written is a failed one. */
static bool
audit_emit(const struct buf *line)
{
    ssize_t n;

    do {
        n = write(stream.fd, line->data, line->len);
    } while (n < 0 && errno == EINTR);
    return n >= 0 && (size_t)n == line->len;
}

void
audit_write(const struct audit_entry *e)
{
    struct buf line;
    bool is_open, is_written = false;

    buf_init(&line, AUDIT_MAX_LINE);
    audit_line(&line, e);
    (void)pthread_mutex_lock(&stream.lock);
    is_open = stream.fd >= 0;
    if (is_open && buf_ok(&line))
        is_written = audit_emit(&line);
    (void)pthread_mutex_unlock(&stream.lock);
    buf_done(&line);
    if (!is_open)
        return;
    (void)__atomic_add_fetch(
        is_written ? &stream.written : &stream.failed, 1, __ATOMIC_RELAXED);
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
