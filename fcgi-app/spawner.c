/*
 * spawner - starts wardens, with the rights that the app gives up
 *
 *   app -> spawner   'S' with one descriptor: start a warden
 *   spawner -> app   4 bytes in the machine's order: its pid, or -errno
 *   app -> spawner   'K': keep the files; 'R': remove them, at the end
 *
 * The two are forks of one program on one machine, so the integer needs no
 * order of bytes.
 *
 * The spawner is a session leader of its own: what a terminal or a service
 * manager sends to the app's group must not end wardens under running work.
 */
#include "fcgi-app/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"

#define SPAWNER_SOCK_FD 3
#define SPAWNER_GRACE_MS 2000
/* Killing a warden and starting one takes milliseconds. */
#define SPAWNER_ANSWER_MS 10000
#define SPAWNER_MAX_IDS 24
#define SPAWNER_START 'S'
#define SPAWNER_KEEP 'K'
#define SPAWNER_REMOVE 'R'

struct spawner {
    const char *program;
    char ids[SPAWNER_MAX_IDS]; /* who the warden becomes, if it is root */
    struct spawner_file {
        const char *path; /* NULL: nothing to remove */
        struct stat at_start;
    } files[SPAWNER_FILES];
    bool are_kept;
    int child_fd; /* signalfd: SIGCHLD */
    pid_t warden; /* 0: none */
};

static int
spawner_prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attr,
    int control_fd)
{
    sigset_t all, none;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_adddup2(actions, control_fd, 3) != 0 ||
        posix_spawn_file_actions_addopen(
            actions, 0, "/dev/null", O_RDONLY, 0) != 0 ||
        posix_spawn_file_actions_addopen(
            actions, 1, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn_file_actions_addclosefrom_np(actions, 4) != 0 ||
        posix_spawnattr_setsigdefault(attr, &all) != 0 ||
        posix_spawnattr_setsigmask(attr, &none) != 0 ||
        posix_spawnattr_setflags(
            attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) != 0)
        return -ENOMEM;
    return 0;
}

static int
spawner_exec(struct spawner *s, int control_fd)
{
    static char name[] = "glovebox-warden";
    char *argv[] = { name, s->ids, NULL }, *envp[] = { NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int error;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -ENOMEM;
    if (posix_spawnattr_init(&attr) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return -ENOMEM;
    }
    error = spawner_prepare(&actions, &attr, control_fd);
    if (error == 0)
        error =
            -posix_spawn(&s->warden, s->program, &actions, &attr, argv, envp);
    (void)posix_spawnattr_destroy(&attr);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        s->warden = 0;
    return error != 0 ? error : s->warden;
}

/* Collect what has ended, and say how, for whoever reads the log. */
static void
spawner_reap(struct spawner *s, int options)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, options)) > 0) {
        if (pid == s->warden)
            s->warden = 0;
        if (WIFSIGNALED(status))
            log_warn("warden ended pid=%d signal=%d", pid, WTERMSIG(status));
        else
            log_info("warden ended pid=%d exit=%d", pid, WEXITSTATUS(status));
        if (options == 0 && s->warden == 0)
            return;
    }
}

static void
spawner_kill(struct spawner *s)
{
    spawner_reap(s, WNOHANG);
    if (s->warden == 0)
        return;
    (void)kill(s->warden, SIGKILL);
    spawner_reap(s, 0);
}

/* A request of the app.  Returns false at end of file. */
static bool
spawner_serve(struct spawner *s)
{
    AUTO_FD control_fd = -1;
    int fds[FD_PASS_MAX];
    size_t n = FD_PASS_MAX;
    int32_t answer;
    char verb;

    if (fd_pass_recv(SPAWNER_SOCK_FD, &verb, 1, fds, &n) <= 0)
        return false;
    for (size_t i = 1; i < n; i++)
        (void)close(fds[i]);
    if (n == 0 && (verb == SPAWNER_KEEP || verb == SPAWNER_REMOVE)) {
        s->are_kept = verb == SPAWNER_KEEP;
        return true;
    }
    if (verb != SPAWNER_START || n == 0)
        return false;
    control_fd = fds[0];
    spawner_kill(s);
    answer = spawner_exec(s, control_fd);
    return fd_write_all(SPAWNER_SOCK_FD, &answer, sizeof(answer)) == 0;
}

static void
spawner_drain(struct spawner *s)
{
    struct signalfd_siginfo info;

    (void)!read(s->child_fd, &info, sizeof(info));
    spawner_reap(s, WNOHANG);
}

