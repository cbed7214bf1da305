/*
 * gloveboxctl audit - is this audit trail the one that was written?
 *
 * Prints what is wrong with which line of which file, then how far the trail
 * goes and the digest of its last line.  The service logs that digest when it
 * opens a file again or stops; --head compares the two, which is how lines
 * cut off at the end are found.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fcgi-app/audit/verify.h"
#include "fcgi-app/ctl/ctl.h"

struct ctl_audit {
    struct verify verify;
    unsigned problems;
    bool may_restart; /* a new trail inside is no problem */
};

/* One line up to its newline, which is not kept; false at the end. */
static bool
ctl_audit_read(FILE *f, struct buf *line, bool *ret_is_whole)
{
    int c;

    buf_reset(line);
    line->failed = false;
    while ((c = getc_unlocked(f)) != EOF && c != '\n')
        buf_addc(line, (char)c);
    *ret_is_whole = c == '\n' && buf_ok(line);
    return c == '\n' || line->len > 0;
}

static void
ctl_audit_lines(struct ctl_audit *a, FILE *f, const char *name)
{
    unsigned long long number = 0;
    enum verify_finding found;
    struct buf line;
    bool is_whole;

    buf_init(&line, CHAIN_MAX_LINE);
    while (ctl_audit_read(f, &line, &is_whole)) {
        number++;
        found = verify_line(&a->verify,
            view_of(line.len > 0 ? line.data : "", line.len), is_whole);
        if (found == VERIFY_GOOD)
            continue;
        (void)printf("%s:%llu: %s\n", name, number, verify_sentence(found));
        if (found != VERIFY_RESTARTED || !a->may_restart)
            a->problems++;
    }
    buf_done(&line);
}

static int
ctl_audit_file(struct ctl_audit *a, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(path, "re");
    int status = CTL_OK;

    if (f == NULL) {
        (void)fprintf(
            stderr, "gloveboxctl audit: %s: %s\n", path, strerror(errno));
        return CTL_NOT_DONE;
    }
    ctl_audit_lines(a, f, is_stdin ? "standard input" : path);
    if (ferror(f)) {
        (void)fprintf(stderr, "gloveboxctl audit: %s: cannot be read\n", path);
        status = CTL_NOT_DONE;
    }
    if (!is_stdin)
        (void)fclose(f);
    return status;
}

static int
ctl_audit_report(struct ctl_audit *a, const char *head)
{
    const struct verify *v = &a->verify;
    char hex[SHA256_HEX];

    sha256_to_hex(v->last.digest, hex);
    if (head != NULL && strcasecmp(head, hex) != 0) {
        (void)printf("the last line is not the one with the digest %s\n", head);
        a->problems++;
    }
    (void)printf("lines=%llu first=%llu last=%llu head=%s problems=%u\n",
        (unsigned long long)v->lines, (unsigned long long)v->first_seq,
        (unsigned long long)v->last.seq, hex, a->problems);
    return a->problems == 0 ? CTL_OK : CTL_FAILED;
}

static int
ctl_audit_usage(void)
{
    (void)fputs("usage: gloveboxctl audit verify [--head DIGEST] "
                "[--allow-restarts] FILE...\n",
        stderr);
    return CTL_NOT_DONE;
}

int
ctl_audit(int argc, char **argv)
{
    static const struct option known[] = {
        { "head", required_argument, NULL, 'h' },
        { "allow-restarts", no_argument, NULL, 'r' },
        { 0 },
    };
    struct ctl_audit audit = { 0 };
    const char *head = NULL;
    int c;

    if (argc < 2 || strcmp(argv[1], "verify") != 0)
        return ctl_audit_usage();
    while ((c = getopt_long(argc - 1, argv + 1, "", known, NULL)) != -1) {
        if (c == '?')
            return ctl_audit_usage();
        if (c == 'h')
            head = optarg;
        if (c == 'r')
            audit.may_restart = true;
    }
    if (optind + 1 >= argc)
        return ctl_audit_usage();
    verify_init(&audit.verify);
    for (int i = optind + 1; i < argc; i++) {
        if (ctl_audit_file(&audit, argv[i]) != CTL_OK)
            return CTL_NOT_DONE;
    }
    return ctl_audit_report(&audit, head);
}
