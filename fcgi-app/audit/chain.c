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

enum chain_end
chain_resume(struct chain *c, struct view tail)
{
    bool is_torn = tail.data[tail.len - 1] != '\n';
    struct view rest = view_of(tail.data, tail.len - (is_torn ? 0 : 1));
    struct view line = chain_last_line(rest);
    struct chain keys;
    bool is_ours = !is_torn && chain_read(line, &keys);

    sha256_of(line.data, line.len, c->digest);
    while (!chain_read(line, &keys)) {
        keys.seq = 0;
        if (line.data == rest.data)
            break;
        rest.len = (size_t)(line.data - rest.data) - 1;
        line = chain_last_line(rest);
    }
    /* A torn line may have its number in it; it is not counted twice. */
    c->seq = is_torn && line.data + line.len == tail.data + tail.len &&
                     keys.seq > 0
                 ? keys.seq - 1
                 : keys.seq;
    if (is_ours)
        return CHAIN_END_WHOLE;
    return is_torn ? CHAIN_END_TORN : CHAIN_END_FOREIGN;
}
