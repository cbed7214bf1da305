/* mcp - the methods of the Model Context Protocol, as a table */
#include "fcgi-app/mcp/mcp.h"

#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/mcp/mcp_facts.h"
#include "fcgi-app/mcp/mcp_tools.h"
#include "sandbox/base/log.h"

/* Lists change only when the service is restarted or its tokens are. */
#define MCP_TTL_MS 60000

/*
 * 2025-03-26 is not among them: it obliges a server to take batches.  Who
 * asks for it is offered the newest legacy revision instead.
 */
const struct mcp_version mcp_versions[] = {
    { "2026-07-28", MCP_MODERN },
    { "2025-11-25", MCP_LEGACY },
    { "2025-06-18", MCP_LEGACY },
};
const size_t mcp_version_count = sizeof(mcp_versions) / sizeof(mcp_versions[0]);

const struct mcp_version *
mcp_version_find(const char *name, size_t len)
{
    for (size_t i = 0; i < mcp_version_count; i++)
        if (strlen(mcp_versions[i].name) == len &&
            memcmp(mcp_versions[i].name, name, len) == 0)
            return &mcp_versions[i];
    return NULL;
}

void
mcp_put_versions(struct json_writer *w, unsigned eras)
{
    json_begin_array(w);
    for (size_t i = 0; i < mcp_version_count; i++)
        if (mcp_versions[i].era & eras)
            json_put_string(w, mcp_versions[i].name);
    json_end_array(w);
}

/* --- the methods ---------------------------------------------------------- */

static mcp_handler handle_initialize, handle_ping, handle_discover;

static const struct mcp_method mcp_methods[] = {
    { .name = "initialize",
        .eras = MCP_LEGACY,
        .metric = METRICS_MCP_INITIALIZE,
        .handle = handle_initialize },
    { .name = "ping",
        .eras = MCP_LEGACY,
        .metric = METRICS_MCP_PING,
        .handle = handle_ping },
    { .name = "server/discover",
        .eras = MCP_MODERN,
        .is_cacheable = true,
        .metric = METRICS_MCP_DISCOVER,
        .handle = handle_discover },
    { .name = "tools/list",
        .eras = MCP_LEGACY | MCP_MODERN,
        .capability = "tools",
        .is_cacheable = true,
        .metric = METRICS_MCP_TOOLS_LIST,
        .handle = mcp_tools_list },
    { .name = "tools/call",
        .eras = MCP_LEGACY | MCP_MODERN,
        .named_by = "name",
        .capability = "tools",
        .runs_code = true,
        .metric = METRICS_MCP_TOOLS_CALL,
        .handle = mcp_tools_call },
};

/* All rows of all tables, by number; NULL behind the last. */
static const struct mcp_method *
mcp_method_at(size_t i)
{
    size_t count = sizeof(mcp_methods) / sizeof(mcp_methods[0]);

    if (i < count)
        return &mcp_methods[i];
#ifdef GLOVEBOX_CONFORMANCE
    if (i - count < mcp_fixture_method_count)
        return &mcp_fixture_methods[i - count];
#endif
    return NULL;
}

