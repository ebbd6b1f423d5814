/* SPDX-License-Identifier: Apache-2.0 */
/* What a run will take: gradients, seconds and memory, measured on the first input (--dry-run). */
#ifndef CLI_COST_H
#define CLI_COST_H

#include "internal/explainer.h"
#include "opened_model.h"

typedef struct cost {
    size_t gradients, values; /* of all inputs; values are evaluations without a gradient */
    double gradient_seconds, value_seconds;
    size_t workers;
    double seconds;
    size_t memory; /* bytes: weights, and the activations of every worker */
} cost;

/* Fills all but gradients and values by evaluating a question. An exit code. */
int cost_measure(cost *out, const gig_question *of, const opened_model *model);
/* One line of text after `prefix`, or a JSON object where --json was given. */
int cost_print(const cost *self, const options *given, const char *prefix);
/* Measures on this input and prints: all that --dry-run does. */
int cost_dry_run(cost *self, opened_model *of, const gig_input *input);

#endif
