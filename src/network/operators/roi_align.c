/* SPDX-License-Identifier: Apache-2.0 */
/* RoiAlign: each region of interest becomes output_height x output_width bins, a bin the mean of the data at g_y x g_x
 * places inside it, read linearly between cells (He et al., Mask R-CNN, section 3). g is sampling_ratio, or, where that
 * is 0, the bin's size in cells, rounded up.
 *
 * With s the scale and o the offset of cells (0.5 with half_pixel, else 0), a region y1 y2 begins at s y1 - o and is
 * h = s (y2 - y1) cells high, without half_pixel at least 1. Place i of bin p, of P bins, is at
 *     y = s y1 - o + t h,  t = (p + (i + 1/2) / g) / P.
 * A place further than 1 cell outside the data reads 0; between the outermost cell and that it reads the cell.
 *
 * Differs from torchvision: the regions have their own gradient too, that of the places with g fixed. */
#include "network/operator.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_PLACES = 4096 }; /* along one axis of a bin; a region is data, and may be of any size */

/* op->params */
typedef struct align {
    int64_t channels, height, width; /* of the data */
    int64_t bins[2], ratio;          /* rows, columns; 0: by the bin's size */
    float scale, offset;
} align;

/* One axis of a region. */
typedef struct span {
    double start, size; /* in cells */
    int64_t places;     /* of a bin */
    int stretched;      /* its size is the smallest that there is, and does not depend on where it ends */
} span;

/* Where a place lies along one axis: between two cells, `part` of the way to the second. */
typedef struct between {
    int64_t low, high;
    float part;
    int inside, moves; /* reads something; the value changes with the place */
} between;

/* ---- shape rule ---- */

static gig_status check_inputs(const gig_op *op)
{
    const gig_tensor *data = op->in[0], *rois = op->in[1], *batch = op->in[2];
    GIG_TRY(gig_op_expect_type(op, 1, GIG_FLOAT32));
    GIG_TRY(gig_op_expect_type(op, 2, GIG_INT64));
    if (data->type != GIG_FLOAT32) return gig_fail(GIG_EUNSUPPORTED, "data of integers");
    if (data->rank != 4) return gig_fail(GIG_EFORMAT, "data of rank %d, expected 4", data->rank);
    if (rois->rank != 2 || rois->dims[1] != 4) return gig_fail(GIG_EFORMAT, "expected regions [n,4]");
    if (batch->rank != 1 || batch->dims[0] != rois->dims[0])
        return gig_fail(GIG_EFORMAT, "expected one batch index for each of %" PRId64 " regions", rois->dims[0]);
    if (data->dims[2] < 1 || data->dims[3] < 1) return gig_fail(GIG_EFORMAT, "the data are empty");
    return GIG_OK;
}

static gig_status read_attributes(align *out, const gig_node *node)
{
    const char *mode = gig_node_string(node, "mode", "avg");
    const char *corner = gig_node_string(node, "coordinate_transformation_mode", "half_pixel");
    if (strcmp(mode, "avg") != 0) return gig_fail(GIG_EUNSUPPORTED, "mode \"%.40s\": expected avg", mode);
    out->bins[0] = gig_node_int(node, "output_height", 1);
    out->bins[1] = gig_node_int(node, "output_width", 1);
    out->ratio = gig_node_int(node, "sampling_ratio", 0);
    out->scale = gig_node_real(node, "spatial_scale", 1);
    if (out->bins[0] < 1 || out->bins[1] < 1) return gig_fail(GIG_EFORMAT, "an output without a row or a column");
    if (out->ratio < 0 || out->ratio > MOST_PLACES)
        return gig_fail(GIG_EFORMAT, "sampling_ratio %" PRId64 ": expected 0 to %d", out->ratio, MOST_PLACES);
    if (!isfinite(out->scale)) return gig_fail(GIG_EFORMAT, "spatial_scale %f", (double)out->scale);
    out->offset = node->opset >= 16 ? 0.5f : 0;
    if (node->opset >= 16 && !strcmp(corner, "output_half_pixel")) out->offset = 0;
    if (node->opset < 16 || out->offset == 0 || !strcmp(corner, "half_pixel")) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "coordinate_transformation_mode \"%.40s\"", corner);
}

static gig_status infer_align(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    GIG_TRY(check_inputs(op));
    align *how = op->params = gig_alloc_zero(1, sizeof *how);
    if (!how) return gig_alloc_status();
    GIG_TRY(read_attributes(how, op->node));
    const int64_t *data = op->in[0]->dims;
    how->channels = data[1];
    how->height = data[2];
    how->width = data[3];
    return gig_op_set_output(op, 0, GIG_FLOAT32, 4,
                             (const int64_t[]){op->in[1]->dims[0], data[1], how->bins[0], how->bins[1]});
}

