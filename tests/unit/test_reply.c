/* reply: HTTP responses in pieces of any size */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "fcgi-app/bridge/reply.h"

Suite *suite_reply(void);

#define OK "HTTP/1.1 200 OK\r\n"
#define JSON "Content-Type: application/json\r\n"
#define EVENTS "Content-Type: text/event-stream; charset=utf-8\r\n"
#define CHUNKED "transfer-encoding: chunked\r\n"

static const struct {
    const char *bytes;
    const char *messages; /* each followed by '|' */
    unsigned status;
    int end; /* of reply_end(), or of the feed that failed */
} replies[] = {
    { OK JSON "Content-Length: 2\r\n\r\n{}", "{}|", 200, 0 },
    { OK "content-type:application/json;x=y\r\nContent-length:2\r\n\r\n{}",
        "{}|", 200, 0 },
    { OK JSON "Content-Length: 2\r\n\r\n{}and more", "{}|", 200, 0 },
    { OK JSON "\r\n{}", "{}|", 200, 0 }, /* to the end of the connection */
    { "HTTP/1.0 404 Not Found\nContent-Type: application/json\n\n{}", "{}|",
        404, 0 },
    { OK JSON CHUNKED "\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n", "{}|", 200, 0 },
    { OK JSON CHUNKED "\r\nB\r\n[123456789]\r\n0\r\nX: y\r\n\r\n",
        "[123456789]|", 200, 0 },
    { "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "", 202, 0 },
    { "HTTP/1.1 204\r\n\r\n", "", 204, 0 },
    { OK "Content-Type: text/html\r\nContent-Length: 3\r\n\r\nabc", "", 200,
        0 },
    { OK EVENTS "\r\ndata: {\"a\":1}\n\n: nothing\n\nid: 5\nevent: message\n"
                "data:{\"b\":\ndata: 2}\n\ndata: cut",
        "{\"a\":1}|{\"b\":\n2}|", 200, 0 },
    { OK EVENTS CHUNKED "\r\n9\r\ndata: {}\r\r\n4\r\n\n\r\n\n\r\n0\r\n\r\n",
        "{}|", 200, 0 },
    /* Cut off. */
    { "", "", 0, -EPROTO },
    { "HTTP/1.1 200 OK\r\nContent-Ty", "", 200, -EPROTO },
    { OK JSON "Content-Length: 3\r\n\r\n{}", "", 200, -EPROTO },
    { OK JSON CHUNKED "\r\n2\r\n{}\r\n", "", 200, -EPROTO },
    { OK JSON CHUNKED "\r\n2\r\n{}\r\n0\r\n", "", 200, -EPROTO },
    /* Not HTTP. */
    { "SSH-2.0-OpenSSH\r\n", "", 0, -EPROTO },
    { "HTTP/2 200\r\n", "", 0, -EPROTO },
    { "HTTP/1.1 20x\r\n", "", 0, -EPROTO },
    { "HTTP/1.1 2000\r\n", "", 0, -EPROTO },
    { "HTTP/1.\r\n", "", 0, -EPROTO },
    { OK "no colon\r\n\r\n", "", 200, -EPROTO },
    { OK "Content-Length: -1\r\n\r\n", "", 200, -EPROTO },
    { OK "Content-Length: 1234567890123\r\n\r\n", "", 200, -EPROTO },
    { OK "Transfer-Encoding: gzip\r\n\r\n", "", 200, -EPROTO },
    { OK JSON CHUNKED "\r\nx\r\n", "", 200, -EPROTO },
    { OK JSON CHUNKED "\r\n\r\n", "", 200, -EPROTO },
    { OK JSON CHUNKED "\r\n1\r\n{}\r\n", "", 200, -EPROTO },
};

static void
keep(void *to, struct view text)
{
    buf_add(to, text.data, text.len);
    buf_addc(to, '|');
}

static void
expect_reply(int row, size_t piece)
{
    const char *bytes = replies[row].bytes;
    size_t len = strlen(bytes);
    struct reply r;
    struct buf said;
    int error = 0;

    buf_init(&said, 4096);
    reply_init(&r, keep, &said);
    for (size_t at = 0; error == 0 && at < len; at += piece)
        error = reply_feed(&r, bytes + at, len - at < piece ? len - at : piece);
    if (error == 0)
        error = reply_end(&r);
    buf_addc(&said, '\0');
    ck_assert_int_eq(error, replies[row].end);
    ck_assert_uint_eq(r.status, replies[row].status);
    ck_assert_str_eq(said.data, replies[row].messages);
    ck_assert_int_eq(r.is_complete, error == 0);
    reply_done(&r);
    buf_done(&said);
}

START_TEST(reply_is_the_same_in_pieces_of_any_size)
{
    expect_reply(_i, 4096);
    expect_reply(_i, 1);
    expect_reply(_i, 3);
}
END_TEST

static int
feed_many(struct reply *r, const char *bytes, size_t times)
{
    int error = 0;

    while (error == 0 && times-- > 0)
        error = reply_feed(r, bytes, strlen(bytes));
    return error;
}

START_TEST(reply_has_a_maximum_everywhere)
{
    static const char *const starts[] = {
        OK "X: ", /* one line of the head */
        OK JSON "\r\n", /* a body without a length */
        OK EVENTS "\r\n", /* a line of a stream */
    };
    static char many[65537];
    struct reply r;
    struct buf said;

    memset(many, 'a', sizeof(many) - 1);
    buf_init(&said, 4096);
    for (size_t i = 0; i < 3; i++) {
        reply_init(&r, keep, &said);
        ck_assert_int_eq(feed_many(&r, starts[i], 1), 0);
        ck_assert_int_eq(
            feed_many(&r, many, REPLY_MAX_BODY / 65536 + 1), -EFBIG);
        reply_done(&r);
    }
    reply_init(&r, keep, &said); /* an event of many lines */
    ck_assert_int_eq(feed_many(&r, OK EVENTS "\r\n", 1), 0);
    memcpy(many, "data: ", 6);
    many[65535] = '\n';
    ck_assert_int_eq(feed_many(&r, many, REPLY_MAX_BODY / 65536 + 2), -EFBIG);
    reply_done(&r);
    buf_done(&said);
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

Suite *
suite_reply(void)
{
    Suite *s = suite_create("reply");
    TCase *t = tcase_create("reply");

    tcase_add_loop_test(
        t, reply_is_the_same_in_pieces_of_any_size, 0, COUNT(replies));
    tcase_add_test(t, reply_has_a_maximum_everywhere);
    suite_add_tcase(s, t);
    return s;
}
