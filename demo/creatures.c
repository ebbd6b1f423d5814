/* SPDX-License-Identifier: Apache-2.0 */
/* Bird, butterfly, fish, snail. */
#include "objects.h"
#include <math.h>

static void eye(artist *by, double x, double y, double size)
{
    cairo_t *brush = by->on->brush;
    path_ellipse(brush, x, y, size, size);
    fill_part(by, (material){.base = hsv(jitter(by, 0, 0.2), 0.4, 0.95), .round = size, .bulge = 0.4, .shade = 0.3});
    path_ellipse(brush, x, y, size * 0.65, size * 0.65);
    fill_part(by, (material){.base = hsv(0, 0, 0.08), .round = size, .bulge = 0.8, .gloss = 0.9});
}

static void bird_tail_and_legs(artist *by, colour feather)
{
    cairo_t *brush = by->on->brush;
    double drop = jitter(by, 0.1, 0.4);
    cairo_move_to(brush, 0.3, 0.0);
    cairo_curve_to(brush, 0.6, 0.05, 0.85, drop - 0.1, 1.0, drop);
    cairo_line_to(brush, 0.92, drop + 0.18);
    cairo_curve_to(brush, 0.7, drop + 0.05, 0.5, 0.3, 0.3, 0.3);
    fill_part(by, (material){.base = scaled(feather, 0.5),
                             .other = scaled(feather, 0.25),
                             .pattern = GRAINED,
                             .frequency = 2.5,
                             .round = 0.12,
                             .bulge = 0.4});
    for (int leg = 0; leg < 2; leg++) {
        double x = -0.08 + 0.2 * leg;
        cairo_move_to(brush, x, 0.4);
        cairo_line_to(brush, x - 0.02, 0.88);
        cairo_line_to(brush, x - 0.16, 0.93);
        cairo_move_to(brush, x - 0.02, 0.88);
        cairo_line_to(brush, x + 0.1, 0.92);
    }
    stroke_part(by, 0.05, (material){.base = hsv(0.08, 0.5, 0.5), .round = 0.03, .bulge = 0.8});
}

static void bird_wing(artist *by, colour feather, colour bars)
{
    cairo_t *brush = by->on->brush;
    double reach = jitter(by, 0.6, 0.8), lift = jitter(by, 0.05, 0.3);
    cairo_move_to(brush, -0.3, -0.1);
    cairo_curve_to(brush, 0.0, -0.35, 0.4, -0.15, reach, lift);
    cairo_curve_to(brush, 0.35, lift + 0.2, -0.1, 0.4, -0.3, -0.1);
    fill_part(by, (material){.base = feather,
                             .other = scaled(feather, 0.45),
                             .pattern = GRAINED,
                             .frequency = 2,
                             .round = 0.2,
                             .bulge = 0.6,
                             .shade = 0.5});
    for (int bar = 0; bar < 3; bar++) {
        double x = -0.02 + 0.17 * bar;
        cairo_move_to(brush, x, -0.1 + 0.06 * bar);
        cairo_curve_to(brush, x + 0.1, 0.0, x + 0.12, 0.1, x + 0.04, 0.18);
    }
    stroke_part(by, 0.04, (material){.base = bars, .relief = DECAL});
}

