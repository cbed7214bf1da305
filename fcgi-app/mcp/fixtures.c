/*
 * fixtures - tools, resources and prompts that only a conformance suite wants
 *
 * The official suite calls tools and reads resources of given names and wants
 * given texts back.  This file has them, all constants; none comes near the
 * sandbox.  It is empty unless the build is for that suite (make
 * VARIANT=conformance), and such a build serves this machine only
 * (check_listen(), mcp_guard()) and cannot be installed.
 */
#ifdef GLOVEBOX_CONFORMANCE

#include <string.h>
#include <time.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/mcp/mcp.h"
#include "fcgi-app/mcp/mcp_http.h"
#include "fcgi-app/mcp/mcp_tools.h"

/* One red pixel, and a thousandth of a second of silence. */
#define PNG                                                                    \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3" \
    "A0FDAAAAAElFTkSuQmCC"
#define WAV                                                                    \
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="

#define TEXT(words) "{\"type\":\"text\",\"text\":\"" words "\"}"
#define IMAGE                                                                  \
    "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"
#define RESOURCE(uri, type, words)                                             \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri                      \
    "\",\"mimeType\":\"" type "\",\"text\":\"" words "\"}}"

/* Members of params, or empty views. */
static struct view
param(const struct mcp_call *c, const char *key)
{
    struct view found = { 0 };

    if (c->message->params.data != NULL)
        (void)json_find_member(c->message->params, key, &found);
    return found;
}

/* Is the JSON string `token` exactly this text?  Fixtures need no escapes. */
static bool
token_is(struct view token, const char *text)
{
    size_t len = strlen(text);

    return token.len == len + 2 && token.data[0] == '"' &&
           memcmp(token.data + 1, text, len) == 0;
}

bool
mcp_fixture_is_near(const struct http_request *r)
{
    return strncmp(r->remote_addr, "127.", 4) == 0 ||
           strcmp(r->remote_addr, "::1") == 0;
}

/* --- tools ---------------------------------------------------------------- */

static mcp_tool_handler tool_constant, tool_capability, tool_header,
    tool_progress, tool_logging;

#define NOTHING "{\"type\":\"object\",\"additionalProperties\":false}"
#define FIXTURE(name, words, handler)                                          \
    {                                                                          \
        name, name, words, NOTHING, NULL, NULL, handler                        \
    }

#define HEADER_INPUT                                                           \
    "{\"type\":\"object\",\"required\":[\"region\"],\"properties\":{"          \
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}"

#define SCHEMA_INPUT                                                           \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","           \
    "\"type\":\"object\",\"$defs\":{\"address\":{"                             \
    "\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"          \
    "\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"      \
    "\"properties\":{\"name\":{\"type\":\"string\"},"                          \
    "\"address\":{\"$ref\":\"#/$defs/address\"},"                              \
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"  \
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"        \
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},"                       \
    "{\"required\":[\"email\"]}]}],"                                           \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"        \
    "\"required\":[\"contactMethod\"]},"                                       \
    "\"then\":{\"required\":[\"phone\"]},"                                     \
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

const struct mcp_tool mcp_fixture_tools[] = {
    FIXTURE("test_simple_text", "Returns a text", tool_constant),
    FIXTURE("test_image_content", "Returns an image", tool_constant),
    FIXTURE("test_audio_content", "Returns a sound", tool_constant),
    FIXTURE("test_embedded_resource", "Returns a resource", tool_constant),
    FIXTURE("test_multiple_content_types", "Returns several", tool_constant),
    FIXTURE("test_error_handling", "Always fails", tool_constant),
    FIXTURE("test_streaming_elicitation", "Returns a text", tool_constant),
    FIXTURE("test_logging_tool", "Returns a text, logs nothing", tool_constant),
    FIXTURE("test_tool_with_progress", "Takes a moment", tool_progress),
    FIXTURE("test_tool_with_logging", "Logs three lines", tool_logging),
    FIXTURE("test_missing_capability", "Needs the client's sampling",
        tool_capability),
    { "test_custom_headers", "test_custom_headers",
        "Has a parameter that a header repeats", HEADER_INPUT, NULL, NULL,
        tool_header },
    { "json_schema_2020_12_tool", "json_schema_2020_12_tool",
        "Has a schema with many keywords", SCHEMA_INPUT, NULL, NULL,
        tool_constant },
};
const size_t mcp_fixture_tool_count =
    sizeof(mcp_fixture_tools) / sizeof(mcp_fixture_tools[0]);

static const struct {
    const char *tool;
    const char *content;
    bool is_error;
} contents[] = {
    { "test_simple_text",
        "[" TEXT("This is a simple text response for testing.") "]", false },
    { "test_image_content", "[" IMAGE "]", false },
    { "test_audio_content",
        "[{\"type\":\"audio\",\"data\":\"" WAV
        "\",\"mimeType\":\"audio/wav\"}]",
        false },
    { "test_embedded_resource",
        "[" RESOURCE("test://embedded-resource", "text/plain",
            "This is an embedded resource content.") "]",
        false },
    { "test_multiple_content_types",
        "[" TEXT("Multiple content types test:") "," IMAGE "," RESOURCE(
            "test://mixed-content-resource", "application/json",
            "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}") "]",
        false },
    { "test_error_handling",
        "[" TEXT("This tool intentionally returns an error for testing") "]",
        true },
    { "test_streaming_elicitation", "[" TEXT("Nothing to ask.") "]", false },
    { "test_logging_tool", "[" TEXT("Nothing to log.") "]", false },
    { "json_schema_2020_12_tool", "[" TEXT("Taken.") "]", false },
};

static enum fault
tool_constant(struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    struct view name = param(c, "name");

    (void)arguments;
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++)
        if (token_is(name, contents[i].tool)) {
            buf_adds(&ret->content, contents[i].content);
            ret->is_error = contents[i].is_error;
        }
    return FAULT_NONE;
}

