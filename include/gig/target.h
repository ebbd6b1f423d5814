/* SPDX-License-Identifier: Apache-2.0 */
/* gig/target.h -- which number of the output is explained: a region, an index, weights (docs/targets.md).
 *
 * Flow:      texts, or fields set by a program -> [gig_target_choice] -> gig_explain_options.target
 * Ownership: a choice that was read owns its weights and its mask; one that a program fills in owns what it likes, and
 *            is not cleared by anyone else. An explainer borrows it for the length of a call.
 * Threads:   nothing is shared.
 * Errors:    GIG_EARG (a text that means nothing, a region that covers no pixel), GIG_EIO, GIG_EFORMAT, GIG_ENOMEM.
 *
 *     gig_target_choice lane = {.target.kind = GIG_TARGET_REGION, .region = GIG_REGION_BOX, .box = {12, 40, 99, 80}};
 *     gig_explain_options options = {.target = &lane, .class_name = "road"};
 */
#ifndef GIG_TARGET_H
#define GIG_TARGET_H

#include "gig/image.h"
#include "gig/network.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gig_region_kind {
    GIG_REGION_NONE = 0,
    GIG_REGION_PREDICTED = 1, /* the pixels predicted as the class */
    GIG_REGION_BOX = 2,       /* of the picture as the model sees it, both ends included */
    GIG_REGION_MASK = 3       /* a picture file of any size that lies over the model's; not black inside */
} gig_region_kind;

typedef struct gig_target_choice {
    gig_target target; /* kind, index; of weights those below */
    gig_tensor weights;
    gig_region_kind region;
    int64_t box[4]; /* x0 y0 x1 y1 */
    gig_image mask; /* 1 to 4 channels: a pixel belongs to the region where one of the first three is not 0 */
} gig_target_choice;

/* region: "predicted", "x0,y0,x1,y1" or a picture file; index: "13,2", or "3,:" with one axis of classes; weights: an
 * .npy file. At most one of them is not NULL; none: the target is the class. Clear it in every case. */
GIG_API gig_status gig_target_read(gig_target_choice *out, const char *region, const char *index, const char *weights);
GIG_API void gig_target_clear(gig_target_choice *choice);
/* The region of one input, set in a session of your own. picture: height and width of the picture as the model sees it,
 * for boxes. *covered (may be NULL): how many pixels of the output. Does nothing where the target is not a region. */
GIG_API gig_status gig_target_place(size_t *covered, const gig_target_choice *choice, gig_session *session,
                                    const float *point, size_t class_index, const size_t picture[2]);
#ifdef __cplusplus
}
#endif
#endif
