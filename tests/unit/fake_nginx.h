/*
 * fake_nginx - the web server's side of FastCGI, as far as tests need it
 */
#ifndef GLOVEBOX_FAKE_NGINX_H
#define GLOVEBOX_FAKE_NGINX_H

#include "sandbox/base/buf.h"

/* Connect to a unix socket: the descriptor, or -errno. */
int fake_nginx_connect(const char *path);

/*
 * Send one request.  `params`: "NAME=value", NULL-terminated.  0 or -errno.
 */
int fake_nginx_send(int fd, const char *const *params, const char *body);

/*
 * Read to the end of the request; `text` gets what came on standard output.
 * 0, or -errno; -EPIPE when the connection ends before the request does.
 */
int fake_nginx_recv(int fd, struct buf *text);

#endif
