/* context - the variables that a request hands to its program */
#include "fcgi-app/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/copy.h"
#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/settings/settings.h"

/*
 * Keywords of Python 3.11 and the names of its builtins, sorted.  The soft
 * keywords (match, case) are names like any other.
 */
/* clang-format off */
static const char *const reserved_names[] = {
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException",
    "BaseExceptionGroup", "BlockingIOError", "BrokenPipeError", "BufferError",
    "BytesWarning", "ChildProcessError", "ConnectionAbortedError",
    "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
    "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning",
    "EnvironmentError", "Exception", "ExceptionGroup", "False",
    "FileExistsError", "FileNotFoundError", "FloatingPointError",
    "FutureWarning", "GeneratorExit", "IOError", "ImportError",
    "ImportWarning", "IndentationError", "IndexError", "InterruptedError",
    "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError",
    "MemoryError", "ModuleNotFoundError", "NameError", "None",
    "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError",
    "OverflowError", "PendingDeprecationWarning", "PermissionError",
    "ProcessLookupError", "RecursionError", "ReferenceError",
    "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration",
    "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError",
    "SystemExit", "TabError", "TimeoutError", "True", "TypeError",
    "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError",
    "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning",
    "ValueError", "Warning", "ZeroDivisionError", "abs", "aiter", "all", "and",
    "anext", "any", "as", "ascii", "assert", "async", "await", "bin", "bool",
    "break", "breakpoint", "bytearray", "bytes", "callable", "chr", "class",
    "classmethod", "compile", "complex", "continue", "def", "del", "delattr",
    "dict", "dir", "divmod", "elif", "else", "enumerate", "eval", "except",
    "exec", "exit", "filter", "finally", "float", "for", "format", "from",
    "frozenset", "getattr", "global", "globals", "hasattr", "hash", "help",
    "hex", "id", "if", "import", "in", "input", "int", "is", "isinstance",
    "issubclass", "iter", "lambda", "len", "list", "locals", "map", "max",
    "memoryview", "min", "next", "nonlocal", "not", "object", "oct", "open",
    "or", "ord", "pass", "pow", "print", "property", "quit", "raise", "range",
    "repr", "return", "reversed", "round", "set", "setattr", "slice", "sorted",
    "staticmethod", "str", "sum", "super", "try", "tuple", "type", "vars",
    "while", "with", "yield", "zip",
};
/* clang-format on */

static int
compare_name(const void *key, const void *row)
{
    return strcmp(key, *(const char *const *)row);
}

/* Dunders, and the names with a guard's shape: _getattr_, _print_, _. */
static bool
has_guard_shape(const char *name, size_t len)
{
    if (name[0] != '_')
        return false;
    return name[len - 1] == '_' || (len > 1 && name[1] == '_');
}

bool
context_is_reserved(const char *name, size_t len)
{
    char text[CONTEXT_KEY_ROOM]; /* longer than any name in the list */

    if (len == 0)
        return false;
    if (has_guard_shape(name, len))
        return true;
    if (len >= sizeof(text))
        return false;
    memcpy(text, name, len);
    text[len] = '\0';
    return bsearch(text, reserved_names,
               sizeof(reserved_names) / sizeof(reserved_names[0]),
               sizeof(reserved_names[0]), compare_name) != NULL;
}

static bool
is_name_byte(char c, bool is_first)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return true;
    if ((unsigned char)c >= 0x80)
        return true;
    return !is_first && c >= '0' && c <= '9';
}

bool
context_is_identifier(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_name_byte(name[i], i == 0))
            return false;
    return len > 0;
}

static void
keys_keep(struct order_keys *keys, const char *name, size_t len)
{
    if (keys->count < CONTEXT_KEYS_KEPT)
        (void)utf8_safe(keys->names[keys->count], CONTEXT_KEY_ROOM, name, len);
    keys->count++;
}

/* One top-level key; the first broken rule is the one that is told. */
static int
check_key(struct view token, struct order_keys *keys, char *detail)
{
    char shown[CONTEXT_KEY_ROOM];
    struct buf name;

    buf_init(&name, token.len);
    json_unescape(&name, token);
    if (!buf_ok(&name)) {
        buf_done(&name);
        return -ENOMEM;
    }
    keys_keep(keys, name.data, name.len);
    if (detail[0] == '\0' && !context_is_identifier(name.data, name.len))
        (void)snprintf(
            detail, CONTEXT_MAX_DETAIL, "Context keys must be identifiers");
    else if (detail[0] == '\0' && context_is_reserved(name.data, name.len))
        (void)snprintf(detail, CONTEXT_MAX_DETAIL,
            "Context key '%s' is reserved",
            utf8_safe(shown, sizeof(shown), name.data, name.len));
    buf_done(&name);
    return 0;
}

static int
check_tokens(struct view text, struct order_keys *keys, char *detail)
{
    struct json_scan s;
    enum json_token token;
    bool is_too_deep = false;
    int err = 0;

    json_scan_init(&s, text);
    do {
        token = json_scan_next(&s);
        if (token == JSON_TOKEN_KEY && s.depth == 1)
            err = check_key(s.text, keys, detail);
        is_too_deep = is_too_deep || s.depth > 1 + MAX_CONTEXT_DEPTH;
    } while (err == 0 && token != JSON_TOKEN_END && token != JSON_TOKEN_BAD);
    if (is_too_deep && detail[0] == '\0')
        (void)snprintf(detail, CONTEXT_MAX_DETAIL,
            "Context nesting exceeds allowed depth");
    return err;
}

int
context_check(struct view text, struct buf *out, struct order_keys *ret_keys,
    char detail[CONTEXT_MAX_DETAIL])
{
    struct json_writer w;
    int err;

    detail[0] = '\0';
    *ret_keys = (struct order_keys){ 0 };
    err = check_tokens(text, ret_keys, detail);
    if (err != 0 || detail[0] != '\0')
        return err;
    json_writer_init(&w, out);
    err = json_copy_value(&w, text, 1 + MAX_CONTEXT_DEPTH);
    /* The copy is never longer than the text: if that fits, memory ran out. */
    if (err == -ENOMEM && text.len > MAX_CONTEXT_BYTES) {
        (void)snprintf(detail, CONTEXT_MAX_DETAIL,
            "Context size exceeds %d bytes", MAX_CONTEXT_BYTES);
        return 0;
    }
    return err;
}
