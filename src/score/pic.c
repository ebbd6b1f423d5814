/* SPDX-License-Identifier: Apache-2.0 */
/* Performance information curves (Kapishnikov et al. 2019): reveal the pixels a map ranks highest, a few more at a
 * time, and see how soon the model recognises the class. x is the information in the partly revealed picture, y the
 * model's prediction, both scaled between the blurred picture (0) and the whole one (1). */
#include "score/pic.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/size.h"
#include "base/status.h"
#include "base/workers.h"
#include "internal/image.h"
#include "score/curve.h"
#include "score/fill_pixels.h"
#include "score/order.h"
#include "score/picture_values.h"
#include "score/random_streams.h"
#include <math.h>
#include <string.h>

static const double usual_thresholds[] = {0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.10, 0.13, 0.21, 0.34, 0.5, 0.75};

struct gig_pic {
    gig_pic_options options; /* defaults put in; thresholds points to the copy below */
    size_t height, width, channels, pixels, bytes;
    double *thresholds;
    uint8_t *whole, *blurred; /* [height, width, channels] */
    uint8_t *random;          /* [height, width], 1 if always revealed */
    uint8_t *revealed;        /* [thresholds, height, width, channels] */
    size_t whole_information, blurred_information;
    size_t *information; /* [thresholds] */
    float *map;
    uint32_t *order; /* of the map, ascending */
    int has_map, is_revealed;
};

const char *gig_pic_outcome_text(gig_pic_outcome outcome)
{
    switch (outcome) {
    case GIG_PIC_SCORED: return "scored";
    case GIG_PIC_LOW_PREDICTION: return "the whole picture predicts the class too weakly";
    case GIG_PIC_NO_INFORMATION: return "the blurred picture contains as much information as the whole one";
    case GIG_PIC_BLUR_PREDICTS: return "the blurred picture predicts the class as well as the whole one";
    }
    return "unknown";
}

void gig_pic_result_clear(gig_pic_result *result)
{
    if (!result) return;
    gig_free(result->information);
    gig_free(result->prediction);
    gig_free(result->curve);
    gig_points_clear(&result->points);
    *result = (gig_pic_result){0};
}

void gig_pic_free(gig_pic *pic)
{
    if (!pic) return;
    gig_free(pic->thresholds);
    gig_free(pic->whole);
    gig_free(pic->blurred);
    gig_free(pic->random);
    gig_free(pic->revealed);
    gig_free(pic->information);
    gig_free(pic->map);
    gig_free(pic->order);
    gig_free(pic);
}

static gig_status webp_information(void *payload, size_t *bytes, const gig_image *image)
{
    (void)payload;
    return gig_webp_size(bytes, image);
}

static gig_status set_options(gig_pic_options *out, const gig_pic_options *given)
{
    *out = given ? *given : (gig_pic_options)GIG_PIC_OPTIONS_INIT;
    if (out->fraction == 0) out->fraction = 0.01;
    if (out->least_prediction == 0) out->least_prediction = 0.8;
    if (!out->intervals) out->intervals = 1000;
    if (!out->information) out->information = webp_information;
    if (!out->thresholds) {
        out->thresholds = usual_thresholds;
        out->threshold_count = sizeof usual_thresholds / sizeof *usual_thresholds;
    }
    if (!(out->fraction > 0 && out->fraction < 1))
        return gig_fail(GIG_EARG, "fraction of random pixels %g: expected a number between 0 and 1", out->fraction);
    if (out->intervals > GIG_MOST_INTERVALS)
        return gig_fail(GIG_ELIMIT, "%zu intervals of a curve: expected at most %d", out->intervals,
                        GIG_MOST_INTERVALS);
    if (!out->threshold_count || out->threshold_count > 10000)
        return gig_fail(GIG_EARG, "%zu thresholds: expected 1 to 10000", out->threshold_count);
    for (size_t i = 0; i < out->threshold_count; i++) {
        double before = i ? out->thresholds[i - 1] : 0;
        if (!(out->thresholds[i] > before && out->thresholds[i] < 1))
            return gig_fail(GIG_EARG, "threshold %zu is %g: expected above the previous one and below 1", i + 1,
                            out->thresholds[i]);
    }
    return GIG_OK;
}

