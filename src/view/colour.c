/* SPDX-License-Identifier: Apache-2.0 */
/* A colour map is a curve through OKLab (with perceived lightness) with even steps: the curve is sampled finely, its
 * length added up, and the table's entries are placed at equal distances. Lightness increases along the curve
 * (diverging: along each arm), so the map also works in grey. */
#include "view/colour.h"
#include "internal/view.h"
#include <math.h>
#include <pthread.h>

enum { ENTRIES = 256, FINE = 2048 };
static const double TURN = 6.283185307179586;

typedef struct lch {
    double lightness, chroma, hue; /* hue in degrees */
} lch;

static double encode(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

/* OKLab's lightness makes the darkest colours look too even; Ottosson's toe (2021) brings it close to CIE L*. */
static const double TOE_1 = 0.206, TOE_2 = 0.03, TOE_3 = 1.206 / 1.03;

static double toe_inverse(double lightness)
{
    return lightness * (lightness + TOE_1) / (TOE_3 * (lightness + TOE_2));
}

/* OKLab (Ottosson 2020): cone responses, cube root, opponent axes. */
static void linear_of_lab(double rgb[3], const double lab[3])
{
    double lightness = toe_inverse(lab[0]);
    double l = lightness + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lightness - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lightness - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static int lab_of_lch(double lab[3], lch at)
{
    double turn = at.hue / 360 * TURN, rgb[3];
    lab[0] = at.lightness;
    lab[1] = at.chroma * cos(turn);
    lab[2] = at.chroma * sin(turn);
    linear_of_lab(rgb, lab);
    for (int i = 0; i < 3; i++)
        if (rgb[i] < -1e-6 || rgb[i] > 1 + 1e-6) return 0;
    return 1;
}

/* The colour, or, if it is outside sRGB, the most saturated one of the same lightness and hue. */
static void displayable(double lab[3], lch wanted)
{
    if (lab_of_lch(lab, wanted)) return;
    double low = 0, high = wanted.chroma;
    for (int i = 0; i < 30; i++) {
        wanted.chroma = 0.5 * (low + high);
        if (lab_of_lch(lab, wanted))
            low = wanted.chroma;
        else
            high = wanted.chroma;
    }
    wanted.chroma = low;
    lab_of_lch(lab, wanted);
}

static gig_rgb rgb_of_lab(const double lab[3])
{
    double rgb[3];
    linear_of_lab(rgb, lab);
    for (int i = 0; i < 3; i++) rgb[i] = encode(fmin(fmax(rgb[i], 0), 1));
    return (gig_rgb){rgb[0], rgb[1], rgb[2]};
}

static lch heat_curve(double t)
{
    return (lch){0.03 + 0.93 * t, 0.05 + 0.13 * sin(TURN / 2 * pow(t, 0.8)), 282 + 186 * t};
}

static lch grey_curve(double t)
{
    return (lch){t, 0, 0};
}

/* One arm of the diverging map, from its dark end (0) to white (1). */
static lch blue_arm(double t)
{
    return (lch){0.32 + 0.66 * t, 0.17 * pow(sin(TURN / 4 * (1 - t)), 0.9) * (0.75 + 0.5 * t), 258};
}

static lch red_arm(double t)
{
    return (lch){0.32 + 0.66 * t, 0.17 * pow(sin(TURN / 4 * (1 - t)), 0.9) * (0.75 + 0.5 * t), 27};
}

/* entries[i] at even lengths along the curve, both ends included. */
static void walk_evenly(gig_rgb *entries, int count, lch (*curve)(double t))
{
    double length[FINE + 1], before[3], lab[3];
    displayable(before, curve(0));
    length[0] = 0;
    for (int i = 1; i <= FINE; i++) {
        displayable(lab, curve((double)i / FINE));
        length[i] =
            length[i - 1] + sqrt(pow(lab[0] - before[0], 2) + pow(lab[1] - before[1], 2) + pow(lab[2] - before[2], 2));
        for (int c = 0; c < 3; c++) before[c] = lab[c];
    }
    for (int i = 0, k = 0; i < count; i++) {
        double wanted = length[FINE] * i / (count - 1);
        while (k < FINE - 1 && length[k + 1] < wanted) k++;
        double part = length[k + 1] > length[k] ? (wanted - length[k]) / (length[k + 1] - length[k]) : 0;
        displayable(lab, curve((k + fmin(fmax(part, 0), 1)) / FINE));
        entries[i] = rgb_of_lab(lab);
    }
}

static gig_rgb heat[ENTRIES], grey[ENTRIES], diverging[ENTRIES + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    gig_rgb arm[ENTRIES / 2 + 1];
    walk_evenly(heat, ENTRIES, heat_curve);
    walk_evenly(grey, ENTRIES, grey_curve);
    walk_evenly(arm, ENTRIES / 2 + 1, blue_arm);
    for (int i = 0; i <= ENTRIES / 2; i++) diverging[i] = arm[i];
    walk_evenly(arm, ENTRIES / 2 + 1, red_arm);
    for (int i = 0; i < ENTRIES / 2; i++) diverging[ENTRIES - i] = arm[i];
}

void gig_colour_at(float rgb[3], gig_colours colours, double t)
{
    pthread_once(&once, make_tables);
    const gig_rgb *table = colours == GIG_COLOURS_GREY ? grey : colours == GIG_COLOURS_DIVERGING ? diverging : heat;
    int last = colours == GIG_COLOURS_DIVERGING ? ENTRIES : ENTRIES - 1;
    double at = (t > 0 ? (t < 1 ? t : 1) : 0) * last; /* NaN becomes 0 */
    int k = at < last ? (int)at : last - 1;
    double part = at - k;
    rgb[0] = (float)(table[k].r + part * (table[k + 1].r - table[k].r));
    rgb[1] = (float)(table[k].g + part * (table[k + 1].g - table[k].g));
    rgb[2] = (float)(table[k].b + part * (table[k + 1].b - table[k].b));
}

gig_rgb gig_palette(size_t k)
{
    static const lch colours[GIG_PALETTE_COLOURS] = {{0.55, 0.16, 255}, {0.68, 0.17, 55}, {0.58, 0.14, 150},
                                                     {0.52, 0.19, 310}, {0.56, 0.20, 25}, {0.65, 0.11, 205},
                                                     {0.60, 0.12, 105}, {0.66, 0.18, 350}};
    double lab[3];
    displayable(lab, colours[k % GIG_PALETTE_COLOURS]);
    return rgb_of_lab(lab);
}
