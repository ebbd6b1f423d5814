/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of an explainer other than maps: values, gradients, classes, points. */
#include "explainer.h"
#include "internal/explainer.h"
#include <stdlib.h>

/* ---- values and gradients ---- */

typedef struct evaluation {
    explainer *self;
    inputs in;
    asking ask;
    int wanted; /* gradients */
    double *values;
    float **gradients;
    int *ranks;
    int64_t (*dims)[GIG_MAX_RANK];
} evaluation;

static gig_status evaluate_job(void *payload)
{
    evaluation *e = payload;
    gig_status status = inputs_check(e->self, &e->in, 0, 1);
    for (size_t i = 0; e->wanted && i < e->in.count && status == GIG_OK; i++) {
        size_t features = 1;
        status = gig_explainer_dims(&e->ranks[i], e->dims[i], e->self->open, &e->in.items[i]);
        for (int k = 0; k < e->ranks[i]; k++) features *= (size_t)e->dims[i][k];
        if (status != GIG_OK) break;
        e->gradients[i] = malloc(features * sizeof(float));
        if (!e->gradients[i]) status = gig_fail_because(GIG_ENOMEM, "no memory for a gradient");
    }
    if (status != GIG_OK) return status;
    return gig_explainer_evaluate(e->values, e->wanted ? e->gradients : NULL, e->self->open, e->in.count, e->in.items,
                                  &e->ask.options);
}

static PyObject *evaluated(const evaluation *e)
{
    Py_ssize_t count = (Py_ssize_t)e->in.count;
    PyObject *values = core_array_of(CORE_DOUBLE, 1, &count, e->values), *gradients = PyList_New(0);
    for (size_t i = 0; gradients && e->wanted && i < e->in.count; i++) {
        Py_ssize_t dims[GIG_MAX_RANK];
        for (int k = 0; k < e->ranks[i]; k++) dims[k] = (Py_ssize_t)e->dims[i][k];
        PyObject *one = core_array_of(CORE_FLOAT, e->ranks[i], dims, e->gradients[i]);
        if (!one || PyList_Append(gradients, one) < 0) Py_CLEAR(gradients);
        Py_XDECREF(one);
    }
    PyObject *out = values && gradients ? PyTuple_Pack(2, values, gradients) : NULL;
    Py_XDECREF(values);
    Py_XDECREF(gradients);
    return out;
}

static int read_asking(asking *out, PyObject *pairs, PyObject *array)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++)
        if (asking_set(out, PyTuple_GetItem(pairs, i)) < 0) return -1;
    return asking_set_array(out, array);
}

/* inputs, (name, value) options, a target as an array or None, with gradients -> (values, [gradients]) */
PyObject *core_explainer_evaluate(explainer *self, PyObject *arguments)
{
    PyObject *given, *pairs, *array, *out = NULL;
    evaluation e = {.self = self};
    core_run run = {0};
    if (!PyArg_ParseTuple(arguments, "O!O!Op", &PyTuple_Type, &given, &PyTuple_Type, &pairs, &array, &e.wanted))
        return NULL;
    int failed = inputs_read(&e.in, given) < 0 || read_asking(&e.ask, pairs, array) < 0;
    size_t count = e.in.count;
    if (!failed) {
        e.values = calloc(count + 1, sizeof *e.values);
        e.gradients = calloc(count + 1, sizeof *e.gradients);
        e.ranks = calloc(count + 1, sizeof *e.ranks);
        e.dims = calloc(count + 1, sizeof *e.dims);
        failed = !e.values || !e.gradients || !e.ranks || !e.dims ? (PyErr_NoMemory(), 1) : 0;
    }
    if (!failed && core_explainer_do(self, &run, evaluate_job, &e) == 0) out = evaluated(&e);
    for (size_t i = 0; e.gradients && i < count; i++) free(e.gradients[i]);
    inputs_clear(&e.in);
    asking_clear(&e.ask);
    free(e.values);
    free(e.gradients);
    free(e.ranks);
    free(e.dims);
    return out;
}

/* ---- one input ---- */

typedef struct question {
    explainer *self;
    inputs in;
    asking ask;
    size_t k;
    size_t *classes;
    double *probabilities;
    size_t count;
    const char *text;
    int rank;
    int64_t dims[GIG_MAX_RANK];
    float *point;
} question;

static gig_status top_job(void *payload)
{
    question *q = payload;
    gig_status status = inputs_check(q->self, &q->in, 0, 1);
    if (status != GIG_OK) return status;
    return gig_explainer_top(q->classes, q->probabilities, q->self->open, q->in.items, q->k, &q->ask.options);
}

