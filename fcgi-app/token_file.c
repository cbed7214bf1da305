/* token_file - the tokens file, changed by an operator and put in place */
#include "fcgi-app/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/json/writer.h"
#include "fcgi-app/rfc3339.h"
#include "fcgi-app/whole_file.h"
#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"
#include "sandbox/wire/profile.h"

#define TOKEN_FILE_MODE 0640

/* --- reading -------------------------------------------------------------- */

static int
token_file_read(struct token_file *f, char *problem, size_t problem_size)
{
    struct tokens *set;
    struct buf text;
    int err;

    buf_init(&text, TOKENS_MAX_FILE);
    err = whole_file_read(f->path, &text);
    if (err == -ENOENT)
        return 0;
    if (err != 0) {
        buf_done(&text);
        (void)snprintf(problem, problem_size, "%s", strerror(-err));
        return err;
    }
    set = tokens_parse(
        text.len > 0 ? text.data : "", text.len, problem, problem_size);
    buf_done(&text);
    if (set == NULL)
        return -EINVAL;
    f->count = tokens_count(set);
    for (size_t i = 0; i < f->count; i++)
        f->tokens[i] = *tokens_at(set, i);
    tokens_unref(set);
    return 0;
}

/* The directory, not the file: the file is another one after each change. */
static int
token_file_lock(struct token_file *f)
{
    char *copy = strdup(f->path); /* dirname() writes into it */

    if (copy == NULL)
        return -ENOMEM;
    f->lock_fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (f->lock_fd < 0 || flock(f->lock_fd, LOCK_EX) != 0)
        return -errno;
    return 0;
}

/* A link (mounted secrets are some) stays one: its target is replaced. */
static char *
token_file_resolve(const char *path)
{
    char *real = realpath(path, NULL);

    return real != NULL || errno != ENOENT ? real : strdup(path);
}

struct token_file *
token_file_open(const char *path, char *problem, size_t problem_size)
{
    struct token_file *f = calloc(1, sizeof(*f));
    int err;

    if (f == NULL) {
        (void)snprintf(problem, problem_size, "out of memory");
        return NULL;
    }
    f->lock_fd = -1;
    f->path = token_file_resolve(path);
    err = f->path == NULL ? -errno : token_file_lock(f);
    if (err != 0)
        (void)snprintf(problem, problem_size, "%s", strerror(-err));
    else
        err = token_file_read(f, problem, problem_size);
    if (err == 0)
        return f;
    token_file_free(f);
    return NULL;
}

void
token_file_free(struct token_file *f)
{
    if (f == NULL)
        return;
    if (f->lock_fd >= 0)
        (void)close(f->lock_fd);
    free(f->path);
    explicit_bzero(f, sizeof(*f));
    free(f);
}

/* --- changing ------------------------------------------------------------- */

struct token *
token_file_find(struct token_file *f, const char *id)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->tokens[i].id, id) == 0)
            return &f->tokens[i];
    return NULL;
}

int
token_file_add(struct token_file *f, const struct token *t)
{
    if (token_file_find(f, t->id) != NULL)
        return -EEXIST;
    if (f->count == TOKENS_MAX)
        return -ENOSPC;
    f->tokens[f->count++] = *t;
    return 0;
}

void
token_file_remove(struct token_file *f, struct token *t)
{
    size_t i = (size_t)(t - f->tokens);

    f->count--;
    memmove(t, t + 1, (f->count - i) * sizeof(*t));
}

int
token_add_secret(struct token *t, const unsigned char digest[SHA256_BYTES])
{
    if (t->secrets == TOKEN_MAX_SECRETS)
        return -ENOSPC;
    memcpy(t->digests[1], digest, SHA256_BYTES);
    t->secrets = TOKEN_MAX_SECRETS;
    return 0;
}

void
token_drop_oldest(struct token *t)
{
    memcpy(t->digests[0], t->digests[1], SHA256_BYTES);
    t->secrets = 1;
}

/* --- writing -------------------------------------------------------------- */

