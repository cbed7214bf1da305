/* context - the caller's values as variables of the program */
#include "sandbox/python/context.h"

#include <stdio.h>
#include <string.h>

#include "sandbox/python/rules.h"

#define CONTEXT_MAX_DIGITS 4300 /* CPython's own bound for an int as text */

struct reader {
    const char *at;
    const char *end;
    const char *problem; /* the sentence, once something is wrong */
    int depth;
};

static const char bad_json[] = "Context is not a valid JSON object";
static const char bad_depth[] = "Context nesting exceeds allowed depth";
static const char bad_size[] = "Context size exceeds 1048576 bytes";
static const char bad_key[] = "Context keys must be identifiers";

static PyObject *normalize; /* unicodedata.normalize */
static char reserved_room[256];

int
context_warm(void)
{
    PyObject *m = PyImport_ImportModule("unicodedata");

    if (!m)
        return -1;
    normalize = PyObject_GetAttrString(m, "normalize");
    Py_DECREF(m);
    return normalize ? 0 : -1;
}

static PyObject *
wrong(struct reader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
    return NULL;
}

static void
skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' ||
                                 *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool
take(struct reader *r, char c)
{
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static PyObject *read_value(struct reader *r);

/* --- strings ------------------------------------------------------------- */

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The four digits after \u; -1 when they are none. */
static long
read_hex4(const char *at, const char *end)
{
    long value = 0;

    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        if (hex_digit(at[i]) < 0)
            return -1;
        value = value * 16 + hex_digit(at[i]);
    }
    return value;
}

static Py_UCS4
utf8_char(const char **at)
{
    const unsigned char *p = (const unsigned char *)*at;
    int more = *p < 0x80 ? 0 : *p < 0xE0 ? 1 : *p < 0xF0 ? 2 : 3;
    Py_UCS4 c = more == 0 ? *p : (Py_UCS4)(*p & (0x3F >> more));

    for (int i = 1; i <= more; i++)
        c = c << 6 | (p[i] & 0x3F);
    *at += more + 1;
    return c;
}

/* One escape, after the backslash; -1 when it is none. */
static long
escape_value(const char **at, const char *end)
{
    static const char names[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char c = *(*at)++;
    long high, low;

    for (size_t i = 0; i + 1 < sizeof(names); i += 2)
        if (names[i] == c)
            return names[i + 1];
    if (c != 'u' || (high = read_hex4(*at, end)) < 0)
        return -1;
    *at += 4;
    if (high < 0xD800 || high > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' ||
        (*at)[1] != 'u')
        return high;
    low = read_hex4(*at + 2, end);
    if (low < 0xDC00 || low > 0xDFFF)
        return high;
    *at += 6;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

static PyObject *
unescape(struct reader *r, const char *at, const char *end)
{
    Py_UCS4 *chars = PyMem_Malloc((size_t)(end - at) * sizeof(Py_UCS4));
    Py_ssize_t n = 0;
    PyObject *text;
    long c;

    if (!chars)
        return PyErr_NoMemory();
    while (at < end) {
        if (*at != '\\') {
            chars[n++] = utf8_char(&at);
            continue;
        }
        at++;
        c = escape_value(&at, end);
        if (c < 0) {
            PyMem_Free(chars);
            return wrong(r, bad_json);
        }
        chars[n++] = (Py_UCS4)c;
    }
    text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, chars, n);
    PyMem_Free(chars);
    return text;
}

static bool
is_utf8(struct reader *r, const char *at, const char *end)
{
    PyObject *text = PyUnicode_DecodeUTF8(at, end - at, NULL);

    if (!text) {
        PyErr_Clear();
        (void)wrong(r, bad_json);
        return false;
    }
    Py_DECREF(text);
    return true;
}

/* After the opening quote. */
static PyObject *
read_string(struct reader *r)
{
    const char *start = r->at;
    bool has_escapes = false;
    PyObject *text;

    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return wrong(r, bad_json);
        if (*r->at == '\\') {
            has_escapes = true;
            r->at++;
        }
        r->at++;
    }
    if (r->at >= r->end)
        return wrong(r, bad_json);
    r->at++;
    if (has_escapes)
        return is_utf8(r, start, r->at - 1) ? unescape(r, start, r->at - 1)
                                            : NULL;
    text = PyUnicode_DecodeUTF8(start, r->at - 1 - start, NULL);
    if (!text && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        return wrong(r, bad_json);
    }
    return text;
}

