/* metrics - table of counters and histograms */
#include "fcgi-app/metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "fcgi-app/outcome_json.h"
#include "sandbox/wire/profile.h"

typedef _Atomic uint64_t metrics_cell;

static const char *const metrics_routes[METRICS_ROUTE_COUNT] = {
    [METRICS_ROUTE_EXECUTE] = "execute",
    [METRICS_ROUTE_VALIDATE] = "validate",
    [METRICS_ROUTE_MCP] = "mcp",
    [METRICS_ROUTE_HEALTH] = "health",
    [METRICS_ROUTE_METRICS] = "metrics",
    [METRICS_ROUTE_OPENAPI] = "openapi",
    [METRICS_ROUTE_OTHER] = "other",
};

static const char *const metrics_mcp[METRICS_MCP_COUNT] = {
    [METRICS_MCP_INITIALIZE] = "initialize",
    [METRICS_MCP_PING] = "ping",
    [METRICS_MCP_DISCOVER] = "server/discover",
    [METRICS_MCP_TOOLS_LIST] = "tools/list",
    [METRICS_MCP_TOOLS_CALL] = "tools/call",
    [METRICS_MCP_NOTIFICATION] = "notification",
    [METRICS_MCP_OTHER] = "other",
};

/* Every status the app answers with; 0 (the client was gone) is the last. */
static const unsigned metrics_statuses[] = {
    200,
    202,
    400,
    401,
    403,
    404,
    405,
    413,
    415,
    422,
    429,
    500,
    503,
    0,
};
#define METRICS_STATUS_COUNT                                                   \
    (sizeof(metrics_statuses) / sizeof(metrics_statuses[0]))

/* Why a call that reached run_order() was not run. */
static const struct {
    enum fault fault;
    const char *name;
} metrics_refusals[] = {
    { FAULT_BUSY, "busy" }, { FAULT_QUEUE_TIMEOUT, "queue_timeout" },
    { FAULT_STOPPING, "stopping" }, { FAULT_SANDBOX, "sandbox" },
    { FAULT_AUDIT, "audit" }, { FAULT_CANCELLED, "cancelled" },
    { FAULT_INTERNAL, "internal" }, /* and everything not named above */
};
#define METRICS_REFUSAL_COUNT                                                  \
    (sizeof(metrics_refusals) / sizeof(metrics_refusals[0]))

static const struct {
    const char *name;
    const char *help;
} metrics_counters[METRICS_COUNTER_COUNT] = {
    [METRICS_CODE_REFUSED] = { "glovebox_code_refused_total",
        "Programs refused by the validator or the rules of the context." },
    [METRICS_RUNS_REPEATED] = { "glovebox_runs_repeated_total",
        "Runs repeated on a new warden because the old one vanished." },
    [METRICS_WARDEN_STARTS] = { "glovebox_warden_starts_total",
        "Wardens started; more than one means that one vanished." },
    [METRICS_CANARY_OK] = { "glovebox_canary_ok_total",
        "Canary programs that ran and gave the right value." },
    [METRICS_CANARY_FAILED] = { "glovebox_canary_failed_total",
        "Canary programs that did not." },
    [METRICS_PROTOCOL_ERRORS] = { "glovebox_protocol_errors_total",
        "Connections or lanes closed because their bytes made no sense." },
    [METRICS_RELOADS] = { "glovebox_reloads_total",
        "Settings and tokens read anew on SIGHUP." },
    [METRICS_RELOADS_FAILED] = { "glovebox_reloads_failed_total",
        "Reloads refused; the old settings stayed in force." },
};

static const char *const metrics_limits[METRICS_LIMIT_COUNT] = {
    [METRICS_LIMIT_WALL] = "wall",
    [METRICS_LIMIT_CPU] = "cpu",
    [METRICS_LIMIT_MEMORY] = "memory",
    [METRICS_LIMIT_STDOUT] = "stdout",
    [METRICS_LIMIT_STDERR] = "stderr",
    [METRICS_LIMIT_RETURN] = "return_value",
};

