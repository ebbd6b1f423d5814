/* SPDX-License-Identifier: Apache-2.0 */
/* Inside an explainer: a model, its networks by use, and what tensors they were made for.
 *
 *   explainer.c           opening, closing, asking
 *   explainer_engines.c   networks and sessions, made when first needed
 *   explainer_points.c    from a file, an image, pixels or a tensor to a point
 *   explainer_explain.c   explaining, ranking, evaluating */
#ifndef GIG_SALIENCY_EXPLAINER_H
#define GIG_SALIENCY_EXPLAINER_H

#include "base/memory.h"
#include "base/status.h"
#include "gig/explainer.h"
#include "saliency/method.h"

/* What a network is for; a method's row says which it needs. */
typedef enum gig_use {
    GIG_USE_PLAIN,  /* values and gradients */
    GIG_USE_CAM,    /* with the layer kept for Grad-CAM */
    GIG_USE_GUIDED, /* guided backpropagation's gradients */
    GIG_USES
} gig_use;

gig_use gig_method_use(const gig_method *method);

/* One network, and sessions of it: as many as were needed so far. */
typedef struct gig_engine {
    gig_network *network;
    size_t session_count;
    gig_session **sessions; /* room for explainer->threads */
    gig_function *functions;
    size_t cam_index; /* of the layer among the tensors that are kept */
} gig_engine;

/* What raw tensors a set of networks was made for. */
typedef struct gig_raw {
    int made;
    gig_tensor given;  /* the tensor's shape as it came; rank -1: there was none */
    gig_tensor point;  /* its shape as the model's input has it; with `at` its values too, owned */
    size_t own_count;  /* of the input itself; options.bound comes behind */
    gig_tensor *owned; /* copies of these */
    size_t bound_count;
    gig_input_value *bound;
    size_t shape_count;
    gig_input_shape *shapes;
} gig_raw;

struct gig_explainer {
    gig_explainer_options options; /* texts are copies, owned */
    gig_model *model;
    gig_description *description;
    int complete; /* the description was completed: the model takes pictures */
    char *cam;    /* the layer, once it is known */
    int cam_assumed;
    size_t threads;
    gig_engine pictures[GIG_USES], tensors[GIG_USES];
    gig_raw raw;
    gig_added_rows added; /* methods of the caller's own */
    size_t added_capacity;
    const gig_function *functions; /* over functions of the caller's own: borrowed */
    char remark[400];
};

/* ---- explainer_engines.c ---- */

/* Brings the explainer to where inputs like this one can be run: tensors of other shapes need other networks. `input`
 * NULL: a picture. */
gig_status gig_explainer_prepare(gig_explainer *explainer, const gig_input *input);
/* Would preparing for this input discard the networks that are there? */
int gig_explainer_changes(const gig_explainer *explainer, const gig_input *input);
/* The engine for this use, with at least `sessions` sessions (at most explainer->threads are made). */
gig_status gig_explainer_engine(gig_engine **out, gig_explainer *explainer, const gig_input *input, gig_use use,
                                size_t sessions);
void gig_explainer_stop(gig_explainer *explainer);

/* ---- explainer_points.c ---- */

int gig_input_is_tensor(const gig_input *input);
/* The file's name, or NULL. */
const char *gig_input_name(const gig_input *input);
size_t gig_explainer_features(const gig_explainer *explainer, const gig_engine *engine);
/* Dims of one point. Returns the rank. */
int gig_explainer_point_dims(const gig_explainer *explainer, const gig_engine *engine, int64_t dims[GIG_MAX_RANK]);
/* How such a point is a picture; zeros where it is not one. */
gig_picture_shape gig_explainer_shape(const gig_explainer *explainer, const gig_input *input, const gig_engine *engine);
/* Writes the point of an input whose engine this is. */
gig_status gig_explainer_write_point(float *out, const gig_explainer *explainer, const gig_input *input,
                                     const gig_engine *engine);

#endif
