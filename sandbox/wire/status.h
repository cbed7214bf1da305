/*
 * status - how the warden is doing, told to the app when it changes
 *
 * At most one a second, and one as soon as every template has been tried.
 * Figures are totals since this warden started.
 */
#ifndef GLOVEBOX_STATUS_H
#define GLOVEBOX_STATUS_H

#include "sandbox/base/buf.h"

#define STATUS_MAX_LAYERS 24
#define STATUS_MAX_NAME 24
#define STATUS_MAX_NOTE 160
#define STATUS_MAX_PROFILES 4
#define STATUS_MAX_BODY 8192

/* One confinement layer: named, on or off, and why if it is off. */
struct status_layer {
    char name[STATUS_MAX_NAME];
    uint32_t is_on;
    char note[STATUS_MAX_NOTE];
};

struct status_profile {
    char name[STATUS_MAX_NAME];
    uint32_t is_ready; /* a trial box ran and every check held */
    uint32_t parked; /* boxes waiting now */
    uint32_t running;
    uint64_t forks; /* boxes made */
    uint64_t templates; /* templates started */
    uint64_t crashes; /* boxes that died of a signal not ours */
    uint64_t waits; /* orders that found no box parked */
};

struct status {
    uint32_t is_ready; /* every profile kept is ready */
    char python[STATUS_MAX_NAME]; /* "3.11.2" */
    char problem[STATUS_MAX_NOTE]; /* why it is not ready; "" otherwise */
    uint32_t layer_count;
    struct status_layer layers[STATUS_MAX_LAYERS];
    uint32_t profile_count;
    struct status_profile profiles[STATUS_MAX_PROFILES];
};

void status_pack(struct buf *b, const struct status *s);
int status_unpack(struct view body, struct status *ret_status);

#endif
