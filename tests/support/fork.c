/* fork - try something in a process that may be spoiled */
#include "tests/support/fork.h"

#include <grp.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_UID 65031

static int *fork_line;

void
fork_note(int line)
{
    *fork_line = line;
    _exit(1);
}

int
in_fork(void (*body)(void))
{
    int status = 0;
    pid_t pid;

    if (fork_line == NULL)
        fork_line = mmap(NULL, sizeof(*fork_line), PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *fork_line = 0;
    pid = fork();
    if (pid == 0) {
        body();
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        abort();
    if (WIFSIGNALED(status))
        return -WTERMSIG(status);
    return *fork_line != 0 ? *fork_line : WEXITSTATUS(status);
}

long
fork_raw(void)
{
    struct clone_args args = { .flags = CLONE_PARENT };

    return syscall(SYS_clone3, &args, sizeof(args));
}

bool
fork_is_root(void)
{
    return geteuid() == 0;
}

void
fork_leave_root(void)
{
    if (!fork_is_root())
        return;
    HOLD(setgroups(0, NULL) == 0);
    HOLD(setresgid(TEST_UID, TEST_UID, TEST_UID) == 0);
    HOLD(setresuid(TEST_UID, TEST_UID, TEST_UID) == 0);
    HOLD(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}
