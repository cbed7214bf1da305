/* fuzz_tokens - any file is a set of tokens within bounds, or a problem */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool is_so)
{
    if (!is_so)
        abort();
}

static void
check_token(const struct token *t)
{
    size_t len = strlen(t->id);

    must(len > 0 && len < TOKEN_MAX_ID);
    must(t->profiles != 0);
    must(t->limits.wall_ms <= 300000 && t->limits.memory_mb <= 4096);
    must(t->limits.concurrent <= 1024);
    must(t->not_before < t->expires);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char digest[SHA256_BYTES] = { 0 };
    char problem[512];
    struct tokens *t =
        tokens_parse((const char *)data, size, problem, sizeof(problem));

    if (t == NULL) {
        must(problem[0] != '\0');
        return 0;
    }
    must(problem[0] == '\0');
    must(tokens_count(t) <= TOKENS_MAX);
    for (size_t i = 0; i < tokens_count(t); i++)
        check_token(tokens_at(t, i));
    (void)tokens_find(t, digest, 0);
    tokens_unref(t);
    return 0;
}
