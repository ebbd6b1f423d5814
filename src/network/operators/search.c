/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that search for elements: ArgMax, ArgMin, TopK, NonZero.
 * A NaN counts as the greatest and as the least number, as in NumPy; ties go to the lower index. */
#include "network/locate/axis_groups.h"
#include <math.h>
#include <string.h>

/* Element i comes before element j: greater (or smaller with `smallest`). */
static int better(const gig_tensor *x, size_t i, size_t j, int smallest)
{
    if (x->type == GIG_INT64) return smallest ? x->whole[i] < x->whole[j] : x->whole[i] > x->whole[j];
    float a = x->real[i], b = x->real[j];
    if (isnan(a) || isnan(b)) return isnan(a) && !isnan(b);
    return smallest ? a < b : a > b;
}

/* ---- ArgMax, ArgMin ---- */

static gig_status arg_infer(gig_op *op)
{
    int axis, rank = 0;
    int64_t dims[GIG_MAX_RANK];
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", 0), x->rank));
    if (x->dims[axis] == 0) return gig_fail(GIG_EFORMAT, "%s: the axis is empty", op->row->name);
    int keep = gig_node_int(op->node, "keepdims", 1) != 0;
    for (int d = 0; d < x->rank; d++)
        if (d != axis || keep) dims[rank++] = d == axis ? 1 : x->dims[d];
    if (op->out_count) op->out_onnx[0] = GIG_ONNX_INT64;
    return gig_op_set_output(op, 0, GIG_INT64, rank, dims);
}

static gig_status arg_best(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out, int smallest)
{
    int axis;
    int last = op->node->opset >= 12 && gig_node_int(op->node, "select_last_index", 0);
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", 0), in[0]->rank));
    const gig_groups g = gig_groups_along(in[0], axis, axis);
    for (size_t i = 0, count = gig_group_count(&g); i < count; i++) {
        size_t at = gig_group_start(&g, i), best = 0;
        for (size_t k = 1; k < g.length; k++) {
            size_t this = at + k * g.inner, that = at + best * g.inner;
            if (last ? !better(in[0], that, this, smallest) : better(in[0], this, that, smallest)) best = k;
        }
        out[0]->whole[i] = (int64_t)best;
    }
    return GIG_OK;
}

static gig_status arg_max_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return arg_best(op, in, out, 0);
}

static gig_status arg_min_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return arg_best(op, in, out, 1);
}

/* ---- TopK: values and indices of the k best along an axis, best first ---- */

typedef struct top {
    gig_groups groups;
    size_t k;
    int smallest;
} top;

static gig_status top_k_infer(gig_op *op)
{
    const int64_t *k;
    size_t count;
    int axis, attribute = op->node->opset < 10;
    int64_t dims[GIG_MAX_RANK];
    GIG_TRY(gig_op_expect_inputs(op, attribute ? 1 : 2, attribute ? 1 : 2));
    GIG_TRY(gig_op_wholes(op, attribute ? SIZE_MAX : 1, attribute ? "k" : NULL, &k, &count));
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", -1), x->rank));
    if (count != 1 || *k < 0 || *k > x->dims[axis]) return gig_fail(GIG_EFORMAT, "TopK: k is missing or out of range");
    GIG_TRY(gig_op_charge(op, (size_t)*k * sizeof(int64_t))); /* find_top's order */
    top *t = gig_alloc(1, sizeof *t);
    if (!t) return gig_alloc_status();
    *t = (top){gig_groups_along(x, axis, axis), (size_t)*k,
               op->node->opset >= 11 && !gig_node_int(op->node, "largest", 1)};
    op->params = t;
    memcpy(dims, x->dims, sizeof dims);
    dims[axis] = *k;
    if (op->out_count > 1) op->out_onnx[1] = GIG_ONNX_INT64;
    GIG_TRY(gig_op_set_output(op, 0, x->type, x->rank, dims));
    return gig_op_set_output(op, 1, GIG_INT64, x->rank, dims);
}

/* One group being sorted: element i of it is at start + i * inner. */
typedef struct group_view {
    const gig_tensor *x;
    size_t start, inner;
    int smallest;
} group_view;

static int comes_first(const group_view *v, int64_t i, int64_t j)
{
    size_t a = v->start + (size_t)i * v->inner, b = v->start + (size_t)j * v->inner;
    if (better(v->x, a, b, v->smallest)) return 1;
    return !better(v->x, b, a, v->smallest) && i < j;
}

/* Lets order[root] sink: a heap whose top comes last. */
static void sink(const group_view *v, int64_t *order, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && comes_first(v, order[child], order[child + 1])) child++;
        if (comes_first(v, order[child], order[root])) return;
        int64_t held = order[root];
        order[root] = order[child];
        order[child] = held;
    }
}

