/*
 * verify - is this trail the one that was written?
 *
 * Takes the lines of one or more files in their order, oldest first.  A trail
 * may begin anywhere (older files are gone) but has no holes from there on.
 * What was cut off at its end cannot be seen in it: for that the digest of
 * the last line is given, to be compared with one that was noted elsewhere.
 */
#ifndef GLOVEBOX_AUDIT_VERIFY_H
#define GLOVEBOX_AUDIT_VERIFY_H

#include <stdbool.h>

#include "fcgi-app/audit/chain.h"

enum verify_finding {
    VERIFY_GOOD,
    VERIFY_CHANGED, /* the line before this one is not what it was */
    VERIFY_MISSING, /* lines before this one are not there */
    VERIFY_DUPLICATED, /* this line is the one before it again */
    VERIFY_MOVED, /* this line belongs further up */
    VERIFY_TORN, /* this line is no whole line of a trail */
    VERIFY_RESTARTED, /* a new trail begins here */
};

struct verify {
    struct chain last; /* of the lines so far */
    struct chain before_torn; /* what a line put in between would hide */
    bool has_torn; /* the last line was VERIFY_TORN */
    uint64_t lines;
    uint64_t first_seq; /* 0: no line yet */
};

void verify_init(struct verify *v);

/*
 * The next line, without its newline; `is_whole`: it had one, and was not too
 * long to be kept.
 */
enum verify_finding verify_line(
    struct verify *v, struct view line, bool is_whole);

/* A sentence, for people. */
const char *verify_sentence(enum verify_finding finding);

#endif
