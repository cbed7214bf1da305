/*
 * setup - what the app tells a warden once, before anything else
 *
 * Numbers and one list of names.  Nothing secret: a warden never learns a
 * token.  Every bound that a box is held to is here, so that slate areas and
 * filters can be made once.
 */
#ifndef GLOVEBOX_SETUP_H
#define GLOVEBOX_SETUP_H

#include "sandbox/base/buf.h"

#define SETUP_MAX_IMPORTS 1024
#define SETUP_MAX_BODY 4096

enum setup_start {
    SETUP_START_TEMPLATE = 0, /* boxes are forks of a warm template */
    SETUP_START_FRESH = 1, /* every box has a template of its own */
};

struct setup {
    uint32_t start; /* enum setup_start */
    uint32_t log_level; /* enum log_level */
    uint32_t log_format; /* enum log_format */
    uint32_t profiles; /* bit 1 << enum profile_id: which to keep */
    uint32_t parked; /* boxes kept ready, for each profile */
    uint32_t retire_boxes; /* a template is replaced after so many boxes */
    uint32_t retire_s; /* ... and after so many seconds */
    uint32_t wall_ms; /* the most any order may ask for */
    uint32_t cpu_ms;
    uint64_t memory_bytes; /* on top of the template's own */
    uint32_t code_bytes;
    uint32_t context_bytes;
    uint32_t stdin_bytes;
    uint32_t output_bytes; /* stdout and stderr, each */
    uint32_t return_bytes;
    uint32_t ast_nodes;
    char imports[SETUP_MAX_IMPORTS]; /* ALLOWED_IMPORTS, comma-separated */
};

void setup_pack(struct buf *b, const struct setup *s);
/* 0, or -EPROTO when the bytes are not a setup. */
int setup_unpack(struct view body, struct setup *ret_setup);

#endif
