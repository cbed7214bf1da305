/* mcp_facts - what a model is told about this sandbox */
#include "fcgi-app/mcp/mcp_facts.h"

#include <string.h>

#include "fcgi-app/route.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/status.h"

const char mcp_instructions[] =
    "Glovebox runs Python 3.11 programs in a sandbox and returns what they "
    "printed and their value. Use run_python whenever a computation, a "
    "conversion or a check is better done by code than by thinking.\n"
    "Every run starts empty: nothing is kept between runs, so send all code "
    "and data each time. Pass data in `context` (its keys become variables) "
    "rather than pasting it into the code.\n"
    "To return a value, assign it to `_` or let the program end with an "
    "expression; it comes back as JSON in `return_value`. print() goes to "
    "`stdout`.\n"
    "There are no files, no network, no processes, no threads and no package "
    "installation.\n"
    "Profiles you may use: @profiles@; without `profile` it is restricted, "
    "whose imports are: @modules@. There, names and attributes of the form "
    "__x__, eval, exec, open and the like are refused; check_python lists "
    "every such place without running anything.\n"
    "Limits: @timeout_s@ s, @memory_mb@ MB, @code_bytes@ bytes of code. "
    "sandbox_info has all of them.\n"
    "When `status` is rejected, the program did not run: `error` says what to "
    "change. When it is busy, wait and send the same again.";

/* The smaller of the server's and the token's, which may have none. */
static uint32_t
lower_of(uint32_t server, uint32_t token)
{
    return token != 0 && token < server ? token : server;
}

static void
put_timeout(struct buf *b, const struct exchange *x)
{
    buf_addf(b, "%g",
        lower_of(x->config->settings.wall_ms, x->token->limits.wall_ms) /
            1000.0);
}

static void
put_memory(struct buf *b, const struct exchange *x)
{
    buf_addf(b, "%u",
        lower_of(x->config->settings.memory_mb, x->token->limits.memory_mb));
}

static void
put_code(struct buf *b, const struct exchange *x)
{
    buf_addf(b, "%u",
        lower_of(x->config->settings.code_bytes, x->token->limits.code_bytes));
}

static void
put_stdin(struct buf *b, const struct exchange *x)
{
    buf_addf(b, "%u", x->config->settings.stdin_bytes);
}

static void
put_nodes(struct buf *b, const struct exchange *x)
{
    buf_addf(b, "%u", x->config->settings.ast_nodes);
}

static void
put_context(struct buf *b, const struct exchange *x)
{
    (void)x;
    buf_addf(b, "%u", (unsigned)MAX_CONTEXT_BYTES);
}

/* Each profile that the token may use, `before` and `after` it. */
static void
put_profiles_as(struct buf *b, const struct exchange *x, const char *quote)
{
    size_t start = b->len;

    for (unsigned i = 0; i < PROFILE_COUNT; i++)
        if (x->token->profiles >> i & 1)
            buf_addf(b, "%s%s%s%s", b->len > start ? ", " : "", quote,
                profiles[i].name, quote);
}

static void
put_profiles(struct buf *b, const struct exchange *x)
{
    put_profiles_as(b, x, "");
}

static void
put_profile_enum(struct buf *b, const struct exchange *x)
{
    put_profiles_as(b, x, "\"");
}

static void
put_modules(struct buf *b, const struct exchange *x)
{
    const char *const *m = profiles[PROFILE_RESTRICTED].modules;
    const char *more = x->config->settings.imports;

    for (size_t i = 0; m[i] != NULL; i++)
        buf_addf(b, "%s%s", i > 0 ? ", " : "", m[i]);
    for (; *more != '\0'; more += strspn(more, ", ")) {
        size_t len = strcspn(more, ", ");

        buf_addf(b, ", %.*s", (int)len, more);
        more += len;
    }
}

static const struct mcp_fact {
    const char *name;
    void (*put)(struct buf *b, const struct exchange *x);
} mcp_facts[] = {
    { "timeout_s", put_timeout },
    { "memory_mb", put_memory },
    { "code_bytes", put_code },
    { "stdin_bytes", put_stdin },
    { "ast_nodes", put_nodes },
    { "context_bytes", put_context },
    { "profiles", put_profiles },
    { "profile_enum", put_profile_enum },
    { "modules", put_modules },
};

/* The place that begins at `at`, an '@': its fact, and what is behind it. */
static const struct mcp_fact *
fact_at(const char *at, const char **ret_behind)
{
    for (size_t i = 0; i < sizeof(mcp_facts) / sizeof(mcp_facts[0]); i++) {
        size_t len = strlen(mcp_facts[i].name);

        if (strncmp(at + 1, mcp_facts[i].name, len) == 0 &&
            at[1 + len] == '@') {
            *ret_behind = at + len + 2;
            return &mcp_facts[i];
        }
    }
    return NULL;
}

