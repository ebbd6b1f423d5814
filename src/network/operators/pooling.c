/* SPDX-License-Identifier: Apache-2.0 */
/* MaxPool, AveragePool, LpPool and their global forms. A global pooling is a window over all cells, laid in one row. */
#include "network/window.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* op->params of every operator here; the window comes first, so that it can be read as a gig_window. */
typedef struct pooling {
    gig_window window;
    double p; /* LpPool: exponent of the norm */
} pooling;

/* ---- shapes ---- */

static gig_status keep(pooling **out, gig_op *op)
{
    *out = op->params = gig_alloc_zero(1, sizeof **out);
    return *out ? GIG_OK : gig_alloc_status();
}

static gig_status infer_window(gig_op *op)
{
    pooling *kept;
    gig_window window;
    GIG_TRY(gig_window_of_pooling(&window, op));
    GIG_TRY(keep(&kept, op));
    kept->window = window;
    int64_t dims[2 + GIG_WINDOW_AXES] = {window.batch, window.out_channels};
    memcpy(dims + 2, window.out, sizeof window.out);
    if (op->out_count > 1) {
        op->out_onnx[1] = GIG_ONNX_INT64;
        GIG_TRY(gig_op_set_output(op, 1, GIG_INT64, 2 + window.spatial, dims));
    }
    return gig_op_set_output(op, 0, op->in[0]->type, 2 + window.spatial, dims);
}

static gig_status infer_global(gig_op *op)
{
    pooling *kept;
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    const gig_tensor *x = op->in[0];
    if (x->rank < 2) return gig_fail(GIG_EFORMAT, "data of rank %d has no channels", x->rank);
    int64_t cells = 1, dims[GIG_MAX_RANK] = {x->dims[0], x->dims[1]};
    for (int i = 2; i < x->rank; i++) {
        cells *= x->dims[i];
        dims[i] = 1;
    }
    if (!cells) return gig_fail(GIG_EFORMAT, "the input to pool is empty");
    GIG_TRY(keep(&kept, op));
    kept->window = (gig_window){.spatial = 1,
                                .batch = x->dims[0],
                                .in_channels = x->dims[1],
                                .out_channels = x->dims[1],
                                .group = 1,
                                .in = {cells, 1, 1},
                                .kernel = {cells, 1, 1},
                                .stride = {1, 1, 1},
                                .dilation = {1, 1, 1},
                                .out = {1, 1, 1}};
    return gig_op_set_output(op, 0, GIG_FLOAT32, x->rank, dims);
}

static gig_status infer_average(gig_op *op)
{
    GIG_TRY(gig_op_expect_type(op, 0, GIG_FLOAT32));
    return infer_window(op);
}

/* p is a floating-point number in opset 1, whole later. */
static gig_status read_exponent(gig_op *op)
{
    const gig_attribute *p = gig_node_attribute(op->node, "p");
    pooling *kept = op->params;
    kept->p = !p ? 2 : p->kind == GIG_ATTRIBUTE_REAL ? (double)p->f : p->kind == GIG_ATTRIBUTE_INT ? (double)p->i : 0;
    return kept->p >= 1 && kept->p < 1e6 ? GIG_OK : gig_fail(GIG_EFORMAT, "p is not a number from 1 on");
}

static gig_status infer_lp(gig_op *op)
{
    GIG_TRY(infer_average(op));
    return read_exponent(op);
}

static gig_status infer_global_lp(gig_op *op)
{
    GIG_TRY(infer_global(op));
    return read_exponent(op);
}

/* ---- patches: the cells under the kernel at one output position ---- */

typedef struct patch {
    gig_window window; /* aligned to three axes */
    int64_t planes, in_cells, out_cells;
    int32_t *cells; /* positions within a plane (one channel of one picture), row-major order */
    int64_t count;
    double divisor; /* of a mean over this patch */
} patch;

static gig_status patch_begin(patch *p, const gig_op *op)
{
    const pooling *kept = op->params;
    *p = (patch){.window = gig_window_aligned(&kept->window), .planes = 1, .in_cells = 1, .out_cells = 1};
    const gig_window *w = &p->window;
    size_t most = 1;
    p->planes = w->batch * w->in_channels;
    for (int i = 0; i < GIG_WINDOW_AXES; i++) {
        p->in_cells *= w->in[i];
        p->out_cells *= w->out[i];
        most *= (size_t)(w->kernel[i] < w->in[i] ? w->kernel[i] : w->in[i]);
    }
    p->cells = gig_alloc(most, sizeof *p->cells);
    return p->cells ? GIG_OK : gig_alloc_status();
}

