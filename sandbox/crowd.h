/*
 * crowd - long programs make room for short ones
 *
 * A program that has used WATCH_LONG_US of CPU is long and gives way; one whose
 * caller has a crowd running already gives way from its start.  To give way is
 *   - a low priority, the lower the more of them there are: together they
 *     weigh about as much as one short program;
 *   - a long time slice (Linux 6.12), so that whoever wakes up goes first;
 *   - while there is a crowd of long ones and short programs come and go, to
 *     leave some processors to those.
 * Nothing of it needs a right, and nothing in a box can undo it.
 *
 * Not for: ending a program (watch.h) or how many may run (fcgi-app/admit.h).
 */
#ifndef GLOVEBOX_CROWD_H
#define GLOVEBOX_CROWD_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/watch.h"

/* More programs than this for each processor are a crowd. */
#define CROWD_PER_PROCESSOR 2
/* So long after a short program another one may come. */
#define CROWD_RECENT_US 1000000

struct crowd {
    cpu_set_t all; /* processors we were given */
    cpu_set_t rest; /* those but for the ones left to short programs */
    unsigned processors;
    int nice; /* for whoever gives way now */
    bool is_apart; /* whoever gives way is on `rest` */
    uint64_t short_us; /* when a short program ended last; 0: never */
};

/* Looks which processors we have; with one, or too many to tell, none is
 * ever left to anybody. */
void crowd_init(struct crowd *c);

/* Of `n` processors, how many are left to short programs. */
unsigned crowd_left_of(unsigned n);

/* The priority for each of `count` programs that give way. */
int crowd_nice_of(unsigned count);

/* Of those that run, `giving` give way and `is_long` of them are long. */
void crowd_count(
    struct crowd *c, unsigned giving, unsigned is_long, uint64_t now_us);

/* While is_apart: when that ends, if no other short program does before. */
uint64_t crowd_until_us(const struct crowd *c);

/* Its caller runs so many with it: does a program give way from its start? */
bool crowd_is_one_of_many(const struct crowd *c, unsigned running);

/* Let one give way as much as crowd_count() found.  The priority is never
 * taken back: the kernel would not let us. */
void crowd_place(const struct crowd *c, struct watch *w, pid_t pid);

/* A caller's program has ended. */
void crowd_saw_end(struct crowd *c, const struct watch *w, uint64_t now_us);

#endif
