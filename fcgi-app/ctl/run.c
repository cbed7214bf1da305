/*
 * gloveboxctl run - one program in a box, without the service
 *
 * Goes the way of a request: its arguments become the JSON body of /execute,
 * order_from_json() makes the order of it, and a warden of its own runs it.
 * What the program printed goes to standard output and standard error; its
 * value, if it has one, follows on standard output as JSON.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "fcgi-app/ctl/ctl.h"
#include "fcgi-app/ctl/link.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/json/writer.h"
#include "fcgi-app/order_json.h"
#include "fcgi-app/outcome_json.h"
#include "fcgi-app/settings/settings.h"
#include "sandbox/base/cleanup.h"

#define CTL_MAX_FILE (4u << 20)

struct ctl_run_options {
    const char *profile;
    const char *timeout_s;
    const char *stdin_file;
    const char *context;
    const char *config_file;
    const char *program;
};

static int
ctl_complain(const char *what, const char *detail)
{
    (void)fprintf(stderr, "gloveboxctl run: %s: %s\n", what, detail);
    return CTL_NOT_DONE;
}

static int
ctl_read_fd(int fd, struct buf *text)
{
    ssize_t n;

    do {
        char *room = buf_room(text, 65536);

        if (room == NULL)
            return -EFBIG;
        n = read(fd, room, 65536);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            buf_grew(text, (size_t)n);
    } while (n != 0);
    return 0;
}

/* A file, or standard input for "-", that is text. */
static int
ctl_read_text(const char *path, struct buf *text)
{
    AUTO_FD fd = -1;
    int error;
    size_t n;

    buf_init(text, CTL_MAX_FILE);
    if (strcmp(path, "-") == 0)
        error = ctl_read_fd(STDIN_FILENO, text);
    else if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        error = -errno;
    else
        error = ctl_read_fd(fd, text);
    for (size_t at = 0; error == 0 && at < text->len; at += n)
        if ((n = utf8_char(text->data + at, text->len - at)) == 0)
            error = -EILSEQ;
    if (error != 0)
        return ctl_complain(path, strerror(-error));
    return CTL_OK;
}

static int
ctl_options(int argc, char **argv, struct ctl_run_options *o)
{
    static const struct option known[] = {
        { "profile", required_argument, NULL, 'p' },
        { "timeout", required_argument, NULL, 't' },
        { "stdin", required_argument, NULL, 'i' },
        { "context", required_argument, NULL, 'x' },
        { "config", required_argument, NULL, 'c' },
        { 0 },
    };
    int c;

    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (c) {
        case 'p':
            o->profile = optarg;
            break;
        case 't':
            o->timeout_s = optarg;
            break;
        case 'i':
            o->stdin_file = optarg;
            break;
        case 'x':
            o->context = optarg;
            break;
        case 'c':
            o->config_file = optarg;
            break;
        default:
            return CTL_NOT_DONE;
        }
    }
    if (optind + 1 != argc)
        return ctl_complain("one program is expected", "FILE or -");
    o->program = argv[optind];
    return CTL_OK;
}

/* Text that must be JSON by itself, as the value of `key`. */
static int
ctl_put_raw(struct json_writer *json, const char *key, const char *text)
{
    if (!json_is_value(view_of(text, strlen(text)), 64))
        return ctl_complain(key, "not JSON");
    json_put_key(json, key);
    json_put_raw(json, text, strlen(text));
    return CTL_OK;
}

static void
ctl_put_text(struct json_writer *json, const char *key, const struct buf *text)
{
    json_put_key(json, key);
    json_put_bytes(json, text->data != NULL ? text->data : "", text->len);
}

