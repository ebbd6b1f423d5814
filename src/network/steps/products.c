/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul and Gemm with constant weights, with a bias row and an activation fused.
 * Neither pass needs the values again.
 *
 *   f32      oneDNN's sgemm; the forward pass of wide layers by kernels/products.c where the CPU has AVX2 and nothing
 *            wider: sgemm falls to half its speed there when rows of the weights are long (transposed, as the gradient
 *            needs them, it does not)
 *   bf16     packed weights of bf16, as steps/convolution.c has them: one product, or the sum of three (`split`) */
#include "network/kernels/products.h"
#include "network/kernels/avx2.h"
#include "network/kernels/bf16_halves.h"
#include "network/steps/gates.h"
#include <string.h>

typedef struct layer {
    int64_t rows, depth, columns;
    const gig_tensor *weights; /* the model's: [depth, columns], or (turned) [columns, depth] */
    int turned;
    float alpha;
    const float *start; /* [columns], what sums begin with (Gemm's C); NULL: 0 */
    const float *bias;  /* [columns], added to them; NULL: none */
    const gig_op *gate;
    gig_place slopes;  /* gate only */
    gig_products wide; /* weights NULL: sgemm */
    int packed;        /* directions whose weights are packed as bf16 */
} layer;

/* Gemm's C is one constant row, or not there. */
static int has_usual_bias(const gig_op *op)
{
    const gig_tensor *c = op->in_count > 2 ? op->in[2] : NULL;
    int64_t n = op->out[0]->dims[1];
    return !c || (c->data && c->rank > 0 && c->dims[c->rank - 1] == n && gig_tensor_count(c) == (size_t)n);
}

int gig_is_product(const gig_op *op)
{
    if (!op->row || !op->row->fast || op->row->fast->step != &gig_step_products || !op->out[0]) return 0;
    const gig_tensor *a = op->in[0], *b = op->in[1];
    if (a->data || a->type != GIG_FLOAT32 || a->rank < 2 || !b->data || b->type != GIG_FLOAT32 || b->rank != 2)
        return 0;
    if (!gig_tensor_count(a) || !gig_tensor_count(b)) return 0;
    return op->row->kind != GIG_KIND_GEMM || (!gig_node_int(op->node, "transA", 0) && has_usual_bias(op));
}

/* Few rows are bound by reading the weights, however they lie. */
static int is_wide(const gig_plan *plan, const layer *self)
{
    enum { FEWEST_ROWS = 4, FEWEST_COLUMNS = 1024, LANES = 8 };
    if (!gig_cpu_has_avx2() || gig_cpu_has_avx512() || plan->options->operator_threads > 1) return 0;
    return !self->turned && self->alpha == 1.0f && !self->start && self->columns >= FEWEST_COLUMNS &&
           self->columns % LANES == 0 && self->rows >= FEWEST_ROWS;
}

static gig_status keep_start(layer *self, gig_plan *plan, const gig_op *op)
{
    float beta = gig_node_real(op->node, "beta", 1.0f);
    float *start = gig_plan_alloc(plan, (size_t)self->columns, sizeof *start);
    if (!start) return gig_alloc_status();
    for (int64_t i = 0; i < self->columns; i++) start[i] = beta * op->in[2]->real[i];
    self->start = start;
    return GIG_OK;
}

static gig_status describe(layer *self, gig_plan *plan, const gig_step *step, const gig_op *op)
{
    int is_gemm = op->row->kind == GIG_KIND_GEMM;
    *self = (layer){.weights = op->in[1], .alpha = 1.0f, .bias = step->bias.real, .gate = step->gate};
    if (is_gemm) {
        self->turned = gig_node_int(op->node, "transB", 0) != 0;
        self->alpha = gig_node_real(op->node, "alpha", 1.0f);
    }
    self->depth = self->weights->dims[self->turned];
    self->columns = self->weights->dims[!self->turned];
    self->rows = (int64_t)gig_tensor_count(op->in[0]) / self->depth;
    return is_gemm && op->in_count > 2 && op->in[2] ? keep_start(self, plan, op) : GIG_OK;
}

/* ---- products ---- */

static gig_matrix matrix_of(const layer *l, int transposed)
{
    return (gig_matrix){l->weights->real, l->turned ? l->depth : l->columns, transposed};
}

