/* settings: presets, bounds, sources, and printing that reads back */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/settings/settings.h"
#include "sandbox/base/fdio.h"
#include "sandbox/wire/profile.h"
#include "tests/support/temp.h"

Suite *suite_settings(void);

static char problems[4096];

/* A file with this text; unlinked by the caller. */
static void
make_file(char path[TEMP_MAX], const char *text)
{
    int fd = temp_file(path);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
    (void)close(fd);
}

static int
load(
    struct settings *s, const char *file_text, const char *one, const char *two)
{
    char *envp[3] = { NULL, NULL, NULL };
    char path[TEMP_MAX];
    int err;

    envp[0] = one == NULL ? NULL : strdup(one);
    envp[1] = two == NULL ? NULL : strdup(two);
    if (file_text != NULL)
        make_file(path, file_text);
    err = settings_load(
        s, file_text == NULL ? NULL : path, envp, problems, sizeof(problems));
    if (file_text != NULL)
        (void)unlink(path);
    free(envp[0]);
    free(envp[1]);
    return err;
}

START_TEST(settings_presets_are_those_of_the_contract)
{
    struct settings s;

    ck_assert_msg(load(&s, NULL, NULL, NULL) == 0, "%s", problems);
    ck_assert_uint_eq(s.wall_ms, 30000);
    ck_assert_uint_eq(s.memory_mb, 128);
    ck_assert_double_eq(s.cpu_percent, 50.0);
    ck_assert_uint_eq(s.concurrent, 2);
    ck_assert_uint_eq(s.queued, 32);
    ck_assert_uint_eq(s.queue_ms, 5000);
    ck_assert_uint_eq(s.code_bytes, 10000);
    ck_assert_uint_eq(s.ast_nodes, 5000);
    ck_assert_uint_eq(s.output_bytes, 65536);
    ck_assert_uint_eq(s.return_bytes, 65536);
    ck_assert_uint_eq(s.stdin_bytes, 1048576);
    ck_assert_uint_eq(s.body_bytes, 4194304);
    ck_assert_str_eq(s.origins, "http://localhost:8030");
    ck_assert_str_eq(s.imports, "");
    ck_assert_str_eq(s.api_token, "");
    ck_assert_str_eq(s.tokens_file, "");
    ck_assert_uint_eq(s.rate_per_minute, 120);
    ck_assert_uint_eq(s.rate_burst, 20);
    ck_assert_uint_eq(s.refused_per_minute, 30);
    ck_assert_str_eq(s.tls_certificate, "");
    ck_assert_str_eq(s.trusted_proxies, "");
    ck_assert(!s.mcp_network_tools);
    ck_assert_str_eq(s.service_name, "ai-code-executor");
    ck_assert_uint_eq(s.service_port, 8030);
    ck_assert_uint_eq(s.log_level, LOG_INFO);
    ck_assert_str_eq(settings_environment_name(&s), "development");
    ck_assert_uint_eq(s.start, SETUP_START_TEMPLATE);
    ck_assert_uint_eq(s.parked, 4);
    ck_assert_uint_eq(s.canary_s, 10);
    ck_assert_uint_eq(
        s.profiles, 1u << PROFILE_RESTRICTED | 1u << PROFILE_STANDARD);
    ck_assert_uint_ne(s.app_uid, s.box_uid);
    ck_assert_uint_eq(s.socket_gid, SETTINGS_NO_ID);
    ck_assert_int_eq(s.sandbox_program[0], '/');
}
END_TEST

