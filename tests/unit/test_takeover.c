/* takeover: who may ask, what is handed over, how it ends */
#include "fcgi-app/takeover.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/listener.h"
#include "sandbox/base/fdio.h"
#include "tests/support/fork.h"
#include "tests/support/temp.h"
#include "tests/unit/fake_nginx.h"

static char directory[TEMP_MAX];
static char path[TEMP_MAX + 8], control_path[TEMP_MAX + 16];
static struct takeover_fds ours;

static void
setup(void)
{
    temp_template(directory);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    (void)snprintf(path, sizeof(path), "%s/sock", directory);
    ck_assert_int_eq(
        takeover_path(path, control_path, sizeof(control_path)), 0);
    ours.listen_fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ours.control_fd = takeover_listen(control_path, UINT32_MAX);
    ck_assert_int_ge(ours.listen_fd, 0);
    ck_assert_int_ge(ours.control_fd, 0);
}

static void
teardown(void)
{
    (void)close(ours.listen_fd);
    (void)close(ours.control_fd);
    (void)unlink(path);
    (void)unlink(control_path);
    (void)rmdir(directory);
}

START_TEST(takeover_socket_is_for_its_owner_alone)
{
    struct stat st;

    ck_assert_int_eq(stat(control_path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(takeover_path_that_is_too_long_is_none)
{
    char room[200], at[120];

    memset(at, 'x', sizeof(at));
    at[0] = '/';
    at[103] = '\0'; /* with ".next" 108, which leaves no room for the end */
    ck_assert_int_eq(takeover_path(at, room, sizeof(room)), -ENAMETOOLONG);
    at[102] = '\0';
    ck_assert_int_eq(takeover_path(at, room, sizeof(room)), 0);
    ck_assert_int_eq(takeover_path(at, room, 20), -ENAMETOOLONG);
}
END_TEST

/* Both ends here: the connection waits in the control socket's backlog. */
static void
ask_in_fork(void)
{
    struct takeover_fds got;
    int fd = takeover_ask(control_path, &got), connection;

    HOLD(fd >= 0);
    HOLD(listener_is_at(got.listen_fd, path, ""));
    connection = accept4(got.listen_fd, NULL, NULL, SOCK_CLOEXEC);
    HOLD(connection >= 0); /* it was made before the hand-over began */
    HOLD(takeover_tell_ready(fd) == 0);
}

static void *
run_in_fork(void *body)
{
    void (*function)(void);

    memcpy(&function, body, sizeof(function));
    return (void *)(intptr_t)in_fork(function);
}

/* Let one in, and wait for its word. */
static enum takeover_word
serve_one(void (*body)(void), int *ret_line)
{
    struct pollfd p = { .fd = ours.control_fd, .events = POLLIN };
    enum takeover_word word;
    pthread_t thread;
    void *line;
    int fd;

    ck_assert_int_eq(
        pthread_create(&thread, NULL, run_in_fork, (void *)&body), 0);
    ck_assert_int_eq(poll(&p, 1, 5000), 1);
    fd = takeover_accept(&ours);
    ck_assert_int_ge(fd, 0);
    p.fd = fd;
    ck_assert_int_eq(poll(&p, 1, 5000), 1);
    word = takeover_hear(fd);
    (void)close(fd);
    (void)pthread_join(thread, &line);
    *ret_line = (int)(intptr_t)line;
    return word;
}

START_TEST(takeover_gives_the_listener_with_its_backlog)
{
    int line, client = fake_nginx_connect(path);

    ck_assert_int_eq(serve_one(ask_in_fork, &line), TAKEOVER_READY);
    ck_assert_int_eq(line, 0);
    (void)close(client);
}
END_TEST

static void
ask_and_end(void)
{
    struct takeover_fds got;

    HOLD(takeover_ask(control_path, &got) >= 0);
}

static void
ask_and_talk_nonsense(void)
{
    struct takeover_fds got;
    int fd = takeover_ask(control_path, &got);

    HOLD(fd >= 0 && fd_write_all(fd, "x", 1) == 0);
}

START_TEST(takeover_is_broken_off_by_whoever_ends_or_talks_nonsense)
{
    int line;

    ck_assert_int_eq(serve_one(ask_and_end, &line), TAKEOVER_BROKEN_OFF);
    ck_assert_int_eq(line, 0);
    ck_assert_int_eq(
        serve_one(ask_and_talk_nonsense, &line), TAKEOVER_BROKEN_OFF);
    ck_assert_int_eq(line, 0);
}
END_TEST

static void
connect_as_another_user(void)
{
    fork_leave_root();
    HOLD(fake_nginx_connect(control_path) >= 0);
}

START_TEST(takeover_refuses_another_user)
{
    if (!fork_is_root())
        return; /* nobody else to be */
    ck_assert_int_eq(chmod(directory, 0755), 0);
    ck_assert_int_eq(in_fork(connect_as_another_user) > 0, 1); /* the mode */
    ck_assert_int_eq(chmod(control_path, 0666), 0);
    ck_assert_int_eq(in_fork(connect_as_another_user), 0);
    ck_assert_int_eq(takeover_accept(&ours), -EACCES); /* and the check */
}
END_TEST

START_TEST(takeover_ask_says_when_nobody_is_there)
{
    struct takeover_fds got;

    (void)close(ours.control_fd);
    ck_assert_int_eq(takeover_ask(control_path, &got), -ECONNREFUSED);
    (void)unlink(control_path);
    ck_assert_int_eq(takeover_ask(control_path, &got), -ENOENT);
}
END_TEST

static void *
answer_wrongly(void *arg)
{
    const char *version = arg;
    int fd = accept4(ours.listen_fd, NULL, NULL, SOCK_CLOEXEC);

    (void)fd_pass_send(fd, version, 1, &ours.control_fd, 1);
    (void)close(fd);
    return NULL;
}

START_TEST(takeover_ask_takes_nothing_from_one_that_speaks_otherwise)
{
    static char versions[][2] = { "1", "2" }; /* one descriptor; version */
    struct takeover_fds got = { -7, -7 };
    pthread_t thread;

    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(
            pthread_create(&thread, NULL, answer_wrongly, versions[i]), 0);
        ck_assert_int_eq(takeover_ask(path, &got), -EPROTO);
        (void)pthread_join(thread, NULL);
        ck_assert_int_eq(got.listen_fd, -7);
    }
}
END_TEST

Suite *suite_takeover(void);

Suite *
suite_takeover(void)
{
    Suite *s = suite_create("takeover");
    TCase *t = tcase_create("takeover");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, takeover_socket_is_for_its_owner_alone);
    tcase_add_test(t, takeover_path_that_is_too_long_is_none);
    tcase_add_test(t, takeover_gives_the_listener_with_its_backlog);
    tcase_add_test(t, takeover_is_broken_off_by_whoever_ends_or_talks_nonsense);
    tcase_add_test(t, takeover_refuses_another_user);
    tcase_add_test(t, takeover_ask_says_when_nobody_is_there);
    tcase_add_test(
        t, takeover_ask_takes_nothing_from_one_that_speaks_otherwise);
    suite_add_tcase(s, t);
    return s;
}
