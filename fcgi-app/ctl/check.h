/*
 * check - is this machine fit for the service: the table of what is looked at
 *
 * Each row has a name, a function that looks and a remedy.  What is found is
 *
 *   ok    nothing to do; may carry a note
 *   warn  the service works, but something that helps is missing
 *   fail  the service would refuse to start, or would not be safe
 *
 * A function only judges.  What it judges was asked of the kernel before
 * (struct check_facts) or is read from files below `root`, so that a test can
 * show it any machine there might be.
 *
 * Not for: the settings themselves, which are checked when they are read.
 */
#ifndef GLOVEBOX_CTL_CHECK_H
#define GLOVEBOX_CTL_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "fcgi-app/settings/settings.h"
#include "sandbox/base/buf.h"

enum check_level {
    CHECK_OK,
    CHECK_WARN,
    CHECK_FAIL,
};

/* What only a system call can tell; 0 or -errno where nothing else is said. */
struct check_facts {
    char release[65]; /* uname -r */
    int landlock_abi; /* or -errno */
    int user_ns; /* made as SANDBOX_USER, with a mount namespace in it */
    int seccomp; /* a filter that kills */
    int notify; /* a filter that asks */
    int pidfd;
    int clone3;
    int no_exec_gain; /* PR_SET_MDWE */
    struct rlimit files, processes, locked;
};

/* The machine, or what a test says it is. */
struct check_host {
    const char *root; /* "" or a directory with proc, sys and var in it */
    const struct settings *settings;
    struct check_facts facts;
    bool is_root; /* the service would be started by root */
    int64_t now; /* seconds of the epoch */
};

#define CHECK_MAX_TEXT 512

struct check_finding {
    enum check_level level;
    char text[CHECK_MAX_TEXT];
};

struct check_row {
    const char *name;
    void (*look)(const struct check_host *host, const struct check_row *row,
        struct check_finding *f);
    const char *remedy;
};

extern const struct check_row check_rows[];
extern const size_t check_row_count;

/* The row of that name, or NULL. */
const struct check_row *check_find(const char *name);

/* "ok", "warn", "fail" */
const char *check_level_name(enum check_level level);

/* Ask the kernel everything in struct check_facts, as SANDBOX_USER if root. */
void check_ask(struct check_facts *facts, const struct settings *settings);

/*
 * Run `body` in a fork as another user, or as ourselves when we are not root.
 * Returns 0 or the -errno that it returned.
 */
int check_as(
    uint32_t uid, uint32_t gid, int (*body)(const void *), const void *with);

/* --- for those who judge ----------------------------------------------------
 */

void check_say(struct check_finding *f, enum check_level level, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* A small file, without the newline at its end: 0 or -errno. */
int check_read(
    const struct check_host *host, const char *path, char *text, size_t size);
/* A file that is one number: 0 or -errno. */
int check_read_number(
    const struct check_host *host, const char *path, int64_t *ret_value);

/*
 * Which of two versions of Debian's is newer, by the rules of
 * deb-version(7): negative, 0 or positive.
 */
int check_version_compare(const char *a, const char *b);

typedef void check_look(const struct check_host *host,
    const struct check_row *row, struct check_finding *f);

/* check_kernel.c: what boxes are made of */
check_look check_kernel, check_landlock, check_user_namespaces, check_seccomp,
    check_refused_calls, check_pidfd, check_clone3, check_no_exec_gain,
    check_cgroups;
/* check_host.c: what the machine offers to attackers, and to spies */
check_look check_switch, check_core_pattern, check_swap, check_ksm,
    check_huge_pages, check_ptrace, check_hidepid;
/* check_packages.c */
check_look check_libfcgi, check_packages;
/* check_room.c: whether there is enough of it */
check_look check_files, check_processes, check_locked, check_descriptors,
    check_memory;
/* check_certificate.c */
check_look check_certificate;
/* check_service.c: what belongs to this service */
check_look check_socket_directory, check_audit_directory, check_program,
    check_trial;

#endif
