/* chain - what ties a line of the audit trail to the one before it */
#include "fcgi-app/audit/chain.h"

#include <stdlib.h>
#include <string.h>

static const char chain_seq_key[] = "{\"seq\":";
static const char chain_prev_key[] = ",\"prev\":\"";
/* Above this a number of a line is nobody's count. */
#define CHAIN_MAX_DIGITS 19

void
chain_begin_line(const struct chain *c, struct json_writer *w)
{
    char hex[SHA256_HEX];

    sha256_to_hex(c->digest, hex);
    json_begin_object(w);
    json_put_key(w, "seq");
    json_put_uint(w, c->seq + 1);
    json_put_key(w, "prev");
    json_put_string(w, hex);
}

void
chain_advance(struct chain *c, struct view line)
{
    c->seq++;
    sha256_of(line.data, line.len, c->digest);
}

/* Takes `text` off the front of the line. */
static bool
chain_skip(struct view *line, const char *text)
{
    size_t len = strlen(text);

    if (line->len < len || memcmp(line->data, text, len) != 0)
        return false;
    line->data += len;
    line->len -= len;
    return true;
}

static bool
chain_read_seq(struct view *line, uint64_t *ret_seq)
{
    uint64_t seq = 0;
    size_t n = 0;

    while (n < line->len && line->data[n] >= '0' && line->data[n] <= '9') {
        if (n == CHAIN_MAX_DIGITS)
            return false;
        seq = seq * 10 + (uint64_t)(line->data[n++] - '0');
    }
    line->data += n;
    line->len -= n;
    *ret_seq = seq;
    return n > 0 && seq > 0;
}

bool
chain_read(struct view line, struct chain *ret_keys)
{
    size_t hex = SHA256_HEX - 1;

    return chain_skip(&line, chain_seq_key) &&
           chain_read_seq(&line, &ret_keys->seq) &&
           chain_skip(&line, chain_prev_key) && line.len >= hex + 1 &&
           line.data[hex] == '"' &&
           sha256_from_hex(line.data, hex, ret_keys->digest) == 0;
}

/* The last line of `text`, which does not end with a newline. */
static struct view
chain_last_line(struct view text)
{
    const char *before = memrchr(text.data, '\n', text.len);
    size_t skip = before == NULL ? 0 : (size_t)(before - text.data) + 1;

    return view_of(text.data + skip, text.len - skip);
}

/* The number of the last line of `text` that has one; 0: none has. */
static uint64_t
chain_last_seq(struct view text)
{
    struct chain keys;
    struct view line;

    for (;;) {
        line = chain_last_line(text);
        if (chain_read(line, &keys))
            return keys.seq;
        if (line.data == text.data)
            return 0;
        text.len = (size_t)(line.data - text.data) - 1;
    }
}

enum chain_end
chain_resume(struct chain *c, struct view tail)
{
    bool is_torn = tail.data[tail.len - 1] != '\n';
    struct view text = view_of(tail.data, tail.len - (is_torn ? 0 : 1));
    struct view line = chain_last_line(text);
    struct chain keys;
    bool has_keys = chain_read(line, &keys);

    sha256_of(line.data, line.len, c->digest);
    /* The number of a torn line has not been used up. */
    c->seq = chain_last_seq(text) - (is_torn && has_keys ? 1 : 0);
    if (is_torn)
        return CHAIN_END_TORN;
    return has_keys ? CHAIN_END_WHOLE : CHAIN_END_FOREIGN;
}