/* Every bound, from both sides. */
static const struct {
    const char *assignment;
    bool is_good;
} bounds[] = {
    { "EXECUTION_TIMEOUT=1", true }, { "EXECUTION_TIMEOUT=1.5", true },
    { "EXECUTION_TIMEOUT=300", true }, { "EXECUTION_TIMEOUT=300.000", true },
    { "EXECUTION_TIMEOUT=0", false }, { "EXECUTION_TIMEOUT=0.5", false },
    { "EXECUTION_TIMEOUT=0.999", false },
    { "EXECUTION_TIMEOUT=300.001", false }, { "EXECUTION_TIMEOUT=301", false },
    { "EXECUTION_TIMEOUT=-1", false }, { "EXECUTION_TIMEOUT=1e2", false },
    { "EXECUTION_TIMEOUT=", false }, { "EXECUTION_TIMEOUT=abc", false },
    { "EXECUTION_TIMEOUT=1.", false }, { "EXECUTION_TIMEOUT=.5", false },
    { "EXECUTION_TIMEOUT=1.2.3", false }, { "EXECUTION_TIMEOUT=nan", false },
    { "EXECUTION_TIMEOUT=99999999999999999999", false },
    { "MAX_MEMORY_MB=16", true }, { "MAX_MEMORY_MB=4096", true },
    { "MAX_MEMORY_MB=15", false }, { "MAX_MEMORY_MB=4097", false },
    { "MAX_MEMORY_MB=16.5", false }, { "MAX_MEMORY_MB=0x20", false },
    { "MAX_MEMORY_MB=18446744073709551616", false },
    { "MAX_CPU_PERCENT=10", true }, { "MAX_CPU_PERCENT=100", true },
    { "MAX_CPU_PERCENT=33.3", true }, { "MAX_CPU_PERCENT=9.999", false },
    { "MAX_CPU_PERCENT=100.001", false }, { "MAX_CPU_PERCENT=inf", false },
    { "MAX_CONCURRENT_EXECUTIONS=1", true },
    { "MAX_CONCURRENT_EXECUTIONS=1024", true },
    { "MAX_CONCURRENT_EXECUTIONS=0", false },
    { "MAX_CONCURRENT_EXECUTIONS=1025", false },
    { "MAX_QUEUED_EXECUTIONS=0", true },
    { "MAX_QUEUED_EXECUTIONS=4097", false }, { "QUEUE_TIMEOUT_MS=1", true },
    { "QUEUE_TIMEOUT_MS=0", false }, { "MAX_CODE_BYTES=1", true },
    { "MAX_CODE_BYTES=0", false }, { "MAX_AST_NODES=0", false },
    { "MAX_STDIN_BYTES=0", true }, { "MAX_OUTPUT_BYTES=256", true },
    { "MAX_OUTPUT_BYTES=255", false }, { "MAX_RETURN_BYTES=256", true },
    { "MAX_RETURN_BYTES=255", false }, { "MAX_BODY_BYTES=10000", true },
    { "MAX_BODY_BYTES=9999", false }, /* less than MAX_CODE_BYTES */
    { "ALLOWED_ORIGINS=", true }, { "ALLOWED_ORIGINS=https://a.example", true },
    { "ALLOWED_ORIGINS=https://a.example:8443 , http://[::1]:80", true },
    { "ALLOWED_ORIGINS=*", false },
    { "ALLOWED_ORIGINS=https://*.example.com", false },
    { "ALLOWED_ORIGINS=null", false }, { "ALLOWED_ORIGINS=a.example", false },
    { "ALLOWED_ORIGINS=https://a.example/", false },
    { "ALLOWED_ORIGINS=https://a.example/x", false },
    { "ALLOWED_ORIGINS=https://", false },
    { "ALLOWED_ORIGINS=https://a b", false },
    { "ALLOWED_ORIGINS=https://user@a", false },
    { "ALLOWED_ORIGINS=https://a:0", false },
    { "ALLOWED_ORIGINS=https://a:65536", false },
    { "ALLOWED_ORIGINS=https://a:", false },
    { "ALLOWED_ORIGINS=ftp://a", false },
    { "ALLOWED_ORIGINS=https://[::1", false },
    { "ALLOWED_ORIGINS=https://[zz]", false },
    { "ALLOWED_ORIGINS=https://a\";evil", false }, { "CORS_ORIGINS=*", false },
    { "CORS_ORIGINS=http://localhost:3000", true },
    { "ALLOWED_IMPORTS=statistics, urllib.parse", true },
    { "ALLOWED_IMPORTS=a-b", false }, { "ALLOWED_IMPORTS=1a", false },
    { "ALLOWED_IMPORTS=a..b", false }, { "ALLOWED_IMPORTS=.a", false },
    { "ALLOWED_IMPORTS=a.", false }, { "ALLOWED_IMPORTS=_thread", false },
    { "EXECUTOR_API_TOKEN=abc", true }, { "EXECUTOR_API_TOKEN=a b", false },
    { "EXECUTOR_API_TOKEN=a\tb", false },
    { "EXECUTOR_API_TOKEN=\xc3\xa9", false },
    { "EXECUTOR_PROFILES=standard", true }, { "EXECUTOR_PROFILES=", false },
    { "EXECUTOR_PROFILES=root", false },
    { "EXECUTOR_PROFILES=restricted;standard", false },
    { "EXECUTOR_TOKENS_FILE=/etc/t.json", true },
    { "EXECUTOR_TOKENS_FILE=t.json", false },
    { "METRICS_ALLOW=10.0.0.0/8,::1,fd00::/8,127.0.0.1", true },
    { "METRICS_ALLOW=10.0.0.0/33", false }, { "METRICS_ALLOW=::1/129", false },
    { "METRICS_ALLOW=all", false }, { "METRICS_ALLOW=10.0.0.1;", false },
    { "FASTCGI_ADDRESS=", true }, { "FASTCGI_ADDRESS=127.0.0.1:9000", true },
    { "FASTCGI_ADDRESS=[::1]:9000", true }, { "FASTCGI_ADDRESS=:9000", false },
    { "FASTCGI_ADDRESS=localhost:9000", false },
    { "FASTCGI_ADDRESS=127.0.0.1", false },
    { "FASTCGI_ADDRESS=127.0.0.1:0", false },
    { "FASTCGI_ADDRESS=::1:9000", false }, { "UPSTREAMS=local", true },
    { "UPSTREAMS=local, unix:/run/b.sock ,10.0.0.2:9000", true },
    { "UPSTREAMS=[::1]:9000,app-2.example:9000", true },
    { "UPSTREAMS=", false }, { "UPSTREAMS=here", false },
    { "UPSTREAMS=unix:", false }, { "UPSTREAMS=unix:b.sock", false },
    { "UPSTREAMS=unix:/a\";evil", false }, { "UPSTREAMS=unix:/a:/b", false },
    { "UPSTREAMS=10.0.0.2", false }, { "UPSTREAMS=10.0.0.2:0", false },
    { "UPSTREAMS=[::1]", false }, { "LISTEN_ADDRESSES=0.0.0.0,[::]", true },
    { "LISTEN_ADDRESSES=", false }, { "LISTEN_ADDRESSES=::1", false },
    { "LISTEN_ADDRESSES=localhost", false },
    { "SERVER_NAMES=a.example,[::1]", true }, { "SERVER_NAMES=", false },
    { "SERVER_NAMES=~^.*$", false }, { "RATE_LIMIT_PER_MINUTE=0", true },
    { "RATE_LIMIT_BURST=0", true }, { "SERVICE_PORT=1", true },
    { "SERVICE_PORT=65535", true }, { "SERVICE_PORT=0", false },
    { "SERVICE_PORT=65536", false }, { "SERVICE_NAME=", false },
    { "SERVICE_NAME=a b", false },
    { "ENVIRONMENT=Production", false }, /* no token */
    { "ENVIRONMENT=staging", true }, { "ENVIRONMENT=prodution", false },
    { "LOG_LEVEL=debug", true }, { "LOG_LEVEL=CRITICAL", true },
    { "LOG_LEVEL=LOUD", false }, { "ENABLE_MCP_NETWORK_TOOLS=false", true },
    { "ENABLE_MCP_NETWORK_TOOLS=0", true },
    { "ENABLE_MCP_NETWORK_TOOLS=true", false },
    { "ENABLE_MCP_NETWORK_TOOLS=1", false },
    { "ENABLE_MCP_NETWORK_TOOLS=maybe", false }, { "AUDIT_LOG=", true },
    { "AUDIT_LOG=stderr", true }, { "AUDIT_LOG=/var/log/a", true },
    { "AUDIT_LOG=stdin", false }, { "CANARY_SECONDS=0", false },
    { "SOCKET_PATH=/run/x", true }, { "SOCKET_PATH=", false },
    { "SOCKET_PATH=x", false }, { "SOCKET_GROUP=1234", true },
    { "SOCKET_GROUP=no-such-group", false }, { "APP_USER=12345", true },
    { "APP_USER=0", false }, { "APP_USER=root", false },
    { "APP_USER=no-such-user", false }, { "SANDBOX_USER=root", false },
    { "SANDBOX_PROGRAM=glovebox-sandbox", false },
    { "SANDBOX_START=fresh", true }, { "SANDBOX_START=warm", false },
    { "PARKED_BOXES=0", true }, { "PARKED_BOXES=256", true },
    { "PARKED_BOXES=257", false }, { "RETIRE_BOXES=0", false },
    { "RETIRE_SECONDS=0", false }, { "REFUSED_TOKENS_PER_MINUTE=0", true },
    { "REFUSED_TOKENS_PER_MINUTE=1000001", false },
    { "HTTP_REDIRECT_PORT=0", true }, { "HTTP_REDIRECT_PORT=65536", false },
    { "TRUSTED_PROXIES=10.0.0.0/8, ::1", true },
    { "TRUSTED_PROXIES=proxy.example", false },
    { "TRUSTED_PROXIES=all", false }, { "TLS_CERTIFICATE=", true },
    { "NO_SUCH_SETTING=1", true }, /* not ours: the environment is shared */
};

