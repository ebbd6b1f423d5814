/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a model file for `gig model`: counts the checked graph and looks up in the operator table what runs.
 */
#include "internal/summary.h"
#include "base/memory.h"
#include "base/tensor.h"
#include "model/graph.h"
#include "network/network.h"
#include "network/plan/expand.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *type_name(int onnx_type)
{
    switch (onnx_type) {
    case GIG_ONNX_FLOAT: return "float32";
    case GIG_ONNX_UINT8: return "uint8";
    case GIG_ONNX_INT8: return "int8";
    case GIG_ONNX_UINT16: return "uint16";
    case GIG_ONNX_INT16: return "int16";
    case GIG_ONNX_INT32: return "int32";
    case GIG_ONNX_INT64: return "int64";
    case GIG_ONNX_STRING: return "string";
    case GIG_ONNX_BOOL: return "bool";
    case GIG_ONNX_FLOAT16: return "float16";
    case GIG_ONNX_DOUBLE: return "float64";
    case GIG_ONNX_UINT32: return "uint32";
    case GIG_ONNX_UINT64: return "uint64";
    case GIG_ONNX_BFLOAT16: return "bfloat16";
    default: return "unknown";
    }
}

static gig_status copy_values(gig_summary_value **out, size_t *count, const gig_model *model, const int *indices,
                              size_t wanted)
{
    *out = gig_alloc_zero(wanted, sizeof **out);
    if (!*out) return gig_alloc_status();
    *count = wanted;
    for (size_t i = 0; i < wanted; i++) {
        const gig_value *value = &model->values[indices[i]];
        (*out)[i] = (gig_summary_value){.name = value->name, .type = type_name(value->onnx_type), .rank = value->rank};
        if (value->rank > 0) memcpy((*out)[i].dims, value->dims, (size_t)value->rank * sizeof value->dims[0]);
    }
    return GIG_OK;
}

static int compare(const void *left, const void *right)
{
    const gig_summary_operator *a = left, *b = right;
    int order = strcmp(a->domain, b->domain);
    if (order == 0) order = strcmp(a->name, b->name);
    return order ? order : a->opset - b->opset;
}

static size_t count_nodes(size_t count, const gig_node *nodes)
{
    size_t all = count;
    for (size_t n = 0; n < count; n++)
        for (size_t a = 0; a < nodes[n].attribute_count; a++)
            if (nodes[n].attributes[a].g)
                all += count_nodes(nodes[n].attributes[a].g->node_count, nodes[n].attributes[a].g->nodes);
    return all;
}

/* Every node, those of subgraphs too (as deep as the loader lets them be). */
static void list_nodes(gig_summary_operator *rows, size_t *at, size_t count, const gig_node *nodes)
{
    for (size_t n = 0; n < count; n++) {
        const gig_node *node = &nodes[n];
        int supported = gig_operator_find(node) || gig_is_quantized_operator(node) ||
                        (gig_is_control_flow(node) && node->opset >= 9);
        rows[(*at)++] = (gig_summary_operator){node->domain, node->op, node->opset, 1, supported};
        for (size_t a = 0; a < node->attribute_count; a++)
            if (node->attributes[a].g)
                list_nodes(rows, at, node->attributes[a].g->node_count, node->attributes[a].g->nodes);
    }
}

/* One row per node, sorted, then equal rows joined. A row is supported when the table knows all of its nodes. */
static gig_status count_operators(gig_model_summary *out, const gig_model *model)
{
    size_t nodes = out->node_count, count = 0;
    gig_summary_operator *rows = out->operators = gig_alloc_zero(nodes, sizeof *rows);
    if (!rows) return gig_alloc_status();
    list_nodes(rows, &count, model->node_count, model->nodes);
    if (nodes) qsort(rows, nodes, sizeof *rows, compare);
    count = 0;
    for (size_t i = 0; i < nodes; i++) {
        if (count && compare(&rows[count - 1], &rows[i]) == 0) {
            rows[count - 1].count++;
            rows[count - 1].supported &= rows[i].supported;
        } else {
            rows[count++] = rows[i];
        }
    }
    out->operator_count = count;
    return GIG_OK;
}

static void count_weight(gig_model_summary *out, const gig_tensor *weight)
{
    out->weight_bytes += gig_tensor_bytes(weight);
    if (weight->type == GIG_FLOAT32) out->parameters += gig_tensor_count(weight);
}

/* A Constant node's value, if it is a tensor or a list of floats. */
static void count_constant(gig_model_summary *out, const gig_node *node)
{
    const gig_operator *row = gig_operator_find(node);
    if (!row || row->kind != GIG_KIND_CONSTANT) return;
    for (size_t a = 0; a < node->attribute_count; a++) {
        const gig_attribute *value = &node->attributes[a];
        if (value->kind == GIG_ATTRIBUTE_TENSOR) count_weight(out, &value->t);
        if (value->kind != GIG_ATTRIBUTE_REALS) continue;
        out->parameters += value->count;
        out->weight_bytes += value->count * sizeof *value->reals;
    }
}

/* Initializers and Constant nodes, those of subgraphs too (as deep as the loader lets them be). */
static void count_weights(gig_model_summary *out, size_t value_count, const gig_value *values, size_t node_count,
                          const gig_node *nodes)
{
    for (size_t i = 0; i < value_count; i++)
        if (values[i].constant) count_weight(out, values[i].constant);
    for (size_t n = 0; n < node_count; n++) {
        count_constant(out, &nodes[n]);
        for (size_t a = 0; a < nodes[n].attribute_count; a++) {
            const gig_subgraph *sub = nodes[n].attributes[a].g;
            if (sub) count_weights(out, sub->value_count, sub->values, sub->node_count, sub->nodes);
        }
    }
}

gig_status gig_model_summarize(gig_model_summary *out, const gig_model *model)
{
    *out = (gig_model_summary){0};
    GIG_NEED(model);
    *out = (gig_model_summary){.ir_version = model->ir_version,
                               .opset = model->opset,
                               .producer = model->producer,
                               .reduced_precision = model->reduced_precision,
                               .node_count = count_nodes(model->node_count, model->nodes)};
    for (int i = 0; i < 32; i++) snprintf(out->sha256 + 2 * i, 3, "%02x", model->sha256[i]);
    count_weights(out, model->value_count, model->values, model->node_count, model->nodes);
    gig_status status = GIG_OK;
    GIG_TRY_DONE(copy_values(&out->inputs, &out->input_count, model, model->inputs, model->input_count));
    GIG_TRY_DONE(copy_values(&out->outputs, &out->output_count, model, model->outputs, model->output_count));
    GIG_TRY_DONE(count_operators(out, model));
    int real = 0;
    for (size_t i = 0; i < out->input_count; i++) real |= strstr(out->inputs[i].type, "float") != NULL;
    if (!real) out->embedding = gig_embedding_of(model);
done:
    if (status != GIG_OK) gig_model_summary_clear(out);
    return status;
}

void gig_model_summary_clear(gig_model_summary *summary)
{
    if (!summary) return;
    gig_free(summary->inputs);
    gig_free(summary->outputs);
    gig_free(summary->operators);
    *summary = (gig_model_summary){0};
}

double gig_network_flops(const gig_network *network)
{
    if (!network) return 0;
    const gig_plan *plan = &network->plan;
    double sum = 0;
    for (size_t i = 0; i < plan->model->node_count; i++)
        if (plan->ops[i].row && plan->ops[i].row->products) sum += 2 * plan->ops[i].row->products(&plan->ops[i]);
    return plan->batch > 0 ? sum / (double)plan->batch : sum;
}
