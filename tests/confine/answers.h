/*
 * answers - system calls that are not made, and what they are answered
 *
 * A filter of the test's own around whatever comes next in this process and in
 * those it starts.  An answer of 0 is a lie: the call says that it did what
 * was asked.  There is no way back.
 */
#ifndef GLOVEBOX_CONFINE_ANSWERS_H
#define GLOVEBOX_CONFINE_ANSWERS_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>

#define LIE 0

struct answer {
    int call;
    int error; /* LIE: 0 is returned and nothing done */
    const struct scmp_arg_cmp *only; /* NULL: whatever its arguments */
};

/* For `only`: argument n has, or has not, this value. */
#define ANSWER_ARG(n, op, value)                                               \
    &(const struct scmp_arg_cmp)                                               \
    {                                                                          \
        (n), (op), (value), 0                                                  \
    }
#define ARG(n, value) ANSWER_ARG(n, SCMP_CMP_EQ, value)
#define NOT(n, value) ANSWER_ARG(n, SCMP_CMP_NE, value)

/* Of `n` rows, up to one that is all zero.  False: no filter was made. */
bool answers_give(const struct answer *answers, size_t n);

#endif
