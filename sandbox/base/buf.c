/* buf - bytes that grow, up to a maximum fixed at creation */
#include "sandbox/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
buf_init(struct buf *b, size_t max_bytes)
{
    *b = (struct buf){ .max = max_bytes };
}

void
buf_done(struct buf *b)
{
    free(b->data);
    *b = (struct buf){ 0 };
}

void
buf_reset(struct buf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->data != NULL)
        b->data[0] = '\0';
}

bool
buf_ok(const struct buf *b)
{
    return !b->failed;
}

char *
buf_room(struct buf *b, size_t len)
{
    size_t want, cap;
    char *data;

    if (b->failed || len > b->max - b->len) {
        b->failed = true;
        return NULL;
    }
    want = b->len + len + 1;
    if (want > b->cap) {
        cap = b->cap < 128 ? 128 : b->cap;
        while (cap < want)
            cap *= 2;
        data = realloc(b->data, cap);
        if (data == NULL) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->cap = cap;
    }
    return b->data + b->len;
}

void
buf_grew(struct buf *b, size_t len)
{
    b->len += len;
    b->data[b->len] = '\0';
}

void
buf_add(struct buf *b, const void *bytes, size_t len)
{
    char *room = buf_room(b, len);

    if (room == NULL)
        return;
    if (len > 0)
        memcpy(room, bytes, len);
    buf_grew(b, len);
}

void
buf_adds(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void
buf_addc(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void
buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    char *room;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0) {
        b->failed = true;
        return;
    }
    room = buf_room(b, (size_t)n);
    if (room == NULL)
        return;
    (void)vsnprintf(room, (size_t)n + 1, fmt, ap);
    buf_grew(b, (size_t)n);
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    buf_vaddf(b, fmt, ap);
    va_end(ap);
}

void
buf_add_u32(struct buf *b, uint32_t v)
{
    unsigned char bytes[4];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(v >> (8 * i));
    buf_add(b, bytes, sizeof(bytes));
}

void
buf_add_u64(struct buf *b, uint64_t v)
{
    buf_add_u32(b, (uint32_t)v);
    buf_add_u32(b, (uint32_t)(v >> 32));
}

void
buf_add_block(struct buf *b, const void *bytes, size_t len)
{
    if (len > UINT32_MAX) {
        b->failed = true;
        return;
    }
    buf_add_u32(b, (uint32_t)len);
    buf_add(b, bytes, len);
}

void
buf_eat(struct buf *b, size_t len)
{
    if (len > b->len)
        len = b->len;
    if (len == 0)
        return;
    memmove(b->data, b->data + len, b->len - len + 1);
    b->len -= len;
}

struct view
view_of(const void *bytes, size_t len)
{
    return (struct view){ .data = bytes, .len = len };
}

static const char *
view_take(struct view *v, size_t len)
{
    const char *at = v->data;

    if (v->bad || len > v->len) {
        v->bad = true;
        v->len = 0;
        return NULL;
    }
    v->data += len;
    v->len -= len;
    return at;
}

uint32_t
view_u32(struct view *v)
{
    const unsigned char *p = (const unsigned char *)view_take(v, 4);

    if (p == NULL)
        return 0;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

uint64_t
view_u64(struct view *v)
{
    uint64_t low = view_u32(v);

    return low | (uint64_t)view_u32(v) << 32;
}

struct view
view_block(struct view *v, size_t max)
{
    size_t len = view_u32(v);
    const char *at;

    if (len > max)
        v->bad = true;
    at = view_take(v, len);
    return at == NULL ? view_of("", 0) : view_of(at, len);
}

bool
view_done(const struct view *v)
{
    return !v->bad && v->len == 0;
}
