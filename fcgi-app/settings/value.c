/* value - a text becomes a field, a field becomes a text */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fcgi-app/settings/row.h"
#include "sandbox/base/fdio.h"
#include "sandbox/wire/profile.h"

/* --- a text becomes a field ----------------------------------------------- */

/* Digits, at most one point; in thousandths.  No sign, no exponent. */
static int
parse_thousandths(const char *text, uint64_t *ret_value)
{
    char whole[16];
    const char *point = strchr(text, '.');
    size_t len = point == NULL ? strlen(text) : (size_t)(point - text);
    uint64_t value, part = 0, unit = 100;

    if (len >= sizeof(whole))
        return -EINVAL;
    memcpy(whole, text, len);
    whole[len] = '\0';
    if (parse_u64(whole, UINT32_MAX, &value) != 0)
        return -EINVAL;
    if (point != NULL && (point[1] == '\0' || strlen(point + 1) > 3))
        return -EINVAL;
    for (const char *c = point == NULL ? "" : point + 1; *c != '\0'; c++) {
        if (*c < '0' || *c > '9')
            return -EINVAL;
        part += (uint64_t)(*c - '0') * unit;
        unit /= 10;
    }
    *ret_value = value * 1000 + part;
    return 0;
}

static bool
parse_flag(const char *text, bool *ret_value)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {
        { "true", true },
        { "false", false },
        { "1", true },
        { "0", false },
        { "yes", true },
        { "no", false },
        { "on", true },
        { "off", false },
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(text, words[i].word) == 0) {
            *ret_value = words[i].value;
            return true;
        }
    }
    return false;
}

static bool
parse_word(
    const struct setting_word *words, const char *text, uint32_t *ret_value)
{
    for (; words->word != NULL; words++) {
        if (strcasecmp(text, words->word) == 0) {
            *ret_value = words->value;
            return true;
        }
    }
    return false;
}

/* What a value of this row must be, for a problem and for the document. */
static const char *
row_wants(const struct setting *row, char *room, size_t size)
{
    switch (row->kind) {
    case KIND_COUNT:
        (void)snprintf(room, size,
            "must be a whole number from %" PRIu64 " to %" PRIu64, row->min,
            row->max);
        break;
    case KIND_SECONDS:
        (void)snprintf(room, size,
            "must be a number of seconds from %" PRIu64 " to %" PRIu64,
            row->min / 1000, row->max / 1000);
        break;
    case KIND_PERCENT:
        (void)snprintf(room, size,
            "must be a number from %" PRIu64 " to %" PRIu64, row->min,
            row->max);
        break;
    case KIND_FLAG:
        return "must be true or false";
    case KIND_CHOICE:
        (void)snprintf(room, size, "must be one of");
        for (size_t i = 0; row->words[i].word != NULL; i++)
            (void)snprintf(room + strlen(room), size - strlen(room), "%s %s",
                i == 0 ? "" : ",", row->words[i].word);
        break;
    case KIND_PROFILES:
    case KIND_TEXT:
        return "is not a good value";
    }
    return room;
}

/* NULL, or what is wrong with the number. */
static const char *
field_set_number(const struct setting *row, const char *text, void *field,
    char *room, size_t size)
{
    uint64_t value;
    uint32_t number;
    double percent;

    if (row->kind == KIND_COUNT) {
        if (parse_u64(text, row->max, &value) != 0 || value < row->min)
            return row_wants(row, room, size);
        number = (uint32_t)value;
        memcpy(field, &number, sizeof(number));
        return NULL;
    }
    if (parse_thousandths(text, &value) != 0)
        return row_wants(row, room, size);
    if (row->kind == KIND_SECONDS) {
        if (value < row->min || value > row->max)
            return row_wants(row, room, size);
        number = (uint32_t)value;
        memcpy(field, &number, sizeof(number));
        return NULL;
    }
    if (value < row->min * 1000 || value > row->max * 1000)
        return row_wants(row, room, size);
    percent = (double)value / 1000.0;
    memcpy(field, &percent, sizeof(percent));
    return NULL;
}

