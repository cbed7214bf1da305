/*
 * tokens - who may call, and what each caller may have
 *
 * An immutable set, made from EXECUTOR_API_TOKEN (its id is "default") and
 * the JSON file EXECUTOR_TOKENS_FILE:
 *
 *   {"tokens": [{
 *       "id": "agent-1",
 *       "sha256": "9f86d0...",          or two of them, while a secret is
 *                                       being rotated: ["9f86...", "60303..."]
 *       "profiles": ["restricted"],     preset: restricted
 *       "limits": {"timeout_s": 5, "memory_mb": 64, "concurrent": 1,
 *                  "code_bytes": 4096}, each may be left out
 *       "rate": 60,                     requests a minute, kept by nginx
 *       "not_before": "2026-01-01T00:00:00Z",
 *       "expires": "2027-01-01T00:00:00Z"}]}
 *
 * Only digests are kept.  On SIGHUP a new set replaces the old one; whoever
 * still works with the old one holds a reference to it.
 *
 * Not for: finding the token in a request (auth.h).
 */
#ifndef GLOVEBOX_TOKENS_H
#define GLOVEBOX_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcgi-app/settings/settings.h"
#include "fcgi-app/sha256.h"

#define TOKENS_MAX 1024
#define TOKENS_MAX_FILE 1048576
#define TOKEN_MAX_ID 64 /* with its NUL */
#define TOKEN_MAX_SECRETS 2

#define TOKEN_MAX_RATE 1000000

/* 0: the server's own. */
struct token_limits {
    uint32_t wall_ms;
    uint32_t memory_mb;
    uint32_t concurrent;
    uint32_t code_bytes;
};

struct token {
    char id[TOKEN_MAX_ID]; /* [A-Za-z0-9._-], safe to log */
    uint32_t profiles; /* bits 1 << enum profile_id */
    struct token_limits limits;
    uint32_t rate; /* requests a minute; 0: the server's own */
    int64_t not_before; /* seconds of the epoch; INT64_MIN: always */
    int64_t expires; /* from then on it is refused; INT64_MAX: never */
    /*
     * The oldest first.  A token with one secret has its digest in both
     * places, so that every token costs the same two comparisons.
     */
    uint32_t secrets; /* 1 or 2 */
    unsigned char digests[TOKEN_MAX_SECRETS][SHA256_BYTES];
};

struct tokens; /* opaque; tokens.c */

/*
 * Make the set.  Returns NULL, with all that is wrong in one line in
 * `problem`, when the file cannot be read or any part of it is not as above.
 * The caller holds the first reference: tokens_unref().
 */
struct tokens *tokens_load(
    const struct settings *s, char *problem, size_t problem_size);

/* From the text of a tokens file alone; for tests and fuzzing. */
struct tokens *tokens_parse(
    const char *text, size_t len, char *problem, size_t problem_size);

struct tokens *tokens_ref(struct tokens *t); /* returns t */
void tokens_unref(struct tokens *t); /* NULL is fine */

size_t tokens_count(const struct tokens *t);
/* The i-th, i < tokens_count(). */
const struct token *tokens_at(const struct tokens *t, size_t i);

/*
 * Whose secret has this digest?  Takes the same time whichever it is and
 * whether there is one: every digest of the set is compared in full.  NULL
 * when there is none, or it is not valid at `now` (seconds of the epoch).
 * The token lives as long as the set.
 */
const struct token *tokens_find(const struct tokens *t,
    const unsigned char digest[SHA256_BYTES], int64_t now);

#endif
