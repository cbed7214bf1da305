/*
 * check_room - whether there is enough of it
 *
 * What is needed follows from the settings as docs/OPERATIONS.md has it under
 * "Sizing".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/ctl/check.h"

#define ROOM_OF_SERVICE_MB 100
#define ROOM_OF_BOX_MB 10 /* what a box takes beyond its program */
#define ROOM_OF_PARKED_MB 7
#define ROOM_PROFILES 2
#define ROOM_LEAST_DESCRIPTORS 1024

/* As fcgi-app/main.c has it: one for each place, waiter and housekeeper. */
static uint64_t
room_threads(const struct settings *s)
{
    return (uint64_t)s->concurrent + s->queued + 8;
}

static void
room_judge(
    struct check_finding *f, rlim_t limit, uint64_t need, const char *what)
{
    if (limit == RLIM_INFINITY)
        check_say(f, CHECK_OK, "no limit; %" PRIu64 " %s at most", need, what);
    else
        check_say(f, limit < need ? CHECK_WARN : CHECK_OK,
            "%" PRIu64 " %s may be needed, %" PRIu64 " are allowed", need, what,
            (uint64_t)limit);
}

void
check_files(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    /* The hard limit: the app raises the soft one itself. */
    room_judge(f, host->facts.files.rlim_max,
        64 + 3 * room_threads(host->settings), "descriptors");
}

/* Threads of the app count as well where all is one user. */
void
check_processes(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const struct settings *s = host->settings;
    uint64_t boxes = s->concurrent + (uint64_t)ROOM_PROFILES * s->parked;
    uint64_t need = boxes + 2 * ROOM_PROFILES + 2;

    (void)row;
    if (!host->is_root)
        need += room_threads(s);
    room_judge(f, host->facts.processes.rlim_max, need, "processes");
}

void
check_locked(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    (void)row;
    if (host->facts.locked.rlim_max == RLIM_INFINITY)
        check_say(f, CHECK_OK, "no limit; nothing is locked");
    else
        check_say(f, CHECK_OK, "%" PRIu64 " KiB; nothing is locked",
            (uint64_t)host->facts.locked.rlim_max / 1024);
}

/* "open 0 max" */
void
check_descriptors(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    char text[128];
    uint64_t used, most;

    (void)row;
    if (check_read(host, "/proc/sys/fs/file-nr", text, sizeof(text)) < 0 ||
        sscanf(text, "%" SCNu64 " %*u %" SCNu64, &used, &most) != 2)
        check_say(f, CHECK_WARN, "/proc/sys/fs/file-nr cannot be read");
    else
        check_say(f,
            used + ROOM_LEAST_DESCRIPTORS > most ? CHECK_WARN : CHECK_OK,
            "%" PRIu64 " of %" PRIu64 " open on this machine", used, most);
}

/* A figure of /proc/meminfo in MiB, or -1. */
static int64_t
room_meminfo_mb(const struct check_host *host, const char *key)
{
    char table[4096];
    const char *line;

    if (check_read(host, "/proc/meminfo", table, sizeof(table)) < 0)
        return -1;
    line = strstr(table, key);
    return line != NULL ? strtoll(line + strlen(key), NULL, 10) / 1024 : -1;
}

void
check_memory(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const struct settings *s = host->settings;
    int64_t each = (int64_t)s->memory_mb + ROOM_OF_BOX_MB;
    int64_t least = ROOM_OF_SERVICE_MB + each;
    int64_t need = ROOM_OF_SERVICE_MB + s->concurrent * each +
                   (int64_t)ROOM_PROFILES * s->parked * ROOM_OF_PARKED_MB;
    int64_t free_mb = room_meminfo_mb(host, "MemAvailable:");

    (void)row;
    if (free_mb < 0)
        check_say(f, CHECK_WARN, "/proc/meminfo cannot be read");
    else if (free_mb < least)
        check_say(f, CHECK_FAIL,
            "%" PRId64 " MiB are free; one program may need %" PRId64, free_mb,
            least);
    else
        check_say(f, free_mb < need ? CHECK_WARN : CHECK_OK,
            "%" PRId64 " MiB are free; all programs at once may need %" PRId64,
            free_mb, need);
}
