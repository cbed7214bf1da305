/*
 * lane - one thread of the app, as the warden sees it
 *
 * A stream of frames: an order in, an outcome out, strictly in turn; between
 * them, if the order asks for it, how far it has come.  The
 * order's bytes stay in `in` until the outcome is sent, so that an order whose
 * box was lost before it began can be given to another.
 */
#ifndef GLOVEBOX_LANE_H
#define GLOVEBOX_LANE_H

#include <stdbool.h>
#include <sys/queue.h>

#include "sandbox/base/buf.h"
#include "sandbox/pool_box.h"
#include "sandbox/source.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/progress.h"

enum lane_state {
    LANE_IDLE, /* no order, or not whole yet */
    LANE_WAITING, /* for a box */
    LANE_RUNNING,
    LANE_TELLING, /* the outcome is not all sent yet */
};

struct lane {
    LIST_ENTRY(lane) link;
    TAILQ_ENTRY(lane) turn; /* while WAITING */
    struct source source;
    enum lane_state state;
    struct buf in;
    struct buf out;
    struct order order; /* views into `in` */
    struct view packed; /* the order's bytes, likewise */
    struct pool_box *box; /* while RUNNING */
    uint64_t since_us; /* when the order was whole */
    uint64_t progress_us; /* when to tell of its progress next */
    uint32_t lost; /* boxes that died with the order before they began */
    bool is_full; /* the app reads slowly: we wait until it has */
};

/* Takes the descriptor.  NULL when there is no memory. */
struct lane *lane_new(int fd, const struct setup *s);
void lane_free(struct lane *l); /* NULL is fine; closes */

/*
 * Read what is there.  Returns 1 when an order is whole (and unpacked), 0 when
 * not yet, -EPIPE at the end, or -errno: the app is not what it should be.
 */
int lane_read(struct lane *l, const struct setup *s);

/* Put an outcome into `out`, after the order has been used up. */
void lane_put(struct lane *l, const struct outcome *o);

/*
 * Put a progress into `out`, unless the last one has not left yet: who does
 * not read is not told more.
 */
void lane_put_progress(struct lane *l, const struct progress *p);

/* Send what is in `out`: 1 all sent, 0 not yet, or -errno. */
int lane_send(struct lane *l);

#endif
