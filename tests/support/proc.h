/* proc - other processes, as /proc shows them */
#ifndef GLOVEBOX_TEST_PROC_H
#define GLOVEBOX_TEST_PROC_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * How many processes have the parent `parent` and a name that begins with
 * `name`; the last of them in *ret_one.
 */
int children_of(pid_t parent, const char *name, pid_t *ret_one);

/* Likewise all of them, `max` at most; returns how many those are. */
int children_list(pid_t parent, const char *name, pid_t *ret_pids, int max);

/* Alive, and not merely unreaped by whoever inherited it. */
bool is_alive(pid_t pid);

/* SIGSTOP has arrived: until then it may go on with what it is told. */
bool is_stopped(pid_t pid);

/* A file of /proc about it; "" when it cannot be read.  Until the next call. */
const char *proc_file(pid_t pid, const char *name);

/* A box that has taken its last step: to the listener, which it was born with,
 * it has added its own filter. */
bool is_caged(pid_t pid);

bool kernel_is_at_least(int major, int minor);

#endif
