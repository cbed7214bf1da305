/*
 * metrics - table of counters and histograms
 *
 * One table for the process, counted into by every thread with atomic
 * additions, printed by handle_metrics.c as Prometheus text.  Every label has
 * a fixed set of values that stands in a table here or in the profiles: a
 * caller cannot make a new time series.
 *
 * Not for: figures that somebody else keeps (places, boxes, the process);
 * handle_metrics.c asks for those when it is called.
 */
#ifndef GLOVEBOX_METRICS_H
#define GLOVEBOX_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "sandbox/base/buf.h"
#include "sandbox/base/fault.h"

/* Routes, as a label; METRICS_ROUTE_OTHER for paths that are not there. */
enum metrics_route {
    METRICS_ROUTE_EXECUTE,
    METRICS_ROUTE_VALIDATE,
    METRICS_ROUTE_MCP,
    METRICS_ROUTE_HEALTH,
    METRICS_ROUTE_METRICS,
    METRICS_ROUTE_OPENAPI,
    METRICS_ROUTE_OTHER,
    METRICS_ROUTE_COUNT
};

/* Messages to /mcp, as a label. */
enum metrics_mcp {
    METRICS_MCP_INITIALIZE,
    METRICS_MCP_PING,
    METRICS_MCP_DISCOVER,
    METRICS_MCP_TOOLS_LIST,
    METRICS_MCP_TOOLS_CALL,
    METRICS_MCP_NOTIFICATION, /* and responses to nothing */
    METRICS_MCP_OTHER,
    METRICS_MCP_COUNT
};

/* Counters without labels; each has a row in metrics.c. */
enum metrics_counter {
    METRICS_CODE_REFUSED, /* by the validator or the rules of the context */
    METRICS_RUNS_REPEATED, /* on a new warden, after the old one vanished */
    METRICS_WARDEN_STARTS,
    METRICS_CANARY_OK,
    METRICS_CANARY_FAILED,
    METRICS_PROTOCOL_ERRORS, /* of FastCGI peers and of the warden */
    METRICS_RELOADS,
    METRICS_RELOADS_FAILED,
    METRICS_COUNTER_COUNT
};

enum metrics_histogram {
    METRICS_REQUEST_SECONDS, /* of POST /execute, as the client feels it */
    METRICS_QUEUE_SECONDS,
    METRICS_BOX_WAIT_SECONDS,
    METRICS_WALL_SECONDS,
    METRICS_CPU_SECONDS,
    METRICS_MEMORY_BYTES,
    METRICS_HANDOVER_SECONDS, /* the four phases of the wall time */
    METRICS_VALIDATE_SECONDS,
    METRICS_PROGRAM_SECONDS,
    METRICS_COLLECT_SECONDS,
    METRICS_HISTOGRAM_COUNT
};

/* What a program ran into. */
enum metrics_limit {
    METRICS_LIMIT_WALL,
    METRICS_LIMIT_CPU,
    METRICS_LIMIT_MEMORY,
    METRICS_LIMIT_STDOUT,
    METRICS_LIMIT_STDERR,
    METRICS_LIMIT_RETURN,
    METRICS_LIMIT_COUNT
};

void metrics_count(enum metrics_counter counter);
void metrics_count_request(enum metrics_route route, unsigned status);
void metrics_count_mcp(enum metrics_mcp method);
/* `profile`: enum profile_id; `status`: enum outcome_status. */
void metrics_count_run(uint32_t profile, unsigned status);
/* A call that reached run_order() and was not run, by fault. */
void metrics_count_refused(enum fault fault);

void metrics_count_limit(enum metrics_limit limit);
/*
 * A rule of the validator.  The name is a box's word: one that is not in the
 * table counts as "other".
 */
void metrics_count_rule(const char *name, size_t len);
/*
 * A refused system call, `count` times.  The name is the warden's; so many
 * different ones as its table can have are told apart, the rest is "other".
 */
void metrics_count_call(const char *name, uint32_t count);

/* Microseconds, or bytes: the unit of the histogram's row. */
void metrics_observe(enum metrics_histogram histogram, uint64_t value);

/* The figures of the service that Glovebox replaces, since start. */
struct metrics_totals {
    uint64_t runs;
    uint64_t runs_ok;
    double seconds; /* wall time of all runs together */
};
void metrics_totals(struct metrics_totals *ret_totals);

/* All of the above as Prometheus text. */
void metrics_print(struct buf *b);

/*
 * One family of somebody else's figures, for handle_metrics.c: its HELP and
 * TYPE lines ("gauge" or "counter"), then its samples.
 */
void metrics_print_family(
    struct buf *b, const char *name, const char *type, const char *help);
void metrics_print_u64(struct buf *b, const char *name, uint64_t value);

#endif
