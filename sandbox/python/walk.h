/*
 * walk - over a syntax tree, collecting what the restricted language refuses
 *
 * Looks at every identifier wherever one can stand, counts the nodes as
 * ast.walk() does, and writes guards into the tree (guard.h) where only the
 * running program can tell.  What it found is judged in validate.c.
 */
#ifndef GLOVEBOX_WALK_H
#define GLOVEBOX_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/python/program.h"
#include "sandbox/python/rules.h"

#define WALK_MAX_HITS 200

struct place {
    int line;
    int column; /* from 0, in bytes, as CPython has it */
};

struct hit {
    enum rule rule;
    struct place at;
    const char *name; /* UTF-8 of an identifier that the arena keeps */
    PyObject *import; /* for RULE_IMPORT: the module's full name */
};

/* What a walk found.  `failed`: no memory for a guard. */
struct walked {
    uint64_t nodes;
    bool failed;
    size_t n_hits;
    struct hit hits[WALK_MAX_HITS];
};

/* In the contract's order of checks, then by place. */
bool hit_comes_before(const struct hit *a, const struct hit *b);

/* Static memory: one order a box, and too large for a stack. */
const struct walked *walk_tree(struct program *p, uint32_t max_nodes);

#endif