/* The app is gone: the warden saw that too and ends, or is ended. */
static void
spawner_finish(struct spawner *s)
{
    uint64_t deadline_us = clock_mono_us() + SPAWNER_GRACE_MS * 1000ull;
    struct pollfd p = { .fd = s->child_fd, .events = POLLIN };

    spawner_reap(s, WNOHANG);
    while (s->warden != 0 && clock_mono_us() < deadline_us)
        if (poll(&p, 1, 100) > 0)
            spawner_drain(s);
    spawner_kill(s);
}

/*
 * However the app ended, its sockets go too; but not those that a newer app
 * has put in the same place.
 */
static void
spawner_remove_files(const struct spawner *s)
{
    struct stat now;

    for (size_t i = 0; !s->are_kept && i < SPAWNER_FILES; i++) {
        const struct spawner_file *f = &s->files[i];

        if (f->path != NULL && lstat(f->path, &now) == 0 &&
            now.st_dev == f->at_start.st_dev &&
            now.st_ino == f->at_start.st_ino)
            (void)unlink(f->path);
    }
}

static bool
spawner_look_at_files(struct spawner *s, const struct spawner_files *files)
{
    if (files == NULL)
        return true;
    s->are_kept = files->are_kept;
    for (size_t i = 0; i < SPAWNER_FILES; i++) {
        struct spawner_file *f = &s->files[i];

        f->path = files->paths[i];
        if (f->path != NULL && lstat(f->path, &f->at_start) < 0)
            return false;
    }
    return true;
}

static void
spawner_loop(struct spawner *s)
{
    struct pollfd p[] = {
        { .fd = SPAWNER_SOCK_FD, .events = POLLIN },
        { .fd = s->child_fd, .events = POLLIN },
    };

    for (;;) {
        if (poll(p, 2, -1) < 0)
            continue; /* every signal is blocked, so this is not expected */
        if (p[1].revents != 0)
            spawner_drain(s);
        if (p[0].revents != 0 && !spawner_serve(s))
            return;
    }
}

/* In the child: nothing of the app but the socket and standard error. */
static _Noreturn void
spawner_main(const char *program, const struct spawner_files *files,
    uint32_t uid, uint32_t gid, int sock)
{
    struct spawner s = { .program = program };
    sigset_t all, child;

    (void)snprintf(s.ids, sizeof(s.ids), "%u:%u", uid, gid);
    (void)prctl(PR_SET_NAME, "glovebox-spawn");
    (void)prctl(PR_SET_DUMPABLE, 0);
    (void)setsid();
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)signal(SIGCHLD, SIG_DFL);
    if (sock != SPAWNER_SOCK_FD &&
        dup3(sock, SPAWNER_SOCK_FD, O_CLOEXEC) != SPAWNER_SOCK_FD)
        _exit(1);
    if (close_range(SPAWNER_SOCK_FD + 1, ~0u, 0) != 0)
        _exit(1);
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    s.child_fd = signalfd(-1, &child, SFD_CLOEXEC);
    if (s.child_fd < 0)
        _exit(1);
    if (!spawner_look_at_files(&s, files))
        _exit(1);
    spawner_loop(&s);
    spawner_remove_files(&s);
    spawner_finish(&s);
    _exit(0);
}

int
spawner_start(const char *program, const struct spawner_files *files,
    uint32_t uid, uint32_t gid)
{
    int fds[2], error = fd_pair(SOCK_STREAM, fds);
    pid_t pid;

    if (error != 0)
        return error;
    pid = fork();
    if (pid < 0) {
        error = -errno;
        (void)close(fds[0]);
        (void)close(fds[1]);
        return error;
    }
    if (pid == 0)
        spawner_main(program, files, uid, gid, fds[1]);
    (void)close(fds[1]);
    return fds[0];
}

int
spawner_ask(int spawner_fd, int control_fd)
{
    struct pollfd p = { .fd = spawner_fd, .events = POLLIN };
    const char verb = SPAWNER_START;
    int32_t answer;

    /* One that does not answer is as good as gone. */
    if (fd_pass_send(spawner_fd, &verb, 1, &control_fd, 1) != 0 ||
        poll(&p, 1, SPAWNER_ANSWER_MS) <= 0 ||
        fd_read_all(spawner_fd, &answer, sizeof(answer)) != 0)
        return -ENOTCONN;
    return answer;
}

int
spawner_keep_files(int spawner_fd, bool are_kept)
{
    const char verb = are_kept ? SPAWNER_KEEP : SPAWNER_REMOVE;

    return fd_write_all(spawner_fd, &verb, 1);
}
