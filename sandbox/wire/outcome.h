/*
 * outcome - how a run ended: the warden's verdict and the box's claim
 *
 * The verdict is what the kernel and the warden's own clocks say.  The claim,
 * the output and the place where the program was are the box's word.
 */
#ifndef GLOVEBOX_OUTCOME_H
#define GLOVEBOX_OUTCOME_H

#include "sandbox/base/buf.h"
#include "sandbox/wire/claim.h"
#include "sandbox/wire/setup.h"

enum verdict_kind {
    VERDICT_ENDED = 0, /* exited by itself with status 0 */
    VERDICT_TIMEOUT = 1, /* wall clock; the warden killed it */
    VERDICT_CPU = 2, /* CPU time; the warden or RLIMIT_CPU killed it */
    VERDICT_MEMORY = 3, /* the kernel refused it memory, and it gave up */
    VERDICT_FORBIDDEN = 4, /* the filter killed it (SIGSYS) */
    VERDICT_CRASHED = 5, /* any other signal: `number` */
    VERDICT_EXITED = 6, /* exited with another status: `number` */
    VERDICT_NOISY = 7, /* too many refused calls; the warden killed it */
    VERDICT_NOT_STARTED = 8, /* our failure: no box could be had */
};

#define OUTCOME_MAX_REFUSED 16
#define OUTCOME_MAX_CALL 32

struct outcome_refused {
    char call[OUTCOME_MAX_CALL]; /* "socket"; from the kernel, never the box */
    uint32_t count;
};

struct outcome {
    uint32_t verdict; /* enum verdict_kind */
    int32_t number; /* signal, or exit status */
    uint64_t wall_us; /* from the order's hand-over to its end */
    uint64_t cpu_us;
    uint64_t wait_us; /* in the warden, until a box was there */
    /*
     * Where the wall time went, by the box's own stamps, clamped to it: until
     * the box woke, reading and validating, the program, and from the claim
     * to the end of the process.
     */
    uint64_t wake_us;
    uint64_t check_us;
    uint64_t run_us;
    uint64_t end_us;
    uint64_t memory_bytes; /* growth over the template */
    uint64_t faults; /* minor page faults since the order, about */
    uint32_t refused_count;
    struct outcome_refused refused[OUTCOME_MAX_REFUSED];
    struct view stdout_text; /* bytes; sanitized where they are printed */
    struct view stderr_text;
    uint32_t stdout_cut; /* bool: more was printed than is here */
    uint32_t stderr_cut;
    uint32_t where_line; /* 0: not known */
    struct view where_name;
    struct view reason; /* VERDICT_NOT_STARTED: which step, for the log */
    struct claim claim;
};

size_t outcome_max_bytes(const struct setup *s);
void outcome_pack(struct buf *b, const struct outcome *o);
/* 0, or -EPROTO.  Views of *ret_outcome point into `body`. */
int outcome_unpack(
    struct view body, const struct setup *bounds, struct outcome *ret_outcome);

#endif
