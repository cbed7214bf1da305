/*
 * context - the variables that a request hands to its program
 *
 * The rules of the contract for the member `context` of a request: its
 * top-level keys become names of the program, so they must be identifiers and
 * none that Python or the sandbox owns; what they stand for is bounded in
 * depth and size.
 *
 * A key beyond ASCII is let through here when its ASCII part is good: whether
 * Unicode calls it an identifier is known only where Python is, and a box
 * looks again.
 */
#ifndef GLOVEBOX_CONTEXT_H
#define GLOVEBOX_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/base/buf.h"

#define CONTEXT_KEYS_KEPT 32
#define CONTEXT_KEY_ROOM 64 /* with its NUL; longer names are cut */
#define CONTEXT_MAX_DETAIL 160

/* Names of the variables, for the audit line.  Always valid UTF-8. */
struct order_keys {
    size_t count; /* all of them */
    char names[CONTEXT_KEYS_KEPT][CONTEXT_KEY_ROOM]; /* the first ones */
};

/*
 * Check the object `text`, which a json_read() has passed.  Returns 0, or
 * -ENOMEM.  When a rule is broken the sentence of the contract is in
 * `detail`; otherwise `detail` is empty and the compact text is in `out`,
 * whose max must be MAX_CONTEXT_BYTES.  *ret_keys is filled either way.
 */
int context_check(struct view text, struct buf *out,
    struct order_keys *ret_keys, char detail[CONTEXT_MAX_DETAIL]);

/* Does Python or the sandbox own this name? */
bool context_is_reserved(const char *name, size_t len);
/* As far as ASCII tells. */
bool context_is_identifier(const char *name, size_t len);

#endif
