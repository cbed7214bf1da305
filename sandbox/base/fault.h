/*
 * fault - why a request was not served, and what its caller reads
 *
 * In the app a request's functions return enum fault.  What a client reads
 * comes from the constant table in fault.c: a status and one sentence.  For
 * the rows marked "detail" the function that found the fault also wrote a
 * sentence of its own, which then takes the place of the constant one; no
 * other text ever reaches a client, and no errno does.
 *
 * Not for: how a program ended (enum verdict_kind, sandbox/wire/outcome.h).
 */
#ifndef GLOVEBOX_FAULT_H
#define GLOVEBOX_FAULT_H

#include <stdbool.h>

enum fault {
    FAULT_NONE,
    FAULT_NOT_FOUND,
    FAULT_METHOD,
    FAULT_ORIGIN, /* a browser's page from elsewhere calls /mcp */
    FAULT_NO_TOKEN_SET, /* no token is configured: nobody may call */
    FAULT_TOKEN, /* absent, empty, wrong, expired, sent twice */
    FAULT_RATE, /* the token's own rate is used up */
    FAULT_BODY_SIZE,
    FAULT_MEDIA_TYPE,
    FAULT_JSON, /* detail: what is wrong with the text, and where */
    FAULT_FIELD, /* detail: which field, what was expected */
    FAULT_REFUSED, /* detail: the validator's or the context's message */
    FAULT_BUSY, /* no place free and the queue is full */
    FAULT_QUEUE_TIMEOUT, /* waited in the queue until its deadline */
    FAULT_SANDBOX, /* no warden, or no box to be had */
    FAULT_AUDIT, /* AUDIT_ON_ERROR=refuse, and no line can be written */
    FAULT_STOPPING, /* the service is being shut down */
    FAULT_LOST, /* inside only: the warden vanished; run again once */
    FAULT_CANCELLED, /* inside only: the client is gone; send nothing */
    FAULT_INTERNAL, /* our own bug */
    FAULT_COUNT
};

struct fault_row {
    int status; /* of HTTP */
    const char *sentence; /* `detail` of the answer */
    unsigned retry_after_s; /* 0: no Retry-After */
    bool has_detail; /* a detail takes the sentence's place */
    const char *name; /* for log, audit and metrics: "queue_timeout" */
};

/* Never NULL; a number that is no fault gives the row of FAULT_INTERNAL. */
const struct fault_row *fault_row(enum fault f);

#endif
