/* auth: which requests carry a valid token */
#include <check.h>
#include <string.h>

#include "fcgi-app/auth.h"
#include "fcgi-app/http.h"

Suite *suite_auth(void);

#define X "HTTP_X_EXECUTOR_TOKEN="
#define A "HTTP_AUTHORIZATION="

static struct tokens *
tokens_of(const char *secret)
{
    static struct settings s;
    char problem[256];
    struct tokens *t;

    memset(&s, 0, sizeof(s));
    (void)snprintf(s.api_token, sizeof(s.api_token), "%s", secret);
    s.profiles = 1;
    t = tokens_load(&s, problem, sizeof(problem));
    ck_assert_msg(t != NULL, "%s", problem);
    return t;
}

static enum fault
check(struct tokens *t, const char *one, const char *two)
{
    char a[2048], b[2048];
    char *params[] = { NULL, NULL, NULL };
    const struct token *token = NULL;
    struct http_request r;
    enum fault fault;

    (void)snprintf(a, sizeof(a), "%s", one);
    (void)snprintf(b, sizeof(b), "%s", two);
    params[0] = one[0] == '\0' ? NULL : a;
    params[1] = two[0] == '\0' ? NULL : b;
    http_request_init(&r, params, -1);
    fault = auth_check(t, &r, &token);
    http_request_done(&r);
    ck_assert_int_eq(fault == FAULT_NONE, token != NULL);
    if (token != NULL)
        ck_assert_str_eq(token->id, "default");
    return fault;
}

static const struct {
    const char *one, *two;
    bool is_good;
} requests[] = {
    { X "correct-horse", "", true },
    { A "Bearer correct-horse", "", true },
    { A "bearer correct-horse", "", true },
    { A "BEARER correct-horse", "", true },
    { A "Bearer   correct-horse", "", true },
    { X "correct-horse", A "Bearer correct-horse", true },
    { "", "", false },
    { X, "", false },
    { X "correct-hors", "", false },
    { X "correct-horse1", "", false },
    { X "Correct-horse", "", false },
    { X " correct-horse", "", false },
    { X "correct-horse ", "", false },
    { X "Bearer correct-horse", "", false },
    { A, "", false },
    { A "Bearer", "", false },
    { A "Bearer ", "", false },
    { A "correct-horse", "", false },
    { A "Bearercorrect-horse", "", false },
    { A "Basic correct-horse", "", false },
    { A "Token correct-horse", "", false },
    { X "correct-horse", A "Bearer wrong", false },
    { X "wrong", A "Bearer correct-horse", false },
    { X "correct-horse", A "Basic dTpw", false },
    { X "correct-horse", A, false },
    { X, A "Bearer correct-horse", false },
    { X "correct-horse", X "correct-horse", false },
    { X "wrong", X "correct-horse", false },
    { A "Bearer correct-horse", A "Bearer correct-horse", false },
};

START_TEST(auth_takes_the_right_token_sent_once_and_nothing_else)
{
    struct tokens *t = tokens_of("correct-horse");
    enum fault fault = check(t, requests[_i].one, requests[_i].two);

    ck_assert_msg(fault == (requests[_i].is_good ? FAULT_NONE : FAULT_TOKEN),
        "%s %s", requests[_i].one, requests[_i].two);
    tokens_unref(t);
}
END_TEST

START_TEST(auth_refuses_token_that_is_only_a_prefix)
{
    struct tokens *t = tokens_of("correct-horse");
    char sent[64];

    for (size_t len = 0; len < strlen("correct-horse"); len++) {
        (void)snprintf(sent, sizeof(sent), X "%.*s", (int)len, "correct-horse");
        ck_assert_int_eq(check(t, sent, ""), FAULT_TOKEN);
    }
    tokens_unref(t);
}
END_TEST

START_TEST(auth_without_any_token_configured_says_so_to_everybody)
{
    struct tokens *t = tokens_of("");

    ck_assert_int_eq(check(t, "", ""), FAULT_NO_TOKEN_SET);
    ck_assert_int_eq(check(t, X, ""), FAULT_NO_TOKEN_SET);
    ck_assert_int_eq(check(t, X "x", ""), FAULT_NO_TOKEN_SET);
    tokens_unref(t);
}
END_TEST

START_TEST(auth_refuses_a_token_longer_than_its_bound)
{
    char secret[AUTH_MAX_SECRET + 2], sent[AUTH_MAX_SECRET + 64];
    struct tokens *t;

    memset(secret, 'a', sizeof(secret));
    secret[AUTH_MAX_SECRET - 1] = '\0';
    t = tokens_of(secret);
    (void)snprintf(sent, sizeof(sent), X "%s", secret);
    ck_assert_int_eq(check(t, sent, ""), FAULT_NONE);
    secret[AUTH_MAX_SECRET - 1] = 'a';
    secret[AUTH_MAX_SECRET + 1] = '\0';
    (void)snprintf(sent, sizeof(sent), X "%s", secret);
    ck_assert_int_eq(check(t, sent, ""), FAULT_TOKEN);
    tokens_unref(t);
}
END_TEST

START_TEST(auth_refuses_an_expired_token)
{
    static const char text[] =
        "{\"tokens\":[{\"id\":\"default\",\"sha256\":\"7692c3ad3540bb803c020"
        "b3aee66cd8887123234ea0c6e7143c0add73ff431ed\",\"expires\":"
        "\"2001-01-01T00:00:00Z\"}]}";
    char problem[256];
    struct tokens *t =
        tokens_parse(text, sizeof(text) - 1, problem, sizeof(problem));

    ck_assert_msg(t != NULL, "%s", problem);
    ck_assert_int_eq(check(t, X "one", ""), FAULT_TOKEN);
    tokens_unref(t);
}
END_TEST

Suite *
suite_auth(void)
{
    Suite *s = suite_create("auth");
    TCase *t = tcase_create("auth");

    tcase_add_loop_test(t,
        auth_takes_the_right_token_sent_once_and_nothing_else, 0,
        sizeof(requests) / sizeof(requests[0]));
    tcase_add_test(t, auth_refuses_token_that_is_only_a_prefix);
    tcase_add_test(t, auth_without_any_token_configured_says_so_to_everybody);
    tcase_add_test(t, auth_refuses_a_token_longer_than_its_bound);
    tcase_add_test(t, auth_refuses_an_expired_token);
    suite_add_tcase(s, t);
    return s;
}
