/* notify - tell the service manager how we are */
#include "fcgi-app/notify.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "sandbox/base/log.h"

/* Three may be late before the fourth is missed. */
#define NOTIFY_PER_WATCHDOG 4
/* More often than this is of no use to anybody. */
#define NOTIFY_MIN_MS 10

static int notify_fd = -1;
static int notify_period_ms = -1;

/* A path, or the name of an abstract socket behind an '@'. */
static int
notify_connect(const char *where)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t len = strlen(where);
    AUTO_FD fd = -1;

    if ((where[0] != '/' && where[0] != '@') || len < 2)
        return -EINVAL;
    if (len >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, where, len);
    if (where[0] == '@')
        address.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 ||
        connect(fd, (const struct sockaddr *)&address,
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) != 0)
        return -errno;
    return take_fd(&fd);
}

/* WATCHDOG_PID, if there is one, says whom the watchdog means. */
static int
notify_period(void)
{
    const char *whom = getenv("WATCHDOG_PID");
    const char *period = getenv("WATCHDOG_USEC");
    uint64_t pid, us;

    if (period == NULL || parse_u64(period, INT64_MAX, &us) != 0 || us == 0)
        return -1;
    if (whom != NULL &&
        (parse_u64(whom, UINT32_MAX, &pid) != 0 || pid != (uint64_t)getpid()))
        return -1;
    us /= NOTIFY_PER_WATCHDOG * 1000ull;
    if (us > INT_MAX)
        return INT_MAX;
    return us < NOTIFY_MIN_MS ? NOTIFY_MIN_MS : (int)us;
}

int
notify_open(void)
{
    const char *where = getenv("NOTIFY_SOCKET");
    int fd;

    if (where == NULL || where[0] == '\0')
        return 0;
    fd = notify_connect(where);
    if (fd < 0)
        return fd;
    notify_fd = fd;
    notify_period_ms = notify_period();
    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
    return 0;
}

static void
notify_send(const char *text)
{
    if (notify_fd < 0)
        return;
    if (send(notify_fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_warn("service manager not told error=%s", strerrorname_np(errno));
}

void
notify_ready(void)
{
    notify_send("READY=1\nSTATUS=serving");
}

void
notify_reloading(void)
{
    char text[96];

    (void)snprintf(text, sizeof(text),
        "RELOADING=1\nMONOTONIC_USEC=%llu\nSTATUS=reading settings again",
        (unsigned long long)clock_mono_us());
    notify_send(text);
}

void
notify_stopping(void)
{
    notify_send("STOPPING=1\nSTATUS=finishing the work under way");
}

void
notify_alive(void)
{
    notify_send("WATCHDOG=1");
}

int
notify_alive_ms(void)
{
    return notify_period_ms;
}