const char *
setting_set(const struct setting *row, char *text, struct settings *s,
    char *room, size_t size)
{
    char *field = (char *)s + row->field;
    const char *why = NULL;
    uint32_t number = 0;
    bool flag = false;

    switch (row->kind) {
    case KIND_COUNT:
    case KIND_SECONDS:
    case KIND_PERCENT:
        return field_set_number(row, text, field, room, size);
    case KIND_FLAG:
        if (!parse_flag(text, &flag))
            return row_wants(row, room, size);
        memcpy(field, &flag, sizeof(flag));
        return NULL;
    case KIND_CHOICE:
        if (!parse_word(row->words, text, &number))
            return row_wants(row, room, size);
        memcpy(field, &number, sizeof(number));
        return NULL;
    case KIND_PROFILES:
        why = check_profiles(text, &number);
        memcpy(field, &number, sizeof(number));
        return why;
    case KIND_TEXT:
        if (row->check != NULL)
            why = row->check(text);
        memcpy(field, text, strlen(text) + 1);
        return why;
    }
    return why;
}

/* --- a field becomes a text ----------------------------------------------- */

const char *
setting_word_of(const struct setting_word *words, uint32_t value)
{
    while (words->word != NULL && words->value != value)
        words++;
    return words->word == NULL ? "" : words->word;
}

static void
print_profiles(struct buf *b, uint32_t bits)
{
    const char *comma = "";

    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        if ((bits >> i & 1) == 0)
            continue;
        buf_addf(b, "%s%s", comma, profiles[i].name);
        comma = ",";
    }
}

/* A value that starts with a quote needs quotes around to survive. */
static void
print_text(struct buf *b, const char *text)
{
    if (text[0] == '"' || text[0] == '\'')
        buf_addf(b, "\"%s\"", text);
    else
        buf_adds(b, text);
}

void
setting_print(
    const struct setting *row, const struct settings *s, struct buf *b)
{
    const char *field = (const char *)s + row->field;
    uint32_t number = 0;
    double percent;

    if (row->size == sizeof(number))
        memcpy(&number, field, sizeof(number));
    switch (row->kind) {
    case KIND_COUNT:
        buf_addf(b, "%" PRIu32, number);
        break;
    case KIND_SECONDS:
        buf_addf(b, "%.10g", (double)number / 1000.0);
        break;
    case KIND_PERCENT:
        memcpy(&percent, field, sizeof(percent));
        buf_addf(b, "%.10g", percent);
        break;
    case KIND_FLAG:
        buf_adds(b, field[0] != 0 ? "true" : "false");
        break;
    case KIND_CHOICE:
        buf_adds(b, setting_word_of(row->words, number));
        break;
    case KIND_PROFILES:
        print_profiles(b, number);
        break;
    case KIND_TEXT:
        print_text(b, field);
        break;
    }
}

void
setting_print_range(const struct setting *row, struct buf *b)
{
    uint64_t unit = row->kind == KIND_SECONDS ? 1000 : 1;

    switch (row->kind) {
    case KIND_COUNT:
    case KIND_SECONDS:
    case KIND_PERCENT:
        buf_addf(b, "%" PRIu64 "..%" PRIu64, row->min / unit, row->max / unit);
        break;
    case KIND_FLAG:
        buf_adds(b, "true, false");
        break;
    case KIND_PROFILES:
        buf_adds(b, "restricted, standard");
        break;
    case KIND_CHOICE:
        /* Words of a value met before are only other spellings of it. */
        for (const struct setting_word *w = row->words; w->word != NULL; w++)
            if (setting_word_of(row->words, w->value) == w->word)
                buf_addf(b, "%s%s", w == row->words ? "" : ", ", w->word);
        break;
    case KIND_TEXT:
        break;
    }
}
