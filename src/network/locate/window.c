/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing of kernel_shape, strides, dilations, pads, auto_pad, group and their kin, with every check on them. */
#include "network/window.h"
#include <inttypes.h>
#include <string.h>

/* Above any real model; keeps (kernel - 1) dilation and stride in well within int64_t. */
static const int64_t most = (int64_t)1 << 30;

/* ---- attributes ---- */

/* The integers of attribute `name`, exactly `count` of them, each in [least, most]; `otherwise` when absent. */
static gig_status read_list(int64_t *out, const gig_node *node, const char *name, size_t count, int64_t least,
                            int64_t otherwise)
{
    for (size_t i = 0; i < count; i++) out[i] = otherwise;
    const gig_attribute *attribute = gig_node_attribute(node, name);
    if (!attribute) return GIG_OK;
    if (attribute->kind != GIG_ATTRIBUTE_INTS || attribute->count != count)
        return gig_fail(GIG_EFORMAT, "%s must be a list of %zu integers", name, count);
    for (size_t i = 0; i < count; i++) {
        if (attribute->ints[i] < least) return gig_fail(GIG_EFORMAT, "%s holds %" PRId64, name, attribute->ints[i]);
        if (attribute->ints[i] > most) return gig_fail(GIG_ELIMIT, "%s holds %" PRId64, name, attribute->ints[i]);
        out[i] = attribute->ints[i];
    }
    return GIG_OK;
}

typedef enum padding { PAD_GIVEN, PAD_VALID, PAD_SAME_UPPER, PAD_SAME_LOWER } padding;

static gig_status read_padding(padding *out, const gig_node *node)
{
    const char *text = gig_node_string(node, "auto_pad", "NOTSET");
    *out = PAD_GIVEN;
    if (!strcmp(text, "NOTSET") || !*text) return GIG_OK;
    *out = !strcmp(text, "VALID") ? PAD_VALID : !strcmp(text, "SAME_UPPER") ? PAD_SAME_UPPER : PAD_SAME_LOWER;
    if (*out == PAD_SAME_LOWER && strcmp(text, "SAME_LOWER"))
        return gig_fail(GIG_EFORMAT, "auto_pad \"%.40s\" is unknown", text);
    return GIG_OK;
}

/* A flag attribute: 0 or 1. */
static gig_status read_flag(int *out, const gig_node *node, const char *name)
{
    int64_t flag = gig_node_int(node, name, 0);
    *out = flag != 0;
    return flag == 0 || flag == 1 ? GIG_OK : gig_fail(GIG_EFORMAT, "%s is %" PRId64, name, flag);
}

/* strides, dilations and pads, and how pads are to be found; the sizes of the input. */
static gig_status read_common(gig_window *w, padding *mode, const gig_op *op)
{
    const gig_tensor *x = op->in_count ? op->in[0] : NULL;
    if (!x) return gig_fail(GIG_EFORMAT, "input 0 is missing");
    if (x->rank < 3 || x->rank > 2 + GIG_WINDOW_AXES)
        return gig_fail(GIG_EUNSUPPORTED, "data of rank %d, not 3 to %d", x->rank, 2 + GIG_WINDOW_AXES);
    *w = (gig_window){.spatial = x->rank - 2, .batch = x->dims[0], .in_channels = x->dims[1], .group = 1};
    for (int i = 0; i < GIG_WINDOW_AXES; i++) {
        w->in[i] = i < w->spatial ? x->dims[2 + i] : 1;
        w->kernel[i] = w->stride[i] = w->dilation[i] = w->out[i] = 1;
    }
    size_t axes = (size_t)w->spatial;
    int64_t pads[2 * GIG_WINDOW_AXES];
    GIG_TRY(read_list(w->stride, op->node, "strides", axes, 1, 1));
    GIG_TRY(read_list(w->dilation, op->node, "dilations", axes, 1, 1));
    GIG_TRY(read_list(pads, op->node, "pads", 2 * axes, 0, 0));
    GIG_TRY(read_padding(mode, op->node));
    for (size_t i = 0; i < axes && *mode == PAD_GIVEN; i++) {
        w->pad_begin[i] = pads[i];
        w->pad_end[i] = pads[axes + i];
    }
    return GIG_OK;
}

/* ---- sizes ---- */

/* Cells from the first to the last of a dilated kernel. */
static int64_t extent(const gig_window *w, int axis)
{
    return (w->kernel[axis] - 1) * w->dilation[axis] + 1;
}

/* Puts the odd cell of `total` at the end (SAME_UPPER) or at the beginning. */
static void share_padding(gig_window *w, int axis, int64_t total, padding mode)
{
    w->pad_begin[axis] = mode == PAD_SAME_UPPER ? total / 2 : total - total / 2;
    w->pad_end[axis] = total - w->pad_begin[axis];
}

