/* rate - how often a token with a rate of its own may call */
#include "fcgi-app/rate.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/tokens.h"

/* More than there can be tokens: after a reload, old ids stay for a while. */
#define RATE_SLOTS (2 * TOKENS_MAX)
#define RATE_MINUTE_US 60000000u

struct rate_slot {
    char id[TOKEN_MAX_ID];
    uint64_t whole_us; /* from then on the savings are whole */
};

struct rates {
    pthread_mutex_t lock;
    struct rate_slot slots[RATE_SLOTS];
};

struct rates *
rates_new(void)
{
    struct rates *r = calloc(1, sizeof(*r));

    if (r != NULL)
        (void)pthread_mutex_init(&r->lock, NULL);
    return r;
}

void
rates_free(struct rates *r)
{
    if (r == NULL)
        return;
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

static size_t
rate_place(const char *id)
{
    uint32_t hash = 2166136261u; /* FNV-1a; ids are the operator's */

    for (; *id != '\0'; id++)
        hash = (hash ^ (unsigned char)*id) * 16777619u;
    return hash % RATE_SLOTS;
}

/*
 * The slot of this id.  One whose savings are whole says nothing that an empty
 * one would not, so it may be taken over; NULL when there is none left.
 */
static struct rate_slot *
rate_find(struct rates *r, const char *id, uint64_t now_us)
{
    struct rate_slot *free_slot = NULL;
    size_t at = rate_place(id);

    for (size_t i = 0; i < RATE_SLOTS; i++) {
        struct rate_slot *slot = &r->slots[(at + i) % RATE_SLOTS];

        if (strcmp(slot->id, id) == 0)
            return slot;
        if (free_slot == NULL && slot->whole_us <= now_us)
            free_slot = slot;
        if (slot->id[0] == '\0')
            break;
    }
    if (free_slot != NULL) {
        (void)snprintf(free_slot->id, sizeof(free_slot->id), "%s", id);
        free_slot->whole_us = now_us;
    }
    return free_slot;
}

static unsigned
rate_take(struct rate_slot *slot, uint64_t each_us, uint64_t saved_us,
    uint64_t now_us)
{
    uint64_t whole_us = slot->whole_us > now_us ? slot->whole_us : now_us;

    if (whole_us + each_us > now_us + saved_us)
        return (unsigned)((whole_us + each_us - saved_us - now_us + 999999) /
                          1000000);
    slot->whole_us = whole_us + each_us;
    return 0;
}

unsigned
rates_take(struct rates *r, const char *id, uint32_t per_minute, uint32_t burst,
    uint64_t now_us)
{
    uint64_t each_us;
    struct rate_slot *slot;
    unsigned wait_s = 0;

    if (per_minute == 0)
        return 0;
    each_us = RATE_MINUTE_US / per_minute;
    if (each_us == 0)
        return 0;
    (void)pthread_mutex_lock(&r->lock);
    slot = rate_find(r, id, now_us);
    if (slot != NULL)
        wait_s = rate_take(slot, each_us, each_us * (burst + 1), now_us);
    (void)pthread_mutex_unlock(&r->lock);
    return wait_s;
}
