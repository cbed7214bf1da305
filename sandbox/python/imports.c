/* imports - what a program of the restricted profile can import */
#include "sandbox/python/imports.h"

#include <string.h>

#include "sandbox/python/guard.h"
#include "sandbox/python/rules.h"

struct facade {
    PyObject_HEAD PyObject *name; /* "collections.abc" */
    PyObject *names; /* dict: public name -> object */
    PyObject *all; /* tuple of the names, for import * */
};

static PyObject *facades; /* dict: module name -> facade */
static PyObject *text_all, *text_name, *text_doc;
static char list_text[1024];

/* --- the list ------------------------------------------------------------ */

static int
add_name(PyObject *list, const char *name, size_t len)
{
    PyObject *text = PyUnicode_FromStringAndSize(name, (Py_ssize_t)len);
    int rc = text ? PyList_Append(list, text) : -1;

    Py_XDECREF(text);
    return rc;
}

/* "a, b" from ALLOWED_IMPORTS. */
static int
add_listed(PyObject *list, const char *names)
{
    size_t len;

    for (; *names; names += len) {
        names += strspn(names, ", \t");
        len = strcspn(names, ", \t");
        if (len && add_name(list, names, len) < 0)
            return -1;
    }
    return 0;
}

PyObject *
imports_wanted(const struct profile *p, const struct setup *s)
{
    PyObject *list = PyList_New(0);
    int rc = list ? 0 : -1;

    for (size_t i = 0; rc == 0 && p->modules[i]; i++)
        rc = add_name(list, p->modules[i], strlen(p->modules[i]));
    if (rc == 0 && p->has_language_rules)
        rc = add_listed(list, s->imports);
    if (rc < 0)
        Py_CLEAR(list);
    return list;
}

bool
imports_is_allowed(PyObject *name)
{
    return PyDict_Contains(facades, name) == 1;
}

const char *
imports_text(void)
{
    return list_text;
}

/* --- counterparts -------------------------------------------------------- */

/*
 * -1 when looking for a name failed for another reason than that there is no
 * such name: half a facade is none.
 */
static int
forget_missing(void)
{
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    return 0;
}

/* What functools.wraps copies; nothing else, whatever it is asked for. */
static const char *const wrapped_names[] = {
    "__module__",
    "__name__",
    "__qualname__",
    "__doc__",
    "__annotations__",
};

static int
copy_wrapped(PyObject *to, PyObject *from, const char *name)
{
    PyObject *v = PyObject_GetAttrString(from, name);
    int rc;

    if (!v)
        return forget_missing();
    rc = PyObject_SetAttrString(to, name, v);
    Py_DECREF(v);
    return rc;
}

static int
copy_dict(PyObject *to, PyObject *from)
{
    PyObject *mine, *theirs;
    int rc;

    if (!PyFunction_Check(to) || !PyFunction_Check(from))
        return 0;
    mine = PyObject_GenericGetDict(to, NULL);
    theirs = PyObject_GenericGetDict(from, NULL);
    rc = mine && theirs ? PyDict_Update(mine, theirs) : -1;
    Py_XDECREF(mine);
    Py_XDECREF(theirs);
    return rc;
}

static PyObject *
wrap_now(PyObject *wrapper, PyObject *wrapped)
{
    if (!guard_is_own(wrapper))
        return PyErr_Format(PyExc_TypeError,
            "update_wrapper works on functions and objects of your own");
    for (size_t i = 0; i < sizeof(wrapped_names) / sizeof(wrapped_names[0]);
         i++)
        if (copy_wrapped(wrapper, wrapped, wrapped_names[i]) < 0)
            return NULL;
    if (copy_dict(wrapper, wrapped) < 0 ||
        PyObject_SetAttrString(wrapper, "__wrapped__", wrapped) < 0)
        return NULL;
    return Py_NewRef(wrapper);
}

/* The names of `assigned` and `updated` cannot be chosen here. */
static PyObject *
safe_update_wrapper(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *wrapper, *wrapped;

    (void)self;
    if (kwargs && PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError,
            "update_wrapper() takes only wrapper and wrapped in sandbox");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OO:update_wrapper", &wrapper, &wrapped))
        return NULL;
    return wrap_now(wrapper, wrapped);
}

static PyObject *
apply_wraps(PyObject *wrapped, PyObject *wrapper)
{
    return wrap_now(wrapper, wrapped);
}

static PyMethodDef apply_wraps_def = { "wraps", apply_wraps, METH_O, NULL };

