/*
 * fuzz_context - any bytes become variables, or a refusal with a sentence
 *
 * The reader that a box has of its own, since nothing vouches for the app's.
 */
#include "sandbox/python/context.h"

#include "sandbox/python/interp.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/warm.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct claim c = { 0 };
    PyObject *globals, *builtins;
    char *json;
    int r;

    fuzz_warm();
    globals = PyDict_New();
    builtins = PyDict_New();
    /* A copy of its exact size: one byte too far is seen. */
    json = malloc(size + 1);
    must(globals != NULL && builtins != NULL && json != NULL);
    memcpy(json, data, size);
    json = realloc(json, size > 0 ? size : 1);
    r = context_into(view_of(json, size), globals, builtins, &c);
    must(PyErr_Occurred() == NULL);
    if (r < 0)
        must(c.kind == CLAIM_REFUSED && c.message.len > 0);
    else
        must(c.kind == CLAIM_NONE);
    free(json);
    Py_DECREF(globals);
    Py_DECREF(builtins);
    return 0;
}