/* order[0..k) = indices of the k best of the group, best first; order holds g->length. */
static void find_top(int64_t *order, const gig_tensor *x, const top *t, size_t group)
{
    const gig_groups *g = &t->groups;
    const group_view v = {x, gig_group_start(g, group), g->inner, t->smallest};
    if (t->k == 0) return;
    for (size_t i = 0; i < t->k; i++) order[i] = (int64_t)i;
    for (size_t i = t->k / 2; i-- > 0;) sink(&v, order, i, t->k);
    for (size_t i = t->k; i < g->length; i++) {
        if (!comes_first(&v, (int64_t)i, order[0])) continue;
        order[0] = (int64_t)i;
        sink(&v, order, 0, t->k);
    }
    for (size_t left = t->k; left-- > 1;) { /* the worst of what is left goes behind it */
        int64_t worst = order[0];
        order[0] = order[left];
        order[left] = worst;
        sink(&v, order, 0, left);
    }
}

/* A heap of k: each element may sink through it, at several operations a level. */
static double top_k_work(const gig_op *op)
{
    const double level = 8;
    const top *t = op->params;
    return level * (double)gig_tensor_count(op->in[0]) * (1 + log2(1 + (double)t->k));
}

static gig_status top_k_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const top *t = op->params;
    const gig_groups *g = &t->groups, chosen = {g->outer, t->k, g->inner};
    int64_t *order = gig_alloc(t->k, sizeof *order);
    if (!order) return gig_alloc_status();
    for (size_t i = 0, count = gig_group_count(&chosen); i < count; i++) {
        find_top(order, in[0], t, i);
        for (size_t k = 0; k < t->k; k++) {
            size_t from = gig_group_start(g, i) + (size_t)order[k] * g->inner;
            size_t to = gig_group_start(&chosen, i) + k * g->inner;
            if (op->out[0] && in[0]->type == GIG_FLOAT32) out[0]->real[to] = in[0]->real[from];
            if (op->out[0] && in[0]->type == GIG_INT64) out[0]->whole[to] = in[0]->whole[from];
            if (op->out_count > 1 && op->out[1]) out[1]->whole[to] = order[k];
        }
    }
    gig_free(order);
    return GIG_OK;
}

static gig_status top_k_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                 const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const top *t = op->params;
    const gig_groups *g = &t->groups, chosen = {g->outer, t->k, g->inner};
    (void)out;
    memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    if (!d_out[0]) return GIG_OK;
    int64_t *order = gig_alloc(t->k, sizeof *order);
    if (!order) return gig_alloc_status();
    for (size_t i = 0, count = gig_group_count(&chosen); i < count; i++) {
        find_top(order, in[0], t, i);
        for (size_t k = 0; k < t->k; k++)
            d_in[0]->real[gig_group_start(g, i) + (size_t)order[k] * g->inner] =
                d_out[0]->real[gig_group_start(&chosen, i) + k * g->inner];
    }
    gig_free(order);
    return GIG_OK;
}

/* ---- TopK, fast: a number and its index as one integer, larger for what comes first ---- */

/* Floats in order as unsigned numbers: NaN first, -0 as 0; of equal ones the lower index is greater. */
static uint64_t rank_of(float x, size_t index, int smallest)
{
    const float value = x + 0.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t order = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    if (smallest) order = ~order;
    if (isnan(x)) order = UINT32_MAX;
    return (uint64_t)order << 32 | (uint32_t) ~(uint32_t)index;
}

/* Lets ranks[root] sink: a heap whose top is the least. */
static void sink_rank(uint64_t *ranks, size_t root, size_t count)
{
    const uint64_t held = ranks[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && ranks[child + 1] < ranks[child];
        if (ranks[child] >= held) break;
        ranks[root] = ranks[child];
    }
    ranks[root] = held;
}

/* ranks[0..k) = the k greatest of group i, the greatest first. */
static void find_top_ranks(uint64_t *ranks, const float *x, const top *t, size_t i)
{
    const gig_groups *g = &t->groups;
    x += gig_group_start(g, i);
    for (size_t n = 0; n < t->k; n++) ranks[n] = rank_of(x[n * g->inner], n, t->smallest);
    for (size_t n = t->k / 2; n-- > 0;) sink_rank(ranks, n, t->k);
    for (size_t n = t->k; n < g->length; n++) {
        const uint64_t rank = rank_of(x[n * g->inner], n, t->smallest);
        if (rank <= ranks[0]) continue;
        ranks[0] = rank;
        sink_rank(ranks, 0, t->k);
    }
    for (size_t left = t->k; left-- > 1;) {
        const uint64_t least = ranks[0];
        ranks[0] = ranks[left];
        ranks[left] = least;
        sink_rank(ranks, 0, left);
    }
}

