/* check_service - what belongs to this service: directories and the program */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcgi-app/ctl/check.h"
#include "fcgi-app/ctl/link.h"
#include "sandbox/wire/profile.h"

/* The directory that `path` is in. */
static void
service_directory(const char *path, char *directory, size_t size)
{
    char *slash;

    (void)snprintf(directory, size, "%s", path);
    slash = strrchr(directory, '/');
    if (slash == NULL)
        (void)snprintf(directory, size, ".");
    else
        slash[slash == directory ? 1 : 0] = '\0';
}

static int
service_may_write(const void *path)
{
    return access(path, W_OK | X_OK) == 0 ? 0 : -errno;
}

static int
service_may_run(const void *path)
{
    return access(path, R_OK | X_OK) == 0 ? 0 : -errno;
}

/*
 * Whoever can write here can put another socket in the place of ours and read
 * every request.  The app makes the socket while it still is who started it.
 */
void
check_socket_directory(const struct check_host *host,
    const struct check_row *row, struct check_finding *f)
{
    char directory[SETTINGS_MAX_TEXT];
    struct stat st;

    (void)row;
    service_directory(
        host->settings->socket_path, directory, sizeof(directory));
    if (stat(directory, &st) < 0)
        check_say(f, CHECK_WARN, "%s is not there (%s)", directory,
            strerrorname_np(errno));
    else if (!S_ISDIR(st.st_mode))
        check_say(f, CHECK_FAIL, "%s is no directory", directory);
    else if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
        check_say(f, CHECK_FAIL, "everybody may write to %s", directory);
    else if (service_may_write(directory) < 0)
        check_say(f, CHECK_FAIL, "%s cannot be written to (%s)", directory,
            strerrorname_np(errno));
    else
        check_say(f, CHECK_OK, "%s", directory);
}

/* With AUDIT_ON_ERROR=refuse every run would be refused. */
void
check_audit_directory(const struct check_host *host,
    const struct check_row *row, struct check_finding *f)
{
    const struct settings *s = host->settings;
    enum check_level level =
        s->audit_on_error == AUDIT_REFUSE ? CHECK_FAIL : CHECK_WARN;
    char directory[SETTINGS_MAX_TEXT];
    int r;

    (void)row;
    if (s->audit_log[0] != '/') {
        check_say(f, CHECK_OK, "audit lines go to %s",
            s->audit_log[0] != '\0' ? s->audit_log : "nobody");
        return;
    }
    service_directory(s->audit_log, directory, sizeof(directory));
    r = check_as(s->app_uid, s->app_gid, service_may_write, directory);
    if (r < 0)
        check_say(f, level, "the app cannot write to %s (%s)", directory,
            strerrorname_np(-r));
    else
        check_say(f, CHECK_OK, "%s", directory);
}

void
check_program(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const struct settings *s = host->settings;
    int r =
        check_as(s->box_uid, s->box_gid, service_may_run, s->sandbox_program);

    (void)row;
    if (r < 0)
        check_say(f, CHECK_FAIL, "%s cannot be run (%s)", s->sandbox_program,
            strerrorname_np(-r));
    else
        check_say(f, CHECK_OK, "%s", s->sandbox_program);
}

/* --- the trial --------------------------------------------------------------
 */

#define TRIAL_LOOK_MS 100

static const char trial_code[] = "_ = 6 * 7\n";
static const char trial_value[] = "42";

/* One program in a box of `profile`: NULL, or what went wrong. */
static const char *
trial_run(struct warden_link *link, const struct setup *setup, uint32_t profile)
{
    struct order order = {
        .kind = ORDER_RUN,
        .profile = profile,
        .wall_ms = setup->wall_ms,
        .cpu_ms = setup->cpu_ms,
        .memory_bytes = setup->memory_bytes,
        .output_bytes = setup->output_bytes,
        .return_bytes = setup->return_bytes,
        .ast_nodes = setup->ast_nodes,
        .request_id = view_of("check", strlen("check")),
        .code = view_of(trial_code, strlen(trial_code)),
    };
    const char *problem = NULL;
    struct warden_answer answer;
    const struct outcome *o = &answer.outcome;
    enum fault fault;

    warden_answer_init(&answer);
    fault = warden_ask(link, &order, -1, CTL_READY_MS, &answer);
    if (fault != FAULT_NONE)
        problem = fault_row(fault)->sentence;
    else if (o->verdict != VERDICT_ENDED || o->claim.kind != CLAIM_VALUE ||
             o->claim.value.len != strlen(trial_value) ||
             memcmp(o->claim.value.data, trial_value, o->claim.value.len) != 0)
        problem = "6 * 7 was not 42";
    warden_answer_done(&answer);
    return problem;
}

/* What runs, and which layers this machine does not have. */
static void
trial_praise(const struct status *status, struct check_finding *f)
{
    size_t len;

    check_say(
        f, CHECK_OK, "Python %s ran in a box of each profile", status->python);
    for (uint32_t i = 0; i < status->layer_count; i++) {
        len = strlen(f->text);
        if (!status->layers[i].is_on)
            (void)snprintf(f->text + len, sizeof(f->text) - len, "%s %s",
                strstr(f->text, "; without") != NULL ? "," : "; without",
                status->layers[i].name);
    }
}

/* Its first word; false when none will come. */
static bool
trial_await(struct warden_link *link, struct status *ret_status)
{
    for (unsigned ms = 0; ms < CTL_READY_MS; ms += TRIAL_LOOK_MS) {
        if (warden_link_await(link, TRIAL_LOOK_MS, ret_status))
            return true;
        if (warden_link_is_hopeless(link))
            return false;
    }
    return false;
}

static void
trial_all(struct warden_link *link, const struct setup *setup,
    struct check_finding *f)
{
    struct status status = { 0 };
    const char *problem = NULL;

    if (!trial_await(link, &status)) {
        check_say(f, CHECK_FAIL, "the sandbox does not start");
        return;
    }
    if (!status.is_ready) {
        check_say(
            f, CHECK_FAIL, "the sandbox is not ready: %s", status.problem);
        return;
    }
    for (uint32_t p = 0; p < PROFILE_COUNT && problem == NULL; p++)
        if (setup->profiles & (1u << p))
            problem = trial_run(link, setup, p);
    if (problem != NULL)
        check_say(f, CHECK_FAIL, "no program ran: %s", problem);
    else
        trial_praise(&status, f);
}

void
check_trial(const struct check_host *host, const struct check_row *row,
    struct check_finding *f)
{
    const char *problem = "";
    struct setup setup;
    struct warden_link *link = ctl_link_new(
        host->settings, host->settings->profiles, &setup, &problem);

    (void)row;
    if (link == NULL) {
        check_say(f, CHECK_FAIL, "no sandbox: %s", problem);
        return;
    }
    trial_all(link, &setup, f);
    warden_link_free(link);
}
