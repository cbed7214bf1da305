/*
 * jsonrpc - one JSON-RPC 2.0 message in, one out
 *
 * rpc_read() takes the text of a request apart without making a tree of it:
 * what it finds are views into that text.  An id is kept as it was written
 * and put into the answer byte by byte, so that 0, "a\u0020b" and an integer
 * of a hundred digits come back as they were sent.
 *
 * Batches are refused.  So are ids that are null, fractions or longer than
 * RPC_MAX_ID.  Members that JSON-RPC does not know are passed over.
 *
 * Not for: what a method means (mcp.c), HTTP (mcp_http.c).
 */
#ifndef GLOVEBOX_MCP_JSONRPC_H
#define GLOVEBOX_MCP_JSONRPC_H

#include <stdbool.h>

#include "fcgi-app/json/writer.h"
#include "sandbox/base/buf.h"

#define RPC_MAX_ID 1024 /* bytes, as written */
#define RPC_MAX_METHOD 128
#define RPC_MAX_TEXT 512
#define RPC_MAX_DATA 4096

enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL = -32603,
};

enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION, /* has no id and gets no answer */
    RPC_RESPONSE, /* to a request of ours; we make none */
};

struct rpc_message {
    enum rpc_kind kind;
    struct view id; /* a string with its quotes, or digits; data NULL: none */
    /* Cut and made printable: no method that we know is changed by that. */
    char method[RPC_MAX_METHOD + 1];
    struct view params; /* the text of an object; data NULL: none */
};

struct rpc_error {
    int code; /* 0: none */
    char message[RPC_MAX_TEXT]; /* valid UTF-8 */
    struct buf data; /* one JSON value, or nothing */
};

void rpc_error_init(struct rpc_error *e);
void rpc_error_done(struct rpc_error *e);

/* Sets code and message; printf.  What is put into it must be UTF-8. */
void rpc_error_set(struct rpc_error *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Take `text` apart.  False: *e says why, and m->id is set if there was one
 * that can be echoed.  The views of *m point into `text`.
 */
bool rpc_read(struct view text, struct rpc_message *m, struct rpc_error *e);

/* A string or an integer, as ids and progress tokens are. */
bool rpc_is_id(struct view text);

/* {"jsonrpc":"2.0","id":ID,"result":{ ... the caller's members ... }} */
void rpc_begin_result(struct json_writer *w, struct view id);
void rpc_end_result(struct json_writer *w);

/* The whole message; an id that is not known is null. */
void rpc_put_error(
    struct json_writer *w, struct view id, const struct rpc_error *e);

#endif
