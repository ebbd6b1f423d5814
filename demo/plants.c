/* SPDX-License-Identifier: Apache-2.0 */
/* Apple, cactus, mushroom. */
#include "objects.h"
#include <math.h>
#include <stddef.h>

static void apple_stem(artist *by, double lean)
{
    cairo_t *brush = by->on->brush;
    cairo_move_to(brush, 0, -0.58);
    cairo_curve_to(brush, 0.0, -0.75, 0.05 + lean, -0.8, 0.1 + lean, -0.95);
    stroke_part(by, 0.09,
                (material){.base = hsv(0.08, 0.6, 0.4),
                           .other = hsv(0.07, 0.5, 0.25),
                           .pattern = MOTTLED,
                           .frequency = 8,
                           .round = 0.05,
                           .bulge = 0.9,
                           .shade = 0.5});
    if (!chance(by->random, 0.7)) return;
    double tip = jitter(by, 0.5, 0.72), lift = jitter(by, -1.0, -0.75);
    cairo_move_to(brush, 0.04, -0.72);
    cairo_curve_to(brush, 0.15, -1.02, tip - 0.2, lift - 0.15, tip, lift);
    cairo_curve_to(brush, tip - 0.1, lift + 0.28, 0.25, -0.62, 0.04, -0.72);
    fill_part(by, (material){.base = hsv(jitter(by, 0.24, 0.36), 0.7, 0.5),
                             .other = hsv(0.3, 0.8, 0.3),
                             .pattern = GRAINED,
                             .frequency = 2,
                             .round = 0.12,
                             .bulge = 0.5,
                             .gloss = 0.15,
                             .shade = 0.5});
}

void draw_apple(artist *by)
{
    static const double kinds[4][3] = {{0.98, 0.85, 0.80}, {0.26, 0.65, 0.75}, {0.13, 0.75, 0.9}, {0.02, 0.75, 0.55}};
    cairo_t *brush = by->on->brush;
    const double *kind = kinds[below(by->random, 4)];
    double wide = vary(by, 0.82, 0.08), foot = vary(by, 0.42, 0.15);
    double outline[12][2] = {
        {0, -0.53}, {0.4, -0.68}, {wide * 0.9, -0.42},  {wide, -0.02},  {wide * 0.84, 0.46},  {foot, 0.8},
        {0, 0.75},  {-foot, 0.8}, {-wide * 0.84, 0.46}, {-wide, -0.02}, {-wide * 0.9, -0.42}, {-0.4, -0.68}};
    path_smooth(brush, outline, 12, 1);
    double full = vary(by, kind[1], 0.1);
    colour skin = hsv(kind[0] + jitter(by, -0.02, 0.02), full, kind[2]);
    double bright = jitter(by, 0.6, 0.9);
    colour blush = hsv(jitter(by, -0.02, 0.14), 0.75, bright);
    fill_part(by, (material){.base = skin,
                             .other = blend(skin, blush, jitter(by, 0.2, 0.8)),
                             .pattern = GRAINED,
                             .frequency = 1.3,
                             .round = 0.75,
                             .bulge = 1.0,
                             .gloss = 0.55});
    path_ellipse(brush, 0, -0.57, 0.26, 0.09);
    fill_part(by, (material){.base = scaled(skin, 0.25),
                             .other = hsv(0.1, 0.6, 0.35),
                             .pattern = MOTTLED,
                             .frequency = 5,
                             .relief = DECAL});
    apple_stem(by, jitter(by, -0.2, 0.12));
}

static void cactus_limb(artist *by, double (*spine)[2], int count, double width, material flesh)
{
    cairo_t *brush = by->on->brush;
    path_smooth(brush, spine, count, 0);
    flesh.round = width * 0.5;
    stroke_part(by, width, flesh);
    for (int rib = -1; rib <= 1; rib++) {
        cairo_save(brush);
        cairo_translate(brush, rib * width * 0.27, 0);
        path_smooth(brush, spine, count, 0);
        cairo_restore(brush);
        double dashes[2] = {0.008, 0.11};
        cairo_set_dash(brush, dashes, 2, jitter(by, 0, 0.1));
        stroke_part(by, 0.028, (material){.base = hsv(0.14, 0.2, 0.9), .relief = DECAL});
        cairo_set_dash(brush, NULL, 0, 0);
    }
}

static void pot(artist *by, double top, double bottom, double half)
{
    cairo_t *brush = by->on->brush;
    colour clay = chance(by->random, 0.5) ? hsv(0.05, 0.65, 0.72) : any_colour(by);
    material look = {.base = clay,
                     .other = scaled(clay, 0.75),
                     .pattern = MOTTLED,
                     .frequency = 4,
                     .relief = PILLAR,
                     .round = half,
                     .bulge = 0.8,
                     .gloss = 0.1,
                     .shade = 0.4};
    cairo_move_to(brush, -half * 0.9, top);
    cairo_line_to(brush, half * 0.9, top);
    cairo_line_to(brush, half * 0.66, bottom);
    cairo_curve_to(brush, half * 0.3, bottom + 0.05, -half * 0.3, bottom + 0.05, -half * 0.66, bottom);
    fill_part(by, look);
    cairo_rectangle(brush, -half, top - 0.04, half * 2, 0.17);
    look.base = scaled(clay, 1.1);
    fill_part(by, look);
}

