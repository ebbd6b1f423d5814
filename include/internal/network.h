/* SPDX-License-Identifier: Apache-2.0 */
/* internal/network.h -- a model made ready to run: value and gradient.
 *
 * Flow:      gig_model -> [gig_network, shared] -> [gig_session, one per worker] -> gig_function
 * Ownership: the model must outlive its networks, a network its sessions, a session the functions made from it: free
 *            them in the opposite order.
 * Threads:   a network is immutable and shared; a session is used by one thread at a time. The caller's OpenMP
 *            settings and floating-point flags are left as they were.
 * Signals:   a thread blocks its signals while it creates a network or evaluates one (gig/explainer.h says why).
 * Errors:    GIG_EUNSUPPORTED names the node and operator; GIG_EARG; GIG_EFORMAT; GIG_ELIMIT; GIG_ENOMEM;
 *            GIG_ENUMERIC.
 */
#ifndef GIG_INTERNAL_NETWORK_H
#define GIG_INTERNAL_NETWORK_H

#include "gig/function.h"
#include "gig/model.h"
#include "gig/target.h"
#include "internal/model.h"

/* What the model's output holds. */
typedef enum gig_output_kind {
    GIG_OUTPUT_AUTO =
        0, /* by what computes it: a Softmax, LogSoftmax or Sigmoid that is only moved since, else logits */
    GIG_OUTPUT_LOGITS = 1,
    GIG_OUTPUT_PROBABILITIES = 2,
    GIG_OUTPUT_LOG_PROBABILITIES = 3,
    GIG_OUTPUT_SIGMOID = 4
} gig_output_kind;

/* How a picture (H x W x 3, RGB in [0,1]) becomes the model's input: x = (scale * pixel - mean) / std. If it is
 * enabled, zero does not mean the default: size, scale and std are required (gig_description sets them). Not with
 * options.at. */
typedef struct gig_pixels {
    int enabled; /* 0: points are the raw model input, in its own shape and order */
    int width, height;
    float scale, mean[3], std[3]; /* in the order of the model's channels */
    int bgr;                      /* channel order of the model is blue, green, red */
    int grey;                     /* one channel: 0.299 R + 0.587 G + 0.114 B */
    int nhwc;                     /* layout of the model's input */
} gig_pixels;

typedef struct gig_network_options {
    size_t batch;            /* points per call [1] */
    gig_precision precision; /* [GIG_F32] */
    gig_blocking blocking;   /* [GIG_BLOCKING_AUTO] */
    int portable;      /* the same bits on every x86-64 CPU with AVX2, with the same oneDNN and C library. It holds
                          for the process: its first network decides, others that differ are GIG_EARG [0] */
    const char *input; /* name of the input that points live in [the first real one not bound] */
    size_t also_count;
    const char *const *also; /* further inputs that points live in: a point holds the values of `input`, then theirs,
                                one after the other. Not with `at` */
    const char *output;      /* [the first] */
    gig_output_kind output_kind;
    const char *at; /* points are values of this tensor, not of the input: only what depends on it is computed;
                       everything else keeps its value at `at_input` [NULL: the input] */
    const gig_tensor *at_input; /* the input at which the rest of the network is fixed when `at` is set */
    gig_pixels pixels;
    size_t bound_count;
    const gig_input_value *bound;
    size_t shape_count;
    const gig_input_shape *shapes;
    size_t keep_count; /* tensors whose value or gradient will be needed: not removed by fusing */
    const char *const *keep;
    int keep_last_map;    /* and, after those, the tensor that gig_network_last_map names, if there is one */
    int guided_relu;      /* backward with guided backpropagation's ReLU */
    int plain;            /* every operator by its plain C version (tests) */
    int operator_threads; /* threads inside operators [1] */
    size_t max_memory;    /* planned bytes of one session [4 GiB] */
    int emulate_bf16;     /* tests: bf16 precisions by rounding in f32 on any CPU */
    int whole; /* an input whose first dimension the file fixes above 1 is one point [one in each row, if rows do not
                  depend on each other] */
    gig_target target; /* [the class] */
    unsigned reserved[6];
} gig_network_options;
#define GIG_NETWORK_OPTIONS_INIT GIG_INIT

/* The model and everything that options point to must outlive the network (names are copied). */
gig_status gig_network_create(gig_network **out, const gig_model *model, const gig_network_options *options);
void gig_network_free(gig_network *network); /* NULL is allowed */

/* The engine and its instruction set: "oneDNN 2.6.3 (avx2)". Returns text. Results differ in their last digits between
 * such names. */
const char *gig_network_engine(char *text, size_t bytes);

/* What the last digits of a result depend on besides model, input and options. */
typedef struct gig_machine {
    char onednn[24];       /* "2.6.3" */
    char instructions[16]; /* the most that oneDNN may use: "avx2" */
    char c_library[32];    /* "glibc 2.36" */
    char cpu[64];          /* "AMD EPYC 9R14"; the architecture's name if the CPU does not give its own */
} gig_machine;
void gig_machine_read(gig_machine *out);
/* The blocking in use: the automatic choice for GIG_BLOCKING_AUTO, else the option. */
gig_blocking gig_network_blocking(const gig_network *network);

