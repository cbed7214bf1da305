/* error - an exception as a claim */
#include "sandbox/python/error.h"

#include <frameobject.h>
#include <string.h>

#include "sandbox/base/near.h"
#include "sandbox/python/text.h"

#define ERROR_CHAIN 8 /* exceptions told, from the last one back */
#define ERROR_FRAMES 24 /* frames told of one exception, and the last */
#define ERROR_SAME 3 /* frames told of one place */
#define ERROR_STR_STEPS 200000 /* instructions of an own __str__ */
#define ERROR_LINE 160 /* bytes of a source line */

/* Static, so that a claim can be made when no memory is left. */
static char type_room[CLAIM_MAX_TYPE];
static char message_room[CLAIM_MAX_MESSAGE];
static char trace_room[CLAIM_MAX_DETAIL];

static NEAR const char *source_text;
static NEAR size_t source_len;
static PyObject *name_notes; /* "__notes__" */

int
error_warm(void)
{
    name_notes = PyUnicode_InternFromString("__notes__");
    return name_notes ? 0 : -1;
}

void
error_set_source(const char *source, size_t len)
{
    source_text = source;
    source_len = len;
}

struct view
error_source(void)
{
    return view_of(source_text ? source_text : "", source_len);
}

/* Lines end as the tokenizer ends them: LF, CR LF or CR. */
static const char *
line_end(const char *at, const char *end)
{
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    return at;
}

struct view
error_source_line(uint32_t line)
{
    const char *at = source_text;
    const char *end = source_text + source_len;
    const char *stop;

    while (at < end) {
        stop = line_end(at, end);
        if (--line == 0)
            return view_of(at, (size_t)(stop - at));
        at = stop + 1;
        if (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n')
            at++;
    }
    return view_of("", 0);
}

/* --- the message --------------------------------------------------------- */

/* Ends an own __str__ that does not come back: counts its instructions. */
static int
count_steps(PyObject *unused, PyFrameObject *frame, int what, PyObject *arg)
{
    static long steps;

    (void)unused;
    (void)arg;
    if (what == PyTrace_CALL && PyObject_SetAttrString((PyObject *)frame,
                                    "f_trace_opcodes", Py_True) < 0)
        return -1;
    if (++steps <= ERROR_STR_STEPS)
        return 0;
    PyErr_SetString(PyExc_RuntimeError, "__str__ ran too long");
    return -1;
}

static bool
is_safe_argument(PyObject *v)
{
    return v == Py_None || PyBool_Check(v) || PyUnicode_CheckExact(v) ||
           PyLong_CheckExact(v) || PyFloat_CheckExact(v) ||
           PyBytes_CheckExact(v);
}

static bool
runs_program_code(PyObject *exc)
{
    PyObject *args = ((PyBaseExceptionObject *)exc)->args;

    if (PyType_HasFeature(Py_TYPE(exc), Py_TPFLAGS_HEAPTYPE))
        return true;
    if (!args || !PyTuple_CheckExact(args))
        return true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); i++)
        if (!is_safe_argument(PyTuple_GET_ITEM(args, i)))
            return true;
    return false;
}

static PyObject *
exception_str(PyObject *exc)
{
    PyObject *text;

    if (!runs_program_code(exc))
        return PyObject_Str(exc);
    PyEval_SetTrace(count_steps, NULL);
    text = PyObject_Str(exc);
    PyEval_SetTrace(NULL, NULL);
    return text;
}

static void
add_message(struct text *t, PyObject *exc)
{
    PyObject *text = NULL;

    if (Py_IS_TYPE(exc, (PyTypeObject *)PyExc_KeyError) ||
        !PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_SyntaxError))
        text = exception_str(exc);
    else if (((PySyntaxErrorObject *)exc)->msg)
        text = PyObject_Str(((PySyntaxErrorObject *)exc)->msg);
    if (text && PyUnicode_Check(text)) {
        text_add_str(t, text);
    } else {
        PyErr_Clear();
        text_adds(t, "<the exception's text could not be made>");
    }
    Py_XDECREF(text);
}

static void
add_headline(struct text *t, PyObject *exc)
{
    size_t colon;

    text_add_type(t, Py_TYPE(exc));
    colon = t->len;
    text_adds(t, ": ");
    add_message(t, exc);
    if (t->len == colon + 2)
        t->len = colon;
    text_adds(t, "\n");
}

/* --- the traceback ------------------------------------------------------- */

static void
add_source_line(struct text *t, uint32_t line)
{
    struct view v = error_source_line(line);

    while (v.len && (*v.data == ' ' || *v.data == '\t' || *v.data == '\f')) {
        v.data++;
        v.len--;
    }
    if (!v.len)
        return;
    text_adds(t, "    ");
    text_add(t, v.data, v.len < ERROR_LINE ? v.len : ERROR_LINE);
    text_adds(t, "\n");
}

