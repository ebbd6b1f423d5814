/* SPDX-License-Identifier: Apache-2.0 */
#include "score/draws.h"
#include "saliency/method_run.h"
#include <string.h>

const char gig_draws_unmoved[] = "the picture is the same everywhere, or nearly: no draw moves it";

static gig_status make_one(float *map, float *point, gig_measuring *with, size_t index)
{
    const gig_scored *scored = with->scored;
    gig_draw(point, with->input, with->pixels * 3, scored->seed, index);
    with->inside->draws_differ |= gig_is_moved(point, with->input, with->pixels * 3);
    return scored->explain(scored->explain_payload, map, point);
}

/* Draw 0 is the input, whose map is the scored one. */
static gig_status make_all(gig_measuring *with, size_t draws)
{
    struct gig_measuring_inside *inside = with->inside;
    size_t count = with->pixels * with->scored->channels;
    if (draws <= inside->draw_count) return GIG_OK;
    GIG_TRY(gig_grow((void **)&inside->draws, &inside->draw_capacity, draws, count * sizeof *inside->draws));
    float *point = gig_alloc(with->pixels * 3, sizeof *point);
    gig_status status = point ? GIG_OK : gig_alloc_status();
    for (; inside->draw_count < draws && status == GIG_OK; inside->draw_count += status == GIG_OK) {
        float *map = inside->draws + inside->draw_count * count;
        if (inside->draw_count)
            status = make_one(map, point, with, inside->draw_count);
        else
            memcpy(map, with->scored->attribution, count * sizeof *map);
    }
    gig_free(point);
    return status;
}

gig_status gig_draws_make(size_t *groups, gig_metric_result *out, gig_measuring *with, const gig_metric *metric)
{
    size_t draws = (size_t)gig_metric_number(metric, "draws"), mean = (size_t)gig_metric_number(metric, "mean");
    *groups = 0;
    if (with->scored->no_draws)
        gig_metric_note(out, with->scored->no_draws);
    else if (draws / mean < 2)
        gig_metric_note(out, "fewer than two means: it needs twice as many draws");
    else {
        GIG_TRY(make_all(with, draws));
        if (with->inside->draws_differ)
            *groups = draws / mean;
        else
            gig_metric_note(out, gig_draws_unmoved);
    }
    return GIG_OK;
}

void gig_draws_mean(float *mean, const gig_measuring *with, size_t group, size_t count)
{
    const size_t size = with->pixels * with->scored->channels;
    const float *first = with->inside->draws + group * count * size;
    for (size_t i = 0; i < size; i++) {
        double sum = 0;
        for (size_t d = 0; d < count; d++) sum += (double)first[d * size + i];
        mean[i] = (float)(sum / (double)count);
    }
}

gig_metric_cost gig_draws_cost(const gig_metric *metric, const gig_metric_cost *map, const gig_metric_cost *chain)
{
    double more = gig_metric_number(metric, "draws") - 1;
    (void)chain;
    return (gig_metric_cost){more * map->gradients, more * map->values};
}
