/*
 * try - run programs through sandbox/python alone
 *
 *   try [-p PROFILE] [-k run|check|findings] [-i IMPORTS] [-c CONTEXT]
 *       [-s STDIN] [-n NODES] [-r RETURN_BYTES] [-o OUTPUT_BYTES]
 *       [-t SECONDS] [-x RULE] [-y] [-a TIMES | -f TIMES] FILE...
 *   try [-p PROFILE] -w TIMES
 *   try -d
 *
 * Warms one template, then forks a child for every file, as a warden would,
 * but with no confinement at all.  Prints one line of JSON for each: what the
 * slate holds when the child is gone.  For the language tests and for trying
 * things by hand; a file named - is standard input.  -x takes a rule out, or
 * all of them (builds with test hooks only); -y plants a canary (canary.h) and
 * tells who touched it; -a runs each file TIMES times, each time with another
 * allocation that fails, spread over all it makes; -f fails calls instead, and
 * -w lets an allocation fail while the interpreter is warmed up, or a call in
 * a build that can (failing.h), and tells how many came up all the same; -d
 * prints the rules for docs/LANGUAGE.md.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/python/interp.h"
#include "sandbox/python/rules.h"
#include "sandbox/wire/claim.h"
#include "tests/language/canary.h"
#include "tests/language/starve.h"

struct options {
    const struct profile *profile;
    uint32_t kind;
    const char *context;
    const char *stdin_text;
    uint32_t nodes;
    uint32_t return_bytes;
    uint32_t output_bytes;
    unsigned seconds;
    bool has_canary;
    unsigned times; /* 0: nothing fails */
    unsigned long fail_at;
    bool fails_calls; /* not allocations */
    unsigned warm_times;
};

static struct setup setup = {
    .wall_ms = 300000,
    .cpu_ms = 300000,
    .memory_bytes = 1u << 30,
    .code_bytes = 1u << 22,
    .context_bytes = 1u << 22,
    .stdin_bytes = 1u << 22,
    .output_bytes = 1u << 20,
    .return_bytes = 1u << 20,
    .ast_nodes = 5000,
};

static void
print_string(const char *name, const char *data, size_t len)
{
    printf(",\"%s\":\"", name);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)data[i];

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void
print_outcome(
    const struct slate *s, int status, uint32_t output_bytes, unsigned canary)
{
    const struct slate_head *h = s->head;
    struct claim c = { 0 };
    size_t out = h->out_len < output_bytes ? h->out_len : output_bytes;
    size_t err = h->err_len < output_bytes ? h->err_len : output_bytes;
    int bad =
        h->claim_len
            ? claim_unpack(view_of(s->base + s->layout.claim_at, h->claim_len),
                  setup.return_bytes, &c)
            : 0;

    printf("{\"signal\":%d,\"exit\":%d,\"phase\":%u,\"bad_claim\":%d",
        WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        WIFEXITED(status) ? WEXITSTATUS(status) : -1, h->phase, bad);
    printf(",\"kind\":%u,\"flags\":%u,\"line\":%u,\"column\":%u", c.kind,
        c.flags, c.line, c.column);
    printf(",\"out_len\":%llu,\"where_line\":%u",
        (unsigned long long)h->out_len, h->where_line);
    print_string("where_name", h->where_name, strlen(h->where_name));
    print_string("stdout", s->base + s->layout.out_at, out);
    print_string("stderr", s->base + s->layout.err_at, err);
    print_string("type", c.type.data, c.type.len);
    print_string("message", c.message.data, c.message.len);
    print_string("traceback", c.traceback.data, c.traceback.len);
    print_string("value_text", c.value.data, c.value.len);
    printf(",\"canary\":%u}\n", canary);
}

static char *
read_file(const char *path, size_t *ret_len)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *data = malloc(setup.code_bytes);

    if (!f || !data) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    *ret_len = fread(data, 1, setup.code_bytes, f);
    if (f != stdin)
        (void)fclose(f);
    return data;
}

static struct slate *alarm_slate;

static void
on_alarm(int sig)
{
    (void)sig;
    interp_note_where(alarm_slate);
    _exit(9);
}

static void
child(const struct options *opt, const struct order *o, struct slate *slate)
{
    const struct rlimit memory = { setup.memory_bytes, setup.memory_bytes };

    (void)interp_after_fork_box();
    alarm_slate = slate;
    (void)signal(SIGALRM, on_alarm);
    (void)alarm(opt->seconds);
    (void)setrlimit(RLIMIT_AS, &memory);
    interp_rehearse(slate);
    if (opt->has_canary)
        canary_reset();
    if (opt->times > 0 && opt->fails_calls)
        starve_begin_calls(opt->fail_at);
    else if (opt->times > 0)
        starve_begin(opt->fail_at);
    interp_run(o, slate);
    _exit(0);
}

static void
run_file(const struct options *opt, const char *path)
{
    struct slate_layout l = slate_layout_of(&setup);
    struct slate slate;
    int fd = slate_new(&l);
    size_t len;
    char *code = read_file(path, &len);
    struct order o = {
        .kind = opt->kind,
        .output_bytes = opt->output_bytes,
        .return_bytes = opt->return_bytes,
        .ast_nodes = opt->nodes,
        .code = view_of(code, len),
        .context = view_of(opt->context, strlen(opt->context)),
        .stdin_text = view_of(opt->stdin_text, strlen(opt->stdin_text)),
    };
    int status = 0;
    pid_t pid;

    if (fd < 0 || slate_map(&slate, fd, &l) < 0)
        exit(2);
    (void)fflush(stdout);
    pid = fork();
    if (pid == 0)
        child(opt, &o, &slate);
    (void)waitpid(pid, &status, 0);
    print_outcome(&slate, status, opt->output_bytes,
        opt->has_canary ? canary_touches() : 0);
    free(code);
    (void)munmap(slate.base, l.total);
    (void)close(fd);
}

