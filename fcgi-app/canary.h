/*
 * canary - a small program, run again and again to see whether it works
 *
 * A thread runs it through run_order(), the way of every caller's code, for
 * each profile that is kept, every CANARY_SECONDS; sooner while it fails.  A
 * round counts only if every profile's box ended by itself with the right
 * value.
 *
 * Not for: deciding what is done about a failure (handle_health.c tells it to
 * whoever asks).
 */
#ifndef GLOVEBOX_CANARY_H
#define GLOVEBOX_CANARY_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi-app/runs.h"
#include "fcgi-app/settings/settings.h"

struct canary; /* opaque; canary.c */

/*
 * Start.  `runs` must outlive the canary.  NULL when out of memory or threads.
 */
struct canary *canary_new(const struct settings *s, struct runs *runs);
void canary_free(struct canary *c); /* waits for its thread; NULL is fine */

/* Did a round work within the last three periods? */
bool canary_is_well(const struct canary *c);

/* Did the last round fail?  Others before it may be recent enough. */
bool canary_has_failed(const struct canary *c);

/* Seconds since a round last worked; -1: none has. */
double canary_age_s(const struct canary *c);

/* Has SOCKET_PATH been removed or replaced?  It has told the service to end. */
bool canary_has_lost_socket(const struct canary *c);
/* It is left to others, who may remove it while we finish. */
void canary_leave_socket(struct canary *c);

#endif
