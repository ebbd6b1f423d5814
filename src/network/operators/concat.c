/* SPDX-License-Identifier: Apache-2.0 */
/* Concat and Split: blocks of consecutive elements, interleaved along one axis or taken apart. */
#include "network/operators/movement.h"
#include <inttypes.h>
#include <string.h>

/* op->params of both. The whole is [outer, width, inner]; part i is [outer, its width, inner]. */
typedef struct seam {
    int axis;
    int64_t outer, width, inner;
    int64_t part[]; /* width of each */
} seam;

static gig_status keep_seam(seam **out, gig_op *op, int axis, int rank, const int64_t *dims, size_t parts)
{
    seam *kept = *out = op->params = gig_alloc(1, sizeof *kept + parts * sizeof kept->part[0]);
    if (!kept) return gig_alloc_status();
    kept->axis = axis;
    kept->outer = kept->inner = 1;
    kept->width = dims[axis];
    for (int i = 0; i < axis; i++) kept->outer *= dims[i];
    for (int i = axis + 1; i < rank; i++) kept->inner *= dims[i];
    return GIG_OK;
}

/* ---- Concat ---- */

static gig_status join_dims(int64_t *dims, const gig_op *op, int axis)
{
    const gig_tensor *first = op->in[0];
    for (size_t i = 0; i < op->in_count && first->data; i++) /* the batch is that of the data */
        if (op->in[i] && !op->in[i]->data) first = op->in[i];
    for (int d = 0; d < first->rank; d++) dims[d] = first->dims[d];
    dims[axis] = 0;
    for (size_t i = 0; i < op->in_count; i++) {
        const gig_tensor *part = op->in[i];
        if (!part || part->type != first->type || part->rank != first->rank)
            return gig_fail(GIG_EFORMAT, "input %zu is left out, or of another type or rank", i);
        for (int d = 0; d < part->rank; d++) {
            if (d == axis || part->dims[d] == dims[d] || (d == 0 && axis > 0 && gig_op_repeats(op, part, dims[0])))
                continue;
            return gig_fail(GIG_EFORMAT, "input %zu has %" PRId64 " cells along axis %d, not %" PRId64, i,
                            part->dims[d], d, dims[d]);
        }
        if (__builtin_add_overflow(dims[axis], part->dims[axis], &dims[axis]))
            return gig_fail(GIG_ELIMIT, "axis %d grows too long", axis);
    }
    return GIG_OK;
}

gig_status gig_concat_infer(gig_op *op)
{
    int axis;
    int64_t dims[GIG_MAX_RANK];
    GIG_TRY(gig_op_expect_inputs(op, 1, GIG_MAX_PORTS));
    if (op->node->opset >= 4 && !gig_node_attribute(op->node, "axis")) return gig_fail(GIG_EFORMAT, "axis is missing");
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", 1), op->in[0]->rank));
    GIG_TRY(join_dims(dims, op, axis));
    GIG_TRY(gig_op_set_output(op, 0, op->in[0]->type, op->in[0]->rank, dims));
    seam *kept;
    GIG_TRY(keep_seam(&kept, op, axis, op->in[0]->rank, dims, op->in_count));
    for (size_t i = 0; i < op->in_count; i++) kept->part[i] = op->in[i]->dims[axis];
    return GIG_OK;
}

/* Blocks of part's outer axes; fewer than the seam's where it is repeated. */
static int64_t blocks_of(const gig_tensor *part, int axis)
{
    int64_t blocks = 1;
    for (int d = 0; d < axis; d++) blocks *= part->dims[d];
    return blocks;
}

gig_status gig_concat_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const seam *s = op->params;
    size_t element = gig_type_size(out[0]->type), row = (size_t)(s->width * s->inner) * element;
    char *to = out[0]->data;
    for (size_t i = 0; i < op->in_count; i++) {
        int64_t blocks = blocks_of(in[i], s->axis);
        size_t bytes = (size_t)(s->part[i] * s->inner) * element;
        const char *from = in[i]->data;
        for (int64_t o = 0; o < s->outer && bytes; o++)
            memcpy(to + (size_t)o * row, from + (size_t)(o % blocks) * bytes, bytes);
        to += bytes;
    }
    return GIG_OK;
}

