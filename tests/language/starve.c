/* starve - let one allocation of the interpreter fail */
#include "sandbox/python/py.h"

#include "tests/language/starve.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long *count; /* shared: the parent reads it */
static unsigned long fail_at;
static PyMemAllocatorEx real[3];

static bool
is_refused(void)
{
    return ++*count == fail_at;
}

static void *
starve_malloc(void *ctx, size_t size)
{
    const PyMemAllocatorEx *a = ctx;

    return is_refused() ? NULL : a->malloc(a->ctx, size);
}

static void *
starve_calloc(void *ctx, size_t n, size_t size)
{
    const PyMemAllocatorEx *a = ctx;

    return is_refused() ? NULL : a->calloc(a->ctx, n, size);
}

static void *
starve_realloc(void *ctx, void *p, size_t size)
{
    const PyMemAllocatorEx *a = ctx;

    return is_refused() ? NULL : a->realloc(a->ctx, p, size);
}

static void
starve_free(void *ctx, void *p)
{
    const PyMemAllocatorEx *a = ctx;

    a->free(a->ctx, p);
}

/* --- whose crash is it ---------------------------------------------------- */

#define FRAMES 256
#define FAR 4096 /* from a name: some other function, whose name is hidden */

/* What runs there is CPython's affair, whoever called it. */
static bool
is_cpython_inside(const char *name)
{
    return strncmp(name, "_PyPegen", 8) == 0 ||
           strcmp(name, "_PyAST_Compile") == 0 ||
           strcmp(name, "program_parse") == 0 ||
           strcmp(name, "_PyEval_EvalFrameDefault") == 0;
}

static bool
is_ours(const char *name)
{
    return strncmp(name, "Py", 2) != 0 && strncmp(name, "_Py", 3) != 0;
}

/* From the innermost frame outwards: who comes first? */
static void
on_crash(int signal_number)
{
    void *frames[FRAMES];
    int n = backtrace(frames, FRAMES);
    Dl_info self, at;

    (void)signal(signal_number, SIG_DFL);
    (void)dladdr((void *)(uintptr_t)starve_prepare, &self);
    for (int i = 1; i < n; i++) {
        if (dladdr(frames[i], &at) == 0 || at.dli_fbase != self.dli_fbase ||
            at.dli_sname == NULL)
            continue;
        if (is_cpython_inside(at.dli_sname))
            _exit(STARVE_EXIT_CPYTHON);
        if (is_ours(at.dli_sname) &&
            (char *)frames[i] - (char *)at.dli_saddr < FAR)
            break;
    }
    (void)raise(signal_number);
}

int
starve_prepare(void)
{
    void *frame;

    (void)backtrace(&frame, 1); /* loads what it needs, while it can */
    (void)signal(SIGSEGV, on_crash);
    (void)signal(SIGABRT, on_crash);
    count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return count == MAP_FAILED ? -errno : 0;
}

void
starve_begin(unsigned long at)
{
    static const PyMemAllocatorDomain domains[] = { PYMEM_DOMAIN_RAW,
        PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ };

    *count = 0;
    fail_at = at;
    for (int i = 0; i < 3; i++) {
        PyMemAllocatorEx ours = { &real[i], starve_malloc, starve_calloc,
            starve_realloc, starve_free };

        PyMem_GetAllocator(domains[i], &real[i]);
        PyMem_SetAllocator(domains[i], &ours);
    }
}

void
starve_begin_calls(unsigned long at)
{
    *count = 0;
    fail_at = at;
}

static bool
is_failing(void)
{
    if (count == NULL || !is_refused())
        return false;
    (void)PyErr_NoMemory();
    return true;
}

void *failing_pointer(const void *made);
int failing_int(int result);

void *
failing_pointer(const void *made)
{
    return made != NULL && is_failing() ? NULL : (void *)(uintptr_t)made;
}

int
failing_int(int result)
{
    return result >= 0 && is_failing() ? -1 : result;
}

unsigned long
starve_count(void)
{
    return *count;
}
