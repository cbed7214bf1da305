/*
 * order - a validated request to run
 *
 * The app makes one from a request (fcgi-app/order_json.c), the warden puts
 * its packed bytes into the slate of one box, that box alone unpacks it.
 * The views point into whoever's bytes the order was made from; an order owns
 * nothing.
 */
#ifndef GLOVEBOX_ORDER_H
#define GLOVEBOX_ORDER_H

#include "sandbox/base/buf.h"
#include "sandbox/wire/setup.h"

#define ORDER_MAX_ID 64
#define ORDER_MIN_PROGRESS_MS 50

enum order_kind {
    ORDER_RUN = 0,
    ORDER_CHECK = 1, /* first refusal of the validator only; never runs */
    ORDER_FINDINGS = 2, /* all findings of the validator; never runs */
};

struct order {
    uint32_t kind; /* enum order_kind */
    uint32_t profile; /* enum profile_id */
    uint32_t wall_ms;
    uint32_t cpu_ms;
    uint64_t memory_bytes;
    uint32_t output_bytes;
    uint32_t return_bytes;
    uint32_t ast_nodes;
    uint32_t progress_ms; /* tell how far it is this often; 0: never */
    uint32_t running; /* programs of its caller with this one; 0: our own */
    struct view request_id;
    struct view code; /* strict UTF-8, no NUL check made yet */
    struct view context; /* a JSON object in UTF-8, or empty for none */
    struct view stdin_text; /* UTF-8 */
};

/* The most bytes a packed order can have under these bounds. */
size_t order_max_bytes(const struct setup *s);

void order_pack(struct buf *b, const struct order *o);
/* 0, or -EPROTO.  Views of *ret_order point into `body`. */
int order_unpack(
    struct view body, const struct setup *bounds, struct order *ret_order);

#endif
