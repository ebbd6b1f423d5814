/* SPDX-License-Identifier: Apache-2.0 */
/* gig._core.Explanation: one map and its numbers. The values stay in the library's memory: NumPy accesses them by the
 * buffer protocol, and they live as long as one of the two is used. */
#include "core.h"
#include <stddef.h>

typedef struct explanation {
    PyObject_HEAD gig_explanation found;
    Py_ssize_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    PyObject *options;
} explanation;

static PyTypeObject *type;

typedef struct number_row {
    const char *name;
    size_t offset;
    int whole;
} number_row;

#define REAL(field)                                                                                                    \
    {                                                                                                                  \
#field, offsetof(gig_explanation, field), 0                                                                    \
    }
#define WHOLE(field)                                                                                                   \
    {                                                                                                                  \
#field, offsetof(gig_explanation, field), 1                                                                    \
    }
static const number_row numbers[] = {REAL(value),
                                     REAL(value_input),
                                     REAL(value_baseline),
                                     REAL(sum),
                                     REAL(delta),
                                     REAL(step_error),
                                     REAL(noise),
                                     REAL(distance),
                                     REAL(l1),
                                     REAL(l2),
                                     REAL(closed),
                                     REAL(unassigned),
                                     REAL(stability),
                                     REAL(stability_of_mean),
                                     WHOLE(evaluations),
                                     WHOLE(values),
                                     WHOLE(chains),
                                     WHOLE(target),
                                     WHOLE(stopped),
                                     WHOLE(refined),
                                     REAL(seconds)};

/* {name: value}, all texts, of every option that concerns the method. */
static PyObject *method_options(const gig_method *method)
{
    PyObject *out = PyDict_New();
    const gig_method_option *option;
    for (size_t i = 0; out && (option = gig_method_option_at(method, i)); i++) {
        char text[GIG_METHOD_NAME_BYTES];
        const char *value = gig_method_get(text, sizeof text, method, option->name);
        if (value && core_put(out, option->name, PyUnicode_FromString(value)) < 0) Py_CLEAR(out);
    }
    return out;
}

PyObject *core_explanation(gig_explanation *found, const gig_method *method)
{
    PyObject *options = method_options(method);
    explanation *self = options ? PyObject_New(explanation, type) : NULL;
    if (!self) {
        Py_XDECREF(options);
        return NULL;
    }
    self->options = options;
    self->found = *found;
    *found = (gig_explanation){0};
    Py_ssize_t stride = sizeof(float);
    for (int i = self->found.rank; i-- > 0; stride *= self->dims[i]) {
        self->dims[i] = (Py_ssize_t)self->found.dims[i];
        self->strides[i] = stride;
    }
    return (PyObject *)self;
}

gig_explanation *core_explanation_of(PyObject *object)
{
    if (PyObject_TypeCheck(object, type)) return &((explanation *)object)->found;
    PyErr_SetString(PyExc_TypeError, "expected an explanation");
    return NULL;
}

