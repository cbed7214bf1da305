/* audit: one whole line a request, in the right file, nothing secret in it */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fcgi-app/audit/audit.h"
#include "fcgi-app/audit/verify.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/whole_file.h"
#include "tests/support/temp.h"

Suite *suite_audit(void);

#define ZEROES                                                                 \
    "0000000000000000000000000000000000000000000000000000000000000000"

static struct settings settings;
static char dir[TEMP_MAX];
static struct buf lines;

static void
set_up(void)
{
    temp_template(dir);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    memset(&settings, 0, sizeof(settings));
    (void)snprintf(settings.audit_log, sizeof(settings.audit_log), "%s/a", dir);
    buf_init(&lines, 8 << 20);
}

static void
tear_down(void)
{
    char path[128];

    audit_close();
    buf_done(&lines);
    (void)snprintf(path, sizeof(path), "%s/a", dir);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/a.1", dir);
    (void)unlink(path);
    (void)rmdir(dir);
}

static const char *
read_lines(const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    buf_reset(&lines);
    ck_assert_int_eq(whole_file_read(path, &lines), 0);
    return lines.len == 0 ? "" : lines.data;
}

/* The lines of a file and of those before it make one unbroken trail. */
static enum verify_finding
trail_of(const char *const *names)
{
    enum verify_finding found, worst = VERIFY_GOOD;
    struct verify v;

    verify_init(&v);
    for (; *names != NULL; names++) {
        const char *at = read_lines(*names), *end = at + lines.len;

        while (at < end) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));

            found = verify_line(&v,
                view_of(at, (size_t)((stop != NULL ? stop : end) - at)),
                stop != NULL);
            worst = found != VERIFY_GOOD ? found : worst;
            at = stop != NULL ? stop + 1 : end;
        }
    }
    return worst;
}

#define TRAIL(...) trail_of((const char *const[]){ __VA_ARGS__, NULL })

/* Put bytes at the end of the file "a". */
static void
spoil(const char *text)
{
    char path[128];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/a", dir);
    f = fopen(path, "ae");
    ck_assert_ptr_nonnull(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

static struct audit_entry
entry_of(const struct order_keys *keys)
{
    return (struct audit_entry){
        .request_id = "r-1",
        .route = "execute",
        .address = "127.0.0.1",
        .token_id = "default",
        .code = view_of("abc", 3),
        .keys = keys,
        .profile = "restricted",
        .status = "ok",
        .http_status = 200,
        .wall_us = 1500,
        .cpu_us = 250,
        .wait_us = 0,
        .handover_us = 100,
        .validate_us = 200,
        .run_us = 300,
        .collect_us = 400,
        .memory_bytes = 1 << 20,
    };
}

START_TEST(audit_line_has_its_fields_in_their_order)
{
    static struct order_keys keys = { .count = 2, .names = { "x", "y" } };
    struct audit_entry e = entry_of(&keys);
    const char *line;

    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    line = read_lines("a");
    ck_assert_int_eq(
        strncmp(line, "{\"seq\":1,\"prev\":\"" ZEROES "\",\"time\":\"20", 93),
        0);
    ck_assert_str_eq(strstr(line, ",\"request_id\""),
        ",\"request_id\":\"r-1\",\"route\":\"execute\","
        "\"address\":\"127.0.0.1\","
        "\"token_id\":\"default\",\"code_sha256\":\"ba7816bf8f01cfea414140de5"
        "dae2223b00361a396177a9cb410ff61f20015ad\",\"code_bytes\":3,"
        "\"context_keys\":[\"x\",\"y\"],\"profile\":\"restricted\","
        "\"status\":\"ok\",\"http_status\":200,\"memory_mb\":1.0,"
        "\"wall_ms\":1.5,\"cpu_ms\":0.25,\"wait_ms\":0.0,"
        "\"handover_ms\":0.1,\"validate_ms\":0.2,\"run_ms\":0.3,"
        "\"collect_ms\":0.4}\n");
}
END_TEST

START_TEST(audit_line_of_a_refused_request_has_nulls)
{
    struct audit_entry e = {
        .request_id = "r", .status = "token", .http_status = 401
    };

    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_str_eq(strstr(read_lines("a"), ",\"address\""),
        ",\"address\":null,\"token_id\":null,\"code_sha256\":null,"
        "\"code_bytes\":null,\"context_keys\":[],\"profile\":null,"
        "\"status\":\"token\",\"http_status\":401,\"memory_mb\":0.0,"
        "\"wall_ms\":0.0,\"cpu_ms\":0.0,\"wait_ms\":0.0,"
        "\"handover_ms\":0.0,\"validate_ms\":0.0,\"run_ms\":0.0,"
        "\"collect_ms\":0.0}\n");
}
END_TEST

START_TEST(audit_hostile_bytes_stay_inside_one_line_of_json)
{
    static struct order_keys keys = { .count = 1,
        .names = { "k\"\n\x1b\xff" } };
    struct audit_entry e = entry_of(&keys);

    e.address = "1.2.3.4\n{\"forged\":1}\xc0\xaf";
    e.request_id = "a\"b\\\r\n";
    e.token_id = e.profile = e.status = "\x01\x7f\xed\xa0\x80\"}\n{";
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    (void)read_lines("a");
    ck_assert_ptr_eq(
        memchr(lines.data, '\n', lines.len), lines.data + lines.len - 1);
    ck_assert(json_is_value(view_of(lines.data, lines.len - 1), 4));
}
END_TEST

START_TEST(audit_longest_possible_line_is_written)
{
    static struct order_keys keys = { .count = 5000 };
    struct audit_entry e = entry_of(&keys);

    for (size_t i = 0; i < CONTEXT_KEYS_KEPT; i++)
        memset(keys.names[i], 1, CONTEXT_KEY_ROOM - 1);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "\"+4968 more\"]"));
}
END_TEST

