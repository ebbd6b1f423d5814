/* SPDX-License-Identifier: Apache-2.0 */
/* samp: SAMP (Li and others, "Path choice matters for clear attributions in path methods", ICLR 2024; the port in
 * leekwoon/sig, MIT licence, was read). Two walks, each with the gradient at the start of its steps:
 *
 *     insertion: from the picture, blurred with sigma, to the picture; pixels that raise F most move first
 *     deletion:  from the picture to black; pixels that lower F most move first
 *
 *     a_p = sum over channels and steps of g (after - before), of insertion minus deletion
 *
 * so the map adds up to about 2 F(x) - F(blurred) - F(black). The steps themselves are in path/samp.c.
 *
 * Differs from the port: the blur is a full Gaussian, not cut to 11 x 11 pixels. */
#include "internal/path.h"
#include "saliency/method_run.h"
#include "saliency/rows.h"
#include <math.h>
#include <string.h>

static const gig_method_option options[] = {
    {.name = "moves",
     .help = "Steps of each of the two walks.",
     .kind = GIG_OPTION_COUNT,
     .usual = 100,
     .least = 1,
     .most = GIG_MOST_COPIES},
    {.name = "sigma",
     .help = "Blur of the picture that insertion starts from.",
     .kind = GIG_OPTION_NUMBER,
     .usual = 5,
     .least = 0,
     .above = 1,
     .most = 100000},
};

typedef struct samp_run {
    const gig_map_request *request;
    gig_samp_options how;
    float *origin;        /* [features] blurred, or black */
    double *attributions; /* [features] */
} samp_run;

static void add_pixels(double *map, const samp_run *run, double sign)
{
    const gig_picture_shape *shape = &run->request->task->options.shape;
    size_t pixels = shape->height * shape->width;
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < shape->channels; c++)
            map[p] += sign * run->attributions[shape->planar ? c * pixels + p : p * shape->channels + c];
}

static gig_status walk(double *map, gig_explanation *cost, samp_run *run)
{
    const gig_map_request *request = run->request;
    const gig_task *task = request->task;
    const gig_guide guide = gig_guide_samp(&run->how);
    const gig_chain chain = {.guide = &guide,
                             .target = request->target,
                             .steps = (size_t)gig_method_number(&task->method, "moves"),
                             .rule = GIG_RULE_LEFT};
    const gig_drive_options drive = {.max_memory = task->options.max_memory};
    const float *start = run->how.falling ? request->point : run->origin;
    const float *end = run->how.falling ? run->origin : request->point;
    gig_chain_result result;
    GIG_TRY(gig_chain_run(&result, run->attributions, (gig_functions){1, &task->functions.each[request->worker]},
                          &chain, start, end, &drive));
    cost->value_input = run->how.falling ? result.value_start : result.value_end;
    cost->evaluations += result.evaluations;
    cost->values += result.values;
    add_pixels(map, run, run->how.falling ? -1 : 1);
    return GIG_OK;
}

static gig_status make_map(double *map, gig_explanation *cost, const gig_map_request *request)
{
    const gig_task *task = request->task;
    const gig_picture_shape *shape = &task->options.shape;
    samp_run run = {.request = request, .how = {.channels = shape->channels, .planar = shape->planar}};
    run.origin = gig_alloc(task->features, sizeof *run.origin);
    run.attributions = run.origin ? gig_alloc(task->features, sizeof *run.attributions) : NULL;
    gig_status status = run.attributions ? GIG_OK : gig_alloc_status();
    memset(map, 0, shape->height * shape->width * sizeof *map);
    if (status == GIG_OK)
        status = gig_baseline_blur(run.origin, shape, request->point, gig_method_number(&task->method, "sigma"));
    if (status == GIG_OK) status = walk(map, cost, &run);
    if (status == GIG_OK) {
        memset(run.origin, 0, task->features * sizeof *run.origin);
        run.how.falling = 1;
        status = walk(map, cost, &run);
    }
    gig_free(run.attributions);
    gig_free(run.origin);
    return status;
}

static size_t count_gradients(const gig_method *method)
{
    return 2 * (size_t)gig_method_number(method, "moves");
}

static const struct gig_map_row map_row = {.gradients = count_gradients, .make = make_map};

const gig_method_row gig_row_samp = {
    .name = "samp",
    .help = "SAMP: pixels that change the score most move first, from a blurred picture and to black.",
    .traits = GIG_METHOD_PICTURE | GIG_METHOD_PER_PIXEL,
    .option_count = sizeof options / sizeof *options,
    .options = options,
    .map = &map_row,
};
