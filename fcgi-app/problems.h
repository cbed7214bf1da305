/*
 * problems - all that is wrong, gathered into one line
 *
 * Whoever starts a service wants every mistake at once, not one a try.
 */
#ifndef GLOVEBOX_PROBLEMS_H
#define GLOVEBOX_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

struct problems {
    char *line; /* the caller's room */
    size_t size;
    size_t len;
    unsigned count;
};

void problems_init(struct problems *p, char *line, size_t size);
/* Add one, after "; ".  What does not fit is counted and cut with "...". */
void problems_add(struct problems *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
