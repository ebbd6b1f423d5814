/* SPDX-License-Identifier: Apache-2.0 */
/* AffineGrid: the places that GridSample looks at for an affine picture of its input, grid[n, (d,) h, w] = theta[n]
 * (x, y, (z,) 1), where x, y, z are the output's own places in [-1, 1]. */
#include "network/operators/movement.h"
#include <inttypes.h>

enum { MOST_AXES = 3 };

/* op->params */
typedef struct lattice {
    int align_corners, axes;
    int64_t size[MOST_AXES]; /* (D), H, W */
    int64_t batch, points;
} lattice;

static gig_status infer_affine(gig_op *op)
{
    const int64_t *size;
    size_t count;
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    GIG_TRY(gig_op_wholes(op, 1, NULL, &size, &count));
    if (count != 4 && count != 5) return gig_fail(GIG_EFORMAT, "a size of %zu numbers, not 4 or 5", count);
    const gig_tensor *theta = op->in[0];
    lattice made = {.align_corners = gig_node_int(op->node, "align_corners", 0) != 0, .axes = (int)count - 2};
    if (theta->rank != 3 || theta->dims[1] != made.axes || theta->dims[2] != made.axes + 1)
        return gig_fail(GIG_EFORMAT, "theta is not [N, %d, %d]", made.axes, made.axes + 1);
    if (size[0] != theta->dims[0] && !gig_op_rebatched(op, theta, size[0]) && !gig_op_repeats(op, theta, size[0]))
        return gig_fail(GIG_EFORMAT, "theta for a batch of %" PRId64 ", a size of %" PRId64, theta->dims[0], size[0]);
    int64_t dims[GIG_MAX_RANK] = {theta->dims[0]};
    for (int a = 0; a < made.axes; a++) {
        dims[1 + a] = made.size[a] = size[2 + a];
        if (size[2 + a] < 1) return gig_fail(GIG_EFORMAT, "a size of %" PRId64, size[2 + a]);
        if (size[2 + a] == 1 && made.align_corners) /* at -1, 0 or 1: other programs disagree */
            return gig_fail(GIG_EUNSUPPORTED, "align_corners along an axis of one cell");
    }
    dims[1 + made.axes] = made.axes;
    GIG_TRY(gig_op_set_output(op, 0, GIG_FLOAT32, made.axes + 2, dims));
    made.batch = dims[0];
    made.points = 1;
    for (int a = 0; a < made.axes; a++) made.points *= made.size[a];
    lattice *kept = op->params = gig_alloc(1, sizeof *kept);
    if (!kept) return gig_alloc_status();
    *kept = made;
    return GIG_OK;
}

/* (x, y, (z,) 1) of point p. */
static void place_point(double place[MOST_AXES + 1], const lattice *l, int64_t p)
{
    for (int a = l->axes - 1, k = 0; a >= 0; a--, k++) {
        double i = (double)(p % l->size[a]), size = (double)l->size[a];
        p /= l->size[a];
        place[k] = l->align_corners ? 2 * i / (size - 1) - 1 : (2 * i + 1) / size - 1;
    }
    place[l->axes] = 1;
}

static gig_status affine_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const lattice *l = op->params;
    double place[MOST_AXES + 1];
    float *grid = out[0]->real;
    for (int64_t n = 0; n < l->batch; n++)
        for (int64_t p = 0; p < l->points; p++) {
            const float *row = in[0]->real + n * l->axes * (l->axes + 1);
            place_point(place, l, p);
            for (int k = 0; k < l->axes; k++, row += l->axes + 1) {
                double sum = 0;
                for (int j = 0; j <= l->axes; j++) sum += row[j] * place[j];
                *grid++ = (float)sum;
            }
        }
    return GIG_OK;
}

static gig_status affine_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                  const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    const lattice *l = op->params;
    const float *d_grid = d_out[0]->real;
    double place[MOST_AXES + 1];
    for (int64_t n = 0; d_in[0] && n < l->batch; n++) {
        double sum[MOST_AXES][MOST_AXES + 1] = {{0}};
        float *d_theta = d_in[0]->real + n * l->axes * (l->axes + 1);
        for (int64_t p = 0; p < l->points; p++) {
            place_point(place, l, p);
            for (int k = 0; k < l->axes; k++, d_grid++)
                for (int j = 0; j <= l->axes; j++) sum[k][j] += *d_grid * place[j];
        }
        for (int k = 0; k < l->axes; k++)
            for (int j = 0; j <= l->axes; j++) *d_theta++ = (float)sum[k][j];
    }
    return GIG_OK;
}

const gig_operator gig_operators_affine_grid[] = {
    {"AffineGrid", 20, 0, 0, GIG_NEEDS_NOTHING, infer_affine, affine_forward, affine_backward},
    {0},
};