/* Once to count its allocations, then with one of them failing each time. */
static void
run_starved(struct options *opt, const char *path)
{
    unsigned long all;

    opt->fail_at = 0;
    run_file(opt, path);
    all = starve_count();
    for (unsigned i = 0; i < opt->times; i++) {
        opt->fail_at = 1 + i * all / opt->times;
        run_file(opt, path);
    }
}

/* One start of the interpreter, in a child; its exit status. */
static int
warm_once(const struct options *opt, unsigned long fail_at)
{
    char problem[512] = "";
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
#ifdef GLOVEBOX_FAILING
        starve_begin_calls(fail_at);
#else
        starve_begin(fail_at);
#endif
        if (interp_warm(opt->profile, &setup, problem, sizeof(problem)) == 0)
            _exit(0);
        _exit(problem[0] != '\0' ? 1 : 2);
    }
    (void)waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Started with one thing that fails: it must not come up, and say why not. */
static int
warm_starved(const struct options *opt)
{
    unsigned ready = 0, said = 0;
    unsigned long all, at, bad = 0;
    int end;

    if (warm_once(opt, 0) != 0)
        return 2;
    all = starve_count();
    for (unsigned i = 0; i < opt->warm_times; i++) {
        at = 1 + i * all / opt->warm_times;
        end = warm_once(opt, at);
        ready += end == 0;
        said += end == 1;
        if (end > 1)
            bad = at;
    }
    printf("{\"calls\":%lu,\"ready\":%u,\"said\":%u,\"bad_call\":%lu}\n", all,
        ready, said, bad);
    return 0;
}

static void
turn_off(const char *name)
{
#ifdef GLOVEBOX_TEST_HOOKS
    for (int i = 0; i < RULE_COUNT; i++)
        if (strcmp(rule_rows[i].name, name) == 0 || strcmp(name, "all") == 0)
            rules_off[i] = true;
#else
    fprintf(stderr, "built without test hooks: %s stays on\n", name);
    exit(3);
#endif
}

static void
print_names(const struct rule_list *list)
{
    printf("\n%s:\n", list->sentence);
    for (size_t i = 0; i < list->n; i++)
        printf("%s`%s`", i % 6 ? " " : "\n", list->names[i]);
    printf("\n");
}

static void
print_rules(void)
{
    printf("| rule | refuses | what to do instead |\n|---|---|---|\n");
    for (int i = RULE_EMPTY; i < RULE_CONTEXT; i++)
        printf("| `%s` | %s | %s%s |\n", rule_rows[i].name,
            rule_rows[i].sentence, rule_rows[i].instead,
            i == RULE_IMPORT ? "(the list)" : "");
    for (int i = 0; i < LIST_KEYWORDS; i++)
        print_names(&rule_lists[i]);
}

static uint32_t
number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

static void
read_option(struct options *opt, int c, const char *arg)
{
    switch (c) {
    case 'p':
        opt->profile = profile_find(arg, strlen(arg));
        break;
    case 'k':
        opt->kind = arg[0] == 'c'   ? ORDER_CHECK
                    : arg[0] == 'f' ? ORDER_FINDINGS
                                    : ORDER_RUN;
        break;
    case 'i':
        (void)snprintf(setup.imports, sizeof(setup.imports), "%s", arg);
        break;
    case 'c':
        opt->context = arg;
        break;
    case 's':
        opt->stdin_text = arg;
        break;
    case 'n':
        opt->nodes = number(arg);
        break;
    case 'r':
        opt->return_bytes = number(arg);
        break;
    case 'o':
        opt->output_bytes = number(arg);
        break;
    case 't':
        opt->seconds = number(arg);
        break;
    case 'x':
        turn_off(arg);
        break;
    case 'y':
        opt->has_canary = true;
        break;
    case 'a':
    case 'f':
        opt->times = number(arg);
        opt->fails_calls = c == 'f';
        break;
    case 'w':
        opt->warm_times = number(arg);
        break;
    case 'd':
        print_rules();
        exit(0);
    default:
        exit(2);
    }
}

int
main(int argc, char **argv)
{
    struct options opt = {
        .profile = &profiles[PROFILE_RESTRICTED],
        .context = "",
        .stdin_text = "",
        .nodes = 5000,
        .return_bytes = 65536,
        .output_bytes = 65536,
        .seconds = 20,
    };
    char problem[512];
    int c;

    while ((c = getopt(argc, argv, "p:k:i:c:s:n:r:o:t:x:ya:f:w:d")) != -1)
        read_option(&opt, c, optarg);
    if (!opt.profile) {
        fprintf(stderr, "no such profile\n");
        return 2;
    }
    if ((opt.times > 0 || opt.warm_times > 0) && starve_prepare() < 0)
        return 2;
    if (opt.warm_times > 0)
        return warm_starved(&opt);
    if (interp_warm(opt.profile, &setup, problem, sizeof(problem)) < 0) {
        fprintf(stderr, "%s\n", problem);
        return 2;
    }
    if (opt.has_canary && canary_plant() < 0) {
        fprintf(stderr, "the canary cannot be planted\n");
        return 2;
    }
    for (int i = optind; i < argc; i++)
        if (opt.times > 0)
            run_starved(&opt, argv[i]);
        else
            run_file(&opt, argv[i]);
    return 0;
}
