/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul with wide constant weights by products.c, where the CPU has AVX2 and nothing wider. oneDNN's sgemm falls to
 * half its speed there when rows of the weights are long; transposed, as the gradient needs them, it does not. So only
 * the forward pass has weights of its own. */
#include "network/kernels/products.h"
#include "network/kernels/avx2.h"
#include "network/plan.h"

typedef struct layer {
    gig_products products;
    const float *weights; /* [depth, columns], the model's */
} layer;

/* Few rows are bound by reading the weights, however they lie. */
static int takes(const gig_plan *plan, const gig_op *op)
{
    enum { FEWEST_ROWS = 4, FEWEST_COLUMNS = 1024, LANES = 8 };
    const gig_tensor *a = op->in[0], *b = op->in[1];
    if (!gig_cpu_has_avx2() || gig_cpu_has_avx512() || plan->options->operator_threads > 1) return 0;
    if (a->data || a->type != GIG_FLOAT32 || a->rank < 2 || !b->data || b->type != GIG_FLOAT32 || b->rank != 2)
        return 0;
    return b->dims[1] >= FEWEST_COLUMNS && b->dims[1] % LANES == 0 && b->dims[0] > 0 &&
           gig_tensor_count(a) >= FEWEST_ROWS * (size_t)b->dims[0];
}

/* p[0] results, p[1] data; action->self is a layer. */
static gig_status call_forward(const gig_action *action, void *const *pointers)
{
    const layer *self = action->self;
    return gig_products_run(pointers[0], &self->products, pointers[1]);
}

/* d_data = d_results weights^T: p[0] d_data, p[1] d_results. */
static gig_status call_backward(const gig_action *action, void *const *pointers)
{
    const layer *self = action->self;
    const gig_products *p = &self->products;
    int64_t rows = (int64_t)p->rows, depth = (int64_t)p->depth, columns = (int64_t)p->columns;
    return gig_matrix_product(0, 1, rows, depth, columns, 1, pointers[1], columns, self->weights, columns, 0,
                              pointers[0], depth);
}

static gig_status emit(gig_plan *plan, gig_call call, const layer *self, gig_place from, gig_place to, size_t results)
{
    const gig_products *p = &self->products;
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, "MatMul", call, results));
    action->self = self;
    action->flops = 2.0 * (double)p->rows * (double)p->depth * (double)p->columns;
    gig_action_place(action, to);
    gig_action_place(action, from);
    return GIG_OK;
}

static gig_status products_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    *taken = takes(plan, op);
    if (!*taken) return GIG_OK;
    size_t depth = (size_t)op->in[1]->dims[0], columns = (size_t)op->in[1]->dims[1];
    layer *self = gig_plan_alloc(plan, 1, sizeof *self);
    float *packed = gig_plan_alloc(plan, depth * columns, sizeof *packed);
    if (!self || !packed) return gig_alloc_status();
    *self = (layer){{gig_tensor_count(op->in[0]) / depth, depth, columns, packed}, op->in[1]->real};
    gig_products_pack(packed, &self->products, self->weights);
    plan->steps[s].state = self;
    gig_place data;
    const gig_layout *plain;
    int out = op->node->outputs[0];
    GIG_TRY(gig_plan_data_plain(&data, plan, op->node->inputs[0]));
    GIG_TRY(gig_layout_plain(&plain, plan->engine, op->out[0]));
    GIG_TRY(gig_plan_place(plan, out, plain));
    return emit(plan, call_forward, self, data, plan->cells[out].data, gig_tensor_count(op->out[0]));
}

static gig_status products_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    int in = op->node->inputs[0];
    gig_place d_out, d_in;
    const gig_layout *plain;
    if (!plan->cells[in].depends) return GIG_OK;
    GIG_TRY(gig_plan_diff_plain(&d_out, plan, op->node->outputs[0]));
    GIG_TRY(gig_layout_plain(&plain, plan->engine, op->in[0]));
    GIG_TRY(gig_plan_diff_begin(&d_in, plan, in, plain));
    GIG_TRY(emit(plan, call_backward, plan->steps[s].state, d_out, d_in, gig_tensor_count(op->in[0])));
    return gig_plan_diff_end(plan, in, plain, d_in);
}

const gig_step_class gig_step_products = {products_forward, products_backward};
