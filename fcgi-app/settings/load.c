/*
 * load - from presets, a file and the environment to settings
 *
 * Loading goes in three passes over the rows: gather a text for each (preset,
 * then file, then environment), turn every text into its field, then look at
 * what only makes sense together.  Each pass adds to one line of problems, so
 * that an operator sees all of them at the first try.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/problems.h"
#include "fcgi-app/settings/row.h"
#include "fcgi-app/whole_file.h"

/* --- one text for each row ------------------------------------------------ */

enum text_source {
    FROM_PRESET,
    FROM_FILE,
    FROM_ENVIRONMENT,
};

struct row_text {
    enum text_source source;
    bool is_alias; /* it came under the alias */
    char text[SETTINGS_MAX_TEXT];
};

struct loading {
    struct settings s;
    struct problems problems;
    struct row_text texts[]; /* one for each row */
};

static bool
name_is(const char *name, const char *text, size_t len)
{
    return name != NULL && strlen(name) == len && memcmp(name, text, len) == 0;
}

static const struct setting *
row_find(const char *name, size_t len, bool *ret_is_alias)
{
    for (size_t i = 0; i < settings_row_count; i++) {
        *ret_is_alias = name_is(settings_rows[i].alias, name, len);
        if (*ret_is_alias || name_is(settings_rows[i].name, name, len))
            return &settings_rows[i];
    }
    return NULL;
}

static const char *
row_source_name(enum text_source source)
{
    return source == FROM_FILE ? "the file" : "the environment";
}

/* Keep a text; `value` has no blanks around it. */
static void
row_set(struct loading *l, const struct setting *row, enum text_source source,
    bool is_alias, const char *value, size_t len)
{
    struct row_text *t = &l->texts[row - settings_rows];
    bool is_same;

    if (len >= row->size && row->kind == KIND_TEXT)
        len = SETTINGS_MAX_TEXT;
    if (len >= sizeof(t->text)) {
        problems_add(&l->problems, "%s is too long", row->name);
        return;
    }
    is_same = strlen(t->text) == len && memcmp(t->text, value, len) == 0;
    if (source == t->source && !is_same) {
        if (is_alias != t->is_alias)
            problems_add(&l->problems, "%s and %s are both in %s and differ",
                row->name, row->alias, row_source_name(source));
        else if (source == FROM_FILE)
            problems_add(&l->problems, "%s is in the file twice", row->name);
        return;
    }
    t->source = source;
    t->is_alias = is_alias;
    memcpy(t->text, value, len);
    t->text[len] = '\0';
}

static struct view
trim(const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r", text[0]) != NULL && text[0] != '\0') {
        text++;
        len--;
    }
    while (len > 0 && text[len - 1] != '\0' &&
           strchr(" \t\r", text[len - 1]) != NULL)
        len--;
    return view_of(text, len);
}

/* "value" and 'value' lose their quotes, as in systemd and docker files. */
static struct view
unquote(struct view v)
{
    char quote = v.len < 2 ? '\0' : v.data[0];

    if ((quote == '"' || quote == '\'') && v.data[v.len - 1] == quote)
        return view_of(v.data + 1, v.len - 2);
    return v;
}

static bool
has_control(struct view v)
{
    for (size_t i = 0; i < v.len; i++)
        if ((unsigned char)v.data[i] < 0x20 || v.data[i] == 0x7f)
            return true;
    return false;
}

static void
file_line(struct loading *l, unsigned number, const char *line, size_t len)
{
    struct view all = trim(line, len), key, value;
    const struct setting *row;
    const char *equals;
    char room[48];
    bool is_alias;

    if (all.len == 0 || all.data[0] == '#')
        return;
    equals = memchr(all.data, '=', all.len);
    if (equals == NULL) {
        problems_add(
            &l->problems, "line %u of the file is not KEY=value", number);
        return;
    }
    key = trim(all.data, (size_t)(equals - all.data));
    value = trim(equals + 1, (size_t)(all.data + all.len - equals - 1));
    value = unquote(value);
    row = row_find(key.data, key.len, &is_alias);
    if (row == NULL)
        problems_add(&l->problems, "line %u of the file: unknown setting '%s'",
            number, log_safe(room, sizeof(room), key.data, key.len));
    else if (has_control(value))
        problems_add(
            &l->problems, "%s has a control character in it", row->name);
    else
        row_set(l, row, FROM_FILE, is_alias, value.data, value.len);
}

