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

bool kernel_is_at_least(int major, int minor);

#endif
