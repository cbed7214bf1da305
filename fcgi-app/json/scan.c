/* scan - JSON text, token by token, strictly after RFC 8259 */
#include "fcgi-app/json/scan.h"

#include <string.h>

#include "fcgi-app/json/utf8.h"

/* What may stand next; the whole grammar between tokens. */
enum json_expect {
    EXPECT_VALUE, /* at the start, after ':' and after ',' in an array */
    EXPECT_VALUE_OR_END, /* after '[' */
    EXPECT_KEY, /* after ',' in an object */
    EXPECT_KEY_OR_END, /* after '{' */
    EXPECT_COMMA_OR_END, /* after a value inside a container */
    EXPECT_NOTHING, /* after the value */
};

void
json_scan_init(struct json_scan *s, struct view text)
{
    /* An empty buf has no bytes to point at. */
    s->start = s->at = text.data == NULL ? "" : text.data;
    s->end = s->start + text.len;
    s->depth = 0;
    s->has_lone_surrogate = false;
    s->problem = NULL;
    s->text = view_of("", 0);
    s->expect = EXPECT_VALUE;
}

size_t
json_scan_offset(const struct json_scan *s)
{
    return (size_t)(s->at - s->start);
}

static enum json_token
scan_bad(struct json_scan *s, const char *problem)
{
    s->problem = problem;
    return JSON_TOKEN_BAD;
}

static void
scan_space(struct json_scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' ||
                                 *s->at == '\r' || *s->at == '\t'))
        s->at++;
}

static bool
scan_is_in_object(const struct json_scan *s)
{
    unsigned level = s->depth - 1;

    return s->is_object[level / 64] >> (level % 64) & 1;
}

/* After a value: what its surroundings want next. */
static void
scan_value_ended(struct json_scan *s)
{
    s->expect = s->depth == 0 ? EXPECT_NOTHING : EXPECT_COMMA_OR_END;
}

static enum json_token
scan_open(struct json_scan *s, bool is_object)
{
    unsigned level = s->depth;
    uint64_t bit = (uint64_t)1 << (level % 64);

    if (level == JSON_MAX_DEPTH)
        return scan_bad(s, "it is nested too deeply");
    if (is_object)
        s->is_object[level / 64] |= bit;
    else
        s->is_object[level / 64] &= ~bit;
    s->depth++;
    s->text = view_of(s->at, 1);
    s->at++;
    s->expect = is_object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    return is_object ? JSON_TOKEN_OBJECT : JSON_TOKEN_ARRAY;
}

static enum json_token
scan_close(struct json_scan *s)
{
    bool is_object = scan_is_in_object(s);

    if (*s->at != (is_object ? '}' : ']'))
        return scan_bad(s, "the wrong kind of bracket closes");
    s->text = view_of(s->at, 1);
    s->at++;
    s->depth--;
    scan_value_ended(s);
    return is_object ? JSON_TOKEN_OBJECT_END : JSON_TOKEN_ARRAY_END;
}

