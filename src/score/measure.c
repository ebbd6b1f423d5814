/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the metrics of one map, one after the other, each by its row. */
#include "score/measure.h"
#include "base/clock.h"
#include "base/hash.h"
#include "internal/metric.h"
#include <math.h>
#include <stdio.h>

void gig_metric_note(gig_metric_result *out, const char *text)
{
    out->value = NAN;
    snprintf(out->note, sizeof out->note, "%s", text);
}

gig_functions gig_measuring_functions(const gig_measuring *with)
{
    return (gig_functions){with->scored->workers, with->scored->functions};
}

gig_functions gig_measuring_probabilities(const gig_measuring *with)
{
    const gig_scored *scored = with->scored;
    return (gig_functions){scored->workers,
                           scored->probability_functions ? scored->probability_functions : scored->functions};
}

uint64_t gig_measuring_number(const gig_measuring *with)
{
    return gig_quick_hash(with->scored->pixels, with->pixels * 3) >> 8;
}

gig_removal gig_measuring_removal(const gig_measuring *with, int reduced)
{
    const gig_scored *scored = with->scored;
    return (gig_removal){.height = scored->height,
                         .width = scored->width,
                         .channels = 3,
                         .picture = with->input,
                         .attribution = reduced ? with->reduced : scored->attribution,
                         .attribution_channels = reduced ? 1 : scored->channels,
                         .baseline = scored->baseline,
                         .seed = scored->seed,
                         .number = gig_measuring_number(with)};
}

static gig_status reduce(gig_measuring *with, gig_reduction reduction)
{
    struct gig_measuring_inside *inside = with->inside;
    if (inside->has_reduced && inside->reduction == reduction) return GIG_OK;
    if (!inside->reduced && !(inside->reduced = gig_alloc(with->pixels, sizeof *inside->reduced)))
        return gig_alloc_status();
    with->reduced = inside->reduced;
    inside->has_reduced = inside->pic_has_map = 0;
    GIG_TRY(
        gig_map_reduce(inside->reduced, with->scored->attribution, with->pixels, with->scored->channels, reduction));
    inside->has_reduced = 1;
    inside->reduction = reduction;
    return GIG_OK;
}

static gig_status make_input(gig_measuring *with)
{
    if (with->input) return GIG_OK;
    float *input = gig_alloc(with->pixels * 3, sizeof *input);
    if (!input) return gig_alloc_status();
    for (size_t i = 0; i < with->pixels * 3; i++) input[i] = (float)with->scored->pixels[i] / 255.0f;
    with->input = with->inside->input = input;
    return GIG_OK;
}

static gig_status check_needs(const gig_scored *scored, unsigned needs)
{
    if (needs & GIG_METRIC_NEEDS_MAP && !scored->attribution) return gig_fail(GIG_EARG, "it needs a map");
    if (needs & GIG_METRIC_NEEDS_PICTURE && !scored->pixels) return gig_fail(GIG_EARG, "it needs the picture");
    if (needs & GIG_METRIC_NEEDS_FUNCTION && (!scored->workers || !scored->functions))
        return gig_fail(GIG_EARG, "it needs a model");
    if (needs & GIG_METRIC_NEEDS_ARGMAX && (!scored->workers || !scored->argmax_functions))
        return gig_fail(GIG_EARG, "it needs a model");
    if (needs & GIG_METRIC_NEEDS_EXPLAINER && !scored->explain) return gig_fail(GIG_EARG, "it needs the method itself");
    return GIG_OK;
}

/* Why the score is not defined for this map; NULL if it is. */
static const char *undefined(const gig_scored *scored, unsigned needs)
{
    if (needs & GIG_METRIC_NEEDS_TRUTH && !scored->mask) return "there is no ground truth";
    if (needs & GIG_METRIC_NEEDS_PATH && !scored->side) return "the method does not follow a path between two points";
    if (needs & GIG_METRIC_NEEDS_FEATURES && scored->channels != 3)
        return "the method gives one value per pixel, not one per input value";
    return NULL;
}

static gig_status measure(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    GIG_TRY(gig_metric_check(metric));
    unsigned needs = metric->row->needs;
    double start = gig_seconds_now(), reduction = gig_metric_number(metric, "reduction");
    GIG_TRY(check_needs(with->scored, needs));
    if (undefined(with->scored, needs)) {
        gig_metric_note(out, undefined(with->scored, needs));
        return GIG_OK;
    }
    if (needs & GIG_METRIC_NEEDS_MAP && !isnan(reduction)) GIG_TRY(reduce(with, (gig_reduction)reduction));
    if (needs & GIG_METRIC_NEEDS_PICTURE) GIG_TRY(make_input(with));
    GIG_TRY(metric->row->measure(out, with, metric));
    out->seconds = gig_seconds_now() - start;
    return GIG_OK;
}

void gig_metric_result_clear(gig_metric_result *result)
{
    if (!result) return;
    gig_points_clear(&result->curve);
    *result = (gig_metric_result){0};
}

gig_status gig_metrics_score(gig_metric_result *results, const gig_metric *metrics, size_t count,
                             const gig_scored *scored)
{
    struct gig_measuring_inside inside = {0};
    gig_measuring with = {.scored = scored, .pixels = scored->height * scored->width, .inside = &inside};
    gig_status status = GIG_OK;
    for (size_t i = 0; i < count; i++) results[i] = (gig_metric_result){.value = NAN, .spread = NAN};
    for (size_t i = 0; i < count && status == GIG_OK; i++) {
        char name[GIG_METRIC_NAME_BYTES];
        status = measure(&results[i], &with, &metrics[i]);
        if (status != GIG_OK) gig_fail_in(status, "metric %s", gig_metric_name(name, sizeof name, &metrics[i]));
    }
    for (size_t i = 0; i < count && status != GIG_OK; i++) gig_metric_result_clear(&results[i]);
    gig_free(inside.reduced);
    gig_free(inside.input);
    gig_free(inside.draws);
    gig_pic_free(inside.pic);
    return status;
}
