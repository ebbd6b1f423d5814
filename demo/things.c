/* SPDX-License-Identifier: Apache-2.0 */
/* Boat, candle, key, mug, umbrella. */
#include "objects.h"
#include <math.h>

static void sail(artist *by, double mast, double top, double foot, double reach, colour cloth)
{
    cairo_t *brush = by->on->brush;
    cairo_move_to(brush, mast, top);
    cairo_curve_to(brush, mast + reach * 0.45, top * 0.5, mast + reach * 0.95, foot - 0.25, mast + reach, foot);
    cairo_curve_to(brush, mast + reach * 0.6, foot + 0.06, mast + reach * 0.3, foot + 0.05, mast, foot);
    cairo_close_path(brush);
    int striped = chance(by->random, 0.35);
    fill_part(by, (material){.base = cloth,
                             .other = striped ? any_colour(by) : scaled(cloth, 0.82),
                             .pattern = striped ? STRIPED : GRAINED,
                             .frequency = striped ? 3 : 1,
                             .round = 0.35,
                             .bulge = 0.35,
                             .shade = 0.2});
}

void draw_boat(artist *by)
{
    cairo_t *brush = by->on->brush;
    double mast = jitter(by, -0.12, 0.08), deck = jitter(by, 0.36, 0.46), keel = jitter(by, 0.76, 0.9);
    colour cloth = chance(by->random, 0.6) ? hsv(0.12, 0.08, 0.95) : any_colour(by), hull = any_colour(by);
    cairo_move_to(brush, mast, -0.98);
    cairo_line_to(brush, mast, deck + 0.1);
    stroke_part(by, 0.05, (material){.base = hsv(0.08, 0.5, 0.5), .round = 0.03, .bulge = 0.9});
    sail(by, mast + 0.05, -0.9, deck - 0.1, jitter(by, 0.6, 0.8), cloth);
    double reach = jitter(by, -0.65, -0.45);
    sail(by, mast - 0.06, jitter(by, -0.8, -0.6), deck - 0.08, reach, cloth);
    cairo_move_to(brush, -1.0, deck - 0.03);
    cairo_curve_to(brush, -0.5, deck + 0.08, 0.5, deck + 0.08, 0.97, deck - 0.08);
    cairo_curve_to(brush, 0.85, keel - 0.1, 0.7, keel, 0.55, keel);
    cairo_line_to(brush, -0.5, keel);
    cairo_curve_to(brush, -0.75, keel, -0.9, deck + 0.2, -1.0, deck - 0.03);
    cairo_path_t *outline = cairo_copy_path(brush);
    fill_part(by, (material){.base = hull,
                             .other = scaled(hull, 0.6),
                             .pattern = GRAINED,
                             .frequency = 2,
                             .round = 0.25,
                             .bulge = 0.8,
                             .gloss = 0.2,
                             .shade = 0.4});
    cairo_append_path(brush, outline);
    cairo_clip(brush);
    cairo_move_to(brush, -1.0, deck + 0.05);
    cairo_curve_to(brush, -0.5, deck + 0.16, 0.5, deck + 0.16, 0.97, deck);
    stroke_part(by, 0.07,
                (material){.base = chance(by->random, 0.5) ? hsv(0, 0, 0.95) : any_colour(by), .relief = DECAL});
    cairo_path_destroy(outline);
    if (!chance(by->random, 0.5)) return;
    cairo_move_to(brush, mast, -0.99);
    cairo_line_to(brush, mast + 0.25, -0.92);
    cairo_line_to(brush, mast, -0.82);
    fill_part(by, (material){.base = any_colour(by), .round = 0.05, .bulge = 0.3});
}

static void flame(artist *by, double x, double y, double size)
{
    cairo_t *brush = by->on->brush;
    double sway = jitter(by, -0.06, 0.06);
    for (int core = 0; core < 2; core++) {
        double s = core ? size * 0.55 : size, base = core ? y - 0.01 : y;
        cairo_move_to(brush, x, base);
        cairo_curve_to(brush, x - s * 0.42, base - s * 0.2, x - s * 0.25, base - s * 0.55, x + sway * s, base - s);
        cairo_curve_to(brush, x + s * 0.3, base - s * 0.5, x + s * 0.4, base - s * 0.2, x, base);
        fill_part(by, (material){.base = core ? hsv(0.15, 0.2, 1) : hsv(0.09, 0.85, 1),
                                 .round = 0.15,
                                 .bulge = 0.1,
                                 .glow = core ? 0.9 : 0.8});
    }
}