/* --- numbers and words --------------------------------------------------- */

static size_t
skip_digits(struct reader *r)
{
    const char *start = r->at;

    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - start);
}

/* Moves over a number; false when it is none.  Sets *ret_float. */
static bool
skip_number(struct reader *r, bool *ret_float)
{
    bool leads_with_zero;

    (void)take(r, '-');
    leads_with_zero = r->at < r->end && *r->at == '0';
    switch (skip_digits(r)) {
    case 0:
        return false;
    case 1:
        break;
    default:
        if (leads_with_zero)
            return false;
    }
    *ret_float = false;
    if (take(r, '.')) {
        *ret_float = true;
        if (!skip_digits(r))
            return false;
    }
    if (take(r, 'e') || take(r, 'E')) {
        *ret_float = true;
        if (!take(r, '+'))
            (void)take(r, '-');
        if (!skip_digits(r))
            return false;
    }
    return true;
}

static PyObject *
read_number(struct reader *r)
{
    const char *start = r->at;
    char room[CONTEXT_MAX_DIGITS + 2];
    bool is_float = false;
    double value;

    if (!skip_number(r, &is_float))
        return wrong(r, bad_json);
    if ((size_t)(r->at - start) >= sizeof(room))
        return wrong(r, "Context has a number with too many digits");
    memcpy(room, start, (size_t)(r->at - start));
    room[r->at - start] = '\0';
    if (!is_float)
        return PyLong_FromString(room, NULL, 10);
    value = PyOS_string_to_double(room, NULL, NULL);
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(value);
}

static PyObject *
read_word(struct reader *r)
{
    static const struct {
        const char *word;
        PyObject *value;
    } words[] = {
        { "null", Py_None },
        { "true", Py_True },
        { "false", Py_False },
    };
    size_t len;

    for (size_t i = 0; i < 3; i++) {
        len = strlen(words[i].word);
        if ((size_t)(r->end - r->at) >= len &&
            memcmp(r->at, words[i].word, len) == 0) {
            r->at += len;
            return Py_NewRef(words[i].value);
        }
    }
    return wrong(r, bad_json);
}

/* --- containers ---------------------------------------------------------- */

static PyObject *
read_list(struct reader *r)
{
    PyObject *list = PyList_New(0);
    PyObject *item;
    int rc;

    skip_space(r);
    if (!list || take(r, ']'))
        return list;
    do {
        item = read_value(r);
        rc = item ? PyList_Append(list, item) : -1;
        Py_XDECREF(item);
        skip_space(r);
    } while (rc == 0 && take(r, ','));
    if (rc == 0 && take(r, ']'))
        return list;
    Py_DECREF(list);
    return PyErr_Occurred() ? NULL : wrong(r, bad_json);
}

/* "key" and its colon; a new reference or NULL. */
static PyObject *
read_key(struct reader *r)
{
    PyObject *key;

    skip_space(r);
    if (!take(r, '"'))
        return wrong(r, bad_json);
    key = read_string(r);
    skip_space(r);
    if (key && !take(r, ':')) {
        Py_DECREF(key);
        return wrong(r, bad_json);
    }
    return key;
}

typedef bool key_check(void *with, PyObject *key);

/* After the brace; every key is shown to `check`, which may refuse it. */
static int
read_pairs(struct reader *r, PyObject *dict, key_check *check, void *with)
{
    PyObject *key, *value;
    int rc;

    skip_space(r);
    if (take(r, '}'))
        return 0;
    do {
        key = read_key(r);
        if (!key)
            return -1;
        value = check && !check(with, key) ? NULL : read_value(r);
        rc = value ? PyDict_SetItem(dict, key, value) : -1;
        Py_DECREF(key);
        Py_XDECREF(value);
        skip_space(r);
    } while (rc == 0 && take(r, ','));
    if (rc == 0 && take(r, '}'))
        return 0;
    if (!PyErr_Occurred())
        (void)wrong(r, bad_json);
    return -1;
}

