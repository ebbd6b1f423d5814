/* SPDX-License-Identifier: Apache-2.0 */
/* A map as pixels: colours, over the greyed picture, the picture masked, the picture faded. */
#include "view/paint.h"
#include "base/memory.h"
#include "base/size.h"
#include "internal/view.h"
#include "view/display.h"
#include <math.h>
#include <string.h>

gig_colours gig_map_colours(const gig_map_options *options, const gig_display_scale *scale)
{
    if (options->colours != GIG_COLOURS_AUTO) return options->colours;
    return scale->diverging ? GIG_COLOURS_DIVERGING : GIG_COLOURS_HEAT;
}

gig_status gig_map_options_check(gig_map_options *how, const gig_map_options *given)
{
    *how = given ? *given : (gig_map_options)GIG_MAP_OPTIONS_INIT;
    if (how->top == 0) how->top = 30;
    if (how->opacity == 0) how->opacity = 0.85;
    if ((int)how->look < 0 || how->look > GIG_LOOK_ALPHA)
        return gig_fail(GIG_EARG, "unknown look %d of a map", how->look);
    if ((int)how->colours < 0 || how->colours > GIG_COLOURS_DIVERGING)
        return gig_fail(GIG_EARG, "unknown colours %d of a map", how->colours);
    if (!(how->opacity > 0 && how->opacity <= 1))
        return gig_fail(GIG_EARG, "opacity: expected a number above 0, at most 1");
    if (!(how->top > 0 && how->top <= 100))
        return gig_fail(GIG_EARG, "the top percent must be above 0 and at most 100");
    if (how->look != GIG_LOOK_HEAT && !how->pixels) return gig_fail(GIG_EARG, "this look of a map needs the picture");
    return GIG_OK;
}

gig_status gig_picture_check(size_t *pixels, const float *picture, size_t height, size_t width, size_t channels)
{
    int64_t dims[3] = {(int64_t)height, (int64_t)width, (int64_t)channels};
    size_t count;
    if (height > INT32_MAX || width > INT32_MAX || channels > INT32_MAX)
        return gig_fail(GIG_ELIMIT, "a picture of %zu x %zu is too large", width, height);
    GIG_TRY(gig_size_of_dims(&count, 3, dims));
    for (size_t i = 0; picture && i < count; i++)
        if (!isfinite(picture[i])) return gig_fail(GIG_ENUMERIC, "the picture is not finite at value %zu", i);
    *pixels = height * width;
    return GIG_OK;
}

static float clamp(float value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* The picture is dimmed, so that light colours are also visible on white objects. */
static const float DIMMED = 0.7f;

void gig_overlay_colour(float rgb[3], float grey, double opacity, const float colour[3])
{
    for (int c = 0; c < 3; c++) rgb[c] = DIMMED * grey + (float)opacity * (colour[c] - DIMMED * grey);
}

static void paint_pixel(float *rgb, const float *picture, double value, const gig_map_options *how,
                        const gig_display_scale *scale, gig_colours colours)
{
    float colour[3];
    gig_display_rule rule = how->display.rule;
    if (how->look == GIG_LOOK_ALPHA) {
        float strength = (float)gig_display_strength(value, rule, scale);
        for (int c = 0; c < 3; c++) rgb[c] = 1 - strength + strength * clamp(picture[c]);
        return;
    }
    gig_colour_at(colour, colours, gig_display_place(value, rule, scale));
    if (how->look == GIG_LOOK_HEAT) {
        memcpy(rgb, colour, sizeof colour);
        return;
    }
    float grey = 0.299f * clamp(picture[0]) + 0.587f * clamp(picture[1]) + 0.114f * clamp(picture[2]);
    gig_overlay_colour(rgb, grey, how->opacity * gig_display_strength(value, rule, scale), colour);
}

static gig_status paint_mask(float *rgb, gig_display_scale *scale, const float *map, size_t pixels, size_t channels,
                             const gig_map_options *how)
{
    uint8_t *mask = gig_alloc(pixels, 1);
    if (!mask) return gig_alloc_status();
    gig_status status = gig_display_top(mask, scale, map, pixels, channels, &how->display, how->top);
    for (size_t i = 0; status == GIG_OK && i < pixels; i++)
        for (int c = 0; c < 3; c++) rgb[i * 3 + (size_t)c] = mask[i] ? clamp(how->pixels[i * 3 + (size_t)c]) : 0;
    gig_free(mask);
    return status;
}

gig_status gig_map_paint(float *rgb, gig_display_scale *scale, const float *map, size_t height, size_t width,
                         size_t channels, const gig_map_options *options)
{
    gig_display_scale unused;
    gig_map_options how;
    size_t pixels;
    if (!scale) scale = &unused;
    GIG_TRY(gig_map_options_check(&how, options));
    GIG_TRY(gig_picture_check(&pixels, NULL, height, width, channels));
    if (how.look != GIG_LOOK_HEAT) GIG_TRY(gig_picture_check(&pixels, how.pixels, height, width, 3));
    float *values = gig_alloc(pixels, sizeof *values);
    if (!values) return gig_alloc_status();
    gig_status status = GIG_OK;
    GIG_TRY_DONE(gig_display_map(values, scale, map, pixels, channels, &how.display));
    if (how.look == GIG_LOOK_MASK && pixels) {
        GIG_TRY_DONE(paint_mask(rgb, scale, map, pixels, channels, &how));
    } else {
        gig_colours colours = gig_map_colours(&how, scale);
        for (size_t i = 0; i < pixels; i++)
            paint_pixel(rgb + 3 * i, how.pixels ? how.pixels + 3 * i : NULL, (double)values[i], &how, scale, colours);
    }
done:
    gig_free(values);
    return status;
}
