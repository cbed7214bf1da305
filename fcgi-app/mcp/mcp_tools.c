/* mcp_tools - the tools, as a table, and tools/list and tools/call */
#include "fcgi-app/mcp/mcp_tools.h"

#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/mcp/mcp_facts.h"

static mcp_tool_handler tool_info;

/* --- the table ------------------------------------------------------------ */

#define RUN_WORDS                                                              \
    "Run a Python 3.11 program in a sandbox and return what it printed and "   \
    "its value.\n"                                                             \
    "Return a value: assign it to `_`, or end the program with an "            \
    "expression; it comes back as JSON in `return_value`. print() comes back " \
    "in `stdout`.\n"                                                           \
    "Each run starts empty and keeps nothing: send all code and data every "   \
    "time. Pass data in `context` (its keys become variables) and text for "   \
    "input() in `stdin`.\n"                                                    \
    "Not there: files, network, processes, threads, package installation.\n"   \
    "Profiles: @profiles@ (without `profile`: restricted). restricted can "    \
    "import @modules@, and refuses eval, exec, open and names and attributes " \
    "like __x__. standard has the whole language and most of the standard "    \
    "library.\n"                                                               \
    "Limits: @timeout_s@ s, @memory_mb@ MB, @code_bytes@ bytes of code.\n"     \
    "`success` is false when the program failed: `error` and "                 \
    "`error_detail.line` say why and where. status rejected: it did not run, " \
    "change what `error` names. status busy: send the same again later. Long " \
    "output is cut, see stdout_truncated; print less or return a summary."

#define CHECK_WORDS                                                            \
    "Check a Python program against the rules of the sandbox without running " \
    "it. `findings` lists every place that run_python would refuse (imports, " \
    "names, attributes, syntax), with line, rule and message; `valid` is "     \
    "true when there is none. In the profile standard only the syntax is "     \
    "checked. Use it for long programs, or when run_python answered "          \
    "rejected."

#define INFO_WORDS                                                             \
    "Describe the sandbox: Python version, the profiles this token may use "   \
    "and the modules each can import, and every limit (time, memory, sizes)."

#define CODE_FIELD                                                             \
    "\"code\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":@code_bytes@" \
    ",\"description\":\"Python source. Assign the answer to _ to return it "   \
    "as JSON; print() for text.\"}"

#define PROFILE_FIELD                                                          \
    "\"profile\":{\"type\":\"string\",\"enum\":[@profile_enum@],"              \
    "\"description\":\"What kind of Python; restricted when left out.\"}"

#define RUN_INPUT                                                              \
    "{\"type\":\"object\",\"additionalProperties\":false,"                     \
    "\"required\":[\"code\"],\"properties\":{" CODE_FIELD ","                  \
    "\"context\":{\"type\":\"object\",\"description\":\"JSON values that the " \
    "program finds as variables of these names.\"},"                           \
    "\"stdin\":{\"type\":\"string\",\"maxLength\":@stdin_bytes@,"              \
    "\"description\":\"Text that input() reads.\"},"                           \
    "\"timeout_s\":{\"type\":\"number\",\"exclusiveMinimum\":0,"               \
    "\"description\":\"Seconds the program may take; at most @timeout_s@, "    \
    "which is what it gets when this is left out.\"}," PROFILE_FIELD "}}"

/* The answer of POST /execute, and three more words of `status`. */
#define RUN_OUTPUT                                                             \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":["       \
    "\"success\",\"stdout\",\"stderr\",\"return_value\",\"execution_time\","   \
    "\"memory_used_mb\",\"error\",\"status\",\"error_detail\","                \
    "\"stdout_truncated\",\"stderr_truncated\",\"return_value_truncated\","    \
    "\"refused\",\"profile\",\"request_id\"],\"properties\":{"                 \
    "\"success\":{\"type\":\"boolean\"},"                                      \
    "\"stdout\":{\"type\":\"string\"},"                                        \
    "\"stderr\":{\"type\":\"string\"},"                                        \
    "\"return_value\":{\"description\":\"The value of _ or of the last "       \
    "expression, as JSON.\"},"                                                 \
    "\"execution_time\":{\"type\":\"number\"},"                                \
    "\"memory_used_mb\":{\"type\":\"number\"},"                                \
    "\"error\":{\"type\":[\"string\",\"null\"]},"                              \
    "\"status\":{\"type\":\"string\",\"enum\":[\"ok\",\"error\",\"timeout\","  \
    "\"cpu_limit\",\"memory_limit\",\"killed\",\"rejected\",\"busy\","         \
    "\"unavailable\"]},"                                                       \
    "\"error_detail\":{\"type\":[\"object\",\"null\"],"                        \
    "\"additionalProperties\":false,"                                          \
    "\"required\":[\"type\",\"message\",\"line\",\"traceback\"],"              \
    "\"properties\":{\"type\":{\"type\":\"string\"},"                          \
    "\"message\":{\"type\":\"string\"},"                                       \
    "\"line\":{\"type\":[\"integer\",\"null\"]},"                              \
    "\"traceback\":{\"type\":[\"string\",\"null\"]}}},"                        \
    "\"stdout_truncated\":{\"type\":\"boolean\"},"                             \
    "\"stderr_truncated\":{\"type\":\"boolean\"},"                             \
    "\"return_value_truncated\":{\"type\":\"boolean\"},"                       \
    "\"refused\":{\"type\":\"array\",\"items\":{\"type\":\"object\","          \
    "\"additionalProperties\":false,\"required\":[\"call\",\"count\"],"        \
    "\"properties\":{\"call\":{\"type\":\"string\"},"                          \
    "\"count\":{\"type\":\"integer\"}}}},"                                     \
    "\"profile\":{\"type\":\"string\"},"                                       \
    "\"request_id\":{\"type\":\"string\"}}}"

