/* SPDX-License-Identifier: Apache-2.0 */
/* The model that is explained, with its description, ready to run on several workers. */
#ifndef CLI_LOADED_MODEL_H
#define CLI_LOADED_MODEL_H

#include "frame/options.h"
#include "gig/description.h"
#include "gig/network.h"
#include "gig/saliency.h"
#include "gig/summary.h"
#include "gig/target.h"
#include "inner_points.h"
#include "inputs.h"
#include <stdio.h>

/* One network with a session and a function per worker. */
typedef struct engine {
    gig_network *network;
    size_t workers;
    gig_session **sessions;
    gig_function *functions;
} engine;

typedef struct loaded_model {
    inputs in; /* --tensor, --shape */
    gig_model *model;
    gig_model_summary about;
    gig_description *description;
    int pictures; /* points are pictures [height, width, 3] in [0,1] */
    gig_scalar scalar;
    size_t most_workers;      /* 0: as many as --threads */
    engine plain, guided;     /* guided: made when first asked for */
    char *cam;                /* the layer that Grad-CAM looks at; NULL: none was asked for */
    int cam_assumed;          /* it was found, not named */
    int inside;               /* --at with --tensor: points are that tensor's values, a network for each */
    size_t rows, row;         /* how many there are, and whose network this is */
    inner_point fixed;        /* that row's inputs */
    gig_target_choice target; /* --region, --index, --weights */
    int warned;               /* that pixels may be prepared otherwise */
    char *target_text;        /* for a remark */
} loaded_model;

/* Loads the model and makes the plain engine. `pictures`: points are pictures, by the description. `cam`: keep the
 * layer for Grad-CAM. `most_workers`: more would have nothing to do; 0: unknown. An exit code; close in every case. */
int loaded_model_open(loaded_model *out, const char *command, const options *given, int pictures, int cam,
                      size_t most_workers);
/* The engine for a method: guided-backprop has its own backward pass. */
int loaded_model_engine(engine **out, loaded_model *self, const options *given, const gig_method *method);
/* Inside the network: makes this row's the plain engine. An exit code. */
int loaded_model_row(loaded_model *self, const options *given, size_t row);
/* Dims of one point. Returns the rank. */
int loaded_model_dims(const loaded_model *self, int64_t dims[GIG_MAX_RANK]);
/* How a point is a picture, for methods that need to know; zeros where it is not one. */
gig_picture_shape loaded_model_shape(const loaded_model *self);
/* The class asked for (--class), or the best one at this point; of a region, the one that covers most of it. The region
 * is set in all sessions: with one, points are explained one at a time. */
gig_status loaded_model_target(size_t *out, loaded_model *self, const options *given, const float *point);
/* F at the point itself: as an explanation found it, or evaluated where that is of noisy copies. NaN for edge, which
 * knows no model. */
int loaded_model_value(double *out, const engine *runs_on, const gig_method *method, const gig_explanation *found,
                       const float *point, size_t target);
/* What was assumed or looks wrong, one line each; NULL after the last, else text. */
const char *loaded_model_remark(char *text, size_t bytes, const loaded_model *self, size_t i);
/* All of them, after `prefix`. */
void loaded_model_print_remarks(FILE *to, const loaded_model *self, const char *prefix);
void loaded_model_close(loaded_model *self);

/* --of, else the probability that the model ends in. */
gig_scalar scalar_choose(const options *given, const gig_network *network);

#endif
