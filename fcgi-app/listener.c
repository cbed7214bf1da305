/* listener - the socket on which nginx reaches the app, and where it is from */
#include "fcgi-app/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"

#define LISTENER_BACKLOG 4096 /* a full one is a 502: unix does not wait */
#define LISTENER_FIRST_FD 3 /* of those that are passed */
#define LISTENER_MAX_ADDRESS 64

/* --- made here ------------------------------------------------------------ */

/* Nobody answers at `path`: a socket of a service that is gone. */
static int
listener_remove_stale(const struct sockaddr_un *address)
{
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat st;

    if (lstat(address->sun_path, &st) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return -EEXIST;
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return -EADDRINUSE;
    if (errno != ECONNREFUSED)
        return -errno;
    return unlink(address->sun_path) == 0 ? 0 : -errno;
}

static int
listener_bind(int fd, const struct sockaddr_un *address, uid_t uid, gid_t gid)
{
    mode_t old = umask(0117); /* born 0660, never wider */
    int error = bind(fd, (const struct sockaddr *)address, sizeof(*address));

    error = error == 0 ? 0 : -errno;
    (void)umask(old);
    if (error != 0)
        return error;
    if (lchown(address->sun_path, uid, gid) != 0)
        return -errno;
    return listen(fd, LISTENER_BACKLOG) == 0 ? 0 : -errno;
}

int
listener_at_path(const char *path, uint32_t uid, uint32_t gid)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    AUTO_FD fd = -1;
    int error;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    error = listener_remove_stale(&address);
    if (error != 0)
        return error;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    error = listener_bind(fd, &address, uid, gid);
    return error != 0 ? error : take_fd(&fd);
}

union listener_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un unix_path;
    struct sockaddr_storage storage;
};

/* "1.2.3.4:9000" or "[::1]:9000".  Returns its length, or 0. */
static socklen_t
listener_parse(const char *text, union listener_address *ret)
{
    char host[LISTENER_MAX_ADDRESS];
    const char *colon = strrchr(text, ':');
    size_t len = colon == NULL ? 0 : (size_t)(colon - text);
    uint64_t port;

    if (len == 0 || len >= sizeof(host) ||
        parse_u64(colon + 1, UINT16_MAX, &port) != 0 || port == 0)
        return 0;
    memcpy(host, text, len);
    host[len] = '\0';
    memset(ret, 0, sizeof(*ret));
    if (inet_pton(AF_INET, host, &ret->v4.sin_addr) == 1) {
        ret->v4.sin_family = AF_INET;
        ret->v4.sin_port = htons((uint16_t)port);
        return sizeof(ret->v4);
    }
    if (host[0] != '[' || host[len - 1] != ']')
        return 0;
    host[len - 1] = '\0';
    if (inet_pton(AF_INET6, host + 1, &ret->v6.sin6_addr) != 1)
        return 0;
    ret->v6.sin6_family = AF_INET6;
    ret->v6.sin6_port = htons((uint16_t)port);
    return sizeof(ret->v6);
}

int
listener_at_address(const char *text)
{
    union listener_address address;
    socklen_t len = listener_parse(text, &address);
    AUTO_FD fd = -1;
    int on = 1;

    if (len == 0)
        return -EINVAL;
    fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* Connections of a service that has ended do not hold the port. */
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(fd, &address.any, len) != 0 || listen(fd, LISTENER_BACKLOG) != 0)
        return -errno;
    return take_fd(&fd);
}

/* --- passed to us --------------------------------------------------------- */

static bool
listener_env_is(const char *name, uint64_t wanted)
{
    const char *text = getenv(name);
    uint64_t value;

    return text != NULL && parse_u64(text, UINT32_MAX, &value) == 0 &&
           value == wanted;
}

static bool
listener_is_listening(int fd)
{
    int type = 0, is_listening = 0;
    socklen_t len = sizeof(type);

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
           type == SOCK_STREAM &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &len) ==
               0 &&
           is_listening != 0;
}

int
listener_inherited(void)
{
    bool is_ours = listener_env_is("LISTEN_PID", (uint64_t)getpid());
    bool is_one = listener_env_is("LISTEN_FDS", 1);

    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_FDNAMES");
    if (!is_ours)
        return -ENOENT;
    if (!is_one)
        return -E2BIG;
    if (!listener_is_listening(LISTENER_FIRST_FD))
        return -ENOTSOCK;
    if (fcntl(LISTENER_FIRST_FD, F_SETFD, FD_CLOEXEC) != 0)
        return -errno;
    return LISTENER_FIRST_FD;
}

/* --- all of them ---------------------------------------------------------- */

int
listener_prepare(int fd)
{
    if (!listener_is_listening(fd))
        return -ENOTSOCK;
    return fd_set_nonblocking(fd);
}

bool
listener_is_at(int fd, const char *path, const char *address)
{
    union listener_address have, wanted;
    socklen_t have_len = sizeof(have), len = 0;

    memset(&have, 0, sizeof(have));
    if (getsockname(fd, &have.any, &have_len) != 0)
        return false;
    if (address[0] == '\0')
        return have.any.sa_family == AF_UNIX &&
               strncmp(have.unix_path.sun_path, path,
                   sizeof(have.unix_path.sun_path)) == 0;
    len = listener_parse(address, &wanted);
    return len == have_len && memcmp(&have, &wanted, len) == 0;
}
