/*
 * handle_metrics - the table, printed
 *
 * First what metrics.c counted, then figures that others keep: places, canary,
 * audit, boxes as the warden last told, the process itself.
 */
#include <dirent.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/canary.h"
#include "fcgi-app/json/writer.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/route.h"
#include "sandbox/base/clock.h"
#include "sandbox/wire/status.h"

#define METRICS_MAX_TEXT 262144

static void
metrics_gauge(struct buf *b, const char *name, const char *help, uint64_t value)
{
    metrics_print_family(b, name, "gauge", help);
    metrics_print_u64(b, name, value);
}

static void
metrics_service(struct buf *b, struct exchange *x)
{
    const struct settings *s = &x->config->settings;
    double age_s = canary_age_s(x->service->canary);
    unsigned running, queued;

    runs_count(x->service->runs, &running, &queued);
    metrics_print_family(
        b, "glovebox_build_info", "gauge", "Always 1; the version as a label.");
    buf_addf(b, "glovebox_build_info{version=\"%s\"} 1\n", GLOVEBOX_VERSION);
    metrics_gauge(b, "glovebox_places", "Runs that may be under way at once.",
        s->concurrent);
    metrics_gauge(b, "glovebox_places_taken", "Runs under way now.", running);
    metrics_gauge(b, "glovebox_queue_limit", "Runs that may wait.", s->queued);
    metrics_gauge(
        b, "glovebox_queue_length", "Runs waiting for a place now.", queued);
    metrics_print_family(b, "glovebox_canary_age_seconds", "gauge",
        "Seconds since the canary last worked; -1: never.");
    buf_addf(b, "glovebox_canary_age_seconds %.3f\n", age_s);
    metrics_print_family(b, "glovebox_audit_lines_total", "counter",
        "Audit lines, by whether they could be written.");
    buf_addf(b, "glovebox_audit_lines_total{result=\"written\"} %llu\n",
        (unsigned long long)audit_written());
    buf_addf(b, "glovebox_audit_lines_total{result=\"failed\"} %llu\n",
        (unsigned long long)audit_failed());
    metrics_print_family(b, "glovebox_audit_write_failures_total", "counter",
        "Audit lines that could not be written.");
    metrics_print_u64(b, "glovebox_audit_write_failures_total", audit_failed());
    metrics_gauge(b, "glovebox_audit_failing",
        "Whether the last audit line could not be written.", !audit_is_well());
}

/* One figure of struct status_profile, for every profile. */
struct metrics_profile_row {
    const char *name;
    const char *type;
    const char *help;
    size_t field;
    bool is_wide; /* uint64_t, not uint32_t */
};

#define METRICS_FIELD(f) offsetof(struct status_profile, f)

static const struct metrics_profile_row metrics_profile_rows[] = {
    { "glovebox_profile_ready", "gauge",
        "Whether a trial box of the profile worked.", METRICS_FIELD(is_ready),
        false },
    { "glovebox_boxes_parked", "gauge", "Boxes waiting for an order.",
        METRICS_FIELD(parked), false },
    { "glovebox_boxes_running", "gauge", "Boxes with an order.",
        METRICS_FIELD(running), false },
    { "glovebox_boxes_total", "counter", "Boxes made by this warden.",
        METRICS_FIELD(forks), true },
    { "glovebox_templates_total", "counter",
        "Templates started by this warden.", METRICS_FIELD(templates), true },
    { "glovebox_box_crashes_total", "counter",
        "Boxes that died of a signal which was not ours.",
        METRICS_FIELD(crashes), true },
    { "glovebox_box_waits_total", "counter", "Orders that found no box parked.",
        METRICS_FIELD(waits), true },
};

