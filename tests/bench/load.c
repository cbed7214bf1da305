/*
 * load - keep a number of requests or processes under way, and time each
 *
 *   load [-p MS] http PORT IN_FLIGHT SECONDS REQUEST_FILE WANTED
 *   load [-r RATE] http PORT IN_FLIGHT SECONDS REQUEST_FILE WANTED
 *   load [-p MS] spawn IN_FLIGHT SECONDS WANTED STDIN_FILE PROGRAM
 *       [ARGUMENT...]
 *
 * http: IN_FLIGHT connections to 127.0.0.1, kept alive; each sends the bytes of
 * REQUEST_FILE, waits for the whole answer, and sends them again.  spawn: so
 * many processes at a time, each with STDIN_FILE on descriptor 0 and a pipe on
 * 1.  An answer without the text WANTED counts as wrong.  After SECONDS nothing
 * new is begun; what is under way is waited for.  -p: a pause after each; for
 * one in flight.  -r: so many a second, whatever becomes of those before, as
 * long as there are no more than IN_FLIGHT; a 429 or 503 in JSON is then a
 * refusal and not wrong.
 *
 * Prints a line of JSON: how many, how many of them refused, how many wrong,
 * the seconds it all took, CPU seconds of this program itself, CPU seconds and
 * page faults of what it started; then the microseconds of each, one a line, of
 * refusals with a minus.
 * It is C, with one thread, so that it takes little of the processors that it
 * measures.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"

#define LOAD_MAX_ANSWER (1u << 21)
#define LOAD_MAX_REQUEST (1u << 23)
#define LOAD_MAX_TIMES (1u << 22)
#define LOAD_EVENTS 64

/* One request or process under way. */
struct call {
    int fd; /* what is read from: a connection, or a pipe */
    pid_t pid; /* spawn */
    int is_asked; /* http: an answer is due */
    uint64_t start_us;
    size_t sent; /* http */
    size_t len;
    char answer[LOAD_MAX_ANSWER + 1];
};

static struct {
    int epoll_fd;
    uint64_t end_us;
    unsigned under_way;
    unsigned pause_us;
    unsigned long count, refused, wrong;
    const char *wanted;
    int32_t *times;
    /* http */
    struct sockaddr_in address;
    char *request;
    size_t request_len;
    double rate; /* a second; 0: each waits for its answer */
    unsigned long sent;
    struct call **idle; /* with a rate: those that wait for their turn */
    unsigned idle_count;
    /* spawn */
    char **argv;
    const char *stdin_file;
} load;

static _Noreturn void
fail(const char *what)
{
    (void)fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void
call_watch(struct call *c, int operation, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = c };

    if (epoll_ctl(load.epoll_fd, operation, c->fd, &event) < 0)
        fail("epoll_ctl");
}

static int
call_is_refused(const struct call *c)
{
    return load.rate > 0 &&
           (strncmp(c->answer, "HTTP/1.1 429 ", 13) == 0 ||
               strncmp(c->answer, "HTTP/1.1 503 ", 13) == 0) &&
           strstr(c->answer, "\r\n\r\n{\"detail\":\"") != NULL;
}

static void
call_count(struct call *c)
{
    uint64_t took_us = clock_mono_us() - c->start_us;
    int32_t time = took_us < INT32_MAX ? (int32_t)took_us : INT32_MAX;

    c->answer[c->len] = '\0';
    if (call_is_refused(c)) {
        load.refused++;
        time = -time;
    } else if (strstr(c->answer, load.wanted) == NULL) {
        if (load.wrong++ == 0)
            (void)fprintf(stderr, "load: wrong answer: %.300s\n", c->answer);
    }
    if (load.count < LOAD_MAX_TIMES)
        load.times[load.count] = time;
    load.count++;
    load.under_way--;
    c->is_asked = 0;
    if (load.pause_us > 0)
        (void)usleep(load.pause_us);
}

/* --- http ----------------------------------------------------------------- */

static void
http_send(struct call *c)
{
    while (c->sent < load.request_len) {
        ssize_t n = send(c->fd, load.request + c->sent,
            load.request_len - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EAGAIN) {
            call_watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            return;
        }
        if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
            return; /* closed; the end is read next */
        if (n < 0)
            fail("send");
        c->sent += (size_t)n;
        if (c->sent == load.request_len && c->sent > (size_t)n)
            call_watch(c, EPOLL_CTL_MOD, EPOLLIN);
    }
}

