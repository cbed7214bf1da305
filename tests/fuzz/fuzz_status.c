/* fuzz_status - any bytes of a warden are a status that can be printed */
#include "tests/fuzz/fuzz.h"

#include "sandbox/wire/status.h"

static void
must_end(const char *text, size_t size)
{
    must(memchr(text, '\0', size) != NULL);
}

static void
check(const struct status *s)
{
    must_end(s->python, sizeof(s->python));
    must_end(s->problem, sizeof(s->problem));
    must(s->layer_count <= STATUS_MAX_LAYERS);
    for (uint32_t i = 0; i < s->layer_count; i++) {
        must_end(s->layers[i].name, sizeof(s->layers[i].name));
        must_end(s->layers[i].note, sizeof(s->layers[i].note));
    }
    must(s->profile_count <= STATUS_MAX_PROFILES);
    for (uint32_t i = 0; i < s->profile_count; i++)
        must_end(s->profiles[i].name, sizeof(s->profiles[i].name));
}

/* A text with a NUL inside is cut there; what is written then stays so. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once, twice;
    struct status s;

    if (status_unpack(view_of(data, size), &s) < 0)
        return 0;
    check(&s);
    buf_init(&once, STATUS_MAX_BODY);
    buf_init(&twice, STATUS_MAX_BODY);
    status_pack(&once, &s);
    must(buf_ok(&once) && once.len <= size);
    must(status_unpack(view_of(once.data, once.len), &s) == 0);
    status_pack(&twice, &s);
    must_be_same(&twice, view_of(once.data, once.len));
    buf_done(&once);
    buf_done(&twice);
    return 0;
}
