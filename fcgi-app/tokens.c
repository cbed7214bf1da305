/* tokens - who may call, and what each caller may have */
#include "fcgi-app/tokens.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/reader.h"
#include "fcgi-app/problems.h"
#include "fcgi-app/rfc3339.h"
#include "fcgi-app/whole_file.h"
#include "sandbox/base/log.h"
#include "sandbox/wire/profile.h"

#define TOKENS_MAX_PROBLEM 4096

struct tokens {
    int refs; /* atomic */
    size_t count;
    struct token entries[TOKENS_MAX + 1]; /* + EXECUTOR_API_TOKEN */
};

/* --- one token of the file ------------------------------------------------ */

/* Where we are, for a problem: "tokens[3].limits". */
struct place {
    struct problems *problems;
    size_t index;
};

static void __attribute__((format(printf, 3, 4)))
place_problem(struct place *at, const char *field, const char *fmt, ...)
{
    char what[160];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    problems_add(at->problems, "tokens[%zu]%s%s %s", at->index,
        field[0] == '\0' ? "" : ".", field, what);
}

static void
refuse_unknown(struct place *at, const char *field, const struct json_value *v,
    const char *const *known)
{
    const char *key = json_unknown_key(v, known);
    char shown[48];

    if (key != NULL)
        place_problem(at, field, "has an unknown key '%s'",
            log_safe(shown, sizeof(shown), key, strlen(key)));
}

static bool
id_is_good(struct view id)
{
    if (id.len == 0 || id.len >= TOKEN_MAX_ID)
        return false;
    for (size_t i = 0; i < id.len; i++)
        if (id.data[i] == '\0' ||
            strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                   "0123456789._-",
                id.data[i]) == NULL)
            return false;
    return true;
}

static void
read_id(struct place *at, const struct json_value *v, struct token *ret_token)
{
    struct view id = v == NULL ? view_of("", 0) : json_text(v);

    if (!id_is_good(id)) {
        place_problem(
            at, "id", "must be 1 to 63 letters, digits, '.', '_' or '-'");
        return;
    }
    memcpy(ret_token->id, id.data, id.len);
}

static bool
read_digest(const struct json_value *v, unsigned char ret_digest[SHA256_BYTES])
{
    struct view hex = json_text(v);

    return sha256_from_hex(hex.data, hex.len, ret_digest) == 0;
}

static void
read_digests(
    struct place *at, const struct json_value *v, struct token *ret_token)
{
    size_t n = v == NULL ? 0 : json_length(v);
    bool is_good = v != NULL;

    ret_token->secrets = n > 1 ? 2 : 1;
    if (v != NULL && json_kind_of(v) == JSON_ARRAY) {
        is_good = n > 0 && n <= TOKEN_MAX_SECRETS;
        for (size_t i = 0; is_good && i < TOKEN_MAX_SECRETS; i++)
            is_good =
                read_digest(json_item(v, i < n ? i : 0), ret_token->digests[i]);
    } else if (is_good) {
        is_good = read_digest(v, ret_token->digests[0]);
        memcpy(ret_token->digests[1], ret_token->digests[0], SHA256_BYTES);
    }
    if (!is_good)
        place_problem(at, "sha256",
            "must be the 64 hex digits of the secret's SHA-256, or an array "
            "of one or two of them");
}

static void
read_profiles(
    struct place *at, const struct json_value *v, struct token *ret_token)
{
    const struct profile *p;
    struct view name;

    ret_token->profiles = 0;
    if (v == NULL) {
        ret_token->profiles = (uint32_t)1 << PROFILE_RESTRICTED;
        return;
    }
    for (size_t i = 0; i < json_length(v); i++) {
        name = json_text(json_item(v, i));
        p = profile_find(name.data, name.len);
        if (p == NULL) {
            ret_token->profiles = 0;
            break;
        }
        ret_token->profiles |= (uint32_t)1 << profile_id_of(p);
    }
    if (ret_token->profiles == 0)
        place_problem(at, "profiles",
            "must be an array of one or more of: restricted, standard");
}

/* A whole number within bounds; left at 0 when it is not there. */
static void
read_limit(struct place *at, const struct json_value *limits, const char *key,
    int64_t min, int64_t max, uint32_t *ret_value)
{
    const struct json_value *v = json_member(limits, key);
    char field[40];

    if (v == NULL)
        return;
    if (json_kind_of(v) == JSON_INTEGER && json_integer(v) >= min &&
        json_integer(v) <= max) {
        *ret_value = (uint32_t)json_integer(v);
        return;
    }
    (void)snprintf(field, sizeof(field), "limits.%s", key);
    place_problem(at, field, "must be a whole number from %lld to %lld",
        (long long)min, (long long)max);
}

