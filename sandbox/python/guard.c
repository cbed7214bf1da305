/*
 * guard - the builtins of the restricted profile, and its checks at run time
 *
 * "Own" is decided by one bit: guard_mark_library() sets it in every heap
 * type of the template, CPython clears it in every type made later.  So a
 * heap type without it was made in the box, by the program or for it.
 */
#include "sandbox/python/guard.h"

#include <string.h>

#include "sandbox/python/capture.h"
#include "sandbox/python/hide.h"

#define FLAG_LIBRARY (1UL << 2) /* a bit of tp_flags that 3.11 does not use */

PyObject *guard_names[GUARD_COUNT];
static PyObject *globals_of_program;

/* super is opaque in the headers; laid out so since Python 3.0. */
struct super_object {
    PyObject_HEAD PyTypeObject *type;
    PyObject *obj;
    PyTypeObject *obj_type;
};

/* --- whose is it --------------------------------------------------------- */

static bool
is_own_type(const PyTypeObject *type)
{
    return (type->tp_flags & (Py_TPFLAGS_HEAPTYPE | FLAG_LIBRARY)) ==
           Py_TPFLAGS_HEAPTYPE;
}

bool
guard_is_own(PyObject *x)
{
    if (is_own_type(Py_TYPE(x)))
        return true;
    if (PyType_Check(x))
        return is_own_type((PyTypeObject *)x);
    if (PyFunction_Check(x))
        return PyFunction_GET_GLOBALS(x) == globals_of_program;
    if (Py_IS_TYPE(x, &PySuper_Type) && ((struct super_object *)x)->obj_type)
        return is_own_type(((struct super_object *)x)->obj_type);
    return false;
}

static int
mark_with_subclasses(PyObject *subclasses_of, PyTypeObject *type)
{
    PyObject *list = PyObject_CallOneArg(subclasses_of, (PyObject *)type);
    PyObject *sub;
    int rc = 0;

    if (!list)
        return -1;
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        type->tp_flags |= FLAG_LIBRARY | Py_TPFLAGS_IMMUTABLETYPE;
    for (Py_ssize_t i = 0; rc == 0 && i < PyList_GET_SIZE(list); i++) {
        sub = PyList_GET_ITEM(list, i);
        if (PyType_Check(sub))
            rc = mark_with_subclasses(subclasses_of, (PyTypeObject *)sub);
    }
    Py_DECREF(list);
    return rc;
}

int
guard_mark_library(void)
{
    PyObject *subclasses_of =
        PyObject_GetAttrString((PyObject *)&PyType_Type, "__subclasses__");
    int rc;

    if (!subclasses_of)
        return -1;
    rc = mark_with_subclasses(subclasses_of, &PyBaseObject_Type);
    Py_DECREF(subclasses_of);
    return rc;
}

/* --- attribute rules ----------------------------------------------------- */

PyObject *
guard_refuse_attribute(PyObject *name)
{
    return PyErr_Format(
        PyExc_AttributeError, "Attribute '%U' is not allowed in sandbox", name);
}

enum attr_use {
    ATTR_READ,
    ATTR_WRITE,
    ATTR_ASK, /* hasattr */
};

static bool
keeps_object(PyObject *x)
{
    return PyObject_TypeCheck(x, (PyTypeObject *)PyExc_AttributeError);
}

/*
 * A surrogate in a name: no attribute of ours has one.  Any other error, and
 * there is only a lack of memory, must not be taken for an answer.
 */
static bool
is_no_text(void)
{
    bool is_surrogate = PyErr_ExceptionMatches(PyExc_UnicodeEncodeError);

    PyErr_Clear();
    return is_surrogate;
}

/* Whether `name`, chosen at run time, may be used on `x`. */
static bool
is_allowed(PyObject *x, PyObject *name, enum attr_use use)
{
    const char *text = PyUnicode_AsUTF8(name);
    enum special special;

    if (!text)
        return is_no_text();
    if (rules_is_dunder(text) && rules_on(RULE_ATTR_DUNDER)) {
        special = rules_special(text);
        return rules_is_harmless_attr(text) ||
               (use == ATTR_ASK && special == SPECIAL_METHOD) ||
               (use == ATTR_WRITE && special == SPECIAL_METHOD &&
                   PyType_Check(x) && guard_is_own(x));
    }
    if (rules_is_internal_attr(text) && rules_on(RULE_ATTR_INTERNAL))
        return false;
    if (rules_is_private(text) && rules_on(RULE_ATTR_PRIVATE))
        return guard_is_own(x);
    return strcmp(text, "obj") != 0 || !keeps_object(x) ||
           !rules_on(RULE_ATTR_OBJ);
}

