/*
 * settings - what an operator may choose, as one table
 *
 * First the table, then what the running service asks of its settings.
 */
#include "fcgi-app/settings/settings.h"

#include <stdio.h>
#include <string.h>

#include "fcgi-app/settings/row.h"
#include "sandbox/wire/profile.h"

/* The first word of a value is the one that is printed. */
static const struct setting_word environment_words[] = {
    { "development", ENVIRONMENT_DEVELOPMENT },
    { "test", ENVIRONMENT_TEST },
    { "staging", ENVIRONMENT_STAGING },
    { "production", ENVIRONMENT_PRODUCTION },
    { "dev", ENVIRONMENT_DEVELOPMENT },
    { "testing", ENVIRONMENT_TEST },
    { "prod", ENVIRONMENT_PRODUCTION },
    { NULL, 0 },
};

static const struct setting_word log_level_words[] = {
    { "DEBUG", LOG_DEBUG },
    { "INFO", LOG_INFO },
    { "WARNING", LOG_WARN },
    { "ERROR", LOG_ERROR },
    { "WARN", LOG_WARN },
    { "CRITICAL", LOG_ERROR },
    { NULL, 0 },
};

static const struct setting_word log_format_words[] = {
    { "text", LOG_TEXT },
    { "logfmt", LOG_LOGFMT },
    { "json", LOG_JSON },
    { NULL, 0 },
};

static const struct setting_word audit_on_error_words[] = {
    { "warn", AUDIT_WARN },
    { "refuse", AUDIT_REFUSE },
    { NULL, 0 },
};

static const struct setting_word start_words[] = {
    { "template", SETUP_START_TEMPLATE },
    { "fresh", SETUP_START_FRESH },
    { NULL, 0 },
};

#define FIELD(f)                                                               \
    .field = offsetof(struct settings, f),                                     \
    .size = sizeof(((struct settings *)NULL)->f)

