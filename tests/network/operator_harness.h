/* SPDX-License-Identifier: Apache-2.0 */
/* One operator alone: a node built by hand, infer, forward, and backward judged by central differences.
 *
 *     harness h;
 *     harness_begin(&h, "Softmax", 13);
 *     harness_int(&h, "axis", 1);
 *     harness_real_input(&h, 2, DIMS(2, 3), NULL);       random in [-1, 1]; or values
 *     harness_constant(&h);                              the input just added is constant
 *     harness_run(&h, 1);                                infer + forward with one output, must succeed
 *     harness_expect_real(&h, 0, 2, DIMS(2, 3), VALUES(...), 1e-6);
 *     harness_expect_gradient(&h);
 *     harness_end(&h);
 *
 * In backward every tensor that the row's `needs` does not name is passed as NULL, so a row that reads more than it
 * declares crashes here. */
#ifndef OPERATOR_HARNESS_H
#define OPERATOR_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above */
#include <cmocka.h>

#include "base/rng.h"
#include "network/operator.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIMS(...)   ((const int64_t[]){__VA_ARGS__})
#define VALUES(...) ((const float[]){__VA_ARGS__})
#define WHOLES(...) ((const int64_t[]){__VA_ARGS__})

enum { HARNESS_PORTS = 8, HARNESS_ATTRIBUTES = 12, HARNESS_TEXT = 64 };

typedef struct harness {
    gig_node node;
    gig_attribute attributes[HARNESS_ATTRIBUTES];
    char texts[2 * HARNESS_ATTRIBUTES + 2][HARNESS_TEXT];
    size_t text_count;
    gig_tensor in[HARNESS_PORTS], seen[HARNESS_PORTS], out[HARNESS_PORTS]; /* seen: as infer sees the inputs */
    int constant[HARNESS_PORTS], absent[HARNESS_PORTS], in_onnx[HARNESS_PORTS], out_onnx[HARNESS_PORTS];
    const gig_tensor *in_pointers[HARNESS_PORTS], *data_pointers[HARNESS_PORTS];
    gig_tensor *out_pointers[HARNESS_PORTS];
    size_t in_count, out_count;
    gig_op op;
    double step;      /* of the central differences */
    double tolerance; /* |backward - difference| <= tolerance * (1 + |difference|) */
    uint64_t random;  /* numbers drawn so far */
} harness;

/* Uniform in [0,1). */
static inline double harness_uniform(harness *h)
{
    return gig_rng_uniform((gig_rng){12345, 0}, h->random++);
}

static inline char *harness_text(harness *h, const char *text)
{
    char *copy = h->texts[h->text_count++];
    snprintf(copy, HARNESS_TEXT, "%s", text);
    return copy;
}

static inline void harness_begin(harness *h, const char *op, int opset)
{
    memset(h, 0, sizeof *h);
    h->step = 1e-3;
    h->tolerance = 2e-3;
    h->node.name = harness_text(h, "node");
    h->node.op = harness_text(h, op);
    h->node.domain = h->node.name + strlen(h->node.name);
    h->node.opset = opset;
    h->node.attributes = h->attributes;
}

static inline gig_attribute *harness_attribute(harness *h, const char *name, gig_attribute_kind kind)
{
    gig_attribute *attribute = &h->attributes[h->node.attribute_count++];
    attribute->name = harness_text(h, name);
    attribute->kind = kind;
    return attribute;
}

static inline void harness_int(harness *h, const char *name, int64_t value)
{
    harness_attribute(h, name, GIG_ATTRIBUTE_INT)->i = value;
}

static inline void harness_real(harness *h, const char *name, float value)
{
    harness_attribute(h, name, GIG_ATTRIBUTE_REAL)->f = value;
}

static inline void harness_string(harness *h, const char *name, const char *value)
{
    gig_attribute *attribute = harness_attribute(h, name, GIG_ATTRIBUTE_STRING);
    attribute->s = harness_text(h, value);
}