static PyObject *
safe_wraps(PyObject *self, PyObject *wrapped)
{
    (void)self;
    return PyCFunction_New(&apply_wraps_def, wrapped);
}

/* Annotations as they are: text among them is not evaluated. */
static PyObject *
safe_type_hints(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *of, *hints, *made;
    PyObject *name, *v;
    Py_ssize_t at = 0;

    (void)self;
    (void)kwargs;
    if (!PyTuple_GET_SIZE(args)) {
        PyErr_SetString(PyExc_TypeError, "get_type_hints() needs an argument");
        return NULL;
    }
    of = PyTuple_GET_ITEM(args, 0);
    hints = PyObject_GetAttrString(of, "__annotations__");
    if (!hints && forget_missing() < 0)
        return NULL;
    if (!hints || !PyDict_Check(hints)) {
        Py_XDECREF(hints);
        return PyDict_New();
    }
    made = PyDict_New();
    while (made && PyDict_Next(hints, &at, &name, &v)) {
        if (PyUnicode_Check(v)) {
            PyErr_SetString(PyExc_TypeError,
                "annotations given as text are not evaluated in sandbox");
            Py_CLEAR(made);
        } else if (PyDict_SetItem(made, name, v) < 0) {
            Py_CLEAR(made);
        }
    }
    Py_DECREF(hints);
    return made;
}

/* --- dataclass: its fields become source text ---------------------------- */

static int
check_field_name(PyObject *name)
{
    const char *text;

    if (PyUnicode_CheckExact(name) && PyUnicode_IsIdentifier(name) &&
        (text = PyUnicode_AsUTF8(name)) != NULL && !rules_is_keyword(text) &&
        !rules_is_dunder(text))
        return 0;
    PyErr_SetString(PyExc_TypeError, "a field's name must be an identifier");
    return -1;
}

static int
check_annotation_names(PyTypeObject *type)
{
    PyObject *dict =
        _PyDict_GetItemStringWithError(type->tp_dict, "__annotations__");
    PyObject *name, *v;
    Py_ssize_t at = 0;

    if (!dict)
        return PyErr_Occurred() ? -1 : 0;
    if (!PyDict_CheckExact(dict)) {
        PyErr_SetString(PyExc_TypeError, "annotations must be a dict");
        return -1;
    }
    while (PyDict_Next(dict, &at, &name, &v))
        if (check_field_name(name) < 0)
            return -1;
    return 0;
}

/* A base may have been made to look like a data class. */
static int
check_inherited_fields(PyTypeObject *type)
{
    PyObject *dict =
        _PyDict_GetItemStringWithError(type->tp_dict, "__dataclass_fields__");
    PyObject *key, *field, *name;
    Py_ssize_t at = 0;
    int rc = 0;

    if (!dict && PyErr_Occurred())
        return -1;
    if (!dict || !PyDict_CheckExact(dict))
        return 0;
    while (rc == 0 && PyDict_Next(dict, &at, &key, &field)) {
        name =
            guard_is_own(field) ? NULL : PyObject_GetAttrString(field, "name");
        rc = name ? check_field_name(name) : -1;
        Py_XDECREF(name);
    }
    if (rc < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "not a field");
    return rc;
}

static int
check_fields(PyObject *cls)
{
    PyObject *mro;

    if (!PyType_Check(cls) || !guard_is_own(cls)) {
        PyErr_SetString(PyExc_TypeError, "dataclass() takes a class");
        return -1;
    }
    if (check_annotation_names((PyTypeObject *)cls) < 0)
        return -1;
    mro = ((PyTypeObject *)cls)->tp_mro;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++)
        if (check_inherited_fields((PyTypeObject *)PyTuple_GET_ITEM(mro, i)) <
            0)
            return -1;
    return 0;
}

static PyObject *stock_dataclass;

/* `self` is the dict of options of dataclass(...), or NULL. */
static PyObject *
apply_dataclass(PyObject *self, PyObject *cls)
{
    PyObject *args, *made;

    if (check_fields(cls) < 0)
        return NULL;
    args = PyTuple_Pack(1, cls);
    made = args ? PyObject_Call(stock_dataclass, args, self) : NULL;
    Py_XDECREF(args);
    return made;
}

static PyMethodDef apply_dataclass_def = { "dataclass", apply_dataclass, METH_O,
    NULL };

