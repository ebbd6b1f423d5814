/* SPDX-License-Identifier: Apache-2.0 */
/* agreement: how well maps agree that differ by chance alone; the mean correlation over pairs of draws, or of means of
 * several draws. Over single draws, of signed values, it is what --repeat reports as stability of one baseline. */
#include "saliency/method_run.h"
#include "score/correlation.h"
#include "score/draws.h"
#include "score/order.h"
#include <math.h>

/* What is correlated: the values, their magnitudes, or their ranks. */
static gig_status prepare(double *out, double *values, const float *map, size_t count, gig_correlation kind)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)map[i];
        out[i] = kind == GIG_CORRELATION_MAGNITUDE ? fabs(values[i]) : values[i];
    }
    return kind == GIG_CORRELATION_RANK ? gig_mean_ranks(out, values, count) : GIG_OK;
}

static gig_status compare(gig_metric_result *out, gig_agreement *all, const gig_measuring *with,
                          const gig_metric *metric, size_t groups)
{
    const gig_correlation kind = (gig_correlation)gig_metric_number(metric, "of");
    size_t count = with->pixels * with->scored->channels, per_group = (size_t)gig_metric_number(metric, "mean");
    float *mean = gig_alloc(count, sizeof *mean);
    double *values = mean ? gig_alloc(count, 2 * sizeof *values) : NULL;
    gig_status status = values ? GIG_OK : gig_alloc_status();
    gig_agreement_begin(all);
    for (size_t g = 0; g < groups && status == GIG_OK; g++) {
        gig_draws_mean(mean, with, g, per_group);
        status = gig_map_check(mean, count);
        if (status == GIG_OK) status = prepare(values, values + count, mean, count, kind);
        if (status == GIG_OK) gig_agreement_add(all, values);
    }
    gig_free(values);
    gig_free(mean);
    out->value = gig_agreement_end(all);
    if (status == GIG_OK && isnan(out->value)) gig_metric_note(out, "a map is the same everywhere");
    return status;
}

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    size_t groups;
    gig_agreement all;
    GIG_TRY(gig_draws_make(&groups, out, with, metric));
    if (!groups) return GIG_OK;
    GIG_TRY(gig_agreement_create(&all, with->pixels * with->scored->channels));
    gig_status status = compare(out, &all, with, metric, groups);
    gig_agreement_clear(&all);
    return status;
}

static const gig_method_option options[] = {GIG_OPTIONS_OF_DRAWS,
                                            {.name = "of",
                                             .help = "Correlation of values, of their magnitude, or of their ranks.",
                                             .kind = GIG_OPTION_CHOICE,
                                             .choices = "signed|magnitude|rank"}};

const gig_metric_row gig_metric_row_agreement = {
    .name = "agreement",
    .help = "Correlation of maps of the input moved by 1e-6 of its range, or of means of such maps.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    .traits = GIG_METRIC_OF_DRAWS,
    GIG_OPTIONS(options),
    .measure = measure,
    .cost = gig_draws_cost};