void draw_bird(artist *by)
{
    cairo_t *brush = by->on->brush;
    colour back = any_colour(by), belly = chance(by->random, 0.5) ? hsv(0.1, 0.25, 0.92) : any_colour(by);
    double plump = jitter(by, 0.42, 0.55), head = jitter(by, 0.24, 0.3);
    bird_tail_and_legs(by, back);
    double body[8][2] = {{-0.55, -0.42},      {-0.25, -0.42}, {0.25, -0.25},       {0.55, 0.05},
                         {0.35, plump - 0.1}, {-0.1, plump},  {-0.5, plump - 0.2}, {-0.62, -0.1}};
    path_smooth(brush, body, 8, 1);
    fill_part(by, (material){.base = belly,
                             .other = blend(belly, back, 0.45),
                             .pattern = MOTTLED,
                             .frequency = 4,
                             .round = 0.42,
                             .bulge = 0.95,
                             .bump = 0.15});
    cairo_move_to(brush, -0.75, -0.47);
    cairo_line_to(brush, -1.0, jitter(by, -0.45, -0.35));
    cairo_line_to(brush, -0.72, -0.33);
    fill_part(by, (material){.base = hsv(jitter(by, 0.05, 0.14), 0.8, 0.8), .round = 0.06, .bulge = 0.7, .gloss = 0.2});
    path_ellipse(brush, -0.52, -0.45, head, head * 0.95);
    colour cap = chance(by->random, 0.5) ? back : any_colour(by);
    fill_part(by, (material){.base = cap,
                             .other = scaled(cap, 0.7),
                             .pattern = MOTTLED,
                             .frequency = 5,
                             .round = 0.26,
                             .bulge = 0.95,
                             .bump = 0.15,
                             .shade = 0.15});
    bird_wing(by, back, blend(belly, hsv(0, 0, 0.9), 0.3));
    eye(by, -0.6, -0.5, 0.065);
}

static void wing_pair(artist *by, double (*outline)[2], int count, material look)
{
    double mirrored[8][2];
    path_smooth(by->on->brush, outline, count, 1);
    for (int i = 0; i < count; i++) {
        mirrored[i][0] = -outline[i][0];
        mirrored[i][1] = outline[i][1];
    }
    path_smooth(by->on->brush, mirrored, count, 1);
    fill_part(by, look);
}

static void mirrored_spots(artist *by, double x, double y, double size, colour shade)
{
    path_ellipse(by->on->brush, x, y, size, size * 1.2);
    path_ellipse(by->on->brush, -x, y, size, size * 1.2);
    fill_part(by, (material){.base = shade, .relief = DECAL});
}

void draw_butterfly(artist *by)
{
    cairo_t *brush = by->on->brush;
    double span = jitter(by, 0.85, 0.98), high = jitter(by, -0.85, -0.6), low = jitter(by, 0.6, 0.85);
    colour wing = any_colour(by), edge = hsv(0, 0.2, jitter(by, 0.08, 0.25)), spot = hsv(jitter(by, 0, 1), 0.4, 0.95);
    double hind[6][2] = {{0.05, 0.05}, {0.45, 0.02}, {0.72, 0.3}, {0.55, low}, {0.3, low * 0.9}, {0.08, 0.4}};
    double fore[6][2] = {{0.05, -0.2}, {0.4, high * 0.8}, {span * 0.9, high}, {span, -0.35}, {0.65, 0.05}, {0.1, 0.08}};
    double inner[6][2];
    wing_pair(
        by, hind, 6,
        (material){.base = edge, .other = wing, .pattern = GRAINED, .frequency = 1.5, .round = 0.15, .bulge = 0.15});
    for (int i = 0; i < 6; i++) {
        inner[i][0] = 0.1 + (hind[i][0] - 0.1) * 0.8;
        inner[i][1] = 0.15 + (hind[i][1] - 0.15) * 0.8;
    }
    wing_pair(
        by, inner, 6,
        (material){.base = wing, .other = scaled(wing, 0.6), .pattern = GRAINED, .frequency = 2, .relief = DECAL});
    wing_pair(by, fore, 6, (material){.base = edge, .round = 0.15, .bulge = 0.2, .shade = 0.4});
    for (int i = 0; i < 6; i++) {
        inner[i][0] = 0.12 + (fore[i][0] - 0.12) * 0.82;
        inner[i][1] = -0.1 + (fore[i][1] + 0.1) * 0.82;
    }
    wing_pair(
        by, inner, 6,
        (material){.base = wing, .other = scaled(wing, 0.65), .pattern = GRAINED, .frequency = 2, .relief = DECAL});
    mirrored_spots(by, 0.68 * span, -0.42, jitter(by, 0.06, 0.11), spot);
    mirrored_spots(by, 0.42, 0.4, jitter(by, 0.06, 0.1), spot);
    for (int side = -1; side <= 1; side += 2) {
        cairo_move_to(brush, 0, -0.4);
        cairo_curve_to(brush, side * 0.05, -0.6, side * 0.1, -0.75, side * 0.25, -0.85);
    }
    stroke_part(by, 0.03, (material){.base = edge, .round = 0.02, .bulge = 0.5});
    double body[6][2] = {{0, -0.42}, {0.08, -0.3}, {0.075, 0.1}, {0, 0.5}, {-0.075, 0.1}, {-0.08, -0.3}};
    path_smooth(brush, body, 6, 1);
    fill_part(by, (material){.base = scaled(edge, 1.6),
                             .other = edge,
                             .pattern = SCALED,
                             .frequency = 6,
                             .round = 0.08,
                             .bulge = 1,
                             .gloss = 0.1,
                             .shade = 0.5});
}