/* As sandbox/python/rules.c names them; "other" is the last. */
static const char *const metrics_rules[] = {
    "empty",
    "parse",
    "complexity",
    "import",
    "relative-import",
    "dunder-name",
    "outside-name",
    "except-star",
    "dunder-attribute",
    "internal-attribute",
    "private-attribute",
    "kept-object",
    "match-args",
    "format",
    "context",
    "other",
};
#define METRICS_RULE_COUNT (sizeof(metrics_rules) / sizeof(metrics_rules[0]))

/* More than the table of calls of sandbox/confine/calls.c has. */
#define METRICS_MAX_CALLS 128
#define METRICS_MAX_CALL 32

#define METRICS_MAX_BOUNDS 14

/* Upper bounds of the buckets, in microseconds or bytes; 0 ends the list. */
#define METRICS_TIME_BOUNDS                                                    \
    {                                                                          \
        1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000,         \
            1000000, 2500000, 5000000, 10000000, 30000000                      \
    }
#define METRICS_SIZE_BOUNDS                                                    \
    {                                                                          \
        1u << 20, 2u << 20, 4u << 20, 8u << 20, 16u << 20, 32u << 20,          \
            64u << 20, 128u << 20, 256u << 20, 512u << 20, 1u << 30, 2u << 30  \
    }

/* What is over in well under a millisecond. */
#define METRICS_FINE_BOUNDS                                                    \
    {                                                                          \
        50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 500000,     \
            2500000, 10000000, 30000000                                        \
    }

struct metrics_histogram_row {
    const char *name;
    const char *help;
    double scale; /* a unit of the name in units of `bounds` */
    uint64_t bounds[METRICS_MAX_BOUNDS];
};

static const struct metrics_histogram_row
    metrics_histograms[METRICS_HISTOGRAM_COUNT] = {
        [METRICS_REQUEST_SECONDS] = { "glovebox_request_seconds",
            "Time from reading an /execute request to its answer.", 1e6,
            METRICS_TIME_BOUNDS },
        [METRICS_QUEUE_SECONDS] = { "glovebox_queue_seconds",
            "Time a run waited for a free place.", 1e6, METRICS_TIME_BOUNDS },
        [METRICS_BOX_WAIT_SECONDS] = { "glovebox_box_wait_seconds",
            "Time an order waited in the warden for a box.", 1e6,
            METRICS_TIME_BOUNDS },
        [METRICS_WALL_SECONDS] = { "glovebox_run_wall_seconds",
            "Wall time of programs.", 1e6, METRICS_TIME_BOUNDS },
        [METRICS_CPU_SECONDS] = { "glovebox_run_cpu_seconds",
            "CPU time of programs.", 1e6, METRICS_TIME_BOUNDS },
        [METRICS_MEMORY_BYTES] = { "glovebox_run_memory_bytes",
            "Memory that programs took on top of their template.", 1,
            METRICS_SIZE_BOUNDS },
        [METRICS_HANDOVER_SECONDS] = { "glovebox_handover_seconds",
            "Time from handing an order to a box until the box woke.", 1e6,
            METRICS_FINE_BOUNDS },
        [METRICS_VALIDATE_SECONDS] = { "glovebox_validate_seconds",
            "Time a box took to read, validate and compile a program.", 1e6,
            METRICS_FINE_BOUNDS },
        [METRICS_PROGRAM_SECONDS] = { "glovebox_program_seconds",
            "Time the program itself took.", 1e6, METRICS_FINE_BOUNDS },
        [METRICS_COLLECT_SECONDS] = { "glovebox_collect_seconds",
            "Time from the end of a program to the end of its box.", 1e6,
            METRICS_FINE_BOUNDS },
    };

