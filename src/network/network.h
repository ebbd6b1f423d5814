/* SPDX-License-Identifier: Apache-2.0 */
/* The internals of gig_network and gig_session. */
#ifndef GIG_NETWORK_NETWORK_H
#define GIG_NETWORK_NETWORK_H

#include "network/plan.h"

enum { GIG_MAX_REMARKS = 8 };

struct gig_network {
    gig_network_options options; /* pointers inside are valid only while it is made */
    gig_plan plan;
    gig_model *again; /* the file read again, if the caller's model had released its weights; owned */
    gig_model *spent; /* whose weights may be freed once they are packed; NULL: nobody's */
    size_t batch;     /* points per call that were asked for */
    int batch_too_large;
    size_t features; /* of one point */
    int point_rank;
    int64_t point_dims[GIG_MAX_RANK];
    gig_pixels pixels;
    size_t keep_count;
    int last_map; /* the default layer of Grad-CAM, -1: none */
    int *keep;    /* cells */
    size_t remark_count;
    char remarks[GIG_MAX_REMARKS][200];
};

/* What a session holds ready for one action. */
typedef struct gig_bound {
    gig_binding *binding; /* primitives */
    void **pointers;      /* our own calls */
    gig_tensor *tensors;  /* plain operators: in, out, d_out, d_in */
    const gig_tensor **in, **out, **d_out;
    gig_tensor **out_writable, **d_in;
} gig_bound;

typedef struct gig_scalar_of {
    gig_session *session;
    gig_scalar scalar;
} gig_scalar_of;

struct gig_session {
    const gig_network *network;
    gig_stream *stream;
    char *block;   /* all activations and gradients */
    char *scratch; /* oneDNN's working memory */
    gig_bound *forward, *backward;
    float *weights;                             /* of the weighted function, [numbers] */
    float *vector;                              /* classes of a larger output, and their seeds: [2 classes] */
    size_t region_count, *region;               /* pixels that count */
    int inner;                                  /* a kept tensor's gradient is asked for, not the input's */
    gig_scalar scalar;                          /* of the current call */
    gig_scalar_of scalars[GIG_VALUE + 1];       /* what functions of each scalar carry */
    double *forward_seconds, *backward_seconds; /* per action, added up while profiling; NULL: not */
};

gig_status gig_network_remark_add(gig_network *network, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- plan/inputs.c ---- */
gig_status gig_plan_choose_input(int *out, const gig_plan *plan);
gig_status gig_plan_start_cells(gig_plan *plan);      /* weights and bound inputs are constants */
gig_status gig_plan_list_parts(gig_plan *plan);       /* plan->input, and the further inputs of the options */
gig_status gig_plan_bind_outer_input(gig_plan *plan); /* with --at, the model's own input is one too */
gig_status gig_plan_shape_point(gig_plan *plan, int64_t batch);
gig_status gig_plan_shape_inner_point(gig_plan *plan);

/* ---- logits.c ---- */
gig_status
gig_network_settle_logits(gig_network *network); /* plan->logits, what it holds, and what the model ends in */

/* ---- network.c, make_plan.c, batch_rows.c ---- */
/* Like gig_network_create, for the only user of the model: the model's weights are freed as they are packed, if its
 * file can be read again. A network created from it later reads it again. */
gig_status gig_network_create_spending(gig_network **out, gig_model *model, const gig_network_options *options);
gig_status gig_network_make_plan(gig_network *network, const gig_model *model, int64_t batch);
/* Plans for one row; where the file is written for several at once and cannot be planned for one, for those. */
gig_status gig_network_plan_row(gig_network *network, const gig_model *model);
/* Tries a plan for the whole batch; leaves network->plan cleared where rows must run one at a time. */
gig_status gig_network_plan_rows(gig_network *network, const gig_model *model);

/* ---- session.c ---- */
gig_status gig_session_forward(gig_session *session);
gig_status gig_session_backward(gig_session *session);
/* GIG_ENUMERIC, naming the first node whose result is not finite (the forward pass is run again to find it). */
gig_status gig_session_blame(const gig_session *session, const char *what);
float *gig_session_at(const gig_session *session, gig_place place);

/* ---- evaluate.c ---- */
/* Whether it is a function of a session whose ReLUs pass negative gradients; not known for other functions.
 */
int gig_function_is_unguided(const gig_function *function);
/* The scalar of a session's function; 0 if it is not one. */
int gig_function_scalar(gig_scalar *out, const gig_function *function);

/* Up to a batch of points run forward. */
gig_status gig_session_forward_points(gig_session *session, size_t count, const float *const *points);
/* One point run forward; the logits of its row. */
gig_status gig_session_logits(const float **row, gig_session *session, const float *point);

/* ---- branches.c ---- */
void gig_plan_keep_conditions(gig_plan *plan); /* before fusing */

/* ---- region.c: one row of numbers, of which the target chooses ---- */
/* The scalar, and where seed is not NULL (zeroed), its gradient with respect to the row. */
gig_status gig_row_scalar(double *value, float *seed, gig_session *session, const float *row, size_t target,
                          gig_scalar scalar);
/* A number for each class, larger for better ones. */
void gig_row_classes(float *out, gig_session *session, const float *row);

/* ---- pixels.c: the points of a picture <-> the model's input, one row ---- */
void gig_pixels_to_input(float *input, const gig_pixels *pixels, const float *point);
void gig_pixels_gradient(float *point_gradient, const gig_pixels *pixels, const float *input_gradient);

/* ---- scalar.c: one row of logits -> scalar and d scalar / d logits (seed may be NULL) ---- */
gig_status gig_head_scalar(double *value, float *seed, const float *logits, size_t classes, size_t target,
                           gig_scalar scalar, gig_output_kind kind);
/* sum of weights * output and its gradient with respect to the logits; output differs from the logits by `kind`. */
void gig_head_weighted(double *value, float *seed, const float *output, size_t classes, const float *weights,
                       gig_output_kind kind);

#endif