static void fish_fins(artist *by, colour fin)
{
    cairo_t *brush = by->on->brush;
    double fork = jitter(by, 0.6, 0.78), high = jitter(by, 0.35, 0.5);
    material look = {
        .base = fin, .other = scaled(fin, 0.5), .pattern = GRAINED, .frequency = 3, .round = 0.1, .bulge = 0.3};
    cairo_move_to(brush, 0.5, 0);
    cairo_curve_to(brush, 0.7, -0.1, 0.85, -high, 1.0, -high);
    cairo_curve_to(brush, 0.92, -0.15, fork + 0.05, -0.05, fork, 0);
    cairo_curve_to(brush, fork + 0.05, 0.05, 0.92, 0.15, 1.0, high);
    cairo_curve_to(brush, 0.85, high, 0.7, 0.1, 0.5, 0);
    fill_part(by, look);
    double peak = jitter(by, -0.75, -0.55);
    cairo_move_to(brush, -0.4, -0.25);
    cairo_curve_to(brush, -0.25, peak, 0.05, peak, 0.4, -0.15);
    cairo_line_to(brush, 0, 0);
    fill_part(by, look);
    cairo_move_to(brush, -0.1, 0.2);
    cairo_curve_to(brush, 0.0, 0.6, 0.15, 0.55, 0.25, 0.5);
    cairo_line_to(brush, 0.2, 0.1);
    fill_part(by, look);
}

void draw_fish(artist *by)
{
    cairo_t *brush = by->on->brush;
    colour skin = any_colour(by), second = chance(by->random, 0.5) ? hsv(0.1, 0.1, 0.95) : any_colour(by);
    double tall = jitter(by, 0.3, 0.46);
    fish_fins(by, chance(by->random, 0.5) ? skin : any_colour(by));
    cairo_move_to(brush, -1.0, 0.02);
    cairo_curve_to(brush, -0.75, -tall * 1.2, 0.0, -tall * 1.4, 0.62, -0.08);
    cairo_line_to(brush, 0.62, 0.08);
    cairo_curve_to(brush, 0.0, tall * 1.4, -0.75, tall * 1.2, -1.0, 0.02);
    cairo_path_t *outline = cairo_copy_path(brush);
    fill_part(by, (material){.base = skin,
                             .other = scaled(skin, 0.7),
                             .pattern = SCALED,
                             .frequency = 5,
                             .round = 0.36,
                             .bulge = 0.9,
                             .gloss = 0.35});
    int bars = below(by->random, 4);
    cairo_append_path(brush, outline);
    cairo_clip(brush);
    for (int i = 0; i < bars; i++) cairo_rectangle(brush, -0.4 + 0.34 * i, -1, jitter(by, 0.1, 0.17), 2);
    if (bars == 0) cairo_rectangle(brush, -1, 0.1, 2, 1);
    fill_part(by, (material){.base = second,
                             .other = scaled(second, 0.8),
                             .pattern = SCALED,
                             .frequency = 5,
                             .relief = DECAL,
                             .gloss = 0.3});
    cairo_path_destroy(outline);
    cairo_move_to(brush, -0.55, -tall * 0.62);
    cairo_curve_to(brush, -0.44, -0.1, -0.44, 0.1, -0.55, tall * 0.62);
    stroke_part(by, 0.035, (material){.base = scaled(skin, 0.35), .relief = DECAL});
    cairo_move_to(brush, -0.25, 0.05);
    cairo_curve_to(brush, -0.1, -0.05, 0.02, 0.05, 0.05, 0.22);
    cairo_curve_to(brush, -0.08, 0.25, -0.22, 0.2, -0.25, 0.05);
    fill_part(by, (material){.base = scaled(skin, 0.8),
                             .other = second,
                             .pattern = GRAINED,
                             .frequency = 3,
                             .round = 0.08,
                             .bulge = 0.5,
                             .shade = 0.4});
    eye(by, -0.72, -0.07, 0.08);
}

