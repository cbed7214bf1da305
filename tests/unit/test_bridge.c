/*
 * bridge: what a client reads, whatever the service does
 *
 * The service is played by a thread that answers every connection alike.  How
 * it works with a real one: tests/flow/test_bridge.py.
 */
#include <check.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#include "fcgi-app/bridge/bridge.h"
#include "sandbox/base/fdio.h"

Suite *suite_bridge(void);

#define JSON "Content-Type: application/json\r\n"
#define PING "{\"id\":1,\"method\":\"ping\"}\n"
#define NOTE "{\"method\":\"notifications/initialized\"}\n"
#define ERROR(id, code, message)                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code             \
    ",\"message\":\"" message "\"}}\n"

struct fake {
    int listener;
    const char *answer;
    pthread_t thread;
};

/* Read a request to the end of its body, which has no line end. */
static void
fake_read(int fd)
{
    char bytes[8192];
    size_t len = 0;
    ssize_t n;
    char *end;

    while ((n = read(fd, bytes + len, sizeof(bytes) - 1 - len)) > 0) {
        unsigned long body = 0;
        char *length;

        len += (size_t)n;
        bytes[len] = '\0';
        end = strstr(bytes, "\r\n\r\n");
        length = strstr(bytes, "Content-Length: ");
        if (length != NULL)
            body = strtoul(length + 16, NULL, 10);
        if (end != NULL && (size_t)(bytes + len - end) >= body + 4)
            return;
    }
}

static void *
fake_main(void *from)
{
    struct fake *f = from;
    int fd;

    while ((fd = accept(f->listener, NULL, NULL)) >= 0) {
        fake_read(fd);
        (void)fd_write_all(fd, f->answer, strlen(f->answer));
        (void)close(fd);
    }
    return NULL;
}

static unsigned
fake_start(struct fake *f, const char *answer)
{
    struct sockaddr_in here = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(here);

    f->answer = answer;
    f->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(f->listener, (void *)&here, len), 0);
    ck_assert_int_eq(listen(f->listener, 64), 0);
    ck_assert_int_eq(getsockname(f->listener, (void *)&here, &len), 0);
    ck_assert_int_eq(pthread_create(&f->thread, NULL, fake_main, f), 0);
    return ntohs(here.sin_port);
}

static void
fake_stop(struct fake *f)
{
    (void)shutdown(f->listener, SHUT_RDWR); /* wakes accept() */
    (void)pthread_join(f->thread, NULL);
    (void)close(f->listener);
}

static const struct {
    const char *in;
    const char *answer; /* of the service; NULL: nobody listens */
    const char *out; /* %u stands for the port */
} talks[] = {
    { PING, "HTTP/1.1 200 OK\r\n" JSON "\r\n{\"id\":1,\n\"result\":{}}\r\n",
        "{\"id\":1,\"result\":{}}\n" },
    { "\r\n" PING,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        "data: {\"method\":\"notifications/progress\"}\n\n"
        "data: {\"id\":1,\"result\":{}}\n\n",
        "{\"method\":\"notifications/progress\"}\n{\"id\":1,\"result\":{}}\n" },
    { NOTE, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "" },
    { NOTE, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", "" },
    { NOTE, NULL, "" },
    { PING, NULL,
        ERROR("1", "-32603",
            "The service at http://127.0.0.1:%u/mcp cannot be reached: "
            "Connection refused") },
    { PING, "",
        ERROR("1", "-32603",
            "The service at http://127.0.0.1:%u/mcp broke off") },
    { PING, "hello\r\n",
        ERROR("1", "-32603",
            "The service at http://127.0.0.1:%u/mcp does not speak "
            "HTTP/1.1") },
    /* A refusal for this very request is passed on as it is. */
    { PING,
        "HTTP/1.1 404 Not Found\r\n" JSON
        "\r\n{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"m\"}}",
        "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"m\"}}\n" },
    { PING,
        "HTTP/1.1 400 Bad\r\n" JSON
        "\r\n{\"id\":null,\"error\":{\"code\":-32600,\"message\":\"m\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,"
        "\"message\":\"The service answered HTTP 400: m\","
        "\"data\":{\"status\":400}}}\n" },
    { PING,
        "HTTP/1.1 401 Unauthorized\r\n" JSON
        "\r\n{\"detail\":\"no \\u000a token\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
        "\"message\":\"The service answered HTTP 401: no   token\","
        "\"data\":{\"status\":401}}}\n" },
    { PING, "HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\n\r\n<html>",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
        "\"message\":\"The service answered HTTP 502\","
        "\"data\":{\"status\":502}}}\n" },
    { PING, "HTTP/1.1 200 OK\r\n" JSON "\r\n{\"id\":1,",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
        "\"message\":\"The service at http://127.0.0.1:%u/mcp answered HTTP "
        "200 without an answer\",\"data\":{\"status\":200}}}\n" },
    { PING "{\"id\":2,\"method\":\"a\"", "HTTP/1.1 200 OK\r\n" JSON "\r\n",
        NULL }, /* two errors; only that it ends */
    { "[]\nx\n", NULL,
        ERROR("null", "-32600", "One message a line; batches are not served")
            ERROR("null", "-32700", "Not JSON") },
};

/* Everything that was written to the pipe. */
static void
read_rest(int fd, struct buf *said)
{
    char *room;
    ssize_t n;

    while (
        (room = buf_room(said, 4096)) != NULL && (n = read(fd, room, 4096)) > 0)
        buf_grew(said, (size_t)n);
    buf_addc(said, '\0');
}

static void
talk(const char *in, unsigned port, unsigned silence_ms, struct buf *said)
{
    struct bridge_options o = { .silence_ms = silence_ms };
    char url[64], problem[256];
    int to[2], from[2];
    struct endpoint e;

    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/mcp", port);
    ck_assert_int_eq(endpoint_init(&e, url, false, problem, 256), 0);
    ck_assert_int_eq(fd_pair(SOCK_STREAM, to), 0);
    ck_assert_int_eq(fd_pair(SOCK_STREAM, from), 0);
    ck_assert_int_eq(fd_write_all(to[0], in, strlen(in)), 0);
    (void)shutdown(to[0], SHUT_WR);
    o.in_fd = to[1];
    o.out_fd = from[1];
    ck_assert_int_eq(bridge_run(&e, &o), 0);
    (void)close(from[1]);
    read_rest(from[0], said);
    (void)close(from[0]);
    (void)close(to[0]);
    (void)close(to[1]);
    endpoint_done(&e);
}

START_TEST(bridge_answers_whatever_the_service_does)
{
    bool is_there = talks[_i].answer != NULL;
    struct fake f;
    unsigned port = fake_start(&f, is_there ? talks[_i].answer : "");
    struct buf said;
    char wanted[1024];

    if (!is_there)
        fake_stop(&f); /* the port is free, and nobody's */
    buf_init(&said, 65536);
    talk(talks[_i].in, port, 30000, &said);
    if (is_there)
        fake_stop(&f);
    if (talks[_i].out != NULL) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(wanted, sizeof(wanted), talks[_i].out, port);
#pragma GCC diagnostic pop
        ck_assert_str_eq(said.data, wanted);
    }
    buf_done(&said);
}
END_TEST

