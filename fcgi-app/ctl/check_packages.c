/*
 * check_packages - versions, as dpkg's own record has them
 *
 * The record is read and not dpkg-query asked: it is the same on every
 * Debian, and no program has to be found and run.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/ctl/check.h"
#include "sandbox/base/cleanup.h"

#define PACKAGES_MAX_RECORD ((size_t)64 << 20)
#define PACKAGES_MAX_VERSION 64

/* CVE-2025-23016: a length that overflows while parameters are read. */
#define LIBFCGI_FIXED "2.4.2-2+deb12u1"

/* --- versions ---------------------------------------------------------------
 */

/* "~" before the end, the end before letters, letters before the rest. */
static int
version_rank(char c)
{
    if (c == '~')
        return -1;
    if (c == '\0' || isdigit((unsigned char)c))
        return 0;
    if (isalpha((unsigned char)c))
        return (unsigned char)c;
    return (unsigned char)c + 256;
}

static int
version_compare_part(const char *a, const char *b)
{
    while (*a != '\0' || *b != '\0') {
        char *a_end, *b_end;
        unsigned long a_number, b_number;

        while ((*a != '\0' && !isdigit((unsigned char)*a)) ||
               (*b != '\0' && !isdigit((unsigned char)*b))) {
            int order = version_rank(*a) - version_rank(*b);

            if (order != 0)
                return order;
            a++;
            b++;
        }
        a_number = strtoul(a, &a_end, 10);
        b_number = strtoul(b, &b_end, 10);
        if (a_number != b_number)
            return a_number < b_number ? -1 : 1;
        a = a_end;
        b = b_end;
    }
    return 0;
}

/* [epoch:]upstream[-revision] */
struct version {
    unsigned long epoch;
    char upstream[PACKAGES_MAX_VERSION];
    const char *revision; /* in the same array, or "" */
};

static void
version_split(const char *text, struct version *v)
{
    const char *colon = strchr(text, ':');
    char *dash;

    v->epoch = colon != NULL ? strtoul(text, NULL, 10) : 0;
    (void)snprintf(v->upstream, sizeof(v->upstream), "%s",
        colon != NULL ? colon + 1 : text);
    dash = strrchr(v->upstream, '-');
    v->revision = dash != NULL ? dash + 1 : "";
    if (dash != NULL)
        *dash = '\0';
}

int
check_version_compare(const char *a, const char *b)
{
    struct version x, y;
    int order;

    version_split(a, &x);
    version_split(b, &y);
    if (x.epoch != y.epoch)
        return x.epoch < y.epoch ? -1 : 1;
    order = version_compare_part(x.upstream, y.upstream);
    return order != 0 ? order : version_compare_part(x.revision, y.revision);
}

/* --- the record -------------------------------------------------------------
 */

static int
packages_open(const struct check_host *host, FILE **ret_file)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/var/lib/dpkg/status", host->root);
    *ret_file = fopen(path, "re");
    return *ret_file != NULL ? 0 : -errno;
}

/*
 * One paragraph a package: Package, Status and Version in this order, then an
 * empty line.  Returns 0, -ESRCH when it is not installed, or -errno.
 */
static int
packages_find(
    const struct check_host *host, const char *name, char *version, size_t size)
{
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    bool is_it = false, is_installed = false;
    FILE *record;
    int r = packages_open(host, &record);

    if (r < 0)
        return r;
    r = -ESRCH;
    while (r != 0 && getline(&line, &room, record) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "Package: ", 9) == 0) {
            is_it = strcmp(line + 9, name) == 0;
            is_installed = false;
        } else if (is_it && strncmp(line, "Status: ", 8) == 0) {
            is_installed = strstr(line, " installed") != NULL;
        } else if (is_installed && strncmp(line, "Version: ", 9) == 0) {
            (void)snprintf(version, size, "%s", line + 9);
            r = 0;
        }
    }
    (void)fclose(record);
    return r;
}

/* The first of these names that is installed. */
static int
packages_find_any(const struct check_host *host, const char *const *names,
    char *version, size_t size, const char **ret_name)
{
    int r = -ESRCH;

    for (size_t i = 0; names[i] != NULL && r != 0; i++) {
        r = packages_find(host, names[i], version, size);
        *ret_name = names[i];
    }
    return r;
}

/*
 * A warning and no failure: only nginx's workers can write to the socket that
 * the library reads.
 */
void
check_libfcgi(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    static const char *const names[] = { "libfcgi0ldbl", "libfcgi0t64",
        "libfcgi0", NULL };
    char version[PACKAGES_MAX_VERSION];
    const char *name;
    int r = packages_find_any(host, names, version, sizeof(version), &name);

    (void)row;
    if (r == -ESRCH)
        check_say(f, CHECK_WARN, "not installed by dpkg: version not known");
    else if (r < 0)
        check_say(f, CHECK_OK, "no record of dpkg: version not known");
    else if (check_version_compare(version, LIBFCGI_FIXED) < 0)
        check_say(f, CHECK_WARN, "%s %s has CVE-2025-23016, mended in %s", name,
            version, LIBFCGI_FIXED);
    else
        check_say(f, CHECK_OK, "%s %s", name, version);
}

/* Recorded, so that a report of a fault says what was there. */
void
check_packages(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    static const char *const names[][5] = {
        { "nginx", "nginx-light", "nginx-core", NULL },
        { "libpython3.11", "libpython3.11-minimal", NULL },
        { "libseccomp2", NULL },
        { "libjson-c5", NULL },
        { "libc6", NULL },
    };
    char version[PACKAGES_MAX_VERSION];
    const char *name;
    size_t len = 0;
    int r;

    (void)row;
    f->level = CHECK_OK;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        r = packages_find_any(host, names[i], version, sizeof(version), &name);
        if (r != 0 && r != -ESRCH) {
            check_say(f, CHECK_OK, "no record of dpkg: versions not known");
            return;
        }
        len += (size_t)snprintf(f->text + len, sizeof(f->text) - len, "%s%s %s",
            i > 0 ? ", " : "", r == 0 ? name : names[i][0],
            r == 0 ? version : "not installed");
    }
}
