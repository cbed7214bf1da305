/*
 * order_json - the body of a request becomes an order
 *
 * Every bound of a request is checked here: the JSON text itself (strict),
 * the five fields and their kinds, the size of the code, the limits of the
 * server and of the token.  What comes out can be sent to the warden as it
 * stands.
 *
 * The context is checked here too, but its turn comes after the validator,
 * which lives in a box.  So a context that breaks a rule is only noted in
 * `context_detail`: when that is not empty the order has no context, must be
 * sent as ORDER_CHECK, and if the validator has no objection the request is
 * answered FAULT_REFUSED with that detail.
 *
 * Not for: anything about Python beyond the names it reserves.
 */
#ifndef GLOVEBOX_ORDER_JSON_H
#define GLOVEBOX_ORDER_JSON_H

#include "fcgi-app/context.h"
#include "fcgi-app/settings/settings.h"
#include "fcgi-app/tokens.h"
#include "sandbox/base/buf.h"
#include "sandbox/base/fault.h"
#include "sandbox/wire/order.h"

#define ORDER_MAX_DETAIL 512 /* room that always suffices for `detail` */

struct json_doc; /* fcgi-app/json/reader.h */

struct order_parse {
    struct order order; /* views point into what follows */
    char context_detail[CONTEXT_MAX_DETAIL]; /* "" when the context may be used
                                              */
    struct order_keys keys; /* names, for the audit line */
    struct json_doc *doc; /* owns code and stdin */
    struct buf context; /* owns the context's text */
};

void order_parse_init(struct order_parse *p);
void order_parse_done(struct order_parse *p);

/*
 * Fill p->order from `body`, which is not needed afterwards.  order.kind is
 * ORDER_RUN and order.request_id empty; both are the caller's to set.
 * Returns FAULT_NONE, or FAULT_JSON, FAULT_FIELD, FAULT_REFUSED with one
 * sentence in `detail` (valid UTF-8, no secret, meant for the client), or
 * FAULT_INTERNAL when out of memory.
 *
 * After FAULT_REFUSED order.code is set all the same, for the audit line.
 */
enum fault order_from_json(struct order_parse *p, struct view body,
    const struct settings *s, const struct token *token, char *detail,
    size_t detail_size);

#endif
