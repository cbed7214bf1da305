/*
 * fuzz_http - any parameters become a request that holds what it promises
 *
 * The input is cut at NULs into parameters, as FastCGI hands them over; what
 * stands after an empty one is the body.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/http.h"

#define MAX_PARAMS 64
#define MAX_BODY 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool is_so)
{
    if (!is_so)
        abort();
}

static long
read_body(void *from, char *bytes, size_t len)
{
    struct view *body = from;
    size_t n = body->len < len ? body->len : len;

    memcpy(bytes, body->data, n);
    body->data += n;
    body->len -= n;
    return (long)n;
}

static void
check(char **params, struct view body)
{
    static const char *const names[] = { "REQUEST_METHOD",
        "HTTP_X_EXECUTOR_TOKEN", "" };
    struct http_response w;
    struct http_request r;
    struct buf head;
    enum fault fault;

    http_request_init(&r, params, -1);
    must(http_id_is_well_formed(r.request_id));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = NULL;

        must((http_param(&r, names[i], &value) == 1) == (value != NULL));
    }
    r.read = read_body;
    r.read_from = &body;
    (void)http_body_is_json(&r);
    fault = http_body_read(&r, MAX_BODY);
    must(fault != FAULT_NONE || r.body.len == r.content_length);
    must(r.body.len <= MAX_BODY + 1);

    http_response_init(&w);
    http_response_fault(&w, &r, FAULT_REFUSED, r.path, NULL);
    buf_init(&head, MAX_BODY);
    http_response_head(&w, &r, &head);
    must(buf_ok(&head) && memcmp(head.data + head.len - 4, "\r\n\r\n", 4) == 0);
    buf_done(&head);
    http_response_done(&w);
    http_request_done(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *at = text;
    char *params[MAX_PARAMS + 1];
    size_t n = 0;

    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    while (n < MAX_PARAMS && *at != '\0') {
        params[n++] = at;
        at += strlen(at);
        at += at < text + size;
    }
    params[n] = NULL;
    at += at < text + size;
    check(params, view_of(at, (size_t)(text + size - at)));
    free(text);
    return 0;
}
