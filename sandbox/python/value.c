/*
 * value - the program's return value as JSON text
 *
 * A writer with a hard end.  `closers` bytes are always kept free for the
 * brackets that are still open, so whatever happens the text can be finished.
 * A piece that does not fit is taken back to where it began (PUT_NOT) and its
 * container ends there; a string may instead be shortened (PUT_CUT).
 */
#include "sandbox/python/value.h"

#include <datetime.h>
#include <string.h>

#include "sandbox/python/text.h"

enum put {
    PUT_ALL, /* written whole */
    PUT_CUT, /* written, something left out: nothing more may follow */
    PUT_NOT, /* did not fit; the caller takes back what there is */
};

struct out {
    char *text;
    size_t len;
    size_t max;
    size_t closers;
    PyObject *open[VALUE_MAX_DEPTH]; /* containers we are inside of */
    int depth;
};

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
static PyTypeObject *zone_type; /* datetime.timezone */
static PyTypeObject *zoneinfo_type;
static PyObject *name_value; /* "_value_" */
static PyObject *name_fields; /* "_fields" */
static PyObject *name_dataclass; /* "__dataclass_fields__" */

static PyTypeObject *
find_type(const char *module, const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *m = PyDict_GetItemString(modules, module);
    PyObject *t = m ? PyObject_GetAttrString(m, name) : NULL;

    if (t && PyType_Check(t))
        return (PyTypeObject *)t;
    PyErr_Clear();
    Py_XDECREF(t);
    return NULL;
}

int
value_warm(void)
{
    PyDateTime_IMPORT;
    if (!PyDateTimeAPI)
        PyErr_Clear();
    for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
        known_types[i].type =
            find_type(known_types[i].module, known_types[i].name);
    enum_meta = find_type("enum", "EnumType");
    zone_type = find_type("datetime", "timezone");
    zoneinfo_type = find_type("zoneinfo", "ZoneInfo");
    name_value = PyUnicode_InternFromString("_value_");
    name_fields = PyUnicode_InternFromString("_fields");
    name_dataclass = PyUnicode_InternFromString("__dataclass_fields__");
    return name_value && name_fields && name_dataclass ? 0 : -1;
}

/* --- the writer ---------------------------------------------------------- */

static bool
fits(const struct out *o, size_t len)
{
    return o->len + len + o->closers <= o->max;
}

static enum put
put_raw(struct out *o, const char *bytes, size_t len)
{
    if (!fits(o, len))
        return PUT_NOT;
    memcpy(o->text + o->len, bytes, len);
    o->len += len;
    return PUT_ALL;
}

static enum put
put_ascii(struct out *o, const char *text)
{
    return put_raw(o, text, strlen(text));
}

/* One character as it stands in a JSON string; returns its length. */
static size_t
escape_char(Py_UCS4 c, char room[8])
{
    static const char hex[] = "0123456789abcdef";
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; i + 1 < sizeof(names); i += 2)
        if ((Py_UCS4)names[i] == c) {
            room[0] = '\\';
            room[1] = names[i + 1];
            return 2;
        }
    if (c < 0x20) {
        memcpy(room, "\\u00", 4);
        room[4] = hex[c >> 4];
        room[5] = hex[c & 15];
        return 6;
    }
    return text_encode(c, room);
}

/* A str (or an object of a subclass: its characters) as a JSON string. */
static enum put
put_str(struct out *o, PyObject *text, bool may_cut)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    enum put done = PUT_ALL;
    char room[8];
    size_t len;

    if (!fits(o, 2))
        return PUT_NOT;
    o->text[o->len++] = '"';
    o->closers++;
    for (Py_ssize_t i = 0; i < n; i++) {
        len = escape_char(PyUnicode_READ(kind, data, i), room);
        if (put_raw(o, room, len) == PUT_NOT) {
            done = may_cut ? PUT_CUT : PUT_NOT;
            break;
        }
    }
    o->closers--;
    o->text[o->len++] = '"';
    return done;
}