START_TEST(bridge_gives_up_on_a_service_that_says_nothing)
{
    struct sockaddr_in here = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(here);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct buf said;

    /* The kernel takes the connection; nobody ever reads from it. */
    ck_assert_int_eq(bind(listener, (void *)&here, len), 0);
    ck_assert_int_eq(listen(listener, 8), 0);
    ck_assert_int_eq(getsockname(listener, (void *)&here, &len), 0);
    buf_init(&said, 65536);
    talk(PING, ntohs(here.sin_port), 300, &said);
    ck_assert_ptr_nonnull(strstr(said.data, "says nothing"));
    buf_done(&said);
    (void)close(listener);
}
END_TEST

START_TEST(bridge_refuses_what_is_too_much_and_goes_on)
{
    static char line[BRIDGE_MAX_LINE + 200000];
    struct fake f;
    unsigned port = fake_start(
        &f, "HTTP/1.1 200 OK\r\n" JSON "\r\n{\"id\":1,\"result\":{}}");
    struct bridge_options o = { .silence_ms = 30000 };
    struct endpoint e;
    char url[64], problem[256];
    struct buf said;
    FILE *in = tmpfile();
    int from[2];

    memset(line, 'x', sizeof(line));
    ck_assert_uint_eq(fwrite(line, 1, sizeof(line), in), sizeof(line));
    ck_assert_int_eq(fputs("\n" PING, in) >= 0, 1);
    rewind(in);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/mcp", port);
    ck_assert_int_eq(endpoint_init(&e, url, false, problem, 256), 0);
    ck_assert_int_eq(fd_pair(SOCK_STREAM, from), 0);
    o.in_fd = fileno(in);
    o.out_fd = from[1];
    ck_assert_int_eq(bridge_run(&e, &o), 0);
    (void)close(from[1]);
    buf_init(&said, 65536);
    read_rest(from[0], &said);
    ck_assert_str_eq(
        said.data, ERROR("null", "-32600",
                       "A message must not be longer than 16777216 "
                       "bytes") "{\"id\":1,\"result\":{}}\n");
    buf_done(&said);
    (void)close(from[0]);
    (void)fclose(in);
    endpoint_done(&e);
    fake_stop(&f);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

Suite *
suite_bridge(void)
{
    Suite *s = suite_create("bridge");
    TCase *t = tcase_create("bridge");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(
        t, bridge_answers_whatever_the_service_does, 0, COUNT(talks));
    tcase_add_test(t, bridge_gives_up_on_a_service_that_says_nothing);
    tcase_add_test(t, bridge_refuses_what_is_too_much_and_goes_on);
    suite_add_tcase(s, t);
    return s;
}
