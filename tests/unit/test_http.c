/* http: parameters, bodies and heads of answers */
#include "fcgi-app/http.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/base/fdio.h"

/* A body that comes in pieces of `step` bytes. */
struct source {
    const char *bytes;
    size_t len;
    size_t step;
    bool is_broken; /* fails after its last byte, instead of ending */
};

static long
source_read(void *from, char *bytes, size_t len)
{
    struct source *s = from;
    size_t n = s->len < s->step ? s->len : s->step;

    if (n == 0)
        return s->is_broken ? -EIO : 0;
    if (n > len)
        n = len;
    memcpy(bytes, s->bytes, n);
    s->bytes += n;
    s->len -= n;
    return (long)n;
}

static enum fault
read_body(const char *announced, struct source *source, size_t max,
    struct http_request *r)
{
    static char length[64];
    static char *params[2];

    (void)snprintf(length, sizeof(length), "CONTENT_LENGTH=%s", announced);
    params[0] = length;
    http_request_init(r, params, -1);
    r->read = source_read;
    r->read_from = source;
    return http_body_read(r, max);
}

START_TEST(http_finds_a_parameter_by_its_whole_name)
{
    char a[] = "HTTP_X=1", b[] = "HTTP_XY=2", c[] = "TTP_X=3", d[] = "EMPTY=";
    char *params[] = { b, c, a, d, NULL };
    struct http_request r;
    const char *value = "untouched";

    http_request_init(&r, params, -1);
    ck_assert_int_eq(http_param(&r, "HTTP", &value), 0);
    ck_assert_str_eq(value, "untouched");
    ck_assert_int_eq(http_param(&r, "HTTP_X", &value), 1);
    ck_assert_str_eq(value, "1");
    ck_assert_int_eq(http_param(&r, "EMPTY", &value), 1);
    ck_assert_str_eq(value, "");
    http_request_done(&r);
}
END_TEST

START_TEST(http_tells_a_parameter_that_is_there_twice)
{
    char a[] = "HTTP_X=1", b[] = "OTHER=2", c[] = "HTTP_X=1";
    char *params[] = { a, b, c, NULL };
    struct http_request r;
    const char *value = "untouched";

    http_request_init(&r, params, -1);
    ck_assert_int_eq(http_param(&r, "HTTP_X", &value), -EEXIST);
    ck_assert_str_eq(value, "untouched");
    ck_assert(!r.is_malformed);
    http_request_done(&r);
}
END_TEST

START_TEST(http_fills_what_is_missing_with_nothing)
{
    char *params[] = { NULL };
    struct http_request r;

    http_request_init(&r, params, -1);
    ck_assert_str_eq(r.method, "");
    ck_assert_str_eq(r.path, "");
    ck_assert_str_eq(r.content_type, "");
    ck_assert_uint_eq(r.content_length, 0);
    ck_assert(!r.is_malformed);
    ck_assert_uint_eq(strlen(r.request_id), 32);
    http_request_done(&r);
}
END_TEST

START_TEST(http_calls_a_request_with_a_doubled_parameter_malformed)
{
    static const char *const names[] = { "REQUEST_METHOD", "SCRIPT_NAME",
        "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH", "REMOTE_ADDR",
        "HTTP_CONTENT_TYPE", "HTTP_ORIGIN" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char one[64], two[64];
        char *params[] = { one, two, NULL };
        struct http_request r;

        (void)snprintf(one, sizeof(one), "%s=1", names[i]);
        (void)snprintf(two, sizeof(two), "%s=1", names[i]);
        http_request_init(&r, params, -1);
        ck_assert_msg(r.is_malformed, "%s twice", names[i]);
        http_request_done(&r);
    }
}
END_TEST

START_TEST(http_reads_a_length_only_if_it_is_digits)
{
    static const struct {
        const char *text;
        bool is_malformed;
    } rows[] = {
        { "CONTENT_LENGTH=", false },
        { "CONTENT_LENGTH=0", false },
        { "CONTENT_LENGTH=17", false },
        { "CONTENT_LENGTH=+3", true },
        { "CONTENT_LENGTH=-1", true },
        { "CONTENT_LENGTH= 3", true },
        { "CONTENT_LENGTH=3x", true },
        { "CONTENT_LENGTH=0x10", true },
        { "CONTENT_LENGTH=99999999999999999999999", true },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[64];
        char *params[] = { text, NULL };
        struct http_request r;

        (void)snprintf(text, sizeof(text), "%s", rows[i].text);
        http_request_init(&r, params, -1);
        ck_assert_msg(
            r.is_malformed == rows[i].is_malformed, "%s", rows[i].text);
        http_request_done(&r);
    }
}
END_TEST

