/*
 * cleanup - descriptors and memory that let go of themselves
 *
 * AUTO_FD closes a descriptor, AUTO_FREE frees a pointer, when the variable
 * leaves its scope.  To keep the thing, take it out with take_fd() or
 * take_ptr(), which leave -1 or NULL behind.  A function uses either these or
 * one `goto out`, not both.
 */
#ifndef GLOVEBOX_CLEANUP_H
#define GLOVEBOX_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void
cleanup_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

static inline void
cleanup_free(void *pp)
{
    free(*(void **)pp);
}

static inline int
take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

static inline void *
take_ptr_(void **pp)
{
    void *taken = *pp;

    *pp = NULL;
    return taken;
}

#define AUTO_FD __attribute__((cleanup(cleanup_close))) int
#define AUTO_FREE __attribute__((cleanup(cleanup_free)))
#define take_ptr(pp) ((__typeof__(*(pp)))take_ptr_((void **)(pp)))

#endif