START_TEST(settings_bound_holds)
{
    const char *assignment = bounds[_i].assignment;
    char name[64];
    struct settings s;
    int err = load(&s, NULL, assignment, NULL);

    ck_assert_msg(
        (err == 0) == bounds[_i].is_good, "%s: %s", assignment, problems);
    (void)snprintf(
        name, sizeof(name), "%.*s", (int)strcspn(assignment, "="), assignment);
    if (err != 0 && strncmp(name, "ENVIRONMENT", 11) != 0)
        ck_assert_msg(
            strstr(problems, name) != NULL, "%s: %s", assignment, problems);
}
END_TEST

START_TEST(settings_longest_value_passes_and_one_more_is_named)
{
    char assignment[1200];
    struct settings s;
    size_t start;

    /* 512 characters of token pass, 513 do not. */
    start =
        (size_t)snprintf(assignment, sizeof(assignment), "EXECUTOR_API_TOKEN=");
    memset(assignment + start, 'a', 513);
    assignment[start + 513] = '\0';
    ck_assert_int_eq(load(&s, NULL, assignment, NULL), -EINVAL);
    assignment[start + 512] = '\0';
    ck_assert_int_eq(load(&s, NULL, assignment, NULL), 0);
    /* 1023 bytes of imports are all that the field can hold. */
    start =
        (size_t)snprintf(assignment, sizeof(assignment), "ALLOWED_IMPORTS=");
    memset(assignment + start, 'a', 1024);
    assignment[start + 1024] = '\0';
    ck_assert_int_eq(load(&s, NULL, assignment, NULL), -EINVAL);
    ck_assert_str_eq(problems, "ALLOWED_IMPORTS is too long");
    assignment[start + 1023] = '\0';
    ck_assert_int_eq(load(&s, NULL, assignment, NULL), 0);
    ck_assert_uint_eq(strlen(s.imports), 1023);
}
END_TEST

