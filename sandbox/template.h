/*
 * template - CPython warmed up, nothing of any client in it
 *
 * A process of its own, started by exec so that it has its own address
 * layout and hash seed.  What holds when it forks a box, and is checked when
 * it says hello: one thread, no client's bytes, only its control socket open,
 * every step of template_steps[] taken.
 */
#ifndef GLOVEBOX_TEMPLATE_H
#define GLOVEBOX_TEMPLATE_H

#include "sandbox/confine/confine.h"

/* argv[0] of a template; the program knows by it what it is. */
#define TEMPLATE_NAME "glovebox-template"

/* The control socket, in a template. */
#define TEMPLATE_FD 3

/* What the warden sends, with the wake pipe and the slate of the box to be. */
#define TEMPLATE_FORK 'F'
#define TEMPLATE_FORK_TRIAL 'T' /* a box that rehearses at once; pool.h */

extern const struct confine_step template_steps[];
extern const size_t template_step_count;

/* The whole life of a template; returns its exit status. */
int template_main(void);

#endif