/* Kernel positions of `axis` that fall on the input or its padding at output position o; those that only ceil_mode
 * reaches do not count, as in PyTorch. Dilated windows, which PyTorch does not average, count them all, as ONNX's own
 * tests do. */
static int64_t padded_count(const gig_window *w, int axis, int64_t o)
{
    if (w->dilation[0] != 1 || w->dilation[1] != 1 || w->dilation[2] != 1) return w->kernel[axis];
    int64_t left = w->in[axis] + w->pad_begin[axis] + w->pad_end[axis] - o * w->stride[axis];
    int64_t count = (left - 1) / w->dilation[axis] + 1;
    return count < w->kernel[axis] ? count : w->kernel[axis];
}

/* Moves to output position `o`, counted row-major. */
static void patch_move(patch *p, int64_t o)
{
    const gig_window *w = &p->window;
    int64_t at[GIG_WINDOW_AXES] = {o / w->out[2] / w->out[1], o / w->out[2] % w->out[1], o % w->out[2]};
    int64_t first[GIG_WINDOW_AXES], last[GIG_WINDOW_AXES];
    double padded = 1;
    for (int i = 0; i < GIG_WINDOW_AXES; i++) {
        gig_window_reach(&first[i], &last[i], w, i, at[i]);
        padded *= (double)padded_count(w, i, at[i]);
        at[i] = at[i] * w->stride[i] - w->pad_begin[i];
    }
    p->count = 0;
    for (int64_t a = first[0]; a < last[0]; a++)
        for (int64_t b = first[1]; b < last[1]; b++) {
            int64_t row = ((at[0] + a * w->dilation[0]) * w->in[1] + at[1] + b * w->dilation[1]) * w->in[2];
            for (int64_t c = first[2]; c < last[2]; c++)
                p->cells[p->count++] = (int32_t)(row + at[2] + c * w->dilation[2]);
        }
    p->divisor = w->count_include_pad ? padded : p->count ? (double)p->count : 1;
}

/* ---- max ---- */

/* The cell of the first maximum, or of the first NaN; -1 for a patch of padding alone. */
static int64_t peak(const patch *p, const float *x)
{
    if (!p->count) return -1;
    int64_t best = p->cells[0];
    for (int64_t i = 1; i < p->count && !isnan(x[best]); i++)
        if (x[p->cells[i]] > x[best] || isnan(x[p->cells[i]])) best = p->cells[i];
    return best;
}

static int64_t whole_peak(const patch *p, const int64_t *x)
{
    if (!p->count) return -1;
    int64_t best = p->cells[0];
    for (int64_t i = 1; i < p->count; i++)
        if (x[p->cells[i]] > x[best]) best = p->cells[i];
    return best;
}

/* What the operator's second output calls this cell: its place in the whole input. */
static int64_t reported(const patch *p, int64_t plane, int64_t cell)
{
    const gig_window *w = &p->window;
    if (cell < 0) return -1;
    if (!w->column_major) return plane * p->in_cells + cell;
    int64_t a = cell / w->in[2] / w->in[1], b = cell / w->in[2] % w->in[1], c = cell % w->in[2];
    return plane * p->in_cells + a + w->in[0] * (b + w->in[1] * c);
}

static gig_status max_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    patch p;
    GIG_TRY(patch_begin(&p, op));
    int64_t *indices = op->out_count > 1 && out[1] ? out[1]->whole : NULL;
    for (int64_t o = 0; o < p.out_cells; o++) {
        patch_move(&p, o);
        for (int64_t plane = 0; plane < p.planes; plane++) {
            int64_t from = plane * p.in_cells, to = plane * p.out_cells + o, cell;
            if (in[0]->type == GIG_FLOAT32) {
                cell = peak(&p, in[0]->real + from);
                if (out[0]) out[0]->real[to] = cell < 0 ? -INFINITY : in[0]->real[from + cell];
            } else {
                cell = whole_peak(&p, in[0]->whole + from);
                if (out[0]) out[0]->whole[to] = cell < 0 ? INT64_MIN : in[0]->whole[from + cell];
            }
            if (indices) indices[to] = reported(&p, plane, cell);
        }
    }
    gig_free(p.cells);
    return GIG_OK;
}

