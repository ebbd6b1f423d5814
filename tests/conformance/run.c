/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a test through a network, one output at a time: value against the test, gradient against differences. */
#include "case.h"
#include "internal/network.h"

static gig_status check_output(gradient_report *report, const gig_model *model, gig_session *session,
                               const gig_tensor *point, const gig_tensor *wanted, int wanted_onnx)
{
    gig_tensor got;
    GIG_TRY(gig_session_output(&got, session, point->real));
    gig_status status = compare_tensors(&got, wanted, wanted_onnx);
    if (status == GIG_OK && got.type == GIG_FLOAT32 && gig_tensor_count(&got) && gig_tensor_count(point))
        status = check_gradient(report, model, session, &got, point);
    gig_tensor_clear(&got);
    return status;
}

static gig_status run_output(gradient_report *report, const gig_model *model, const gig_network_options *options,
                             const gig_tensor *point, const gig_tensor *wanted, int wanted_onnx)
{
    gig_network *network = NULL;
    gig_session *session = NULL;
    gig_status status = gig_network_create(&network, model, options);
    if (status == GIG_OK) status = gig_session_create(&session, network);
    if (status == GIG_OK) status = check_output(report, model, session, point, wanted, wanted_onnx);
    gig_session_free(session);
    gig_network_free(network);
    return status == GIG_OK ? GIG_OK : gig_fail_in(status, "%s", options->plain ? "plain" : "fast");
}

gig_status run_network(gradient_report *report, const gig_model *model, const test_tensors *inputs,
                       const test_tensors *outputs, int plain)
{
    gig_input_value bound[CASE_PORTS];
    gig_network_options options = {.plain = plain, .bound = bound, .output_kind = GIG_OUTPUT_LOGITS, .whole = 1};
    int point = case_point(model);
    options.input = model->values[model->inputs[point]].name;
    for (size_t i = 0; i < model->input_count; i++) {
        if ((int)i == point) continue;
        bound[options.bound_count++] = (gig_input_value){model->values[model->inputs[i]].name, &inputs->tensors[i]};
    }
    for (size_t j = 0; j < outputs->count; j++) {
        options.output = model->values[model->outputs[j]].name;
        gig_status status =
            run_output(report, model, &options, &inputs->tensors[point], &outputs->tensors[j], outputs->onnx_types[j]);
        if (status != GIG_OK) return gig_fail_in(status, "output %zu", j);
    }
    return GIG_OK;
}
