/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose, Expand, Tile, DepthToSpace, SpaceToDepth, ReverseSequence, and the rows of the whole family. */
#include "network/operators/movement.h"
#include <inttypes.h>
#include <string.h>

/* A mapping over dims (rank of them) becomes op->params; output 0 gets out_dims. */
static gig_status begin(gig_mapping **out, gig_op *op, int rank, const int64_t *dims, int out_rank,
                        const int64_t *out_dims)
{
    GIG_TRY(gig_op_set_output(op, 0, op->in[0]->type, out_rank, out_dims));
    return gig_mapping_create(out, op, rank, dims);
}

int gig_op_repeats(const gig_op *op, const gig_tensor *constant, int64_t batch)
{
    int64_t file_batch = gig_op_file_batch(op);
    if (!constant->data || constant->dims[0] != file_batch || batch != op->batch) return 0;
    size_t bytes = gig_tensor_bytes(constant) / (size_t)file_batch;
    for (int64_t i = 1; i < file_batch; i++)
        if (memcmp(constant->data, (const char *)constant->data + (size_t)i * bytes, bytes)) return 0;
    return 1;
}

/* ---- Transpose ---- */

static gig_status infer_transpose(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    const gig_tensor *x = op->in[0];
    const int64_t *given;
    size_t count;
    int seen[GIG_MAX_RANK] = {0}, from[GIG_MAX_RANK];
    GIG_TRY(gig_op_wholes(op, SIZE_MAX, "perm", &given, &count));
    if (given && count != (size_t)x->rank)
        return gig_fail(GIG_EFORMAT, "perm has %zu numbers, the data rank %d", count, x->rank);
    int64_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        GIG_TRY(gig_op_axis(&from[i], given ? given[i] : x->rank - 1 - i, x->rank));
        if (seen[from[i]]++) return gig_fail(GIG_EFORMAT, "perm names axis %d twice", from[i]);
        dims[i] = x->dims[from[i]];
    }
    gig_mapping *mapping;
    GIG_TRY(begin(&mapping, op, x->rank, dims, x->rank, dims));
    gig_dense_strides(strides, x->rank, x->dims);
    for (int i = 0; i < x->rank; i++) gig_mapping_affine(mapping, i, 0, strides[from[i]]);
    gig_mapping_settle(mapping);
    return GIG_OK;
}

/* ---- Expand ---- */

static gig_status infer_expand(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    const gig_tensor *x = op->in[0];
    const int64_t *shape;
    size_t count;
    GIG_TRY(gig_op_wholes(op, 1, NULL, &shape, &count));
    if (count > GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "a shape of rank %zu", count);
    int rank = x->rank > (int)count ? x->rank : (int)count;
    int64_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    gig_dense_strides(strides, x->rank, x->dims);
    for (int i = 0; i < rank; i++) {
        int in_x = i - (rank - x->rank), in_shape = i - (rank - (int)count);
        int64_t have = in_x < 0 ? 1 : x->dims[in_x], want = in_shape < 0 ? 1 : shape[in_shape];
        if (i == 0 && rank == x->rank && gig_op_rebatched(op, x, want)) want = op->batch;
        if (want < 0 || (have != want && have != 1 && want != 1))
            return gig_fail(GIG_EFORMAT, "axis of %" PRId64 " cells cannot be expanded to %" PRId64, have, want);
        dims[i] = have == 1 ? want : have;
    }
    gig_mapping *mapping;
    GIG_TRY(begin(&mapping, op, rank, dims, rank, dims));
    for (int i = 0; i < rank; i++) {
        int in_x = i - (rank - x->rank);
        gig_mapping_affine(mapping, i, 0, in_x < 0 || x->dims[in_x] == 1 ? 0 : strides[in_x]);
    }
    gig_mapping_settle(mapping);
    return GIG_OK;
}

/* ---- Tile ---- */

static gig_status keep_tiles(gig_op *op, const int64_t *repeats)
{
    const gig_tensor *x = op->in[0];
    int64_t dims[GIG_MAX_RANK], strides[GIG_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        if (repeats[i] < 0) return gig_fail(GIG_EFORMAT, "axis %d is repeated %" PRId64 " times", i, repeats[i]);
        if (__builtin_mul_overflow(x->dims[i], repeats[i], &dims[i]))
            return gig_fail(GIG_ELIMIT, "axis %d is repeated %" PRId64 " times", i, repeats[i]);
    }
    gig_mapping *mapping;
    GIG_TRY(begin(&mapping, op, x->rank, dims, x->rank, dims));
    gig_dense_strides(strides, x->rank, x->dims);
    for (int axis = 0; axis < x->rank; axis++)
        for (int64_t i = 0; i < mapping->dims[axis]; i++)
            mapping->table[axis][i] = (int32_t)(i % x->dims[axis] * strides[axis]);
    gig_mapping_settle(mapping);
    return GIG_OK;
}

