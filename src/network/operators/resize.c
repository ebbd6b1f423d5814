/* SPDX-License-Identifier: Apache-2.0 */
/* Resize and Upsample. Nearest neighbour is a mapping; linear and cubic are one weighted pass for each resized axis,
 * and their gradient is the same passes transposed, in reverse order. */
#include "network/operators/resize.h"
#include "network/kernels/resample.h"
#include "network/operators/movement.h"
#include <math.h>
#include <string.h>

/* op->params of linear and cubic, one block. Output cell x of an axis reads `width` cells from first[x] on. */
typedef struct resizing {
    int rank;
    int64_t in[GIG_MAX_RANK], out[GIG_MAX_RANK];
    int64_t width[GIG_MAX_RANK]; /* 0: the axis stays as it is */
    float extrapolation;
    int32_t *first[GIG_MAX_RANK];        /* [out] */
    float *weight[GIG_MAX_RANK];         /* [out][width] */
    unsigned char *inside[GIG_MAX_RANK]; /* [out] */
} resizing;

/* ---- attributes ---- */

static gig_status choose(int *out, const gig_node *node, const char *name, const char *const *words, int otherwise)
{
    const char *text = gig_node_string(node, name, NULL);
    *out = otherwise;
    if (!text) return GIG_OK;
    for (*out = 0; words[*out]; ++*out)
        if (!strcmp(words[*out], text)) return GIG_OK;
    return gig_fail(GIG_EUNSUPPORTED, "%s \"%.40s\"", name, text);
}

static gig_status read_resampling(gig_resampling *out, const gig_node *node)
{
    static const char *const modes[] = {"nearest", "linear", "cubic", "bilinear", NULL};
    static const char *const coordinates[] = {
        "half_pixel",           "pytorch_half_pixel", "align_corners",        "asymmetric",
        "tf_half_pixel_for_nn", "tf_crop_and_resize", "half_pixel_symmetric", NULL};
    static const char *const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
    int mode, coordinate = GIG_ASYMMETRIC, rounding = GIG_FLOOR_OR_CEIL;
    GIG_TRY(choose(&mode, node, "mode", modes, GIG_INTERPOLATE_NEAREST));
    if (node->opset >= 11) {
        GIG_TRY(choose(&coordinate, node, "coordinate_transformation_mode", coordinates, GIG_HALF_PIXEL));
        GIG_TRY(choose(&rounding, node, "nearest_mode", roundings, GIG_ROUND_DOWN));
    }
    if (coordinate == GIG_HALF_PIXEL_SYMMETRIC && node->opset < 19)
        return gig_fail(GIG_EFORMAT, "half_pixel_symmetric before opset 19");
    *out = (gig_resampling){.interpolation = mode == 3 ? GIG_INTERPOLATE_LINEAR : (gig_interpolation)mode,
                            .coordinates = (gig_coordinates)coordinate,
                            .nearest = (gig_nearest)rounding,
                            .cubic_a = gig_node_real(node, "cubic_coeff_a", -0.75f),
                            .exclude_outside = gig_node_int(node, "exclude_outside", 0) != 0,
                            .antialias = node->opset >= 18 && gig_node_int(node, "antialias", 0) != 0,
                            .extrapolation = gig_node_real(node, "extrapolation_value", 0)};
    if (out->antialias && out->interpolation == GIG_INTERPOLATE_NEAREST)
        return gig_fail(GIG_EUNSUPPORTED, "antialias with mode nearest");
    return isfinite(out->cubic_a) ? GIG_OK : gig_fail(GIG_EFORMAT, "cubic_coeff_a is not a number");
}

/* An axis that comes out as it went in. */
static int untouched(const gig_resampling *how, const gig_axis *axis)
{
    if (axis->in != axis->out) return 0;
    return how->coordinates == GIG_CROP_AND_RESIZE ? axis->start == 0 && axis->end == 1 : axis->scale == 1;
}

/* ---- tables ---- */

static gig_status keep_mapping(gig_op *op, const gig_resampling *how, const gig_axis *axes, const int64_t *dims)
{
    gig_mapping *mapping;
    int rank = op->in[0]->rank;
    int64_t strides[GIG_MAX_RANK];
    GIG_TRY(gig_mapping_create(&mapping, op, rank, dims));
    gig_dense_strides(strides, rank, op->in[0]->dims);
    for (int i = 0; i < rank; i++)
        for (int64_t x = 0; x < mapping->dims[i]; x++) {
            int64_t from = untouched(how, &axes[i]) ? x : gig_resample_nearest(how, &axes[i], x);
            mapping->table[i][x] = (int32_t)(from == GIG_NOWHERE ? GIG_NOWHERE : from * strides[i]);
        }
    gig_mapping_settle(mapping);
    return GIG_OK;
}

