/*
 * chain - what ties a line of the audit trail to the one before it
 *
 * A line begins
 *
 *   {"seq":17,"prev":"<64 hex digits>",...
 *
 * where `prev` is the SHA-256 of the line before it, without its newline, and
 * `seq` counts from 1.  The first line of all has CHAIN_START.  So a line that
 * was changed, taken out, put in or moved shows in the next one (verify.h).
 *
 * The digest has no key: who can write the file can also make the whole rest
 * of it anew.  What stops that is a digest kept elsewhere, which is why the
 * service logs the chain's head whenever it opens or leaves a file.
 */
#ifndef GLOVEBOX_AUDIT_CHAIN_H
#define GLOVEBOX_AUDIT_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi-app/json/writer.h"
#include "fcgi-app/sha256.h"
#include "sandbox/base/buf.h"

/* Far more than the fields of a line can have; a bound all the same. */
#define CHAIN_MAX_LINE 32768

/* The last line that was written; all zeroes is CHAIN_START. */
struct chain {
    uint64_t seq;
    unsigned char digest[SHA256_BYTES];
};

/* Begin the object of the line that follows: its brace and these two keys. */
void chain_begin_line(const struct chain *c, struct json_writer *w);
/* That line, without its newline, is now the last one. */
void chain_advance(struct chain *c, struct view line);

/* The two keys of a line.  False when it is no line of ours. */
bool chain_read(struct view line, struct chain *ret_keys);

/* How the bytes at the end of a file end. */
enum chain_end {
    CHAIN_END_WHOLE, /* with a line of ours */
    CHAIN_END_TORN, /* in the middle of a line */
    CHAIN_END_FOREIGN, /* with a line that is not ours */
};

/*
 * Go on where `tail`, the last bytes of a file, ends; `tail` is not empty and
 * holds at least CHAIN_MAX_LINE bytes if the file has them.  What follows a
 * torn or foreign line is tied to that line's bytes as they are.
 */
enum chain_end chain_resume(struct chain *c, struct view tail);

#endif
