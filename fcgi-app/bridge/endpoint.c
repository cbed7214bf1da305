/* endpoint - where the service is, and the request that takes a message there
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "fcgi-app/bridge/endpoint.h"
#include "fcgi-app/json/scan.h"
#include "sandbox/base/fdio.h"

/* --- the URL -------------------------------------------------------------- */

static int
endpoint_complain(
    char *problem, size_t size, const char *what, const char *detail)
{
    (void)snprintf(problem, size, "%s: %s", what, detail);
    return -1;
}

static bool
endpoint_is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

/* "host", "host:port" or "[v6]:port" into its two parts. */
static bool
endpoint_split(const char *authority, char host[256], char port[8])
{
    bool is_v6 = authority[0] == '[';
    const char *from = authority + is_v6;
    size_t len = strcspn(from, is_v6 ? "]" : ":");
    const char *rest = from + len;
    uint64_t number;

    if (is_v6 && *rest++ != ']')
        return false;
    if (len == 0 || len >= 256 || strpbrk(authority, "@?#") != NULL)
        return false;
    memcpy(host, from, len);
    host[len] = '\0';
    (void)snprintf(port, 8, "80");
    if (*rest == '\0')
        return true;
    if (*rest != ':' || parse_u64(rest + 1, UINT16_MAX, &number) != 0)
        return false;
    (void)snprintf(port, 8, "%u", (unsigned)(uint16_t)number);
    return true;
}

static bool
endpoint_is_here(const struct sockaddr *address)
{
    const struct sockaddr_in *v4 = (const void *)address;
    const struct sockaddr_in6 *v6 = (const void *)address;

    if (address->sa_family == AF_INET)
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

int
endpoint_init(struct endpoint *e, const char *url, bool may_leave,
    char *problem, size_t size)
{
    static const char scheme[] = "http://";
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    char host[256], port[8];
    const char *authority;
    size_t len;
    int error;

    *e = (struct endpoint){ 0 };
    if (strncmp(url, "https://", 8) == 0)
        return endpoint_complain(problem, size, url,
            "the bridge speaks no TLS; a client that sends a header needs no "
            "bridge, for others see docs/MCP.md");
    if (strncmp(url, scheme, sizeof(scheme) - 1) != 0 ||
        strlen(url) >= sizeof(e->url) || !endpoint_is_plain(url))
        return endpoint_complain(
            problem, size, url, "not a URL like http://127.0.0.1:8030/mcp");
    authority = url + sizeof(scheme) - 1;
    len = strcspn(authority, "/");
    if (len >= sizeof(e->authority) ||
        strlen(authority + len) >= sizeof(e->path))
        return endpoint_complain(problem, size, url, "too long");
    memcpy(e->authority, authority, len);
    (void)snprintf(e->path, sizeof(e->path), "%s",
        authority[len] != '\0' ? authority + len : "/mcp");
    (void)snprintf(
        e->url, sizeof(e->url), "%s%s%s", scheme, e->authority, e->path);
    if (!endpoint_split(e->authority, host, port))
        return endpoint_complain(problem, size, url, "not a host and a port");
    error = getaddrinfo(host, port, &hints, &e->addresses);
    if (error != 0)
        return endpoint_complain(problem, size, host, gai_strerror(error));
    for (struct addrinfo *a = e->addresses; a != NULL; a = a->ai_next)
        if (!may_leave && !endpoint_is_here(a->ai_addr)) {
            endpoint_done(e);
            return endpoint_complain(problem, size, host,
                "not this machine: the token would cross the network in the "
                "clear; --allow-plain if that is meant");
        }
    return 0;
}

void
endpoint_done(struct endpoint *e)
{
    if (e->addresses != NULL)
        freeaddrinfo(e->addresses);
    explicit_bzero(e, sizeof(*e));
}

bool
endpoint_set_token(struct endpoint *e, struct view token)
{
    if (token.len == 0 || token.len >= sizeof(e->token))
        return false;
    for (size_t i = 0; i < token.len; i++)
        if (token.data[i] <= ' ' || token.data[i] > '~')
            return false;
    memcpy(e->token, token.data, token.len);
    e->token[token.len] = '\0';
    return true;
}

/* --- the request ---------------------------------------------------------- */

static void
put_base64(struct buf *out, struct view bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)(unsigned char)bytes.data[i] << 16;

        if (left > 1)
            group |= (uint32_t)(unsigned char)bytes.data[i + 1] << 8;
        if (left > 2)
            group |= (unsigned char)bytes.data[i + 2];
        buf_addc(out, digits[group >> 18]);
        buf_addc(out, digits[group >> 12 & 63]);
        buf_addc(out, left > 1 ? digits[group >> 6 & 63] : '=');
        buf_addc(out, left > 2 ? digits[group & 63] : '=');
    }
}

/* A header can hold it as it is, and nobody will take it for base64. */
static bool
is_header_text(struct view text)
{
    static const char mark[] = "=?base64?";

    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < ' ' || text.data[i] > '~')
            return false;
    return text.len > 0 && text.data[0] != ' ' &&
           text.data[text.len - 1] != ' ' &&
           (text.len < sizeof(mark) - 1 ||
               memcmp(text.data, mark, sizeof(mark) - 1) != 0);
}

/* A string token of the message as a header. */
static void
put_header(struct buf *out, const char *name, struct view token)
{
    struct view text;
    struct buf plain;

    buf_init(&plain, token.len + 1);
    json_unescape(&plain, token);
    text = view_of(plain.len > 0 ? plain.data : "", plain.len);
    buf_addf(out, "%s: ", name);
    if (is_header_text(text)) {
        buf_add(out, text.data, text.len);
    } else {
        buf_adds(out, "=?base64?");
        put_base64(out, text);
        buf_adds(out, "?=");
    }
    buf_adds(out, "\r\n");
    buf_done(&plain);
}

void
endpoint_request(
    const struct endpoint *e, const struct message *m, struct buf *out)
{
    struct view name;

    buf_addf(out,
        "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
        "Content-Type: application/json\r\nContent-Length: %zu\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "User-Agent: gloveboxctl/" GLOVEBOX_VERSION "\r\n"
        "Connection: close\r\n",
        e->path, e->authority, e->token, m->text.len);
    if (m->version.len > 0) {
        put_header(out, "MCP-Protocol-Version", m->version);
        if (m->method.len > 0)
            put_header(out, "Mcp-Method", m->method);
        if (message_name(m, &name))
            put_header(out, "Mcp-Name", name);
    } else if (e->version[0] != '\0' && !message_is(m, "initialize")) {
        buf_addf(out, "MCP-Protocol-Version: %s\r\n", e->version);
    }
    buf_adds(out, "\r\n");
    buf_add(out, m->text.data, m->text.len);
}
