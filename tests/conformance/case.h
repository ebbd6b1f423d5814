/* SPDX-License-Identifier: Apache-2.0 */
/* One ONNX test: a model and, per data set, its inputs and the outputs expected. */
#ifndef CONFORMANCE_CASE_H
#define CONFORMANCE_CASE_H

#include "base/memory.h"
#include "base/status.h"
#include "base/tensor.h"
#include "model/graph.h"

enum { CASE_PORTS = 64 };

typedef struct test_tensors {
    size_t count;
    gig_tensor tensors[CASE_PORTS];
    int onnx_types[CASE_PORTS];
} test_tensors;

/* folder/input_0.pb, input_1.pb ... (or output_): TensorProto messages, until one is missing. */
gig_status test_tensors_read(test_tensors *out, const char *folder, const char *kind);
void test_tensors_clear(test_tensors *tensors);

/* Gives the graph's inputs the dims of the data (some tests leave them free or state others), and the data the types of
 * the graph. GIG_EFORMAT if the counts do not fit. */
gig_status case_fit(gig_model *model, test_tensors *inputs, test_tensors *outputs);

/* Which graph input the points live in: the first real one; -1: none. */
int case_point(const gig_model *model);

/* ---- judging (compare.c) ---- */

/* Real numbers within 1e-3 of the expected value and 1e-7 (ONNX's own runner; 1e-2 for bfloat16, which has 8 bits),
 * integers equal, dims and kind equal. NaN is NaN, an infinity itself. GIG_EINTERNAL with a message otherwise. */
gig_status compare_tensors(const gig_tensor *got, const gig_tensor *wanted, int wanted_onnx);

/* ---- running (run.c, fold.c, gradient.c) ---- */

typedef struct gradient_report {
    size_t elements, kinks; /* compared with differences; left out because a kink is near */
} gradient_report;

/* Through a network: one input is the point, the others are bound; plain or fast operators. Values of every output, and
 * gradients of the floating-point ones. */
gig_status run_network(gradient_report *report, const gig_model *model, const test_tensors *inputs,
                       const test_tensors *outputs, int plain);
/* Node by node with every input constant, as the planner folds constants. */
gig_status run_folded(const gig_model *model, const test_tensors *inputs, const test_tensors *outputs);

/* Gradient of a weighted sum of the output against central differences at the point. */
struct gig_session;
gig_status check_gradient(gradient_report *report, const gig_model *model, struct gig_session *session,
                          const gig_tensor *output, const gig_tensor *point);

#endif