START_TEST(http_keeps_only_a_well_formed_request_id)
{
    static const struct {
        const char *id;
        bool is_kept;
    } rows[] = {
        { "abc-DEF_1.2", true }, { "", false }, { "has space", false },
        { "line\nbreak", false }, { "quote\"", false },
        { "0123456789012345678901234567890123456789"
          "012345678901234567890123",
            true }, /* 64 */
        { "0123456789012345678901234567890123456789"
          "0123456789012345678901234",
            false }, /* 65 */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[128];
        char *params[] = { text, NULL };
        struct http_request r;

        (void)snprintf(text, sizeof(text), "REQUEST_ID=%s", rows[i].id);
        http_request_init(&r, params, -1);
        ck_assert(http_id_is_well_formed(r.request_id));
        ck_assert_msg(
            (strcmp(r.request_id, rows[i].id) == 0) == rows[i].is_kept, "%s",
            rows[i].id);
        http_request_done(&r);
    }
}
END_TEST

START_TEST(http_makes_a_new_id_for_every_request)
{
    char *params[] = { NULL };
    struct http_request one, two;

    http_request_init(&one, params, -1);
    http_request_init(&two, params, -1);
    ck_assert_str_ne(one.request_id, two.request_id);
}
END_TEST

START_TEST(http_reads_a_body_that_comes_in_pieces)
{
    struct source source = { .bytes = "0123456789", .len = 10, .step = 3 };
    struct http_request r;

    ck_assert_int_eq(read_body("10", &source, 10, &r), FAULT_NONE);
    ck_assert_uint_eq(r.body.len, 10);
    ck_assert_mem_eq(r.body.data, "0123456789", 10);
    http_request_done(&r);
}
END_TEST

START_TEST(http_takes_no_body_for_an_empty_one)
{
    struct source source = { .bytes = "", .step = 1 };
    struct http_request r;

    ck_assert_int_eq(read_body("", &source, 10, &r), FAULT_NONE);
    ck_assert_uint_eq(r.body.len, 0);
    http_request_done(&r);
}
END_TEST

START_TEST(http_refuses_a_body_over_the_limit_without_reading_it)
{
    struct source source = { .bytes = "0123456789", .len = 10, .step = 3 };
    struct http_request r;

    ck_assert_int_eq(read_body("10", &source, 9, &r), FAULT_BODY_SIZE);
    ck_assert_uint_eq(source.len, 10);
    http_request_done(&r);
}
END_TEST

START_TEST(http_refuses_a_body_that_is_not_as_long_as_announced)
{
    struct source longer = { .bytes = "0123456789", .len = 10, .step = 10 };
    struct source shorter = { .bytes = "01234", .len = 5, .step = 5 };
    struct http_request r;

    ck_assert_int_eq(read_body("5", &longer, 100, &r), FAULT_JSON);
    http_request_done(&r);
    ck_assert_int_eq(read_body("6", &shorter, 100, &r), FAULT_JSON);
    http_request_done(&r);
}
END_TEST

START_TEST(http_takes_a_connection_broken_inside_the_body_as_gone)
{
    struct source source = {
        .bytes = "0123", .len = 4, .step = 2, .is_broken = true
    };
    struct http_request r;

    ck_assert_int_eq(read_body("10", &source, 100, &r), FAULT_CANCELLED);
    http_request_done(&r);
}
END_TEST

START_TEST(http_knows_json_by_its_media_type)
{
    static const struct {
        const char *type;
        bool is_json;
    } rows[] = {
        { "application/json", true },
        { "Application/JSON", true },
        { "application/json; charset=utf-8", true },
        { "application/json ;charset=utf-8", true },
        { "", false },
        { "text/plain", false },
        { "application/jsonp", false },
        { "application/json-patch+json", false },
        { "text/plain; application/json", false },
        { "app", false },
    };
    struct http_request r = { 0 };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        r.content_type = rows[i].type;
        ck_assert_msg(
            http_body_is_json(&r) == rows[i].is_json, "%s", rows[i].type);
    }
}
END_TEST

static void
head_of(enum fault fault, const char *detail, struct http_response *w,
    struct buf *head)
{
    static char id[] = "REQUEST_ID=r1";
    static char *params[] = { id, NULL };
    struct http_request r;

    http_request_init(&r, params, -1);
    http_response_init(w);
    http_response_fault(w, &r, fault, detail, NULL);
    buf_init(head, 4096);
    http_response_head(w, &r, head);
}

START_TEST(http_answers_a_missing_token_with_a_challenge)
{
    struct http_response w;
    struct buf head;

    head_of(FAULT_TOKEN, "not for the caller", &w, &head);
    ck_assert_ptr_nonnull(strstr(head.data, "Status: 401 Unauthorized\r\n"));
    ck_assert_ptr_nonnull(strstr(head.data, "WWW-Authenticate: Bearer\r\n"));
    /* nginx counts it and answers in our place */
    ck_assert_ptr_nonnull(strstr(head.data, "X-Accel-Redirect: /_refused\r\n"));
    ck_assert_ptr_nonnull(strstr(head.data, "X-Request-ID: r1\r\n"));
    ck_assert_str_eq(w.body.data,
        "{\"detail\":\"Invalid or missing executor token\","
        "\"request_id\":\"r1\"}");
    buf_done(&head);
    http_response_done(&w);
}
END_TEST

