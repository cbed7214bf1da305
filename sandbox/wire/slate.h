/*
 * slate - the one piece of memory that a box shares with the warden
 *
 * A sealed memfd of fixed size, one for each box, never used twice.  The
 * warden writes the order into it before it wakes the box; the box writes its
 * output and its claim into it as it goes.  So a print() costs no system
 * call, nothing printed is lost when the box is killed, a flood of output
 * blocks nobody, and the box needs neither write() nor a second descriptor.
 *
 *   OFFSET         SIZE             FIELD
 *        0         4096             struct slate_head
 *     4096  order_bytes             the packed order        (warden writes)
 *      ...  output_bytes            standard output         (box writes)
 *      ...  output_bytes            standard error          (box writes)
 *      ...  claim_bytes             the packed claim        (box writes)
 *
 * Each area starts on a page.  The warden reads with pread() and, for
 * anything that counts, only when the box is dead or held in its last call:
 * nothing in here can
 * change under its eyes.  Every number in the head is the box's word and is
 * clamped to the area before use.
 */
#ifndef GLOVEBOX_SLATE_H
#define GLOVEBOX_SLATE_H

#include "sandbox/base/buf.h"
#include "sandbox/wire/setup.h"

/* How far a box says it has come. */
enum slate_phase {
    SLATE_CLOSING = 0, /* walking the confinement steps */
    SLATE_PARKED = 1, /* confined, waiting for its order */
    SLATE_CHECKING = 2, /* reading, parsing and validating its order */
    SLATE_RUNNING = 3, /* the program itself */
    SLATE_TELLING = 4, /* writing the claim */
    SLATE_STEP_FAILED = 5, /* a confinement step failed: step, error */
    SLATE_PHASES = 6
};

struct slate_head {
    uint32_t phase; /* enum slate_phase */
    uint32_t order_len; /* warden */
    uint64_t layers; /* confinement that holds; before any client's byte */
    uint64_t base_kb; /* resident after a rehearsal; a trial box only */
    uint64_t base_faults; /* page faults before the order */
    uint64_t out_len; /* bytes the program printed, also those not kept */
    uint64_t err_len;
    uint32_t claim_len; /* 0 until the claim is whole */
    uint32_t step; /* the confinement step that failed */
    int32_t error; /* and its errno */
    uint32_t is_warm; /* it has rehearsed */
    uint64_t phase_us[SLATE_PHASES]; /* when each phase began, monotonic */
    uint32_t where_line; /* where the program was when told to stop */
    char where_name[64]; /* function name, cut; NUL-terminated */
};

struct slate_layout {
    size_t order_at, order_bytes;
    size_t out_at, err_at, output_bytes;
    size_t claim_at, claim_bytes;
    size_t total;
};

struct slate_layout slate_layout_of(const struct setup *s);

/*
 * A new sealed memfd of that layout, close-on-exec.  Returns the descriptor
 * or -errno.
 */
int slate_new(const struct slate_layout *l);

/*
 * The box's side: the slate as mapped memory.
 */
struct slate {
    struct slate_head *head;
    struct slate_layout layout;
    char *base;
};

int slate_map(struct slate *s, int fd, const struct slate_layout *l);

/* Say how far it has come, and when. */
void slate_set_phase(struct slate *s, enum slate_phase phase);

/* Append output, as far as it fits under `max`; counts what does not fit. */
void slate_add_out(struct slate *s, const char *bytes, size_t len, size_t max);
void slate_add_err(struct slate *s, const char *bytes, size_t len, size_t max);
/* Store a packed claim whole, or not at all. */
void slate_set_claim(struct slate *s, const char *bytes, size_t len);

#endif
