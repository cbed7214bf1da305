/* harvest - what a box has left in its slate */
#include "sandbox/harvest.h"

#include <string.h>

#include "sandbox/base/fdio.h"

/* Append an area of the slate to the scratch; `len` is the box's word. */
static struct view
harvest_area(
    struct buf *scratch, int slate_fd, size_t at, uint64_t len, size_t max)
{
    size_t n = len < max ? (size_t)len : max;
    char *to = buf_room(scratch, n);

    if (n == 0 || to == NULL || fd_pread_all(slate_fd, to, n, (off_t)at) < 0)
        return view_of("", 0);
    buf_grew(scratch, n);
    return view_of(to, n);
}

void
harvest_claims(struct buf *scratch, const struct slate_layout *l, int slate_fd,
    const struct order *order, struct slate_head *head, struct outcome *o)
{
    struct view claim;

    /* One allocation up front: views must not move. */
    buf_reset(scratch);
    if (buf_room(scratch, scratch->max) == NULL)
        return;
    o->stdout_text = harvest_area(
        scratch, slate_fd, l->out_at, head->out_len, order->output_bytes);
    o->stderr_text = harvest_area(
        scratch, slate_fd, l->err_at, head->err_len, order->output_bytes);
    o->stdout_cut = head->out_len > o->stdout_text.len;
    o->stderr_cut = head->err_len > o->stderr_text.len;
    claim = harvest_area(
        scratch, slate_fd, l->claim_at, head->claim_len, l->claim_bytes);
    if (claim.len != head->claim_len ||
        claim_unpack(claim, order->return_bytes, &o->claim) < 0)
        o->claim = (struct claim){ .kind = CLAIM_NONE };
    o->where_line = head->where_line;
    head->where_name[sizeof(head->where_name) - 1] = '\0';
    o->where_name = view_of(head->where_name, strlen(head->where_name));
}

/*
 * Stamps in their order, none later than the end, and no start later than a
 * box that was not ready needs: the box's word, clamped.
 */
void
harvest_phases(
    const struct watch *w, const struct slate_head *head, struct outcome *o)
{
    uint64_t at[] = {
        w->start_us,
        head->phase_us[SLATE_CHECKING],
        head->phase_us[SLATE_RUNNING],
        head->phase_us[SLATE_TELLING],
        w->end_us,
    };

    if (at[1] > w->start_us + WATCH_MOST_LATE_US)
        at[1] = w->start_us + WATCH_MOST_LATE_US;
    for (size_t i = 1; i < 4; i++) {
        if (at[i] > w->end_us)
            at[i] = w->end_us;
        if (at[i] < at[i - 1])
            at[i] = at[i - 1];
    }
    o->wake_us = at[1] - at[0];
    o->check_us = at[2] - at[1];
    o->run_us = at[3] - at[2];
    o->end_us = at[4] - at[3];
    /* The program's own time: not that of a box still getting ready.  That it
     * was, the warden saw; else the stamp would shorten the time it took. */
    if (w->is_late)
        o->wall_us -= o->wake_us;
}
