/* SPDX-License-Identifier: Apache-2.0 */
/* stability: the correlation of a map with the map of a moved input. */
#include "saliency/method_run.h"
#include "score/draws.h"
#include "score/measure.h"
#include "score/random_streams.h"
#include <math.h>

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    size_t count = with->pixels * scored->channels;
    float *point = gig_alloc(with->pixels * 3, sizeof *point), *map = point ? gig_alloc(count, sizeof *map) : NULL;
    gig_status status = map ? GIG_OK : gig_alloc_status();
    double sum = 0, found;
    size_t draws = (size_t)gig_metric_number(metric, "draws");
    int differ = 0;
    for (size_t d = 0; d < draws && status == GIG_OK; d++) {
        gig_jitter(point, with->input, with->pixels * 3,
                   (gig_rng){scored->seed, gig_score_stream(GIG_DRAW_STABILITY, d)});
        differ |= gig_is_moved(point, with->input, with->pixels * 3);
        status = scored->explain(scored->explain_payload, map, point);
        if (status == GIG_OK)
            status = gig_map_correlation(&found, scored->attribution, map, count,
                                         (gig_correlation)gig_metric_number(metric, "of"));
        if (status == GIG_OK) sum += found;
    }
    gig_free(map);
    gig_free(point);
    out->value = differ ? sum / (double)draws : (double)NAN;
    if (status == GIG_OK && isnan(out->value))
        gig_metric_note(out, differ ? "a map is the same everywhere" : gig_draws_unmoved);
    return status;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    double draws = gig_metric_number(metric, "draws");
    (void)chain;
    return (gig_metric_cost){draws * map->gradients, draws * map->values};
}

static const gig_method_option options[] = {
    GIG_OPTION_TIMES("draws", "Number of moved inputs; the score is the mean over them.", 1, 10000),
    {.name = "of",
     .help = "Correlation of values, of their magnitude, or of their ranks.",
     .kind = GIG_OPTION_CHOICE,
     .choices = "signed|magnitude|rank"}};

const gig_metric_row gig_metric_row_stability = {
    .name = "stability",
    .help = "Correlation of the map with itself when the input moves by 1e-6 of its range.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_EXPLAINER,
    GIG_OPTIONS(options),
    .measure = measure,
    .cost = cost};