static inline void harness_ints(harness *h, const char *name, size_t count, const int64_t *values)
{
    gig_attribute *attribute = harness_attribute(h, name, GIG_ATTRIBUTE_INTS);
    attribute->count = count;
    attribute->ints = gig_alloc(count, sizeof *values);
    memcpy(attribute->ints, values, count * sizeof *values);
}

static inline void harness_reals(harness *h, const char *name, size_t count, const float *values)
{
    gig_attribute *attribute = harness_attribute(h, name, GIG_ATTRIBUTE_REALS);
    attribute->count = count;
    attribute->reals = gig_alloc(count, sizeof *values);
    memcpy(attribute->reals, values, count * sizeof *values);
}

/* Returns the attribute's tensor, zeroed, to be filled. */
static inline gig_tensor *harness_tensor(harness *h, const char *name, int onnx_type, gig_type type, int rank,
                                         const int64_t *dims)
{
    gig_attribute *attribute = harness_attribute(h, name, GIG_ATTRIBUTE_TENSOR);
    attribute->onnx_type = onnx_type;
    assert_int_equal(gig_tensor_create(&attribute->t, type, rank, dims), GIG_OK);
    return &attribute->t;
}

/* values NULL: random in [-1, 1]. */
static inline gig_tensor *harness_real_input(harness *h, int rank, const int64_t *dims, const float *values)
{
    gig_tensor *tensor = &h->in[h->in_count];
    h->in_onnx[h->in_count++] = GIG_ONNX_FLOAT;
    assert_int_equal(gig_tensor_create(tensor, GIG_FLOAT32, rank, dims), GIG_OK);
    for (size_t k = 0; k < gig_tensor_count(tensor); k++)
        tensor->real[k] = values ? values[k] : (float)(2 * harness_uniform(h) - 1);
    return tensor;
}

static inline gig_tensor *harness_whole_input(harness *h, int rank, const int64_t *dims, const int64_t *values)
{
    gig_tensor *tensor = &h->in[h->in_count];
    h->in_onnx[h->in_count++] = GIG_ONNX_INT64;
    assert_int_equal(gig_tensor_create(tensor, GIG_INT64, rank, dims), GIG_OK);
    if (values) memcpy(tensor->whole, values, gig_tensor_bytes(tensor));
    return tensor;
}

static inline void harness_no_input(harness *h)
{
    h->absent[h->in_count++] = 1;
}

/* The input just added is a constant; gradients with respect to it are not asked for. */
static inline void harness_constant(harness *h)
{
    h->constant[h->in_count - 1] = 1;
}

static inline void harness_onnx_type(harness *h, int type)
{
    h->in_onnx[h->in_count - 1] = type;
}

static inline gig_status harness_infer(harness *h, size_t outputs)
{
    gig_op *op = &h->op;
    op->node = &h->node;
    op->row = gig_operator_find(&h->node);
    assert_non_null(op->row);
    for (size_t i = 0; i < h->in_count; i++) {
        h->seen[i] = h->in[i];
        if (!h->constant[i]) h->seen[i].data = NULL;
        h->in_pointers[i] = h->absent[i] ? NULL : &h->seen[i];
        h->data_pointers[i] = h->absent[i] ? NULL : &h->in[i];
    }
    for (size_t j = 0; j < outputs; j++) {
        h->out_pointers[j] = &h->out[j];
        h->out_onnx[j] = h->in_count ? h->in_onnx[0] : GIG_ONNX_UNKNOWN;
    }
    op->in_count = h->in_count;
    op->out_count = h->out_count = outputs;
    op->in = h->in_pointers;
    op->out = h->out_pointers;
    op->in_onnx = h->in_onnx;
    op->out_onnx = h->out_onnx;
    op->file_batch = op->batch = 1;
    gig_free(op->params);
    op->params = NULL;
    return op->row->infer(op);
}

/* The same as in a file written for one point that is planned for `batch`; one output. */
static inline gig_status harness_infer_for_batch(harness *h, int64_t batch)
{
    (void)harness_infer(h, 1);
    gig_free(h->op.params);
    h->op.params = NULL;
    h->op.file_batch = 1;
    h->op.batch = batch;
    return h->op.row->infer(&h->op);
}

