/* status - how the warden is doing, told to the app when it changes */
#include "sandbox/wire/status.h"

#include <errno.h>
#include <string.h>

static void
status_add_text(struct buf *b, const char *text, size_t size)
{
    buf_add_block(b, text, strnlen(text, size - 1));
}

static void
status_text(struct view *body, char *text, size_t size)
{
    struct view v = view_block(body, size - 1);

    memcpy(text, v.data, v.len);
    text[v.len] = '\0';
}

void
status_pack(struct buf *b, const struct status *s)
{
    buf_add_u32(b, s->is_ready);
    status_add_text(b, s->python, sizeof(s->python));
    status_add_text(b, s->problem, sizeof(s->problem));
    buf_add_u32(b, s->layer_count);
    for (uint32_t i = 0; i < s->layer_count; i++) {
        const struct status_layer *l = &s->layers[i];

        status_add_text(b, l->name, sizeof(l->name));
        buf_add_u32(b, l->is_on);
        status_add_text(b, l->note, sizeof(l->note));
    }
    buf_add_u32(b, s->profile_count);
    for (uint32_t i = 0; i < s->profile_count; i++) {
        const struct status_profile *p = &s->profiles[i];

        status_add_text(b, p->name, sizeof(p->name));
        buf_add_u32(b, p->is_ready);
        buf_add_u32(b, p->parked);
        buf_add_u32(b, p->running);
        buf_add_u64(b, p->forks);
        buf_add_u64(b, p->templates);
        buf_add_u64(b, p->crashes);
        buf_add_u64(b, p->waits);
    }
}

int
status_unpack(struct view body, struct status *ret_status)
{
    struct status s = { 0 };

    s.is_ready = view_u32(&body);
    status_text(&body, s.python, sizeof(s.python));
    status_text(&body, s.problem, sizeof(s.problem));
    s.layer_count = view_u32(&body);
    if (s.layer_count > STATUS_MAX_LAYERS)
        return -EPROTO;
    for (uint32_t i = 0; i < s.layer_count; i++) {
        struct status_layer *l = &s.layers[i];

        status_text(&body, l->name, sizeof(l->name));
        l->is_on = view_u32(&body);
        status_text(&body, l->note, sizeof(l->note));
    }
    s.profile_count = view_u32(&body);
    if (s.profile_count > STATUS_MAX_PROFILES)
        return -EPROTO;
    for (uint32_t i = 0; i < s.profile_count; i++) {
        struct status_profile *p = &s.profiles[i];

        status_text(&body, p->name, sizeof(p->name));
        p->is_ready = view_u32(&body);
        p->parked = view_u32(&body);
        p->running = view_u32(&body);
        p->forks = view_u64(&body);
        p->templates = view_u64(&body);
        p->crashes = view_u64(&body);
        p->waits = view_u64(&body);
    }
    if (!view_done(&body))
        return -EPROTO;
    *ret_status = s;
    return 0;
}
