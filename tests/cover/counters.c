/*
 * counters - what was run, also in processes that cannot write a file
 *
 * gcov writes its counters to files when a process calls exit().  Ours do not:
 * a box has no file system, no write() and a filter that kills; templates and
 * wardens end by signals or by _exit().  So a cover build is compiled with
 * -fprofile-info-section, which leaves the counters to us, and linked with
 * this file and --wrap=_exit.
 *
 *   start   before main(), while there is a file system: map COVER_DIR/PROGRAM,
 *           shared, one sum for each counter of the program
 *   end     exit() or _exit(): add the counters to the sums and set them to
 *           zero; no system call, so a box can do it too
 *   later   PROGRAM started with GLOVEBOX_COVER_WRITE=1 reads the sums back
 *           and writes them for gcov, as .gcda files beside the objects
 *
 * A process that is killed is not counted, but what it had run before it
 * forked is: its boxes inherit it.
 *
 * Not for: any other build; nothing of it is in the programs' own sources.
 */
#include <errno.h>
#include <fcntl.h>
#include <gcov.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"

#if __GNUC__ != 12
#error "the layout below is that of gcc 12's libgcov"
#endif

#define COUNTER_KINDS 8

struct counters {
    unsigned n;
    int64_t *values;
};

struct function {
    const struct gcov_info *key;
    unsigned ident, lines, graph;
    struct counters arcs; /* no other kind is asked for */
};

struct gcov_info {
    unsigned version;
    struct gcov_info *next;
    unsigned stamp, checksum;
    const char *filename;
    void (*merge[COUNTER_KINDS])(int64_t *, unsigned);
    unsigned n_functions;
    const struct function *const *functions;
};

/* Made by the linker around the section of that name. */
extern const struct gcov_info *const __start_gcov_info[];
extern const struct gcov_info *const __stop_gcov_info[];

static int64_t *sums;

/* `visit` all counters, each with its place among the sums; how many? */
static size_t
each_counter(void (*visit)(int64_t *value, int64_t *sum))
{
    size_t at = 0;

    for (const struct gcov_info *const *i = __start_gcov_info;
         i < __stop_gcov_info; i++)
        for (unsigned f = 0; f < (*i)->n_functions; f++) {
            const struct function *fn = (*i)->functions[f];

            /* Another file has the same inline function: it counts there. */
            if (fn == NULL || fn->key != *i)
                continue;
            for (unsigned c = 0; c < fn->arcs.n; c++, at++)
                if (visit != NULL)
                    visit(&fn->arcs.values[c], &sums[at]);
        }
    return at;
}

static void
keep(int64_t *value, int64_t *sum)
{
    int64_t n = __atomic_exchange_n(value, 0, __ATOMIC_RELAXED);

    if (n != 0)
        (void)__atomic_add_fetch(sum, n, __ATOMIC_RELAXED);
}

static void
restore(int64_t *value, int64_t *sum)
{
    *value = *sum;
}

/* --- writing them for gcov -------------------------------------------------
 */

static FILE *gcda;

static _Noreturn void
give_up(const char *what)
{
    (void)fprintf(stderr, "counters: %s: %s\n", what, strerror(errno));
    abort();
}

static void
begin_file(const char *filename, void *arg)
{
    (void)arg;
    gcda = fopen(filename, "w");
    if (gcda == NULL)
        give_up(filename);
}

static void
add_bytes(const void *bytes, unsigned n, void *arg)
{
    (void)arg;
    if (fwrite(bytes, 1, n, gcda) != n)
        give_up("write");
}

static void *
no_memory(unsigned n, void *arg)
{
    (void)n;
    (void)arg;
    return NULL; /* only counters of other kinds would need it */
}

static void
write_files(void)
{
    (void)each_counter(restore);
    for (const struct gcov_info *const *i = __start_gcov_info;
         i < __stop_gcov_info; i++) {
        __gcov_info_to_gcda(*i, begin_file, add_bytes, no_memory, NULL);
        if (fclose(gcda) != 0)
            give_up("close");
    }
}

/* --- in every process ------------------------------------------------------
 */

/* By the file that is run: a warden's argv[0] says something else. */
static void
sums_path(char *path, size_t size)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    if (n < 0)
        give_up("/proc/self/exe");
    exe[n] = '\0';
    (void)snprintf(path, size, "%s%s", COVER_DIR, strrchr(exe, '/'));
}

__attribute__((constructor)) static void
counters_start(void)
{
    size_t bytes = each_counter(NULL) * sizeof(*sums);
    char path[4096];
    AUTO_FD fd = -1;

    sums_path(path, sizeof(path));
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        give_up(path);
    (void)fchmod(fd, 0666);
    if (ftruncate(fd, (off_t)bytes) < 0)
        give_up("ftruncate");
    sums = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (sums == MAP_FAILED)
        give_up("mmap");
    if (getenv("GLOVEBOX_COVER_WRITE") == NULL)
        return;
    write_files();
    sums = NULL; /* nothing of this run is counted */
    exit(0);
}

__attribute__((destructor)) static void
counters_end(void)
{
    if (sums != NULL)
        (void)each_counter(keep);
}

_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

_Noreturn void
__wrap__exit(int status)
{
    counters_end();
    __real__exit(status);
}