START_TEST(settings_all_problems_stand_in_one_line)
{
    struct settings s;

    ck_assert_int_eq(load(&s,
                         "MAX_MEMORY_MB=1\nNONSENSE=2\njunk\n"
                         "LOG_LEVEL=x\n",
                         "EXECUTION_TIMEOUT=9999", "ALLOWED_ORIGINS=*"),
        -EINVAL);
    ck_assert_ptr_nonnull(strstr(problems, "MAX_MEMORY_MB='1'"));
    ck_assert_ptr_nonnull(strstr(problems, "unknown setting 'NONSENSE'"));
    ck_assert_ptr_nonnull(strstr(problems, "line 3"));
    ck_assert_ptr_nonnull(strstr(problems, "LOG_LEVEL='x'"));
    ck_assert_ptr_nonnull(strstr(problems, "from 1 to 300"));
    ck_assert_ptr_nonnull(strstr(problems, "ALLOWED_ORIGINS="));
    ck_assert_ptr_null(strchr(problems, '\n'));
}
END_TEST

START_TEST(settings_line_of_problems_is_cut_to_its_room)
{
    char *envp[] = { NULL };
    char small[40];
    struct settings s;

    ck_assert_int_eq(
        settings_load(&s, "/no/such/file", envp, small, sizeof(small)),
        -EINVAL);
    ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
    ck_assert_str_eq(small + strlen(small) - 3, "...");
}
END_TEST

START_TEST(settings_environment_wins_over_file)
{
    struct settings s;

    ck_assert_int_eq(load(&s, "MAX_MEMORY_MB=64\nMAX_AST_NODES=7\n",
                         "MAX_MEMORY_MB=32", NULL),
        0);
    ck_assert_uint_eq(s.memory_mb, 32);
    ck_assert_uint_eq(s.ast_nodes, 7);
}
END_TEST

START_TEST(settings_bad_value_in_the_file_is_no_problem_when_overridden)
{
    struct settings s;

    ck_assert_int_eq(
        load(&s, "MAX_MEMORY_MB=1\n", "MAX_MEMORY_MB=32", NULL), 0);
    ck_assert_uint_eq(s.memory_mb, 32);
}
END_TEST

START_TEST(settings_file_takes_comments_blanks_quotes_and_crlf)
{
    struct settings s;

    ck_assert_msg(load(&s,
                      "# a comment\r\n\r\n  MAX_AST_NODES = 9 \r\n"
                      "SERVICE_NAME=\"quoted\"\n"
                      "EXECUTOR_API_TOKEN='a#b=c'",
                      NULL, NULL) == 0,
        "%s", problems);
    ck_assert_uint_eq(s.ast_nodes, 9);
    ck_assert_str_eq(s.service_name, "quoted");
    ck_assert_str_eq(s.api_token, "a#b=c");
}
END_TEST

