/* hide - no address of this process in any text, hash or order */
#include "sandbox/python/hide.h"

#include <stdint.h>
#include <string.h>
#include <sys/random.h>

static uint64_t key[2];

static uint64_t
rotate(uint64_t v, int by)
{
    return v << by | v >> (64 - by);
}

static void
sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* SipHash-1-3 of one pointer. */
static uint64_t
hash_pointer(const void *p)
{
    uint64_t m = (uintptr_t)p;
    uint64_t v[4] = {
        key[0] ^ UINT64_C(0x736f6d6570736575),
        key[1] ^ UINT64_C(0x646f72616e646f6d),
        key[0] ^ UINT64_C(0x6c7967656e657261),
        key[1] ^ UINT64_C(0x7465646279746573),
    };

    v[3] ^= m;
    sip_round(v);
    v[0] ^= m;
    v[2] ^= 0xFF;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

unsigned long long
hide_id(const void *object)
{
    return hash_pointer(object) >> 2;
}

/* --- slots --------------------------------------------------------------- */

static Py_hash_t
hidden_hash(PyObject *o)
{
    Py_hash_t h = (Py_hash_t)hash_pointer(o);

    return h == -1 ? -2 : h;
}

/* For %p, which PyUnicode_FromFormat() has, unlike %llx. */
static void *
shown(const void *object)
{
    return (void *)(uintptr_t)hide_id(object);
}

/* "module.Name" of a type, as object.__repr__ shows it. */
static PyObject *
full_name(PyTypeObject *type)
{
    PyObject *module = NULL;
    PyHeapTypeObject *heap = (PyHeapTypeObject *)type;

    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        return PyUnicode_FromString(type->tp_name);
    if (type->tp_dict)
        module = PyDict_GetItemString(type->tp_dict, "__module__");
    if (!module || !PyUnicode_Check(module) ||
        PyUnicode_CompareWithASCIIString(module, "builtins") == 0)
        return Py_NewRef(heap->ht_qualname);
    return PyUnicode_FromFormat("%U.%U", module, heap->ht_qualname);
}

static PyObject *
hidden_repr(PyObject *o)
{
    PyObject *name = full_name(Py_TYPE(o));
    PyObject *text;

    if (!name)
        return NULL;
    text = PyUnicode_FromFormat("<%U object at %p>", name, shown(o));
    Py_DECREF(name);
    return text;
}

static PyObject *
named_repr(const char *kind, PyObject *name, const void *o)
{
    return PyUnicode_FromFormat("<%s %U at %p>", kind, name, shown(o));
}

static PyObject *
function_repr(PyObject *o)
{
    return named_repr("function", ((PyFunctionObject *)o)->func_qualname, o);
}

static PyObject *
generator_repr(PyObject *o)
{
    const char *kind = PyGen_CheckExact(o)    ? "generator object"
                       : PyCoro_CheckExact(o) ? "coroutine object"
                                              : "async_generator object";

    return named_repr(kind, ((PyGenObject *)o)->gi_qualname, o);
}

static PyObject *
builtin_repr(PyObject *o)
{
    PyCFunctionObject *f = (PyCFunctionObject *)o;

    if (!f->m_self || PyModule_Check(f->m_self))
        return PyUnicode_FromFormat("<built-in function %s>", f->m_ml->ml_name);
    return PyUnicode_FromFormat("<built-in method %s of %s object at %p>",
        f->m_ml->ml_name, Py_TYPE(f->m_self)->tp_name, shown(f->m_self));
}

static PyObject *
plain_repr(PyObject *o)
{
    return PyUnicode_FromFormat("<%s at %p>", Py_TYPE(o)->tp_name, shown(o));
}

static Py_hash_t
builtin_hash(PyObject *o)
{
    PyCFunctionObject *f = (PyCFunctionObject *)o;
    Py_hash_t h =
        (Py_hash_t)(hash_pointer(f->m_self) ^
                    hash_pointer((const void *)(uintptr_t)f->m_ml->ml_meth));

    return h == -1 ? -2 : h;
}

void
hide_before_start(void)
{
    if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
        memset(key, 0x5a, sizeof(key));
    PyBaseObject_Type.tp_hash = hidden_hash;
    PyBaseObject_Type.tp_repr = hidden_repr;
    PyFunction_Type.tp_repr = function_repr;
    PyGen_Type.tp_repr = generator_repr;
    PyCoro_Type.tp_repr = generator_repr;
    PyAsyncGen_Type.tp_repr = generator_repr;
    PyCFunction_Type.tp_repr = builtin_repr;
    PyCFunction_Type.tp_hash = builtin_hash;
    PyCell_Type.tp_repr = plain_repr;
    PyCode_Type.tp_repr = plain_repr;
    PyFrame_Type.tp_repr = plain_repr;
    PyMemoryView_Type.tp_repr = plain_repr;
    _PyWeakref_RefType.tp_repr = plain_repr;
    _PyWeakref_ProxyType.tp_repr = plain_repr;
    _PyWeakref_CallableProxyType.tp_repr = plain_repr;
}
