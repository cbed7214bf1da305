/* outcome - how a run ended: the warden's verdict and the box's claim */
#include "sandbox/wire/outcome.h"

#include <errno.h>
#include <string.h>

#define OUTCOME_MAX_WHERE 64
#define OUTCOME_MAX_REASON 256

size_t
outcome_max_bytes(const struct setup *s)
{
    return 256 + OUTCOME_MAX_REFUSED * (OUTCOME_MAX_CALL + 8) +
           2 * (size_t)s->output_bytes + OUTCOME_MAX_WHERE +
           OUTCOME_MAX_REASON + claim_max_bytes(s->return_bytes);
}

void
outcome_pack(struct buf *b, const struct outcome *o)
{
    struct view reason = o->reason;

    if (reason.len > OUTCOME_MAX_REASON)
        reason.len = OUTCOME_MAX_REASON;
    buf_add_u32(b, o->verdict);
    buf_add_u32(b, (uint32_t)o->number);
    buf_add_u64(b, o->wall_us);
    buf_add_u64(b, o->cpu_us);
    buf_add_u64(b, o->wait_us);
    buf_add_u64(b, o->wake_us);
    buf_add_u64(b, o->check_us);
    buf_add_u64(b, o->run_us);
    buf_add_u64(b, o->end_us);
    buf_add_u64(b, o->memory_bytes);
    buf_add_u64(b, o->faults);
    buf_add_u32(b, o->refused_count);
    for (uint32_t i = 0; i < o->refused_count; i++) {
        const char *call = o->refused[i].call;

        buf_add_block(b, call, strnlen(call, OUTCOME_MAX_CALL - 1));
        buf_add_u32(b, o->refused[i].count);
    }
    buf_add_block(b, o->stdout_text.data, o->stdout_text.len);
    buf_add_block(b, o->stderr_text.data, o->stderr_text.len);
    buf_add_u32(b, o->stdout_cut);
    buf_add_u32(b, o->stderr_cut);
    buf_add_u32(b, o->where_line);
    buf_add_block(b, o->where_name.data, o->where_name.len);
    buf_add_block(b, reason.data, reason.len);
    claim_pack(b, &o->claim);
}

static void
outcome_unpack_refused(struct view *body, struct outcome *o)
{
    o->refused_count = view_u32(body);
    if (o->refused_count > OUTCOME_MAX_REFUSED) {
        body->bad = true;
        o->refused_count = 0;
    }
    for (uint32_t i = 0; i < o->refused_count; i++) {
        struct view call = view_block(body, OUTCOME_MAX_CALL - 1);

        memcpy(o->refused[i].call, call.data, call.len);
        o->refused[i].count = view_u32(body);
    }
}

int
outcome_unpack(
    struct view body, const struct setup *bounds, struct outcome *ret_outcome)
{
    struct outcome o = { 0 };

    o.verdict = view_u32(&body);
    o.number = (int32_t)view_u32(&body);
    o.wall_us = view_u64(&body);
    o.cpu_us = view_u64(&body);
    o.wait_us = view_u64(&body);
    o.wake_us = view_u64(&body);
    o.check_us = view_u64(&body);
    o.run_us = view_u64(&body);
    o.end_us = view_u64(&body);
    o.memory_bytes = view_u64(&body);
    o.faults = view_u64(&body);
    outcome_unpack_refused(&body, &o);
    o.stdout_text = view_block(&body, bounds->output_bytes);
    o.stderr_text = view_block(&body, bounds->output_bytes);
    o.stdout_cut = view_u32(&body);
    o.stderr_cut = view_u32(&body);
    o.where_line = view_u32(&body);
    o.where_name = view_block(&body, OUTCOME_MAX_WHERE);
    o.reason = view_block(&body, OUTCOME_MAX_REASON);
    if (body.bad || o.verdict > VERDICT_NOT_STARTED)
        return -EPROTO;
    if (claim_unpack(body, bounds->return_bytes, &o.claim) < 0)
        return -EPROTO;
    *ret_outcome = o;
    return 0;
}
