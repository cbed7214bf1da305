/* problems - all that is wrong, gathered into one line */
#include "fcgi-app/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
problems_init(struct problems *p, char *line, size_t size)
{
    *p = (struct problems){ .line = line, .size = size };
    if (size > 0)
        line[0] = '\0';
}

static void
problems_put(struct problems *p, const char *fmt, va_list ap)
{
    int n;

    if (p->len + 1 >= p->size)
        return;
    n = vsnprintf(p->line + p->len, p->size - p->len, fmt, ap);
    if (n < 0)
        return;
    p->len += (size_t)n;
    if (p->len < p->size)
        return;
    p->len = p->size - 1;
    if (p->size > 4)
        memcpy(p->line + p->size - 4, "...", 3);
}

static void __attribute__((format(printf, 2, 3)))
problems_putf(struct problems *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    problems_put(p, fmt, ap);
    va_end(ap);
}

void
problems_add(struct problems *p, const char *fmt, ...)
{
    va_list ap;

    if (p->count++ > 0)
        problems_putf(p, "; ");
    va_start(ap, fmt);
    problems_put(p, fmt, ap);
    va_end(ap);
}
