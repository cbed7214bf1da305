/*
 * outcome_json - an outcome becomes the body of a response
 *
 * The only place where a claim is escaped.  How the run ended is read from
 * the verdict; the claim gives text and value only, and a claim that is not
 * what it should be (no claim, a value that is not JSON) is reported as such.
 */
#ifndef GLOVEBOX_OUTCOME_JSON_H
#define GLOVEBOX_OUTCOME_JSON_H

#include "fcgi-app/settings/settings.h"
#include "sandbox/base/buf.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/outcome.h"

/* `status` of the response. */
enum outcome_status {
    OUTCOME_OK,
    OUTCOME_ERROR,
    OUTCOME_TIMEOUT,
    OUTCOME_CPU_LIMIT,
    OUTCOME_MEMORY_LIMIT,
    OUTCOME_KILLED,
    OUTCOME_STATUS_COUNT
};

enum outcome_status outcome_status_of(const struct outcome *o);
/* "ok", "error", ... */
const char *outcome_status_name(enum outcome_status status);

/* The most bytes outcome_to_json() can need: the max of its buf. */
size_t outcome_json_max_bytes(const struct settings *s);

/* The 200 body of POST /execute.  Look at buf_ok() afterwards. */
void outcome_to_json(struct buf *b, const struct outcome *o,
    const struct order *order, const char *request_id);

/*
 * `error` as plain text, valid UTF-8: "KeyError: 'x'", or the sentence that
 * names the limit.  Nothing when the status is OUTCOME_OK.
 */
void outcome_error_text(
    struct buf *b, const struct outcome *o, const struct order *order);

/*
 * Did the validator, or the box's own check of the context, refuse?  Then
 * the message (valid UTF-8, cut to fit) is in `detail`.
 */
bool outcome_is_refusal(
    const struct outcome *o, char *detail, size_t detail_size);

/*
 * The 200 body of POST /validate: valid, findings, request_id.  Returns 0, or
 * -EPROTO and adds nothing when the outcome has no findings in it (the box
 * was killed: answer with outcome_error_text()).
 */
int findings_to_json(
    struct buf *b, const struct outcome *o, const char *request_id);

#endif
