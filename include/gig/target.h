/* SPDX-License-Identifier: Apache-2.0 */
/* gig/target.h -- which number of the output is explained: a region, an index, weights (docs/targets.md).
 *
 * Flow:      texts, or fields set by a program -> [gig_target_choice] -> gig_explain_options.target
 * Ownership: a choice that was read owns its weights and its mask; one that a program fills in is never
 *            cleared by the library. An explainer borrows it for the length of a call.
 * Threads:   nothing is shared.
 * Errors:    GIG_EARG (an invalid text, a region without a pixel), GIG_EIO, GIG_EFORMAT, GIG_ENOMEM.
 *
 *     gig_target_choice lane = {.target.kind = GIG_TARGET_REGION, .region = GIG_REGION_BOX, .box = {12, 40, 99, 80}};
 *     gig_explain_options options = {.target = &lane, .class_name = "road"};
 */
#ifndef GIG_TARGET_H
#define GIG_TARGET_H

#include "gig/image.h"
#include "gig/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which number of the output is explained, if it is not one class of [n, classes]. */
typedef enum gig_target_kind {
    GIG_TARGET_CLASS = 0,  /* the output is one vector of classes */
    GIG_TARGET_REGION = 1, /* [n, classes, height, width]: the mean over pixels */
    GIG_TARGET_INDEX = 2,  /* one number of an output of any rank, or one vector of classes in it */
    GIG_TARGET_WEIGHTS = 3 /* the sum of weights times output; the class must be 0, the scalar GIG_VALUE */
} gig_target_kind;
enum { GIG_TARGET_ALL = -1 }; /* in an index: this is the class axis */

typedef struct gig_target {
    gig_target_kind kind;
    int rank; /* INDEX: the numbers given; both leave out the batch */
    int64_t index[GIG_MAX_RANK];
    const gig_tensor *weights; /* WEIGHTS: one float per value of a row of the output */
} gig_target;

typedef enum gig_region_kind {
    GIG_REGION_NONE = 0,
    GIG_REGION_PREDICTED = 1, /* the pixels predicted as the class */
    GIG_REGION_BOX = 2,       /* in pixels at the model's size, both ends included */
    GIG_REGION_MASK = 3       /* a picture file of any size, scaled to the model's; not black inside */
} gig_region_kind;

typedef struct gig_target_choice {
    gig_target target; /* kind, index; of weights those below */
    gig_tensor weights;
    gig_region_kind region;
    int64_t box[4]; /* x0 y0 x1 y1 */
    gig_image mask; /* 1 to 4 channels: a pixel belongs to the region if one of the first three is not 0 */
} gig_target_choice;

#ifdef __cplusplus
}
#endif
#endif
