/* SPDX-License-Identifier: Apache-2.0 */
/* The expanded model: its values, nodes and constants. */
#include "network/plan/expand.h"
#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 1 << 18, MOST_VALUES = 1 << 20 };

static void *keep_block(gig_expansion *x, size_t count, size_t size)
{
    void *block = gig_alloc_zero(count, size);
    if (!block) return NULL;
    if (gig_grow((void **)&x->blocks, &x->block_capacity, x->block_count + 1, sizeof(void *)) != GIG_OK) {
        gig_free(block);
        return NULL;
    }
    x->blocks[x->block_count++] = block;
    return block;
}

gig_status gig_expansion_create(gig_expansion **out, const gig_model *model)
{
    *out = NULL;
    gig_expansion *x = gig_alloc_zero(1, sizeof *x);
    if (!x) return gig_alloc_status();
    x->one = -1;
    x->model = *model;
    x->model.by_name = NULL;
    x->model.values = NULL;
    x->model.nodes = NULL;
    gig_status status =
        gig_grow((void **)&x->model.values, &x->value_capacity, model->value_count + 1, sizeof *x->model.values);
    if (status == GIG_OK)
        status = gig_grow((void **)&x->model.nodes, &x->node_capacity, model->node_count + 1, sizeof *x->model.nodes);
    if (status != GIG_OK) {
        gig_expansion_free(x);
        return status;
    }
    memcpy(x->model.values, model->values, model->value_count * sizeof *model->values);
    memcpy(x->model.nodes, model->nodes, model->node_count * sizeof *model->nodes);
    *out = x;
    return GIG_OK;
}

void gig_expansion_free(gig_expansion *x)
{
    if (!x) return;
    for (size_t i = 0; i < x->tensor_count; i++) {
        gig_tensor_clear(x->tensors[i]);
        gig_free(x->tensors[i]);
    }
    for (size_t i = 0; i < x->block_count; i++) gig_free(x->blocks[i]);
    gig_free(x->tensors);
    gig_free(x->blocks);
    gig_free(x->model.values);
    gig_free(x->model.nodes);
    gig_free(x->model.by_name);
    gig_free(x);
}

gig_status gig_expansion_value(int *out, gig_expansion *x, const char *like)
{
    gig_model *model = &x->model;
    if (model->value_count >= MOST_VALUES)
        return gig_fail(GIG_ELIMIT, "written out, the model has more than %d values", MOST_VALUES);
    GIG_TRY(gig_grow((void **)&model->values, &x->value_capacity, model->value_count + 1, sizeof *model->values));
    size_t bytes = strlen(like) + 24;
    char *name = keep_block(x, bytes, 1);
    if (!name) return gig_alloc_status();
    snprintf(name, bytes, "%s@%zu", like, model->value_count);
    model->values[model->value_count] = (gig_value){.name = name, .rank = -1};
    *out = (int)model->value_count++;
    return GIG_OK;
}

gig_status gig_expansion_constant(int *out, gig_expansion *x, gig_tensor *tensor, int onnx_type)
{
    gig_status status = gig_grow((void **)&x->tensors, &x->tensor_capacity, x->tensor_count + 1, sizeof *x->tensors);
    gig_tensor *kept = status == GIG_OK ? gig_alloc(1, sizeof *kept) : NULL;
    if (!kept) {
        gig_tensor_clear(tensor);
        return status == GIG_OK ? gig_alloc_status() : status;
    }
    *kept = *tensor;
    *tensor = (gig_tensor){0};
    x->tensors[x->tensor_count++] = kept;
    GIG_TRY(gig_expansion_value(out, x, "constant"));
    gig_value *value = &x->model.values[*out];
    value->constant = kept;
    value->onnx_type = onnx_type;
    value->rank = kept->rank;
    memcpy(value->dims, kept->dims, sizeof value->dims);
    return GIG_OK;
}

gig_status gig_expansion_scalar(int *out, gig_expansion *x, float value)
{
    gig_tensor tensor;
    GIG_TRY(gig_tensor_create(&tensor, GIG_FLOAT32, 0, NULL));
    tensor.real[0] = value;
    return gig_expansion_constant(out, x, &tensor, GIG_ONNX_FLOAT);
}

static gig_status copy_list(int **out, gig_expansion *x, size_t count, const int *list)
{
    *out = keep_block(x, count + 1, sizeof **out);
    if (!*out) return gig_alloc_status();
    if (count) memcpy(*out, list, count * sizeof **out);
    return GIG_OK;
}

gig_status gig_expansion_node(gig_node **out, gig_expansion *x, const gig_node_parts *of)
{
    static char none[] = "";
    gig_model *model = &x->model;
    if (model->node_count >= MOST_NODES)
        return gig_fail(GIG_ELIMIT, "written out, the model has more than %d nodes", MOST_NODES);
    GIG_TRY(gig_grow((void **)&model->nodes, &x->node_capacity, model->node_count + 1, sizeof *model->nodes));
    gig_node node = {.name = x->around->name,
                     .position = x->around->position,
                     .domain = none,
                     .opset = of->opset,
                     .function = x->around->op,
                     .input_count = of->in_count,
                     .own_inputs = of->in_count,
                     .output_count = of->out_count};
    size_t bytes = strlen(of->op) + 1;
    node.op = keep_block(x, bytes, 1);
    if (!node.op) return gig_alloc_status();
    memcpy(node.op, of->op, bytes);
    GIG_TRY(copy_list(&node.inputs, x, of->in_count, of->in));
    GIG_TRY(copy_list(&node.outputs, x, of->out_count, of->out));
    if (of->like) {
        node.attributes = of->like->attributes;
        node.attribute_count = of->like->attribute_count;
    }
    model->nodes[model->node_count] = node;
    *out = &model->nodes[model->node_count++];
    return GIG_OK;
}

gig_status gig_expansion_attribute(gig_expansion *x, gig_node *node, const char *name, int64_t value, int is_list)
{
    size_t bytes = strlen(name) + 1;
    gig_attribute *attribute = keep_block(x, 1, sizeof *attribute);
    char *copy = keep_block(x, bytes, 1);
    int64_t *list = keep_block(x, 1, sizeof *list);
    if (!attribute || !copy || !list) return gig_alloc_status();
    memcpy(copy, name, bytes);
    *list = value;
    *attribute = (gig_attribute){.name = copy, .kind = is_list ? GIG_ATTRIBUTE_INTS : GIG_ATTRIBUTE_INT, .i = value};
    attribute->ints = list;
    attribute->count = 1;
    node->attributes = attribute;
    node->attribute_count = 1;
    return GIG_OK;
}

gig_status gig_expansion_settle(gig_expansion *x)
{
    gig_model *model = &x->model;
    size_t kept = 0;
    for (size_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].op) model->nodes[kept++] = model->nodes[n];
    model->node_count = kept;
    gig_free(model->by_name);
    model->by_name = NULL;
    GIG_TRY(gig_model_sort(model));
    x->node_capacity = model->node_count;
    return GIG_OK;
}
