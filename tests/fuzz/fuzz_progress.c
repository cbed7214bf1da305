/* fuzz_progress - any bytes of a warden are a progress in bounds, or none */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/progress.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view body = view_of(data, size);
    struct progress p;
    struct buf again;

    if (progress_unpack(body, &p) < 0)
        return 0;
    must_lie_within(p.tail, body, PROGRESS_MAX_TAIL);
    buf_init(&again, progress_max_bytes());
    progress_pack(&again, &p);
    must_be_same(&again, body);
    buf_done(&again);
    return 0;
}