static PyObject *
read_object(struct reader *r)
{
    PyObject *dict = PyDict_New();

    if (dict && read_pairs(r, dict, NULL, NULL) < 0)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *
read_container(struct reader *r, PyObject *(*read)(struct reader *))
{
    PyObject *made;

    if (r->depth >= CONTEXT_MAX_DEPTH)
        return wrong(r, bad_depth);
    r->at++;
    r->depth++;
    made = read(r);
    r->depth--;
    return made;
}

static PyObject *
read_value(struct reader *r)
{
    skip_space(r);
    if (r->at >= r->end)
        return wrong(r, bad_json);
    switch (*r->at) {
    case '"':
        r->at++;
        return read_string(r);
    case '[':
        return read_container(r, read_list);
    case '{':
        return read_container(r, read_object);
    case '-':
    case '0' ... '9':
        return read_number(r);
    default:
        return read_word(r);
    }
}

/* --- the top ------------------------------------------------------------- */

struct top {
    struct reader *r;
    PyObject *globals; /* as it was before: names of the server */
    PyObject *builtins;
};

/* A name the program could write: an identifier in its normal form. */
static bool
is_writable_name(PyObject *key)
{
    PyObject *normal;
    bool same;

    if (!PyUnicode_IsIdentifier(key))
        return false;
    if (PyUnicode_IS_ASCII(key))
        return true;
    normal = PyObject_CallFunction(normalize, "sO", "NFKC", key);
    same = normal && PyUnicode_Compare(normal, key) == 0;
    Py_XDECREF(normal);
    PyErr_Clear();
    return same;
}

static bool
is_reserved(const struct top *top, PyObject *key)
{
    const char *name = PyUnicode_AsUTF8(key);

    if (!name) {
        PyErr_Clear();
        return true;
    }
    return strcmp(name, "_") == 0 || strncmp(name, "__", 2) == 0 ||
           rules_is_keyword(name) || rules_is_outside_name(name) ||
           PyDict_Contains(top->builtins, key) != 0 ||
           PyDict_Contains(PyEval_GetBuiltins(), key) != 0 ||
           PyDict_Contains(top->globals, key) != 0;
}

static bool
check_key(void *with, PyObject *key)
{
    struct top *top = with;
    const char *name;

    if (!is_writable_name(key)) {
        (void)wrong(top->r, bad_key);
        return false;
    }
    if (!is_reserved(top, key))
        return true;
    name = PyUnicode_AsUTF8(key);
    (void)snprintf(reserved_room, sizeof(reserved_room),
        "Context key '%.200s' is reserved", name ? name : "?");
    (void)wrong(top->r, reserved_room);
    return false;
}

static int
read_top(struct reader *r, PyObject *globals, PyObject *builtins)
{
    struct top top = { r, globals, builtins };
    PyObject *made = PyDict_New();
    int rc = -1;

    skip_space(r);
    if (!made)
        return -1;
    if (!take(r, '{'))
        (void)wrong(r, bad_json);
    else
        rc = read_pairs(r, made, check_key, &top);
    skip_space(r);
    if (rc == 0 && r->at != r->end) {
        (void)wrong(r, bad_json);
        rc = -1;
    }
    if (rc == 0)
        rc = PyDict_Update(globals, made);
    Py_DECREF(made);
    return rc;
}

int
context_into(struct view json, PyObject *globals, PyObject *builtins,
    struct claim *claim)
{
    struct reader r = { .at = json.data, .end = json.data + json.len };

    if (!json.len)
        return 0;
    if (json.len > CONTEXT_MAX_BYTES)
        (void)wrong(&r, bad_size);
    else if (read_top(&r, globals, builtins) == 0)
        return 0;
    if (!r.problem)
        return -1;
    PyErr_Clear();
    claim->kind = CLAIM_REFUSED;
    claim->type = view_of("context", 7);
    claim->message = view_of(r.problem, strlen(r.problem));
    return -1;
}
