/* SPDX-License-Identifier: Apache-2.0 */
/* internal/description.h -- what a model's file does not say: how pictures become its input, what its output means.
 *
 * Flow:      model.json beside model.onnx -> [gig_description] -> gig_image_place, gig_network_options, class names
 * Ownership: gig_description_load gives the caller a description: free it with gig_description_free. What its fields
 *            point to, labels and remarks belong to it.
 * Threads:   may be shared once gig_description_complete has been called.
 * Errors:    GIG_EIO; GIG_EFORMAT names the file and the key; GIG_EARG for an unknown or ambiguous class, or a picture
 *            size that neither the description nor the model gives; GIG_ELIMIT; GIG_ENOMEM.
 *
 * Every key may be missing: what is assumed instead is among the remarks. An unknown key is an error. Paths are
 * relative to the description.
 *
 *   {"input": {"name": "input", "width": 224, "height": 224, "resize": "squash|crop|letterbox", "short": 256,
 *              "filter": "bilinear|bicubic", "scale": 255, "mean": [..], "std": [..],
 *              "channels": "rgb|bgr|grey", "layout": "nchw|nhwc"},
 *    "output": "logits|probabilities|log-probabilities|sigmoid", "output_name": "logits",
 *    "labels": "file, or an array", "cam": "tensor"}
 */
#ifndef GIG_INTERNAL_DESCRIPTION_H
#define GIG_INTERNAL_DESCRIPTION_H

#include "internal/image.h"
#include "internal/model.h"
#include "internal/network.h"

typedef struct gig_description {
    char *path;             /* of the JSON file, whether it exists or not */
    char *input;            /* name of the input that takes pictures; NULL: the model's first */
    gig_pixels pixels;      /* for gig_network_options: enabled; width and height 0 until known, or set by the caller
                               where the model leaves them open */
    gig_fit fit;            /* [GIG_SQUASH] */
    size_t shorter;         /* of GIG_CROP; 0: the larger of width and height */
    gig_filter filter;      /* [GIG_BILINEAR] */
    gig_output_kind output; /* [GIG_OUTPUT_AUTO] */
    char *output_name;      /* NULL: the model's first */
    char *cam;              /* tensor for Grad-CAM; NULL: not given */
    size_t label_count;     /* 0: classes have no names */
    char **labels;          /* one line per class, often several names separated by commas */
    size_t remark_count;
    char **remarks;
    unsigned given; /* for gig_description_complete: which keys were given */
} gig_description;

/* Where the description of a model is looked for: "dir/net.onnx" -> "dir/net.json", "dir/net" -> "dir/net.json". Writes
 * at most `bytes` with the ending zero, and returns how many the whole path has without it, as snprintf does. */
size_t gig_description_path(char *out, size_t bytes, const char *model_path);

/* Reads the JSON file beside the model (gig_description_path); if there is none, defaults are assumed, and a remark
 * says so. */
gig_status gig_description_load(gig_description **out, const char *model_path);
/* The same from a file of any name. */
gig_status gig_description_load_file(gig_description **out, const char *path);
/* The same from `count` bytes; a labels file named there is looked for in `folder` [the working directory]. */
gig_status gig_description_load_memory(gig_description **out, const void *bytes, size_t count, const char *folder);
void gig_description_free(gig_description *description); /* NULL is allowed */
/* The labels of this file, a text a line, instead of those it has. */
gig_status gig_labels_replace(gig_description *description, const char *path);

/* How pixels become the model's input, instead of scale, mean, std (and, for caffe, channels): "imagenet" (mean and
 * std of ImageNet), "caffe" (BGR from 0 to 255 less a mean), "minus-one" ([-1,1]), "zero-one" ([0,1]), "raw" (0 to
 * 255). Call it before gig_description_complete. */
gig_status gig_description_preset(gig_description *description, const char *name);

/* Takes width, height, layout and grey from the model's input if the description leaves them out; contradictions are an
 * error. Call it before pictures are used. */
gig_status gig_description_complete(gig_description *description, const gig_model *model);

/* What was assumed, one printable line each; NULL after the last. */
const char *gig_description_remark(const gig_description *description, size_t i);

/* The label of a class as in the file; NULL if there is none. */
const char *gig_description_label(const gig_description *description, size_t index);

/* The class meant by `text`: its number (below `classes`), or any of the comma-separated names of its label, case
 * ignored. A name of several classes is an error that lists their numbers; an unknown one suggests the nearest.
 * description may be NULL: numbers only. */
gig_status gig_description_class(size_t *out, const gig_description *description, const char *text, size_t classes);

#endif
