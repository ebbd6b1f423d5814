/* MatMul and Gemm with constant weights by products.c, where the CPU has AVX2 and nothing wider. */
#include "network/avx2.h"
#include "network/plan.h"
#include "network/products.h"
#include <string.h>

typedef struct layer {
    gig_products forward, backward; /* backward: the gradient with respect to the data */
} layer;

/* Weights whose element (k, c) lies at k * depth_step + c * column_step, each times `factor`; C is added. */
typedef struct operands {
    const gig_tensor *weights, *c;
    size_t depth, columns, depth_step, column_step;
    float factor, c_factor;
} operands;

static int matmul_operands(operands *out, const gig_op *op)
{
    const gig_tensor *b = op->in[1];
    if (!b->data || b->rank != 2 || op->in[0]->rank < 2) return 0;
    *out = (operands){.weights = b,
                      .depth = (size_t)b->dims[0],
                      .columns = (size_t)b->dims[1],
                      .depth_step = (size_t)b->dims[1],
                      .column_step = 1,
                      .factor = 1};
    return 1;
}

static int gemm_operands(operands *out, const gig_op *op)
{
    const gig_tensor *b = op->in[1], *c = op->in_count > 2 ? op->in[2] : NULL;
    int transposed = gig_node_int(op->node, "transB", 0) != 0;
    if (!b->data || gig_node_int(op->node, "transA", 0)) return 0;
    *out = (operands){.weights = b,
                      .c = c,
                      .depth = (size_t)b->dims[transposed],
                      .columns = (size_t)b->dims[!transposed],
                      .depth_step = transposed ? 1 : (size_t)b->dims[1],
                      .column_step = transposed ? (size_t)b->dims[1] : 1,
                      .factor = gig_node_real(op->node, "alpha", 1),
                      .c_factor = gig_node_real(op->node, "beta", 1)};
    return !c || (c->data && gig_tensor_count(c) == out->columns && c->dims[c->rank - 1] == (int64_t)out->columns);
}

/* Whether this step is taken. Few rows are bound by reading the weights, once is enough for those. */
static int takes(operands *out, const gig_plan *plan, const gig_op *op)
{
    enum { FEWEST_ROWS = 4, LANES = 8 };
    if (!gig_cpu_is_avx2() || plan->options->operator_threads > 1) return 0;
    if (op->in[0]->data || op->in[0]->type != GIG_REAL || op->in[1]->type != GIG_REAL) return 0;
    if (strcmp(op->row->name, "Gemm") == 0 ? !gemm_operands(out, op) : !matmul_operands(out, op)) return 0;
    return out->depth && out->columns && out->depth % LANES == 0 && out->columns % LANES == 0 &&
           gig_tensor_count(op->in[0]) >= FEWEST_ROWS * out->depth;
}

static gig_status pack(gig_products *out, gig_plan *plan, const operands *from, size_t depth, size_t columns,
                       size_t depth_step, size_t column_step)
{
    float *weights = gig_plan_alloc(plan, depth * columns, sizeof *weights);
    if (!weights) return gig_alloc_status();
    out->depth = depth;
    out->columns = columns;
    gig_products_pack(weights, out, from->weights->real, depth_step, column_step, from->factor);
    out->weights = weights;
    return GIG_OK;
}

static gig_status pack_bias(gig_products *out, gig_plan *plan, const operands *from)
{
    if (!from->c) return GIG_OK;
    float *bias = gig_plan_alloc(plan, from->columns, sizeof *bias);
    if (!bias) return gig_alloc_status();
    for (size_t i = 0; i < from->columns; i++) bias[i] = from->c_factor * from->c->real[i];
    out->bias = bias;
    return GIG_OK;
}

/* p[0] data, p[1] results; action->self is a gig_products. */
static gig_status call(const gig_action *action, void *const *pointers)
{
    gig_products_run(pointers[1], action->self, pointers[0]);
    return GIG_OK;
}

static gig_status emit(gig_plan *plan, const gig_op *op, gig_products *self, gig_place from, gig_place to)
{
    gig_action *action;
    GIG_TRY(gig_plan_call(&action, plan, op->row->name, call, 0));
    action->self = self;
    action->flops = 2.0 * (double)self->rows * (double)self->depth * (double)self->columns;
    gig_action_place(action, from);
    gig_action_place(action, to);
    return GIG_OK;
}

static gig_status products_forward(gig_plan *plan, size_t s, int *taken)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    int in = op->node->inputs[0], out = op->node->outputs[0];
    operands from;
    *taken = takes(&from, plan, op);
    if (!*taken) return GIG_OK;
    layer *self = gig_plan_alloc(plan, 1, sizeof *self);
    if (!self) return gig_alloc_status();
    plan->steps[s].state = self;
    self->forward.rows = self->backward.rows = gig_tensor_count(op->in[0]) / from.depth;
    GIG_TRY(pack(&self->forward, plan, &from, from.depth, from.columns, from.depth_step, from.column_step));
    GIG_TRY(pack(&self->backward, plan, &from, from.columns, from.depth, from.column_step, from.depth_step));
    GIG_TRY(pack_bias(&self->forward, plan, &from));
    gig_place data;
    dnnl_memory_desc_t md;
    GIG_TRY(gig_plan_data_plain(&data, plan, in));
    GIG_TRY(gig_md_plain(&md, op->out[0]));
    GIG_TRY(gig_plan_place(plan, out, &md));
    return emit(plan, op, &self->forward, data, plan->cells[out].data);
}

static gig_status products_backward(gig_plan *plan, size_t s)
{
    const gig_op *op = &plan->ops[plan->steps[s].op];
    int in = op->node->inputs[0], out = op->node->outputs[0];
    layer *self = plan->steps[s].state;
    gig_place d_out, d_in;
    dnnl_memory_desc_t md;
    if (!plan->cells[in].depends) return GIG_OK;
    GIG_TRY(gig_plan_diff_plain(&d_out, plan, out));
    GIG_TRY(gig_md_plain(&md, op->in[0]));
    GIG_TRY(gig_plan_diff_begin(&d_in, plan, in, &md));
    GIG_TRY(emit(plan, op, &self->backward, d_out, d_in));
    return gig_plan_diff_end(plan, in, &md, d_in);
}

const gig_step_class gig_step_products = {products_forward, products_backward};