START_TEST(settings_file_with_a_key_twice_is_refused)
{
    struct settings s;

    ck_assert_int_eq(
        load(&s, "MAX_AST_NODES=1\nMAX_AST_NODES=2\n", NULL, NULL), -EINVAL);
    ck_assert_str_eq(problems, "MAX_AST_NODES is in the file twice");
}
END_TEST

START_TEST(settings_file_that_cannot_be_read_is_a_problem)
{
    char *envp[] = { NULL };
    struct settings s;

    ck_assert_int_eq(
        settings_load(&s, "/no/such/file", envp, problems, sizeof(problems)),
        -EINVAL);
    ck_assert_ptr_nonnull(strstr(problems, "/no/such/file"));
    ck_assert_int_eq(
        settings_load(&s, "/dev/zero", envp, problems, sizeof(problems)),
        -EINVAL);
}
END_TEST

START_TEST(settings_file_larger_than_its_bound_is_refused)
{
    struct settings s;
    struct buf b;

    buf_init(&b, SETTINGS_MAX_FILE + 1);
    while (b.len <= SETTINGS_MAX_FILE)
        buf_addc(&b, '\n');
    ck_assert_int_eq(load(&s, b.data, NULL, NULL), -EINVAL);
    b.data[SETTINGS_MAX_FILE] = '\0';
    ck_assert_int_eq(load(&s, b.data, NULL, NULL), 0);
    buf_done(&b);
}
END_TEST

START_TEST(settings_alias_counts_and_may_not_contradict)
{
    struct settings s;

    ck_assert_int_eq(load(&s, NULL, "CORS_ORIGINS=http://a", NULL), 0);
    ck_assert_str_eq(s.origins, "http://a");
    ck_assert_int_eq(
        load(&s, NULL, "CORS_ORIGINS=http://a", "ALLOWED_ORIGINS=http://a"), 0);
    ck_assert_int_eq(
        load(&s, NULL, "CORS_ORIGINS=http://a", "ALLOWED_ORIGINS=http://b"),
        -EINVAL);
    ck_assert_ptr_nonnull(strstr(problems, "ALLOWED_ORIGINS and CORS_ORIGINS"));
    ck_assert_int_eq(
        load(&s, "ALLOWED_ORIGINS=http://b\n", "CORS_ORIGINS=http://a", NULL),
        0);
    ck_assert_str_eq(s.origins, "http://a");
}
END_TEST

START_TEST(settings_lists_are_kept_without_blanks_and_empty_items)
{
    struct settings s;

    ck_assert_int_eq(load(&s, NULL, "ALLOWED_IMPORTS= , a ,, b.c ,", NULL), 0);
    ck_assert_str_eq(s.imports, "a,b.c");
}
END_TEST