static void
read_timeout(struct place *at, const struct json_value *v, uint32_t *ret_ms)
{
    double seconds = v == NULL ? 1.0 : json_double(v);

    /* Written so that anything but a number within bounds is refused. */
    if (!(seconds >= 0.001 && seconds <= 300.0))
        place_problem(at, "limits.timeout_s",
            "must be a number of seconds from 0.001 to 300");
    else if (v != NULL)
        *ret_ms = (uint32_t)ceil(seconds * 1000.0);
}

static void
read_limits(
    struct place *at, const struct json_value *v, struct token_limits *limits)
{
    static const char *const known[] = { "timeout_s", "memory_mb", "concurrent",
        "code_bytes", NULL };

    if (v == NULL)
        return;
    if (json_kind_of(v) != JSON_OBJECT) {
        place_problem(at, "limits", "must be an object");
        return;
    }
    refuse_unknown(at, "limits", v, known);
    read_timeout(at, json_member(v, "timeout_s"), &limits->wall_ms);
    read_limit(at, v, "memory_mb", 16, 4096, &limits->memory_mb);
    read_limit(at, v, "concurrent", 1, 1024, &limits->concurrent);
    read_limit(at, v, "code_bytes", 1, 4194304, &limits->code_bytes);
}

static void
read_rate(struct place *at, const struct json_value *v, struct token *ret_token)
{
    if (v == NULL)
        return;
    if (json_kind_of(v) != JSON_INTEGER || json_integer(v) < 1 ||
        json_integer(v) > TOKEN_MAX_RATE)
        place_problem(at, "rate",
            "must be a whole number of requests a minute, 1 to %d",
            TOKEN_MAX_RATE);
    else
        ret_token->rate = (uint32_t)json_integer(v);
}

static void
read_time(struct place *at, const struct json_value *token, const char *key,
    int64_t *ret_seconds)
{
    const struct json_value *v = json_member(token, key);
    struct view text;

    if (v == NULL || json_kind_of(v) == JSON_NULL)
        return;
    text = json_text(v);
    if (rfc3339_parse(text.data, text.len, ret_seconds) != 0)
        place_problem(at, key, "must be a time such as '2027-01-31T00:00:00Z'");
}

static void
read_token(struct place *at, const struct json_value *v, struct token *t)
{
    static const char *const known[] = { "id", "sha256", "profiles", "limits",
        "rate", "not_before", "expires", NULL };

    t->not_before = INT64_MIN;
    t->expires = INT64_MAX;
    if (json_kind_of(v) != JSON_OBJECT) {
        place_problem(at, "", "must be an object");
        return;
    }
    refuse_unknown(at, "", v, known);
    read_id(at, json_member(v, "id"), t);
    read_digests(at, json_member(v, "sha256"), t);
    read_profiles(at, json_member(v, "profiles"), t);
    read_limits(at, json_member(v, "limits"), &t->limits);
    read_rate(at, json_member(v, "rate"), t);
    read_time(at, v, "not_before", &t->not_before);
    read_time(at, v, "expires", &t->expires);
    if (t->not_before >= t->expires)
        place_problem(at, "expires", "must be later than not_before");
}

/* --- the set -------------------------------------------------------------- */

static bool
entries_share_a_secret(const struct token *a, const struct token *b)
{
    for (size_t i = 0; i < TOKEN_MAX_SECRETS; i++)
        for (size_t j = 0; j < TOKEN_MAX_SECRETS; j++)
            if (sha256_is_equal(a->digests[i], b->digests[j]))
                return true;
    return false;
}

/* Two of one id would share limits by accident; of one secret, be nobody's. */
static void
refuse_doubles(const struct tokens *t, struct problems *problems)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct token *a = &t->entries[i];

        for (size_t j = 0; j < i; j++) {
            const struct token *b = &t->entries[j];

            if (strcmp(a->id, b->id) == 0)
                problems_add(problems, "two tokens have the id '%s'", a->id);
            else if (entries_share_a_secret(a, b))
                problems_add(problems,
                    "the tokens '%s' and '%s' have the same secret", b->id,
                    a->id);
        }
    }
}

static void
set_read(
    struct tokens *t, const struct json_value *root, struct problems *problems)
{
    static const char *const known[] = { "tokens", NULL };
    const struct json_value *list = json_member(root, "tokens");
    struct place at = { .problems = problems };

    if (list == NULL || json_kind_of(list) != JSON_ARRAY ||
        json_unknown_key(root, known) != NULL) {
        problems_add(problems, "must be an object with the one key 'tokens', "
                               "an array");
        return;
    }
    if (json_length(list) > TOKENS_MAX) {
        problems_add(problems, "must have at most %d tokens", TOKENS_MAX);
        return;
    }
    for (; at.index < json_length(list); at.index++)
        read_token(&at, json_item(list, at.index), &t->entries[t->count++]);
}

