/*
 * bridge - JSON-RPC on two pipes, carried to the service's /mcp
 *
 * For clients that can only start a program and talk to it: a line in is a
 * message, which becomes one HTTP request on a connection of its own; what
 * comes back goes out as lines.  Requests do not wait for each other.  A
 * notifications/cancelled closes the connection of the request it names, and
 * a client that goes away closes them all, which is how the service learns
 * that a run is no longer wanted.
 *
 * Every request is answered, if need be with an error of the bridge's own:
 * the service cannot be reached, breaks off, refuses, says nothing for too
 * long, or BRIDGE_MAX_CALLS are under way.
 */
#ifndef GLOVEBOX_BRIDGE_H
#define GLOVEBOX_BRIDGE_H

#include "fcgi-app/bridge/endpoint.h"

#define BRIDGE_MAX_CALLS 32
#define BRIDGE_MAX_LINE (16u << 20)

struct bridge_options {
    int in_fd;
    int out_fd;
    unsigned silence_ms; /* how long the service may say nothing */
};

/*
 * Carry messages until `in_fd` ends and all answers are out, or until nobody
 * reads `out_fd`.  Returns 0, or -errno when the pipes or memory fail.  Notes
 * that belong in no answer go to standard error.
 */
int bridge_run(struct endpoint *e, const struct bridge_options *o);

#endif
