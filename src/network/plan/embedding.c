/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the embedding of a text model: where its integers become floating-point numbers. */
#include "network/plan.h"

const char *gig_embedding_of(const gig_model *model)
{
    unsigned char *follows = gig_alloc_zero(model->value_count + 1, 1); /* from an input */
    const char *found = NULL;
    if (!follows) return NULL;
    for (size_t i = 0; i < model->input_count; i++) follows[model->inputs[i]] = 1;
    for (size_t n = 0; n < model->node_count && !found; n++) {
        const gig_node *node = &model->nodes[n];
        int any = 0;
        for (size_t i = 0; i < node->input_count; i++) any |= node->inputs[i] >= 0 && follows[node->inputs[i]];
        for (size_t i = 0; any && i < node->output_count; i++)
            if (node->outputs[i] >= 0) follows[node->outputs[i]] = 1;
        const gig_operator *row = any ? gig_operator_find(node) : NULL;
        if (!row || row->kind != GIG_KIND_GATHER || node->input_count < 2 || node->inputs[0] < 0) continue;
        const gig_tensor *table = model->values[node->inputs[0]].constant;
        if (table && table->type == GIG_FLOAT32 && table->rank == 2 && node->outputs[0] >= 0)
            found = model->values[node->outputs[0]].name;
    }
    gig_free(follows);
    return found;
}
