/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: which number of the output is explained, from Python texts and arrays to the library's options. */
#include "explainer.h"
#include "internal/explainer.h"

int asking_has(const char *name)
{
    const char *one;
    for (size_t i = 0; (one = gig_explain_option(i)); i++)
        if (!strcmp(one, name)) return 1;
    return 0;
}

int asking_set(asking *out, PyObject *pair)
{
    const char *name, *text;
    if (!PyArg_ParseTuple(pair, "ss", &name, &text)) return -1;
    gig_status status = gig_explain_options_set(&out->options, name, text);
    if (status == GIG_OK) return 0;
    core_raise(status, gig_message());
    return -1;
}

static int set_weights(asking *out)
{
    out->target.target.kind = GIG_TARGET_WEIGHTS;
    return core_tensor(&out->target.weights, &out->view, CORE_FLOAT);
}

static int set_mask(asking *out)
{
    if (out->view.ndim != 2) return core_refuse("region: expected a mask [height, width]"), -1;
    out->target.target.kind = GIG_TARGET_REGION;
    out->target.region = GIG_REGION_MASK;
    out->target.mask = (gig_image){.height = (size_t)out->view.shape[0],
                                   .width = (size_t)out->view.shape[1],
                                   .channels = 1,
                                   .pixels = out->view.buf};
    return 0;
}

int asking_set_array(asking *out, PyObject *array)
{
    const char *kind;
    PyObject *values;
    if (array == Py_None) return 0;
    if (!PyArg_ParseTuple(array, "sO", &kind, &values)) return -1;
    int is_mask = !strcmp(kind, "region");
    if (core_view(&out->view, values, is_mask ? CORE_BYTE : CORE_FLOAT, kind) < 0) return -1;
    out->has_view = 1;
    out->options.target = &out->target;
    return is_mask ? set_mask(out) : set_weights(out);
}

void asking_clear(asking *held)
{
    if (held->has_view) PyBuffer_Release(&held->view);
    held->has_view = 0;
}

/* The options of a call, by name. */
PyObject *core_explain_options(PyObject *module, PyObject *unused)
{
    PyObject *out = PyList_New(0);
    const char *name;
    (void)module, (void)unused;
    for (size_t i = 0; out && (name = gig_explain_option(i)); i++) {
        PyObject *one = PyUnicode_FromString(name);
        if (!one || PyList_Append(out, one) < 0) Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}
