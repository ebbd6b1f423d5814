/* SPDX-License-Identifier: Apache-2.0 */
/* Which branch an If takes. Where the point decides, the condition's value is kept, so that it can be read after a
 * forward pass. An If with several outputs became as many ops (plan/expand_flow.c), of which the first counts. */
#include "network/network.h"
#include "network/plan/expand.h"
#include <stdio.h>
#include <string.h>

static int is_if(const gig_op *op)
{
    return op->row && op->row->kind == GIG_KIND_IF;
}

static int same_if(const gig_node *a, const gig_node *b)
{
    return a->inputs[0] == b->inputs[0] && a->position == b->position && !strcmp(a->name, b->name);
}

/* The node of the next If from *at on, which moves behind it; NULL after the last. `last`: the one before, or NULL. */
static const gig_node *next_if(size_t *at, const gig_plan *plan, const gig_node *last)
{
    while (*at < plan->model->node_count) {
        const gig_op *op = &plan->ops[(*at)++];
        if (is_if(op) && !(last && same_if(last, op->node))) return op->node;
    }
    return NULL;
}

void gig_plan_keep_conditions(gig_plan *plan)
{
    for (size_t n = 0; n < plan->model->node_count; n++) {
        if (!is_if(&plan->ops[n])) continue;
        gig_cell *condition = &plan->cells[plan->ops[n].node->inputs[0]];
        if (condition->kept) continue;
        condition->kept = GIG_KEPT_AS_OUTPUT;
        condition->uses++;
    }
}

const char *gig_network_branching_node(char *text, size_t bytes, const gig_network *network)
{
    size_t at = 0;
    const gig_node *node = network ? next_if(&at, &network->plan, NULL) : NULL;
    return node ? gig_if_text(text, bytes, node) : NULL;
}

static int takes_then(const gig_session *session, const gig_node *node)
{
    const gig_cell *cell = &session->network->plan.cells[node->inputs[0]];
    const void *data = cell->tensor.data ? cell->tensor.data : gig_session_at(session, cell->held);
    return cell->tensor.type == GIG_FLOAT32 ? *(const float *)data != 0 : *(const int64_t *)data != 0;
}

gig_status gig_session_branches(char **out, gig_session *session, const float *point)
{
    GIG_NEED(out);
    *out = NULL;
    GIG_NEED(session);
    GIG_NEED(point);
    const gig_plan *plan = &session->network->plan;
    enum { LINE = 200 };
    char text[160];
    const gig_node *node = NULL;
    size_t count = 0, used = 0, at = 0;
    while ((node = next_if(&at, plan, node))) count++;
    if (!count) return GIG_OK;
    GIG_TRY(gig_session_forward_points(session, 1, &point));
    *out = gig_alloc_zero(count, LINE);
    if (!*out) return gig_alloc_status();
    for (at = 0; (node = next_if(&at, plan, node));)
        used +=
            (size_t)snprintf(*out + used, LINE, "%s%s takes %s", used ? "\n" : "", gig_if_text(text, sizeof text, node),
                             takes_then(session, node) ? "then_branch" : "else_branch");
    return GIG_OK;
}
