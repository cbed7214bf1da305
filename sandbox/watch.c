/* watch - the clocks of a running box, and the verdict on how it ended */
#include "sandbox/watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/base/clock.h"

/* How soon a CPU clock that is nearly spent is looked at again. */
#define WATCH_LEAST_US 2000

/* The kernel's encoding of "CPU time of all threads of this process". */
static clockid_t
watch_cpu_clock(pid_t pid)
{
    return (clockid_t)((~(unsigned)pid << 3) | 2);
}

uint64_t
watch_cpu_us(pid_t pid)
{
    struct timespec ts;

    if (clock_gettime(watch_cpu_clock(pid), &ts) < 0)
        return 0;
    return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/*
 * When to look next.  CPU time cannot pass faster than time; so not before
 * what is left of it could be used up.
 */
static void
watch_next(struct watch *w, uint64_t now_us, uint64_t cpu_us)
{
    uint64_t left_us = w->cpu_limit_us - cpu_us, look_us;

    if (!w->is_long) {
        /* Later and later: a program that sleeps costs nobody anything. */
        look_us = (now_us - w->start_us) / 2;
        if (look_us > WATCH_LOOK_US)
            look_us = WATCH_LOOK_US;
        if (look_us + cpu_us < WATCH_LONG_US)
            look_us = WATCH_LONG_US - cpu_us;
        if (look_us < left_us)
            left_us = look_us;
    }
    w->check_us =
        now_us + (left_us > WATCH_LEAST_US ? left_us : WATCH_LEAST_US);
    if (w->check_us > w->deadline_us)
        w->check_us = w->deadline_us;
}

void
watch_start(struct watch *w, pid_t pid, uint64_t now_us, uint32_t wall_ms,
    uint32_t cpu_ms, uint64_t memory_bytes, uint64_t base_kb)
{
    *w = (struct watch){
        .start_us = now_us,
        .deadline_us = now_us + (uint64_t)wall_ms * 1000,
        .cpu_start_us = watch_cpu_us(pid),
        .cpu_limit_us = (uint64_t)cpu_ms * 1000,
        .memory_bytes = memory_bytes,
        .base_kb = base_kb,
    };
    watch_next(w, now_us, 0);
}

void
watch_began(struct watch *w, uint64_t began_us)
{
    uint64_t late_us = began_us > w->start_us ? began_us - w->start_us : 0;

    if (late_us > WATCH_MOST_LATE_US)
        late_us = WATCH_MOST_LATE_US;
    w->deadline_us += late_us;
    if (w->check_us < w->deadline_us && w->check_us >= w->deadline_us - late_us)
        w->check_us = w->deadline_us;
}

static void
watch_signal(int pidfd, int signal_number)
{
    (void)syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

static void
watch_decide(struct watch *w, enum verdict_kind verdict)
{
    if (w->has_verdict)
        return;
    w->has_verdict = true;
    w->verdict = verdict;
}

/* First the polite signal, so that the answer can say where it was. */
static void
watch_stop(struct watch *w, pid_t pid, int pidfd, uint64_t now_us,
    enum verdict_kind verdict)
{
    watch_decide(w, verdict);
    w->is_stopped = true;
    w->stop_us = now_us;
    w->stop_cpu_us = watch_cpu_us(pid);
    w->check_us = now_us + WATCH_GRACE_US;
    watch_signal(pidfd, SIGUSR1);
}

void
watch_kill(struct watch *w, int pidfd, enum verdict_kind verdict)
{
    watch_decide(w, verdict);
    w->is_killed = true;
    w->check_us = UINT64_MAX;
    watch_signal(pidfd, SIGKILL);
}

/* Then SIGKILL, if it takes no notice.  One that could not, because others have
 * the processors, has a while longer. */
static void
watch_end_grace(struct watch *w, pid_t pid, int pidfd, uint64_t now_us)
{
    uint64_t last_us = w->stop_us + WATCH_MOST_GRACE_US;

    if (now_us >= last_us ||
        watch_cpu_us(pid) >= w->stop_cpu_us + WATCH_ANSWER_US) {
        watch_kill(w, pidfd, w->verdict);
        return;
    }
    w->check_us = now_us + WATCH_LEAST_US;
    if (w->check_us > last_us)
        w->check_us = last_us;
}

void
watch_tick(struct watch *w, pid_t pid, int pidfd, uint64_t now_us)
{
    uint64_t cpu_us;

    if (w->is_killed || now_us < w->check_us)
        return;
    if (w->is_stopped) {
        watch_end_grace(w, pid, pidfd, now_us);
        return;
    }
    if (now_us >= w->deadline_us) {
        watch_stop(w, pid, pidfd, now_us, VERDICT_TIMEOUT);
        return;
    }
    cpu_us = watch_cpu_us(pid);
    cpu_us -= cpu_us < w->cpu_start_us ? cpu_us : w->cpu_start_us;
    if (cpu_us >= w->cpu_limit_us) {
        watch_stop(w, pid, pidfd, now_us, VERDICT_CPU);
        return;
    }
    w->is_long = w->is_long || cpu_us >= WATCH_LONG_US;
    w->gives_way = w->gives_way || w->is_long;
    watch_next(w, now_us, cpu_us);
}

void
watch_count_refused(struct watch *w, int pidfd, const char *name)
{
    uint32_t i = 0;

    w->refused_total++;
    while (i < w->refused_count && strcmp(w->refused[i].call, name) != 0)
        i++;
    if (i < OUTCOME_MAX_REFUSED) {
        if (i == w->refused_count) {
            w->refused_count++;
            (void)snprintf(
                w->refused[i].call, sizeof(w->refused[i].call), "%s", name);
        }
        w->refused[i].count++;
    }
    if (w->refused_total >= WATCH_MAX_REFUSED)
        watch_kill(w, pidfd, VERDICT_NOISY);
}

static uint64_t
watch_rusage_us(const struct timeval *tv)
{
    return (uint64_t)tv->tv_sec * 1000000 + (uint64_t)tv->tv_usec;
}

static void
watch_how_it_ended(const struct watch *w, int status, struct outcome *o)
{
    if (WIFSIGNALED(status)) {
        o->number = WTERMSIG(status);
        if (o->number == SIGSYS)
            o->verdict = VERDICT_FORBIDDEN;
        else if (o->number == SIGKILL && o->cpu_us >= w->cpu_limit_us)
            o->verdict = VERDICT_CPU; /* RLIMIT_CPU was first */
        else
            o->verdict = VERDICT_CRASHED;
        return;
    }
    o->number = WEXITSTATUS(status);
    if (o->number != 0)
        o->verdict = VERDICT_EXITED;
    else if (w->saw_memory && (o->claim.flags & CLAIM_NO_MEMORY))
        o->verdict = VERDICT_MEMORY;
    else
        o->verdict = VERDICT_ENDED;
}

void
watch_verdict(const struct watch *w, int status, const struct rusage *usage,
    struct outcome *o)
{
    uint64_t cpu_us =
        watch_rusage_us(&usage->ru_utime) + watch_rusage_us(&usage->ru_stime);
    uint64_t peak_kb = (uint64_t)usage->ru_maxrss;

    o->wall_us = w->end_us - w->start_us;
    o->cpu_us = cpu_us > w->cpu_start_us ? cpu_us - w->cpu_start_us : 0;
    o->memory_bytes = peak_kb > w->base_kb ? (peak_kb - w->base_kb) * 1024 : 0;
    o->faults = (uint64_t)usage->ru_minflt;
    o->refused_count = w->refused_count;
    memcpy(o->refused, w->refused, sizeof(o->refused));
    watch_how_it_ended(w, status, o);
    if (w->has_verdict)
        o->verdict = w->verdict;
}
