/* fuzz_setup - any bytes are a setup whose list of imports ends, or none */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/setup.h"

/* A list with a NUL inside is cut there; what is written then stays so. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once, twice;
    struct setup s;

    if (setup_unpack(view_of(data, size), &s) < 0)
        return 0;
    must(memchr(s.imports, '\0', sizeof(s.imports)) != NULL);
    buf_init(&once, SETUP_MAX_BODY);
    buf_init(&twice, SETUP_MAX_BODY);
    setup_pack(&once, &s);
    must(buf_ok(&once) && once.len <= size);
    must(setup_unpack(view_of(once.data, once.len), &s) == 0);
    setup_pack(&twice, &s);
    must_be_same(&twice, view_of(once.data, once.len));
    buf_done(&once);
    buf_done(&twice);
    return 0;
}
