/* message - one line of the client: what the bridge must know of it */
#include <string.h>

#include "fcgi-app/bridge/message.h"
#include "fcgi-app/json/scan.h"

#define MESSAGE_VERSION_KEY "io.modelcontextprotocol/protocolVersion"

/* An id that JSON-RPC knows: a string or a number. */
static bool
message_is_id(struct view token)
{
    return token.len > 0 && strchr("\"-0123456789", token.data[0]) != NULL;
}

static bool
message_find(
    struct view object, const char *key, char first, struct view *ret_value)
{
    struct view found;

    if (object.len == 0 || !json_find_member(object, key, &found) ||
        found.data[0] != first)
        return false;
    *ret_value = found;
    return true;
}

void
message_read(struct message *m, struct view line)
{
    struct view other, meta;
    bool has_id;

    *m = (struct message){ .kind = MESSAGE_NOT_JSON,
        .text = line,
        .id = view_of("null", 4),
        .method = view_of("", 0),
        .params = view_of("", 0),
        .version = view_of("", 0) };
    if (!json_is_value(line, JSON_MAX_DEPTH))
        return;
    m->kind = MESSAGE_NOT_ONE;
    if (line.data[strspn(line.data, " \t\r\n")] != '{')
        return;
    has_id = json_find_member(line, "id", &other);
    if (has_id && message_is_id(other))
        m->id = other;
    (void)message_find(line, "method", '"', &m->method);
    (void)message_find(line, "params", '{', &m->params);
    if (message_find(m->params, "_meta", '{', &meta))
        (void)message_find(meta, MESSAGE_VERSION_KEY, '"', &m->version);
    m->kind = MESSAGE_REQUEST;
    if ((m->method.len > 0 && !has_id) ||
        (m->method.len == 0 && (json_find_member(line, "result", &other) ||
                                   json_find_member(line, "error", &other))))
        m->kind = MESSAGE_SILENT;
}

bool
message_is(const struct message *m, const char *method)
{
    size_t len = strlen(method);

    return m->method.len == len + 2 &&
           memcmp(m->method.data + 1, method, len) == 0;
}

bool
message_cancels(const struct message *m, struct view *ret_id)
{
    struct view found;

    if (m->kind != MESSAGE_SILENT ||
        !message_is(m, "notifications/cancelled") || m->params.len == 0 ||
        !json_find_member(m->params, "requestId", &found) ||
        !message_is_id(found))
        return false;
    *ret_id = found;
    return true;
}

static const struct {
    const char *method;
    const char *key;
} message_names[] = {
    { "tools/call", "name" },
    { "prompts/get", "name" },
    { "resources/read", "uri" },
};

bool
message_name(const struct message *m, struct view *ret_token)
{
    size_t count = sizeof(message_names) / sizeof(message_names[0]);

    for (size_t i = 0; i < count; i++)
        if (message_is(m, message_names[i].method))
            return message_find(
                m->params, message_names[i].key, '"', ret_token);
    return false;
}