static gig_status max_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    patch p;
    if (!d_in[0]) return GIG_OK;
    memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    if (!d_out[0]) return GIG_OK;
    GIG_TRY(patch_begin(&p, op));
    for (int64_t o = 0; o < p.out_cells; o++) {
        patch_move(&p, o);
        for (int64_t plane = 0; plane < p.planes; plane++) {
            int64_t cell = peak(&p, in[0]->real + plane * p.in_cells);
            if (cell >= 0) d_in[0]->real[plane * p.in_cells + cell] += d_out[0]->real[plane * p.out_cells + o];
        }
    }
    gig_free(p.cells);
    return GIG_OK;
}

/* What a window's values become; the exponent is that of an Lp norm. */
typedef float window_value(const patch *p, const float *x, double exponent);

static gig_status pool_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out,
                               window_value *value)
{
    patch p;
    double exponent = ((const pooling *)op->params)->p;
    GIG_TRY(patch_begin(&p, op));
    for (int64_t o = 0; o < p.out_cells; o++) {
        patch_move(&p, o);
        for (int64_t plane = 0; plane < p.planes; plane++)
            out[0]->real[plane * p.out_cells + o] = value(&p, in[0]->real + plane * p.in_cells, exponent);
    }
    gig_free(p.cells);
    return GIG_OK;
}

/* ---- average ---- */

static float average(const patch *p, const float *x, double exponent)
{
    double sum = 0;
    (void)exponent;
    for (int64_t i = 0; i < p->count; i++) sum += x[p->cells[i]];
    return (float)(sum / p->divisor);
}

static gig_status average_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return pool_forward(op, in, out, average);
}

static gig_status average_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    patch p;
    if (!d_in[0]) return GIG_OK;
    memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    GIG_TRY(patch_begin(&p, op));
    for (int64_t o = 0; o < p.out_cells; o++) {
        patch_move(&p, o);
        for (int64_t plane = 0; plane < p.planes; plane++) {
            float share = (float)(d_out[0]->real[plane * p.out_cells + o] / p.divisor);
            float *d = d_in[0]->real + plane * p.in_cells;
            for (int64_t i = 0; i < p.count; i++) d[p.cells[i]] += share;
        }
    }
    gig_free(p.cells);
    return GIG_OK;
}

/* ---- Lp norm: y = (sum |x|^p)^(1/p), dy/dx = sign(x) (|x| / y)^(p-1), 0 if y is ---- */

static float lp_norm(const patch *p, const float *x, double exponent)
{
    double sum = 0;
    for (int64_t i = 0; i < p->count; i++) sum += pow(fabs((double)x[p->cells[i]]), exponent);
    return (float)pow(sum, 1 / exponent);
}

static gig_status lp_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return pool_forward(op, in, out, lp_norm);
}

static gig_status lp_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                              const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    patch p;
    double exponent = ((const pooling *)op->params)->p;
    if (!d_in[0]) return GIG_OK;
    memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    GIG_TRY(patch_begin(&p, op));
    for (int64_t o = 0; o < p.out_cells; o++) {
        patch_move(&p, o);
        for (int64_t plane = 0; plane < p.planes; plane++) {
            const float *x = in[0]->real + plane * p.in_cells;
            float *d = d_in[0]->real + plane * p.in_cells;
            double y = out[0]->real[plane * p.out_cells + o], given = d_out[0]->real[plane * p.out_cells + o];
            for (int64_t i = 0; i < p.count && y > 0; i++) {
                double at = x[p.cells[i]], slope = at == 0 ? 0 : pow(fabs(at) / y, exponent - 1);
                d[p.cells[i]] += (float)(given * copysign(slope, at));
            }
        }
    }
    gig_free(p.cells);
    return GIG_OK;
}

const gig_operator gig_operators_pooling[] = {
    {"MaxPool", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_0, infer_window, max_forward, max_backward,
     .fast = &gig_fast_pooling, .kind = GIG_KIND_MAX_POOL},
    {"AveragePool", 1, 0, GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_average, average_forward, average_backward,
     .fast = &gig_fast_pooling},
    {"LpPool", 1, 0, 0, GIG_NEEDS_INPUT_0 | GIG_NEEDS_OUTPUT, infer_lp, lp_forward, lp_backward},
    {"GlobalMaxPool", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_0, infer_global, max_forward,
     max_backward},
    {"GlobalAveragePool", 1, 0, GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_global, average_forward, average_backward,
     .fast = &gig_fast_pooling, .kind = GIG_KIND_GLOBAL_AVERAGE},
    {"GlobalLpPool", 1, 0, 0, GIG_NEEDS_INPUT_0 | GIG_NEEDS_OUTPUT, infer_global_lp, lp_forward, lp_backward},
    {0},
};
