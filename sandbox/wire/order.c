/* order - a validated request to run */
#include "sandbox/wire/order.h"

#include <errno.h>

/* What a packed order has besides its four blocks. */
#define ORDER_FIXED_BYTES (9 * 4 + 8 + 4 * 4)

size_t
order_max_bytes(const struct setup *s)
{
    return ORDER_FIXED_BYTES + ORDER_MAX_ID + (size_t)s->code_bytes +
           s->context_bytes + s->stdin_bytes;
}

void
order_pack(struct buf *b, const struct order *o)
{
    buf_add_u32(b, o->kind);
    buf_add_u32(b, o->profile);
    buf_add_u32(b, o->wall_ms);
    buf_add_u32(b, o->cpu_ms);
    buf_add_u64(b, o->memory_bytes);
    buf_add_u32(b, o->output_bytes);
    buf_add_u32(b, o->return_bytes);
    buf_add_u32(b, o->ast_nodes);
    buf_add_u32(b, o->progress_ms);
    buf_add_u32(b, o->running);
    buf_add_block(b, o->request_id.data, o->request_id.len);
    buf_add_block(b, o->code.data, o->code.len);
    buf_add_block(b, o->context.data, o->context.len);
    buf_add_block(b, o->stdin_text.data, o->stdin_text.len);
}

int
order_unpack(
    struct view body, const struct setup *bounds, struct order *ret_order)
{
    struct order o = { 0 };

    o.kind = view_u32(&body);
    o.profile = view_u32(&body);
    o.wall_ms = view_u32(&body);
    o.cpu_ms = view_u32(&body);
    o.memory_bytes = view_u64(&body);
    o.output_bytes = view_u32(&body);
    o.return_bytes = view_u32(&body);
    o.ast_nodes = view_u32(&body);
    o.progress_ms = view_u32(&body);
    o.running = view_u32(&body);
    o.request_id = view_block(&body, ORDER_MAX_ID);
    o.code = view_block(&body, bounds->code_bytes);
    o.context = view_block(&body, bounds->context_bytes);
    o.stdin_text = view_block(&body, bounds->stdin_bytes);
    if (!view_done(&body))
        return -EPROTO;
    if (o.kind > ORDER_FINDINGS || o.output_bytes > bounds->output_bytes ||
        o.return_bytes > bounds->return_bytes || o.wall_ms > bounds->wall_ms ||
        o.cpu_ms > bounds->cpu_ms || o.memory_bytes > bounds->memory_bytes ||
        o.ast_nodes > bounds->ast_nodes ||
        (o.progress_ms != 0 && o.progress_ms < ORDER_MIN_PROGRESS_MS))
        return -EPROTO;
    *ret_order = o;
    return 0;
}
