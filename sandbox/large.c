/*
 * large - code and constants of this program on large pages
 *
 *            segment                 segment
 *   |....####|########|##......|....#|###.....|     2 MiB each
 *    ^ gap              ^ gap   ^ gap
 *
 * For each segment: a memory file as large as the large pages that it touches,
 * filled at the segment's place through a mapping somewhere else, made large,
 * sealed, and mapped over the segment and its gaps.
 */
#include "sandbox/large.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/near.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

#define LARGE_BYTES ((uintptr_t)2 << 20)
#define LARGE_SMALL ((uintptr_t)4096)
#define LARGE_MAX_SPANS 4

/* A segment, and the large pages that it touches. */
struct large_span {
    uintptr_t from, to;
    uintptr_t low, high;
    int protection;
};

static struct large_span large_spans[LARGE_MAX_SPANS];
static size_t large_count;
static NEAR volatile char large_seen; /* what large_touch() read */

static uintptr_t
large_down(uintptr_t at, uintptr_t unit)
{
    return at & ~(unit - 1);
}

static uintptr_t
large_up(uintptr_t at, uintptr_t unit)
{
    return large_down(at + unit - 1, unit);
}

static void *
large_at(uintptr_t at)
{
    return (void *)at; /* NOLINT(performance-no-int-to-ptr): an address */
}

/* Code, and the constants behind it; what stands before is read once. */
static int
large_find(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *head = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + head->p_vaddr;
        bool is_code = (head->p_flags & PF_X) != 0;
        struct large_span *s = &large_spans[large_count];

        if (head->p_type != PT_LOAD || (head->p_flags & PF_W) != 0 ||
            (!is_code && large_count == 0) || large_count == LARGE_MAX_SPANS)
            continue;
        s->from = large_down(at, LARGE_SMALL);
        s->to = large_up(at + head->p_memsz, LARGE_SMALL);
        s->low = large_down(s->from, LARGE_BYTES);
        s->high = large_up(s->to, LARGE_BYTES);
        s->protection = PROT_READ | (is_code ? PROT_EXEC : 0);
        large_count++;
    }
    return 1; /* the first is the program itself */
}

/* Is there nothing?  Then there is a page nobody can use, until it is mapped
 * over. */
static int
large_claim(uintptr_t from, uintptr_t to)
{
    void *at;

    if (from == to)
        return 0;
    at = mmap(large_at(from), to - from, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
        0);
    if (at == MAP_FAILED)
        return -errno;
    return 0;
}

static int
large_claim_gaps(const struct large_span *s)
{
    int r = large_claim(s->low, s->from);

    if (r < 0)
        return r;
    r = large_claim(s->to, s->high);
    if (r < 0 && s->low < s->from)
        (void)munmap(large_at(s->low), s->from - s->low);
    return r;
}

static void
large_give_gaps(const struct large_span *s)
{
    if (s->low < s->from)
        (void)munmap(large_at(s->low), s->from - s->low);
    if (s->to < s->high)
        (void)munmap(large_at(s->to), s->high - s->to);
}

/* The segment's bytes at their place in the file, in large pages. */
static int
large_fill(const struct large_span *s, int fd)
{
    size_t bytes = s->high - s->low;
    char *room = mmap(NULL, bytes + LARGE_BYTES, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *at;
    int r = 0;

    if (room == MAP_FAILED)
        return -errno;
    at = large_at(large_up((uintptr_t)room, LARGE_BYTES));
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
            0) == MAP_FAILED) {
        r = -errno;
    } else {
        memcpy(at + (s->from - s->low), large_at(s->from), s->to - s->from);
        if (madvise(at, bytes, MADV_COLLAPSE) < 0)
            r = -errno;
    }
    (void)munmap(room, bytes + LARGE_BYTES);
    return r;
}

/* Nobody can start it as a program, as far as the kernel knows how. */
static int
large_file(size_t bytes)
{
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    AUTO_FD fd = memfd_create("glovebox-large", flags | MFD_NOEXEC_SEAL);

    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("glovebox-large", flags);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
        return -errno;
    return take_fd(&fd);
}

static int
large_move_span(const struct large_span *s)
{
    AUTO_FD fd = large_file(s->high - s->low);
    int r;

    if (fd < 0)
        return fd;
    r = large_fill(s, fd);
    if (r < 0)
        return r;
    if (fcntl(fd, F_ADD_SEALS,
            F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
        return -errno;
    r = large_claim_gaps(s);
    if (r < 0)
        return r;
    /* We run in these very bytes; the same ones are there when it returns. */
    if (mmap(large_at(s->low), s->high - s->low, s->protection,
            MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        r = -errno;
        large_give_gaps(s);
    }
    return r;
}

int
large_move(void)
{
    int r = 0;

    large_count = 0;
    (void)dl_iterate_phdr(large_find, NULL);
    for (size_t i = 0; i < large_count; i++) {
        r = large_move_span(&large_spans[i]);
        if (r < 0) {
            large_count = i;
            return r;
        }
    }
    return large_count > 0 ? 0 : -ENOENT;
}

void
large_touch(void)
{
    for (size_t i = 0; i < large_count; i++)
        for (uintptr_t at = large_spans[i].low; at < large_spans[i].high;
             at += LARGE_BYTES)
            large_seen = *(const volatile char *)large_at(at);
}
