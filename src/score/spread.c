/* SPDX-License-Identifier: Apache-2.0 */
/* spread: how far a map's ROC area is a matter of chance; the standard deviation over draws, or over means of several
 * draws. */
#include "score/draws.h"
#include <math.h>

/* Variance over the groups, by Welford's recurrence; NaN if an area is undefined. */
static gig_status vary(double *out, float *mean, float *reduced, const gig_measuring *with, const gig_metric *metric,
                       size_t groups)
{
    const gig_scored *scored = with->scored;
    const gig_reduction reduction = (gig_reduction)gig_metric_number(metric, "reduction");
    double centre = 0, squares = 0;
    for (size_t g = 0; g < groups; g++) {
        gig_roc roc;
        gig_draws_mean(mean, with, g, (size_t)gig_metric_number(metric, "mean"));
        GIG_TRY(gig_map_reduce(reduced, mean, with->pixels, scored->channels, reduction));
        GIG_TRY(gig_roc_auc(&roc, reduced, scored->mask, with->pixels));
        double before = roc.auc - centre;
        centre += before / (double)(g + 1);
        squares += before * (roc.auc - centre);
    }
    *out = squares / (double)(groups - 1);
    return GIG_OK;
}

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    size_t groups;
    double variance = NAN;
    GIG_TRY(gig_draws_make(&groups, out, with, metric));
    if (!groups) return GIG_OK;
    float *mean = gig_alloc(with->pixels * with->scored->channels, sizeof *mean);
    float *reduced = mean ? gig_alloc(with->pixels, sizeof *reduced) : NULL;
    gig_status status = reduced ? vary(&variance, mean, reduced, with, metric, groups) : gig_alloc_status();
    gig_free(reduced);
    gig_free(mean);
    out->value = sqrt(variance);
    if (status == GIG_OK && isnan(variance)) gig_metric_note(out, "the ground truth covers no pixel, or all of them");
    return status;
}

static const gig_method_option options[] = {GIG_OPTIONS_OF_DRAWS, GIG_OPTION_REDUCTION};

const gig_metric_row gig_metric_row_spread = {
    .name = "spread",
    .help = "Standard deviation of the ROC area of maps of the input moved by 1e-6 of its range, or of their means.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_TRUTH | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    .traits = GIG_METRIC_OF_DRAWS | GIG_METRIC_LESS_IS_BETTER | GIG_METRIC_TINY,
    GIG_OPTIONS(options),
    .measure = measure,
    .cost = gig_draws_cost};
