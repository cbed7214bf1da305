/* glance - what a box has printed so far */
#include "sandbox/glance.h"

#include "sandbox/base/fdio.h"

int
glance(int slate_fd, const struct slate_layout *l, uint32_t output_bytes,
    char room[PROGRESS_MAX_TAIL], struct progress *ret_progress)
{
    struct slate_head head = { 0 };
    size_t kept =
        output_bytes < l->output_bytes ? output_bytes : l->output_bytes;
    size_t len;
    int r = fd_pread_all(slate_fd, &head, sizeof(head), 0);

    if (r < 0)
        return r;
    if (head.out_len < kept)
        kept = (size_t)head.out_len;
    len = kept < PROGRESS_MAX_TAIL ? kept : PROGRESS_MAX_TAIL;
    if (len > 0)
        r = fd_pread_all(slate_fd, room, len, (off_t)(l->out_at + kept - len));
    if (r < 0)
        return r;
    *ret_progress = (struct progress){
        .out_len = head.out_len,
        .err_len = head.err_len,
        .tail = view_of(room, len),
    };
    return 0;
}