const struct setting settings_rows[] = {
    {
        .name = "EXECUTION_TIMEOUT",
        FIELD(wall_ms),
        .kind = KIND_SECONDS,
        .min = 1000,
        .max = 300000,
        .preset = "30",
        .sentence = "Wall seconds a program may take; a request or a token "
                    "can only lower it.",
    },
    {
        .name = "MAX_MEMORY_MB",
        FIELD(memory_mb),
        .kind = KIND_COUNT,
        .min = 16,
        .max = 4096,
        .preset = "128",
        .sentence = "Memory of a program in MiB, on top of its template's.",
    },
    {
        .name = "MAX_CPU_PERCENT",
        FIELD(cpu_percent),
        .kind = KIND_PERCENT,
        .min = 10,
        .max = 100,
        .preset = "50.0",
        .sentence = "CPU seconds of a program as a share of its wall "
                    "seconds: max(1, timeout x percent / 100).",
    },
    {
        .name = "MAX_CONCURRENT_EXECUTIONS",
        FIELD(concurrent),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 1024,
        .preset = "2",
        .sentence = "Programs that may run at the same time.",
    },
    {
        .name = "MAX_QUEUED_EXECUTIONS",
        FIELD(queued),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 4096,
        .preset = "32",
        .sentence = "Requests that may wait for a place; one more is "
                    "answered 429.",
    },
    {
        .name = "QUEUE_TIMEOUT_MS",
        FIELD(queue_ms),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 600000,
        .preset = "5000",
        .sentence = "Milliseconds a request may wait for a place before it "
                    "is answered 429.",
    },
    {
        .name = "MAX_CODE_BYTES",
        FIELD(code_bytes),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 4194304,
        .preset = "10000",
        .sentence = "Size of the code in bytes of UTF-8.",
    },
    {
        .name = "MAX_AST_NODES",
        FIELD(ast_nodes),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 1000000,
        .preset = "5000",
        .sentence = "Nodes of the syntax tree in the restricted profile.",
    },
    {
        .name = "MAX_STDIN_BYTES",
        FIELD(stdin_bytes),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 16777216,
        .preset = "1048576",
        .sentence = "Size of a request's stdin in bytes of UTF-8.",
    },
    {
        .name = "MAX_BODY_BYTES",
        FIELD(body_bytes),
        .kind = KIND_COUNT,
        .min = 1024,
        .max = 67108864,
        .preset = "4194304",
        .sentence = "Size of a whole request body; more is answered 413.",
    },
    {
        .name = "MAX_OUTPUT_BYTES",
        FIELD(output_bytes),
        .kind = KIND_COUNT,
        .min = 256,
        .max = 16777216,
        .preset = "65536",
        .sentence = "Bytes kept of stdout and of stderr, each; the rest is "
                    "cut and flagged.",
    },
    {
        .name = "MAX_RETURN_BYTES",
        FIELD(return_bytes),
        .kind = KIND_COUNT,
        .min = 256,
        .max = 16777216,
        .preset = "65536",
        .sentence = "Bytes of the return value as JSON.",
    },
    {
        .name = "ALLOWED_IMPORTS",
        FIELD(imports),
        .kind = KIND_TEXT,
        .check = check_imports,
        .preset = "",
        .sentence = "Modules added to the eight that the restricted profile "
                    "may import, comma-separated.",
    },
    {
        .name = "EXECUTOR_API_TOKEN",
        FIELD(api_token),
        .kind = KIND_TEXT,
        .check = check_token,
        .preset = "",
        .change = CHANGE_HUP,
        .is_secret = true,
        .sentence = "The one token of a simple set-up; its id is 'default'. "
                    "With neither this nor a tokens file every call is "
                    "answered 503.",
    },
    {
        .name = "EXECUTOR_PROFILES",
        FIELD(profiles),
        .kind = KIND_PROFILES,
        .preset = "restricted,standard",
        .sentence = "Profiles that EXECUTOR_API_TOKEN may use.",
    },
    {
        .name = "EXECUTOR_TOKENS_FILE",
        FIELD(tokens_file),
        .kind = KIND_TEXT,
        .check = check_path,
        .preset = "",
        .change = CHANGE_HUP,
        .sentence = "JSON file of several tokens, each with digest, "
                    "profiles, limits and expiry.",
    },
    {
        .name = "ALLOWED_ORIGINS",
        .alias = "CORS_ORIGINS",
        FIELD(origins),
        .kind = KIND_TEXT,
        .check = check_origins,
        .preset = "http://localhost:8030",
        .change = CHANGE_NGINX,
        .sentence = "Web origins that may call from a browser, "
                    "comma-separated; '*' is refused. /mcp refuses all "
                    "others but the service's own.",
    },
    {
        .name = "METRICS_ALLOW",
        FIELD(metrics_allow),
        .kind = KIND_TEXT,
        .check = check_addresses,
        .preset = "127.0.0.1,::1",
        .change = CHANGE_NGINX,
        .sentence = "Addresses or nets that may read /metrics and "
                    "/nginx_status, comma-separated.",
    },
    {
        .name = "RATE_LIMIT_PER_MINUTE",
        FIELD(rate_per_minute),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 1000000,
        .preset = "120",
        .change = CHANGE_NGINX,
        .sentence = "Requests a minute from one address, and with one token; 0 "
                    "switches this off.",
    },
    {
        .name = "RATE_LIMIT_BURST",
        FIELD(rate_burst),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 100000,
        .preset = "20",
        .change = CHANGE_NGINX,
        .sentence = "Requests that may come at once above that rate.",
    },
    {
        .name = "REFUSED_TOKENS_PER_MINUTE",
        FIELD(refused_per_minute),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 1000000,
        .preset = "30",
        .change = CHANGE_NGINX,
        .sentence = "Calls a minute from one address that may be answered "
                    "401; more are answered late, then 429; 0 switches this "
                    "off.",
    },
    {
        .name = "SERVICE_PORT",
        FIELD(service_port),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 65535,
        .preset = "8030",
        .change = CHANGE_NGINX,
        .sentence = "TCP port nginx listens on.",
    },
    {
        .name = "LISTEN_ADDRESSES",
        FIELD(listen),
        .kind = KIND_TEXT,
        .check = check_listen,
        .preset = "127.0.0.1,[::1]",
        .change = CHANGE_NGINX,
        .sentence = "Addresses nginx listens on, comma-separated, IPv6 ones "
                    "in brackets.",
    },
    {
        .name = "SERVER_NAMES",
        FIELD(server_names),
        .kind = KIND_TEXT,
        .check = check_server_names,
        .preset = "localhost,127.0.0.1,[::1]",
        .change = CHANGE_NGINX,
        .sentence = "Host names nginx answers to, comma-separated.",
    },
    {
        .name = "TLS_CERTIFICATE",
        FIELD(tls_certificate),
        .kind = KIND_TEXT,
        .check = check_path,
        .preset = "",
        .change = CHANGE_NGINX,
        .sentence = "PEM file of the certificate and those between it and "
                    "its root; with TLS_KEY it makes SERVICE_PORT speak "
                    "https.",
    },
    {
        .name = "TLS_KEY",
        FIELD(tls_key),
        .kind = KIND_TEXT,
        .check = check_path,
        .preset = "",
        .change = CHANGE_NGINX,
        .sentence = "PEM file of its private key, without a pass phrase.",
    },
    {
        .name = "HTTP_REDIRECT_PORT",
        FIELD(redirect_port),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 65535,
        .preset = "0",
        .change = CHANGE_NGINX,
        .sentence = "With TLS: a port without it that sends readers to "
                    "SERVICE_PORT and refuses all else; 0 for none.",
    },
    {
        .name = "TRUSTED_PROXIES",
        FIELD(trusted_proxies),
        .kind = KIND_TEXT,
        .check = check_addresses,
        .preset = "",
        .change = CHANGE_NGINX,
        .sentence = "Addresses or nets of proxies whose X-Forwarded-For tells "
                    "the client's address, comma-separated; empty for none.",
    },
    {
        .name = "SERVICE_NAME",
        FIELD(service_name),
        .kind = KIND_TEXT,
        .check = check_name,
        .preset = "ai-code-executor",
        .sentence = "Name that /health reports.",
    },
    {
        .name = "ENVIRONMENT",
        FIELD(environment),
        .kind = KIND_CHOICE,
        .words = environment_words,
        .preset = "development",
        .sentence = "development, test, staging or production; production "
                    "refuses empty, short and well-known tokens.",
    },
    {
        .name = "LOG_LEVEL",
        FIELD(log_level),
        .kind = KIND_CHOICE,
        .words = log_level_words,
        .preset = "INFO",
        .change = CHANGE_HUP,
        .sentence = "DEBUG, INFO, WARNING or ERROR.",
    },
    {
        .name = "LOG_FORMAT",
        FIELD(log_format),
        .kind = KIND_CHOICE,
        .words = log_format_words,
        .preset = "text",
        .sentence = "How a line of the log is written: text, logfmt or json.",
    },
    {
        .name = "ENABLE_MCP_NETWORK_TOOLS",
        FIELD(mcp_network_tools),
        .kind = KIND_FLAG,
        .preset = "false",
        .sentence = "Must be false: there is no hardened design for network "
                    "tools yet.",
    },
    {
        .name = "AUDIT_LOG",
        FIELD(audit_log),
        .kind = KIND_TEXT,
        .check = check_audit_log,
        .preset = "stderr",
        .sentence = "Where the audit lines go: a path, 'stdout', 'stderr', "
                    "'journald', or empty for nowhere.",
    },
    {
        .name = "AUDIT_ON_ERROR",
        FIELD(audit_on_error),
        .kind = KIND_CHOICE,
        .words = audit_on_error_words,
        .preset = "warn",
        .change = CHANGE_HUP,
        .sentence = "When an audit line cannot be written: warn serves the "
                    "request and tells in /health and /metrics; refuse "
                    "answers 503 and runs nothing.",
    },
    {
        .name = "CANARY_SECONDS",
        FIELD(canary_s),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 3600,
        .preset = "10",
        .sentence = "Seconds between two canary programs; /health is "
                    "degraded when none worked for three times as long.",
    },
    {
        .name = "SOCKET_PATH",
        FIELD(socket_path),
        .kind = KIND_TEXT,
        .check = check_socket_path,
        .preset = "/run/glovebox/app.sock",
        .sentence = "The unix socket on which nginx reaches the service.",
    },
    {
        .name = "FASTCGI_ADDRESS",
        FIELD(fastcgi_address),
        .kind = KIND_TEXT,
        .check = check_fastcgi_address,
        .preset = "",
        .sentence = "Address and port (127.0.0.1:9000) to be reached at "
                    "instead of SOCKET_PATH. FastCGI has no authentication: "
                    "whoever reaches it is taken for nginx.",
    },
    {
        .name = "UPSTREAMS",
        FIELD(upstreams),
        .kind = KIND_TEXT,
        .check = check_upstreams,
        .preset = "local",
        .change = CHANGE_NGINX,
        .sentence = "Services that nginx shares requests among, "
                    "comma-separated: unix:/path, host:port, or local for the "
                    "one of these settings.",
    },
    {
        .name = "SOCKET_GROUP",
        FIELD(socket_group),
        .kind = KIND_TEXT,
        .preset = "",
        .sentence = "Group (name or number) that may connect to it, which is "
                    "nginx's; empty leaves it to the service's own.",
    },
    {
        .name = "APP_USER",
        FIELD(app_user),
        .kind = KIND_TEXT,
        .preset = "",
        .sentence = "User (name or number) the service becomes when started "
                    "by root; empty: glovebox if there is one, else 65030.",
    },
    {
        .name = "SANDBOX_USER",
        FIELD(box_user),
        .kind = KIND_TEXT,
        .preset = "",
        .sentence = "User (name or number) programs run as when started by "
                    "root; empty: glovebox-box if there is one, else 65031.",
    },
    {
        .name = "SANDBOX_PROGRAM",
        FIELD(sandbox_program),
        .kind = KIND_TEXT,
        .check = check_path,
        .preset = "",
        .sentence = "Path of glovebox-sandbox; empty: beside this program, "
                    "else in ../libexec/glovebox.",
    },
    {
        .name = "SANDBOX_START",
        FIELD(start),
        .kind = KIND_CHOICE,
        .words = start_words,
        .preset = "template",
        .sentence = "template: boxes are forks of a warm interpreter; fresh: "
                    "each box has an interpreter of its own, slower.",
    },
    {
        .name = "PARKED_BOXES",
        FIELD(parked),
        .kind = KIND_COUNT,
        .min = 0,
        .max = 256,
        .preset = "4",
        .sentence = "Boxes kept ready ahead of requests, for each profile.",
    },
    {
        .name = "RETIRE_BOXES",
        FIELD(retire_boxes),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 1000000000,
        .preset = "10000",
        .sentence = "A template is replaced after it made so many boxes.",
    },
    {
        .name = "RETIRE_SECONDS",
        FIELD(retire_s),
        .kind = KIND_COUNT,
        .min = 1,
        .max = 2592000,
        .preset = "3600",
        .sentence = "A template is replaced when it is so many seconds old.",
    },
};

