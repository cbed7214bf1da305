/*
 * takeover - one service takes the place of another, and nobody notices
 *
 * The service that runs (the old one) waits at a control socket beside
 * SOCKET_PATH.  The one that is to replace it (the new one, --take-over)
 * connects there and is sent the listener and the control socket themselves,
 * not copies of their addresses: what waits in the backlog waits on.
 *
 *   old                                     new
 *    |<--------------- connect --------------|  root, or the old one's user
 *    |--- version, listener, control ------->|
 *    |   goes on serving                     |  comes up: sandbox, canary
 *    |                                       |  accepts, too
 *    |<--------------- ready ----------------|
 *    |   accepts no more, finishes, exits 0  |
 *
 * If the new one ends before it is ready, the old one sees the end of the
 * connection and serves on, as if nothing had been.  If the old one ends, the
 * new one comes up all the same.  While there are two, neither removes the
 * sockets' files when it ends (spawner_keep_files()).  One at a time.
 */
#ifndef GLOVEBOX_TAKEOVER_H
#define GLOVEBOX_TAKEOVER_H

#include <stddef.h>
#include <stdint.h>

enum takeover_word {
    TAKEOVER_READY, /* the new service accepts */
    TAKEOVER_BROKEN_OFF, /* it has ended, or talks nonsense */
};

struct takeover_fds {
    int listen_fd;
    int control_fd;
};

/* The control socket's path into `room`: 0, or -ENAMETOOLONG. */
int takeover_path(const char *socket_path, char *room, size_t size);

/* Old: the control socket, mode 0600, of user `uid`.  As listener_at_path(). */
int takeover_listen(const char *path, uint32_t uid);

/*
 * Old: let in who connects, and send the two.  Returns the connection, or
 * -errno; -EACCES when it is neither root nor the user that this process is.
 */
int takeover_accept(const struct takeover_fds *fds);

/* Old: what the new service says, once its connection is readable. */
enum takeover_word takeover_hear(int peer_fd);

/*
 * New: ask for the two.  Returns the connection, or -errno: -ENOENT or
 * -ECONNREFUSED when nobody is there, -EPROTO when it does not speak like us.
 */
int takeover_ask(const char *path, struct takeover_fds *ret_fds);

/* New: we accept.  0, or -errno when the old one is gone. */
int takeover_tell_ready(int peer_fd);

#endif
