/*
 * mcp_stream - an answer that comes in pieces: progress, then the result
 *
 * A client that sends a progressToken with tools/call, and takes
 * text/event-stream, gets its answer as server-sent events: notifications
 * while the tool works, and the result as the last one.  All others get one
 * JSON object.
 *
 * A stream is bounded, and so small that it fits into the buffers on its way:
 * a client that does not read holds nobody up.  One that is gone ends the run.
 *
 * Not for: requests to the client; we make none.
 */
#ifndef GLOVEBOX_MCP_STREAM_H
#define GLOVEBOX_MCP_STREAM_H

#include <stdbool.h>

#include "fcgi-app/warden_lane.h"
#include "sandbox/base/buf.h"
#include "sandbox/base/fault.h"

struct exchange; /* fcgi-app/route.h */

/* How often a run is asked how far it is. */
#define MCP_PROGRESS_MS 1000
/* Bytes of all notifications together; what comes later is left out. */
#define MCP_MAX_STREAM (96 * 1024)

struct mcp_stream {
    struct exchange *x;
    struct view token; /* as it was written: a string or an integer */
    double last; /* the progress that was told last; they only rise */
    double total; /* of a run: its seconds; 0: not known */
    size_t sent;
    bool is_gone; /* the client */
    struct warden_listener listener; /* of a run */
};

/*
 * Does this request ask for a stream?  `meta` is params._meta, or has no
 * data.  Then *s is ready; nothing has been sent yet.
 */
bool mcp_stream_init(
    struct mcp_stream *s, struct exchange *x, struct view meta);

/* Any notification; `params` is a JSON object.  False: the client is gone. */
bool mcp_stream_notify(
    struct mcp_stream *s, const char *method, struct view params);

/*
 * How far it has come, as a number that must be higher than the last one, and
 * a text of anybody.  `total` 0: not known.  False: the client is gone.
 */
bool mcp_stream_progress(
    struct mcp_stream *s, double progress, double total, struct view text);

/* The response's body, which is the whole answer, as the last event. */
enum fault mcp_stream_end(struct mcp_stream *s);

#endif
