/* handle_openapi - GET /openapi.json: what this service answers to */
#include "fcgi-app/openapi.h"
#include "fcgi-app/route.h"

enum fault
handle_openapi(struct exchange *x)
{
    struct buf *b = &x->response->body;

    buf_done(b);
    buf_init(b, openapi_len);
    buf_add(b, openapi_text, openapi_len);
    return FAULT_NONE;
}
