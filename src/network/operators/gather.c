/* SPDX-License-Identifier: Apache-2.0 */
/* Gather, GatherElements, GatherND, and the rows of the Scatter operators. */
#include "network/locate/places.h"
#include <string.h>

static gig_status keep_address(gig_address **out, gig_op *op, gig_addressing how)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_INT64));
    *out = op->params = gig_alloc_zero(1, sizeof **out);
    if (!*out) return gig_alloc_status();
    (*out)->how = how;
    return GIG_OK;
}

/* Appends dims [first, last) of t; gig_op_set_output refuses ranks above GIG_MAX_RANK. */
static void append(int64_t *dims, int *rank, const gig_tensor *t, int first, int last)
{
    for (int i = first; i < last; i++) dims[(*rank)++] = t->dims[i];
}

static gig_status infer_gather(gig_op *op)
{
    gig_address *address;
    GIG_TRY(keep_address(&address, op, GIG_BY_AXIS));
    const gig_tensor *data = op->in[0], *indices = op->in[1];
    GIG_TRY(gig_op_axis(&address->axis, gig_node_int(op->node, "axis", 0), data->rank));
    GIG_TRY(gig_address_check(address, data, indices));
    int64_t dims[2 * GIG_MAX_RANK];
    int rank = 0;
    append(dims, &rank, data, 0, address->axis);
    append(dims, &rank, indices, 0, indices->rank);
    append(dims, &rank, data, address->axis + 1, data->rank);
    return gig_op_set_output(op, 0, data->type, rank, dims);
}

static gig_status infer_gather_elements(gig_op *op)
{
    gig_address *address;
    GIG_TRY(keep_address(&address, op, GIG_BY_ELEMENT));
    const gig_tensor *data = op->in[0], *indices = op->in[1];
    GIG_TRY(gig_op_axis(&address->axis, gig_node_int(op->node, "axis", 0), data->rank));
    GIG_TRY(gig_address_check(address, data, indices));
    return gig_op_set_output(op, 0, data->type, indices->rank, indices->dims);
}

static gig_status infer_gather_nd(gig_op *op)
{
    gig_address *address;
    GIG_TRY(keep_address(&address, op, GIG_BY_COORDINATE));
    const gig_tensor *data = op->in[0], *indices = op->in[1];
    int64_t batch = gig_node_int(op->node, "batch_dims", 0);
    address->batch = batch < 0 || batch > GIG_MAX_RANK ? -1 : (int)batch;
    GIG_TRY(gig_address_check(address, data, indices));
    int64_t dims[2 * GIG_MAX_RANK];
    int rank = 0;
    append(dims, &rank, indices, 0, indices->rank - 1);
    append(dims, &rank, data, address->batch + (int)indices->dims[indices->rank - 1], data->rank);
    return gig_op_set_output(op, 0, data->type, rank, dims);
}

static gig_status gather_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    gig_places places;
    GIG_TRY(gig_places_create(&places, op->params, in[0], in[1]));
    size_t element = gig_type_size(in[0]->type), bytes = (size_t)places.run * element;
    char *to = out[0]->data;
    for (int64_t j = 0; j < places.count && bytes; j++, to += bytes)
        memcpy(to, (const char *)in[0]->data + (size_t)places.at[j] * element, bytes);
    gig_free(places.at);
    return GIG_OK;
}

static gig_status gather_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    gig_places places;
    if (!d_in[0]) return GIG_OK;
    memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    GIG_TRY(gig_places_create(&places, op->params, d_in[0], in[1]));
    const float *from = d_out[0]->real;
    for (int64_t j = 0; j < places.count; j++, from += places.run)
        for (int64_t i = 0; i < places.run; i++) d_in[0]->real[places.at[j] + i] += from[i];
    gig_free(places.at);
    return GIG_OK;
}

const gig_operator gig_operators_gather[] = {
    {"Gather", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_1, infer_gather, gather_forward,
     gather_backward, .kind = GIG_KIND_GATHER},
    {"GatherElements", 11, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_1, infer_gather_elements,
     gather_forward, gather_backward},
    {"GatherND", 11, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_1, infer_gather_nd, gather_forward,
     gather_backward},
    {"Scatter", 9, 10, 0, GIG_NEEDS_INPUTS, gig_scatter_elements_infer, gig_scatter_forward, gig_scatter_backward},
    {"ScatterElements", 11, 0, 0, GIG_NEEDS_INPUTS | GIG_NEEDS_OUTPUT, gig_scatter_elements_infer, gig_scatter_forward,
     gig_scatter_backward},
    {"ScatterND", 11, 0, 0, GIG_NEEDS_INPUTS | GIG_NEEDS_OUTPUT, gig_scatter_nd_infer, gig_scatter_forward,
     gig_scatter_backward},
    {0},
};
