/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of the draws of repeat (the input itself, then inputs moved at the level of rounding), and means of several:
 * what agreement and spread compare. All metrics of one map share them. */
#ifndef GIG_SCORE_DRAWS_H
#define GIG_SCORE_DRAWS_H

#include "score/measure.h"

/* The note where no input was moved. */
extern const char gig_draws_unmoved[];

/* Maps [draws, pixels, channels] of a metric with the options `draws` and `mean`, computed if they are not there yet.
 * *groups: how many means of `mean` maps they give; 0 if the score is not defined, and a note says why. */
gig_status gig_draws_make(size_t *groups, gig_metric_result *out, gig_measuring *with, const gig_metric *metric);
/* mean[pixels, channels] of group `group` of `count` maps. */
void gig_draws_mean(float *mean, const gig_measuring *with, size_t group, size_t count);

/* Their cost, of all metrics of one map together: GIG_METRIC_OF_DRAWS. */
gig_metric_cost gig_draws_cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain);

#define GIG_OPTIONS_OF_DRAWS                                                                                           \
    GIG_OPTION_TIMES("draws", "Number of maps: of the input, and of moved inputs.", 20, 200),                          \
        GIG_OPTION_TIMES("mean", "Compare means of so many maps, not single ones.", 1, 100)

#endif