static uint64_t
metrics_field(
    const struct status_profile *p, const struct metrics_profile_row *row)
{
    uint64_t wide;
    uint32_t narrow;

    if (row->is_wide) {
        memcpy(&wide, (const char *)p + row->field, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, (const char *)p + row->field, sizeof(narrow));
    return narrow;
}

/* Names come from tables of the warden: profiles and layers, never callers. */
static void
metrics_sandbox(struct buf *b, struct exchange *x)
{
    struct status status = { 0 };
    bool has_status = warden_link_status(x->service->link, &status);

    metrics_gauge(b, "glovebox_sandbox_ready",
        "Whether every profile is ready.", has_status && status.is_ready);
    if (status.layer_count > 0)
        metrics_print_family(b, "glovebox_layer_on", "gauge",
            "Confinement layers: 1 on, 0 off.");
    for (uint32_t i = 0; i < status.layer_count; i++)
        buf_addf(b, "glovebox_layer_on{layer=\"%s\"} %u\n",
            status.layers[i].name, status.layers[i].is_on ? 1 : 0);
    if (status.profile_count == 0)
        return;
    for (size_t r = 0;
         r < sizeof(metrics_profile_rows) / sizeof(metrics_profile_rows[0]);
         r++) {
        const struct metrics_profile_row *row = &metrics_profile_rows[r];

        metrics_print_family(b, row->name, row->type, row->help);
        for (uint32_t i = 0; i < status.profile_count; i++)
            buf_addf(b, "%s{profile=\"%s\"} %llu\n", row->name,
                status.profiles[i].name,
                (unsigned long long)metrics_field(&status.profiles[i], row));
    }
}

static uint64_t
metrics_open_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    uint64_t n = 0;

    if (dir == NULL)
        return 0;
    while (readdir(dir) != NULL)
        n++;
    (void)closedir(dir);
    return n > 3 ? n - 3 : 0; /* ".", ".." and the directory itself */
}

/* The whole of it, or what is in memory. */
static uint64_t
metrics_memory_bytes(bool is_resident)
{
    unsigned long virtual_pages = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f == NULL)
        return 0;
    if (fscanf(f, "%lu %lu", &virtual_pages, &pages) != 2)
        virtual_pages = pages = 0;
    (void)fclose(f);
    return (uint64_t)(is_resident ? pages : virtual_pages) *
           (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
metrics_process(struct buf *b, struct service *s)
{
    struct rusage usage = { 0 };
    struct rlimit fds = { 0 };
    uint64_t up_us = clock_mono_us() - s->started_us;

    (void)getrusage(RUSAGE_SELF, &usage);
    metrics_print_family(
        b, "process_cpu_seconds_total", "counter", "CPU time of the app.");
    buf_addf(b, "process_cpu_seconds_total %.6f\n",
        (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    metrics_print_family(b, "process_start_time_seconds", "gauge",
        "When the app started, in seconds of the epoch.");
    buf_addf(b, "process_start_time_seconds %.3f\n",
        (double)time(NULL) - (double)up_us / 1e6);
    metrics_gauge(b, "process_resident_memory_bytes", "Memory of the app.",
        metrics_memory_bytes(true));
    metrics_gauge(b, "process_virtual_memory_bytes",
        "Address space of the app.", metrics_memory_bytes(false));
    metrics_gauge(b, "process_open_fds", "Open descriptors of the app.",
        metrics_open_fds());
    (void)getrlimit(RLIMIT_NOFILE, &fds);
    metrics_gauge(b, "process_max_fds", "Descriptors the app may have open.",
        fds.rlim_cur);
}

/* --- as JSON -------------------------------------------------------------- */

static bool
metrics_wants_json(const struct http_request *r)
{
    const char *accept = "";

    if (strcmp(r->query, "format=json") == 0)
        return true;
    return http_param(r, "HTTP_ACCEPT", &accept) == 1 &&
           strncasecmp(accept, "application/json", 16) == 0;
}

/* The six figures of the service that Glovebox replaces. */
static void
metrics_put_json(struct buf *b, struct exchange *x)
{
    uint64_t up_us = clock_mono_us() - x->service->started_us;
    struct metrics_totals totals;
    unsigned running, queued;
    struct json_writer w;

    metrics_totals(&totals);
    runs_count(x->service->runs, &running, &queued);
    json_writer_init(&w, b);
    json_begin_object(&w);
    json_put_key(&w, "total_executions");
    json_put_uint(&w, totals.runs);
    json_put_key(&w, "successful_executions");
    json_put_uint(&w, totals.runs_ok);
    json_put_key(&w, "failed_executions");
    json_put_uint(&w, totals.runs - totals.runs_ok);
    json_put_key(&w, "average_execution_time");
    json_put_double(
        &w, totals.runs == 0 ? 0.0 : totals.seconds / (double)totals.runs);
    json_put_key(&w, "active_executions");
    json_put_uint(&w, running);
    json_put_key(&w, "uptime_seconds");
    json_put_double(&w, (double)up_us / 1e6);
    json_end_object(&w);
}

enum fault
handle_metrics(struct exchange *x)
{
    struct buf *b = &x->response->body;

    buf_done(b);
    buf_init(b, METRICS_MAX_TEXT);
    if (metrics_wants_json(x->request)) {
        metrics_put_json(b, x);
        return FAULT_NONE;
    }
    x->response->type = HTTP_TYPE_METRICS;
    metrics_print(b);
    metrics_service(b, x);
    metrics_sandbox(b, x);
    metrics_process(b, x->service);
    return FAULT_NONE;
}
