/* token_file: changed at once or not at all, and read back as it was meant */
#include "fcgi-app/token_file.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/whole_file.h"
#include "tests/support/temp.h"

Suite *suite_token_file(void);

static char dir[TEMP_MAX], path[TEMP_MAX + 64], problem[1024];
static const unsigned char one[SHA256_BYTES] = { 1 };
static const unsigned char two[SHA256_BYTES] = { 2 };

static void
set_up(void)
{
    temp_template(dir);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    (void)snprintf(path, sizeof(path), "%s/tokens.json", dir);
}

static void
tear_down(void)
{
    (void)unlink(path);
    (void)rmdir(dir);
}

static struct token_file *
must_open(void)
{
    struct token_file *f = token_file_open(path, problem, sizeof(problem));

    ck_assert_msg(f != NULL, "%s", problem);
    return f;
}

static void
write_file(const char *text, mode_t mode)
{
    FILE *f = fopen(path, "we");

    ck_assert_ptr_nonnull(f);
    (void)fputs(text, f);
    (void)fclose(f);
    ck_assert_int_eq(chmod(path, mode), 0);
}

static struct token
full_token(const char *id, const unsigned char digest[SHA256_BYTES])
{
    struct token t = {
        .profiles = 3,
        .limits = { .wall_ms = 1500,
            .memory_mb = 64,
            .concurrent = 2,
            .code_bytes = 99 },
        .rate = 60,
        .not_before = 1767225600,
        .expires = 1798761600,
        .secrets = 1,
    };

    (void)snprintf(t.id, sizeof(t.id), "%s", id);
    memcpy(t.digests[0], digest, SHA256_BYTES);
    memcpy(t.digests[1], digest, SHA256_BYTES);
    return t;
}

START_TEST(token_file_comes_back_as_it_was_saved)
{
    struct token_file *f = must_open();
    struct token full = full_token("a", one), plain = { .id = "b" };

    plain.profiles = 1;
    plain.not_before = INT64_MIN;
    plain.expires = INT64_MAX;
    plain.secrets = 2;
    memcpy(plain.digests[0], two, sizeof(two));
    memset(plain.digests[1], 3, sizeof(two));
    ck_assert_int_eq(token_file_add(f, &full), 0);
    ck_assert_int_eq(token_file_add(f, &plain), 0);
    ck_assert_int_eq(token_file_save(f), 0);
    token_file_free(f);
    f = must_open();
    ck_assert_uint_eq(f->count, 2);
    ck_assert_mem_eq(&f->tokens[0], &full, sizeof(full));
    ck_assert_mem_eq(&f->tokens[1], &plain, sizeof(plain));
    token_file_free(f);
}
END_TEST

START_TEST(token_file_that_is_new_is_not_for_everybody)
{
    struct token_file *f = must_open();
    struct token t = full_token("a", one);
    struct stat st;

    ck_assert_int_eq(token_file_add(f, &t), 0);
    ck_assert_int_eq(token_file_save(f), 0);
    token_file_free(f);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);
}
END_TEST

START_TEST(token_file_keeps_its_mode)
{
    struct token_file *f;
    struct stat st;

    write_file("{\"tokens\":[]}", 0600);
    f = must_open();
    ck_assert_int_eq(token_file_save(f), 0);
    token_file_free(f);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(token_file_leaves_nothing_beside_it)
{
    struct token_file *f = must_open();
    struct token t = full_token("a", one);
    struct dirent *entry;
    size_t entries = 0;
    DIR *d;

    ck_assert_int_eq(token_file_add(f, &t), 0);
    ck_assert_int_eq(token_file_save(f), 0);
    t = full_token("b", one); /* the same secret: not to be read back */
    ck_assert_int_eq(token_file_add(f, &t), 0);
    ck_assert_int_eq(token_file_save(f), -EINVAL);
    token_file_free(f);
    d = opendir(dir);
    while ((entry = readdir(d)) != NULL)
        entries += entry->d_name[0] != '.';
    (void)closedir(d);
    ck_assert_uint_eq(entries, 1);
    f = must_open();
    ck_assert_uint_eq(f->count, 1); /* what was refused changed nothing */
    token_file_free(f);
}
END_TEST

START_TEST(token_file_that_is_wrong_is_not_overwritten)
{
    write_file("{\"tokens\":[{}]}", 0640);
    ck_assert_ptr_null(token_file_open(path, problem, sizeof(problem)));
    ck_assert_ptr_nonnull(strstr(problem, "tokens[0].id"));
}
END_TEST

START_TEST(token_file_behind_a_link_is_replaced_and_the_link_stays)
{
    char link[160];
    struct token_file *f;
    struct stat st;

    write_file("{\"tokens\":[]}", 0640);
    (void)snprintf(link, sizeof(link), "%s/link", dir);
    ck_assert_int_eq(symlink("tokens.json", link), 0);
    f = token_file_open(link, problem, sizeof(problem));
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(token_file_save(f), 0);
    token_file_free(f);
    ck_assert_int_eq(lstat(link, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    (void)unlink(link);
}
END_TEST

START_TEST(token_file_has_each_id_once)
{
    struct token_file *f = must_open();
    struct token t = full_token("a", one);

    ck_assert_int_eq(token_file_add(f, &t), 0);
    ck_assert_int_eq(token_file_add(f, &t), -EEXIST);
    token_file_free(f);
}
END_TEST

START_TEST(token_has_two_secrets_at_most_and_drops_the_older_one)
{
    struct token t = full_token("a", one);

    ck_assert_int_eq(token_add_secret(&t, two), 0);
    ck_assert_uint_eq(t.secrets, 2);
    ck_assert_mem_eq(t.digests[0], one, sizeof(one));
    ck_assert_mem_eq(t.digests[1], two, sizeof(two));
    ck_assert_int_eq(token_add_secret(&t, two), -ENOSPC);
    token_drop_oldest(&t);
    ck_assert_uint_eq(t.secrets, 1);
    ck_assert_mem_eq(t.digests[0], two, sizeof(two));
    ck_assert_mem_eq(t.digests[1], two, sizeof(two));
}
END_TEST

START_TEST(token_file_removes_one_and_keeps_the_others)
{
    struct token_file *f = must_open();
    struct token a = full_token("a", one), b = full_token("b", two);

    ck_assert_int_eq(token_file_add(f, &a), 0);
    ck_assert_int_eq(token_file_add(f, &b), 0);
    token_file_remove(f, token_file_find(f, "a"));
    ck_assert_uint_eq(f->count, 1);
    ck_assert_ptr_null(token_file_find(f, "a"));
    ck_assert_ptr_nonnull(token_file_find(f, "b"));
    token_file_free(f);
}
END_TEST

Suite *
suite_token_file(void)
{
    Suite *s = suite_create("token_file");
    TCase *t = tcase_create("token_file");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, token_file_comes_back_as_it_was_saved);
    tcase_add_test(t, token_file_that_is_new_is_not_for_everybody);
    tcase_add_test(t, token_file_keeps_its_mode);
    tcase_add_test(t, token_file_leaves_nothing_beside_it);
    tcase_add_test(t, token_file_that_is_wrong_is_not_overwritten);
    tcase_add_test(t, token_file_behind_a_link_is_replaced_and_the_link_stays);
    tcase_add_test(t, token_file_has_each_id_once);
    tcase_add_test(t, token_has_two_secrets_at_most_and_drops_the_older_one);
    tcase_add_test(t, token_file_removes_one_and_keeps_the_others);
    suite_add_tcase(s, t);
    return s;
}
