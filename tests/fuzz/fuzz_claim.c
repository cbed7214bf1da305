/* fuzz_claim - any bytes of a box are a claim within bounds, or none */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/claim.h"

#define RETURN_BYTES 64

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view body = view_of(data, size);
    struct claim c;
    struct buf again;

    if (claim_unpack(body, RETURN_BYTES, &c) < 0)
        return 0;
    must(c.kind <= CLAIM_FINDINGS);
    must_lie_within(c.value, body, RETURN_BYTES);
    must_lie_within(c.type, body, CLAIM_MAX_TYPE);
    must_lie_within(c.message, body, CLAIM_MAX_MESSAGE);
    must_lie_within(c.traceback, body, CLAIM_MAX_DETAIL);
    buf_init(&again, claim_max_bytes(RETURN_BYTES));
    claim_pack(&again, &c);
    must_be_same(&again, body);
    buf_done(&again);
    return 0;
}
