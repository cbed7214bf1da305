/* fuzz_order - any bytes are an order within bounds, or none */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/order.h"

static const struct setup bounds = {
    .wall_ms = 2000,
    .cpu_ms = 1000,
    .memory_bytes = (uint64_t)5 << 32,
    .code_bytes = 64,
    .context_bytes = 32,
    .stdin_bytes = 16,
    .output_bytes = 100,
    .return_bytes = 200,
};

static void
check(const struct order *o, struct view body)
{
    must(o->kind <= ORDER_FINDINGS);
    must(o->wall_ms <= bounds.wall_ms && o->cpu_ms <= bounds.cpu_ms);
    must(o->memory_bytes <= bounds.memory_bytes);
    must(o->output_bytes <= bounds.output_bytes);
    must(o->return_bytes <= bounds.return_bytes);
    must_lie_within(o->request_id, body, ORDER_MAX_ID);
    must_lie_within(o->code, body, bounds.code_bytes);
    must_lie_within(o->context, body, bounds.context_bytes);
    must_lie_within(o->stdin_text, body, bounds.stdin_bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view body = view_of(data, size);
    struct order o;
    struct buf again;

    if (order_unpack(body, &bounds, &o) < 0)
        return 0;
    check(&o, body);
    buf_init(&again, order_max_bytes(&bounds));
    order_pack(&again, &o);
    must_be_same(&again, body);
    buf_done(&again);
    return 0;
}
