/*
 * pool_box - one box as the warden sees it, from its fork to its end
 *
 *   FORKING --> PARKED --> RUNNING --> LEAVING --> gone
 *      |          |                                 ^
 *      |          +--> DISCARDED -------------------+
 *      +--> TRIAL ----------------------------------+
 *
 *   pool_fork()            -> FORKING     pool_on_pid()    -> PARKED or TRIAL
 *   pool_take()            -> RUNNING     pool_box_leaves()      -> LEAVING
 *   pool_discard_parked()  -> DISCARDED   pool_box_ended()       -> gone
 *
 * Any state may be followed by the end: a box is a copy of its template but the
 * warden's child, and its pidfd tells.
 */
#ifndef GLOVEBOX_POOL_BOX_H
#define GLOVEBOX_POOL_BOX_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "sandbox/source.h"
#include "sandbox/watch.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/slate.h"

struct lane;
struct pool;
struct pool_template;

enum box_state {
    BOX_FORKING, /* asked for; its pid is not known yet */
    BOX_TRIAL, /* tries what must fail, runs no order */
    BOX_PARKED, /* waits for its order */
    BOX_DISCARDED, /* will never have one; told to end */
    BOX_RUNNING,
    BOX_LEAVING, /* its order is answered; the kernel takes it apart */
};

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

/* --- for the warden ------------------------------------------------------- */

/*
 * Take a parked box of this profile out of the pool, or NULL.  The caller
 * owns it now and gives it back to pool_box_ended() when it is dead.
 */
struct pool_box *pool_take(struct pool *p, enum profile_id profile);

/*
 * Has this dead box never read the byte that wakes it?  Then no byte of its
 * order was ever looked at; the kernel says so, not the box.
 */
bool pool_box_never_woke(const struct pool_box *box);

/* A running box waits in its last call: kill it, and count it out. */
void pool_box_leaves(struct pool *p, struct pool_box *box, bool crashed);

/* Forget a box that has been reaped; `crashed` burns its template. */
void pool_box_ended(struct pool *p, struct pool_box *box, bool crashed);

/* A box that ran nothing ended: a trial, or one that was parked. */
void pool_on_idle_end(struct pool *p, struct pool_box *box, int status);

/* Why a box ended that never woke, in one sentence for the log. */
void pool_describe_end(
    const struct slate_head *head, int status, char *text, size_t size);

/* --- for the pool --------------------------------------------------------- */

/* Ask a template for a box: 0, or -errno and nothing is left of it. */
int pool_fork(struct pool *p, struct pool_template *t, bool is_trial);

/* The answer to the oldest such question: a pid, or -errno. */
void pool_on_pid(struct pool *p, struct pool_template *t, int32_t pid);

/* Those that wait for an order of a template that is no longer trusted. */
void pool_discard_parked(struct pool *p, const struct pool_template *t);

#endif
