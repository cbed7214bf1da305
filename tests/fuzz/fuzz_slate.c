/*
 * fuzz_slate - what the warden reads from a slate in which a box wrote anything
 *
 * The input is a struct told, then a slate_head, then bytes that stand at the
 * start of each of the three areas.  Nothing is refused here: whatever the box
 * wrote, the outcome must be one that the app takes, hold what stands in the
 * slate as far as its lengths are true, and add up to the time the warden saw.
 */
#include "tests/fuzz/fuzz.h"

#include "sandbox/glance.h"
#include "sandbox/harvest.h"

#define START_US 1000000000u

/* What is not the box's word: bounds of the order, what the warden saw. */
struct told {
    uint8_t output_bytes;
    uint8_t return_bytes;
    uint8_t is_late;
    uint8_t reserved;
    uint32_t wall_us;
};

static const struct setup bounds = { .output_bytes = 255, .return_bytes = 255 };

static struct slate slate;
static int slate_fd = -1;

static void
fill(const uint8_t *data, size_t size)
{
    const struct slate_layout *l = &slate.layout;
    size_t head = size < sizeof(*slate.head) ? size : sizeof(*slate.head);
    size_t out = size - head < l->output_bytes ? size - head : l->output_bytes;
    size_t claim = size - head < l->claim_bytes ? size - head : l->claim_bytes;

    memset(slate.base, 0, l->total);
    memcpy(slate.head, data, head);
    memcpy(slate.base + l->out_at, data + head, out);
    memcpy(slate.base + l->err_at, data + head, out);
    memcpy(slate.base + l->claim_at, data + head, claim);
}

/* As far as it was asked to be kept, and said to be cut only if it was. */
static void
check_text(struct view text, uint32_t cut, size_t at, uint64_t len, size_t max)
{
    must(text.len == (len < max ? len : max));
    must(memcmp(text.data, slate.base + at, text.len) == 0);
    must((cut != 0) == (len > max));
}

/* A claim is all of its area that the box said, or there is none. */
static void
check_claim(const struct claim *c, size_t return_bytes)
{
    struct buf again;

    if (c->kind == CLAIM_NONE && c->value.data == NULL)
        return;
    must(c->value.len <= return_bytes);
    buf_init(&again, slate.layout.claim_bytes);
    claim_pack(&again, c);
    must_be_same(&again,
        view_of(slate.base + slate.layout.claim_at, slate.head->claim_len));
    buf_done(&again);
}

/* No stamp makes the time longer or shorter, or a start too late. */
static void
check_times(const struct outcome *o, const struct watch *w)
{
    uint64_t wall_us = w->end_us - w->start_us;

    must(o->wake_us <= WATCH_MOST_LATE_US && o->wake_us <= wall_us);
    must(o->check_us <= wall_us && o->run_us <= wall_us);
    must(o->wake_us + o->check_us + o->run_us + o->end_us == wall_us);
    must(o->wall_us == wall_us - (w->is_late ? o->wake_us : 0));
}

/* What is sent to the app is never refused there. */
static void
check_sent(const struct outcome *o)
{
    struct buf sent, again;
    struct outcome got;

    buf_init(&sent, outcome_max_bytes(&bounds));
    buf_init(&again, outcome_max_bytes(&bounds));
    outcome_pack(&sent, o);
    must(buf_ok(&sent));
    must(outcome_unpack(view_of(sent.data, sent.len), &bounds, &got) == 0);
    outcome_pack(&again, &got);
    must_be_same(&again, view_of(sent.data, sent.len));
    buf_done(&sent);
    buf_done(&again);
}

/* The steps of warden_conclude(), for a box that ended by itself. */
static void
conclude(const struct told *t)
{
    static struct buf scratch; /* one for all, as the warden has it */
    struct order order = {
        .output_bytes = t->output_bytes,
        .return_bytes = t->return_bytes,
    };
    struct watch w = {
        .start_us = START_US,
        .end_us = START_US + (uint64_t)t->wall_us,
        .is_late = t->is_late % 2 == 1,
    };
    struct rusage usage = { 0 };
    struct slate_head head = *slate.head;
    struct outcome o = { 0 };
    struct view all;

    if (scratch.max == 0)
        buf_init(&scratch, outcome_max_bytes(&bounds));
    harvest_claims(&scratch, &slate.layout, slate_fd, &order, &head, &o);
    watch_verdict(&w, 0, &usage, &o);
    harvest_phases(&w, &head, &o);
    all = view_of(scratch.data, scratch.len);
    must(buf_ok(&scratch) && o.verdict == VERDICT_ENDED);
    if (o.stdout_text.len > 0)
        must_lie_within(o.stdout_text, all, t->output_bytes);
    if (o.stderr_text.len > 0)
        must_lie_within(o.stderr_text, all, t->output_bytes);
    check_text(o.stdout_text, o.stdout_cut, slate.layout.out_at,
        slate.head->out_len, t->output_bytes);
    check_text(o.stderr_text, o.stderr_cut, slate.layout.err_at,
        slate.head->err_len, t->output_bytes);
    must_lie_within(o.where_name, view_of(head.where_name, 64), 63);
    check_claim(&o.claim, t->return_bytes);
    check_times(&o, &w);
    check_sent(&o);
}

/* And while it still ran: the end of what it had printed by then. */
static void
look_at(const struct told *t)
{
    char room[PROGRESS_MAX_TAIL];
    struct progress p = { 0 }, got;
    struct buf sent;
    size_t len;

    must(glance(slate_fd, &slate.layout, t->output_bytes, room, &p) == 0);
    len = slate.head->out_len < t->output_bytes ? (size_t)slate.head->out_len
                                                : t->output_bytes;
    must(p.tail.len == (len < sizeof(room) ? len : sizeof(room)));
    must(
        memcmp(p.tail.data, slate.base + slate.layout.out_at + len - p.tail.len,
            p.tail.len) == 0);
    buf_init(&sent, progress_max_bytes());
    progress_pack(&sent, &p);
    must(buf_ok(&sent));
    must(progress_unpack(view_of(sent.data, sent.len), &got) == 0);
    buf_done(&sent);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slate_layout l = slate_layout_of(&bounds);
    struct told told;

    if (slate_fd < 0) {
        slate_fd = slate_new(&l);
        must(slate_fd >= 0 && slate_map(&slate, slate_fd, &l) == 0);
    }
    if (size < sizeof(told))
        return 0;
    memcpy(&told, data, sizeof(told));
    fill(data + sizeof(told), size - sizeof(told));
    look_at(&told);
    conclude(&told);
    return 0;
}