static void
http_begin(struct call *c)
{
    if (clock_mono_us() >= load.end_us)
        return;
    c->start_us = clock_mono_us();
    c->sent = c->len = 0;
    c->is_asked = 1;
    load.under_way++;
    http_send(c);
}

static void
http_open(struct call *c)
{
    int on = 1;

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&load.address,
                         sizeof(load.address)) < 0)
        fail("connect");
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    call_watch(c, EPOLL_CTL_ADD, EPOLLIN);
    http_begin(c);
}

/* After an answer: the next request, or, with a rate, when it is due. */
static void
http_next(struct call *c)
{
    if (load.rate > 0)
        load.idle[load.idle_count++] = c;
    else
        http_begin(c);
}

/* With a rate: what is due by now, by those that have nothing to do. */
static void
http_send_due(uint64_t start_us)
{
    double due = (double)(clock_mono_us() - start_us) / 1e6 * load.rate;

    while (load.idle_count > 0 && (double)load.sent < due &&
           clock_mono_us() < load.end_us) {
        struct call *c = load.idle[--load.idle_count];

        load.sent++;
        if (c->fd < 0)
            http_open(c);
        else
            http_begin(c);
    }
}

/* How long epoll_wait() may take: until the next request is due. */
static int
http_pause_ms(uint64_t start_us)
{
    double due_us = (double)(load.sent + 1) / load.rate * 1e6;
    double now_us = (double)(clock_mono_us() - start_us);
    double left_ms = (due_us - now_us) / 1e3;

    if (load.rate <= 0)
        return -1;
    return left_ms > 100 ? 100 : left_ms < 1 ? 1 : (int)left_ms;
}

/* The answer is whole: headers, and as much body as they announce. */
static int
http_is_whole(struct call *c)
{
    const char *end, *length, *chunked;

    c->answer[c->len] = '\0';
    end = strstr(c->answer, "\r\n\r\n");
    if (end == NULL)
        return 0;
    length = strcasestr(c->answer, "\r\nContent-Length:");
    if (length != NULL && length < end)
        return c->len >=
               (size_t)(end + 4 - c->answer) + strtoul(length + 17, NULL, 10);
    chunked = strcasestr(c->answer, "\r\nTransfer-Encoding: chunked");
    if (chunked == NULL || chunked > end)
        return 0;
    return c->len >= 5 && memcmp(c->answer + c->len - 5, "0\r\n\r\n", 5) == 0;
}

/* A server that closes a connection is asked on a new one; a request that it
 * did not answer is sent again. */
static void
http_on_end(struct call *c)
{
    int is_idle = load.rate > 0 && !c->is_asked;

    (void)close(c->fd);
    c->fd = -1;
    if (is_idle)
        return; /* opened again for its next request */
    if (c->is_asked && c->len > 0)
        call_count(c);
    else if (c->is_asked)
        load.under_way--;
    http_open(c);
}

static void
http_on(struct call *c, uint32_t events)
{
    ssize_t n;

    if ((events & EPOLLOUT) && c->sent < load.request_len)
        http_send(c);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    n = recv(c->fd, c->answer + c->len, LOAD_MAX_ANSWER - c->len, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n > 0) {
        c->len += (size_t)n;
        if (http_is_whole(c)) {
            call_count(c);
            http_next(c);
        }
        return;
    }
    http_on_end(c);
}

static void
http_setup(char **argv)
{
    FILE *f = fopen(argv[4], "re");

    load.address.sin_family = AF_INET;
    load.address.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
    load.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    load.wanted = argv[5];
    load.request = malloc(LOAD_MAX_REQUEST);
    if (f == NULL || load.request == NULL)
        fail(argv[4]);
    load.request_len = fread(load.request, 1, LOAD_MAX_REQUEST, f);
    (void)fclose(f);
}

/* --- spawn ---------------------------------------------------------------- */

static void
spawn_begin(struct call *c)
{
    posix_spawn_file_actions_t actions;
    int pipe_fds[2];

    if (clock_mono_us() >= load.end_us)
        return;
    c->start_us = clock_mono_us();
    c->len = 0;
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        fail("pipe");
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(
        &actions, 0, load.stdin_file, O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 1);
    errno =
        posix_spawn(&c->pid, load.argv[0], &actions, NULL, load.argv, environ);
    if (errno != 0)
        fail(load.argv[0]);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(pipe_fds[1]);
    c->fd = pipe_fds[0];
    load.under_way++;
    call_watch(c, EPOLL_CTL_ADD, EPOLLIN);
}

