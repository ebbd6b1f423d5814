/* SPDX-License-Identifier: Apache-2.0 */
/* Slice: every axis from a start to an end by a step, clamped to what is there. */
#include "network/operators/movement.h"
#include <inttypes.h>

typedef struct cut {
    int64_t start, step, count; /* elements start, start + step, ..., `count` of them */
} cut;

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Negative numbers count from the end of an axis of `size`. */
static gig_status make_cut(cut *out, int64_t size, int64_t start, int64_t end, int64_t step)
{
    if (step == 0) return gig_fail(GIG_EFORMAT, "a step of 0");
    step = clamp(step, -2 * (int64_t)GIG_MAX_ELEMENTS, 2 * (int64_t)GIG_MAX_ELEMENTS); /* beyond any axis */
    if (start < 0) start += size;
    if (end < 0) end += size;
    int64_t reach;
    if (step > 0) {
        start = clamp(start, 0, size);
        reach = clamp(end, 0, size) - start;
    } else {
        start = clamp(start, 0, size ? size - 1 : 0);
        reach = start - clamp(end, -1, size - 1);
    }
    int64_t stride = step > 0 ? step : -step;
    *out = (cut){start, step, size && reach > 0 ? (reach - 1) / stride + 1 : 0};
    return GIG_OK;
}

static gig_status keep_cuts(gig_op *op, const cut *cuts)
{
    const gig_tensor *x = op->in[0];
    int64_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    for (int i = 0; i < x->rank; i++) dims[i] = cuts[i].count;
    GIG_TRY(gig_op_set_output(op, 0, x->type, x->rank, dims));
    gig_mapping *mapping;
    GIG_TRY(gig_mapping_create(&mapping, op, x->rank, dims));
    gig_dense_strides(strides, x->rank, x->dims);
    for (int i = 0; i < x->rank; i++)
        gig_mapping_affine(mapping, i, cuts[i].start * strides[i], cuts[i].step * strides[i]);
    gig_mapping_settle(mapping);
    return GIG_OK;
}

typedef struct list {
    const int64_t *values; /* NULL: not given */
    size_t count;
} list;

static gig_status infer_slice(gig_op *op, list starts, list ends, list axes, list steps)
{
    const gig_tensor *x = op->in[0];
    cut cuts[GIG_MAX_RANK];
    int seen[GIG_MAX_RANK] = {0};
    if (!starts.values || !ends.values) return gig_fail(GIG_EFORMAT, "starts or ends are missing");
    if (starts.count != ends.count || starts.count > (size_t)x->rank || (axes.values && axes.count != starts.count) ||
        (steps.values && steps.count != starts.count))
        return gig_fail(GIG_EFORMAT, "%zu starts, %zu ends, %zu axes, %zu steps for data of rank %d", starts.count,
                        ends.count, axes.count, steps.count, x->rank);
    for (int i = 0; i < x->rank; i++) cuts[i] = (cut){0, 1, x->dims[i]};
    for (size_t i = 0; i < starts.count; i++) {
        int axis;
        GIG_TRY(gig_op_axis(&axis, axes.values ? axes.values[i] : (int64_t)i, x->rank));
        if (seen[axis]++) return gig_fail(GIG_EFORMAT, "axis %d is cut twice", axis);
        GIG_TRY(
            make_cut(&cuts[axis], x->dims[axis], starts.values[i], ends.values[i], steps.values ? steps.values[i] : 1));
    }
    return keep_cuts(op, cuts);
}

gig_status gig_slice_infer_attributes(gig_op *op)
{
    list starts, ends, axes;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_wholes(op, SIZE_MAX, "starts", &starts.values, &starts.count));
    GIG_TRY(gig_op_wholes(op, SIZE_MAX, "ends", &ends.values, &ends.count));
    GIG_TRY(gig_op_wholes(op, SIZE_MAX, "axes", &axes.values, &axes.count));
    return infer_slice(op, starts, ends, axes, (list){0});
}

gig_status gig_slice_infer(gig_op *op)
{
    list starts, ends, axes, steps;
    GIG_TRY(gig_op_expect_inputs(op, 3, 5));
    GIG_TRY(gig_op_wholes(op, 1, NULL, &starts.values, &starts.count));
    GIG_TRY(gig_op_wholes(op, 2, NULL, &ends.values, &ends.count));
    GIG_TRY(gig_op_wholes(op, 3, NULL, &axes.values, &axes.count));
    GIG_TRY(gig_op_wholes(op, 4, NULL, &steps.values, &steps.count));
    return infer_slice(op, starts, ends, axes, steps);
}
