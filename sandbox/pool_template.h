/*
 * pool_template - one template, from its start to its last box
 *
 *   STARTING --hello--> TRIAL --its box ended well--> SPARE
 *       |                 |                             |
 *       +---- failed -----+         no current one is fit
 *       v                                               v
 *     GONE <-- last box ended -- RETIRED <----------- CURRENT
 *                          worn out, burnt, it died, or it stood in
 *
 *   pool_start_template()  -> STARTING    pool_on_template() hello  -> TRIAL
 *   pool_on_trial()        -> SPARE       pool_promote()            -> CURRENT
 *   pool_retire()          -> RETIRED     pool_forget()             -> GONE
 *
 * STARTING: nothing may be asked of it.  TRIAL: it forks one box, which tries
 * what must fail.  SPARE: it waits, and no program has ever run in a box of it;
 * its code is on ordinary pages, to be small (sandbox/large.h).  When it had to
 * serve, the next one has large pages, and takes its place when there is a new
 * spare: so a spare is missing for no longer than a template takes to start.
 * CURRENT: its boxes may serve orders. RETIRED: it is told to end; its record
 * stays while a box of it lives, because refused calls of that box come through
 * its listener.
 *
 * Not for: what a template does itself (sandbox/template.h).
 */
#ifndef GLOVEBOX_POOL_TEMPLATE_H
#define GLOVEBOX_POOL_TEMPLATE_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "sandbox/pool_box.h"
#include "sandbox/source.h"
#include "sandbox/wire/hello.h"
#include "sandbox/wire/profile.h"

struct pool;
struct pool_profile;

enum template_state {
    TEMPLATE_STARTING,
    TEMPLATE_TRIAL,
    TEMPLATE_SPARE,
    TEMPLATE_CURRENT,
    TEMPLATE_RETIRED,
};

struct pool_template {
    LIST_ENTRY(pool_template) link;
    enum template_state state;
    enum profile_id profile;
    pid_t pid; /* 0: reaped */
    struct source sock;
    struct source end;
    struct source listener;
    struct hello hello;
    uint64_t since_us; /* when it became current; before, when it began */
    uint64_t asked_us; /* since when it owes us a box, if one is forking */
    uint32_t made; /* boxes */
    uint64_t base_kb; /* resident size of a box before its order */
    bool is_large; /* its code is on large pages, if the kernel has any */
    bool is_hung; /* killed for saying nothing */
    bool is_burnt; /* a box of it crashed: its layout may be known */
    struct pool_boxes forking; /* asked for, in order; pid not known yet */
    LIST_HEAD(, pool_box) boxes;
};

/* --- for the warden ------------------------------------------------------- */

/* Readable: a hello or the pid of a box. */
void pool_on_template(struct pool *p, struct pool_template *t);

/* The template's process ended. */
void pool_on_template_end(struct pool *p, struct pool_template *t);

/* --- for the pool --------------------------------------------------------- */

/* Start one; a failure is counted and logged, and tried again later. */
void pool_start_template(struct pool *p, enum profile_id profile);

/* Its trial box has ended: is it good, or is it given up? */
void pool_on_trial(struct pool *p, struct pool_template *t,
    const struct slate_head *head, int status);

/* Has it made its boxes, had its time, or a box that crashed? */
bool pool_is_worn(
    const struct pool *p, const struct pool_template *t, uint64_t now_us);

/* Was it (NULL is fine) a spare, small as spares are, and is here one made to
 * serve? */
bool pool_stands_in(
    const struct pool_template *t, const struct pool_template *next);

/* In the place of the current one, if there is one.  Boxes that wait are those
 * of one that has worn out, and of no other. */
void pool_promote(struct pool *p, struct pool_template *t);

/* Tell it to end.  What it still has to say is not heard. */
void pool_retire(struct pool *p, struct pool_template *t);

/* The record goes with its last box and its process, not before. */
void pool_forget(struct pool_template *t);

/* One did not come up: the next is tried later, and later each time. */
void pool_failed(struct pool *p, struct pool_profile *kept, const char *why);

/* Kill those that have said nothing for too long. */
void pool_end_hung(struct pool *p, uint64_t now_us);

/* When to give this one up that has said nothing; UINT64_MAX for never. */
uint64_t pool_patience_us(const struct pool_template *t);

#endif
