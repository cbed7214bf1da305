/*
 * walk - over a syntax tree, collecting what the restricted language refuses
 *
 * Every function visits one kind of node, counts it (operators and expression
 * contexts are nodes for ast.walk()), and hands on to its children.  Depth is
 * counted; beyond WALK_DEPTH the compiler would give up too.  Names that are
 * only refused when the program does not bind them itself (open, dir...) are
 * noted and judged at the end.
 */
#include "sandbox/python/tree.h"

#include "sandbox/python/walk.h"

#include <string.h>

#include "sandbox/python/guard.h"
#include "sandbox/python/imports.h"

#define WALK_DEPTH 4000
#define FINALLY_DEPTH 5 /* a finally block is compiled twice: 2^depth */

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

#define OUTSIDE_MAX 64 /* uses of outside names that are remembered */
#define OUTSIDE_EACH 4 /* of one name: there are 13 */

struct walk {
    PyArena *arena;
    int depth;
    int finally_depth;
    enum scope scope;
    struct walked found;
    size_t n_outside; /* loads of outside names, until all is seen */
    struct hit outside[OUTSIDE_MAX];
    size_t n_bound; /* outside names that the program binds */
    const char *bound[OUTSIDE_MAX];
};

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

/* When the list is full, a hit that comes before its last one replaces it. */
static void
add_hit(struct walk *w, struct hit h)
{
    if (!rules_on(h.rule))
        return;
    if (w->found.n_hits < WALK_MAX_HITS)
        w->found.hits[w->found.n_hits++] = h;
    else if (hit_comes_before(&h, &w->found.hits[WALK_MAX_HITS - 1]))
        w->found.hits[WALK_MAX_HITS - 1] = h;
}

static void
hit(struct walk *w, enum rule rule, struct place at, const char *name)
{
    struct hit h = { .rule = rule, .at = at, .name = name };

    add_hit(w, h);
}

static struct place
expr_place(expr_ty e)
{
    struct place at = { e->lineno, e->col_offset };

    return at;
}

/* Where the attribute's own name begins. */
static struct place
attr_place(expr_ty e, const char *name)
{
    struct place at = { e->end_lineno, e->end_col_offset - (int)strlen(name) };

    return at;
}

static const char *
utf8(PyObject *word)
{
    const char *text = PyUnicode_AsUTF8(word);

    if (!text) {
        PyErr_Clear();
        return "?";
    }
    return text;
}

/* --- names --------------------------------------------------------------- */

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

