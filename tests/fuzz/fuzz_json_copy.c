/*
 * fuzz_json_copy - any bytes are copied as one JSON value, or not at all
 *
 * A copy must be a value, no longer than its source, and its own copy.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/copy.h"
#include "fcgi-app/json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool is_so)
{
    if (!is_so)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view text = view_of(data, size);
    struct json_writer w;
    struct buf once, twice;
    int err;

    buf_init(&once, size);
    buf_init(&twice, size);
    json_writer_init(&w, &once);
    err = json_copy_value(&w, text, JSON_COPY_MAX_DEPTH);
    must((err == 0) == json_is_value(text, JSON_COPY_MAX_DEPTH));
    if (err == 0) {
        must(json_is_value(view_of(once.data, once.len), JSON_COPY_MAX_DEPTH));
        json_writer_init(&w, &twice);
        err = json_copy_value(
            &w, view_of(once.data, once.len), JSON_COPY_MAX_DEPTH);
        must(err == 0 && once.len == twice.len &&
             memcmp(once.data, twice.data, once.len) == 0);
    } else {
        must(once.len == 0);
    }
    buf_done(&once);
    buf_done(&twice);
    return 0;
}
