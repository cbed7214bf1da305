/* log - one line to standard error for each thing worth knowing */
#include "sandbox/base/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/base/clock.h"

#define LOG_MAX_LINE 1024
/*
 * Escapes can double a sentence and fields add their quotes; with these bounds
 * the longest line in any format fits.
 */
#define LOG_MAX_ID 128
#define LOG_MAX_FIELDS 4096
#define LOG_MAX_PAIRS 16

static const char *const log_level_names[] = {
    [LOG_DEBUG] = "DEBUG",
    [LOG_INFO] = "INFO",
    [LOG_WARN] = "WARN",
    [LOG_ERROR] = "ERROR",
};

static const char *log_process = "glovebox";
static enum log_level log_least = LOG_INFO;
static enum log_format log_spelling = LOG_TEXT;
static _Thread_local const char *log_request;
static atomic_uint log_lost; /* lines nobody has been told of */

void
log_open(const char *process, enum log_level level)
{
    log_process = process;
    log_least = level;
}

void
log_set_level(enum log_level level)
{
    log_least = level;
}

void
log_set_format(enum log_format format)
{
    log_spelling = format;
}

void
log_set_request(const char *request_id)
{
    log_request = request_id;
}

/*
 * One write, so that lines of several processes do not mix.  When nobody reads
 * them they are counted and dropped: a log that is full must not hold up the
 * service (fd_unblock() at the start; a socket is asked here).
 */
static void
log_put(char *line, size_t len)
{
    int saved = errno;
    ssize_t n;

    line[len++] = '\n';
    n = send(STDERR_FILENO, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK)
        n = write(STDERR_FILENO, line, len);
    if (n < 0)
        atomic_fetch_add(&log_lost, 1);
    errno = saved;
}

/* --- fields --------------------------------------------------------------- */

struct log_out {
    char line[LOG_MAX_FIELDS + 1];
    size_t len;
    bool is_json;
};

static void
out_char(struct log_out *o, char c)
{
    if (o->len < LOG_MAX_FIELDS)
        o->line[o->len++] = c;
}

static void
out_text(struct log_out *o, const char *text)
{
    while (*text != '\0')
        out_char(o, *text++);
}

/* Between quotes, of which both formats need the same escapes. */
static void
out_quoted(struct log_out *o, const char *text, size_t len)
{
    out_char(o, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '"' || c == '\\')
            out_char(o, '\\');
        out_char(o, c < ' ' || c > '~' ? '?' : (char)c);
    }
    out_char(o, '"');
}

/* logfmt quotes only what needs it. */
static bool
value_is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~' || strchr("\"\\=", text[i]) != NULL)
            return false;
    return len > 0;
}

static void
out_field(struct log_out *o, const char *key, size_t key_len, const char *value,
    size_t len)
{
    if (o->is_json) {
        out_char(o, o->len == 0 ? '{' : ',');
        out_quoted(o, key, key_len);
        out_char(o, ':');
        out_quoted(o, value, len);
        return;
    }
    if (o->len > 0)
        out_char(o, ' ');
    for (size_t i = 0; i < key_len; i++)
        out_char(o, key[i]);
    out_char(o, '=');
    if (!value_is_plain(value, len)) {
        out_quoted(o, value, len);
        return;
    }
    for (size_t i = 0; i < len; i++)
        out_char(o, value[i]);
}

/* A pair at the end of a sentence. */
struct log_pair {
    const char *key, *value;
    size_t key_len, len;
};

static bool
pair_is(const struct log_pair *p, const char *key, size_t len)
{
    return p->key_len == len && memcmp(p->key, key, len) == 0;
}

/* Is the word a pair whose key is not taken? */
static bool
pair_read(const char *word, size_t len, const struct log_pair *taken,
    size_t count, struct log_pair *ret_pair)
{
    static const char *const ours[] = { "time", "level", "process", "msg",
        "req" };
    size_t ours_count = log_request != NULL ? 5 : 4;
    size_t n = 0;

    while (n < len && ((word[n] >= 'a' && word[n] <= 'z') || word[n] == '_'))
        n++;
    if (n == 0 || n == len || word[n] != '=')
        return false;
    *ret_pair = (struct log_pair){ word, word + n + 1, n, len - n - 1 };
    for (size_t i = 0; i < ours_count; i++)
        if (pair_is(ret_pair, ours[i], strlen(ours[i])))
            return false;
    for (size_t i = 0; i < count; i++)
        if (pair_is(&taken[i], word, n))
            return false;
    return true;
}