static void dish(artist *by, double y, double wide)
{
    cairo_t *brush = by->on->brush;
    colour metal = chance(by->random, 0.5) ? hsv(0.12, 0.55, 0.75) : any_colour(by);
    path_ellipse(brush, 0, y, wide, 0.16);
    fill_part(by, (material){.base = scaled(metal, 0.8), .round = 0.14, .bulge = 0.6, .gloss = 0.5});
    path_ellipse(brush, 0, y - 0.03, wide * 0.86, 0.1);
    fill_part(by, (material){.base = scaled(metal, 0.5), .round = 0.1, .bulge = -0.4, .gloss = 0.3});
}

void draw_candle(artist *by)
{
    cairo_t *brush = by->on->brush;
    double half = jitter(by, 0.2, 0.32), top = jitter(by, -0.45, -0.1), foot = 0.78;
    colour wax = chance(by->random, 0.4) ? hsv(0.12, 0.15, 0.95) : any_colour(by);
    if (chance(by->random, 0.7)) dish(by, foot + 0.02, jitter(by, 0.55, 0.75));
    material body = {.base = wax,
                     .other = scaled(wax, 0.8),
                     .pattern = GRAINED,
                     .frequency = 1.5,
                     .relief = PILLAR,
                     .round = half * 1.05,
                     .bulge = 0.75,
                     .gloss = 0.15,
                     .shade = 0.3};
    cairo_move_to(brush, -half, top);
    cairo_line_to(brush, -half, foot);
    cairo_curve_to(brush, -half * 0.5, foot + 0.1, half * 0.5, foot + 0.1, half, foot);
    cairo_line_to(brush, half, top);
    cairo_curve_to(brush, half * 0.5, top - 0.08, -half * 0.5, top - 0.08, -half, top);
    fill_part(by, body);
    for (int i = 0; i < 3; i++) {
        double x = half * jitter(by, -0.9, 0.9);
        cairo_move_to(brush, x, top);
        cairo_line_to(brush, x, top + jitter(by, 0.12, 0.5));
    }
    stroke_part(by, 0.1,
                (material){.base = scaled(wax, 1.05), .round = 0.05, .bulge = 0.8, .gloss = 0.25, .shade = 0.3});
    path_ellipse(brush, 0, top, half * 0.96, 0.075);
    fill_part(by, (material){.base = scaled(wax, 1.1), .other = wax, .round = 0.07, .bulge = -0.5, .glow = 0.25});
    cairo_move_to(brush, 0, top);
    cairo_line_to(brush, 0.01, top - 0.14);
    stroke_part(by, 0.04, (material){.base = hsv(0.08, 0.3, 0.15), .round = 0.02, .bulge = 0.5});
    flame(by, 0.01, top - 0.07, jitter(by, 0.4, 0.5));
}

static void key_bow(artist *by, material metal)
{
    cairo_t *brush = by->on->brush;
    int style = below(by->random, 3);
    double size = jitter(by, 0.34, 0.42);
    cairo_set_fill_rule(brush, CAIRO_FILL_RULE_EVEN_ODD);
    if (style == 0) {
        path_ellipse(brush, -0.6, 0, size, size);
        path_ellipse(brush, -0.6, 0, size * 0.6, size * 0.6);
    } else if (style == 1) {
        path_ellipse(brush, -0.6, 0, size, size * 0.85);
        path_ellipse(brush, -0.78, 0, size * 0.28, size * 0.28);
    } else {
        for (int i = 0; i < 3; i++) {
            double turn = 3.1416 * (0.5 + 0.5 * i);
            path_ellipse(brush, -0.55 + 0.24 * cos(turn), 0.24 * sin(turn), 0.2, 0.2);
            path_ellipse(brush, -0.55 + 0.24 * cos(turn), 0.24 * sin(turn), 0.1, 0.1);
        }
    }
    fill_part(by, metal);
    cairo_set_fill_rule(brush, CAIRO_FILL_RULE_WINDING);
}