static gig_status allocate(gig_pic *pic)
{
    size_t thresholds = pic->options.threshold_count, revealed;
    if (!gig_size_multiply(&revealed, pic->bytes, thresholds))
        return gig_fail(GIG_ELIMIT, "%zu pictures of %zu bytes exceed the address space", thresholds, pic->bytes);
    pic->thresholds = gig_alloc(thresholds, sizeof *pic->thresholds);
    pic->information = gig_alloc(thresholds, sizeof *pic->information);
    pic->whole = gig_alloc(pic->bytes, 1);
    pic->blurred = gig_alloc(pic->bytes, 1);
    pic->random = gig_alloc_zero(pic->pixels, 1);
    pic->revealed = gig_alloc(revealed, 1);
    pic->map = gig_alloc(pic->pixels, sizeof *pic->map);
    pic->order = gig_alloc(pic->pixels, sizeof *pic->order);
    int all = pic->thresholds && pic->information && pic->whole && pic->blurred && pic->random && pic->revealed &&
              pic->map && pic->order;
    return all ? GIG_OK : gig_alloc_status();
}

/* floor(pixels * fraction) distinct pixels: the first ones of a shuffle. */
static void draw_random_pixels(gig_pic *pic)
{
    gig_rng rng = {pic->options.seed, gig_score_stream(GIG_DRAW_PIC_MASK, pic->options.picture)};
    size_t wanted = (size_t)((double)pic->pixels * pic->options.fraction);
    uint32_t *deck = pic->order; /* not yet in use */
    for (size_t i = 0; i < pic->pixels; i++) deck[i] = (uint32_t)i;
    for (size_t i = 0; i < wanted; i++) {
        size_t at = i + (size_t)(gig_rng_uniform(rng, i) * (double)(pic->pixels - i));
        uint32_t drawn = deck[at];
        deck[at] = deck[i];
        deck[i] = drawn;
        pic->random[drawn] = 1;
    }
}

static gig_status measure(size_t *bytes, const gig_pic *pic, uint8_t *pixels)
{
    const gig_image image = {pic->width, pic->height, pic->channels, pixels};
    return pic->options.information(pic->options.payload, bytes, &image);
}

static gig_status prepare(gig_pic *pic, const uint8_t *pixels)
{
    GIG_TRY(allocate(pic));
    memcpy(pic->thresholds, pic->options.thresholds, pic->options.threshold_count * sizeof *pic->thresholds);
    pic->options.thresholds = pic->thresholds;
    memcpy(pic->whole, pixels, pic->bytes);
    draw_random_pixels(pic);
    GIG_TRY(gig_fill_bytes(pic->blurred, pic->whole, pic->random, pic->height, pic->width, pic->channels));
    GIG_TRY(measure(&pic->whole_information, pic, pic->whole));
    return measure(&pic->blurred_information, pic, pic->blurred);
}

gig_status gig_pic_create(gig_pic **out, const uint8_t *pixels, size_t height, size_t width, size_t channels,
                          const gig_pic_options *options)
{
    GIG_NEED(out);
    *out = NULL;
    gig_pic_options full;
    GIG_TRY(set_options(&full, options));
    size_t count;
    const int64_t dims[] = {(int64_t)height, (int64_t)width, (int64_t)channels};
    GIG_TRY(gig_size_of_dims(&count, 3, dims));
    gig_pic *pic = gig_alloc_zero(1, sizeof *pic);
    if (!pic) return gig_alloc_status();
    pic->options = full;
    pic->height = height;
    pic->width = width;
    pic->channels = channels;
    pic->pixels = height * width;
    pic->bytes = count;
    gig_status status = prepare(pic, pixels);
    if (status == GIG_OK)
        *out = pic;
    else
        gig_pic_free(pic);
    return status;
}

int gig_pic_has(const gig_pic *pic, const gig_pic_options *options)
{
    const gig_pic_options *own = &pic->options;
    return own->fraction == options->fraction && own->least_prediction == options->least_prediction &&
           own->seed == options->seed && own->picture == options->picture;
}

gig_status gig_pic_set_map(gig_pic *pic, const float *map)
{
    GIG_NEED(pic);
    pic->has_map = pic->is_revealed = 0;
    GIG_TRY(gig_map_check(map, pic->pixels));
    memcpy(pic->map, map, pic->pixels * sizeof *map);
    GIG_TRY(gig_order_ascending(pic->order, pic->map, pic->pixels));
    pic->has_map = 1;
    return GIG_OK;
}

/* Everything not below the quantile is revealed, so that equal values are revealed together. */
static gig_status reveal(void *payload, size_t worker, size_t index)
{
    (void)worker;
    gig_pic *pic = payload;
    uint8_t *mask = gig_alloc(pic->pixels, 1), *to = pic->revealed + index * pic->bytes;
    if (!mask) return gig_alloc_status();
    double least = gig_order_quantile(pic->map, pic->order, pic->pixels, 1 - pic->thresholds[index]);
    for (size_t i = 0; i < pic->pixels; i++) mask[i] = pic->random[i] || (double)pic->map[i] >= least;
    gig_status status = gig_fill_bytes(to, pic->whole, mask, pic->height, pic->width, pic->channels);
    gig_free(mask);
    return status == GIG_OK ? measure(&pic->information[index], pic, to) : status;
}