const size_t settings_row_count =
    sizeof(settings_rows) / sizeof(settings_rows[0]);

/* --- in service ----------------------------------------------------------- */

static bool
field_is_same(const struct setting *row, const char *a, const char *b)
{
    if (row->kind == KIND_TEXT)
        return strcmp(a, b) == 0;
    return memcmp(a, b, row->size) == 0;
}

void
settings_adopt(struct settings *now, const struct settings *fresh, char *kept,
    size_t kept_size)
{
    size_t len = 0;
    int n;

    kept[0] = '\0';
    for (size_t i = 0; i < settings_row_count; i++) {
        const struct setting *row = &settings_rows[i];
        char *mine = (char *)now + row->field;
        const char *theirs = (const char *)fresh + row->field;

        if (field_is_same(row, mine, theirs))
            continue;
        if (row->change != CHANGE_RESTART) {
            memcpy(mine, theirs, row->size);
            continue;
        }
        n = snprintf(
            kept + len, kept_size - len, "%s%s", len > 0 ? "," : "", row->name);
        if (n > 0 && (size_t)n < kept_size - len)
            len += (size_t)n;
    }
}

void
settings_forget_secrets(struct settings *s)
{
    explicit_bzero(s->api_token, sizeof(s->api_token));
}

uint32_t
settings_cpu_ms(const struct settings *s, uint32_t wall_ms)
{
    double ms = (double)wall_ms * s->cpu_percent / 100.0;

    return ms < 1000.0 ? 1000 : (uint32_t)ms;
}

