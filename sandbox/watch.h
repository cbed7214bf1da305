/*
 * watch - the clocks of a running box, and the verdict on how it ended
 *
 * Everything here comes from the kernel: the warden's monotonic clock, the
 * box's CPU clock, its exit status, its rusage, its size.  Nothing that the
 * box wrote is looked at, but for one question that the kernel cannot answer
 * alone: a box that says it ran out of memory is believed only when its size
 * allows it (sandbox/refusals.c).
 */
#ifndef GLOVEBOX_WATCH_H
#define GLOVEBOX_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "sandbox/wire/outcome.h"

/* The most that a late start moves a deadline. */
#define WATCH_MOST_LATE_US 250000

/* Between asking a box to note where it is and killing it. */
#define WATCH_GRACE_US 15000
/* Longer, as far as this, for one that has not had so much of a processor since
 * it was asked: it waits behind others and could not answer. */
#define WATCH_MOST_GRACE_US 250000
#define WATCH_ANSWER_US 1000

/* A program that has used so much CPU is a long one: it gives way. */
#define WATCH_LONG_US 10000
/* One that mostly sleeps is looked at no oftener than this. */
#define WATCH_LOOK_US 100000

/* Refused calls that are answered before a box is killed for the noise. */
#define WATCH_MAX_REFUSED 10000
/* Questions about memory likewise; an honest program has few. */
#define WATCH_MAX_ASKED 20000

struct watch {
    uint64_t start_us;
    uint64_t deadline_us;
    uint64_t cpu_start_us;
    uint64_t cpu_limit_us;
    uint64_t memory_bytes;
    uint64_t base_kb; /* resident when the order came */
    uint64_t check_us; /* when to look next */
    uint64_t end_us; /* when it was found dead */
    bool is_long; /* used WATCH_LONG_US of CPU */
    bool gives_way; /* is long, or one of many: crowd.h */
    bool is_apart; /* as set by crowd_place(), likewise `nice` */
    int nice;
    bool is_late; /* had its order before it was ready for one */
    bool is_minded; /* the deadline was put right for a late start */
    bool is_stopped; /* told to stop; SIGKILL follows at check_us, or later */
    uint64_t stop_us; /* when it was told so */
    uint64_t stop_cpu_us; /* what it had used by then */
    bool is_killed;
    bool has_verdict;
    enum verdict_kind verdict; /* what the warden decided, if it did */
    bool saw_memory; /* the kernel's figures allow "out of memory" */
    uint32_t asked; /* questions about memory, asked of the warden */
    uint32_t refused_total;
    uint32_t refused_count;
    struct outcome_refused refused[OUTCOME_MAX_REFUSED];
};

/* CPU time of a process so far. */
uint64_t watch_cpu_us(pid_t pid);

void watch_start(struct watch *w, pid_t pid, uint64_t now_us, uint32_t wall_ms,
    uint32_t cpu_ms, uint64_t memory_bytes, uint64_t base_kb);

/* The program began at `began_us`, later than watch_start() said. */
void watch_began(struct watch *w, uint64_t began_us);

/* Look at the clocks if it is time; sends signals by `pidfd`. */
void watch_tick(struct watch *w, pid_t pid, int pidfd, uint64_t now_us);

/* Kill at once; `verdict` says why. */
void watch_kill(struct watch *w, int pidfd, enum verdict_kind verdict);

/* A call was refused; `name` is from the kernel's number. */
void watch_count_refused(struct watch *w, int pidfd, const char *name);

/* Turn exit status and rusage into the verdict's part of an outcome. */
void watch_verdict(const struct watch *w, int status,
    const struct rusage *usage, struct outcome *o);

#endif
