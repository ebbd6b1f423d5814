/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that keep the elements and change the dims: Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout. */
#include "network/operators/movement.h"
#include <inttypes.h>
#include <string.h>

/* ---- Reshape ---- */

typedef struct target {
    int rank, free; /* free: the axis written as -1, or -1 */
    int64_t dims[GIG_MAX_RANK];
    int64_t known; /* product of the other dims */
} target;

/* Copies the shape; 0 stands for the input's size of that axis unless allowzero. */
static gig_status read_target(target *out, const gig_op *op)
{
    const gig_tensor *x = op->in[0];
    const int64_t *shape;
    size_t count;
    int zeros = gig_node_int(op->node, "allowzero", 0) != 0;
    GIG_TRY(
        gig_op_wholes(op, op->node->opset < 5 ? SIZE_MAX : 1, op->node->opset < 5 ? "shape" : NULL, &shape, &count));
    if (!shape) return gig_fail(GIG_EFORMAT, "the shape is missing");
    if (count > GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "a shape of rank %zu", count);
    *out = (target){.rank = (int)count, .free = -1};
    for (int i = 0; i < out->rank; i++) {
        out->dims[i] = shape[i];
        if (shape[i] == 0 && !zeros) {
            if (i >= x->rank) return gig_fail(GIG_EFORMAT, "axis %d is to be copied, the data has %d", i, x->rank);
            out->dims[i] = x->dims[i];
        }
        if (shape[i] < -1 || (shape[i] == -1 && out->free >= 0))
            return gig_fail(GIG_EFORMAT, "a shape with %" PRId64 " at axis %d", shape[i], i);
        if (shape[i] == -1) out->free = i;
    }
    return GIG_OK;
}

static gig_status multiply_known(target *t)
{
    size_t known;
    int64_t dims[GIG_MAX_RANK];
    memcpy(dims, t->dims, sizeof dims);
    if (t->free >= 0) dims[t->free] = 1;
    GIG_TRY(gig_size_of_dims(&known, t->rank, dims));
    t->known = (int64_t)known;
    return GIG_OK;
}

/* A shape that the file states for its own batch gets ours: axis 0 was that batch, and either the count would not come
 * out, or the free axis would swallow the batch. A shape that copies axis 0 (0) or leaves it free (-1) needs nothing.
 */
static gig_status rebatch(target *t, const gig_op *op)
{
    const gig_tensor *x = op->in[0];
    int64_t count = (int64_t)gig_tensor_count(x);
    if (!t->rank || !gig_op_rebatched(op, x, t->dims[0]) || (t->free < 0 && t->known == count)) return GIG_OK;
    t->dims[0] = op->batch;
    return multiply_known(t);
}

static gig_status infer_reshape(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 2));
    const gig_tensor *x = op->in[0];
    target t;
    GIG_TRY(read_target(&t, op));
    GIG_TRY(multiply_known(&t));
    GIG_TRY(rebatch(&t, op));
    int64_t count = (int64_t)gig_tensor_count(x);
    if (t.free >= 0) {
        if (t.known == 0 || count % t.known)
            return gig_fail(GIG_EFORMAT, "%" PRId64 " elements cannot be reshaped: -1 would not be an integer", count);
        t.dims[t.free] = count / t.known;
    } else if (t.known != count) {
        char from[96], to[96];
        gig_status why = op->batch != gig_op_file_batch(op) && !x->data ? GIG_EUNSUPPORTED : GIG_EFORMAT;
        return gig_fail(why, "%s does not reshape to %s", gig_dims_text(from, sizeof from, x->rank, x->dims),
                        gig_dims_text(to, sizeof to, t.rank, t.dims));
    }
    return gig_op_set_output(op, 0, x->type, t.rank, t.dims);
}

/* ---- Flatten ---- */

static gig_status infer_flatten(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    const gig_tensor *x = op->in[0];
    int64_t axis = gig_node_int(op->node, "axis", 1), dims[2] = {1, 1};
    if (axis < -x->rank || axis > x->rank)
        return gig_fail(GIG_EFORMAT, "axis %" PRId64 " is outside a tensor of rank %d", axis, x->rank);
    if (axis < 0) axis += x->rank;
    for (int i = 0; i < x->rank; i++) dims[i >= axis] *= x->dims[i];
    return gig_op_set_output(op, 0, x->type, 2, dims);
}

/* ---- Squeeze, Unsqueeze: axes are an attribute before opset 13, input 1 from then on ---- */

static gig_status read_axes(int marked[GIG_MAX_RANK], int *given, const gig_op *op, int rank)
{
    const int64_t *axes;
    size_t count;
    int later = op->node->opset >= 13;
    memset(marked, 0, GIG_MAX_RANK * sizeof *marked);
    GIG_TRY(gig_op_wholes(op, later ? 1 : SIZE_MAX, later ? NULL : "axes", &axes, &count));
    *given = axes != NULL;
    for (size_t i = 0; axes && i < count; i++) {
        int axis;
        GIG_TRY(gig_op_axis(&axis, axes[i], rank));
        if (marked[axis]++) return gig_fail(GIG_EFORMAT, "axis %d is named twice", axis);
    }
    return GIG_OK;
}