static int
scan_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The four digits of a \u escape; -1 when they are not. */
static int32_t
scan_hex4(const char *at, const char *end)
{
    int32_t value = 0;
    int digit;

    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        digit = scan_hex_digit(at[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

static bool
is_high_surrogate(int32_t c)
{
    return c >= 0xd800 && c <= 0xdbff;
}

static bool
is_low_surrogate(int32_t c)
{
    return c >= 0xdc00 && c <= 0xdfff;
}

/*
 * The character of the \u escape at `at` (the 'u').  Two escapes that make a
 * pair count as one.  Returns the bytes used from `at`, 0 when it is bad; a
 * lone surrogate is given as it is.
 */
static size_t
scan_unicode_escape(const char *at, const char *end, uint32_t *ret_c)
{
    int32_t c = scan_hex4(at + 1, end), low;

    if (c < 0)
        return 0;
    *ret_c = (uint32_t)c;
    if (!is_high_surrogate(c) || end - at < 11 || at[5] != '\\' || at[6] != 'u')
        return 5;
    low = scan_hex4(at + 7, end);
    if (!is_low_surrogate(low))
        return 5;
    *ret_c =
        0x10000 + (((uint32_t)c - 0xd800) << 10 | ((uint32_t)low - 0xdc00));
    return 11;
}

/* Over one escape, s->at on the backslash. */
static bool
scan_escape(struct json_scan *s)
{
    uint32_t c;
    size_t n;

    if (s->end - s->at < 2)
        return false;
    if (s->at[1] != 'u') {
        if (s->at[1] == '\0' || strchr("\"\\/bfnrt", s->at[1]) == NULL)
            return false;
        s->at += 2;
        return true;
    }
    n = scan_unicode_escape(s->at + 1, s->end, &c);
    if (n == 0)
        return false;
    if (c >= 0xd800 && c <= 0xdfff)
        s->has_lone_surrogate = true;
    s->at += 1 + n;
    return true;
}

/* Over one string, s->at on its opening quote. */
static enum json_token
scan_string(struct json_scan *s, enum json_token token)
{
    const char *first = s->at;
    size_t n;

    for (s->at++; s->at < s->end;) {
        if (*s->at == '"') {
            s->at++;
            s->text = view_of(first, (size_t)(s->at - first));
            return token;
        }
        if (*s->at == '\\') {
            if (!scan_escape(s))
                return scan_bad(s, "an escape in a string is wrong");
            continue;
        }
        if ((unsigned char)*s->at < 0x20)
            return scan_bad(s, "a control character in a string must be "
                               "written as an escape");
        n = utf8_char(s->at, (size_t)(s->end - s->at));
        if (n == 0)
            return scan_bad(s, "a string is not valid UTF-8");
        s->at += n;
    }
    return scan_bad(s, "a string does not end");
}

static size_t
scan_digits(struct json_scan *s)
{
    const char *first = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return (size_t)(s->at - first);
}

/* [-] (0 | digits) [. digits] [e [+-] digits] */
static bool
scan_number_is_good(struct json_scan *s)
{
    bool has_zero;

    if (*s->at == '-')
        s->at++;
    has_zero = s->at < s->end && *s->at == '0';
    if (has_zero)
        s->at++;
    else if (scan_digits(s) == 0)
        return false;
    if (s->at < s->end && *s->at == '.') {
        s->at++;
        if (scan_digits(s) == 0)
            return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
            s->at++;
        if (scan_digits(s) == 0)
            return false;
    }
    return true;
}

static enum json_token
scan_number(struct json_scan *s)
{
    const char *first = s->at;
    size_t len;

    if (!scan_number_is_good(s))
        return scan_bad(s, "a number is wrong");
    len = (size_t)(s->at - first);
    if (len > JSON_MAX_DIGITS + (*first == '-' ? 1u : 0u))
        return scan_bad(s, "a number has more than 4300 digits");
    s->text = view_of(first, len);
    scan_value_ended(s);
    return JSON_TOKEN_NUMBER;
}

static const struct json_word {
    const char *word;
    size_t len;
    enum json_token token;
} json_words[] = {
    { "true", 4, JSON_TOKEN_TRUE },
    { "false", 5, JSON_TOKEN_FALSE },
    { "null", 4, JSON_TOKEN_NULL },
};

static enum json_token
scan_word(struct json_scan *s)
{
    size_t left = (size_t)(s->end - s->at);

    for (size_t i = 0; i < sizeof(json_words) / sizeof(json_words[0]); i++) {
        const struct json_word *w = &json_words[i];

        if (left < w->len || memcmp(s->at, w->word, w->len) != 0)
            continue;
        s->text = view_of(s->at, w->len);
        s->at += w->len;
        scan_value_ended(s);
        return w->token;
    }
    return scan_bad(s, "a value was expected");
}

static enum json_token
scan_value(struct json_scan *s)
{
    enum json_token token;

    if (*s->at == '{' || *s->at == '[')
        return scan_open(s, *s->at == '{');
    if (*s->at == '"') {
        token = scan_string(s, JSON_TOKEN_STRING);
        if (token == JSON_TOKEN_STRING)
            scan_value_ended(s);
        return token;
    }
    if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
        return scan_number(s);
    return scan_word(s);
}

/* A key and the colon behind it. */
static enum json_token
scan_key(struct json_scan *s)
{
    if (*s->at != '"')
        return scan_bad(s, "a key in double quotes was expected");
    if (scan_string(s, JSON_TOKEN_KEY) == JSON_TOKEN_BAD)
        return JSON_TOKEN_BAD;
    scan_space(s);
    if (s->at == s->end || *s->at != ':')
        return scan_bad(s, "':' was expected after a key");
    s->at++;
    s->expect = EXPECT_VALUE;
    return JSON_TOKEN_KEY;
}

/* What stands after a comma, s->at on the comma. */
static enum json_token
scan_after_comma(struct json_scan *s)
{
    s->at++;
    s->expect = scan_is_in_object(s) ? EXPECT_KEY : EXPECT_VALUE;
    return json_scan_next(s);
}

enum json_token
json_scan_next(struct json_scan *s)
{
    bool is_closing;

    if (s->problem != NULL)
        return JSON_TOKEN_BAD;
    scan_space(s);
    if (s->expect == EXPECT_NOTHING)
        return s->at == s->end ? JSON_TOKEN_END
                               : scan_bad(s, "something follows the value");
    if (s->at == s->end)
        return scan_bad(s, "it ends too early");

    is_closing = *s->at == '}' || *s->at == ']';
    switch ((enum json_expect)s->expect) {
    case EXPECT_VALUE:
        return scan_value(s);
    case EXPECT_VALUE_OR_END:
        return is_closing ? scan_close(s) : scan_value(s);
    case EXPECT_KEY:
        return scan_key(s);
    case EXPECT_KEY_OR_END:
        return is_closing ? scan_close(s) : scan_key(s);
    case EXPECT_COMMA_OR_END:
        if (is_closing)
            return scan_close(s);
        if (*s->at == ',')
            return scan_after_comma(s);
        break;
    case EXPECT_NOTHING:
        break;
    }
    return scan_bad(s, "',' or a closing bracket was expected");
}

bool
json_scan_skip(struct json_scan *s, enum json_token token)
{
    unsigned outside;

    if (token != JSON_TOKEN_OBJECT && token != JSON_TOKEN_ARRAY)
        return token != JSON_TOKEN_BAD;
    outside = s->depth - 1;
    while (s->depth > outside)
        if (json_scan_next(s) == JSON_TOKEN_BAD)
            return false;
    return true;
}

bool
json_is_value(struct view text, unsigned max_depth)
{
    struct json_scan s;
    enum json_token token;

    json_scan_init(&s, text);
    do {
        token = json_scan_next(&s);
        if (s.depth > max_depth)
            return false;
    } while (token != JSON_TOKEN_BAD && token != JSON_TOKEN_END);
    return token == JSON_TOKEN_END;
}

static bool
scan_key_is(struct view token, const char *key)
{
    struct buf b;
    bool is_same;

    /* Escapes only make a token longer: too short cannot be equal. */
    if (token.len < strlen(key) + 2)
        return false;
    if (memchr(token.data, '\\', token.len) == NULL)
        return token.len == strlen(key) + 2 &&
               memcmp(token.data + 1, key, token.len - 2) == 0;
    buf_init(&b, token.len);
    json_unescape(&b, token);
    is_same = buf_ok(&b) && b.len == strlen(key) &&
              (b.len == 0 || memcmp(b.data, key, b.len) == 0);
    buf_done(&b);
    return is_same;
}

static void
find_note(struct view token, struct view value, const char *const *keys,
    struct view *ret_values)
{
    for (size_t i = 0; keys[i] != NULL; i++)
        if (ret_values[i].data == NULL && scan_key_is(token, keys[i]))
            ret_values[i] = value;
}

bool
json_find_members(
    struct view object, const char *const *keys, struct view *ret_values)
{
    struct json_scan s;
    enum json_token token;
    struct view key;
    const char *first;

    for (size_t i = 0; keys[i] != NULL; i++)
        ret_values[i] = view_of(NULL, 0);
    json_scan_init(&s, object);
    if (json_scan_next(&s) != JSON_TOKEN_OBJECT)
        return false;
    while (json_scan_next(&s) == JSON_TOKEN_KEY) {
        key = s.text;
        token = json_scan_next(&s);
        first = s.text.data;
        if (!json_scan_skip(&s, token))
            return false;
        find_note(
            key, view_of(first, (size_t)(s.at - first)), keys, ret_values);
    }
    return true;
}

bool
json_find_member(struct view object, const char *key, struct view *ret_value)
{
    const char *keys[] = { key, NULL };
    struct view found = { 0 };

    if (!json_find_members(object, keys, &found) || found.data == NULL)
        return false;
    *ret_value = found;
    return true;
}

static char
unescape_simple(char c)
{
    switch (c) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return c; /* one of " \ / */
    }
}

/* One escape, `at` on the backslash; returns the bytes used. */
static size_t
unescape_one(struct buf *b, const char *at, const char *end)
{
    char bytes[4];
    uint32_t c = 0;
    size_t n;

    if (at[1] != 'u') {
        buf_addc(b, unescape_simple(at[1]));
        return 2;
    }
    n = scan_unicode_escape(at + 1, end, &c);
    if (c >= 0xd800 && c <= 0xdfff)
        c = 0xfffd;
    buf_add(b, bytes, utf8_encode(c, bytes));
    return 1 + n;
}

void
json_unescape(struct buf *b, struct view token)
{
    const char *at = token.data + 1;
    const char *end = token.data + token.len - 1;
    const char *slash;

    while (at < end) {
        slash = memchr(at, '\\', (size_t)(end - at));
        if (slash == NULL) {
            buf_add(b, at, (size_t)(end - at));
            return;
        }
        buf_add(b, at, (size_t)(slash - at));
        at = slash + unescape_one(b, slash, end);
    }
}
