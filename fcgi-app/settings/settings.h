/*
 * settings - what an operator may choose, as one table
 *
 * A row of the table (settings.c) has the name, bounds, preset and sentence
 * of one setting.  Reading, checking, printing and docs/SETTINGS.md all walk
 * the same rows.  Values come from the environment and from a file of
 * KEY=value lines; the environment wins.  struct settings is plain data: it
 * can be copied, and nothing in it needs to be freed.
 *
 * Not for: who may call (tokens.h), which is read from what is named here.
 */
#ifndef GLOVEBOX_SETTINGS_H
#define GLOVEBOX_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/base/buf.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/setup.h"

/* Fixed by the contract, so not a setting. */
#define MAX_CONTEXT_BYTES 1048576
#define MAX_CONTEXT_DEPTH 4

#define SETTINGS_MAX_TEXT 1024 /* of one value, with its NUL */
#define SETTINGS_MAX_FILE 65536
#define SETTINGS_MAX_PRINT 65536 /* room enough for settings_print() */
#define SETTINGS_NO_ID UINT32_MAX /* no group named */

enum settings_environment {
    ENVIRONMENT_DEVELOPMENT,
    ENVIRONMENT_TEST,
    ENVIRONMENT_STAGING,
    ENVIRONMENT_PRODUCTION,
};

/* AUDIT_ON_ERROR: what becomes of a run whose line cannot be written. */
enum settings_audit_on_error {
    AUDIT_WARN,
    AUDIT_REFUSE,
};

struct settings {
    /* limits of one run */
    uint32_t wall_ms; /* EXECUTION_TIMEOUT */
    uint32_t memory_mb; /* MAX_MEMORY_MB, on top of the template */
    double cpu_percent; /* MAX_CPU_PERCENT */
    uint32_t code_bytes; /* MAX_CODE_BYTES */
    uint32_t ast_nodes; /* MAX_AST_NODES */
    uint32_t stdin_bytes; /* MAX_STDIN_BYTES */
    uint32_t output_bytes; /* MAX_OUTPUT_BYTES, stdout and stderr each */
    uint32_t return_bytes; /* MAX_RETURN_BYTES */
    char imports[SETUP_MAX_IMPORTS]; /* ALLOWED_IMPORTS, "a,b" */

    /* how many at once */
    uint32_t concurrent; /* MAX_CONCURRENT_EXECUTIONS */
    uint32_t queued; /* MAX_QUEUED_EXECUTIONS */
    uint32_t queue_ms; /* QUEUE_TIMEOUT_MS */
    uint32_t body_bytes; /* MAX_BODY_BYTES */

    /* who may call */
    char api_token[SETTINGS_MAX_TEXT]; /* secret; settings_forget_secrets() */
    uint32_t profiles; /* EXECUTOR_PROFILES: bits 1 << enum profile_id */
    char tokens_file[SETTINGS_MAX_TEXT]; /* "" for none */

    /* the edge: read by what renders nginx's files */
    char origins[SETTINGS_MAX_TEXT]; /* ALLOWED_ORIGINS, "a,b" */
    char metrics_allow[SETTINGS_MAX_TEXT]; /* METRICS_ALLOW, "a,b/8" */
    uint32_t rate_per_minute;
    uint32_t rate_burst;
    uint32_t refused_per_minute; /* REFUSED_TOKENS_PER_MINUTE */
    uint32_t service_port;
    char listen[SETTINGS_MAX_TEXT]; /* LISTEN_ADDRESSES */
    char server_names[SETTINGS_MAX_TEXT];
    char tls_certificate[SETTINGS_MAX_TEXT]; /* both paths, or both "" */
    char tls_key[SETTINGS_MAX_TEXT];
    uint32_t redirect_port; /* HTTP_REDIRECT_PORT, 0 for none */
    char trusted_proxies[SETTINGS_MAX_TEXT]; /* "a,b/8" */

    /* the service */
    char service_name[SETTINGS_MAX_TEXT];
    uint32_t environment; /* enum settings_environment */
    uint32_t log_level; /* enum log_level */
    uint32_t log_format; /* enum log_format */
    bool mcp_network_tools; /* always false: true is a problem */
    uint32_t canary_s; /* CANARY_SECONDS */
    char audit_log[SETTINGS_MAX_TEXT]; /* path, a sink's name, or "" */
    uint32_t audit_on_error; /* enum settings_audit_on_error */
    char socket_path[SETTINGS_MAX_TEXT];
    char fastcgi_address[SETTINGS_MAX_TEXT]; /* "" for socket_path */
    char upstreams[SETTINGS_MAX_TEXT]; /* UPSTREAMS, "local,unix:/b" */
    char socket_group[SETTINGS_MAX_TEXT]; /* as written */
    uint32_t socket_gid; /* or SETTINGS_NO_ID */

    /* the sandbox */
    uint32_t start; /* SANDBOX_START: enum setup_start */
    uint32_t parked; /* PARKED_BOXES */
    uint32_t retire_boxes;
    uint32_t retire_s;
    char sandbox_program[SETTINGS_MAX_TEXT]; /* never empty after a load */
    char app_user[SETTINGS_MAX_TEXT]; /* as written */
    char box_user[SETTINGS_MAX_TEXT];
    uint32_t app_uid, app_gid; /* used when started as root */
    uint32_t box_uid, box_gid;
};

/*
 * Read presets, then `file` (NULL for none), then `envp`, and check all.
 * Returns 0 and fills *s; or -EINVAL with everything that is wrong in one
 * line in `problems`, and *s is not to be used.  A secret never appears in
 * the line.  An unknown key is a problem in the file, where it can only be a
 * slip, and nobody's business in the environment.
 */
int settings_load(struct settings *s, const char *file, char *const envp[],
    char *problems, size_t problems_size);

/*
 * Take over from `fresh` what may change while the service runs.  The names
 * of those that differ but may not are put into `kept`, comma-separated.
 */
void settings_adopt(struct settings *now, const struct settings *fresh,
    char *kept, size_t kept_size);

/* Overwrite the secrets, once tokens_load() has made digests of them. */
void settings_forget_secrets(struct settings *s);

/* In the file's own format, a comment before each row, secrets not shown. */
void settings_print(const struct settings *s, struct buf *b);
/* The table as docs/SETTINGS.md has it. */
void settings_print_markdown(struct buf *b);

/* What a warden is told: the bounds that hold for every order. */
void settings_to_setup(const struct settings *s, struct setup *ret_setup);

/* CPU time that goes with `wall_ms`: its share, but at least a second. */
uint32_t settings_cpu_ms(const struct settings *s, uint32_t wall_ms);

/* "development", "production", ... */
const char *settings_environment_name(const struct settings *s);

#endif