/* `text` is a new reference or NULL (an error: shown as a placeholder). */
static enum put
put_new_str(struct out *o, PyObject *text)
{
    enum put done;

    if (!text || !PyUnicode_Check(text)) {
        PyErr_Clear();
        Py_XDECREF(text);
        return put_ascii(o, "\"<?>\"");
    }
    done = put_str(o, text, true);
    Py_DECREF(text);
    return done;
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

/* --- scalars ------------------------------------------------------------- */

static enum put
put_int(struct out *o, PyObject *value)
{
    PyObject *digits = PyLong_Type.tp_repr(value);
    enum put done;

    if (!digits) { /* more digits than CPython agrees to print */
        PyErr_Clear();
        return put_new_str(o,
            PyUnicode_FromFormat("<int of %zu bits>", _PyLong_NumBits(value)));
    }
    done = put_raw(
        o, PyUnicode_DATA(digits), (size_t)PyUnicode_GET_LENGTH(digits));
    Py_DECREF(digits);
    return done;
}

static enum put
put_float(struct out *o, double value)
{
    char *digits;
    enum put done;

    if (value != value)
        return put_ascii(o, "\"NaN\"");
    if (value - value != 0)
        return put_ascii(o, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (!digits) {
        PyErr_Clear();
        return put_ascii(o, "null");
    }
    done = put_ascii(o, digits);
    PyMem_Free(digits);
    return done;
}

/* Only zones of the library are asked: another one is the program's code. */
static PyObject *
zone_text(PyObject *value, PyObject *zone)
{
    if (zone == Py_None ||
        (Py_TYPE(zone) != zone_type &&
            (!zoneinfo_type || Py_TYPE(zone) != zoneinfo_type)))
        return PyUnicode_FromString("");
    if (PyDateTime_Check(value))
        return PyObject_CallMethod(zone, "utcoffset", "O", value);
    return PyObject_CallMethod(zone, "utcoffset", "O", Py_None);
}

static void
offset_text(PyObject *offset, char *room, size_t size)
{
    int seconds;
    char sign = '+';

    room[0] = '\0';
    if (!offset || !PyDelta_Check(offset)) {
        PyErr_Clear();
        return;
    }
    seconds = PyDateTime_DELTA_GET_DAYS(offset) * 86400 +
              PyDateTime_DELTA_GET_SECONDS(offset);
    if (seconds < 0) {
        sign = '-';
        seconds = -seconds;
    }
    (void)snprintf(
        room, size, "%c%02d:%02d", sign, seconds / 3600, seconds / 60 % 60);
}

static enum put
put_clock(struct out *o, const char *date, PyObject *zone_offset, int h, int m,
    int s, int us)
{
    char room[96], zone[16], fraction[16] = "";

    offset_text(zone_offset, zone, sizeof(zone));
    Py_XDECREF(zone_offset);
    if (us)
        (void)snprintf(fraction, sizeof(fraction), ".%06d", us);
    (void)snprintf(room, sizeof(room), "\"%s%02d:%02d:%02d%s%s\"", date, h, m,
        s, fraction, zone);
    return put_ascii(o, room);
}

static bool
is_date_like(PyObject *v)
{
    return PyDateTimeAPI &&
           (PyDate_Check(v) || PyTime_Check(v) || PyDelta_Check(v));
}

/* date, datetime and time in ISO 8601; a timedelta in seconds. */
static enum put
put_date_like(struct out *o, PyObject *v)
{
    char date[32];

    if (PyDelta_Check(v))
        return put_float(o, PyDateTime_DELTA_GET_DAYS(v) * 86400.0 +
                                PyDateTime_DELTA_GET_SECONDS(v) +
                                PyDateTime_DELTA_GET_MICROSECONDS(v) / 1e6);
    if (PyTime_Check(v))
        return put_clock(o, "", zone_text(v, PyDateTime_TIME_GET_TZINFO(v)),
            PyDateTime_TIME_GET_HOUR(v), PyDateTime_TIME_GET_MINUTE(v),
            PyDateTime_TIME_GET_SECOND(v), PyDateTime_TIME_GET_MICROSECOND(v));
    (void)snprintf(date, sizeof(date), "%04d-%02d-%02dT",
        PyDateTime_GET_YEAR(v), PyDateTime_GET_MONTH(v), PyDateTime_GET_DAY(v));
    if (PyDateTime_Check(v))
        return put_clock(o, date, zone_text(v, PyDateTime_DATE_GET_TZINFO(v)),
            PyDateTime_DATE_GET_HOUR(v), PyDateTime_DATE_GET_MINUTE(v),
            PyDateTime_DATE_GET_SECOND(v), PyDateTime_DATE_GET_MICROSECOND(v));
    date[10] = '\0';
    return put_new_str(o, PyUnicode_FromString(date));
}

/* --- containers ---------------------------------------------------------- */

static const struct known *
known_of(PyObject *v)
{
    for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
        if (known_types[i].type == Py_TYPE(v))
            return &known_types[i];
    return NULL;
}

static enum put put_value(struct out *o, PyObject *v);

static bool
is_open(const struct out *o, PyObject *container)
{
    for (int i = 0; i < o->depth; i++)
        if (o->open[i] == container)
            return true;
    return false;
}

static enum put
open_container(struct out *o, PyObject *container, char bracket)
{
    if (!fits(o, 2))
        return PUT_NOT;
    o->text[o->len++] = bracket;
    o->closers++;
    o->open[o->depth++] = container;
    return PUT_ALL;
}

static enum put
close_container(struct out *o, char bracket, enum put done)
{
    o->depth--;
    o->closers--;
    o->text[o->len++] = bracket;
    return done;
}

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
    enum put done = open_container(o, container, '[');

    if (done != PUT_ALL)
        return done;
    for (Py_ssize_t i = 0; i < n && done == PUT_ALL; i++)
        done = put_element(o, items[i], i == 0);
    return close_container(o, ']', done);
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
        is_date_like(key) || (k && k->how == KNOWN_STR))
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

static enum put
put_plain_dict(struct out *o, PyObject *container, PyObject *dict)
{
    enum put done = open_container(o, container, '{');
    bool is_first = true;
    Py_ssize_t at = 0;
    PyObject *key, *v;

    if (done != PUT_ALL)
        return done;
    while (done == PUT_ALL && PyDict_Next(dict, &at, &key, &v)) {
        done = put_pair(o, key, v, is_first);
        is_first = false;
    }
    return close_container(o, '}', done);
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

    if (!stored || o->depth >= VALUE_MAX_DEPTH || is_open(o, v)) {
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
    if (is_date_like(v))
        return put_date_like(o, v);
    if (PyBytes_CheckExact(v) || PyByteArray_CheckExact(v) ||
        PyComplex_CheckExact(v))
        return put_new_str(o, PyObject_Repr(v));
    if (!is_container(v))
        return put_ascii(o, "\"<?>\"");
    if (is_open(o, v))
        return put_ascii(o, "\"<cycle>\"");
    if (o->depth >= VALUE_MAX_DEPTH)
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
