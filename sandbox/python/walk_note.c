/* walk_note - what a walk notes on its way: hits, and how names are used */
#include "sandbox/python/walk_parts.h"

#include <string.h>

#define OUTSIDE_EACH 4 /* of one name: there are 13 */

/* --- hits ---------------------------------------------------------------- */

/* The contract's order of checks. */
static int
rank(enum rule rule)
{
    switch (rule) {
    case RULE_PARSE:
        return 0;
    case RULE_COMPLEX:
        return 1;
    case RULE_IMPORT:
        return 2;
    case RULE_RELATIVE:
        return 3;
    case RULE_NAME_DUNDER:
    case RULE_NAME_OUTSIDE:
    case RULE_EXCEPT_STAR:
        return 4;
    default:
        return 5;
    }
}

bool
hit_comes_before(const struct hit *a, const struct hit *b)
{
    if (rank(a->rule) != rank(b->rule))
        return rank(a->rule) < rank(b->rule);
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line;
    return a->at.column < b->at.column;
}

void
walk_add_hit(struct walk *w, struct hit h)
{
    if (!rules_on(h.rule))
        return;
    if (w->found.n_hits < WALK_MAX_HITS)
        w->found.hits[w->found.n_hits++] = h;
    else if (hit_comes_before(&h, &w->found.hits[WALK_MAX_HITS - 1]))
        w->found.hits[WALK_MAX_HITS - 1] = h;
}

void
walk_hit(struct walk *w, enum rule rule, struct place at, const char *name)
{
    struct hit h = { .rule = rule, .at = at, .name = name };

    walk_add_hit(w, h);
}

/* --- names --------------------------------------------------------------- */

const char *
walk_utf8(PyObject *word)
{
    const char *text = PyUnicode_AsUTF8(word);

    if (!text) {
        PyErr_Clear();
        return "__?__"; /* out of memory: a name that no rule lets by */
    }
    return text;
}

static bool
may_use_dunder(const struct walk *w, const char *name, enum name_use use)
{
    enum special special = rules_special(name);

    if (use == NAME_PARAMETER || use == NAME_KEYWORD)
        return false;
    if (w->scope == SCOPE_CLASS &&
        (special == SPECIAL_METHOD || special == SPECIAL_CLASS))
        return true;
    if (special != SPECIAL_MODULE)
        return false;
    return use == NAME_LOAD || strcmp(name, "__name__") != 0;
}

static bool
is_bound(const struct walk *w, const char *name)
{
    for (size_t i = 0; i < w->n_bound; i++)
        if (strcmp(w->bound[i], name) == 0)
            return true;
    return false;
}

static unsigned
count_loads(const struct walk *w, const char *name)
{
    unsigned n = 0;

    for (size_t i = 0; i < w->n_outside; i++)
        n += strcmp(w->outside[i].name, name) == 0;
    return n;
}

void
walk_note_outside(
    struct walk *w, const char *name, enum name_use use, struct place at)
{
    if (use == NAME_KEYWORD)
        return;
    if (use != NAME_LOAD) {
        if (!is_bound(w, name) && w->n_bound < OUTSIDE_MAX)
            w->bound[w->n_bound++] = name;
        return;
    }
    if (count_loads(w, name) < OUTSIDE_EACH && w->n_outside < OUTSIDE_MAX)
        w->outside[w->n_outside++] =
            (struct hit){ .rule = RULE_NAME_OUTSIDE, .at = at, .name = name };
}

void
walk_check_name(
    struct walk *w, PyObject *word, enum name_use use, struct place at)
{
    const char *name;

    if (!word)
        return;
    name = walk_utf8(word);
    if (rules_is_dunder(name)) {
        if (!may_use_dunder(w, name, use))
            walk_hit(w, RULE_NAME_DUNDER, at, name);
    } else if (rules_is_outside_name(name)) {
        walk_note_outside(w, name, use, at);
    }
}

void
walk_judge_outside(struct walk *w)
{
    for (size_t i = 0; i < w->n_outside; i++)
        if (!is_bound(w, w->outside[i].name))
            walk_add_hit(w, w->outside[i]);
}