/* input, k, (name, value) options, a target as an array or None -> [(class, probability), ...] */
PyObject *core_explainer_top(explainer *self, PyObject *arguments)
{
    PyObject *given, *pairs, *array, *out = NULL;
    Py_ssize_t k;
    question q = {.self = self};
    core_run run = {0};
    if (!PyArg_ParseTuple(arguments, "O!nO!O", &PyTuple_Type, &given, &k, &PyTuple_Type, &pairs, &array)) return NULL;
    if (k < 1 || k > 1000000) return core_refuse("k: expected a number from 1 on, found %zd", k);
    q.k = (size_t)k;
    q.classes = calloc(q.k, sizeof *q.classes);
    q.probabilities = calloc(q.k, sizeof *q.probabilities);
    if (!q.classes || !q.probabilities) PyErr_NoMemory();
    if (!PyErr_Occurred() && inputs_read(&q.in, given) == 0 && read_asking(&q.ask, pairs, array) == 0 &&
        core_explainer_do(self, &run, top_job, &q) == 0)
        out = PyList_New(0);
    for (size_t i = 0; out && i < q.k; i++) {
        PyObject *one = Py_BuildValue("nd", (Py_ssize_t)q.classes[i], q.probabilities[i]);
        if (!one || PyList_Append(out, one) < 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    inputs_clear(&q.in);
    asking_clear(&q.ask);
    free(q.classes);
    free(q.probabilities);
    return out;
}

static gig_status point_job(void *payload)
{
    question *q = payload;
    gig_status status = inputs_check(q->self, &q->in, 0, 1);
    if (status == GIG_OK) status = gig_explainer_dims(&q->rank, q->dims, q->self->open, q->in.items);
    if (status != GIG_OK) return status;
    size_t features = 1;
    for (int i = 0; i < q->rank; i++) features *= (size_t)q->dims[i];
    q->point = malloc(features * sizeof *q->point);
    if (!q->point) return gig_fail_because(GIG_ENOMEM, "no memory for a point");
    return gig_explainer_point(q->point, q->self->open, q->in.items);
}

/* input -> the point: a picture at the model's size */
PyObject *core_explainer_point(explainer *self, PyObject *arguments)
{
    PyObject *given, *out = NULL;
    question q = {.self = self};
    core_run run = {0};
    if (!PyArg_ParseTuple(arguments, "O!", &PyTuple_Type, &given)) return NULL;
    if (inputs_read(&q.in, given) == 0 && core_explainer_do(self, &run, point_job, &q) == 0) {
        Py_ssize_t dims[GIG_MAX_RANK];
        for (int i = 0; i < q.rank; i++) dims[i] = (Py_ssize_t)q.dims[i];
        out = core_array_of(CORE_FLOAT, q.rank, dims, q.point);
    }
    inputs_clear(&q.in);
    free(q.point);
    return out;
}

static gig_status classes_job(void *payload)
{
    question *q = payload;
    return gig_explainer_classes(&q->count, q->self->open, q->in.count ? q->in.items : NULL, NULL);
}

/* input, or () for a picture -> number of classes */
PyObject *core_explainer_classes(explainer *self, PyObject *arguments)
{
    PyObject *given, *out = NULL;
    question q = {.self = self};
    core_run run = {0};
    if (!PyArg_ParseTuple(arguments, "O!", &PyTuple_Type, &given)) return NULL;
    int failed = PyTuple_Size(given) ? inputs_read(&q.in, given) < 0 : 0;
    if (!failed && core_explainer_do(self, &run, classes_job, &q) == 0) out = PyLong_FromSize_t(q.count);
    inputs_clear(&q.in);
    return out;
}

static gig_status find_job(void *payload)
{
    question *q = payload;
    return gig_explainer_find_class(&q->count, q->self->open, q->text, q->in.count ? q->in.items : NULL, NULL);
}

/* text, input or () -> class */
PyObject *core_explainer_find_class(explainer *self, PyObject *arguments)
{
    PyObject *given, *out = NULL;
    question q = {.self = self};
    core_run run = {0};
    if (!PyArg_ParseTuple(arguments, "sO!", &q.text, &PyTuple_Type, &given)) return NULL;
    int failed = PyTuple_Size(given) ? inputs_read(&q.in, given) < 0 : 0;
    if (!failed && core_explainer_do(self, &run, find_job, &q) == 0) out = PyLong_FromSize_t(q.count);
    inputs_clear(&q.in);
    return out;
}

/* ---- without computing ---- */

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

PyObject *core_explainer_class_name(explainer *self, PyObject *arguments)
{
    Py_ssize_t index;
    if (!PyArg_ParseTuple(arguments, "n", &index)) return NULL;
    return text_or_none(gig_explainer_class_name(self->open, (size_t)index));
}

typedef struct remarks {
    explainer *self;
    PyObject *list;
} remarks;

static gig_status remarks_job(void *payload)
{
    remarks *r = payload;
    const char *text;
    PyGILState_STATE state = PyGILState_Ensure();
    for (size_t i = 0; r->list && (text = gig_explainer_remark(r->self->open, i)); i++) {
        PyObject *one = text_or_none(text);
        if (!one || PyList_Append(r->list, one) < 0) Py_CLEAR(r->list);
        Py_XDECREF(one);
    }
    PyErr_Clear();
    PyGILState_Release(state);
    return r->list ? GIG_OK : gig_fail_because(GIG_ENOMEM, "no memory for remarks");
}

PyObject *core_explainer_remarks(explainer *self, PyObject *unused)
{
    (void)unused;
    remarks r = {self, PyList_New(0)};
    core_run run = {0};
    if (r.list && core_explainer_do(self, &run, remarks_job, &r) < 0) Py_CLEAR(r.list);
    return r.list;
}

PyObject *core_explainer_cam(explainer *self, PyObject *unused)
{
    int assumed;
    (void)unused;
    return text_or_none(gig_explainer_cam(self->open, &assumed));
}
