/* walk_expr - expressions and patterns, and the guards written into them */
#include "sandbox/python/walk_parts.h"

#include <string.h>

#include "sandbox/python/guard.h"

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

static void walk_expr_in(struct walk *w, expr_ty e, enum around around);

/* super() or super(A, b), or the plain name of a class. */
static bool
is_class_like(expr_ty e)
{
    if (e->kind == Name_kind)
        return true;
    return e->kind == Call_kind && e->v.Call.func->kind == Name_kind &&
           strcmp(walk_utf8(e->v.Call.func->v.Name.id), "super") == 0;
}

/* Where the attribute's own name begins. */
static struct place
attr_place(expr_ty e, const char *name)
{
    struct place at = { e->end_lineno, e->end_col_offset - (int)strlen(name) };

    return at;
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
        walk_hit(w, RULE_ATTR_DUNDER, attr_place(e, name), name);
}

static void
check_attr(struct walk *w, expr_ty e, enum around around)
{
    const char *name = walk_utf8(e->v.Attribute.attr);
    expr_ty value = e->v.Attribute.value;

    if (rules_is_dunder(name))
        check_dunder_attr(w, e, name, around);
    else if (rules_is_internal_attr(name))
        walk_hit(w, RULE_ATTR_INTERNAL, attr_place(e, name), name);
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
    const char *name = walk_utf8(e->v.Attribute.attr);
    bool names =
        strcmp(name, "__name__") == 0 || strcmp(name, "__qualname__") == 0;

    w->found.nodes++; /* its context */
    walk_expr_in(w, e->v.Attribute.value, names ? AROUND_NAME : AROUND_NOTHING);
    check_attr(w, e, around);
}

/* --- expressions --------------------------------------------------------- */

static struct place
expr_place(expr_ty e)
{
    struct place at = { e->lineno, e->col_offset };

    return at;
}

void
walk_exprs(struct walk *w, asdl_expr_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_expr(w, asdl_seq_GET(list, i));
}

void
walk_keywords(struct walk *w, asdl_keyword_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++) {
        keyword_ty k = asdl_seq_GET(list, i);

        w->found.nodes++;
        walk_check_name(w, k->arg, NAME_KEYWORD,
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
    walk_check_name(
        w, a->arg, NAME_PARAMETER, (struct place){ a->lineno, a->col_offset });
    walk_expr(w, a->annotation);
}

static void
walk_arg_list(struct walk *w, asdl_arg_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_arg(w, asdl_seq_GET(list, i));
}

void
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
    walk_check_name(w, e->v.Name.id,
        e->v.Name.ctx == Load ? NAME_LOAD : NAME_BIND, expr_place(e));
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
        walk_hit(w, RULE_PARSE, expr_place(e), "unknown kind of expression");
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
        walk_hit(w, RULE_PARSE, expr_place(e), "too deeply nested");
        return;
    }
    w->depth++;
    walk_expr_kind(w, e, around);
    w->depth--;
}

void
walk_expr(struct walk *w, expr_ty e)
{
    walk_expr_in(w, e, AROUND_NOTHING);
}

/* --- patterns ------------------------------------------------------------ */

static void
walk_patterns(struct walk *w, asdl_pattern_seq *list)
{
    for (Py_ssize_t i = 0; i < asdl_seq_LEN(list); i++)
        walk_pattern(w, asdl_seq_GET(list, i));
}

static void
check_pattern_attr(struct walk *w, PyObject *word, struct place at)
{
    const char *name = walk_utf8(word);

    if (name[0] == '_' || rules_is_internal_attr(name))
        walk_hit(w, RULE_MATCH_ARGS, at, name);
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
        walk_check_name(w, p->v.MatchMapping.rest, NAME_BIND, at);
        return;
    case MatchClass_kind:
        walk_class_pattern(w, p);
        return;
    case MatchStar_kind:
        walk_check_name(w, p->v.MatchStar.name, NAME_BIND, at);
        return;
    case MatchAs_kind:
        walk_pattern(w, p->v.MatchAs.pattern);
        walk_check_name(w, p->v.MatchAs.name, NAME_BIND, at);
        return;
    case MatchOr_kind:
        walk_patterns(w, p->v.MatchOr.patterns);
        return;
    default:
        walk_hit(w, RULE_PARSE, at, "unknown kind of pattern");
    }
}

void
walk_pattern(struct walk *w, pattern_ty p)
{
    struct place at;

    if (!p)
        return;
    at.line = p->lineno;
    at.column = p->col_offset;
    w->found.nodes++;
    if (w->depth >= WALK_DEPTH) {
        walk_hit(w, RULE_PARSE, at, "too deeply nested");
        return;
    }
    w->depth++;
    walk_pattern_kind(w, p, at);
    w->depth--;
}
