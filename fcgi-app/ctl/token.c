/*
 * gloveboxctl token - who may call: make, list, revoke, look up
 *
 *   token new --id ID [--profiles A,B] [--expires T] [--not-before T]
 *             [--rate N] [--timeout S] [--memory MB] [--concurrent N]
 *   token list
 *   token revoke --id ID [--oldest]
 *   token check          reads a secret from standard input
 *
 * All work on the file EXECUTOR_TOKENS_FILE names (--config FILE and the
 * environment say which, or --file FILE does).  A secret is printed once, by
 * `new`, and never taken as an argument, where other users could see it.  The
 * service reads the file again on SIGHUP.
 *
 * To rotate a secret: `new` for an id that exists adds a second one, callers
 * change over, `revoke --oldest` drops the first.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "fcgi-app/auth.h"
#include "fcgi-app/ctl/ctl.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/writer.h"
#include "fcgi-app/rfc3339.h"
#include "fcgi-app/token_file.h"
#include "sandbox/wire/profile.h"

#define CTL_SECRET_BYTES 32
/* So that a leaked one can be searched for. */
#define CTL_SECRET_PREFIX "gbx_"
#define CTL_SECRET_TEXT (sizeof(CTL_SECRET_PREFIX) + 2 * CTL_SECRET_BYTES)

/* What `new` can say of a token: an option and where it goes in the file. */
enum ctl_token_kind {
    CTL_TEXT,
    CTL_NUMBER,
    CTL_LIST,
};

static const struct ctl_token_field {
    const char *option;
    const char *key;
    enum ctl_token_kind kind;
    bool is_limit;
} ctl_token_fields[] = {
    { "profiles", "profiles", CTL_LIST, false },
    { "not-before", "not_before", CTL_TEXT, false },
    { "expires", "expires", CTL_TEXT, false },
    { "rate", "rate", CTL_NUMBER, false },
    { "timeout", "timeout_s", CTL_NUMBER, true },
    { "memory", "memory_mb", CTL_NUMBER, true },
    { "concurrent", "concurrent", CTL_NUMBER, true },
    { "code-bytes", "code_bytes", CTL_NUMBER, true },
};
#define CTL_FIELD_COUNT (sizeof(ctl_token_fields) / sizeof(ctl_token_fields[0]))

struct ctl_token {
    const char *id;
    const char *file;
    const char *config_file;
    bool is_oldest;
    const char *fields[CTL_FIELD_COUNT]; /* NULL: not given */
    bool has_fields;
};

static int
ctl_token_complain(const char *what, const char *detail)
{
    (void)fprintf(stderr, "gloveboxctl token: %s%s%s\n", what,
        detail[0] != '\0' ? ": " : "", detail);
    return CTL_NOT_DONE;
}

/* --- options -------------------------------------------------------------- */

enum {
    CTL_OPTION_ID = 1,
    CTL_OPTION_FILE,
    CTL_OPTION_CONFIG,
    CTL_OPTION_OLDEST,
    CTL_OPTION_FIELDS, /* and those above */
};

static int
ctl_token_options(int argc, char **argv, struct ctl_token *o)
{
    struct option known[5 + CTL_FIELD_COUNT] = {
        { "id", required_argument, NULL, CTL_OPTION_ID },
        { "file", required_argument, NULL, CTL_OPTION_FILE },
        { "config", required_argument, NULL, CTL_OPTION_CONFIG },
        { "oldest", no_argument, NULL, CTL_OPTION_OLDEST },
    };
    int c;

    for (size_t i = 0; i < CTL_FIELD_COUNT; i++)
        known[4 + i] = (struct option){ ctl_token_fields[i].option,
            required_argument, NULL, CTL_OPTION_FIELDS + (int)i };
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == '?')
            return CTL_NOT_DONE;
        if (c == CTL_OPTION_ID)
            o->id = optarg;
        else if (c == CTL_OPTION_FILE)
            o->file = optarg;
        else if (c == CTL_OPTION_CONFIG)
            o->config_file = optarg;
        else if (c == CTL_OPTION_OLDEST)
            o->is_oldest = true;
        else {
            o->fields[c - CTL_OPTION_FIELDS] = optarg;
            o->has_fields = true;
        }
    }
    if (optind < argc)
        return ctl_token_complain("not expected", argv[optind]);
    return CTL_OK;
}

/* NULL after a complaint. */
static struct token_file *
ctl_token_open(const struct ctl_token *o)
{
    static char problem[4096];
    static struct settings settings;
    const char *path = o->file;
    struct token_file *f;

    if (path == NULL) {
        if (settings_load(&settings, o->config_file, environ, problem,
                sizeof(problem)) != 0) {
            (void)ctl_token_complain("settings", problem);
            return NULL;
        }
        settings_forget_secrets(&settings);
        path = settings.tokens_file;
    }
    if (path[0] == '\0') {
        (void)ctl_token_complain(
            "no file: set EXECUTOR_TOKENS_FILE, or give --file", "");
        return NULL;
    }
    f = token_file_open(path, problem, sizeof(problem));
    if (f == NULL)
        (void)ctl_token_complain(path, problem);
    return f;
}