static gig_status infer_squeeze(gig_op *op)
{
    int marked[GIG_MAX_RANK], given, rank = 0;
    int64_t dims[GIG_MAX_RANK];
    GIG_TRY(gig_op_expect_inputs(op, 1, 2));
    const gig_tensor *x = op->in[0];
    GIG_TRY(read_axes(marked, &given, op, x->rank));
    for (int i = 0; i < x->rank; i++) {
        if (marked[i] && x->dims[i] != 1)
            return gig_fail(i == 0 && gig_op_rebatched(op, x, 1) ? GIG_EUNSUPPORTED : GIG_EFORMAT,
                            "axis %d of %" PRId64 " cells cannot be squeezed", i, x->dims[i]);
        if (given ? !marked[i] : x->dims[i] != 1) dims[rank++] = x->dims[i];
    }
    return gig_op_set_output(op, 0, x->type, rank, dims);
}

static gig_status infer_unsqueeze(gig_op *op)
{
    int marked[GIG_MAX_RANK], given;
    int64_t dims[GIG_MAX_RANK];
    GIG_TRY(gig_op_expect_inputs(op, 1, 2));
    const gig_tensor *x = op->in[0];
    const int64_t *axes;
    size_t count;
    int later = op->node->opset >= 13;
    GIG_TRY(gig_op_wholes(op, later ? 1 : SIZE_MAX, later ? NULL : "axes", &axes, &count));
    if (!axes) return gig_fail(GIG_EFORMAT, "axes are missing");
    if (count > (size_t)(GIG_MAX_RANK - x->rank)) return gig_fail(GIG_ELIMIT, "a rank above %d", GIG_MAX_RANK);
    int rank = x->rank + (int)count;
    GIG_TRY(read_axes(marked, &given, op, rank));
    for (int i = 0, from = 0; i < rank; i++) dims[i] = marked[i] ? 1 : x->dims[from++];
    return gig_op_set_output(op, 0, x->type, rank, dims);
}

/* ---- Identity, Dropout ---- */

static gig_status infer_identity(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    return gig_op_same_output(op, 0, 0);
}

/* Whether input i is a constant whose one number is zero, or is left out. */
static int zero_or_absent(const gig_op *op, size_t i)
{
    if (i >= op->in_count || !op->in[i]) return 1;
    const gig_tensor *t = op->in[i];
    if (!t->data || gig_tensor_count(t) != 1) return 0;
    return t->type == GIG_FLOAT32 ? t->real[0] == 0 : t->whole[0] == 0;
}

/* Inference: the identity. is_test (before opset 7) is not looked at: nothing here is ever trained. */
static gig_status infer_dropout(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 3));
    const gig_tensor *x = op->in[0];
    int ratio_is_zero = op->in_count > 1 && op->in[1] && zero_or_absent(op, 1);
    if (!zero_or_absent(op, 2) && !ratio_is_zero) return gig_fail(GIG_EUNSUPPORTED, "Dropout in training mode");
    int mask_is_real = op->node->opset < 10;
    if (op->out_count > 1 && !mask_is_real) op->out_onnx[1] = GIG_ONNX_BOOL;
    GIG_TRY(gig_op_set_output(op, 1, mask_is_real ? x->type : GIG_INT64, x->rank, x->dims));
    return gig_op_same_output(op, 0, 0);
}

static gig_status view_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    (void)op;
    memcpy(out[0]->data, in[0]->data, gig_tensor_bytes(in[0]));
    return GIG_OK;
}

static gig_status dropout_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    size_t count = gig_tensor_count(in[0]);
    if (out[0]) memcpy(out[0]->data, in[0]->data, gig_tensor_bytes(in[0]));
    gig_tensor *mask = op->out_count > 1 ? out[1] : NULL;
    for (size_t i = 0; mask && i < count; i++) { /* nothing is dropped */
        if (mask->type == GIG_FLOAT32)
            mask->real[i] = 1;
        else
            mask->whole[i] = 1;
    }
    return GIG_OK;
}

/* The planner treats a Dropout without its mask as a view; with the mask it comes here. */
static gig_status dropout_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)op, (void)in, (void)out;
    if (!d_in[0]) return GIG_OK;
    if (d_out[0])
        memcpy(d_in[0]->data, d_out[0]->data, gig_tensor_bytes(d_in[0]));
    else
        memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    return GIG_OK;
}

static const gig_moved_attribute axes_moved[] = {{"axes", 13}, {0}};

static const gig_moved_attribute ratio_moved[] = {{"ratio", 12}, {0}};

const gig_operator gig_operators_shape[] = {
    {"Reshape", 1, 0, GIG_OP_VIEW, GIG_NEEDS_NOTHING, infer_reshape, view_forward, NULL, .kind = GIG_KIND_RESHAPE},
    {"Flatten", 1, 0, GIG_OP_VIEW, GIG_NEEDS_NOTHING, infer_flatten, view_forward, NULL},
    {"Squeeze", 1, 0, GIG_OP_VIEW, GIG_NEEDS_NOTHING, infer_squeeze, view_forward, NULL, .moved = axes_moved},
    {"Unsqueeze", 1, 0, GIG_OP_VIEW, GIG_NEEDS_NOTHING, infer_unsqueeze, view_forward, NULL, .moved = axes_moved},
    {"Identity", 1, 0, GIG_OP_VIEW, GIG_NEEDS_NOTHING, infer_identity, view_forward, NULL},
    {"Dropout", 1, 0, GIG_OP_VIEW, GIG_NEEDS_NOTHING, infer_dropout, dropout_forward, dropout_backward,
     .moved = ratio_moved},
    {0},
};