#define CHECK_INPUT                                                            \
    "{\"type\":\"object\",\"additionalProperties\":false,"                     \
    "\"required\":[\"code\"],\"properties\":{" CODE_FIELD "," PROFILE_FIELD    \
    "}}"

#define CHECK_OUTPUT                                                           \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":["       \
    "\"valid\",\"findings\",\"findings_truncated\",\"error\","                 \
    "\"request_id\"],\"properties\":{"                                         \
    "\"valid\":{\"type\":\"boolean\"},"                                        \
    "\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\","         \
    "\"additionalProperties\":false,"                                          \
    "\"required\":[\"line\",\"column\",\"rule\",\"message\"],"                 \
    "\"properties\":{\"line\":{\"type\":\"integer\"},"                         \
    "\"column\":{\"type\":\"integer\"},\"rule\":{\"type\":\"string\"},"        \
    "\"message\":{\"type\":\"string\"}}}},"                                    \
    "\"findings_truncated\":{\"type\":\"boolean\"},"                           \
    "\"error\":{\"type\":[\"string\",\"null\"],\"description\":\"Why the "     \
    "check could not be made.\"},"                                             \
    "\"request_id\":{\"type\":\"string\"}}}"

#define INFO_OUTPUT                                                            \
    "{\"type\":\"object\",\"required\":[\"service\",\"version\",\"python\","   \
    "\"is_ready\",\"profiles\",\"limits\",\"how_to\"],\"properties\":{"        \
    "\"service\":{\"type\":\"string\"},\"version\":{\"type\":\"string\"},"     \
    "\"python\":{\"type\":[\"string\",\"null\"]},"                             \
    "\"is_ready\":{\"type\":\"boolean\"},"                                     \
    "\"profiles\":{\"type\":\"array\",\"items\":{\"type\":\"object\","         \
    "\"required\":[\"name\",\"description\",\"modules\"],\"properties\":{"     \
    "\"name\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},"    \
    "\"modules\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}},"     \
    "\"limits\":{\"type\":\"object\","                                         \
    "\"additionalProperties\":{\"type\":\"number\"}},"                         \
    "\"how_to\":{\"type\":\"string\"}}}"

/* A box can change nothing outside itself; two equal programs may differ. */
#define RUN_HINTS                                                              \
    "{\"title\":\"Run Python\",\"readOnlyHint\":true,"                         \
    "\"destructiveHint\":false,\"idempotentHint\":false,"                      \
    "\"openWorldHint\":false}"
#define CHECK_HINTS                                                            \
    "{\"title\":\"Check Python\",\"readOnlyHint\":true,"                       \
    "\"destructiveHint\":false,\"idempotentHint\":true,"                       \
    "\"openWorldHint\":false}"
#define INFO_HINTS                                                             \
    "{\"title\":\"Describe the sandbox\",\"readOnlyHint\":true,"               \
    "\"destructiveHint\":false,\"idempotentHint\":true,"                       \
    "\"openWorldHint\":false}"

const struct mcp_tool mcp_tools[] = {
    { "run_python", "Run Python", RUN_WORDS, RUN_INPUT, RUN_OUTPUT, RUN_HINTS,
        mcp_run_python },
    { "check_python", "Check Python", CHECK_WORDS, CHECK_INPUT, CHECK_OUTPUT,
        CHECK_HINTS, mcp_check_python },
    { "sandbox_info", "Describe the sandbox", INFO_WORDS,
        "{\"type\":\"object\",\"additionalProperties\":false}", INFO_OUTPUT,
        INFO_HINTS, tool_info },
};
const size_t mcp_tool_count = sizeof(mcp_tools) / sizeof(mcp_tools[0]);

/* All rows of all tables, by number; NULL behind the last. */
static const struct mcp_tool *
tool_at(size_t i)
{
    if (i < mcp_tool_count)
        return &mcp_tools[i];
#ifdef GLOVEBOX_CONFORMANCE
    if (i - mcp_tool_count < mcp_fixture_tool_count)
        return &mcp_fixture_tools[i - mcp_tool_count];
#endif
    return NULL;
}

static const struct mcp_tool *
tool_find(const char *name, size_t len)
{
    const struct mcp_tool *t;

    for (size_t i = 0; (t = tool_at(i)) != NULL; i++)
        if (strlen(t->name) == len && memcmp(t->name, name, len) == 0)
            return t;
    return NULL;
}

