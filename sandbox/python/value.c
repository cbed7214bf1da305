/* value - the program's return value as JSON text */
#include "sandbox/python/value.h"

#include <string.h>

#include "sandbox/python/date.h"
#include "sandbox/python/put.h"

/* How an object of a known type of the library is shown. */
enum known_how {
    KNOWN_STR, /* by the type's own str() */
    KNOWN_LIST, /* by iterating with the type's own iterator */
};

static struct known {
    const char *module;
    const char *name;
    enum known_how how;
    PyTypeObject *type; /* found by value_warm(); NULL: not loaded */
} known_types[] = {
    { "decimal", "Decimal", KNOWN_STR, NULL },
    { "fractions", "Fraction", KNOWN_STR, NULL },
    { "uuid", "UUID", KNOWN_STR, NULL },
    { "datetime", "timezone", KNOWN_STR, NULL },
    { "zoneinfo", "ZoneInfo", KNOWN_STR, NULL },
    { "pathlib", "PosixPath", KNOWN_STR, NULL },
    { "pathlib", "PurePosixPath", KNOWN_STR, NULL },
    { "ipaddress", "IPv4Address", KNOWN_STR, NULL },
    { "ipaddress", "IPv6Address", KNOWN_STR, NULL },
    { "ipaddress", "IPv4Network", KNOWN_STR, NULL },
    { "ipaddress", "IPv6Network", KNOWN_STR, NULL },
    { "builtins", "range", KNOWN_LIST, NULL },
    { "collections", "deque", KNOWN_LIST, NULL },
    { "array", "array", KNOWN_LIST, NULL },
};

static PyTypeObject *enum_meta; /* NULL when enum is not loaded */
static PyObject *name_value; /* "_value_" */
static PyObject *name_fields; /* "_fields" */
static PyObject *name_dataclass; /* "__dataclass_fields__" */

int
value_find_type(const char *module, const char *name, PyTypeObject **ret_type)
{
    PyObject *m =
        _PyDict_GetItemStringWithError(PyImport_GetModuleDict(), module);
    PyObject *t = m ? PyObject_GetAttrString(m, name) : NULL;

    *ret_type = NULL;
    if (t && PyType_Check(t))
        *ret_type = (PyTypeObject *)t;
    else
        Py_XDECREF(t);
    if (PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    return PyErr_Occurred() ? -1 : 0;
}

int
value_warm(void)
{
    if (date_warm() < 0 || value_find_type("enum", "EnumType", &enum_meta) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
        if (value_find_type(known_types[i].module, known_types[i].name,
                &known_types[i].type) < 0)
            return -1;
    name_value = PyUnicode_InternFromString("_value_");
    name_fields = PyUnicode_InternFromString("_fields");
    name_dataclass = PyUnicode_InternFromString("__dataclass_fields__");
    return name_value && name_fields && name_dataclass ? 0 : -1;
}

static enum put put_value(struct out *o, PyObject *v);

/* --- lists and sets ------------------------------------------------------ */

/* An element with its comma; takes everything back when it does not fit. */
static enum put
put_element(struct out *o, PyObject *v, bool is_first)
{
    size_t mark = o->len;
    enum put done = is_first ? PUT_ALL : put_raw(o, ",", 1);

    if (done == PUT_ALL)
        done = put_value(o, v);
    if (done == PUT_NOT) {
        o->len = mark;
        done = PUT_CUT;
    }
    return done;
}

static enum put
put_items(
    struct out *o, PyObject *container, PyObject *const *items, Py_ssize_t n)
{
    enum put done = put_open(o, container, '[');

    if (done != PUT_ALL)
        return done;
    for (Py_ssize_t i = 0; i < n && done == PUT_ALL; i++)
        done = put_element(o, items[i], i == 0);
    return put_close(o, ']', done);
}

/* `list` is a new reference to a list made for us, or NULL. */
static enum put
put_new_list(struct out *o, PyObject *container, PyObject *list)
{
    enum put done;

    if (!list) {
        PyErr_Clear();
        return put_ascii(o, "[]");
    }
    done = put_items(
        o, container, ((PyListObject *)list)->ob_item, PyList_GET_SIZE(list));
    Py_DECREF(list);
    return done;
}

static bool
is_plain_number(PyObject *v)
{
    return PyLong_CheckExact(v) || PyFloat_CheckExact(v);
}

/* In order when that needs no code of the program: then equal sets are equal
 * texts, whatever the hash seed. */
static PyObject *
set_to_list(PyObject *set)
{
    PyObject *list = PyList_New(0);
    Py_ssize_t at = 0, texts = 0, numbers = 0;
    PyObject *item;
    Py_hash_t hash;

    while (list && _PySet_NextEntry(set, &at, &item, &hash)) {
        texts += PyUnicode_CheckExact(item);
        numbers += is_plain_number(item);
        if (PyList_Append(list, item) < 0)
            Py_CLEAR(list);
    }
    if (list &&
        (texts == PyList_GET_SIZE(list) || numbers == PyList_GET_SIZE(list)) &&
        PyList_Sort(list) < 0)
        PyErr_Clear();
    return list;
}

/* --- keys ---------------------------------------------------------------- */

static const struct known *
known_of(PyObject *v)
{
    for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
        if (known_types[i].type == Py_TYPE(v))
            return &known_types[i];
    return NULL;
}

static bool
is_plain_scalar(PyObject *v)
{
    return v == Py_None || PyBool_Check(v) || PyUnicode_CheckExact(v) ||
           is_plain_number(v) || PyBytes_CheckExact(v);
}

static bool
is_plain_tuple(PyObject *v)
{
    if (!PyTuple_CheckExact(v))
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v); i++)
        if (!is_plain_scalar(PyTuple_GET_ITEM(v, i)))
            return false;
    return true;
}

