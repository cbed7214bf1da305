/* pool - how many templates and boxes there are, and when more are due */
#include "sandbox/pool.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/box.h"

/* Boxes asked of one template and not yet there. */
#define POOL_MAX_FORKING 16

/* Between two templates that did not come up: from, and at most. */
#define POOL_RETRY_US 50000
#define POOL_RETRY_MOST_US 5000000

/* How soon to look whether a rehearsal is over. */
#define POOL_LOOK_US 1000

/* In a row, before orders are refused instead of kept waiting. */
#define POOL_MANY_FAILURES 3

int
pool_init(
    struct pool *p, const struct setup *setup, uint64_t layers, int epoll_fd)
{
    memset(p, 0, sizeof(*p));
    p->epoll_fd = epoll_fd;
    p->setup = setup;
    p->layers = layers;
    p->layout = slate_layout_of(setup);
    LIST_INIT(&p->templates);
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &p->profiles[i];

        TAILQ_INIT(&kept->parked);
        kept->is_kept = (setup->profiles >> i & 1) != 0;
        (void)snprintf(kept->figures.name, sizeof(kept->figures.name), "%s",
            profiles[i].name);
    }
    return 0;
}

bool
pool_is_fresh(const struct pool *p)
{
    return p->setup->start == SETUP_START_FRESH;
}

uint64_t
pool_retry_us(unsigned failures)
{
    uint64_t wait_us = POOL_RETRY_US;

    while (failures-- > 0 && wait_us < POOL_RETRY_MOST_US)
        wait_us *= 2;
    return wait_us < POOL_RETRY_MOST_US ? wait_us : POOL_RETRY_MOST_US;
}

/* --- keeping up ---------------------------------------------------------- */

/* A spare is there before it is needed: whoever crashes boxes on purpose makes
 * nobody wait, and is handed no second box of a template that a crash may have
 * told about. */
static void
pool_keep_template(struct pool *p, enum profile_id profile, uint64_t now_us)
{
    struct pool_profile *kept = &p->profiles[profile];

    if (kept->spare != NULL && !kept->spare->is_hung &&
        (kept->current == NULL || pool_is_worn(p, kept->current, now_us)))
        pool_promote(p, kept->spare);
    if (kept->next == NULL && now_us >= kept->not_before_us &&
        (kept->spare == NULL || pool_stands_in(kept->current, kept->spare)))
        pool_start_template(p, profile);
}

static void
pool_refill(struct pool *p, struct pool_profile *kept, uint64_t now_us)
{
    unsigned want = p->setup->parked + kept->wanted;
    unsigned have = kept->parked_count + kept->forking_count;

    if (now_us < kept->fork_not_before_us)
        return;
    /* While an order runs the processor is its own, unless boxes get few or
     * it has run for long. */
    if (kept->running_count > kept->long_count && kept->wanted == 0 &&
        have * 2 >= want)
        return;
    while (kept->current != NULL && kept->forking_count < POOL_MAX_FORKING &&
           kept->parked_count + kept->forking_count < want)
        if (pool_fork(p, kept->current, false) < 0)
            return;
}

static void
pool_keep_fresh(struct pool *p, enum profile_id profile, uint64_t now_us)
{
    struct pool_profile *kept = &p->profiles[profile];
    unsigned want = p->setup->parked + kept->wanted;

    if (now_us < kept->not_before_us)
        return;
    if (!kept->was_tried)
        want = 1;
    while (kept->parked_count + kept->forking_count + kept->starting_count <
               want &&
           kept->starting_count < POOL_MAX_FORKING) {
        unsigned before = kept->starting_count;

        pool_start_template(p, profile);
        if (kept->starting_count == before)
            return;
    }
}

/* --- rehearsals ---------------------------------------------------------- */

/* Nobody waits, and what runs is long and gives way (watch.h): the processors
 * have nothing better to do. */
static bool
pool_is_quiet(const struct pool *p)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (p->profiles[i].running_count > p->profiles[i].long_count ||
            p->profiles[i].wanted > 0)
            return false;
    return true;
}

/* Warm boxes stand first in their row; true once this one does. */
static bool
pool_has_warmed(struct pool *p, struct pool_box *box)
{
    struct pool_boxes *parked = &p->profiles[box->from->profile].parked;
    uint32_t is_warm = 0;

    (void)fd_pread_all(box->slate_fd, &is_warm, sizeof(is_warm),
        offsetof(struct slate_head, is_warm));
    if (is_warm == 0)
        return false;
    box->is_warm = true;
    TAILQ_REMOVE(parked, box, link);
    TAILQ_INSERT_HEAD(parked, box, link);
    return true;
}

