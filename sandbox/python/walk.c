/* walk - over a syntax tree, collecting what the restricted language refuses */
#include "sandbox/python/walk_parts.h"

#include <string.h>

#include "sandbox/base/near.h"
#include "sandbox/python/imports.h"

#define FINALLY_DEPTH 5 /* a finally block is compiled twice: 2^depth */

/* --- imports ------------------------------------------------------------- */

static void
check_import(struct walk *w, PyObject *module, struct place at)
{
    struct hit h = { .rule = RULE_IMPORT, .at = at, .import = module };

    if (PyUnicode_CompareWithASCIIString(module, "__future__") != 0 &&
        !imports_is_allowed(module))
        walk_add_hit(w, h);
}

/* `import os.path` binds os. */
static void
bind_root(struct walk *w, const char *dotted, size_t len, struct place at)
{
    char *root = _PyArena_Malloc(w->arena, len + 1);

    if (!root) {
        w->found.failed = true;
        return;
    }
    memcpy(root, dotted, len);
    root[len] = '\0';
    if (rules_is_outside_name(root))
        walk_note_outside(w, root, NAME_BIND, at);
}

/* `import a.b` binds a, `import a.b as c` binds c. */
static void
walk_alias(struct walk *w, alias_ty a, bool is_from)
{
    struct place at = { a->lineno, a->col_offset };
    const char *name = walk_utf8(a->name);
    const char *dot = strchr(name, '.');

    w->found.nodes++;
    if (a->asname)
        walk_check_name(w, a->asname, NAME_BIND, at);
    else if (dot)
        bind_root(w, name, (size_t)(dot - name), at);
    else
        walk_check_name(w, a->name, NAME_BIND, at);
    if (is_from && rules_is_dunder(name) && a->asname)
        walk_hit(w, RULE_NAME_DUNDER, at, name);
    if (!is_from)
        check_import(w, a->name, at);
}

static void
walk_aliases(struct walk *w, asdl_alias_seq *list, bool is_from)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_alias(w, asdl_seq_GET(list, i), is_from);
}

static void
walk_import_from(struct walk *w, stmt_ty s)
{
    struct place at = { s->lineno, s->col_offset };

    if (s->v.ImportFrom.level > 0)
        walk_hit(w, RULE_RELATIVE, at, "");
    else if (s->v.ImportFrom.module)
        check_import(w, s->v.ImportFrom.module, at);
    walk_aliases(w, s->v.ImportFrom.names, true);
}

/* --- statements ---------------------------------------------------------- */

static void walk_stmt(struct walk *w, stmt_ty s);

static void
walk_body(struct walk *w, asdl_stmt_seq *body)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(body); i++)
        walk_stmt(w, asdl_seq_GET(body, i));
}

static void
walk_body_in(struct walk *w, asdl_stmt_seq *body, enum scope scope)
{
    enum scope outer = w->scope;

    w->scope = scope;
    walk_body(w, body);
    w->scope = outer;
}

/* A special method is one only directly in a class. */
static void
check_def_name(struct walk *w, PyObject *word, struct place at)
{
    const char *name = walk_utf8(word);

    if (rules_is_dunder(name)) {
        if (w->scope != SCOPE_CLASS || rules_special(name) != SPECIAL_METHOD)
            walk_hit(w, RULE_NAME_DUNDER, at, name);
        return;
    }
    walk_check_name(w, word, NAME_BIND, at);
}

static void
walk_function(struct walk *w, stmt_ty s, struct place at)
{
    /* FunctionDef and AsyncFunctionDef are laid out alike */
    check_def_name(w, s->v.FunctionDef.name, at);
    walk_arguments(w, s->v.FunctionDef.args);
    walk_exprs(w, s->v.FunctionDef.decorator_list);
    walk_expr(w, s->v.FunctionDef.returns);
    walk_body_in(w, s->v.FunctionDef.body, SCOPE_FUNCTION);
}

static void
walk_class(struct walk *w, stmt_ty s, struct place at)
{
    const char *name = walk_utf8(s->v.ClassDef.name);

    if (rules_is_dunder(name))
        walk_hit(w, RULE_NAME_DUNDER, at, name);
    else
        walk_check_name(w, s->v.ClassDef.name, NAME_BIND, at);
    walk_exprs(w, s->v.ClassDef.bases);
    walk_keywords(w, s->v.ClassDef.keywords);
    walk_exprs(w, s->v.ClassDef.decorator_list);
    walk_body_in(w, s->v.ClassDef.body, SCOPE_CLASS);
}

static void
walk_handlers(struct walk *w, asdl_excepthandler_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++) {
        excepthandler_ty h = asdl_seq_GET(list, i);

        w->found.nodes++;
        walk_expr(w, h->v.ExceptHandler.type);
        walk_check_name(w, h->v.ExceptHandler.name, NAME_BIND,
            (struct place){ h->lineno, h->col_offset });
        walk_body(w, h->v.ExceptHandler.body);
    }
}

static void
walk_try(struct walk *w, stmt_ty s, struct place at)
{
    walk_body(w, s->v.Try.body);
    walk_handlers(w, s->v.Try.handlers);
    walk_body(w, s->v.Try.orelse);
    if (!asdl_seq_LEN(s->v.Try.finalbody))
        return;
    if (++w->finally_depth > FINALLY_DEPTH)
        walk_hit(w, RULE_PARSE, at, "finally blocks are nested too deeply");
    walk_body(w, s->v.Try.finalbody);
    w->finally_depth--;
}

