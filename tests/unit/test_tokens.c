/* tokens: what a tokens file may say, and finding a secret in the set */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/tokens.h"
#include "sandbox/base/fdio.h"
#include "sandbox/wire/profile.h"
#include "tests/support/temp.h"

Suite *suite_tokens(void);

static char problem[4096];

/* SHA-256 of "one", "two", "three". */
#define ONE "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
#define TWO "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
#define THREE "8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f"

static struct tokens *
parse(const char *text)
{
    return tokens_parse(text, strlen(text), problem, sizeof(problem));
}

static const struct token *
find(const struct tokens *t, const char *secret, int64_t now)
{
    unsigned char digest[SHA256_BYTES];

    sha256_of(secret, strlen(secret), digest);
    return tokens_find(t, digest, now);
}

START_TEST(tokens_file_gives_ids_profiles_limits_and_times)
{
    struct tokens *t =
        parse("{\"tokens\":[{\"id\":\"agent-1\",\"sha256\":\"" ONE "\","
              "\"profiles\":[\"restricted\",\"standard\"],"
              "\"limits\":{\"timeout_s\":2.5,\"memory_mb\":64,\"concurrent\":1,"
              "\"code_bytes\":4096},"
              "\"not_before\":\"2026-01-01T00:00:00Z\","
              "\"expires\":\"2027-01-01T00:00:00Z\"},"
              "{\"id\":\"b\",\"sha256\":\"" TWO "\"}]}");
    const struct token *a, *b;

    ck_assert_msg(t != NULL, "%s", problem);
    ck_assert_uint_eq(tokens_count(t), 2);
    a = tokens_at(t, 0);
    ck_assert_str_eq(a->id, "agent-1");
    ck_assert_uint_eq(
        a->profiles, 1u << PROFILE_RESTRICTED | 1u << PROFILE_STANDARD);
    ck_assert_uint_eq(a->limits.wall_ms, 2500);
    ck_assert_uint_eq(a->limits.memory_mb, 64);
    ck_assert_uint_eq(a->limits.concurrent, 1);
    ck_assert_uint_eq(a->limits.code_bytes, 4096);
    ck_assert_int_eq(a->not_before, 1767225600);
    ck_assert_int_eq(a->expires, 1798761600);
    b = tokens_at(t, 1);
    ck_assert_uint_eq(b->profiles, 1u << PROFILE_RESTRICTED);
    ck_assert_uint_eq(b->limits.wall_ms, 0);
    ck_assert(b->not_before == INT64_MIN && b->expires == INT64_MAX);
    tokens_unref(t);
}
END_TEST

/* One token around which something is wrong. */
#define TOKEN(rest)                                                            \
    "{\"tokens\":[{\"id\":\"a\",\"sha256\":\"" ONE "\"" rest "}]}"