static int
ctl_token_save(const struct token_file *f)
{
    int err = token_file_save(f);

    if (err != 0)
        return ctl_token_complain(f->path, strerror(-err));
    (void)fprintf(stderr,
        "gloveboxctl token: %s written; the service takes it over on SIGHUP\n",
        f->path);
    return CTL_OK;
}

/* --- new ------------------------------------------------------------------ */

static int
ctl_make_secret(
    char secret[CTL_SECRET_TEXT], unsigned char digest[SHA256_BYTES])
{
    unsigned char bytes[CTL_SECRET_BYTES];
    char *at = secret + strlen(CTL_SECRET_PREFIX);

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return ctl_token_complain("no random bytes", "");
    memcpy(secret, CTL_SECRET_PREFIX, sizeof(CTL_SECRET_PREFIX));
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(at + 2 * i, 3, "%02x", bytes[i]);
    explicit_bzero(bytes, sizeof(bytes));
    sha256_of(secret, strlen(secret), digest);
    return CTL_OK;
}

static void
ctl_put_list(struct json_writer *w, const char *text)
{
    json_begin_array(w);
    while (*text != '\0') {
        size_t n = strcspn(text, ",");

        json_put_bytes(w, text, n);
        text += n;
        text += *text == ',' ? 1 : 0;
    }
    json_end_array(w);
}

/* A number goes in as it was written; anything else as text, to be refused. */
static void
ctl_put_number(struct json_writer *w, const char *text)
{
    if (json_is_value(view_of(text, strlen(text)), 0))
        json_put_raw(w, text, strlen(text));
    else
        json_put_string(w, text);
}

static void
ctl_put_fields(struct json_writer *w, const struct ctl_token *o, bool is_limit)
{
    for (size_t i = 0; i < CTL_FIELD_COUNT; i++) {
        const struct ctl_token_field *field = &ctl_token_fields[i];

        if (o->fields[i] == NULL || field->is_limit != is_limit)
            continue;
        json_put_key(w, field->key);
        if (field->kind == CTL_LIST)
            ctl_put_list(w, o->fields[i]);
        else if (field->kind == CTL_NUMBER)
            ctl_put_number(w, o->fields[i]);
        else
            json_put_string(w, o->fields[i]);
    }
}

/* As the file would have it, so that one reader checks both. */
static int
ctl_make_token(const struct ctl_token *o,
    const unsigned char digest[SHA256_BYTES], struct token *ret_token)
{
    char hex[SHA256_HEX], problem[1024] = "too long";
    struct tokens *set = NULL;
    struct json_writer w;
    struct buf text;

    sha256_to_hex(digest, hex);
    buf_init(&text, 65536);
    buf_adds(&text, "{\"tokens\":[");
    json_writer_init(&w, &text);
    json_begin_object(&w);
    json_put_key(&w, "id");
    json_put_string(&w, o->id);
    json_put_key(&w, "sha256");
    json_put_string(&w, hex);
    ctl_put_fields(&w, o, false);
    json_put_key(&w, "limits");
    json_begin_object(&w);
    ctl_put_fields(&w, o, true);
    json_end_object(&w);
    json_end_object(&w);
    buf_adds(&text, "]}");
    if (buf_ok(&text))
        set = tokens_parse(text.data, text.len, problem, sizeof(problem));
    buf_done(&text);
    if (set == NULL)
        return ctl_token_complain("not made", problem);
    *ret_token = *tokens_at(set, 0);
    tokens_unref(set);
    return CTL_OK;
}

static int
ctl_add(struct token_file *f, const struct ctl_token *o,
    const unsigned char digest[SHA256_BYTES])
{
    struct token *old = token_file_find(f, o->id);
    struct token made;

    if (old != NULL && o->has_fields)
        return ctl_token_complain("there is one of that id; a second secret "
                                  "has no other limits than the first",
            o->id);
    if (old != NULL && token_add_secret(old, digest) != 0)
        return ctl_token_complain(
            "has two secrets; revoke --oldest first", o->id);
    if (old != NULL)
        return CTL_OK;
    if (ctl_make_token(o, digest, &made) != CTL_OK)
        return CTL_NOT_DONE;
    if (token_file_add(f, &made) != 0)
        return ctl_token_complain("the file is full", "");
    return CTL_OK;
}

