/* SPDX-License-Identifier: Apache-2.0 */
/* The default layer of Grad-CAM: the last tensor that still has positions of the picture, all of which influence the
 * classes.
 *
 * Of a convolutional network it is the last [n, channels, rows, columns]. So it is of a transformer that ends in such a
 * tensor (Swin, after its last norm), if nothing bypasses it, as residuals bypass what is inside a block. Else a
 * transformer's classifier often reads only one token, so that after its last attention the other tokens have no
 * gradient: there it is what that attention's queries and keys are computed from, the norm of the last block,
 * [n, tokens, channels], before it is divided into windows. */
#include "network/plan.h"

/* A square number of tokens, or one more. */
static int is_token_count(int64_t tokens)
{
    for (int64_t side = 2; side * side <= tokens; side++)
        if (side * side == tokens || side * side + 1 == tokens) return 1;
    return 0;
}

/* Attention's scores: a product of two values that both follow from the point, [..., tokens, tokens]. */
static int64_t tokens_of_scores(const gig_op *op)
{
    if (!op->row || !op->row->products || op->in_count < 2 || !op->in[1] || !op->out_count || !op->out[0]) return 0;
    const gig_tensor *out = op->out[0];
    if (op->in[0]->data || op->in[1]->data || out->rank < 3) return 0;
    int64_t tokens = out->dims[out->rank - 1];
    return out->dims[out->rank - 2] == tokens && is_token_count(tokens) ? tokens : 0;
}

/* A tensor with rows and columns; of a network with a value per pixel, not the classes themselves; of one with
 * attention, not a head's tokens. */
static int is_map(const gig_plan *plan, const gig_cell *cell, int64_t tokens)
{
    const gig_tensor *t = &cell->tensor;
    if (t->rank != 4 || t->type != GIG_FLOAT32 || !cell->depends || t->dims[2] * t->dims[3] <= 1) return 0;
    if (plan->classes.height && t->dims[1] == (int64_t)plan->classes.count) return 0;
    return !tokens || (t->dims[1] != tokens && t->dims[2] != tokens);
}

/* Whether the output depends on the point through this value alone. */
static gig_status is_bottleneck(int *out, const gig_plan *plan, int cell)
{
    unsigned char *marked = gig_alloc_zero(plan->model->value_count + 1, 1);
    if (!marked) return gig_alloc_status();
    marked[plan->logits] = 1;
    for (size_t n = plan->model->node_count; n-- > 0;) {
        const gig_op *op = &plan->ops[n];
        int used = 0;
        for (size_t i = 0; op->row && i < op->out_count; i++)
            if (op->out[i] && op->node->outputs[i] != cell) used |= marked[op->node->outputs[i]];
        for (size_t i = 0; used && i < op->in_count; i++)
            if (op->in[i] && plan->cells[op->node->inputs[i]].depends) marked[op->node->inputs[i]] = 1;
    }
    *out = marked[cell];
    for (size_t p = 0; p < plan->part_count; p++)
        if (marked[plan->parts[p].cell]) *out = 0;
    gig_free(marked);
    return GIG_OK;
}

/* The last map from op `from` on, -1 if there is none; with attention only one that nothing bypasses, among the last
 * hundred (each costs a walk over the graph). */
static gig_status last_picture(int *out, const gig_plan *plan, size_t from, int64_t tokens)
{
    size_t left = 100;
    *out = -1;
    for (size_t n = plan->model->node_count; n-- > from && *out < 0 && left;) {
        const gig_op *op = &plan->ops[n];
        int sound = 1;
        if (!op->row || op->row->flags & GIG_OP_VIEW || !op->out_count || !op->out[0]) continue;
        if (!is_map(plan, &plan->cells[op->node->outputs[0]], tokens)) continue;
        if (tokens && from) GIG_TRY(is_bottleneck(&sound, plan, op->node->outputs[0]));
        left -= !sound;
        if (sound) *out = op->node->outputs[0];
    }
    return GIG_OK;
}

/* From what a product reads, back over whatever only moves numbers (views, transpositions, rolled rows, windows), the
 * first [n, tokens, channels] that was computed; -1: none. */
static int token_source(const gig_plan *plan, int cell)
{
    int found = -1;
    for (;;) {
        const gig_cell *here = &plan->cells[cell];
        const gig_tensor *t = &here->tensor;
        if (t->rank == 3 && t->type == GIG_FLOAT32 && t->dims[0] == plan->batch && is_token_count(t->dims[1]) &&
            t->dims[2] > 1)
            found = cell;
        const gig_op *op = here->producer < 0 ? NULL : &plan->ops[here->producer];
        if (!op || !op->row || !(op->row->flags & (GIG_OP_VIEW | GIG_OP_MOVES)) || !op->in_count) return found;
        cell = op->node->inputs[0];
    }
}

/* The nearest product with weights that the scores follow from, and what it reads. */
static gig_status last_tokens(int *out, const gig_plan *plan, size_t scores)
{
    unsigned char *marked = gig_alloc_zero(plan->model->value_count + 1, 1);
    if (!marked) return gig_alloc_status();
    *out = -1;
    marked[plan->ops[scores].node->outputs[0]] = 1;
    for (size_t n = scores + 1; n-- > 0 && *out < 0;) {
        const gig_op *op = &plan->ops[n];
        if (!op->row || !op->out[0] || !marked[op->node->outputs[0]]) continue;
        for (size_t i = 0; i < op->in_count; i++)
            if (op->in[i] && plan->cells[op->node->inputs[i]].depends) marked[op->node->inputs[i]] = 1;
        if (op->row->products && op->in_count > 1 && op->in[1] && op->in[1]->data)
            *out = token_source(plan, op->node->inputs[0]);
    }
    gig_free(marked);
    return GIG_OK;
}

gig_status gig_plan_find_layer(int *out, const gig_plan *plan)
{
    size_t scores = plan->model->node_count;
    int64_t tokens = 0;
    while (!tokens && scores-- > 0) tokens = tokens_of_scores(&plan->ops[scores]);
    if (!tokens) scores = 0;
    GIG_TRY(last_picture(out, plan, scores, tokens));
    if (*out < 0 && tokens) GIG_TRY(last_tokens(out, plan, scores));
    return *out < 0 && tokens ? last_picture(out, plan, 0, tokens) : GIG_OK;
}
