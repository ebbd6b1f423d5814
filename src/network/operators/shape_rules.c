/* SPDX-License-Identifier: Apache-2.0 */
/* What most shape rules need: counts and types of inputs, axes, output dims, lists of numbers that are an attribute in
 * one opset and a constant input in another. */
#include "network/operators/integers.h"

gig_status gig_op_expect_inputs(const gig_op *op, size_t least, size_t most)
{
    if (op->in_count < least || op->in_count > most)
        return gig_fail(GIG_EFORMAT, "%s takes %zu to %zu inputs, not %zu", op->row->name, least, most, op->in_count);
    for (size_t i = 0; i < least; i++)
        if (!op->in[i]) return gig_fail(GIG_EFORMAT, "%s: input %zu is left out", op->row->name, i);
    return GIG_OK;
}

gig_status gig_op_expect_type(const gig_op *op, size_t i, gig_type type)
{
    if (i >= op->in_count || !op->in[i]) return gig_fail(GIG_EFORMAT, "%s: input %zu is left out", op->row->name, i);
    if (op->in[i]->type == type) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "%s: input %zu must hold %s numbers", op->row->name, i,
                    type == GIG_FLOAT32 ? "real" : "whole");
}

int gig_op_holds_whole(const gig_op *op, size_t i)
{
    return op->in[i] && op->in[i]->type == GIG_FLOAT32 && gig_onnx_is_whole(op->in_onnx[i]);
}

gig_status gig_op_set_output(gig_op *op, size_t i, gig_type type, int rank, const int64_t *dims)
{
    size_t count;
    if (i >= op->out_count || !op->out[i]) return GIG_OK;
    GIG_TRY(gig_size_of_dims(&count, rank, dims));
    gig_tensor *out = op->out[i];
    out->type = type;
    out->rank = rank;
    for (int d = 0; d < rank; d++) out->dims[d] = dims[d];
    return GIG_OK;
}

gig_status gig_op_same_output(gig_op *op, size_t i, size_t j)
{
    if (i < op->out_count) op->out_onnx[i] = op->in_onnx[j];
    return gig_op_set_output(op, i, op->in[j]->type, op->in[j]->rank, op->in[j]->dims);
}

gig_status gig_op_axis(int *out, int64_t axis, int rank)
{
    if (axis < -rank || axis >= rank)
        return gig_fail(GIG_EFORMAT, "axis %lld is outside a tensor of rank %d", (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return GIG_OK;
}

/* Merges `operand` into dims[0..rank), NumPy's rule: dims are equal or one of them is 1, aligned at the end. */
static gig_status broadcast_into(int64_t *dims, int rank, const gig_tensor *operand)
{
    int shift = rank - operand->rank;
    for (int d = 0; d < operand->rank; d++) {
        int64_t *whole = &dims[shift + d], part = operand->dims[d];
        if (*whole == 1) {
            *whole = part;
        } else if (part != 1 && part != *whole) {
            return gig_fail(GIG_EFORMAT, "dims %lld and %lld cannot be broadcast", (long long)*whole, (long long)part);
        }
    }
    return GIG_OK;
}

gig_status gig_op_broadcast_output(gig_op *op, size_t type_of)
{
    int rank = 0;
    int64_t dims[GIG_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t i = 0; i < op->in_count; i++)
        if (op->in[i] && op->in[i]->rank > rank) rank = op->in[i]->rank;
    for (size_t i = 0; i < op->in_count; i++)
        if (op->in[i]) GIG_TRY(broadcast_into(dims, rank, op->in[i]));
    if (op->out_count) op->out_onnx[0] = op->in_onnx[type_of];
    return gig_op_set_output(op, 0, op->in[type_of]->type, rank, dims);
}

/* Numbers of one type: input i, which must be constant, else the attribute. NULL if there is neither. */
static gig_status list_of(const void **values, size_t *count, const gig_op *op, size_t i, const char *name,
                          gig_type type)
{
    static const int64_t none = 0;
    const int whole = type == GIG_INT64;
    *values = NULL;
    *count = 0;
    if (i < op->in_count && op->in[i]) {
        const gig_tensor *tensor = op->in[i];
        GIG_TRY(gig_op_expect_type(op, i, type));
        if (tensor->rank > 1) return gig_fail(GIG_EFORMAT, "%s: input %zu is not a list", op->row->name, i);
        if (!tensor->data) return gig_fail(GIG_EUNSUPPORTED, "%s: input %zu is not constant", op->row->name, i);
        *values = tensor->data;
        *count = gig_tensor_count(tensor);
        return GIG_OK;
    }
    const gig_attribute *attribute = name ? gig_node_attribute(op->node, name) : NULL;
    if (!attribute) return GIG_OK;
    if (attribute->kind == (whole ? GIG_ATTRIBUTE_INTS : GIG_ATTRIBUTE_REALS)) {
        *values = whole ? (const void *)attribute->ints : attribute->reals;
        *count = attribute->count;
        if (!*count) *values = &none;
    } else if (attribute->kind == (whole ? GIG_ATTRIBUTE_INT : GIG_ATTRIBUTE_REAL)) {
        *values = whole ? (const void *)&attribute->i : &attribute->f;
        *count = 1;
    } else {
        return gig_fail(GIG_EFORMAT, "%s: attribute %s is not a list of %s", op->row->name, name,
                        whole ? "whole" : "real");
    }
    return GIG_OK;
}

gig_status gig_op_wholes(const gig_op *op, size_t i, const char *name, const int64_t **values, size_t *count)
{
    const void *list;
    gig_status status = list_of(&list, count, op, i, name, GIG_INT64);
    *values = list;
    return status;
}

gig_status gig_op_reals(const gig_op *op, size_t i, const char *name, const float **values, size_t *count)
{
    const void *list;
    gig_status status = list_of(&list, count, op, i, name, GIG_FLOAT32);
    *values = list;
    return status;
}

gig_status gig_op_axes(int axes[GIG_MAX_RANK], size_t *count, const gig_op *op, size_t i, const char *name, int rank)
{
    const int64_t *given;
    int seen[GIG_MAX_RANK] = {0};
    GIG_TRY(gig_op_wholes(op, i, name, &given, count));
    if (!given) {
        *count = (size_t)rank;
        for (int axis = 0; axis < rank; axis++) axes[axis] = axis;
        return GIG_OK;
    }
    for (size_t a = 0; a < *count; a++) {
        int axis;
        GIG_TRY(gig_op_axis(&axis, given[a], rank));
        if (seen[axis]++) return gig_fail(GIG_EFORMAT, "axis %d is named twice", axis);
        axes[a] = axis;
    }
    return GIG_OK;
}

gig_status gig_op_charge(gig_op *op, size_t bytes)
{
    if (!op->room) return GIG_OK;
    if (bytes > *op->room)
        return gig_fail(GIG_ELIMIT, "a table of %zu bytes; %zu are left of the memory limit", bytes, *op->room);
    *op->room -= bytes;
    return GIG_OK;
}
