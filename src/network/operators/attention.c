/* SPDX-License-Identifier: Apache-2.0 */
/* Attention (opset 23, 24): what its inputs and attributes mean, the plain rows; RotaryEmbedding's row too. Keys and
 * values of earlier calls (a text generator's cache) are refused: nothing that is explained in one pass has them. */
#include "network/operators/attention.h"
#include "network/operators/movement.h"
#include <math.h>

gig_head_strides gig_head_strides_of(const gig_tensor *x, int64_t heads)
{
    const int64_t *d = x->dims;
    if (x->rank == 4) return (gig_head_strides){d[1] * d[2] * d[3], d[2] * d[3], d[3]};
    return (gig_head_strides){d[1] * d[2], heads ? d[2] / heads : 0, d[2]};
}

/* ---- shapes ---- */

static const char *const inputs[] = {"Q", "K", "V"};

/* Heads, rows and width of input i. A tensor of rank 3 says by attribute `name` how many heads it holds; one of rank 4
 * may repeat what its dims say. */
static gig_status matrix_dims(int64_t *heads, int64_t *rows, int64_t *width, const gig_op *op, size_t i,
                              const char *name)
{
    const gig_tensor *x = op->in[i];
    int64_t said = gig_node_int(op->node, name, 0);
    if (x->rank == 4) {
        *heads = x->dims[1], *rows = x->dims[2], *width = x->dims[3];
        if (said && said != *heads)
            return gig_fail(GIG_EFORMAT, "Attention: %s has %lld heads, attribute %s says %lld", inputs[i],
                            (long long)*heads, name, (long long)said);
    } else {
        if (said < 1 || x->dims[2] % said)
            return gig_fail(GIG_EFORMAT, "Attention: %s = %lld does not divide the %lld columns of %s", name,
                            (long long)said, (long long)x->dims[2], inputs[i]);
        *heads = said, *rows = x->dims[1], *width = x->dims[2] / said;
    }
    if (*heads < 1) return gig_fail(GIG_EFORMAT, "Attention: %s has no heads", inputs[i]);
    return GIG_OK;
}

/* Samples of input i: the batch, or one for all where the file was written for a batch of 1. */
static gig_status fit_batch(gig_head_strides *strides, const gig_op *op, size_t i, int64_t batch)
{
    const gig_tensor *x = op->in[i];
    if (x->dims[0] == batch) return GIG_OK;
    if (x->dims[0] != 1 || gig_op_file_batch(op) != 1 || batch != op->batch)
        return gig_fail(GIG_EFORMAT, "Attention: %s has %lld samples, not %lld", inputs[i], (long long)x->dims[0],
                        (long long)batch);
    strides->batch = 0;
    return GIG_OK;
}

static gig_status infer_matrices(gig_attention *a, const gig_op *op)
{
    int64_t key_heads, value_heads, key_width, values;
    for (size_t i = 0; i < 3; i++) {
        GIG_TRY(gig_op_expect_type(op, i, GIG_FLOAT32));
        if (op->in[i]->rank != op->in[0]->rank || (op->in[i]->rank != 3 && op->in[i]->rank != 4))
            return gig_fail(GIG_EFORMAT, "Attention: Q, K and V must all be of rank 3, or all of rank 4");
        if (op->in[i]->dims[0] > a->batch) a->batch = op->in[i]->dims[0];
    }
    GIG_TRY(matrix_dims(&a->heads, &a->queries, &a->width, op, GIG_ATTENTION_Q, "q_num_heads"));
    GIG_TRY(matrix_dims(&key_heads, &a->keys, &key_width, op, GIG_ATTENTION_K, "kv_num_heads"));
    GIG_TRY(matrix_dims(&value_heads, &values, &a->value_width, op, GIG_ATTENTION_V, "kv_num_heads"));
    if (key_width != a->width)
        return gig_fail(GIG_EFORMAT, "Attention: queries are %lld wide, keys %lld", (long long)a->width,
                        (long long)key_width);
    if (values != a->keys || value_heads != key_heads)
        return gig_fail(GIG_EFORMAT, "Attention: K holds %lld keys of %lld heads, V %lld of %lld", (long long)a->keys,
                        (long long)key_heads, (long long)values, (long long)value_heads);
    if (a->heads % key_heads)
        return gig_fail(GIG_EFORMAT, "Attention: %lld query heads do not share %lld key heads", (long long)a->heads,
                        (long long)key_heads);
    a->shared = a->heads / key_heads;
    a->q = gig_head_strides_of(op->in[GIG_ATTENTION_Q], a->heads);
    a->k = gig_head_strides_of(op->in[GIG_ATTENTION_K], key_heads);
    a->v = gig_head_strides_of(op->in[GIG_ATTENTION_V], key_heads);
    GIG_TRY(fit_batch(&a->q, op, GIG_ATTENTION_Q, a->batch));
    GIG_TRY(fit_batch(&a->k, op, GIG_ATTENTION_K, a->batch));
    return fit_batch(&a->v, op, GIG_ATTENTION_V, a->batch);
}

