/*
 * floor - what no run can be cheaper than: fork, exit and wait of a template
 *
 *   floor bare|program WORKERS SECONDS
 *
 * Warms CPython as a template does, with the modules of `restricted`, then
 * forks WORKERS copies of itself, each of which forks, and waits for, one child
 * after the other.  bare: the child exits at once.  program: it runs a trivial
 * program first, as the simplest possible service would, with no rehearsal, no
 * confinement and nobody watching.
 *
 * Prints the same as load.c: a line of JSON, then microseconds, one a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/base/clock.h"
#include "sandbox/python/interp.h"

#define FLOOR_MAX_TIMES (1u << 20)

static const char floor_code[] = "_ = [n*n for n in range(5)]";

static struct setup floor_setup = {
    .wall_ms = 30000,
    .cpu_ms = 30000,
    .memory_bytes = 128u << 20,
    .code_bytes = 10000,
    .context_bytes = 1u << 20,
    .stdin_bytes = 1u << 20,
    .output_bytes = 65536,
    .return_bytes = 65536,
    .ast_nodes = 5000,
};

/* What the workers share with the first process. */
struct tally {
    unsigned long count[64];
    uint32_t times[64][FLOOR_MAX_TIMES / 64];
};

static void
floor_child(bool runs_program, struct slate *slate)
{
    struct order o = {
        .kind = ORDER_RUN,
        .output_bytes = floor_setup.output_bytes,
        .return_bytes = floor_setup.return_bytes,
        .ast_nodes = floor_setup.ast_nodes,
        .code = view_of(floor_code, strlen(floor_code)),
    };

    if (runs_program) {
        (void)interp_after_fork_box();
        interp_run(&o, slate);
    }
    _exit(0);
}

static void
floor_work(bool runs_program, uint64_t end_us, struct tally *tally, unsigned me)
{
    struct slate_layout layout = slate_layout_of(&floor_setup);
    struct slate slate;
    int fd = slate_new(&layout);

    if (fd < 0 || slate_map(&slate, fd, &layout) < 0)
        _exit(1);
    while (clock_mono_us() < end_us) {
        uint64_t start_us = clock_mono_us();
        unsigned long n = tally->count[me]++;
        pid_t pid;

        pid = fork();
        if (pid == 0)
            floor_child(runs_program, &slate);
        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
            _exit(1);
        if (n < FLOOR_MAX_TIMES / 64)
            tally->times[me][n] = (uint32_t)(clock_mono_us() - start_us);
    }
    _exit(0);
}

static void
floor_report(const struct tally *tally, unsigned workers, double seconds)
{
    unsigned long count = 0;
    struct rusage usage;

    for (unsigned i = 0; i < workers; i++)
        count += tally->count[i];
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    printf("{\"count\":%lu,\"wrong\":0,\"seconds\":%.6f,\"cpu\":0,"
           "\"faults\":%ld,\"work_cpu\":%.6f}\n",
        count, seconds, usage.ru_minflt,
        (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    for (unsigned i = 0; i < workers; i++)
        for (unsigned long n = 0;
             n < tally->count[i] && n < FLOOR_MAX_TIMES / 64; n++)
            printf("%u\n", tally->times[i][n]);
}

int
main(int argc, char **argv)
{
    char problem[512];
    struct tally *tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned workers = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    uint64_t start_us, end_us;
    int status, failed = 0;

    if (workers < 1 || workers > 64 || tally == MAP_FAILED) {
        (void)fputs("usage: floor bare|program WORKERS SECONDS\n", stderr);
        return 2;
    }
    if (interp_warm(&profiles[PROFILE_RESTRICTED], &floor_setup, problem,
            sizeof(problem)) < 0) {
        (void)fprintf(stderr, "%s\n", problem);
        return 1;
    }
    start_us = clock_mono_us();
    end_us = start_us + (uint64_t)(strtod(argv[3], NULL) * 1e6);
    for (unsigned i = 0; i < workers; i++)
        if (fork() == 0)
            floor_work(strcmp(argv[1], "program") == 0, end_us, tally, i);
    while (wait(&status) > 0)
        failed |= status;
    floor_report(tally, workers, (double)(clock_mono_us() - start_us) / 1e6);
    return failed != 0;
}
