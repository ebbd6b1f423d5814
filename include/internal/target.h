/* SPDX-License-Identifier: Apache-2.0 */
/* internal/target.h -- targets read from text, and regions set in sessions. */
#ifndef GIG_INTERNAL_TARGET_H
#define GIG_INTERNAL_TARGET_H

#include "gig/target.h"
#include "internal/network.h"

/* region: "predicted", "x0,y0,x1,y1" or a picture file; index: "13,2", or "3,:" with one axis of classes; weights: an
 * .npy file. At most one of them is not NULL; none: the target is the class. Clear it in every case. */
gig_status gig_target_read(gig_target_choice *out, const char *region, const char *index, const char *weights);
void gig_target_clear(gig_target_choice *choice);
/* The region of one input, set in a session of your own. picture: height and width of the picture as the model sees it,
 * for boxes. *covered (may be NULL): how many pixels of the output. Does nothing where the target is not a region. */
gig_status gig_target_place(size_t *covered, const gig_target_choice *choice, gig_session *session, const float *point,
                            size_t class_index, const size_t picture[2]);

#endif
