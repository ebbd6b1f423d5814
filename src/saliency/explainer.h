/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of an explainer: a model, its networks by use, and the tensors they were made for.
 *
 *   explainer.c           opening, closing, asking
 *   explainer_raw.c       what networks are made for besides the model: shapes, bound values, inputs explained together
 *   explainer_engines.c   networks and sessions, made when first needed
 *   explainer_target.c    which number of the output is explained
 *   explainer_points.c    from a file, an image, pixels or a tensor to a point
 *   explainer_batch.c     inputs that are run together
 *   several_inputs.c      inputs that are explained together
 *   explainer_explain.c   explaining, ranking, evaluating */
#ifndef GIG_SALIENCY_EXPLAINER_H
#define GIG_SALIENCY_EXPLAINER_H

#include "base/memory.h"
#include "base/status.h"
#include "gig/explainer.h"
#include "internal/description.h"
#include "internal/image.h"
#include "internal/model.h"
#include "saliency/method.h"

/* What a network is for; a method's row says which it needs. */
typedef enum gig_use {
    GIG_USE_PLAIN,  /* values and gradients */
    GIG_USE_CAM,    /* keeps the layer for Grad-CAM */
    GIG_USE_GUIDED, /* guided backpropagation's gradients */
    GIG_USES
} gig_use;

gig_use gig_method_use(const gig_method *method);

/* One network, and sessions of it: as many as were needed so far. */
typedef struct gig_engine {
    gig_network *network;
    size_t session_count;
    gig_session **sessions; /* capacity: explainer->threads */
    gig_function *functions;
    size_t cam_index; /* of the layer among the tensors that are kept */
} gig_engine;

/* What a set of networks was made for besides the model. */
typedef struct gig_raw {
    int made;
    const char *main; /* the input that pictures or tensors are; borrowed; NULL: the network's choice */
    size_t also_count;
    const char **also;       /* the inputs that are explained with it; names are the explainer's */
    gig_tensor *also_shapes; /* of one point */
    gig_tensor given;        /* the tensor's shape as given; rank -1: no tensor */
    gig_tensor point;        /* its shape as the model's input has it; with `at` its values too, owned */
    size_t own_count;        /* bound by the input itself; options.bound comes behind */
    gig_tensor *owned;       /* copies of these */
    size_t bound_count;
    gig_input_value *bound;
    size_t shape_count;
    gig_input_shape *shapes;
} gig_raw;

/* The target of a call. */
typedef struct gig_asked_target {
    gig_target_choice read;          /* from texts, owned */
    const gig_target_choice *choice; /* `read`, or the caller's; of kind GIG_TARGET_CLASS if no target is given */
    int by_input;                    /* it is the first input's: every input must have one */
} gig_asked_target;

struct gig_explainer {
    gig_explainer_options options; /* texts are copies, owned */
    gig_model *model;
    gig_description *description;
    int complete; /* the description is complete: the model takes pictures */
    char *cam;    /* the layer, once it is known */
    int cam_assumed;
    size_t threads;
    gig_asked_target own; /* for calls without a target of their own; choice NULL: none */
    gig_target aim;       /* the target of the networks */
    gig_tensor aim_weights;
    size_t named_count;              /* inputs that options.explain_inputs names */
    char **named;                    /* owned */
    gig_engine engines[2][GIG_USES]; /* of pictures, of tensors */
    gig_raw raw[2];
    gig_added_rows added; /* methods of the caller's own */
    size_t added_capacity;
    const gig_function *functions; /* over functions of the caller's own: borrowed */
    float *asked_point;            /* of the last gig_explainer_ask */
    gig_function *asked_functions; /* [2, threads]: probabilities, then argmax */
    char remark[400];
};

/* ---- several_inputs.c ---- */

/* The names of options.explain_inputs: floating-point inputs of the model, each once. */
gig_status gig_explainer_read_named(gig_explainer *explainer);

/* ---- explainer_raw.c ---- */

