/*
 * tries - one call after another, each in a cage of its own
 *
 * A supervisor (the test) holds the listener and answers as the warden would;
 * a template (a fork) has the listener loaded; each try is a fork of it that
 * loads the cage and makes one call.
 */
#ifndef GLOVEBOX_CONFINE_TRIES_H
#define GLOVEBOX_CONFINE_TRIES_H

#include <stdint.h>

/* A larger mapping is the supervisor's to allow, and it does not. */
#define TRIES_BIG ((uint64_t)32 << 20)

struct tried {
    long number;
    unsigned long args[6];
    long result;
    int error;
    int asked; /* the last call that the supervisor heard of */
    int exits; /* ends that it heard of */
};

/* How the last try went; nobody's word but the kernel's. */
extern struct tried *shared;

/* The template's socket: a descriptor that is open in every try. */
extern int to_supervisor;

/* Run `body` as the template: 0 when all held, as in_fork(). */
int run_in_template(void (*body)(void));

/* In the template: make a call, 0 or the signal that ended the try. */
int call6(long number, unsigned long a0, unsigned long a1, unsigned long a2,
    unsigned long a3, unsigned long a4, unsigned long a5);

/* Likewise, whatever this does once the cage is loaded. */
int try_in_cage(void (*what)(void));

#endif
