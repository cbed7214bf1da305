/* check - is this text a good value of its kind? */
#include "fcgi-app/settings/check.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "sandbox/base/fdio.h"
#include "sandbox/wire/profile.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

const char *
check_name(char *value)
{
    if (value[0] == '\0' || strlen(value) > 64 ||
        value[strspn(value, LETTERS DIGITS "._-")] != '\0')
        return "must be 1 to 64 letters, digits, '.', '_' or '-'";
    return NULL;
}

const char *
check_token(char *value)
{
    for (const char *c = value; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            return "must have printable ASCII without spaces only, as it is "
                   "sent in a header";
    if (strlen(value) > 512)
        return "must have at most 512 characters";
    return NULL;
}

const char *
check_path(char *value)
{
    if (value[0] != '\0' && value[0] != '/')
        return "must be an absolute path";
    return NULL;
}

const char *
check_socket_path(char *value)
{
    if (value[0] != '/' ||
        strlen(value) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
        return "must be an absolute path of at most 107 bytes";
    return NULL;
}

const char *
check_audit_log(char *value)
{
    static const char *const names[] = { "stdout", "stderr", "journald" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(value, names[i]) == 0)
            return NULL;
    if (check_path(value) != NULL)
        return "must be an absolute path, 'stdout', 'stderr', 'journald', or "
               "empty";
    return NULL;
}

/* --- comma lists ---------------------------------------------------------- */

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * Call `is_good` with each item of a comma list, its blanks removed, and
 * write the list again without blanks and empty items.
 */
static bool
list_is_good(char *value, bool (*is_good)(char *item, void *with), void *with)
{
    char *read = value, *write = value, *item, *end;
    bool has_more = *value != '\0';
    size_t len;

    while (has_more) {
        item = read + strspn(read, " \t");
        end = item + strcspn(item, ",");
        has_more = *end == ',';
        read = end + 1;
        while (end > item && is_blank(end[-1]))
            end--;
        *end = '\0';
        len = (size_t)(end - item);
        if (len == 0)
            continue;
        if (!is_good(item, with))
            return false;
        if (write != value)
            *write++ = ',';
        memmove(write, item, len);
        write += len;
    }
    *write = '\0';
    return true;
}

/* identifier(.identifier)* in ASCII, no dunder and no private part */
static bool
is_module(char *item, void *with)
{
    const char *part = item;
    size_t len;

    (void)with;
    for (;;) {
        len = strspn(part, LETTERS DIGITS "_");
        if (len == 0 || isdigit((unsigned char)part[0]) || part[0] == '_')
            return false;
        if (part[len] == '\0')
            return true;
        if (part[len] != '.')
            return false;
        part += len + 1;
    }
}

const char *
check_imports(char *value)
{
    if (!list_is_good(value, is_module, NULL))
        return "must be a comma list of public module names, such as "
               "'statistics,urllib.parse'";
    return NULL;
}

static bool
is_port(const char *text)
{
    uint64_t port;

    return parse_u64(text, 65535, &port) == 0 && port > 0;
}

/* [v6 address]; returns what stands behind it, or NULL */
static const char *
skip_bracketed(const char *host)
{
    const char *close = strchr(host, ']');
    char address[INET6_ADDRSTRLEN];
    struct in6_addr in6;
    size_t len;

    if (host[0] != '[' || close == NULL)
        return NULL;
    len = (size_t)(close - host - 1);
    if (len >= sizeof(address))
        return NULL;
    memcpy(address, host + 1, len);
    address[len] = '\0';
    return inet_pton(AF_INET6, address, &in6) == 1 ? close + 1 : NULL;
}

/* A host name or an IPv4 address; returns what stands behind it, or NULL */
static const char *
skip_host(const char *host)
{
    size_t len = strspn(host, LETTERS DIGITS ".-");

    if (len == 0 || len > 253 || host[0] == '.' || host[0] == '-')
        return NULL;
    return host + len;
}

/* An origin as a browser sends it: scheme, host, port, nothing else. */
static bool
is_origin(char *item, void *with)
{
    const char *host, *rest;

    (void)with;
    if (strncmp(item, "http://", 7) == 0)
        host = item + 7;
    else if (strncmp(item, "https://", 8) == 0)
        host = item + 8;
    else
        return false;
    rest = host[0] == '[' ? skip_bracketed(host) : skip_host(host);
    return rest != NULL &&
           (rest[0] == '\0' || (rest[0] == ':' && is_port(rest + 1)));
}

const char *
check_origins(char *value)
{
    if (strchr(value, '*') != NULL)
        return "must name each origin; '*' is refused, because it would let "
               "any web page call the service";
    if (!list_is_good(value, is_origin, NULL))
        return "must be a comma list of origins, such as "
               "'https://app.example.com,http://localhost:8030'";
    return NULL;
}

/* An address or a net in CIDR form. */
static bool
is_address(char *item, void *with)
{
    unsigned char in[sizeof(struct in6_addr)];
    char *slash = strchr(item, '/');
    uint64_t bits;
    bool is_v4, is_good;

    (void)with;
    if (slash != NULL)
        *slash = '\0';
    is_v4 = inet_pton(AF_INET, item, in) == 1;
    is_good = is_v4 || inet_pton(AF_INET6, item, in) == 1;
    if (slash != NULL) {
        *slash = '/';
        is_good = is_good && parse_u64(slash + 1, is_v4 ? 32 : 128, &bits) == 0;
    }
    return is_good;
}

const char *
check_addresses(char *value)
{
    if (!list_is_good(value, is_address, NULL))
        return "must be a comma list of addresses, such as "
               "'10.0.0.5,10.1.0.0/16,fd00::/8'";
    return NULL;
}

static bool
is_listen(char *item, void *with)
{
    const char *rest = skip_bracketed(item);
    struct in_addr in;

    (void)with;
    return inet_pton(AF_INET, item, &in) == 1 ||
           (rest != NULL && rest[0] == '\0');
}

/* Of this machine, with or without a port? */
static bool
is_own_address(char *item, void *with)
{
    (void)with;
    return strncmp(item, "127.", 4) == 0 || strncmp(item, "[::1]", 5) == 0;
}

/* What a build with fixtures may listen on; any other, where it likes. */
static const char *
check_own_addresses(char *value)
{
#ifdef GLOVEBOX_CONFORMANCE
    bool is_own_only = true;
#else
    bool is_own_only = false;
#endif

    if (is_own_only && !list_is_good(value, is_own_address, NULL))
        return "must be of loopback: this build has fixtures for conformance "
               "tests";
    return NULL;
}

const char *
check_listen(char *value)
{
    if (!list_is_good(value, is_listen, NULL) || value[0] == '\0')
        return "must be a comma list of addresses, such as "
               "'127.0.0.1,[::1]'";
    return check_own_addresses(value);
}

static bool
is_server_name(char *item, void *with)
{
    const char *rest = item[0] == '[' ? skip_bracketed(item) : skip_host(item);

    (void)with;
    return rest != NULL && rest[0] == '\0';
}

const char *
check_server_names(char *value)
{
    if (!list_is_good(value, is_server_name, NULL) || value[0] == '\0')
        return "must be a comma list of host names or addresses";
    return NULL;
}

/* Does ":port" and nothing else stand there? */
static bool
is_colon_port(const char *rest)
{
    return rest != NULL && rest[0] == ':' && is_port(rest + 1);
}

const char *
check_fastcgi_address(char *value)
{
    char *colon = strrchr(value, ':');
    struct in_addr in;
    bool is_v4 = false;

    if (value[0] == '\0' || is_colon_port(skip_bracketed(value)))
        return check_own_addresses(value);
    if (is_colon_port(colon)) {
        *colon = '\0';
        is_v4 = inet_pton(AF_INET, value, &in) == 1;
        *colon = ':';
    }
    if (!is_v4)
        return "must be an address in numbers with a port, such as "
               "'127.0.0.1:9000' or '[::1]:9000', or empty";
    return check_own_addresses(value);
}

/* Characters of a path that nginx's files can hold between quotes. */
static bool
is_unix_upstream(char *item)
{
    const char *path = item + strlen("unix:");

    return strncmp(item, "unix:", strlen("unix:")) == 0 &&
           path[strspn(path, LETTERS DIGITS "/._+@%=-")] == '\0' &&
           check_socket_path(item + strlen("unix:")) == NULL;
}

static bool
is_upstream(char *item, void *with)
{
    (void)with;
    return strcmp(item, "local") == 0 || is_unix_upstream(item) ||
           is_colon_port(
               item[0] == '[' ? skip_bracketed(item) : skip_host(item));
}

const char *
check_upstreams(char *value)
{
    if (!list_is_good(value, is_upstream, NULL) || value[0] == '\0')
        return "must be a comma list of 'local', 'unix:/path' or 'host:port'";
    return NULL;
}

static bool
add_profile(char *item, void *with)
{
    const struct profile *p = profile_find(item, strlen(item));
    uint32_t *bits = with;

    if (p == NULL)
        return false;
    *bits |= (uint32_t)1 << profile_id_of(p);
    return true;
}

const char *
check_profiles(char *value, uint32_t *ret_bits)
{
    uint32_t bits = 0;

    if (!list_is_good(value, add_profile, &bits) || bits == 0)
        return "must be a comma list of profiles: restricted, standard";
    *ret_bits = bits;
    return NULL;
}

/* --- tokens --------------------------------------------------------------- */

#define TOKEN_MIN_CHARACTERS 24
#define TOKEN_MIN_DISTINCT 8

/* Parts of the values that stand in examples and tutorials. */
static const char *const weak_words[] = {
    "change-me",
    "change_me",
    "changeme",
    "changethis",
    "change-this",
    "replace-me",
    "replaceme",
    "replace-this",
    "your-token",
    "your_token",
    "yourtoken",
    "your-secret",
    "your_secret",
    "your-api",
    "my-secret",
    "mysecret",
    "supersecret",
    "super-secret",
    "super_secret",
    "secret-token",
    "secret_token",
    "secrettoken",
    "test-token",
    "test_token",
    "testtoken",
    "dev-token",
    "dev_token",
    "devtoken",
    "default-token",
    "default_token",
    "example",
    "password",
    "placeholder",
    "insecure",
    "executor-token",
    "executor_api_token",
    "0123456789",
    "1234567890",
    "abcdefghij",
    "qwertyuiop",
    "letmein",
    "deadbeef",
};

static unsigned
count_distinct(const char *text)
{
    bool seen[256] = { false };
    unsigned count = 0;

    for (; *text != '\0'; text++) {
        count += !seen[(unsigned char)*text];
        seen[(unsigned char)*text] = true;
    }
    return count;
}

const char *
check_token_strength(const char *token)
{
    if (token[0] == '\0')
        return "must not be empty in production (make one with 'openssl rand "
               "-hex 32', or set EXECUTOR_TOKENS_FILE)";
    if (strlen(token) < TOKEN_MIN_CHARACTERS)
        return "must have at least 24 characters in production";
    if (count_distinct(token) < TOKEN_MIN_DISTINCT)
        return "must have at least 8 different characters in production";
    for (size_t i = 0; i < sizeof(weak_words) / sizeof(weak_words[0]); i++)
        if (strcasestr(token, weak_words[i]) != NULL)
            return "is a well-known or example value, which production "
                   "refuses";
    return NULL;
}

/* --- users and groups ----------------------------------------------------- */

bool
check_user(const char *text, uint32_t *ret_uid, uint32_t *ret_gid)
{
    const struct passwd *pw;
    uint64_t number;

    if (parse_u64(text, INT32_MAX, &number) == 0) {
        pw = getpwuid((uid_t)number);
        *ret_uid = (uint32_t)number;
        *ret_gid = pw != NULL ? pw->pw_gid : (uint32_t)number;
    } else {
        pw = getpwnam(text);
        if (pw == NULL)
            return false;
        *ret_uid = pw->pw_uid;
        *ret_gid = pw->pw_gid;
    }
    return *ret_uid != 0 && *ret_gid != 0;
}

bool
check_group(const char *text, uint32_t *ret_gid)
{
    const struct group *gr;
    uint64_t number;

    if (parse_u64(text, INT32_MAX, &number) == 0) {
        *ret_gid = (uint32_t)number;
        return true;
    }
    gr = getgrnam(text);
    if (gr == NULL)
        return false;
    *ret_gid = gr->gr_gid;
    return true;
}
