/*
 * runs - the one way to run code
 *
 * Whoever wants an order run, for whatever route, calls run_order().  It takes
 * a place, asks the warden, writes the audit line and counts; there is no
 * second way, so none of these can be forgotten.
 *
 * Not for: reading the request (order_json.c) or printing what came of it
 * (outcome_json.c).
 */
#ifndef GLOVEBOX_RUNS_H
#define GLOVEBOX_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi-app/order_json.h"
#include "fcgi-app/settings/settings.h"
#include "fcgi-app/tokens.h"
#include "fcgi-app/warden_link.h"
#include "sandbox/base/fault.h"

struct runs; /* opaque; runs.c */

/*
 * Places and queue are those of `s`.  `link` must outlive the runs.  Returns
 * NULL when out of memory.  The caller owns it: runs_free().
 */
struct runs *runs_new(const struct settings *s, struct warden_link *link);
void runs_free(struct runs *r); /* NULL is fine; nobody may be inside */

struct run_call {
    const struct order *order;
    const struct order_keys *keys; /* for the audit line; may be NULL */
    const struct token *token; /* who asks; NULL: the service's own canary */
    const char *request_id;
    const char *route; /* for the audit line: "execute" */
    const char *address; /* for the audit line; may be NULL */
    int hangup_fd; /* whose hang-up ends it, in the queue or in the box; -1 */
    int fault_status; /* for the audit line; 0: the fault's own (route.h) */

    /* set by run_order() */
    struct warden_answer answer; /* valid after FAULT_NONE */
    uint64_t queue_us;
};

void run_call_init(struct run_call *call);
void run_call_done(struct run_call *call);

/*
 * Run the order.  Returns FAULT_NONE and fills call->answer, or
 *   FAULT_BUSY, FAULT_QUEUE_TIMEOUT, FAULT_STOPPING   no place
 *   FAULT_AUDIT      AUDIT_ON_ERROR=refuse and its line cannot be written
 *   FAULT_SANDBOX    not available, also after a second try
 *   FAULT_CANCELLED  the client went away
 *   FAULT_INTERNAL
 *
 * The canary takes no place and leaves no line and no count: it must work
 * when every place is taken, and it is nobody's request.
 */
enum fault run_order(struct runs *r, struct run_call *call);

/* From now on new orders are FAULT_STOPPING; those inside go on. */
void runs_stop(struct runs *r);

void runs_count(struct runs *r, unsigned *ret_running, unsigned *ret_queued);

#endif