static gig_status keep_weights(gig_op *op, const gig_resampling *how, const gig_axis *axes)
{
    int rank = op->in[0]->rank;
    size_t cells = 0, weights = 0;
    resizing made = {.rank = rank, .extrapolation = how->extrapolation};
    for (int i = 0; i < rank; i++) {
        made.in[i] = axes[i].in;
        made.out[i] = axes[i].out;
        if (untouched(how, &axes[i])) continue;
        made.width[i] = gig_resample_width(how, &axes[i]);
        cells += (size_t)axes[i].out;
        weights += (size_t)(axes[i].out * made.width[i]);
    }
    if (gig_tensor_count(op->out[0]) == 0) weights = cells = 0;
    GIG_TRY(gig_op_charge(op, weights * sizeof(float) + cells * (sizeof(int32_t) + 1)));
    resizing *kept = op->params = gig_alloc(1, sizeof *kept + weights * sizeof(float) + cells * (sizeof(int32_t) + 1));
    if (!kept) return gig_alloc_status();
    *kept = made;
    int32_t *first = (int32_t *)(void *)(kept + 1);
    float *weight = (float *)(void *)(first + cells);
    unsigned char *inside = (unsigned char *)(weight + weights);
    for (int i = 0; i < rank; i++) {
        if (!kept->width[i] || !cells) continue;
        kept->first[i] = first;
        kept->weight[i] = weight;
        kept->inside[i] = inside;
        for (int64_t x = 0; x < axes[i].out; x++, weight += kept->width[i])
            *inside++ = (unsigned char)gig_resample_weights(first++, weight, how, &axes[i], x);
    }
    return GIG_OK;
}

static gig_status keep_axes(gig_op *op, const gig_axis *axes, const gig_resampling *how)
{
    const gig_tensor *x = op->in[0];
    int64_t dims[GIG_MAX_RANK];
    for (int i = 0; i < x->rank; i++) dims[i] = axes[i].out;
    if (how->interpolation != GIG_INTERPOLATE_NEAREST && x->type != GIG_FLOAT32)
        return gig_fail(GIG_EUNSUPPORTED, "interpolation of integers");
    GIG_TRY(gig_op_set_output(op, 0, x->type, x->rank, dims));
    return how->interpolation == GIG_INTERPOLATE_NEAREST ? keep_mapping(op, how, axes, dims)
                                                         : keep_weights(op, how, axes);
}

/* ---- shape rules ---- */

static gig_status infer_resize(gig_op *op)
{
    gig_axis axes[GIG_MAX_RANK];
    gig_resampling how;
    GIG_TRY(gig_op_expect_inputs(op, 1, op->node->opset >= 11 ? 4 : 2));
    GIG_TRY(read_resampling(&how, op->node));
    GIG_TRY(gig_resize_axes(axes, op, &how));
    return keep_axes(op, axes, &how);
}

/* Opset 1: height_scale and width_scale; 7: the attribute scales; 9: input 1. */
static gig_status infer_upsample(gig_op *op)
{
    int opset = op->node->opset;
    const float *scales;
    size_t count;
    float four[4] = {1, 1, gig_node_real(op->node, "height_scale", 0), gig_node_real(op->node, "width_scale", 0)};
    gig_axis axes[GIG_MAX_RANK];
    gig_resampling how;
    GIG_TRY(gig_op_expect_inputs(op, opset < 9 ? 1 : 2, opset < 9 ? 1 : 2));
    GIG_TRY(read_resampling(&how, op->node));
    GIG_TRY(gig_op_reals(op, opset < 9 ? SIZE_MAX : 1, opset < 9 ? "scales" : NULL, &scales, &count));
    if (opset < 7) {
        scales = four;
        count = 4;
    }
    GIG_TRY(gig_resize_scale_axes(axes, op, scales, count));
    return keep_axes(op, axes, &how);
}

/* ---- passes ---- */

/* The pass along `axis`, axes before it already resized. */
static gig_pass pass_of(const resizing *r, int axis)
{
    gig_pass p = {1, r->in[axis], r->out[axis], 1, r->width[axis], r->first[axis], r->weight[axis]};
    for (int i = 0; i < axis; i++) p.outer *= r->out[i];
    for (int i = axis + 1; i < r->rank; i++) p.inner *= r->in[i];
    return p;
}

static void run_pass(float *out, const float *in, const gig_pass *p)
{
    for (int64_t o = 0; o < p->outer; o++, in += p->in * p->inner)
        for (int64_t x = 0; x < p->out; x++, out += p->inner)
            for (int64_t t = 0; t < p->width; t++) {
                const float *from = in + (p->first[x] + t) * p->inner;
                float weight = p->weight[x * p->width + t];
                for (int64_t i = 0; i < p->inner; i++) out[i] = (t ? out[i] : 0) + weight * from[i];
            }
}

static void run_transposed(float *d_in, const float *d_out, const gig_pass *p)
{
    memset(d_in, 0, (size_t)(p->outer * p->in * p->inner) * sizeof *d_in);
    for (int64_t o = 0; o < p->outer; o++, d_in += p->in * p->inner)
        for (int64_t x = 0; x < p->out; x++, d_out += p->inner)
            for (int64_t t = 0; t < p->width; t++) {
                float *to = d_in + (p->first[x] + t) * p->inner;
                float weight = p->weight[x * p->width + t];
                for (int64_t i = 0; i < p->inner; i++) to[i] += weight * d_out[i];
            }
}