/* ---- places ---- */

static gig_status read_span(span *out, const align *how, float from, float to, int axis)
{
    double size = (double)how->scale * ((double)to - (double)from);
    if (!isfinite(from) || !isfinite(to)) return gig_fail(GIG_ENUMERIC, "a region has a bound that is not finite");
    out->start = (double)how->scale * (double)from - (double)how->offset;
    out->stretched = how->offset == 0 && size < 1;
    out->size = out->stretched ? 1 : size;
    double wanted = ceil(out->size / (double)how->bins[axis]);
    if (!how->ratio && wanted > MOST_PLACES)
        return gig_fail(GIG_ELIMIT, "a region of %g cells in %" PRId64 " bins: at most %d cells in each", out->size,
                        how->bins[axis], MOST_PLACES);
    out->places = how->ratio ? how->ratio : wanted > 0 ? (int64_t)wanted : 0;
    return GIG_OK;
}

/* Both axes of region r, rows first. */
static gig_status read_region(span out[2], const align *how, const float *region)
{
    GIG_TRY(read_span(&out[0], how, region[1], region[3], 0));
    return read_span(&out[1], how, region[0], region[2], 1);
}

/* How far along the region place i of bin p is, from 0 to 1. */
static double along(const span *axis, int64_t bins, int64_t bin, int64_t i)
{
    return ((double)bin + ((double)i + 0.5) / (double)axis->places) / (double)bins;
}

static between find_place(const span *axis, double t, int64_t cells)
{
    double at = axis->start + t * axis->size;
    between out = {.inside = at >= -1 && at <= (double)cells, .moves = at > 0};
    if (!out.inside) return out;
    if (at < 0) at = 0;
    out.low = out.high = (int64_t)at;
    if (out.low >= cells - 1) {
        out.low = out.high = cells - 1;
        out.moves = 0;
        return out;
    }
    out.high++;
    out.part = (float)(at - (double)out.low);
    return out;
}

/* Calls `visit` for each place of region r; its channels' planes begin at `planes`. */
typedef struct visit {
    const align *how;
    const span *axes;
    int64_t row, column; /* bin */
    double t[2];
    between y, x;
    float share; /* of the bin's mean */
} visit;

typedef void (*visitor)(void *self, const visit *place);

static void each_place(const align *how, const span axes[2], void *self, visitor call)
{
    visit v = {.how = how, .axes = axes};
    int64_t count = axes[0].places * axes[1].places;
    v.share = 1 / (float)(count ? count : 1);
    for (v.row = 0; v.row < how->bins[0]; v.row++)
        for (int64_t i = 0; i < axes[0].places; i++) {
            v.t[0] = along(&axes[0], how->bins[0], v.row, i);
            v.y = find_place(&axes[0], v.t[0], how->height);
            if (!v.y.inside) continue;
            for (v.column = 0; v.column < how->bins[1]; v.column++)
                for (int64_t k = 0; k < axes[1].places; k++) {
                    v.t[1] = along(&axes[1], how->bins[1], v.column, k);
                    v.x = find_place(&axes[1], v.t[1], how->width);
                    if (v.x.inside) call(self, &v);
                }
        }
}

/* The four cells around a place: their offsets in a plane, and weights. */
static void corners(int64_t at[4], float weight[4], const visit *v)
{
    int64_t width = v->how->width;
    float y = v->y.part, x = v->x.part;
    at[0] = v->y.low * width + v->x.low;
    at[1] = v->y.low * width + v->x.high;
    at[2] = v->y.high * width + v->x.low;
    at[3] = v->y.high * width + v->x.high;
    weight[0] = (1 - y) * (1 - x);
    weight[1] = (1 - y) * x;
    weight[2] = y * (1 - x);
    weight[3] = y * x;
}

/* ---- forward and backward ---- */

typedef struct walk {
    const float *data; /* planes of the region's picture */
    float *out;        /* the region's bins, channel by channel */
    const float *d_out;
    float *d_data;
    double d_span[2][2]; /* with respect to each axis' start and end, in cells */
} walk;

static void read_place(void *payload, const visit *v)
{
    walk *self = payload;
    int64_t at[4], plane = v->how->height * v->how->width, bins = v->how->bins[0] * v->how->bins[1];
    float weight[4];
    corners(at, weight, v);
    for (int64_t c = 0; c < v->how->channels; c++) {
        const float *cells = self->data + c * plane;
        float sum = 0;
        for (int k = 0; k < 4; k++) sum += weight[k] * cells[at[k]];
        self->out[c * bins + v->row * v->how->bins[1] + v->column] += v->share * sum;
    }
}