static void
note_outside(
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

static void
check_name(struct walk *w, PyObject *word, enum name_use use, struct place at)
{
    const char *name;

    if (!word)
        return;
    name = utf8(word);
    if (rules_is_dunder(name)) {
        if (!may_use_dunder(w, name, use))
            hit(w, RULE_NAME_DUNDER, at, name);
    } else if (rules_is_outside_name(name)) {
        note_outside(w, name, use, at);
    }
}

static void
judge_outside(struct walk *w)
{
    for (size_t i = 0; i < w->n_outside; i++)
        if (!is_bound(w, w->outside[i].name))
            add_hit(w, w->outside[i]);
}

/* --- rewriting ----------------------------------------------------------- */

/* A call of a guard, where `e` stands: guard(first) or guard(first, 'text'). */
static expr_ty
guard_call(struct walk *w, enum guard_name guard, expr_ty first, PyObject *text,
    expr_ty e)
{
    asdl_expr_seq *args = _Py_asdl_expr_seq_new(text ? 2 : 1, w->arena);
    expr_ty name = _PyAST_Name(guard_names[guard], Load, e->lineno,
        e->col_offset, e->end_lineno, e->end_col_offset, w->arena);
    expr_ty literal =
        text ? _PyAST_Constant(text, NULL, e->lineno, e->col_offset,
                   e->end_lineno, e->end_col_offset, w->arena)
             : NULL;

    if (!args || !name || (text && !literal)) {
        w->found.failed = true;
        return first;
    }
    asdl_seq_SET(args, 0, first);
    if (text)
        asdl_seq_SET(args, 1, literal);
    first = _PyAST_Call(name, args, NULL, e->lineno, e->col_offset,
        e->end_lineno, e->end_col_offset, w->arena);
    if (!first)
        w->found.failed = true;
    return first;
}

/* The node `e` becomes what `made` is; parents need not know. */
static void
become(struct walk *w, expr_ty e, expr_ty made)
{
    if (made && !w->found.failed)
        *e = *made;
}

/* --- attributes ---------------------------------------------------------- */

/* What stands directly around an expression. */
enum around {
    AROUND_NOTHING,
    AROUND_CALL, /* it is called */
    AROUND_NAME, /* its .__name__ or .__qualname__ is read */
};

static void walk_expr(struct walk *w, expr_ty e);
static void walk_expr_in(struct walk *w, expr_ty e, enum around around);

/* super() or super(A, b), or the plain name of a class. */
static bool
is_class_like(expr_ty e)
{
    if (e->kind == Name_kind)
        return true;
    return e->kind == Call_kind && e->v.Call.func->kind == Name_kind &&
           strcmp(utf8(e->v.Call.func->v.Name.id), "super") == 0;
}

static void
check_dunder_attr(
    struct walk *w, expr_ty e, const char *name, enum around around)
{
    expr_ty value = e->v.Attribute.value;
    bool is_load = e->v.Attribute.ctx == Load;
    bool is_method = rules_special(name) == SPECIAL_METHOD;

    if (rules_is_harmless_attr(name) || !rules_on(RULE_ATTR_DUNDER))
        return;
    if (!is_load && is_method)
        e->v.Attribute.value =
            guard_call(w, GUARD_OWN, value, e->v.Attribute.attr, value);
    else if (is_load && around != AROUND_NOTHING &&
             strcmp(name, "__class__") == 0)
        become(w, e, guard_call(w, GUARD_CLASS, value, NULL, e));
    else if (is_load && is_method && around == AROUND_CALL &&
             is_class_like(value))
        become(
            w, e, guard_call(w, GUARD_SPECIAL, value, e->v.Attribute.attr, e));
    else
        hit(w, RULE_ATTR_DUNDER, attr_place(e, name), name);
}

static void
check_attr(struct walk *w, expr_ty e, enum around around)
{
    const char *name = utf8(e->v.Attribute.attr);
    expr_ty value = e->v.Attribute.value;

    if (rules_is_dunder(name))
        check_dunder_attr(w, e, name, around);
    else if (rules_is_internal_attr(name))
        hit(w, RULE_ATTR_INTERNAL, attr_place(e, name), name);
    else if (rules_is_private(name))
        e->v.Attribute.value =
            guard_call(w, GUARD_OWN, value, e->v.Attribute.attr, value);
    else if (strcmp(name, "obj") == 0)
        e->v.Attribute.value =
            guard_call(w, GUARD_PLAIN, value, e->v.Attribute.attr, value);
}

static void
walk_attribute(struct walk *w, expr_ty e, enum around around)
{
    const char *name = utf8(e->v.Attribute.attr);
    bool names =
        strcmp(name, "__name__") == 0 || strcmp(name, "__qualname__") == 0;

    w->found.nodes++; /* its context */
    walk_expr_in(w, e->v.Attribute.value, names ? AROUND_NAME : AROUND_NOTHING);
    check_attr(w, e, around);
}

/* --- expressions --------------------------------------------------------- */

static void
walk_exprs(struct walk *w, asdl_expr_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_expr(w, asdl_seq_GET(list, i));
}

static void
walk_keywords(struct walk *w, asdl_keyword_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++) {
        keyword_ty k = asdl_seq_GET(list, i);

        w->found.nodes++;
        check_name(w, k->arg, NAME_KEYWORD,
            (struct place){ k->lineno, k->col_offset });
        walk_expr(w, k->value);
    }
}

static void
walk_arg(struct walk *w, arg_ty a)
{
    if (!a)
        return;
    w->found.nodes++;
    check_name(
        w, a->arg, NAME_PARAMETER, (struct place){ a->lineno, a->col_offset });
    walk_expr(w, a->annotation);
}