/* A name given at run time: exactly a str, whose own methods are never used. */
static int
check_name_object(PyObject *name)
{
    if (PyUnicode_CheckExact(name))
        return 0;
    PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%.200s'",
        Py_TYPE(name)->tp_name);
    return -1;
}

static int
check_count(const char *who, Py_ssize_t n, Py_ssize_t min, Py_ssize_t max)
{
    if (n >= min && n <= max)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s expected %s %zd argument%s, got %zd", who,
        n < min ? "at least" : "at most", n < min ? min : max,
        (n < min ? min : max) == 1 ? "" : "s", n);
    return -1;
}

static PyObject *
guarded_getattr(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    PyObject *v = NULL;

    (void)self;
    if (check_count("getattr", n, 2, 3) < 0 || check_name_object(args[1]) < 0)
        return NULL;
    if (is_allowed(args[0], args[1], ATTR_READ))
        v = PyObject_GetAttr(args[0], args[1]);
    else
        (void)guard_refuse_attribute(args[1]);
    if (v || n < 3 || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return v;
    PyErr_Clear();
    return Py_NewRef(args[2]);
}

static PyObject *
guarded_hasattr(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    PyObject *v;

    (void)self;
    if (check_count("hasattr", n, 2, 2) < 0 || check_name_object(args[1]) < 0)
        return NULL;
    if (!is_allowed(args[0], args[1], ATTR_ASK))
        Py_RETURN_FALSE;
    v = PyObject_GetAttr(args[0], args[1]);
    if (!v && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return NULL;
    PyErr_Clear();
    Py_XDECREF(v);
    return PyBool_FromLong(v != NULL);
}

static PyObject *
guarded_setattr(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (check_count("setattr", n, 3, 3) < 0 || check_name_object(args[1]) < 0)
        return NULL;
    if (!is_allowed(args[0], args[1], ATTR_WRITE))
        return guard_refuse_attribute(args[1]);
    if (PyObject_SetAttr(args[0], args[1], args[2]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
guarded_delattr(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (check_count("delattr", n, 2, 2) < 0 || check_name_object(args[1]) < 0)
        return NULL;
    if (!is_allowed(args[0], args[1], ATTR_WRITE))
        return guard_refuse_attribute(args[1]);
    if (PyObject_SetAttr(args[0], args[1], NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* --- what the validator writes into the tree ----------------------------- */

static PyObject *
guard_own(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (check_count("own", n, 2, 2) < 0)
        return NULL;
    if (!guard_is_own(args[0]) && rules_on(RULE_ATTR_PRIVATE))
        return guard_refuse_attribute(args[1]);
    return Py_NewRef(args[0]);
}

static PyObject *
guard_plain(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (check_count("plain", n, 2, 2) < 0)
        return NULL;
    if (keeps_object(args[0]) && rules_on(RULE_ATTR_OBJ))
        return guard_refuse_attribute(args[1]);
    return Py_NewRef(args[0]);
}

static PyObject *
guard_class(PyObject *self, PyObject *x)
{
    (void)self;
    return Py_NewRef(Py_TYPE(x));
}

/*
 * object.__setattr__(self, name, v), super().__getattribute__(name): the name
 * is chosen at run time.  `self` of this C function is (real, object): the
 * object is None when it comes as the first argument.
 */
static PyObject *
checked_special(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    PyObject *real = PyTuple_GET_ITEM(self, 0);
    PyObject *obj = PyTuple_GET_ITEM(self, 1);
    Py_ssize_t at = obj == Py_None ? 1 : 0;

    if (n <= at) {
        PyErr_SetString(PyExc_TypeError, "an attribute name is missing");
        return NULL;
    }
    if (check_name_object(args[at]) < 0)
        return NULL;
    if (!is_allowed(at ? args[0] : obj, args[at], ATTR_READ))
        return guard_refuse_attribute(args[at]);
    return PyObject_Vectorcall(real, args, (size_t)n, NULL);
}

static PyMethodDef checked_special_def = { "special method",
    PY_METHOD(checked_special), METH_FASTCALL, NULL };

static PyObject *
wrap_special(PyObject *x, PyObject *real)
{
    PyObject *obj = Py_None;
    PyObject *self, *made;

    if (Py_IS_TYPE(x, &PySuper_Type) && ((struct super_object *)x)->obj)
        obj = ((struct super_object *)x)->obj;
    self = PyTuple_Pack(2, real, obj);
    made = self ? PyCFunction_New(&checked_special_def, self) : NULL;
    Py_XDECREF(self);
    return made;
}

static bool
takes_name(PyObject *name)
{
    return PyUnicode_CompareWithASCIIString(name, "__getattribute__") == 0 ||
           PyUnicode_CompareWithASCIIString(name, "__setattr__") == 0 ||
           PyUnicode_CompareWithASCIIString(name, "__delattr__") == 0;
}

static PyObject *
guard_special(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    PyObject *real, *made;

    (void)self;
    if (check_count("special", n, 2, 2) < 0)
        return NULL;
    if (!PyType_Check(args[0]) && !Py_IS_TYPE(args[0], &PySuper_Type))
        return guard_refuse_attribute(args[1]);
    real = PyObject_GetAttr(args[0], args[1]);
    if (!real || !takes_name(args[1]))
        return real;
    made = wrap_special(args[0], real);
    Py_DECREF(real);
    return made;
}

/* A class pattern with positions reads the attributes that __match_args__
 * names.  Only a plain tuple in a class that cannot answer otherwise the next
 * time is let through. */
static int
check_match_args(PyTypeObject *type)
{
    PyObject *name = PyUnicode_FromString("__match_args__");
    PyObject *args = name ? _PyType_Lookup(type, name) : NULL;
    PyObject *meta = name ? _PyType_Lookup(Py_TYPE(type), name) : NULL;
    PyObject *attr;
    const char *text;
    int rc = name ? 0 : -1;

    if (meta || (args && !PyTuple_CheckExact(args)) ||
        Py_TYPE(type)->tp_getattro != PyType_Type.tp_getattro) {
        if (name)
            (void)guard_refuse_attribute(name);
        rc = -1;
    }
    for (Py_ssize_t i = 0; rc == 0 && args && i < PyTuple_GET_SIZE(args); i++) {
        attr = PyTuple_GET_ITEM(args, i);
        text = PyUnicode_CheckExact(attr) ? PyUnicode_AsUTF8(attr) : NULL;
        if (text && text[0] != '_' && !rules_is_internal_attr(text))
            continue;
        PyErr_Clear();
        (void)guard_refuse_attribute(text ? attr : name);
        rc = -1;
    }
    Py_XDECREF(name);
    return rc;
}

static PyObject *
guard_match(PyObject *self, PyObject *x)
{
    (void)self;
    if (rules_on(RULE_MATCH_ARGS) && PyType_Check(x) &&
        check_match_args((PyTypeObject *)x) < 0)
        return NULL;
    return Py_NewRef(x);
}

/* --- str.format ---------------------------------------------------------- */

static PyCFunctionWithKeywords stock_format;
static PyCFunction stock_format_map;
static PyObject *parse_format; /* _string.formatter_parser */
static PyObject *split_field; /* _string.formatter_field_name_split */

static int check_format(PyObject *text, int depth);

static bool
is_harmless_field(const char *name)
{
    return name[0] == '_'
               ? rules_is_harmless_attr(name)
               : !rules_is_internal_attr(name) && strcmp(name, "obj") != 0;
}

static int
check_field_attribute(PyObject *pair)
{
    PyObject *is_attr, *name;
    const char *text;

    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
        return 0;
    is_attr = PyTuple_GET_ITEM(pair, 0);
    name = PyTuple_GET_ITEM(pair, 1);
    if (is_attr != Py_True || !PyUnicode_Check(name))
        return 0;
    text = PyUnicode_AsUTF8(name);
    if (text ? is_harmless_field(text) : is_no_text())
        return 0;
    (void)guard_refuse_attribute(name);
    return -1;
}

static int
check_field(PyObject *field)
{
    PyObject *split = PyObject_CallOneArg(split_field, field);
    PyObject *it, *pair;
    int rc = 0;

    if (!split)
        return -1;
    it = PyObject_GetIter(PyTuple_GET_ITEM(split, 1));
    while (it && rc == 0 && (pair = PyIter_Next(it)) != NULL) {
        rc = check_field_attribute(pair);
        Py_DECREF(pair);
    }
    Py_XDECREF(it);
    Py_DECREF(split);
    return rc < 0 || PyErr_Occurred() ? -1 : 0;
}

/* One (literal, field, spec, conversion) as str.format itself splits it. */
static int
check_format_part(PyObject *part, int depth)
{
    PyObject *field = PyTuple_GET_ITEM(part, 1);
    PyObject *spec = PyTuple_GET_ITEM(part, 2);

    if (PyUnicode_Check(field) && PyUnicode_GET_LENGTH(field) &&
        check_field(field) < 0)
        return -1;
    if (PyUnicode_Check(spec) && PyUnicode_GET_LENGTH(spec))
        return check_format(spec, depth + 1);
    return 0;
}

static int
check_format(PyObject *text, int depth)
{
    PyObject *it, *part;
    int rc = 0;

    if (depth > 4 ||
        PyUnicode_FindChar(text, '.', 0, PyUnicode_GET_LENGTH(text), 1) < 0)
        return 0;
    it = PyObject_CallOneArg(parse_format, text);
    if (!it)
        return -1;
    while (rc == 0 && (part = PyIter_Next(it)) != NULL) {
        rc = check_format_part(part, depth);
        Py_DECREF(part);
    }
    Py_DECREF(it);
    return rc < 0 || PyErr_Occurred() ? -1 : 0;
}

/*
 * A template that str.format would refuse, it shall refuse in its own words;
 * what we refuse stays refused, and so does what could not be looked at: a
 * program chooses when its memory is used up.  Before the guards are warm the
 * library formats as it likes.
 */
static bool
is_format_refused(PyObject *text)
{
    if (!parse_format || !rules_on(RULE_FORMAT) || check_format(text, 0) == 0)
        return false;
    if (!PyErr_ExceptionMatches(PyExc_ValueError))
        return true;
    PyErr_Clear();
    return false;
}

static PyObject *
guarded_format(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return is_format_refused(self) ? NULL : stock_format(self, args, kwargs);
}

static PyObject *
guarded_format_map(PyObject *self, PyObject *map)
{
    return is_format_refused(self) ? NULL : stock_format_map(self, map);
}

/* In the table that the type is made from, so that every way leads here. */
void
guard_before_start(void)
{
    for (PyMethodDef *m = PyUnicode_Type.tp_methods; m->ml_name; m++) {
        if (strcmp(m->ml_name, "format") == 0) {
            stock_format = (PyCFunctionWithKeywords)(void (*)(void))m->ml_meth;
            m->ml_meth = PY_METHOD(guarded_format);
        } else if (strcmp(m->ml_name, "format_map") == 0) {
            stock_format_map = m->ml_meth;
            m->ml_meth = guarded_format_map;
        }
    }
}

static int
find_format_parser(void)
{
    PyObject *m = PyImport_ImportModule("_string");

    if (!m)
        return -1;
    split_field = PyObject_GetAttrString(m, "formatter_field_name_split");
    parse_format = PyObject_GetAttrString(m, "formatter_parser");
    Py_DECREF(m);
    return split_field && parse_format ? 0 : -1;
}

/* --- the rest of the builtins -------------------------------------------- */

static PyObject *
guarded_id(PyObject *self, PyObject *x)
{
    (void)self;
    return PyLong_FromUnsignedLongLong(hide_id(x));
}

static PyObject *
guarded_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (check_count("exit", n, 0, 1) < 0)
        return NULL;
    PyErr_SetObject(PyExc_SystemExit, n ? args[0] : Py_None);
    return NULL;
}

static PyMethodDef guards[] = {
    { "getattr", PY_METHOD(guarded_getattr), METH_FASTCALL, NULL },
    { "hasattr", PY_METHOD(guarded_hasattr), METH_FASTCALL, NULL },
    { "setattr", PY_METHOD(guarded_setattr), METH_FASTCALL, NULL },
    { "delattr", PY_METHOD(guarded_delattr), METH_FASTCALL, NULL },
    { "id", guarded_id, METH_O, NULL },
    { "print", PY_METHOD(capture_print), METH_FASTCALL | METH_KEYWORDS, NULL },
    { "input", PY_METHOD(capture_input), METH_FASTCALL, NULL },
    { "exit", PY_METHOD(guarded_exit), METH_FASTCALL, NULL },
    { "quit", PY_METHOD(guarded_exit), METH_FASTCALL, NULL },
    { NULL, NULL, 0, NULL },
};

/* No program can write these: GUARD_ order. */
static PyMethodDef tree_guards[GUARD_COUNT] = {
    [GUARD_OWN] = { "<own>", PY_METHOD(guard_own), METH_FASTCALL, NULL },
    [GUARD_PLAIN] = { "<plain>", PY_METHOD(guard_plain), METH_FASTCALL, NULL },
    [GUARD_SPECIAL] = { "<special>", PY_METHOD(guard_special), METH_FASTCALL,
        NULL },
    [GUARD_CLASS] = { "<class>", guard_class, METH_O, NULL },
    [GUARD_MATCH] = { "<match>", guard_match, METH_O, NULL },
};

/* Stock builtins that cannot reach outside.  Exceptions are added too. */
/* clang-format off */
static const char *const stock[] = {
    "__build_class__", "abs", "aiter", "all", "anext", "any", "ascii", "bin",
    "bool", "bytearray", "bytes", "callable", "chr", "classmethod", "complex",
    "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset",
    "hash", "hex", "int", "isinstance", "issubclass", "iter", "len", "list",
    "map", "max", "memoryview", "min", "next", "object", "oct", "ord", "pow",
    "property", "range", "repr", "reversed", "round", "set", "slice", "sorted",
    "staticmethod", "str", "sum", "super", "tuple", "type", "zip", "None",
    "True", "False", "Ellipsis", "NotImplemented", "__debug__",
};
/* clang-format on */

/* A built-in function without its module behind it. */
static PyObject *
detached(PyObject *v)
{
    if (!PyCFunction_CheckExact(v))
        return Py_NewRef(v);
    return PyCFunction_New(((PyCFunctionObject *)v)->m_ml, NULL);
}

static int
add_stock(PyObject *builtins, const char *name)
{
    PyObject *v = PyDict_GetItemString(PyEval_GetBuiltins(), name);
    PyObject *made = v ? detached(v) : NULL;
    int rc = made ? PyDict_SetItemString(builtins, name, made) : -1;

    if (!v)
        PyErr_SetString(PyExc_RuntimeError, name);
    Py_XDECREF(made);
    return rc;
}

static int
add_exceptions(PyObject *builtins)
{
    PyObject *name, *v;
    Py_ssize_t at = 0;

    while (PyDict_Next(PyEval_GetBuiltins(), &at, &name, &v))
        if (PyExceptionClass_Check(v) && PyDict_SetItem(builtins, name, v) < 0)
            return -1;
    return 0;
}

static int
add_function(PyObject *builtins, PyMethodDef *def)
{
    PyObject *name = PyUnicode_InternFromString(def->ml_name);
    PyObject *f = PyCFunction_New(def, NULL);
    int rc = name && f ? PyDict_SetItem(builtins, name, f) : -1;

    Py_XDECREF(name);
    Py_XDECREF(f);
    return rc;
}

int
guard_warm(PyObject *builtins, PyObject *program_globals)
{
    globals_of_program = program_globals;
    if (find_format_parser() < 0)
        return -1;
    for (size_t i = 0; i < sizeof(stock) / sizeof(stock[0]); i++)
        if (add_stock(builtins, stock[i]) < 0)
            return -1;
    for (PyMethodDef *def = guards; def->ml_name; def++)
        if (add_function(builtins, def) < 0)
            return -1;
    for (int i = 0; i < GUARD_COUNT; i++) {
        guard_names[i] = PyUnicode_InternFromString(tree_guards[i].ml_name);
        if (!guard_names[i] || add_function(builtins, &tree_guards[i]) < 0)
            return -1;
    }
    return add_exceptions(builtins);
}