static const struct {
    const char *text;
    const char *named; /* in the problem */
} wrong[] = {
    { "", "JSON" },
    { "[]", "the one key 'tokens'" },
    { "null", "the one key 'tokens'" },
    { "{}", "the one key 'tokens'" },
    { "{\"tokens\":{}}", "the one key 'tokens'" },
    { "{\"tokens\":[],\"x\":1}", "the one key 'tokens'" },
    { "{\"tokens\":[],\"tokens\":[]}", "twice" },
    { "{\"tokens\":[1]}", "tokens[0] must be an object" },
    { "{\"tokens\":[null]}", "tokens[0] must be an object" },
    { "{\"tokens\":[{\"sha256\":\"" ONE "\"}]}", "tokens[0].id" },
    { "{\"tokens\":[{\"id\":\"\",\"sha256\":\"" ONE "\"}]}", "tokens[0].id" },
    { "{\"tokens\":[{\"id\":\"a b\",\"sha256\":\"" ONE "\"}]}",
        "tokens[0].id" },
    { "{\"tokens\":[{\"id\":\"a\\u0000\",\"sha256\":\"" ONE "\"}]}",
        "tokens[0].id" },
    { "{\"tokens\":[{\"id\":7,\"sha256\":\"" ONE "\"}]}", "tokens[0].id" },
    { "{\"tokens\":[{\"id\":\"0123456789012345678901234567890123456789012345"
      "678901234567890123\",\"sha256\":\"" ONE "\"}]}",
        "tokens[0].id" }, /* 64 characters */
    { "{\"tokens\":[{\"id\":\"a\"}]}", "tokens[0].sha256" },
    { "{\"tokens\":[{\"id\":\"a\",\"sha256\":\"abc\"}]}", "tokens[0].sha256" },
    { "{\"tokens\":[{\"id\":\"a\",\"sha256\":[]}]}", "tokens[0].sha256" },
    { "{\"tokens\":[{\"id\":\"a\",\"sha256\":[\"" ONE "\",\"x\"]}]}",
        "tokens[0].sha256" },
    { "{\"tokens\":[{\"id\":\"a\",\"sha256\":[\"" ONE "\",\"" TWO "\",\"" THREE
      "\"]}]}",
        "tokens[0].sha256" },
    { TOKEN(",\"secret\":\"x\""), "unknown key 'secret'" },
    { TOKEN(",\"profiles\":[]"), "tokens[0].profiles" },
    { TOKEN(",\"profiles\":\"standard\""), "tokens[0].profiles" },
    { TOKEN(",\"profiles\":[\"standard\",\"root\"]"), "tokens[0].profiles" },
    { TOKEN(",\"limits\":[]"), "tokens[0].limits" },
    { TOKEN(",\"limits\":{\"timeout\":1}"), "unknown key 'timeout'" },
    { TOKEN(",\"limits\":{\"timeout_s\":0}"), "limits.timeout_s" },
    { TOKEN(",\"limits\":{\"timeout_s\":-1}"), "limits.timeout_s" },
    { TOKEN(",\"limits\":{\"timeout_s\":300.1}"), "limits.timeout_s" },
    { TOKEN(",\"limits\":{\"timeout_s\":1e999}"), "limits.timeout_s" },
    { TOKEN(",\"limits\":{\"timeout_s\":\"1\"}"), "limits.timeout_s" },
    { TOKEN(",\"limits\":{\"timeout_s\":true}"), "limits.timeout_s" },
    { TOKEN(",\"limits\":{\"memory_mb\":15}"), "limits.memory_mb" },
    { TOKEN(",\"limits\":{\"memory_mb\":4097}"), "limits.memory_mb" },
    { TOKEN(",\"limits\":{\"memory_mb\":16.5}"), "limits.memory_mb" },
    { TOKEN(",\"limits\":{\"concurrent\":0}"), "limits.concurrent" },
    { TOKEN(",\"limits\":{\"concurrent\":1025}"), "limits.concurrent" },
    { TOKEN(",\"limits\":{\"concurrent\":99999999999999999999}"),
        "limits.concurrent" },
    { TOKEN(",\"limits\":{\"code_bytes\":0}"), "limits.code_bytes" },
    { TOKEN(",\"rate\":0"), "tokens[0].rate" },
    { TOKEN(",\"rate\":1000001"), "tokens[0].rate" },
    { TOKEN(",\"rate\":\"60\""), "tokens[0].rate" },
    { TOKEN(",\"rate\":0.5"), "tokens[0].rate" },
    { TOKEN(",\"expires\":\"tomorrow\""), "tokens[0].expires" },
    { TOKEN(",\"expires\":1798761600"), "tokens[0].expires" },
    { TOKEN(",\"not_before\":\"2026-02-30T00:00:00Z\""),
        "tokens[0].not_before" },
    { TOKEN(",\"not_before\":\"2027-01-01T00:00:00Z\","
            "\"expires\":\"2026-01-01T00:00:00Z\""),
        "later than not_before" },
    { "{\"tokens\":[{\"id\":\"a\",\"sha256\":\"" ONE
      "\"},{\"id\":\"a\",\"sha256\":\"" TWO "\"}]}",
        "two tokens have the id 'a'" },
    { "{\"tokens\":[{\"id\":\"a\",\"sha256\":\"" ONE
      "\"},{\"id\":\"b\",\"sha256\":[\"" TWO "\",\"" ONE "\"]}]}",
        "'a' and 'b' have the same secret" },
};

START_TEST(tokens_file_that_is_wrong_names_what_is)
{
    struct tokens *t = parse(wrong[_i].text);

    ck_assert_msg(t == NULL, "%s", wrong[_i].text);
    ck_assert_msg(strstr(problem, wrong[_i].named) != NULL, "%s: %s",
        wrong[_i].text, problem);
}
END_TEST

