/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and noise, pure functions of their seeds. */
#include "paint.h"
#include <math.h>

static uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

rng rng_start(uint64_t seed, uint64_t scene)
{
    return (rng){scramble(scramble(seed) ^ scene), 0};
}

double uniform(rng *random)
{
    return (double)(scramble(random->key ^ scramble(random->at++)) >> 11) * 0x1p-53;
}

double between(rng *random, double low, double high)
{
    return low + (high - low) * uniform(random);
}

int below(rng *random, int count)
{
    return (int)(uniform(random) * count);
}

int chance(rng *random, double probability)
{
    return uniform(random) < probability;
}

uint32_t seed_of(rng *random)
{
    return (uint32_t)(uniform(random) * 4294967296.0);
}

static uint32_t hash(uint32_t seed, int x, int y)
{
    uint32_t h = seed * 0x9e3779b1u ^ (uint32_t)x * 0x85ebca6bu ^ (uint32_t)y * 0xc2b2ae35u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return h ^ (h >> 15);
}

float cell_noise(uint32_t seed, double x, double y)
{
    return (float)(hash(seed, (int)floor(x), (int)floor(y)) >> 8) * 0x1p-24f;
}

static double corner(uint32_t seed, int x, int y, double dx, double dy)
{
    static const double way[8][2] = {{1, 0},  {0.7071, 0.7071},   {0, 1},  {-0.7071, 0.7071},
                                     {-1, 0}, {-0.7071, -0.7071}, {0, -1}, {0.7071, -0.7071}};
    const double *w = way[hash(seed, x, y) >> 29];
    return w[0] * dx + w[1] * dy;
}

double noise(uint32_t seed, double x, double y)
{
    double fx = floor(x), fy = floor(y), dx = x - fx, dy = y - fy;
    int ix = (int)fx, iy = (int)fy;
    double u = dx * dx * dx * (dx * (dx * 6 - 15) + 10), v = dy * dy * dy * (dy * (dy * 6 - 15) + 10);
    double a = corner(seed, ix, iy, dx, dy), b = corner(seed, ix + 1, iy, dx - 1, dy);
    double c = corner(seed, ix, iy + 1, dx, dy - 1), d = corner(seed, ix + 1, iy + 1, dx - 1, dy - 1);
    return 1.5 * ((a + (b - a) * u) * (1 - v) + (c + (d - c) * u) * v);
}

double fractal(uint32_t seed, double x, double y, int octaves)
{
    double sum = 0, weight = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += weight * noise(seed + (uint32_t)i, x, y);
        double turned = 1.6 * x + 1.2 * y; /* doubled and turned, so that lattices do not line up */
        y = 1.6 * y - 1.2 * x;
        x = turned;
        weight *= 0.5;
    }
    return sum;
}
