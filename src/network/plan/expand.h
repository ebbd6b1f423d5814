/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose control flow and quantised operators are expanded to plain nodes, for one plan.
 *
 * If, Loop and Scan: their subgraphs replace the node, once or as often as the loop runs. Quantised operators
 * (ConvInteger, QLinearConv ...) become DequantizeLinear, the float operator and QuantizeLinear. Values of the given
 * model keep their indices; what is made follows them. */
#ifndef GIG_NETWORK_PLAN_EXPAND_H
#define GIG_NETWORK_PLAN_EXPAND_H

#include "network/plan.h"

typedef struct gig_expansion {
    gig_model model; /* of the given one's values and nodes; only the arrays, and what `blocks` lists, are ours */
    size_t value_capacity, node_capacity;
    size_t block_count, block_capacity;
    void **blocks;
    size_t tensor_count, tensor_capacity;
    gig_tensor **tensors;   /* constants made here */
    const gig_node *around; /* the node being expanded: new nodes carry its name */
    int one;                /* the constant 1.0, -1: not made yet */
    char folded[160];       /* branches taken by constant conditions, for a remark */
} gig_expansion;

gig_status gig_expansion_create(gig_expansion **out, const gig_model *model);
void gig_expansion_free(gig_expansion *x); /* NULL is allowed */

/* ---- making nodes ---- */
gig_status gig_expansion_value(int *out, gig_expansion *x, const char *like);
/* A constant; the tensor's data moves into it. */
gig_status gig_expansion_constant(int *out, gig_expansion *x, gig_tensor *tensor, int onnx_type);
gig_status gig_expansion_scalar(int *out, gig_expansion *x, float value);
/* What a new node is made of: its lists are copied, the attributes are those of `like` (NULL: none). */
typedef struct gig_node_parts {
    const char *op;
    int opset;
    size_t in_count;
    const int *in;
    size_t out_count;
    const int *out;
    const gig_node *like;
} gig_node_parts;
/* *out is valid until the next. */
gig_status gig_expansion_node(gig_node **out, gig_expansion *x, const gig_node_parts *of);
/* Gives the node just made one integer attribute, instead of all others. */
gig_status gig_expansion_attribute(gig_expansion *x, gig_node *node, const char *name, int64_t value, int is_list);
/* Takes nodes out that were replaced (their op is NULL), and sorts the rest. */
gig_status gig_expansion_settle(gig_expansion *x);

/* ---- expand_quantized.c ---- */
/* Rows, of names and opsets alone, for the operators of ONNX's own that have none in the table. */
void gig_written_out_each(void (*visit)(void *payload, const gig_operator *row), void *payload);
int gig_is_quantized_operator(const gig_node *node);
gig_status gig_expand_quantized(gig_expansion *x);

/* ---- expand_flow.c ---- */
int gig_is_control_flow(const gig_node *node); /* If, Loop or Scan with its subgraphs */
/* Expands the nodes about which `known`, a plan of x's model lowered as far as possible, has enough information;
 * *progress is their number. */
gig_status gig_expand_flow(size_t *progress, gig_expansion *x, const gig_plan *known);
/* An If as `node 4 "choose"`, into text. Returns text. */
const char *gig_if_text(char *text, size_t bytes, const gig_node *node);

#endif
