/*
 * gloveboxctl mcp - the service's /mcp for clients that start a program
 *
 * Reads JSON-RPC messages, one a line, from standard input and writes those
 * of the service to standard output (fcgi-app/bridge).  The token comes from a
 * file or from the environment, never as an argument, where other users could
 * see it.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "fcgi-app/bridge/bridge.h"
#include "fcgi-app/ctl/ctl.h"
#include "fcgi-app/whole_file.h"
#include "sandbox/base/fdio.h"

#define CTL_MCP_URL "http://127.0.0.1:8030/mcp"
#define CTL_MCP_SILENCE_S 300

struct ctl_mcp {
    const char *url;
    const char *token_file;
    bool may_leave;
    uint64_t silence_s;
};

static int
ctl_mcp_complain(const char *what, const char *detail)
{
    (void)fprintf(stderr, "gloveboxctl mcp: %s: %s\n", what, detail);
    return CTL_NOT_DONE;
}

static int
ctl_mcp_options(int argc, char **argv, struct ctl_mcp *o)
{
    static const struct option known[] = {
        { "url", required_argument, NULL, 'u' },
        { "token-file", required_argument, NULL, 't' },
        { "timeout", required_argument, NULL, 's' },
        { "allow-plain", no_argument, NULL, 'p' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == '?')
            return CTL_NOT_DONE;
        if (c == 'u')
            o->url = optarg;
        if (c == 't')
            o->token_file = optarg;
        if (c == 'p')
            o->may_leave = true;
        if (c == 's' &&
            (parse_u64(optarg, 86400, &o->silence_s) != 0 || o->silence_s == 0))
            return ctl_mcp_complain(optarg, "not a number of seconds");
    }
    if (optind < argc)
        return ctl_mcp_complain("not expected", argv[optind]);
    return CTL_OK;
}

/* The first line of the file, or the environment's. */
static int
ctl_mcp_token(const struct ctl_mcp *o, struct endpoint *e)
{
    const char *from = o->token_file, *value = getenv("EXECUTOR_API_TOKEN");
    struct buf text;
    int error = 0;
    bool is_set = false;

    if (from == NULL && value == NULL)
        return ctl_mcp_complain(
            "no token", "give --token-file, or set EXECUTOR_API_TOKEN");
    buf_init(&text, 4096);
    if (from != NULL)
        error = whole_file_read(from, &text);
    else
        buf_adds(&text, value);
    if (error == 0 && text.len > 0)
        is_set = endpoint_set_token(
            e, view_of(text.data, strcspn(text.data, "\r\n")));
    buf_done(&text);
    if (is_set)
        return CTL_OK;
    return ctl_mcp_complain(from != NULL ? from : "EXECUTOR_API_TOKEN",
        error != 0 ? strerror(-error)
                   : "not a token: 1 to 1024 visible ASCII characters");
}

int
ctl_mcp(int argc, char **argv)
{
    struct ctl_mcp options = { .url = CTL_MCP_URL,
        .silence_s = CTL_MCP_SILENCE_S };
    struct bridge_options pipes = { .in_fd = STDIN_FILENO,
        .out_fd = STDOUT_FILENO };
    struct endpoint endpoint;
    char problem[1024];
    int status, error;

    status = ctl_mcp_options(argc, argv, &options);
    if (status != CTL_OK)
        return status;
    pipes.silence_ms = (unsigned)options.silence_s * 1000;
    if (endpoint_init(&endpoint, options.url, options.may_leave, problem,
            sizeof(problem)) != 0) {
        (void)fprintf(stderr, "gloveboxctl mcp: %s\n", problem);
        return CTL_NOT_DONE;
    }
    status = ctl_mcp_token(&options, &endpoint);
    /* A client that is gone is noticed by the loop. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (status == CTL_OK && (error = bridge_run(&endpoint, &pipes)) != 0)
        status = ctl_mcp_complain("standard input or output", strerror(-error));
    endpoint_done(&endpoint);
    return status;
}
