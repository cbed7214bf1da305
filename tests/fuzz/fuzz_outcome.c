/* fuzz_outcome - any bytes of a warden are an outcome within bounds, or none */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/outcome.h"

static const struct setup bounds = { .output_bytes = 64, .return_bytes = 32 };

static void
check(const struct outcome *o, struct view body)
{
    must(o->verdict <= VERDICT_NOT_STARTED);
    must(o->refused_count <= OUTCOME_MAX_REFUSED);
    for (uint32_t i = 0; i < o->refused_count; i++)
        must(memchr(o->refused[i].call, '\0', OUTCOME_MAX_CALL) != NULL);
    must_lie_within(o->stdout_text, body, bounds.output_bytes);
    must_lie_within(o->stderr_text, body, bounds.output_bytes);
    must_lie_within(o->where_name, body, 64);
    must_lie_within(o->reason, body, 256);
    must(o->claim.kind <= CLAIM_FINDINGS);
    must_lie_within(o->claim.value, body, bounds.return_bytes);
    must_lie_within(o->claim.type, body, CLAIM_MAX_TYPE);
    must_lie_within(o->claim.message, body, CLAIM_MAX_MESSAGE);
    must_lie_within(o->claim.traceback, body, CLAIM_MAX_DETAIL);
}

/* A name with a NUL inside is cut there; what is written then stays so. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view body = view_of(data, size);
    struct buf once, twice;
    struct outcome o;

    if (outcome_unpack(body, &bounds, &o) < 0)
        return 0;
    check(&o, body);
    buf_init(&once, outcome_max_bytes(&bounds));
    buf_init(&twice, outcome_max_bytes(&bounds));
    outcome_pack(&once, &o);
    must(buf_ok(&once) && once.len <= size);
    body = view_of(once.data, once.len);
    must(outcome_unpack(body, &bounds, &o) == 0);
    check(&o, body);
    outcome_pack(&twice, &o);
    must_be_same(&twice, body);
    buf_done(&once);
    buf_done(&twice);
    return 0;
}