void draw_key(artist *by)
{
    static const double metals[4][3] = {{0.12, 0.65, 0.85}, {0.6, 0.05, 0.75}, {0.07, 0.6, 0.65}, {0.08, 0.35, 0.4}};
    cairo_t *brush = by->on->brush;
    const double *kind = metals[below(by->random, 4)];
    colour shine = hsv(kind[0], kind[1], vary(by, kind[2], 0.1));
    material metal = {.base = shine,
                      .other = scaled(shine, 0.6),
                      .pattern = MOTTLED,
                      .frequency = 4,
                      .round = 0.09,
                      .bulge = 0.8,
                      .gloss = 0.8,
                      .shade = 0.3};
    double thick = jitter(by, 0.11, 0.16), end = jitter(by, 0.85, 0.97);
    int teeth = 2 + below(by->random, 3);
    for (int i = 0; i < teeth; i++) {
        double wide = jitter(by, 0.09, 0.13), deep = jitter(by, 0.22, 0.42);
        cairo_rectangle(brush, end - 0.04 - 0.16 * (i + 1), 0, wide, deep);
    }
    fill_part(by, metal);
    cairo_move_to(brush, -0.3, 0);
    cairo_line_to(brush, end - thick / 2, 0);
    stroke_part(by, thick, metal);
    cairo_rectangle(brush, -0.2, -thick * 0.85, 0.07, thick * 1.7);
    fill_part(by, metal);
    key_bow(by, metal);
}

static void mug_band(artist *by, double half, double top, double foot)
{
    cairo_t *brush = by->on->brush;
    int kind = below(by->random, 3);
    material paint = {.base = any_colour(by), .relief = DECAL, .gloss = 0.3};
    if (kind == 0) {
        double y = jitter(by, 0.0, 0.3);
        cairo_move_to(brush, -half, y);
        cairo_curve_to(brush, -half * 0.5, y + 0.12, half * 0.5, y + 0.12, half, y);
        stroke_part(by, jitter(by, 0.12, 0.25), paint);
    } else if (kind == 1) {
        for (int i = 0; i < 5; i++) {
            double y = top + (foot - top) * jitter(by, 0.3, 0.85);
            path_ellipse(brush, jitter(by, -0.8, 0.8) * half, y, 0.09, 0.1);
        }
        fill_part(by, paint);
    }
}

void draw_mug(artist *by)
{
    cairo_t *brush = by->on->brush;
    double half = jitter(by, 0.5, 0.62), top = jitter(by, -0.75, -0.55), foot = jitter(by, 0.6, 0.8);
    double taper = jitter(by, 0.82, 1.0), shift = -0.18;
    colour glaze = chance(by->random, 0.35) ? hsv(0.1, 0.05, 0.92) : any_colour(by);
    cairo_save(brush);
    cairo_translate(brush, shift, 0);
    cairo_move_to(brush, half * 0.9, top + 0.25);
    cairo_curve_to(brush, half + 0.55, top + 0.2, half + 0.5, foot - 0.15, half * 0.85, foot - 0.22);
    stroke_part(by, jitter(by, 0.13, 0.19), (material){.base = glaze, .round = 0.09, .bulge = 0.9, .gloss = 0.5});
    cairo_move_to(brush, -half, top);
    cairo_line_to(brush, -half * taper, foot);
    cairo_curve_to(brush, -half * 0.5, foot + 0.17, half * 0.5, foot + 0.17, half * taper, foot);
    cairo_line_to(brush, half, top);
    cairo_path_t *outline = cairo_copy_path(brush);
    cairo_translate(brush, -shift, 0);
    fill_part(by, (material){.base = glaze,
                             .other = scaled(glaze, 0.85),
                             .pattern = MOTTLED,
                             .frequency = 2,
                             .relief = PILLAR,
                             .round = half * 1.03,
                             .centre = shift,
                             .bulge = 0.75,
                             .gloss = 0.4,
                             .shade = 0.3});
    cairo_translate(brush, shift, 0);
    cairo_append_path(brush, outline);
    cairo_path_destroy(outline);
    cairo_clip(brush);
    mug_band(by, half, top, foot);
    path_ellipse(brush, 0, top, half, 0.16);
    fill_part(by, (material){.base = scaled(glaze, 1.1), .round = 0.1, .bulge = 0.3, .gloss = 0.3});
    path_ellipse(brush, 0, top + 0.01, half * 0.9, 0.125);
    fill_part(by, (material){.base = scaled(glaze, 0.35), .round = 0.1, .bulge = -0.5});
    path_ellipse(brush, 0, top + 0.05, half * 0.84, 0.08);
    double bright = jitter(by, 0.25, 0.6);
    fill_part(by, (material){.base = hsv(jitter(by, 0.04, 0.1), 0.7, bright), .round = 0.05, .gloss = 0.3});
    cairo_restore(brush);
}