static struct pool_box *
pool_find_cold(struct pool *p)
{
    struct pool_box *box;

    for (size_t i = 0; i < PROFILE_COUNT; i++)
        TAILQ_FOREACH(box, &p->profiles[i].parked, link)
    if (!box->is_warm)
        return box;
    return NULL;
}

/*
 * A rehearsal costs more than most programs.  It is worth that while nobody
 * waits; under load boxes get their orders as they are, and more of them in
 * all.  One at a time, so that an order finds a processor free.
 */
static void
pool_warm(struct pool *p)
{
    char wake = BOX_WAKE_WARM;

    if (p->warming != NULL && pool_has_warmed(p, p->warming))
        p->warming = NULL;
    if (p->warming != NULL || !pool_is_quiet(p))
        return;
    p->warming = pool_find_cold(p);
    if (p->warming != NULL && write(p->warming->wake_fd, &wake, 1) != 1)
        p->warming = NULL; /* dead; its end is on its way */
}

/* --- the round ----------------------------------------------------------- */

void
pool_keep(struct pool *p)
{
    uint64_t now_us = clock_mono_us();

    pool_end_hung(p, now_us);
    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &p->profiles[i];

        if (!kept->is_kept)
            continue;
        if (pool_is_fresh(p)) {
            pool_keep_fresh(p, (enum profile_id)i, now_us);
        } else {
            pool_keep_template(p, (enum profile_id)i, now_us);
            pool_refill(p, kept, now_us);
        }
    }
    pool_warm(p);
}

uint64_t
pool_next_us(const struct pool *p)
{
    uint64_t next = UINT64_MAX, worn;
    const struct pool_template *t;

    if (p->warming != NULL)
        next = clock_mono_us() + POOL_LOOK_US;
    LIST_FOREACH(t, &p->templates, link)
    if (!t->is_hung && pool_patience_us(t) < next)
        next = pool_patience_us(t);
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        const struct pool_profile *kept = &p->profiles[i];

        if (!kept->is_kept)
            continue;
        if (kept->fork_failures > 0 && kept->fork_not_before_us < next)
            next = kept->fork_not_before_us;
        if (kept->next == NULL && kept->failures > 0 &&
            kept->not_before_us < next)
            next = kept->not_before_us;
        /* Without a spare nothing can be done about a worn one. */
        if (kept->current == NULL || kept->spare == NULL)
            continue;
        worn = kept->current->since_us + (uint64_t)p->setup->retire_s * 1000000;
        if (worn < next)
            next = worn;
    }
    return next;
}

bool
pool_can_serve(const struct pool *p, enum profile_id profile)
{
    const struct pool_profile *kept = &p->profiles[profile];

    return kept->was_tried && kept->fork_failures < POOL_MANY_FAILURES &&
           (kept->current != NULL || kept->failures < POOL_MANY_FAILURES);
}

void
pool_status(struct pool *p, struct status *ret_status)
{
    struct status *s = &p->status;

    s->is_ready = 1;
    s->profile_count = 0;
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        struct pool_profile *kept = &p->profiles[i];

        if (!kept->is_kept)
            continue;
        kept->figures.is_ready = pool_can_serve(p, (enum profile_id)i);
        kept->figures.parked = kept->parked_count;
        kept->figures.running = kept->running_count;
        if (!kept->figures.is_ready)
            s->is_ready = 0;
        s->profiles[s->profile_count++] = kept->figures;
    }
    if (s->is_ready)
        s->problem[0] = '\0';
    *ret_status = *s;
}

/* --- children nobody knows ----------------------------------------------- */

static bool
pool_knows(const struct pool *p, pid_t pid)
{
    const struct pool_template *t;
    const struct pool_box *box;

    LIST_FOREACH(t, &p->templates, link)
    {
        if (t->pid == pid)
            return true;
        LIST_FOREACH(box, &t->boxes, sibling)
        if (box->pid == pid)
            return true;
    }
    return false;
}

void
pool_reap_strays(const struct pool *p)
{
    siginfo_t info = { 0 };

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0 && !pool_knows(p, info.si_pid)) {
        (void)waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
}
