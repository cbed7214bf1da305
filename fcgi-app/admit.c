/*
 * admit - how many runs may be under way at once
 *
 * All state is behind one mutex and is small: a caller exists only while it
 * holds a place or waits for one, so there are never more of them than threads
 * in the service.
 *
 *   admit.callers   every caller known now, in turn order: the head is asked
 *                   first when a place comes free, then moves to the tail
 *   caller.waiters  its waiting runs, longest waiting first
 *
 * A place is handed over, not put down: whoever leaves counts the next run in
 * before the lock is released (admit_grant).  So between two calls this holds:
 * nobody waits who could have a place, and a newcomer cannot overtake.
 *
 * A waiter sleeps in poll() on an eventfd of its own and on its client's
 * connection.  What happened to it is decided under the lock by its state,
 * never by which descriptor woke it: a place granted in the instant of the
 * time-out is taken, one granted in the instant of a hang-up is given back.
 */
#include "fcgi-app/admit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"

enum admit_state {
    ADMIT_WAITING,
    ADMIT_GRANTED,
    ADMIT_DISPLACED,
};

struct admit_waiter {
    TAILQ_ENTRY(admit_waiter) next;
    struct admit_caller_row *row;
    enum admit_state state;
    int wake_fd; /* eventfd; written once, when `state` is settled */
};

struct admit_caller_row {
    TAILQ_ENTRY(admit_caller_row) next;
    char id[ADMIT_MAX_CALLER + 1];
    unsigned limit; /* of the newest run; a reload may change it */
    unsigned running;
    unsigned waiting;
    TAILQ_HEAD(admit_waiters, admit_waiter) waiters;
};

struct admit {
    pthread_mutex_t lock;
    unsigned places;
    unsigned max_queued;
    unsigned queue_ms;
    unsigned running;
    unsigned waiting;
    bool is_stopping;
    TAILQ_HEAD(, admit_caller_row) callers;
};

struct admit_ticket {
    struct admit *a;
    struct admit_caller_row *row;
};

struct admit *
admit_new(unsigned places, unsigned max_queued, unsigned queue_ms)
{
    struct admit *a = calloc(1, sizeof(*a));

    if (a == NULL)
        return NULL;
    (void)pthread_mutex_init(&a->lock, NULL);
    a->places = places;
    a->max_queued = max_queued;
    a->queue_ms = queue_ms;
    TAILQ_INIT(&a->callers);
    return a;
}

void
admit_free(struct admit *a)
{
    if (a == NULL)
        return;
    (void)pthread_mutex_destroy(&a->lock);
    free(a);
}

static struct admit_caller_row *
admit_row_find(struct admit *a, const char *id)
{
    struct admit_caller_row *row;

    TAILQ_FOREACH(row, &a->callers, next)
    if (strncmp(row->id, id, ADMIT_MAX_CALLER) == 0)
        return row;
    return NULL;
}

static struct admit_caller_row *
admit_row_get(struct admit *a, const struct admit_caller *caller)
{
    struct admit_caller_row *row = admit_row_find(a, caller->id);

    if (row == NULL) {
        row = calloc(1, sizeof(*row));
        if (row == NULL)
            return NULL;
        memcpy(row->id, caller->id, strnlen(caller->id, ADMIT_MAX_CALLER));
        TAILQ_INIT(&row->waiters);
        TAILQ_INSERT_TAIL(&a->callers, row, next);
    }
    row->limit = caller->limit;
    return row;
}

/* A caller that neither runs nor waits is forgotten. */
static void
admit_row_put(struct admit *a, struct admit_caller_row *row)
{
    if (row->running > 0 || row->waiting > 0)
        return;
    TAILQ_REMOVE(&a->callers, row, next);
    free(row);
}

static bool
admit_has_room(const struct admit *a, const struct admit_caller_row *row)
{
    return a->running < a->places &&
           (row->limit == 0 || row->running < row->limit);
}

static void
admit_count_in(struct admit *a, struct admit_caller_row *row)
{
    a->running++;
    row->running++;
}

static void
admit_unqueue(struct admit *a, struct admit_waiter *w)
{
    TAILQ_REMOVE(&w->row->waiters, w, next);
    w->row->waiting--;
    a->waiting--;
}

static void
admit_settle(struct admit *a, struct admit_waiter *w, enum admit_state state)
{
    uint64_t one = 1;

    admit_unqueue(a, w);
    w->state = state;
    (void)!write(w->wake_fd, &one, sizeof(one));
}

/* The caller whose turn it is, among those that wait and may have a place. */
static struct admit_caller_row *
admit_next_row(struct admit *a)
{
    struct admit_caller_row *row;

    TAILQ_FOREACH(row, &a->callers, next)
    if (row->waiting > 0 && admit_has_room(a, row))
        return row;
    return NULL;
}

static void
admit_grant(struct admit *a)
{
    struct admit_caller_row *row;

    while ((row = admit_next_row(a)) != NULL) {
        admit_count_in(a, row);
        admit_settle(a, TAILQ_FIRST(&row->waiters), ADMIT_GRANTED);
        TAILQ_REMOVE(&a->callers, row, next);
        TAILQ_INSERT_TAIL(&a->callers, row, next);
    }
}

/*
 * Make room in a full queue for a run of `row`, if some caller has at least
 * two more in it: after the exchange `row` still has not more than the other,
 * so two callers cannot displace each other for ever.
 */
