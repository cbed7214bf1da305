/*
 * box - one fork of a template: one order, confined, then gone
 *
 * The story of a box:
 *   1. cloned by the template; shares nothing with its siblings but pages
 *      that are copied when written
 *   2. maps its slate, then walks box_steps[]
 *   3. loads the filter: the last step
 *   4. waits for a byte on descriptor 0; nothing of a client has been here
 *   5. if the byte says so, rehearses: runs a harmless program, so that what
 *      an order needs is already in its memory; and waits again
 *   6. reads the order from the slate, runs it, leaves output and claim there
 *   7. exits; the warden holds it in that call and reads the slate
 *
 * Told to stop (SIGUSR1, at a deadline) it notes which line it was at and
 * exits; the handler never returns to the program, so the filter needs no
 * sigreturn.  If it does not manage, the warden's SIGKILL follows anyway.
 */
#include "sandbox/box.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/base/near.h"
#include "sandbox/confine/calls.h"
#include "sandbox/python/interp.h"
#include "sandbox/large.h"
#include "sandbox/wire/claim.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/slate.h"

#define BOX_END_TRIES 100
#define BOX_END_PAUSE_NS 10000000

static NEAR struct slate box_slate;
static NEAR bool box_is_trial;

/* What a box is before its order; a trial box tells it for all: resident
 * memory after a rehearsal.  The filter allows no such question. */
static int
box_measure(struct confine *c)
{
    struct rusage usage;

    (void)c;
    large_touch();
    if (box_is_trial)
        interp_rehearse(&box_slate);
    if (getrusage(RUSAGE_SELF, &usage) < 0)
        return -errno;
    if (box_is_trial)
        box_slate.head->base_kb = (uint64_t)usage.ru_maxrss;
    box_slate.head->base_faults = (uint64_t)usage.ru_minflt;
    return 0;
}

/*
 * From a fork of the template to a box: every step, in the order it is taken.
 * The remark on a line says why it stands there and not elsewhere.  What is
 * inherited from the template stands in template_steps[].
 */
const struct confine_step box_steps[] = {
    { "death", confine_death, false }, /* the warden may die at any moment */
    { "fds", confine_fds, false }, /* nothing opens a new one after this */
    { "rlimits", confine_rlimits, false }, /* before a byte is parsed */
    { "no_capabilities", confine_no_capabilities, false }, /* clone() is done */
    { "undumpable", confine_undumpable, false }, /* capset() may reset it */
    { "verify", confine_verify_box, false }, /* all but the filter stands */
    { "measure", box_measure, false }, /* in the cage, but for the filter */
    { "seccomp", confine_seccomp, false }, /* last: forbids the above */
};
const size_t box_step_count = sizeof(box_steps) / sizeof(box_steps[0]);

static void
box_on_stop(int signal_number)
{
    (void)signal_number;
    interp_note_where(&box_slate);
    _exit(BOX_EXIT_STOPPED);
}

int
box_prepare(void)
{
    struct sigaction act = { .sa_handler = box_on_stop };

    if (sigaction(SIGUSR1, &act, NULL) < 0)
        return -errno;
    return 0;
}

static _Noreturn void
box_fail(size_t step, int error)
{
    box_slate.head->step = (uint32_t)step;
    box_slate.head->error = error;
    slate_set_phase(&box_slate, SLATE_STEP_FAILED);
    _exit(BOX_EXIT_STEP);
}

/*
 * The warden is gone, which otherwise lets a box end: the call comes back.
 * After it, libc's _exit() tries exit(), for which the filter kills, and the
 * kernel writes that to its log as it does for an attack.  The death signal is
 * a moment away; a box sleeps until it comes, for one that kept trying would
 * keep the warden from dying.  A box that was born while the warden died gets
 * none, and ends after a second.
 */
static _Noreturn void
box_end_alone(void)
{
    const struct timespec pause = { .tv_nsec = BOX_END_PAUSE_NS };

    for (int tries = 0; tries < BOX_END_TRIES; tries++) {
        (void)syscall(SYS_exit_group, 0);
        (void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    _exit(0);
}

/* Until there is something to do; end of file: nobody will ever send an
 * order.  What was read before an order is the warden's, not a client's. */
static char
box_wait(void)
{
    char byte;

    for (;;) {
        if (syscall(SYS_read, 0, &byte, 1) != 1)
            box_end_alone();
        if (byte != BOX_WAKE_WARM)
            return byte;
        interp_rehearse(&box_slate);
        __atomic_store_n(&box_slate.head->is_warm, 1, __ATOMIC_RELEASE);
    }
}

/*
 * A box that says it ran out of memory stops once more in the kernel, where
 * the warden can see how large it has become; then it ends like any other.
 */
static void
box_show_memory(void)
{
    struct view v = view_of(
        box_slate.base + box_slate.layout.claim_at, box_slate.head->claim_len);

    (void)view_u32(&v);
    if (view_u32(&v) & CLAIM_NO_MEMORY)
        (void)syscall(SYS_exit_group, CALL_EXIT_NO_MEMORY);
}

static _Noreturn void
box_work(const struct setup *s)
{
    struct slate_head *head = box_slate.head;
    struct order order;
    struct view body;

    if (head->order_len > box_slate.layout.order_bytes)
        _exit(BOX_EXIT_ORDER);
    body = view_of(box_slate.base + box_slate.layout.order_at, head->order_len);
    if (order_unpack(body, s, &order) < 0)
        _exit(BOX_EXIT_ORDER);
    slate_set_phase(&box_slate, SLATE_CHECKING);
    interp_run(&order, &box_slate);
    box_show_memory();
    _exit(0);
}

_Noreturn void
box_live(
    struct confine *c, const struct setup *s, const struct box_start *start)
{
    struct slate_layout layout = slate_layout_of(s);
    size_t failed = 0;
    int r;

    if (slate_map(&box_slate, start->slate_fd, &layout) < 0)
        _exit(BOX_EXIT_STEP);
    box_is_trial = start->is_trial;
    if (interp_after_fork_box() < 0)
        _exit(BOX_EXIT_STEP);
    c->wake_fd = start->wake_fd;
    r = confine_walk(c, box_steps, box_step_count, &failed);
    if (r < 0)
        box_fail(failed, -r);
    box_slate.head->layers = c->on;
    slate_set_phase(&box_slate, SLATE_PARKED);
    if (box_wait() == BOX_WAKE_TRIAL) {
        r = confine_trial(c);
        if (r < 0)
            box_fail(box_step_count, -r);
        _exit(0);
    }
    box_work(s);
}
