/*
 * control - the warden's end of the socket it shares with the app
 *
 *   SETUP   in, first and once
 *   LANE    in, each with a descriptor: the warden's end of a new lane
 *   STATUS  out
 *
 * Bytes and descriptors arrive apart: descriptors wait in `fds` until their
 * frames are whole.  The socket's end is the end of the warden.
 *
 * Not for: orders, which go through the lanes (sandbox/lane.h).
 */
#ifndef GLOVEBOX_CONTROL_H
#define GLOVEBOX_CONTROL_H

#include "sandbox/base/buf.h"
#include "sandbox/source.h"
#include "sandbox/wire/setup.h"
#include "sandbox/wire/status.h"

/* Descriptors of lanes that came ahead of their frames. */
#define CONTROL_MAX_FDS 64

struct control {
    struct source source;
    struct buf in;
    int fds[CONTROL_MAX_FDS];
    size_t fd_count;
};

/* Take this descriptor, which no child inherits from now on: 0 or -errno. */
int control_init(struct control *c, int fd);

/* Wait for the SETUP: 0 or -errno. */
int control_read_setup(struct control *c, struct setup *ret_setup);

/* Bytes and descriptors: 0, or -errno; the app's end is -EPIPE. */
int control_read(struct control *c);

/*
 * The descriptor of the next lane, which is the caller's: 1 when there was
 * one, 0 when no frame is whole, or -errno: that is no LANE.
 */
int control_next_lane(struct control *c, int *ret_fd);

/* An app that does not read misses one; the next says it again. */
void control_send_status(const struct control *c, const struct status *s);

#endif
