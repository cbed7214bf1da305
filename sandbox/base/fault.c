/* fault - why a request was not served, and what its caller reads */
#include "sandbox/base/fault.h"

/*
 * FAULT_LOST and FAULT_CANCELLED end inside the app.  Should one reach an
 * answer all the same, it must not look like a success: their rows read like
 * the answer a caller would understand best.
 */
static const struct fault_row fault_rows[FAULT_COUNT] = {
    [FAULT_NONE] = {
        .status = 200,
        .sentence = "",
        .name = "none",
    },
    [FAULT_NOT_FOUND] = {
        .status = 404,
        .sentence = "Not found",
        .name = "not_found",
    },
    [FAULT_METHOD] = {
        .status = 405,
        .sentence = "Method not allowed",
        .name = "method",
    },
    [FAULT_ORIGIN] = {
        .status = 403,
        .sentence = "This origin may not call (setting ALLOWED_ORIGINS)",
        .name = "origin",
    },
    [FAULT_NO_TOKEN_SET] = {
        .status = 503,
        .sentence = "API token not configured",
        .name = "no_token_set",
    },
    [FAULT_TOKEN] = {
        .status = 401,
        .sentence = "Invalid or missing executor token",
        .name = "token",
    },
    [FAULT_RATE] = {
        .status = 429,
        .sentence = "The rate of this token is used up; retry later",
        .retry_after_s = 1,
        .name = "rate",
    },
    [FAULT_BODY_SIZE] = {
        .status = 413,
        .sentence = "Request body is too large",
        .name = "body_size",
    },
    [FAULT_MEDIA_TYPE] = {
        .status = 415,
        .sentence = "Content-Type must be application/json",
        .name = "media_type",
    },
    [FAULT_JSON] = {
        .status = 422,
        .sentence = "Request body is not valid JSON",
        .has_detail = true,
        .name = "json",
    },
    [FAULT_FIELD] = {
        .status = 422,
        .sentence = "A field of the request is missing or wrong",
        .has_detail = true,
        .name = "field",
    },
    [FAULT_REFUSED] = {
        .status = 400,
        .sentence = "The code or its context was refused",
        .has_detail = true,
        .name = "refused",
    },
    [FAULT_BUSY] = {
        .status = 429,
        .sentence = "No free place to run code and the queue is full; "
                    "try again shortly",
        .retry_after_s = 1,
        .name = "busy",
    },
    [FAULT_QUEUE_TIMEOUT] = {
        .status = 429,
        .sentence = "No place became free within the queue timeout "
                    "(QUEUE_TIMEOUT_MS); the code was not run",
        .retry_after_s = 2,
        .name = "queue_timeout",
    },
    [FAULT_SANDBOX] = {
        .status = 503,
        .sentence = "Sandbox not initialized",
        .retry_after_s = 2,
        .name = "sandbox",
    },
    [FAULT_AUDIT] = {
        .status = 503,
        .sentence = "The audit trail cannot be written",
        .retry_after_s = 5,
        .name = "audit",
    },
    [FAULT_STOPPING] = {
        .status = 503,
        .sentence = "The service is shutting down",
        .retry_after_s = 5,
        .name = "stopping",
    },
    [FAULT_LOST] = {
        .status = 503,
        .sentence = "Sandbox not initialized",
        .retry_after_s = 2,
        .name = "lost",
    },
    [FAULT_CANCELLED] = {
        .status = 499,
        .sentence = "The client closed the connection",
        .name = "cancelled",
    },
    [FAULT_INTERNAL] = {
        .status = 500,
        .sentence = "Internal error; the log has it under this request id",
        .name = "internal",
    },
};

const struct fault_row *
fault_row(enum fault f)
{
    if ((unsigned)f >= FAULT_COUNT)
        f = FAULT_INTERNAL;
    return &fault_rows[f];
}
