/*
 * endpoint - where the service is, and the request that takes a message there
 *
 * A URL http://HOST[:PORT][/PATH]; without a path, /mcp.  There is no TLS in
 * here: the bridge is for a service on the same machine, or at the near end
 * of a tunnel.  So that a token is not sent in the clear by accident, an
 * address that is not this machine's own wants `may_leave`.
 */
#ifndef GLOVEBOX_BRIDGE_ENDPOINT_H
#define GLOVEBOX_BRIDGE_ENDPOINT_H

#include <netdb.h>
#include <stdbool.h>

#include "fcgi-app/bridge/message.h"
#include "sandbox/base/buf.h"

struct endpoint {
    char url[544];
    char authority[264]; /* as in Host: */
    char path[264];
    char token[1025];
    char version[32]; /* agreed on by `initialize`; empty before that */
    struct addrinfo *addresses; /* endpoint_done() frees */
};

/*
 * Take a URL apart and look its host up.  Returns 0, or -1 with a sentence in
 * `problem`.
 */
int endpoint_init(struct endpoint *e, const char *url, bool may_leave,
    char *problem, size_t size);
void endpoint_done(struct endpoint *e);

/* Keep the token; false when it is not 1 to 1024 visible ASCII characters. */
bool endpoint_set_token(struct endpoint *e, struct view token);

/*
 * The whole HTTP request for a message.  A modern one's protocol version,
 * method and name are repeated in headers; text that a header cannot hold goes
 * in base64, so nothing a message says can end a header early.
 */
void endpoint_request(
    const struct endpoint *e, const struct message *m, struct buf *out);

#endif
