/* SPDX-License-Identifier: Apache-2.0 */
/* gig/explainer.h -- a model ready to explain: what most programs need.
 *
 * Flow:      net.onnx -> [gig_explainer]; a picture and a method's name -> [gig_explanation] -> a drawing, HTML or .npy
 * Ownership: an explainer owns its model, networks and sessions: free it with gig_explainer_close. An explanation owns
 *            all it points to and may outlive its explainer: free it with gig_explanation_clear. Everything given is
 *            borrowed for the length of the call, except functions and what options.bound points to, which must live as
 *            long as the explainer.
 * Threads:   one call at a time per explainer. A call computes on options.threads threads and returns when all is done.
 *            Callbacks run in these threads: progress one at a time, observers several at once.
 * Signals:   oneDNN's generated code uses the stack pointer as a scratch register: a signal handler that ran then
 *            would overwrite the heap. So a thread blocks its signals while it opens or evaluates a model; handlers run
 *            in other threads, or afterwards. A profiler that samples by signals does not see these moments. With
 *            operator_threads above 1, OpenMP threads that the host program started earlier may still run handlers:
 *            install handlers with SA_ONSTACK, and a sigaltstack in every thread.
 * Errors:    GIG_EIO, GIG_EFORMAT (a broken file), GIG_EARG (an unknown method, class or option; a wrong shape),
 *            GIG_EUNSUPPORTED (names the operator), GIG_ELIMIT, GIG_ENOMEM, GIG_ENUMERIC, GIG_ECANCEL.
 *
 *     gig_explainer *explainer;
 *     gig_explanation map = {0};
 *     if (gig_explainer_open(&explainer, "net.onnx", NULL) ||
 *         gig_explainer_explain(&map, explainer, "cat.jpg", "auto", NULL) ||
 *         gig_explanation_draw(&map, "cat.png", NULL))
 *         fprintf(stderr, "%s\n", gig_message());
 *     gig_explanation_clear(&map);
 *     gig_explainer_close(explainer);
 */
#ifndef GIG_EXPLAINER_H
#define GIG_EXPLAINER_H

#include "gig/image.h"
#include "gig/model.h"
#include "gig/saliency.h"
#include "gig/target.h"
#include "gig/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- opening ---- */

typedef struct gig_explainer gig_explainer;

/* Zero means the default in brackets. Texts are copied. */
typedef struct gig_explainer_options {
    const char *description; /* a JSON file (docs/formats.md) [the one beside the model: net.onnx -> net.json] */
    const char *preset;      /* how pixels become the model's input; overrides the description:
                                "imagenet" (mean and std of ImageNet), "caffe" (BGR, 0 to 255 minus the mean),
                                "minus-one" ([-1,1]), "zero-one" ([0,1]), "raw" (0 to 255) [the description's] */
    const char *labels;      /* a file of class names, one per line [the description's] */
    const char *input;       /* name of the input that is explained [the description's, else the first] */
    const char *output;      /* [the description's, else the first] */
    const char *at;  /* explain the value of this inner tensor, not the input: for text, graphs and tables [none] */
    const char *cam; /* the layer of grad-cam [the description's, else the last tensor with rows and columns] */
    size_t bound_count;
    const gig_input_value *bound; /* values of the model's other inputs */
    size_t shape_count;
    const gig_input_shape *shapes; /* shapes of inputs with free dimensions */
    gig_precision precision;       /* [GIG_F32] */
    gig_blocking blocking;         /* [GIG_BLOCKING_AUTO] */
    int portable; /* the same bits on every x86-64 CPU with AVX2, with the same oneDNN and C library. It applies to the
                     whole process: the first model decides, a later one that differs is GIG_EARG [0] */
    size_t threads;       /* [number of cores] */
    size_t batch;         /* points per call of the network [1] */
    int operator_threads; /* inside operators [1]; other numbers may change the bits */
    size_t max_memory;    /* bytes of a session, and of the running paths of a call [4 GiB; no limit] */
    int no_orient;        /* ignore the EXIF orientation of pictures */
    int keep_cam;         /* one network for grad-cam and all other methods [grad-cam gets its own at its first use] */
    int lazy;             /* make networks when first needed [at once, if the model takes pictures] */
    gig_picture_shape shape; /* gig_explainer_open_functions: the shape of a point as a picture [not a picture] */
    /* The target of calls without a target of their own, as in gig_explain_options. Networks are made for one target,
     * so setting it here avoids making them twice. */
    const char *region, *index, *weights;
    const gig_target_choice *target; /* must live as long as the explainer */
    const char *explain_inputs; /* names, separated by commas, of inputs that are explained together: a map for each,
                                   and all of them add up. A picture or gig_input.tensor is one of them (of tensors
                                   `input`, else the first), `bound` has the values of the others [one input] */
    unsigned reserved[22];
} gig_explainer_options;
#define GIG_EXPLAINER_OPTIONS_INIT GIG_INIT

