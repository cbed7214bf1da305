/*
 * reply - one HTTP/1.1 response of the service, read as it arrives
 *
 * Bytes go in with reply_feed(), in pieces of any size.  Messages come out
 * through `on_message`: the body, when it is complete, or every event of a
 * stream (text/event-stream) as soon as it is.  A body of any other type is
 * kept in `body` and given to nobody.  Everything has a maximum.
 */
#ifndef GLOVEBOX_BRIDGE_REPLY_H
#define GLOVEBOX_BRIDGE_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/base/buf.h"

#define REPLY_MAX_HEAD (64u << 10)
#define REPLY_MAX_BODY (32u << 20) /* of a body, and of one event */

typedef void reply_message(void *to, struct view text);

struct reply {
    unsigned status; /* 0 until the head was read */
    bool is_json;
    bool is_stream;
    bool is_complete; /* nothing follows */
    struct buf body;

    /* inside only */
    reply_message *on_message;
    void *to;
    unsigned state; /* enum reply_state of reply.c */
    uint64_t left; /* of the body, or of a chunk */
    bool is_chunked;
    bool has_length;
    struct buf line; /* the head, or a line between chunks */
    struct buf event; /* data of the event that is being read */
};

void reply_init(struct reply *r, reply_message *on_message, void *to);
void reply_done(struct reply *r);

/*
 * Returns 0, -EPROTO when this is no HTTP/1.1 response, or -EFBIG when a
 * maximum was passed; after that, only reply_done().  What follows the end is
 * not read.
 */
int reply_feed(struct reply *r, const char *bytes, size_t len);

/* The service has closed the connection: 0, or -EPROTO when it was too soon. */
int reply_end(struct reply *r);

#endif