/* p[0] results, p[1] data; action->self is a layer. */
static gig_status call_forward(const gig_action *action, void *const *pointers)
{
    const layer *l = action->self;
    float *results = pointers[0];
    if (l->wide.weights) return gig_products_run(results, &l->wide, pointers[1]);
    for (int64_t i = 0; l->start && i < l->rows; i++)
        memcpy(results + i * l->columns, l->start, (size_t)l->columns * sizeof *results);
    const gig_matrix data = {pointers[1], l->depth, 0}, weights = matrix_of(l, l->turned);
    return gig_matrix_product(&(gig_gemm){l->rows, l->columns, l->depth, l->alpha, data, weights,
                                          l->start ? 1.0f : 0.0f, results, l->columns});
}

/* d_data = alpha d_results weights^T: p[0] d_data, p[1] d_results. */
static gig_status call_backward(const gig_action *action, void *const *pointers)
{
    const layer *l = action->self;
    const gig_matrix d_results = {pointers[1], l->columns, 0}, weights = matrix_of(l, !l->turned);
    return gig_matrix_product(
        &(gig_gemm){l->rows, l->depth, l->columns, l->alpha, d_results, weights, 0.0f, pointers[0], l->depth});
}

static double flops_of(const layer *self)
{
    return 2.0 * (double)self->rows * (double)self->depth * (double)self->columns;
}

/* In f32. */
static gig_status emit_whole(gig_plan *plan, const layer *self, int backward, gig_place from, gig_place to)
{
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, plan->emitting.node->op, backward ? call_backward : call_forward,
                          (size_t)(self->rows * (backward ? self->depth : self->columns))));
    action->self = self;
    action->flops = flops_of(self);
    gig_action_place(action, to);
    gig_action_place(action, from);
    return GIG_OK;
}

/* All primitives, or all NULL if one is missing. */
static gig_status choose_halves(gig_primitive *products[3], gig_plan *plan, gig_product_sizes *p,
                                const gig_numbers *how)
{
    memset(products, 0, 3 * sizeof *products);
    for (size_t i = 0; i < how->count; i++) {
        p->add = i > 0;
        GIG_TRY(gig_product_create(&products[i], plan->engine, p));
        if (products[i]) continue;
        memset(products, 0, 3 * sizeof *products);
        return GIG_OK;
    }
    return GIG_OK;
}

/* In bf16 where the plan's precision wants that for this direction and oneDNN can; *done says whether. */
static gig_status emit_halves(int *done, gig_plan *plan, layer *self, int backward, gig_place from, gig_place to)
{
    const gig_numbers how = backward ? gig_numbers_backward(plan) : gig_numbers_forward(plan);
    int64_t depth = backward ? self->columns : self->depth, columns = backward ? self->depth : self->columns;
    gig_product_sizes p = {.rows = self->rows, .depth = depth, .columns = columns, .type = how.type};
    gig_primitive *products[3] = {NULL};
    gig_place halves[2];
    const gig_layout *dense;
    if (how.halves && self->alpha == 1.0f) GIG_TRY(choose_halves(products, plan, &p, &how));
    *done = products[0] != NULL;
    if (!*done) return GIG_OK;
    GIG_TRY(gig_layout_matrix(&dense, plan->engine, depth, columns, self->turned != backward));
    GIG_TRY(gig_plan_split(halves, plan, from, products[0]->layouts[GIG_ARG_SRC], how.count > 1));
    for (size_t i = 0; i < how.count; i++) {
        void *packed;
        gig_action *action;
        GIG_TRY(gig_plan_pack_half(&packed, plan, dense, self->weights, products[i]->layouts[GIG_ARG_WEIGHTS], 1,
                                   how.products[i].low_weights));
        GIG_TRY(gig_plan_primitive(&action, plan, plan->emitting.node->op, products[i]));
        action->flops = i == 0 ? flops_of(self) : 0.0;
        gig_action_argument(action, GIG_ARG_SRC, halves[how.products[i].low_data]);
        gig_action_argument(action, GIG_ARG_WEIGHTS, (gig_place){-1, 0, packed});
        gig_action_argument(action, GIG_ARG_DST, to);
    }
    self->packed++;
    return GIG_OK;
}