static int
ctl_make_body(const struct ctl_run_options *o, struct buf *body)
{
    struct json_writer json;
    struct buf code = { 0 }, input = { 0 };
    int status = ctl_read_text(o->program, &code);

    json_writer_init(&json, body);
    json_begin_object(&json);
    if (status == CTL_OK)
        ctl_put_text(&json, "code", &code);
    if (status == CTL_OK && o->stdin_file != NULL) {
        status = ctl_read_text(o->stdin_file, &input);
        ctl_put_text(&json, "stdin", &input);
    }
    if (status == CTL_OK && o->profile != NULL) {
        json_put_key(&json, "profile");
        json_put_string(&json, o->profile);
    }
    if (status == CTL_OK && o->timeout_s != NULL)
        status = ctl_put_raw(&json, "timeout_s", o->timeout_s);
    if (status == CTL_OK && o->context != NULL)
        status = ctl_put_raw(&json, "context", o->context);
    json_end_object(&json);
    buf_done(&code);
    buf_done(&input);
    return status;
}

/* A program's bytes must not steer the terminal they are shown on. */
static void
ctl_show(FILE *to, struct view text)
{
    bool is_terminal = isatty(fileno(to));

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (is_terminal && (c < ' ' || c == 0x7f) && c != '\n' && c != '\t')
            c = '?';
        (void)fputc(c, to);
    }
    (void)fflush(to);
}

static int
ctl_show_outcome(const struct outcome *outcome, const struct order *order)
{
    static const char null_text[] = "null";
    struct view value = outcome->claim.value;
    char refusal[1024];
    struct buf error;

    if (outcome_is_refusal(outcome, refusal, sizeof(refusal)))
        return ctl_complain("refused", refusal);
    ctl_show(stdout, outcome->stdout_text);
    ctl_show(stderr, outcome->stderr_text);
    if (outcome_status_of(outcome) != OUTCOME_OK) {
        buf_init(&error, 65536);
        outcome_error_text(&error, outcome, order);
        buf_addc(&error, '\n');
        ctl_show(stderr, view_of(error.data, error.len));
        buf_done(&error);
        return CTL_FAILED;
    }
    if (value.len != strlen(null_text) ||
        memcmp(value.data, null_text, value.len) != 0) {
        ctl_show(stdout, value);
        ctl_show(stdout, view_of("\n", 1));
    }
    return CTL_OK;
}

static int
ctl_ask(const struct settings *settings, const struct order *order)
{
    struct warden_answer answer;
    const char *problem;
    struct setup setup;
    enum fault fault;
    int status;
    struct warden_link *link =
        ctl_link_new(settings, 1u << order->profile, &setup, &problem);

    if (link == NULL)
        return ctl_complain("sandbox", problem);
    warden_answer_init(&answer);
    fault = warden_ask(link, order, -1, CTL_READY_MS, &answer);
    if (fault == FAULT_NONE)
        status = ctl_show_outcome(&answer.outcome, order);
    else
        status = ctl_complain("not run", fault_row(fault)->sentence);
    warden_answer_done(&answer);
    warden_link_free(link);
    return status;
}

int
ctl_run(int argc, char **argv)
{
    static char detail[8192];
    struct ctl_run_options options = { 0 };
    struct token anyone = { .id = "ctl",
        .profiles = ~0u,
        .not_before = INT64_MIN,
        .expires = INT64_MAX };
    struct order_parse parse;
    struct settings settings;
    struct buf body;
    int status = ctl_options(argc, argv, &options);

    if (status != CTL_OK)
        return status;
    if (settings_load(&settings, options.config_file, environ, detail,
            sizeof(detail)) != 0)
        return ctl_complain("settings", detail);
    settings_forget_secrets(&settings);
    buf_init(&body, 8 * CTL_MAX_FILE);
    order_parse_init(&parse);
    status = ctl_make_body(&options, &body);
    if (status == CTL_OK &&
        order_from_json(&parse, view_of(body.data, body.len), &settings,
            &anyone, detail, sizeof(detail)) != FAULT_NONE)
        status = ctl_complain("not run", detail);
    if (status == CTL_OK && parse.context_detail[0] != '\0')
        status = ctl_complain("not run", parse.context_detail);
    if (status == CTL_OK) {
        parse.order.request_id = view_of("ctl", 3);
        status = ctl_ask(&settings, &parse.order);
    }
    order_parse_done(&parse);
    buf_done(&body);
    return status;
}
