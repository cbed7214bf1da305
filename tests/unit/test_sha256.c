/* sha256: the vectors of NIST, and the comparison */
#include <check.h>
#include <string.h>

#include "fcgi-app/sha256.h"

Suite *suite_sha256(void);

/* FIPS 180-4 examples and the borders of padding. */
static const struct {
    const char *text;
    const char *hex;
} vectors[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
      "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

START_TEST(sha256_agrees_with_the_vectors_of_nist)
{
    unsigned char digest[SHA256_BYTES];
    char hex[SHA256_HEX];

    sha256_of(vectors[_i].text, strlen(vectors[_i].text), digest);
    sha256_to_hex(digest, hex);
    ck_assert_str_eq(hex, vectors[_i].hex);
}
END_TEST

START_TEST(sha256_agrees_on_a_million_letters)
{
    unsigned char digest[SHA256_BYTES];
    char hex[SHA256_HEX], block[1000];
    struct sha256 h;

    memset(block, 'a', sizeof(block));
    sha256_init(&h);
    for (int i = 0; i < 1000; i++)
        sha256_add(&h, block, sizeof(block));
    sha256_done(&h, digest);
    sha256_to_hex(digest, hex);
    ck_assert_str_eq(hex,
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(sha256_does_not_care_how_the_bytes_are_cut)
{
    unsigned char whole[SHA256_BYTES], pieces[SHA256_BYTES];
    char text[200];
    struct sha256 h;

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)i;
    for (size_t len = 0; len <= sizeof(text); len++) {
        for (size_t cut = 0; cut <= len; cut += 7) {
            sha256_of(text, len, whole);
            sha256_init(&h);
            sha256_add(&h, text, cut);
            sha256_add(&h, text + cut, len - cut);
            sha256_done(&h, pieces);
            ck_assert(sha256_is_equal(whole, pieces));
        }
    }
}
END_TEST

START_TEST(sha256_sees_a_difference_in_any_byte)
{
    unsigned char a[SHA256_BYTES] = { 0 }, b[SHA256_BYTES] = { 0 };

    ck_assert(sha256_is_equal(a, b));
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        b[i] = 0x80;
        ck_assert(!sha256_is_equal(a, b));
        b[i] = 0;
    }
}
END_TEST

START_TEST(sha256_reads_hex_of_either_case_and_nothing_else)
{
    unsigned char a[SHA256_BYTES], b[SHA256_BYTES];
    char hex[SHA256_HEX], bad[SHA256_HEX];

    sha256_of("x", 1, a);
    sha256_to_hex(a, hex);
    ck_assert_int_eq(sha256_from_hex(hex, 64, b), 0);
    ck_assert(sha256_is_equal(a, b));
    for (size_t i = 0; i < 64; i++)
        if (hex[i] >= 'a')
            hex[i] = (char)(hex[i] - 'a' + 'A');
    ck_assert_int_eq(sha256_from_hex(hex, 64, b), 0);
    ck_assert(sha256_is_equal(a, b));
    ck_assert_int_ne(sha256_from_hex(hex, 63, b), 0);
    for (size_t i = 0; i < 64; i++) {
        memcpy(bad, hex, sizeof(bad));
        bad[i] = 'g';
        ck_assert_int_ne(sha256_from_hex(bad, 64, b), 0);
    }
}
END_TEST

Suite *
suite_sha256(void)
{
    Suite *s = suite_create("sha256");
    TCase *t = tcase_create("sha256");

    tcase_add_loop_test(t, sha256_agrees_with_the_vectors_of_nist, 0,
        sizeof(vectors) / sizeof(vectors[0]));
    tcase_add_test(t, sha256_agrees_on_a_million_letters);
    tcase_add_test(t, sha256_does_not_care_how_the_bytes_are_cut);
    tcase_add_test(t, sha256_sees_a_difference_in_any_byte);
    tcase_add_test(t, sha256_reads_hex_of_either_case_and_nothing_else);
    suite_add_tcase(s, t);
    return s;
}