gig_status gig_concat_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    const seam *s = op->params;
    const float *from = d_out[0]->real;
    for (size_t i = 0; i < op->in_count; i++) {
        size_t count = (size_t)(s->part[i] * s->inner);
        for (int64_t o = 0; o < s->outer && d_in[i]; o++) /* no constant, so never repeated */
            memcpy(d_in[i]->real + (size_t)o * count, from + o * s->width * s->inner, count * sizeof *from);
        from += count;
    }
    return GIG_OK;
}

/* ---- Split ---- */

/* Cells of each part where no list says: equal parts; from opset 18 on the last one may be smaller, but not empty. */
static gig_status equal_part(int64_t *out, const gig_op *op, int64_t width)
{
    int64_t ways = (int64_t)op->out_count, said = gig_node_int(op->node, "num_outputs", ways);
    int later = op->node->opset >= 18;
    if (later && said != ways) return gig_fail(GIG_EFORMAT, "num_outputs is %" PRId64 ", not %" PRId64, said, ways);
    *out = ways ? (width + ways - 1) / ways : 0;
    if (!ways || (width % ways && !(later && *out * (ways - 1) < width)))
        return gig_fail(GIG_EFORMAT, "%" PRId64 " cells do not split into %" PRId64 " parts", width, ways);
    return GIG_OK;
}

gig_status gig_split_infer(gig_op *op)
{
    const int64_t *parts;
    size_t count;
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 1, 2));
    const gig_tensor *x = op->in[0];
    GIG_TRY(gig_op_axis(&axis, gig_node_int(op->node, "axis", 0), x->rank));
    GIG_TRY(gig_op_wholes(op, 1, "split", &parts, &count));
    int64_t total = 0, dims[GIG_MAX_RANK], equal = 0;
    if (!parts) GIG_TRY(equal_part(&equal, op, x->dims[axis]));
    if (parts && count != op->out_count) return gig_fail(GIG_EFORMAT, "%zu sizes for %zu parts", count, op->out_count);
    seam *kept;
    GIG_TRY(keep_seam(&kept, op, axis, x->rank, x->dims, op->out_count));
    memcpy(dims, x->dims, sizeof dims);
    for (size_t i = 0; i < op->out_count; i++) {
        int64_t left = x->dims[axis] - total;
        dims[axis] = kept->part[i] = parts ? parts[i] : equal < left ? equal : left;
        if (dims[axis] < 0 || dims[axis] > left)
            return gig_fail(GIG_EFORMAT, "part %zu of %" PRId64 " cells does not fit", i, dims[axis]);
        total += dims[axis];
        op->out_onnx[i] = op->in_onnx[0];
        GIG_TRY(gig_op_set_output(op, i, x->type, x->rank, dims));
    }
    if (total != x->dims[axis]) return gig_fail(GIG_EFORMAT, "the parts do not add up to axis %d", axis);
    return GIG_OK;
}

gig_status gig_split_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const seam *s = op->params;
    size_t element = gig_type_size(in[0]->type), row = (size_t)(s->width * s->inner) * element;
    const char *from = in[0]->data;
    for (size_t i = 0; i < op->out_count; i++) {
        size_t bytes = (size_t)(s->part[i] * s->inner) * element;
        for (int64_t o = 0; o < s->outer && out[i] && bytes; o++)
            memcpy((char *)out[i]->data + (size_t)o * bytes, from + (size_t)o * row, bytes);
        from += bytes;
    }
    return GIG_OK;
}

gig_status gig_split_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                              const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)in, (void)out;
    const seam *s = op->params;
    if (!d_in[0]) return GIG_OK;
    float *to = d_in[0]->real;
    for (size_t i = 0; i < op->out_count; i++) {
        size_t count = (size_t)(s->part[i] * s->inner);
        for (int64_t o = 0; o < s->outer && count; o++) {
            float *row = to + o * s->width * s->inner;
            if (d_out[i])
                memcpy(row, d_out[i]->real + (size_t)o * count, count * sizeof *to);
            else
                memset(row, 0, count * sizeof *to);
        }
        to += count;
    }
    return GIG_OK;
}
