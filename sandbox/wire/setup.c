/* setup - what the app tells a warden once, before anything else */
#include "sandbox/wire/setup.h"

#include <errno.h>
#include <string.h>

void
setup_pack(struct buf *b, const struct setup *s)
{
    buf_add_u32(b, s->start);
    buf_add_u32(b, s->log_level);
    buf_add_u32(b, s->log_format);
    buf_add_u32(b, s->profiles);
    buf_add_u32(b, s->parked);
    buf_add_u32(b, s->retire_boxes);
    buf_add_u32(b, s->retire_s);
    buf_add_u32(b, s->wall_ms);
    buf_add_u32(b, s->cpu_ms);
    buf_add_u64(b, s->memory_bytes);
    buf_add_u32(b, s->code_bytes);
    buf_add_u32(b, s->context_bytes);
    buf_add_u32(b, s->stdin_bytes);
    buf_add_u32(b, s->output_bytes);
    buf_add_u32(b, s->return_bytes);
    buf_add_u32(b, s->ast_nodes);
    buf_add_block(b, s->imports, strnlen(s->imports, sizeof(s->imports)));
}

int
setup_unpack(struct view body, struct setup *ret_setup)
{
    struct setup s = { 0 };
    struct view imports;

    s.start = view_u32(&body);
    s.log_level = view_u32(&body);
    s.log_format = view_u32(&body);
    s.profiles = view_u32(&body);
    s.parked = view_u32(&body);
    s.retire_boxes = view_u32(&body);
    s.retire_s = view_u32(&body);
    s.wall_ms = view_u32(&body);
    s.cpu_ms = view_u32(&body);
    s.memory_bytes = view_u64(&body);
    s.code_bytes = view_u32(&body);
    s.context_bytes = view_u32(&body);
    s.stdin_bytes = view_u32(&body);
    s.output_bytes = view_u32(&body);
    s.return_bytes = view_u32(&body);
    s.ast_nodes = view_u32(&body);
    imports = view_block(&body, sizeof(s.imports) - 1);
    if (!view_done(&body))
        return -EPROTO;
    memcpy(s.imports, imports.data, imports.len);
    *ret_setup = s;
    return 0;
}
