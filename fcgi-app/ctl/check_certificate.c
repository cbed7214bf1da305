/*
 * check_certificate - how long TLS_CERTIFICATE is still good
 *
 * Reads the one field it needs, the end of the validity, out of the first
 * certificate of the file: base64 between two lines (RFC 7468), in it nested
 * pieces of tag, length and content (X.690).  Whether the certificate is
 * right in every other way, nginx says when it starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/ctl/check.h"
#include "fcgi-app/rfc3339.h"
#include "sandbox/base/cleanup.h"

#define CERTIFICATE_MAX_FILE 65536
#define CERTIFICATE_SOON_S ((int64_t)14 * 24 * 3600)
#define CERTIFICATE_BEGIN "-----BEGIN CERTIFICATE-----"

enum der_tag {
    DER_INTEGER = 0x02,
    DER_UTC_TIME = 0x17,
    DER_GENERAL_TIME = 0x18,
    DER_SEQUENCE = 0x30,
    DER_VERSION = 0xa0,
};

/* --- pieces -----------------------------------------------------------------
 */

/* Take the first piece off; its content, and `bad` in `v` if there is none. */
static struct view
der_take(struct view *v, unsigned *ret_tag)
{
    const unsigned char *at = (const unsigned char *)v->data;
    size_t head = 2, len;
    struct view content = view_of("", 0);

    *ret_tag = 0;
    if (v->bad || v->len < 2) {
        v->bad = true;
        return content;
    }
    len = at[1];
    if (len & 0x80) {
        size_t digits = len & 0x7f;

        head += digits;
        if (digits == 0 || digits > 3 || v->len < head) {
            v->bad = true;
            return content;
        }
        for (len = 0; digits > 0; digits--)
            len = len << 8 | at[head - digits];
    }
    if (len > v->len - head) {
        v->bad = true;
        return content;
    }
    *ret_tag = at[0];
    content = view_of(v->data + head, len);
    v->data += head + len;
    v->len -= head + len;
    return content;
}

/* The content of the first piece, which must have this tag. */
static struct view
der_expect(struct view *v, unsigned tag)
{
    unsigned found;
    struct view content = der_take(v, &found);

    if (found != tag)
        v->bad = true;
    return content;
}

/* "491231235959Z" of this century or the last, or "20500101000000Z". */
static int
der_time(struct view text, unsigned tag, int64_t *ret_seconds)
{
    char digits[16], line[RFC3339_TEXT];
    const char *century = "";

    if (text.len != (tag == DER_UTC_TIME ? 13u : 15u) ||
        text.data[text.len - 1] != 'Z')
        return -EINVAL;
    if (tag == DER_UTC_TIME)
        century = text.data[0] < '5' ? "20" : "19";
    (void)snprintf(digits, sizeof(digits), "%s%.*s", century,
        (int)(text.len - 1), text.data);
    (void)snprintf(line, sizeof(line), "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", digits,
        digits + 4, digits + 6, digits + 8, digits + 10, digits + 12);
    return rfc3339_parse(line, strlen(line), ret_seconds);
}

/* The way down to the second of the two times. */
static int
certificate_end(struct view der, int64_t *ret_seconds)
{
    struct view whole = der_expect(&der, DER_SEQUENCE);
    struct view body = der_expect(&whole, DER_SEQUENCE);
    struct view validity, end;
    unsigned tag;

    if (body.len > 0 && (unsigned char)body.data[0] == DER_VERSION)
        (void)der_expect(&body, DER_VERSION);
    (void)der_expect(&body, DER_INTEGER); /* serial number */
    (void)der_expect(&body, DER_SEQUENCE); /* algorithm */
    (void)der_expect(&body, DER_SEQUENCE); /* issuer */
    validity = der_expect(&body, DER_SEQUENCE);
    (void)der_take(&validity, &tag);
    end = der_take(&validity, &tag);
    if (der.bad || whole.bad || body.bad || validity.bad ||
        (tag != DER_UTC_TIME && tag != DER_GENERAL_TIME))
        return -EINVAL;
    return der_time(end, tag, ret_seconds);
}

/* --- the file ---------------------------------------------------------------
 */

/* Letters of base64 up to the next '-'; returns how many bytes they are. */
static size_t
certificate_decode(const char *text, char *bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    unsigned count = 0;
    size_t len = 0;

    for (; *text != '\0' && *text != '-'; text++) {
        const char *letter = strchr(letters, *text);

        if (letter == NULL)
            continue;
        bits = bits << 6 | (uint32_t)(letter - letters);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes[len++] = (char)(bits >> count);
        }
    }
    return len;
}

static int
certificate_read(const char *path, int64_t *ret_seconds)
{
    static char text[CERTIFICATE_MAX_FILE], bytes[CERTIFICATE_MAX_FILE];
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    const char *begin;
    ssize_t n;

    if (fd < 0)
        return -errno;
    n = read(fd, text, sizeof(text) - 1);
    if (n < 0)
        return -errno;
    text[n] = '\0';
    begin = strstr(text, CERTIFICATE_BEGIN);
    if (begin == NULL)
        return -EINVAL;
    begin += strlen(CERTIFICATE_BEGIN);
    return certificate_end(
        view_of(bytes, certificate_decode(begin, bytes)), ret_seconds);
}

static void
certificate_judge(
    struct check_finding *f, const char *path, int64_t end, int64_t now)
{
    char when[RFC3339_TEXT];

    rfc3339_print(end, when, sizeof(when));
    if (end <= now)
        check_say(f, CHECK_WARN, "%s ended %s", path, when);
    else if (end <= now + CERTIFICATE_SOON_S)
        check_say(f, CHECK_WARN, "%s ends %s, in %" PRId64 " days", path, when,
            (end - now) / (24 * 3600));
    else
        check_say(f, CHECK_OK, "%s is good until %s", path, when);
}

void
check_certificate(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const struct settings *s = host->settings;
    struct stat key;
    int64_t end = 0;
    int r;

    (void)row;
    if (s->tls_certificate[0] == '\0') {
        check_say(f, CHECK_OK, "none: no TLS here");
        return;
    }
    r = certificate_read(s->tls_certificate, &end);
    if (r < 0)
        check_say(f, CHECK_FAIL, "%s holds no certificate (%s)",
            s->tls_certificate, strerrorname_np(-r));
    else if (stat(s->tls_key, &key) < 0)
        check_say(f, CHECK_FAIL, "the key %s is not there (%s)", s->tls_key,
            strerrorname_np(errno));
    else if (key.st_mode & S_IROTH)
        check_say(f, CHECK_FAIL, "everybody may read the key %s", s->tls_key);
    else
        certificate_judge(f, s->tls_certificate, end, host->now);
}