void draw_cactus(artist *by)
{
    cairo_t *brush = by->on->brush;
    double top = jitter(by, -0.9, -0.6), width = jitter(by, 0.36, 0.5), lean = jitter(by, -0.06, 0.06);
    double hue = jitter(by, 0.27, 0.43);
    material flesh = {.base = hsv(hue, 0.55, 0.58),
                      .other = hsv(hue + 0.03, 0.7, 0.36),
                      .pattern = STRIPED,
                      .frequency = jitter(by, 5, 7),
                      .bulge = 0.9,
                      .gloss = 0.1,
                      .shade = 0.45};
    double trunk[3][2] = {{0, 0.55}, {lean, 0}, {lean * 2, top + width / 2}};
    int arms = 1 + below(by->random, 2), first = chance(by->random, 0.5) ? 1 : -1;
    for (int i = 0; i < arms; i++) {
        double side = i ? -first : first, root = jitter(by, -0.15, 0.2), out = side * jitter(by, 0.5, 0.66);
        double arm[4][2] = {
            {0, root}, {out * 0.75, root + 0.02}, {out, root - 0.12}, {out, root - jitter(by, 0.3, 0.5)}};
        cactus_limb(by, arm, 4, width * 0.58, flesh);
    }
    cactus_limb(by, trunk, 3, width, flesh);
    if (chance(by->random, 0.4)) {
        for (int petal = 0; petal < 6; petal++) {
            double turn = petal * 1.047;
            path_ellipse(brush, lean * 2 + 0.1 * cos(turn), top - 0.02 + 0.07 * sin(turn), 0.075, 0.06);
        }
        fill_part(by, (material){.base = hsv(jitter(by, 0.85, 1.15), 0.6, 0.95), .round = 0.06, .bulge = 0.7});
    }
    pot(by, 0.42, 0.92, jitter(by, 0.42, 0.52));
}

static void mushroom_spots(artist *by, double wide, double top, double rim)
{
    cairo_t *brush = by->on->brush;
    for (int i = 0; i < 9; i++) {
        double x = jitter(by, -0.8, 0.8) * wide, y = top + (rim - top) * jitter(by, 0.15, 0.85);
        double size = jitter(by, 0.05, 0.12);
        if (x * x / (wide * wide) + pow((y - rim) / (top - rim), 2) > 0.75) continue;
        path_ellipse(brush, x, y, size, size * 0.75);
    }
    fill_part(by, (material){.base = hsv(0.12, 0.1, 0.95),
                             .other = hsv(0.1, 0.2, 0.8),
                             .pattern = MOTTLED,
                             .frequency = 10,
                             .round = 0.06,
                             .bulge = 0.5,
                             .shade = 0.3});
}

void draw_mushroom(artist *by)
{
    cairo_t *brush = by->on->brush;
    double wide = jitter(by, 0.72, 0.92), top = jitter(by, -0.9, -0.65), rim = jitter(by, -0.08, 0.1);
    double thick = jitter(by, 0.16, 0.26), foot = thick * jitter(by, 1.1, 1.6);
    cairo_move_to(brush, -thick, rim - 0.05);
    cairo_curve_to(brush, -thick * 0.8, 0.4, -foot, 0.6, -foot, 0.85);
    cairo_curve_to(brush, -foot * 0.5, 0.95, foot * 0.5, 0.95, foot, 0.85);
    cairo_curve_to(brush, foot, 0.6, thick * 0.8, 0.4, thick, rim - 0.05);
    fill_part(by, (material){.base = hsv(0.11, 0.12, 0.92),
                             .other = hsv(0.09, 0.3, 0.65),
                             .pattern = GRAINED,
                             .frequency = 5,
                             .relief = PILLAR,
                             .round = foot,
                             .bulge = 0.8,
                             .bump = 0.1});
    path_ellipse(brush, 0, rim, wide * 0.93, 0.15);
    fill_part(by, (material){.base = hsv(0.1, 0.2, 0.75),
                             .other = hsv(0.08, 0.35, 0.4),
                             .pattern = STRIPED,
                             .frequency = 11,
                             .round = 0.1,
                             .bulge = 0.1,
                             .shade = 0.6});
    static const double caps[5][3] = {
        {0.0, 0.85, 0.8}, {0.07, 0.65, 0.6}, {0.1, 0.45, 0.8}, {0.06, 0.8, 0.85}, {0.9, 0.3, 0.6}};
    const double *kind = caps[below(by->random, 5)];
    double bright = vary(by, kind[2], 0.1);
    colour skin = hsv(kind[0] + jitter(by, -0.02, 0.02), kind[1], bright);
    cairo_move_to(brush, -wide, rim + 0.02);
    cairo_curve_to(brush, -wide, rim + (top - rim) * 0.75, -wide * 0.55, top, 0, top);
    cairo_curve_to(brush, wide * 0.55, top, wide, rim + (top - rim) * 0.75, wide, rim + 0.02);
    cairo_curve_to(brush, wide * 0.6, rim + 0.13, -wide * 0.6, rim + 0.13, -wide, rim + 0.02);
    fill_part(by, (material){.base = skin,
                             .other = scaled(skin, 0.6),
                             .pattern = MOTTLED,
                             .frequency = 2.5,
                             .round = 0.6,
                             .bulge = 0.95,
                             .gloss = 0.3,
                             .shade = 0.5});
    if (chance(by->random, 0.65)) mushroom_spots(by, wide, top, rim);
}