static void
walk_with(struct walk *w, asdl_withitem_seq *items, asdl_stmt_seq *body)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(items); i++) {
        w->found.nodes++;
        walk_expr(w, asdl_seq_GET(items, i)->context_expr);
        walk_expr(w, asdl_seq_GET(items, i)->optional_vars);
    }
    walk_body(w, body);
}

static void
walk_match(struct walk *w, stmt_ty s)
{
    asdl_match_case_seq *cases = s->v.Match.cases;

    walk_expr(w, s->v.Match.subject);
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(cases); i++) {
        w->found.nodes++;
        walk_pattern(w, asdl_seq_GET(cases, i)->pattern);
        walk_expr(w, asdl_seq_GET(cases, i)->guard);
        walk_body(w, asdl_seq_GET(cases, i)->body);
    }
}

static void
walk_declared(struct walk *w, asdl_identifier_seq *names, struct place at)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(names); i++)
        if (rules_is_dunder(walk_utf8(asdl_seq_GET(names, i))))
            walk_hit(
                w, RULE_NAME_DUNDER, at, walk_utf8(asdl_seq_GET(names, i)));
}

static void
walk_assignment(struct walk *w, stmt_ty s)
{
    switch (s->kind) {
    case Assign_kind:
        walk_expr(w, s->v.Assign.value);
        walk_exprs(w, s->v.Assign.targets);
        return;
    case AugAssign_kind:
        w->found.nodes++;
        walk_expr(w, s->v.AugAssign.target);
        walk_expr(w, s->v.AugAssign.value);
        return;
    default:
        walk_expr(w, s->v.AnnAssign.target);
        walk_expr(w, s->v.AnnAssign.annotation);
        walk_expr(w, s->v.AnnAssign.value);
    }
}

static void
walk_loop(struct walk *w, stmt_ty s)
{
    if (s->kind == While_kind) {
        walk_expr(w, s->v.While.test);
        walk_body(w, s->v.While.body);
        walk_body(w, s->v.While.orelse);
        return;
    }
    walk_expr(w, s->v.For.target); /* AsyncFor is laid out alike */
    walk_expr(w, s->v.For.iter);
    walk_body(w, s->v.For.body);
    walk_body(w, s->v.For.orelse);
}

static void
walk_small(struct walk *w, stmt_ty s)
{
    switch (s->kind) {
    case Return_kind:
        walk_expr(w, s->v.Return.value);
        return;
    case Delete_kind:
        walk_exprs(w, s->v.Delete.targets);
        return;
    case Raise_kind:
        walk_expr(w, s->v.Raise.exc);
        walk_expr(w, s->v.Raise.cause);
        return;
    case Assert_kind:
        walk_expr(w, s->v.Assert.test);
        walk_expr(w, s->v.Assert.msg);
        return;
    case Expr_kind:
        walk_expr(w, s->v.Expr.value);
        return;
    case Pass_kind:
    case Break_kind:
    case Continue_kind:
        return;
    default:
        walk_hit(w, RULE_PARSE, (struct place){ s->lineno, s->col_offset },
            "unknown kind of statement");
    }
}

static void
walk_stmt_kind(struct walk *w, stmt_ty s, struct place at)
{
    switch (s->kind) {
    case FunctionDef_kind:
    case AsyncFunctionDef_kind:
        walk_function(w, s, at);
        return;
    case ClassDef_kind:
        walk_class(w, s, at);
        return;
    case Assign_kind:
    case AugAssign_kind:
    case AnnAssign_kind:
        walk_assignment(w, s);
        return;
    case For_kind:
    case AsyncFor_kind:
    case While_kind:
        walk_loop(w, s);
        return;
    case If_kind:
        walk_expr(w, s->v.If.test);
        walk_body(w, s->v.If.body);
        walk_body(w, s->v.If.orelse);
        return;
    case With_kind:
    case AsyncWith_kind:
        walk_with(w, s->v.With.items, s->v.With.body);
        return;
    case Match_kind:
        walk_match(w, s);
        return;
    case TryStar_kind:
        walk_hit(w, RULE_EXCEPT_STAR, at, "except*");
        walk_try(w, s, at);
        return;
    case Try_kind:
        walk_try(w, s, at);
        return;
    case Import_kind:
        walk_aliases(w, s->v.Import.names, false);
        return;
    case ImportFrom_kind:
        walk_import_from(w, s);
        return;
    case Global_kind:
    case Nonlocal_kind:
        walk_declared(w, s->v.Global.names, at);
        return;
    default:
        walk_small(w, s);
    }
}

static void
walk_stmt(struct walk *w, stmt_ty s)
{
    struct place at = { s->lineno, s->col_offset };

    w->found.nodes++;
    if (w->depth >= WALK_DEPTH) {
        walk_hit(w, RULE_PARSE, at, "too deeply nested");
        return;
    }
    w->depth++;
    walk_stmt_kind(w, s, at);
    w->depth--;
}

/* --- the whole tree ------------------------------------------------------ */

static NEAR struct walk walk; /* the lists in it are rarely needed */

const struct walked *
walk_tree(struct program *p, uint32_t max_nodes)
{
    struct walk *w = &walk;

    w->arena = p->arena;
    w->found.nodes = 1;
    w->depth = 0;
    w->finally_depth = 0;
    w->scope = SCOPE_MODULE;
    w->found.failed = false;
    w->found.n_hits = w->n_outside = w->n_bound = 0;
    walk_body(w, p->tree->v.Module.body);
    walk_judge_outside(w);
    if (w->found.nodes > max_nodes)
        walk_hit(w, RULE_COMPLEX, (struct place){ 0, 0 }, "");
    return &w->found;
}
