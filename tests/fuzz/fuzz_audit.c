/*
 * fuzz_audit - any bytes can be the end of an audit file: the chain goes on
 * from them, and what is then written is found good by verify
 */
#include "tests/fuzz/fuzz.h"

#include "fcgi-app/audit/chain.h"
#include "fcgi-app/audit/verify.h"

/* All findings of the bytes, line by line, into `v`. */
static void
look(struct verify *v, const char *data, size_t size)
{
    while (size > 0) {
        const char *end = memchr(data, '\n', size);
        size_t len = end != NULL ? (size_t)(end - data) : size;

        (void)verify_line(v, view_of(data, len), end != NULL);
        len += end != NULL ? 1 : 0;
        data += len;
        size -= len;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chain chain = { 0 };
    struct json_writer w;
    struct verify v;
    struct buf line;

    if (size == 0)
        return 0;
    (void)chain_resume(&chain, view_of(data, size));
    verify_init(&v);
    look(&v, (const char *)data, size);
    must(memcmp(v.last.digest, chain.digest, sizeof(chain.digest)) == 0);

    buf_init(&line, CHAIN_MAX_LINE);
    json_writer_init(&w, &line);
    chain_begin_line(&chain, &w);
    json_end_object(&w);
    must(buf_ok(&line));
    v.last.seq = chain.seq;
    must(verify_line(&v, view_of(line.data, line.len), true) == VERIFY_GOOD);
    buf_done(&line);
    return 0;
}