static gig_status infer_tile(gig_op *op)
{
    const int64_t *repeats;
    size_t count;
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_wholes(op, 1, NULL, &repeats, &count));
    if (count != (size_t)op->in[0]->rank)
        return gig_fail(GIG_EFORMAT, "%zu repeats for data of rank %d", count, op->in[0]->rank);
    return keep_tiles(op, repeats);
}

/* Opset 1: how often, and along which one axis. */
static gig_status infer_tile_axis(gig_op *op)
{
    const int64_t *tiles, *axes;
    size_t tile_count, axis_count;
    int axis;
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    GIG_TRY(gig_op_wholes(op, 1, NULL, &tiles, &tile_count));
    GIG_TRY(gig_op_wholes(op, 2, NULL, &axes, &axis_count));
    if (tile_count != 1 || axis_count != 1) return gig_fail(GIG_EFORMAT, "tiles and axis are one number each");
    GIG_TRY(gig_op_axis(&axis, axes[0], op->in[0]->rank));
    int64_t repeats[GIG_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    repeats[axis] = tiles[0];
    return keep_tiles(op, repeats);
}

/* ---- DepthToSpace, SpaceToDepth: [N, C, H, W] seen as six axes ---- */

static gig_status read_block(int64_t *out, gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, 1));
    *out = gig_node_int(op->node, "blocksize", 0);
    if (op->in[0]->rank != 4) return gig_fail(GIG_EFORMAT, "data of rank %d, not 4", op->in[0]->rank);
    if (*out < 1 || *out > 65536) return gig_fail(GIG_EFORMAT, "blocksize is %" PRId64, *out);
    return GIG_OK;
}

static gig_status infer_depth_to_space(gig_op *op)
{
    int64_t b;
    GIG_TRY(read_block(&b, op));
    const int64_t *x = op->in[0]->dims;
    if (x[1] % (b * b))
        return gig_fail(GIG_EFORMAT, "%" PRId64 " channels are not divisible into blocks of %" PRId64, x[1], b * b);
    const char *mode = gig_node_string(op->node, "mode", "DCR");
    int columns_last = !strcmp(mode, "CRD");
    if (!columns_last && strcmp(mode, "DCR")) return gig_fail(GIG_EFORMAT, "mode \"%.40s\" is unknown", mode);
    int64_t channels = x[1] / (b * b), plane = x[2] * x[3];
    int64_t out_dims[4] = {x[0], channels, x[2] * b, x[3] * b};
    int64_t dims[6] = {x[0], channels, x[2], b, x[3], b}; /* n, c, h, row in block, w, column in block */
    /* The channel is (row * b + column) * channels + c (DCR) or (c * b + row) * b + column (CRD). */
    int64_t c = columns_last ? b * b : 1, row = columns_last ? b : b * channels, column = columns_last ? 1 : channels;
    int64_t strides[6] = {x[1] * plane, c * plane, x[3], row * plane, 1, column * plane};
    gig_mapping *mapping;
    GIG_TRY(begin(&mapping, op, 6, dims, 4, out_dims));
    for (int i = 0; i < 6; i++) gig_mapping_affine(mapping, i, 0, strides[i]);
    gig_mapping_settle(mapping);
    return GIG_OK;
}

static gig_status infer_space_to_depth(gig_op *op)
{
    int64_t b;
    GIG_TRY(read_block(&b, op));
    const int64_t *x = op->in[0]->dims;
    if (x[2] % b || x[3] % b)
        return gig_fail(GIG_EFORMAT, "%" PRId64 " x %" PRId64 " cells are not divisible into blocks of %" PRId64, x[2],
                        x[3], b);
    int64_t out_dims[4] = {x[0], x[1] * b * b, x[2] / b, x[3] / b};
    int64_t dims[6] = {x[0], b, b, x[1], x[2] / b, x[3] / b}; /* n, row in block, column in block, c, h, w */
    int64_t strides[6] = {x[1] * x[2] * x[3], x[3], 1, x[2] * x[3], b * x[3], b};
    gig_mapping *mapping;
    GIG_TRY(begin(&mapping, op, 6, dims, 4, out_dims));
    for (int i = 0; i < 6; i++) gig_mapping_affine(mapping, i, 0, strides[i]);
    gig_mapping_settle(mapping);
    return GIG_OK;
}

/* ---- ReverseSequence: the first lengths[b] steps of sequence b in reverse order; its own inverse ---- */

