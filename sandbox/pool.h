/*
 * pool - how many templates and boxes there are, and when more are due
 *
 * For each profile that is kept there is one current template, a spare that
 * takes its place at once when it is worn out or burnt, for a while a next one,
 * and any number of old ones whose last boxes still run.  Boxes are forked
 * ahead and wait in a row, those that have rehearsed first.
 *
 * The states of a template, and who may trust it in which, stand in
 * sandbox/pool_template.h; those of a box in sandbox/pool_box.h.
 *
 * With SETUP_START_FRESH every template makes one box and is retired.
 */
#ifndef GLOVEBOX_POOL_H
#define GLOVEBOX_POOL_H

#include <stdbool.h>
#include <sys/queue.h>

#include "sandbox/pool_box.h"
#include "sandbox/pool_template.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/slate.h"
#include "sandbox/wire/status.h"

struct pool_profile {
    bool is_kept;
    struct pool_template *current;
    struct pool_template *spare;
    struct pool_template *next; /* on its way to be one of the two */
    struct pool_boxes parked;
    unsigned parked_count;
    unsigned forking_count;
    unsigned running_count;
    unsigned long_count; /* of those, the ones that give way */
    unsigned starting_count; /* fresh: templates on their way */
    unsigned wanted; /* orders that wait for a box */
    bool was_tried;
    uint64_t base_kb; /* fresh: of the one that was tried, for the others */
    unsigned failures; /* templates in a row that did not come up */
    uint64_t not_before_us; /* when to try the next */
    unsigned fork_failures; /* boxes in a row that did not come up */
    uint64_t fork_not_before_us;
    struct status_profile figures;
};

struct pool {
    int epoll_fd;
    const struct setup *setup;
    uint64_t layers; /* inherited from the warden */
    struct slate_layout layout;
    struct pool_profile profiles[PROFILE_COUNT];
    LIST_HEAD(, pool_template) templates;
    struct pool_box *warming; /* rehearses now; NULL: none */
    struct status status; /* layers, python, problem */
    bool has_news; /* status changed */
};

/* `layers`: what the warden itself is in already, and its children inherit. */
int pool_init(
    struct pool *p, const struct setup *setup, uint64_t layers, int epoll_fd);

/* Start, replace and refill whatever is due; call after every round. */
void pool_keep(struct pool *p);
/* When pool_keep() is next due by the clock; UINT64_MAX for never. */
uint64_t pool_next_us(const struct pool *p);

/*
 * Can an order of this profile expect a box?  Either a template is there and
 * forks, or one is on its way and has not failed too often.
 */
bool pool_can_serve(const struct pool *p, enum profile_id profile);

/*
 * Reap children nobody knows: boxes whose template died between cloning them
 * and telling us.  They find their wake pipe at its end and exit.
 */
void pool_reap_strays(const struct pool *p);

/* Fill in the figures. */
void pool_status(struct pool *p, struct status *ret_status);

/* --- for its own files ---------------------------------------------------- */

bool pool_is_fresh(const struct pool *p);

/* How long to wait after so many failures in a row. */
uint64_t pool_retry_us(unsigned failures);

#endif