static struct {
    metrics_cell requests[METRICS_ROUTE_COUNT][METRICS_STATUS_COUNT];
    metrics_cell mcp[METRICS_MCP_COUNT];
    metrics_cell runs[PROFILE_COUNT][OUTCOME_STATUS_COUNT];
    metrics_cell refused[METRICS_REFUSAL_COUNT];
    metrics_cell counters[METRICS_COUNTER_COUNT];
    struct {
        metrics_cell buckets[METRICS_MAX_BOUNDS + 1]; /* last: above all */
        metrics_cell sum;
    } histograms[METRICS_HISTOGRAM_COUNT];
    metrics_cell limits[METRICS_LIMIT_COUNT];
    metrics_cell rules[METRICS_RULE_COUNT];
    metrics_cell calls[METRICS_MAX_CALLS + 1]; /* last: other */
} metrics;

static void
metrics_add(metrics_cell *cell, uint64_t n)
{
    atomic_fetch_add_explicit(cell, n, memory_order_relaxed);
}

static uint64_t
metrics_get(metrics_cell *cell)
{
    return atomic_load_explicit(cell, memory_order_relaxed);
}

void
metrics_count(enum metrics_counter counter)
{
    metrics_add(&metrics.counters[counter], 1);
}

void
metrics_count_request(enum metrics_route route, unsigned status)
{
    size_t i = 0;

    while (i < METRICS_STATUS_COUNT - 1 && metrics_statuses[i] != status)
        i++;
    metrics_add(&metrics.requests[route][i], 1);
}

void
metrics_count_mcp(enum metrics_mcp method)
{
    metrics_add(&metrics.mcp[method], 1);
}

void
metrics_count_run(uint32_t profile, unsigned status)
{
    if (profile < PROFILE_COUNT && status < OUTCOME_STATUS_COUNT)
        metrics_add(&metrics.runs[profile][status], 1);
}

void
metrics_count_refused(enum fault fault)
{
    size_t i = 0;

    while (i < METRICS_REFUSAL_COUNT - 1 && metrics_refusals[i].fault != fault)
        i++;
    metrics_add(&metrics.refused[i], 1);
}

void
metrics_count_limit(enum metrics_limit limit)
{
    metrics_add(&metrics.limits[limit], 1);
}

void
metrics_count_rule(const char *name, size_t len)
{
    size_t i = 0;

    while (i < METRICS_RULE_COUNT - 1 &&
           (strlen(metrics_rules[i]) != len ||
               memcmp(metrics_rules[i], name, len) != 0))
        i++;
    metrics_add(&metrics.rules[i], 1);
}

/* Names of refused calls as they were first met; never taken out. */
static struct {
    pthread_mutex_t lock;
    size_t count; /* atomic: names below it do not change any more */
    char names[METRICS_MAX_CALLS][METRICS_MAX_CALL];
} metrics_calls = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
metrics_call_is_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return len > 0 && len < METRICS_MAX_CALL && name[len] == '\0';
}

static size_t
metrics_call_find(const char *name)
{
    size_t count = __atomic_load_n(&metrics_calls.count, __ATOMIC_ACQUIRE);

    for (size_t i = 0; i < count; i++)
        if (strcmp(metrics_calls.names[i], name) == 0)
            return i;
    return METRICS_MAX_CALLS;
}

/* Its place, made when it has none yet; METRICS_MAX_CALLS is "other". */
static size_t
metrics_call_place(const char *name)
{
    size_t i = metrics_call_find(name), n;

    if (i < METRICS_MAX_CALLS || !metrics_call_is_name(name))
        return i;
    (void)pthread_mutex_lock(&metrics_calls.lock);
    i = metrics_call_find(name); /* another thread may have been first */
    n = metrics_calls.count;
    if (i == METRICS_MAX_CALLS && n < METRICS_MAX_CALLS) {
        memcpy(metrics_calls.names[n], name, strlen(name) + 1);
        __atomic_store_n(&metrics_calls.count, n + 1, __ATOMIC_RELEASE);
        i = n;
    }
    (void)pthread_mutex_unlock(&metrics_calls.lock);
    return i;
}

