/* slate - the one piece of memory that a box shares with the warden */
#include "sandbox/wire/slate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/clock.h"
#include "sandbox/wire/claim.h"
#include "sandbox/wire/order.h"

#define SLATE_PAGE ((size_t)4096)

static size_t
slate_place(size_t *at, size_t bytes)
{
    size_t here = *at;

    *at = (here + bytes + SLATE_PAGE - 1) / SLATE_PAGE * SLATE_PAGE;
    return here;
}

struct slate_layout
slate_layout_of(const struct setup *s)
{
    struct slate_layout l = { 0 };
    size_t at = 0;

    l.order_bytes = order_max_bytes(s);
    l.output_bytes = s->output_bytes;
    l.claim_bytes = claim_max_bytes(s->return_bytes);
    /* A short order stands in the page of the head. */
    l.order_at = (sizeof(struct slate_head) + 63) / 64 * 64;
    at = l.order_at + l.order_bytes;
    (void)slate_place(&at, 0);
    l.out_at = slate_place(&at, l.output_bytes);
    l.err_at = slate_place(&at, l.output_bytes);
    l.claim_at = slate_place(&at, l.claim_bytes);
    l.total = at;
    return l;
}

int
slate_new(const struct slate_layout *l)
{
    AUTO_FD fd = memfd_create("slate", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)l->total) < 0)
        return -errno;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -errno;
    return take_fd(&fd);
}

int
slate_map(struct slate *s, int fd, const struct slate_layout *l)
{
    void *base =
        mmap(NULL, l->total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (base == MAP_FAILED)
        return -errno;
    s->base = base;
    s->head = base;
    s->layout = *l;
    return 0;
}

void
slate_set_phase(struct slate *s, enum slate_phase phase)
{
    s->head->phase_us[phase] = clock_mono_us();
    s->head->phase = phase;
}

/*
 * The counter is bumped after the bytes are there, so that a box killed in
 * between has told the truth.
 */
static void
slate_append(struct slate *s, size_t area, uint64_t *count, const char *bytes,
    size_t len, size_t max)
{
    size_t room;

    if (max > s->layout.output_bytes)
        max = s->layout.output_bytes;
    if (*count < max) {
        room = max - (size_t)*count;
        memcpy(s->base + area + *count, bytes, len < room ? len : room);
    }
    __atomic_store_n(count, *count + len, __ATOMIC_RELEASE);
}

void
slate_add_out(struct slate *s, const char *bytes, size_t len, size_t max)
{
    slate_append(s, s->layout.out_at, &s->head->out_len, bytes, len, max);
}

void
slate_add_err(struct slate *s, const char *bytes, size_t len, size_t max)
{
    slate_append(s, s->layout.err_at, &s->head->err_len, bytes, len, max);
}

void
slate_set_claim(struct slate *s, const char *bytes, size_t len)
{
    if (len > s->layout.claim_bytes)
        return;
    memcpy(s->base + s->layout.claim_at, bytes, len);
    __atomic_store_n(&s->head->claim_len, (uint32_t)len, __ATOMIC_RELEASE);
}