static gig_status reveal_all(gig_pic *pic)
{
    if (pic->is_revealed) return GIG_OK;
    GIG_TRY(gig_workers_run(pic->options.threads, pic->options.threshold_count, reveal, pic));
    pic->is_revealed = 1;
    return GIG_OK;
}

/* Points of one evaluation: pictures in bytes, one after the other. */
typedef struct pictures {
    const uint8_t *first;
    size_t bytes, target;
} pictures;

static gig_status make_point(void *payload, size_t index, float *point, size_t *target)
{
    const pictures *from = payload;
    const uint8_t *pixels = from->first + index * from->bytes;
    for (size_t i = 0; i < from->bytes; i++) point[i] = (float)pixels[i] / 255.0f;
    *target = from->target;
    return GIG_OK;
}

static double between(double value, double low, double high)
{
    double part = (value - low) / (high - low);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static gig_status draw_curve(gig_pic_result *out, const gig_pic *pic)
{
    double *x = gig_alloc(out->count, sizeof *x), *y = gig_alloc(out->count, sizeof *y);
    gig_status status = x && y ? GIG_OK : gig_alloc_status();
    if (status == GIG_OK) {
        for (size_t i = 0; i < out->count; i++) {
            x[i] = between(out->information[i], (double)out->blurred_information, (double)out->whole_information);
            y[i] = between(out->prediction[i], out->blurred_prediction, out->whole_prediction);
        }
        status = gig_information_points(&out->points, x, y, out->count, !pic->options.as_measured);
    }
    if (status == GIG_OK) status = gig_points_sample(out->curve, out->intervals, &out->points);
    gig_free(x);
    gig_free(y);
    return status;
}

static gig_status score_thresholds(gig_pic_result *out, gig_pic *pic, gig_functions functions, size_t target)
{
    out->count = pic->options.threshold_count;
    out->intervals = pic->options.intervals;
    out->information = gig_alloc(out->count, sizeof *out->information);
    out->prediction = gig_alloc(out->count, sizeof *out->prediction);
    out->curve = gig_alloc(out->intervals + 1, sizeof *out->curve);
    if (!out->information || !out->prediction || !out->curve) return gig_alloc_status();
    GIG_TRY(reveal_all(pic));
    pictures all = {pic->revealed, pic->bytes, target};
    GIG_TRY(gig_values(out->prediction, functions, pic->bytes, out->count, make_point, &all));
    for (size_t i = 0; i < out->count; i++) out->information[i] = (double)pic->information[i];
    GIG_TRY(draw_curve(out, pic));
    out->auc = gig_curve_area(out->curve, out->intervals);
    return GIG_OK;
}

/* Sets the outcome; evaluates the model only as often as needed. */
static gig_status look(gig_pic_result *out, const gig_pic *pic, gig_functions functions, size_t target)
{
    pictures whole = {pic->whole, pic->bytes, target}, blurred = {pic->blurred, pic->bytes, target};
    GIG_TRY(gig_values(&out->whole_prediction, functions, pic->bytes, 1, make_point, &whole));
    if (out->whole_prediction < pic->options.least_prediction)
        out->outcome = GIG_PIC_LOW_PREDICTION;
    else if (out->blurred_information >= out->whole_information)
        out->outcome = GIG_PIC_NO_INFORMATION;
    else {
        GIG_TRY(gig_values(&out->blurred_prediction, functions, pic->bytes, 1, make_point, &blurred));
        if (out->blurred_prediction >= out->whole_prediction) out->outcome = GIG_PIC_BLUR_PREDICTS;
    }
    return GIG_OK;
}

gig_status gig_pic_score(gig_pic_result *out, gig_pic *pic, gig_functions functions, size_t target)
{
    *out = (gig_pic_result){.auc = NAN, .blurred_prediction = NAN, .whole_prediction = NAN};
    GIG_NEED(pic);
    if (!pic->has_map) return gig_fail(GIG_EARG, "no map to score");
    out->whole_information = pic->whole_information;
    out->blurred_information = pic->blurred_information;
    gig_status status = look(out, pic, functions, target);
    if (status == GIG_OK && out->outcome == GIG_PIC_SCORED) status = score_thresholds(out, pic, functions, target);
    if (status != GIG_OK) gig_pic_result_clear(out);
    return status;
}
