/* SPDX-License-Identifier: Apache-2.0 */
/* If, after its branches were expanded to nodes (plan/expand_flow.c): inputs are the condition and the result of each
 * branch; the output is the result that the condition selects, and the gradient goes to that branch. */
#include "network/operator.h"
#include <string.h>

static gig_status infer(gig_op *op)
{
    char then_text[100], else_text[100];
    if (gig_node_attribute(op->node, "then_branch"))
        return gig_fail(GIG_EUNSUPPORTED,
                        "If: the branches cannot be expanded, because nothing is known about the condition");
    GIG_TRY(gig_op_expect_inputs(op, 3, 3));
    if (gig_tensor_count(op->in[0]) != 1) return gig_fail(GIG_EFORMAT, "If: its condition is not one number");
    if (op->in[1]->type != op->in[2]->type || !gig_same_dims(op->in[1], op->in[2]))
        return gig_fail(GIG_EUNSUPPORTED,
                        "If: the condition depends on the input, and its branches give different shapes, %s and %s",
                        gig_dims_text(then_text, sizeof then_text, op->in[1]->rank, op->in[1]->dims),
                        gig_dims_text(else_text, sizeof else_text, op->in[2]->rank, op->in[2]->dims));
    return gig_op_same_output(op, 0, 1);
}

static size_t taken(const gig_tensor *const *in)
{
    int yes = in[0]->type == GIG_FLOAT32 ? in[0]->real[0] != 0 : in[0]->whole[0] != 0;
    return yes ? 1 : 2;
}

static gig_status forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    (void)op;
    memcpy(out[0]->data, in[taken(in)]->data, gig_tensor_bytes(out[0]));
    return GIG_OK;
}

static gig_status backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                           const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)op, (void)out;
    for (size_t i = 1; i < 3; i++) {
        if (!d_in[i]) continue;
        if (i == taken(in))
            memcpy(d_in[i]->data, d_out[0]->data, gig_tensor_bytes(d_in[i]));
        else
            memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
    }
    if (d_in[0]) memset(d_in[0]->data, 0, gig_tensor_bytes(d_in[0]));
    return GIG_OK;
}

const gig_operator gig_operators_choice[] = {
    {"If", 1, 0, GIG_OP_KEEPS_WHOLE, GIG_NEEDS_INPUT_0, infer, forward, backward, .kind = GIG_KIND_IF}, {0}};