static void
walk_arg_list(struct walk *w, asdl_arg_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_arg(w, asdl_seq_GET(list, i));
}

static void
walk_arguments(struct walk *w, arguments_ty a)
{
    w->found.nodes++;
    walk_arg_list(w, a->posonlyargs);
    walk_arg_list(w, a->args);
    walk_arg(w, a->vararg);
    walk_arg_list(w, a->kwonlyargs);
    walk_arg(w, a->kwarg);
    walk_exprs(w, a->kw_defaults);
    walk_exprs(w, a->defaults);
}

static void
walk_generators(struct walk *w, asdl_comprehension_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++) {
        comprehension_ty c = asdl_seq_GET(list, i);

        w->found.nodes++;
        walk_expr(w, c->target);
        walk_expr(w, c->iter);
        walk_exprs(w, c->ifs);
    }
}

static void
walk_comprehension(struct walk *w, expr_ty one, expr_ty two,
    asdl_comprehension_seq *generators)
{
    enum scope outer = w->scope;

    w->scope = SCOPE_FUNCTION;
    walk_expr(w, one);
    walk_expr(w, two);
    walk_generators(w, generators);
    w->scope = outer;
}

static void
walk_lambda(struct walk *w, expr_ty e)
{
    enum scope outer = w->scope;

    walk_arguments(w, e->v.Lambda.args);
    w->scope = SCOPE_FUNCTION;
    walk_expr(w, e->v.Lambda.body);
    w->scope = outer;
}

static void
walk_name(struct walk *w, expr_ty e)
{
    w->found.nodes++; /* its context */
    check_name(w, e->v.Name.id, e->v.Name.ctx == Load ? NAME_LOAD : NAME_BIND,
        expr_place(e));
}

static void
walk_call(struct walk *w, expr_ty e)
{
    walk_expr_in(w, e->v.Call.func, AROUND_CALL);
    walk_exprs(w, e->v.Call.args);
    walk_keywords(w, e->v.Call.keywords);
}

/* The kinds that only have expressions inside. */
static void
walk_simple(struct walk *w, expr_ty e)
{
    switch (e->kind) {
    case BoolOp_kind:
        w->found.nodes++;
        walk_exprs(w, e->v.BoolOp.values);
        return;
    case NamedExpr_kind:
        walk_expr(w, e->v.NamedExpr.target);
        walk_expr(w, e->v.NamedExpr.value);
        return;
    case BinOp_kind:
        w->found.nodes++;
        walk_expr(w, e->v.BinOp.left);
        walk_expr(w, e->v.BinOp.right);
        return;
    case UnaryOp_kind:
        w->found.nodes++;
        walk_expr(w, e->v.UnaryOp.operand);
        return;
    case IfExp_kind:
        walk_expr(w, e->v.IfExp.test);
        walk_expr(w, e->v.IfExp.body);
        walk_expr(w, e->v.IfExp.orelse);
        return;
    case Dict_kind:
        walk_exprs(w, e->v.Dict.keys);
        walk_exprs(w, e->v.Dict.values);
        return;
    case Set_kind:
        walk_exprs(w, e->v.Set.elts);
        return;
    case Await_kind:
        walk_expr(w, e->v.Await.value);
        return;
    case Yield_kind:
        walk_expr(w, e->v.Yield.value);
        return;
    case YieldFrom_kind:
        walk_expr(w, e->v.YieldFrom.value);
        return;
    case Compare_kind:
        w->found.nodes += (uint64_t)asdl_seq_LEN(e->v.Compare.ops);
        walk_expr(w, e->v.Compare.left);
        walk_exprs(w, e->v.Compare.comparators);
        return;
    case FormattedValue_kind:
        walk_expr(w, e->v.FormattedValue.value);
        walk_expr(w, e->v.FormattedValue.format_spec);
        return;
    case JoinedStr_kind:
        walk_exprs(w, e->v.JoinedStr.values);
        return;
    case Subscript_kind:
        w->found.nodes++;
        walk_expr(w, e->v.Subscript.value);
        walk_expr(w, e->v.Subscript.slice);
        return;
    case Starred_kind:
        w->found.nodes++;
        walk_expr(w, e->v.Starred.value);
        return;
    case List_kind:
        w->found.nodes++;
        walk_exprs(w, e->v.List.elts);
        return;
    case Tuple_kind:
        w->found.nodes++;
        walk_exprs(w, e->v.Tuple.elts);
        return;
    case Slice_kind:
        walk_expr(w, e->v.Slice.lower);
        walk_expr(w, e->v.Slice.upper);
        walk_expr(w, e->v.Slice.step);
        return;
    default: /* a kind this file does not know is not let through */
        hit(w, RULE_PARSE, expr_place(e), "unknown kind of expression");
    }
}

