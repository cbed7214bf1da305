/*
 * mcp - the methods of the Model Context Protocol, as a table
 *
 * Three revisions are served, each request by its own word (mcp_http.c):
 *
 *   2026-07-28              "modern": every request says which revision it
 *                           is of; results carry resultType and hints
 *   2025-11-25, 2025-06-18  "legacy": initialize says it once, and nothing
 *                           of it is remembered here
 *
 * A row of mcp_methods[] says in which era a method is there, which of its
 * parameters the header Mcp-Name repeats, and who answers.  A handler writes
 * the members of its result; what every result of the era carries is added
 * here.
 *
 * A test build (GLOVEBOX_CONFORMANCE) links a file with more rows:
 * mcp_fixture_methods[] and mcp_fixture_tools[] (mcp_tools.h).
 *
 * Not for: HTTP and its headers (mcp_http.c), the envelope (jsonrpc.h).
 */
#ifndef GLOVEBOX_MCP_H
#define GLOVEBOX_MCP_H

#include "fcgi-app/mcp/jsonrpc.h"
#include "fcgi-app/mcp/mcp_stream.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/route.h"

/* Codes of the protocol, besides those of JSON-RPC. */
enum mcp_code {
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

enum mcp_era {
    MCP_LEGACY = 1 << 0,
    MCP_MODERN = 1 << 1,
};

/* Newest first. */
struct mcp_version {
    const char *name;
    enum mcp_era era;
};
extern const struct mcp_version mcp_versions[];
extern const size_t mcp_version_count;

/* NULL when it is none of ours. */
const struct mcp_version *mcp_version_find(const char *name, size_t len);
/* An array of the names of all versions of `eras`. */
void mcp_put_versions(struct json_writer *w, unsigned eras);

/* One request on its way to its result. */
struct mcp_call {
    struct exchange *x;
    const struct rpc_message *message;
    enum mcp_era era;
    struct view meta; /* params._meta, an object; data NULL: none */
    struct json_writer json; /* inside the result: put members here */
    struct rpc_error *error; /* rpc_error_set() it instead, if need be */
    unsigned error_status; /* of HTTP; 0: as the code says */
    struct mcp_stream *stream; /* to tell of progress; NULL: not wanted */
};

/*
 * Put the members of the result, or set c->error.  A fault ends the request
 * without an answer (FAULT_CANCELLED) or as an internal error.
 */
typedef enum fault mcp_handler(struct mcp_call *c);

struct mcp_method {
    const char *name;
    unsigned eras;
    const char *named_by; /* the parameter that Mcp-Name repeats, or NULL */
    const char *capability; /* what the server declares for it, or NULL */
    bool is_cacheable; /* modern results carry ttlMs and cacheScope */
    bool runs_code; /* has its line in the audit trail, and may stream */
    enum metrics_mcp metric;
    mcp_handler *handle;
};

#ifdef GLOVEBOX_CONFORMANCE
extern const struct mcp_method mcp_fixture_methods[];
extern const size_t mcp_fixture_method_count;
/* Did the request come from this machine?  Nobody else sees fixtures. */
bool mcp_fixture_is_near(const struct http_request *r);
#endif

/* The row of a method in an era; NULL: there is none. */
const struct mcp_method *mcp_method_find(const char *name, enum mcp_era era);

/*
 * Answer a request: the whole message is put into the response's body.
 * `method` NULL: there is no such method.  Returns FAULT_NONE, and
 * *ret_status is the status of HTTP; or FAULT_CANCELLED.
 */
enum fault mcp_answer(
    struct mcp_call *c, const struct mcp_method *method, unsigned *ret_status);

/* The status of HTTP that goes with an error in an era. */
unsigned mcp_error_status(int code, enum mcp_era era);

/*
 * Did the client declare this capability with its request?  If not, c->error
 * says so.  Modern requests only; of a legacy one nothing is known.
 */
bool mcp_needs_capability(struct mcp_call *c, const char *name);

#define MCP_META "io.modelcontextprotocol/"
#define MCP_MAX_BODY (512 * 1024) /* of an answer; far above what is sent */

#endif