static const struct {
    const char *token;
    bool is_good;
} production_tokens[] = {
    { "", false },
    { "kJ8s0Qm2Lx7Vt5Rb9Zc4Wd1", false }, /* 23 characters */
    { "kJ8s0Qm2Lx7Vt5Rb9Zc4Wd1n", true }, /* 24 */
    { "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        true },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
    { "abababababababababababababababab", false },
    { "change-me-please-in-production-1", false },
    { "CHANGEME-CHANGEME-CHANGEME-12345", false },
    { "my-super-secret-token-value-1234", false },
    { "your-token-goes-here-0xKjshd7263", false },
    { "test-token-test-token-test-token", false },
    { "password-password-password-12345", false },
    { "0123456789abcdef0123456789abcdef", false },
};

START_TEST(settings_production_refuses_weak_tokens)
{
    char token[128];
    struct settings s;
    int err;

    (void)snprintf(token, sizeof(token), "EXECUTOR_API_TOKEN=%s",
        production_tokens[_i].token);
    err = load(&s, NULL, "ENVIRONMENT=production", token);
    ck_assert_msg(
        (err == 0) == production_tokens[_i].is_good, "%s: %s", token, problems);
    if (err != 0)
        ck_assert_ptr_nonnull(strstr(problems, "EXECUTOR_API_TOKEN"));
    /* Development takes any. */
    ck_assert_int_eq(load(&s, NULL, token, NULL), 0);
}
END_TEST

START_TEST(settings_production_is_content_with_a_tokens_file)
{
    struct settings s;

    ck_assert_int_eq(load(&s, NULL, "ENVIRONMENT=production",
                         "EXECUTOR_TOKENS_FILE=/etc/glovebox/tokens.json"),
        0);
}
END_TEST

START_TEST(settings_no_problem_shows_a_secret)
{
    struct settings s;

    ck_assert_int_eq(
        load(&s, NULL, "ENVIRONMENT=production", "EXECUTOR_API_TOKEN=hunter2"),
        -EINVAL);
    ck_assert_ptr_null(strstr(problems, "hunter2"));
    ck_assert_int_eq(
        load(&s, NULL, "EXECUTOR_API_TOKEN=hunter2 x", NULL), -EINVAL);
    ck_assert_ptr_null(strstr(problems, "hunter2"));
}
END_TEST

START_TEST(settings_values_in_problems_are_harmless)
{
    struct settings s;

    ck_assert_int_eq(
        load(&s, NULL, "LOG_LEVEL=x'; y\xff%s%n\x1b[2J", NULL), -EINVAL);
    for (const char *c = problems; *c != '\0'; c++)
        ck_assert(*c >= ' ' && *c <= '~');
}
END_TEST

START_TEST(settings_app_and_sandbox_must_be_different_users)
{
    struct settings s;

    ck_assert_int_eq(
        load(&s, NULL, "APP_USER=5000", "SANDBOX_USER=5000"), -EINVAL);
    ck_assert_ptr_nonnull(strstr(problems, "must differ"));
}
END_TEST

START_TEST(settings_tls_needs_certificate_and_key)
{
    static const struct {
        const char *certificate, *key, *file, *why; /* NULL: it is good */
    } cases[] = {
        { "TLS_CERTIFICATE=/c", "TLS_KEY=/k", NULL, NULL },
        { "TLS_CERTIFICATE=/c", "TLS_KEY=/k", "HTTP_REDIRECT_PORT=80", NULL },
        { "TLS_CERTIFICATE=/c", "TLS_KEY=", NULL, "both or not at all" },
        { "TLS_CERTIFICATE=", "TLS_KEY=/k", NULL, "both or not at all" },
        { "TLS_CERTIFICATE=c", "TLS_KEY=/k", NULL, "absolute path" },
        { "TLS_CERTIFICATE=", "TLS_KEY=", "HTTP_REDIRECT_PORT=80",
            "no https to go to" },
        { "TLS_CERTIFICATE=/c", "TLS_KEY=/k", "HTTP_REDIRECT_PORT=8030",
            "must differ" },
    };
    struct settings s;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *why = cases[i].why;
        int err = load(&s, cases[i].file, cases[i].certificate, cases[i].key);

        ck_assert_msg((err == 0) == (why == NULL), "case %zu: %s", i, problems);
        if (why != NULL)
            ck_assert_msg(
                strstr(problems, why) != NULL, "case %zu: %s", i, problems);
    }
}
END_TEST

START_TEST(settings_cpu_time_is_a_share_of_wall_time_but_a_second_at_least)
{
    struct settings s;

    ck_assert_int_eq(load(&s, NULL, "MAX_CPU_PERCENT=50", NULL), 0);
    ck_assert_uint_eq(settings_cpu_ms(&s, 30000), 15000);
    ck_assert_uint_eq(settings_cpu_ms(&s, 2000), 1000);
    ck_assert_uint_eq(settings_cpu_ms(&s, 2002), 1001);
    ck_assert_uint_eq(settings_cpu_ms(&s, 1), 1000);
    ck_assert_int_eq(load(&s, NULL, "MAX_CPU_PERCENT=100", NULL), 0);
    ck_assert_uint_eq(settings_cpu_ms(&s, 300000), 300000);
}
END_TEST

