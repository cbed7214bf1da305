/*
 * route - which request goes where, and who may send it
 *
 * A table of whole paths.  route_handle() makes the checks that come before
 * any handler, in the order of the contract: path and method, a token is
 * configured, the caller's token, size and kind of the body; then it calls the
 * row's handler, and turns a fault of any of them into the response.  A row
 * may ask for the token before the method, so that a client that tries GET
 * first learns that it needs a token.
 *
 * Not for: what a handler does (handle_*.c).
 */
#ifndef GLOVEBOX_ROUTE_H
#define GLOVEBOX_ROUTE_H

#include <stdbool.h>

#include "fcgi-app/http.h"
#include "fcgi-app/metrics.h"
#include "fcgi-app/order_json.h"
#include "fcgi-app/service.h"
#include "sandbox/base/fault.h"

#define EXCHANGE_MAX_DETAIL 2048

struct route;

/* One request on its way to its response. */
struct exchange {
    struct service *service;
    struct http_request *request;
    struct http_response *response;
    const struct route *route; /* NULL: there is none */
    struct config *config; /* held for the whole exchange */
    const struct token *token; /* who asks; NULL until recognised */
    char detail[EXCHANGE_MAX_DETAIL]; /* for faults that have one */
    struct http_hint hint; /* likewise, for refused code */
    bool is_audited; /* its audit line is written */
    unsigned retry_after_s; /* if it is not the fault's own; 0: it is */
    /*
     * Status of HTTP when an order was not run, if it is not the fault's own:
     * /mcp tells of it in a result.  0: the fault's own.
     */
    int fault_status;
    const struct warden_listener *listener; /* of the run's progress; or NULL */
};

struct order_parse;
struct run_call;

/*
 * Run the order that was made from this request, in its name; *ret_call is
 * initialised here and the caller's to end with run_call_done().
 */
enum fault exchange_run(struct exchange *x, const struct order_parse *parse,
    struct run_call *ret_call);

/*
 * A handler fills x->response and returns FAULT_NONE, or returns a fault (and
 * x->detail where that fault has one); the response is then made for it.
 */
typedef enum fault route_handler(struct exchange *x);

enum route_who {
    ROUTE_ANYONE,
    ROUTE_TOKEN, /* a valid token, and a JSON body */
    ROUTE_TOKEN_FIRST, /* likewise, and only then is the method looked at */
};

struct route {
    const char *path;
    const char *name; /* for audit and metrics: "execute" */
    const char *allow; /* "POST"; "GET, HEAD" */
    enum route_who who;
    enum metrics_route metric;
    route_handler *handle;
    route_handler *guard; /* before all else; NULL: nothing */
};

extern const struct route routes[];
extern const size_t route_count;

/*
 * The row of a request.  FAULT_NONE and *ret_route; FAULT_NOT_FOUND; or
 * FAULT_METHOD and *ret_route, for the header Allow.
 */
enum fault route_find(
    const char *method, const char *path, const struct route **ret_route);

/* Answer a request.  Fills *w, which the caller has initialised. */
void route_handle(
    struct service *s, struct http_request *r, struct http_response *w);

/*
 * Write the audit line of an exchange that ends before run_order(), which
 * writes all others.  `parse`: what is known of the order, or NULL.
 */
void exchange_audit(
    struct exchange *x, enum fault fault, const struct order_parse *parse);

route_handler handle_execute;
route_handler handle_validate;
route_handler handle_health;
route_handler handle_live;
route_handler handle_ready;
route_handler handle_metrics;
route_handler handle_openapi;
route_handler handle_mcp; /* fcgi-app/mcp/mcp_http.c */

#endif
