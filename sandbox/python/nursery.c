/*
 * nursery - where the objects of a box are born: close together
 *
 * A block is a head of 8 bytes, its whole size, and the bytes that CPython
 * asked for, which begin at a multiple of 16:
 *
 *     room:  ........|size|bytes.......|size|bytes...........|     next
 *
 * Sizes are multiples of 16.  Small ones have a list of free blocks for each
 * size; larger ones share a list, of which only the head is looked at.  The
 * block at the end is given back to the room instead.
 */
#include "sandbox/python/tree.h"

#include "sandbox/python/nursery.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sandbox/base/near.h"

#define ALIGN 16u
#define HEAD sizeof(size_t)
#define ROOM_BYTES ((size_t)512 << 10)
#define SMALL_BYTES ((size_t)1024)
#define MOST_BYTES ((size_t)32 << 10)
#define LARGE_LOOKS 4

/* A free block: its bytes hold the way to the next one. */
struct hole {
    struct hole *next;
};

static NEAR_LAST struct {
    _Alignas(ALIGN) char bytes[ROOM_BYTES];
} room;

/* NULL in a template: nothing is taken here. */
static NEAR char *room_next;
static NEAR struct hole *small_holes[SMALL_BYTES / ALIGN + 1];
static NEAR struct hole *large_holes;
static NEAR bool has_gone_on; /* this box has blocks from CPython's allocator */
static PyMemAllocatorEx beyond[2]; /* of the domains mem and object */

static bool
is_here(const void *p)
{
    return (uintptr_t)p - (uintptr_t)room.bytes < ROOM_BYTES;
}

static size_t
size_for(size_t bytes)
{
    return (bytes + HEAD + (ALIGN - 1)) & ~(size_t)(ALIGN - 1);
}

static size_t *
head_of(void *p)
{
    return (size_t *)((char *)p - HEAD);
}

/* Where the way to a free block for `size` stands; NULL behind it: none. */
static struct hole **
find_hole(size_t size)
{
    static struct hole *none;
    struct hole **at = &large_holes;

    if (size <= SMALL_BYTES)
        return &small_holes[size / ALIGN];
    for (int i = 0; *at && i < LARGE_LOOKS; i++) {
        size_t there = *head_of(*at);

        if (there >= size && there <= 2 * size)
            return at;
        at = &(*at)->next;
    }
    return &none;
}

static void *
take_hole(size_t size)
{
    struct hole **at = find_hole(size);
    struct hole *h = *at;

    if (h)
        *at = h->next;
    return h;
}

/* NULL: not here. */
static void *
take(size_t bytes)
{
    size_t size;
    void *p;

    if (!room_next || bytes > MOST_BYTES)
        return NULL;
    size = size_for(bytes ? bytes : 1);
    p = take_hole(size);
    if (p)
        return p;
    if (size > (size_t)(room.bytes + ROOM_BYTES - room_next))
        return NULL;
    p = room_next + HEAD;
    *head_of(p) = size;
    room_next += size;
    return p;
}

static void
give_back(void *p)
{
    size_t size = *head_of(p);
    struct hole *h = p;

    if ((char *)p - HEAD + size == room_next) {
        room_next -= size;
        return;
    }
    if (size <= SMALL_BYTES) {
        h->next = small_holes[size / ALIGN];
        small_holes[size / ALIGN] = h;
    } else {
        h->next = large_holes;
        large_holes = h;
    }
}

static void *
nursery_malloc(void *ctx, size_t bytes)
{
    PyMemAllocatorEx *next = ctx;
    void *p = take(bytes);

    if (p)
        return p;
    has_gone_on = true;
    return next->malloc(next->ctx, bytes);
}

static void *
nursery_calloc(void *ctx, size_t count, size_t each)
{
    PyMemAllocatorEx *next = ctx;
    void *p = NULL;

    if (each == 0 || count <= MOST_BYTES / each)
        p = take(count * each);
    if (p)
        return memset(p, 0, count * each);
    has_gone_on = true;
    return next->calloc(next->ctx, count, each);
}

static void
nursery_free(void *ctx, void *p)
{
    PyMemAllocatorEx *next = ctx;

    if (is_here(p))
        give_back(p);
    else if (!room_next || has_gone_on)
        next->free(next->ctx, p);
}

/* A block of the nursery: longer or shorter, here or beyond. */
static void *
move(PyMemAllocatorEx *next, void *p, size_t bytes)
{
    size_t size = *head_of(p);
    size_t wanted = size_for(bytes ? bytes : 1);
    char *start = (char *)p - HEAD;
    void *to;

    if (wanted <= size && wanted >= size / 2)
        return p;
    if (start + size == room_next && bytes <= MOST_BYTES &&
        wanted <= (size_t)(room.bytes + ROOM_BYTES - start)) {
        *head_of(p) = wanted;
        room_next = start + wanted;
        return p;
    }
    to = nursery_malloc(next, bytes);
    if (!to)
        return NULL;
    memcpy(to, p, bytes < size - HEAD ? bytes : size - HEAD);
    give_back(p);
    return to;
}

static void *
nursery_realloc(void *ctx, void *p, size_t bytes)
{
    PyMemAllocatorEx *next = ctx;

    if (!p)
        return nursery_malloc(ctx, bytes);
    if (is_here(p))
        return move(next, p, bytes);
    if (room_next)
        has_gone_on = true;
    return next->realloc(next->ctx, p, bytes);
}

void
nursery_install(void)
{
    static const PyMemAllocatorDomain domains[] = { PYMEM_DOMAIN_MEM,
        PYMEM_DOMAIN_OBJ };

    for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++) {
        PyMemAllocatorEx ours = {
            .ctx = &beyond[i],
            .malloc = nursery_malloc,
            .calloc = nursery_calloc,
            .realloc = nursery_realloc,
            .free = nursery_free,
        };

        PyMem_GetAllocator(domains[i], &beyond[i]);
        PyMem_SetAllocator(domains[i], &ours);
    }
}

void
nursery_open(void)
{
    has_gone_on = false;
    room_next = room.bytes + HEAD;
}
