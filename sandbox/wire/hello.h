/*
 * hello - a template's first word to its warden, and the only long one
 *
 * After it a template only ever receives one byte with two descriptors, the
 * wake pipe and the slate of a box to be, and answers with that box's pid.
 * No client's byte is ever sent to a template.
 */
#ifndef GLOVEBOX_HELLO_H
#define GLOVEBOX_HELLO_H

#include "sandbox/base/buf.h"
#include "sandbox/wire/setup.h"
#include "sandbox/wire/status.h"

#define HELLO_MAX_BODY 1024

/* The first message to a template. */
struct hello_ask {
    uint32_t profile; /* enum profile_id */
    uint32_t is_large; /* code on large pages: it is to serve */
    uint64_t layers; /* that hold already, in the warden */
    struct setup setup;
};

struct hello {
    uint32_t is_ready;
    char problem[STATUS_MAX_NOTE]; /* when it is not */
    char python[STATUS_MAX_NAME];
    uint64_t as_bytes; /* address space of the template itself */
    uint64_t data_bytes;
    uint64_t layers; /* bits that hold */
    int32_t errors[STATUS_MAX_LAYERS]; /* errno of those that do not */
};

void hello_ask_pack(struct buf *b, const struct hello_ask *a);
int hello_ask_unpack(struct view body, struct hello_ask *ret_ask);
void hello_pack(struct buf *b, const struct hello *h);
int hello_unpack(struct view body, struct hello *ret_hello);

#endif
