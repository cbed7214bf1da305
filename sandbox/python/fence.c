/* fence - interpreter internals that no program's frame can read */
#include "sandbox/python/fence.h"

#include "sandbox/python/guard.h"

static const struct {
    PyTypeObject *type;
    const char *name;
} fenced[] = {
    { &PyFunction_Type, "__globals__" },
    { &PyFunction_Type, "__builtins__" },
    { &PyFunction_Type, "__closure__" },
    { &PyFunction_Type, "__code__" },
    { &PyMethod_Type, "__func__" },
    { &PyMethod_Type, "__self__" },
    { &PyCFunction_Type, "__self__" },
    { &PyGen_Type, "gi_frame" },
    { &PyGen_Type, "gi_code" },
    { &PyGen_Type, "gi_yieldfrom" },
    { &PyCoro_Type, "cr_frame" },
    { &PyCoro_Type, "cr_code" },
    { &PyCoro_Type, "cr_await" },
    { &PyAsyncGen_Type, "ag_frame" },
    { &PyAsyncGen_Type, "ag_code" },
    { &PyTraceBack_Type, "tb_frame" },
    { &PyTraceBack_Type, "tb_next" },
    { &PyFrame_Type, "f_back" },
    { &PyFrame_Type, "f_builtins" },
    { &PyFrame_Type, "f_globals" },
    { &PyFrame_Type, "f_locals" },
    { &PyFrame_Type, "f_code" },
    { &PyType_Type, "__mro__" },
    { &PyType_Type, "__bases__" },
    { &PyType_Type, "__base__" },
    { &PyType_Type, "__dict__" },
    { &PyModule_Type, "__dict__" },
    { &PyCell_Type, "cell_contents" },
    { &PySuper_Type, "__self__" },
    { &PySuper_Type, "__thisclass__" },
};

#define FENCED (sizeof(fenced) / sizeof(fenced[0]))

static PyGetSetDef fence_defs[FENCED];

/* Is the program asking, or text that was evaluated on its behalf? */
static bool
asked_by_program(void)
{
    PyThreadState *ts = PyThreadState_Get();
    PyFrameObject *frame = PyThreadState_GetFrame(ts);
    PyCodeObject *code;
    bool yes;

    if (!frame)
        return false;
    code = PyFrame_GetCode(frame);
    yes = code->co_filename == program_filename ||
          PyUnicode_CompareWithASCIIString(code->co_filename, "<string>") == 0;
    Py_DECREF(code);
    Py_DECREF(frame);
    return yes;
}

static PyObject *
fence_get(PyObject *self, void *behind)
{
    PyObject *descr = behind;

    if (asked_by_program()) {
        PyErr_SetString(PyExc_AttributeError,
            "the interpreter's internals are not available in sandbox");
        return NULL;
    }
    return Py_TYPE(descr)->tp_descr_get(descr, self, (PyObject *)Py_TYPE(self));
}

static int
fence_set(PyObject *self, PyObject *value, void *behind)
{
    PyObject *descr = behind;

    if (asked_by_program() || !Py_TYPE(descr)->tp_descr_set) {
        PyErr_SetString(PyExc_AttributeError,
            "the interpreter's internals are not available in sandbox");
        return -1;
    }
    return Py_TYPE(descr)->tp_descr_set(descr, self, value);
}

static int
fence_one(size_t i)
{
    PyTypeObject *type = fenced[i].type;
    PyObject *behind = PyDict_GetItemString(type->tp_dict, fenced[i].name);
    PyGetSetDef *def = &fence_defs[i];
    PyObject *descr;
    int rc;

    if (!behind) {
        PyErr_SetString(PyExc_RuntimeError, fenced[i].name);
        return -1;
    }
    def->name = fenced[i].name;
    def->get = fence_get;
    def->set = fence_set;
    def->closure = Py_NewRef(behind);
    descr = PyDescr_NewGetSet(type, def);
    rc = descr ? PyDict_SetItemString(type->tp_dict, def->name, descr) : -1;
    Py_XDECREF(descr);
    PyType_Modified(type);
    return rc;
}

int
fence_warm(void)
{
    for (size_t i = 0; i < FENCED; i++)
        if (fence_one(i) < 0)
            return -1;
    return 0;
}
