/* serve: the socket, the threads, hang-ups and the way to stop */
#include "fcgi-app/serve.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fcgi-app/listener.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "tests/support/temp.h"
#include "tests/unit/fake_nginx.h"
#include "tests/unit/fake_service.h"

#define THREADS 6

static char directory[TEMP_MAX];
static char path[TEMP_MAX + 64];
static struct fake_service fake;
static struct serve *serve;
static int serve_listen_fd;
static struct buf text;

static void
setup_directory(void)
{
    temp_template(directory);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    (void)snprintf(path, sizeof(path), "%s/sock", directory);
}

static void
teardown_directory(void)
{
    (void)unlink(path);
    (void)rmdir(directory);
}

static void
setup_serve(void)
{
    int fd;

    setup_directory();
    fake_service_start(&fake, FAKE_SECRET);
    fd = listener_at_path(path, UINT32_MAX, UINT32_MAX);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(listener_prepare(fd), 0);
    serve_listen_fd = fd;
    serve = serve_start(fd, &fake.service, THREADS);
    ck_assert_ptr_nonnull(serve);
    buf_init(&text, 1u << 20);
    fake_service_await_health(&fake);
}

static void
stop_serve(void)
{
    if (serve != NULL)
        serve_stop(serve);
    serve = NULL;
}

static void
teardown_serve(void)
{
    stop_serve();
    fake_service_stop(&fake);
    buf_done(&text);
    teardown_directory();
}

static int
send_execute(const char *code)
{
    char body[256], length[64];
    const char *params[] = { "REQUEST_METHOD=POST", "SCRIPT_NAME=/execute",
        "CONTENT_TYPE=application/json", length,
        "HTTP_X_EXECUTOR_TOKEN=" FAKE_SECRET, NULL };
    int fd = fake_nginx_connect(path);

    ck_assert_int_ge(fd, 0);
    (void)snprintf(body, sizeof(body), "{\"code\":\"%s\"}", code);
    (void)snprintf(length, sizeof(length), "CONTENT_LENGTH=%zu", strlen(body));
    ck_assert_int_eq(fake_nginx_send(fd, params, body), 0);
    return fd;
}

static int
get(const char *where)
{
    char name[64];
    const char *params[] = { "REQUEST_METHOD=GET", name, NULL };
    int error, fd = fake_nginx_connect(path);

    if (fd < 0)
        return fd;
    (void)snprintf(name, sizeof(name), "SCRIPT_NAME=%s", where);
    error = fake_nginx_send(fd, params, "");
    buf_reset(&text);
    if (error == 0)
        error = fake_nginx_recv(fd, &text);
    (void)close(fd);
    return error;
}

static void
assert_status(const char *status)
{
    char line[64];

    (void)snprintf(line, sizeof(line), "Status: %s ", status);
    ck_assert_msg(strncmp(text.data, line, strlen(line)) == 0, "%s", text.data);
}

static void
await_places(unsigned running, unsigned queued)
{
    unsigned r = 0, q = 0;

    for (int i = 0; i < 2000; i++) {
        runs_count(fake.service.runs, &r, &q);
        if (r == running && q == queued)
            return;
        (void)poll(NULL, 0, 1);
    }
    ck_abort_msg("%u running, %u queued", r, q);
}

START_TEST(serve_answers_a_request)
{
    int fd = send_execute("_ = 285");

    ck_assert_int_eq(fake_nginx_recv(fd, &text), 0);
    assert_status("200");
    ck_assert_ptr_nonnull(strstr(text.data, "\r\nX-Request-ID: "));
    ck_assert_ptr_nonnull(strstr(text.data, "\r\n\r\n{\"success\":true,"));
    (void)close(fd);
}
END_TEST

START_TEST(serve_answers_more_requests_than_it_has_threads)
{
    for (int i = 0; i < 5 * THREADS; i++) {
        ck_assert_int_eq(get("/health/live"), 0);
        assert_status("200");
    }
}
END_TEST

