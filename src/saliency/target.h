/* SPDX-License-Identifier: Apache-2.0 */
/* A target's region at one input: fixed there, not along paths. */
#ifndef GIG_SALIENCY_TARGET_H
#define GIG_SALIENCY_TARGET_H

#include "gig/saliency.h"
#include "gig/target.h"

/* GIG_EARG for a choice that a program filled in wrongly. */
gig_status gig_target_check(const gig_target_choice *choice);
/* The pixels of the output that count, 0 or 1 each (gig_network_region_size). picture: how the point is one, for boxes.
 * GIG_EARG where there are none. */
gig_status gig_target_draw(unsigned char *mask, const gig_target_choice *choice, gig_session *session,
                           const float *point, size_t class_index, const gig_picture_shape *picture);

#endif