static void
gather_file(struct loading *l, const char *file)
{
    struct buf b;
    const char *at, *end, *line_end;
    unsigned number = 0;
    int err;

    buf_init(&b, SETTINGS_MAX_FILE);
    err = whole_file_read(file, &b);
    if (err != 0)
        problems_add(&l->problems, "cannot read %s: %s", file, strerror(-err));
    at = b.data == NULL ? "" : b.data;
    for (end = at + b.len; at < end; at = line_end + 1) {
        line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL)
            line_end = end;
        file_line(l, ++number, at, (size_t)(line_end - at));
    }
    if (b.data != NULL)
        explicit_bzero(b.data, b.len);
    buf_done(&b);
}

static void
gather_environment(struct loading *l, char *const envp[])
{
    const struct setting *row;
    const char *equals;
    struct view value;
    bool is_alias;

    for (; envp != NULL && *envp != NULL; envp++) {
        equals = strchr(*envp, '=');
        if (equals == NULL)
            continue;
        row = row_find(*envp, (size_t)(equals - *envp), &is_alias);
        if (row == NULL)
            continue;
        value = trim(equals + 1, strlen(equals + 1));
        if (has_control(value))
            problems_add(
                &l->problems, "%s has a control character in it", row->name);
        else
            row_set(l, row, FROM_ENVIRONMENT, is_alias, value.data, value.len);
    }
}

/* --- a text becomes a field ----------------------------------------------- */

static void
set_fields(struct loading *l)
{
    char wants[160], shown[40];
    const char *why;

    for (size_t i = 0; i < settings_row_count; i++) {
        const struct setting *row = &settings_rows[i];
        char *text = l->texts[i].text;
        const char *name = l->texts[i].is_alias ? row->alias : row->name;

        (void)log_safe(shown, sizeof(shown), text, strlen(text));
        why = setting_set(row, text, &l->s, wants, sizeof(wants));
        if (why != NULL && row->is_secret)
            problems_add(&l->problems, "%s %s", name, why);
        else if (why != NULL)
            problems_add(&l->problems, "%s='%s' %s", name, shown, why);
    }
}

/* --- what only makes sense together --------------------------------------- */

static void
resolve_user(struct loading *l, const char *name, char *text,
    const char *usual_name, const char *usual_number, uint32_t *ret_uid,
    uint32_t *ret_gid)
{
    char shown[40];

    if (text[0] == '\0') {
        if (check_user(usual_name, ret_uid, ret_gid))
            usual_number = usual_name;
        (void)snprintf(text, SETTINGS_MAX_TEXT, "%s", usual_number);
    }
    if (!check_user(text, ret_uid, ret_gid))
        problems_add(&l->problems,
            "%s='%s' must be a user that exists, or a "
            "number, and not root",
            name, log_safe(shown, sizeof(shown), text, strlen(text)));
}

static void
resolve_ids(struct loading *l)
{
    struct settings *s = &l->s;
    char shown[40];

    resolve_user(l, "APP_USER", s->app_user, "glovebox", "65030", &s->app_uid,
        &s->app_gid);
    resolve_user(l, "SANDBOX_USER", s->box_user, "glovebox-box", "65031",
        &s->box_uid, &s->box_gid);
    if (s->app_uid == s->box_uid)
        problems_add(&l->problems, "APP_USER and SANDBOX_USER must differ, or "
                                   "programs could reach the service");
    s->socket_gid = SETTINGS_NO_ID;
    if (s->socket_group[0] != '\0' &&
        !check_group(s->socket_group, &s->socket_gid))
        problems_add(&l->problems,
            "SOCKET_GROUP='%s' must be a group that exists, or a number",
            log_safe(shown, sizeof(shown), s->socket_group,
                strlen(s->socket_group)));
}

