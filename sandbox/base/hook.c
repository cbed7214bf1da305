/* hook - what a test wants to go wrong, in test builds only */
#include "sandbox/base/hook.h"

#ifdef GLOVEBOX_TEST_HOOKS

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"

#define HOOK_SUFFIX ".hook"
#define HOOK_MAX 4096

/* "\nverb:what\nverb:what\n", or empty */
static const char *
hook_text(void)
{
    static char text[HOOK_MAX + 3];
    static bool is_read;
    char path[PATH_MAX + sizeof(HOOK_SUFFIX)];
    AUTO_FD fd = -1;
    ssize_t n;

    if (is_read)
        return text;
    is_read = true;
    n = readlink("/proc/self/exe", path, PATH_MAX);
    if (n < 0)
        return text;
    memcpy(path + n, HOOK_SUFFIX, sizeof(HOOK_SUFFIX));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return text;
    n = read(fd, text + 1, HOOK_MAX);
    if (n > 0) {
        text[0] = '\n';
        text[n + 1] = '\n';
    }
    return text;
}

bool
hook_has(const char *verb, const char *what)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "\n%s:%s\n", verb, what);
    return strstr(hook_text(), line) != NULL;
}

bool
hook_has_row(const char *verb, size_t number, const char *name)
{
    char digits[24];

    (void)snprintf(digits, sizeof(digits), "%zu", number);
    return hook_has(verb, digits) || hook_has(verb, name);
}

#endif