START_TEST(settings_setup_carries_every_bound)
{
    struct settings s;
    struct setup setup;

    ck_assert_int_eq(load(&s,
                         "EXECUTION_TIMEOUT=2\nMAX_MEMORY_MB=64\n"
                         "MAX_CODE_BYTES=11\nMAX_AST_NODES=12\n"
                         "MAX_STDIN_BYTES=13\nMAX_OUTPUT_BYTES=1400\n"
                         "MAX_RETURN_BYTES=1500\nALLOWED_IMPORTS=abc\n"
                         "PARKED_BOXES=3\nRETIRE_BOXES=17\n"
                         "RETIRE_SECONDS=18\nSANDBOX_START=fresh\n"
                         "EXECUTOR_PROFILES=standard\nSANDBOX_USER=4242\n"
                         "LOG_LEVEL=ERROR\n",
                         NULL, NULL),
        0);
    settings_to_setup(&s, &setup);
    ck_assert_uint_eq(setup.wall_ms, 2000);
    ck_assert_uint_eq(setup.cpu_ms, 1000);
    ck_assert_uint_eq(setup.memory_bytes, 64 << 20);
    ck_assert_uint_eq(setup.code_bytes, 11);
    ck_assert_uint_eq(setup.context_bytes, 1048576);
    ck_assert_uint_eq(setup.ast_nodes, 12);
    ck_assert_uint_eq(setup.stdin_bytes, 13);
    ck_assert_uint_eq(setup.output_bytes, 1400);
    ck_assert_uint_eq(setup.return_bytes, 1500);
    ck_assert_str_eq(setup.imports, "abc");
    ck_assert_uint_eq(setup.parked, 3);
    ck_assert_uint_eq(setup.retire_boxes, 17);
    ck_assert_uint_eq(setup.retire_s, 18);
    ck_assert_uint_eq(setup.start, SETUP_START_FRESH);
    ck_assert_uint_eq(setup.log_level, LOG_ERROR);
    /* restricted is kept too: the canary and the preset need it. */
    ck_assert_uint_eq(
        setup.profiles, 1u << PROFILE_RESTRICTED | 1u << PROFILE_STANDARD);
}
END_TEST

START_TEST(settings_tokens_file_keeps_every_profile_ready)
{
    struct settings s;
    struct setup setup;

    ck_assert_int_eq(load(&s, NULL, "EXECUTOR_PROFILES=restricted", NULL), 0);
    settings_to_setup(&s, &setup);
    ck_assert_uint_eq(setup.profiles, 1u << PROFILE_RESTRICTED);
    ck_assert_int_eq(load(&s, NULL, "EXECUTOR_PROFILES=restricted",
                         "EXECUTOR_TOKENS_FILE=/x"),
        0);
    settings_to_setup(&s, &setup);
    ck_assert_uint_eq(setup.profiles, (1u << PROFILE_COUNT) - 1);
}
END_TEST

static char *
print(const struct settings *s)
{
    struct buf b;

    buf_init(&b, SETTINGS_MAX_PRINT);
    settings_print(s, &b);
    ck_assert(buf_ok(&b));
    return b.data;
}

START_TEST(settings_print_reads_back_as_the_same)
{
    struct settings s, again;
    char *text, *second;

    ck_assert_int_eq(load(&s,
                         "EXECUTION_TIMEOUT=2.125\nMAX_CPU_PERCENT=33.3\n"
                         "ALLOWED_ORIGINS=http://a,https://b:1\n"
                         "EXECUTOR_PROFILES=standard\nLOG_LEVEL=warn\n"
                         "ENVIRONMENT=test\nSANDBOX_START=fresh\n"
                         "AUDIT_LOG=\"\"\nSANDBOX_PROGRAM=\"/a b/c\"\n",
                         NULL, NULL),
        0);
    text = print(&s);
    ck_assert_msg(load(&again, text, NULL, NULL) == 0, "%s", problems);
    ck_assert_int_eq(memcmp(&s, &again, sizeof(s)), 0);
    second = print(&again);
    ck_assert_str_eq(text, second);
    free(text);
    free(second);
}
END_TEST

START_TEST(settings_print_never_shows_the_token)
{
    struct settings s, again;
    char *text;

    ck_assert_int_eq(
        load(&s, NULL, "EXECUTOR_API_TOKEN=hunter2-hunter2", NULL), 0);
    text = print(&s);
    ck_assert_ptr_null(strstr(text, "hunter2"));
    /* What stands there instead must not become a token. */
    ck_assert_int_eq(load(&again, text, NULL, NULL), 0);
    ck_assert_str_eq(again.api_token, "");
    free(text);
}
END_TEST

START_TEST(settings_quotes_in_a_path_survive_printing)
{
    struct settings s, again;
    char *text;

    ck_assert_int_eq(load(&s, NULL, "SANDBOX_PROGRAM=/x'y\"z", NULL), 0);
    text = print(&s);
    ck_assert_int_eq(load(&again, text, NULL, NULL), 0);
    ck_assert_str_eq(again.sandbox_program, "/x'y\"z");
    free(text);
}
END_TEST

