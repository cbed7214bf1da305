/* verify - is this trail the one that was written? */
#include "fcgi-app/audit/verify.h"

#include <string.h>

#include "fcgi-app/json/scan.h"

#define VERIFY_MAX_DEPTH 4

static const char *const verify_sentences[] = {
    [VERIFY_GOOD] = "good",
    [VERIFY_CHANGED] = "the line before this one was changed",
    [VERIFY_MISSING] = "lines before this one are missing",
    [VERIFY_DUPLICATED] = "this line is the one before it again",
    [VERIFY_MOVED] = "this line is not in its place",
    [VERIFY_TORN] = "this is no whole line of an audit trail",
    [VERIFY_RESTARTED] = "a new trail begins here",
};

void
verify_init(struct verify *v)
{
    memset(v, 0, sizeof(*v));
}

const char *
verify_sentence(enum verify_finding finding)
{
    return verify_sentences[finding];
}

/* What an unbroken trail has here; `keys` are those of the line. */
static bool
verify_follows(const struct chain *last, const struct chain *keys)
{
    return keys->seq == last->seq + 1 &&
           sha256_is_equal(keys->digest, last->digest);
}

static bool
verify_is_start(const struct chain *keys)
{
    static const struct chain start = { 0 };

    return verify_follows(&start, keys);
}

static enum verify_finding
verify_compare(const struct verify *v, const struct chain *keys,
    const unsigned char digest[SHA256_BYTES])
{
    if (v->first_seq == 0 && !v->has_torn)
        return VERIFY_GOOD; /* nothing before it */
    if (verify_follows(&v->last, keys))
        return VERIFY_GOOD;
    if (v->has_torn && (v->first_seq == 0 || /* its number is not known */
                           verify_follows(&v->before_torn, keys)))
        return VERIFY_GOOD; /* the line between has been reported */
    if (sha256_is_equal(digest, v->last.digest))
        return VERIFY_DUPLICATED;
    if (verify_is_start(keys))
        return VERIFY_RESTARTED;
    if (keys->seq <= v->last.seq)
        return VERIFY_MOVED;
    return keys->seq > v->last.seq + 1 ? VERIFY_MISSING : VERIFY_CHANGED;
}

enum verify_finding
verify_line(struct verify *v, struct view line, bool is_whole)
{
    unsigned char digest[SHA256_BYTES];
    enum verify_finding finding = VERIFY_TORN;
    struct chain keys;

    v->lines++;
    sha256_of(line.data, line.len, digest);
    if (!is_whole || !chain_read(line, &keys) ||
        !json_is_value(line, VERIFY_MAX_DEPTH)) {
        if (!v->has_torn)
            v->before_torn = v->last;
        v->has_torn = true;
        memcpy(v->last.digest, digest, sizeof(digest));
        return finding;
    }
    finding = verify_compare(v, &keys, digest);
    if (v->first_seq == 0)
        v->first_seq = keys.seq;
    v->last.seq = keys.seq;
    memcpy(v->last.digest, digest, sizeof(digest));
    v->has_torn = false;
    return finding;
}
