/* canary - an object that only an escape can reach */
#include "sandbox/python/py.h"

#include "tests/language/canary.h"

#include <sys/mman.h>

static unsigned *touches; /* shared with the boxes */

static void
touch(void)
{
    (void)__atomic_add_fetch(touches, 1, __ATOMIC_RELAXED);
}

static PyObject *
on_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self;
    (void)args;
    (void)kwargs;
    touch();
    Py_RETURN_NONE;
}

static PyObject *
on_text(PyObject *self)
{
    (void)self;
    touch();
    return PyUnicode_FromString(CANARY_NAME);
}

static PyObject *
on_attribute(PyObject *self, PyObject *name)
{
    touch();
    return PyObject_GenericGetAttr(self, name);
}

static PyObject *
on_class_attribute(PyObject *self, PyObject *name)
{
    touch();
    return PyType_Type.tp_getattro(self, name);
}

static Py_hash_t
on_hash(PyObject *self)
{
    (void)self;
    touch();
    return 1;
}

static PyObject *
on_compare(PyObject *a, PyObject *b, int op)
{
    (void)a;
    (void)b;
    (void)op;
    touch();
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *
on_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    return on_call((PyObject *)type, args, kwargs);
}

static PyTypeObject canary_meta = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "CanaryMeta",
    .tp_call = on_call,
    .tp_repr = on_text,
    .tp_str = on_text,
    .tp_getattro = on_class_attribute,
};

static PyTypeObject canary_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "Canary",
    .tp_basicsize = sizeof(PyObject),
    .tp_call = on_call,
    .tp_repr = on_text,
    .tp_str = on_text,
    .tp_getattro = on_attribute,
    .tp_hash = on_hash,
    .tp_richcompare = on_compare,
    .tp_new = on_new,
};

static int
plant_in(PyObject *dict, PyObject *canary)
{
    return PyDict_SetItemString(dict, CANARY_NAME, canary);
}

/* Every module that was ever loaded; what programs import are facades. */
static int
plant_in_modules(PyObject *canary)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *name, *module;
    Py_ssize_t at = 0;

    while (PyDict_Next(modules, &at, &name, &module))
        if (PyModule_Check(module) &&
            plant_in(PyModule_GetDict(module), canary) < 0)
            return -1;
    return 0;
}

/* What a frame of the program has as builtins, whatever the profile. */
static int
plant_in_builtins(PyObject *canary)
{
    PyObject *main = PyModule_GetDict(PyImport_AddModule("__main__"));
    PyObject *builtins = PyDict_GetItemString(main, "__builtins__");

    if (builtins != NULL && PyModule_Check(builtins))
        builtins = PyModule_GetDict(builtins);
    return builtins != NULL ? plant_in(builtins, canary) : -1;
}

int
canary_plant(void)
{
    PyObject *canary;

    touches = mmap(NULL, sizeof(*touches), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    canary_meta.tp_base = &PyType_Type;
    Py_SET_TYPE(&canary_type, &canary_meta);
    if (touches == MAP_FAILED || PyType_Ready(&canary_meta) < 0 ||
        PyType_Ready(&canary_type) < 0)
        return -1;
    canary = PyObject_New(PyObject, &canary_type);
    return canary != NULL && plant_in_modules(canary) == 0
               ? plant_in_builtins(canary)
               : -1;
}

void
canary_reset(void)
{
    __atomic_store_n(touches, 0, __ATOMIC_RELAXED);
}

unsigned
canary_touches(void)
{
    return __atomic_load_n(touches, __ATOMIC_RELAXED);
}