void
metrics_count_call(const char *name, uint32_t count)
{
    metrics_add(&metrics.calls[metrics_call_place(name)], count);
}

void
metrics_totals(struct metrics_totals *ret_totals)
{
    metrics_cell *sum = &metrics.histograms[METRICS_WALL_SECONDS].sum;

    *ret_totals = (struct metrics_totals){ 0 };
    for (size_t p = 0; p < PROFILE_COUNT; p++) {
        for (unsigned s = 0; s < OUTCOME_STATUS_COUNT; s++)
            ret_totals->runs += metrics_get(&metrics.runs[p][s]);
        ret_totals->runs_ok += metrics_get(&metrics.runs[p][OUTCOME_OK]);
    }
    ret_totals->seconds = (double)metrics_get(sum) / 1e6;
}

static size_t
metrics_bound_count(const struct metrics_histogram_row *row)
{
    size_t n = 0;

    while (n < METRICS_MAX_BOUNDS && row->bounds[n] != 0)
        n++;
    return n;
}

void
metrics_observe(enum metrics_histogram histogram, uint64_t value)
{
    const struct metrics_histogram_row *row = &metrics_histograms[histogram];
    size_t n = metrics_bound_count(row), i = 0;

    while (i < n && value > row->bounds[i])
        i++;
    if (i == n)
        i = METRICS_MAX_BOUNDS;
    metrics_add(&metrics.histograms[histogram].buckets[i], 1);
    metrics_add(&metrics.histograms[histogram].sum, value);
}

