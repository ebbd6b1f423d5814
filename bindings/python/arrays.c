/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays by the buffer protocol, and dicts. NumPy is used at run time only, so that one build works with all its
 * versions. */
#include "core.h"

static const struct {
    const char *name;
    char code;
    size_t bytes;
} types[] = {{"float32", 'f', 4}, {"float64", 'd', 8}, {"uint8", 'B', 1}, {"int64", 'l', 8}};

static PyObject *numpy(void)
{
    static PyObject *module;
    if (!module) module = PyImport_ImportModule("numpy");
    return module;
}

static PyObject *numpy_type(core_type type)
{
    static PyObject *found[4];
    if (!found[type] && numpy()) found[type] = PyObject_GetAttrString(numpy(), types[type].name);
    return found[type];
}

static PyObject *numpy_function(PyObject **place, const char *name)
{
    if (!*place && numpy()) *place = PyObject_GetAttrString(numpy(), name);
    return *place;
}

static int fits(const Py_buffer *view, core_type type)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '<' || *format == '=' || *format == '@') format++;
    if (!format[0] || format[1] || view->itemsize != (Py_ssize_t)types[type].bytes) return 0;
    if (type == CORE_WHOLE) return *format == 'l' || *format == 'q';
    if (type == CORE_BYTE) return *format == 'B' || *format == '?';
    return *format == types[type].code;
}

int core_view(Py_buffer *out, PyObject *object, core_type type, const char *what)
{
    if (PyObject_GetBuffer(object, out, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    if (fits(out, type)) return 0;
    PyErr_Format(PyExc_TypeError, "%s: expected an array of %s, found the format '%s'", what, types[type].name,
                 out->format ? out->format : "B");
    PyBuffer_Release(out);
    return -1;
}

size_t core_view_count(const Py_buffer *view)
{
    return view->itemsize > 0 ? (size_t)(view->len / view->itemsize) : 0;
}

PyObject *core_array(core_type type, int rank, const Py_ssize_t *dims, void **data)
{
    static PyObject *empty;
    if (!numpy_function(&empty, "empty") || !numpy_type(type)) return NULL;
    PyObject *shape = PyTuple_New(rank);
    for (int i = 0; shape && i < rank; i++) {
        PyObject *dim = PyLong_FromSsize_t(dims[i]);
        if (!dim || PyTuple_SetItem(shape, i, dim) < 0) Py_CLEAR(shape);
    }
    PyObject *made = shape ? PyObject_CallFunctionObjArgs(empty, shape, numpy_type(type), NULL) : NULL;
    Py_XDECREF(shape);
    Py_buffer view;
    if (!made || PyObject_GetBuffer(made, &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    *data = view.buf;
    PyBuffer_Release(&view); /* the array keeps its values where they are */
    return made;
}

PyObject *core_array_of(core_type type, int rank, const Py_ssize_t *dims, const void *values)
{
    void *data;
    size_t bytes = types[type].bytes;
    for (int i = 0; i < rank; i++) bytes *= (size_t)dims[i];
    PyObject *made = core_array(type, rank, dims, &data);
    if (made && bytes) memcpy(data, values, bytes);
    return made;
}

PyObject *core_converted(PyObject *object, core_type type)
{
    static PyObject *contiguous;
    if (!numpy_function(&contiguous, "ascontiguousarray") || !numpy_type(type)) return NULL;
    return PyObject_CallFunctionObjArgs(contiguous, object, numpy_type(type), NULL);
}

int core_view_converted(Py_buffer *out, PyObject **held, PyObject *object, core_type type)
{
    *held = NULL;
    if (PyObject_CheckBuffer(object)) {
        if (PyObject_GetBuffer(object, out, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
            if (fits(out, type)) return 0;
            PyBuffer_Release(out);
        }
        PyErr_Clear();
    }
    *held = core_converted(object, type);
    if (!*held) return -1;
    if (PyObject_GetBuffer(*held, out, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) return 0;
    Py_CLEAR(*held);
    return -1;
}

int core_tensor(gig_tensor *out, const Py_buffer *view, core_type type)
{
    if (view->ndim > GIG_MAX_RANK) {
        core_refuse("an array of %d dimensions: expected at most %d", view->ndim, GIG_MAX_RANK);
        return -1;
    }
    *out = (gig_tensor){.type = type == CORE_WHOLE ? GIG_INT64 : GIG_FLOAT32, .rank = view->ndim, .data = view->buf};
    for (int i = 0; i < view->ndim; i++) out->dims[i] = view->shape[i];
    return 0;
}

PyObject *core_array_of_tensor(const gig_tensor *tensor)
{
    Py_ssize_t dims[GIG_MAX_RANK];
    for (int i = 0; i < tensor->rank; i++) dims[i] = (Py_ssize_t)tensor->dims[i];
    return core_array_of(tensor->type == GIG_INT64 ? CORE_WHOLE : CORE_FLOAT, tensor->rank, dims, tensor->data);
}

int core_put(PyObject *dict, const char *name, PyObject *value)
{
    PyObject *key = value ? PyUnicode_FromString(name) : NULL;
    int failed = !key || PyDict_SetItem(dict, key, value) < 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return failed ? -1 : 0;
}