/* Cuts the pairs off the end of `text`; they come last one first. */
static size_t
pairs_cut(const char *text, size_t *len, struct log_pair pairs[LOG_MAX_PAIRS])
{
    size_t count = 0;

    while (count < LOG_MAX_PAIRS) {
        const char *blank = memrchr(text, ' ', *len);
        const char *word = blank == NULL ? text : blank + 1;

        if (!pair_read(word, (size_t)(text + *len - word), pairs, count,
                &pairs[count]))
            break;
        count++;
        *len = blank == NULL ? 0 : (size_t)(blank - text);
        if (blank == NULL)
            break;
    }
    return count;
}

static void
log_put_fields(
    enum log_level level, const char *now, const char *text, size_t len)
{
    static const char *const levels[] = { "debug", "info", "warn", "error" };
    struct log_out o = { .is_json = log_spelling == LOG_JSON };
    struct log_pair pairs[LOG_MAX_PAIRS] = { { 0 } };
    size_t count = pairs_cut(text, &len, pairs);

    out_field(&o, "time", 4, now, strlen(now));
    out_field(&o, "level", 5, levels[level], strlen(levels[level]));
    out_field(&o, "process", 7, log_process, strlen(log_process));
    if (log_request != NULL)
        out_field(&o, "req", 3, log_request, strnlen(log_request, LOG_MAX_ID));
    out_field(&o, "msg", 3, text, len);
    while (count-- > 0)
        out_field(&o, pairs[count].key, pairs[count].key_len,
            pairs[count].value, pairs[count].len);
    out_text(&o, o.is_json ? "}" : "");
    log_put(o.line, o.len);
}

/* --- text ----------------------------------------------------------------- */

static void
log_put_text(enum log_level level, const char *now, const char *text)
{
    char line[LOG_MAX_LINE + 1];
    size_t at;
    int n;

    n = snprintf(line, LOG_MAX_LINE, "%s %s %s%s%s %s", now,
        log_level_names[level], log_process, log_request ? " req=" : "",
        log_request ? log_request : "", text);
    at = (size_t)n < LOG_MAX_LINE ? (size_t)n : LOG_MAX_LINE - 1;
    for (size_t i = 0; i < at; i++)
        if (iscntrl((unsigned char)line[i]))
            line[i] = '?';
    log_put(line, at);
}

/* Before the next line: how many are missing here. */
static void
log_tell_lost(void)
{
    unsigned lost = atomic_exchange(&log_lost, 0);

    if (lost == 0)
        return;
    log_line(LOG_WARN, "log lines lost count=%u", lost);
    /* That one was lost, too: they are still to be told of. */
    if (atomic_load(&log_lost) > 0)
        atomic_fetch_add(&log_lost, lost - 1);
}

void
log_line(enum log_level level, const char *fmt, ...)
{
    char text[LOG_MAX_LINE], now[CLOCK_TEXT];
    va_list ap;
    int n;

    if (level < log_least)
        return;
    log_tell_lost();
    clock_text(now, sizeof(now));
    va_start(ap, fmt);
    n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    /* "%c" can put a NUL into the middle; it ends no line. */
    n = (size_t)n < sizeof(text) ? n : (int)sizeof(text) - 1;
    for (int i = 0; i < n; i++)
        if (text[i] == '\0')
            text[i] = '?';
    if (log_spelling == LOG_LOGFMT || log_spelling == LOG_JSON)
        log_put_fields(level, now, text, (size_t)n);
    else
        log_put_text(level, now, text);
}

const char *
log_safe(char *room, size_t size, const char *text, size_t len)
{
    size_t n = len < size - 1 ? len : size - 1;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        room[i] = isalnum(c) || strchr("-_./:", c) ? (char)c : '?';
        if (c == '\0')
            room[i] = '?';
    }
    room[n] = '\0';
    return room;
}
