/*
 * rate - how often a token with a rate of its own may call
 *
 * nginx keeps the server's rate for every caller (nginx/limits.conf.in), but it
 * does not know whose secret is whose.  A token of the tokens file may have a
 * lower rate; that one is kept here, by the token's id, so that two secrets of
 * one token share it and a reload does not refill it.
 *
 * A token earns one call every 60 s / rate and may save up `burst` of them.
 * What is kept of it is one moment: when its savings would be whole again.
 *
 * Not for: how many run at once (admit.h).
 */
#ifndef GLOVEBOX_RATE_H
#define GLOVEBOX_RATE_H

#include <stdint.h>

struct rates; /* opaque; rate.c */

struct rates *rates_new(void); /* NULL when out of memory */
void rates_free(struct rates *r); /* NULL is fine */

/*
 * One call of the token `id`, which may make `per_minute` (0: as many as it
 * likes) and save up `burst` of them.  Returns 0, or in how many seconds it may
 * call again; a call that was refused costs nothing.
 */
unsigned rates_take(struct rates *r, const char *id, uint32_t per_minute,
    uint32_t burst, uint64_t now_us);

#endif
