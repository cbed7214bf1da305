/*
 * auth - whose token is this
 *
 * A token comes as X-Executor-Token or as Authorization: Bearer.  Both may
 * be sent if they say the same; one of them twice is refused, because nobody
 * can say which was meant.  What was sent and what is kept are compared as
 * SHA-256 digests, in constant time, over the whole set.
 *
 * Not for: what the token allows (struct token, read by order_json and
 * admit).
 */
#ifndef GLOVEBOX_AUTH_H
#define GLOVEBOX_AUTH_H

#include "fcgi-app/tokens.h"
#include "sandbox/base/fault.h"

struct http_request; /* fcgi-app/http.h */

#define AUTH_MAX_SECRET 1024 /* bytes of a token as sent */

/*
 * Returns FAULT_NONE and sets *ret_token (which lives as long as `t`),
 * FAULT_NO_TOKEN_SET when the set is empty, or FAULT_TOKEN: the caller
 * learns nothing about why.
 */
enum fault auth_check(const struct tokens *t, const struct http_request *r,
    const struct token **ret_token);

#endif
