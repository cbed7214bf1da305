/* sha256 - SHA-256 (FIPS 180-4) */
#include "fcgi-app/sha256.h"

#include <errno.h>
#include <string.h>

/* clang-format off */
static const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
    0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

void
sha256_init(struct sha256 *h)
{
    static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
        0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

    memcpy(h->state, start, sizeof(start));
    h->bytes = 0;
}

static uint32_t
rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The 16 words of a block, spread to 64. */
static void
sha256_schedule(const unsigned char block[64], uint32_t w[64])
{
    uint32_t s0, s1;

    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | (uint32_t)block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void
sha256_block(struct sha256 *h, const unsigned char block[64])
{
    uint32_t w[64], v[8], t1, t2;

    sha256_schedule(block, w);
    memcpy(v, h->state, sizeof(v));
    for (size_t i = 0; i < 64; i++) {
        t1 = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
             ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_k[i] + w[i];
        t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
             ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (size_t i = 0; i < 8; i++)
        h->state[i] += v[i];
    explicit_bzero(w, sizeof(w));
}

void
sha256_add(struct sha256 *h, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    size_t used, n;

    while (len > 0) {
        used = h->bytes % sizeof(h->block);
        n = sizeof(h->block) - used;
        if (n > len)
            n = len;
        memcpy(h->block + used, p, n);
        h->bytes += n;
        p += n;
        len -= n;
        if (used + n == sizeof(h->block))
            sha256_block(h, h->block);
    }
}

void
sha256_done(struct sha256 *h, unsigned char ret_digest[SHA256_BYTES])
{
    static const unsigned char padding[64] = { 0x80 };
    unsigned char length[8];
    uint64_t bits = h->bytes * 8;

    for (size_t i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    /* 0x80 and zeroes, until 8 bytes short of a whole block. */
    sha256_add(h, padding, 1 + (119 - h->bytes % 64) % 64);
    sha256_add(h, length, sizeof(length));
    for (size_t i = 0; i < SHA256_BYTES; i++)
        ret_digest[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
    explicit_bzero(h, sizeof(*h));
}

void
sha256_of(const void *bytes, size_t len, unsigned char ret_digest[SHA256_BYTES])
{
    struct sha256 h;

    sha256_init(&h);
    sha256_add(&h, bytes, len);
    sha256_done(&h, ret_digest);
}

void
sha256_to_hex(
    const unsigned char digest[SHA256_BYTES], char ret_hex[SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < SHA256_BYTES; i++) {
        ret_hex[2 * i] = digits[digest[i] >> 4];
        ret_hex[2 * i + 1] = digits[digest[i] & 15];
    }
    ret_hex[2 * SHA256_BYTES] = '\0';
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int
sha256_from_hex(
    const char *hex, size_t len, unsigned char ret_digest[SHA256_BYTES])
{
    unsigned char digest[SHA256_BYTES];
    int high, low;

    if (len != 2 * SHA256_BYTES)
        return -EINVAL;
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        high = hex_digit(hex[2 * i]);
        low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return -EINVAL;
        digest[i] = (unsigned char)(high << 4 | low);
    }
    memcpy(ret_digest, digest, sizeof(digest));
    return 0;
}

bool
sha256_is_equal(
    const unsigned char a[SHA256_BYTES], const unsigned char b[SHA256_BYTES])
{
    volatile unsigned char difference = 0;

    for (size_t i = 0; i < SHA256_BYTES; i++)
        difference = (unsigned char)(difference | (a[i] ^ b[i]));
    return difference == 0;
}