static enum fault
tool_capability(
    struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    (void)arguments;
    if (mcp_needs_capability(c, "sampling"))
        buf_adds(&ret->content, "[" TEXT("It is there.") "]");
    return FAULT_NONE;
}

static void
pause_ms(long ms)
{
    const struct timespec t = { .tv_nsec = ms * 1000000 };

    (void)nanosleep(&t, NULL);
}

static enum fault
tool_progress(struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    (void)arguments;
    for (int done = 0; c->stream != NULL && done <= 100; done += 50) {
        if (!mcp_stream_progress(c->stream, done, 100, view_of("", 0)))
            return FAULT_CANCELLED;
        pause_ms(50);
    }
    buf_adds(&ret->content, "[" TEXT("Done.") "]");
    return FAULT_NONE;
}

/*
 * Legacy clients are logged to without having asked for a stream; modern ones
 * only if they say how much.
 */
static enum fault
tool_logging(struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    static const char *const lines[] = {
        "{\"level\":\"info\",\"data\":\"Tool execution started\"}",
        "{\"level\":\"info\",\"data\":\"Tool processing data\"}",
        "{\"level\":\"info\",\"data\":\"Tool execution completed\"}",
    };
    struct mcp_stream stream = { .x = c->x };

    (void)arguments;
    for (size_t i = 0; c->era == MCP_LEGACY && i < 3; i++) {
        if (!mcp_stream_notify(&stream, "notifications/message",
                view_of(lines[i], strlen(lines[i]))))
            return FAULT_CANCELLED;
        pause_ms(50);
    }
    buf_adds(&ret->content, "[" TEXT("Logged.") "]");
    return FAULT_NONE;
}

/* The header Mcp-Param-Region must repeat the parameter. */
static enum fault
tool_header(struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    struct view region = { 0 };
    const char *header = NULL;

    (void)json_find_member(arguments, "region", &region);
    if (c->era == MCP_MODERN && region.data != NULL &&
        (http_param(c->x->request, "HTTP_MCP_PARAM_REGION", &header) != 1 ||
            !mcp_header_is(header, region))) {
        rpc_error_set(c->error, MCP_HEADER_MISMATCH,
            "Header mismatch: Mcp-Param-Region must equal the parameter");
        c->error_status = 400;
        return FAULT_NONE;
    }
    buf_adds(&ret->content, "[" TEXT("Taken.") "]");
    return FAULT_NONE;
}

/* --- resources ------------------------------------------------------------ */

#define STATIC_TEXT "This is the content of the static text resource."

static enum fault
handle_resources_list(struct mcp_call *c)
{
    static const char list[] =
        "[{\"uri\":\"test://static-text\",\"name\":\"static-text\","
        "\"description\":\"A text\",\"mimeType\":\"text/plain\"},"
        "{\"uri\":\"test://static-binary\",\"name\":\"static-binary\","
        "\"description\":\"An image\",\"mimeType\":\"image/png\"}]";

    json_put_key(&c->json, "resources");
    json_put_raw(&c->json, list, sizeof(list) - 1);
    return FAULT_NONE;
}

