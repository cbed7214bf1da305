/* claim - what a box says about its run */
#include "sandbox/wire/claim.h"

#include <errno.h>

size_t
claim_max_bytes(size_t return_bytes)
{
    return 8 * 4 + return_bytes + CLAIM_MAX_TYPE + CLAIM_MAX_MESSAGE +
           CLAIM_MAX_DETAIL;
}

void
claim_pack(struct buf *b, const struct claim *c)
{
    buf_add_u32(b, c->kind);
    buf_add_u32(b, c->flags);
    buf_add_u32(b, c->line);
    buf_add_u32(b, c->column);
    buf_add_block(b, c->value.data, c->value.len);
    buf_add_block(b, c->type.data, c->type.len);
    buf_add_block(b, c->message.data, c->message.len);
    buf_add_block(b, c->traceback.data, c->traceback.len);
}

int
claim_unpack(struct view body, size_t return_bytes, struct claim *ret_claim)
{
    struct claim c = { 0 };

    c.kind = view_u32(&body);
    c.flags = view_u32(&body);
    c.line = view_u32(&body);
    c.column = view_u32(&body);
    c.value = view_block(&body, return_bytes);
    c.type = view_block(&body, CLAIM_MAX_TYPE);
    c.message = view_block(&body, CLAIM_MAX_MESSAGE);
    c.traceback = view_block(&body, CLAIM_MAX_DETAIL);
    if (!view_done(&body) || c.kind > CLAIM_FINDINGS)
        return -EPROTO;
    *ret_claim = c;
    return 0;
}
