/*
 * fuzz_hello - any bytes are a hello, or a template's orders, or neither
 *
 * The same bytes go to both readers: a warden's and a template's.
 */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/hello.h"

static void
check_hello(struct view body)
{
    struct buf once, twice;
    struct hello h;

    if (hello_unpack(body, &h) < 0)
        return;
    must(memchr(h.problem, '\0', sizeof(h.problem)) != NULL);
    must(memchr(h.python, '\0', sizeof(h.python)) != NULL);
    buf_init(&once, HELLO_MAX_BODY);
    buf_init(&twice, HELLO_MAX_BODY);
    hello_pack(&once, &h);
    must(buf_ok(&once) && once.len <= body.len);
    must(hello_unpack(view_of(once.data, once.len), &h) == 0);
    hello_pack(&twice, &h);
    must_be_same(&twice, view_of(once.data, once.len));
    buf_done(&once);
    buf_done(&twice);
}

static void
check_ask(struct view body)
{
    struct hello_ask a;
    struct buf again;

    if (hello_ask_unpack(body, &a) < 0)
        return;
    must(memchr(a.setup.imports, '\0', sizeof(a.setup.imports)) != NULL);
    buf_init(&again, SETUP_MAX_BODY);
    hello_ask_pack(&again, &a);
    must(buf_ok(&again) && again.len <= body.len);
    must(memcmp(again.data, body.data, 16) == 0);
    buf_done(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_hello(view_of(data, size));
    check_ask(view_of(data, size));
    return 0;
}