const struct mcp_method *
mcp_method_find(const char *name, enum mcp_era era)
{
    const struct mcp_method *m;

    for (size_t i = 0; (m = mcp_method_at(i)) != NULL; i++)
        if ((m->eras & era) && strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

/* Has a row before this one declared the same? */
static bool
is_declared_before(const struct mcp_method *row, enum mcp_era era)
{
    const struct mcp_method *m;

    for (size_t i = 0; (m = mcp_method_at(i)) != NULL && m != row; i++)
        if ((m->eras & era) && m->capability != NULL &&
            strcmp(m->capability, row->capability) == 0)
            return true;
    return false;
}

/* What exists is declared, and nothing more of it than that it exists. */
static void
put_capabilities(struct json_writer *w, enum mcp_era era)
{
    const struct mcp_method *m;

    json_put_key(w, "capabilities");
    json_begin_object(w);
    for (size_t i = 0; (m = mcp_method_at(i)) != NULL; i++) {
        if ((m->eras & era) == 0 || m->capability == NULL ||
            is_declared_before(m, era))
            continue;
        json_put_key(w, m->capability);
        json_begin_object(w);
        json_end_object(w);
    }
    json_end_object(w);
}

static void
put_server_info(struct json_writer *w, const struct mcp_call *c)
{
    json_begin_object(w);
    json_put_key(w, "name");
    json_put_string(w, c->x->config->settings.service_name);
    json_put_key(w, "title");
    json_put_string(w, "Glovebox");
    json_put_key(w, "version");
    json_put_string(w, GLOVEBOX_VERSION);
    json_end_object(w);
}

static void
put_instructions(struct json_writer *w, const struct mcp_call *c)
{
    json_put_key(w, "instructions");
    mcp_put_filled_text(w, mcp_instructions, c->x);
}

/* The version that was asked for if we have it, else our newest legacy one. */
static const char *
choose_version(struct view asked)
{
    const struct mcp_version *v = NULL;

    if (asked.len >= 2 && asked.data[0] == '"')
        v = mcp_version_find(asked.data + 1, asked.len - 2);
    for (size_t i = 0; v == NULL || v->era != MCP_LEGACY; i++)
        v = &mcp_versions[i];
    return v->name;
}

static enum fault
handle_initialize(struct mcp_call *c)
{
    struct view asked = { 0 };
    struct json_writer *w = &c->json;

    if (c->message->params.data == NULL ||
        !json_find_member(c->message->params, "protocolVersion", &asked) ||
        asked.data[0] != '"') {
        rpc_error_set(c->error, RPC_INVALID_PARAMS,
            "Invalid params: 'protocolVersion' must be a string");
        return FAULT_NONE;
    }
    json_put_key(w, "protocolVersion");
    json_put_string(w, choose_version(asked));
    put_capabilities(w, c->era);
    json_put_key(w, "serverInfo");
    put_server_info(w, c);
    put_instructions(w, c);
    return FAULT_NONE;
}

static enum fault
handle_ping(struct mcp_call *c)
{
    (void)c;
    return FAULT_NONE;
}

static enum fault
handle_discover(struct mcp_call *c)
{
    json_put_key(&c->json, "supportedVersions");
    mcp_put_versions(&c->json, MCP_LEGACY | MCP_MODERN);
    put_capabilities(&c->json, c->era);
    put_instructions(&c->json, c);
    return FAULT_NONE;
}

bool
mcp_needs_capability(struct mcp_call *c, const char *name)
{
    struct view all, one;
    struct json_writer w;

    if (c->era == MCP_LEGACY)
        return true;
    if (json_find_member(c->meta, MCP_META "clientCapabilities", &all) &&
        json_find_member(all, name, &one) && one.data[0] == '{')
        return true;
    rpc_error_set(c->error, MCP_MISSING_CAPABILITY,
        "The client must declare the capability '%s' for this", name);
    json_writer_init(&w, &c->error->data);
    json_begin_object(&w);
    json_put_key(&w, "requiredCapabilities");
    json_begin_object(&w);
    json_put_key(&w, name);
    json_begin_object(&w);
    json_end_object(&w);
    json_end_object(&w);
    json_end_object(&w);
    return false;
}

/* --- the answer ----------------------------------------------------------- */

unsigned
mcp_error_status(int code, enum mcp_era era)
{
    switch (code) {
    case RPC_NO_METHOD:
        return era == MCP_MODERN ? 404 : 200;
    case RPC_INVALID_PARAMS:
        return 200;
    case RPC_INTERNAL:
        return 500;
    default:
        return 400;
    }
}

/* What every modern result carries. */
static void
put_modern_members(struct mcp_call *c, const struct mcp_method *method)
{
    struct json_writer *w = &c->json;

    json_put_key(w, "resultType");
    json_put_string(w, "complete");
    if (method->is_cacheable) {
        json_put_key(w, "ttlMs");
        json_put_int(w, MCP_TTL_MS);
        /* Limits and profiles are those of the token that asked. */
        json_put_key(w, "cacheScope");
        json_put_string(w, "private");
    }
    json_put_key(w, "_meta");
    json_begin_object(w);
    json_put_key(w, MCP_META "serverInfo");
    put_server_info(w, c);
    json_end_object(w);
}

static enum fault
mcp_put_result(struct mcp_call *c, const struct mcp_method *method)
{
    struct buf *body = &c->x->response->body;
    enum fault fault;

    buf_done(body);
    buf_init(body, MCP_MAX_BODY);
    json_writer_init(&c->json, body);
    rpc_begin_result(&c->json, c->message->id);
    fault = method->handle(c);
    if (fault == FAULT_CANCELLED)
        return fault;
    if (c->era == MCP_MODERN)
        put_modern_members(c, method);
    rpc_end_result(&c->json);
    if (fault != FAULT_NONE || !buf_ok(body)) {
        log_error("mcp method failed inside method=%s", method->name);
        rpc_error_set(c->error, RPC_INTERNAL,
            "Internal error; the log has it under request id %s",
            c->x->request->request_id);
    }
    return FAULT_NONE;
}

enum fault
mcp_answer(
    struct mcp_call *c, const struct mcp_method *method, unsigned *ret_status)
{
    struct buf *body = &c->x->response->body;
    enum fault fault = FAULT_NONE;
    struct json_writer w;

    if (method == NULL)
        rpc_error_set(c->error, RPC_NO_METHOD, "Method not found: %s",
            c->message->method);
    else
        fault = mcp_put_result(c, method);
    if (fault != FAULT_NONE)
        return fault;
    *ret_status = 200;
    if (c->error->code == 0)
        return FAULT_NONE;
    buf_done(body);
    buf_init(body, MCP_MAX_BODY);
    json_writer_init(&w, body);
    rpc_put_error(&w, c->message->id, c->error);
    *ret_status = c->error_status != 0
                      ? c->error_status
                      : mcp_error_status(c->error->code, c->era);
    return FAULT_NONE;
}