static void
set_parse(struct tokens *t, struct view text, struct problems *problems)
{
    static const struct json_bounds bounds = {
        .max_bytes = TOKENS_MAX_FILE,
        .max_depth = 8,
        .max_values = TOKENS_MAX * 32,
    };
    struct json_doc *doc = NULL;
    struct json_problem problem;
    int err;

    err = json_read(text, &bounds, &doc, &problem);
    if (err == -ENOMEM)
        problems_add(problems, "out of memory");
    else if (err != 0)
        problems_add(problems, "is not good JSON: %s, at byte %zu",
            problem.phrase, problem.offset);
    else
        set_read(t, json_root(doc), problems);
    json_doc_free(doc);
}

static struct tokens *
set_new(void)
{
    struct tokens *t = calloc(1, sizeof(*t));

    if (t != NULL)
        t->refs = 1;
    return t;
}

/* Hands the set out, or drops it when anything was wrong. */
static struct tokens *
set_finish(struct tokens *t, struct problems *problems)
{
    if (problems->count == 0)
        refuse_doubles(t, problems);
    if (problems->count == 0)
        return t;
    tokens_unref(t);
    return NULL;
}

struct tokens *
tokens_parse(const char *text, size_t len, char *problem, size_t problem_size)
{
    struct problems problems;
    struct tokens *t = set_new();

    problems_init(&problems, problem, problem_size);
    if (t == NULL) {
        problems_add(&problems, "out of memory");
        return NULL;
    }
    set_parse(t, view_of(text, len), &problems);
    return set_finish(t, &problems);
}

static void
set_add_file(struct tokens *t, const char *path, struct problems *problems)
{
    struct buf b;
    int err;

    buf_init(&b, TOKENS_MAX_FILE);
    err = whole_file_read(path, &b);
    if (err != 0)
        problems_add(problems, "cannot be read: %s", strerror(-err));
    else
        set_parse(t, view_of(b.data, b.len), problems);
    buf_done(&b);
}

static void
set_add_default(struct tokens *t, const struct settings *s)
{
    struct token *e = &t->entries[t->count++];

    (void)snprintf(e->id, sizeof(e->id), "default");
    e->profiles = s->profiles;
    e->not_before = INT64_MIN;
    e->expires = INT64_MAX;
    e->secrets = 1;
    sha256_of(s->api_token, strlen(s->api_token), e->digests[0]);
    memcpy(e->digests[1], e->digests[0], SHA256_BYTES);
}

/* Whoever reads the line must know where to look. */
static void
name_the_file(const struct settings *s, const char *what, char *problem,
    size_t problem_size)
{
    (void)snprintf(problem, problem_size, "EXECUTOR_TOKENS_FILE %s: %s",
        s->tokens_file, what);
}

struct tokens *
tokens_load(const struct settings *s, char *problem, size_t problem_size)
{
    char what[TOKENS_MAX_PROBLEM];
    struct problems problems;
    struct tokens *t = set_new();

    problems_init(&problems, what, sizeof(what));
    if (t == NULL) {
        (void)snprintf(problem, problem_size, "out of memory");
        return NULL;
    }
    problem[0] = '\0';
    if (s->api_token[0] != '\0')
        set_add_default(t, s);
    if (s->tokens_file[0] != '\0')
        set_add_file(t, s->tokens_file, &problems);
    t = set_finish(t, &problems);
    if (t == NULL)
        name_the_file(s, what, problem, problem_size);
    return t;
}

struct tokens *
tokens_ref(struct tokens *t)
{
    (void)__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
    return t;
}

void
tokens_unref(struct tokens *t)
{
    if (t == NULL || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    explicit_bzero(t, sizeof(*t));
    free(t);
}

size_t
tokens_count(const struct tokens *t)
{
    return t->count;
}

const struct token *
tokens_at(const struct tokens *t, size_t i)
{
    return &t->entries[i];
}

/* --- looking one up ------------------------------------------------------- */

/* All ones when `is_so`, else zero; no branch on it. */
static size_t
mask_of(bool is_so)
{
    return (size_t)0 - (size_t)is_so;
}

const struct token *
tokens_find(const struct tokens *t, const unsigned char digest[SHA256_BYTES],
    int64_t now)
{
    volatile size_t found = 0; /* index + 1 */
    const struct token *token;

    for (size_t i = 0; i < t->count; i++) {
        const struct token *e = &t->entries[i];
        bool is_first = sha256_is_equal(digest, e->digests[0]);
        bool is_second = sha256_is_equal(digest, e->digests[1]);

        found |= mask_of(is_first | is_second) & (i + 1);
    }
    if (found == 0)
        return NULL;
    token = &t->entries[found - 1];
    return now >= token->not_before && now < token->expires ? token : NULL;
}