START_TEST(audit_never_has_the_code_in_it)
{
    struct audit_entry e = entry_of(NULL);

    e.code = view_of("print('very secret')", 20);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_ptr_null(strstr(read_lines("a"), "secret"));
}
END_TEST

START_TEST(audit_appends_to_what_is_there)
{
    struct audit_entry e = entry_of(NULL);

    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    (void)read_lines("a");
    ck_assert_ptr_ne(
        memchr(lines.data, '\n', lines.len), lines.data + lines.len - 1);
}
END_TEST

START_TEST(audit_file_is_not_for_everybody)
{
    char path[128];
    struct stat st;

    (void)umask(0);
    ck_assert_int_eq(audit_open(&settings), 0);
    (void)snprintf(path, sizeof(path), "%s/a", dir);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
}
END_TEST

START_TEST(audit_reopen_follows_rotation)
{
    struct audit_entry e = entry_of(NULL);
    char from[128], to[128];

    (void)snprintf(from, sizeof(from), "%s/a", dir);
    (void)snprintf(to, sizeof(to), "%s/a.1", dir);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_int_eq(rename(from, to), 0);
    e.request_id = "still-old";
    audit_write(&e);
    ck_assert_int_eq(audit_reopen(), 0);
    e.request_id = "new";
    audit_write(&e);
    ck_assert_ptr_nonnull(strstr(read_lines("a.1"), "still-old"));
    ck_assert_ptr_null(strstr(read_lines("a.1"), "\"new\""));
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "\"new\""));
}
END_TEST

START_TEST(audit_reopen_that_fails_keeps_the_old_stream)
{
    struct audit_entry e = entry_of(NULL);
    char from[128], to[128];

    (void)snprintf(from, sizeof(from), "%s/a", dir);
    (void)snprintf(to, sizeof(to), "%s/a.1", dir);
    ck_assert_int_eq(audit_open(&settings), 0);
    ck_assert_int_eq(rename(from, to), 0);
    ck_assert_int_eq(symlink("/nowhere", from), 0);
    ck_assert_int_eq(audit_reopen(), -ELOOP);
    audit_write(&e);
    ck_assert_ptr_nonnull(strstr(read_lines("a.1"), "\"r-1\""));
}
END_TEST

START_TEST(audit_open_of_a_bad_path_fails)
{
    (void)snprintf(
        settings.audit_log, sizeof(settings.audit_log), "%s/no/such/dir", dir);
    ck_assert_int_eq(audit_open(&settings), -ENOENT);
}
END_TEST

START_TEST(audit_to_nowhere_is_neither_written_nor_failed)
{
    struct audit_entry e = entry_of(NULL);
    uint64_t written = audit_written(), failed = audit_failed();

    settings.audit_log[0] = '\0';
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_uint_eq(audit_written(), written);
    ck_assert_uint_eq(audit_failed(), failed);
}
END_TEST

START_TEST(audit_line_that_cannot_be_written_is_counted)
{
    struct audit_entry e = entry_of(NULL);
    uint64_t written = audit_written(), failed = audit_failed();

    (void)snprintf(settings.audit_log, sizeof(settings.audit_log), "/dev/full");
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_uint_eq(audit_failed(), failed + 1);
    ck_assert_uint_eq(audit_written(), written);
}
END_TEST

START_TEST(audit_lines_are_a_chain_over_restart_and_rotation)
{
    struct audit_entry e = entry_of(NULL);
    char from[128], to[128];

    (void)snprintf(from, sizeof(from), "%s/a", dir);
    (void)snprintf(to, sizeof(to), "%s/a.1", dir);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    audit_write(&e);
    audit_close();
    ck_assert_int_eq(audit_open(&settings), 0); /* a restart */
    audit_write(&e);
    ck_assert_int_eq(rename(from, to), 0);
    ck_assert_int_eq(audit_reopen(), 0);
    audit_write(&e);
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "{\"seq\":4,"));
    ck_assert_int_eq(TRAIL("a.1", "a"), VERIFY_GOOD);
    ck_assert_int_eq(TRAIL("a"), VERIFY_GOOD);
}
END_TEST

