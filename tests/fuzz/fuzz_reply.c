/*
 * fuzz_reply - any response, in pieces of any size, says the same
 *
 * The first byte is the size of the pieces.
 */
#include "fcgi-app/bridge/reply.h"
#include "tests/fuzz/fuzz.h"

static void
keep(void *to, struct view text)
{
    must(text.len > 0 && text.len <= REPLY_MAX_BODY);
    buf_add_block(to, text.data, text.len);
}

/* Returns what reply_end() or the last feed did. */
static int
read_in_pieces(struct view bytes, size_t piece, struct buf *said)
{
    struct reply r;
    int error = 0;

    buf_init(said, 1u << 20);
    reply_init(&r, keep, said);
    for (size_t at = 0; error == 0 && at < bytes.len; at += piece)
        error = reply_feed(&r, bytes.data + at,
            bytes.len - at < piece ? bytes.len - at : piece);
    if (error == 0)
        error = reply_end(&r);
    must(r.is_complete == (error == 0));
    must(r.status < 1000);
    reply_done(&r);
    return error;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole, parts;
    struct view bytes;

    if (size == 0)
        return 0;
    bytes = view_of(data + 1, size - 1);
    must(read_in_pieces(bytes, size, &whole) ==
         read_in_pieces(bytes, 1u + data[0], &parts));
    must(whole.len == parts.len);
    must(whole.len == 0 || memcmp(whole.data, parts.data, whole.len) == 0);
    buf_done(&whole);
    buf_done(&parts);
    return 0;
}
