/* frame - one message between the app and the warden */
#include "sandbox/wire/frame.h"

#include <errno.h>
#include <string.h>

static const char frame_magic[4] = { 'G', 'B', 'X', '1' };

size_t
frame_begin(struct buf *b, enum frame_type type)
{
    size_t start = b->len;

    buf_add(b, frame_magic, sizeof(frame_magic));
    buf_add_u32(b, type);
    buf_add_u32(b, 0);
    return start;
}

void
frame_end(struct buf *b, size_t start)
{
    uint32_t len;

    if (!buf_ok(b))
        return;
    len = (uint32_t)(b->len - start - FRAME_HEADER_BYTES);
    for (size_t i = 0; i < 4; i++)
        b->data[start + 8 + i] = (char)(len >> (8 * i));
}

int
frame_peek(const struct buf *b, enum frame_type type, size_t max_body,
    struct view *ret_body, size_t *ret_size)
{
    struct view head = view_of(b->data, b->len);
    size_t len;

    if (b->len < FRAME_HEADER_BYTES)
        return 0;
    if (memcmp(b->data, frame_magic, sizeof(frame_magic)) != 0)
        return -EPROTO;
    (void)view_u32(&head);
    if (view_u32(&head) != (uint32_t)type)
        return -EPROTO;
    len = view_u32(&head);
    if (len > max_body)
        return -EPROTO;
    if (b->len - FRAME_HEADER_BYTES < len)
        return 0;
    *ret_body = view_of(b->data + FRAME_HEADER_BYTES, len);
    *ret_size = FRAME_HEADER_BYTES + len;
    return 1;
}

bool
frame_is(const struct buf *b, enum frame_type type)
{
    struct view head = view_of(b->data, b->len);

    if (b->len < FRAME_HEADER_BYTES)
        return false;
    (void)view_u32(&head);
    return view_u32(&head) == (uint32_t)type;
}