static bool
admit_displace(struct admit *a, const struct admit_caller_row *row)
{
    struct admit_caller_row *most = NULL, *other;

    TAILQ_FOREACH(other, &a->callers, next)
    if (most == NULL || other->waiting > most->waiting)
        most = other;
    if (most == NULL || most->waiting < row->waiting + 2)
        return false;
    admit_settle(a, TAILQ_LAST(&most->waiters, admit_waiters), ADMIT_DISPLACED);
    return true;
}

/* Until the waiter is settled, its client gone or the time over. */
static void
admit_sleep(const struct admit_waiter *w, int hangup_fd, uint64_t deadline_us)
{
    struct pollfd p[2] = {
        { .fd = w->wake_fd, .events = POLLIN },
        { .fd = hangup_fd, .events = POLLRDHUP }, /* not POLLIN: only the end */
    };
    uint64_t now_us;
    int n;

    do {
        now_us = clock_mono_us();
        if (now_us >= deadline_us)
            return;
        n = poll(p, 2, (int)((deadline_us - now_us + 999) / 1000));
    } while (n == 0 || (n < 0 && errno == EINTR));
}

/* With the lock held: what became of a waiter that has woken up. */
static enum fault
admit_woken(struct admit *a, struct admit_waiter *w, bool is_gone)
{
    struct admit_caller_row *row = w->row;

    if (w->state == ADMIT_DISPLACED)
        return FAULT_BUSY; /* `row` may be gone already */
    if (w->state == ADMIT_GRANTED && !is_gone)
        return FAULT_NONE;
    if (w->state == ADMIT_GRANTED) {
        a->running--;
        row->running--;
        admit_grant(a);
    } else {
        admit_unqueue(a, w);
    }
    admit_row_put(a, row);
    return is_gone ? FAULT_CANCELLED : FAULT_QUEUE_TIMEOUT;
}

static bool
admit_is_gone(int hangup_fd)
{
    struct pollfd p = { .fd = hangup_fd, .events = POLLRDHUP };

    return hangup_fd >= 0 && poll(&p, 1, 0) > 0;
}

/* Wait for a place.  Called, and returns, with the lock held. */
static enum fault
admit_wait(struct admit *a, struct admit_caller_row *row, int hangup_fd)
{
    uint64_t deadline_us = clock_mono_us() + a->queue_ms * 1000ull;
    struct admit_waiter w = { .row = row, .state = ADMIT_WAITING };
    AUTO_FD wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool is_gone;

    if (wake_fd < 0) {
        admit_row_put(a, row);
        return FAULT_INTERNAL;
    }
    w.wake_fd = wake_fd;
    TAILQ_INSERT_TAIL(&row->waiters, &w, next);
    row->waiting++;
    a->waiting++;
    (void)pthread_mutex_unlock(&a->lock);

    admit_sleep(&w, hangup_fd, deadline_us);
    is_gone = admit_is_gone(hangup_fd);

    (void)pthread_mutex_lock(&a->lock);
    return admit_woken(a, &w, is_gone);
}

/* A place for `row`, now or later.  Called with the lock held. */
static enum fault
admit_place(struct admit *a, struct admit_caller_row *row, int hangup_fd)
{
    if (row->waiting > 0)
        admit_grant(a); /* a reload may have raised the limit of `row` */
    if (admit_has_room(a, row)) {
        admit_count_in(a, row);
        return FAULT_NONE;
    }
    if (a->waiting >= a->max_queued && !admit_displace(a, row)) {
        admit_row_put(a, row);
        return FAULT_BUSY;
    }
    return admit_wait(a, row, hangup_fd);
}

enum fault
admit_enter(struct admit *a, const struct admit_caller *caller,
    struct admit_ticket **ret_ticket, uint64_t *ret_wait_us)
{
    uint64_t start_us = clock_mono_us();
    struct admit_ticket *ticket = calloc(1, sizeof(*ticket));
    struct admit_caller_row *row = NULL;
    enum fault fault = FAULT_INTERNAL;

    (void)pthread_mutex_lock(&a->lock);
    if (a->is_stopping)
        fault = FAULT_STOPPING;
    else if (ticket != NULL && (row = admit_row_get(a, caller)) != NULL)
        fault = admit_place(a, row, caller->hangup_fd);
    (void)pthread_mutex_unlock(&a->lock);

    if (ret_wait_us != NULL)
        *ret_wait_us = clock_mono_us() - start_us;
    if (fault != FAULT_NONE) {
        free(ticket);
        return fault;
    }
    ticket->a = a;
    ticket->row = row;
    *ret_ticket = ticket;
    return FAULT_NONE;
}

void
admit_leave(struct admit_ticket *ticket)
{
    struct admit *a;

    if (ticket == NULL)
        return;
    a = ticket->a;
    (void)pthread_mutex_lock(&a->lock);
    a->running--;
    ticket->row->running--;
    admit_grant(a);
    admit_row_put(a, ticket->row);
    (void)pthread_mutex_unlock(&a->lock);
    free(ticket);
}

unsigned
admit_running(struct admit_ticket *ticket)
{
    unsigned running;

    (void)pthread_mutex_lock(&ticket->a->lock);
    running = ticket->row->running;
    (void)pthread_mutex_unlock(&ticket->a->lock);
    return running;
}

void
admit_stop(struct admit *a)
{
    (void)pthread_mutex_lock(&a->lock);
    a->is_stopping = true;
    (void)pthread_mutex_unlock(&a->lock);
}

void
admit_count(struct admit *a, unsigned *ret_running, unsigned *ret_queued)
{
    (void)pthread_mutex_lock(&a->lock);
    *ret_running = a->running;
    *ret_queued = a->waiting;
    (void)pthread_mutex_unlock(&a->lock);
}
