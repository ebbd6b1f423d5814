/* SPDX-License-Identifier: Apache-2.0 */
/* What a command line says about a model's inputs: array files and shapes, brought to the network's options. */
#ifndef CLI_INPUT_FLAGS_H
#define CLI_INPUT_FLAGS_H

#include "frame/options.h"
#include "internal/network.h"
#include "internal/summary.h"

typedef struct inputs {
    size_t count;        /* tensors read */
    gig_tensor *tensors; /* owned */
    char **names;        /* owned; NULL if none was given */
    size_t points;       /* index of the tensor that holds the points; count if there is none */
    size_t bound_count, shape_count;
    gig_input_value *bound; /* the other tensors */
    gig_input_shape *shapes;
    char **shape_names;
} inputs;

/* Reads --tensor and --shape. `pictures`: points are these, and every tensor is for another input. An exit code; 0 is
 * success. Free with inputs_clear in both cases. */
int inputs_read(inputs *out, const char *command, const options *given, int pictures);
/* What the model says of tensor i's input: that of its name, or the first not bound; NULL: no such input. */
const gig_summary_value *inputs_declared(const inputs *in, size_t i, const gig_model_summary *about);
/* The points' shape is known from their array: adds it, unless --shape names that input. `about` tells whether the
 * model has a batch dimension. */
int inputs_add_point_shape(inputs *out, const gig_model_summary *about);
/* The array of a .npy file, or the only one of a .npz archive. */
gig_status array_read(gig_tensor *out, const char *path);
/* For planning alone: binds every input but the first floating-point one to zeros of its declared shape, or --shape's.
 */
int inputs_bind_zeros(inputs *out, const gig_model_summary *about);
/* What the command line says of a network; it borrows input name, bound values and shapes. */
gig_network_options inputs_network_options(const options *given, const inputs *from);
/* A network for planning alone. Where the model leaves sizes open that `wanted` does not give, its description beside
 * `path`, should there be one, does. */
gig_status inputs_network(gig_network **out, const gig_model *model, const char *path,
                          const gig_network_options *wanted);
void inputs_clear(inputs *in);

#endif
