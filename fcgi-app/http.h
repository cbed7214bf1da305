/*
 * http - a request after FastCGI, a response being built
 *
 * serve.c fills a struct http_request from the FastCGI parameters of one
 * connection and hands it to route_handle().  The strings belong to the
 * connection and live as long as the request.  The body is not read before
 * somebody who may send one has been recognised: http_body_read() does that,
 * through the `read` function that serve.c (or a test) put there.
 *
 * A response has a status, a fixed set of headers and a bounded body, or is a
 * stream of events, each of which leaves at once (http_send()).  Every
 * header value is made by us; no byte that a caller chose becomes a header,
 * but a request id that passed http_id_is_well_formed().
 *
 * Not for: JSON of the callers (order_json.c), tokens (auth.c), sockets
 * (serve.c).
 */
#ifndef GLOVEBOX_HTTP_H
#define GLOVEBOX_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/base/buf.h"
#include "sandbox/base/fault.h"

#define HTTP_MAX_ID 64
#define HTTP_MAX_TIMING 192
#define HTTP_MAX_HEAD 1024

struct http_request {
    const char *method; /* "" when absent; likewise the others */
    const char *path; /* SCRIPT_NAME: decoded by nginx, without the query */
    const char *query;
    const char *content_type;
    const char *remote_addr;
    uint64_t content_length; /* 0 when absent */
    char request_id[HTTP_MAX_ID + 1]; /* checked, or new */
    bool is_malformed; /* a parameter that must be there once was not so */
    int hangup_fd; /* readable end of file: the caller went away; or -1 */
    struct buf body; /* empty until http_body_read() */
    char **params; /* "NAME=value", NULL-terminated; may hold duplicates */

    /* At most `len` bytes of the body: how many, 0 at its end, or -errno. */
    long (*read)(void *from, char *bytes, size_t len);
    void *read_from;
};

enum http_type {
    HTTP_TYPE_JSON,
    HTTP_TYPE_METRICS, /* Prometheus text */
    HTTP_TYPE_NONE, /* there is no body: 202 */
    HTTP_TYPE_EVENTS, /* text/event-stream, sent piece by piece */
};

struct http_response {
    unsigned status; /* 0: nothing is to be sent, the caller is gone */
    enum http_type type;
    unsigned retry_after_s; /* 0: no such header */
    const char *allow; /* for 405; constant text, or NULL */
    char timing[HTTP_MAX_TIMING]; /* value of Server-Timing; "": none */
    bool has_challenge; /* WWW-Authenticate: Bearer */
    bool has_no_body; /* HEAD: the length is told, the bytes are not */
    struct buf body;

    bool is_stream; /* the head has left; the body went with http_send() */
    /* At once to the client: 0, or -errno when it is gone. */
    int (*send)(void *to, const char *bytes, size_t len);
    void *send_to; /* serve.c (or a test) puts both there */
};

/*
 * Fill *r from FastCGI parameters.  Never fails: what is missing is empty,
 * what is malformed or there twice sets is_malformed.  `params` must outlive
 * *r.
 */
void http_request_init(struct http_request *r, char **params, int hangup_fd);
void http_request_done(struct http_request *r);

/*
 * The value of one FastCGI parameter ("HTTP_X_EXECUTOR_TOKEN").  Returns 0
 * when it is absent, 1 and sets *ret_value when it is there once, and -EEXIST
 * when it is there more than once.  *ret_value points into the request.
 */
int http_param(
    const struct http_request *r, const char *name, const char **ret_value);

/* 1 to 64 characters of A-Z a-z 0-9 . _ - */
bool http_id_is_well_formed(const char *id);

/*
 * Read the body whole, at most `max_bytes`.  FAULT_BODY_SIZE when it is
 * longer than that, FAULT_JSON when its length is not the one that was
 * announced, FAULT_CANCELLED when the connection ended inside it.
 */
enum fault http_body_read(struct http_request *r, size_t max_bytes);

/* The media type is application/json, whatever its case and parameters. */
bool http_body_is_json(const struct http_request *r);

void http_response_init(struct http_response *w);
void http_response_done(struct http_response *w);

/*
 * What helps whoever sent refused code to mend it: where, by which rule, and
 * what to do instead.  Zeroes and empty texts are left out.  The texts are a
 * box's word and are made safe where they are printed.
 */
struct http_hint {
    uint32_t line;
    char rule[64];
    size_t rule_len;
    char text[1024];
    size_t text_len;
};

/*
 * Make the answer to a fault: status, headers and {"detail", "request_id"}.
 * `detail` replaces the constant sentence of the fault where the contract
 * gives the caller one (400, 422); NULL otherwise.  `hint` may be NULL.
 */
void http_response_fault(struct http_response *w, const struct http_request *r,
    enum fault fault, const char *detail, const struct http_hint *hint);

/* Status line and headers of *w, as a FastCGI responder sends them. */
void http_response_head(const struct http_response *w,
    const struct http_request *r, struct buf *head);

/*
 * Send a piece of a stream, the head before the first one.  From then on
 * nothing else of *w is sent.  Returns 0, or -errno when the client is gone.
 */
int http_send(struct http_response *w, const struct http_request *r,
    const char *bytes, size_t len);

#endif
