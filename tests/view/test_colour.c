/* SPDX-License-Identifier: Apache-2.0 */
/* Colour maps: even steps, lightness that rises, the ends, and the looks of a map pixel by pixel. */
#include "internal/view.h"
#include "support.h"
#include "view/colour.h"

static gig_rgb at(gig_colours colours, double t)
{
    float rgb[3];
    gig_colour_at(rgb, colours, t);
    return (gig_rgb){(double)rgb[0], (double)rgb[1], (double)rgb[2]};
}

static double decode(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* As seen: 0 black, 1 white. */
static double toe(double lightness)
{
    const double k1 = 0.206, k2 = 0.03, k3 = (1 + k1) / (1 + k2);
    double x = k3 * lightness - k1;
    return 0.5 * (x + sqrt(x * x + 4 * k2 * k3 * lightness));
}

/* What evenness is measured in. */
static void to_oklab(double lab[3], gig_rgb colour)
{
    double r = decode(colour.r), g = decode(colour.g), b = decode(colour.b);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = toe(fmax(0, 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s));
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double distance(gig_rgb a, gig_rgb b)
{
    double p[3], q[3];
    to_oklab(p, a);
    to_oklab(q, b);
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static void steps_are_even_to_the_eye(void **state)
{
    (void)state;
    static const gig_colours maps[] = {GIG_COLOURS_HEAT, GIG_COLOURS_GREY, GIG_COLOURS_DIVERGING};
    for (int m = 0; m < 3; m++) {
        double least = 1e9, most = 0;
        for (int i = 0; i < 64; i++) {
            double step = distance(at(maps[m], i / 64.0), at(maps[m], (i + 1) / 64.0));
            least = fmin(least, step);
            most = fmax(most, step);
        }
        if (most > 1.1 * least) fail_msg("map %d: steps from %g to %g", m, least, most);
        assert_true(least > 0.008);
    }
}

static void lightness_rises_and_diverging_is_lightest_in_the_middle(void **state)
{
    (void)state;
    double before[3], now[3];
    for (int i = 1; i <= 100; i++) {
        to_oklab(before, at(GIG_COLOURS_HEAT, (i - 1) / 100.0));
        to_oklab(now, at(GIG_COLOURS_HEAT, i / 100.0));
        assert_true(now[0] > before[0]);
        to_oklab(before, at(GIG_COLOURS_DIVERGING, (i - 1) / 100.0));
        to_oklab(now, at(GIG_COLOURS_DIVERGING, i / 100.0));
        assert_true(i <= 50 ? now[0] > before[0] : now[0] < before[0]);
    }
}

static void both_arms_are_equally_dark_and_blue_is_low(void **state)
{
    (void)state;
    double low[3], high[3];
    to_oklab(low, at(GIG_COLOURS_DIVERGING, 0));
    to_oklab(high, at(GIG_COLOURS_DIVERGING, 1));
    assert_true(fabs(low[0] - high[0]) < 0.01);
    gig_rgb blue = at(GIG_COLOURS_DIVERGING, 0), middle = at(GIG_COLOURS_DIVERGING, 0.5),
            red = at(GIG_COLOURS_DIVERGING, 1);
    assert_true(blue.b > blue.r + 0.3 && red.r > red.b + 0.3);
    assert_true(fabs(middle.r - middle.b) < 0.01 && middle.g > 0.95);
}

static void ends_are_black_and_white_in_grey_and_outside_is_clamped(void **state)
{
    (void)state;
    assert_true(at(GIG_COLOURS_GREY, 0).g == 0 && at(GIG_COLOURS_GREY, 1).g > 0.9999);
    assert_true(distance(at(GIG_COLOURS_HEAT, -3), at(GIG_COLOURS_HEAT, 0)) == 0);
    assert_true(distance(at(GIG_COLOURS_HEAT, 3), at(GIG_COLOURS_HEAT, 1)) == 0);
    assert_true(distance(at(GIG_COLOURS_HEAT, NAN), at(GIG_COLOURS_HEAT, 0)) == 0);
}

/* The CIE L* of mid grey (sRGB 119 is L* 50) must be near its place in the even grey. */
static void grey_follows_lightness_as_seen(void **state)
{
    (void)state;
    assert_true(fabs(at(GIG_COLOURS_GREY, 0.5).g - 119 / 255.0) < 0.02);
}

static void curves_have_distinct_colours_of_which_the_first_are_blue_and_orange(void **state)
{
    (void)state;
    for (size_t i = 0; i < GIG_PALETTE_COLOURS; i++)
        for (size_t k = 0; k < i; k++) assert_true(distance(gig_palette(i), gig_palette(k)) > 0.08);
    gig_rgb first = gig_palette(0), second = gig_palette(1);
    assert_true(first.b > first.r + 0.3 && second.r > second.b + 0.5 && second.g > second.b);
    assert_true(distance(gig_palette(0), gig_palette(GIG_PALETTE_COLOURS)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_even_to_the_eye),
        cmocka_unit_test(lightness_rises_and_diverging_is_lightest_in_the_middle),
        cmocka_unit_test(both_arms_are_equally_dark_and_blue_is_low),
        cmocka_unit_test(ends_are_black_and_white_in_grey_and_outside_is_clamped),
        cmocka_unit_test(grey_follows_lightness_as_seen),
        cmocka_unit_test(curves_have_distinct_colours_of_which_the_first_are_blue_and_orange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