/* ---- what follows them ---- */

/* p[0] values, p[1] sums where there is a gate, which its slopes replace; else values are sums. One row at a time, so
 * that it is still near when the gate reads it. */
static gig_status call_tail(const gig_action *action, void *const *pointers)
{
    const layer *l = action->self;
    size_t columns = (size_t)l->columns;
    for (size_t i = 0; i < (size_t)l->rows; i++) {
        float *values = (float *)pointers[0] + i * columns;
        float *sums = l->gate ? (float *)pointers[1] + i * columns : values;
        if (l->bias) gig_floats_add(sums, l->bias, columns);
        if (l->gate) l->gate->row->gate(l->gate, values, sums, columns);
    }
    return GIG_OK;
}

static gig_status emit_tail(gig_plan *plan, const layer *self, gig_place values)
{
    gig_action *action;
    if (!self->bias && !self->gate) return GIG_OK;
    GIG_TRY(gig_plan_call(&action, plan, self->gate ? self->gate->row->name : "Add", call_tail,
                          (size_t)(self->rows * self->columns)));
    action->self = self;
    gig_action_place(action, values);
    if (self->gate) gig_action_place(action, self->slopes);
    return GIG_OK;
}

/* ---- the step ---- */

static gig_status pack_wide(layer *self, gig_plan *plan)
{
    size_t depth = (size_t)self->depth, columns = (size_t)self->columns;
    float *packed = gig_plan_alloc(plan, depth * columns, sizeof *packed);
    if (!packed) return gig_alloc_status();
    self->wide = (gig_products){(size_t)self->rows, depth, columns, packed};
    gig_products_pack(packed, &self->wide, self->weights->real);
    return GIG_OK;
}

static gig_status products_forward(gig_plan *plan, size_t s, int *taken)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    *taken = gig_is_product(op);
    if (!*taken) return GIG_OK;
    layer *self = gig_plan_alloc(plan, 1, sizeof *self);
    if (!self) return gig_alloc_status();
    step->state = self;
    GIG_TRY(describe(self, plan, step, op));
    gig_place data, sums;
    const gig_layout *plain;
    gig_cell *out = &plan->cells[step->out];
    GIG_TRY(gig_plan_data_plain(&data, plan, op->node->inputs[0]));
    GIG_TRY(gig_layout_plain(&plain, plan->engine, &out->tensor));
    GIG_TRY(gig_plan_place(plan, step->out, plain));
    sums = out->data;
    if (self->gate) {
        GIG_TRY(gig_plan_buffer(&self->slopes, plan, plain->bytes));
        sums = self->slopes;
    }
    int done;
    GIG_TRY(emit_halves(&done, plan, self, 0, data, sums));
    if (done && self->start) self->bias = self->start; /* Gemm takes no other row along */
    if (!done && is_wide(plan, self)) GIG_TRY(pack_wide(self, plan));
    if (!done) GIG_TRY(emit_whole(plan, self, 0, data, sums));
    return emit_tail(plan, self, out->data);
}

static gig_status products_backward(gig_plan *plan, size_t s)
{
    gig_step *step = &plan->steps[s];
    const gig_op *op = &plan->ops[step->op];
    layer *self = step->state;
    int in = op->node->inputs[0], done;
    gig_place d_out, d_in;
    const gig_layout *plain;
    if (!plan->cells[in].depends) return GIG_OK;
    if (self->gate) GIG_TRY(gig_gate_backward(plan, self->gate, &plan->cells[step->out], self->slopes));
    GIG_TRY(gig_plan_diff_plain(&d_out, plan, step->out));
    GIG_TRY(gig_layout_plain(&plain, plan->engine, op->in[0]));
    GIG_TRY(gig_plan_diff_begin(&d_in, plan, in, plain));
    GIG_TRY(emit_halves(&done, plan, self, 1, d_out, d_in));
    if (!done) GIG_TRY(emit_whole(plan, self, 1, d_out, d_in));
    if (self->packed == 2) gig_plan_spend_weights(plan, step);
    return gig_plan_diff_end(plan, in, plain, d_in);
}

const gig_step_class gig_step_products = {products_forward, products_backward};
