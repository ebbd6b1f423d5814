/* SPDX-License-Identifier: Apache-2.0 */
/* A target's region at one input: it stays fixed along paths. */
#ifndef GIG_SALIENCY_TARGET_H
#define GIG_SALIENCY_TARGET_H

#include "gig/saliency.h"
#include "gig/target.h"

/* GIG_EARG for a choice that a program filled in wrongly. */
gig_status gig_target_check(const gig_target_choice *choice);
/* The pixels of the output that count, 0 or 1 each (gig_network_region_size). picture: the point's shape as a picture,
 * for boxes. GIG_EARG if no pixel counts. */
gig_status gig_target_draw(unsigned char *mask, const gig_target_choice *choice, gig_session *session,
                           const float *point, size_t class_index, const gig_picture_shape *picture);

#endif
