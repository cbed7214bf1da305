/*
 * log - one line to standard error for each thing worth knowing
 *
 *   2026-01-31T23:59:59.123Z INFO warden template ready profile=restricted
 *
 * time, level, process, request id (if one is set for this thread as
 * `req=...`), sentence, key=value pairs.  The caller writes pairs as part of
 * the format; values that a stranger chose go through log_safe().  Never
 * code, bodies or tokens.  A line is at most 1 KiB, written with one write().
 *
 * LOG_FORMAT chooses another spelling of the same line.  The pairs that end
 * the sentence become fields of their own:
 *
 *   time=... level=info process=warden msg="template ready" profile=restricted
 *   {"time":"...","level":"info","process":"warden","msg":"template ready",
 *    "profile":"restricted"}                                     (one line)
 *
 * Both are valid whatever is in them: a byte that is not printable ASCII
 * becomes '?', quotes and backslashes are escaped.
 */
#ifndef GLOVEBOX_LOG_H
#define GLOVEBOX_LOG_H

#include <stddef.h>

enum log_level {
    LOG_DEBUG,
    LOG_INFO,
    LOG_WARN,
    LOG_ERROR,
};

enum log_format {
    LOG_TEXT,
    LOG_LOGFMT,
    LOG_JSON,
};

/* `process`: "app", "warden", "template".  Not copied. */
void log_open(const char *process, enum log_level level);
void log_set_level(enum log_level level);
/* A number that is no format means LOG_TEXT. */
void log_set_format(enum log_format format);

/* This thread's request id from now on; NULL for none.  Not copied. */
void log_set_request(const char *request_id);

void log_line(enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)

/*
 * `text` with everything but letters, digits and -_./: made '?', cut to fit.
 * Returns `room`.
 */
const char *log_safe(char *room, size_t size, const char *text, size_t len);

#endif