/* The mask is broadcast to [batch, heads, queries, keys]; since opset 24 a shorter last dim hides the keys that it does
 * not reach. */
static gig_status infer_mask(gig_attention *a, const gig_op *op)
{
    const int64_t full[4] = {a->batch, a->heads, a->queries, a->keys};
    const gig_tensor *mask = gig_op_has(op, GIG_ATTENTION_MASK) ? op->in[GIG_ATTENTION_MASK] : NULL;
    char text[128];
    if (!mask) return GIG_OK;
    if (mask->type != GIG_FLOAT32 && op->in_onnx[GIG_ATTENTION_MASK] != GIG_ONNX_BOOL)
        return gig_fail(GIG_EFORMAT, "Attention: the mask is neither float nor boolean");
    int fits = mask->rank >= 1 && mask->rank <= 4, shift = 4 - mask->rank;
    int64_t stride = 1;
    a->mask_columns = a->keys;
    for (int d = mask->rank - 1; fits && d >= 0; stride *= mask->dims[d--]) {
        int64_t size = mask->dims[d], wanted = full[shift + d];
        if (shift + d == 3 && size < wanted && op->node->opset >= 24)
            a->mask_columns = size;
        else if (size != wanted && size != 1)
            fits = 0;
        a->mask[shift + d] = size == 1 ? 0 : stride;
    }
    if (!fits)
        return gig_fail(GIG_EFORMAT, "Attention: a mask %s does not fit %lld heads, %lld queries, %lld keys",
                        gig_dims_text(text, sizeof text, mask->rank, mask->dims), (long long)a->heads,
                        (long long)a->queries, (long long)a->keys);
    return GIG_OK;
}

/* How many keys each sample has. */
static gig_status infer_lengths(gig_attention *a, const gig_op *op)
{
    if (!gig_op_has(op, GIG_ATTENTION_LENGTHS)) return GIG_OK;
    GIG_TRY(gig_op_expect_type(op, GIG_ATTENTION_LENGTHS, GIG_INT64));
    const gig_tensor *lengths = op->in[GIG_ATTENTION_LENGTHS];
    const int rebatched = a->batch == op->batch && gig_op_file_batch(op) == 1;
    if (lengths->rank != 1 || (lengths->dims[0] != a->batch && !(lengths->dims[0] == 1 && rebatched)))
        return gig_fail(GIG_EFORMAT, "Attention: nonpad_kv_seqlen must have one number for each of %lld samples",
                        (long long)a->batch);
    a->lengths_step = lengths->dims[0] == a->batch;
    return GIG_OK;
}