void
metrics_print_family(
    struct buf *b, const char *name, const char *type, const char *help)
{
    buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void
metrics_print_u64(struct buf *b, const char *name, uint64_t value)
{
    buf_addf(b, "%s %llu\n", name, (unsigned long long)value);
}

static void
metrics_print_requests(struct buf *b)
{
    const char *name = "glovebox_requests_total";

    metrics_print_family(b, name, "counter",
        "Requests answered, by route and status; \"gone\": the client left.");
    for (size_t r = 0; r < METRICS_ROUTE_COUNT; r++) {
        for (size_t s = 0; s < METRICS_STATUS_COUNT; s++) {
            char status[12] = "gone";

            if (metrics_statuses[s] != 0)
                (void)snprintf(
                    status, sizeof(status), "%u", metrics_statuses[s]);
            buf_addf(b, "%s{route=\"%s\",status=\"%s\"} %llu\n", name,
                metrics_routes[r], status,
                (unsigned long long)metrics_get(&metrics.requests[r][s]));
        }
    }
}

static void
metrics_print_mcp(struct buf *b)
{
    const char *name = "glovebox_mcp_messages_total";

    metrics_print_family(b, name, "counter", "Messages to /mcp, by method.");
    for (size_t i = 0; i < METRICS_MCP_COUNT; i++)
        buf_addf(b, "%s{method=\"%s\"} %llu\n", name, metrics_mcp[i],
            (unsigned long long)metrics_get(&metrics.mcp[i]));
}

static void
metrics_print_runs(struct buf *b)
{
    const char *name = "glovebox_executions_total";

    metrics_print_family(
        b, name, "counter", "Programs run, by profile and how they ended.");
    for (size_t p = 0; p < PROFILE_COUNT; p++)
        for (unsigned s = 0; s < OUTCOME_STATUS_COUNT; s++)
            buf_addf(b, "%s{profile=\"%s\",status=\"%s\"} %llu\n", name,
                profiles[p].name, outcome_status_name((enum outcome_status)s),
                (unsigned long long)metrics_get(&metrics.runs[p][s]));
}

static void
metrics_print_refused(struct buf *b)
{
    const char *name = "glovebox_refused_total";

    metrics_print_family(
        b, name, "counter", "Orders that were not run, by reason.");
    for (size_t i = 0; i < METRICS_REFUSAL_COUNT; i++)
        buf_addf(b, "%s{reason=\"%s\"} %llu\n", name, metrics_refusals[i].name,
            (unsigned long long)metrics_get(&metrics.refused[i]));
}

static void
metrics_print_labelled(struct buf *b, const char *name, const char *label,
    const char *value, metrics_cell *cell)
{
    buf_addf(b, "%s{%s=\"%s\"} %llu\n", name, label, value,
        (unsigned long long)metrics_get(cell));
}

static void
metrics_print_limits(struct buf *b)
{
    const char *name = "glovebox_limits_hit_total";

    metrics_print_family(
        b, name, "counter", "Runs that hit a limit, by which one.");
    for (size_t i = 0; i < METRICS_LIMIT_COUNT; i++)
        metrics_print_labelled(
            b, name, "limit", metrics_limits[i], &metrics.limits[i]);
}

static void
metrics_print_rules(struct buf *b)
{
    const char *name = "glovebox_validator_refusals_total";

    metrics_print_family(b, name, "counter",
        "Programs refused by the validator, by the rule that came first.");
    for (size_t i = 0; i < METRICS_RULE_COUNT; i++)
        metrics_print_labelled(
            b, name, "rule", metrics_rules[i], &metrics.rules[i]);
}

static void
metrics_print_calls(struct buf *b)
{
    const char *name = "glovebox_refused_calls_total";
    size_t count = __atomic_load_n(&metrics_calls.count, __ATOMIC_ACQUIRE);

    metrics_print_family(b, name, "counter",
        "System calls that the kernel refused to programs, by name.");
    for (size_t i = 0; i < count; i++)
        metrics_print_labelled(
            b, name, "call", metrics_calls.names[i], &metrics.calls[i]);
    metrics_print_labelled(
        b, name, "call", "other", &metrics.calls[METRICS_MAX_CALLS]);
}

/* Buckets are kept apart and summed here, so counting is one addition. */
static void
metrics_print_histogram(struct buf *b, enum metrics_histogram histogram)
{
    const struct metrics_histogram_row *row = &metrics_histograms[histogram];
    size_t n = metrics_bound_count(row);
    uint64_t total = 0;

    metrics_print_family(b, row->name, "histogram", row->help);
    for (size_t i = 0; i < n; i++) {
        total += metrics_get(&metrics.histograms[histogram].buckets[i]);
        buf_addf(b, "%s_bucket{le=\"%.10g\"} %llu\n", row->name,
            (double)row->bounds[i] / row->scale, (unsigned long long)total);
    }
    total +=
        metrics_get(&metrics.histograms[histogram].buckets[METRICS_MAX_BOUNDS]);
    buf_addf(b, "%s_bucket{le=\"+Inf\"} %llu\n", row->name,
        (unsigned long long)total);
    buf_addf(b, "%s_sum %.10g\n%s_count %llu\n", row->name,
        (double)metrics_get(&metrics.histograms[histogram].sum) / row->scale,
        row->name, (unsigned long long)total);
}

void
metrics_print(struct buf *b)
{
    metrics_print_requests(b);
    metrics_print_mcp(b);
    metrics_print_runs(b);
    metrics_print_refused(b);
    metrics_print_limits(b);
    metrics_print_rules(b);
    metrics_print_calls(b);
    for (size_t i = 0; i < METRICS_COUNTER_COUNT; i++) {
        metrics_print_family(
            b, metrics_counters[i].name, "counter", metrics_counters[i].help);
        metrics_print_u64(
            b, metrics_counters[i].name, metrics_get(&metrics.counters[i]));
    }
    for (size_t i = 0; i < METRICS_HISTOGRAM_COUNT; i++)
        metrics_print_histogram(b, (enum metrics_histogram)i);
}