static int
ctl_token_new(struct token_file *f, const struct ctl_token *o)
{
    unsigned char digest[SHA256_BYTES];
    char secret[CTL_SECRET_TEXT];
    int status;

    if (o->id == NULL)
        return ctl_token_complain("new needs --id", "");
    status = ctl_make_secret(secret, digest);
    if (status == CTL_OK)
        status = ctl_add(f, o, digest);
    if (status == CTL_OK)
        status = ctl_token_save(f);
    if (status == CTL_OK)
        (void)puts(secret); /* the only time */
    explicit_bzero(secret, sizeof(secret));
    return status;
}

/* --- list, revoke, check -------------------------------------------------- */

static const char *
ctl_token_state(const struct token *t)
{
    int64_t now = (int64_t)time(NULL);

    if (now < t->not_before)
        return "not yet valid";
    return now < t->expires ? "valid" : "expired";
}

static void
ctl_print_time(const char *name, int64_t at)
{
    char text[RFC3339_TEXT];

    if (at == INT64_MIN || at == INT64_MAX)
        return;
    rfc3339_print(at, text, sizeof(text));
    (void)printf(" %s=%s", name, text);
}

static void
ctl_print_number(const char *name, uint32_t value)
{
    if (value > 0)
        (void)printf(" %s=%u", name, value);
}

static void
ctl_print_token(const struct token *t)
{
    const char *comma = "";

    (void)printf(
        "%s: %s secrets=%u profiles=", t->id, ctl_token_state(t), t->secrets);
    for (uint32_t p = 0; p < PROFILE_COUNT; p++)
        if (t->profiles & (uint32_t)1 << p) {
            (void)printf("%s%s", comma, profiles[p].name);
            comma = ",";
        }
    ctl_print_number("timeout_ms", t->limits.wall_ms);
    ctl_print_number("memory_mb", t->limits.memory_mb);
    ctl_print_number("concurrent", t->limits.concurrent);
    ctl_print_number("code_bytes", t->limits.code_bytes);
    ctl_print_number("rate", t->rate);
    ctl_print_time("not_before", t->not_before);
    ctl_print_time("expires", t->expires);
    (void)putchar('\n');
}

static int
ctl_token_list(struct token_file *f, const struct ctl_token *o)
{
    (void)o;
    for (size_t i = 0; i < f->count; i++)
        ctl_print_token(&f->tokens[i]);
    return CTL_OK;
}

static int
ctl_token_revoke(struct token_file *f, const struct ctl_token *o)
{
    struct token *t;

    if (o->id == NULL)
        return ctl_token_complain("revoke needs --id", "");
    t = token_file_find(f, o->id);
    if (t == NULL)
        return ctl_token_complain("no such token", o->id);
    if (!o->is_oldest)
        token_file_remove(f, t);
    else if (t->secrets == 1)
        return ctl_token_complain(
            "has one secret only; without --oldest it goes whole", o->id);
    else
        token_drop_oldest(t);
    return ctl_token_save(f);
}

static int
ctl_token_check(struct token_file *f, const struct ctl_token *o)
{
    char secret[AUTH_MAX_SECRET + 2];
    unsigned char digest[SHA256_BYTES];
    const struct token *found = NULL;

    (void)o;
    if (fgets(secret, sizeof(secret), stdin) == NULL)
        return ctl_token_complain("no secret on standard input", "");
    secret[strcspn(secret, "\r\n")] = '\0';
    sha256_of(secret, strlen(secret), digest);
    explicit_bzero(secret, sizeof(secret));
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < TOKEN_MAX_SECRETS; k++)
            if (sha256_is_equal(f->tokens[i].digests[k], digest))
                found = &f->tokens[i];
    if (found == NULL) {
        (void)puts("nobody's");
        return CTL_FAILED;
    }
    ctl_print_token(found);
    return strcmp(ctl_token_state(found), "valid") == 0 ? CTL_OK : CTL_FAILED;
}

static const struct {
    const char *name;
    int (*run)(struct token_file *f, const struct ctl_token *o);
} ctl_token_verbs[] = {
    { "new", ctl_token_new },
    { "list", ctl_token_list },
    { "revoke", ctl_token_revoke },
    { "check", ctl_token_check },
};

int
ctl_token(int argc, char **argv)
{
    struct ctl_token options = { 0 };
    struct token_file *f;
    size_t i = 0, count = sizeof(ctl_token_verbs) / sizeof(ctl_token_verbs[0]);
    int status;

    while (
        argc > 1 && i < count && strcmp(argv[1], ctl_token_verbs[i].name) != 0)
        i++;
    if (argc < 2 || i == count)
        return ctl_token_complain(
            "usage: gloveboxctl token new|list|revoke|check ...", "");
    if (ctl_token_options(argc - 1, argv + 1, &options) != CTL_OK)
        return CTL_NOT_DONE;
    f = ctl_token_open(&options);
    if (f == NULL)
        return CTL_NOT_DONE;
    status = ctl_token_verbs[i].run(f, &options);
    token_file_free(f);
    return status;
}
