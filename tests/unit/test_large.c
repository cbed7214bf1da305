/*
 * The program's code and constants on large pages.  Each claim is tried in a
 * fork, which is spoiled by it.  Not under ASan, to which the rooms between
 * two constants are out of bounds.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/large.h"
#include "tests/support/fork.h"
#include "tests/support/proc.h"

Suite *suite_large(void);

#ifndef __SANITIZE_ADDRESS__

#define PAGE ((uintptr_t)4096)

static const char constant[] = "a constant of this program";

/* The mapping that holds an address. */
struct mapping {
    uintptr_t from, to;
    char rights[8];
    char name[256];
    unsigned long large_kb;
};

static int
read_mapping(uintptr_t at, struct mapping *m)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    char line[512];
    bool is_here = false;

    memset(m, 0, sizeof(*m));
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        struct mapping now = { 0 };
        unsigned long kb;

        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255[^\n]", &now.from,
                &now.to, now.rights, now.name) >= 3) {
            is_here = at >= now.from && at < now.to;
            if (is_here)
                *m = now;
        } else if (is_here &&
                   (sscanf(line, "FilePmdMapped: %lu", &kb) == 1 ||
                       sscanf(line, "ShmemPmdMapped: %lu", &kb) == 1)) {
            m->large_kb += kb;
        }
    }
    if (f != NULL)
        (void)fclose(f);
    return m->to != 0 ? 0 : -ENOENT;
}

static struct mapping
mapping_of(uintptr_t at)
{
    struct mapping m;

    HOLD(read_mapping(at, &m) == 0);
    return m;
}

/* Linux 6.1 is the first that has them for us. */
static bool
kernel_has_large_pages(void)
{
    return kernel_is_at_least(6, 1);
}

static int
count_descriptors(void)
{
    int count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void
moves_all(void)
{
    uintptr_t code = (uintptr_t)large_move, data = (uintptr_t)constant;
    int descriptors = count_descriptors();
    char text[64];
    struct mapping m;

    HOLD(large_move() == 0);
    large_touch();
    (void)snprintf(text, sizeof(text), "%s goes on", constant);
    HOLD(strcmp(text, "a constant of this program goes on") == 0);
    m = mapping_of(code);
    HOLD(strstr(m.name, "glovebox-large") != NULL);
    HOLD(strcmp(m.rights, "r-xp") == 0);
    HOLD(m.large_kb >= 2048);
    m = mapping_of(data);
    HOLD(strstr(m.name, "glovebox-large") != NULL);
    HOLD(strcmp(m.rights, "r--p") == 0);
    HOLD(m.large_kb >= 2048);
    HOLD(count_descriptors() == descriptors);
}

START_TEST(large_text_is_moved_onto_large_pages_and_the_program_goes_on)
{
    if (kernel_has_large_pages())
        ck_assert_int_eq(in_fork(moves_all), 0);
}
END_TEST

static void
is_private(void)
{
    uintptr_t page = (uintptr_t)constant & ~(PAGE - 1);
    int status = 0;
    pid_t pid;

    HOLD(large_move() == 0);
    pid = fork();
    if (pid == 0) {
        /* As a box would that owns its process and had no filter. */
        if (mprotect((void *)page, 2 * PAGE, PROT_READ | PROT_WRITE) == 0)
            *(volatile char *)(uintptr_t)constant = 'X';
        _exit(*(const volatile char *)constant == 'X' ? 7 : 8);
    }
    HOLD(waitpid(pid, &status, 0) == pid);
    HOLD(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    HOLD(*(const volatile char *)constant == 'a');
}

START_TEST(large_text_that_one_process_overwrites_is_whole_in_the_others)
{
    if (kernel_has_large_pages())
        ck_assert_int_eq(in_fork(is_private), 0);
}
END_TEST

static void
take_page(uintptr_t at)
{
    (void)mmap((void *)at, PAGE, PROT_READ,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static void
leaves_others_alone(void)
{
    struct mapping m = mapping_of((uintptr_t)large_move), now;

    take_page(m.from - PAGE);
    take_page(m.to);
    HOLD(large_move() < 0);
    now = mapping_of((uintptr_t)large_move);
    HOLD(strcmp(now.name, m.name) == 0);
    HOLD(now.from == m.from && now.to == m.to);
    large_touch(); /* there is nothing to touch */
    HOLD(mapping_of(m.to).to == m.to + PAGE);
}

START_TEST(large_text_stays_where_something_is_mapped_beside_it)
{
    ck_assert_int_eq(in_fork(leaves_others_alone), 0);
}
END_TEST

/* What may be refused, by an older kernel or by a policy, and what is said
 * then. */
static const struct refusal {
    int call;
    struct scmp_arg_cmp when;
    int error;
} refusals[] = {
    { SCMP_SYS(memfd_create), { 1, SCMP_CMP_NE, 0, 0 }, EPERM },
    { SCMP_SYS(ftruncate), { 1, SCMP_CMP_NE, 0, 0 }, EFBIG },
    { SCMP_SYS(mmap), { 3, SCMP_CMP_MASKED_EQ, MAP_SHARED, MAP_SHARED },
        ENOMEM },
    { SCMP_SYS(madvise), { 2, SCMP_CMP_EQ, 25, 0 }, EINVAL },
    { SCMP_SYS(fcntl), { 1, SCMP_CMP_EQ, F_ADD_SEALS, 0 }, EPERM },
    { SCMP_SYS(mmap), { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC }, EACCES },
};

static const struct refusal *refused;

static void
refuse(void)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);

    HOLD(ctx != NULL);
    HOLD(seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((uint32_t)refused->error),
             refused->call, 1, &refused->when) == 0);
    HOLD(seccomp_load(ctx) == 0);
    seccomp_release(ctx);
}

static void
goes_on_as_it_was(void)
{
    struct mapping m = mapping_of((uintptr_t)large_move), now;
    int descriptors = count_descriptors();

    refuse();
    HOLD(large_move() == -refused->error);
    now = mapping_of((uintptr_t)large_move);
    HOLD(strcmp(now.name, m.name) == 0);
    HOLD(now.from == m.from && now.to == m.to);
    HOLD(read_mapping(m.from - PAGE, &now) < 0);
    HOLD(read_mapping(m.to, &now) < 0);
    HOLD(count_descriptors() == descriptors);
}

START_TEST(large_text_stays_as_it_is_when_a_call_is_refused)
{
    refused = &refusals[_i];
    ck_assert_int_eq(in_fork(goes_on_as_it_was), 0);
}
END_TEST

#endif

Suite *
suite_large(void)
{
    Suite *s = suite_create("large");
    TCase *t = tcase_create("large");

#ifndef __SANITIZE_ADDRESS__
    tcase_add_test(
        t, large_text_is_moved_onto_large_pages_and_the_program_goes_on);
    tcase_add_test(
        t, large_text_that_one_process_overwrites_is_whole_in_the_others);
    tcase_add_test(t, large_text_stays_where_something_is_mapped_beside_it);
    tcase_add_loop_test(t, large_text_stays_as_it_is_when_a_call_is_refused, 0,
        sizeof(refusals) / sizeof(refusals[0]));
#endif
    suite_add_tcase(s, t);
    return s;
}