size_t gig_network_features(const gig_network *network); /* length of one point */
size_t gig_network_classes(const gig_network *network);  /* that can be chosen with this target */
size_t gig_network_numbers(const gig_network *network);  /* in the output of one point */
/* GIG_EARG, listing the possible targets, if the output holds more than one vector of classes and none was chosen. */
gig_status gig_network_expect_target(const gig_network *network);
gig_target_kind gig_network_target(const gig_network *network);
/* Pixels of the output that a region is made of; 0 x 0 if the target is none. */
void gig_network_region_size(const gig_network *network, size_t *height, size_t *width);
size_t gig_network_batch(const gig_network *network); /* points per call; 1 if rows run one at a time */
/* Dims of one point without the batch ([3,224,224]; [224,224,3] with pixels; [features] if it lives in several inputs).
 * Returns the rank. */
int gig_network_point_dims(const gig_network *network, int64_t dims[GIG_MAX_RANK]);
/* The inputs that a point lives in: their number, and of the i-th its name, its dims without the batch, and its number
 * of features. */
size_t gig_network_parts(const gig_network *network);
const char *gig_network_part_name(const gig_network *network, size_t i);
int gig_network_part_dims(const gig_network *network, size_t i, int64_t dims[GIG_MAX_RANK]);
size_t gig_network_part_features(const gig_network *network, size_t i);
/* With options.at: that tensor's value at the given inputs (at_input, or bound integers), `features` floats; else
 * NULL. */
const float *gig_network_at_value(const gig_network *network);
/* Assumptions and remarks ("computed in float32", "rows run one at a time"), NULL after the last. */
const char *gig_network_remark(const gig_network *network, size_t i);
/* Name of the layer for Grad-CAM: the last tensor [n,C,H,W] with more than one row or column that the output depends
 * on; of a transformer the tokens that its last attention reads, [n,tokens,C]. NULL: none. */
const char *gig_network_last_map(const gig_network *network);
/* What the output holds: by the last operator, else by the options, else logits. */
gig_output_kind gig_network_output_kind(const gig_network *network);
size_t gig_network_activation_bytes(const gig_network *network); /* planned block of one session */

gig_status gig_session_create(gig_session **out, const gig_network *network);
void gig_session_free(gig_session *session); /* NULL is allowed */
const gig_network *gig_session_network(const gig_session *session);

/* F(point; class) = the scalar of that class. The function borrows the session, which may have functions of several
 * scalars. */
gig_status gig_session_function(gig_function *out, gig_session *session, gig_scalar scalar);
/* 1 if the class is the best, else 0; value only. */
gig_status gig_session_argmax_function(gig_function *out, gig_session *session);
/* F = sum of weights[k] * output k, as the model gives it (targets ignored); weights are copied, `numbers` of them. A
 * session has one such function: a later call replaces its weights. GIG_EARG if the target is a region or a vector
 * of classes. */
gig_status gig_session_weighted_function(gig_function *out, gig_session *session, const float *weights);

/* With a region as the target: which pixels count, height x width bytes, 0 or not. It stays for all later points: a
 * region is fixed at the input, not along a path. NULL: none is chosen. GIG_EARG if no pixel counts. */
gig_status gig_session_set_region(gig_session *session, const unsigned char *mask);
/* The pixels that are predicted as this class at the point; *covered of them (may be 0). */
gig_status gig_session_predict_region(unsigned char *mask, size_t *covered, gig_session *session, const float *point,
                                      size_t target);

/* The probability that goes with maps of a scalar: the softmax, or the sigmoid where the scalar or the model is one, or
 * where there is a single class. */
gig_scalar gig_network_probability(const gig_network *network, gig_scalar scalar);

/* The k best classes of one point, best first, ties by lower index; probabilities may be NULL. With a region: by the
 * mean over its pixels; before one is set, by the part of all pixels that each class covers. */
gig_status gig_session_top(gig_session *session, const float *point, size_t k, size_t *classes, double *probabilities);
/* The first If whose condition depends on the point, as `node 4 "choose"`. Returns text; NULL: there is none. */
const char *gig_network_branching_node(char *text, size_t bytes, const gig_network *network);
/* The branch that each such If takes at this point, one per line: `node 4 "choose" takes then_branch`. NULL if there
 * are none. Free it with gig_free. */
gig_status gig_session_branches(char **out, gig_session *session, const float *point);
/* The output as it is in the file (float or whole) at one point; where the network has a batch, all of its rows are
 * that point's. out is created. */
gig_status gig_session_output(gig_tensor *out, gig_session *session, const float *point);
/* What is asked of a kept tensor. */
typedef struct gig_kept_request {
    size_t index; /* in options.keep */
    const float *point;
    gig_scalar scalar; /* the scalar and its target, for the gradient */
    size_t target;
} gig_kept_request;

/* Value of a kept tensor at one point, and, when gradient is not NULL, d scalar / d tensor
 * there, and the scalar (unless scalar_value is NULL). Rows as above. GIG_EARG for the gradient of a weight, or of the
 * input itself: that is the function's. */
gig_status gig_session_tensor(gig_tensor *value, gig_tensor *gradient, double *scalar_value, gig_session *session,
                              const gig_kept_request *wanted);

#endif
