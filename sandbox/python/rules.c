/* rules - what the restricted language allows, as tables */
#include "sandbox/python/rules.h"

#include <stdlib.h>
#include <string.h>

#ifdef GLOVEBOX_TEST_HOOKS
bool rules_off[RULE_COUNT];
#endif

const struct rule_row rule_rows[RULE_COUNT] = {
    [RULE_NONE] = { "none", "", "", "" },
    [RULE_EMPTY] = { "empty", "Code payload is empty",
        "a program without a statement or comment",
        "Send at least one statement." },
    [RULE_PARSE] = { "parse", "Code failed to parse: %s",
        "text that is no Python 3.11, NUL bytes, text that is no UTF-8, "
        "nesting beyond what the parser takes, finally blocks inside finally "
        "blocks more than five deep",
        "Correct the syntax at the line given." },
    [RULE_COMPLEX] = { "complexity",
        "Code is too complex (%s AST nodes); limit is M",
        "more nodes in the syntax tree than MAX_AST_NODES",
        "Split the program, or pass data in `context` instead of code." },
    [RULE_IMPORT] = { "import", "Import of '%s' is not permitted",
        "a module that is not on the profile's list",
        "Modules that can be imported: " },
    [RULE_RELATIVE] = { "relative-import", "Relative imports are not permitted",
        "from . import x", "Import by the full name of an allowed module." },
    [RULE_NAME_DUNDER] = { "dunder-name",
        "Use of '%s' is not allowed in sandbox",
        "a name of the form __x__, wherever a name can stand (variable, "
        "parameter, keyword, alias, pattern, global, def, class), but "
        "__name__ and special methods defined in a class",
        "Of such names only __name__ can be read; special methods can be "
        "defined in classes." },
    [RULE_NAME_OUTSIDE] = { "outside-name",
        "Use of '%s' is not allowed in sandbox",
        "globals, locals, vars, dir, eval, exec, compile, open, help, os, "
        "sys, subprocess, breakpoint, unless the program binds the name "
        "itself",
        "There are no files, processes or evaluated strings here; read input "
        "with input() or from `context`." },
    [RULE_EXCEPT_STAR] = { "except-star",
        "Use of 'except*' is not allowed in sandbox",
        "except* (it crashes this CPython)", "Use except." },
    [RULE_ATTR_DUNDER] = { "dunder-attribute",
        "Attribute '%s' is not allowed in sandbox",
        "an attribute of the form __x__, but .__name__, .__qualname__, "
        ".__doc__, x.__class__.__name__, x.__class__(...), and special "
        "methods called through super() or a class name",
        "Use type(x) for the class of x, super().__init__(...) for special "
        "methods, and functions such as len(x), str(x), iter(x)." },
    [RULE_ATTR_INTERNAL] = { "internal-attribute",
        "Attribute '%s' is not allowed in sandbox",
        "attributes of frames, code objects, tracebacks, cells and of the "
        "inside of generators and coroutines",
        "There is no access to the interpreter's internals here." },
    [RULE_ATTR_PRIVATE] = { "private-attribute",
        "Attribute '%s' is not allowed in sandbox",
        "an attribute with a leading underscore on an object that is of no "
        "class of the program (checked when it runs)",
        "Attributes with a leading underscore work on objects of your own "
        "classes." },
    [RULE_ATTR_OBJ] = { "kept-object",
        "Attribute '%s' is not allowed in sandbox",
        "the attribute obj of an AttributeError (checked when it runs)",
        "Use the exception's text." },
    [RULE_MATCH_ARGS] = { "match-args",
        "Attribute '%s' is not allowed in sandbox",
        "class patterns that read what an attribute could not: keyword "
        "attributes, and __match_args__ when it runs",
        "Use attribute names without underscores in class patterns." },
    [RULE_FORMAT] = { "format", "Attribute '%s' is not allowed in sandbox",
        "format strings that read what an attribute could not (checked when "
        "it runs)",
        "Use an f-string, or only harmless attributes in format fields." },
    [RULE_CONTEXT] = { "context", "%s", "see the rules of `context`", "" },
};

/* Sorted, for bsearch(). */
/* clang-format off */
static const char *const special_methods[] = {
    "__abs__", "__add__", "__aenter__", "__aexit__", "__aiter__", "__and__",
    "__anext__", "__await__", "__bool__", "__bytes__", "__call__", "__ceil__",
    "__class_getitem__", "__complex__", "__contains__", "__copy__",
    "__deepcopy__", "__del__", "__delattr__", "__delete__", "__delitem__",
    "__dir__", "__divmod__", "__enter__", "__eq__", "__exit__", "__float__",
    "__floor__", "__floordiv__", "__format__", "__ge__", "__get__",
    "__getattr__", "__getattribute__", "__getitem__", "__getnewargs__",
    "__getstate__", "__gt__", "__hash__", "__iadd__", "__iand__",
    "__ifloordiv__", "__ilshift__", "__imatmul__", "__imod__", "__imul__",
    "__index__", "__init__", "__init_subclass__", "__instancecheck__",
    "__int__", "__invert__", "__ior__", "__ipow__", "__irshift__", "__isub__",
    "__iter__", "__itruediv__", "__ixor__", "__le__", "__len__",
    "__length_hint__", "__lshift__", "__lt__", "__matmul__", "__missing__",
    "__mod__", "__mul__", "__ne__", "__neg__", "__new__", "__next__", "__or__",
    "__pos__", "__post_init__", "__pow__", "__prepare__", "__radd__",
    "__rand__", "__rdivmod__", "__repr__", "__reversed__", "__rfloordiv__",
    "__rlshift__", "__rmatmul__", "__rmod__", "__rmul__", "__ror__",
    "__round__", "__rpow__", "__rrshift__", "__rshift__", "__rsub__",
    "__rtruediv__", "__rxor__", "__set__", "__set_name__", "__setattr__",
    "__setitem__", "__setstate__", "__sizeof__", "__str__", "__sub__",
    "__subclasscheck__", "__truediv__", "__trunc__", "__xor__",
};
/* clang-format on */