/* Would preparing for this input discard the existing networks? */
int gig_explainer_changes(const gig_explainer *explainer, const gig_input *input);
/* Fills explainer->raw for inputs like this one. */
gig_status gig_explainer_prepare_raw(gig_explainer *explainer, const gig_input *input);
void gig_raw_clear(gig_raw *raw);
/* The values of the inputs that are explained with the first one, which come behind it in a point. */
gig_status gig_explainer_write_also(float *out, const gig_explainer *explainer, const gig_input *input,
                                    const gig_network *network);

/* ---- explainer_engines.c ---- */

/* Prepares the explainer for inputs like this one: tensors of other shapes need other networks. `input` NULL: a
 * picture. */
gig_status gig_explainer_prepare(gig_explainer *explainer, const gig_input *input);
/* The engine for this use, with at least `sessions` sessions (at most explainer->threads are made). */
gig_status gig_explainer_engine(gig_engine **out, gig_explainer *explainer, const gig_input *input, gig_use use,
                                size_t sessions);
/* Closes the networks; keeps the tensors they were made for. */
void gig_explainer_drop_networks(gig_explainer *explainer);
void gig_explainer_stop(gig_explainer *explainer);

/* ---- explainer_target.c ---- */

gig_status gig_explainer_read_own_target(gig_explainer *explainer);
/* The target of the options, else the explainer's own, else (if `first` is not NULL) that input's region. Always clear
 * it. */
gig_status gig_explainer_read_target(gig_asked_target *out, const gig_explainer *explainer,
                                     const gig_explain_options *options, const gig_input *first);
void gig_asked_target_clear(gig_asked_target *asked);
/* The target of one input. */
gig_status gig_asked_target_of(const gig_target_choice **out, const gig_asked_target *asked, const gig_input *input);
/* Networks are made for this target from now on; those for another target are freed. */
gig_status gig_explainer_aim(gig_explainer *explainer, const gig_target_choice *choice);
/* Is the target a number without a class (an index without a class axis, or weights)? */
int gig_network_has_one_number(const gig_network *network);

/* The region, if the target is one. */
typedef struct gig_region_request {
    const gig_target_choice *choice;
    const float *point; /* where it is fixed */
    size_t target;
    gig_picture_shape shape;
} gig_region_request;
/* Forgets the region in every session, so that classes are ranked by the pixels they cover. */
gig_status gig_engine_forget_region(const gig_engine *engine);
/* The region as an image of one channel, 0 or 1, of the output's size. */
gig_status gig_engine_region(gig_image *out, const gig_engine *engine, const gig_region_request *wanted);
/* Sets it in every session. */
gig_status gig_engine_set_region(const gig_engine *engine, const gig_region_request *wanted);

/* ---- explainer_points.c ---- */

/* How a picture of this size is resized to the model's size; and the resized picture. */
gig_status gig_explainer_placement(gig_placement *out, const gig_explainer *explainer, size_t width, size_t height);
gig_status gig_explainer_place(gig_image *out, gig_placement *placement, const gig_explainer *explainer,
                               const gig_image *image);
int gig_input_is_tensor(const gig_input *input);
/* The file's name, or NULL. */
const char *gig_input_name(const gig_input *input);
size_t gig_explainer_features(const gig_explainer *explainer, const gig_engine *engine);
/* Dims of one point. Returns the rank. */
int gig_explainer_point_dims(const gig_explainer *explainer, const gig_engine *engine, int64_t dims[GIG_MAX_RANK]);
/* The shape of the point as a picture; zeros if it is not a picture, or lives in several inputs. */
gig_picture_shape gig_explainer_shape(const gig_explainer *explainer, const gig_input *input, const gig_engine *engine);
/* The same for one of these inputs; the first may be a picture file. */
gig_picture_shape gig_explainer_part_shape(const gig_input *input, const gig_engine *engine, size_t part);
/* Writes the point of an input that uses this engine. */
gig_status gig_explainer_write_point(float *out, const gig_explainer *explainer, const gig_input *input,
                                     const gig_engine *engine);

#endif