static void
spawn_on(struct call *c)
{
    char more[65536];
    ssize_t n = read(c->fd, more, sizeof(more));

    if (n < 0 && errno == EINTR)
        return;
    if (n > 0) {
        if (c->len + (size_t)n <= LOAD_MAX_ANSWER) {
            memcpy(c->answer + c->len, more, (size_t)n);
            c->len += (size_t)n;
        }
        return;
    }
    /* A child that is just being started may have it open for a moment more,
     * and epoll would tell of it again. */
    call_watch(c, EPOLL_CTL_DEL, 0);
    (void)close(c->fd);
    (void)waitpid(c->pid, NULL, 0);
    call_count(c);
    spawn_begin(c);
}

static void
spawn_setup(char **argv)
{
    load.wanted = argv[3];
    load.stdin_file = argv[4];
    load.argv = argv + 5;
}

/* -------------------------------------------------------------------------- */

static double
cpu_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static void
report(uint64_t start_us)
{
    struct rusage self, children;
    unsigned long shown =
        load.count < LOAD_MAX_TIMES ? load.count : LOAD_MAX_TIMES;

    (void)getrusage(RUSAGE_SELF, &self);
    (void)getrusage(RUSAGE_CHILDREN, &children);
    printf("{\"count\":%lu,\"refused\":%lu,\"wrong\":%lu,\"seconds\":%.6f,"
           "\"cpu\":%.6f,\"work_cpu\":%.6f,\"faults\":%ld}\n",
        load.count, load.refused, load.wrong,
        (double)(clock_mono_us() - start_us) / 1e6, cpu_of(&self),
        cpu_of(&children), children.ru_minflt);
    for (unsigned long i = 0; i < shown; i++)
        printf("%d\n", load.times[i]);
}

static void
work_begin(int is_http, struct call *c)
{
    c->fd = -1;
    if (load.rate > 0)
        load.idle[load.idle_count++] = c;
    else if (is_http)
        http_open(c);
    else
        spawn_begin(c);
}

static int
work_is_left(void)
{
    return load.under_way > 0 ||
           (load.rate > 0 && clock_mono_us() < load.end_us);
}

static void
work(int is_http, unsigned in_flight, uint64_t start_us)
{
    struct call *calls = calloc(in_flight, sizeof(*calls));
    struct epoll_event events[LOAD_EVENTS];

    load.idle = calloc(in_flight, sizeof(struct call *));
    if (calls == NULL || load.idle == NULL)
        fail("calls");
    for (unsigned i = 0; i < in_flight; i++)
        work_begin(is_http, &calls[i]);
    while (work_is_left()) {
        int n = epoll_wait(
            load.epoll_fd, events, LOAD_EVENTS, http_pause_ms(start_us));

        for (int i = 0; i < n; i++) {
            if (is_http)
                http_on(events[i].data.ptr, events[i].events);
            else
                spawn_on(events[i].data.ptr);
        }
        if (load.rate > 0)
            http_send_due(start_us);
    }
    free(load.idle);
    free(calls);
}

int
main(int argc, char **argv)
{
    int is_http, is_spawn;
    char **times;
    uint64_t start_us = clock_mono_us();

    if (argc > 2 && strcmp(argv[1], "-p") == 0) {
        load.pause_us = (unsigned)strtoul(argv[2], NULL, 10) * 1000;
        argc -= 2;
        argv += 2;
    } else if (argc > 2 && strcmp(argv[1], "-r") == 0) {
        load.rate = strtod(argv[2], NULL);
        argc -= 2;
        argv += 2;
    }
    is_http = argc == 7 && strcmp(argv[1], "http") == 0;
    is_spawn = argc >= 7 && strcmp(argv[1], "spawn") == 0;
    times = argv + (is_http ? 3 : 2);
    if (!is_http && !is_spawn) {
        (void)fputs("usage: see tests/bench/load.c\n", stderr);
        return 2;
    }
    load.times = calloc(LOAD_MAX_TIMES, sizeof(load.times[0]));
    load.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (load.times == NULL || load.epoll_fd < 0)
        fail("start");
    if (is_http)
        http_setup(argv + 1);
    else
        spawn_setup(argv + 1);
    load.end_us = start_us + (uint64_t)(strtod(times[1], NULL) * 1e6);
    work(is_http, (unsigned)strtoul(times[0], NULL, 10), start_us);
    report(start_us);
    return load.wrong != 0;
}
