/*
 * walk_parts - what the files of the walk share
 *
 *   walk.c       statements and imports; the whole tree
 *   walk_expr.c  expressions and patterns, and the guards written into them
 *   walk_note.c  what is noted on the way: hits, and how names are used
 *
 * Every function visits one kind of node, counts it (operators and expression
 * contexts are nodes for ast.walk()), and hands on to its children.  Depth is
 * counted; beyond WALK_DEPTH the compiler would give up too.
 *
 * Not for: anybody else, who calls walk_tree() (walk.h).
 */
#ifndef GLOVEBOX_WALK_PARTS_H
#define GLOVEBOX_WALK_PARTS_H

#include "sandbox/python/tree.h"

#include "sandbox/python/walk.h"

#define WALK_DEPTH 4000

#define OUTSIDE_MAX 64 /* uses of outside names that are remembered */

enum scope {
    SCOPE_MODULE,
    SCOPE_CLASS,
    SCOPE_FUNCTION,
};

/* How a name stands in the program. */
enum name_use {
    NAME_LOAD,
    NAME_BIND,
    NAME_PARAMETER,
    NAME_KEYWORD,
};

struct walk {
    PyArena *arena;
    int depth;
    int finally_depth;
    enum scope scope;
    size_t n_outside; /* loads of outside names, until all is seen */
    size_t n_bound; /* outside names that the program binds */
    struct walked found;
    struct hit outside[OUTSIDE_MAX];
    const char *bound[OUTSIDE_MAX];
};

/* --- walk_note.c ---------------------------------------------------------- */

/* When the list is full, a hit that comes before its last one replaces it. */
void walk_add_hit(struct walk *w, struct hit h);
void walk_hit(
    struct walk *w, enum rule rule, struct place at, const char *name);

/* The text of an identifier; the arena keeps it. */
const char *walk_utf8(PyObject *word);

/* May this name (NULL is fine) be used so, here?  Else it is a hit. */
void walk_check_name(
    struct walk *w, PyObject *word, enum name_use use, struct place at);

/*
 * A name that is only refused when the program does not bind it itself (open,
 * dir...): noted, and judged when all is seen.
 */
void walk_note_outside(
    struct walk *w, const char *name, enum name_use use, struct place at);
void walk_judge_outside(struct walk *w);

/* --- walk_expr.c ---------------------------------------------------------- */

/* NULL is fine, but for arguments: nothing is there. */
void walk_expr(struct walk *w, expr_ty e);
void walk_exprs(struct walk *w, asdl_expr_seq *list);
void walk_keywords(struct walk *w, asdl_keyword_seq *list);
void walk_arguments(struct walk *w, arguments_ty a);
void walk_pattern(struct walk *w, pattern_ty p);

#endif