/* The body is larger than the socket's buffer and is not wanted. */
START_TEST(serve_answers_before_a_body_that_nobody_reads)
{
    static char body[60000];
    const char *params[] = { "REQUEST_METHOD=POST", "SCRIPT_NAME=/execute",
        "CONTENT_LENGTH=59999", NULL };
    int fd = fake_nginx_connect(path);

    memset(body, 'x', sizeof(body) - 1);
    ck_assert_int_eq(fake_nginx_send(fd, params, body), 0);
    ck_assert_int_eq(fake_nginx_recv(fd, &text), 0);
    assert_status("401");
    (void)close(fd);
}
END_TEST

/* Waiting for nginx to close its end would cost a thread its time. */
START_TEST(serve_closes_at_once_when_all_was_read)
{
    int fd = send_execute("_ = 285");
    char byte;

    ck_assert_int_eq(fake_nginx_recv(fd, &text), 0);
    ck_assert_int_eq(read(fd, &byte, 1), 0);
    ck_assert_int_eq(send(fd, "x", 1, MSG_NOSIGNAL), -1);
    ck_assert_int_eq(errno, EPIPE);
    (void)close(fd);
}
END_TEST

START_TEST(serve_survives_bytes_that_are_no_fastcgi)
{
    for (int i = 0; i < 2 * THREADS; i++) {
        int fd = fake_nginx_connect(path);

        ck_assert_int_eq(
            fd_write_all(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27), 0);
        (void)close(fd);
    }
    ck_assert_int_eq(get("/health/live"), 0);
    assert_status("200");
}
END_TEST

START_TEST(serve_is_not_held_up_by_silent_connections)
{
    int fds[THREADS - 1];

    for (int i = 0; i < THREADS - 1; i++)
        fds[i] = fake_nginx_connect(path);
    ck_assert_int_eq(get("/health/live"), 0);
    assert_status("200");
    for (int i = 0; i < THREADS - 1; i++)
        (void)close(fds[i]);
}
END_TEST

START_TEST(serve_answers_health_while_every_place_is_taken)
{
    int fds[3];
    uint64_t start_us;

    for (int i = 0; i < 3; i++)
        fds[i] = send_execute("hang");
    await_places(2, 1);
    start_us = clock_mono_us();
    ck_assert_int_eq(get("/health"), 0);
    assert_status("200");
    ck_assert_int_eq(get("/metrics"), 0);
    assert_status("200");
    ck_assert_uint_lt(clock_mono_us() - start_us, 200000);
    ck_assert_ptr_nonnull(strstr(text.data, "\nglovebox_places_taken 2\n"));
    ck_assert_ptr_nonnull(strstr(text.data, "\nglovebox_queue_length 1\n"));
    for (int i = 0; i < 3; i++)
        (void)close(fds[i]);
    await_places(0, 0);
}
END_TEST

START_TEST(serve_refuses_with_429_when_the_queue_is_full)
{
    int fds[4];

    for (int i = 0; i < 3; i++)
        fds[i] = send_execute("hang");
    await_places(2, 1);
    fds[3] = send_execute("_ = 1");
    ck_assert_int_eq(fake_nginx_recv(fds[3], &text), 0);
    assert_status("429");
    ck_assert_ptr_nonnull(strstr(text.data, "\r\nRetry-After: "));
    for (int i = 0; i < 4; i++)
        (void)close(fds[i]);
}
END_TEST

START_TEST(serve_frees_the_place_of_a_client_that_hangs_up)
{
    int fd = send_execute("hang");
    uint64_t start_us;

    await_places(1, 0);
    start_us = clock_mono_us();
    (void)close(fd);
    await_places(0, 0);
    while (atomic_load(&fake.warden.cancelled) == 0)
        (void)poll(NULL, 0, 1);
    ck_assert_uint_lt(clock_mono_us() - start_us, 100000);
}
END_TEST

START_TEST(serve_frees_the_turn_of_a_client_that_hangs_up_in_the_queue)
{
    uint64_t start_us;
    int fds[3];

    for (int i = 0; i < 2; i++)
        fds[i] = send_execute("hang");
    await_places(2, 0);
    fds[2] = send_execute("hang");
    await_places(2, 1);
    start_us = clock_mono_us();
    (void)close(fds[2]);
    await_places(2, 0);
    ck_assert_uint_lt(clock_mono_us() - start_us, 100000);
    (void)close(fds[0]);
    (void)close(fds[1]);
}
END_TEST

