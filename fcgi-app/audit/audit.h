/*
 * audit - one line for each request that asked to run code
 *
 * A stream of its own, one JSON object a line, fixed fields in a fixed order
 * (the table in audit.c); no code, no secrets, no output.  Each line carries
 * the digest of the one before it (chain.h).  There is one stream a process;
 * all functions may be called from any thread.
 *
 * Besides the lines of requests there are lines of the trail itself: `event`
 * with a `count`, where the line before it was torn or is none of ours, and
 * where lines of requests are missing because they could not be written.
 *
 * A line that cannot be written is counted.  What follows is AUDIT_ON_ERROR's
 * to say: `warn`, the request is served all the same; `refuse`, a request that
 * ran is answered 503, and none is run until the trail can be written again.
 */
#ifndef GLOVEBOX_AUDIT_H
#define GLOVEBOX_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi-app/audit/chain.h"
#include "fcgi-app/order_json.h"
#include "fcgi-app/settings/settings.h"

struct audit_entry {
    const char *request_id;
    const char *route; /* "execute"; NULL: not known */
    const char *address; /* of the client, as nginx saw it; NULL: unknown */
    const char *token_id; /* NULL: no valid token */
    struct view code; /* digest and length are taken of it; data NULL: none */
    const struct order_keys *keys; /* NULL: none */
    const char *profile; /* name; NULL: none */
    const char *status; /* outcome_status_name() or fault_row()->name */
    int http_status;
    uint64_t wall_us;
    uint64_t cpu_us;
    uint64_t wait_us; /* for a place and for a box */
    uint64_t handover_us; /* until the box woke; with the three below, wall */
    uint64_t validate_us;
    uint64_t run_us;
    uint64_t collect_us; /* from the claim to the end of the box */
    uint64_t memory_bytes;
};

/*
 * Open what AUDIT_LOG names.  0 or -errno.  Some sinks can be opened only with
 * the rights that the service starts with: audit_needs_rights().
 */
int audit_open(const struct settings *s);
bool audit_needs_rights(const struct settings *s);
/* Open the same path again, after it was rotated.  0, or -errno: keeps old. */
int audit_reopen(void);
void audit_close(void);

/* `on_error`: enum settings_audit_on_error, from now on. */
void audit_set_policy(uint32_t on_error);

/*
 * Write the line.  Returns false when it could not be written and the policy
 * is to refuse: the caller must not answer with what was done.
 */
bool audit_write(const struct audit_entry *e);

/*
 * May a program be run?  Not while lines cannot be written and the policy is
 * to refuse; finds out by writing what is missing.
 */
bool audit_is_open_for_runs(void);
/* Could the last line be written? */
bool audit_is_well(void);
/* As far as is known: are runs refused for want of a line? */
bool audit_is_refusing(void);
/*
 * While lines fail, see whether they still do; what is missing is told.  Once
 * a round of the canary, so that a service nobody calls recovers, too.
 */
void audit_retry(void);

/* The last line's digest, for the log; returns its number. */
uint64_t audit_head(char ret_hex[SHA256_HEX]);
/*
 * Log it.  Kept in another stream than the trail, it shows whether the trail
 * was cut.
 */
void audit_log_head(const char *when);

/* Totals since start. */
uint64_t audit_written(void);
uint64_t audit_failed(void);

#endif
