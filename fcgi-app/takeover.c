/*
 * takeover - one service takes the place of another, and nobody notices
 *
 *   old -> new   TAKEOVER_VERSION, with two descriptors
 *   new -> old   TAKEOVER_IS_READY
 *
 * One byte each.  The version changes when the meaning of either does: two
 * versions of the program meet here by design.
 */
#include "fcgi-app/takeover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "fcgi-app/listener.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"

#define TAKEOVER_VERSION '1'
#define TAKEOVER_IS_READY 'R'
#define TAKEOVER_FDS 2
/* The old one answers at once, unless it is not well. */
#define TAKEOVER_ASK_S 5

int
takeover_path(const char *socket_path, char *room, size_t size)
{
    int n = snprintf(room, size, "%s.next", socket_path);

    if (n < 0 || (size_t)n >= size ||
        (size_t)n >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
        return -ENAMETOOLONG;
    return 0;
}

int
takeover_listen(const char *path, uint32_t uid)
{
    AUTO_FD fd = -1;
    int made = listener_at_path(path, uid, UINT32_MAX), error;

    if (made < 0)
        return made;
    fd = made;
    if (chmod(path, 0600) != 0)
        return -errno;
    error = fd_set_nonblocking(fd);
    return error != 0 ? error : take_fd(&fd);
}

static int
takeover_check_peer(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
        return -errno;
    return who.uid == 0 || who.uid == geteuid() ? 0 : -EACCES;
}

int
takeover_accept(const struct takeover_fds *fds)
{
    const int pass[TAKEOVER_FDS] = { fds->listen_fd, fds->control_fd };
    const char version = TAKEOVER_VERSION;
    AUTO_FD fd = accept4(fds->control_fd, NULL, NULL, SOCK_CLOEXEC);
    int error;

    if (fd < 0)
        return -errno;
    error = takeover_check_peer(fd);
    if (error == 0)
        error = fd_set_nonblocking(fd);
    if (error == 0)
        error = fd_pass_send(fd, &version, 1, pass, TAKEOVER_FDS);
    return error != 0 ? error : take_fd(&fd);
}

enum takeover_word
takeover_hear(int peer_fd)
{
    char word = 0;

    if (recv(peer_fd, &word, 1, MSG_DONTWAIT) == 1 && word == TAKEOVER_IS_READY)
        return TAKEOVER_READY;
    return TAKEOVER_BROKEN_OFF;
}

static int
takeover_connect(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct timeval limit = { .tv_sec = TAKEOVER_ASK_S };
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0 ||
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        return -errno;
    return take_fd(&fd);
}

int
takeover_ask(const char *path, struct takeover_fds *ret_fds)
{
    AUTO_FD fd = -1;
    int got[FD_PASS_MAX], asked = takeover_connect(path);
    size_t n = FD_PASS_MAX;
    char version = 0;
    ssize_t len;

    if (asked < 0)
        return asked;
    fd = asked;
    len = fd_pass_recv(fd, &version, 1, got, &n);
    if (len < 0)
        return (int)len;
    if (len == 1 && version == TAKEOVER_VERSION && n == TAKEOVER_FDS) {
        *ret_fds = (struct takeover_fds){ got[0], got[1] };
        return take_fd(&fd);
    }
    for (size_t i = 0; i < n; i++)
        (void)close(got[i]);
    return -EPROTO;
}

int
takeover_tell_ready(int peer_fd)
{
    const char word = TAKEOVER_IS_READY;

    return fd_write_all(peer_fd, &word, 1);
}
