/*
 * buf - bytes that grow, up to a maximum fixed at creation
 *
 * Every buffer that a stranger can fill is one of these.  A write that would
 * pass the maximum, or find no memory, changes nothing and sets `failed`; so
 * a caller may add many pieces and look once at the end (buf_ok()).  The
 * bytes are always followed by a NUL that does not count.
 *
 * Not for: fixed small strings (use an array and snprintf).
 */
#ifndef GLOVEBOX_BUF_H
#define GLOVEBOX_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* NULL until the first byte */
    size_t len;
    size_t cap;
    size_t max; /* len never passes this */
    bool failed; /* sticky: something did not fit */
};

void buf_init(struct buf *b, size_t max_bytes);
void buf_done(struct buf *b); /* frees; usable again after buf_init() */
void buf_reset(struct buf *b); /* empties, keeps the memory and the max */

bool buf_ok(const struct buf *b);

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_adds(struct buf *b, const char *text);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap);

/* Little-endian integers, for the wire. */
void buf_add_u32(struct buf *b, uint32_t v);
void buf_add_u64(struct buf *b, uint64_t v);
/* A u32 length, then the bytes. */
void buf_add_block(struct buf *b, const void *bytes, size_t len);

/*
 * Room for `len` more bytes, to be written by the caller and then counted
 * with buf_grew().  NULL (and `failed`) when they would not fit.
 */
char *buf_room(struct buf *b, size_t len);
void buf_grew(struct buf *b, size_t len);

/* Drop the first `len` bytes. */
void buf_eat(struct buf *b, size_t len);

/*
 * view - bytes of somebody else, being read from the front
 *
 * Reading past the end sets `bad` and gives zeroes or empty blocks; look once
 * at the end with view_ok().
 */
struct view {
    const char *data;
    size_t len;
    bool bad;
};

struct view view_of(const void *bytes, size_t len);
uint32_t view_u32(struct view *v);
uint64_t view_u64(struct view *v);
/* A block as buf_add_block() writes it; at most `max` bytes or `bad`. */
struct view view_block(struct view *v, size_t max);
/* All read, nothing wrong. */
bool view_done(const struct view *v);

#endif