static enum fault
handle_templates_list(struct mcp_call *c)
{
    static const char list[] =
        "[{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\","
        "\"description\":\"Data of an id\",\"mimeType\":\"application/json\"}]";

    json_put_key(&c->json, "resourceTemplates");
    json_put_raw(&c->json, list, sizeof(list) - 1);
    return FAULT_NONE;
}

/* The {id} of test://template/{id}/data; empty when `uri` is none. */
static struct view
template_id(struct view uri)
{
    static const char before[] = "\"test://template/", after[] = "/data\"";
    size_t head = sizeof(before) - 1, tail = sizeof(after) - 1;

    if (uri.len <= head + tail || memcmp(uri.data, before, head) != 0 ||
        memcmp(uri.data + uri.len - tail, after, tail) != 0)
        return view_of("", 0);
    return view_of(uri.data + head, uri.len - head - tail);
}

/* {"uri":URI,"mimeType":TYPE,KEY:text}; the text is escaped here. */
static void
put_resource(struct mcp_call *c, struct view uri, const char *type,
    const char *key, const char *text)
{
    json_put_key(&c->json, "contents");
    json_begin_array(&c->json);
    json_begin_object(&c->json);
    json_put_key(&c->json, "uri");
    json_put_raw(&c->json, uri.data, uri.len);
    json_put_key(&c->json, "mimeType");
    json_put_string(&c->json, type);
    json_put_key(&c->json, key);
    json_put_string(&c->json, text);
    json_end_object(&c->json);
    json_end_array(&c->json);
}

static void
refuse_resource(struct mcp_call *c, struct view uri)
{
    /* The code of its own was taken back in the modern era. */
    rpc_error_set(c->error, c->era == MCP_MODERN ? RPC_INVALID_PARAMS : -32002,
        "Resource not found");
    if (uri.data != NULL)
        buf_addf(&c->error->data, "{\"uri\":%.*s}", (int)uri.len, uri.data);
}

static enum fault
handle_resources_read(struct mcp_call *c)
{
    struct view uri = param(c, "uri"), id = template_id(uri);
    char text[256];

    if (token_is(uri, "test://static-text")) {
        put_resource(c, uri, "text/plain", "text", STATIC_TEXT);
    } else if (token_is(uri, "test://static-binary")) {
        put_resource(c, uri, "image/png", "blob", PNG);
    } else if (id.len > 0 && id.len < 64) {
        (void)snprintf(text, sizeof(text),
            "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: "
            "%.*s\"}",
            (int)id.len, id.data, (int)id.len, id.data);
        put_resource(c, uri, "application/json", "text", text);
    } else {
        refuse_resource(c, uri);
    }
    return FAULT_NONE;
}

/* --- prompts -------------------------------------------------------------- */

#define USER(content) "{\"role\":\"user\",\"content\":" content "}"

static enum fault
handle_prompts_list(struct mcp_call *c)
{
    static const char list[] =
        "[{\"name\":\"test_simple_prompt\",\"description\":\"A text\"},"
        "{\"name\":\"test_prompt_with_arguments\","
        "\"description\":\"Two arguments\",\"arguments\":["
        "{\"name\":\"arg1\",\"required\":true},"
        "{\"name\":\"arg2\",\"required\":true}]},"
        "{\"name\":\"test_prompt_with_embedded_resource\","
        "\"description\":\"A resource\",\"arguments\":["
        "{\"name\":\"resourceUri\",\"required\":true}]},"
        "{\"name\":\"test_prompt_with_image\",\"description\":\"An image\"}]";

    json_put_key(&c->json, "prompts");
    json_put_raw(&c->json, list, sizeof(list) - 1);
    return FAULT_NONE;
}

/* An argument as it was written, without quotes: it stays inside a string. */
static struct view
prompt_argument(const struct mcp_call *c, const char *name)
{
    struct view arguments = param(c, "arguments"), value;

    if (arguments.data == NULL || !json_find_member(arguments, name, &value) ||
        value.data[0] != '"')
        return view_of("", 0);
    return view_of(value.data + 1, value.len - 2);
}

