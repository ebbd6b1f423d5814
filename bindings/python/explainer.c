/* SPDX-License-Identifier: Apache-2.0 */
/* gig._core.Explainer: a model, or Python functions, ready to explain. One call at a time: others wait. */
#include "explainer.h"
#include "internal/explainer.h"
#include <stdlib.h>
#include <unistd.h>

static PyTypeObject *type;
_Thread_local int core_in_callback;

/* ---- opening ---- */

/* (name, text) pairs. */
static int read_options(gig_explainer_options *out, PyObject *pairs)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++) {
        const char *name, *text;
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "ss", &name, &text)) return -1;
        gig_status status = gig_explainer_options_set(out, name, text);
        if (status != GIG_OK) return core_raise(status, gig_message()), -1;
    }
    return 0;
}

static explainer *explainer_new(size_t parts)
{
    explainer *self = PyObject_New(explainer, type);
    if (!self) return NULL;
    memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    self->process = getpid();
    self->lock = PyThread_allocate_lock();
    self->views = calloc(parts + 1, sizeof *self->views);
    self->bound = calloc(parts + 1, sizeof *self->bound);
    self->tensors = calloc(parts + 1, sizeof *self->tensors);
    self->calls = calloc(parts + 1, sizeof *self->calls);
    self->functions = calloc(parts + 1, sizeof *self->functions);
    if (self->lock && self->views && self->bound && self->tensors && self->calls && self->functions) return self;
    Py_DECREF(self);
    PyErr_NoMemory();
    return NULL;
}

static void explainer_free(explainer *self)
{
    if (self->process == getpid()) gig_explainer_close(self->open);
    for (size_t i = 0; i < self->viewed; i++) PyBuffer_Release(&self->views[i]);
    core_paths_free(self->paths);
    Py_XDECREF(self->held);
    if (self->lock) PyThread_free_lock(self->lock);
    free(self->views);
    free(self->bound);
    free(self->tensors);
    free(self->calls);
    free(self->functions);
    PyTypeObject *mine = Py_TYPE((PyObject *)self);
    PyObject_Free(self);
    Py_DECREF(mine);
}

int core_any_tensor(gig_tensor *out, Py_buffer *view, PyObject *array, const char *what)
{
    core_type kind = CORE_WHOLE;
    if (core_view(view, array, kind, what) < 0) {
        PyErr_Clear();
        kind = CORE_FLOAT;
        if (core_view(view, array, kind, what) < 0) return -1;
    }
    if (core_tensor(out, view, kind) == 0) return 0;
    PyBuffer_Release(view);
    return -1;
}

/* (name, array) pairs: values of the model's other inputs. */
static int read_bound(explainer *self, PyObject *pairs)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++) {
        const char *name;
        PyObject *array;
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "sO", &name, &array)) return -1;
        if (core_any_tensor(&self->tensors[i], &self->views[self->viewed], array, name) < 0) return -1;
        self->viewed++;
        self->bound[i] = (gig_input_value){name, &self->tensors[i]};
    }
    return 0;
}

static int read_shapes(gig_input_shape *out, PyObject *pairs)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++) {
        PyObject *dims;
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "sO!", &out[i].name, &PyTuple_Type, &dims)) return -1;
        if (PyTuple_Size(dims) > GIG_MAX_RANK)
            return core_refuse("shapes: %s has more than %d dimensions", out[i].name, GIG_MAX_RANK), -1;
        out[i].rank = (int)PyTuple_Size(dims);
        for (int k = 0; k < out[i].rank; k++) out[i].dims[k] = PyLong_AsLongLong(PyTuple_GetItem(dims, k));
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

typedef struct opening {
    explainer *self;
    const char *path;
    const gig_explainer_options *options;
} opening;

static gig_status open_job(void *payload)
{
    opening *o = payload;
    return gig_explainer_open(&o->self->open, o->path, o->options);
}

PyObject *core_open_model(PyObject *module, PyObject *arguments)
{
    PyObject *pairs, *bound, *shapes;
    opening o = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sO!O!O!", &o.path, &PyTuple_Type, &pairs, &PyTuple_Type, &bound, &PyTuple_Type,
                          &shapes))
        return NULL;
    gig_explainer_options options = GIG_EXPLAINER_OPTIONS_INIT;
    core_run run = {.aside = 1};
    gig_input_shape *dims = calloc((size_t)PyTuple_Size(shapes) + 1, sizeof *dims);
    o.self = explainer_new((size_t)PyTuple_Size(bound));
    o.options = &options;
    int failed = !dims || !o.self || read_options(&options, pairs) < 0 || read_bound(o.self, bound) < 0 ||
                 read_shapes(dims, shapes) < 0;
    if (!failed) {
        o.self->held = Py_NewRef(bound);
        options.bound_count = (size_t)PyTuple_Size(bound);
        options.bound = o.self->bound;
        options.shape_count = (size_t)PyTuple_Size(shapes);
        options.shapes = dims;
        failed = core_run_do(&run, open_job, &o) < 0;
    }
    free(dims);
    if (failed) Py_CLEAR(o.self);
    if (failed && !PyErr_Occurred()) PyErr_NoMemory();
    return (PyObject *)o.self;
}

