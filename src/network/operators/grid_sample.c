/* SPDX-License-Identifier: Apache-2.0 */
/* GridSample: output point p reads the input around the place that grid[p] names, each axis of the input being [-1, 1].
 *
 * Along an axis the value is a sum of weight(r) * cell over 1 (nearest), 2 (linear) or 4 (cubic) cells, r being how far
 * the place is from the cell below it; over all axes it is the product of these sums. The gradient of the grid takes
 * the slope of the weights along one axis instead of the weights. */
#include "network/operators/movement.h"
#include "network/operators/resize.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef enum beyond { ZEROS, BORDER, REFLECTION } beyond;

enum { MOST_AXES = 3, MOST_TAPS = 16 };

/* op->params of GridSample. Axes are in the input's order (D), H, W; the grid has theirs reversed. */
typedef struct sampling {
    gig_interpolation interpolation;
    beyond padding;
    int align_corners, axes;
    int64_t size[MOST_AXES], stride[MOST_AXES];
    int64_t batch, channels, cells, points; /* cells, points: of one channel of the input and the output */
} sampling;

/* ---- shape rule ---- */

static gig_status read_interpolation(gig_interpolation *out, const gig_node *node)
{
    static const char *const before_20[] = {"nearest", "bilinear", "bicubic"}, *const names[] = {"nearest", "linear",
                                                                                                 "cubic"};
    const char *const *known = node->opset < 20 ? before_20 : names;
    const char *mode = gig_node_string(node, "mode", known[GIG_INTERPOLATE_LINEAR]);
    for (int i = 0; i < 3; i++)
        if (!strcmp(known[i], mode)) {
            *out = (gig_interpolation)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EUNSUPPORTED, "mode \"%.40s\"", mode);
}

static gig_status read_padding(beyond *out, const gig_node *node)
{
    static const char *const names[] = {"zeros", "border", "reflection"};
    const char *mode = gig_node_string(node, "padding_mode", "zeros");
    for (int i = 0; i < 3; i++)
        if (!strcmp(names[i], mode)) {
            *out = (beyond)i;
            return GIG_OK;
        }
    return gig_fail(GIG_EUNSUPPORTED, "padding_mode \"%.40s\"", mode);
}

static gig_status join_batches(int64_t *out, const gig_op *op)
{
    const gig_tensor *x = op->in[0], *grid = op->in[1];
    *out = gig_op_repeats(op, x, grid->dims[0]) ? grid->dims[0] : x->dims[0];
    if (*out == grid->dims[0] || gig_op_repeats(op, grid, *out)) return GIG_OK;
    return gig_fail(GIG_EFORMAT, "a grid for a batch of %" PRId64 ", data of %" PRId64, grid->dims[0], x->dims[0]);
}

static gig_status check_ranks(const gig_op *op)
{
    const gig_tensor *x = op->in[0], *grid = op->in[1];
    if (x->rank < 4 || x->rank > (op->node->opset < 20 ? 4 : 2 + MOST_AXES))
        return gig_fail(GIG_EUNSUPPORTED, "data of rank %d", x->rank);
    if (grid->rank != x->rank) return gig_fail(GIG_EFORMAT, "a grid of rank %d, data of %d", grid->rank, x->rank);
    if (grid->dims[grid->rank - 1] != x->rank - 2)
        return gig_fail(GIG_EFORMAT, "%" PRId64 " coordinates for %d axes", grid->dims[grid->rank - 1], x->rank - 2);
    for (int i = 2; i < x->rank; i++)
        if (x->dims[i] < 1) return gig_fail(GIG_EFORMAT, "axis %d is empty", i);
    return GIG_OK;
}

