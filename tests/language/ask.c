/*
 * ask - run programs in real boxes, one after the other
 *
 *   ask [-p PROFILE] [-w WALL_SECONDS] [-m MEMORY_MB]
 *
 * Starts a warden of its own.  Every line of standard input is the path of a
 * program; for each, one line of JSON goes to standard output: the outcome.
 * The profile is `standard` if none is named.
 * The bounds are far wider than the service's, because the programs are
 * CPython's own test files (cpython.py).  Ends with its standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/base/fdio.h"
#include "tests/support/client.h"

#define MAX_CODE_BYTES (16u << 20)
#define MAX_TEXT_BYTES (8u << 20)
#define START_MS 30000

static const char *const verdict_names[] = {
    [VERDICT_ENDED] = "ended",
    [VERDICT_TIMEOUT] = "timeout",
    [VERDICT_CPU] = "cpu",
    [VERDICT_MEMORY] = "memory",
    [VERDICT_FORBIDDEN] = "forbidden",
    [VERDICT_CRASHED] = "crashed",
    [VERDICT_EXITED] = "exited",
    [VERDICT_NOISY] = "noisy",
    [VERDICT_NOT_STARTED] = "not_started",
};

/* Bytes that are not UTF-8 stay as they are: the reader replaces them. */
static void
print_text(const char *name, struct view v)
{
    printf(",\"%s\":\"", name);
    for (size_t i = 0; i < v.len; i++) {
        unsigned char c = (unsigned char)v.data[i];

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void
print_refused(const struct outcome *o)
{
    printf(",\"refused\":{");
    for (uint32_t i = 0; i < o->refused_count; i++)
        printf("%s\"%s\":%u", i ? "," : "", o->refused[i].call,
            o->refused[i].count);
    putchar('}');
}

static void
print_outcome(const struct outcome *o)
{
    const char *name = o->verdict <= VERDICT_NOT_STARTED
                           ? verdict_names[o->verdict]
                           : "unknown";

    printf("{\"verdict\":\"%s\",\"number\":%d,\"kind\":%u,\"line\":%u", name,
        o->number, o->claim.kind, o->claim.line);
    printf(",\"wall_ms\":%llu,\"memory_mb\":%llu,\"cut\":%u",
        (unsigned long long)o->wall_us / 1000,
        (unsigned long long)o->memory_bytes >> 20,
        o->stdout_cut | o->stderr_cut);
    print_refused(o);
    print_text("stdout", o->stdout_text);
    print_text("stderr", o->stderr_text);
    print_text("type", o->claim.type);
    print_text("message", o->claim.message);
    print_text("traceback", o->claim.traceback);
    print_text("value", o->claim.value);
    print_text("reason", o->reason);
    printf("}\n");
    (void)fflush(stdout);
}

/* The file into `code`; 0 or -errno. */
static int
read_program(const char *path, struct buf *code)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    char *at;

    if (fd < 0)
        return -errno;
    while ((at = buf_room(code, 65536)) != NULL) {
        n = read(fd, at, 65536);
        if (n <= 0)
            return n < 0 ? -errno : 0;
        buf_grew(code, (size_t)n);
    }
    return -EFBIG;
}

static int
run_program(
    struct client *c, int lane, enum profile_id profile, const char *path)
{
    struct order o = client_order(c, profile, "");
    struct outcome got;
    struct buf code, room;
    int r;

    buf_init(&code, MAX_CODE_BYTES);
    r = read_program(path, &code);
    o.code = view_of(code.data, code.len);
    if (r == 0)
        r = client_send(c, lane, &o);
    buf_done(&code);
    if (r < 0)
        return r;
    r = client_recv(c, lane, (int)c->setup.wall_ms + START_MS, &room, &got);
    if (r == 0)
        print_outcome(&got);
    buf_done(&room);
    return r;
}

static int
run_all(struct client *c, int lane, enum profile_id profile)
{
    AUTO_FREE char *path = NULL;
    size_t size = 0;
    int r = 0;

    while (r == 0 && getline(&path, &size, stdin) > 0) {
        path[strcspn(path, "\n")] = '\0';
        r = run_program(c, lane, profile, path);
    }
    return r;
}

static int
start(struct client *c, const struct setup *s)
{
    uint64_t end_us = clock_mono_us() + START_MS * 1000ull;
    int r = client_start(c, s);

    /* A template that fails is tried again, with a status each time. */
    while (r == 0 && !c->status.is_ready)
        r = clock_mono_us() > end_us ? -ETIMEDOUT
                                     : client_read_status(c, START_MS);
    return r < 0 ? r : client_lane(c);
}

static uint64_t
number(const char *text, uint64_t max)
{
    uint64_t n = 0;

    if (parse_u64(text, max, &n) < 0) {
        fprintf(stderr, "ask: %s: not a number up to %llu\n", text,
            (unsigned long long)max);
        exit(2);
    }
    return n;
}

int
main(int argc, char **argv)
{
    struct setup s = client_setup();
    uint64_t wall_s = 60, memory_mb = 512;
    const struct profile *p = &profiles[PROFILE_STANDARD];
    struct client c;
    int option, r;

    while ((option = getopt(argc, argv, "p:w:m:")) != -1) {
        if (option == 'p')
            p = profile_find(optarg, strlen(optarg));
        else if (option == 'w')
            wall_s = number(optarg, 300);
        else if (option == 'm')
            memory_mb = number(optarg, 4096);
        else
            return 2;
    }
    if (p == NULL)
        return 2;
    s.profiles = 1u << profile_id_of(p);
    s.parked = 1;
    s.wall_ms = s.cpu_ms = (uint32_t)wall_s * 1000;
    s.memory_bytes = memory_mb << 20;
    s.code_bytes = MAX_CODE_BYTES;
    s.output_bytes = s.return_bytes = MAX_TEXT_BYTES;
    r = start(&c, &s);
    if (r >= 0)
        r = run_all(&c, r, profile_id_of(p));
    if (r < 0)
        fprintf(stderr, "ask: %s\n", strerror(-r));
    (void)client_stop(&c);
    return r < 0;
}
