/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker process keeps between jobs: loaded models, and the last picture. */
#ifndef GIG_WORK_WORKER_MODEL_CACHE_H
#define GIG_WORK_WORKER_MODEL_CACHE_H

#include "gig/metric.h"
#include "internal/description.h"
#include "internal/network.h"
#include "saliency/explainer.h"
#include "work/manifest/picture_list.h"
#include "work/manifest/variant.h"

typedef struct gig_model_cache gig_model_cache;

/* A loaded model; everything belongs to the cache. */
typedef struct gig_cached_model {
    gig_explainer *explainer;
    const gig_description *description;
    const gig_network *network;
    gig_engine *engine;
    gig_session *session; /* its only one */
    size_t height, width;
} gig_cached_model;

/* A picture at a model's size; everything belongs to the cache and is valid until the next picture. */
typedef struct gig_cached_picture {
    size_t height, width;
    const uint8_t *bytes; /* [height, width, 3] */
    const float *pixels;  /* the same in [0,1] */
    const uint8_t *mask;  /* [height, width], gig_mask_value; NULL: no ground truth */
    double box_area; /* area of the union of the boxes (or of the mask), as a fraction of the picture in the file; NaN:
                        none */
    gig_pic **pic;   /* for gig_scored */
} gig_cached_picture;

/* The session's scalar, remembering the gradients of the present picture: for methods that share a path. `path` is
 * theirs (gig_variant_path); 0: remember nothing. */
gig_status gig_model_cache_get_function(gig_function *out, gig_model_cache *cache, const gig_cached_model *model,
                                        gig_scalar scalar, uint64_t path);
/* Seconds saved by that since the last call. */
double gig_model_cache_saved(gig_model_cache *cache);

gig_status gig_model_cache_create(gig_model_cache **out);
void gig_model_cache_free(gig_model_cache *cache); /* NULL is allowed */

/* The same bits on every CPU, as in gig_network_options; set it before the first model is loaded. */
void gig_model_cache_set_portable(gig_model_cache *cache, int portable);
/* Loads it, the first time. part: of the output, as in gig_run; NULL: one class of all of it. */
typedef struct gig_model_request {
    const char *path, *part;
    gig_precision precision;
    gig_use use;
} gig_model_request;
gig_status gig_model_cache_get_model(gig_cached_model *out, gig_model_cache *cache, const gig_model_request *wanted);
/* A model of its own whose last cut / cuts of the layers have weights drawn from the seed; out->explainer is to be
 * closed. GIG_EUNSUPPORTED: it has no layers with floating-point weights. */
typedef struct gig_randomising {
    size_t cut, cuts;
    uint64_t seed;
} gig_randomising;
gig_status gig_model_cache_randomise(gig_cached_model *out, const gig_model_cache *cache,
                                     const gig_model_request *wanted, const gig_randomising *how);
/* Where the part is a region: fixes it at this point, for this class. */
gig_status gig_cached_model_set_region(const gig_cached_model *model, const float *pixels, size_t target);
/* GIG_EIO if it is not a regular file: reading a pipe would block. */
gig_status gig_model_cache_expect_file(const char *path);

/* Reads and resizes it, unless it was the last one. Ground truth: the mask, else the boxes, else none. */
gig_status gig_model_cache_get_picture(gig_cached_picture *out, gig_model_cache *cache,
                                       const gig_study_picture *subject, const gig_cached_model *model);

#endif