static gig_status infer_sample(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_FLOAT32));
    if (op->in[0]->type != GIG_FLOAT32) return gig_fail(GIG_EUNSUPPORTED, "sampling of integers");
    GIG_TRY(check_ranks(op));
    const gig_tensor *x = op->in[0], *grid = op->in[1];
    sampling s = {.align_corners = gig_node_int(op->node, "align_corners", 0) != 0, .axes = x->rank - 2};
    GIG_TRY(read_interpolation(&s.interpolation, op->node));
    GIG_TRY(read_padding(&s.padding, op->node));
    if (s.interpolation == GIG_INTERPOLATE_CUBIC && s.axes > 2)
        return gig_fail(GIG_EUNSUPPORTED, "cubic along %d axes", s.axes);
    GIG_TRY(join_batches(&s.batch, op));
    int64_t dims[GIG_MAX_RANK] = {s.batch, x->dims[1]};
    s.channels = x->dims[1];
    s.cells = s.points = 1;
    for (int a = s.axes - 1; a >= 0; a--) {
        dims[2 + a] = grid->dims[1 + a];
        s.size[a] = x->dims[2 + a];
        s.stride[a] = s.cells;
        s.cells *= s.size[a];
        s.points *= dims[2 + a];
    }
    GIG_TRY(gig_op_set_output(op, 0, GIG_FLOAT32, x->rank, dims));
    sampling *kept = op->params = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = s;
    return GIG_OK;
}

/* ---- one axis ---- */

/* The cells along one axis, as offsets, GIG_NOWHERE for one that counts as zero; weights; d weight / d grid. */
typedef struct along {
    int64_t offset[4];
    double weight[4], slope[4];
} along;

/* `at` brought between low and high by mirrors at both; *turn becomes -1 if the image runs backwards. */
static double reflect(double at, double low, double high, double *turn)
{
    double range = high - low, phase = range > 0 ? fmod(fabs(at - low), 2 * range) : 0;
    *turn = range > 0 ? ((at < low) == (phase > range) ? 1 : -1) : 0;
    return phase > range ? low + (2 * range - phase) : low + phase;
}

static int64_t cell_at(const sampling *s, int axis, double at)
{
    double last = (double)(s->size[axis] - 1), half = s->align_corners ? 0 : 0.5, turn;
    if (at >= 0 && at <= last) return (int64_t)at;
    if (s->padding == ZEROS) return GIG_NOWHERE;
    if (s->padding == BORDER) return at < 0 ? 0 : s->size[axis] - 1;
    return (int64_t)reflect(at, -half, last + half, &turn);
}

/* Halves go to the even cell, as in ONNX's own tests. Differs from PyTorch 1.13 and ONNX Runtime: in a volume these
 * round them away from 0. */
static double nearest(double at)
{
    return nearbyint((float)at);
}

/* Where coordinate g lies, in cells, and the slope of that. */
static double place_of(double *slope, const sampling *s, int axis, float g)
{
    double size = (double)s->size[axis], half = s->align_corners ? 0 : 0.5, turn;
    double at = s->align_corners ? ((double)g + 1) / 2 * (size - 1) : (((double)g + 1) * size - 1) / 2;
    *slope = (s->align_corners ? size - 1 : size) / 2;
    if (s->interpolation == GIG_INTERPOLATE_NEAREST) at = nearest(at);
    if (s->padding == BORDER) return at < -2 ? -2 : at > size + 1 ? size + 1 : at; /* all cells are one from there on */
    if (s->padding == ZEROS || (at >= -half && at <= size - 1 + half)) return at;
    at = reflect(at, -half, size - 1 + half, &turn);
    *slope *= turn;
    return at;
}

