/* SPDX-License-Identifier: Apache-2.0 */
/* The list of metrics, each with its row in the file of its score, and what they share. */
#ifndef GIG_SCORE_MEASURE_H
#define GIG_SCORE_MEASURE_H

#include "base/memory.h"
#include "base/status.h"
#include "gig/metric.h"
#include "internal/score.h"

#define GIG_METRIC_ROWS(ROW)                                                                                           \
    ROW(auc)                                                                                                           \
    ROW(pointing)                                                                                                      \
    ROW(gini)                                                                                                          \
    ROW(sic)                                                                                                           \
    ROW(aic)                                                                                                           \
    ROW(insertion)                                                                                                     \
    ROW(deletion)                                                                                                      \
    ROW(infidelity)                                                                                                    \
    ROW(sensitivity)                                                                                                   \
    ROW(completeness)                                                                                                  \
    ROW(closed)                                                                                                        \
    ROW(mass)                                                                                                          \
    ROW(rank)                                                                                                          \
    ROW(diffid)                                                                                                        \
    ROW(road)                                                                                                          \
    ROW(mufidelity)                                                                                                    \
    ROW(stability)                                                                                                     \
    ROW(agreement)                                                                                                     \
    ROW(spread)                                                                                                        \
    ROW(other_class)                                                                                                   \
    ROW(randomised)                                                                                                    \
    ROW(emprt)                                                                                                         \
    ROW(complexity)

#define GIG_DECLARE_METRIC(name) extern const gig_metric_row gig_metric_row_##name;
GIG_METRIC_ROWS(GIG_DECLARE_METRIC)
#undef GIG_DECLARE_METRIC

struct gig_measuring_inside {
    float *reduced, *input; /* owned */
    int has_reduced;
    gig_reduction reduction; /* of `reduced` */
    float *draws;            /* owned; [draw_count, pixels, channels] maps of draws of repeat */
    size_t draw_count, draw_capacity;
    int draws_differ; /* the input of one of them was moved at all */
    gig_pic *pic;     /* ours, unless scored->pic keeps it */
    int pic_has_map;
};

/* Notes why the score is not defined. */
void gig_metric_note(gig_metric_result *out, const char *text);
/* The deviation of the draws that the score is the mean of, as a number and as its note (draws_note.c). */
void gig_metric_note_spread(gig_metric_result *out, double spread, size_t draws);
/* The functions of the scalar. */
gig_functions gig_measuring_functions(const gig_measuring *with);
/* The functions whose values are probabilities. */
gig_functions gig_measuring_probabilities(const gig_measuring *with);
/* A 56-bit hash of the picture's bytes, so that scores of the same pixels use the same random numbers, whatever the
 * file name. */
uint64_t gig_measuring_number(const gig_measuring *with);
/* The picture and the map by which parts of it are removed: the map itself, or reduced to one channel. */
gig_removal gig_measuring_removal(const gig_measuring *with, int reduced);

/* The reduced map [pixels] of the model whose last cut / cuts of the layers have random weights. */
gig_status gig_measuring_randomised(float *reduced, gig_measuring *with, const gig_metric *metric, size_t cut,
                                    size_t cuts);

/* Options that several rows have. */
#define GIG_OPTION_REDUCTION                                                                                           \
    {                                                                                                                  \
        .name = "reduction", .help = "How channels are reduced to one value per pixel.", .kind = GIG_OPTION_CHOICE,    \
        .choices = "abs-sum|sum-abs|max|sum"                                                                           \
    }
#define GIG_OPTION_TIMES(called, says, standard, largest)                                                              \
    {                                                                                                                  \
        .name = called, .help = says, .kind = GIG_OPTION_COUNT, .usual = standard, .least = 1, .most = largest         \
    }
#define GIG_OPTION_ABOVE_0(called, says, standard, largest)                                                            \
    {                                                                                                                  \
        .name = called, .help = says, .kind = GIG_OPTION_NUMBER, .usual = standard, .above = 1, .most = largest        \
    }
#define GIG_OPTIONS(list) .option_count = sizeof(list) / sizeof *(list), .options = list

#endif
