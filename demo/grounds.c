/* SPDX-License-Identifier: Apache-2.0 */
/* Backgrounds: ten kinds of ground, each an albedo and a height per fine pixel, lit by the scene's light. The kind is
 * chosen independently of the class, so the background does not give it away. */
#include "objects.h"
#include <math.h>
#include <stdlib.h>

typedef struct spot {
    colour albedo;
    double height; /* fine pixels */
    double gloss;
} spot;

typedef struct ground {
    uint32_t seed;
    double scale, turn_x, turn_y; /* pixels to pattern units, turned */
    colour a, b, c;
    double style;
} ground;

typedef spot (*ground_kind)(const ground *g, double x, double y);

static spot meadow(const ground *g, double x, double y)
{
    double patch = fractal(g->seed, x * 1.5, y * 1.5, 3);
    double bend = 0.8 * noise(g->seed + 9, x * 2, y * 2);
    double blade = noise(g->seed + 20, x * 22 + 6 * bend, y * 4),
           fine = noise(g->seed + 21, x * 31 - 7 * bend, y * 6 + 3);
    double high = fmax(blade, fine);
    colour tint = blend(blend(g->a, g->b, 0.5 + patch), scaled(g->a, 0.25), 0.55 - high);
    return (spot){blend(tint, g->c, fmax(0, high - 0.55) * 1.2), 2.2 * high, 0};
}

/* Nearest and second nearest of one random point per unit cell; near[2] names the cell. */
static void cells(double near[3], uint32_t seed, double x, double y)
{
    near[0] = near[1] = 9;
    near[2] = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            double cx = floor(x) + dx, cy = floor(y) + dy;
            double px = cx + 0.1 + 0.8 * (double)cell_noise(seed, cx + 0.5, cy + 0.5);
            double py = cy + 0.1 + 0.8 * (double)cell_noise(seed + 1, cx + 0.5, cy + 0.5);
            double d = hypot(px - x, py - y);
            if (d < near[0]) {
                near[1] = near[0];
                near[0] = d;
                near[2] = (double)cell_noise(seed + 2, cx + 0.5, cy + 0.5);
            } else if (d < near[1]) {
                near[1] = d;
            }
        }
    }
}

static spot gravel(const ground *g, double x, double y)
{
    double near[3];
    cells(near, g->seed, x * 5 + 0.3 * noise(g->seed, x * 9, y * 9), y * 5 + 0.3 * noise(g->seed + 5, x * 9, y * 9));
    double gap = fmin(1, (near[1] - near[0]) * 3), speck = fractal(g->seed + 7, x * 25, y * 25, 2);
    colour stone = blend(blend(g->a, g->b, near[2]), g->c, 0.3 * speck + 0.1);
    return (spot){blend(scaled(g->a, 0.12), stone, 0.2 + 0.8 * gap), 6 * sqrt(gap * (2 - gap)) + speck, 0.05};
}

static spot bricks(const ground *g, double x, double y)
{
    double row = floor(y * 6), col = x * 3 + 0.5 * fmod(fabs(row), 2), inside_x = col - floor(col);
    double inside_y = y * 6 - row, edge = fmin(fmin(inside_x, 1 - inside_x) * 2, fmin(inside_y, 1 - inside_y));
    double rough = fractal(g->seed, x * 14, y * 14, 3), joint = fmin(fmax((edge - 0.07 + 0.05 * rough) * 12, 0), 1);
    colour clay = blend(blend(g->a, g->b, (double)cell_noise(g->seed, col, row)), scaled(g->a, 0.4), 0.3 + 0.6 * rough);
    return (spot){blend(g->c, clay, joint), 3 * joint + 1.6 * rough, 0};
}