/* The JSON of a scalar, without quotes, as text: what json.dumps does. */
static PyObject *
scalar_key(PyObject *key)
{
    char room[512];
    struct out o = { .text = room, .max = sizeof(room) };
    bool quoted;

    if (put_value(&o, key) != PUT_ALL)
        return PyUnicode_FromString("<key>");
    quoted = o.len >= 2 && room[0] == '"';
    return PyUnicode_DecodeUTF8(room + (quoted ? 1 : 0),
        (Py_ssize_t)(o.len - (quoted ? 2 : 0)), "replace");
}

static PyObject *
replace_surrogates(PyObject *text)
{
    PyObject *bytes =
        PyUnicode_AsEncodedString(text, "utf-16-le", "surrogatepass");
    PyObject *made = NULL;

    if (bytes)
        made = PyUnicode_Decode(PyBytes_AS_STRING(bytes),
            PyBytes_GET_SIZE(bytes), "utf-16-le", "replace");
    Py_XDECREF(bytes);
    return made;
}

/*
 * Scalars only, so that a key never leads into another container: an object
 * that is its own dictionary's key would never end.
 */
static PyObject *
key_text(PyObject *key)
{
    const struct known *k = known_of(key);

    if (PyUnicode_Check(key))
        return replace_surrogates(key);
    if (is_plain_tuple(key) || PyBytes_CheckExact(key))
        return PyObject_Repr(key);
    if (key == Py_None || PyLong_Check(key) || PyFloat_Check(key) ||
        date_is_like(key) || (k && k->how == KNOWN_STR))
        return scalar_key(key);
    return PyUnicode_FromFormat("<%.100s>", Py_TYPE(key)->tp_name);
}

static bool
has_surrogates(PyObject *text)
{
    Py_ssize_t len;

    if (PyUnicode_IS_ASCII(text) || PyUnicode_AsUTF8AndSize(text, &len))
        return false;
    PyErr_Clear();
    return true;
}

/* All keys can be written as they are, and stay different from each other. */
static bool
has_plain_keys(PyObject *dict)
{
    Py_ssize_t at = 0;
    PyObject *key, *v;

    while (PyDict_Next(dict, &at, &key, &v))
        if (!PyUnicode_CheckExact(key) || has_surrogates(key))
            return false;
    return true;
}

