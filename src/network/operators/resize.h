/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling of one axis: which input cells an output cell reads, and with which weights. */
#ifndef GIG_NETWORK_OPERATORS_RESIZE_H
#define GIG_NETWORK_OPERATORS_RESIZE_H

#include "network/operator.h"

typedef enum gig_coordinates {
    GIG_HALF_PIXEL,
    GIG_PYTORCH_HALF_PIXEL,
    GIG_ALIGN_CORNERS,
    GIG_ASYMMETRIC,
    GIG_HALF_PIXEL_NEAREST,  /* tf_half_pixel_for_nn */
    GIG_CROP_AND_RESIZE,     /* tf_crop_and_resize */
    GIG_HALF_PIXEL_SYMMETRIC /* centre to centre where the length was rounded */
} gig_coordinates;

typedef enum gig_nearest {
    GIG_ROUND_DOWN, /* round_prefer_floor: halves go down */
    GIG_ROUND_UP,   /* round_prefer_ceil */
    GIG_FLOOR,
    GIG_CEIL,
    GIG_FLOOR_OR_CEIL /* before opset 11: floor, but ceil when the axis shrinks */
} gig_nearest;

typedef enum gig_interpolation {
    GIG_INTERPOLATE_NEAREST,
    GIG_INTERPOLATE_LINEAR,
    GIG_INTERPOLATE_CUBIC
} gig_interpolation;

typedef struct gig_resampling {
    gig_interpolation interpolation;
    gig_coordinates coordinates;
    gig_nearest nearest;
    double cubic_a;
    int exclude_outside;
    int antialias;       /* where the axis shrinks, the kernel is as many times wider */
    float extrapolation; /* GIG_CROP_AND_RESIZE: value of cells outside the input */
} gig_resampling;

/* One axis of an operator. */
typedef struct gig_axis {
    int64_t in, out;
    double scale;      /* out / in as the file has it */
    double start, end; /* GIG_CROP_AND_RESIZE: the part of the axis, 0 to 1 */
} gig_axis;

/* The lengths that inputs and attributes of a Resize ask for, rank of them; both lengths of each are at least 1. */
gig_status gig_resize_axes(gig_axis *axes, const gig_op *op, const gig_resampling *how);
/* The same from one scale for each axis. */
gig_status gig_resize_scale_axes(gig_axis *axes, const gig_op *op, const float *scales, size_t count);

/* The input cell that output cell x copies; GIG_NOWHERE (mapping.h): outside. */
int64_t gig_resample_nearest(const gig_resampling *how, const gig_axis *axis, int64_t x);
/* How many consecutive input cells an output cell reads for GIG_INTERPOLATE_LINEAR and GIG_INTERPOLATE_CUBIC. */
int64_t gig_resample_width(const gig_resampling *how, const gig_axis *axis);
/* The first of these cells and the weight of each, for output cell x; returns 0 if x lies outside. */
int gig_resample_weights(int32_t *first, float *weight, const gig_resampling *how, const gig_axis *axis, int64_t x);

#endif
