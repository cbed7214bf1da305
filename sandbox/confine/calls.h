/*
 * calls - what a box may ask of the kernel: the allow-list, as a table
 *
 * Three kinds of row, and a default that is not in the table:
 *
 *   CALL_ALLOW  what CPython needs once everything is loaded, with its
 *               arguments checked where an argument matters
 *   CALL_QUIET  what libraries probe on their own; answered with an errno by
 *               the filter itself, nobody is told
 *   CALL_NAMED  what a program may reasonably try (open, socket, fork);
 *               answered with an errno by the warden, and named in the answer
 *   otherwise   only an attacker tries it: the kernel kills the box
 */
#ifndef GLOVEBOX_CALLS_H
#define GLOVEBOX_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum call_kind {
    CALL_ALLOW,
    CALL_QUIET,
    CALL_NAMED,
};

/* One comparison: (argument & mask) op value. */
enum call_op {
    CALL_NO_CHECK = 0,
    CALL_EQ,
    CALL_NE,
    CALL_LE,
    CALL_GT,
    CALL_MASKED,
};

struct call_check {
    unsigned arg;
    enum call_op op;
    uint64_t a; /* the value, or the mask for CALL_MASKED */
    uint64_t b; /* the value for CALL_MASKED */
};

struct call_row {
    const char *name;
    enum call_kind kind;
    int error; /* errno of a refusal */
    struct call_check checks[2];
    const char *reason;
};

extern const struct call_row call_rows[];
extern const size_t call_count;

/*
 * The row that names a refused call, by its number on this machine; NULL when
 * there is none.
 */
const struct call_row *call_find_named(int number);

/*
 * exit_group() with this argument asks the warden to look at the memory.  Bits
 * above an int, so that no exit status of a program means the same.
 */
#define CALL_EXIT_NO_MEMORY ((uint64_t)0x6d656d << 40)

#endif