static const char *const right[] = {
    "{\"tokens\":[]}",
    TOKEN(""),
    TOKEN(",\"limits\":{}"),
    TOKEN(",\"limits\":{\"timeout_s\":0.001}"),
    TOKEN(",\"limits\":{\"timeout_s\":300}"),
    TOKEN(",\"limits\":{\"memory_mb\":16,\"concurrent\":1024}"),
    TOKEN(",\"limits\":{\"memory_mb\":4096,\"code_bytes\":1}"),
    TOKEN(",\"rate\":1"),
    TOKEN(",\"rate\":1000000"),
    TOKEN(",\"expires\":null"),
    TOKEN(",\"profiles\":[\"standard\"]"),
};

START_TEST(tokens_file_that_is_right_passes)
{
    struct tokens *t = parse(right[_i]);

    ck_assert_msg(t != NULL, "%s: %s", right[_i], problem);
    tokens_unref(t);
}
END_TEST

START_TEST(tokens_file_tells_all_that_is_wrong)
{
    ck_assert_ptr_null(parse("{\"tokens\":[{\"id\":\"\"},{\"id\":\"b\","
                             "\"sha256\":\"" ONE "\",\"x\":1}]}"));
    ck_assert_ptr_nonnull(strstr(problem, "tokens[0].id"));
    ck_assert_ptr_nonnull(strstr(problem, "tokens[0].sha256"));
    ck_assert_ptr_nonnull(strstr(problem, "tokens[1] has an unknown key"));
}
END_TEST

START_TEST(tokens_both_secrets_are_valid_during_rotation)
{
    struct tokens *t = parse(
        "{\"tokens\":[{\"id\":\"a\",\"sha256\":[\"" ONE "\",\"" TWO "\"]}]}");

    ck_assert_msg(t != NULL, "%s", problem);
    ck_assert_ptr_eq(find(t, "one", 0), tokens_at(t, 0));
    ck_assert_ptr_eq(find(t, "two", 0), tokens_at(t, 0));
    ck_assert_ptr_null(find(t, "three", 0));
    tokens_unref(t);
}
END_TEST

START_TEST(tokens_valid_from_not_before_until_just_before_expires)
{
    struct tokens *t = parse(TOKEN(",\"not_before\":\"2026-01-01T00:00:00Z\","
                                   "\"expires\":\"2026-01-01T00:00:10Z\""));

    ck_assert_msg(t != NULL, "%s", problem);
    ck_assert_ptr_null(find(t, "one", 1767225599));
    ck_assert_ptr_nonnull(find(t, "one", 1767225600));
    ck_assert_ptr_nonnull(find(t, "one", 1767225609));
    ck_assert_ptr_null(find(t, "one", 1767225610));
    tokens_unref(t);
}
END_TEST

static struct tokens *
many(unsigned count)
{
    unsigned char digest[SHA256_BYTES];
    char hex[SHA256_HEX];
    struct tokens *t;
    struct buf b;

    buf_init(&b, TOKENS_MAX_FILE);
    buf_adds(&b, "{\"tokens\":[");
    for (unsigned i = 0; i < count; i++) {
        sha256_of(&i, sizeof(i), digest);
        sha256_to_hex(digest, hex);
        buf_addf(&b, "%s{\"id\":\"t%u\",\"sha256\":\"%s\"}", i == 0 ? "" : ",",
            i, hex);
    }
    buf_adds(&b, "]}");
    ck_assert(buf_ok(&b));
    t = parse(b.data);
    buf_done(&b);
    return t;
}

START_TEST(tokens_find_the_right_one_among_many)
{
    struct tokens *t = many(TOKENS_MAX);
    unsigned char digest[SHA256_BYTES];

    ck_assert_msg(t != NULL, "%s", problem);
    for (unsigned i = 0; i < TOKENS_MAX; i += 31) {
        sha256_of(&i, sizeof(i), digest);
        ck_assert_ptr_eq(tokens_find(t, digest, 0), tokens_at(t, i));
        digest[31] ^= 1;
        ck_assert_ptr_null(tokens_find(t, digest, 0));
    }
    tokens_unref(t);
}
END_TEST

START_TEST(tokens_more_than_the_bound_are_refused)
{
    ck_assert_ptr_null(many(TOKENS_MAX + 1));
    ck_assert_ptr_nonnull(strstr(problem, "at most 1024"));
}
END_TEST

static struct settings *
settings_with(const char *token, const char *file)
{
    static struct settings s;

    memset(&s, 0, sizeof(s));
    s.profiles = 1u << PROFILE_STANDARD;
    (void)snprintf(s.api_token, sizeof(s.api_token), "%s", token);
    (void)snprintf(s.tokens_file, sizeof(s.tokens_file), "%s", file);
    return &s;
}

