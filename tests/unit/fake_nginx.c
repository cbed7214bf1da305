/* fake_nginx - the web server's side of FastCGI, as far as tests need it */
#include "tests/unit/fake_nginx.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/base/fdio.h"

/* From the FastCGI specification; the app's library has its own. */
enum record {
    RECORD_BEGIN = 1,
    RECORD_END = 3,
    RECORD_PARAMS = 4,
    RECORD_STDIN = 5,
    RECORD_STDOUT = 6,
};

int
fake_nginx_connect(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(address.sun_path, path, strlen(path) + 1);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        int error = -errno;

        (void)close(fd);
        return error;
    }
    return fd;
}

static void
add_record(struct buf *b, enum record type, const char *bytes, size_t len)
{
    buf_addc(b, 1);
    buf_addc(b, (char)type);
    buf_addc(b, 0);
    buf_addc(b, 1);
    buf_addc(b, (char)(len >> 8));
    buf_addc(b, (char)len);
    buf_addc(b, 0);
    buf_addc(b, 0);
    buf_add(b, bytes, len);
}

static void
add_stream(struct buf *b, enum record type, const char *bytes, size_t len)
{
    while (len > 0) {
        size_t n = len < 32768 ? len : 32768;

        add_record(b, type, bytes, n);
        bytes += n;
        len -= n;
    }
    add_record(b, type, "", 0);
}

static void
add_param(struct buf *b, const char *param)
{
    size_t name = strcspn(param, "="), value = strlen(param + name + 1);

    buf_addc(b, (char)name); /* names and values of tests are short */
    buf_addc(b, (char)value);
    buf_add(b, param, name);
    buf_add(b, param + name + 1, value);
}

int
fake_nginx_send(int fd, const char *const *params, const char *body)
{
    static const char begin[8] = { 0, 1 }; /* responder, close when done */
    struct buf out, list;
    int error;

    buf_init(&out, 16u << 20);
    buf_init(&list, 65536);
    for (; *params != NULL; params++)
        add_param(&list, *params);
    add_record(&out, RECORD_BEGIN, begin, sizeof(begin));
    add_stream(&out, RECORD_PARAMS, list.data, list.len);
    add_stream(&out, RECORD_STDIN, body, strlen(body));
    error = fd_write_all(fd, out.data, out.len);
    buf_done(&list);
    buf_done(&out);
    return error;
}

int
fake_nginx_recv(int fd, struct buf *text)
{
    unsigned char head[8];
    char body[65536 + 256];
    int error;

    for (;;) {
        size_t len, padding;

        error = fd_read_all(fd, head, sizeof(head));
        if (error != 0)
            return error;
        len = (size_t)head[4] << 8 | head[5];
        padding = head[6];
        error = fd_read_all(fd, body, len + padding);
        if (error != 0)
            return error;
        if (head[1] == RECORD_STDOUT)
            buf_add(text, body, len);
        if (head[1] == RECORD_END)
            return 0;
    }
}
