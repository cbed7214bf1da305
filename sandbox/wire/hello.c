/* hello - a template's first word to its warden, and the only long one */
#include "sandbox/wire/hello.h"

#include <errno.h>
#include <string.h>

void
hello_ask_pack(struct buf *b, const struct hello_ask *a)
{
    buf_add_u32(b, a->profile);
    buf_add_u32(b, a->is_large);
    buf_add_u64(b, a->layers);
    setup_pack(b, &a->setup);
}

int
hello_ask_unpack(struct view body, struct hello_ask *ret_ask)
{
    struct hello_ask a = { 0 };

    a.profile = view_u32(&body);
    a.is_large = view_u32(&body);
    a.layers = view_u64(&body);
    if (body.bad || setup_unpack(body, &a.setup) < 0)
        return -EPROTO;
    *ret_ask = a;
    return 0;
}

void
hello_pack(struct buf *b, const struct hello *h)
{
    buf_add_u32(b, h->is_ready);
    buf_add_block(b, h->problem, strnlen(h->problem, sizeof(h->problem) - 1));
    buf_add_block(b, h->python, strnlen(h->python, sizeof(h->python) - 1));
    buf_add_u64(b, h->as_bytes);
    buf_add_u64(b, h->data_bytes);
    buf_add_u64(b, h->layers);
    for (size_t i = 0; i < STATUS_MAX_LAYERS; i++)
        buf_add_u32(b, (uint32_t)h->errors[i]);
}

int
hello_unpack(struct view body, struct hello *ret_hello)
{
    struct hello h = { 0 };
    struct view text;

    h.is_ready = view_u32(&body);
    text = view_block(&body, sizeof(h.problem) - 1);
    memcpy(h.problem, text.data, text.len);
    text = view_block(&body, sizeof(h.python) - 1);
    memcpy(h.python, text.data, text.len);
    h.as_bytes = view_u64(&body);
    h.data_bytes = view_u64(&body);
    h.layers = view_u64(&body);
    for (size_t i = 0; i < STATUS_MAX_LAYERS; i++)
        h.errors[i] = (int32_t)view_u32(&body);
    if (!view_done(&body))
        return -EPROTO;
    *ret_hello = h;
    return 0;
}