START_TEST(audit_chain_goes_on_from_a_file_rotated_while_we_were_down)
{
    struct audit_entry e = entry_of(NULL);
    char from[128], to[128];

    (void)snprintf(from, sizeof(from), "%s/a", dir);
    (void)snprintf(to, sizeof(to), "%s/a.1", dir);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    audit_close();
    ck_assert_int_eq(rename(from, to), 0);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "{\"seq\":2,"));
    ck_assert_int_eq(TRAIL("a.1", "a"), VERIFY_GOOD);
}
END_TEST

/* A restart, a rotation, and no request between the two. */
START_TEST(audit_chain_goes_on_from_a_file_rotated_before_the_first_line)
{
    struct audit_entry e = entry_of(NULL);
    char from[128], to[128];

    (void)snprintf(from, sizeof(from), "%s/a", dir);
    (void)snprintf(to, sizeof(to), "%s/a.1", dir);
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    audit_close();
    ck_assert_int_eq(audit_open(&settings), 0);
    ck_assert_int_eq(rename(from, to), 0);
    ck_assert_int_eq(audit_reopen(), 0);
    audit_write(&e);
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "{\"seq\":2,"));
    ck_assert_int_eq(TRAIL("a.1", "a"), VERIFY_GOOD);
}
END_TEST

START_TEST(audit_goes_on_after_a_torn_line_and_says_so)
{
    struct audit_entry e = entry_of(NULL);

    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    audit_close();
    spoil("{\"seq\":2,\"prev\":\"00");
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    audit_write(&e);
    ck_assert_ptr_nonnull(
        strstr(read_lines("a"), "\"event\":\"after_torn_line\""));
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "\n{\"seq\":4,"));
    /* One finding, for the torn line; what follows is whole again. */
    ck_assert_int_eq(TRAIL("a"), VERIFY_TORN);
}
END_TEST

START_TEST(audit_goes_on_after_lines_of_somebody_else_and_says_so)
{
    struct audit_entry e = entry_of(NULL);

    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    spoil("hello\n");
    audit_write(&e);
    ck_assert_ptr_nonnull(
        strstr(read_lines("a"), "\"event\":\"after_foreign_line\""));
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "\n{\"seq\":3,"));
}
END_TEST

START_TEST(audit_of_two_processes_in_one_file_is_one_chain)
{
    struct audit_entry e = entry_of(NULL);
    int status = 0;
    pid_t pid;

    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    /* Its own open file, as a second service has. */
    if (pid == 0 && audit_reopen() != 0)
        _exit(1);
    for (int i = 0; i < 300; i++)
        audit_write(&e);
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "\n{\"seq\":601,"));
    ck_assert_int_eq(TRAIL("a"), VERIFY_GOOD);
}
END_TEST

START_TEST(audit_with_policy_refuse_says_that_nothing_may_run)
{
    struct audit_entry e = entry_of(NULL);

    (void)snprintf(settings.audit_log, sizeof(settings.audit_log), "/dev/full");
    settings.audit_on_error = AUDIT_REFUSE;
    ck_assert_int_eq(audit_open(&settings), 0);
    ck_assert(audit_is_open_for_runs()); /* nothing has failed yet */
    ck_assert(!audit_write(&e));
    ck_assert(!audit_is_well());
    ck_assert(!audit_is_open_for_runs());
    audit_set_policy(AUDIT_WARN);
    ck_assert(audit_is_open_for_runs());
    ck_assert(audit_write(&e));
    ck_assert(!audit_is_well());
}
END_TEST

