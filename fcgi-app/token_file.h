/*
 * token_file - the tokens file, changed by an operator and put in place
 *
 * A copy of the set that tokens.h reads, which can be edited and written back
 * as the same JSON.  The file is replaced at once, by a rename in its own
 * directory: whoever reads it (the service, on SIGHUP) finds the old set or
 * the new one.  Owner, group and mode stay as they were; a new file is 0640.
 *
 * Not for: the running service, which only reads.
 */
#ifndef GLOVEBOX_TOKEN_FILE_H
#define GLOVEBOX_TOKEN_FILE_H

#include "fcgi-app/tokens.h"
#include "sandbox/base/buf.h"

struct token_file {
    char *path; /* with links resolved */
    int lock_fd; /* of its directory: one editor at a time */
    size_t count;
    struct token tokens[TOKENS_MAX];
};

/*
 * Read `path`; one that does not exist is empty.  Other editors wait until it
 * is freed.  NULL with one line in `problem`.
 */
struct token_file *token_file_open(
    const char *path, char *problem, size_t problem_size);
void token_file_free(struct token_file *f); /* NULL is fine */

/* NULL when there is none of that id. */
struct token *token_file_find(struct token_file *f, const char *id);
/* 0, -EEXIST: there is one of that id; -ENOSPC: no more fit. */
int token_file_add(struct token_file *f, const struct token *t);
void token_file_remove(struct token_file *f, struct token *t);

/* A second secret, the newer one: 0, or -ENOSPC when it has two. */
int token_add_secret(struct token *t, const unsigned char digest[SHA256_BYTES]);
/* Leaves only the newer one. */
void token_drop_oldest(struct token *t);

void token_file_print(const struct token_file *f, struct buf *b);
/* 0 or -errno; -EINVAL when what it says would not be read back. */
int token_file_save(const struct token_file *f);

#endif