static enum fault
handle_prompts_get(struct mcp_call *c)
{
    struct view name = param(c, "name");
    struct view arg1 = prompt_argument(c, "arg1");
    struct view arg2 = prompt_argument(c, "arg2");
    struct view uri = prompt_argument(c, "resourceUri");
    struct buf messages;

    buf_init(&messages, MCP_MAX_BODY / 4);
    if (token_is(name, "test_simple_prompt"))
        buf_adds(&messages, USER(TEXT("This is a simple prompt for testing.")));
    if (token_is(name, "test_prompt_with_arguments"))
        buf_addf(&messages,
            USER(TEXT("Prompt with arguments: arg1='%.*s', arg2='%.*s'")),
            (int)arg1.len, arg1.data, (int)arg2.len, arg2.data);
    if (token_is(name, "test_prompt_with_embedded_resource"))
        buf_addf(&messages,
            USER(RESOURCE("%.*s", "text/plain",
                "Embedded resource content for testing.")) "," USER(TEXT("Pleas"
                                                                         "e "
                                                                         "proce"
                                                                         "ss "
                                                                         "the "
                                                                         "embed"
                                                                         "ded "
                                                                         "resou"
                                                                         "rce "
                                                                         "above"
                                                                         ".")),
            (int)uri.len, uri.data);
    if (token_is(name, "test_prompt_with_image"))
        buf_adds(&messages,
            USER(IMAGE) "," USER(TEXT("Please analyze the image above.")));
    if (messages.len == 0) {
        rpc_error_set(c->error, RPC_INVALID_PARAMS, "Unknown prompt");
    } else {
        json_put_key(&c->json, "messages");
        json_begin_array(&c->json);
        json_put_raw(&c->json, messages.data, messages.len);
        json_end_array(&c->json);
    }
    buf_done(&messages);
    return FAULT_NONE;
}

/* --- the rest ------------------------------------------------------------- */

static enum fault
handle_complete(struct mcp_call *c)
{
    static const char none[] = "{\"values\":[],\"total\":0,\"hasMore\":false}";

    json_put_key(&c->json, "completion");
    json_put_raw(&c->json, none, sizeof(none) - 1);
    return FAULT_NONE;
}

/* Taken note of, and nothing follows from it. */
static enum fault
handle_nothing(struct mcp_call *c)
{
    (void)c;
    return FAULT_NONE;
}

#define BOTH (MCP_LEGACY | MCP_MODERN)

const struct mcp_method mcp_fixture_methods[] = {
    { .name = "resources/list",
        .eras = BOTH,
        .capability = "resources",
        .is_cacheable = true,
        .metric = METRICS_MCP_OTHER,
        .handle = handle_resources_list },
    { .name = "resources/templates/list",
        .eras = BOTH,
        .capability = "resources",
        .is_cacheable = true,
        .metric = METRICS_MCP_OTHER,
        .handle = handle_templates_list },
    { .name = "resources/read",
        .eras = BOTH,
        .named_by = "uri",
        .capability = "resources",
        .is_cacheable = true,
        .metric = METRICS_MCP_OTHER,
        .handle = handle_resources_read },
    { .name = "resources/subscribe",
        .eras = MCP_LEGACY,
        .capability = "resources",
        .metric = METRICS_MCP_OTHER,
        .handle = handle_nothing },
    { .name = "resources/unsubscribe",
        .eras = MCP_LEGACY,
        .capability = "resources",
        .metric = METRICS_MCP_OTHER,
        .handle = handle_nothing },
    { .name = "prompts/list",
        .eras = BOTH,
        .capability = "prompts",
        .is_cacheable = true,
        .metric = METRICS_MCP_OTHER,
        .handle = handle_prompts_list },
    { .name = "prompts/get",
        .eras = BOTH,
        .named_by = "name",
        .capability = "prompts",
        .metric = METRICS_MCP_OTHER,
        .handle = handle_prompts_get },
    { .name = "completion/complete",
        .eras = BOTH,
        .capability = "completions",
        .metric = METRICS_MCP_OTHER,
        .handle = handle_complete },
    { .name = "logging/setLevel",
        .eras = MCP_LEGACY,
        .capability = "logging",
        .metric = METRICS_MCP_OTHER,
        .handle = handle_nothing },
};
const size_t mcp_fixture_method_count =
    sizeof(mcp_fixture_methods) / sizeof(mcp_fixture_methods[0]);

#endif
