/*
 * frame - one message between the app and the warden
 *
 *   OFFSET  SIZE  FIELD
 *        0     4  magic, "GBX1"
 *        4     4  type, enum frame_type, little-endian
 *        8     4  length of the body in bytes, little-endian
 *       12     n  body, as the type's pack function wrote it
 *
 * Control socket (one, for the life of a warden):
 *   app -> warden   SETUP once, first; then LANE, each with one descriptor
 *   warden -> app   STATUS, the first when all templates have been tried
 *
 * Lane (one for each thread of the app, strictly one order at a time):
 *   app -> warden   ORDER
 *   warden -> app   PROGRESS now and then if the order asks for it, OUTCOME
 *   Closing a lane cancels what runs on it.
 *
 * Both ends check magic, type and length before they keep a byte of the body.
 */
#ifndef GLOVEBOX_FRAME_H
#define GLOVEBOX_FRAME_H

#include "sandbox/base/buf.h"

#define FRAME_HEADER_BYTES 12

enum frame_type {
    FRAME_SETUP = 1,
    FRAME_LANE = 2,
    FRAME_STATUS = 3,
    FRAME_ORDER = 4,
    FRAME_OUTCOME = 5,
    FRAME_PROGRESS = 6,
};

/*
 * Start a frame at the end of `b`, and close it once its body is added.
 * frame_begin() returns where the frame starts, for frame_end().
 */
size_t frame_begin(struct buf *b, enum frame_type type);
void frame_end(struct buf *b, size_t start);

/*
 * Look for one whole frame of `type` at the front of `b`.  Returns 1 and sets
 * *ret_body (which points into `b`) and *ret_size (what to buf_eat()
 * afterwards), 0 when more bytes are needed, or -EPROTO when the bytes cannot
 * become one: wrong magic, another type, or a body over `max_body`.
 */
int frame_peek(const struct buf *b, enum frame_type type, size_t max_body,
    struct view *ret_body, size_t *ret_size);

/* Does a frame of `type` begin at the front of `b`?  Not known yet: false. */
bool frame_is(const struct buf *b, enum frame_type type);

#endif
