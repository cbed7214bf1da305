/*
 * sha256 - SHA-256 (FIPS 180-4), for tokens and for the audit line
 */
#ifndef GLOVEBOX_SHA256_H
#define GLOVEBOX_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_HEX (2 * SHA256_BYTES + 1) /* with the NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *bytes, size_t len);
/* Gives the digest and wipes *h. */
void sha256_done(struct sha256 *h, unsigned char ret_digest[SHA256_BYTES]);

/* All at once. */
void sha256_of(
    const void *bytes, size_t len, unsigned char ret_digest[SHA256_BYTES]);

void sha256_to_hex(
    const unsigned char digest[SHA256_BYTES], char ret_hex[SHA256_HEX]);
/* Exactly 64 hex digits, either case: 0 or -EINVAL. */
int sha256_from_hex(
    const char *hex, size_t len, unsigned char ret_digest[SHA256_BYTES]);

/* Constant time: looks at all 32 bytes wherever they differ. */
bool sha256_is_equal(
    const unsigned char a[SHA256_BYTES], const unsigned char b[SHA256_BYTES]);

#endif
