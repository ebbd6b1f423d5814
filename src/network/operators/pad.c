/* Pad: constant, reflect or edge; a negative amount crops. */
#include "network/operators/movement.h"
#include <inttypes.h>
#include <string.h>

typedef enum padding { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE } padding;

static gig_status read_mode(padding *out, const gig_node *node)
{
    const char *mode = gig_node_string(node, "mode", "constant");
    if (!strcmp(mode, "constant"))
        *out = PAD_CONSTANT;
    else if (!strcmp(mode, "reflect"))
        *out = PAD_REFLECT;
    else if (!strcmp(mode, "edge"))
        *out = PAD_EDGE;
    else
        return gig_fail(GIG_EUNSUPPORTED, "pad mode \"%.40s\"", mode);
    return GIG_OK;
}

/* The cell of an axis of `size` cells that position `at` (may lie outside) shows. */
static int64_t source(padding mode, int64_t at, int64_t size)
{
    if (at >= 0 && at < size) return at;
    if (mode == PAD_CONSTANT) return GIG_NOWHERE;
    if (mode == PAD_EDGE) return at < 0 ? 0 : size - 1;
    int64_t period = size > 1 ? 2 * (size - 1) : 1; /* 0 1 2 3 2 1 | 0 1 2 ... */
    int64_t phase = (at % period + period) % period;
    return phase < size ? phase : period - phase;
}

/* amounts: cells added before each axis, then behind each. */
static gig_status pad_dims(int64_t *dims, const gig_tensor *x, const int64_t *amounts, padding mode)
{
    const int64_t most = (int64_t)GIG_MAX_ELEMENTS;
    for (int i = 0; i < x->rank; i++) {
        int64_t before = amounts[i], behind = amounts[x->rank + i];
        if (before > most || before < -most || behind > most || behind < -most)
            return gig_fail(GIG_ELIMIT, "pads of %" PRId64 " and %" PRId64, before, behind);
        dims[i] = x->dims[i] + before + behind;
        if (dims[i] < 0) return gig_fail(GIG_EFORMAT, "axis %d is cropped beyond its end", i);
        if (dims[i] && !x->dims[i] && mode != PAD_CONSTANT)
            return gig_fail(GIG_EFORMAT, "axis %d is empty: it has nothing to repeat", i);
    }
    return GIG_OK;
}

/* Opset 11: the value is input 2, one number of the data's type; before: an attribute. */
static gig_status check_value(const gig_op *op)
{
    if (op->node->opset < 11) return gig_op_expect_type(op, 0, GIG_REAL);
    if (op->in_count < 3 || !op->in[2]) return GIG_OK;
    GIG_TRY(gig_op_expect_type(op, 2, op->in[0]->type));
    return gig_tensor_count(op->in[2]) == 1 ? GIG_OK : gig_fail(GIG_EFORMAT, "the value is not one number");
}

gig_status gig_pad_infer(gig_op *op)
{
    const int64_t *amounts;
    size_t count;
    padding mode;
    int attributes = op->node->opset < 11;
    GIG_TRY(gig_op_expect_inputs(op, attributes ? 1 : 2, attributes ? 1 : 3));
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_wholes(op, attributes ? SIZE_MAX : 1, op->node->opset < 2 ? "paddings" : "pads", &amounts, &count));
    if (count != 2 * (size_t)x->rank) return gig_fail(GIG_EFORMAT, "%zu pads for data of rank %d", count, x->rank);
    int64_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    GIG_TRY(read_mode(&mode, op->node));
    GIG_TRY(check_value(op));
    GIG_TRY(pad_dims(dims, x, amounts, mode));
    GIG_TRY(gig_op_set_output(op, 0, x->type, x->rank, dims));
    gig_mapping *mapping;
    GIG_TRY(gig_mapping_create(&mapping, x->rank, dims));
    op->params = mapping;
    gig_dense_strides(strides, x->rank, x->dims);
    for (int axis = 0; axis < x->rank; axis++)
        for (int64_t i = 0; i < dims[axis]; i++) {
            int64_t from = source(mode, i - amounts[axis], x->dims[axis]);
            mapping->table[axis][i] = (int32_t)(from == GIG_NOWHERE ? GIG_NOWHERE : from * strides[axis]);
        }
    gig_mapping_settle(mapping);
    return GIG_OK;
}

gig_status gig_pad_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    float value = gig_node_real(op->node, "value", 0);
    const void *fill = op->node->opset < 11 ? &value : op->in_count > 2 && in[2] ? in[2]->data : NULL;
    gig_mapping_gather(out[0], op->params, in[0], fill);
    return GIG_OK;
}

gig_status gig_pad_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                            const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    if (d_in[0]) gig_mapping_spread(d_in[0], op->params, d_out[0]->real);
    if (op->in_count > 2 && d_in[2]) d_in[2]->real[0] = (float)gig_mapping_fill_gradient(op->params, d_out[0]->real);
    return GIG_OK;
}