/* Put `tail` in place of the last `parts` parts of a path. */
static bool
path_sibling(
    const char *path, unsigned parts, const char *tail, char *room, size_t size)
{
    size_t len = strlen(path);
    int n;

    for (; parts > 0; parts--)
        while (len > 0 && path[--len] != '/')
            continue;
    memset(room, 0, size);
    n = snprintf(room, size, "%.*s/%s", (int)len, path, tail);
    return n > 0 && (size_t)n < size && access(room, X_OK) == 0;
}

/* Where the other program is, seen from this one. */
static void
resolve_program(struct settings *s)
{
    char self[SETTINGS_MAX_TEXT / 2];
    ssize_t n;

    if (s->sandbox_program[0] != '\0')
        return;
    n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n < 0 ? 0 : n] = '\0';
    if (path_sibling(self, 1, "glovebox-sandbox", s->sandbox_program,
            sizeof(s->sandbox_program)) ||
        path_sibling(self, 2, "libexec/glovebox/glovebox-sandbox",
            s->sandbox_program, sizeof(s->sandbox_program)))
        return;
    /* Neither is there; the first place is the one to complain about. */
    (void)path_sibling(self, 1, "glovebox-sandbox", s->sandbox_program,
        sizeof(s->sandbox_program));
}

/*
 * Whether the files can be read is for whoever starts nginx (ops/render): the
 * app must not be able to read the key.
 */
static void
check_tls(struct loading *l)
{
    const struct settings *s = &l->s;
    bool has_certificate = s->tls_certificate[0] != '\0';

    if (has_certificate != (s->tls_key[0] != '\0'))
        problems_add(&l->problems,
            "TLS_CERTIFICATE and TLS_KEY must be set both or not at all");
    if (s->redirect_port == 0)
        return;
    if (!has_certificate)
        problems_add(&l->problems, "HTTP_REDIRECT_PORT needs TLS_CERTIFICATE "
                                   "and TLS_KEY: there is no https to go to");
    if (s->redirect_port == s->service_port)
        problems_add(
            &l->problems, "HTTP_REDIRECT_PORT and SERVICE_PORT must differ");
}

static void
check_together(struct loading *l)
{
    struct settings *s = &l->s;
    const char *why;

    if (s->mcp_network_tools)
        problems_add(&l->problems,
            "ENABLE_MCP_NETWORK_TOOLS=true: network tools are not available "
            "until a hardened design for them ships; set it to false");
    if (s->environment == ENVIRONMENT_PRODUCTION &&
        (s->api_token[0] != '\0' || s->tokens_file[0] == '\0')) {
        why = check_token_strength(s->api_token);
        if (why != NULL)
            problems_add(&l->problems, "EXECUTOR_API_TOKEN %s", why);
    }
    if (s->body_bytes < s->code_bytes)
        problems_add(&l->problems,
            "MAX_BODY_BYTES=%" PRIu32 " must not be "
            "less than MAX_CODE_BYTES=%" PRIu32,
            s->body_bytes, s->code_bytes);
    check_tls(l);
    resolve_ids(l);
    resolve_program(s);
}

int
settings_load(struct settings *s, const char *file, char *const envp[],
    char *problems, size_t problems_size)
{
    size_t size =
        sizeof(struct loading) + settings_row_count * sizeof(struct row_text);
    struct loading *l = calloc(1, size);
    int err;

    if (l == NULL) {
        (void)snprintf(problems, problems_size, "out of memory");
        return -EINVAL;
    }
    problems_init(&l->problems, problems, problems_size);
    for (size_t i = 0; i < settings_row_count; i++)
        (void)snprintf(l->texts[i].text, sizeof(l->texts[i].text), "%s",
            settings_rows[i].preset);
    if (file != NULL)
        gather_file(l, file);
    gather_environment(l, envp);
    set_fields(l);
    check_together(l);
    err = l->problems.count == 0 ? 0 : -EINVAL;
    if (err == 0)
        *s = l->s;
    explicit_bzero(l, size);
    free(l);
    return err;
}
