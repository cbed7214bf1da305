/* supply - was memory refused while the interpreter was warmed up? */
#include "sandbox/python/py.h"

#include "sandbox/python/supply.h"

static const PyMemAllocatorDomain domains[] = { PYMEM_DOMAIN_RAW,
    PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ };

#define DOMAINS (sizeof(domains) / sizeof(domains[0]))

static PyMemAllocatorEx stock[DOMAINS];
static bool is_watching;
static bool was_refused;

static void *
noted(void *made)
{
    if (!made)
        was_refused = true;
    return made;
}

static void *
supply_malloc(void *ctx, size_t size)
{
    const PyMemAllocatorEx *a = ctx;

    return noted(a->malloc(a->ctx, size));
}

static void *
supply_calloc(void *ctx, size_t n, size_t size)
{
    const PyMemAllocatorEx *a = ctx;

    return noted(a->calloc(a->ctx, n, size));
}

static void *
supply_realloc(void *ctx, void *p, size_t size)
{
    const PyMemAllocatorEx *a = ctx;

    return noted(a->realloc(a->ctx, p, size));
}

static void
supply_free(void *ctx, void *p)
{
    const PyMemAllocatorEx *a = ctx;

    a->free(a->ctx, p);
}

void
supply_watch(void)
{
    is_watching = true;
    was_refused = false;
    for (size_t i = 0; i < DOMAINS; i++) {
        PyMemAllocatorEx ours = { &stock[i], supply_malloc, supply_calloc,
            supply_realloc, supply_free };

        PyMem_GetAllocator(domains[i], &stock[i]);
        PyMem_SetAllocator(domains[i], &ours);
    }
}

bool
supply_end(void)
{
    if (!is_watching)
        return true;
    is_watching = false;
    for (size_t i = 0; i < DOMAINS; i++)
        PyMem_SetAllocator(domains[i], &stock[i]);
    return !was_refused;
}
