/* SPDX-License-Identifier: Apache-2.0 */
/* gig/model.h -- how a model is run: precision, the scalar to differentiate, values and shapes of inputs.
 *
 * Flow:      these -> gig_explainer_options, gig_question
 * Ownership: names and tensors are borrowed, for as long as the explainer lives.
 * Threads:   nothing is shared.
 * Errors:    none. A precision that the CPU does not support is GIG_EUNSUPPORTED when a model is opened.
 */
#ifndef GIG_MODEL_H
#define GIG_MODEL_H

#include "gig/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of an explainer that programs only pass on. */
typedef struct gig_network gig_network;
typedef struct gig_session gig_session;

typedef enum gig_precision {
    GIG_F32 = 0,   /* forward f32, backward f32 */
    GIG_MIXED = 1, /* forward f32, backward bf16; this and GIG_BF16 need AVX-512 with bf16, or AMX */
    GIG_SPLIT = 2, /* forward three bf16 products of high and low halves, backward bf16; needs AMX */
    GIG_BF16 = 3   /* both bf16: some ReLUs change sign, cosine with f32 about 0.9 */
} gig_precision;

/* The memory layout of f32 convolutions, the same for both passes. It is chosen from the type of the CPU, not by
 * measuring; another layout changes the last bits. */
typedef enum gig_blocking {
    GIG_BLOCKING_AUTO = 0, /* 8 with AVX2 or AVX-512, 16 with AMX */
    GIG_BLOCKING_8 = 1,    /* blocks of 8 channels, for which there are kernels of our own */
    GIG_BLOCKING_16 = 2,   /* blocks of 16 */
    GIG_BLOCKING_ANY = 3   /* oneDNN's choice for each convolution */
} gig_blocking;

/* The scalar that is differentiated. */
typedef enum gig_scalar {
    GIG_SOFTMAX = 0, /* probability of the class */
    GIG_LOGIT = 1,
    GIG_LOG_PROBABILITY = 2,
    GIG_SIGMOID = 3,
    GIG_VALUE = 4 /* the output value itself: regression, a box's score */
} gig_scalar;

typedef struct gig_input_value {
    const char *name;
    const gig_tensor *value; /* bound as a constant: integer inputs, masks */
} gig_input_value;

typedef struct gig_input_shape {
    const char *name;
    int rank;
    int64_t dims[GIG_MAX_RANK]; /* dim 0 of the explained input is replaced by the batch */
} gig_input_shape;

#ifdef __cplusplus
}
#endif
#endif
