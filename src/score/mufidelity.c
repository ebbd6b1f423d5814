/* SPDX-License-Identifier: Apache-2.0 */
/* mufidelity: mu-fidelity (Bhatt, Weller, Moura, IJCAI 2020), as in Xplique for pictures. The picture is divided into a
 * grid of 9 x 9 cells, and 200 times a fifth of the cells (16) is drawn and set to the baseline:
 *
 *     Spearman's correlation of  sum of the map over the drawn cells  and  F(x) - F(x with them at the baseline)
 *
 * F is the explained scalar. The map is signed, its channels added. The same cells are drawn for all maps of a picture.
 *
 * Differs from Xplique: Xplique draws every cell by itself, with probability 0.2; here there are always 16, so that
 * subsets differ in what they remove, not in how much. Xplique scores 0 where the correlation is not defined; here
 * there is no score. */
#include "base/memory.h"
#include "base/rng.h"
#include "internal/score.h"
#include "score/correlation.h"
#include "score/measure.h"
#include "score/picture_values.h"
#include "score/random_streams.h"
#include <math.h>

enum { GRID = 9, CELLS = GRID * GRID, DRAWN = 16 };

typedef struct mufidelity_scene {
    const gig_removal *of;
    uint8_t (*drawn)[CELLS]; /* [subsets] */
    size_t subsets, target;
} mufidelity_scene;

static size_t cell_of(const gig_removal *of, size_t pixel)
{
    size_t row = pixel / of->width * GRID / of->height, column = pixel % of->width * GRID / of->width;
    return row * GRID + column;
}

/* The first DRAWN of a shuffle, drawn without replacement. Subset k has numbers k * DRAWN and following. */
static void draw_cells(uint8_t drawn[CELLS], gig_rng rng, size_t k)
{
    size_t left[CELLS];
    for (size_t i = 0; i < CELLS; i++) {
        left[i] = i;
        drawn[i] = 0;
    }
    for (size_t i = 0; i < DRAWN; i++) {
        size_t at = i + (size_t)(gig_rng_uniform(rng, (uint64_t)k * DRAWN + i) * (double)(CELLS - i));
        size_t cell = left[at];
        left[at] = left[i];
        left[i] = cell;
        drawn[cell] = 1;
    }
}

/* Point 0 is the picture itself. */
static gig_status make_point(void *payload, size_t index, float *point, size_t *target)
{
    const mufidelity_scene *s = payload;
    const gig_removal *of = s->of;
    for (size_t p = 0; p < of->height * of->width; p++) {
        int removed = index > 0 && s->drawn[index - 1][cell_of(of, p)];
        for (size_t c = 0; c < of->channels; c++) {
            size_t at = p * of->channels + c;
            point[at] = !removed ? of->picture[at] : of->baseline ? of->baseline[at] : 0.0f;
        }
    }
    *target = s->target;
    return GIG_OK;
}

static void add_cells(double cells[CELLS], const gig_removal *of)
{
    for (size_t i = 0; i < CELLS; i++) cells[i] = 0;
    for (size_t p = 0; p < of->height * of->width; p++)
        for (size_t c = 0; c < of->attribution_channels; c++)
            cells[cell_of(of, p)] += (double)of->attribution[p * of->attribution_channels + c];
}

static gig_status correlate(double *out, const mufidelity_scene *s, const double *values, double *sums, double *drops)
{
    double cells[CELLS];
    add_cells(cells, s->of);
    for (size_t k = 0; k < s->subsets; k++) {
        sums[k] = 0;
        for (size_t i = 0; i < CELLS; i++) sums[k] += s->drawn[k][i] ? cells[i] : 0;
        drops[k] = values[0] - values[k + 1];
    }
    return gig_spearman(out, sums, drops, s->subsets);
}

gig_status gig_mufidelity(double *out, size_t subsets, gig_functions functions, size_t target,
                          const gig_removal *removal)
{
    *out = NAN;
    GIG_TRY(gig_removal_check(removal));
    if (subsets < 2) return gig_fail(GIG_EARG, "%zu subsets: expected at least 2", subsets);
    size_t features = removal->height * removal->width * removal->channels;
    uint8_t(*drawn)[CELLS] = gig_alloc(subsets, sizeof *drawn);
    double *values = drawn ? gig_alloc(subsets + 1, 3 * sizeof *values) : NULL;
    gig_status status = values ? GIG_OK : gig_alloc_status();
    mufidelity_scene scene = {removal, drawn, subsets, target};
    const gig_rng rng = {removal->seed, gig_score_stream(GIG_DRAW_MUFIDELITY, removal->number)};
    for (size_t k = 0; k < subsets && status == GIG_OK; k++) draw_cells(drawn[k], rng, k);
    if (status == GIG_OK) status = gig_values(values, functions, features, subsets + 1, make_point, &scene);
    if (status == GIG_OK) status = correlate(out, &scene, values, values + subsets + 1, values + 2 * (subsets + 1));
    gig_free(values);
    gig_free(drawn);
    return status;
}

/* ---- the row ---- */

static gig_status measure_mufidelity(gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    const gig_scored *scored = with->scored;
    const gig_removal removal = gig_measuring_removal(with, 0);
    GIG_TRY(gig_mufidelity(&out->value, (size_t)gig_metric_number(metric, "subsets"), gig_measuring_functions(with),
                           scored->target, &removal));
    if (isnan(out->value)) gig_metric_note(out, "the map's sums, or the model's scores, do not vary over the subsets");
    return GIG_OK;
}

static gig_metric_cost cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    (void)map, (void)chain;
    return (gig_metric_cost){0, gig_metric_number(metric, "subsets") + 1};
}

static const gig_method_option options[] = {{.name = "subsets",
                                             .help = "Random subsets of cells.",
                                             .kind = GIG_OPTION_COUNT,
                                             .usual = 200,
                                             .least = 2, /* a correlation */
                                             .most = 1000000}};

const gig_metric_row gig_metric_row_mufidelity = {
    .name = "mufidelity",
    .help = "Rank correlation of the map's sums over random cells with the drop of the score.",
    .needs = GIG_METRIC_NEEDS_MAP | GIG_METRIC_NEEDS_PICTURE | GIG_METRIC_NEEDS_FUNCTION,
    GIG_OPTIONS(options),
    .measure = measure_mufidelity,
    .cost = cost};
