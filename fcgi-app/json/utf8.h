/*
 * utf8 - strict UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF
 */
#ifndef GLOVEBOX_JSON_UTF8_H
#define GLOVEBOX_JSON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes the character at `at` has: 1..4, or 0 when what stands there
 * is not one whole valid character.
 */
size_t utf8_char(const char *at, size_t len);

/*
 * How many bytes of `len` to keep so that no character is cut in the middle
 * at the end: an incomplete tail is left out, bytes that could never become a
 * character are not.
 */
size_t utf8_cut(const char *bytes, size_t len);

/* Write a scalar value (no surrogate) as 1..4 bytes; returns how many. */
size_t utf8_encode(uint32_t c, char ret_bytes[4]);

/*
 * Copy bytes of anybody into `room`, always NUL-terminated and valid: what is
 * not UTF-8 becomes U+FFFD, control characters become spaces, and the end is
 * cut between characters.  Returns `room`.
 */
const char *utf8_safe(char *room, size_t size, const char *bytes, size_t len);

#endif