static void
print_digests(struct json_writer *w, const struct token *t)
{
    char hex[SHA256_HEX];

    json_put_key(w, "sha256");
    if (t->secrets > 1)
        json_begin_array(w);
    for (size_t i = 0; i < t->secrets; i++) {
        sha256_to_hex(t->digests[i], hex);
        json_put_string(w, hex);
    }
    if (t->secrets > 1)
        json_end_array(w);
}

static void
print_profiles(struct json_writer *w, const struct token *t)
{
    json_put_key(w, "profiles");
    json_begin_array(w);
    for (uint32_t p = 0; p < PROFILE_COUNT; p++)
        if (t->profiles & (uint32_t)1 << p)
            json_put_string(w, profiles[p].name);
    json_end_array(w);
}

static void
print_number(struct json_writer *w, const char *key, uint32_t value)
{
    if (value == 0)
        return;
    json_put_key(w, key);
    json_put_uint(w, value);
}

static void
print_limits(struct json_writer *w, const struct token_limits *limits)
{
    json_put_key(w, "limits");
    json_begin_object(w);
    if (limits->wall_ms > 0) {
        json_put_key(w, "timeout_s");
        json_put_double(w, (double)limits->wall_ms / 1000.0);
    }
    print_number(w, "memory_mb", limits->memory_mb);
    print_number(w, "concurrent", limits->concurrent);
    print_number(w, "code_bytes", limits->code_bytes);
    json_end_object(w);
}

static void
print_time(struct json_writer *w, const char *key, int64_t at)
{
    char text[RFC3339_TEXT];

    if (at == INT64_MIN || at == INT64_MAX)
        return;
    rfc3339_print(at, text, sizeof(text));
    json_put_key(w, key);
    json_put_string(w, text);
}

/* A token a line, so that a change shows as one. */
static void
print_token(struct buf *b, const struct token *t)
{
    struct json_writer w;

    json_writer_init(&w, b);
    json_begin_object(&w);
    json_put_key(&w, "id");
    json_put_string(&w, t->id);
    print_digests(&w, t);
    print_profiles(&w, t);
    print_limits(&w, &t->limits);
    print_number(&w, "rate", t->rate);
    print_time(&w, "not_before", t->not_before);
    print_time(&w, "expires", t->expires);
    json_end_object(&w);
}

void
token_file_print(const struct token_file *f, struct buf *b)
{
    buf_adds(b, "{\"tokens\": [\n");
    for (size_t i = 0; i < f->count; i++) {
        print_token(b, &f->tokens[i]);
        buf_adds(b, i + 1 < f->count ? ",\n" : "\n");
    }
    buf_adds(b, "]}\n");
}

static bool
text_is_good(const struct buf *text)
{
    char problem[256];
    struct tokens *set = NULL;

    if (buf_ok(text))
        set = tokens_parse(text->data, text->len, problem, sizeof(problem));
    tokens_unref(set);
    return set != NULL;
}

/* As the file that it takes the place of. */
static int
copy_rights(int fd, const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return fchmod(fd, TOKEN_FILE_MODE) == 0 ? 0 : -errno;
    if ((st.st_uid != geteuid() || st.st_gid != getegid()) &&
        fchown(fd, st.st_uid, st.st_gid) != 0)
        return -errno;
    return fchmod(fd, st.st_mode & 07777) == 0 ? 0 : -errno;
}

static int
replace_file(const struct token_file *f, const struct buf *text)
{
    AUTO_FREE char *temporary = NULL;
    AUTO_FD fd = -1;
    int err;

    if (asprintf(&temporary, "%s.XXXXXX", f->path) < 0)
        return -ENOMEM;
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    err = copy_rights(fd, f->path);
    if (err == 0)
        err = fd_write_all(fd, text->data, text->len);
    if (err == 0 && (fsync(fd) != 0 || rename(temporary, f->path) != 0))
        err = -errno;
    if (err != 0)
        (void)unlink(temporary);
    else
        (void)fsync(f->lock_fd); /* the directory has the new name */
    return err;
}

int
token_file_save(const struct token_file *f)
{
    struct buf text;
    int err = -EINVAL;

    buf_init(&text, TOKENS_MAX_FILE);
    token_file_print(f, &text);
    if (text_is_good(&text))
        err = replace_file(f, &text);
    buf_done(&text);
    return err;
}
