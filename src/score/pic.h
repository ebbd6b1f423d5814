/* Inside of gig_pic for its neighbours. */
#ifndef GIG_SCORE_PIC_H
#define GIG_SCORE_PIC_H

#include "gig/score.h"

/* Whether it was made with these two options. */
int gig_pic_has(const gig_pic *pic, double fraction, double least_prediction);

#endif
