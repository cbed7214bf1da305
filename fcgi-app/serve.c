/*
 * serve - the accept loop; the only file that includes fcgiapp.h
 *
 * What libfcgi 2.4 does of its own accord, and what is done about it here:
 *
 *  - FCGX_Accept_r() accepts without close-on-exec, waits up to two seconds
 *    for the first byte of a unix connection, and cannot be woken but by a
 *    signal.  So this file accepts, and hands the connection in: with ipcFd
 *    set and keepConnection true the library keeps it and reads the request.
 *    Its own listener is -1, so when the bytes make no sense it closes the
 *    connection, fails to accept another one and returns.
 *  - It reads and writes without time limit.  The socket gets limits.
 *  - It keeps the connection when the web server asks to.  An idle connection
 *    would hold a thread, so it is closed after each request.
 *  - On closing it shuts the sending side and reads until the end: a body that
 *    nobody wanted to read does not reset the answer on its way.  Where the
 *    body was read to its end there is nothing to wait for, and this file
 *    closes the connection itself.
 *  - It installs handlers for SIGPIPE, SIGUSR1 and SIGTERM where it finds the
 *    preset.  main.c takes signals by sigwait(), which no handler disturbs.
 *
 * Each thread waits in an epoll set of its own, for the listener and for word
 * to leave.  EPOLLEXCLUSIVE has the kernel wake one of them for a connection,
 * as a blocking accept() would, and not all; and the listener, which may belong
 * to another process as well, need not be broken to wake them.
 *
 * There are two ways to end.  serve_stop() shuts the listener down: accept4()
 * gives what was still in the backlog, and then there is nothing more to come.
 * serve_leave() leaves listener and backlog to whoever else has them.
 */
#include "fcgi-app/serve.h"

#include <errno.h>
#include <fcgiapp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fcgi-app/http.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/route.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/log.h"

#define SERVE_STACK_BYTES (256 * 1024)
#define SERVE_READ_S 10 /* nginx has the whole request before it connects */
#define SERVE_WRITE_S 30
#define SERVE_MAX_BACKLOG 4096 /* of a TCP listener, answered at a stop */

struct serve {
    int listen_fd;
    int leave_fd; /* eventfd, to wake the threads by */
    atomic_bool is_leaving;
    atomic_bool is_shut; /* an empty backlog stays empty */
    struct service *service;
    unsigned count;
    pthread_t threads[];
};

/* --- one request ---------------------------------------------------------- */

static long
serve_read(void *from, char *bytes, size_t len)
{
    FCGX_Request *fcgi = from;
    int n = FCGX_GetStr(bytes, (int)len, fcgi->in);

    if (n <= 0 && FCGX_GetError(fcgi->in) != 0)
        return -EIO;
    return n;
}

/* A piece of a stream: nothing of it may wait for more. */
static int
serve_send(void *to, const char *bytes, size_t len)
{
    FCGX_Request *fcgi = to;

    if (FCGX_PutStr(bytes, (int)len, fcgi->out) != (int)len ||
        FCGX_FFlush(fcgi->out) != 0)
        return -EPIPE;
    return 0;
}

static void
serve_write(FCGX_Request *fcgi, const struct http_request *r,
    const struct http_response *w)
{
    struct buf head;

    if (w->status == 0 || w->is_stream)
        return; /* the client is gone, or has it all */
    buf_init(&head, HTTP_MAX_HEAD);
    http_response_head(w, r, &head);
    if (buf_ok(&head)) {
        (void)FCGX_PutStr(head.data, (int)head.len, fcgi->out);
        if (!w->has_no_body && w->body.len > 0)
            (void)FCGX_PutStr(w->body.data, (int)w->body.len, fcgi->out);
    }
    buf_done(&head);
}

static void
serve_one(struct service *s, FCGX_Request *fcgi)
{
    struct http_request request;
    struct http_response response;

    http_request_init(&request, fcgi->envp, fcgi->ipcFd);
    request.read = serve_read;
    request.read_from = fcgi;
    http_response_init(&response);
    response.send = serve_send;
    response.send_to = fcgi;
    route_handle(s, &request, &response);
    serve_write(fcgi, &request, &response);
    http_response_done(&response);
    http_request_done(&request);
}

/* Nothing of the request is on its way to us. */
static bool
serve_has_read_all(FCGX_Request *fcgi)
{
    return FCGX_HasSeenEOF(fcgi->in) != 0 && FCGX_GetError(fcgi->in) == 0;
}

/* Takes `fd` over, as libfcgi does from here on. */
static void
serve_connection(struct service *s, int fd)
{
    struct timeval read_limit = { .tv_sec = SERVE_READ_S };
    struct timeval write_limit = { .tv_sec = SERVE_WRITE_S };
    FCGX_Request fcgi;

    if (FCGX_InitRequest(&fcgi, -1, 0) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &read_limit,
            sizeof(read_limit)) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &write_limit,
            sizeof(write_limit)) != 0) {
        (void)close(fd);
        return;
    }
    fcgi.ipcFd = fd;
    fcgi.keepConnection = 1;
    if (FCGX_Accept_r(&fcgi) != 0) {
        metrics_count(METRICS_PROTOCOL_ERRORS);
        return; /* closed already */
    }
    serve_one(s, &fcgi);
    fcgi.keepConnection = serve_has_read_all(&fcgi);
    FCGX_Finish_r(&fcgi);
    if (fcgi.ipcFd >= 0) /* it was to keep it, and nothing went wrong */
        (void)close(fcgi.ipcFd);
}

