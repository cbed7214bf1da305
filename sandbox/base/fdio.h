/*
 * fdio - descriptors: whole reads and writes, pairs, passing one along
 *
 * All return 0 or a count, or -errno; EINTR is handled here.  Every
 * descriptor made here is close-on-exec from birth.
 */
#ifndef GLOVEBOX_FDIO_H
#define GLOVEBOX_FDIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int fd_pair(int type, int ret_fds[2]); /* socketpair(AF_UNIX, type) */
int fd_set_nonblocking(int fd);

/*
 * Writing to `fd` shall never wait.  A pipe or terminal that others hold, too,
 * is opened anew under the same number, so that for them nothing changes; a
 * file never waits, and a socket is asked not to by who writes.  0 or -errno:
 * then `fd` is as it was.
 */
int fd_unblock(int fd);

/* All bytes or -errno; for blocking descriptors.  No SIGPIPE on sockets. */
int fd_write_all(int fd, const void *bytes, size_t len);
/* Exactly `len` bytes, or -errno; end of file is -EPIPE. */
int fd_read_all(int fd, void *bytes, size_t len);
/* Exactly `len` bytes at `at`; a short file is -EIO. */
int fd_pread_all(int fd, void *bytes, size_t len, off_t at);
int fd_pwrite_all(int fd, const void *bytes, size_t len, off_t at);

/*
 * Send `len` bytes with `n` descriptors (at most FD_PASS_MAX); receive into
 * `bytes`, at most `len`, and up to *n descriptors, which the caller owns.
 * fd_pass_recv() returns the byte count (0: end of file) and sets *n.
 */
#define FD_PASS_MAX 4
int fd_pass_send(
    int sock, const void *bytes, size_t len, const int *fds, size_t n);
ssize_t fd_pass_recv(int sock, void *bytes, size_t len, int *fds, size_t *n);

/* Decimal digits only, no sign, no space, at most `max`: 0 or -EINVAL. */
int parse_u64(const char *text, uint64_t max, uint64_t *ret_value);

#endif
