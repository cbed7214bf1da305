/* metrics - table of counters and histograms */
#include "fcgi-app/metrics.h"

#include <stdatomic.h>

#include "fcgi-app/outcome_json.h"
#include "sandbox/wire/profile.h"

typedef _Atomic uint64_t metrics_cell;

static const char *const metrics_routes[METRICS_ROUTE_COUNT] = {
    [METRICS_ROUTE_EXECUTE] = "execute",
    [METRICS_ROUTE_VALIDATE] = "validate",
    [METRICS_ROUTE_HEALTH] = "health",
    [METRICS_ROUTE_METRICS] = "metrics",
    [METRICS_ROUTE_OTHER] = "other",
};

/* Every status the app answers with; 0 (the client was gone) is the last. */
static const unsigned metrics_statuses[] = {
    200,
    400,
    401,
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
    };

static struct {
    metrics_cell requests[METRICS_ROUTE_COUNT][METRICS_STATUS_COUNT];
    metrics_cell runs[PROFILE_COUNT][OUTCOME_STATUS_COUNT];
    metrics_cell refused[METRICS_REFUSAL_COUNT];
    metrics_cell counters[METRICS_COUNTER_COUNT];
    struct {
        metrics_cell buckets[METRICS_MAX_BOUNDS + 1]; /* last: above all */
        metrics_cell sum;
    } histograms[METRICS_HISTOGRAM_COUNT];
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
    metrics_print_runs(b);
    metrics_print_refused(b);
    for (size_t i = 0; i < METRICS_COUNTER_COUNT; i++) {
        metrics_print_family(
            b, metrics_counters[i].name, "counter", metrics_counters[i].help);
        metrics_print_u64(
            b, metrics_counters[i].name, metrics_get(&metrics.counters[i]));
    }
    for (size_t i = 0; i < METRICS_HISTOGRAM_COUNT; i++)
        metrics_print_histogram(b, (enum metrics_histogram)i);
}
