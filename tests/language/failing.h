/*
 * failing - calls of sandbox/python into CPython that fail when they are told
 *
 * Seen by sandbox/python/py.h in builds with GLOVEBOX_FAILING only, which are
 * made for `try -f` and nothing else.  Each of these calls can fail for lack of
 * memory; here call number `at`, counted over all of them, does.
 */
#ifndef GLOVEBOX_FAILING_H
#define GLOVEBOX_FAILING_H

/*
 * What the call returned; or, when it is its turn, an error with MemoryError
 * set.  Functions, so that no line of sandbox/python gets a branch more.
 */
void *failing_pointer(const void *made);
int failing_int(int result);

#define FAILING_POINTER(call) failing_pointer(call)
#define FAILING_INT(call) failing_int(call)

#define PyUnicode_InternFromString(t)                                          \
    FAILING_POINTER((PyUnicode_InternFromString)(t))
#define PyUnicode_FromFormat(...)                                              \
    FAILING_POINTER((PyUnicode_FromFormat)(__VA_ARGS__))
#define PyUnicode_FromString(t) FAILING_POINTER((PyUnicode_FromString)(t))
#define PyUnicode_FromStringAndSize(t, n)                                      \
    FAILING_POINTER((PyUnicode_FromStringAndSize)((t), (n)))
#define PyUnicode_Substring(...)                                               \
    FAILING_POINTER((PyUnicode_Substring)(__VA_ARGS__))
#define PyUnicode_DecodeUTF8(...)                                              \
    FAILING_POINTER((PyUnicode_DecodeUTF8)(__VA_ARGS__))
#define PyUnicode_AsUTF8(t) FAILING_POINTER((PyUnicode_AsUTF8)(t))
#define PyUnicode_Join(...) FAILING_POINTER((PyUnicode_Join)(__VA_ARGS__))
#define PyDict_New() FAILING_POINTER((PyDict_New)())
#define PyDict_Copy(d) FAILING_POINTER((PyDict_Copy)(d))
#define PyList_New(n) FAILING_POINTER((PyList_New)(n))
#define PyList_AsTuple(l) FAILING_POINTER((PyList_AsTuple)(l))
#define PyTuple_Pack(...) FAILING_POINTER((PyTuple_Pack)(__VA_ARGS__))
#define PySequence_List(s) FAILING_POINTER((PySequence_List)(s))
#define PyDict_Keys(d) FAILING_POINTER((PyDict_Keys)(d))
#define PyDict_GetItemWithError(d, k)                                          \
    FAILING_POINTER((PyDict_GetItemWithError)((d), (k)))
#define _PyDict_GetItemStringWithError(d, k)                                   \
    FAILING_POINTER((_PyDict_GetItemStringWithError)((d), (k)))
#define PyMapping_Keys(m) FAILING_POINTER((PyMapping_Keys)(m))
#define PyLong_FromLong(n) FAILING_POINTER((PyLong_FromLong)(n))
#define PyLong_FromSsize_t(n) FAILING_POINTER((PyLong_FromSsize_t)(n))
#define PyObject_Str(o) FAILING_POINTER((PyObject_Str)(o))
#define PyObject_Repr(o) FAILING_POINTER((PyObject_Repr)(o))
#define PyObject_GetIter(o) FAILING_POINTER((PyObject_GetIter)(o))
#define PyObject_GetAttr(o, n) FAILING_POINTER((PyObject_GetAttr)((o), (n)))
#define PyObject_GetAttrString(o, n)                                           \
    FAILING_POINTER((PyObject_GetAttrString)((o), (n)))
#undef PyObject_CallMethod
#define PyObject_CallMethod(...)                                               \
    FAILING_POINTER(_PyObject_CallMethod_SizeT(__VA_ARGS__))
#undef PyObject_CallFunction
#define PyObject_CallFunction(...)                                             \
    FAILING_POINTER(_PyObject_CallFunction_SizeT(__VA_ARGS__))
#define PyObject_CallOneArg(f, a)                                              \
    FAILING_POINTER((PyObject_CallOneArg)((f), (a)))
#define PyObject_Call(f, a, k) FAILING_POINTER((PyObject_Call)((f), (a), (k)))
#define PyImport_ImportModule(n) FAILING_POINTER((PyImport_ImportModule)(n))
#define PyImport_AddModule(n) FAILING_POINTER((PyImport_AddModule)(n))
#undef PyCFunction_New
#define PyCFunction_New(d, s) FAILING_POINTER(PyCFunction_NewEx((d), (s), NULL))
#define PyDescr_NewGetSet(t, d) FAILING_POINTER((PyDescr_NewGetSet)((t), (d)))
#define PyMem_Malloc(n) FAILING_POINTER((PyMem_Malloc)(n))
#define PyDict_SetItem(d, k, v) FAILING_INT((PyDict_SetItem)((d), (k), (v)))
#define PyDict_SetItemString(d, k, v)                                          \
    FAILING_INT((PyDict_SetItemString)((d), (k), (v)))
#define PyDict_Update(a, b) FAILING_INT((PyDict_Update)((a), (b)))
#define PyDict_Contains(d, k) FAILING_INT((PyDict_Contains)((d), (k)))
#define PyList_Append(l, o) FAILING_INT((PyList_Append)((l), (o)))
#define PyList_Sort(l) FAILING_INT((PyList_Sort)(l))
#define PyObject_SetAttrString(o, n, v)                                        \
    FAILING_INT((PyObject_SetAttrString)((o), (n), (v)))
#define PyType_Ready(t) FAILING_INT((PyType_Ready)(t))
#define PySys_SetObject(n, v) FAILING_INT((PySys_SetObject)((n), (v)))

#endif