/* out[axis] of a convolution or pooling, and pads where auto_pad asks for them. */
static gig_status slide(gig_window *w, int axis, padding mode)
{
    int64_t in = w->in[axis], stride = w->stride[axis];
    if (in < 1) return gig_fail(GIG_EFORMAT, "spatial axis %d is empty", axis);
    if (mode == PAD_SAME_UPPER || mode == PAD_SAME_LOWER) {
        int64_t out = (in - 1) / stride + 1, total = (out - 1) * stride + extent(w, axis) - in;
        share_padding(w, axis, total > 0 ? total : 0, mode);
        w->out[axis] = out;
        return GIG_OK;
    }
    int64_t room = in + w->pad_begin[axis] + w->pad_end[axis] - extent(w, axis);
    if (room < 0)
        return gig_fail(GIG_EFORMAT, "the kernel spans %" PRId64 " cells of axis %d, the padded input has %" PRId64,
                        extent(w, axis), axis, room + extent(w, axis));
    w->out[axis] = room / stride + 1;
    /* Differs from the letter of opset 17: a window wholly in the end padding is dropped, as PyTorch and opset 19
     * do; its maximum or mean would be over nothing. */
    if (w->ceil_mode && mode == PAD_GIVEN && room % stride && w->out[axis] * stride < in + w->pad_begin[axis])
        w->out[axis]++;
    return GIG_OK;
}

/* out[axis] of a transposed convolution; wanted < 0: not given. */
static gig_status unslide(gig_window *w, int axis, padding mode, int64_t beyond, int64_t wanted)
{
    if (w->in[axis] < 1) return gig_fail(GIG_EFORMAT, "spatial axis %d is empty", axis);
    int64_t natural = w->stride[axis] * (w->in[axis] - 1) + extent(w, axis);
    if (wanted < 0 && (mode == PAD_SAME_UPPER || mode == PAD_SAME_LOWER)) wanted = w->in[axis] * w->stride[axis];
    if (wanted >= 0) {
        int64_t total = natural + beyond - wanted;
        share_padding(w, axis, total > 0 ? total : 0, mode);
        w->out[axis] = wanted;
    } else {
        w->out[axis] = natural + beyond - w->pad_begin[axis] - w->pad_end[axis];
    }
    if (w->out[axis] < 1) return gig_fail(GIG_EFORMAT, "axis %d of the output would have no cells", axis);
    w->pad_end[axis] = natural - w->pad_begin[axis] - w->out[axis];
    return GIG_OK;
}

/* Steps that are never taken are 1: nothing depends on them, and products with them could overflow. */
static void settle(gig_window *w)
{
    for (int i = 0; i < w->spatial; i++) {
        if (w->kernel[i] == 1) w->dilation[i] = 1;
        if (w->out[i] == 1) w->stride[i] = 1;
    }
}

static gig_status check_output(const gig_window *w)
{
    int64_t dims[2 + GIG_WINDOW_AXES] = {w->batch, w->out_channels};
    memcpy(dims + 2, w->out, sizeof w->out);
    size_t count;
    return gig_size_of_dims(&count, 2 + GIG_WINDOW_AXES, dims);
}

/* ---- weights ---- */

/* Data, weights and bias fit together; fills kernel, group and out_channels. `transposed`: weights are
 * [in_channels, out_channels / group, kernel...]. */
static gig_status read_weights(gig_window *w, const gig_op *op, int transposed)
{
    const gig_tensor *weights = op->in_count > 1 ? op->in[1] : NULL, *bias = op->in_count > 2 ? op->in[2] : NULL;
    if (!weights || op->in_count > 3) return gig_fail(GIG_EFORMAT, "%zu inputs, not 2 or 3", op->in_count);
    if (op->in[0]->type != GIG_FLOAT32 || weights->type != GIG_FLOAT32 || (bias && bias->type != GIG_FLOAT32))
        return gig_fail(GIG_EUNSUPPORTED, "a convolution of integers");
    if (weights->rank != 2 + w->spatial)
        return gig_fail(GIG_EFORMAT, "weights of rank %d for data of rank %d", weights->rank, 2 + w->spatial);
    w->group = gig_node_int(op->node, "group", 1);
    int64_t per_group = weights->dims[1], total;
    if (w->group < 1 || weights->dims[0] < 1 || per_group < 1 || w->in_channels < 1)
        return gig_fail(GIG_EFORMAT, "group is %" PRId64 ", or there are no channels", w->group);
    if (__builtin_mul_overflow(per_group, w->group, &total) || weights->dims[0] % w->group)
        return gig_fail(GIG_EFORMAT, "group %" PRId64 " does not divide the weights' channels", w->group);
    w->out_channels = transposed ? total : weights->dims[0];
    if (w->in_channels != (transposed ? weights->dims[0] : total))
        return gig_fail(GIG_EFORMAT, "data has %" PRId64 " channels, the weights want %" PRId64, w->in_channels,
                        transposed ? weights->dims[0] : total);
    if (bias && (bias->rank != 1 || bias->dims[0] != w->out_channels))
        return gig_fail(GIG_EFORMAT, "the bias is not one number for each of %" PRId64 " channels", w->out_channels);
    GIG_TRY(read_list(w->kernel, op->node, "kernel_shape", (size_t)w->spatial, 1, 0));
    for (int i = 0; i < w->spatial; i++) {
        if (weights->dims[2 + i] < 1 || (w->kernel[i] && w->kernel[i] != weights->dims[2 + i]))
            return gig_fail(GIG_EFORMAT, "kernel_shape[%d] is %" PRId64 ", the weights have %" PRId64, i, w->kernel[i],
                            weights->dims[2 + i]);
        w->kernel[i] = weights->dims[2 + i];
    }
    return GIG_OK;
}

