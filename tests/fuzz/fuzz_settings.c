/*
 * fuzz_settings - any file gives settings, or a line of problems
 *
 * Settings that load must print as a file that loads as the same again, with
 * the token, which is not printed, given in the environment.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fcgi-app/settings/settings.h"
#include "sandbox/base/fdio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool is_so)
{
    if (!is_so)
        abort();
}

static int
load(struct settings *s, const void *text, size_t len, char *token,
    char *problems, size_t problems_size)
{
    char *envp[] = { token, NULL };
    char path[32];
    int fd = memfd_create("settings", MFD_CLOEXEC), err;

    must(fd >= 0 && fd_pwrite_all(fd, text, len, 0) == 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    err = settings_load(s, path, envp, problems, problems_size);
    (void)close(fd);
    return err;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct settings once, twice;
    char problems[512], token[SETTINGS_MAX_TEXT + 32];
    struct buf text;

    if (load(&once, data, size, NULL, problems, sizeof(problems)) != 0) {
        must(problems[0] != '\0' && strchr(problems, '\n') == NULL);
        return 0;
    }
    (void)snprintf(
        token, sizeof(token), "EXECUTOR_API_TOKEN=%s", once.api_token);
    buf_init(&text, SETTINGS_MAX_PRINT);
    settings_print(&once, &text);
    must(buf_ok(&text));
    must(load(&twice, text.data, text.len, token, problems, sizeof(problems)) ==
         0);
    must(memcmp(&once, &twice, sizeof(once)) == 0);
    buf_done(&text);
    return 0;
}
