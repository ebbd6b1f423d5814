/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of gig_pic for other files of this folder. */
#ifndef GIG_SCORE_PIC_H
#define GIG_SCORE_PIC_H

#include "internal/score.h"

/* Was it made with these options, so that it draws the same random pixels? One file may be several pictures of a
 * study. */
int gig_pic_has(const gig_pic *pic, const gig_pic_options *options);

#endif
