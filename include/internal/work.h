/* SPDX-License-Identifier: Apache-2.0 */
/* internal/work.h -- the cost of a study, the progress of a run, contact sheets. */
#ifndef GIG_INTERNAL_WORK_H
#define GIG_INTERNAL_WORK_H

#include "gig/work.h"

/* The work of a run that was not started; nothing is stored. Pictures not yet ranked are counted as if they passed the
 * filter, and scores as if they were defined. Not counted: ranking, reading and writing, the pictures that sic and aic
 * fill and encode, regions of xrai, and what a tolerance refines. */
typedef struct gig_study_estimate {
    size_t maps, values; /* maps to be computed from models; scores to be computed */
    double evaluations;  /* gradients, of maps and of scores (closed, sensitivity) */
    double passes;       /* values of the model without gradients: sic, aic, insertion, deletion, infidelity; occlusion,
                            with options->worker */
    double seconds;      /* of one core, by the time of one gradient and one value of each model as measured now, with
                            the scalar and precision of the study; NaN without options->worker. A model that cannot be
                            run is an error */
    char *remarks;       /* remarks from planning, as in gig_study_remarks. gig_text_free; NULL after an error */
} gig_study_estimate;
gig_status gig_study_plan(gig_study_estimate *out, const char *manifest, const gig_study_options *options);

/* The progress that the current run of the store last wrote (every three seconds); the stage is NULL if there is no
 * run. `remaining` refers to that stage. */
gig_status gig_study_watch(gig_study_progress *out, const char *store);

/* Remarks, one per line: sets of which no picture passes the filter for a model; metrics that are not defined for any
 * map of a set, with the reason; stores given for import that hold nothing of the study. */
gig_status gig_study_remarks(char **text, const char *store);

/* ---- tables ---- */

/* Pictures where a method does well: its score is above its mean and above that of each of the others, or below where
 * less is better. */
typedef struct gig_show_options {
    const char *better;      /* method */
    const char *const *than; /* methods */
    size_t than_count;
    size_t count; /* pictures, drawn at random among those [6] */
    uint64_t seed;
    const char *metric;      /* [auc] */
    const char *baseline;    /* [black] */
    const char *model, *set; /* [the first] */
    unsigned reserved[8];
} gig_show_options;

/* A contact sheet: each picture with the maps of all those methods and their scores. Maps that were not kept are
 * computed again in this process. GIG_EARG if no picture qualifies. */
gig_status gig_study_show(const char *store, const char *path, const gig_show_options *options, int force);

#endif
