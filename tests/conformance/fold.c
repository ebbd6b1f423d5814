/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a graph node by node through the operator table, every input a constant: for models without a real input, and
 * for operators that need to know all of theirs in advance. Values only. */
#include "case.h"
#include "network/plan/expand.h"
#include <string.h>

typedef struct folding {
    const gig_model *model;
    gig_tensor *values; /* one per value of the graph; owned where `owned` says so */
    int *types;
    unsigned char *owned;
} folding;

static gig_status make_outputs(folding *f, const gig_node *node, const gig_op *op)
{
    for (size_t j = 0; j < node->output_count; j++) {
        if (node->outputs[j] < 0) continue;
        gig_tensor *out = op->out[j], made;
        GIG_TRY(gig_tensor_create(&made, out->type, out->rank, out->dims));
        *out = made;
        f->owned[node->outputs[j]] = 1;
        f->types[node->outputs[j]] = op->out_onnx[j];
    }
    return GIG_OK;
}

static gig_status fold_node(folding *f, const gig_node *node)
{
    const gig_tensor *in[CASE_PORTS] = {0};
    gig_tensor *out[CASE_PORTS] = {0};
    int in_onnx[CASE_PORTS] = {0}, out_onnx[CASE_PORTS] = {0};
    gig_op op = {.row = gig_operator_find(node), .node = node, .in = in, .out = out, .in_onnx = in_onnx};
    char text[160];
    gig_node_text(text, sizeof text, node);
    if (!op.row) return gig_fail(GIG_EUNSUPPORTED, "%s: operator %.60s is not supported", text, node->op);
    if (node->input_count > CASE_PORTS || node->output_count > CASE_PORTS)
        return gig_fail(GIG_ELIMIT, "%s: more than %d inputs or outputs", text, CASE_PORTS);
    op.in_count = node->input_count;
    op.out_count = node->output_count;
    op.out_onnx = out_onnx;
    op.batch = 1;
    for (size_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] < 0) continue;
        in[i] = &f->values[node->inputs[i]];
        in_onnx[i] = f->types[node->inputs[i]];
    }
    for (size_t j = 0; j < node->output_count; j++) {
        if (node->outputs[j] >= 0) out[j] = &f->values[node->outputs[j]];
        out_onnx[j] = in_onnx[0];
    }
    gig_status status = op.row->infer(&op);
    if (status == GIG_OK) status = make_outputs(f, node, &op);
    if (status == GIG_OK) status = op.row->forward(&op, in, out);
    gig_free(op.params);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", text);
}

static gig_status fold_all(folding *f, const test_tensors *inputs, const test_tensors *outputs)
{
    const gig_model *model = f->model;
    for (size_t v = 0; v < model->value_count; v++) {
        f->types[v] = model->values[v].onnx_type;
        if (model->values[v].constant) f->values[v] = *model->values[v].constant;
    }
    for (size_t i = 0; i < model->input_count; i++) f->values[model->inputs[i]] = inputs->tensors[i];
    for (size_t n = 0; n < model->node_count; n++) GIG_TRY(fold_node(f, &model->nodes[n]));
    for (size_t j = 0; j < outputs->count; j++) {
        const gig_tensor *got = &f->values[model->outputs[j]];
        gig_status status = compare_tensors(got, &outputs->tensors[j], outputs->onnx_types[j]);
        if (status != GIG_OK) return gig_fail_in(status, "output %zu", j);
    }
    return GIG_OK;
}

/* The inputs' values are all that is known. */
static gig_status write_out(gig_expansion *x, const test_tensors *inputs)
{
    size_t progress;
    GIG_TRY(gig_expand_quantized(x));
    gig_plan known = {.cells = gig_alloc_zero(x->model.value_count + 1, sizeof *known.cells)};
    if (!known.cells) return gig_alloc_status();
    for (size_t i = 0; i < x->model.input_count; i++) {
        known.cells[x->model.inputs[i]].known = 1;
        known.cells[x->model.inputs[i]].tensor = inputs->tensors[i];
    }
    gig_status status = gig_expand_flow(&progress, x, &known);
    gig_free(known.cells);
    return status;
}

static gig_status run_nodes(const gig_model *model, const test_tensors *inputs, const test_tensors *outputs)
{
    folding f = {.model = model};
    f.values = gig_alloc_zero(model->value_count, sizeof *f.values);
    f.types = gig_alloc_zero(model->value_count, sizeof *f.types);
    f.owned = gig_alloc_zero(model->value_count, 1);
    gig_status status = f.values && f.types && f.owned ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) status = fold_all(&f, inputs, outputs);
    for (size_t v = 0; f.values && f.owned && v < model->value_count; v++)
        if (f.owned[v]) gig_tensor_clear(&f.values[v]);
    gig_free(f.values);
    gig_free(f.types);
    gig_free(f.owned);
    return status;
}

gig_status run_folded(const gig_model *model, const test_tensors *inputs, const test_tensors *outputs)
{
    gig_expansion *x;
    GIG_TRY(gig_expansion_create(&x, model));
    gig_status status = write_out(x, inputs);
    if (status == GIG_OK) status = run_nodes(&x->model, inputs, outputs);
    gig_expansion_free(x);
    return status;
}