START_TEST(settings_markdown_has_a_line_for_every_printed_row)
{
    struct settings s;
    struct buf b;
    char *text, *line;

    ck_assert_int_eq(load(&s, NULL, NULL, NULL), 0);
    text = print(&s);
    buf_init(&b, SETTINGS_MAX_PRINT);
    settings_print_markdown(&b);
    ck_assert(buf_ok(&b));
    for (line = text; line != NULL;) {
        char name[80];
        char *next = strchr(line, '\n');

        if (line[0] >= 'A' && line[0] <= 'Z') {
            (void)snprintf(
                name, sizeof(name), "| `%.*s`", (int)strcspn(line, "="), line);
            ck_assert_msg(strstr(b.data, name) != NULL, "%s", name);
        }
        line = next == NULL ? NULL : next + 1;
    }
    free(text);
    buf_done(&b);
}
END_TEST

START_TEST(settings_adopt_takes_what_may_change_and_names_the_rest)
{
    struct settings now, fresh;
    char kept[256];

    ck_assert_int_eq(load(&now, NULL, NULL, NULL), 0);
    ck_assert_int_eq(load(&fresh,
                         "EXECUTOR_API_TOKEN=abc\nLOG_LEVEL=ERROR\n"
                         "EXECUTOR_TOKENS_FILE=/t\nMAX_MEMORY_MB=64\n"
                         "SOCKET_PATH=/s\n",
                         NULL, NULL),
        0);
    settings_adopt(&now, &fresh, kept, sizeof(kept));
    ck_assert_str_eq(kept, "MAX_MEMORY_MB,SOCKET_PATH");
    ck_assert_str_eq(now.api_token, "abc");
    ck_assert_str_eq(now.tokens_file, "/t");
    ck_assert_uint_eq(now.log_level, LOG_ERROR);
    ck_assert_uint_eq(now.memory_mb, 128);
    settings_adopt(&fresh, &fresh, kept, sizeof(kept));
    ck_assert_str_eq(kept, "");
}
END_TEST

START_TEST(settings_forget_leaves_no_byte_of_the_token)
{
    struct settings s;

    ck_assert_int_eq(load(&s, NULL, "EXECUTOR_API_TOKEN=abcdef", NULL), 0);
    settings_forget_secrets(&s);
    for (size_t i = 0; i < sizeof(s.api_token); i++)
        ck_assert_int_eq(s.api_token[i], 0);
}
END_TEST

Suite *
suite_settings(void)
{
    Suite *s = suite_create("settings");
    TCase *t = tcase_create("settings");

    tcase_add_test(t, settings_presets_are_those_of_the_contract);
    tcase_add_loop_test(
        t, settings_bound_holds, 0, sizeof(bounds) / sizeof(bounds[0]));
    tcase_add_test(t, settings_longest_value_passes_and_one_more_is_named);
    tcase_add_test(t, settings_all_problems_stand_in_one_line);
    tcase_add_test(t, settings_line_of_problems_is_cut_to_its_room);
    tcase_add_test(t, settings_environment_wins_over_file);
    tcase_add_test(
        t, settings_bad_value_in_the_file_is_no_problem_when_overridden);
    tcase_add_test(t, settings_file_takes_comments_blanks_quotes_and_crlf);
    tcase_add_test(t, settings_file_with_a_key_twice_is_refused);
    tcase_add_test(t, settings_file_that_cannot_be_read_is_a_problem);
    tcase_add_test(t, settings_file_larger_than_its_bound_is_refused);
    tcase_add_test(t, settings_alias_counts_and_may_not_contradict);
    tcase_add_test(t, settings_lists_are_kept_without_blanks_and_empty_items);
    tcase_add_loop_test(t, settings_production_refuses_weak_tokens, 0,
        sizeof(production_tokens) / sizeof(production_tokens[0]));
    tcase_add_test(t, settings_production_is_content_with_a_tokens_file);
    tcase_add_test(t, settings_no_problem_shows_a_secret);
    tcase_add_test(t, settings_values_in_problems_are_harmless);
    tcase_add_test(t, settings_app_and_sandbox_must_be_different_users);
    tcase_add_test(t, settings_tls_needs_certificate_and_key);
    tcase_add_test(
        t, settings_cpu_time_is_a_share_of_wall_time_but_a_second_at_least);
    tcase_add_test(t, settings_setup_carries_every_bound);
    tcase_add_test(t, settings_tokens_file_keeps_every_profile_ready);
    tcase_add_test(t, settings_print_reads_back_as_the_same);
    tcase_add_test(t, settings_print_never_shows_the_token);
    tcase_add_test(t, settings_quotes_in_a_path_survive_printing);
    tcase_add_test(t, settings_markdown_has_a_line_for_every_printed_row);
    tcase_add_test(t, settings_adopt_takes_what_may_change_and_names_the_rest);
    tcase_add_test(t, settings_forget_leaves_no_byte_of_the_token);
    suite_add_tcase(s, t);
    return s;
}