static spot planks(const ground *g, double x, double y)
{
    double board = floor(y * 3.2), inside = y * 3.2 - board, along = x + 7.3 * (double)cell_noise(g->seed, board, 1);
    double knot = noise(g->seed + 4, along * 1.7, y * 3.5);
    double grain = sin(40 * (inside + 0.35 * knot + 0.15 * noise(g->seed + 2, along * 3, y * 12)));
    double fibre = noise(g->seed + 3, along * 6, y * 60);
    double gap = fmin(fmin(inside, 1 - inside) * 28, 1);
    colour wood = blend(g->a, g->b, 0.5 + 0.28 * grain + 0.3 * fibre);
    wood = scaled(wood, 0.75 + 0.5 * (double)cell_noise(g->seed + 1, board, 2));
    return (spot){scaled(wood, 0.15 + 0.85 * gap), 2 * gap + 0.5 * fibre + 0.3 * grain, 0.05};
}

static spot water(const ground *g, double x, double y)
{
    double wx = x + 0.12 * noise(g->seed, x * 2, y * 3), wy = y + 0.07 * noise(g->seed + 1, x * 3, y * 2);
    double wave = noise(g->seed + 2, wx * 3, wy * 12) + 0.35 * noise(g->seed + 3, wx * 8, wy * 26);
    double deep = 0.5 + fractal(g->seed + 4, x * 2, y * 2, 3);
    return (spot){blend(blend(g->a, g->b, deep), g->c, fmax(0, wave - 0.45) * 0.7), 1.7 * wave, 0.35};
}

static spot sky(const ground *g, double x, double y)
{
    double cloud = fractal(g->seed, x * 2.2 + 0.4 * noise(g->seed + 8, x * 3, y * 3), y * 3.6, 5);
    double cover = fmin(fmax(cloud * 2.4 + g->style, 0), 1);
    return (spot){blend(blend(g->a, g->b, 0.5 + 0.5 * y), g->c, cover), 5 * cover * cloud, 0};
}

static spot cloth(const ground *g, double x, double y)
{
    double u = x * 7, v = y * 7, fold = fractal(g->seed, x * 1.6, y * 1.6, 2);
    double across = fabs(u - floor(u) - 0.5) < 0.22 + 0.1 * g->style, down = fabs(v - floor(v) - 0.5) < 0.22;
    double thread = 0.5 * sin(x * 180) + 0.5 * sin(y * 180);
    colour dye = blend(blend(g->a, g->b, 0.5 * across + 0.5 * down), g->c, across * down * 0.6);
    return (spot){scaled(dye, 0.9 + 0.1 * thread), 14 * fold + 0.4 * thread, 0};
}

static spot sand(const ground *g, double x, double y)
{
    double bend = 0.6 * fractal(g->seed, x * 2, y * 2, 3), ripple = sin(6.28 * (y * 7 + 3 * bend + x * g->style));
    double grit = noise(g->seed + 3, x * 70, y * 70), patch = fractal(g->seed + 5, x * 3, y * 3, 3);
    colour grain = blend(blend(g->a, g->b, 0.5 + 0.6 * patch), g->c, 0.3 * fmax(0, grit));
    return (spot){grain, 1.4 * ripple + 0.8 * grit, 0};
}

static spot rock(const ground *g, double x, double y)
{
    double form = fractal(g->seed, x * 3, y * 3, 5), crack = 1 - fabs(noise(g->seed + 6, x * 4 + form, y * 4));
    double moss = fmin(fmax(4 * (fractal(g->seed + 11, x * 2.5, y * 2.5, 4) + 0.1), 0), 1);
    colour stone = blend(blend(g->a, g->b, 0.5 + form), scaled(g->a, 0.15), fmax(0, crack - 0.9) * 8);
    return (spot){blend(stone, scaled(g->c, 0.8 + 0.5 * noise(g->seed + 13, x * 40, y * 40)), moss), 14 * form + moss,
                  0};
}