static PyObject *
safe_dataclass(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *options, *made;

    (void)self;
    if (PyTuple_GET_SIZE(args) == 1)
        return apply_dataclass(kwargs, PyTuple_GET_ITEM(args, 0));
    options = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    made = options ? PyCFunction_New(&apply_dataclass_def, options) : NULL;
    Py_XDECREF(options);
    return made;
}

static PyMethodDef dataclass_def = { "dataclass", PY_METHOD(safe_dataclass),
    METH_VARARGS | METH_KEYWORDS, NULL };

static PyMethodDef update_wrapper_def = { "update_wrapper",
    PY_METHOD(safe_update_wrapper), METH_VARARGS | METH_KEYWORDS, NULL };
static PyMethodDef wraps_def = { "wraps", safe_wraps, METH_O, NULL };
static PyMethodDef type_hints_def = { "get_type_hints",
    PY_METHOD(safe_type_hints), METH_VARARGS | METH_KEYWORDS, NULL };

/*
 * Public names that would give away what the rules withhold.  With a
 * counterpart, that stands in their place, also for the library itself where
 * `everywhere` is set; without, they are not there.
 */
static const struct exception_row {
    const char *module;
    const char *name;
    PyMethodDef *counterpart;
    bool everywhere;
    PyObject **ret_stock; /* where the counterpart finds the stock one */
} exceptions[] = {
    { "functools", "update_wrapper", &update_wrapper_def, false, NULL },
    { "functools", "wraps", &wraps_def, false, NULL },
    /* singledispatch's register() asks it for the annotations */
    { "typing", "get_type_hints", &type_hints_def, true, NULL },
    { "dataclasses", "dataclass", &dataclass_def, false, &stock_dataclass },
    { "typing", "ForwardRef", NULL, false, NULL },
    { "re", "template", NULL, false, NULL },
    { "string", "Formatter", NULL, false, NULL },
    { "operator", "attrgetter", NULL, false, NULL },
    { "operator", "methodcaller", NULL, false, NULL },
    { "dataclasses", "make_dataclass", NULL, false, NULL },
    { "random", "SystemRandom", NULL, false, NULL },
    { "enum", "global_enum", NULL, false, NULL },
    { "enum", "global_enum_repr", NULL, false, NULL },
    { "contextlib", "redirect_stdout", NULL, false, NULL },
    { "contextlib", "redirect_stderr", NULL, false, NULL },
    { "contextlib", "chdir", NULL, false, NULL },
    { "inspect", "currentframe", NULL, false, NULL },
    { "inspect", "stack", NULL, false, NULL },
    { "inspect", "trace", NULL, false, NULL },
    { "types", "FunctionType", NULL, false, NULL },
    { "types", "LambdaType", NULL, false, NULL },
    { "types", "CodeType", NULL, false, NULL },
    { "types", "ModuleType", NULL, false, NULL },
    { "types", "TracebackType", NULL, false, NULL },
    { "types", "CellType", NULL, false, NULL },
    { "types", "FrameType", NULL, false, NULL },
};

static const struct exception_row *
exception_of(const char *module, const char *name)
{
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
        if (strcmp(exceptions[i].module, module) == 0 &&
            strcmp(exceptions[i].name, name) == 0)
            return &exceptions[i];
    return NULL;
}

/* --- facades ------------------------------------------------------------- */

static PyObject *
facade_getattro(PyObject *self, PyObject *name)
{
    struct facade *f = (struct facade *)self;
    PyObject *v = NULL;

    if (PyUnicode_CheckExact(name))
        v = PyDict_GetItemWithError(f->names, name);
    if (v)
        return Py_NewRef(v);
    if (PyErr_Occurred())
        return NULL;
    if (PyUnicode_Compare(name, text_name) == 0)
        return Py_NewRef(f->name);
    if (PyUnicode_Compare(name, text_all) == 0)
        return Py_NewRef(f->all);
    if (PyUnicode_Compare(name, text_doc) == 0)
        Py_RETURN_NONE;
    return PyErr_Format(PyExc_AttributeError,
        "module '%U' has no attribute '%U' in sandbox", f->name, name);
}

static int
facade_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    (void)value;
    PyErr_Format(PyExc_AttributeError, "module '%U' cannot be changed ('%U')",
        ((struct facade *)self)->name, name);
    return -1;
}

static PyObject *
facade_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<module '%U'>", ((struct facade *)self)->name);
}

static PyTypeObject facade_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "module",
    .tp_basicsize = sizeof(struct facade),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                Py_TPFLAGS_IMMUTABLETYPE,
    .tp_getattro = facade_getattro,
    .tp_setattro = facade_setattro,
    .tp_repr = facade_repr,
};