/* A key that is not taken yet: "1" and then "1 (2)". */
static PyObject *
free_key(PyObject *taken, PyObject *wanted)
{
    PyObject *key = Py_XNewRef(wanted);

    for (int n = 2; key && PyDict_Contains(taken, key) == 1; n++) {
        Py_DECREF(key);
        key = PyUnicode_FromFormat("%U (%d)", wanted, n);
    }
    return key;
}

/* The same dictionary with text for keys; a new reference or NULL. */
static PyObject *
with_text_keys(PyObject *dict)
{
    PyObject *made = PyDict_New();
    Py_ssize_t at = 0;
    PyObject *key, *v, *wanted, *text;
    int rc;

    while (made && PyDict_Next(dict, &at, &key, &v)) {
        wanted = key_text(key);
        text = wanted ? free_key(made, wanted) : NULL;
        rc = text ? PyDict_SetItem(made, text, v) : -1;
        Py_XDECREF(wanted);
        Py_XDECREF(text);
        if (rc < 0)
            Py_CLEAR(made);
    }
    return made;
}

/* --- dictionaries and tuples --------------------------------------------- */

static enum put
put_pair(struct out *o, PyObject *key, PyObject *v, bool is_first)
{
    size_t mark = o->len;
    enum put done = is_first ? PUT_ALL : put_raw(o, ",", 1);

    if (done == PUT_ALL)
        done = put_str(o, key, false);
    if (done == PUT_ALL)
        done = put_raw(o, ":", 1);
    if (done == PUT_ALL)
        done = put_value(o, v);
    if (done == PUT_NOT) {
        o->len = mark;
        done = PUT_CUT;
    }
    return done;
}

static enum put
put_plain_dict(struct out *o, PyObject *container, PyObject *dict)
{
    enum put done = put_open(o, container, '{');
    bool is_first = true;
    Py_ssize_t at = 0;
    PyObject *key, *v;

    if (done != PUT_ALL)
        return done;
    while (done == PUT_ALL && PyDict_Next(dict, &at, &key, &v)) {
        done = put_pair(o, key, v, is_first);
        is_first = false;
    }
    return put_close(o, '}', done);
}

/* An OrderedDict keeps its order beside the dictionary: make a plain one. */
static PyObject *
ordered_copy(PyObject *ordered)
{
    PyObject *made = PyDict_New();
    PyObject *it = PyODict_Type.tp_iter(ordered);
    PyObject *key, *v;

    while (made && it && (key = PyIter_Next(it)) != NULL) {
        v = PyDict_GetItemWithError(ordered, key);
        if (!v || PyDict_SetItem(made, key, v) < 0)
            Py_CLEAR(made);
        Py_DECREF(key);
    }
    Py_XDECREF(it);
    if (PyErr_Occurred())
        Py_CLEAR(made);
    PyErr_Clear();
    return made;
}

static enum put
put_dict(struct out *o, PyObject *dict)
{
    bool plain = has_plain_keys(dict);
    PyObject *made = NULL;
    enum put done;

    if (!plain)
        made = with_text_keys(dict);
    else if (PyODict_CheckExact(dict))
        made = ordered_copy(dict);
    PyErr_Clear();
    if (!made && !plain)
        return put_ascii(o, "{}");
    done = put_plain_dict(o, dict, made ? made : dict);
    Py_XDECREF(made);
    return done;
}

/* The names of a named tuple, when they are as they should be. */
static PyObject *
tuple_names(PyObject *v)
{
    PyTypeObject *type = Py_TYPE(v);
    PyObject *names;
    Py_ssize_t n = PyTuple_GET_SIZE(v);

    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        return NULL;
    names = _PyType_Lookup(type, name_fields);
    if (!names || !PyTuple_CheckExact(names) || PyTuple_GET_SIZE(names) != n)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(names, i)))
            return NULL;
    return names;
}

