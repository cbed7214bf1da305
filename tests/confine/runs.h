/*
 * runs - one warden, one lane, order after order
 *
 * What the suites with a real warden share.  Each test starts its own, in the
 * process that Check forks for it.
 */
#ifndef GLOVEBOX_CONFINE_RUNS_H
#define GLOVEBOX_CONFINE_RUNS_H

#include <stdbool.h>

#include "tests/support/client.h"

extern struct client client;
extern int lane;
extern struct buf room; /* what the views of `got` point into */
extern struct outcome got; /* the last outcome */

/* Settings for one box of `restricted` that waits, and nothing else. */
struct setup one_parked(void);

/* Start a warden, wait until it is ready, and open the lane. */
void start_with(struct setup s);
void start(void);
void stop(void);

void run_order_of(const struct order *o);
void run_in(enum profile_id profile, const char *code);
void run(const char *code); /* profile `standard` */

/* The last run ended with this value, or with an error of this type. */
void expect_value(const char *json);
void expect_error(const char *type);

bool layer_is_on(const char *name);

/* A warden is started, is not ready, and says this. */
void expect_no_start(const char *problem);

#endif
