/* SPDX-License-Identifier: Apache-2.0 */
/* Pad: constant, reflect, edge or wrap; a negative amount crops, before anything is padded. CenterCropPad, which does
 * either to bring axes to a given length. */
#include "network/operators/movement.h"
#include <inttypes.h>
#include <string.h>

typedef enum padding { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP } padding;

/* Cells added before and behind each axis; negative: taken away. */
typedef struct amounts {
    int64_t before[GIG_MAX_RANK], behind[GIG_MAX_RANK];
} amounts;

static gig_status read_mode(padding *out, const gig_node *node)
{
    static const char *const words[] = {"constant", "reflect", "edge", "wrap"};
    const char *mode = gig_node_string(node, "mode", "constant");
    for (int i = 0; i < (node->opset < 19 ? 3 : 4); i++)
        if (!strcmp(words[i], mode)) {
            *out = (padding)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EUNSUPPORTED, "pad mode \"%.40s\"", mode);
}

/* What cropping leaves of an axis. */
typedef struct kept_cells {
    int64_t first, size;
} kept_cells;

static kept_cells crop(int64_t size, int64_t before, int64_t behind)
{
    return (kept_cells){before < 0 ? -before : 0, size + (before < 0 ? before : 0) + (behind < 0 ? behind : 0)};
}

/* The cell that position `at` of the axis (may lie outside of what is kept) shows. */
static int64_t source(padding mode, int64_t at, kept_cells kept)
{
    at -= kept.first;
    if (at >= 0 && at < kept.size) return kept.first + at;
    if (mode == PAD_CONSTANT) return GIG_NOWHERE;
    if (mode == PAD_EDGE) return kept.first + (at < 0 ? 0 : kept.size - 1);
    int64_t period = mode == PAD_WRAP ? kept.size : kept.size > 1 ? 2 * (kept.size - 1) : 1;
    int64_t phase = (at % period + period) % period; /* reflect: 0 1 2 3 2 1 | 0 1 2 ... */
    return kept.first + (phase < kept.size ? phase : period - phase);
}

static gig_status pad_dims(int64_t *dims, const gig_tensor *x, const amounts *by, padding mode)
{
    const int64_t most = (int64_t)GIG_MAX_ELEMENTS;
    for (int i = 0; i < x->rank; i++) {
        int64_t before = by->before[i], behind = by->behind[i];
        if (before > most || before < -most || behind > most || behind < -most)
            return gig_fail(GIG_ELIMIT, "pads of %" PRId64 " and %" PRId64, before, behind);
        dims[i] = x->dims[i] + before + behind;
        if (dims[i] < 0) return gig_fail(GIG_EFORMAT, "axis %d is cropped beyond its end", i);
        if (dims[i] && crop(x->dims[i], before, behind).size < 1 && mode != PAD_CONSTANT)
            return gig_fail(GIG_EFORMAT, "axis %d is empty: it has nothing to repeat", i);
    }
    return GIG_OK;
}

/* The output's dims and the mapping that fills it. */
static gig_status keep_padding(gig_op *op, const amounts *by, padding mode)
{
    const gig_tensor *x = op->in[0];
    int64_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    gig_mapping *mapping;
    GIG_TRY(pad_dims(dims, x, by, mode));
    GIG_TRY(gig_op_set_output(op, 0, x->type, x->rank, dims));
    GIG_TRY(gig_mapping_create(&mapping, op, x->rank, dims));
    gig_dense_strides(strides, x->rank, x->dims);
    for (int axis = 0; axis < x->rank; axis++) {
        kept_cells kept = crop(x->dims[axis], by->before[axis], by->behind[axis]);
        for (int64_t i = 0; i < mapping->dims[axis]; i++) {
            int64_t from = source(mode, i - by->before[axis], kept);
            mapping->table[axis][i] = (int32_t)(from == GIG_NOWHERE ? GIG_NOWHERE : from * strides[axis]);
        }
    }
    gig_mapping_settle(mapping);
    return GIG_OK;
}

/* ---- Pad ---- */

/* Opset 11: the value is input 2, one number of the data's type; before: an attribute. */
static gig_status check_value(const gig_op *op)
{
    if (op->node->opset < 11) return gig_op_expect_type(op, 0, GIG_FLOAT32);
    if (op->in_count < 3 || !op->in[2]) return GIG_OK;
    GIG_TRY(gig_op_expect_type(op, 2, op->in[0]->type));
    return gig_tensor_count(op->in[2]) == 1 ? GIG_OK : gig_fail(GIG_EFORMAT, "the value is not one number");
}

/* Opset 18: pads are of the axes of input 3, all where it is left out. */
static gig_status read_amounts(amounts *out, const gig_op *op)
{
    int opset = op->node->opset, axes[GIG_MAX_RANK];
    const int64_t *given;
    size_t count, named;
    *out = (amounts){0};
    GIG_TRY(gig_op_axes(axes, &named, op, opset < 18 ? SIZE_MAX : 3, NULL, op->in[0]->rank));
    GIG_TRY(gig_op_wholes(op, opset < 11 ? SIZE_MAX : 1, opset < 2 ? "paddings" : "pads", &given, &count));
    if (count != 2 * named) return gig_fail(GIG_EFORMAT, "%zu pads for %zu axes", count, named);
    for (size_t i = 0; i < named; i++) {
        out->before[axes[i]] = given[i];
        out->behind[axes[i]] = given[named + i];
    }
    return GIG_OK;
}

gig_status gig_pad_infer(gig_op *op)
{
    amounts by;
    padding mode;
    int opset = op->node->opset;
    GIG_TRY(gig_op_expect_inputs(op, opset < 11 ? 1 : 2, opset < 11 ? 1 : opset < 18 ? 3 : 4));
    GIG_TRY(read_amounts(&by, op));
    GIG_TRY(read_mode(&mode, op->node));
    GIG_TRY(check_value(op));
    return keep_padding(op, &by, mode);
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

/* ---- CenterCropPad: zeros; where an odd number of cells comes or goes, the one more is behind ---- */

gig_status gig_center_infer(gig_op *op)
{
    int axes[GIG_MAX_RANK];
    const int64_t *shape;
    size_t count, named;
    amounts by = {0};
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_axes(axes, &named, op, SIZE_MAX, "axes", x->rank));
    GIG_TRY(gig_op_wholes(op, 1, NULL, &shape, &count));
    if (count != named) return gig_fail(GIG_EFORMAT, "a shape of %zu numbers for %zu axes", count, named);
    for (size_t i = 0; i < named; i++) {
        int axis = axes[i];
        int64_t size = axis == 0 && gig_op_rebatched(op, x, shape[i]) ? op->batch : shape[i];
        if (size < 0) return gig_fail(GIG_EFORMAT, "a length of %" PRId64, size);
        by.before[axis] = (size - x->dims[axis]) / 2;
        by.behind[axis] = size - x->dims[axis] - by.before[axis];
    }
    return keep_padding(op, &by, PAD_CONSTANT);
}
