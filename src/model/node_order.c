/* SPDX-License-Identifier: Apache-2.0 */
/* Topological order by depth-first search with its own stack (a chain of 65,536 nodes must not overflow the call
 * stack). */
#include "model/load.h"

enum { NEW, OPEN, DONE };

typedef struct searcher {
    gig_model *model;
    const int *producer;
    unsigned char *state; /* per node: NEW, OPEN (on the stack), DONE */
    size_t *next;         /* per node: the input to look at next */
    size_t *stack, depth;
    gig_node *sorted;
    size_t placed;
} searcher;

/* Continues with the topmost open node: opens an input that is not placed yet, or places the node. */
static gig_status advance(searcher *search)
{
    size_t top = search->stack[search->depth - 1];
    const gig_node *node = &search->model->nodes[top];
    while (search->next[top] < node->input_count) {
        int value = node->inputs[search->next[top]++];
        int made_by = value < 0 ? -1 : search->producer[value];
        if (made_by < 0 || search->state[made_by] == DONE) continue;
        if (search->state[made_by] == OPEN) {
            char text[128];
            return gig_fail(GIG_EFORMAT, "%s: its input \"%.80s\" depends on its output (a cycle)",
                            gig_node_text(text, sizeof text, node), search->model->values[value].name);
        }
        search->state[made_by] = OPEN;
        search->stack[search->depth++] = (size_t)made_by;
        return GIG_OK;
    }
    search->state[top] = DONE;
    search->sorted[search->placed++] = *node;
    search->depth--;
    return GIG_OK;
}

static gig_status sort(searcher *search)
{
    for (size_t i = 0; i < search->model->node_count; i++) {
        if (search->state[i] != NEW) continue;
        search->state[i] = OPEN;
        search->stack[search->depth++] = i;
        while (search->depth) GIG_TRY(advance(search));
    }
    return GIG_OK;
}

gig_status gig_order_nodes(gig_model *model, const int *producer)
{
    size_t count = model->node_count;
    searcher search = {.model = model, .producer = producer};
    gig_status status = GIG_OK;
    search.state = gig_alloc_zero(count, 1);
    search.next = gig_alloc_zero(count, sizeof *search.next);
    search.stack = gig_alloc(count, sizeof *search.stack);
    search.sorted = gig_alloc(count, sizeof *search.sorted);
    if (!search.state || !search.next || !search.stack || !search.sorted)
        status = gig_alloc_status();
    else
        status = sort(&search);
    if (status == GIG_OK) {
        gig_node *unsorted = model->nodes;
        model->nodes = search.sorted;
        search.sorted = unsorted;
    }
    gig_free(search.state);
    gig_free(search.next);
    gig_free(search.stack);
    gig_free(search.sorted);
    return status;
}

gig_status gig_model_sort(gig_model *model)
{
    int *producer = gig_alloc(model->value_count + 1, sizeof *producer);
    model->by_name = gig_alloc(model->value_count + 1, sizeof *model->by_name);
    gig_status status = producer && model->by_name ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        for (size_t v = 0; v < model->value_count; v++) producer[v] = -1;
        for (size_t n = 0; n < model->node_count; n++)
            for (size_t i = 0; i < model->nodes[n].output_count; i++)
                if (model->nodes[n].outputs[i] >= 0) producer[model->nodes[n].outputs[i]] = (int)n;
        gig_names_sort(model->by_name, model->value_count, model->values);
        status = gig_order_nodes(model, producer);
    }
    gig_free(producer);
    return status;
}
