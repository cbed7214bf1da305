/*
 * service - what every request may use
 *
 * The parts of the running app in one place: the link to the warden, the runs,
 * the canary, and the settings and tokens in force.  The latter two can change
 * while requests are under way (SIGHUP), so they come as a snapshot that a
 * request holds from its first check to its last: service_config(), and
 * config_unref() when done.
 */
#ifndef GLOVEBOX_SERVICE_H
#define GLOVEBOX_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fcgi-app/canary.h"
#include "fcgi-app/rate.h"
#include "fcgi-app/runs.h"
#include "fcgi-app/settings/settings.h"
#include "fcgi-app/tokens.h"
#include "fcgi-app/warden_link.h"

/* Settings and tokens that belong together; never changed once made. */
struct config {
    atomic_uint refs;
    struct settings settings; /* without secrets */
    struct tokens *tokens;
};

struct service {
    struct warden_link *link;
    struct runs *runs;
    struct canary *canary;
    struct rates *rates; /* of tokens; outlive a reload */
    uint64_t started_us; /* clock_mono_us() */
    atomic_bool is_stopping;

    pthread_mutex_t lock; /* config: the pointer */
    struct config *config;
};

/*
 * Read settings from `file` (may be NULL) and the environment, and the tokens
 * they name.  Returns NULL with all that is wrong in one line in `problems`.
 * The caller holds the first reference.
 */
struct config *config_load(
    const char *file, char *const envp[], char *problems, size_t size);
void config_unref(struct config *c); /* NULL is fine */

/* Takes over the caller's reference to `config`.  0 or -ENOMEM. */
int service_init(struct service *s, struct config *config);
/* Everything is stopped by then; frees what is there. */
void service_done(struct service *s);

/* The snapshot in force, with a reference for the caller. */
struct config *service_config(struct service *s);

/*
 * Put what may change of `fresh` in force, and drop the caller's reference to
 * it.  The names of settings that differ but need a restart are put into
 * `kept`.  Returns 0 or -ENOMEM.
 */
int service_reload(
    struct service *s, struct config *fresh, char *kept, size_t kept_size);

#endif
