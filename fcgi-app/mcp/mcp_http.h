/*
 * mcp_http - POST /mcp: the transport rules of both eras
 *
 * handle_mcp() is the route's handler (route.h), mcp_guard() what stands
 * before even the token: a page of a foreign origin is turned away (403).
 */
#ifndef GLOVEBOX_MCP_HTTP_H
#define GLOVEBOX_MCP_HTTP_H

#include <stdbool.h>

#include "fcgi-app/route.h"
#include "sandbox/base/buf.h"

enum fault mcp_guard(struct exchange *x);

/*
 * Does a header repeat a parameter, a JSON string?  "=?base64?...?=" in the
 * header is how it holds what is no plain ASCII.
 */
bool mcp_header_is(const char *header, struct view token);

/* Add what base64 text stands for; false when it is not strictly that. */
bool mcp_base64_decode(struct buf *b, const char *text, size_t len);

#endif
