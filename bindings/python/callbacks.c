/* SPDX-License-Identifier: Apache-2.0 */
/* Python functions as C callbacks of the library. They get their own arrays, which they may keep. */
#include "explainer.h"

/* ---- functions ---- */

static PyObject *points_array(const core_function *self, size_t batch, const float *const *points)
{
    Py_ssize_t dims[1 + CORE_MAX_RANK];
    void *data;
    memcpy(dims, self->dims, sizeof dims);
    dims[0] = (Py_ssize_t)batch;
    PyObject *made = core_array(CORE_FLOAT, self->rank, dims, &data);
    for (size_t i = 0; made && i < batch; i++)
        memcpy((float *)data + i * self->features, points[i], self->features * sizeof(float));
    return made;
}

static int copy_values(double *values, PyObject *given, size_t batch)
{
    Py_buffer view;
    PyObject *held;
    if (batch == 1 && PyFloat_Check(given)) {
        values[0] = PyFloat_AsDouble(given);
        return 0;
    }
    if (core_view_converted(&view, &held, given, CORE_DOUBLE) < 0) return -1;
    size_t count = core_view_count(&view);
    if (count == batch) memcpy(values, view.buf, batch * sizeof *values);
    PyBuffer_Release(&view);
    Py_XDECREF(held);
    if (count == batch) return 0;
    core_refuse("the function gave %zu values for %zu points: expected one for each", count, batch);
    return -1;
}

/* As the points are, or, for a single point, without their first dimension. */
static int has_shape(const Py_buffer *view, const core_function *self, size_t batch)
{
    int without = batch == 1 && view->ndim == self->rank - 1;
    if (!without && (view->ndim != self->rank || view->shape[0] != (Py_ssize_t)batch)) return 0;
    for (int i = 1; i < self->rank; i++)
        if (view->shape[i - without] != self->dims[i]) return 0;
    return 1;
}

static int copy_gradients(float *const *gradients, PyObject *given, const core_function *self, size_t batch)
{
    Py_buffer view;
    PyObject *held;
    if (core_view_converted(&view, &held, given, CORE_FLOAT) < 0) return -1;
    int right = has_shape(&view, self, batch);
    for (size_t i = 0; right && i < batch; i++)
        if (gradients[i])
            memcpy(gradients[i], (const float *)view.buf + i * self->features, self->features * sizeof(float));
    PyBuffer_Release(&view);
    if (!right) {
        static PyObject *name; /* made once: Python's cache of attributes would keep each copy of it */
        if (!name) name = PyUnicode_InternFromString("shape");
        PyObject *shape = name ? PyObject_GetAttr(held ? held : given, name) : NULL;
        PyErr_Clear();
        core_refuse("the function gave gradients of shape %S: expected that of the points, %zu of %zu values each",
                    shape ? shape : Py_None, batch, self->features);
        Py_XDECREF(shape);
    }
    Py_XDECREF(held);
    return right ? 0 : -1;
}

static int call_value(const core_function *self, PyObject *points, size_t batch, double *values)
{
    PyObject *given = PyObject_CallFunctionObjArgs(self->value, points, NULL);
    int failed = given ? copy_values(values, given, batch) : -1;
    Py_XDECREF(given);
    return failed;
}

static int call_both(const core_function *self, PyObject *points, size_t batch, double *values, float *const *gradients)
{
    PyObject *given = PyObject_CallFunctionObjArgs(self->call, points, NULL);
    if (!given) return -1;
    int failed = -1;
    if (PyTuple_Check(given) && PyTuple_Size(given) == 2) {
        failed = copy_values(values, PyTuple_GetItem(given, 0), batch);
        if (!failed && gradients) failed = copy_gradients(gradients, PyTuple_GetItem(given, 1), self, batch);
    } else {
        core_refuse("the function must return the tuple (values, gradients); it returned %R",
                    (PyObject *)Py_TYPE(given));
    }
    Py_DECREF(given);
    return failed;
}

gig_status core_function_evaluate(void *payload, size_t batch, const float *const *points, const size_t *targets,
                                  double *values, float *const *gradients)
{
    core_function *self = payload;
    (void)targets; /* the function knows what it is of */
    gig_status status = core_run_check(self->run);
    if (status != GIG_OK) return status;
    int wanted = 0;
    for (size_t i = 0; gradients && i < batch; i++) wanted |= gradients[i] != NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    core_in_callback++;
    PyObject *array = points_array(self, batch, points);
    int failed = !array;
    if (!failed && !wanted && self->value)
        failed = call_value(self, array, batch, values);
    else if (!failed)
        failed = call_both(self, array, batch, values, wanted ? gradients : NULL);
    Py_XDECREF(array);
    if (failed) status = core_run_keep(self->run);
    core_in_callback--;
    PyGILState_Release(state);
    return status;
}

/* ---- observers ---- */

static PyObject *array_or_none(const core_observer *self, core_type type, const void *values)
{
    return values ? core_array_of(type, self->rank, self->dims, values) : Py_NewRef(Py_None);
}

static PyObject *view_dict(const core_observer *self, const gig_view *view)
{
    PyObject *out = PyDict_New();
    if (!out) return NULL;
    if (core_put(out, "chain", PyLong_FromSize_t(view->chain)) < 0 ||
        core_put(out, "walk", PyLong_FromSize_t(view->walk)) < 0 ||
        core_put(out, "walks", PyLong_FromSize_t(view->walks)) < 0 ||
        core_put(out, "step", PyLong_FromSize_t(view->step)) < 0 ||
        core_put(out, "steps", PyLong_FromSize_t(view->steps)) < 0 ||
        core_put(out, "alpha", PyFloat_FromDouble(view->alpha)) < 0 ||
        core_put(out, "value", PyFloat_FromDouble(view->value)) < 0 ||
        core_put(out, "last", PyBool_FromLong(view->last)) < 0 ||
        core_put(out, "point", array_or_none(self, CORE_FLOAT, view->point)) < 0 ||
        core_put(out, "gradient", array_or_none(self, CORE_FLOAT, view->gradient)) < 0 ||
        core_put(out, "attributions", array_or_none(self, CORE_DOUBLE, view->attributions)) < 0 ||
        core_put(out, "total", array_or_none(self, CORE_DOUBLE, view->total)) < 0)
        Py_CLEAR(out);
    return out;
}

gig_status core_observer_observe(void *payload, const gig_view *view)
{
    core_observer *self = payload;
    gig_status status = core_run_check(self->run);
    if (status != GIG_OK) return status;
    PyGILState_STATE state = PyGILState_Ensure();
    core_in_callback++;
    PyObject *seen = view_dict(self, view);
    PyObject *said = seen ? PyObject_CallFunctionObjArgs(self->call, seen, NULL) : NULL;
    if (!said) status = core_run_keep(self->run);
    Py_XDECREF(seen);
    Py_XDECREF(said);
    core_in_callback--;
    PyGILState_Release(state);
    return status;
}