/* Loads the model and its description. *out is NULL after a failure, so it can always be closed. */
GIG_API gig_status gig_explainer_open(gig_explainer **out, const char *model_path,
                                      const gig_explainer_options *options);
/* The same for your own functions, one per thread, with any method except grad-cam and guided-backprop. Inputs are
 * given as gig_input.values, classes as numbers. Of the options only shape and max_memory are used. */
GIG_API gig_status gig_explainer_open_functions(gig_explainer **out, size_t count, const gig_function *functions,
                                                const gig_explainer_options *options);
GIG_API void gig_explainer_close(gig_explainer *explainer); /* NULL is allowed */

/* Adds your own method, an adaptive path or a curve, to the methods of this explainer: it supports prefixes, baselines
 * and options like the others. The row must live as long as the explainer. GIG_EARG if the name exists already, or the
 * row is not a path method. */
GIG_API gig_status gig_explainer_add_method(gig_explainer *explainer, const gig_method_row *row);
/* gig_method_parse, including added methods. */
GIG_API gig_status gig_explainer_parse_method(gig_method *out, const gig_explainer *explainer, const char *text,
                                              const gig_method *defaults);

/* ---- what is explained ---- */

/* One input: the first of these four that is not NULL. All four may be NULL with options.at if all of the
 * model's inputs are bound. */
typedef struct gig_input {
    const char *file;         /* a picture: JPEG, PNG or WebP */
    const gig_image *image;   /* a decoded picture of any size */
    const float *values;      /* pixels [height, width, 3] in [0,1] at the model's size; or `features` values */
    const gig_tensor *tensor; /* raw model input, one point, with or without its batch dimension; no preprocessing */
    int rows; /* `tensor` is an array of points [n, ...], and this input is its row `row`. Floating-point arrays of
                 `bound` that have n rows too are split with it. Of pictures: n, if `bound` is to be split */
    size_t row;
    const char *name; /* its name in messages [the file] */
    int unbounded;    /* pixels in `values` may be outside [0,1], as metrics need around a picture */
    size_t bound_count;
    const gig_input_value *bound;    /* values of the model's other inputs for this input */
    const gig_target_choice *region; /* this input's own region, if the call's target is a region [the call's] */
    unsigned reserved[8];
} gig_input;
#define GIG_INPUT_INIT GIG_INIT

/* Zero means the default in brackets. */
typedef struct gig_explain_options {
    const char *class_name; /* a number, or a name among the labels [the best class at the input] */
    const size_t *classes;  /* one number per input, instead [NULL] */
    const char
        *of; /* the scalar: softmax, logit, logprob, sigmoid or value [softmax; sigmoid if the model ends in one] */
    const gig_method *defaults; /* values of options that the method's name does not set [gig_method_init's] */
    const gig_method *method;   /* the method itself, if its name is NULL */
    uint64_t seed;              /* of noise and random baselines */
    const float *baseline; /* one point, used instead of the method's baseline; baseline_count points if the method's
                              baseline is GIG_BASELINE_GIVEN */
    size_t mask_count;     /* regions for xrai+ [own segments] */
    const uint8_t *const *masks; /* each height x width, not 0 inside */
    /* Receives the points of the paths as they are computed; view->chain counts inputs, then samples, then baselines.
     */
    gig_status (*observe)(void *payload, const gig_view *view);
    void *observe_payload;
    int (*progress)(void *payload, const gig_progress *progress); /* not 0: stop with GIG_ECANCEL, within a step */
    void *progress_payload;
    /* The target, if it is not one class of [n, classes]: at most one of the next four [the explainer's, else the
     * class]. A region is determined at the input and stays fixed along paths; its default class is the one that covers
     * the most pixels. For a number without a class, `of` is "value" (docs/targets.md). */
    const char *region;  /* "predicted", "x0,y0,x1,y1" in pixels of the model's picture, or a picture file: a mask */
    const char *index;   /* "13,2", or "3,:" with one axis of classes; without the batch axis */
    const char *weights; /* an .npy file with one weight for each number of the output */
    const gig_target_choice *target; /* the same, filled in by a program: a box, a mask, an index, weights */
    unsigned reserved[24];
} gig_explain_options;
#define GIG_EXPLAIN_OPTIONS_INIT GIG_INIT

/* ---- explaining ---- */

/* Explains a picture file by a method's name (gig/saliency.h). options may be NULL here and below. Previous
 * contents of *out are overwritten, not freed; after a failure it is zeroed. */
GIG_API gig_status gig_explainer_explain(gig_explanation *out, gig_explainer *explainer, const char *picture,
                                         const char *method, const gig_explain_options *options);
/* results[i] explains inputs[i], i < count. The paths of all inputs share the same threads; each input gets the same
 * bits as alone. After a failure all results are zeroed, and the message names the input. */
GIG_API gig_status gig_explainer_explain_inputs(gig_explanation *results, gig_explainer *explainer, size_t count,
                                                const gig_input *inputs, const char *method,
                                                const gig_explain_options *options);

