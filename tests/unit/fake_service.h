/*
 * fake_service - the whole app in a test, with a fake warden behind it
 *
 * Two places, one in the queue, tokens "secret-of-the-tests" (id "default"),
 * two more modules to import.
 */
#ifndef GLOVEBOX_FAKE_SERVICE_H
#define GLOVEBOX_FAKE_SERVICE_H

#include "fcgi-app/http.h"
#include "fcgi-app/service.h"
#include "tests/unit/fake_warden.h"

#define FAKE_SECRET "secret-of-the-tests"

struct fake_service {
    struct fake_warden warden;
    struct service service;
};

/* `token`: FAKE_SECRET, or "" for none configured. */
void fake_service_start(struct fake_service *f, const char *token);
void fake_service_stop(struct fake_service *f);

/* Until a canary has worked; aborts after 5 s. */
void fake_service_await_health(struct fake_service *f);

/*
 * One request as nginx hands it over, answered into *response; `extra` are
 * more parameters, NULL-terminated (NULL: none).
 */
void fake_service_call(struct fake_service *f, const char *method,
    const char *path, const char *body, const char *const *extra,
    struct http_response *response);

#endif
