/* fresh - a struct confine before any step, in a fork that left root */
#include "tests/confine/fresh.h"

#include <string.h>
#include <unistd.h>

#include "tests/support/fork.h"

#define SOME_UID 65031

void
confine_fresh_root(struct confine *c)
{
    memset(c, 0, sizeof(*c));
    c->uid = c->gid = SOME_UID;
    c->listener_fd = -1;
    c->limits = (struct confine_limits){
        .as_bytes = 512 << 20,
        .data_bytes = 256 << 20,
        .cpu_s = 2,
    };
    c->big_bytes = 32 << 20;
}

void
confine_fresh(struct confine *c)
{
    fork_leave_root();
    confine_fresh_root(c);
    c->uid = getuid();
    c->gid = getgid();
}
