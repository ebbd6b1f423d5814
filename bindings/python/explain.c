/* SPDX-License-Identifier: Apache-2.0 */
/* Explainer.explain. */
#include "explainer.h"
#include "internal/saliency.h"
#include <stdlib.h>

static int read_pair(PyObject *pair, const char **name, const char **value)
{
    return PyArg_ParseTuple(pair, "ss", name, value) ? 0 : -1;
}

/* defaults = the options of the pairs; method = the name parsed over them. An option that the method does not have,
 * or that its name fixes, is an error. */
static int read_method(gig_method *method, gig_method *defaults, const explainer *self, const char *text,
                       PyObject *pairs)
{
    const char *name, *value;
    gig_method_init(defaults);
    gig_status status = GIG_OK;
    for (Py_ssize_t i = 0; status == GIG_OK && i < PyTuple_Size(pairs); i++) {
        if (read_pair(PyTuple_GetItem(pairs, i), &name, &value) < 0) return -1;
        if (!asking_has(name)) status = gig_method_set(defaults, name, value);
    }
    if (status == GIG_OK) status = gig_explainer_parse_method(method, self->open, text, defaults);
    if (status != GIG_OK) return core_raise(status, gig_message()), -1;
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++) {
        if (read_pair(PyTuple_GetItem(pairs, i), &name, &value) < 0) return -1;
        if (asking_has(name) || (gig_method_takes(method, name) && !gig_method_fixes(text, name))) continue;
        char canonical[GIG_METHOD_NAME_BYTES];
        core_refuse("the option \"%s\" does not apply to %s", name,
                    gig_method_fixes(text, name) ? text : gig_method_name(canonical, sizeof canonical, method));
        return -1;
    }
    return 0;
}

typedef struct request {
    explainer *self;
    core_run run;
    inputs in;
    const char *name;
    gig_method method, defaults;
    asking ask;
    gig_explanation *found;
    size_t *classes;
    Py_buffer baseline, masks;
    int has_baseline, has_masks;
    const uint8_t **mask_rows;
    core_observer observer;
} request;

static gig_status compute(void *payload)
{
    request *r = payload;
    size_t floats = r->has_baseline ? core_view_count(&r->baseline) : 0;
    gig_status status = inputs_check(r->self, &r->in, floats, r->method.baseline_count);
    if (status == GIG_OK && (r->observer.call || r->has_masks || r->self->paths)) {
        int64_t dims[GIG_MAX_RANK];
        status = gig_explainer_dims(&r->observer.rank, dims, r->self->open, &r->in.items[0]);
        for (int k = 0; status == GIG_OK && k < r->observer.rank; k++) r->observer.dims[k] = (Py_ssize_t)dims[k];
    }
    if (status == GIG_OK && r->self->paths && !r->self->own) {
        r->self->rank = r->observer.rank;
        memcpy(r->self->dims, r->observer.dims, sizeof r->self->dims);
    }
    if (status == GIG_OK && r->has_masks) {
        const Py_ssize_t *at = r->masks.shape, *dims = r->observer.dims;
        int planar = r->observer.rank == 3 && dims[1] == at[1] && dims[2] == at[2];
        int flat = r->observer.rank >= 2 && dims[0] == at[1] && dims[1] == at[2];
        if (!planar && !flat)
            return gig_fail_because(GIG_EARG,
                                    "segments must have the height and width of the picture at the model's size");
    }
    if (status != GIG_OK) return status;
    return gig_explainer_explain_inputs(r->found, r->self->open, r->in.count, r->in.items, r->name, &r->ask.options);
}

/* The pairs that are of the call, not of its method. */
static int read_asking(request *r, PyObject *pairs, PyObject *array)
{
    const char *name, *value;
    for (Py_ssize_t i = 0; i < PyTuple_Size(pairs); i++) {
        PyObject *pair = PyTuple_GetItem(pairs, i);
        if (read_pair(pair, &name, &value) < 0 || (asking_has(name) && asking_set(&r->ask, pair) < 0)) return -1;
    }
    return asking_set_array(&r->ask, array);
}

static int read_classes(request *r, PyObject *classes)
{
    if (classes == Py_None) return 0;
    if (PyUnicode_Check(classes)) return PyArg_Parse(classes, "s", &r->ask.options.class_name) ? 0 : -1;
    if (!PyTuple_Check(classes) || (size_t)PyTuple_Size(classes) != r->in.count)
        return core_refuse("expected one class, or one for each input"), -1;
    r->classes = calloc(r->in.count + 1, sizeof *r->classes);
    if (!r->classes) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < r->in.count; i++) r->classes[i] = PyLong_AsSize_t(PyTuple_GetItem(classes, (Py_ssize_t)i));
    r->ask.options.classes = r->classes;
    return PyErr_Occurred() ? -1 : 0;
}

