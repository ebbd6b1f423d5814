/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of gig_pic for its neighbours. */
#ifndef GIG_SCORE_PIC_H
#define GIG_SCORE_PIC_H

#include "internal/score.h"

/* Whether it was made with these of the options, and so draws the same random pixels: a file may stand for several
 * pictures of a study. */
int gig_pic_has(const gig_pic *pic, const gig_pic_options *options);

#endif