void
settings_to_setup(const struct settings *s, struct setup *ret_setup)
{
    uint32_t all = ((uint32_t)1 << PROFILE_COUNT) - 1;

    *ret_setup = (struct setup){
        .start = s->start,
        .log_level = s->log_level,
        .log_format = s->log_format,
        /*
         * restricted is what a request without a profile asks for.  A tokens
         * file can name any of them, also one that is read later.
         */
        .profiles = s->tokens_file[0] != '\0'
                        ? all
                        : s->profiles | (uint32_t)1 << PROFILE_RESTRICTED,
        .parked = s->parked,
        .retire_boxes = s->retire_boxes,
        .retire_s = s->retire_s,
        .wall_ms = s->wall_ms,
        .cpu_ms = settings_cpu_ms(s, s->wall_ms),
        .memory_bytes = (uint64_t)s->memory_mb << 20,
        .code_bytes = s->code_bytes,
        .context_bytes = MAX_CONTEXT_BYTES,
        .stdin_bytes = s->stdin_bytes,
        .output_bytes = s->output_bytes,
        .return_bytes = s->return_bytes,
        .ast_nodes = s->ast_nodes,
    };
    memcpy(ret_setup->imports, s->imports, sizeof(ret_setup->imports));
}

const char *
settings_environment_name(const struct settings *s)
{
    return setting_word_of(environment_words, s->environment);
}