static const char *const special_class[] = {
    "__match_args__",
    "__slots__",
};

/* clang-format off */
static const char *const special_module[] = {
    "__all__", "__author__", "__debug__", "__doc__", "__license__", "__name__",
    "__version__",
};
/* clang-format on */

static const char *const harmless_attrs[] = {
    "__cause__",
    "__context__",
    "__doc__",
    "__name__",
    "__notes__",
    "__qualname__",
};

/* clang-format off */
static const char *const internal_attrs[] = {
    "ag_await", "ag_code", "ag_frame", "ag_running", "cell_contents",
    "co_argcount", "co_cellvars", "co_code", "co_consts", "co_exceptiontable",
    "co_filename", "co_firstlineno", "co_flags", "co_freevars",
    "co_kwonlyargcount", "co_lines", "co_linetable", "co_lnotab", "co_name",
    "co_names", "co_nlocals", "co_positions", "co_posonlyargcount",
    "co_qualname", "co_stacksize", "co_varnames", "cr_await", "cr_code",
    "cr_frame", "cr_origin", "cr_running", "cr_suspended", "f_back",
    "f_builtins", "f_code", "f_globals", "f_lasti", "f_lineno", "f_locals",
    "f_trace", "f_trace_lines", "f_trace_opcodes", "fdel", "fget", "fset",
    "func_closure", "func_code", "func_globals", "gi_code", "gi_frame",
    "gi_running", "gi_suspended", "gi_yieldfrom", "tb_frame", "tb_lasti",
    "tb_lineno", "tb_next",
};
/* clang-format on */

/* clang-format off */
static const char *const outside_names[] = {
    "breakpoint", "compile", "dir", "eval", "exec", "globals", "help",
    "locals", "open", "os", "subprocess", "sys", "vars",
};
/* clang-format on */

/* clang-format off */
static const char *const keywords[] = {
    "False", "None", "True", "and", "as", "assert", "async", "await", "break",
    "class", "continue", "def", "del", "elif", "else", "except", "finally",
    "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
};
/* clang-format on */

#define LIST_OF(names) (names), sizeof(names) / sizeof((names)[0])

const struct rule_list rule_lists[LIST_COUNT] = {
    [LIST_SPECIAL_METHODS] = { "Special methods, which may be defined in a "
                               "class and called through "
                               "`super()` or a class name",
        LIST_OF(special_methods) },
    [LIST_SPECIAL_CLASS] = { "Other special names that may be assigned in a "
                             "class body",
        LIST_OF(special_class) },
    [LIST_SPECIAL_MODULE] = { "Special names that may be read as variables "
                              "(and, but `__name__`, "
                              "assigned)",
        LIST_OF(special_module) },
    [LIST_HARMLESS_ATTRS] = { "Special attributes that may be read on every "
                              "object",
        LIST_OF(harmless_attrs) },
    [LIST_INTERNAL_ATTRS] = { "Attributes refused by `internal-attribute`",
        LIST_OF(internal_attrs) },
    [LIST_OUTSIDE_NAMES] = { "Names refused by `outside-name`",
        LIST_OF(outside_names) },
    [LIST_KEYWORDS] = { "Keywords", LIST_OF(keywords) },
};

static int
compare_names(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

static bool
is_listed(const char *name, enum rule_list_id id)
{
    const struct rule_list *list = &rule_lists[id];

    return bsearch(name, list->names, list->n, sizeof(*list->names),
               compare_names) != NULL;
}

enum special
rules_special(const char *name)
{
    if (is_listed(name, LIST_SPECIAL_METHODS))
        return SPECIAL_METHOD;
    if (is_listed(name, LIST_SPECIAL_MODULE))
        return SPECIAL_MODULE;
    if (is_listed(name, LIST_SPECIAL_CLASS))
        return SPECIAL_CLASS;
    return SPECIAL_NONE;
}

bool
rules_is_dunder(const char *name)
{
    size_t len = strlen(name);

    return len > 4 && strncmp(name, "__", 2) == 0 &&
           strcmp(name + len - 2, "__") == 0;
}

bool
rules_is_private(const char *name)
{
    return name[0] == '_' && name[1] && !rules_is_dunder(name);
}

bool
rules_is_harmless_attr(const char *name)
{
    return is_listed(name, LIST_HARMLESS_ATTRS);
}

bool
rules_is_internal_attr(const char *name)
{
    return is_listed(name, LIST_INTERNAL_ATTRS);
}

bool
rules_is_outside_name(const char *name)
{
    return is_listed(name, LIST_OUTSIDE_NAMES);
}

bool
rules_is_keyword(const char *name)
{
    return is_listed(name, LIST_KEYWORDS);
}