void
mcp_fill(struct buf *b, const char *text, const struct exchange *x)
{
    const struct mcp_fact *fact;
    const char *behind;

    while (*text != '\0') {
        size_t plain = strcspn(text, "@");

        buf_add(b, text, plain);
        text += plain;
        if (*text == '\0')
            return;
        fact = fact_at(text, &behind);
        if (fact != NULL) {
            fact->put(b, x);
            text = behind;
        } else {
            buf_addc(b, *text++);
        }
    }
}

void
mcp_put_filled_text(
    struct json_writer *w, const char *text, const struct exchange *x)
{
    struct buf b;

    buf_init(&b, MCP_MAX_FILLED);
    mcp_fill(&b, text, x);
    json_put_bytes(w, b.data, b.len);
    if (!buf_ok(&b))
        w->b->failed = true;
    buf_done(&b);
}

void
mcp_put_filled_json(
    struct json_writer *w, const char *text, const struct exchange *x)
{
    struct buf b;

    buf_init(&b, MCP_MAX_FILLED);
    mcp_fill(&b, text, x);
    json_put_raw(w, b.data, b.len);
    if (!buf_ok(&b))
        w->b->failed = true;
    buf_done(&b);
}

/* --- sandbox_info --------------------------------------------------------- */

static void
info_modules(struct json_writer *w, const struct exchange *x, unsigned profile)
{
    const char *const *m = profiles[profile].modules;
    const char *more = x->config->settings.imports;

    json_put_key(w, "modules");
    json_begin_array(w);
    for (; *m != NULL; m++)
        json_put_string(w, *m);
    if (!profiles[profile].has_language_rules)
        more = "";
    for (; *more != '\0'; more += strspn(more, ", ")) {
        size_t len = strcspn(more, ", ");

        json_put_bytes(w, more, len);
        more += len;
    }
    json_end_array(w);
}

static void
info_profiles(struct json_writer *w, const struct exchange *x)
{
    json_put_key(w, "profiles");
    json_begin_array(w);
    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        if ((x->token->profiles >> i & 1) == 0)
            continue;
        json_begin_object(w);
        json_put_key(w, "name");
        json_put_string(w, profiles[i].name);
        json_put_key(w, "description");
        json_put_string(w, profiles[i].sentence);
        info_modules(w, x, i);
        json_end_object(w);
    }
    json_end_array(w);
}

static void
info_limits(struct json_writer *w, const struct exchange *x)
{
    const struct settings *s = &x->config->settings;
    const struct token_limits *t = &x->token->limits;
    const struct {
        const char *name;
        uint64_t value;
    } limits[] = {
        { "memory_mb", lower_of(s->memory_mb, t->memory_mb) },
        { "code_bytes", lower_of(s->code_bytes, t->code_bytes) },
        { "ast_nodes", s->ast_nodes },
        { "stdin_bytes", s->stdin_bytes },
        { "context_bytes", MAX_CONTEXT_BYTES },
        { "context_depth", MAX_CONTEXT_DEPTH },
        { "stdout_bytes", s->output_bytes },
        { "stderr_bytes", s->output_bytes },
        { "return_value_bytes", s->return_bytes },
        { "concurrent_runs", lower_of(s->concurrent, t->concurrent) },
    };
    uint32_t wall_ms = lower_of(s->wall_ms, t->wall_ms);

    json_put_key(w, "limits");
    json_begin_object(w);
    json_put_key(w, "timeout_s");
    json_put_double(w, wall_ms / 1000.0);
    json_put_key(w, "cpu_s");
    json_put_double(w, settings_cpu_ms(s, wall_ms) / 1000.0);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        json_put_key(w, limits[i].name);
        json_put_uint(w, limits[i].value);
    }
    json_end_object(w);
}

void
mcp_put_info(struct json_writer *w, const struct exchange *x)
{
    struct status status;
    bool is_known = warden_link_status(x->service->link, &status);

    json_begin_object(w);
    json_put_key(w, "service");
    json_put_string(w, x->config->settings.service_name);
    json_put_key(w, "version");
    json_put_string(w, GLOVEBOX_VERSION);
    json_put_key(w, "python");
    json_put_string_or_null(w, is_known ? status.python : NULL);
    json_put_key(w, "is_ready");
    json_put_bool(w, is_known && status.is_ready);
    info_profiles(w, x);
    info_limits(w, x);
    json_put_key(w, "how_to");
    mcp_put_filled_text(w, mcp_instructions, x);
    json_end_object(w);
}