static spot tiles(const ground *g, double x, double y)
{
    double col = floor(x * 4), row = floor(y * 4), ix = x * 4 - col, iy = y * 4 - row;
    double edge = fmin(fmin(ix, 1 - ix), fmin(iy, 1 - iy)), joint = fmin(fmax((edge - 0.03) * 20, 0), 1);
    double vein = fractal(g->seed + (uint32_t)(cell_noise(g->seed, col, row) * 99.0f), x * 4, y * 4, 4);
    int odd = ((int)col + (int)row) & 1;
    colour glaze = blend(odd ? g->a : g->b, odd ? g->b : g->a, 0.25 * fabs(vein) + 0.1);
    glaze = scaled(glaze, 0.85 + 0.3 * (double)cell_noise(g->seed + 1, col, row));
    return (spot){blend(g->c, glaze, joint), 2.5 * joint + 0.5 * vein, 0.12};
}

/* Colours that suit each kind: hue, spread of hue, saturation, value. */
typedef struct ground_look {
    ground_kind kind;
    double hue, spread, saturation, value;
    double accent_hue, accent_saturation, accent_value;
} ground_look;

static const ground_look looks[] = {
    {meadow, 0.27, 0.07, 0.65, 0.55, 0.16, 0.5, 0.85}, {gravel, 0.09, 0.5, 0.15, 0.65, 0.1, 0.1, 0.85},
    {bricks, 0.03, 0.05, 0.55, 0.60, 0.1, 0.1, 0.65},  {planks, 0.08, 0.03, 0.5, 0.60, 0.08, 0.4, 0.3},
    {water, 0.54, 0.07, 0.6, 0.50, 0.5, 0.15, 0.95},   {sky, 0.58, 0.05, 0.45, 0.80, 0.1, 0.03, 0.95},
    {cloth, 0.5, 0.5, 0.45, 0.75, 0.5, 0.3, 0.9},      {sand, 0.11, 0.03, 0.4, 0.80, 0.09, 0.5, 0.5},
    {rock, 0.6, 0.5, 0.1, 0.55, 0.25, 0.6, 0.4},       {tiles, 0.5, 0.5, 0.3, 0.75, 0.1, 0.1, 0.5},
};

void paint_ground(canvas *scene, const light *sun, rng *random)
{
    const ground_look *look = &looks[below(random, (int)(sizeof looks / sizeof looks[0]))];
    ground g = {.seed = seed_of(random)};
    g.style = uniform(random);
    double angle = look->kind == sky || look->kind == water ? 0 : between(random, -0.5, 0.5);
    g.scale = between(random, 0.7, 1.4) / FINE;
    g.turn_x = cos(angle) * g.scale;
    g.turn_y = sin(angle) * g.scale;
    double value = look->value * between(random, 0.7, 1.15);
    g.a = hsv(look->hue + between(random, -look->spread, look->spread), look->saturation, value);
    double darker = value * between(random, 0.6, 1.1), paler = look->saturation * between(random, 0.5, 1.2);
    g.b = hsv(look->hue + between(random, -look->spread, look->spread), paler, darker);
    g.c = hsv(look->accent_hue + between(random, -0.05, 0.05), look->accent_saturation, look->accent_value);
    double from_x = between(random, 0, 50), from_y = between(random, 0, 50);
    spot *field = malloc(sizeof(spot) * FINE_PIXELS);
    if (!field) abort();
    for (int y = 0; y < FINE; y++)
        for (int x = 0; x < FINE; x++)
            field[y * FINE + x] =
                look->kind(&g, from_x + x * g.turn_x - y * g.turn_y, from_y + x * g.turn_y + y * g.turn_x);
    for (int y = 0; y < FINE; y++) {
        for (int x = 0; x < FINE; x++) {
            int p = y * FINE + x, right = x + 1 < FINE ? p + 1 : p, left = x ? p - 1 : p;
            int down = y + 1 < FINE ? p + FINE : p, up = y ? p - FINE : p;
            double sx = 0.5 * (field[right].height - field[left].height);
            double sy = 0.5 * (field[down].height - field[up].height);
            colour seen = lit(sun, field[p].albedo, sx, sy, field[p].gloss);
            scene->colour[p * 3] = seen.r;
            scene->colour[p * 3 + 1] = seen.g;
            scene->colour[p * 3 + 2] = seen.b;
            scene->mask[p] = 0;
        }
    }
    free(field);
}
