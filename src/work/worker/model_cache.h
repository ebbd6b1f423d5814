/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker process keeps between jobs: models made ready to run, and the picture it looked at last. */
#ifndef GIG_WORK_WORKER_MODEL_CACHE_H
#define GIG_WORK_WORKER_MODEL_CACHE_H

#include "gig/description.h"
#include "gig/metric.h"
#include "gig/network.h"
#include "work/manifest/picture_list.h"

typedef struct gig_lab gig_lab;

typedef enum gig_lab_use {
    GIG_LAB_PLAIN,  /* values and gradients */
    GIG_LAB_CAM,    /* with the description's layer kept for Grad-CAM */
    GIG_LAB_GUIDED, /* guided backpropagation's gradients */
    GIG_LAB_USES
} gig_lab_use;

/* A model at hand; everything belongs to the lab. */
typedef struct gig_lab_model {
    const gig_description *description;
    const gig_network *network;
    gig_session *session;
    size_t height, width;
} gig_lab_model;

/* A picture at a model's size; everything belongs to the lab, and is valid until another picture is asked for. */
typedef struct gig_lab_picture {
    size_t height, width;
    const uint8_t *bytes; /* [height, width, 3] */
    const float *pixels;  /* the same in [0,1] */
    const uint8_t *mask;  /* [height, width], gig_mask_value; NULL: no ground truth */
    double box_area;      /* of the union of the boxes (or of the mask), as a part of the file's picture; NaN: none */
    gig_pic **pic;        /* for gig_scored */
} gig_lab_picture;

/* The session's scalar, remembering the gradients of the present picture: for methods that share a path. */
gig_status gig_lab_get_function(gig_function *out, gig_lab *lab, const gig_lab_model *model, gig_scalar scalar,
                                int remember);
/* Seconds spared by that since this was last asked. */
double gig_lab_saved(gig_lab *lab);

gig_status gig_lab_create(gig_lab **out);
void gig_lab_free(gig_lab *lab); /* NULL is allowed */

/* Loads it, the first time. */
gig_status gig_lab_get_model(gig_lab_model *out, gig_lab *lab, const char *path, gig_precision precision,
                             gig_lab_use use);
/* A picture's file. GIG_EIO for what is no regular file: a pipe would be waited for. */
gig_status gig_lab_read_image(gig_image *out, const char *path);

/* Reads and places it, unless it was the last one. Ground truth: the mask, else the boxes, else none. */
gig_status gig_lab_get_picture(gig_lab_picture *out, gig_lab *lab, const gig_subject *subject,
                               const gig_lab_model *model);

#endif