START_TEST(http_tells_refused_code_how_to_mend)
{
    struct http_hint hint = { .line = 3,
        .rule = "import",
        .rule_len = 6,
        .text = "a\n\xff\"",
        .text_len = 4 };
    struct http_request r = { 0 };
    struct http_response w;

    http_response_init(&w);
    http_response_fault(&w, &r, FAULT_REFUSED, "No", &hint);
    ck_assert_str_eq(w.body.data,
        "{\"detail\":\"No\",\"line\":3,\"rule\":\"import\","
        "\"hint\":\"a\\n\xef\xbf\xbd\\\"\",\"request_id\":\"\"}");
    http_response_fault(&w, &r, FAULT_FIELD, "No", &hint);
    ck_assert_str_eq(w.body.data, "{\"detail\":\"No\",\"request_id\":\"\"}");
    http_response_done(&w);
}
END_TEST

START_TEST(http_tells_when_to_come_again)
{
    struct http_response w;
    struct buf head;

    head_of(FAULT_BUSY, NULL, &w, &head);
    ck_assert_ptr_nonnull(strstr(head.data, "Status: 429 "));
    ck_assert_ptr_nonnull(strstr(head.data, "Retry-After: "));
    buf_done(&head);
    http_response_done(&w);
}
END_TEST

START_TEST(http_escapes_a_detail)
{
    struct http_response w;
    struct buf head;

    head_of(FAULT_REFUSED, "Use of '\"\n' is not allowed", &w, &head);
    ck_assert_str_eq(w.body.data,
        "{\"detail\":\"Use of '\\\"\\n' is not allowed\","
        "\"request_id\":\"r1\"}");
    buf_done(&head);
    http_response_done(&w);
}
END_TEST

START_TEST(http_sends_nothing_to_a_client_that_is_gone)
{
    struct http_response w;
    struct buf head;

    head_of(FAULT_CANCELLED, NULL, &w, &head);
    ck_assert_uint_eq(w.status, 0);
    buf_done(&head);
    http_response_done(&w);
}
END_TEST

START_TEST(http_gives_every_fault_a_whole_answer)
{
    for (int f = FAULT_NONE + 1; f < FAULT_COUNT; f++) {
        struct http_response w;
        struct buf head;

        if (f == FAULT_CANCELLED)
            continue;
        head_of((enum fault)f, NULL, &w, &head);
        ck_assert_uint_ge(w.status, 400);
        ck_assert(buf_ok(&w.body) && w.body.len > 2);
        ck_assert_str_eq(head.data + head.len - 4, "\r\n\r\n");
        buf_done(&head);
        http_response_done(&w);
    }
}
END_TEST

Suite *suite_http(void);

Suite *
suite_http(void)
{
    Suite *s = suite_create("http");
    TCase *t = tcase_create("request");

    tcase_add_test(t, http_finds_a_parameter_by_its_whole_name);
    tcase_add_test(t, http_tells_a_parameter_that_is_there_twice);
    tcase_add_test(t, http_fills_what_is_missing_with_nothing);
    tcase_add_test(t, http_calls_a_request_with_a_doubled_parameter_malformed);
    tcase_add_test(t, http_reads_a_length_only_if_it_is_digits);
    tcase_add_test(t, http_keeps_only_a_well_formed_request_id);
    tcase_add_test(t, http_makes_a_new_id_for_every_request);
    tcase_add_test(t, http_reads_a_body_that_comes_in_pieces);
    tcase_add_test(t, http_takes_no_body_for_an_empty_one);
    tcase_add_test(t, http_refuses_a_body_over_the_limit_without_reading_it);
    tcase_add_test(t, http_refuses_a_body_that_is_not_as_long_as_announced);
    tcase_add_test(t, http_takes_a_connection_broken_inside_the_body_as_gone);
    tcase_add_test(t, http_knows_json_by_its_media_type);
    suite_add_tcase(s, t);

    t = tcase_create("response");
    tcase_add_test(t, http_answers_a_missing_token_with_a_challenge);
    tcase_add_test(t, http_tells_refused_code_how_to_mend);
    tcase_add_test(t, http_tells_when_to_come_again);
    tcase_add_test(t, http_escapes_a_detail);
    tcase_add_test(t, http_sends_nothing_to_a_client_that_is_gone);
    tcase_add_test(t, http_gives_every_fault_a_whole_answer);
    suite_add_tcase(s, t);
    return s;
}
