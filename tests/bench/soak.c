/*
 * soak - a hundred thousand runs in a row, and what they leave behind
 *
 *   soak [RUNS]
 *
 * A warden of its own, a few lanes kept busy with ordinary, failing, noisy
 * and dying programs.  After the first tenth and after the last it looks at
 * the warden: descriptors, resident memory, children.  Prints both, the
 * latency of both tenths, and `ok` or `not ok` lines; a wrong answer ends it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "tests/support/client.h"

#define SOAK_LANES 4

/* How a run of each program must end; mostly the first. */
static const struct {
    const char *code;
    enum profile_id profile;
    uint32_t verdict;
    uint32_t claim;
} programs[] = {
    { "_ = [n * n for n in range(5)]", PROFILE_RESTRICTED, VERDICT_ENDED,
        CLAIM_VALUE },
    { "print('x' * 1000)\n_ = {'a': [1, 2]}", PROFILE_RESTRICTED, VERDICT_ENDED,
        CLAIM_VALUE },
    { "import json\n_ = json.loads('[1, 2, 3]')", PROFILE_STANDARD,
        VERDICT_ENDED, CLAIM_VALUE },
    { "1 / 0", PROFILE_RESTRICTED, VERDICT_ENDED, CLAIM_ERROR },
    { "import os", PROFILE_RESTRICTED, VERDICT_ENDED, CLAIM_REFUSED },
    { "open('/etc/passwd')", PROFILE_STANDARD, VERDICT_ENDED, CLAIM_ERROR },
    { "import os\nos._exit(3)", PROFILE_STANDARD, VERDICT_EXITED, CLAIM_NONE },
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

struct look {
    long fds, rss_kb, children;
    double ms; /* of one run, over the tenth */
};

static long
count_entries(const char *path)
{
    DIR *dir = opendir(path);
    long n = 0;

    if (dir == NULL)
        return -1;
    while (readdir(dir) != NULL)
        n++;
    (void)closedir(dir);
    return n;
}

static long
read_number(const char *path, const char *key)
{
    char text[4096], *at;
    FILE *f = fopen(path, "re");
    size_t n;

    if (f == NULL)
        return -1;
    n = fread(text, 1, sizeof(text) - 1, f);
    (void)fclose(f);
    text[n] = '\0';
    at = strstr(text, key);
    return at == NULL ? -1 : strtol(at + strlen(key), NULL, 10);
}

static long
count_children(pid_t pid)
{
    char path[64], text[65536];
    long n = 0;
    FILE *f;
    size_t len;

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    f = fopen(path, "re");
    if (f == NULL)
        return -1;
    len = fread(text, 1, sizeof(text), f);
    (void)fclose(f);
    for (size_t i = 0; i < len; i++)
        n += text[i] == ' ';
    return n;
}

static struct look
look_at(pid_t pid, uint64_t us, long runs)
{
    struct look l = { .ms = (double)us / 1000.0 / (double)runs };
    char path[64];

    (void)usleep(200000); /* parked again, nothing under way */
    (void)snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    l.fds = count_entries(path);
    (void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
    l.rss_kb = read_number(path, "VmRSS:");
    l.children = count_children(pid);
    return l;
}

static size_t
pick(long i)
{
    return i % 10 < 4 ? (size_t)(i % 10) % 3 : (size_t)(i % (long)PROGRAMS);
}

/* One run on each lane at once; every answer must be the right one. */
static bool
round_of_runs(struct client *c, const int *lanes, long first)
{
    for (int i = 0; i < SOAK_LANES; i++) {
        size_t p = pick(first + i);
        struct order o = client_order(c, programs[p].profile, programs[p].code);

        if (client_send(c, lanes[i], &o) < 0)
            return false;
    }
    for (int i = 0; i < SOAK_LANES; i++) {
        size_t p = pick(first + i);
        struct outcome got;
        struct buf room;
        int r = client_recv(c, lanes[i], 20000, &room, &got);
        bool is_right = r == 0 && got.verdict == programs[p].verdict &&
                        got.claim.kind == programs[p].claim;

        if (!is_right)
            (void)printf("not ok soak_answers - run %ld program %zu: "
                         "error %d verdict %u claim %u\n",
                first + i, p, r, r == 0 ? got.verdict : 0,
                r == 0 ? got.claim.kind : 0);
        buf_done(&room);
        if (!is_right)
            return false;
    }
    /* Statuses pile up when nobody reads them. */
    while (client_read_status(c, 0) == 0)
        ;
    return true;
}

static bool
tenth_of_runs(
    struct client *c, const int *lanes, long first, long runs, uint64_t *us)
{
    uint64_t start_us = clock_mono_us();

    for (long i = 0; i < runs; i += SOAK_LANES)
        if (!round_of_runs(c, lanes, first + i))
            return false;
    *us = clock_mono_us() - start_us;
    return true;
}

static int
judge(const struct look *a, const struct look *b)
{
    bool is_flat = b->fds <= a->fds + 4 && b->children <= a->children + 4;
    bool is_small = b->rss_kb <= a->rss_kb + 1024;

    (void)printf("first tenth: %ld descriptors, %ld kB, %ld children, "
                 "%.3f ms a run\n",
        a->fds, a->rss_kb, a->children, a->ms);
    (void)printf("last tenth:  %ld descriptors, %ld kB, %ld children, "
                 "%.3f ms a run\n",
        b->fds, b->rss_kb, b->children, b->ms);
    (void)printf("%s soak_leaves_no_descriptor_and_no_process\n",
        is_flat ? "ok" : "not ok");
    (void)printf("%s soak_leaves_no_memory\n", is_small ? "ok" : "not ok");
    return is_flat && is_small ? 0 : 1;
}

int
main(int argc, char **argv)
{
    struct setup s = client_setup();
    struct look first = { 0 }, last = { 0 };
    uint64_t runs = 100000, us = 0;
    struct client c;
    int lanes[SOAK_LANES], status;

    if (argc > 1 && parse_u64(argv[1], 100000000, &runs) < 0)
        return 2;
    s.parked = 4;
    /* So that templates are replaced many times over, too. */
    s.retire_boxes = 1000;
    if (client_start(&c, &s) < 0 || !c.status.is_ready) {
        (void)printf("not ok soak_starts - %s\n", c.status.problem);
        return 1;
    }
    for (int i = 0; i < SOAK_LANES; i++)
        lanes[i] = client_lane(&c);
    for (long tenth = 0; tenth < 10; tenth++) {
        if (!tenth_of_runs(
                &c, lanes, tenth * (long)runs / 10, (long)runs / 10, &us))
            return 1;
        if (tenth == 0)
            first = look_at(c.pid, us, (long)runs / 10);
    }
    last = look_at(c.pid, us, (long)runs / 10);
    (void)printf("ok soak_answers %llu runs\n", (unsigned long long)runs);
    status = judge(&first, &last);
    (void)client_stop(&c);
    return status;
}
