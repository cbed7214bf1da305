/* gloveboxctl - the table of verbs */
#include <stdio.h>
#include <string.h>

#include "fcgi-app/ctl/ctl.h"
#include "sandbox/base/log.h"

static ctl_verb ctl_help;
static ctl_verb ctl_version;

static const struct {
    const char *name;
    const char *arguments;
    const char *sentence;
    ctl_verb *run;
} ctl_verbs[] = {
    { "run",
        "[--profile P] [--timeout S] [--stdin FILE] [--context JSON]\n"
        "      [--config FILE] FILE|-",
        "Run a program in a box, without the service.", ctl_run },
    { "audit", "verify [--head DIGEST] [--allow-restarts] FILE...",
        "Check the chain of audit files, oldest first; '-' reads standard "
        "input.",
        ctl_audit },
    { "check", "[--config FILE] [--no-trial] [--json]",
        "Is this machine fit for the service: what is missing, and the "
        "remedy.",
        ctl_check },
    { "mcp", "[--url URL] [--token-file FILE] [--timeout S] [--allow-plain]",
        "Carry MCP messages between standard input and output and the "
        "service.",
        ctl_mcp },
    { "settings", "[--config FILE] [--markdown]",
        "Show the settings in force, secrets masked.", ctl_settings },
    { "token",
        "new --id ID [--profiles A,B] [--expires T] [--not-before T]\n"
        "      [--rate N] [--timeout S] [--memory MB] [--concurrent N]\n"
        "      [--code-bytes N]\n"
        "  token list | revoke --id ID [--oldest] | check\n"
        "      each with [--file FILE] or [--config FILE]",
        "Make, list, revoke or look up the tokens of "
        "EXECUTOR_TOKENS_FILE.",
        ctl_token },
    { "version", "", "Print the version.", ctl_version },
    { "help", "", "Print this.", ctl_help },
};
#define CTL_VERB_COUNT (sizeof(ctl_verbs) / sizeof(ctl_verbs[0]))

static int
ctl_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    (void)puts("usage: gloveboxctl VERB ...\n");
    for (size_t i = 0; i < CTL_VERB_COUNT; i++)
        (void)printf("  %s %s\n      %s\n", ctl_verbs[i].name,
            ctl_verbs[i].arguments, ctl_verbs[i].sentence);
    (void)puts("\nexit status: 0 done, 1 the program failed, the trail is\n"
               "broken or the machine is not fit, 2 not done");
    return CTL_OK;
}

static int
ctl_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    (void)puts("gloveboxctl " GLOVEBOX_VERSION);
    return CTL_OK;
}

int
main(int argc, char **argv)
{
    log_open("ctl", LOG_ERROR); /* a layer that is off is the service's news */
    for (size_t i = 0; argc > 1 && i < CTL_VERB_COUNT; i++)
        if (strcmp(argv[1], ctl_verbs[i].name) == 0)
            return ctl_verbs[i].run(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return ctl_help(argc, argv);
    if (argc > 1)
        (void)fprintf(stderr, "gloveboxctl: no such verb: %s\n", argv[1]);
    (void)fputs("usage: gloveboxctl VERB ...; see gloveboxctl help\n", stderr);
    return CTL_NOT_DONE;
}
