/*
 * fuzz_frame - a stream of any bytes is frames, a wait, or a refusal
 *
 * The first byte says where the stream is cut in two: bytes that were refused
 * must stay refused, and a frame that was whole must stay the same, whatever
 * follows.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "sandbox/wire/frame.h"

#define MAX_BODY 64
#define MAX_STREAM 4096

static void
check_found(const struct buf *b, struct view body, size_t size)
{
    must(size == FRAME_HEADER_BYTES + body.len);
    must(size <= b->len);
    must_lie_within(body, view_of(b->data, b->len), MAX_BODY);
}

/* Take all frames, as a reader of a lane or of the control socket does. */
static int
drain(struct buf *b, size_t *ret_frames)
{
    struct view body;
    size_t size;
    int r;

    *ret_frames = 0;
    while ((r = frame_peek(b, FRAME_ORDER, MAX_BODY, &body, &size)) == 1) {
        check_found(b, body, size);
        buf_eat(b, size);
        (*ret_frames)++;
    }
    must(r == 0 || r == -EPROTO);
    return r;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t cut, at_once, in_parts, more;
    int r_once, r_parts;
    struct buf once, parts;

    if (size == 0 || size > MAX_STREAM)
        return 0;
    cut = data[0] < size ? data[0] : size - 1;
    buf_init(&once, MAX_STREAM);
    buf_add(&once, data + 1, size - 1);
    r_once = drain(&once, &at_once);

    buf_init(&parts, MAX_STREAM);
    buf_add(&parts, data + 1, cut);
    r_parts = drain(&parts, &in_parts);
    must(r_parts == 0 || r_once == r_parts);
    buf_add(&parts, data + 1 + cut, size - 1 - cut);
    must(drain(&parts, &more) == r_once);
    must(in_parts + more == at_once);
    buf_done(&once);
    buf_done(&parts);
    return 0;
}
