/* sink - where audit lines go: a file, standard output or error, the journal */
#include "fcgi-app/audit/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"

#define SINK_LOCK_TRIES 1000
#define SINK_LOCK_PAUSE_NS 1000000
#define SINK_SEND_S 1 /* how long a reader that is behind may hold us up */

/* --- opening -------------------------------------------------------------- */

/* Readable, to go on with the chain that is in it. */
static int
sink_open_file(struct sink *ret_sink, const char *path)
{
    struct stat st;
    AUTO_FD fd = open(path,
        O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY |
            O_NONBLOCK,
        0640);

    if (fd < 0 || fstat(fd, &st) != 0)
        return -errno;
    ret_sink->kind = SINK_FILE;
    ret_sink->is_regular = S_ISREG(st.st_mode);
    (void)snprintf(ret_sink->path, sizeof(ret_sink->path), "%s", path);
    ret_sink->fd = take_fd(&fd);
    return 0;
}

int
sink_open_journal(struct sink *ret_sink, const char *socket_path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct timeval limit = { .tv_sec = SINK_SEND_S };
    AUTO_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (strlen(socket_path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0 ||
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        return -errno;
    *ret_sink = (struct sink){ .kind = SINK_JOURNALD, .size = -1 };
    (void)snprintf(ret_sink->path, sizeof(ret_sink->path), "%s", socket_path);
    ret_sink->fd = take_fd(&fd);
    return 0;
}

int
sink_open(struct sink *ret_sink, const char *where)
{
    struct sink s = { .kind = SINK_NONE, .fd = -1, .size = -1 };
    int err = 0;

    if (where[0] == '/') {
        err = sink_open_file(&s, where);
    } else if (strcmp(where, "journald") == 0) {
        err = sink_open_journal(&s, SINK_JOURNAL);
    } else if (where[0] != '\0') {
        s.kind = SINK_STREAM;
        s.fd = strcmp(where, "stdout") == 0 ? STDOUT_FILENO : STDERR_FILENO;
        (void)fd_unblock(s.fd);
    }
    if (err == 0)
        *ret_sink = s;
    return err;
}

void
sink_close(struct sink *s)
{
    if (s->kind == SINK_FILE || s->kind == SINK_JOURNALD)
        (void)close(s->fd);
    *s = (struct sink){ .kind = SINK_NONE, .fd = -1, .size = -1 };
}

/* --- the lock ------------------------------------------------------------- */

/* Who may read the file can lock it, too; so the wait has an end. */
int
sink_lock(struct sink *s)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct timespec pause = { .tv_nsec = SINK_LOCK_PAUSE_NS };

    if (!s->is_regular)
        return 0;
    for (int i = 0; i < SINK_LOCK_TRIES; i++) {
        if (fcntl(s->fd, F_OFD_SETLK, &lock) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return -errno;
        (void)nanosleep(&pause, NULL);
    }
    return -ETIMEDOUT;
}

void
sink_unlock(struct sink *s)
{
    struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

    if (s->is_regular)
        (void)fcntl(s->fd, F_OFD_SETLK, &lock);
}

/* --- reading back, writing ------------------------------------------------ */

/* As many bytes before `end` as fit into `tail`. */
static int
sink_read_tail(int fd, off_t end, struct buf *tail)
{
    size_t len = (uint64_t)end < tail->max ? (size_t)end : tail->max;
    char *room = buf_room(tail, len);
    int err;

    if (room == NULL)
        return -ENOMEM;
    err = fd_pread_all(fd, room, len, end - (off_t)len);
    if (err == 0)
        buf_grew(tail, len);
    return err;
}

int
sink_look(struct sink *s, struct buf *tail)
{
    struct stat st;
    int err;

    if (!s->is_regular)
        return 0;
    if (fstat(s->fd, &st) != 0)
        return -errno;
    if (st.st_size == s->size)
        return 0;
    err = sink_read_tail(s->fd, st.st_size, tail);
    if (err != 0)
        return err;
    s->size = st.st_size;
    return 1;
}

int
sink_tail_of(const char *path, struct buf *tail)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    return sink_read_tail(fd, st.st_size, tail);
}

/* A disk that is full takes the beginning of a line: it must not stay. */
static void
sink_take_back(struct sink *s, ssize_t n)
{
    if (n > 0 && s->is_regular && s->size >= 0 &&
        ftruncate(s->fd, s->size) == 0)
        return;
    s->size = -1; /* look at what is there before the next line */
}

/* A pipe's reader gets a second to make room, and no second chance. */
static bool
sink_wait(struct sink *s)
{
    struct pollfd p = { .fd = s->fd, .events = POLLOUT };

    if (!s->is_stuck && poll(&p, 1, SINK_SEND_S * 1000) > 0)
        return true;
    s->is_stuck = true;
    errno = EAGAIN;
    return false;
}

static ssize_t
sink_put(struct sink *s, struct view line)
{
    ssize_t n;

    do {
        n = send(s->fd, line.data, line.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK)
            n = write(s->fd, line.data, line.len);
    } while (n < 0 && (errno == EINTR || (errno == EAGAIN && sink_wait(s))));
    if (n >= 0)
        s->is_stuck = false;
    return n;
}

static int
sink_write_bytes(struct sink *s, struct view line)
{
    ssize_t n = sink_put(s, line);

    if (n >= 0 && (size_t)n == line.len) {
        if (s->is_regular)
            s->size += n;
        return 0;
    }
    if (n < 0)
        return -errno;
    sink_take_back(s, n);
    return -ENOSPC;
}

/* One datagram of fields; our line has no newline in it but its last. */
static ssize_t
sink_send(const struct sink *s, struct view line)
{
    static const char head[] = "PRIORITY=6\n"
                               "SYSLOG_IDENTIFIER=glovebox-audit\n"
                               "MESSAGE=";
    struct iovec parts[] = {
        { .iov_base = (void *)(uintptr_t)head, .iov_len = sizeof(head) - 1 },
        { .iov_base = (void *)(uintptr_t)line.data, .iov_len = line.len },
    };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    ssize_t n;

    do {
        n = sendmsg(s->fd, &message, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

/* A journal that was started anew has a new socket at the old path. */
static int
sink_write_journal(struct sink *s, struct view line)
{
    ssize_t err = sink_send(s, line);
    struct sink again;

    if (err != -ECONNREFUSED && err != -ENOTCONN)
        return (int)err;
    if (sink_open_journal(&again, s->path) != 0)
        return (int)err;
    sink_close(s);
    *s = again;
    return (int)sink_send(s, line);
}

int
sink_write(struct sink *s, struct view line)
{
    switch (s->kind) {
    case SINK_NONE:
        return 0;
    case SINK_JOURNALD:
        return sink_write_journal(s, line);
    case SINK_STREAM:
    case SINK_FILE:
        break;
    }
    return sink_write_bytes(s, line);
}