static PyObject *
tuple_to_dict(PyObject *v)
{
    PyObject *names = tuple_names(v);
    PyObject *dict = names ? PyDict_New() : NULL;

    for (Py_ssize_t i = 0; dict && i < PyTuple_GET_SIZE(v); i++)
        if (PyDict_SetItem(
                dict, PyTuple_GET_ITEM(names, i), PyTuple_GET_ITEM(v, i)) < 0)
            Py_CLEAR(dict);
    if (dict && PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(v))
        Py_CLEAR(dict);
    PyErr_Clear();
    return dict;
}

static enum put
put_tuple(struct out *o, PyObject *v)
{
    PyObject *dict;
    enum put done;

    if (!PyTuple_CheckExact(v) && (dict = tuple_to_dict(v)) != NULL) {
        done = has_plain_keys(dict) ? put_plain_dict(o, v, dict)
                                    : put_ascii(o, "{}");
        Py_DECREF(dict);
        return done;
    }
    return put_items(o, v, ((PyTupleObject *)v)->ob_item, PyTuple_GET_SIZE(v));
}

/* --- objects ------------------------------------------------------------- */

/* An attribute as it is stored: in the instance's dictionary or in a slot.
 * Never a property, never __getattr__.  New reference, or NULL. */
static PyObject *
stored_attribute(PyObject *v, PyObject *name)
{
    PyObject **dict = _PyObject_GetDictPtr(v);
    PyObject *found = NULL;

    if (dict && *dict && PyDict_CheckExact(*dict))
        found = PyDict_GetItemWithError(*dict, name);
    if (found)
        return Py_NewRef(found);
    PyErr_Clear();
    found = _PyType_Lookup(Py_TYPE(v), name);
    if (!found || !Py_IS_TYPE(found, &PyMemberDescr_Type))
        return NULL;
    found = Py_TYPE(found)->tp_descr_get(found, v, (PyObject *)Py_TYPE(v));
    if (!found)
        PyErr_Clear();
    return found;
}