static gig_status infer_reverse(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 2, 2));
    GIG_TRY(gig_op_expect_type(op, 1, GIG_INT64));
    const gig_tensor *x = op->in[0], *lengths = op->in[1];
    int64_t batch_axis = gig_node_int(op->node, "batch_axis", 1), time_axis = gig_node_int(op->node, "time_axis", 0);
    if (x->rank < 2 || batch_axis < 0 || batch_axis > 1 || time_axis != 1 - batch_axis)
        return gig_fail(GIG_EFORMAT, "batch_axis and time_axis must be 0 and 1, or 1 and 0");
    if (lengths->rank != 1 || lengths->dims[0] != x->dims[batch_axis])
        return gig_fail(GIG_EFORMAT, "there is not one length for each of %" PRId64 " sequences", x->dims[batch_axis]);
    return gig_op_same_output(op, 0, 0);
}

static gig_status reverse(const gig_op *op, gig_tensor *out, const gig_tensor *x, const int64_t *lengths)
{
    int batch_axis = (int)gig_node_int(op->node, "batch_axis", 1);
    int64_t sequences = x->dims[batch_axis], steps = x->dims[1 - batch_axis];
    int64_t sequence_stride = batch_axis ? 1 : steps, step_stride = batch_axis ? sequences : 1;
    size_t bytes = gig_type_size(x->type);
    for (int i = 2; i < x->rank; i++) bytes *= (size_t)x->dims[i];
    for (int64_t s = 0; s < sequences && bytes; s++) {
        if (lengths[s] < 0 || lengths[s] > steps)
            return gig_fail(GIG_EFORMAT, "sequence %" PRId64 " has %" PRId64 " steps of %" PRId64, s, lengths[s],
                            steps);
        for (int64_t t = 0; t < steps; t++) {
            int64_t from = t < lengths[s] ? lengths[s] - 1 - t : t;
            memcpy((char *)out->data + (size_t)(s * sequence_stride + t * step_stride) * bytes,
                   (const char *)x->data + (size_t)(s * sequence_stride + from * step_stride) * bytes, bytes);
        }
    }
    return GIG_OK;
}

static gig_status reverse_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return reverse(op, out[0], in[0], in[1]->whole);
}

static gig_status reverse_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                                   const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    return d_in[0] ? reverse(op, d_in[0], d_out[0], in[1]->whole) : GIG_OK;
}

static const gig_moved_attribute slice_moved[] = {{"starts", 10}, {"ends", 10}, {"axes", 10}, {0}};

static const gig_moved_attribute pads_moved[] = {{"pads", 11}, {0}};

static const gig_moved_attribute split_moved[] = {{"split", 13}, {0}};

const gig_operator gig_operators_movement[] = {
    {"Transpose", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_transpose, gig_mapping_forward,
     gig_mapping_backward, .fast = &gig_fast_permutation},
    {"Expand", 8, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_expand, gig_mapping_forward,
     gig_mapping_backward},
    {"Tile", 1, 5, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_tile_axis, gig_mapping_forward,
     gig_mapping_backward},
    {"Tile", 6, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_tile, gig_mapping_forward,
     gig_mapping_backward},
    {"DepthToSpace", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_depth_to_space,
     gig_mapping_forward, gig_mapping_backward, .fast = &gig_fast_permutation},
    {"SpaceToDepth", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, infer_space_to_depth,
     gig_mapping_forward, gig_mapping_backward, .fast = &gig_fast_permutation},
    {"Slice", 1, 9, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, gig_slice_infer_attributes,
     gig_mapping_forward, gig_mapping_backward, .moved = slice_moved},
    {"Slice", 10, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, gig_slice_infer, gig_mapping_forward,
     gig_mapping_backward, .moved = slice_moved},
    {"Pad", 1, 0, GIG_OP_KEEPS_WHOLE, GIG_NEEDS_NOTHING, gig_pad_infer, gig_pad_forward, gig_pad_backward,
     .moved = pads_moved},
    {"CenterCropPad", 18, 0, GIG_OP_KEEPS_WHOLE, GIG_NEEDS_NOTHING, gig_center_infer, gig_mapping_forward,
     gig_mapping_backward},
    {"Concat", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, gig_concat_infer, gig_concat_forward,
     gig_concat_backward, .fast = &gig_fast_concat, .kind = GIG_KIND_CONCAT},
    {"Split", 1, 0, GIG_OP_KEEPS_WHOLE | GIG_OP_MOVES, GIG_NEEDS_NOTHING, gig_split_infer, gig_split_forward,
     gig_split_backward, .moved = split_moved},
    {"ReverseSequence", 10, 0, 0, GIG_NEEDS_INPUT_1, infer_reverse, reverse_forward, reverse_backward},
    {0},
};