/* Keys' kernel with a = -0.75 at a distance of d >= 0, and its slope. */
static double cubic(double *slope, double d)
{
    const double a = -0.75;
    if (d <= 1) {
        *slope = (3 * (a + 2) * d - 2 * (a + 3)) * d;
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    }
    *slope = (3 * a * d - 10 * a) * d + 8 * a;
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

static int taps_of(const sampling *s)
{
    return s->interpolation == GIG_INTERPOLATE_NEAREST ? 1 : s->interpolation == GIG_INTERPOLATE_LINEAR ? 2 : 4;
}

static void look_along(along *out, const sampling *s, int axis, float g)
{
    double slope, at = place_of(&slope, s, axis, g), low = floor(at);
    int taps = taps_of(s), before = taps == 4;
    for (int t = 0; t < taps; t++) {
        double from = low + t - before, ahead = at - from;
        int64_t cell = isnan(at) ? 0 : cell_at(s, axis, from);
        out->offset[t] = cell == GIG_NOWHERE ? GIG_NOWHERE : cell * s->stride[axis];
        out->weight[t] = 1;
        out->slope[t] = 0;
        if (taps == 2) {
            out->weight[t] = t ? at - low : 1 - (at - low);
            out->slope[t] = t ? slope : -slope;
        } else if (taps == 4) {
            out->weight[t] = cubic(&out->slope[t], fabs(ahead));
            out->slope[t] *= ahead < 0 ? -slope : slope;
        }
        if (isnan(at)) out->weight[t] = out->slope[t] = at;
    }
}

/* ---- one point ---- */

typedef struct tap {
    int64_t offset;
    double weight, slope[MOST_AXES]; /* d weight / d grid, along each axis */
} tap;

/* The input's cells that a point reads, without those that count as zero. */
static int look(tap taps[MOST_TAPS], const sampling *s, const float *point)
{
    along axis[MOST_AXES] = {0};
    int each = taps_of(s), all = 1, count = 0;
    for (int a = 0; a < s->axes; a++, all *= each) look_along(&axis[a], s, a, point[s->axes - 1 - a]);
    for (int k = 0; k < all; k++) {
        tap *made = &taps[count];
        int nowhere = 0;
        *made = (tap){0, 1, {1, 1, 1}};
        for (int a = s->axes - 1, rest = k; a >= 0; a--, rest /= each) {
            int t = rest % each;
            nowhere |= axis[a].offset[t] == GIG_NOWHERE;
            made->offset += axis[a].offset[t];
            made->weight *= axis[a].weight[t];
            for (int b = 0; b < s->axes; b++) made->slope[b] *= a == b ? axis[a].slope[t] : axis[a].weight[t];
        }
        count += !nowhere;
    }
    return count;
}

static gig_status sample_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const sampling *s = op->params;
    tap taps[MOST_TAPS];
    for (int64_t n = 0; n < s->batch; n++) {
        const float *x = in[0]->real + n % in[0]->dims[0] * s->channels * s->cells;
        const float *grid = in[1]->real + n % in[1]->dims[0] * s->points * s->axes;
        float *y = out[0]->real + n * s->channels * s->points;
        for (int64_t p = 0; p < s->points; p++) {
            int count = look(taps, s, grid + p * s->axes);
            for (int64_t c = 0; c < s->channels; c++) {
                double sum = 0;
                for (int t = 0; t < count; t++) sum += taps[t].weight * x[c * s->cells + taps[t].offset];
                y[c * s->points + p] = (float)sum;
            }
        }
    }
    return GIG_OK;
}

/* Adds what point p of picture n gives: d_y, x (needed for d_grid) and d_x are the picture's, d_grid the point's. */
static void spread_point(const sampling *s, const tap *taps, int count, const float *d_y, const float *x, float *d_x,
                         float *d_grid)
{
    double slope[MOST_AXES] = {0};
    for (int64_t c = 0; c < s->channels; c++) {
        double g = d_y[c * s->points];
        for (int t = 0; t < count; t++) {
            int64_t at = c * s->cells + taps[t].offset;
            if (d_x) d_x[at] += (float)(taps[t].weight * g);
            if (!d_grid) continue;
            for (int a = 0; a < s->axes; a++) slope[a] += taps[t].slope[a] * x[at] * g;
        }
    }
    for (int a = 0; d_grid && a < s->axes; a++) d_grid[s->axes - 1 - a] += (float)slope[a];
}

static gig_status sample_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const sampling *s = op->params;
    tap taps[MOST_TAPS];
    for (int i = 0; i < 2; i++)
        if (d_in[i]) memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
    for (int64_t n = 0; n < s->batch; n++) {
        int64_t x = n % op->in[0]->dims[0] * s->channels * s->cells;
        int64_t grid = n % op->in[1]->dims[0] * s->points * s->axes;
        const float *d_y = d_out[0]->real + n * s->channels * s->points;
        for (int64_t p = 0; p < s->points; p++, grid += s->axes) {
            int count = look(taps, s, in[1]->real + grid);
            spread_point(s, taps, count, d_y + p, in[0]->real + x, d_in[0] ? d_in[0]->real + x : NULL,
                         d_in[1] ? d_in[1]->real + grid : NULL);
        }
    }
    return GIG_OK;
}

const gig_operator gig_operators_grid_sample[] = {
    {"GridSample", 16, 0, 0, GIG_NEEDS_INPUT_0 | GIG_NEEDS_INPUT_1, infer_sample, sample_forward, sample_backward},
    {0},
};
