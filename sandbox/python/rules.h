/*
 * rules - what the restricted language allows, as tables
 *
 * The one place: the validator, the guards at run time, the context reader
 * and docs/LANGUAGE.md all read these rows.
 */
#ifndef GLOVEBOX_RULES_H
#define GLOVEBOX_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "sandbox/base/hook.h"

enum rule {
    RULE_NONE,
    RULE_EMPTY,
    RULE_PARSE,
    RULE_COMPLEX,
    RULE_IMPORT,
    RULE_RELATIVE,
    RULE_NAME_DUNDER, /* __x__ as a name, parameter, alias, keyword... */
    RULE_NAME_OUTSIDE, /* eval, open, os... when the program binds none */
    RULE_EXCEPT_STAR,
    RULE_ATTR_DUNDER,
    RULE_ATTR_INTERNAL, /* frames, code objects, tracebacks, generators */
    RULE_ATTR_PRIVATE, /* _x of what is not the program's own */
    RULE_ATTR_OBJ, /* AttributeError.obj */
    RULE_MATCH_ARGS, /* attributes reached through a class pattern */
    RULE_FORMAT, /* attributes reached through a format string */
    RULE_CONTEXT,
    RULE_COUNT
};

struct rule_row {
    const char *name; /* in claims, findings and tests */
    const char *message; /* the text of the contract; %s: the name */
    const char *sentence; /* what it forbids, for documents */
    const char *instead; /* what to do instead, for the caller */
};

extern const struct rule_row rule_rows[RULE_COUNT];

/* How a name that looks like __x__ may be used. */
enum special {
    SPECIAL_NONE, /* not at all */
    SPECIAL_METHOD, /* defined in a class; called through super() */
    SPECIAL_CLASS, /* assigned in a class body */
    SPECIAL_MODULE, /* read or assigned as a variable: __name__ */
};

enum special rules_special(const char *name);

/* The lists of names behind the functions below, sorted. */
enum rule_list_id {
    LIST_SPECIAL_METHODS,
    LIST_SPECIAL_CLASS,
    LIST_SPECIAL_MODULE,
    LIST_HARMLESS_ATTRS,
    LIST_INTERNAL_ATTRS,
    LIST_OUTSIDE_NAMES,
    LIST_KEYWORDS,
    LIST_COUNT
};

struct rule_list {
    const char *sentence; /* for documents */
    const char *const *names;
    size_t n;
};

extern const struct rule_list rule_lists[LIST_COUNT];

bool rules_is_dunder(const char *name);
/* _x, __x, but neither _ nor __x__ */
bool rules_is_private(const char *name);
/* .__name__ and the like: harmless on every object */
bool rules_is_harmless_attr(const char *name);
/* gi_frame, co_code, ... */
bool rules_is_internal_attr(const char *name);
/* eval, open, os, ...: names the contract refuses unless bound */
bool rules_is_outside_name(const char *name);
bool rules_is_keyword(const char *name);

#ifdef GLOVEBOX_TEST_HOOKS
/* Take one rule out, so that a test can show what it holds back. */
extern bool rules_off[RULE_COUNT];
#define rules_on(rule)                                                         \
    (!rules_off[rule] && !hook_has("drop-rule", rule_rows[rule].name))
#else
#define rules_on(rule) true
#endif

#endif
