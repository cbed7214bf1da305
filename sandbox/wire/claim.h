/*
 * claim - what a box says about its run
 *
 * User code shares a process with whatever writes this and can forge every
 * byte of it.  So it is bounded, read when the box can run no more, escaped
 * where it is printed (fcgi-app/outcome_json.c), and decides nothing but its
 * own text.
 *
 * A claim packed is: kind, flags, line, column (u32 each), then the blocks
 * value, type, message, detail in this order, each with its own maximum.
 */
#ifndef GLOVEBOX_CLAIM_H
#define GLOVEBOX_CLAIM_H

#include "sandbox/base/buf.h"

enum claim_kind {
    CLAIM_NONE = 0, /* the box said nothing */
    CLAIM_VALUE = 1, /* the program ended; `value` is its return value */
    CLAIM_ERROR = 2, /* an exception ended the program */
    CLAIM_REFUSED = 3, /* the validator or the context refused; `message` */
    CLAIM_FINDINGS = 4, /* `value` is a JSON array of findings */
};

enum claim_flag {
    CLAIM_VALUE_CUT = 1 << 0, /* the value was cut to its bound */
    CLAIM_NO_MEMORY = 1 << 1, /* it says an allocation was refused */
};

#define CLAIM_MAX_TYPE 256
#define CLAIM_MAX_MESSAGE 8192
#define CLAIM_MAX_DETAIL 16384 /* traceback text */

struct claim {
    uint32_t kind; /* enum claim_kind */
    uint32_t flags; /* enum claim_flag */
    uint32_t line; /* 0: not known */
    uint32_t column;
    struct view value; /* JSON text */
    struct view type; /* "KeyError"; for a refusal, the rule's name */
    struct view message;
    struct view traceback; /* text, user frames only */
};

size_t claim_max_bytes(size_t return_bytes);
void claim_pack(struct buf *b, const struct claim *c);
/* 0, or -EPROTO.  Views point into `body`. */
int claim_unpack(
    struct view body, size_t return_bytes, struct claim *ret_claim);

#endif
