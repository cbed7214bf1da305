/* fdio - descriptors: whole reads and writes, pairs, passing one along */
#include "sandbox/base/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int
fd_pair(int type, int ret_fds[2])
{
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ret_fds) < 0)
        return -errno;
    return 0;
}

int
fd_set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return -errno;
    return 0;
}

int
fd_unblock(int fd)
{
    char path[32];
    struct stat st;
    int own, r = 0;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
        return 0;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own < 0)
        return -errno;
    if (dup3(own, fd, 0) < 0)
        r = -errno;
    (void)close(own);
    return r;
}

/* send() on sockets for MSG_NOSIGNAL; write() on everything else. */
static ssize_t
fd_write_some(int fd, const void *bytes, size_t len)
{
    ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

    if (n < 0 && errno == ENOTSOCK)
        n = write(fd, bytes, len);
    return n;
}

int
fd_write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    ssize_t n;

    while (len > 0) {
        n = fd_write_some(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int
fd_read_all(int fd, void *bytes, size_t len)
{
    char *at = bytes;
    ssize_t n;

    while (len > 0) {
        n = read(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            return -EPIPE;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int
fd_pread_all(int fd, void *bytes, size_t len, off_t at)
{
    char *to = bytes;
    ssize_t n;

    while (len > 0) {
        n = pread(fd, to, len, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        to += n;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int
fd_pwrite_all(int fd, const void *bytes, size_t len, off_t at)
{
    const char *from = bytes;
    ssize_t n;

    while (len > 0) {
        n = pwrite(fd, from, len, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        from += n;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int
fd_pass_send(int sock, const void *bytes, size_t len, const int *fds, size_t n)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int) * FD_PASS_MAX)];
    } control = { 0 };
    struct iovec iov = { .iov_base = (void *)(uintptr_t)bytes, .iov_len = len };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    struct cmsghdr *c;
    ssize_t sent;

    if (n > FD_PASS_MAX)
        return -EINVAL;
    if (n > 0) {
        msg.msg_control = control.room;
        msg.msg_controllen = CMSG_SPACE(sizeof(int) * n);
        c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int) * n);
        memcpy(CMSG_DATA(c), fds, sizeof(int) * n);
    }
    do
        sent = sendmsg(sock, &msg, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return -errno;
    return (size_t)sent == len ? 0 : -EMSGSIZE;
}

static void
fd_pass_take(struct msghdr *msg, int *fds, size_t *n)
{
    size_t room = *n;

    *n = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL;
         c = CMSG_NXTHDR(msg, c)) {
        size_t count;

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (*n < room)
                fds[(*n)++] = fd;
            else
                (void)close(fd);
        }
    }
}

ssize_t
fd_pass_recv(int sock, void *bytes, size_t len, int *fds, size_t *n)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int) * FD_PASS_MAX)];
    } control = { 0 };
    struct iovec iov = { .iov_base = bytes, .iov_len = len };
    struct msghdr msg = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof(control.room),
    };
    ssize_t got;

    do
        got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        *n = 0;
        return -errno;
    }
    fd_pass_take(&msg, fds, n);
    return got;
}

int
parse_u64(const char *text, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (*text == '\0')
        return -EINVAL;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return -EINVAL;
        if (value > (max - (uint64_t)(*text - '0')) / 10)
            return -EINVAL;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    if (value > max)
        return -EINVAL;
    *ret_value = value;
    return 0;
}
