/* utf8 - strict UTF-8 */
#include "fcgi-app/json/utf8.h"

#include <string.h>

/*
 * Well-formed sequences of more than one byte, after table 3-7 of the Unicode
 * standard: the narrowed second bytes shut out overlong forms, surrogates and
 * what lies past U+10FFFF.
 */
static const struct utf8_row {
    unsigned char first_low, first_high;
    unsigned char second_low, second_high;
    size_t len;
} utf8_rows[] = {
    { 0xc2, 0xdf, 0x80, 0xbf, 2 },
    { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
    { 0xe1, 0xec, 0x80, 0xbf, 3 },
    { 0xed, 0xed, 0x80, 0x9f, 3 },
    { 0xee, 0xef, 0x80, 0xbf, 3 },
    { 0xf0, 0xf0, 0x90, 0xbf, 4 },
    { 0xf1, 0xf3, 0x80, 0xbf, 4 },
    { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

#define UTF8_ROWS (sizeof(utf8_rows) / sizeof(utf8_rows[0]))

static const struct utf8_row *
utf8_row_of(unsigned char first)
{
    for (size_t i = 0; i < UTF8_ROWS; i++)
        if (first >= utf8_rows[i].first_low && first <= utf8_rows[i].first_high)
            return &utf8_rows[i];
    return NULL;
}

/* How many bytes at the front agree with the row. */
static size_t
utf8_matching(const struct utf8_row *row, const unsigned char *p, size_t len)
{
    size_t n = 1;

    if (len < 2 || p[1] < row->second_low || p[1] > row->second_high)
        return n;
    for (n = 2; n < row->len && n < len; n++)
        if ((p[n] & 0xc0) != 0x80)
            break;
    return n;
}

size_t
utf8_char(const char *at, size_t len)
{
    const unsigned char *p = (const unsigned char *)at;
    const struct utf8_row *row;

    if (len == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    row = utf8_row_of(p[0]);
    if (row == NULL || utf8_matching(row, p, len) < row->len)
        return 0;
    return row->len;
}

size_t
utf8_cut(const char *bytes, size_t len)
{
    const unsigned char *p = (const unsigned char *)bytes;
    const struct utf8_row *row;
    size_t tail;

    for (tail = 1; tail <= 3 && tail <= len; tail++) {
        if ((p[len - tail] & 0xc0) == 0x80)
            continue;
        row = utf8_row_of(p[len - tail]);
        if (row != NULL && tail < row->len &&
            utf8_matching(row, p + len - tail, tail) == tail)
            return len - tail;
        break;
    }
    return len;
}

size_t
utf8_encode(uint32_t c, char ret_bytes[4])
{
    if (c < 0x80) {
        ret_bytes[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        ret_bytes[0] = (char)(0xc0 | c >> 6);
        ret_bytes[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        ret_bytes[0] = (char)(0xe0 | c >> 12);
        ret_bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
        ret_bytes[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    ret_bytes[0] = (char)(0xf0 | c >> 18);
    ret_bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
    ret_bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
    ret_bytes[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

const char *
utf8_safe(char *room, size_t size, const char *bytes, size_t len)
{
    size_t at = 0, n, used = 0;
    const char *piece;

    while (at < len) {
        n = utf8_char(bytes + at, len - at);
        piece = bytes + at;
        at += n == 0 ? 1 : n;
        if (n == 0) {
            piece = "\xef\xbf\xbd";
            n = 3;
        } else if (n == 1 && ((unsigned char)*piece < 0x20 || *piece == 0x7f)) {
            piece = " ";
        }
        if (used + n >= size)
            break;
        memcpy(room + used, piece, n);
        used += n;
    }
    room[used] = '\0';
    return room;
}
