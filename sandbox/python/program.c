/* program - one program: read, parsed, compiled */
#include "sandbox/python/tree.h"

#include "sandbox/python/program.h"

#include <string.h>

PyObject *program_filename;
PyObject *program_result_name;

int
program_warm(void)
{
    program_filename = PyUnicode_InternFromString(PROGRAM_FILENAME);
    program_result_name = PyUnicode_InternFromString("<last value>");
    return program_filename && program_result_name ? 0 : -1;
}

static bool
is_blank(const char *text, size_t len)
{
    while (len && memchr(" \t\r\n\f\v", *text, 6)) {
        text++;
        len--;
    }
    return len == 0;
}

/* How many bytes from the start are UTF-8. */
static size_t
utf8_length(const char *text, size_t len)
{
    Py_ssize_t good = (Py_ssize_t)len;
    PyObject *decoded =
        PyUnicode_DecodeUTF8Stateful(text, (Py_ssize_t)len, NULL, &good);
    PyObject *type, *error, *tb;

    if (decoded) {
        Py_DECREF(decoded);
        return (size_t)good;
    }
    PyErr_Fetch(&type, &error, &tb);
    PyErr_NormalizeException(&type, &error, &tb);
    /* Out of memory is another exception, which has no start. */
    if (!PyErr_GivenExceptionMatches(error, PyExc_UnicodeDecodeError) ||
        PyUnicodeDecodeError_GetStart(error, &good) < 0)
        good = 0;
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(tb);
    return (size_t)good;
}

static uint32_t
line_at(const char *text, size_t at)
{
    uint32_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static bool
is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* Where the text stops being one, or its length. */
static size_t
find_bad_byte(struct view code, const char **ret_problem)
{
    const char *nul = memchr(code.data, '\0', code.len);
    size_t good;

    if (nul) {
        *ret_problem = "source code cannot contain null bytes";
        return (size_t)(nul - code.data);
    }
    if (is_ascii(code.data, code.len))
        return code.len;
    good = utf8_length(code.data, code.len);
    if (good < code.len)
        *ret_problem = "source code is not valid UTF-8";
    return good;
}

int
program_read(struct program *p, struct view code, const char **ret_problem,
    uint32_t *ret_line)
{
    size_t good;

    *ret_line = 0;
    if (code.len >= 3 && memcmp(code.data, "\xEF\xBB\xBF", 3) == 0) {
        code.data += 3;
        code.len -= 3;
    }
    if (is_blank(code.data, code.len)) {
        *ret_problem = NULL;
        return -1;
    }
    good = find_bad_byte(code, ret_problem);
    if (good < code.len) {
        *ret_line = line_at(code.data, good);
        return -1;
    }
    p->text = PyMem_Malloc(code.len + 1);
    if (!p->text) {
        *ret_problem = "no memory";
        return -1;
    }
    memcpy(p->text, code.data, code.len);
    p->text[code.len] = '\0';
    p->len = code.len;
    return 0;
}

static PyCompilerFlags
compiler_flags(void)
{
    PyCompilerFlags flags = _PyCompilerFlags_INIT;

    flags.cf_flags = PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE;
    return flags;
}

int
program_parse(struct program *p)
{
    PyCompilerFlags flags = compiler_flags();

    p->arena = _PyArena_New();
    if (!p->arena) {
        PyErr_NoMemory();
        return -1;
    }
    p->tree = _PyParser_ASTFromString(
        p->text, program_filename, Py_file_input, &flags, p->arena);
    return p->tree ? 0 : -1;
}

int
program_keep_last(struct program *p)
{
    asdl_stmt_seq *body = p->tree->v.Module.body;
    stmt_ty last =
        asdl_seq_LEN(body) ? asdl_seq_GET(body, asdl_seq_LEN(body) - 1) : NULL;
    asdl_expr_seq *targets;
    expr_ty name;

    /* A lone string is a docstring, but its value is still wanted. */
    if (!last || last->kind != Expr_kind)
        return 0;
    targets = _Py_asdl_expr_seq_new(1, p->arena);
    name = _PyAST_Name(program_result_name, Store, last->lineno,
        last->col_offset, last->end_lineno, last->end_col_offset, p->arena);
    if (!targets || !name)
        return -1;
    asdl_seq_SET(targets, 0, name);
    last = _PyAST_Assign(targets, last->v.Expr.value, NULL, last->lineno,
        last->col_offset, last->end_lineno, last->end_col_offset, p->arena);
    if (!last)
        return -1;
    asdl_seq_SET(body, asdl_seq_LEN(body) - 1, last);
    return 0;
}

PyObject *
program_compile(struct program *p)
{
    PyCompilerFlags flags = compiler_flags();

    return (PyObject *)_PyAST_Compile(
        p->tree, program_filename, &flags, -1, p->arena);
}

void
program_done(struct program *p)
{
    if (p->arena)
        _PyArena_Free(p->arena);
    p->arena = NULL;
    p->tree = NULL;
}
