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
 *    nobody wanted to read does not reset the answer on its way.
 *  - It installs handlers for SIGPIPE, SIGUSR1 and SIGTERM where it finds the
 *    preset.  main.c takes signals by sigwait(), which no handler disturbs.
 *
 * To stop, the listener is shut down: accept4() gives what was still in the
 * backlog, then fails with EINVAL in every thread that waits in it.
 */
#include "fcgi-app/serve.h"

#include <errno.h>
#include <fcgiapp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "fcgi-app/http.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/route.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/log.h"

#define SERVE_BACKLOG 4096 /* a full one is a 502: unix sockets do not wait */
#define SERVE_STACK_BYTES (256 * 1024)
#define SERVE_READ_S 10 /* nginx has the whole request before it connects */
#define SERVE_WRITE_S 30

struct serve {
    int listen_fd;
    struct service *service;
    unsigned count;
    pthread_t threads[];
};

/* --- the socket ----------------------------------------------------------- */

/* Nobody answers at `path`: a socket of a service that is gone. */
static int
serve_remove_stale(const struct sockaddr_un *address)
{
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat st;

    if (lstat(address->sun_path, &st) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return -EEXIST;
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return -EADDRINUSE;
    if (errno != ECONNREFUSED)
        return -errno;
    return unlink(address->sun_path) == 0 ? 0 : -errno;
}

static int
serve_bind(int fd, const struct sockaddr_un *address, uid_t uid, gid_t gid)
{
    mode_t old = umask(0117); /* born 0660, never wider */
    int error = bind(fd, (const struct sockaddr *)address, sizeof(*address));

    error = error == 0 ? 0 : -errno;
    (void)umask(old);
    if (error != 0)
        return error;
    if (lchown(address->sun_path, uid, gid) != 0)
        return -errno;
    return listen(fd, SERVE_BACKLOG) == 0 ? 0 : -errno;
}

int
serve_listen(const char *path, uint32_t uid, uint32_t gid)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    AUTO_FD fd = -1;
    int error;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    error = serve_remove_stale(&address);
    if (error != 0)
        return error;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    error = serve_bind(fd, &address, uid, gid);
    return error != 0 ? error : take_fd(&fd);
}

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
    fcgi.keepConnection = 0;
    serve_one(s, &fcgi);
    FCGX_Finish_r(&fcgi);
}

/* --- the threads ---------------------------------------------------------- */

static void *
serve_main(void *arg)
{
    struct serve *serve = arg;
    int fd;

    for (;;) {
        fd = accept4(serve->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0) {
            serve_connection(serve->service, fd);
        } else if (errno == EINVAL) {
            return NULL; /* shut down */
        } else if (errno != EINTR && errno != ECONNABORTED) {
            log_error("accept failed error=%s", strerrorname_np(errno));
            (void)poll(NULL, 0, 100); /* out of descriptors: others finish */
        }
    }
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

    if (serve == NULL || FCGX_Init() != 0)
        goto out;
    (void)signal(SIGPIPE, SIG_IGN); /* libfcgi's handler does nothing more */
    serve->listen_fd = listen_fd;
    serve->service = s;
    serve_start_threads(serve, threads);
    if (serve->count == 0)
        goto out;
    if (serve->count < threads)
        log_warn("threads missing started=%u of=%u", serve->count, threads);
    return serve;
out:
    free(serve);
    (void)close(listen_fd);
    return NULL;
}

void
serve_stop(struct serve *serve)
{
    (void)shutdown(serve->listen_fd, SHUT_RDWR);
    for (unsigned i = 0; i < serve->count; i++)
        (void)pthread_join(serve->threads[i], NULL);
    (void)close(serve->listen_fd);
    free(serve);
}