static int read_masks(request *r, PyObject *masks)
{
    if (masks == Py_None) return 0;
    if (core_view(&r->masks, masks, CORE_BYTE, "segments") < 0) return -1;
    r->has_masks = 1;
    size_t count = r->masks.ndim == 3 ? (size_t)r->masks.shape[0] : 0;
    if (!count) return core_refuse("segments must be an array [n, height, width]"), -1;
    r->mask_rows = calloc(count, sizeof *r->mask_rows);
    if (!r->mask_rows) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < count; i++)
        r->mask_rows[i] = (const uint8_t *)r->masks.buf + i * ((size_t)r->masks.len / count);
    r->ask.options.masks = r->mask_rows;
    r->ask.options.mask_count = count;
    return 0;
}

static int read_extras(request *r, PyObject *baseline, PyObject *observe)
{
    if (baseline != Py_None) {
        if (core_view(&r->baseline, baseline, CORE_FLOAT, "baseline") < 0) return -1;
        r->has_baseline = 1;
        r->ask.options.baseline = r->baseline.buf;
    }
    r->ask.options.defaults = &r->defaults;
    r->ask.options.progress = core_run_progress;
    r->ask.options.progress_payload = &r->run;
    if (observe != Py_None) {
        r->observer = (core_observer){.run = &r->run, .call = observe};
        r->ask.options.observe = core_observer_observe;
        r->ask.options.observe_payload = &r->observer;
    }
    r->found = calloc(r->in.count + 1, sizeof *r->found);
    return r->found ? 0 : (PyErr_NoMemory(), -1);
}

static void request_clear(request *r)
{
    for (size_t i = 0; r->found && i < r->in.count; i++) gig_explanation_clear(&r->found[i]);
    if (r->has_baseline) PyBuffer_Release(&r->baseline);
    if (r->has_masks) PyBuffer_Release(&r->masks);
    inputs_clear(&r->in);
    asking_clear(&r->ask);
    free(r->found);
    free(r->classes);
    free(r->mask_rows);
}

static PyObject *results(request *r)
{
    PyObject *out = PyList_New(0);
    for (size_t i = 0; out && i < r->in.count; i++) {
        PyObject *one = core_explanation(&r->found[i], &r->method);
        if (!one || PyList_Append(out, one) < 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

/* inputs, method, (name, value) options, a target as an array or None, class or classes or None, of or None, seed,
 * baseline (the option says how many points it is: "given:3"), segments, progress, observe -> a list of explanations */
PyObject *core_explainer_explain(explainer *self, PyObject *arguments)
{
    PyObject *given, *pairs, *array, *classes, *baseline, *masks, *progress, *observe;
    unsigned long long seed;
    request r = {.self = self};
    if (!PyArg_ParseTuple(arguments, "O!sO!OOzKOOOO", &PyTuple_Type, &given, &r.name, &PyTuple_Type, &pairs, &array,
                          &classes, &r.ask.options.of, &seed, &baseline, &masks, &progress, &observe))
        return NULL;
    r.run.progress = progress == Py_None ? NULL : progress;
    r.ask.options.seed = seed;
    PyObject *out = NULL;
    if (inputs_read(&r.in, given) < 0) goto done;
    if (!strcmp(r.name, "auto")) r.name = gig_method_auto(!self->own && !r.in.items[0].tensor);
    if (read_method(&r.method, &r.defaults, self, r.name, pairs) == 0 && read_asking(&r, pairs, array) == 0 &&
        read_classes(&r, classes) == 0 && read_masks(&r, masks) == 0 && read_extras(&r, baseline, observe) == 0 &&
        core_explainer_do(self, &r.run, compute, &r) == 0)
        out = results(&r);
done:
    request_clear(&r);
    return out;
}

/* method, option -> whether it concerns the method */
PyObject *core_explainer_method_takes(explainer *self, PyObject *arguments)
{
    const char *text, *option;
    gig_method method;
    if (!PyArg_ParseTuple(arguments, "ss", &text, &option)) return NULL;
    gig_status status = gig_explainer_parse_method(&method, self->open, text, NULL);
    if (status != GIG_OK) return core_raise(status, gig_message());
    return PyBool_FromLong(gig_method_takes(&method, option));
}