gig_status gig_window_of_convolution(gig_window *out, const gig_op *op)
{
    padding mode;
    GIG_TRY(read_common(out, &mode, op));
    GIG_TRY(read_weights(out, op, 0));
    for (int i = 0; i < out->spatial; i++) GIG_TRY(slide(out, i, mode));
    settle(out);
    return check_output(out);
}

gig_status gig_window_of_deconvolution(gig_window *out, const gig_op *op)
{
    padding mode;
    GIG_TRY(read_common(out, &mode, op));
    GIG_TRY(read_weights(out, op, 1));
    int64_t beyond[GIG_WINDOW_AXES], wanted[2 + GIG_WINDOW_AXES];
    size_t axes = (size_t)out->spatial, given;
    GIG_TRY(read_list(beyond, op->node, "output_padding", axes, 0, 0));
    gig_node_ints(op->node, "output_shape", &given);
    size_t skip = given == axes + 2 ? 2 : 0; /* some writers list batch and channels too */
    GIG_TRY(read_list(wanted, op->node, "output_shape", axes + skip, skip ? 0 : 1, -1));
    for (int i = 0; i < out->spatial; i++) GIG_TRY(unslide(out, i, mode, beyond[i], wanted[(size_t)i + skip]));
    return check_output(out);
}

gig_status gig_window_of_pooling(gig_window *out, const gig_op *op)
{
    padding mode;
    GIG_TRY(read_common(out, &mode, op));
    if (op->in_count != 1) return gig_fail(GIG_EFORMAT, "%zu inputs, not 1", op->in_count);
    out->out_channels = out->in_channels;
    if (!gig_node_attribute(op->node, "kernel_shape")) return gig_fail(GIG_EFORMAT, "kernel_shape is missing");
    GIG_TRY(read_list(out->kernel, op->node, "kernel_shape", (size_t)out->spatial, 1, 1));
    GIG_TRY(read_flag(&out->ceil_mode, op->node, "ceil_mode"));
    GIG_TRY(read_flag(&out->count_include_pad, op->node, "count_include_pad"));
    GIG_TRY(read_flag(&out->column_major, op->node, "storage_order"));
    for (int i = 0; i < out->spatial; i++) GIG_TRY(slide(out, i, mode));
    settle(out);
    return check_output(out);
}

int gig_window_is_ordinary(const gig_window *window)
{
    const int64_t small = 256;
    for (int i = 0; i < window->spatial; i++) {
        int64_t bound = window->in[i] > small ? window->in[i] : small;
        if (extent(window, i) > bound || window->pad_begin[i] > bound || window->pad_end[i] > bound ||
            window->stride[i] > bound)
            return 0;
    }
    return 1;
}

/* ---- walking ---- */

gig_window gig_window_aligned(const gig_window *window)
{
    gig_window w = *window;
    for (int i = 0; i < GIG_WINDOW_AXES; i++) {
        int from = (i + window->spatial) % GIG_WINDOW_AXES; /* the neutral axes go first */
        w.in[i] = window->in[from];
        w.kernel[i] = window->kernel[from];
        w.stride[i] = window->stride[from];
        w.dilation[i] = window->dilation[from];
        w.pad_begin[i] = window->pad_begin[from];
        w.pad_end[i] = window->pad_end[from];
        w.out[i] = window->out[from];
    }
    w.spatial = GIG_WINDOW_AXES;
    return w;
}

void gig_window_reach(int64_t *first, int64_t *last, const gig_window *window, int axis, int64_t o)
{
    int64_t at = o * window->stride[axis] - window->pad_begin[axis], step = window->dilation[axis];
    int64_t left = window->in[axis] - at;
    *first = at < 0 ? (-at + step - 1) / step : 0;
    *last = left > 0 ? (left - 1) / step + 1 : 0;
    if (*last > window->kernel[axis]) *last = window->kernel[axis];
    if (*first > *last) *first = *last;
}

void gig_window_span(int64_t *first, int64_t *last, const gig_window *window, int axis, int64_t k, int64_t bound,
                     int64_t size)
{
    int64_t at = k * window->dilation[axis] - window->pad_begin[axis], step = window->stride[axis];
    int64_t left = size - at;
    *first = at < 0 ? (-at + step - 1) / step : 0;
    *last = left > 0 ? (left - 1) / step + 1 : 0;
    if (*last > bound) *last = bound;
    if (*first > *last) *first = *last;
}