/* --- the threads ---------------------------------------------------------- */

static int
serve_watch(const struct serve *serve)
{
    AUTO_FD fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event listener = { .events = EPOLLIN | EPOLLEXCLUSIVE };
    struct epoll_event leave = { .events = EPOLLIN };

    if (fd < 0 ||
        epoll_ctl(fd, EPOLL_CTL_ADD, serve->listen_fd, &listener) != 0 ||
        epoll_ctl(fd, EPOLL_CTL_ADD, serve->leave_fd, &leave) != 0)
        return -errno;
    return take_fd(&fd);
}

/* A connection, or -errno; -EINVAL: there will be no more. */
static int
serve_accept(struct serve *serve, int watch_fd)
{
    struct epoll_event event;
    bool is_last;
    int fd;

    if (epoll_wait(watch_fd, &event, 1, -1) < 0)
        return -EINTR;
    if (atomic_load(&serve->is_leaving))
        return -EINVAL;
    is_last = atomic_load(&serve->is_shut);
    fd = accept4(serve->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        return fd;
    return errno == EAGAIN && is_last ? -EINVAL : -errno;
}

static void *
serve_main(void *arg)
{
    struct serve *serve = arg;
    AUTO_FD watch_fd = serve_watch(serve);
    int fd;

    if (watch_fd < 0)
        log_error("thread without epoll error=%s", strerrorname_np(-watch_fd));
    while (watch_fd >= 0) {
        fd = serve_accept(serve, watch_fd);
        if (fd >= 0) {
            serve_connection(serve->service, fd);
        } else if (fd == -EINVAL) {
            break; /* shut down, or left */
        } else if (fd != -EINTR && fd != -ECONNABORTED && fd != -EAGAIN) {
            log_error("accept failed error=%s", strerrorname_np(-fd));
            (void)poll(NULL, 0, 100); /* out of descriptors: others finish */
        }
    }
    return NULL;
}

static void
serve_start_threads(struct serve *serve, unsigned threads)
{
    pthread_attr_t attr;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, SERVE_STACK_BYTES);
    while (
        serve->count < threads && pthread_create(&serve->threads[serve->count],
                                      &attr, serve_main, serve) == 0)
        serve->count++;
    (void)pthread_attr_destroy(&attr);
}

struct serve *
serve_start(int listen_fd, struct service *s, unsigned threads)
{
    struct serve *serve =
        calloc(1, sizeof(*serve) + threads * sizeof(serve->threads[0]));
    int on = 1;

    if (serve == NULL || FCGX_Init() != 0)
        goto out;
    (void)signal(SIGPIPE, SIG_IGN); /* libfcgi's handler does nothing more */
    serve->leave_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (serve->leave_fd < 0)
        goto out;
    serve->listen_fd = listen_fd;
    serve->service = s;
    /* An answer is written in few pieces.  Connections inherit it; to a unix
     * socket it means nothing. */
    (void)setsockopt(listen_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    serve_start_threads(serve, threads);
    if (serve->count == 0) {
        (void)close(serve->leave_fd);
        goto out;
    }
    if (serve->count < threads)
        log_warn("threads missing started=%u of=%u", serve->count, threads);
    return serve;
out:
    free(serve);
    (void)close(listen_fd);
    return NULL;
}

static void
serve_join(struct serve *serve)
{
    for (unsigned i = 0; i < serve->count; i++)
        (void)pthread_join(serve->threads[i], NULL);
    (void)close(serve->leave_fd);
    (void)close(serve->listen_fd);
    free(serve);
}

/*
 * Shutting a TCP listener down resets what waits in its backlog, so that is
 * answered first; what comes in between is one of the few that are reset.
 */
static void
serve_empty_backlog(struct serve *serve)
{
    int domain = AF_UNIX, fd;
    socklen_t len = sizeof(domain);

    (void)getsockopt(serve->listen_fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
    for (int i = 0; domain != AF_UNIX && i < SERVE_MAX_BACKLOG; i++) {
        fd = accept4(serve->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            return;
        serve_connection(serve->service, fd);
    }
}

void
serve_stop(struct serve *serve)
{
    serve_empty_backlog(serve);
    (void)shutdown(serve->listen_fd, SHUT_RDWR);
    atomic_store(&serve->is_shut, true);
    serve_join(serve);
}

void
serve_leave(struct serve *serve)
{
    uint64_t one = 1;

    atomic_store(&serve->is_leaving, true);
    (void)!write(serve->leave_fd, &one, sizeof(one));
    serve_join(serve);
}
