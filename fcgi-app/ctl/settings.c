/* gloveboxctl settings - what is in force, in the file's own format */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "fcgi-app/ctl/ctl.h"
#include "fcgi-app/settings/settings.h"

static int
ctl_settings_print(const char *config_file, struct buf *text)
{
    static char problems[8192];
    struct settings settings;

    if (settings_load(
            &settings, config_file, environ, problems, sizeof(problems)) != 0) {
        (void)fprintf(stderr, "gloveboxctl: %s\n", problems);
        return CTL_NOT_DONE;
    }
    settings_print(&settings, text);
    settings_forget_secrets(&settings);
    return CTL_OK;
}

int
ctl_settings(int argc, char **argv)
{
    static const struct option known[] = {
        { "config", required_argument, NULL, 'c' },
        { "markdown", no_argument, NULL, 'm' },
        { 0 },
    };
    const char *config_file = NULL;
    bool is_markdown = false;
    int c, status = CTL_OK;
    struct buf text;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == '?')
            return CTL_NOT_DONE;
        if (c == 'c')
            config_file = optarg;
        if (c == 'm')
            is_markdown = true;
    }
    if (optind < argc) {
        (void)fprintf(
            stderr, "gloveboxctl settings: not expected: %s\n", argv[optind]);
        return CTL_NOT_DONE;
    }
    buf_init(&text, SETTINGS_MAX_PRINT);
    if (is_markdown)
        settings_print_markdown(&text);
    else
        status = ctl_settings_print(config_file, &text);
    if (status == CTL_OK &&
        (!buf_ok(&text) || fwrite(text.data, 1, text.len, stdout) != text.len))
        status = CTL_NOT_DONE;
    buf_done(&text);
    return status;
}