static bool
is_program_frame(PyTracebackObject *tb, PyCodeObject **ret_code)
{
    PyCodeObject *code = PyFrame_GetCode(tb->tb_frame);

    Py_DECREF(code); /* the frame keeps it */
    *ret_code = code;
    return code->co_filename == program_filename;
}

static uint32_t
frame_line(PyTracebackObject *tb, PyCodeObject *code)
{
    int line = PyCode_Addr2Line(code, tb->tb_lasti);

    return line > 0 ? (uint32_t)line : 0;
}

static void
add_frame(struct text *t, PyCodeObject *code, uint32_t line)
{
    text_addf(t, "  File \"" PROGRAM_FILENAME "\", line %u, in ", line);
    text_add_str(t, code->co_name);
    text_adds(t, "\n");
    add_source_line(t, line);
}

static unsigned
count_frames(PyTracebackObject *tb)
{
    PyCodeObject *code;
    unsigned n = 0;

    for (; tb; tb = tb->tb_next)
        n += is_program_frame(tb, &code);
    return n;
}

/* Frames of one place after each other are told ERROR_SAME times. */
struct repeat {
    PyCodeObject *code;
    uint32_t line;
    unsigned times;
};

static bool
is_repeated(struct repeat *r, PyCodeObject *code, uint32_t line)
{
    if (r->code != code || r->line != line) {
        r->code = code;
        r->line = line;
        r->times = 0;
    }
    return ++r->times > ERROR_SAME;
}

static void
add_repeated(struct text *t, const struct repeat *r)
{
    if (r->times > ERROR_SAME)
        text_addf(t, "  [Previous line repeated %u more times]\n",
            r->times - ERROR_SAME);
}

/* Returns the line of the innermost frame of the program, 0 for none. */
static uint32_t
add_frames(struct text *t, PyTracebackObject *tb)
{
    unsigned total = count_frames(tb);
    unsigned n = 0;
    uint32_t line = 0;
    struct repeat last = { 0 };
    PyCodeObject *code;

    if (!total)
        return 0;
    text_adds(t, "Traceback (most recent call last):\n");
    for (; tb; tb = tb->tb_next) {
        if (!is_program_frame(tb, &code))
            continue;
        line = frame_line(tb, code);
        if (last.code && (last.code != code || last.line != line))
            add_repeated(t, &last);
        if (is_repeated(&last, code, line))
            continue;
        n++;
        if (n <= ERROR_FRAMES)
            add_frame(t, code, line);
        else if (n == ERROR_FRAMES + 1)
            text_adds(t, "  [more frames]\n");
    }
    add_repeated(t, &last);
    if (n > ERROR_FRAMES)
        add_frame(t, last.code, line);
    return line;
}

static void
add_caret(struct text *t, PyObject *exc)
{
    PySyntaxErrorObject *e = (PySyntaxErrorObject *)exc;
    long line =
        e->lineno && PyLong_Check(e->lineno) ? PyLong_AsLong(e->lineno) : 0;
    long at =
        e->offset && PyLong_Check(e->offset) ? PyLong_AsLong(e->offset) : 0;
    struct view v;
    long indent = 0;

    PyErr_Clear();
    if (line <= 0)
        return;
    if (e->filename != program_filename) {
        text_addf(t, "  File \"<string>\", line %ld\n", line);
        return;
    }
    text_addf(t, "  File \"" PROGRAM_FILENAME "\", line %ld\n", line);
    add_source_line(t, (uint32_t)line);
    v = error_source_line((uint32_t)line);
    while ((size_t)indent < v.len &&
           (v.data[indent] == ' ' || v.data[indent] == '\t'))
        indent++;
    if (at > indent && at - indent <= ERROR_LINE)
        text_addf(t, "    %*s\n", (int)(at - indent), "^");
}

static void
add_notes(struct text *t, PyObject *exc)
{
    PyObject *dict = ((PyBaseExceptionObject *)exc)->dict;
    PyObject *notes = dict ? PyDict_GetItemWithError(dict, name_notes) : NULL;

    if (!notes || !PyList_CheckExact(notes))
        return;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(notes); i++) {
        if (!PyUnicode_Check(PyList_GET_ITEM(notes, i)))
            continue;
        text_add_str(t, PyList_GET_ITEM(notes, i));
        text_adds(t, "\n");
    }
}

static uint32_t
add_one(struct text *t, PyObject *exc)
{
    PyObject *tb = ((PyBaseExceptionObject *)exc)->traceback;
    uint32_t line = 0;

    if (tb && PyTraceBack_Check(tb))
        line = add_frames(t, (PyTracebackObject *)tb);
    if (PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_SyntaxError))
        add_caret(t, exc);
    add_headline(t, exc);
    add_notes(t, exc);
    return line;
}