static int top_k_takes(const gig_op *op)
{
    const top *t = op->params;
    return op->in[0]->type == GIG_FLOAT32 && t->k > 0 && t->groups.length <= UINT32_MAX;
}

static size_t index_of(uint64_t rank)
{
    return (uint32_t) ~(uint32_t)rank;
}

static gig_status top_k_fast_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const top *t = op->params;
    const gig_groups *g = &t->groups, chosen = {g->outer, t->k, g->inner};
    uint64_t *ranks = gig_alloc(t->k, sizeof *ranks);
    if (!ranks) return gig_alloc_status();
    for (size_t i = 0, count = gig_group_count(&chosen); i < count; i++) {
        const size_t from = gig_group_start(g, i), to = gig_group_start(&chosen, i);
        find_top_ranks(ranks, in[0]->real, t, i);
        for (size_t n = 0; op->out[0] && n < t->k; n++)
            out[0]->real[to + n * g->inner] = in[0]->real[from + index_of(ranks[n]) * g->inner];
        for (size_t n = 0; op->out_count > 1 && op->out[1] && n < t->k; n++)
            out[1]->whole[to + n * g->inner] = (int64_t)index_of(ranks[n]);
    }
    gig_free(ranks);
    return GIG_OK;
}

/* The indices that forward has found, where the file asked for them. */
static gig_status top_k_fast_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                      const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    const top *t = op->params;
    const gig_groups *g = &t->groups, chosen = {g->outer, t->k, g->inner};
    if (op->out_count < 2 || !op->out[1]) return top_k_backward(op, in, out, d_out, d_in);
    memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    for (size_t o = 0; d_out[0] && o < g->outer; o++)
        for (size_t n = 0; n < t->k; n++)
            for (size_t c = 0; c < g->inner; c++) {
                const size_t at = (o * chosen.length + n) * g->inner + c;
                d_in[0]->real[(o * g->length + (size_t)out[1]->whole[at]) * g->inner + c] = d_out[0]->real[at];
            }
    return GIG_OK;
}

static const gig_fast top_k_fast = {
    .takes = top_k_takes, .forward = top_k_fast_forward, .backward = top_k_fast_backward};

/* ---- NonZero: only of a constant, whose result has known dims: [rank, count], row-major order ---- */

static int is_zero(const gig_tensor *x, size_t k)
{
    return x->type == GIG_FLOAT32 ? x->real[k] == 0 : x->whole[k] == 0;
}

static gig_status non_zero_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    const gig_tensor *x = op->in[0];
    if (!x->data) return gig_fail(GIG_EUNSUPPORTED, "NonZero: the input is not constant");
    int64_t dims[2] = {x->rank ? x->rank : 1, 0};
    for (size_t k = 0, count = gig_tensor_count(x); k < count; k++) dims[1] += !is_zero(x, k);
    if (op->out_count) op->out_onnx[0] = GIG_ONNX_INT64;
    return gig_op_set_output(op, 0, GIG_INT64, 2, dims);
}

static gig_status non_zero_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const gig_tensor *x = in[0];
    size_t found = 0, columns = (size_t)out[0]->dims[1];
    (void)op;
    for (size_t k = 0, count = gig_tensor_count(x); k < count; k++) {
        if (is_zero(x, k)) continue;
        size_t rest = k;
        for (int d = x->rank - 1; d >= 0; d--) {
            out[0]->whole[(size_t)d * columns + found] = (int64_t)(rest % (size_t)x->dims[d]);
            rest /= (size_t)x->dims[d];
        }
        if (x->rank == 0) out[0]->whole[found] = 0;
        found++;
    }
    return GIG_OK;
}

static const gig_moved_attribute k_moved[] = {{"k", 10}, {0}};

const gig_operator gig_operators_search[] = {
    {"ArgMax", 1, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, arg_infer, arg_max_forward, NULL},
    {"ArgMin", 1, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, arg_infer, arg_min_forward, NULL},
    {"TopK", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_INPUT_0 | GIG_NEEDS_OUTPUT, top_k_infer, top_k_forward,
     top_k_backward, .work = top_k_work, .fast = &top_k_fast, .moved = k_moved},
    {"NonZero", 9, 0, GIG_OP_NO_GRADIENT, GIG_NEEDS_NOTHING, non_zero_infer, non_zero_forward, NULL},
    {0}};
