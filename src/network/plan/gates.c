/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of elementwise operators that are one function, as exporters write values that gate themselves. Each becomes
 * the one operator, which reads and writes memory once:
 *
 *   x sigmoid(x)                              Swish
 *   x hardsigmoid(x), slope 1/6, 1/2 at 0     HardSwish
 *   x (1 + erf(x / sqrt 2)) / 2               Gelu
 *
 * Where a value on the way is read by others or asked for, the chain stays as it is. */
#include "network/plan.h"
#include <math.h>
#include <string.h>

enum { LONGEST = 5, NEWEST_OPSET = 26 };

/* Ops by index in the order of the chain; `value` is what the last one gives so far. */
typedef struct chain {
    size_t ops[LONGEST], count;
    int from, value;
} chain;

static void append(chain *c, const gig_plan *plan, size_t n)
{
    c->ops[c->count++] = n;
    c->value = plan->ops[n].node->outputs[0];
}

static int has_a_result(const gig_op *op)
{
    return op->out_count && op->out[0] && op->node->outputs[0] >= 0;
}

static int is_number(const gig_tensor *t, double wanted)
{
    return t && t->data && t->type == GIG_REAL && gig_tensor_count(t) == 1 && fabs((double)t->real[0] - wanted) <= 1e-6;
}

/* What the chain's value meets at its next operator. */
typedef enum meets { NOTHING, THE_START, A_NUMBER } meets;

/* The chain's value has one reader, which is `name`, gives the same dims and meets what is asked: the chain goes on. */
static int then(chain *c, const gig_plan *plan, const char *name, meets other, double number)
{
    int n = gig_plan_only_reader(plan, c->value);
    const gig_op *op = n < 0 ? NULL : &plan->ops[n];
    if (!op || strcmp(op->row->name, name) != 0 || !has_a_result(op)) return 0;
    int side = op->node->inputs[0] != c->value;
    if (op->in_count != (other == NOTHING ? 1 : 2) || !op->in[side] || !gig_same_dims(op->in[side], op->out[0]))
        return 0;
    if (other == THE_START && op->node->inputs[!side] != c->from) return 0;
    if (other == A_NUMBER && !is_number(op->in[!side], number)) return 0;
    append(c, plan, (size_t)n);
    return 1;
}

static int times_start(chain *c, const gig_plan *plan)
{
    return then(c, plan, "Mul", THE_START, 0);
}

static int halved(chain *c, const gig_plan *plan)
{
    return then(c, plan, "Mul", A_NUMBER, 0.5);
}

/* Whether the op scales its first operand by 1 / sqrt 2. */
static int halves_the_square(const gig_op *op)
{
    if (op->in_count != 2 || !op->in[1]) return 0;
    return (strcmp(op->row->name, "Div") == 0 && is_number(op->in[1], sqrt(2.0))) ||
           (strcmp(op->row->name, "Mul") == 0 && is_number(op->in[1], sqrt(0.5)));
}

static int is_gelu(chain *c, const gig_plan *plan)
{
    if (!halves_the_square(&plan->ops[c->ops[0]])) return 0;
    if (!then(c, plan, "Erf", NOTHING, 0) || !then(c, plan, "Add", A_NUMBER, 1)) return 0;
    return times_start(c, plan) ? halved(c, plan) : halved(c, plan) && times_start(c, plan);
}

static int is_hard_swish(chain *c, const gig_plan *plan)
{
    const gig_op *op = &plan->ops[c->ops[0]];
    return strcmp(op->row->name, "HardSigmoid") == 0 &&
           fabs((double)gig_node_real(op->node, "alpha", 0.2f) - 1.0 / 6) <= 1e-6 &&
           gig_node_real(op->node, "beta", 0.5f) == 0.5f && times_start(c, plan);
}

static int is_swish(chain *c, const gig_plan *plan)
{
    return strcmp(plan->ops[c->ops[0]].row->name, "Sigmoid") == 0 && times_start(c, plan);
}

/* The last op of the chain becomes the operator `name` of what the chain started from; the others are gone. */
static gig_status become(gig_plan *plan, const chain *c, const char *name)
{
    size_t last = c->ops[c->count - 1];
    gig_op *op = &plan->ops[last];
    gig_cell *from = &plan->cells[c->from];
    gig_node *node = gig_plan_alloc(plan, 1, sizeof *node);
    int *input = gig_plan_alloc(plan, 1, sizeof *input);
    char *own_name = gig_plan_alloc(plan, strlen(name) + 1, 1);
    if (!node || !input || !own_name) return gig_alloc_status();
    *input = c->from;
    strcpy(own_name, name);
    *node = (gig_node){.name = op->node->name,
                       .op = own_name,
                       .domain = op->node->domain,
                       .opset = NEWEST_OPSET,
                       .function = op->node->function,
                       .position = op->node->position,
                       .input_count = 1,
                       .output_count = 1,
                       .inputs = input,
                       .outputs = op->node->outputs};
    for (size_t i = 0; i + 1 < c->count; i++) plan->ops[c->ops[i]].row = NULL;
    gig_free(op->params);
    op->params = NULL;
    op->node = node;
    op->row = gig_operator_find(node);
    op->in[0] = &from->tensor;
    op->in_count = 1;
    from->uses--; /* it was read at the start of the chain and at its product */
    from->reader = (int)last;
    return op->row->infer(op);
}

gig_status gig_plan_join_gates(gig_plan *plan)
{
    static const struct {
        const char *name;
        int (*is)(chain *c, const gig_plan *plan);
    } gates[] = {{"Swish", is_swish}, {"HardSwish", is_hard_swish}, {"Gelu", is_gelu}};
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_op *op = &plan->ops[n];
        if (!op->row || !has_a_result(op)) continue;
        if (!op->in_count || !op->in[0] || op->in[0]->data || op->in[0]->type != GIG_REAL) continue;
        if (!gig_same_dims(op->in[0], op->out[0])) continue; /* a number of more dims than x adds some to the result */
        for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
            chain c = {.from = op->node->inputs[0]};
            append(&c, plan, n);
            if (!gates[i].is(&c, plan)) continue;
            GIG_TRY(become(plan, &c, gates[i].name));
            break;
        }
    }
    return GIG_OK;
}