/* --- tools/list ----------------------------------------------------------- */

static void
put_tool(
    struct json_writer *w, const struct mcp_tool *t, const struct exchange *x)
{
    json_begin_object(w);
    json_put_key(w, "name");
    json_put_string(w, t->name);
    json_put_key(w, "title");
    json_put_string(w, t->title);
    json_put_key(w, "description");
    mcp_put_filled_text(w, t->description, x);
    json_put_key(w, "inputSchema");
    mcp_put_filled_json(w, t->input_schema, x);
    if (t->output_schema != NULL) {
        json_put_key(w, "outputSchema");
        json_put_raw(w, t->output_schema, strlen(t->output_schema));
    }
    if (t->annotations != NULL) {
        json_put_key(w, "annotations");
        json_put_raw(w, t->annotations, strlen(t->annotations));
    }
    json_end_object(w);
}

/* One page holds them all, so no cursor was ever given out. */
enum fault
mcp_tools_list(struct mcp_call *c)
{
    const struct mcp_tool *t;
    struct view cursor;

    if (c->message->params.data != NULL &&
        json_find_member(c->message->params, "cursor", &cursor)) {
        rpc_error_set(
            c->error, RPC_INVALID_PARAMS, "Invalid params: unknown cursor");
        return FAULT_NONE;
    }
    json_put_key(&c->json, "tools");
    json_begin_array(&c->json);
    for (size_t i = 0; (t = tool_at(i)) != NULL; i++)
        put_tool(&c->json, t, c->x);
    json_end_array(&c->json);
    return FAULT_NONE;
}

/* --- tools/call ----------------------------------------------------------- */

static enum fault
tool_info(struct mcp_call *c, struct view arguments, struct mcp_result *ret)
{
    struct json_writer w;

    (void)arguments; /* it has no parameters, and mends no caller's slip */
    json_writer_init(&w, &ret->structured);
    mcp_put_info(&w, c->x);
    return FAULT_NONE;
}

static void
put_content(struct json_writer *w, const struct mcp_result *r)
{
    json_put_key(w, "content");
    if (r->content.len > 0) {
        json_put_raw(w, r->content.data, r->content.len);
        return;
    }
    json_begin_array(w);
    json_begin_object(w);
    json_put_key(w, "type");
    json_put_string(w, "text");
    json_put_key(w, "text");
    json_put_bytes(w, r->structured.data, r->structured.len);
    json_end_object(w);
    json_end_array(w);
}

static void
put_result(struct json_writer *w, const struct mcp_result *r)
{
    put_content(w, r);
    if (r->structured.len > 0) {
        json_put_key(w, "structuredContent");
        json_put_raw(w, r->structured.data, r->structured.len);
    }
    json_put_key(w, "isError");
    json_put_bool(w, r->is_error);
}

static enum fault
call_tool(struct mcp_call *c, const struct mcp_tool *t, struct view arguments)
{
    struct mcp_result r = { 0 };
    enum fault fault;

    buf_init(&r.structured, MCP_MAX_BODY / 4);
    buf_init(&r.content, MCP_MAX_BODY / 4);
    fault = t->handle(c, arguments, &r);
    if (fault == FAULT_NONE && (!buf_ok(&r.structured) || !buf_ok(&r.content)))
        fault = FAULT_INTERNAL;
    if (fault == FAULT_NONE && c->error->code == 0)
        put_result(&c->json, &r);
    buf_done(&r.structured);
    buf_done(&r.content);
    return fault;
}

/* The tool that `token`, a JSON string, names; or c->error says it. */
static const struct mcp_tool *
named_tool(struct mcp_call *c, struct view token)
{
    const struct mcp_tool *t;
    struct buf name;
    char shown[64];

    buf_init(&name, token.len);
    json_unescape(&name, token);
    t = tool_find(name.data == NULL ? "" : name.data, name.len);
    if (t == NULL)
        rpc_error_set(c->error, RPC_INVALID_PARAMS, "Unknown tool: %s",
            utf8_safe(shown, sizeof(shown), name.data == NULL ? "" : name.data,
                name.len));
    buf_done(&name);
    return t;
}

enum fault
mcp_tools_call(struct mcp_call *c)
{
    static const char *const keys[] = { "name", "arguments", NULL };
    struct view found[2] = { { 0 } };
    const struct mcp_tool *t;

    if (c->message->params.data != NULL)
        (void)json_find_members(c->message->params, keys, found);
    if (found[0].data == NULL || found[0].data[0] != '"') {
        rpc_error_set(c->error, RPC_INVALID_PARAMS,
            "Invalid params: 'name' must be a string");
        return FAULT_NONE;
    }
    t = named_tool(c, found[0]);
    if (t == NULL)
        return FAULT_NONE;
    if (found[1].data == NULL)
        found[1] = view_of("{}", 2);
    if (found[1].data[0] != '{') {
        rpc_error_set(c->error, RPC_INVALID_PARAMS,
            "Invalid params: 'arguments' must be an object");
        return FAULT_NONE;
    }
    return call_tool(c, t, found[1]);
}