static void spread_place(void *payload, const visit *v)
{
    walk *self = payload;
    int64_t at[4], plane = v->how->height * v->how->width, bins = v->how->bins[0] * v->how->bins[1];
    float weight[4];
    corners(at, weight, v);
    for (int64_t c = 0; c < v->how->channels; c++) {
        float slope = v->share * self->d_out[c * bins + v->row * v->how->bins[1] + v->column];
        for (int k = 0; k < 4; k++) self->d_data[c * plane + at[k]] += weight[k] * slope;
    }
}

/* d place / d start = 1 - t, d place / d end = t; where the size is fixed, 1 and 0. */
static void move_place(void *payload, const visit *v)
{
    walk *self = payload;
    int64_t at[4], plane = v->how->height * v->how->width, bins = v->how->bins[0] * v->how->bins[1];
    float weight[4];
    double along_y = 0, along_x = 0;
    corners(at, weight, v);
    for (int64_t c = 0; c < v->how->channels; c++) {
        const float *cells = self->data + c * plane;
        double slope = (double)v->share * (double)self->d_out[c * bins + v->row * v->how->bins[1] + v->column];
        double a = (double)cells[at[0]], b = (double)cells[at[1]], d = (double)cells[at[2]], e = (double)cells[at[3]];
        along_y += slope * ((d - a) * (1 - (double)v->x.part) + (e - b) * (double)v->x.part);
        along_x += slope * ((b - a) * (1 - (double)v->y.part) + (e - d) * (double)v->y.part);
    }
    const double slopes[2] = {v->y.moves ? along_y : 0, v->x.moves ? along_x : 0};
    for (int axis = 0; axis < 2; axis++) {
        double t = v->axes[axis].stretched ? 0 : v->t[axis];
        self->d_span[axis][0] += slopes[axis] * (1 - t);
        self->d_span[axis][1] += slopes[axis] * t;
    }
}

static gig_status find_picture(int64_t *out, const gig_tensor *batch, int64_t r, int64_t pictures)
{
    *out = batch->whole[r];
    if (*out >= 0 && *out < pictures) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "region %" PRId64 " is in picture %" PRId64 " of %" PRId64, r, *out, pictures);
}

static gig_status align_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const align *how = op->params;
    int64_t picture, size = how->channels * how->height * how->width;
    int64_t bins = how->channels * how->bins[0] * how->bins[1];
    memset(out[0]->real, 0, gig_tensor_bytes(out[0]));
    for (int64_t r = 0; r < in[1]->dims[0]; r++) {
        span axes[2];
        GIG_TRY(find_picture(&picture, in[2], r, in[0]->dims[0]));
        GIG_TRY(read_region(axes, how, in[1]->real + 4 * r));
        walk self = {.data = in[0]->real + picture * size, .out = out[0]->real + r * bins};
        each_place(how, axes, &self, read_place);
    }
    return GIG_OK;
}

static gig_status align_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                 const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const align *how = op->params;
    int64_t picture, size = how->channels * how->height * how->width;
    int64_t bins = how->channels * how->bins[0] * how->bins[1];
    if (d_in[0]) memset(d_in[0]->real, 0, gig_tensor_bytes(d_in[0]));
    for (int64_t r = 0; r < in[1]->dims[0]; r++) {
        span axes[2];
        GIG_TRY(find_picture(&picture, in[2], r, in[0]->dims[0]));
        GIG_TRY(read_region(axes, how, in[1]->real + 4 * r));
        walk self = {.data = in[0]->real + picture * size, .d_out = d_out[0]->real + r * bins};
        if (d_in[0]) {
            self.d_data = d_in[0]->real + picture * size;
            each_place(how, axes, &self, spread_place);
        }
        if (!d_in[1]) continue;
        each_place(how, axes, &self, move_place);
        for (int axis = 0; axis < 2; axis++)
            for (int end = 0; end < 2; end++)
                d_in[1]->real[4 * r + 2 * end + 1 - axis] = (float)((double)how->scale * self.d_span[axis][end]);
    }
    return GIG_OK;
}

const gig_operator gig_operators_roi_align[] = {
    {"RoiAlign", 10, 0, GIG_OP_MOVES, GIG_NEEDS_INPUTS, infer_align, align_forward, align_backward},
    {NULL},
};
