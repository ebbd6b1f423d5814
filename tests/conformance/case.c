/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one test's tensors and fits the graph's free dims to them. */
#include "case.h"
#include "base/file.h"
#include "model/load.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *message_alloc(void *payload, size_t bytes)
{
    (void)payload;
    return gig_alloc(bytes, 1);
}

static void message_free(void *payload, void *block)
{
    (void)payload;
    gig_free(block);
}

static gig_status read_tensor(gig_tensor *out, int *onnx_type, const char *path)
{
    ProtobufCAllocator allocator = {message_alloc, message_free, NULL};
    gig_weights weights = {.folder = -1, .most = (size_t)1 << 30};
    uint8_t *bytes;
    size_t count;
    GIG_TRY(gig_file_read(&bytes, &count, path, (size_t)1 << 30));
    Onnx__TensorProto *message = onnx__tensor_proto__unpack(&allocator, count, bytes);
    gig_free(bytes);
    if (!message) return gig_fail(GIG_EFORMAT, "no tensor");
    *onnx_type = message->data_type;
    gig_status status = gig_weights_read(out, &weights, message, 0);
    onnx__tensor_proto__free_unpacked(message, &allocator);
    return status;
}

gig_status test_tensors_read(test_tensors *out, const char *folder, const char *kind)
{
    memset(out, 0, sizeof *out);
    for (; out->count < CASE_PORTS; out->count++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s_%zu.pb", folder, kind, out->count);
        if (access(path, R_OK) != 0) return GIG_OK;
        gig_status status = read_tensor(&out->tensors[out->count], &out->onnx_types[out->count], path);
        if (status != GIG_OK) return gig_fail_in(status, "%s_%zu", kind, out->count);
    }
    return gig_fail(GIG_ELIMIT, "more than %d tensors", CASE_PORTS);
}

void test_tensors_clear(test_tensors *tensors)
{
    for (size_t i = 0; i < tensors->count; i++) gig_tensor_clear(&tensors->tensors[i]);
    tensors->count = 0;
}

/* Tensors of bfloat16 lie in the tests as the uint16 of their bits. */
static void restore_bfloat16(test_tensors *tensors, const gig_model *model, const int *values, size_t count)
{
    for (size_t i = 0; i < count && i < tensors->count; i++) {
        gig_tensor *tensor = &tensors->tensors[i];
        if (model->values[values[i]].onnx_type != GIG_ONNX_BFLOAT16 || tensor->type != GIG_INT64) continue;
        for (size_t k = 0; k < gig_tensor_count(tensor); k++) { /* floats are shorter: in place, from the front */
            uint32_t bits = (uint32_t)tensor->whole[k] << 16;
            memcpy(tensor->real + k, &bits, sizeof bits);
        }
        tensor->type = GIG_FLOAT32;
        tensors->onnx_types[i] = GIG_ONNX_BFLOAT16;
    }
}

gig_status case_fit(gig_model *model, test_tensors *inputs, test_tensors *outputs)
{
    if (inputs->count < model->input_count || outputs->count > model->output_count)
        return gig_fail(GIG_EFORMAT, "%zu inputs and %zu outputs given, the graph has %zu and %zu", inputs->count,
                        outputs->count, model->input_count, model->output_count);
    restore_bfloat16(inputs, model, model->inputs, model->input_count);
    restore_bfloat16(outputs, model, model->outputs, model->output_count);
    for (size_t i = 0; i < model->input_count; i++) {
        gig_value *value = &model->values[model->inputs[i]];
        value->rank = inputs->tensors[i].rank;
        memcpy(value->dims, inputs->tensors[i].dims, sizeof value->dims);
    }
    return GIG_OK;
}

int case_point(const gig_model *model)
{
    for (size_t i = 0; i < model->input_count; i++) {
        int type = model->values[model->inputs[i]].onnx_type;
        if (type == GIG_ONNX_FLOAT || type == GIG_ONNX_FLOAT16 || type == GIG_ONNX_DOUBLE || type == GIG_ONNX_BFLOAT16)
            return (int)i;
    }
    return -1;
}
