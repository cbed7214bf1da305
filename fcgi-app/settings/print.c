/* print - the settings as a file and as a document */
#include "fcgi-app/settings/row.h"

/*
 * A secret stands there as a comment: what is printed can be read back, and
 * a mask must never become a token.
 */
void
settings_print(const struct settings *s, struct buf *b)
{
    for (size_t i = 0; i < settings_row_count; i++) {
        const struct setting *row = &settings_rows[i];
        const char *field = (const char *)s + row->field;

        buf_addf(b, "%s# %s", i == 0 ? "" : "\n", row->sentence);
        if (row->kind != KIND_TEXT) {
            buf_adds(b, " [");
            setting_print_range(row, b);
            buf_adds(b, "]");
        }
        buf_adds(b, "\n");
        if (row->is_secret && field[0] != '\0') {
            buf_addf(b, "# %s=(set, not shown)\n", row->name);
            continue;
        }
        buf_addf(b, "%s=", row->name);
        setting_print(row, s, b);
        buf_adds(b, "\n");
    }
}

void
settings_print_markdown(struct buf *b)
{
    static const char *const changes[] = {
        [CHANGE_RESTART] = "restart",
        [CHANGE_HUP] = "SIGHUP",
        [CHANGE_NGINX] = "nginx reload",
    };

    buf_adds(b, "| variable | preset | range | meaning | changes with |\n"
                "|---|---|---|---|---|\n");
    for (size_t i = 0; i < settings_row_count; i++) {
        const struct setting *row = &settings_rows[i];

        buf_addf(b, "| `%s`", row->name);
        if (row->alias != NULL)
            buf_addf(b, " (also `%s`)", row->alias);
        if (row->preset[0] == '\0')
            buf_adds(b, " | empty | ");
        else
            buf_addf(b, " | `%s` | ", row->preset);
        setting_print_range(row, b);
        buf_addf(b, " | %s | %s |\n", row->sentence, changes[row->change]);
    }
}