static int
count_inherited(void)
{
    int n = 0;

    for (int fd = 3; fd < 256; fd++) {
        int flags = fcntl(fd, F_GETFD);

        if (flags >= 0 && !(flags & FD_CLOEXEC))
            n++;
    }
    return n;
}

START_TEST(serve_opens_nothing_that_a_new_program_would_inherit)
{
    int before = count_inherited(), fd = send_execute("hang");

    await_places(1, 0);
    ck_assert_int_eq(count_inherited(), before);
    (void)close(fd);
}
END_TEST

START_TEST(serve_stop_wakes_threads_that_wait_for_a_connection)
{
    uint64_t start_us = clock_mono_us();

    stop_serve();
    ck_assert_uint_lt(clock_mono_us() - start_us, 500000);
    ck_assert_int_eq(fake_nginx_connect(path), -ECONNREFUSED);
}
END_TEST

static void *
stop_soon(void *arg)
{
    (void)poll(NULL, 0, 50);
    runs_stop(fake.service.runs);
    stop_serve();
    return arg;
}

static void
finish_slow(const int fds[3])
{
    for (int i = 0; i < 3; i++) {
        buf_reset(&text);
        ck_assert_int_eq(fake_nginx_recv(fds[i], &text), 0);
        assert_status("200");
        (void)close(fds[i]);
    }
}

START_TEST(serve_stop_lets_work_that_runs_or_waits_finish)
{
    pthread_t thread;
    int fds[3];

    for (int i = 0; i < 3; i++)
        fds[i] = send_execute("slow");
    await_places(2, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, NULL), 0);
    finish_slow(fds);
    (void)pthread_join(thread, NULL);
}
END_TEST

/* As another process would have it: the same socket, another descriptor. */
START_TEST(serve_leave_breaks_neither_listener_nor_backlog)
{
    int fd, kept_fd = dup(serve_listen_fd);

    ck_assert_int_ge(kept_fd, 0);
    serve_leave(serve);
    serve = NULL;
    fd = send_execute("_ = 285"); /* waits in the backlog */
    serve = serve_start(kept_fd, &fake.service, THREADS);
    ck_assert_ptr_nonnull(serve);
    ck_assert_int_eq(fake_nginx_recv(fd, &text), 0);
    assert_status("200");
    (void)close(fd);
}
END_TEST

static void *
leave_soon(void *arg)
{
    (void)poll(NULL, 0, 50);
    serve_leave(serve);
    serve = NULL;
    return arg;
}

START_TEST(serve_leave_lets_work_that_runs_or_waits_finish)
{
    pthread_t thread;
    int fds[3];

    for (int i = 0; i < 3; i++)
        fds[i] = send_execute("slow");
    await_places(2, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, leave_soon, NULL), 0);
    finish_slow(fds);
    (void)pthread_join(thread, NULL);
}
END_TEST

Suite *suite_serve(void);

Suite *
suite_serve(void)
{
    Suite *s = suite_create("serve");
    TCase *t = tcase_create("threads");

    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, setup_serve, teardown_serve);
    tcase_add_test(t, serve_answers_a_request);
    tcase_add_test(t, serve_answers_more_requests_than_it_has_threads);
    tcase_add_test(t, serve_answers_before_a_body_that_nobody_reads);
    tcase_add_test(t, serve_closes_at_once_when_all_was_read);
    tcase_add_test(t, serve_survives_bytes_that_are_no_fastcgi);
    tcase_add_test(t, serve_is_not_held_up_by_silent_connections);
    tcase_add_test(t, serve_answers_health_while_every_place_is_taken);
    tcase_add_test(t, serve_refuses_with_429_when_the_queue_is_full);
    tcase_add_test(t, serve_frees_the_place_of_a_client_that_hangs_up);
    tcase_add_test(
        t, serve_frees_the_turn_of_a_client_that_hangs_up_in_the_queue);
    tcase_add_test(t, serve_opens_nothing_that_a_new_program_would_inherit);
    tcase_add_test(t, serve_stop_wakes_threads_that_wait_for_a_connection);
    tcase_add_test(t, serve_stop_lets_work_that_runs_or_waits_finish);
    tcase_add_test(t, serve_leave_breaks_neither_listener_nor_backlog);
    tcase_add_test(t, serve_leave_lets_work_that_runs_or_waits_finish);
    suite_add_tcase(s, t);
    return s;
}