static void canopy_path(cairo_t *brush, double high, double rim, int panels)
{
    cairo_move_to(brush, -0.98, rim);
    cairo_curve_to(brush, -0.9, high * 0.85, -0.45, high, 0, high);
    cairo_curve_to(brush, 0.45, high, 0.9, high * 0.85, 0.98, rim);
    for (int i = 0; i < panels; i++) {
        double a = cos(3.14159 * i / panels) * 0.98, b = cos(3.14159 * (i + 1) / panels) * 0.98;
        cairo_curve_to(brush, a * 0.7 + b * 0.3, rim - 0.12, a * 0.3 + b * 0.7, rim - 0.12, b, rim);
    }
    cairo_close_path(brush);
}

void draw_umbrella(artist *by)
{
    cairo_t *brush = by->on->brush;
    double high = jitter(by, -0.85, -0.65), rim = jitter(by, 0.02, 0.15);
    int panels = 5 + below(by->random, 3), hook = chance(by->random, 0.5) ? 1 : -1;
    colour cloth = any_colour(by), second = chance(by->random, 0.5) ? any_colour(by) : scaled(cloth, 0.8);
    cairo_move_to(brush, 0, high - 0.1);
    cairo_line_to(brush, 0, 0.75);
    stroke_part(by, 0.05, (material){.base = hsv(0.6, 0.05, 0.6), .round = 0.03, .bulge = 0.9, .gloss = 0.5});
    cairo_move_to(brush, 0, 0.55);
    cairo_line_to(brush, 0, 0.8);
    cairo_curve_to(brush, 0, 1.02, hook * 0.25, 1.02, hook * 0.25, 0.82);
    stroke_part(by, 0.085, (material){.base = hsv(0.07, 0.65, 0.45), .round = 0.05, .bulge = 0.9, .gloss = 0.4});
    canopy_path(brush, high, rim, panels);
    fill_part(by, (material){.base = cloth,
                             .other = scaled(cloth, 0.85),
                             .pattern = MOTTLED,
                             .frequency = 2,
                             .round = 0.55,
                             .bulge = 0.85,
                             .gloss = 0.1,
                             .shade = 0.5});
    canopy_path(brush, high, rim, panels);
    cairo_clip(brush);
    for (int i = 0; i < panels; i += 2) {
        double a = cos(3.14159 * i / panels) * 0.98, b = cos(3.14159 * (i + 1) / panels) * 0.98;
        cairo_move_to(brush, 0, high);
        cairo_curve_to(brush, a * 0.6, high, a, high * 0.5, a, rim + 0.01);
        cairo_line_to(brush, b, rim + 0.01);
        cairo_curve_to(brush, b, high * 0.5, b * 0.6, high, 0, high);
    }
    fill_part(by, (material){.base = second,
                             .other = scaled(second, 0.85),
                             .pattern = MOTTLED,
                             .frequency = 2,
                             .relief = DECAL,
                             .gloss = 0.1});
    canopy_path(brush, high, rim, panels);
    cairo_clip(brush);
    for (int i = 1; i < panels; i++) {
        double a = cos(3.14159 * i / panels) * 0.98;
        cairo_move_to(brush, 0, high);
        cairo_curve_to(brush, a * 0.6, high, a, high * 0.5, a, rim);
    }
    stroke_part(by, 0.022, (material){.base = scaled(cloth, 0.35), .relief = DECAL});
}