static bool
is_among(PyObject *exc, PyObject *const *chain, int n)
{
    for (int i = 0; i < n; i++)
        if (chain[i] == exc)
            return true;
    return false;
}

/* Oldest first, as CPython prints them; at most ERROR_CHAIN. */
static uint32_t
add_chain(struct text *t, PyObject *exc)
{
    PyObject *chain[ERROR_CHAIN];
    PyBaseExceptionObject *e;
    uint32_t line = 0;
    int n = 0;

    while (exc && n < ERROR_CHAIN && !is_among(exc, chain, n)) {
        chain[n++] = exc;
        e = (PyBaseExceptionObject *)exc;
        exc = e->cause ? e->cause : e->suppress_context ? NULL : e->context;
    }
    while (n--) {
        line = add_one(t, chain[n]);
        if (n == 0)
            break;
        text_adds(t,
            ((PyBaseExceptionObject *)chain[n - 1])->cause
                ? "\nThe above exception was the direct cause of the following "
                  "exception:\n\n"
                : "\nDuring handling of the above exception, another exception "
                  "occurred:\n\n");
    }
    return line;
}

/* --- the claim ----------------------------------------------------------- */

/* The pending exception as an object; a new reference, or NULL. */
static PyObject *
take_pending(void)
{
    PyObject *type, *value, *tb;

    PyErr_Fetch(&type, &value, &tb);
    if (!type)
        return NULL;
    PyErr_NormalizeException(&type, &value, &tb);
    if (value && tb)
        (void)PyException_SetTraceback(value, tb);
    Py_XDECREF(type);
    Py_XDECREF(tb);
    PyErr_Clear();
    return value;
}

static void
tell_nothing_known(struct claim *claim)
{
    claim->type = view_of("SystemError", 11);
    claim->message = view_of("the program ended without a reason", 34);
}

static uint32_t
syntax_number(PyObject *number)
{
    long n = number && PyLong_Check(number) ? PyLong_AsLong(number) : 0;

    PyErr_Clear();
    return n > 0 ? (uint32_t)n : 0;
}

void
error_tell(PyObject *exc, struct claim *claim)
{
    struct text type = { type_room, 0, sizeof(type_room) };
    struct text message = { message_room, 0, sizeof(message_room) };
    struct text trace = { trace_room, 0, sizeof(trace_room) };
    PyObject *owned = exc ? Py_NewRef(exc) : take_pending();

    claim->kind = CLAIM_ERROR;
    if (!owned) {
        tell_nothing_known(claim);
        return;
    }
    text_add_type(&type, Py_TYPE(owned));
    add_message(&message, owned);
    claim->line = add_chain(&trace, owned);
    if (PyObject_TypeCheck(owned, (PyTypeObject *)PyExc_SyntaxError) &&
        !claim->line &&
        ((PySyntaxErrorObject *)owned)->filename == program_filename) {
        claim->line = syntax_number(((PySyntaxErrorObject *)owned)->lineno);
        claim->column = syntax_number(((PySyntaxErrorObject *)owned)->offset);
    }
    if (PyErr_GivenExceptionMatches(owned, PyExc_MemoryError))
        claim->flags |= CLAIM_NO_MEMORY;
    claim->type = text_view(&type);
    claim->message = text_view(&message);
    claim->traceback = text_view(&trace);
    Py_DECREF(owned);
}

/* What the parser raised that is no SyntaxError says too little by itself. */
static const char *
parser_sentence(PyObject *exc)
{
    if (PyErr_GivenExceptionMatches(exc, PyExc_MemoryError))
        return "too deeply nested or too large for the parser";
    if (PyErr_GivenExceptionMatches(exc, PyExc_RecursionError))
        return "too deeply nested";
    return NULL;
}

void
error_tell_parse(PyObject *exc, const char *prefix, struct claim *claim)
{
    struct text message = { message_room, 0, sizeof(message_room) };
    struct text trace = { trace_room, 0, sizeof(trace_room) };
    PyObject *owned = exc ? Py_NewRef(exc) : take_pending();
    const char *sentence = owned ? parser_sentence(owned) : "invalid code";

    text_adds(&message, prefix);
    if (sentence)
        text_adds(&message, sentence);
    else
        add_message(&message, owned);
    if (owned && PyObject_TypeCheck(owned, (PyTypeObject *)PyExc_SyntaxError)) {
        claim->line = syntax_number(((PySyntaxErrorObject *)owned)->lineno);
        claim->column = syntax_number(((PySyntaxErrorObject *)owned)->offset);
        add_caret(&trace, owned);
    }
    if (claim->line)
        text_addf(&message, " (line %u)", claim->line);
    claim->message = text_view(&message);
    claim->traceback = text_view(&trace);
    Py_XDECREF(owned);
}