static void
walk_expr_kind(struct walk *w, expr_ty e, enum around around)
{
    switch (e->kind) {
    case Constant_kind:
        return;
    case Name_kind:
        walk_name(w, e);
        return;
    case Attribute_kind:
        walk_attribute(w, e, around);
        return;
    case Call_kind:
        walk_call(w, e);
        return;
    case Lambda_kind:
        walk_lambda(w, e);
        return;
    case ListComp_kind:
        walk_comprehension(
            w, e->v.ListComp.elt, NULL, e->v.ListComp.generators);
        return;
    case SetComp_kind:
        walk_comprehension(w, e->v.SetComp.elt, NULL, e->v.SetComp.generators);
        return;
    case GeneratorExp_kind:
        walk_comprehension(
            w, e->v.GeneratorExp.elt, NULL, e->v.GeneratorExp.generators);
        return;
    case DictComp_kind:
        walk_comprehension(w, e->v.DictComp.key, e->v.DictComp.value,
            e->v.DictComp.generators);
        return;
    default:
        walk_simple(w, e);
    }
}

static void
walk_expr_in(struct walk *w, expr_ty e, enum around around)
{
    if (!e)
        return;
    w->found.nodes++;
    if (w->depth >= WALK_DEPTH) {
        hit(w, RULE_PARSE, expr_place(e), "too deeply nested");
        return;
    }
    w->depth++;
    walk_expr_kind(w, e, around);
    w->depth--;
}

static void
walk_expr(struct walk *w, expr_ty e)
{
    walk_expr_in(w, e, AROUND_NOTHING);
}

/* --- imports ------------------------------------------------------------- */

static void
check_import(struct walk *w, PyObject *module, struct place at)
{
    struct hit h = { .rule = RULE_IMPORT, .at = at, .import = module };

    if (PyUnicode_CompareWithASCIIString(module, "__future__") != 0 &&
        !imports_is_allowed(module))
        add_hit(w, h);
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
        note_outside(w, root, NAME_BIND, at);
}

/* `import a.b` binds a, `import a.b as c` binds c. */
static void
walk_alias(struct walk *w, alias_ty a, bool is_from)
{
    struct place at = { a->lineno, a->col_offset };
    const char *name = utf8(a->name);
    const char *dot = strchr(name, '.');

    w->found.nodes++;
    if (a->asname)
        check_name(w, a->asname, NAME_BIND, at);
    else if (dot)
        bind_root(w, name, (size_t)(dot - name), at);
    else
        check_name(w, a->name, NAME_BIND, at);
    if (is_from && rules_is_dunder(name) && a->asname)
        hit(w, RULE_NAME_DUNDER, at, name);
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
        hit(w, RULE_RELATIVE, at, "");
    else if (s->v.ImportFrom.module)
        check_import(w, s->v.ImportFrom.module, at);
    walk_aliases(w, s->v.ImportFrom.names, true);
}

/* --- patterns ------------------------------------------------------------ */

static void walk_pattern(struct walk *w, pattern_ty p);

static void
walk_patterns(struct walk *w, asdl_pattern_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_pattern(w, asdl_seq_GET(list, i));
}