/* A limit on the size of files is a disk that is full, for a test. */
static void
set_file_limit(rlim_t bytes)
{
    struct rlimit limit;

    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(audit_line_of_a_full_disk_is_taken_back_and_told_of_later)
{
    struct audit_entry e = entry_of(NULL);
    uint64_t failed = audit_failed();
    size_t before;

    settings.audit_on_error = AUDIT_REFUSE;
    ck_assert_int_eq(audit_open(&settings), 0);
    ck_assert(audit_write(&e));
    (void)read_lines("a");
    before = lines.len;
    set_file_limit(before + 50); /* room for a part of the next line */
    ck_assert(!audit_write(&e));
    ck_assert(!audit_is_open_for_runs());
    (void)read_lines("a");
    ck_assert_uint_eq(lines.len, before);
    ck_assert_uint_eq(audit_failed(), failed + 1);
    set_file_limit(RLIM_INFINITY);
    ck_assert(audit_is_open_for_runs()); /* found out by itself */
    ck_assert(audit_is_well());
    ck_assert(audit_write(&e));
    ck_assert_ptr_nonnull(
        strstr(read_lines("a"), "\"event\":\"lines_lost\",\"count\":1}"));
    ck_assert_int_eq(TRAIL("a"), VERIFY_GOOD);
}
END_TEST

START_TEST(audit_file_locked_by_a_reader_is_not_waited_for_without_end)
{
    struct audit_entry e = entry_of(NULL);
    struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
    char path[128];
    int fd;

    settings.audit_on_error = AUDIT_REFUSE;
    ck_assert_int_eq(audit_open(&settings), 0);
    (void)snprintf(path, sizeof(path), "%s/a", dir);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
    ck_assert(!audit_write(&e));
    (void)close(fd);
    ck_assert(audit_write(&e));
}
END_TEST

START_TEST(audit_to_standard_output_is_a_chain_too)
{
    struct audit_entry e = entry_of(NULL);
    char path[128];
    int fd, saved = dup(STDOUT_FILENO);

    (void)snprintf(path, sizeof(path), "%s/a", dir);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    (void)snprintf(settings.audit_log, sizeof(settings.audit_log), "stdout");
    ck_assert_int_eq(audit_open(&settings), 0);
    audit_write(&e);
    audit_write(&e);
    audit_close();
    ck_assert_int_eq(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    ck_assert_ptr_nonnull(strstr(read_lines("a"), "\n{\"seq\":2,"));
    ck_assert_int_eq(TRAIL("a"), VERIFY_GOOD);
}
END_TEST

static void *
write_many(void *arg)
{
    struct audit_entry e = entry_of(NULL);

    (void)arg;
    for (int i = 0; i < 500; i++) {
        audit_write(&e);
        if (i % 100 == 0)
            (void)audit_reopen();
    }
    return NULL;
}

START_TEST(audit_lines_of_many_threads_do_not_mix)
{
    pthread_t threads[4];
    uint64_t written = audit_written();
    size_t count = 0;
    const char *at, *end;

    ck_assert_int_eq(audit_open(&settings), 0);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, write_many, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    ck_assert_uint_eq(audit_written(), written + 2000);
    at = read_lines("a");
    for (; (end = strchr(at, '\n')) != NULL; at = end + 1, count++)
        ck_assert(json_is_value(view_of(at, (size_t)(end - at)), 4));
    ck_assert_uint_eq(count, 2000);
    ck_assert_int_eq(TRAIL("a"), VERIFY_GOOD);
}
END_TEST

Suite *
suite_audit(void)
{
    Suite *s = suite_create("audit");
    TCase *t = tcase_create("audit");

    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_set_timeout(t, 30);
    tcase_add_test(t, audit_line_has_its_fields_in_their_order);
    tcase_add_test(t, audit_line_of_a_refused_request_has_nulls);
    tcase_add_test(t, audit_hostile_bytes_stay_inside_one_line_of_json);
    tcase_add_test(t, audit_longest_possible_line_is_written);
    tcase_add_test(t, audit_never_has_the_code_in_it);
    tcase_add_test(t, audit_appends_to_what_is_there);
    tcase_add_test(t, audit_file_is_not_for_everybody);
    tcase_add_test(t, audit_reopen_follows_rotation);
    tcase_add_test(t, audit_reopen_that_fails_keeps_the_old_stream);
    tcase_add_test(t, audit_open_of_a_bad_path_fails);
    tcase_add_test(t, audit_to_nowhere_is_neither_written_nor_failed);
    tcase_add_test(t, audit_line_that_cannot_be_written_is_counted);
    tcase_add_test(t, audit_lines_are_a_chain_over_restart_and_rotation);
    tcase_add_test(
        t, audit_chain_goes_on_from_a_file_rotated_while_we_were_down);
    tcase_add_test(
        t, audit_chain_goes_on_from_a_file_rotated_before_the_first_line);
    tcase_add_test(t, audit_goes_on_after_a_torn_line_and_says_so);
    tcase_add_test(t, audit_goes_on_after_lines_of_somebody_else_and_says_so);
    tcase_add_test(t, audit_of_two_processes_in_one_file_is_one_chain);
    tcase_add_test(t, audit_with_policy_refuse_says_that_nothing_may_run);
    tcase_add_test(
        t, audit_line_of_a_full_disk_is_taken_back_and_told_of_later);
    tcase_add_test(
        t, audit_file_locked_by_a_reader_is_not_waited_for_without_end);
    tcase_add_test(t, audit_to_standard_output_is_a_chain_too);
    tcase_add_test(t, audit_lines_of_many_threads_do_not_mix);
    suite_add_tcase(s, t);
    return s;
}
