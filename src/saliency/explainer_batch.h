/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that share their networks, run together so that all workers are busy: their points, classes and regions. */
#ifndef GIG_SALIENCY_EXPLAINER_BATCH_H
#define GIG_SALIENCY_EXPLAINER_BATCH_H

#include "saliency/explainer.h"

/* Inputs that are run together. */
typedef struct gig_batch {
    gig_explainer *explainer;
    const gig_explain_options *options;
    const gig_input *inputs;
    size_t first, count, total;
    gig_use use;
    gig_asked_target asked; /* read by gig_batch_read_target */
    gig_engine *engine;     /* NULL for the caller's own functions */
    gig_scalar scalar;      /* of a network */
    size_t features;
    float **points; /* owned, each of `features` */
    size_t *targets;
    size_t workers;
    const gig_function *functions; /* one per worker */
} gig_batch;

/* The target of all `inputs`; networks are made for it. Call it once, before the first batch; free with
 * gig_asked_target_clear. */
gig_status gig_batch_read_target(gig_batch *b);
/* From `first` on: which inputs are run together, their engine, scalar and points. Always close it. */
gig_status gig_batch_open(gig_batch *b);
/* Functions for at most `wanted` workers: a worker costs a session's memory. */
gig_status gig_batch_start(gig_batch *b, size_t wanted);
/* The class of each input, and the region that is fixed there, in all sessions. After gig_batch_start. */
gig_status gig_batch_choose(gig_batch *b);
/* The region that is fixed at the batch's first input. */
gig_status gig_batch_region(gig_region_request *out, const gig_batch *b);
void gig_batch_close(gig_batch *b);
/* ---- several_inputs.c ---- */
/* What is made for one picture has no meaning for several inputs together. */
gig_status gig_batch_refuse_several(const gig_batch *b, const gig_method *method);
/* How many inputs are explained together, and the features of each, owned by the caller; 0 and NULL: one alone. */
gig_status gig_batch_list_parts(size_t *count, size_t **features, const gig_batch *b);
/* Says in a result where each of several inputs is. */
gig_status gig_batch_list_inputs(gig_explanation *result, const gig_batch *b, const gig_input *input);

/* Prefixes the message with the name of input i of the batch. */
gig_status gig_batch_name(const gig_batch *b, size_t i, gig_status status);

#endif
