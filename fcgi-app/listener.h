/*
 * listener - the socket on which nginx reaches the app, and where it is from
 *
 *   made       bound here: at SOCKET_PATH, or at FASTCGI_ADDRESS
 *   inherited  systemd (or whoever speaks its protocol) made it and keeps it
 *              over our restarts: LISTEN_PID, LISTEN_FDS
 *   taken      handed over by the service that is to be replaced (takeover.h)
 *
 * All three are non-blocking and close-on-exec.  FastCGI knows no passwords:
 * whoever can connect is believed to be nginx.  A unix socket has a mode and a
 * group for that, an address has only who can reach it.
 *
 * Not for: accepting (serve.h).
 */
#ifndef GLOVEBOX_LISTENER_H
#define GLOVEBOX_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Make the listening socket at `path`, mode 0660, of user `uid` and group
 * `gid` (UINT32_MAX: as it comes).  A socket left behind there is replaced, a
 * living one or a file that is no socket is not.  Returns the descriptor or
 * -errno.  To be called while there is only one thread (it sets the umask).
 */
int listener_at_path(const char *path, uint32_t uid, uint32_t gid);

/*
 * Likewise at "address:port", the address in numbers, in brackets if it is an
 * IPv6 one.
 */
int listener_at_address(const char *address);

/*
 * The socket that was passed to this process, if any.  Returns its
 * descriptor; -ENOENT when none was; another -errno when what was passed is
 * not exactly one listening stream socket.  Takes the variables out of the
 * environment.
 */
int listener_inherited(void);

/* Ready for serve_start(), wherever it is from.  0 or -errno. */
int listener_prepare(int fd);

/* Does `fd` listen at that path, or at that address if it is not empty? */
bool listener_is_at(int fd, const char *path, const char *address);

#endif
