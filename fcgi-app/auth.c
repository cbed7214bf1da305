/* auth - whose token is this */
#include "fcgi-app/auth.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "fcgi-app/http.h"

/* A header as the request has it; `secret` NULL when it was not sent. */
struct sent {
    const char *secret;
    bool is_bad; /* twice, or not of the form we know */
};

static struct sent
sent_plain(const struct http_request *r)
{
    struct sent sent = { 0 };
    int n = http_param(r, "HTTP_X_EXECUTOR_TOKEN", &sent.secret);

    sent.is_bad = n < 0;
    return sent;
}

/* "Bearer", in any case, and blanks before the secret. */
static struct sent
sent_bearer(const struct http_request *r)
{
    struct sent sent = { 0 };
    const char *value = NULL;
    int n = http_param(r, "HTTP_AUTHORIZATION", &value);

    if (n == 0)
        return sent;
    if (n < 0 || strncasecmp(value, "Bearer ", 7) != 0) {
        sent.is_bad = true;
        return sent;
    }
    sent.secret = value + 7 + strspn(value + 7, " ");
    return sent;
}

/* The digest of the one secret that was sent; false when that is not so. */
static bool
sent_digest(const struct http_request *r, unsigned char digest[SHA256_BYTES])
{
    struct sent plain = sent_plain(r), bearer = sent_bearer(r);
    unsigned char other[SHA256_BYTES];
    const char *secret = plain.secret != NULL ? plain.secret : bearer.secret;

    if (plain.is_bad || bearer.is_bad || secret == NULL)
        return false;
    if (secret[0] == '\0' || strlen(secret) > AUTH_MAX_SECRET)
        return false;
    sha256_of(secret, strlen(secret), digest);
    if (plain.secret == NULL || bearer.secret == NULL)
        return true;
    if (strlen(bearer.secret) > AUTH_MAX_SECRET)
        return false;
    sha256_of(bearer.secret, strlen(bearer.secret), other);
    return sha256_is_equal(digest, other);
}

enum fault
auth_check(const struct tokens *t, const struct http_request *r,
    const struct token **ret_token)
{
    unsigned char digest[SHA256_BYTES];
    const struct token *token;

    if (tokens_count(t) == 0)
        return FAULT_NO_TOKEN_SET;
    if (!sent_digest(r, digest))
        return FAULT_TOKEN;
    token = tokens_find(t, digest, (int64_t)time(NULL));
    explicit_bzero(digest, sizeof(digest));
    if (token == NULL)
        return FAULT_TOKEN;
    *ret_token = token;
    return FAULT_NONE;
}