static void shell(artist *by, double x, double y, double size)
{
    cairo_t *brush = by->on->brush;
    colour outer = colour_within(by, (double[]){0.03, 0.14}, (double[]){0.3, 0.7}, (double[]){0.55, 0.9});
    if (chance(by->random, 0.35)) outer = any_colour(by);
    path_ellipse(brush, x, y, size, size * 0.95);
    fill_part(by, (material){.base = outer,
                             .other = scaled(outer, 0.55),
                             .pattern = MOTTLED,
                             .frequency = 3,
                             .round = size * 0.9,
                             .bulge = 0.95,
                             .gloss = 0.4,
                             .shade = 0.5});
    double turns = jitter(by, 2.3, 3.0), start = jitter(by, 0, 6.28);
    for (int i = 0; i <= 60; i++) {
        double t = i / 60.0, radius = size * 0.97 * (1 - t * 0.93), turn = start + turns * 6.2832 * t;
        cairo_line_to(brush, x + radius * cos(turn), y + radius * 0.95 * sin(turn));
    }
    stroke_part(by, size * 0.085, (material){.base = scaled(outer, 0.22), .relief = DECAL});
}

void draw_snail(artist *by)
{
    cairo_t *brush = by->on->brush;
    colour flesh = colour_within(by, (double[]){0.05, 0.14}, (double[]){0.2, 0.5}, (double[]){0.5, 0.85});
    double neck = jitter(by, -0.35, -0.1);
    material skin = {.base = flesh,
                     .other = scaled(flesh, 0.6),
                     .pattern = MOTTLED,
                     .frequency = 7,
                     .round = 0.14,
                     .bulge = 0.9,
                     .gloss = 0.25,
                     .bump = 0.1};
    for (int i = 0; i < 2; i++) {
        double x = -0.75 - 0.17 * i, tip = neck - jitter(by, 0.38, 0.5);
        cairo_move_to(brush, x + 0.05, neck + 0.1);
        cairo_curve_to(brush, x, neck - 0.1, x - 0.02, tip + 0.1, x - 0.06, tip);
        stroke_part(by, 0.055, skin);
        path_ellipse(brush, x - 0.06, tip, 0.05, 0.05);
        fill_part(by, (material){.base = scaled(flesh, 0.3), .round = 0.05, .bulge = 0.9, .gloss = 0.4});
    }
    double body[9][2] = {{-0.95, neck + 0.1}, {-0.8, neck - 0.05}, {-0.58, neck + 0.2}, {-0.4, 0.42}, {0.3, 0.45},
                         {1.0, 0.66},         {0.9, 0.72},         {-0.5, 0.72},        {-0.82, 0.45}};
    path_smooth(brush, body, 9, 1);
    fill_part(by, skin);
    shell(by, 0.1, 0.02, jitter(by, 0.5, 0.6));
}
