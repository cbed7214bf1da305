/*
 * sink - where audit lines go: a file, standard output or error, the journal
 *
 * A line is written whole or not at all: of a file, a part that was written
 * is taken back.  Two processes may write to one file, as when a new service
 * takes over from an old one; each holds the file's lock for a line, and
 * finds out whether the other has written since.
 *
 * Not for: what is in a line (audit.c), what ties lines together (chain.h).
 */
#ifndef GLOVEBOX_AUDIT_SINK_H
#define GLOVEBOX_AUDIT_SINK_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/base/buf.h"

#define SINK_JOURNAL "/run/systemd/journal/socket"
#define SINK_MAX_PATH 1024

enum sink_kind {
    SINK_NONE,
    SINK_STREAM, /* standard output or error; not ours to close */
    SINK_FILE,
    SINK_JOURNALD,
};

struct sink {
    enum sink_kind kind;
    int fd;
    bool is_regular; /* SINK_FILE: can be read back; not a pipe or device */
    bool is_stuck; /* a pipe that nobody reads: no more waiting for it */
    off_t size; /* as we left it; -1: not known */
    char path[SINK_MAX_PATH]; /* of the file, or of the journal's socket */
};

/*
 * `where`: an absolute path, "stdout", "stderr", "journald", or "" for
 * nowhere.  0 or -errno.
 */
int sink_open(struct sink *ret_sink, const char *where);
/* As "journald", at a socket of one's own. */
int sink_open_journal(struct sink *ret_sink, const char *socket_path);
void sink_close(struct sink *s); /* usable again after sink_open() */

/* Alone with the file, for at most a second's wait: 0 or -errno. */
int sink_lock(struct sink *s);
void sink_unlock(struct sink *s);

/*
 * Under the lock: has somebody else written since?  Returns 0 when not, or
 * when nobody can know; 1 with the last bytes in `tail` (as many as its max
 * allows; none: the file is empty); or -errno.
 */
int sink_look(struct sink *s, struct buf *tail);

/*
 * The last bytes of the file at `path`, which need not be a sink; 0 or -errno.
 */
int sink_tail_of(const char *path, struct buf *tail);

/* Under the lock: one line with its newline.  0 or -errno. */
int sink_write(struct sink *s, struct view line);

#endif