static gig_status infer_attributes(gig_attention *a, const gig_op *op)
{
    const gig_node *node = op->node;
    int64_t precision = gig_node_int(node, "softmax_precision", GIG_ONNX_FLOAT);
    a->causal = gig_node_int(node, "is_causal", 0) != 0;
    a->cap = gig_node_real(node, "softcap", 0.0f);
    a->scale = gig_node_real(node, "scale", a->width ? (float)(1 / sqrt((double)a->width)) : 1.0f);
    if (!(a->scale > 0) || !isfinite(a->scale))
        return gig_fail(GIG_EFORMAT, "Attention: scale %g is not positive", (double)a->scale);
    if (!(a->cap >= 0) || !isfinite(a->cap))
        return gig_fail(GIG_EFORMAT, "Attention: softcap %g is negative", (double)a->cap);
    if (precision != GIG_ONNX_FLOAT && precision != GIG_ONNX_FLOAT16 && precision != GIG_ONNX_DOUBLE &&
        precision != GIG_ONNX_BFLOAT16)
        return gig_fail(GIG_EFORMAT, "Attention: softmax_precision %lld is not a float type", (long long)precision);
    return GIG_OK;
}

static gig_status infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 3, op->node->opset < 24 ? 6 : 7));
    if (gig_op_has(op, 4) || gig_op_has(op, 5))
        return gig_fail(GIG_EUNSUPPORTED, "Attention: past keys and values are not supported");
    for (size_t j = 1; j < op->out_count; j++)
        if (op->out[j])
            return gig_fail(GIG_EUNSUPPORTED, "Attention: only its first output is supported, not %s",
                            j < 3 ? "present keys and values" : "the product of Q and K");
    gig_attention *a = gig_alloc_zero(1, sizeof *a);
    if (!a) return gig_alloc_status();
    op->params = a;
    GIG_TRY(infer_matrices(a, op));
    GIG_TRY(infer_mask(a, op));
    GIG_TRY(infer_lengths(a, op));
    GIG_TRY(infer_attributes(a, op));
    const int64_t rank4[] = {a->batch, a->heads, a->queries, a->value_width};
    const int64_t rank3[] = {a->batch, a->queries, a->heads * a->value_width};
    gig_tensor y = {.rank = op->in[0]->rank};
    for (int d = 0; d < y.rank; d++) y.dims[d] = y.rank == 4 ? rank4[d] : rank3[d];
    a->y = gig_head_strides_of(&y, a->heads);
    return gig_op_set_output(op, 0, GIG_FLOAT32, y.rank, y.dims);
}

/* ---- the plain rows ---- */

/* C's row i, one row of op(B) after the other. */
static gig_status plain_product(const gig_gemm *of)
{
    const int64_t n = of->n;
    const gig_matrix a = of->a, b = of->b;
    double *row = gig_alloc((size_t)n, sizeof *row);
    if (!row) return gig_alloc_status();
    for (int64_t i = 0; i < of->m; i++) {
        float *c = of->c + i * of->c_row;
        for (int64_t j = 0; j < n; j++) row[j] = of->beta == 0.0f ? 0.0 : (double)of->beta * c[j];
        for (int64_t l = 0; l < of->k; l++) {
            const double by = (double)of->alpha * (a.transposed ? a.data[l * a.row + i] : a.data[i * a.row + l]);
            for (int64_t j = 0; j < n; j++)
                row[j] += by * (b.transposed ? b.data[j * b.row + l] : b.data[l * b.row + j]);
        }
        for (int64_t j = 0; j < n; j++) c[j] = (float)row[j];
    }
    gig_free(row);
    return GIG_OK;
}

static gig_status forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    return gig_attention_forward(op, in, out, plain_product);
}

static gig_status backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    return gig_attention_backward(op, in, d_out, d_in, plain_product);
}

double gig_attention_products(const gig_op *op)
{
    const gig_attention *a = op->params;
    return (double)a->batch * (double)a->heads * (double)a->queries * (double)a->keys *
           (double)(a->width + a->value_width);
}

/* Its two products make five in the backward pass, the weights' one of them again. */
const gig_operator gig_operators_attention[] = {
    {"Attention", 23, 0, GIG_OP_SPARE_OUTPUTS, GIG_NEEDS_INPUTS, infer, forward, backward,
     .products = gig_attention_products, .gradient_products = 2.5, .fast = &gig_fast_attention},
    {"RotaryEmbedding", 23, 0, 0, GIG_NEEDS_INPUTS, gig_rotary_infer, gig_rotary_forward, gig_rotary_backward},
    {0}};