static void
check_pattern_attr(struct walk *w, PyObject *word, struct place at)
{
    const char *name = utf8(word);

    if (name[0] == '_' || rules_is_internal_attr(name))
        hit(w, RULE_MATCH_ARGS, at, name);
}

static void
walk_class_pattern(struct walk *w, pattern_ty p)
{
    struct place at = { p->lineno, p->col_offset };
    asdl_identifier_seq *attrs = p->v.MatchClass.kwd_attrs;

    walk_expr(w, p->v.MatchClass.cls);
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(attrs); i++)
        check_pattern_attr(w, asdl_seq_GET(attrs, i), at);
    walk_patterns(w, p->v.MatchClass.patterns);
    walk_patterns(w, p->v.MatchClass.kwd_patterns);
    if (asdl_seq_LEN(p->v.MatchClass.patterns))
        p->v.MatchClass.cls = guard_call(
            w, GUARD_MATCH, p->v.MatchClass.cls, NULL, p->v.MatchClass.cls);
}

static void
walk_pattern_kind(struct walk *w, pattern_ty p, struct place at)
{
    switch (p->kind) {
    case MatchValue_kind:
        walk_expr(w, p->v.MatchValue.value);
        return;
    case MatchSingleton_kind:
        return;
    case MatchSequence_kind:
        walk_patterns(w, p->v.MatchSequence.patterns);
        return;
    case MatchMapping_kind:
        walk_exprs(w, p->v.MatchMapping.keys);
        walk_patterns(w, p->v.MatchMapping.patterns);
        check_name(w, p->v.MatchMapping.rest, NAME_BIND, at);
        return;
    case MatchClass_kind:
        walk_class_pattern(w, p);
        return;
    case MatchStar_kind:
        check_name(w, p->v.MatchStar.name, NAME_BIND, at);
        return;
    case MatchAs_kind:
        walk_pattern(w, p->v.MatchAs.pattern);
        check_name(w, p->v.MatchAs.name, NAME_BIND, at);
        return;
    case MatchOr_kind:
        walk_patterns(w, p->v.MatchOr.patterns);
        return;
    default:
        hit(w, RULE_PARSE, at, "unknown kind of pattern");
    }
}

static void
walk_pattern(struct walk *w, pattern_ty p)
{
    struct place at;

    if (!p)
        return;
    at.line = p->lineno;
    at.column = p->col_offset;
    w->found.nodes++;
    if (w->depth >= WALK_DEPTH) {
        hit(w, RULE_PARSE, at, "too deeply nested");
        return;
    }
    w->depth++;
    walk_pattern_kind(w, p, at);
    w->depth--;
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
    const char *name = utf8(word);

    if (rules_is_dunder(name)) {
        if (w->scope != SCOPE_CLASS || rules_special(name) != SPECIAL_METHOD)
            hit(w, RULE_NAME_DUNDER, at, name);
        return;
    }
    check_name(w, word, NAME_BIND, at);
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
    const char *name = utf8(s->v.ClassDef.name);

    if (rules_is_dunder(name))
        hit(w, RULE_NAME_DUNDER, at, name);
    else
        check_name(w, s->v.ClassDef.name, NAME_BIND, at);
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
        check_name(w, h->v.ExceptHandler.name, NAME_BIND,
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
        hit(w, RULE_PARSE, at, "finally blocks are nested too deeply");
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
        if (rules_is_dunder(utf8(asdl_seq_GET(names, i))))
            hit(w, RULE_NAME_DUNDER, at, utf8(asdl_seq_GET(names, i)));
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
        hit(w, RULE_PARSE, (struct place){ s->lineno, s->col_offset },
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
        hit(w, RULE_EXCEPT_STAR, at, "except*");
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
        hit(w, RULE_PARSE, at, "too deeply nested");
        return;
    }
    w->depth++;
    walk_stmt_kind(w, s, at);
    w->depth--;
}

/* --- the whole tree ------------------------------------------------------ */

static struct walk walk;

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
    judge_outside(w);
    if (w->found.nodes > max_nodes)
        hit(w, RULE_COMPLEX, (struct place){ 0, 0 }, "");
    return &w->found;
}
