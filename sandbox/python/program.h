/*
 * program - one program: read, parsed, compiled
 *
 * There is one parse.  The tree that the validator walked is the tree that is
 * compiled; nothing between the two looks at the text again.  A coding line
 * in a comment means nothing: the text is UTF-8.
 */
#ifndef GLOVEBOX_PROGRAM_H
#define GLOVEBOX_PROGRAM_H

#include "sandbox/base/buf.h"
#include "sandbox/python/py.h"

struct program {
    struct _arena *arena;
    struct _mod *tree; /* NULL until parsed */
    char *
        text; /* of PyMem_Malloc(); NUL-terminated, without a byte order mark */
    size_t len;
};

/* Where the value of the last expression is put: no program can write it. */
extern PyObject *program_result_name;

int program_warm(void);

/*
 * Copy the text.  0; or -1 with what is wrong with it (NULL: it is empty)
 * and the line that is about, 0 for none.
 */
int program_read(struct program *p, struct view code, const char **ret_problem,
    uint32_t *ret_line);
/* 0, or -1 with a Python exception (SyntaxError, MemoryError...). */
int program_parse(struct program *p);
/* Make a last expression statement leave its value behind. */
int program_keep_last(struct program *p);
/* A code object, or NULL with a Python exception. */
PyObject *program_compile(struct program *p);
void program_done(struct program *p);

#endif
