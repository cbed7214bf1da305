/*
 * programs - how the programs run when they are built with a sanitizer
 *
 * Linked into glovebox, gloveboxctl and glovebox-sandbox of such builds.  What
 * a sanitizer finds goes to files in REPORTS (tests/sanitize/run looks there),
 * because a service that is started again would hide it.  Leaks are not
 * looked for at exit: that needs ptrace(), which the programs give up; the
 * unit tests and valgrind do look.
 *
 * No template or box can run under a sanitizer: they would need calls and
 * memory that the confinement keeps from them.  So a warden of such a build
 * starts the templates of a release build (--wrap=posix_spawn), and nothing of
 * the confinement is switched off anywhere.
 */
#include <spawn.h>
#include <string.h>

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

const char *
__asan_default_options(void)
{
    return "detect_leaks=0:log_path=" REPORTS "/asan";
}

const char *
__ubsan_default_options(void)
{
    return "print_stacktrace=1:log_path=" REPORTS "/ubsan";
}

const char *
__tsan_default_options(void)
{
    return "second_deadlock_stack=1:history_size=4:log_path=" REPORTS "/tsan";
}

int __real_posix_spawn(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const envp[]);
int __wrap_posix_spawn(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const envp[]);

int
__wrap_posix_spawn(pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char *const argv[], char *const envp[])
{
    if (strcmp(path, "/proc/self/exe") == 0)
        path = RELEASED;
    return __real_posix_spawn(pid, path, actions, attr, argv, envp);
}
