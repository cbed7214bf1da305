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

static bool
is_utf8(const char *text, size_t len)
{
    PyObject *decoded = PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, NULL);

    if (!decoded)
        PyErr_Clear();
    Py_XDECREF(decoded);
    return decoded != NULL;
}

static bool
is_ascii(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

int
program_read(struct program *p, struct view code, const char **ret_problem)
{
    if (code.len >= 3 && memcmp(code.data, "\xEF\xBB\xBF", 3) == 0) {
        code.data += 3;
        code.len -= 3;
    }
    if (is_blank(code.data, code.len)) {
        *ret_problem = "Code payload is empty";
        return -1;
    }
    if (memchr(code.data, '\0', code.len)) {
        *ret_problem =
            "Code failed to parse: source code cannot contain null bytes";
        return -1;
    }
    if (!is_ascii(code.data, code.len) && !is_utf8(code.data, code.len)) {
        *ret_problem = "Code failed to parse: source code is not valid UTF-8";
        return -1;
    }
    p->text = malloc(code.len + 1);
    if (!p->text) {
        *ret_problem = "Code failed to parse: no memory";
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
    stmt_ty last = asdl_seq_LEN(body) ?
        asdl_seq_GET(body, asdl_seq_LEN(body) - 1) :
        NULL;
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