static int
add_counterpart(
    PyObject *module, PyObject *names, const struct exception_row *row)
{
    PyObject *f;
    int rc;

    if (!row->counterpart)
        return 0;
    if (row->ret_stock) {
        *row->ret_stock = PyObject_GetAttrString(module, row->name);
        if (!*row->ret_stock)
            return -1;
    }
    f = PyCFunction_New(row->counterpart, NULL);
    rc = f ? PyDict_SetItemString(names, row->name, f) : -1;
    if (rc == 0 && row->everywhere)
        rc = PyObject_SetAttrString(module, row->name, f);
    Py_XDECREF(f);
    return rc;
}

static int
add_public(
    PyObject *module, const char *module_name, PyObject *names, PyObject *key)
{
    const struct exception_row *row;
    const char *name;
    PyObject *v;
    int rc = 0;

    if (!PyUnicode_Check(key))
        return 0;
    name = PyUnicode_AsUTF8(key);
    if (!name)
        return -1;
    if (name[0] == '_')
        return 0;
    row = exception_of(module_name, name);
    if (row)
        return add_counterpart(module, names, row);
    v = PyObject_GetAttr(module, key);
    if (!v)
        return forget_missing();
    if (!PyModule_Check(v))
        rc = PyDict_SetItem(names, key, v);
    Py_DECREF(v);
    return rc;
}

/* __all__ where a module has one, else its names: many more. */
static PyObject *
public_names(PyObject *module)
{
    PyObject *all = PyObject_GetAttr(module, text_all);
    PyObject *list;

    if (!all)
        return forget_missing() < 0 ? NULL
                                    : PyMapping_Keys(PyModule_GetDict(module));
    list = PySequence_List(all);
    Py_DECREF(all);
    return list;
}

static PyObject *
facade_new(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    PyObject *keys = public_names(module);
    struct facade *f = PyObject_New(struct facade, &facade_type);
    int rc = keys && f && text ? 0 : -1;

    if (f) {
        f->name = Py_NewRef(name);
        f->names = PyDict_New();
        f->all = NULL;
        if (!f->names)
            rc = -1;
    }
    for (Py_ssize_t i = 0; rc == 0 && i < PyList_GET_SIZE(keys); i++)
        rc = add_public(module, text, f->names, PyList_GET_ITEM(keys, i));
    if (rc == 0) {
        Py_SETREF(keys, PyDict_Keys(f->names));
        f->all = keys ? PyList_AsTuple(keys) : NULL;
    }
    Py_XDECREF(keys);
    return rc == 0 && f->all ? (PyObject *)f : NULL;
}

/* "a.b" becomes the name b of the facade a. */
static int
add_to_parent(PyObject *name, PyObject *facade)
{
    Py_ssize_t len = PyUnicode_GET_LENGTH(name);
    Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, len, -1);
    PyObject *parent_name, *child_name, *parent;
    int rc = -1;

    if (dot < 0)
        return 0;
    parent_name = PyUnicode_Substring(name, 0, dot);
    child_name = PyUnicode_Substring(name, dot + 1, len);
    parent = parent_name ? PyDict_GetItemWithError(facades, parent_name) : NULL;
    if (parent && child_name)
        rc = PyDict_SetItem(
            ((struct facade *)parent)->names, child_name, facade);
    Py_XDECREF(parent_name);
    Py_XDECREF(child_name);
    return rc;
}

static int
add_facade(PyObject *name)
{
    PyObject *module, *facade;
    int rc;

    rc = PyDict_Contains(facades, name);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    module = PyDict_GetItemWithError(PyImport_GetModuleDict(), name);
    if (!module || !PyModule_Check(module)) {
        PyErr_Format(PyExc_ImportError, "%U is not loaded", name);
        return -1;
    }
    facade = facade_new(module, name);
    rc = facade ? PyDict_SetItem(facades, name, facade) : -1;
    Py_XDECREF(facade);
    return rc;
}

/* A module's parents come with it: `import a.b` binds a. */
static int
add_with_parents(PyObject *name)
{
    Py_ssize_t len = PyUnicode_GET_LENGTH(name);
    Py_ssize_t dot = PyUnicode_FindChar(name, '.', 0, len, -1);
    PyObject *parent, *facade;
    int rc = 0;

    if (dot > 0) {
        parent = PyUnicode_Substring(name, 0, dot);
        rc = parent ? add_with_parents(parent) : -1;
        Py_XDECREF(parent);
    }
    if (rc == 0)
        rc = add_facade(name);
    facade = rc == 0 ? PyDict_GetItemWithError(facades, name) : NULL;
    return facade ? add_to_parent(name, facade) : -1;
}