START_TEST(tokens_of_the_settings_have_the_id_default)
{
    struct tokens *t =
        tokens_load(settings_with("one", ""), problem, sizeof(problem));

    ck_assert_msg(t != NULL, "%s", problem);
    ck_assert_uint_eq(tokens_count(t), 1);
    ck_assert_str_eq(find(t, "one", 0)->id, "default");
    ck_assert_uint_eq(find(t, "one", 0)->profiles, 1u << PROFILE_STANDARD);
    ck_assert_ptr_null(find(t, "on", 0));
    ck_assert_ptr_null(find(t, "onee", 0));
    ck_assert_ptr_null(find(t, "", 0));
    tokens_unref(t);
}
END_TEST

START_TEST(tokens_of_neither_source_are_an_empty_set)
{
    struct tokens *t =
        tokens_load(settings_with("", ""), problem, sizeof(problem));

    ck_assert_ptr_nonnull(t);
    ck_assert_uint_eq(tokens_count(t), 0);
    ck_assert_ptr_null(find(t, "", 0));
    tokens_unref(t);
}
END_TEST

START_TEST(tokens_of_both_sources_are_one_set)
{
    static const char text[] =
        "{\"tokens\":[{\"id\":\"b\",\"sha256\":\"" TWO "\"}]}";
    char path[TEMP_MAX];
    int fd = temp_file(path);
    struct tokens *t;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fd_write_all(fd, text, sizeof(text) - 1), 0);
    (void)close(fd);
    t = tokens_load(settings_with("one", path), problem, sizeof(problem));
    ck_assert_msg(t != NULL, "%s", problem);
    ck_assert_str_eq(find(t, "one", 0)->id, "default");
    ck_assert_str_eq(find(t, "two", 0)->id, "b");
    tokens_unref(t);
    /* The same secret in both places would be nobody's. */
    t = tokens_load(settings_with("two", path), problem, sizeof(problem));
    ck_assert_ptr_null(t);
    (void)unlink(path);
}
END_TEST

START_TEST(tokens_file_that_cannot_be_read_is_a_problem_not_an_empty_set)
{
    ck_assert_ptr_null(tokens_load(
        settings_with("one", "/no/such/file"), problem, sizeof(problem)));
    ck_assert_ptr_nonnull(strstr(problem, "cannot be read"));
    ck_assert_ptr_nonnull(
        strstr(problem, "EXECUTOR_TOKENS_FILE /no/such/file: "));
    ck_assert_ptr_null(tokens_load(
        settings_with("one", "/dev/null"), problem, sizeof(problem)));
}
END_TEST

START_TEST(tokens_live_as_long_as_somebody_holds_them)
{
    struct tokens *t =
        tokens_load(settings_with("one", ""), problem, sizeof(problem));

    ck_assert_ptr_eq(tokens_ref(t), t);
    tokens_unref(t);
    ck_assert_str_eq(find(t, "one", 0)->id, "default");
    tokens_unref(t);
    tokens_unref(NULL);
}
END_TEST

Suite *
suite_tokens(void)
{
    Suite *s = suite_create("tokens");
    TCase *t = tcase_create("tokens");

    tcase_set_timeout(t, 30);
    tcase_add_test(t, tokens_file_gives_ids_profiles_limits_and_times);
    tcase_add_loop_test(t, tokens_file_that_is_wrong_names_what_is, 0,
        sizeof(wrong) / sizeof(wrong[0]));
    tcase_add_loop_test(t, tokens_file_that_is_right_passes, 0,
        sizeof(right) / sizeof(right[0]));
    tcase_add_test(t, tokens_file_tells_all_that_is_wrong);
    tcase_add_test(t, tokens_both_secrets_are_valid_during_rotation);
    tcase_add_test(t, tokens_valid_from_not_before_until_just_before_expires);
    tcase_add_test(t, tokens_find_the_right_one_among_many);
    tcase_add_test(t, tokens_more_than_the_bound_are_refused);
    tcase_add_test(t, tokens_of_the_settings_have_the_id_default);
    tcase_add_test(t, tokens_of_neither_source_are_an_empty_set);
    tcase_add_test(t, tokens_of_both_sources_are_one_set);
    tcase_add_test(
        t, tokens_file_that_cannot_be_read_is_a_problem_not_an_empty_set);
    tcase_add_test(t, tokens_live_as_long_as_somebody_holds_them);
    suite_add_tcase(s, t);
    return s;
}
