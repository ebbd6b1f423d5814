/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operators: every family's rows, and the search for a node's row. */
#include "network/operator.h"
#include <string.h>

static const gig_operator *const families[] = {
    gig_operators_activation,    gig_operators_gated,     gig_operators_elementary,    gig_operators_arithmetic,
    gig_operators_variadic,      gig_operators_compare,   gig_operators_convolution,   gig_operators_pooling,
    gig_operators_normalization, gig_operators_moments,   gig_operators_mean_variance, gig_operators_response,
    gig_operators_matrix,        gig_operators_reduction, gig_operators_softmax,       gig_operators_shape,
    gig_operators_movement,      gig_operators_gather,    gig_operators_resize,        gig_operators_constant,
    gig_operators_search,        gig_operators_position,  gig_operators_quantize,      gig_operators_grid_sample,
    gig_operators_affine_grid,   gig_operators_instances, gig_operators_attention,     gig_operators_choice,
    gig_operators_recurrent,     gig_operators_roi_align,
};

void gig_operator_each(void (*visit)(void *payload, const gig_operator *row), void *payload)
{
    for (size_t family = 0; family < sizeof families / sizeof *families; family++)
        for (const gig_operator *row = families[family]; row->name; row++) visit(payload, row);
}

const gig_operator *gig_operator_find(const gig_node *node)
{
    if (node->domain && node->domain[0]) return NULL;
    for (size_t family = 0; family < sizeof families / sizeof *families; family++)
        for (const gig_operator *row = families[family]; row->name; row++)
            if (node->opset >= row->since && (!row->until || node->opset <= row->until) && !strcmp(row->name, node->op))
                return row;
    return NULL;
}
