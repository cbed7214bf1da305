/*
 * fork - try something in a process that may be spoiled
 *
 * A confinement step cannot be undone, and some of them would cut a test off
 * from the framework that waits for its result.  So it is tried in a fork:
 * in_fork() runs the function there and returns the line of the first HOLD()
 * that did not, 0 when all held, or -signal when the fork was killed.
 */
#ifndef GLOVEBOX_TEST_FORK_H
#define GLOVEBOX_TEST_FORK_H

#include <stdbool.h>

int in_fork(void (*body)(void));

/*
 * A fork by clone3(), which the listener filter does not ask about, as a
 * sibling: the caller's parent reaps it.
 */
long fork_raw(void);

/* True when started by root; some steps need it, some cannot have it. */
bool fork_is_root(void);
/* Become an ordinary user, in a fork, where the test was started by root. */
void fork_leave_root(void);

void fork_note(int line) __attribute__((noreturn));

#define HOLD(what)                                                             \
    do {                                                                       \
        if (!(what))                                                           \
            fork_note(__LINE__);                                               \
    } while (0)

#endif