/* Writes `value` where any axis lies outside the input. */
static void fill_outside(float *out, const resizing *r, float value)
{
    for (int axis = 0; axis < r->rank; axis++) {
        if (!r->width[axis]) continue;
        int64_t outer = 1, inner = 1;
        for (int i = 0; i < axis; i++) outer *= r->out[i];
        for (int i = axis + 1; i < r->rank; i++) inner *= r->out[i];
        for (int64_t row = 0; row < outer * r->out[axis]; row++) {
            if (r->inside[axis][row % r->out[axis]]) continue;
            for (int64_t i = 0; i < inner; i++) out[row * inner + i] = value;
        }
    }
}

static int is_nearest(const gig_op *op)
{
    return !strcmp(gig_node_string(op->node, "mode", "nearest"), "nearest");
}

/* Each pass reads `from`, which the one before has made, and frees it. */
static gig_status resize_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    if (is_nearest(op)) {
        float real = gig_node_real(op->node, "extrapolation_value", 0);
        int64_t whole = fabsf(real) < 1e18f ? (int64_t)real : 0;
        gig_mapping_gather(out[0], op->params, in[0], in[0]->type == GIG_FLOAT32 ? (void *)&real : (void *)&whole);
        return GIG_OK;
    }
    const resizing *r = op->params;
    float *made = NULL;
    for (int axis = 0; axis < r->rank; axis++) {
        if (!r->width[axis]) continue;
        gig_pass p = pass_of(r, axis);
        float *next = gig_alloc((size_t)(p.outer * p.out * p.inner), sizeof *next);
        if (next) run_pass(next, made ? made : in[0]->real, &p);
        gig_free(made);
        if (!next) return gig_alloc_status();
        made = next;
    }
    memcpy(out[0]->data, made ? made : in[0]->real, gig_tensor_bytes(out[0]));
    gig_free(made);
    fill_outside(out[0]->real, r, r->extrapolation);
    return GIG_OK;
}

static gig_status resize_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    if (!d_in[0]) return GIG_OK;
    if (is_nearest(op)) {
        gig_mapping_spread(d_in[0], op->params, d_out[0]->real);
        return GIG_OK;
    }
    const resizing *r = op->params;
    float *made = gig_alloc(gig_tensor_count(d_out[0]), sizeof *made);
    if (!made) return gig_alloc_status();
    memcpy(made, d_out[0]->data, gig_tensor_bytes(d_out[0]));
    fill_outside(made, r, 0);
    for (int axis = r->rank - 1; axis >= 0; axis--) {
        if (!r->width[axis]) continue;
        gig_pass p = pass_of(r, axis);
        float *next = gig_alloc((size_t)(p.outer * p.in * p.inner), sizeof *next);
        if (next) run_transposed(next, made, &p);
        gig_free(made);
        if (!next) return gig_alloc_status();
        made = next;
    }
    memcpy(d_in[0]->data, made, gig_tensor_bytes(d_in[0]));
    gig_free(made);
    return GIG_OK;
}

/* ---- fast version: linear and cubic, nothing outside ---- */

static int fast_takes(const gig_op *op)
{
    if (is_nearest(op) || !gig_tensor_count(op->out[0])) return 0;
    const resizing *r = op->params;
    int passes = 0;
    for (int axis = 0; axis < r->rank; axis++) {
        passes += r->width[axis] > 0;
        for (int64_t x = 0; r->width[axis] && x < r->out[axis]; x++)
            if (!r->inside[axis][x]) return 0;
    }
    return passes > 0;
}

/* The passes one after another (backward: in reverse, transposed), the last one into `to`. */
static gig_status run_passes(float *to, const float *from, const resizing *r, int backward)
{
    float *made = NULL;
    int left = 0;
    gig_status status = GIG_OK;
    for (int axis = 0; axis < r->rank; axis++) left += r->width[axis] > 0;
    for (int i = 0; i < r->rank && status == GIG_OK; i++) {
        int axis = backward ? r->rank - 1 - i : i;
        if (!r->width[axis]) continue;
        gig_pass p = pass_of(r, axis);
        size_t count = (size_t)(p.outer * p.inner * (backward ? p.in : p.out));
        float *next = --left ? gig_alloc(count, sizeof *next) : to;
        if (!next)
            status = gig_alloc_status();
        else
            status = backward ? gig_pass_transposed(next, made ? made : from, &p)
                              : gig_pass_run(next, made ? made : from, &p);
        gig_free(made);
        made = next == to ? NULL : next;
    }
    gig_free(made);
    return status;
}

static gig_status fast_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return run_passes(out[0]->real, in[0]->real, op->params, 0);
}

static gig_status fast_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    return d_in[0] ? run_passes(d_in[0]->real, d_out[0]->real, op->params, 1) : GIG_OK;
}

static const gig_fast fast = {.takes = fast_takes, .forward = fast_forward, .backward = fast_backward};

const gig_operator gig_operators_resize[] = {
    {"Resize", 10, 0, GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_resize, resize_forward, resize_backward, .fast = &fast},
    {"Upsample", 1, 9, GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_upsample, resize_forward, resize_backward, .fast = &fast},
    {0},
};
