/*
 * audit - one line for each request that asked to run code
 *
 * A stream of its own, one JSON object a line, fixed fields in a fixed order
 * (the table in audit.c); no code, no secrets, no output.  A line is written
 * with one write() to a file opened for appending, so lines of threads and of
 * a restarting service do not mix.  There is one stream a process; all
 * functions may be called from any thread.
 *
 * A line that cannot be written is counted and the request is served: the
 * count is a metric, and the alert on it is the operator's.
 */
#ifndef GLOVEBOX_AUDIT_H
#define GLOVEBOX_AUDIT_H

#include <stdint.h>

#include "fcgi-app/order_json.h"
#include "fcgi-app/settings.h"

struct audit_entry {
    const char *request_id;
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
    uint64_t memory_bytes;
};

/* Open what AUDIT_LOG names.  0 or -errno. */
int audit_open(const struct settings *s);
/* Open the same path again, after it was rotated.  0, or -errno: keeps old. */
int audit_reopen(void);
void audit_close(void);

void audit_write(const struct audit_entry *e);

/* Totals since start. */
uint64_t audit_written(void);
uint64_t audit_failed(void);

#endif