static PyObject *
dataclass_to_dict(PyObject *v)
{
    PyObject *fields = _PyType_Lookup(Py_TYPE(v), name_dataclass);
    PyObject *dict;
    PyObject *name, *field, *stored;
    Py_ssize_t at = 0;

    if (!fields || !PyDict_CheckExact(fields))
        return NULL;
    dict = PyDict_New();
    while (dict && PyDict_Next(fields, &at, &name, &field)) {
        if (!PyUnicode_CheckExact(name))
            continue;
        stored = stored_attribute(v, name);
        if (stored && PyDict_SetItem(dict, name, stored) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(stored);
    }
    PyErr_Clear();
    return dict;
}

static bool
is_enum_member(PyObject *v)
{
    return enum_meta && PyType_IsSubtype(Py_TYPE(Py_TYPE(v)), enum_meta);
}

static enum put
put_stored(struct out *o, PyObject *v, PyObject *name)
{
    PyObject *stored = stored_attribute(v, name);
    enum put done;

    if (!stored || o->depth >= PUT_MAX_DEPTH || put_is_open(o, v)) {
        Py_XDECREF(stored);
        return put_ascii(o, "null");
    }
    o->open[o->depth++] = v; /* a member whose value is the member */
    done = put_value(o, stored);
    o->depth--;
    Py_DECREF(stored);
    return done;
}

static enum put
put_known(struct out *o, PyObject *v, const struct known *k)
{
    if (k->how == KNOWN_STR)
        return put_new_str(o, PyObject_Str(v));
    return put_new_list(o, v, PySequence_List(v));
}

/* The type's name without its module, never by asking the type. */
static PyObject *
type_name(PyTypeObject *type)
{
    const char *name = type->tp_name;
    const char *dot = strrchr(name, '.');

    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        return Py_NewRef(((PyHeapTypeObject *)type)->ht_name);
    return PyUnicode_FromString(dot ? dot + 1 : name);
}

static enum put
put_named(struct out *o, const char *format, PyObject *name)
{
    PyObject *text = name ? PyUnicode_FromFormat(format, name) : NULL;

    Py_XDECREF(name);
    return put_new_str(o, text);
}

/* "ValueError: text", when its one argument is text. */
static enum put
put_exception(struct out *o, PyObject *v)
{
    PyObject *args = ((PyBaseExceptionObject *)v)->args;
    PyObject *name = type_name(Py_TYPE(v));
    PyObject *text = NULL;

    if (name && args && PyTuple_CheckExact(args) &&
        PyTuple_GET_SIZE(args) == 1 &&
        PyUnicode_CheckExact(PyTuple_GET_ITEM(args, 0)))
        text = PyUnicode_FromFormat("%U: %U", name, PyTuple_GET_ITEM(args, 0));
    if (!text)
        return put_named(o, "%U", name);
    Py_DECREF(name);
    return put_new_str(o, text);
}

static enum put
put_object(struct out *o, PyObject *v)
{
    const struct known *k = known_of(v);
    PyObject *dict;
    enum put done;

    if (k)
        return put_known(o, v, k);
    if (PyType_Check(v))
        return put_named(o, "<class '%U'>", type_name((PyTypeObject *)v));
    if (PyFunction_Check(v))
        return put_named(
            o, "<function %U>", Py_NewRef(((PyFunctionObject *)v)->func_name));
    if (PyCFunction_Check(v))
        return put_named(o, "<function %U>",
            PyUnicode_FromString(((PyCFunctionObject *)v)->m_ml->ml_name));
    if (PyExceptionInstance_Check(v))
        return put_exception(o, v);
    dict = dataclass_to_dict(v);
    if (!dict)
        return put_named(o, "<%U object>", type_name(Py_TYPE(v)));
    done = put_plain_dict(o, v, dict);
    Py_DECREF(dict);
    return done;
}

/* --- anything ------------------------------------------------------------ */

static bool
is_container(PyObject *v)
{
    return PyList_Check(v) || PyTuple_Check(v) || PyDict_Check(v) ||
           PyAnySet_Check(v) || !is_plain_scalar(v);
}

static enum put
put_container(struct out *o, PyObject *v)
{
    if (PyDict_Check(v))
        return put_dict(o, v);
    if (PyList_Check(v))
        return put_items(
            o, v, ((PyListObject *)v)->ob_item, PyList_GET_SIZE(v));
    if (PyTuple_Check(v))
        return put_tuple(o, v);
    if (PyAnySet_Check(v))
        return put_new_list(o, v, set_to_list(v));
    if (PyDictKeys_Check(v) || PyDictValues_Check(v) || PyDictItems_Check(v))
        return put_new_list(o, v,
            PyDict_CheckExact((PyObject *)((_PyDictViewObject *)v)->dv_dict)
                ? PySequence_List(v)
                : NULL);
    return put_object(o, v);
}

static enum put
put_value(struct out *o, PyObject *v)
{
    if (v == Py_None)
        return put_ascii(o, "null");
    if (PyBool_Check(v))
        return put_ascii(o, v == Py_True ? "true" : "false");
    if (is_enum_member(v))
        return put_stored(o, v, name_value);
    if (PyUnicode_Check(v))
        return put_str(o, v, true);
    if (PyLong_Check(v))
        return put_int(o, v);
    if (PyFloat_Check(v))
        return put_float(o, PyFloat_AS_DOUBLE(v));
    if (date_is_like(v))
        return date_put(o, v);
    if (PyBytes_CheckExact(v) || PyByteArray_CheckExact(v) ||
        PyComplex_CheckExact(v))
        return put_new_str(o, PyObject_Repr(v));
    if (!is_container(v))
        return put_ascii(o, "\"<?>\"");
    if (put_is_open(o, v))
        return put_ascii(o, "\"<cycle>\"");
    if (o->depth >= PUT_MAX_DEPTH)
        return put_ascii(o, "\"<too deep>\"");
    return put_container(o, v);
}

size_t
value_to_json(PyObject *value, char *text, size_t max, bool *ret_cut)
{
    struct out o = { .text = text, .max = max };
    enum put done = put_value(&o, value ? value : Py_None);

    *ret_cut = done != PUT_ALL;
    if (done == PUT_NOT) {
        o.len = 0;
        (void)put_ascii(&o, "null");
    }
    PyErr_Clear();
    return o.len;
}
