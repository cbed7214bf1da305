/*
 * source - a descriptor in the warden's epoll set, and whose it is
 *
 * The event's pointer is the source, which is part of the record it belongs
 * to; warden_handle() goes by its kind.
 */
#ifndef GLOVEBOX_SOURCE_H
#define GLOVEBOX_SOURCE_H

#include <sys/types.h>

enum source_kind {
    SOURCE_CONTROL,
    SOURCE_LANE,
    SOURCE_TEMPLATE, /* its socket */
    SOURCE_TEMPLATE_END, /* its pidfd */
    SOURCE_LISTENER, /* refused calls of its boxes */
    SOURCE_BOX_END, /* a box's pidfd */
};

struct source {
    enum source_kind kind;
    int fd; /* -1: none */
    void *owner;
};

/*
 * Fill in *s, which takes the descriptor, and wait for it to be readable.
 * 0 or -errno; the descriptor is the source's either way.
 */
int source_listen(
    int epoll_fd, struct source *s, enum source_kind kind, int fd, void *owner);

void source_close(struct source *s); /* one without a descriptor is fine */

/* A descriptor that becomes readable when this child ends, or -errno. */
int source_pidfd(pid_t pid);

#endif