/* infer and forward, which must both succeed. */
static inline void harness_run(harness *h, size_t outputs)
{
    gig_status status = harness_infer(h, outputs);
    if (status != GIG_OK) fail_msg("%s: infer: %s", h->node.op, gig_message());
    for (size_t j = 0; j < outputs; j++) {
        gig_tensor made = h->out[j];
        assert_int_equal(gig_tensor_create(&h->out[j], made.type, made.rank, made.dims), GIG_OK);
        memset(h->out[j].data, 0xff, gig_tensor_bytes(&h->out[j])); /* NaN: every element must be written */
    }
    status = h->op.row->forward(&h->op, h->data_pointers, h->out_pointers);
    if (status != GIG_OK) fail_msg("%s: forward: %s", h->node.op, gig_message());
}

static inline void harness_expect_dims(const harness *h, size_t j, int rank, const int64_t *dims)
{
    char seen[128], wanted[128];
    assert_string_equal(gig_dims_text(seen, sizeof seen, h->out[j].rank, h->out[j].dims),
                        gig_dims_text(wanted, sizeof wanted, rank, dims));
}

/* |out - value| <= tolerance * (1 + |value|); NaN matches NaN, an infinity itself. */
static inline void harness_expect_real(const harness *h, size_t j, int rank, const int64_t *dims, const float *values,
                                       double tolerance)
{
    harness_expect_dims(h, j, rank, dims);
    assert_int_equal(h->out[j].type, GIG_FLOAT32);
    for (size_t k = 0; k < gig_tensor_count(&h->out[j]); k++) {
        double seen = h->out[j].real[k], wanted = values[k];
        if (seen == wanted || (isnan(seen) && isnan(wanted))) continue;
        if (!(fabs(seen - wanted) <= tolerance * (1 + fabs(wanted))))
            fail_msg("%s: output %zu[%zu] is %.9g, not %.9g", h->node.op, j, k, seen, wanted);
    }
}

static inline void harness_expect_whole(const harness *h, size_t j, int rank, const int64_t *dims,
                                        const int64_t *values)
{
    harness_expect_dims(h, j, rank, dims);
    assert_int_equal(h->out[j].type, GIG_INT64);
    for (size_t k = 0; k < gig_tensor_count(&h->out[j]); k++)
        if (h->out[j].whole[k] != values[k])
            fail_msg("%s: output %zu[%zu] is %lld, not %lld", h->node.op, j, k, (long long)h->out[j].whole[k],
                     (long long)values[k]);
}

static inline int harness_differentiable(const harness *h, size_t i)
{
    return !h->absent[i] && !h->constant[i] && h->in[i].type == GIG_FLOAT32;
}

/* d_in for d_out (one tensor per output; data NULL if nothing reads it). d_in must be cleared by the caller. */
static inline void harness_backward(harness *h, const gig_tensor *d_out, gig_tensor *d_in)
{
    const gig_operator *row = h->op.row;
    const gig_tensor *in[HARNESS_PORTS] = {0}, *out[HARNESS_PORTS] = {0}, *d_out_pointers[HARNESS_PORTS] = {0};
    gig_tensor *d_in_pointers[HARNESS_PORTS] = {0};
    for (size_t i = 0; i < h->in_count; i++) {
        int needed = (row->needs & GIG_NEEDS_INPUTS) == GIG_NEEDS_INPUTS || (row->needs >> i & 1 && i < 7);
        if (needed && !h->absent[i]) in[i] = &h->in[i];
        memset(&d_in[i], 0, sizeof d_in[i]);
        if (!harness_differentiable(h, i)) continue;
        assert_int_equal(gig_tensor_create(&d_in[i], GIG_FLOAT32, h->in[i].rank, h->in[i].dims), GIG_OK);
        memset(d_in[i].data, 0xff, gig_tensor_bytes(&d_in[i]));
        d_in_pointers[i] = &d_in[i];
    }
    for (size_t j = 0; j < h->out_count; j++) {
        if (row->needs & GIG_NEEDS_OUTPUT) out[j] = &h->out[j];
        if (d_out[j].data) d_out_pointers[j] = &d_out[j];
    }
    gig_status status = row->backward(&h->op, in, out, d_out_pointers, d_in_pointers);
    if (status != GIG_OK) fail_msg("%s: backward: %s", h->node.op, gig_message());
}

