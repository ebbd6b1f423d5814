/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any bytes as a model file. The status must be one that bytes can cause, a loaded graph must keep
 * its invariants (model/graph.h), and no memory may stay allocated. */
#include "base/memory.h"
#include "base/tensor.h"
#include "demand.h"
#include "model/graph.h"
#include "starve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tensor(const gig_tensor *tensor)
{
    demand(tensor->rank >= 0 && tensor->rank <= GIG_MAX_RANK, "rank in range");
    demand(tensor->data != NULL, "a tensor has data");
    volatile const unsigned char *bytes = tensor->data; /* all of its bytes can be read */
    unsigned sum = 0;
    for (size_t i = 0, count = gig_tensor_bytes(tensor); i < count; i++) sum += bytes[i];
    (void)sum;
}

static void check_node(const gig_model *model, const gig_node *node, unsigned char *made)
{
    demand(node->name && node->op && *node->op && node->domain, "a node has names");
    for (size_t i = 0; i < node->input_count; i++) {
        demand(node->inputs[i] >= -1 && node->inputs[i] < (int)model->value_count, "input in range");
        demand(node->inputs[i] < 0 || made[node->inputs[i]], "nodes follow what they read");
    }
    for (size_t i = 0; i < node->output_count; i++) {
        int output = node->outputs[i];
        demand(output >= -1 && output < (int)model->value_count, "output in range");
        demand(output < 0 || !made[output], "each value is made once");
        if (output >= 0) made[output] = 1;
    }
    for (size_t i = 0; i < node->attribute_count; i++) {
        const gig_attribute *attribute = &node->attributes[i];
        if (attribute->kind == GIG_ATTRIBUTE_TENSOR) check_tensor(&attribute->t);
        if (attribute->kind == GIG_ATTRIBUTE_STRING) demand(attribute->s != NULL, "a text is there");
        demand(gig_node_attribute(node, attribute->name) == attribute, "attributes are found by name");
    }
}

static void check_model(const gig_model *model)
{
    unsigned char *made = calloc(model->value_count + 1, 1);
    demand(made != NULL, "memory for the check");
    for (size_t i = 0; i < model->value_count; i++) {
        const gig_value *value = &model->values[i];
        demand(gig_model_find(model, value->name) == (int)i, "values are found by name");
        demand(value->rank >= -1 && value->rank <= GIG_MAX_RANK, "declared rank in range");
        if (value->constant) check_tensor(value->constant);
        made[i] = value->constant != NULL;
    }
    for (size_t i = 0; i < model->input_count; i++) made[model->inputs[i]] = 1;
    for (size_t i = 0; i < model->node_count; i++) check_node(model, &model->nodes[i], made);
    demand(model->output_count > 0, "there is an output");
    for (size_t i = 0; i < model->output_count; i++) demand(made[model->outputs[i]], "outputs are made");
    free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const gig_model_options limits = {.max_weights = (size_t)64 << 20};
    size_t before = gig_memory_used();
    gig_model *model;
    int starved = starve(data, size);
    gig_status status = gig_model_load_memory(&model, data, size, &limits);
    starve_end();
    demand(status == GIG_OK || status == GIG_EFORMAT || status == GIG_EUNSUPPORTED || status == GIG_ELIMIT ||
               (status == GIG_ENOMEM && starved),
           "a legal status");
    demand((status == GIG_OK) == (model != NULL), "a model exactly on success");
    if (model) check_model(model);
    gig_model_free(model);
    demand(gig_memory_used() == before, "nothing stays allocated");
    return 0;
}