/* --- __import__ ---------------------------------------------------------- */

static PyObject *
not_permitted(PyObject *name)
{
    PyObject *text = PyUnicode_FromFormat(
        "Import of '%U' is not permitted (modules here: %s)", name, list_text);

    if (text)
        PyErr_SetObject(PyExc_ModuleNotFoundError, text);
    Py_XDECREF(text);
    return NULL;
}

/*
 * Every name is looked for here and now: IMPORT_FROM, when it finds none,
 * would go and look in sys.modules.
 */
static int
check_from(struct facade *f, PyObject *fromlist)
{
    PyObject *name;

    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fromlist); i++) {
        name = PyTuple_GET_ITEM(fromlist, i);
        if (PyUnicode_CompareWithASCIIString(name, "*") == 0 ||
            PyDict_Contains(f->names, name) == 1)
            continue;
        PyErr_Format(PyExc_ImportError,
            "cannot import name '%U' from '%U' in sandbox", name, f->name);
        return -1;
    }
    return 0;
}

static PyObject *
root_of(PyObject *name)
{
    Py_ssize_t dot =
        PyUnicode_FindChar(name, '.', 0, PyUnicode_GET_LENGTH(name), 1);

    return dot < 0 ? Py_NewRef(name) : PyUnicode_Substring(name, 0, dot);
}

static PyObject *
import_facade(PyObject *name, PyObject *fromlist)
{
    PyObject *facade = PyDict_GetItemWithError(facades, name);
    PyObject *root;

    if (!facade)
        return PyErr_Occurred() ? NULL : not_permitted(name);
    if (fromlist && PyTuple_Check(fromlist) && PyTuple_GET_SIZE(fromlist))
        return check_from((struct facade *)facade, fromlist) < 0
                   ? NULL
                   : Py_NewRef(facade);
    root = root_of(name);
    facade = root ? PyDict_GetItemWithError(facades, root) : NULL;
    Py_XDECREF(root);
    return Py_XNewRef(facade);
}

/*
 * __import__(name, globals, locals, fromlist, level), as the statement calls
 * it; no program can name it.  C code of the library that needs a module of
 * its own (datetime needs time) comes here too, with a list where the
 * statement has a tuple or None; it ignores the answer and takes the module
 * from sys.modules.
 */
static PyObject *
guarded_import(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n > 3 && PyList_CheckExact(args[3]))
        Py_RETURN_NONE;
    if (n < 1 || !PyUnicode_CheckExact(args[0]))
        return PyErr_Format(PyExc_TypeError, "module name must be a string");
    if (n > 4 && PyLong_Check(args[4]) && PyLong_AsLong(args[4]) > 0)
        return PyErr_Format(
            PyExc_ImportError, "Relative imports are not permitted");
    return import_facade(args[0], n > 3 ? args[3] : NULL);
}

static PyMethodDef import_def = { "__import__", PY_METHOD(guarded_import),
    METH_FASTCALL, NULL };

static int
make_list_text(PyObject *wanted)
{
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *joined = comma ? PyUnicode_Join(comma, wanted) : NULL;
    const char *text = joined ? PyUnicode_AsUTF8(joined) : NULL;

    if (text)
        (void)snprintf(list_text, sizeof(list_text), "%s", text);
    Py_XDECREF(joined);
    Py_XDECREF(comma);
    return text ? 0 : -1;
}

int
imports_warm(PyObject *wanted, PyObject *builtins)
{
    PyObject *f;
    PyObject *future = PyUnicode_InternFromString("__future__");
    int rc;

    text_all = PyUnicode_InternFromString("__all__");
    text_name = PyUnicode_InternFromString("__name__");
    text_doc = PyUnicode_InternFromString("__doc__");
    facades = PyDict_New();
    if (!text_all || !text_name || !text_doc || !facades || !future ||
        PyType_Ready(&facade_type) < 0 || make_list_text(wanted) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(wanted); i++)
        if (add_with_parents(PyList_GET_ITEM(wanted, i)) < 0)
            return -1;
    if (add_facade(future) < 0)
        return -1;
    f = PyCFunction_New(&import_def, NULL);
    rc = f ? PyDict_SetItemString(builtins, "__import__", f) : -1;
    Py_XDECREF(f);
    return rc;
}
