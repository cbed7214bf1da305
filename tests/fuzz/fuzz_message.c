/*
 * fuzz_message - no line of a client can end a header of its request early
 */
#include "fcgi-app/bridge/endpoint.h"
#include "tests/fuzz/fuzz.h"

/* Only our own header names, one a line, and nothing unprintable. */
static void
check_head(const char *head, size_t len)
{
    static const char *const names[] = { "POST ",
        "Host: ", "Authorization: ", "Content-Type: ", "Content-Length: ",
        "Accept: ", "User-Agent: ", "Connection: ", "MCP-Protocol-Version: ",
        "Mcp-Method: ", "Mcp-Name: " };
    size_t at = 0, name = 0, count = sizeof(names) / sizeof(names[0]);

    while (at < len) {
        const char *end = memmem(head + at, len - at, "\r\n", 2);

        must(end != NULL);
        while (name < count &&
               strncmp(head + at, names[name], strlen(names[name])) != 0)
            name++;
        must(name++ < count);
        for (; head + at < end; at++)
            must(head[at] >= ' ' && head[at] <= '~');
        at += 2;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct endpoint e = { .authority = "h", .path = "/mcp", .token = "t" };
    struct view id, line = view_of(data, size);
    struct message m;
    struct buf out;
    char *end;

    message_read(&m, line);
    if (m.kind == MESSAGE_NOT_JSON || m.kind == MESSAGE_NOT_ONE)
        return 0;
    if (m.method.len > 0)
        must_lie_within(m.method, line, size);
    if (m.params.len > 0)
        must_lie_within(m.params, line, size);
    if (message_cancels(&m, &id))
        must_lie_within(id, line, size);
    buf_init(&out, 4096 + 8 * size);
    endpoint_request(&e, &m, &out);
    must(buf_ok(&out));
    end = memmem(out.data, out.len, "\r\n\r\n", 4);
    must(end != NULL);
    must(out.len - (size_t)(end + 4 - out.data) == size);
    must(memcmp(end + 4, data, size) == 0);
    check_head(out.data, (size_t)(end + 2 - out.data));
    buf_done(&out);
    return 0;
}
