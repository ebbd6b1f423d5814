/* SPDX-License-Identifier: Apache-2.0 */
/* internal/summary.h -- what is in a model file: inputs, outputs, operators, weights.
 *
 * Flow:      gig_model -> [gig_model_summary], gig_network -> [its cost] -> a table for a person
 * Ownership: gig_model_summarize fills a summary that owns its arrays: free with gig_model_summary_clear. Names are
 *            borrowed from the model.
 * Threads:   no hidden state.
 * Errors:    GIG_ENOMEM, GIG_ELIMIT.
 */
#ifndef GIG_INTERNAL_SUMMARY_H
#define GIG_INTERNAL_SUMMARY_H

#include "internal/network.h"

typedef struct gig_summary_value {
    const char *name;
    const char *type;           /* "float32", "int64", ...; "unknown" where the file does not say */
    int rank;                   /* -1: not declared */
    int64_t dims[GIG_MAX_RANK]; /* -1: free */
} gig_summary_value;

typedef struct gig_summary_operator {
    const char *domain; /* "" is ONNX's own */
    const char *name;
    int opset;
    size_t count;  /* nodes */
    int supported; /* 0: a network with it is refused */
} gig_summary_operator;

typedef struct gig_model_summary {
    int64_t ir_version;
    int opset;
    const char *producer;
    char sha256[65];       /* of the model file, hexadecimal */
    int reduced_precision; /* parts are float16, bfloat16 or double: computed in float32 */
    size_t node_count;     /* this and the next two include subgraphs */
    size_t parameters;     /* elements of floating-point weights: initializers, and values of Constant nodes */
    size_t weight_bytes;   /* of all weights, in memory */
    size_t input_count, output_count, operator_count;
    gig_summary_value *inputs, *outputs; /* in the file's order; inputs that are weights left out */
    gig_summary_operator *operators;     /* by name */
    const char *embedding; /* of a model that takes no floating-point input: the first real values, for options.at;
                              NULL: it takes one, or none was found */
} gig_model_summary;

gig_status gig_model_summarize(gig_model_summary *out, const gig_model *model);
void gig_model_summary_clear(gig_model_summary *summary); /* NULL and a zeroed struct are allowed */

/* An operator of ONNX's own domain that runs here. */
typedef struct gig_known_operator {
    const char *name; /* lives as long as the program */
    int since, until; /* first and last opset; until 0: to the newest that is read */
    int gradient;     /* 0: integers, shapes or steps, which have no gradient */
} gig_known_operator;

/* All of them, by name. Free *out with gig_known_operators_free. */
gig_status gig_known_operators(gig_known_operator **out, size_t *count);
void gig_known_operators_free(gig_known_operator *operators);

/* A tensor of a network: its input, or what a node gives. */
typedef struct gig_summary_tensor {
    gig_summary_value value; /* its type is "float32", or "int64" for integers and booleans */
    const char *made_by;     /* the operator; "" for an input */
    int at;                  /* points may lie here (gig_network_options.at) */
    int layer;               /* Grad-CAM can look at it */
} gig_summary_tensor;

/* All of them but weights and what follows from weights alone, in the order of the graph. Names live as long as the
 * network. Free *out with gig_network_tensors_free. */
gig_status gig_network_tensors(gig_summary_tensor **out, size_t *count, const gig_network *network);
void gig_network_tensors_free(gig_summary_tensor *tensors);

/* Floating-point operations of one point's forward pass: two for each multiply-add of the convolutions and matrix
 * products, which are nearly all of the work. A gradient takes about twice as many again. */
double gig_network_flops(const gig_network *network);

#endif
