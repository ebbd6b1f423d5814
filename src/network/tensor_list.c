/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a network's tensors for `gig model --tensors`. */
#include "base/memory.h"
#include "internal/summary.h"
#include "network/network.h"
#include <string.h>

static int is_square(int64_t count)
{
    int64_t side = 0;
    while (side * side < count) side++;
    return side > 1 && side * side == count;
}

/* [n, channels, rows, columns] with more than one place, or [n, tokens, channels] with a square of tokens, or one more
 */
static int is_layer(const gig_tensor *tensor)
{
    if (tensor->rank == 4) return tensor->dims[2] * tensor->dims[3] > 1;
    return tensor->rank == 3 && (is_square(tensor->dims[1]) || is_square(tensor->dims[1] - 1));
}

static void describe(gig_summary_tensor *out, const gig_cell *cell, const char *made_by)
{
    const gig_tensor *tensor = &cell->tensor;
    int real = tensor->type == GIG_FLOAT32;
    *out = (gig_summary_tensor){.made_by = made_by};
    out->value = (gig_summary_value){.name = cell->name, .type = real ? "float32" : "int64", .rank = tensor->rank};
    memcpy(out->value.dims, tensor->dims, (size_t)tensor->rank * sizeof *tensor->dims);
    out->at = real && cell->uses > 0;
    out->layer = out->at && cell->depends && *made_by && is_layer(tensor);
}

gig_status gig_network_tensors(gig_summary_tensor **out, size_t *count, const gig_network *network)
{
    GIG_NEED(network);
    const gig_plan *plan = &network->plan;
    *count = 0;
    *out = gig_alloc_zero(plan->model->value_count + 1, sizeof **out);
    if (!*out) return gig_alloc_status();
    for (size_t p = 0; p < plan->part_count; p++) describe(&(*out)[(*count)++], &plan->cells[plan->parts[p].cell], "");
    for (size_t n = 0; n < plan->model->node_count; n++) {
        const gig_node *node = &plan->model->nodes[n];
        for (size_t i = 0; i < node->output_count; i++) {
            const gig_cell *cell = node->outputs[i] < 0 ? NULL : &plan->cells[node->outputs[i]];
            if (!cell || !cell->known || !cell->depends || node->outputs[i] == plan->input) continue;
            describe(&(*out)[(*count)++], cell, node->op);
        }
    }
    return GIG_OK;
}

void gig_network_tensors_free(gig_summary_tensor *tensors)
{
    gig_free(tensors);
}
