/* SPDX-License-Identifier: Apache-2.0 */
/* Values that gate themselves, as exporters write them:
 *
 *   x sigmoid(x)                              Swish
 *   x hardsigmoid(x), slope 1/6, 1/2 at 0     HardSwish
 *   x tanh(log(1 + e^x))                      Mish
 *   x (1 + erf(x / sqrt 2)) / 2               Gelu */
#include "network/plan/join.h"
#include <math.h>

/* Ops so far; `value` is what the last one gives. */
typedef struct chain {
    gig_join join;
    int from, value;
} chain;

static void append(chain *c, const gig_plan *plan, size_t n)
{
    c->join.ops[c->join.count++] = n;
    c->value = plan->ops[n].node->outputs[0];
}

/* What the chain's value meets at its next operator. */
typedef enum meets { NOTHING, THE_START, A_NUMBER } meets;

/* The chain's value has one reader, which is of this kind, gives the same dims and meets what is asked: it goes on. */
static int then(chain *c, const gig_plan *plan, gig_kind kind, meets other, double number)
{
    int n = gig_plan_only_reader(plan, c->value);
    const gig_op *op = n < 0 ? NULL : &plan->ops[n];
    if (!op || !gig_op_is(op, kind)) return 0;
    int side = op->node->inputs[0] != c->value;
    if (op->in_count != (other == NOTHING ? 1 : 2) || !op->in[side] || !gig_same_dims(op->in[side], op->out[0]))
        return 0;
    if (other == THE_START && op->node->inputs[!side] != c->from) return 0;
    if (other == A_NUMBER && !gig_is_number(op->in[!side], number)) return 0;
    append(c, plan, (size_t)n);
    return 1;
}

static int times_start(chain *c, const gig_plan *plan)
{
    return then(c, plan, GIG_KIND_MUL, THE_START, 0);
}

static int halved(chain *c, const gig_plan *plan)
{
    return then(c, plan, GIG_KIND_MUL, A_NUMBER, 0.5);
}

/* Whether the op scales its first operand by 1 / sqrt 2. */
static int halves_the_square(const gig_op *op)
{
    if (op->in_count != 2 || !op->in[1]) return 0;
    return (gig_op_is(op, GIG_KIND_DIV) && gig_is_number(op->in[1], sqrt(2.0))) ||
           (gig_op_is(op, GIG_KIND_MUL) && gig_is_number(op->in[1], sqrt(0.5)));
}

static int is_gelu(chain *c, const gig_plan *plan)
{
    if (!halves_the_square(&plan->ops[c->join.ops[0]])) return 0;
    if (!then(c, plan, GIG_KIND_ERF, NOTHING, 0) || !then(c, plan, GIG_KIND_ADD, A_NUMBER, 1)) return 0;
    return times_start(c, plan) ? halved(c, plan) : halved(c, plan) && times_start(c, plan);
}

static int is_hard_swish(chain *c, const gig_plan *plan)
{
    const gig_op *op = &plan->ops[c->join.ops[0]];
    return gig_op_is(op, GIG_KIND_HARD_SIGMOID) &&
           fabs((double)gig_node_real(op->node, "alpha", 0.2f) - 1.0 / 6) <= 1e-6 &&
           gig_node_real(op->node, "beta", 0.5f) == 0.5f && times_start(c, plan);
}

static int is_swish(chain *c, const gig_plan *plan)
{
    return gig_op_is(&plan->ops[c->join.ops[0]], GIG_KIND_SIGMOID) && times_start(c, plan);
}

static int is_mish(chain *c, const gig_plan *plan)
{
    return gig_op_is(&plan->ops[c->join.ops[0]], GIG_KIND_SOFTPLUS) && then(c, plan, GIG_KIND_TANH, NOTHING, 0) &&
           times_start(c, plan);
}

gig_status gig_plan_join_gates(gig_plan *plan)
{
    static const struct {
        const char *name;
        int (*is)(chain *c, const gig_plan *plan);
    } gates[] = {{"Swish", is_swish}, {"HardSwish", is_hard_swish}, {"Mish", is_mish}, {"Gelu", is_gelu}};
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_op *op = &plan->ops[n];
        if (!op->row || !op->out_count || !op->out[0] || op->node->outputs[0] < 0) continue;
        if (!op->in_count || !op->in[0] || op->in[0]->data || op->in[0]->type != GIG_FLOAT32) continue;
        if (!gig_same_dims(op->in[0], op->out[0])) continue; /* a number of more dims than x adds some to the result */
        for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
            int from = op->node->inputs[0];
            chain c = {.join = {.name = gates[i].name, .input_count = 1, .inputs = {from}, .reads = 2}, .from = from};
            append(&c, plan, n);
            if (!gates[i].is(&c, plan)) continue;
            GIG_TRY(gig_plan_join(plan, &c.join));
            break;
        }
    }
    return GIG_OK;
}
