/* SPDX-License-Identifier: Apache-2.0 */
#include "explainer.h"
#include <stdlib.h>

static int read_image(inputs *in, size_t i, PyObject *object)
{
    Py_buffer *view = &in->views[in->viewed];
    if (core_view(view, object, CORE_BYTE, "picture") < 0) return -1;
    in->viewed++;
    if (view->ndim != 3 || view->shape[2] != 3) return core_refuse("a picture must be [height, width, 3]"), -1;
    in->images[i] = (gig_image){
        .width = (size_t)view->shape[1], .height = (size_t)view->shape[0], .channels = 3, .pixels = view->buf};
    in->items[i].image = &in->images[i];
    return 0;
}

static int read_values(inputs *in, size_t i, PyObject *object)
{
    Py_buffer *view = &in->views[in->viewed];
    if (core_view(view, object, CORE_FLOAT, "x") < 0) return -1;
    in->viewed++;
    in->items[i].values = view->buf;
    in->sizes[i] = core_view_count(view);
    return 0;
}

static int read_tensor(inputs *in, size_t i, PyObject *object)
{
    if (core_any_tensor(&in->tensors[i], &in->views[in->viewed], object, "tensor") < 0) return -1;
    in->viewed++;
    in->items[i].tensor = &in->tensors[i];
    return 0;
}

static int read_input(inputs *in, size_t i, PyObject *pair)
{
    const char *kind;
    PyObject *object;
    if (!PyArg_ParseTuple(pair, "sO", &kind, &object)) return -1;
    switch (*kind) {
    case 'f': return PyArg_Parse(object, "s", &in->items[i].file) ? 0 : -1;
    case 'i': return read_image(in, i, object);
    case 'v': return read_values(in, i, object);
    case 't': return read_tensor(in, i, object);
    case 'n': return 0; /* nothing: all inputs are bound */
    default: return core_refuse("no input is of kind \"%s\"", kind), -1;
    }
}

int inputs_read(inputs *out, PyObject *tuple)
{
    size_t count = (size_t)PyTuple_Size(tuple);
    *out = (inputs){.count = count,
                    .items = calloc(count + 1, sizeof *out->items),
                    .images = calloc(count + 1, sizeof *out->images),
                    .tensors = calloc(count + 1, sizeof *out->tensors),
                    .views = calloc(count + 1, sizeof *out->views),
                    .sizes = calloc(count + 1, sizeof *out->sizes)};
    if (!out->items || !out->images || !out->tensors || !out->views || !out->sizes) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < count; i++)
        if (read_input(out, i, PyTuple_GetItem(tuple, (Py_ssize_t)i)) < 0) return -1;
    if (count) return 0;
    core_refuse("expected at least one input, found an empty list");
    return -1;
}

void inputs_clear(inputs *held)
{
    for (size_t i = 0; i < held->viewed; i++) PyBuffer_Release(&held->views[i]);
    free(held->items);
    free(held->images);
    free(held->tensors);
    free(held->views);
    free(held->sizes);
}

static int same_dims(const gig_tensor *a, const gig_tensor *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims) == 0;
}

gig_status inputs_check(explainer *self, const inputs *in, size_t baseline, size_t points)
{
    size_t features = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (!in->sizes[i] && !baseline) continue;
        int known =
            i && in->items[i].tensor && in->items[i - 1].tensor && same_dims(&in->tensors[i], &in->tensors[i - 1]);
        if (!known) {
            int rank;
            int64_t dims[GIG_MAX_RANK];
            gig_status status = gig_explainer_dims(&rank, dims, self->open, &in->items[i]);
            if (status != GIG_OK) return status;
            features = 1;
            for (int k = 0; k < rank; k++) features *= (size_t)dims[k];
        }
        char text[160];
        if (in->sizes[i] && in->sizes[i] != features) {
            PyOS_snprintf(text, sizeof text, "x has %zu values, the model takes %zu", in->sizes[i], features);
            return gig_fail_because(GIG_EARG, text);
        }
        if (baseline && baseline != points * features) {
            PyOS_snprintf(text, sizeof text, "the baseline has %zu values, the input %zu", baseline / points, features);
            return gig_fail_because(GIG_EARG, text);
        }
    }
    return GIG_OK;
}
