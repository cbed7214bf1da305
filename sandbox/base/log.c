/* log - one line to standard error for each thing worth knowing */
#include "sandbox/base/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/base/clock.h"

#define LOG_MAX_LINE 1024

static const char *const log_level_names[] = {
    [LOG_DEBUG] = "DEBUG",
    [LOG_INFO] = "INFO",
    [LOG_WARN] = "WARN",
    [LOG_ERROR] = "ERROR",
};

static const char *log_process = "glovebox";
static enum log_level log_least = LOG_INFO;
static _Thread_local const char *log_request;

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
log_set_request(const char *request_id)
{
    log_request = request_id;
}

/* One write, so that lines of several processes do not mix. */
static void
log_put(char *line, size_t len)
{
    int saved = errno;

    line[len] = '\n';
    (void)!write(STDERR_FILENO, line, len + 1);
    errno = saved;
}

void
log_line(enum log_level level, const char *fmt, ...)
{
    char line[LOG_MAX_LINE + 1], now[CLOCK_TEXT];
    size_t at;
    va_list ap;
    int n;

    if (level < log_least)
        return;
    clock_text(now, sizeof(now));
    n = snprintf(line, LOG_MAX_LINE, "%s %s %s%s%s ", now,
        log_level_names[level], log_process, log_request ? " req=" : "",
        log_request ? log_request : "");
    at = (size_t)n < LOG_MAX_LINE ? (size_t)n : LOG_MAX_LINE - 1;
    va_start(ap, fmt);
    n = vsnprintf(line + at, LOG_MAX_LINE - at, fmt, ap);
    va_end(ap);
    at += (size_t)n < LOG_MAX_LINE - at ? (size_t)n : LOG_MAX_LINE - at - 1;
    for (size_t i = 0; i < at; i++)
        if (iscntrl((unsigned char)line[i]))
            line[i] = '?';
    log_put(line, at);
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
