/* SPDX-License-Identifier: Apache-2.0 */
/* Things that belong to no class: stones, leaves, twigs, marbles, blocks, rings, paper, plates. They are lit and
 * coloured like the classes, so colour and gloss alone do not give the class away. */
#include "objects.h"
#include <math.h>

static void stone(artist *by)
{
    double outline[8][2];
    for (int i = 0; i < 8; i++) {
        double turn = i * 0.785398, reach = jitter(by, 0.6, 1.0);
        outline[i][0] = reach * cos(turn);
        outline[i][1] = 0.8 * reach * sin(turn);
    }
    path_smooth(by->on->brush, outline, 8, 1);
    colour grey = colour_within(by, (double[]){0, 1}, (double[]){0.02, 0.25}, (double[]){0.35, 0.8});
    fill_part(by, (material){.base = grey,
                             .other = scaled(grey, 0.5),
                             .pattern = MOTTLED,
                             .frequency = 3,
                             .round = 0.6,
                             .bulge = 0.85,
                             .bump = 0.25});
}

static void leaf(artist *by)
{
    cairo_t *brush = by->on->brush;
    double wide = jitter(by, 0.3, 0.55), curl = jitter(by, -0.25, 0.25);
    colour green = colour_within(by, (double[]){0.02, 0.35}, (double[]){0.5, 0.85}, (double[]){0.4, 0.8});
    cairo_move_to(brush, -0.95, 0);
    cairo_curve_to(brush, -0.4, -wide * 1.4 + curl, 0.5, -wide + curl, 1.0, curl);
    cairo_curve_to(brush, 0.4, wide + curl, -0.4, wide * 1.4 + curl, -0.95, 0);
    fill_part(by, (material){.base = green,
                             .other = scaled(green, 0.6),
                             .pattern = GRAINED,
                             .frequency = 2,
                             .round = 0.25,
                             .bulge = 0.45,
                             .gloss = 0.1});
    cairo_move_to(brush, -0.95, 0);
    cairo_curve_to(brush, -0.4, curl * 0.3, 0.4, curl * 0.8, 0.95, curl);
    stroke_part(by, 0.05, (material){.base = scaled(green, 1.6), .relief = DECAL});
}

static void twig(artist *by)
{
    cairo_t *brush = by->on->brush;
    double bend = jitter(by, -0.3, 0.3), fork = jitter(by, -0.2, 0.4), side = chance(by->random, 0.5) ? 1 : -1;
    cairo_move_to(brush, -1, 0);
    cairo_curve_to(brush, -0.4, bend, 0.3, -bend, 1, bend * 0.5);
    cairo_move_to(brush, fork, 0);
    cairo_line_to(brush, fork + 0.3, side * 0.35);
    colour bark = hsv(0.07, 0.5, jitter(by, 0.3, 0.55));
    stroke_part(by, jitter(by, 0.07, 0.13),
                (material){.base = bark,
                           .other = hsv(0.07, 0.5, 0.2),
                           .pattern = MOTTLED,
                           .frequency = 6,
                           .round = 0.06,
                           .bulge = 0.9,
                           .bump = 0.2});
}

static void marble(artist *by)
{
    colour glass = any_colour(by), other = any_colour(by);
    int striped = chance(by->random, 0.5);
    path_ellipse(by->on->brush, 0, 0, 0.8, 0.8);
    fill_part(by, (material){.base = glass,
                             .other = other,
                             .pattern = striped ? STRIPED : PLAIN,
                             .frequency = 1,
                             .round = 0.8,
                             .bulge = 1,
                             .gloss = 0.8});
}

static void block(artist *by)
{
    cairo_t *brush = by->on->brush;
    colour side = any_colour(by);
    static const double faces[3][4][2] = {{{0, -0.85}, {0.8, -0.45}, {0, -0.05}, {-0.8, -0.45}},
                                          {{-0.8, -0.45}, {0, -0.05}, {0, 0.85}, {-0.8, 0.45}},
                                          {{0.8, -0.45}, {0, -0.05}, {0, 0.85}, {0.8, 0.45}}};
    static const double bright[3] = {1.15, 0.75, 0.45};
    for (int face = 0; face < 3; face++) {
        for (int i = 0; i < 4; i++) cairo_line_to(brush, faces[face][i][0], faces[face][i][1]);
        cairo_close_path(brush);
        fill_part(by, (material){.base = scaled(side, bright[face]),
                                 .other = scaled(side, bright[face] * 0.8),
                                 .pattern = GRAINED,
                                 .frequency = 1.5,
                                 .round = 0.05,
                                 .bulge = 0.3});
    }
}

static void ring(artist *by)
{
    colour metal = chance(by->random, 0.5) ? hsv(jitter(by, 0.08, 0.14), 0.6, 0.8) : any_colour(by);
    path_ellipse(by->on->brush, 0, 0, 0.8, jitter(by, 0.45, 0.8));
    stroke_part(by, jitter(by, 0.15, 0.3),
                (material){.base = metal,
                           .other = scaled(metal, 0.7),
                           .pattern = MOTTLED,
                           .frequency = 3,
                           .round = 0.12,
                           .bulge = 0.9,
                           .gloss = 0.6});
}

static void paper(artist *by)
{
    cairo_t *brush = by->on->brush;
    colour sheet = chance(by->random, 0.5) ? hsv(0.12, 0.08, 0.92) : any_colour(by);
    for (int i = 0; i < 5; i++) {
        double y = jitter(by, 0.6, 1) * sin(i * 1.2566);
        cairo_line_to(brush, jitter(by, 0.6, 1) * cos(i * 1.2566), y);
    }
    cairo_close_path(brush);
    fill_part(by, (material){.base = sheet,
                             .other = scaled(sheet, 0.75),
                             .pattern = MOTTLED,
                             .frequency = 1.2,
                             .round = 0.1,
                             .bulge = 0.15,
                             .bump = 0.05});
    for (int i = 0; i < 3; i++) {
        cairo_move_to(brush, -0.4, -0.25 + 0.25 * i);
        cairo_line_to(brush, jitter(by, 0.1, 0.4), -0.25 + 0.25 * i);
    }
    stroke_part(by, 0.05, (material){.base = scaled(sheet, 0.35), .relief = DECAL});
}

static void plate(artist *by)
{
    colour glaze = any_colour(by);
    for (int i = 0; i < 3; i++) {
        double size = 0.95 - 0.22 * i;
        path_ellipse(by->on->brush, 0, 0, size, size * 0.9);
        fill_part(by, (material){.base = i == 1 ? scaled(glaze, 0.7) : glaze,
                                 .other = scaled(glaze, 0.9),
                                 .pattern = MOTTLED,
                                 .frequency = 2,
                                 .round = 0.15,
                                 .bulge = i == 1 ? -0.4 : 0.4,
                                 .gloss = 0.3});
    }
}

void draw_clutter(artist *by)
{
    static void (*const kinds[])(artist *) = {stone, stone, leaf, leaf, twig, marble, block, ring, paper, plate};
    kinds[below(by->random, (int)(sizeof kinds / sizeof kinds[0]))](by);
}
