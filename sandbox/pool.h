/*
 * pool - templates and the boxes they make, as the warden sees them
 *
 * For each profile that is kept there is one current template, a spare that
 * takes its place at once when it is worn out or burnt, for a while a next one,
 * and any number of old ones whose last boxes still run.
 *
 *   a template:  STARTING --hello--> TRIAL --its box ended well--> SPARE
 *                    |                 |                             |
 *                    +---- failed -----+         no current one is fit
 *                    v                                               v
 *                  GONE <-- last box ended -- RETIRED <----------- CURRENT
 *                                                  worn out, burnt, or it died
 *
 *   pool_start_template()  -> STARTING    pool_on_template() hello  -> TRIAL
 *   pool_on_trial()        -> SPARE       pool_promote()            -> CURRENT
 *   pool_retire()          -> RETIRED     pool_forget()             -> GONE
 *
 * STARTING: nothing may be asked of it.  TRIAL: it forks one box, which tries
 * what must fail.  SPARE: it waits.  CURRENT: its boxes may serve orders.
 * RETIRED: it is told to end; its record stays while a box of it lives, because
 * refused calls of that box come through its listener.
 *
 *   a box:  FORKING --pid--> PARKED --pool_take()--> RUNNING --> LEAVING -->
 * gone |               |                                   ^ | +-- template
 * burnt --> DISCARDED ---+
 *              +--- pid ---> TRIAL --------------------------------+
 *
 * With SETUP_START_FRESH every template makes one box and is retired.
 */
#ifndef GLOVEBOX_POOL_H
#define GLOVEBOX_POOL_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "sandbox/watch.h"
#include "sandbox/wire/hello.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/slate.h"
#include "sandbox/wire/status.h"

/* What a descriptor in the warden's epoll set belongs to. */
enum source_kind {
    SOURCE_CONTROL,
    SOURCE_LANE,
    SOURCE_TEMPLATE, /* its socket */
    SOURCE_TEMPLATE_END, /* its pidfd */
    SOURCE_LISTENER, /* refused calls of its boxes */
    SOURCE_BOX_END, /* a box's pidfd */
};

struct source {
    enum source_kind kind;
    int fd; /* -1: none */
    void *owner;
};

enum box_state {
    BOX_FORKING, /* asked for; its pid is not known yet */
    BOX_TRIAL, /* tries what must fail, runs no order */
    BOX_PARKED, /* waits for its order */
    BOX_DISCARDED, /* will never have one; told to end */
    BOX_RUNNING,
    BOX_LEAVING, /* its order is answered; the kernel takes it apart */
};

struct lane;
struct pool_template;

struct pool_box {
    TAILQ_ENTRY(pool_box) link; /* forking or parked */
    LIST_ENTRY(pool_box) sibling; /* all of its template */
    struct pool_template *from;
    enum box_state state;
    bool is_trial;
    bool is_warm; /* has rehearsed */
    pid_t pid;
    struct source end;
    int wake_fd; /* our end; closed when the box has been woken */
    int wake_read_fd; /* its end too, to see whether it read the byte */
    int slate_fd;
    struct lane *lane; /* whose order it runs; NULL when nobody waits */
    struct watch watch;
};

TAILQ_HEAD(pool_boxes, pool_box);

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
    bool is_hung; /* killed for saying nothing */
    bool is_burnt; /* a box of it crashed: its layout may be known */
    struct pool_boxes forking; /* asked for, in order; pid not known yet */
    LIST_HEAD(, pool_box) boxes;
};

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
    uint64_t base_kb; /* resident size of a box before its order */
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
 * Take a parked box of this profile out of the pool, or NULL.  The caller
 * owns it now and gives it back to pool_box_ended() when it is dead.
 */
struct pool_box *pool_take(struct pool *p, enum profile_id profile);

/*
 * Can an order of this profile expect a box?  Either a template is there and
 * forks, or one is on its way and has not failed too often.
 */
bool pool_can_serve(const struct pool *p, enum profile_id profile);

/* Why a box ended that never woke, in one sentence for the log. */
void pool_describe_end(
    const struct slate_head *head, int status, char *text, size_t size);

/* Readable: a hello or the pid of a box. */
void pool_on_template(struct pool *p, struct pool_template *t);
/* The template's process ended. */
void pool_on_template_end(struct pool *p, struct pool_template *t);
/* A box that ran nothing ended: a trial, or one that was parked. */
void pool_on_idle_end(struct pool *p, struct pool_box *box, int status);
/*
 * Has this dead box never read the byte that wakes it?  Then no byte of its
 * order was ever looked at; the kernel says so, not the box.
 */
bool pool_box_never_woke(const struct pool_box *box);

/* A running box waits in its last call: kill it, and count it out. */
void pool_box_leaves(struct pool *p, struct pool_box *box, bool crashed);

/* Forget a box that has been reaped; `crashed` burns its template. */
void pool_box_ended(struct pool *p, struct pool_box *box, bool crashed);

/*
 * Reap children nobody knows: boxes whose template died between cloning them
 * and telling us.  They find their wake pipe at its end and exit.
 */
void pool_reap_strays(const struct pool *p);

/* Fill in the figures. */
void pool_status(struct pool *p, struct status *ret_status);

#endif
