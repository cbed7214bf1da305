/* fake_service - the whole app in a test, with a fake warden behind it */
#include "tests/unit/fake_service.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/route.h"
#include "sandbox/base/log.h"

void
fake_service_start(struct fake_service *f, const char *token)
{
    char setting[128], problems[1024];
    char places[] = "MAX_CONCURRENT_EXECUTIONS=2";
    char queue[] = "MAX_QUEUED_EXECUTIONS=1", wait[] = "QUEUE_TIMEOUT_MS=400";
    char body[] = "MAX_BODY_BYTES=65536", canary[] = "CANARY_SECONDS=1";
    char audit[] = "AUDIT_LOG=", imports[] = "ALLOWED_IMPORTS=heapq, bisect";
    char *envp[] = { setting, places, queue, wait, body, canary, audit, imports,
        NULL };
    struct config *config;
    struct setup setup;

    log_open("test", LOG_ERROR + 1);
    (void)snprintf(setting, sizeof(setting), "EXECUTOR_API_TOKEN=%s", token);
    config = config_load(NULL, envp, problems, sizeof(problems));
    if (config == NULL) {
        (void)fprintf(stderr, "settings: %s\n", problems);
        abort();
    }
    if (service_init(&f->service, config) != 0)
        abort();
    fake_warden_start(&f->warden);
    settings_to_setup(&config->settings, &setup);
    f->service.link = warden_link_new(f->warden.spawner_fd, &setup);
    f->service.runs = runs_new(&config->settings, f->service.link);
    f->service.canary = canary_new(&config->settings, f->service.runs);
    if (f->service.canary == NULL)
        abort();
}

void
fake_service_stop(struct fake_service *f)
{
    service_done(&f->service);
    fake_warden_stop(&f->warden);
}

void
fake_service_await_health(struct fake_service *f)
{
    for (int i = 0; i < 1000; i++) {
        if (canary_is_well(f->service.canary))
            return;
        (void)poll(NULL, 0, 5);
    }
    abort();
}

static long
read_text(void *from, char *bytes, size_t len)
{
    const char **text = from;
    size_t n = strlen(*text);

    if (n > len)
        n = len;
    memcpy(bytes, *text, n);
    *text += n;
    return (long)n;
}

void
fake_service_call(struct fake_service *f, const char *method, const char *path,
    const char *body, const char *const *extra, struct http_response *response)
{
    static char store[20][256];
    char *params[21] = { 0 };
    struct http_request r;
    size_t n = 0;

    (void)snprintf(store[n++], 256, "REQUEST_METHOD=%s", method);
    (void)snprintf(store[n++], 256, "SCRIPT_NAME=%s", path);
    (void)snprintf(store[n++], 256, "REQUEST_ID=r1");
    (void)snprintf(store[n++], 256, "CONTENT_LENGTH=%zu", strlen(body));
    for (; extra != NULL && *extra != NULL && n < 20; extra++)
        (void)snprintf(store[n++], 256, "%s", *extra);
    for (size_t i = 0; i < n; i++)
        params[i] = store[i];
    http_request_init(&r, params, -1);
    r.read = read_text;
    r.read_from = &body;
    route_handle(&f->service, &r, response);
    http_request_done(&r);
}
