/* notify: what the service manager is told, and when nothing is */
#include "fcgi-app/notify.h"

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "tests/support/fork.h"

/* Each is tried in a fork: notify_open() is for once in a process. */

static char where[108];

/* A manager's socket; `where` as NOTIFY_SOCKET has it. */
static int
manager(bool is_abstract)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    size_t len;

    (void)snprintf(where, sizeof(where), "%sglovebox-notify-%d",
        is_abstract ? "@" : "/tmp/", getpid());
    len = strlen(where);
    memcpy(a.sun_path, where, len);
    if (is_abstract)
        a.sun_path[0] = '\0';
    HOLD(bind(fd, (struct sockaddr *)&a,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == 0);
    (void)setenv("NOTIFY_SOCKET", where, 1);
    return fd;
}

static void
hears(int fd, const char *line)
{
    char text[256];
    ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

    HOLD(n > 0);
    text[n] = '\0';
    HOLD(strstr(text, line) == text);
}

static void
tell_all(bool is_abstract)
{
    char text[256];
    unsigned long long us;
    ssize_t n;
    int fd = manager(is_abstract);

    HOLD(notify_open() == 0);
    HOLD(getenv("NOTIFY_SOCKET") == NULL);
    HOLD(notify_alive_ms() == -1);
    notify_ready();
    hears(fd, "READY=1\n");
    notify_reloading();
    n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
    HOLD(n > 0);
    text[n] = '\0';
    HOLD(sscanf(text, "RELOADING=1\nMONOTONIC_USEC=%llu\n", &us) == 1);
    HOLD(us > 0 && us <= clock_mono_us());
    notify_stopping();
    hears(fd, "STOPPING=1\n");
    notify_alive();
    hears(fd, "WATCHDOG=1");
    HOLD(recv(fd, text, sizeof(text), MSG_DONTWAIT) < 0);
    if (!is_abstract)
        (void)unlink(where);
}

static void
tell_path(void)
{
    tell_all(false);
}

static void
tell_abstract(void)
{
    tell_all(true);
}

START_TEST(notify_speaks_to_a_path_and_to_an_abstract_name)
{
    ck_assert_int_eq(in_fork(tell_path), 0);
    ck_assert_int_eq(in_fork(tell_abstract), 0);
}
END_TEST

static void
tell_nobody(void)
{
    (void)unsetenv("NOTIFY_SOCKET");
    (void)setenv("WATCHDOG_USEC", "1000000", 1);
    HOLD(notify_open() == 0);
    HOLD(notify_alive_ms() == -1);
    notify_ready();
    notify_alive();
}

START_TEST(notify_does_nothing_when_nobody_asked)
{
    ck_assert_int_eq(in_fork(tell_nobody), 0);
}
END_TEST

static int
period(const char *us, int pid_off)
{
    char pid[32];

    (void)setenv("NOTIFY_SOCKET", where, 1);
    (void)setenv("WATCHDOG_USEC", us, 1);
    (void)snprintf(pid, sizeof(pid), "%d", getpid() + pid_off);
    (void)setenv("WATCHDOG_PID", pid, 1);
    HOLD(notify_open() == 0);
    return notify_alive_ms();
}

static void
periods(void)
{
    (void)manager(true);
    HOLD(period("20000000", 0) == 5000);
    HOLD(period("20000000", 1) == -1); /* another process is meant */
    HOLD(period("1", 0) == 10);
    HOLD(period("0", 0) == -1);
    HOLD(period("abc", 0) == -1);
    HOLD(period("9000000000000000000", 0) > 1000000);
    (void)setenv("NOTIFY_SOCKET", where, 1);
    (void)setenv("WATCHDOG_USEC", "4000", 1);
    (void)unsetenv("WATCHDOG_PID");
    HOLD(notify_open() == 0 && notify_alive_ms() == 10);
}

START_TEST(notify_pings_four_times_in_what_the_watchdog_allows)
{
    ck_assert_int_eq(in_fork(periods), 0);
}
END_TEST

static void
bad_places(void)
{
    static const char *const bad[] = { "relative", "@", "/", "vsock:1:2" };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)setenv("NOTIFY_SOCKET", bad[i], 1);
        HOLD(notify_open() < 0);
    }
    (void)setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
    HOLD(notify_open() == -ENOENT);
}

START_TEST(notify_open_says_when_the_manager_cannot_be_reached)
{
    ck_assert_int_eq(in_fork(bad_places), 0);
}
END_TEST

Suite *suite_notify(void);

Suite *
suite_notify(void)
{
    Suite *s = suite_create("notify");
    TCase *t = tcase_create("notify");

    tcase_add_test(t, notify_speaks_to_a_path_and_to_an_abstract_name);
    tcase_add_test(t, notify_does_nothing_when_nobody_asked);
    tcase_add_test(t, notify_pings_four_times_in_what_the_watchdog_allows);
    tcase_add_test(t, notify_open_says_when_the_manager_cannot_be_reached);
    suite_add_tcase(s, t);
    return s;
}