/* The k best classes, best first, ties by lower index; probabilities may be NULL. Of the options the target is used:
 * with a box or a mask, classes are ranked by their mean over it; with the predicted region, by the fraction of pixels
 * that each covers. */
GIG_API gig_status gig_explainer_top(size_t *classes, double *probabilities, gig_explainer *explainer,
                                     const gig_input *input, size_t k, const gig_explain_options *options);

/* values[i] = the scalar at inputs[i], gradients[i] (`features` floats) its gradient there. gradients, or gradients[i],
 * may be NULL. Of the options classes, class_name, of and the target are used. */
GIG_API gig_status gig_explainer_evaluate(double *values, float *const *gradients, gig_explainer *explainer,
                                          size_t count, const gig_input *inputs, const gig_explain_options *options);

/* Class, scalar and region of one input as functions, for your own paths, scores and searches. Everything belongs to
 * the explainer and is valid until its next call. */
typedef struct gig_question {
    const float *point;
    size_t features, target;
    gig_scalar scalar;
    gig_picture_shape shape; /* the shape of a point as a picture; height 0: not a picture */
    const gig_network *network;
    size_t workers;                            /* each of the following has one element per worker */
    const gig_function *functions;             /* the scalar */
    const gig_function *probability_functions; /* the probability that goes with it (gig/metric.h) */
    const gig_function *argmax_functions;      /* 1 if the class is the best, else 0 */
    gig_session *const *sessions;
    unsigned one_number; /* 1: one number of the output, or a weighted sum, is asked for: `target` is no class */
    unsigned reserved[7];
} gig_question;
/* workers: at most this many [0: the explainer's threads]; each needs the memory of a session. Of the options the
 * class, the scalar and the target are used. Not for your own functions. */
GIG_API gig_status gig_explainer_ask(gig_question *out, gig_explainer *explainer, const gig_input *input,
                                     size_t workers, const gig_explain_options *options);

/* ---- queries ---- */

/* Dims of one point like `input` (NULL: a picture), without the batch; returns them in dims and their number in rank.
 */
GIG_API gig_status gig_explainer_dims(int *rank, int64_t dims[GIG_MAX_RANK], gig_explainer *explainer,
                                      const gig_input *input);
/* The point itself: a picture placed at the model's size, a tensor's values. `out` has as many floats as those dims. */
GIG_API gig_status gig_explainer_point(float *out, gig_explainer *explainer, const gig_input *input);
/* How many classes an input like this one (NULL: a picture) gets, that the target of the options leaves to choose from;
 * 1 where that is one number. GIG_EARG where the output is more than one vector of classes and no target is given. */
GIG_API gig_status gig_explainer_classes(size_t *out, gig_explainer *explainer, const gig_input *input,
                                         const gig_explain_options *options);
/* The label of a class as in the file; NULL if there is none. */
GIG_API const char *gig_explainer_class_name(const gig_explainer *explainer, size_t index);
/* Finds a class by its number (below the number of classes), or by any of the comma-separated names of its label,
 * ignoring case. A name of several classes is an error that lists their numbers; an unknown one suggests the nearest.
 */
GIG_API gig_status gig_explainer_find_class(size_t *out, gig_explainer *explainer, const char *text,
                                            const gig_input *input, const gig_explain_options *options);
/* Assumptions and warnings, one line each; NULL after the last. Valid until the next call. */
GIG_API const char *gig_explainer_remark(gig_explainer *explainer, size_t i);

/* ---- explanations as files ---- */

/* Zero means the default in brackets. */
typedef struct gig_draw_options {
    const char *title;   /* above the sheet [none] */
    gig_map_options map; /* how maps are painted; map.pixels is set to each one's own picture [heat; regions of xrai+
                            and grad-cam over the picture] */
    int no_picture;      /* only the maps, without the picture */
    int force;           /* overwrite */
    gig_array_kind kind; /* of inputs that are not pictures [by their shape] */
    size_t label_count;
    const char *const *labels; /* the words of tokens, or the names of a table's columns [none] */
    unsigned columns;          /* panels in a row [those of one picture, at most 6] */
    unsigned reserved[7];
} gig_draw_options;
#define GIG_DRAW_OPTIONS_INIT GIG_INIT

/* Draws the picture and its map, or an array as its kind says, with class, numbers and legend: a .png, .svg, .pdf or
 * .html file. */
GIG_API gig_status gig_explanation_draw(const gig_explanation *explanation, const char *path,
                                        const gig_draw_options *options);
/* The same for several maps side by side, as a sheet to write or encode (gig/view.h). Maps of one picture are next to
 * it; another picture starts a new row. Free it with gig_sheet_free. */
GIG_API gig_status gig_explanation_sheet(gig_sheet **out, const gig_explanation *explanations, size_t count,
                                         const gig_draw_options *options);
/* The attributions as an .npy file of their own shape; or an .npz archive, which holds "attributions", or the map of
 * each of several inputs by the input's name. */
GIG_API gig_status gig_explanation_save(const gig_explanation *explanation, const char *path, int force);

#ifdef __cplusplus
}
#endif
#endif
