/* SPDX-License-Identifier: Apache-2.0 */
/* The table of classes, and what all of them use for drawing. */
#include "objects.h"

const object objects[CLASSES] = {
    {"apple", draw_apple, 0.5, 0.46, 0.72},    {"bird", draw_bird, 0.3, 0.58, 0.85},
    {"boat", draw_boat, 0.15, 0.60, 0.85},     {"butterfly", draw_butterfly, 0.7, 0.55, 0.85},
    {"cactus", draw_cactus, 0.12, 0.60, 0.85}, {"candle", draw_candle, 0.12, 0.60, 0.85},
    {"fish", draw_fish, 0.5, 0.60, 0.88},      {"key", draw_key, 3.15, 0.60, 0.85},
    {"mug", draw_mug, 0.2, 0.52, 0.78},        {"mushroom", draw_mushroom, 0.25, 0.55, 0.82},
    {"snail", draw_snail, 0.25, 0.60, 0.85},   {"umbrella", draw_umbrella, 0.6, 0.60, 0.88},
};

void fill_part(artist *by, material look)
{
    cairo_fill(by->on->brush);
    layer_paint(by->on, by->sun, &look, seed_of(by->random));
}

void stroke_part(artist *by, double width, material look)
{
    cairo_set_line_width(by->on->brush, width);
    cairo_stroke(by->on->brush);
    layer_paint(by->on, by->sun, &look, seed_of(by->random));
}

colour any_colour(artist *by)
{
    double hue = uniform(by->random), saturation = between(by->random, 0.25, 0.85);
    return hsv(hue, saturation, between(by->random, 0.45, 0.95));
}

double vary(artist *by, double value, double share)
{
    return value * between(by->random, 1 - share, 1 + share);
}

colour colour_within(artist *by, const double hue[2], const double saturation[2], const double value[2])
{
    double v = jitter(by, value[0], value[1]), s = jitter(by, saturation[0], saturation[1]);
    return hsv(jitter(by, hue[0], hue[1]), s, v);
}

double jitter(artist *by, double low, double high)
{
    return between(by->random, low, high);
}
