/*
 * quiet - calls of the library that need no system call in a box
 *
 * In `standard` a program may do what would ask the kernel for something a
 * box has no need of: write to descriptor 1, ask whether it is a terminal,
 * where it is, who it is, wait for a lock.  Those few functions get another
 * body, in the very table CPython calls through, so every way to reach them is
 * covered.
 */
#ifndef GLOVEBOX_QUIET_H
#define GLOVEBOX_QUIET_H

/* Once, in the template, when `posix` and `_thread` are loaded. */
int quiet_warm(void);

#endif
