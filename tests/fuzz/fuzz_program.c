/*
 * fuzz_program - any text is refused with a sentence, or compiles
 *
 * Read, parsed, walked and compiled, never run: what a hostile text can do to
 * the validator itself.  What the validator lets through must compile or be
 * refused by the compiler; the list of findings must be one, and must be empty
 * exactly when the first refusal is none.
 */
#include "sandbox/python/validate.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/warm.h"

#define MAX_NODES 2000

/* Parsed, or NULL in p->tree. */
static void
read_text(struct program *p, const uint8_t *data, size_t size)
{
    const char *problem = NULL;
    uint32_t line;

    memset(p, 0, sizeof(*p));
    if (program_read(p, view_of(data, size), &problem, &line) < 0)
        return;
    if (program_parse(p) < 0) {
        must(PyErr_Occurred() != NULL);
        PyErr_Clear();
    }
}

static void
done(struct program *p)
{
    program_done(p);
    PyMem_Free(p->text);
    p->text = NULL;
}

static bool
has_findings(const uint8_t *data, size_t size)
{
    static char room[65536];
    struct program p;
    size_t len = 2;

    read_text(&p, data, size);
    if (p.tree != NULL) {
        len = validate_findings(&p, MAX_NODES, room, sizeof(room));
        must(len >= 2 && len <= sizeof(room));
        must(room[0] == '[' && room[len - 1] == ']');
    }
    must(PyErr_Occurred() == NULL);
    done(&p);
    return len > 2;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct claim c = { 0 };
    struct program p;
    PyObject *code;

    fuzz_warm();
    read_text(&p, data, size);
    if (p.tree == NULL) {
        done(&p);
        return 0;
    }
    if (validate_program(&p, MAX_NODES, &c) < 0) {
        must(c.kind == CLAIM_REFUSED && c.message.len > 0 && c.type.len > 0);
        must(has_findings(data, size));
    } else {
        must(c.kind == CLAIM_NONE);
        code = program_keep_last(&p) < 0 ? NULL : program_compile(&p);
        must((code != NULL) == (PyErr_Occurred() == NULL));
        PyErr_Clear();
        Py_XDECREF(code);
        must(!has_findings(data, size));
    }
    done(&p);
    return 0;
}
