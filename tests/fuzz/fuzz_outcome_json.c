/*
 * fuzz_outcome_json - whatever a box says, the response is valid JSON
 *
 * The input is cut into the texts of an outcome: a verdict byte, a claim
 * byte, a flag byte, then pieces separated by 0xFE.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/outcome_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool is_so)
{
    if (!is_so)
        abort();
}

/* The bytes up to the next 0xFE, at most `max`. */
static struct view
piece(struct view *rest, size_t max)
{
    const char *end = memchr(rest->data, 0xfe, rest->len);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->data);
    struct view v = view_of(rest->data, len < max ? len : max);

    rest->data += len;
    rest->len -= len;
    if (rest->len > 0) {
        rest->data++;
        rest->len--;
    }
    return v;
}

static void
fill(struct outcome *o, const uint8_t *data, size_t size)
{
    struct view rest = view_of(data + 3, size - 3);

    o->verdict = data[0] % (VERDICT_NOT_STARTED + 2);
    o->number = data[2];
    o->claim.kind = data[1] % (CLAIM_FINDINGS + 1);
    o->claim.flags = data[2];
    o->claim.line = o->where_line = data[2] / 2;
    o->stdout_cut = data[2] & 1;
    o->claim.value = piece(&rest, 4096);
    o->stdout_text = piece(&rest, 4096);
    o->claim.type = piece(&rest, CLAIM_MAX_TYPE);
    o->claim.message = piece(&rest, CLAIM_MAX_MESSAGE);
    o->claim.traceback = piece(&rest, CLAIM_MAX_DETAIL);
    o->where_name = piece(&rest, 64);
    o->stderr_text = rest.len > 4096 ? view_of(rest.data, 4096) : rest;
}

/* Success is for a box that ended by itself, with a value that is one. */
static void
check_success(const struct outcome *o, const struct buf *body)
{
    bool is_success = strncmp(body->data, "{\"success\":true", 15) == 0;

    must(is_success == (outcome_status_of(o) == OUTCOME_OK));
    if (is_success)
        must(o->verdict == VERDICT_ENDED);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct settings settings = { .output_bytes = 4096,
        .return_bytes = 4096 };
    static const struct order order = {
        .wall_ms = 1000, .cpu_ms = 1000, .output_bytes = 4096
    };
    struct outcome o = { 0 };
    char detail[64];
    struct buf body;

    if (size < 3)
        return 0;
    fill(&o, data, size);
    buf_init(&body, outcome_json_max_bytes(&settings));
    outcome_to_json(&body, &o, &order, "r");
    must(buf_ok(&body));
    must(json_is_value(view_of(body.data, body.len), 200));
    check_success(&o, &body);
    (void)outcome_is_refusal(&o, detail, sizeof(detail));
    buf_reset(&body);
    if (findings_to_json(&body, &o, "r") == 0)
        must(json_is_value(view_of(body.data, body.len), 200));
    buf_done(&body);
    return 0;
}