/* ((function, value function or None), ...), dims of a point, batch, (height, width, channels, planar) */
PyObject *core_open_functions(PyObject *module, PyObject *arguments)
{
    PyObject *functions, *dims;
    Py_ssize_t batch, height, width, channels;
    int planar;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!n(nnnp)", &PyTuple_Type, &functions, &PyTuple_Type, &dims, &batch, &height,
                          &width, &channels, &planar))
        return NULL;
    size_t count = (size_t)PyTuple_Size(functions);
    int rank = (int)PyTuple_Size(dims);
    if (rank > CORE_MAX_RANK) return core_refuse("x has %d dimensions: expected at most %d", rank, CORE_MAX_RANK);
    core_function one = {.rank = 1 + rank, .features = 1};
    for (int k = 0; k < rank; k++) {
        one.dims[1 + k] = PyLong_AsSsize_t(PyTuple_GetItem(dims, k));
        one.features *= (size_t)one.dims[1 + k];
    }
    explainer *self = PyErr_Occurred() ? NULL : explainer_new(count);
    if (!self) return NULL;
    self->held = Py_NewRef(functions);
    self->own = count;
    self->rank = rank;
    memcpy(self->dims, one.dims + 1, sizeof self->dims);
    for (size_t i = 0; i < count; i++) {
        core_function *call = &self->calls[i];
        *call = one;
        if (!PyArg_ParseTuple(PyTuple_GetItem(functions, (Py_ssize_t)i), "OO", &call->call, &call->value)) goto failed;
        if (call->value == Py_None) call->value = NULL;
        self->functions[i] = (gig_function){
            .features = one.features, .max_batch = (size_t)batch, .evaluate = core_function_evaluate, .payload = call};
    }
    gig_explainer_options options = {.shape = {(size_t)height, (size_t)width, (size_t)channels, planar}};
    gig_status status = gig_explainer_open_functions(&self->open, count, self->functions, &options);
    if (status == GIG_OK) return (PyObject *)self;
    core_raise(status, gig_message());
failed:
    Py_DECREF(self);
    return NULL;
}

/* ---- one call at a time ---- */

static int acquire(explainer *self)
{
    if (self->process != getpid()) {
        core_refuse("this model was opened by another process (%d) and cannot be used after a fork: open it again here",
                    (int)self->process);
        return -1;
    }
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) return 0;
    if (core_in_callback) {
        core_refuse("a model cannot be used from inside its own callbacks");
        return -1;
    }
    for (PyLockStatus got = PY_LOCK_FAILURE; got != PY_LOCK_ACQUIRED;) {
        PyThreadState *state = PyEval_SaveThread();
        got = PyThread_acquire_lock_timed(self->lock, 50000, 0);
        PyEval_RestoreThread(state);
        if (PyErr_CheckSignals() < 0) {
            if (got == PY_LOCK_ACQUIRED) PyThread_release_lock(self->lock);
            return -1;
        }
    }
    return 0;
}

int core_explainer_do(explainer *self, core_run *run, core_job job, void *payload)
{
    if (acquire(self) < 0) return -1;
    run->aside = self->own != 1;
    self->run = run;
    for (size_t i = 0; i < self->own; i++) self->calls[i].run = run;
    int failed = core_run_do(run, job, payload);
    for (size_t i = 0; i < self->own; i++) self->calls[i].run = NULL;
    PyThread_release_lock(self->lock);
    return failed;
}

/* ---- the type ---- */

explainer *core_explainer_of(PyObject *object)
{
    if (PyObject_TypeCheck(object, type)) return (explainer *)object;
    PyErr_SetString(PyExc_TypeError, "expected an explainer");
    return NULL;
}

static PyMethodDef methods[] = {
    {"explain", (PyCFunction)core_explainer_explain, METH_VARARGS, NULL},
    {"add_path", (PyCFunction)core_explainer_add_path, METH_VARARGS, NULL},
    {"method_takes", (PyCFunction)core_explainer_method_takes, METH_VARARGS, NULL},
    {"evaluate", (PyCFunction)core_explainer_evaluate, METH_VARARGS, NULL},
    {"top", (PyCFunction)core_explainer_top, METH_VARARGS, NULL},
    {"point", (PyCFunction)core_explainer_point, METH_VARARGS, NULL},
    {"classes", (PyCFunction)core_explainer_classes, METH_VARARGS, NULL},
    {"class_name", (PyCFunction)core_explainer_class_name, METH_VARARGS, NULL},
    {"find_class", (PyCFunction)core_explainer_find_class, METH_VARARGS, NULL},
    {"remarks", (PyCFunction)core_explainer_remarks, METH_NOARGS, NULL},
    {"cam", (PyCFunction)core_explainer_cam, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)explainer_free},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "gig._core.Explainer",
    .basicsize = sizeof(explainer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

int core_add_explainer(PyObject *module)
{
    type = (PyTypeObject *)PyType_FromSpec(&spec);
    return type ? PyModule_AddObjectRef(module, "Explainer", (PyObject *)type) : -1;
}
