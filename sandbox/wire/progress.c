/* progress - how far a run has come, told while it is under way */
#include "sandbox/wire/progress.h"

#include <errno.h>

size_t
progress_max_bytes(void)
{
    return 3 * 8 + 4 + PROGRESS_MAX_TAIL;
}

void
progress_pack(struct buf *b, const struct progress *p)
{
    buf_add_u64(b, p->elapsed_us);
    buf_add_u64(b, p->out_len);
    buf_add_u64(b, p->err_len);
    buf_add_block(b, p->tail.data, p->tail.len);
}

int
progress_unpack(struct view body, struct progress *ret_progress)
{
    struct progress p = { 0 };

    p.elapsed_us = view_u64(&body);
    p.out_len = view_u64(&body);
    p.err_len = view_u64(&body);
    p.tail = view_block(&body, PROGRESS_MAX_TAIL);
    if (!view_done(&body))
        return -EPROTO;
    *ret_progress = p;
    return 0;
}
