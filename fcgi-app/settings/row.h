/*
 * row - one row of the settings table, and what can be done with it
 *
 * For this room only.  The table itself is in settings.c; texts become fields
 * and fields texts in value.c; load.c and print.c walk the rows.
 */
#ifndef GLOVEBOX_SETTINGS_ROW_H
#define GLOVEBOX_SETTINGS_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcgi-app/settings/settings.h"
#include "fcgi-app/settings/check.h"

enum setting_kind {
    KIND_COUNT, /* uint32_t */
    KIND_SECONDS, /* uint32_t in ms, written as seconds; min, max in ms */
    KIND_PERCENT, /* double */
    KIND_FLAG, /* bool */
    KIND_CHOICE, /* uint32_t, one of `words` */
    KIND_PROFILES, /* uint32_t, bits */
    KIND_TEXT, /* char[]; `check` looks at it */
};

/* When a new value counts. */
enum setting_change {
    CHANGE_RESTART,
    CHANGE_HUP, /* when the service gets SIGHUP */
    CHANGE_NGINX, /* when nginx's files are made again and it is reloaded */
};

struct setting_word {
    const char *word; /* NULL ends the list */
    uint32_t value;
};

struct setting {
    const char *name;
    const char *alias; /* another name it is also known by, or NULL */
    const char *preset; /* in the file's own spelling */
    const char *sentence;
    size_t field, size; /* in struct settings */
    uint64_t min, max; /* of the number */
    const struct setting_word *words; /* KIND_CHOICE */
    settings_check_fn *check; /* KIND_TEXT; NULL: any line */
    enum setting_kind kind;
    enum setting_change change;
    bool is_secret;
};

extern const struct setting settings_rows[];
extern const size_t settings_row_count;

/*
 * Set the row's field in *s from `text`, which may be rewritten.  Returns
 * NULL, or a phrase that says what it must be, perhaps written into `room`.
 */
const char *setting_set(const struct setting *row, char *text,
    struct settings *s, char *room, size_t size);

/* The field, as the file would have it. */
void setting_print(
    const struct setting *row, const struct settings *s, struct buf *b);
/* What may be written, in brief; nothing when the sentence says it. */
void setting_print_range(const struct setting *row, struct buf *b);

/* The word that is printed for a value; "" when it has none. */
const char *setting_word_of(const struct setting_word *words, uint32_t value);

#endif