/* Runs forward into `out` with element k of input i set to `value`. */
static inline void harness_forward_at(harness *h, gig_tensor *out, size_t i, size_t k, float value)
{
    gig_tensor *pointers[HARNESS_PORTS] = {0};
    float before = h->in[i].real[k];
    for (size_t j = 0; j < h->out_count; j++) pointers[j] = &out[j];
    h->in[i].real[k] = value;
    assert_int_equal(h->op.row->forward(&h->op, h->data_pointers, pointers), GIG_OK);
    h->in[i].real[k] = before;
}

static inline double harness_difference(harness *h, const gig_tensor *weights, gig_tensor *low, gig_tensor *high,
                                        size_t i, size_t k)
{
    float x = h->in[i].real[k], below = x - (float)h->step, above = x + (float)h->step;
    double sum = 0;
    harness_forward_at(h, low, i, k, below);
    harness_forward_at(h, high, i, k, above);
    for (size_t j = 0; j < h->out_count; j++) {
        if (!weights[j].data) continue;
        for (size_t e = 0; e < gig_tensor_count(&weights[j]); e++)
            sum += weights[j].real[e] * ((double)high[j].real[e] - low[j].real[e]);
    }
    return sum / ((double)above - below);
}

/* Compares backward with central differences of L = sum of w * out, w random in [-1, 1] for every real output, for
 * every element of every real input that is not constant. After harness_run. */
static inline void harness_expect_gradient(harness *h)
{
    gig_tensor weights[HARNESS_PORTS] = {0}, low[HARNESS_PORTS] = {0}, high[HARNESS_PORTS] = {0};
    gig_tensor d_in[HARNESS_PORTS] = {0};
    for (size_t j = 0; j < h->out_count; j++) {
        const gig_tensor *like = &h->out[j];
        assert_int_equal(gig_tensor_create(&low[j], like->type, like->rank, like->dims), GIG_OK);
        assert_int_equal(gig_tensor_create(&high[j], like->type, like->rank, like->dims), GIG_OK);
        if (like->type != GIG_FLOAT32) continue;
        assert_int_equal(gig_tensor_create(&weights[j], GIG_FLOAT32, like->rank, like->dims), GIG_OK);
        for (size_t e = 0; e < gig_tensor_count(like); e++) weights[j].real[e] = (float)(2 * harness_uniform(h) - 1);
    }
    harness_backward(h, weights, d_in);
    for (size_t i = 0; i < h->in_count; i++) {
        if (!harness_differentiable(h, i)) continue;
        for (size_t k = 0; k < gig_tensor_count(&h->in[i]); k++) {
            double seen = d_in[i].real[k], wanted = harness_difference(h, weights, low, high, i, k);
            if (!(fabs(seen - wanted) <= h->tolerance * (1 + fabs(wanted))))
                fail_msg("%s: gradient of input %zu[%zu] is %.7g, differences say %.7g", h->node.op, i, k, seen,
                         wanted);
        }
    }
    for (size_t p = 0; p < HARNESS_PORTS; p++) {
        gig_tensor_clear(&weights[p]);
        gig_tensor_clear(&low[p]);
        gig_tensor_clear(&high[p]);
        gig_tensor_clear(&d_in[p]);
    }
}

static inline void harness_end(harness *h)
{
    for (size_t a = 0; a < h->node.attribute_count; a++) {
        gig_free(h->attributes[a].ints);
        gig_free(h->attributes[a].reals);
        gig_tensor_clear(&h->attributes[a].t);
    }
    for (size_t p = 0; p < HARNESS_PORTS; p++) {
        gig_tensor_clear(&h->in[p]);
        gig_tensor_clear(&h->out[p]);
    }
    gig_free(h->op.params);
}

#endif