static void explanation_free(explanation *self)
{
    gig_explanation_clear(&self->found);
    Py_DECREF(self->options);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int explanation_buffer(explanation *self, Py_buffer *out, int flags)
{
    *out = (Py_buffer){.buf = self->found.attributions,
                       .obj = Py_NewRef((PyObject *)self),
                       .len = (Py_ssize_t)(self->found.count * sizeof(float)),
                       .itemsize = sizeof(float),
                       .ndim = self->found.rank,
                       .format = flags & PyBUF_FORMAT ? "f" : NULL,
                       .shape = self->dims,
                       .strides = self->strides};
    return 0;
}

static PyObject *explanation_numbers(explanation *self, PyObject *unused)
{
    (void)unused;
    PyObject *out = PyDict_New();
    for (size_t i = 0; out && i < sizeof numbers / sizeof *numbers; i++) {
        const char *place = (const char *)&self->found + numbers[i].offset;
        PyObject *number = numbers[i].whole ? PyLong_FromSize_t(*(const size_t *)(const void *)place)
                                            : PyFloat_FromDouble(*(const double *)(const void *)place);
        if (core_put(out, numbers[i].name, number) < 0) Py_CLEAR(out);
    }
    return out;
}

static PyObject *explanation_method(explanation *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(self->found.method);
}

static PyObject *explanation_of(explanation *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(self->found.of);
}

static PyObject *explanation_options(explanation *self, void *unused)
{
    (void)unused;
    return PyDict_Copy(self->options);
}

static PyObject *explanation_class_name(explanation *self, void *unused)
{
    (void)unused;
    const char *name = self->found.class_name;
    return name ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace") : Py_NewRef(Py_None);
}

static PyObject *explanation_picture(explanation *self, void *unused)
{
    (void)unused;
    const gig_picture_shape *shape = &self->found.shape;
    Py_ssize_t dims[3] = {(Py_ssize_t)shape->height, (Py_ssize_t)shape->width, 3};
    return self->found.picture ? core_array_of(CORE_FLOAT, 3, dims, self->found.picture) : Py_NewRef(Py_None);
}

/* (height, width, channels, planar), or None where the input is not an image */
static PyObject *explanation_shape(explanation *self, void *unused)
{
    (void)unused;
    const gig_picture_shape *shape = &self->found.shape;
    if (!shape->height) return Py_NewRef(Py_None);
    return Py_BuildValue("nnnO", (Py_ssize_t)shape->height, (Py_ssize_t)shape->width, (Py_ssize_t)shape->channels,
                         shape->planar ? Py_True : Py_False);
}

/* Whole areas have one value: drawn by their range. */
static PyObject *explanation_areas(explanation *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong((self->found.traits & GIG_METHOD_AREAS) != 0);
}

/* One text for each If; [] if there are none. */
static PyObject *explanation_branches(explanation *self, void *unused)
{
    (void)unused;
    const char *found = self->found.branches ? self->found.branches : "";
    PyObject *text = PyUnicode_DecodeUTF8(found, (Py_ssize_t)strlen(found), "replace"), *lines = NULL;
    if (text) lines = PyUnicode_Splitlines(text, 0);
    Py_XDECREF(text);
    return lines;
}

/* [(name, first value, shape), ...] of inputs that were explained together; [] of one alone */
static PyObject *explanation_inputs(explanation *self, void *unused)
{
    (void)unused;
    PyObject *out = PyList_New(0);
    for (size_t i = 0; out && i < self->found.input_count; i++) {
        const gig_explained_input *part = &self->found.inputs[i];
        PyObject *dims = PyTuple_New(part->rank);
        for (int k = 0; dims && k < part->rank; k++) PyTuple_SetItem(dims, k, PyLong_FromLongLong(part->dims[k]));
        PyObject *row = dims ? Py_BuildValue("snN", part->name, (Py_ssize_t)part->first, dims) : NULL;
        if (!row || PyList_Append(out, row) < 0) Py_CLEAR(out);
        Py_XDECREF(row);
    }
    return out;
}

/* path, force */
static PyObject *explanation_save(explanation *self, PyObject *arguments)
{
    const char *path;
    int force;
    if (!PyArg_ParseTuple(arguments, "sp", &path, &force)) return NULL;
    gig_status status = gig_explanation_save(&self->found, path, force);
    return status == GIG_OK ? Py_NewRef(Py_None) : core_raise(status, gig_message());
}

static PyMethodDef methods[] = {
    {"numbers", (PyCFunction)(void (*)(void))explanation_numbers, METH_NOARGS, "All its numbers, by name."},
    {"save", (PyCFunction)explanation_save, METH_VARARGS, "The attributions as an .npy or .npz file."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef fields[] = {
    {"method", (getter)explanation_method, NULL, "Canonical name.", NULL},
    {"of", (getter)explanation_of, NULL, "The scalar.", NULL},
    {"options", (getter)explanation_options, NULL, "Every option that concerned it.", NULL},
    {"class_name", (getter)explanation_class_name, NULL, "Its label, or None.", NULL},
    {"picture", (getter)explanation_picture, NULL, "[height, width, 3] in [0,1], or None.", NULL},
    {"shape", (getter)explanation_shape, NULL, "How the input is a picture.", NULL},
    {"branches", (getter)explanation_branches, NULL, "The branch that each If takes at the input.", NULL},
    {"inputs", (getter)explanation_inputs, NULL, "Where each of several inputs is.", NULL},
    {"areas", (getter)explanation_areas, NULL, "Whether whole areas have one value.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)explanation_free},
    {Py_bf_getbuffer, (void *)explanation_buffer},
    {Py_tp_methods, methods},
    {Py_tp_getset, fields},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "gig._core.Explanation",
    .basicsize = sizeof(explanation),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

int core_add_explanation(PyObject *module)
{
    type = (PyTypeObject *)PyType_FromSpec(&spec);
    return type ? PyModule_AddObjectRef(module, "Explanation", (PyObject *)type) : -1;
}
