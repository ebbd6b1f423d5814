/* SPDX-License-Identifier: Apache-2.0 */
#include "explainer.h"
#include "internal/explainer.h"
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

/* (name, array) pairs, behind those of the inputs before it. */
static int read_bound(inputs *in, size_t i, PyObject *pairs)
{
    gig_input *input = &in->items[i];
    input->bound = &in->bound[in->bound_count];
    for (Py_ssize_t k = 0; k < PyTuple_Size(pairs); k++) {
        gig_tensor *tensor = &in->tensors[in->count + in->bound_count];
        const char *name;
        PyObject *array;
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, k), "sO", &name, &array)) return -1;
        if (core_any_tensor(tensor, &in->views[in->viewed], array, name) < 0) return -1;
        in->viewed++;
        in->bound[in->bound_count++] = (gig_input_value){name, tensor};
        input->bound_count++;
    }
    return 0;
}

static int read_input(inputs *in, size_t i, PyObject *given)
{
    const char *kind;
    PyObject *object, *bound = NULL;
    if (!PyArg_ParseTuple(given, "sO|O!", &kind, &object, &PyTuple_Type, &bound)) return -1;
    if (bound && read_bound(in, i, bound) < 0) return -1;
    switch (*kind) {
    case 'f': return PyArg_Parse(object, "s", &in->items[i].file) ? 0 : -1;
    case 'i': return read_image(in, i, object);
    case 'v': return read_values(in, i, object);
    case 't': return read_tensor(in, i, object);
    case 'n': return 0; /* nothing: all inputs are bound */
    default: return core_refuse("no input is of kind \"%s\"", kind), -1;
    }
}

/* How many arrays are bound, by all inputs. */
static size_t count_bound(PyObject *tuple)
{
    size_t count = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); i++) {
        PyObject *given = PyTuple_GetItem(tuple, i);
        PyObject *bound = PyTuple_Check(given) && PyTuple_Size(given) > 2 ? PyTuple_GetItem(given, 2) : NULL;
        if (bound && PyTuple_Check(bound)) count += (size_t)PyTuple_Size(bound);
    }
    return count;
}

int inputs_read(inputs *out, PyObject *tuple)
{
    size_t count = (size_t)PyTuple_Size(tuple), bound = count_bound(tuple);
    *out = (inputs){.count = count,
                    .items = calloc(count + 1, sizeof *out->items),
                    .images = calloc(count + 1, sizeof *out->images),
                    .tensors = calloc(count + bound + 1, sizeof *out->tensors),
                    .views = calloc(count + bound + 1, sizeof *out->views),
                    .sizes = calloc(count + 1, sizeof *out->sizes),
                    .bound = calloc(bound + 1, sizeof *out->bound)};
    if (!out->items || !out->images || !out->tensors || !out->views || !out->sizes || !out->bound)
        return PyErr_NoMemory(), -1;
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
    free(held->bound);
}

static int same_dims(const gig_tensor *a, const gig_tensor *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims) == 0;
}

/* The values of a point, and those of its first input, if several are explained together. */
static gig_status count_features(size_t *all, size_t *first, explainer *self, const gig_input *input)
{
    int rank;
    int64_t dims[GIG_MAX_RANK];
    const gig_network *network;
    gig_status status = gig_explainer_dims(&rank, dims, self->open, input);
    if (status != GIG_OK) return status;
    *all = 1;
    for (int k = 0; k < rank; k++) *all *= (size_t)dims[k];
    *first = *all;
    if (self->own) return GIG_OK;
    status = gig_explainer_network(&network, self->open, input);
    if (status == GIG_OK && gig_network_parts(network) > 1) *first = gig_network_part_features(network, 0);
    return status;
}

gig_status inputs_check(explainer *self, const inputs *in, size_t baseline, size_t points)
{
    size_t features = 0, first = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (!in->sizes[i] && !baseline) continue;
        int known =
            i && in->items[i].tensor && in->items[i - 1].tensor && same_dims(&in->tensors[i], &in->tensors[i - 1]);
        gig_status status = known ? GIG_OK : count_features(&features, &first, self, &in->items[i]);
        if (status != GIG_OK) return status;
        char text[160];
        if (in->sizes[i] && in->sizes[i] != first) {
            PyOS_snprintf(text, sizeof text, "x has %zu values, the model takes %zu", in->sizes[i], first);
            return gig_fail_because(GIG_EARG, text);
        }
        if (baseline && baseline != points * features) {
            PyOS_snprintf(text, sizeof text, "the baseline has %zu values, the input %zu", baseline / points, features);
            return gig_fail_because(GIG_EARG, text);
        }
    }
    return GIG_OK;
}
