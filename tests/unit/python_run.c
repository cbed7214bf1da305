/* python_run - one order through sandbox/python, for tests */
#include "tests/unit/python_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/python/interp.h"

static const struct setup bounds = {
    .wall_ms = 60000,
    .cpu_ms = 60000,
    .memory_bytes = 1u << 30,
    .code_bytes = 1u << 20,
    .context_bytes = 2u << 20,
    .stdin_bytes = 1u << 20,
    .output_bytes = 65536,
    .return_bytes = 65536,
    .ast_nodes = 5000,
};

static struct python_run run;

struct order
python_order(const char *code)
{
    struct order o = {
        .kind = ORDER_RUN,
        .output_bytes = bounds.output_bytes,
        .return_bytes = bounds.return_bytes,
        .ast_nodes = bounds.ast_nodes,
        .code = view_of(code, strlen(code)),
        .context = view_of("", 0),
        .stdin_text = view_of("", 0),
    };

    return o;
}

static void
box(const struct order *o)
{
    (void)interp_after_fork_box();
    interp_rehearse(&run.slate);
    interp_run(o, &run.slate);
    _exit(0);
}

/* Ends with the status of the box, or with 3 and a sentence. */
static void template(
    enum profile_id id, const struct order *o, const char *imports)
{
    struct setup s = bounds;
    char problem[512];
    int status = 0;
    pid_t pid;

    (void)snprintf(s.imports, sizeof(s.imports), "%s", imports);
    if (interp_warm(&profiles[id], &s, problem, sizeof(problem)) < 0) {
        (void)fprintf(stderr, "# %s\n", problem);
        _exit(3);
    }
    pid = fork();
    if (pid == 0)
        box(o);
    (void)waitpid(pid, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void
read_claim(void)
{
    struct slate *s = &run.slate;

    memset(&run.claim, 0, sizeof(run.claim));
    if (s->head->claim_len)
        ck_assert_int_eq(claim_unpack(view_of(s->base + s->layout.claim_at,
                                          s->head->claim_len),
                             bounds.return_bytes, &run.claim),
            0);
}

const struct python_run *
python_run_with(enum profile_id id, const struct order *o, const char *imports)
{
    struct slate_layout l = slate_layout_of(&bounds);
    int fd = slate_new(&l);
    pid_t pid;

    if (run.slate.base)
        (void)munmap(run.slate.base, run.slate.layout.total);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(slate_map(&run.slate, fd, &l), 0);
    (void)close(fd);
    (void)fflush(NULL);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        template(id, o, imports);
    ck_assert_int_eq(waitpid(pid, &run.status, 0), pid);
    ck_assert_msg(!WIFEXITED(run.status) || WEXITSTATUS(run.status) != 3,
        "the template did not warm up");
    read_claim();
    return &run;
}

const struct python_run *
python_run(enum profile_id id, const struct order *o)
{
    return python_run_with(id, o, "");
}

const struct claim *
python_claim(const char *code)
{
    struct order o = python_order(code);

    return &python_run(PROFILE_RESTRICTED, &o)->claim;
}

static const char *
text_of(char *room, const char *bytes, uint64_t len)
{
    size_t kept = len < bounds.output_bytes ? len : bounds.output_bytes;

    memcpy(room, bytes, kept);
    room[kept] = '\0';
    return room;
}

const char *
python_out(const struct python_run *r)
{
    static char room[65537];

    return text_of(
        room, r->slate.base + r->slate.layout.out_at, r->slate.head->out_len);
}

const char *
python_err(const struct python_run *r)
{
    static char room[65537];

    return text_of(
        room, r->slate.base + r->slate.layout.err_at, r->slate.head->err_len);
}
